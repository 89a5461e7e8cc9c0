import CWebFiles
import Compression

/// A file for browsers that is part of the program.
package struct WebFile: Sendable {
  package let name: String
  package let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  private init(_ file: CWebFiles.WebFile) {
    name = String(cString: file.name)
    bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  private static func all(_ files: WebFiles) -> [WebFile] {
    UnsafeBufferPointer(start: files.files, count: files.count).map(WebFile.init)
  }

  /// Scripts and styles of the player.
  static var player: [WebFile] { all(webPlayerFiles()) }
  /// Scripts, styles and pictures of the elements for drawing, with the player's that they need.
  static var canvas: [WebFile] {
    all(webCanvasFiles())
      + player.filter { ["build.mjs", "engine.mjs", "thread.mjs", "tokens.css"].contains($0.name) }
  }
  /// Those of both that the server's pages load one by one.
  package static var shared: [WebFile] {
    let names: Set = [
      "build.mjs", "canvas-words.mjs", "canvas-worker.mjs", "controls.css", "easel.mjs",
      "engine.mjs",
      "interface.mjs", "overview.mjs", "source.mjs", "thread.mjs", "tokens.css",
    ]
    return canvas.filter { names.contains($0.name) || $0.name.hasSuffix(".png") }
  }
  /// The files of the server's pages.
  package static var pages: [WebFile] { all(webPageFiles()) }

  /// The engine that replays `.pkd` files, as gzip; nil if the program was built before it.
  package static let playerEngine = engine(webPlayerEngine())
  /// The engine for drawing, as gzip; nil if the program was built before it.
  package static let canvasEngine = engine(webCanvasEngine())
  /// The whole engine, as gzip; nil if the program was built before it.
  package static let pageEngine = engine(webPageEngine())

  /// The bytes of a packed engine, which this program was built with.
  package static func unpacked(_ engine: [UInt8]) -> [UInt8] {
    do throws(InflateError) {
      return try Inflate.inflate(engine, limit: 1 << 26)
    } catch {
      preconditionFailure("the engine was damaged before the program was built")
    }
  }

  private static func engine(_ file: CWebFiles.WebFile) -> [UInt8]? {
    file.count == 0 ? nil : WebFile(file).bytes
  }
}

extension WebFile {
  /// The file as sent to browsers: scripts and styles without comments and other text for human
  /// readers.
  package var bare: [UInt8] {
    if name.hasSuffix(".mjs") || name.hasSuffix(".js") { return bareScript }
    return name.hasSuffix(".css") ? bareStyle : bytes
  }

  /// Space, tab, and the ends of lines.
  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  /// The lines without space around them, without empty ones and comments.
  private var bareScript: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for line in bytes.split(separator: 0x0A) {
      guard let first = line.firstIndex(where: { !Self.spaces.contains($0) }),
        let last = line.lastIndex(where: { !Self.spaces.contains($0) })
      else { continue }
      let line = line[first...last]
      if line.starts(with: "//".utf8) { continue }
      text += line
      text.append(0x0A)
    }
    return text
  }

  /// The style without comments, and without space where it has no meaning.
  private var bareStyle: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "/"), bytes[index...].starts(with: "/*".utf8) {
        index += 2
        while index < bytes.count, !bytes[index...].starts(with: "*/".utf8) { index += 1 }
        index += 2
        continue
      }
      index += 1
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        // Strings stay as they are.
        let end = bytes[index...].firstIndex(of: byte) ?? bytes.count - 1
        text += bytes[index - 1...end]
        index = end + 1
        continue
      }
      let isSpace = Self.spaces.contains(byte)
      if isSpace, text.last.map({ " {};:,".utf8.contains($0) }) ?? true { continue }
      // `a :hover` is not `a:hover`, so before a colon space stays.
      if "{};".utf8.contains(byte), text.last == 0x20 { text.removeLast() }
      text.append(isSpace ? 0x20 : byte)
    }
    return text
  }
}
