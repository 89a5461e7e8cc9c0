import Checksums
import Compression
import JSON

/// The pages of the server: gallery, drawing, diary, check-in, and the page to draw on, with everything that they load.
package enum WebPages {
  /// A file as it is sent.
  package struct File: Sendable {
    /// The name below `assets/`, or that of a page.
    package let name: String
    /// The content as gzip; nil if it is sent as it is only.
    package let packed: [UInt8]?
    /// The content.
    package let bytes: [UInt8]
    /// The first half of the SHA-256 of the content, in hexadecimal digits.
    package let tag: String

    /// The media type that the name stands for.
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

    init(_ name: String, _ bytes: [UInt8], packed: [UInt8]? = nil) {
      (self.name, self.bytes, self.packed) = (name, bytes, packed)
      tag = String(SHA256.of(bytes).description.prefix(32))
    }

    init(_ name: String, packed text: StaticString) {
      guard let packed = Base64.decode(text.description) else {
        preconditionFailure("a packed file is no Base64")
      }
      do throws(InflateError) {
        self.init(name, try Inflate.inflate(packed, limit: 1 << 26), packed: packed)
      } catch {
        preconditionFailure("a packed file is damaged")
      }
    }
  }

  /// The file with a name; nil if there is none.
  package static func file(_ name: String) -> File? { files[name] }

  /// The addresses of pages, below that of the server, and their files.
  package static let addresses = [
    ("/", "gallery.html"), ("/drawing", "drawing.html"), ("/draw", "draw.html"),
    ("/checkin", "checkin.html"), ("/diary", "diary.html"), ("/sw.js", "sw.js"),
    ("/manifest.webmanifest", "manifest.webmanifest"),
  ]

  /// What the pages may do: load their own files and talk to their own server, and nothing else.
  package static let policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    + "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  /// All files by their names.
  package static let files: [String: File] = {
    let files =
      SiteData.files.map { File($0.name.description, packed: $0.packed) }
      + [File("engine.wasm", packed: EngineData.packed)]
    let names = addresses.map(\.1)
    let assets = files.filter { !names.contains($0.name) }.map(\.name).sorted()
    let version = ContentVersion(of: files)
    return files.reduce(into: [:]) { all, file in
      all[file.name] = file.name == "sw.js" ? version.completed(file, assets) : file
    }
  }()
}

/// A text that is another one after any file has changed. The service worker begins with it, so that browsers see a new
/// worker and load everything again.
private struct ContentVersion {
  let text: String

  init(of files: [WebPages.File]) {
    let tags = files.sorted { $0.name < $1.name }.map { "\($0.name) \($0.tag)" }
    text = String(SHA256.of(Array(tags.joined(separator: "\n").utf8)).description.prefix(16))
  }

  /// The service worker with the version and the names of what it keeps.
  func completed(_ worker: WebPages.File, _ assets: [String]) -> WebPages.File {
    let pages = WebPages.addresses.map(\.0).filter { $0 != "/sw.js" }.map { "." + $0 }
    let names = (pages + assets.map { "./assets/\($0)" }).map { "\"\($0)\"" }
    let start = "const version = '\(text)';\nconst files = [\(names.joined(separator: ", "))];\n"
    return WebPages.File(worker.name, Array(start.utf8) + worker.bytes)
  }
}
