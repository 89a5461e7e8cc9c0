import JSON
import PKDFormat
import PencilKitArchive

extension DrawingFile {
  /// The formats of ink that can be read.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Archives of PencilKit and Notes.
    case pencilKit = "pencilkit"
    /// The JSON of this package.
    case json
    /// The recordings of this package.
    case pkd
    /// The database of Apple's Notes.
    case appleNotes = "notes"
    /// The lines of events of this package.
    case events
    /// MyPaint's logs of pen events.
    case myPaint = "mypaint"
    /// Quick, Draw!'s lines of JSON, raw and simplified.
    case quickDraw = "quickdraw"
    /// Quick, Draw!'s binary form.
    case quickDrawBinary = "quickdrawbin"
    /// The strokes of Omniglot's characters.
    case omniglot
    /// Microsoft's Ink Serialized Format, also in a GIF or in base64.
    case isf
    /// Pages and notebooks of reMarkable tablets.
    case remarkable
    /// Notebooks of Supernote tablets.
    case supernote
    /// Wacom's Universal Ink Model.
    case universalInk = "uim"
    /// Wacom's earlier format, WILL 2.
    case will
    /// InkML, a standard of the World Wide Web Consortium.
    case inkML = "inkml"
    /// Documents of Xournal and Xournal++.
    case xournal
    /// Ink of the IAM On-Line Handwriting Database.
    case iamOnDB = "iamondb"
    /// Rnote's documents.
    case rnote
    /// Documents and libraries of Excalidraw.
    case excalidraw
    /// Documents of tldraw.
    case tldraw
    /// Lists of points for perfect-freehand.
    case freehand
    /// Symbols of write-math.
    case hwrt
    /// UNIPEN's text, of many handwriting databases.
    case unipen
  }
}

extension DrawingFile.Format {
  /// Recognizes our own formats and PencilKit's by the first bytes; nil for other content.
  public init?(recognizingOwn bytes: some Collection<UInt8>) {
    let own =
      Self(recognizingBinary: bytes)
      ?? Self(recognizingText: bytes, keys: JSONKeys(startOf: Array(bytes)).texts)
    guard let own else { return nil }
    self = own
  }

  /// Recognizes a recording or an archive.
  package init?(recognizingBinary bytes: some Collection<UInt8>) {
    if PKDReader.recognizes(bytes) {
      self = .pkd
    } else if PencilKitReader.recognizes(bytes) {
      self = .pencilKit
    } else {
      return nil
    }
  }

  /// Recognizes events, or any other text that begins with a JSON object. `keys` are the texts of
  /// that object by their keys.
  package init?(recognizingText bytes: some Collection<UInt8>, keys: [String: String]) {
    if keys["format"] == EventStreamWriter.formatName {
      self = .events
      return
    }
    let text = bytes.prefix(64).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) }
    guard text.first == UInt8(ascii: "{") else { return nil }
    self = .json
  }

  /// Whether the format is our own or PencilKit's. `DrawingFile` reads and writes these itself.
  public var isOwn: Bool {
    switch self {
    case .pencilKit, .json, .pkd, .events: true
    default: false
    }
  }

  /// Whether files of this format can hold several pages.
  public var holdsPages: Bool { self == .quickDraw || self == .xournal }

  /// The display name of the format.
  public var title: String {
    switch self {
    case .pencilKit: "PencilKit archive"
    case .json: "JSON drawing"
    case .pkd: "recording"
    case .events: "events"
    case .appleNotes: "database of Notes"
    case .myPaint: "MyPaint log"
    case .quickDraw: "Quick, Draw! lines"
    case .quickDrawBinary: "Quick, Draw! records"
    case .omniglot: "Omniglot strokes"
    case .isf: "Ink Serialized Format"
    case .remarkable: "reMarkable page"
    case .supernote: "Supernote notebook"
    case .universalInk: "Wacom Universal Ink Model"
    case .will: "Wacom WILL ink"
    case .inkML: "InkML"
    case .xournal: "Xournal document"
    case .iamOnDB: "IAM-OnDB whiteboard"
    case .rnote: "Rnote document"
    case .excalidraw: "Excalidraw file"
    case .tldraw: "tldraw document"
    case .freehand: "list of points for perfect-freehand"
    case .hwrt: "write-math symbol"
    case .unipen: "UNIPEN file"
    }
  }

  /// The extensions of file names, the usual one first.
  public var fileExtensions: [String] {
    switch self {
    case .pencilKit: ["drawing", "pkdrawing"]
    case .json: ["json"]
    case .pkd: ["pkd"]
    case .events: ["jsonl"]
    case .appleNotes: ["sqlite"]
    case .myPaint: ["dat"]
    case .quickDraw: ["ndjson"]
    case .quickDrawBinary: ["bin"]
    case .omniglot: ["txt"]
    case .isf: ["isf"]
    case .remarkable: ["rm", "rmdoc"]
    case .supernote: ["note", "mark"]
    case .universalInk: ["uim"]
    case .will: ["will"]
    case .inkML: ["inkml", "xml"]
    case .xournal: ["xopp", "xoj"]
    case .iamOnDB: ["xml"]
    case .rnote: ["rnote"]
    case .excalidraw: ["excalidraw", "excalidrawlib"]
    case .tldraw: ["tldr"]
    case .freehand: ["json"]
    case .hwrt: ["json"]
    case .unipen: ["unp", "dat"]
    }
  }

  /// The file extensions that are used for ink only.
  public var ownFileExtensions: [String] {
    let shared = ["json", "jsonl", "xml", "txt", "dat", "bin", "sqlite", "note", "mark", "ndjson"]
    return fileExtensions.filter { !shared.contains($0) }
  }
}

/// The keys of the object that a text begins with.
package struct JSONKeys {
  /// The values of the keys that are short texts; the empty text for all other values. Keys behind
  /// values of more than 64 kB do not count.
  package private(set) var texts: [String: String] = [:]

  package init(startOf text: [UInt8]) {
    guard text.drop(while: { [0xEF, 0xBB, 0xBF].contains($0) || $0 <= 0x20 }).first == 0x7B else {
      return
    }
    var json = JSONReader(Array(text.prefix(1 << 16)))
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        texts[key] = ""
        if json.peek() == UInt8(ascii: "\"") {
          let value = try json.string()
          if value.utf8.count < 100 { texts[key] = value }
        } else {
          try json.skip()
        }
      }
    } catch {}
  }
}
