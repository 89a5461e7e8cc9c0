import Graphics
import PKDFormat
import PencilKitArchive
import Rasterization
import Replay
import Strokes

/// A document that a page has opened: a recording, and the pen that continues it.
final class OpenDocument {
  /// Whether a part of the file is damaged and left out.
  let isDamaged: Bool
  let canvas: Recording.Canvas
  /// The timeline of the recording as it was opened.
  let timeline: Timeline
  /// The steps of the timeline: for each its start and length in seconds, and 0 for a drawing or 1
  /// for a change.
  let steps: Block<Double>
  /// The pen, after the page has taken it, and the function that opens a view of its page.
  var pen: PenPage?
  var openPenView: ((OpenDocument, RenderOptions) throws(EngineError) -> PageView)?
  /// The page as it is now, with the pen's changes.
  var page: Recording.Canvas { pen?.recording.canvas ?? canvas }
  /// The document as the bytes of a file, as last written.
  var bytes = Block<UInt8>([])
  /// The box that a call has returned last.
  var bounds = Block<Double>([])
  /// Details of the archive that was opened, which restore the bytes of its unchanged parts.
  let residue: ArchiveResidue?
  private let source: DocumentSource

  /// Opens the bytes of a `.pkd` file or a PencilKit archive.
  init(_ bytes: [UInt8]) throws(EngineError) {
    var isDamaged = false
    if PencilKitReader.recognizes(bytes) {
      do throws(PencilKitError) {
        let drawing = try PKDrawing(data: bytes).keepingBytes(of: bytes)
        residue = drawing.residue
        source = .strokes(RecordedStrokes(drawing))
      } catch {
        throw .notARecording
      }
      canvas = Recording.Canvas()
    } else {
      let reader: PKDReader
      do throws(PKDError) {
        reader = try PKDReader(bytes, limits: Self.limits)
      } catch {
        throw .notARecording
      }
      canvas = reader.canvas
      residue = nil
      if reader.isFinished, reader.damage == nil, reader.readScript().damage == nil {
        source = .file(reader)
      } else {
        let (recording, damage) = Self.recording(of: reader)
        source = .strokes(RecordedStrokes(recording))
        isDamaged = reader.damage != nil || damage
      }
    }
    self.isDamaged = isDamaged
    (timeline, steps) = try Self.timeline(of: source)
  }

  /// An empty page.
  init(canvas: Recording.Canvas) throws(EngineError) {
    self.canvas = canvas
    isDamaged = false
    residue = nil
    source = .strokes(RecordedStrokes(Recording(canvas: canvas)))
    (timeline, steps) = try Self.timeline(of: source)
  }

  /// The maximum size of files; larger ones are refused. A day's ink has some megabytes.
  static let maximumByteCount = 1 << 25

  /// The limits of readers in a page, whose memory is at most 256 MB.
  static let limits: PKDLimits = {
    var limits = PKDLimits()
    limits.points = 1 << 21
    limits.strokes = 1 << 17
    limits.events = 1 << 18
    limits.chunkBytes = 1 << 24
    limits.archiveBytes = 1 << 24
    return limits
  }()

  private static func recording(of reader: PKDReader) -> (Recording, isDamaged: Bool) {
    let (recording, damage) =
      reader.lacksEvents ? reader.readRecordingWithoutEvents() : reader.readRecording()
    return (recording, damage != nil)
  }

  private static func timeline(
    of source: DocumentSource
  ) throws(EngineError) -> (Timeline, Block<Double>) {
    let timeline: Timeline
    do throws(ReplayError) {
      timeline = try Timeline(of: source)
    } catch {
      throw .unreadable
    }
    var steps: [Double] = []
    for (number, step) in timeline.history.steps.enumerated() {
      steps += [
        timeline.starts[number], timeline.lengths[number], step.kind == .drawing ? 0 : 1,
      ]
    }
    return (timeline, Block(steps))
  }
}

extension OpenDocument {
  /// A view of the replay.
  func replay(_ options: RenderOptions) throws(EngineError) -> FrameRenderer {
    do throws(RenderError) {
      return try FrameRenderer(of: source, timeline, options: options, cacheLimit: 0)
    } catch {
      throw EngineError(error)
    }
  }

  /// The whole recording, without the pen's changes.
  var recording: Recording {
    switch source {
    case .file(let reader): Self.recording(of: reader).0
    case .strokes(let strokes): strokes.recording
    }
  }

  /// The finished drawing.
  var drawing: PKDrawing {
    guard let pen else { return recording.drawing }
    return PKDrawing(strokes: pen.shown.map { $0.stroke })
  }

  /// The number of strokes that are visible at the end.
  var finalStrokeCount: Int { pen?.shown.count ?? finalInks.count }

  /// The inks of these strokes.
  var finalInks: [PKInk] {
    if let pen { return pen.shown.map { $0.stroke.ink } }
    let history = timeline.history
    return history.page(afterSteps: history.steps.count).map {
      source.ink(ofStroke: history.showings[Int($0)].stroke)
    }
  }

  /// Writes the document, with everything that the pen has finished, as the bytes of a `.pkd` file.
  func write() throws(EngineError) {
    do throws(PKDContentError) {
      bytes = Block(try PKDWriter.encode(pen?.recording ?? recording))
    } catch {
      throw .notWritable
    }
  }
}
