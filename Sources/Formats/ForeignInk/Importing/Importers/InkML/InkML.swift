import InkFiles
import Compression
import Graphics
import Strokes
import XML
import System

/// Reads InkML (W3C, 2011), also as Microsoft's programs write it, and inside containers: OneNote's
/// responses, Office documents, and Wacom's `.paper`.
enum InkMLImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    switch start.rootElement {
    case "ink": true
    // Wacom's paper with a pen holds InkML beside a picture.
    case "paper": start.bytes.prefix(1 << 14).range(of: "InkML") != nil
    default: OneNotePage.recognizes(start) || OfficeDocument.recognizes(start)
    }
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    if ZipArchive.recognizes(bytes) { return try OfficeDocument(bytes, options).ink() }
    guard let parts = OneNotePage.inkParts(of: bytes) else {
      return ImportedInk([try page(bytes, 0, InkMLPlace(), options)])
    }
    guard !parts.isEmpty else {
      throw ImportError(.missing("ink in this page of OneNote"), at: 0)
    }
    var pages: [ImportedPage] = []
    for part in parts {
      pages.append(
        try page(Array(bytes[part]), pages.count, InkMLPlace(start: part.lowerBound), options))
    }
    return ImportedInk(pages)
  }

  /// The page of a text.
  static func page(
    _ text: [UInt8], _ index: Int, _ place: InkMLPlace, named name: String = "",
    _ options: ImportOptions
  ) throws(ImportError) -> ImportedPage {
    let document = InkMLDocument()
    var damage: ImportError?
    do throws(XMLError) {
      try XMLReader.read(text, into: document)
    } catch {
      damage = place.error(.syntax(error.reason), at: error.offset)
    }
    document.endTrace()
    if let damage, document.traces.isEmpty { throw damage }
    guard document.isInkML else { throw place.error(.missing("an element ink"), at: 0) }
    var assembly = InkMLPage(document, page: index, fileBytes: text.count, options)
    return try assembly.imported(place, named: name, damage: damage)
  }
}

/// The location of InkML text: a part of an archive, or the file from an offset on.
struct InkMLPlace {
  var part: String?
  var start = 0

  /// An error at an offset of the text.
  func error(_ reason: ImportError.Reason, at offset: Int) -> ImportError {
    ImportError(
      reason, at: part.map { .part($0, byte: offset) } ?? .byte(start + offset))
  }
}

/// OneNote's response to a request for a page with ink: a message of several parts, one with the
/// page in HTML and another with the ink.
enum OneNotePage {
  static func recognizes(_ start: FileStart) -> Bool {
    if start.has("--") { return !(inkParts(of: start.bytes)?.isEmpty ?? true) || isMessage(start) }
    // A page without ink is the whole response.
    guard start.rootElement.lowercased() == "html" else { return false }
    let head = start.bytes.prefix(1 << 14)
    return ["data-absolute-enabled=\"true\"", "InkNode is not supported"].contains {
      head.range(of: $0) != nil
    }
  }

  /// The InkML texts of a response; nil if the bytes are not a response of OneNote and may be InkML
  /// themselves.
  static func inkParts(of bytes: [UInt8]) -> [Range<Int>]? {
    if FileStart.isHTML(bytes) { return [] }
    guard bytes.starts(with: "--".utf8),
      let boundary = bytes.prefix(256).firstIndex(where: { $0 == 0x0A || $0 == 0x0D }),
      boundary > 2
    else { return nil }
    let line = bytes[..<boundary]
    var parts: [Range<Int>] = []
    var start = boundary
    while start < bytes.count, parts.count < 64 {
      let end = bytes[start...].range(of: line)?.lowerBound ?? bytes.count
      if let body = body(of: bytes[start..<end]) { parts.append(body) }
      start = end + line.count
    }
    return parts
  }

  /// The range of a part's text after its headers, if these declare InkML.
  private static func body(of part: ArraySlice<UInt8>) -> Range<Int>? {
    var headers = part.drop { $0 == 0x0D || $0 == 0x0A }
    var isInk = false
    while let end = headers.firstIndex(of: 0x0A) {
      let line = String(decoding: headers[..<end].prefix(512), as: UTF8.self).lowercased()
      headers = headers[(end + 1)...]
      if line.allSatisfy({ $0.isWhitespace }) { break }
      if line.hasPrefix("content-type:") || line.hasPrefix("content-disposition:") {
        isInk = isInk || line.includes("inkml")
      }
    }
    guard isInk else { return nil }
    let text = headers.drop { $0 <= 0x20 }
    let end = (text.lastIndex { $0 > 0x20 } ?? text.startIndex - 1) + 1
    return end > text.startIndex ? text.startIndex..<end : nil
  }

  /// Whether the bytes begin as a message with a page in HTML.
  private static func isMessage(_ start: FileStart) -> Bool {
    let lines = start.lines.prefix(8).map {
      String(decoding: $0, as: UTF8.self).lowercased()
    }
    return lines.dropFirst().contains { $0.hasPrefix("content-type: text/html") }
  }
}

extension FileStart {
  /// Whether a file is a page in HTML.
  static func isHTML(_ bytes: [UInt8]) -> Bool {
    FileStart(Array(bytes.prefix(1 << 12))).rootElement.lowercased() == "html"
  }
}

extension ArraySlice<UInt8> {
  /// The first range of a text.
  func range(of text: String) -> Range<Int>? { range(of: Array(text.utf8)[...]) }

  /// The first range of some bytes.
  fileprivate func range(of bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let first = bytes.first else { return nil }
    var rest = self
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      guard rest.count >= bytes.count else { return nil }
      if rest.starts(with: bytes) { return start..<start + bytes.count }
      rest = rest.dropFirst()
    }
    return nil
  }
}
