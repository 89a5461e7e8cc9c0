import Checksums
import JSON
import PNGFormat

/// The parts of players, made of the scripts and styles in `Player` and of the engine.
enum PlayerParts {
  /// `element` begins the script of a page, which `page` or `served` ends.
  static let scripts = (
    element: opening + styles + bundle.script(of: "element.mjs"),
    page: bundle.script(of: "page.mjs", after: "element.mjs") + closing,
    served: bundle.script(of: "served.mjs", after: "element.mjs") + closing,
    worker: opening + bundle.script(of: "worker.mjs") + closing
  )
  /// The script that unpacks the others and starts them.
  static let start = opening + bundle.script(of: "start.mjs") + Array("}".utf8)
  /// Element, page, served element and worker, separated by zeros, as gzip.
  static let packedScripts = DeflateStream.gzip(
    Array([scripts.element, scripts.page, scripts.served, scripts.worker].joined(separator: [0])))

  /// The hashes of the script that starts a page, and of the one that it starts, as a policy names them.
  static let startHash = hash(start)
  static let pageHash = hash(scripts.element + scripts.page)

  static let opening = Array("'use strict';{\n".utf8)
  static let closing = Array("}\n".utf8)

  private static let bundle = ScriptBundle(WebFile.player)

  /// The styles as a constant of the script.
  private static var styles: [UInt8] {
    let styles = ["tokens", "element", "page"].map { name in
      "\(name):" + String(decoding: bundle.file(name + ".css").bare, as: UTF8.self).quotedForScript
    }
    return Array("const styles = {\(styles.joined(separator: ","))};\n".utf8)
  }

  private static func hash(_ script: [UInt8]) -> String {
    Base64.encode(SHA256.of(script).bytes)
  }
}

/// The program was built before the engine that its pages need.
public struct MissingEngine: Error, CustomStringConvertible {
  package init() {}

  /// The problem, and the commands that solve it.
  public var description: String {
    "This program was built before the engine for web pages. In its sources, run "
      + "Sources/Web/WebEngine/build, and then swift build again."
  }
}

extension PlayerParts {
  /// The engine as gzip.
  static var packedEngine: [UInt8] {
    get throws(MissingEngine) {
      guard let engine = WebFile.playerEngine else { throw MissingEngine() }
      return engine
    }
  }

  /// The engine.
  static var engine: [UInt8] {
    get throws(MissingEngine) {
      WebFile.unpacked(try packedEngine)
    }
  }
}
