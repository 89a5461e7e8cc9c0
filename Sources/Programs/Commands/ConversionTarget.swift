import InkFiles
import ForeignInk
import PKDFormat
import Rasterization
import Strokes
import VectorExport

/// A format that `pkd convert` writes.
enum ConversionTarget: Equatable {
  case ink(DrawingFile.Format)
  case svg
  case pdf

  static let all =
    DrawingFile.Format.allCases.filter(\.isWritten).map { Self.ink($0) } + [.svg, .pdf]

  /// The name for `--to`.
  var name: String {
    switch self {
    case .ink(let format): format.rawValue
    case .svg: "svg"
    case .pdf: "pdf"
    }
  }

  /// The endings of names, the usual one first.
  var fileExtensions: [String] {
    if case .ink(let format) = self { format.fileExtensions } else { [name] }
  }

  /// The formats by the extensions of their files.
  static let endings = [String: String](
    all.flatMap { target in target.fileExtensions.map { ($0, target.name) } },
    uniquingKeysWith: { first, _ in first })

  /// Whether a terminal can show the format.
  var isText: Bool {
    switch self {
    case .ink(let format): [.json, .events, .inkML, .excalidraw, .quickDraw].contains(format)
    case .svg: true
    case .pdf: false
    }
  }

  /// Whether a file of this format may be converted in place: our own ones lose nothing.
  func mayReplace(_ format: DrawingFile.Format) -> Bool {
    [.pkd, .json, .events].contains(format) && self == .ink(format)
  }

  /// Whether this format can store all ink of a PencilKit archive.
  var holdsArchives: Bool {
    [.pkd, .json, .events, .pencilKit].contains { self == .ink($0) }
  }

  /// Whether one file can store several pages.
  var holdsPages: Bool {
    switch self {
    case .ink(let format): format.holdsPages
    case .svg: false
    case .pdf: true
    }
  }

  /// The format of a file name's extension; nil for an unknown one or none.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
    let suffix = fileName[dot...].dropFirst().lowercased()
    guard let target = Self.all.first(where: { $0.fileExtensions.contains(suffix) }) else {
      return nil
    }
    self = target
  }
}

/// The options for writing vector files.
struct VectorSettings {
  private let options: VectorOptions
  private let precision: Int
  private let annotations: Bool
  /// Whether any option that changes the size was given.
  let setsExtent: Bool

  /// The options of `convert` that apply only to SVG and PDF.
  static let table =
    [
      Option(
        "precision", value: "N", form: .whole(0...6),
        help: "Decimals of places, 0 to 6; 2 unless given (.svg)."),
      Option("flat", help: "Outlines also for inks with texture (.svg, .pdf)."),
      Option("annotations", help: "Also ink annotations that other programs can edit (.pdf)."),
    ]
    + PictureOptions.table.filter {
      ["region", "frame", "margin", "background", "paper", "no-pattern", "style"].contains($0.name)
    }

  /// The only target of an option; nil if it applies to both.
  static func onlyTarget(of option: Option) -> ConversionTarget? {
    switch option.name {
    case "precision": .svg
    case "annotations": .pdf
    default: nil
    }
  }

  init(_ arguments: Arguments, of command: String) throws(UsageError) {
    let pictures = try PictureOptions(arguments, of: command, extent: .scale(1))
    options = VectorOptions(picture: pictures.rendering, isFlat: arguments.has("flat"))
    setsExtent = pictures.setsExtent
    annotations = arguments.has("annotations")
    precision = arguments.whole("precision") ?? 2
  }

  /// Writes a page with a name as SVG, and calls `sink` with bytes as they come.
  func writeSVG(
    _ strokes: some StrokeSource, on canvas: Recording.Canvas, named name: String,
    to sink: ([UInt8]) throws(SystemError) -> Void
  ) throws(VectorFailure<SystemError>) {
    try SVGExporter(titled(canvas, name), precision: precision)
      .write(strokes, on: canvas, to: sink)
  }

  func pdf(of pages: [InkContents]) throws(RenderError) -> [UInt8] {
    try PDFExporter(titled(pages[0].canvas, pages[0].name), annotations: annotations).pdf(
      of: pages.map { .init($0.drawing, on: $0.canvas) })
  }

  /// The options, completed from the drawing's metadata.
  private func titled(_ canvas: Recording.Canvas, _ name: String) -> VectorOptions {
    let metadata = canvas.metadata
    var options = options
    options.information = DocumentInformation(
      title: metadata["title"] ?? (name.isEmpty ? nil : name),
      author: metadata["author"], subject: metadata["description"])
    return options
  }
}
