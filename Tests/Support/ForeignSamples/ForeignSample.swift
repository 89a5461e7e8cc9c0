public import InkFiles
import ForeignInk
public import Strokes
import VectorExport

/// The sample drawing as a file of a foreign format.
public struct ForeignSample: Sendable {
  /// The format, with its version where several are read.
  public let name: String
  /// The format that the file is read as.
  public let format: DrawingFile.Format
  /// The file.
  public let bytes: [UInt8]
  /// The scale of the file relative to the drawing: formats with one broad pen need a larger one.
  public let scale: Double
  /// Whether each stroke is a page of its own.
  public let hasPageForEachStroke: Bool
  /// The values that are read as they were drawn.
  public let kept: KeptFacts
  /// The allowed deviation of locations at a scale of 1, in pixels.
  private let tolerance: Double
  /// Whether the ends of a blade are moved inwards, because round ends cover more.
  private let movesBladeEnds: Bool

  init(
    _ format: DrawingFile.Format, version: String = "", _ bytes: [UInt8],
    keeps kept: KeptFacts = [], scale: Double = 1,
    hasPageForEachStroke: Bool = false, tolerance: Double = 0.3, movesBladeEnds: Bool = false
  ) {
    name = version.isEmpty ? format.rawValue : "\(format.rawValue) \(version)"
    (self.format, self.bytes, self.scale) = (format, bytes, scale)
    self.kept = kept
    (self.hasPageForEachStroke, self.tolerance) = (hasPageForEachStroke, tolerance)
    self.movesBladeEnds = movesBladeEnds
  }

  /// The allowed deviation of locations of a pen's stroke at a scale of 1, in pixels.
  public func tolerance(of pen: SampleDrawing.Pen) -> Double {
    movesBladeEnds && pen == .highlighter ? 4 : tolerance
  }

  /// The strokes that are read from the file's pages. The format is found by the file's content.
  public func strokes() throws -> [PKStroke] {
    let file = try DrawingFile(bytes)
    return try (0..<file.pageCount).flatMap { try file.page($0).strokes().strokes }
  }

  /// A drawing in every format that is read and not this package's own, and in the lines of events.
  ///
  /// A new format needs a row here: a test compares the rows with `DrawingFile.Format`.
  public static func all(_ drawing: SampleDrawing = .cup) throws -> [ForeignSample] {
    // These programs treat locations as whole pixels, so curves may pass them at half a pixel.
    let pixel = 0.5
    func written(
      _ format: DrawingFile.Format, keeps kept: KeptFacts, tolerance: Double = 0.3,
      movesBladeEnds: Bool = false
    ) throws -> ForeignSample {
      ForeignSample(
        format,
        try DrawingFile.encode([drawing.page], as: format, paints: InkPaint.measured(of:)).bytes,
        keeps: kept, tolerance: tolerance, movesBladeEnds: movesBladeEnds)
    }
    func universalInk(_ version: String, _ numbers: [UInt8]) -> ForeignSample {
      ForeignSample(
        .universalInk, version: version, drawing.universalInk(version: numbers), keeps: .all)
    }
    return [
      ForeignSample(.appleNotes, try drawing.notes(), keeps: .all),
      try written(.events, keeps: .all),
      ForeignSample(.myPaint, drawing.myPaint, keeps: [.times, .pressure, .widths]),
      try written(.quickDraw, keeps: .times, tolerance: pixel),
      ForeignSample(.quickDrawBinary, drawing.quickDrawRecord, tolerance: pixel),
      ForeignSample(.omniglot, drawing.omniglot, keeps: .times, tolerance: pixel),
      ForeignSample(.isf, drawing.isf, keeps: [.pressure, .colors]),
      ForeignSample(
        .remarkable, version: "5", drawing.remarkable5, keeps: [.pressure, .widths]),
      ForeignSample(
        .remarkable, version: "6", drawing.remarkable6, keeps: [.pressure, .widths]),
      ForeignSample(.supernote, drawing.supernote, keeps: .pressure),
      universalInk("3.0", [3, 0, 0]),
      universalInk("3.1", [3, 1, 0]),
      ForeignSample(.will, drawing.will, keeps: [.widths, .colors]),
      try written(.inkML, keeps: .all),
      try written(.xournal, keeps: .colors, movesBladeEnds: true),
      ForeignSample(.iamOnDB, drawing.iamOnDB, keeps: .times),
      ForeignSample(.unipen, drawing.unipen, keeps: .times),
      ForeignSample(.rnote, drawing.rnote, keeps: [.pressure, .widths, .colors]),
      try written(.excalidraw, keeps: .colors, movesBladeEnds: true),
      ForeignSample(.tldraw, drawing.tldraw, keeps: .pressure),
      ForeignSample(
        .freehand, drawing.freehand(scale: 4), keeps: .pressure, scale: 4,
        hasPageForEachStroke: true),
      ForeignSample(.hwrt, drawing.hwrt, keeps: .times),
    ]
  }
}

extension ForeignSample: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
