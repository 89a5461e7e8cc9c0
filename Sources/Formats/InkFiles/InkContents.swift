public import PKDFormat
public import Strokes

/// The whole content of a page of ink: what is read from one file and written to another.
public struct InkContents: Sendable {
  /// The page's name; empty if it has none.
  public var name = ""
  /// The strokes after the last event, with the damage of the file.
  public internal(set) var strokes: DrawnStrokes
  /// The size, background and texts of the page.
  public let canvas: Recording.Canvas
  /// The words that a program has recognized; nil if no program has searched them.
  public internal(set) var words: RecognizedText?
  /// The strokes that were ever on the page, and the events; nil if the strokes come one after the
  /// other.
  private let history: RecordedStrokes?

  /// The drawing after the last event, with the residue of an archive.
  public var drawing: PKDrawing { strokes.drawing }
  /// The damage of the file.
  public var damage: [DrawingFileError] { strokes.damage }

  /// The events; nil if the strokes come one after the other. Made on each access.
  package var events: [Recording.Event]? { history?.recording.events }

  /// The events, and the words. Strokes without events follow each other at the pace of a hand.
  /// Made on each access: it takes more memory than the drawing, and most formats do not need it.
  public var recording: Recording {
    Recording(canvas: canvas, events: events ?? Recording(drawing).events, words: words)
  }

  /// Strokes one after the other.
  public init(_ drawing: PKDrawing, on canvas: Recording.Canvas = Recording.Canvas()) {
    self.init(DrawnStrokes(drawing), on: canvas)
  }

  /// The content of a recording, and the damage of its file.
  public init(_ recording: Recording, damage: [DrawingFileError] = []) {
    self.init(
      DrawnStrokes(recording.drawing, damage: damage), on: recording.canvas,
      history: RecordedStrokes(recording), words: recording.words)
  }

  init(
    _ strokes: DrawnStrokes, on canvas: Recording.Canvas, history: RecordedStrokes? = nil,
    words: RecognizedText? = nil
  ) {
    (self.strokes, self.canvas) = (strokes, canvas)
    (self.history, self.words) = (history, words)
  }

  /// Encodes the content as a `.pkd` file.
  public func encodeRecording(
    options: PKDWriter.Options = PKDWriter.Options()
  ) throws(PKDContentError) -> [UInt8] {
    history == nil && words == nil
      ? try PKDWriter.encode(drawing, on: canvas, options: options)
      : try PKDWriter.encode(recording, residue: drawing.residue, options: options)
  }
}
