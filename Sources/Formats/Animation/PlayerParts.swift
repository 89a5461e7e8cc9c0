import Checksums
import JSON
import PNGFormat

/// The parts of players, made of the scripts and styles in `Player` and of the engine.
enum PlayerParts {
  /// `element` begins the script of a page, which `page` or `served` ends.
  static let scripts = (
    element: opening + styles + parts(of: elementScripts), page: part("page") + closing,
    served: part("served") + closing, worker: opening + parts(of: workerScripts) + closing
  )
  /// The script that unpacks the others and starts them.
  static let start = opening + parts(of: ["text", "start"]) + Array("}".utf8)
  /// Element, page, served element and worker, separated by zeros, as gzip.
  static let packedScripts = DeflateStream.gzip(
    Array([scripts.element, scripts.page, scripts.served, scripts.worker].joined(separator: [0])))

  /// The hashes of the script that starts a page, and of the one that it starts, as a policy names them.
  static let startHash = hash(start)
  static let pageHash = hash(scripts.element + scripts.page)

  private static let elementScripts = [
    "build", "words", "clock", "thread", "zoom", "controls", "element",
  ]
  private static let workerScripts = ["engine", "text", "worker"]

  private static let opening = Array("'use strict';{\n".utf8)
  private static let closing = Array("}\n".utf8)

  private static let files = Dictionary(
    uniqueKeysWithValues: WebFile.player.map { ($0.name, $0) })

  private static func file(_ name: String) -> WebFile {
    guard let file = files[name] else { preconditionFailure("the player has no \(name)") }
    return file
  }

  private static func part(_ name: String) -> [UInt8] { file(name + ".mjs").part }

  private static func parts(of names: [String]) -> [UInt8] { names.flatMap(part) }

  /// The styles as a constant of the script.
  private static var styles: [UInt8] {
    let styles = ["tokens", "element", "page"].map { name in
      "\(name):" + String(decoding: file(name + ".css").bare, as: UTF8.self).quotedForScript
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
