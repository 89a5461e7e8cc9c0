import Animation
import Checksums
import PNGFormat

/// The pages of the server: gallery, drawing, diary, check-in, and the drawing page, with all files
/// that they load.
package enum WebPages {
  /// A served file.
  package struct File: Sendable {
    /// The name below `assets/` and the version, or the name of a page.
    package let name: String
    /// The content as gzip; nil if it is only sent uncompressed.
    package let packed: [UInt8]?
    /// The content.
    package let bytes: [UInt8]
    /// The first half of the SHA-256 of the content, in hexadecimal digits.
    package let tag: String

    /// The media type for the name's extension.
    package var mediaType: String {
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "mjs", "js": "text/javascript; charset=utf-8"
      case "wasm": "application/wasm"
      case "svg": "image/svg+xml"
      case "png": "image/png"
      case "webmanifest": "application/manifest+json"
      default: "application/octet-stream"
      }
    }

    /// A file that is compressed here, if that makes it smaller.
    init(_ name: String, _ bytes: [UInt8]) {
      let packed = DeflateStream.gzip(bytes)
      self.init(name, bytes, packed: packed.count < bytes.count ? packed : nil)
    }

    init(_ name: String, _ bytes: [UInt8], packed: [UInt8]?) {
      (self.name, self.bytes, self.packed) = (name, bytes, packed)
      tag = String(SHA256.of(bytes).description.prefix(32))
    }

    /// A file that the build has embedded as gzip.
    init(_ name: String, packed: [UInt8]) {
      self.init(name, WebFile.unpacked(packed), packed: packed)
    }
  }

  /// The file with a name; nil if there is none.
  package static func file(_ name: String) -> File? { files[name] }

  /// The file with a name on a server without the journal: its service worker caches no pages of
  /// the journal, which are missing there.
  package static func fileWithoutJournal(_ name: String) -> File? {
    name == serviceWorker ? all.smallWorker : files[name]
  }

  /// Whether a file belongs to check-ins and diary alone.
  package static func isOfJournal(_ name: String) -> Bool {
    name.hasPrefix("checkin.") || name.hasPrefix("diary.")
  }

  /// The paths of pages, relative to the server's base URL, and their files.
  package static let addresses = [
    ("/", "gallery.html"), ("/drawing", "drawing.html"), ("/draw", "draw.html"),
    ("/join", "join.html"), ("/watch", "watch.html"), ("/checkin", "checkin.html"),
    ("/diary", "diary.html"), ("/account", "account.html"), ("/welcome", "welcome.html"),
    ("/sw.js", "sw.js"),
    ("/manifest.webmanifest", "manifest.webmanifest"),
  ]

  /// The content policy of the pages: they load their own files and connect to their own server,
  /// and nothing else.
  package static let policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    + "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  /// A version that changes with any file. Pages load their files below `assets/` and this version.
  package static var version: String { all.version }

  /// All files by their names.
  package static var files: [String: File] { all.files }

  private static let all = {
    var texts = sources
    // Without a connection, nothing needs the whole engine.
    let kept = texts.keys.filter { $0 != serviceWorker } + engines.dropLast().map(\.name)
    let version = digest(of: texts)
    let folder = "assets/\(version)/"
    for name in pages {
      texts[name] = texts[name].map { naming(folder, in: $0) }
    }
    // The files that the service worker caches.
    let script = texts[serviceWorker] ?? []
    func worker(caching names: [String]) -> [UInt8] {
      let addresses = names.sorted().map { name in
        pages.contains(name) ? address(of: name) : "./" + folder + name
      }
      let list = addresses.map { "\"\($0)\"" }.joined(separator: ", ")
      return Array("const version = '\(version)';\nconst files = [\(list)];\n".utf8) + script
    }
    texts[serviceWorker] = worker(caching: kept)
    let smallWorker = File(serviceWorker, worker(caching: kept.filter { !isOfJournal($0) }))
    var files = texts.map { File($0, $1) }
    files += engines.map { File($0.name, packed: $0.packed) }
    return (
      version: version, files: Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) }),
      smallWorker: smallWorker
    )
  }()

  /// Whether a file is one of those that are missing if the program was built before the engines.
  package static func isEngine(_ name: String) -> Bool { name.hasSuffix(".wasm") }
  private static let serviceWorker = "sw.js"
  /// The engines that the program was built with, the whole one last.
  private static var engines: [(name: String, packed: [UInt8])] {
    [
      ("player.wasm", WebFile.playerEngine), ("canvas.wasm", WebFile.canvasEngine),
      ("engine.wasm", WebFile.pageEngine),
    ].compactMap { name, packed in packed.map { (name, $0) } }
  }
  /// Files that are not below `assets/`.
  private static let pages = addresses.map(\.1).filter { $0 != serviceWorker }

  private static func address(of page: String) -> String {
    "." + (addresses.first { $0.1 == page }?.0 ?? "/")
  }

  /// The files of the folder, the files shared with the player, and the player's element, by their
  /// names.
  private static var sources: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for file in WebFile.pages + WebFile.shared { files[file.name] = file.bare }
    for script in WebElement.scripts { files[script.name] = script.bytes }
    files["pentimento-canvas.js"] = CanvasParts.scripts.elements
    return files
  }

  private static func digest(of files: [String: [UInt8]]) -> String {
    var hash = SHA256()
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      hash.add("\(name) \(text.count)\n".utf8)
      hash.add(text)
    }
    for engine in engines { hash.add(engine.packed) }
    return String(hash.digest.description.prefix(16))
  }

  /// A page with links to files below a folder of the version.
  private static func naming(_ folder: String, in page: [UInt8]) -> [UInt8] {
    let parts = String(decoding: page, as: UTF8.self).split(
      separator: "\"assets/", omittingEmptySubsequences: false)
    return Array(parts.joined(separator: "\"" + folder).utf8)
  }
}
