import Checksums
import Compression
import JSON

/// The pages of the server: gallery, drawing, diary, check-in, and the page to draw on, with everything that they load.
package enum WebPages {
  /// A file as it is sent.
  package struct File: Sendable {
    /// The name below `assets/` and the version, or that of a page.
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

  /// A text that is another one after any file has changed. Pages name their files below `assets/` and this text.
  package static let version = SiteData.version

  /// All files by their names.
  package static let files: [String: File] = {
    let files =
      SiteData.files.map { File($0.name.description, packed: $0.packed) }
      + [File("engine.wasm", packed: EngineData.packed)]
    return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) })
  }()
}
