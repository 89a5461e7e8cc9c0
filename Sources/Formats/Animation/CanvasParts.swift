import JSON

/// The parts of the elements for drawing, made of the scripts and styles in `Web/Canvas`.
package enum CanvasParts {
  /// The script that defines the elements, and the worker's.
  package static let scripts = (
    elements: PlayerParts.opening + styles + bundle.script(of: "canvas-served.mjs")
      + PlayerParts.closing,
    worker: PlayerParts.opening + bundle.script(of: "memory-worker.mjs") + PlayerParts.closing
  )

  private static let bundle = ScriptBundle(WebFile.canvas)

  /// The styles as a constant of the script. Their pictures are inside: a script knows no addresses
  /// of other files.
  private static var styles: [UInt8] {
    let sheets = ["tokens.css", "controls.css", "canvas.css"].map { name in
      String(decoding: bundle.file(name).bare, as: UTF8.self)
    }
    let marks = bundle.files.values.filter { $0.name.hasSuffix(".png") }
      .sorted { $0.name < $1.name }
      .map { file in
        let name = file.name.dropFirst("marks/".count).dropLast(".png".count)
        return ".m-\(name){--shape:url(data:image/png;base64,\(Base64.encode(file.bytes)))}"
      }
    let all = (sheets + [marks.joined()]).map(\.quotedForScript)
    return Array("const styles = [\(all.joined(separator: ","))];\n".utf8)
  }
}
