import JSON
public import PKDFormat
import PencilKitArchive
public import Strokes

/// A file of ink in any known format, detected by its first bytes.
///
/// Opening a `.pkd` file reads its tables and the heads of its strokes; the other formats are
/// decoded as a whole. The methods below decode the rest on each call, and return all known damage
/// with it.
public struct DrawingFile {
  /// The format of the bytes.
  public let format: Format
  /// The version of the format, as stored in the file.
  public let version: Int
  /// The page of the drawing.
  public let canvas: Recording.Canvas
  /// Properties that only `.pkd` files have; nil for other formats.
  public let recordingFacts: RecordingFacts?
  /// The damage that opening found in a file that can be read at least in part.
  public let damage: [DrawingFileError]
  /// The pages of a foreign file; nil for our own formats, whose files have one page.
  public let imported: ImportedInk?
  /// The page that the methods below read; nil for our own formats.
  public let page: ImportedPage?
  /// The index of that page; 0 for our own formats.
  public let pageIndex: Int
  private let contents: Contents

  private enum Contents {
    /// A text of JSON; without a recording, its strokes follow each other.
    case drawing(PKDrawing, Recording?)
    /// An archive of PencilKit's, with its bytes.
    case archive(PKDrawing, [UInt8])
    /// A page of a foreign file.
    case page(ImportedPage)
    /// Events that are decoded as a whole.
    case events(Recording)
    /// A format that is read as needed.
    case recording(PKDReader)
  }

  /// Properties that only `.pkd` files have.
  public struct RecordingFacts: Hashable, Sendable {
    /// How exactly points are stored.
    public let profile: PKDProfile
    /// Whether the file was finished. An unfinished file was cut, or is being written.
    public let isFinished: Bool
    /// Whether the file stores events, or only strokes one after the other.
    public let hasEvents: Bool
  }

  /// Opens a file of our own formats, or an archive of PencilKit's. The format is found by the
  /// content unless it is given; `ForeignInk` opens the files of other programs, too.
  public init(own bytes: [UInt8], as given: Format? = nil) throws(DrawingFileError) {
    let found = Format(recognizingOwn: bytes)
    // A picture is not ink, whatever format is given.
    if found == nil, let picture = PictureFormat(recognizing: bytes) { throw .picture(picture) }
    guard let format = given ?? found, format.isOwn else {
      throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    self.format = format
    (imported, page, pageIndex) = (nil, nil, 0)
    switch format {
    case .pencilKit:
      do throws(PencilKitError) {
        let reader = try PencilKitReader(bytes)
        version = reader.summary.version
        contents = .archive(reader.drawing, bytes)
      } catch {
        throw .pencilKit(error)
      }
    case .json:
      do throws(JSONError) {
        let text = try JSONDrawingReader.read(bytes)
        let hasMore = text.events != nil || text.words != nil
        contents = .drawing(text.drawing, hasMore ? text.recording : nil)
        canvas = text.canvas
        version = JSONDrawingWriter.version
      } catch {
        throw .json(error)
      }
      damage = []
      recordingFacts = nil
      return
    case .pkd:
      do throws(PKDError) {
        let reader = try PKDReader(bytes)
        contents = .recording(reader)
        version = reader.version
        canvas = reader.canvas
        damage =
          (reader.damage.map { [.pkd($0)] } ?? []) + (reader.lacksEvents ? [.lostEvents] : [])
        recordingFacts = RecordingFacts(
          profile: reader.profile, isFinished: reader.isFinished, hasEvents: reader.hasEvents)
      } catch {
        throw .pkd(error)
      }
      return
    case .events:
      do throws(EventStreamError) {
        let (recording, errors) = try EventStreamReader.readAll(bytes)
        contents = .events(recording)
        version = EventStreamWriter.version
        canvas = recording.canvas
        damage = errors.map { .events($0) }
        recordingFacts = nil
      } catch {
        throw .events(error)
      }
      return
    default: throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    canvas = Recording.Canvas()
    damage = []
    recordingFacts = nil
  }

  /// A page of another program's file.
  package init(
    _ imported: ImportedInk, _ format: Format, page index: Int
  ) throws(DrawingFileError) {
    guard (0..<imported.pageCount).contains(index) else {
      throw .noPage(index + 1, pageCount: imported.pageCount)
    }
    let page: ImportedPage
    do throws(ImportError) {
      page = try imported.page(index)
    } catch {
      // The other pages can be read.
      guard imported.pageCount > 1 else { throw .imported(format, error) }
      page = ImportedPage(unreadable: error)
    }
    self.format = format
    version = imported.version
    canvas = page.canvas
    recordingFacts = nil
    damage = page.damage.map { .imported(format, $0) }
    (self.imported, self.page, pageIndex) = (imported, page, index)
    contents = .page(page)
  }

  /// The number of pages.
  public var pageCount: Int { imported?.pageCount ?? 1 }

  /// The file with another page.
  public func page(_ index: Int) throws(DrawingFileError) -> DrawingFile {
    guard let imported else {
      guard index == 0 else { throw .noPage(index + 1, pageCount: 1) }
      return self
    }
    return try DrawingFile(imported, format, page: index)
  }

  /// The reader of a `.pkd` file; nil for other formats.
  package var reader: PKDReader? {
    guard case .recording(let reader) = contents else { return nil }
    return reader
  }
}

// MARK: - Archives

extension DrawingFile {
  /// Whether the file restores a PencilKit archive that was written into it, byte for byte.
  package func gives(archive bytes: [UInt8]) -> Bool {
    PencilKitWriter.gives(bytes, from: everything().drawing)
  }

  /// Whether the file restores, byte for byte, the archive that a drawing came from.
  package func givesArchive(of drawing: PKDrawing) -> Bool {
    let mine = everything().drawing
    guard drawing.residue?.form == .notes2018 else {
      return mine.dataRepresentation() == drawing.dataRepresentation()
    }
    return PencilKitWriter.notes2018Message(mine) == PencilKitWriter.notes2018Message(drawing)
  }
}

// MARK: - Reading

extension DrawingFile {
  /// The whole content of a file.
  public struct Everything: Sendable {
    /// The drawing after the last event, with the residue of an archive.
    public let drawing: PKDrawing
    /// The events. A format without events gives one stroke after the other.
    public let recording: Recording
    /// The damage of the file.
    public let damage: [DrawingFileError]

    /// Encodes the content as a `.pkd` file.
    public func encodeRecording(options: PKDWriter.Options) throws(PKDContentError) -> [UInt8] {
      try PKDWriter.encode(recording, residue: drawing.residue, options: options)
    }
  }

  /// The drawing after the last event. The residue of an archive is not decoded if the file stores
  /// it separately.
  public func drawing() -> (value: PKDrawing, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing, _), .archive(let drawing, _): return (drawing, damage)
    case .page(let page): return (page.drawing, damage)
    case .events(let recording): return (recording.drawing, damage)
    case .recording: break
    }
    let (strokes, damage) = strokes()
    return (PKDrawing(strokes: strokes.strokes), damage)
  }

  /// The strokes of the drawing, for a picture: with the boxes that an intact `.pkd` file stores.
  public func strokes() -> (value: DrawnStrokes, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing, _), .archive(let drawing, _):
      return (DrawnStrokes(drawing.strokes), damage)
    case .page(let page): return (DrawnStrokes(page.drawing.strokes), damage)
    case .events(let recording): return (DrawnStrokes(recording.drawing.strokes), damage)
    case .recording(let reader):
      if reader.isFinished, damage.isEmpty, !reader.lacksEvents,
        let strokes = DrawnStrokes(of: reader)
      {
        return (strokes, [])
      }
      guard reader.hasEvents || reader.lacksEvents else {
        let (strokes, found) = reader.readStrokes()
        return (DrawnStrokes(strokes), damage(with: found))
      }
      let (recording, damage) = recording(reader)
      return (DrawnStrokes(recording.drawing.strokes), damage)
    }
  }

  /// The events that made the drawing.
  public func recording() -> (value: Recording, damage: [DrawingFileError]) {
    switch contents {
    case .archive(let drawing, _): (Recording(drawing, canvas: canvas), damage)
    case .drawing(let drawing, let recording):
      (recording ?? Recording(drawing, canvas: canvas), damage)
    case .page(let page): (page.recording, damage)
    case .events(let recording): (recording, damage)
    case .recording(let reader): recording(reader)
    }
  }

  /// The strokes and events, for a replay. Of an intact recording, only strokes that are drawn are
  /// decoded.
  public func recordingSource() -> (value: any RecordingSource, damage: [DrawingFileError]) {
    if let reader, reader.isFinished, damage.isEmpty, reader.readScript().damage == nil {
      return (reader, [])
    }
    let (recording, damage) = recording()
    return (RecordedStrokes(recording), damage)
  }

  /// Decodes the whole content, to be written in another format.
  public func everything() -> Everything {
    switch contents {
    case .drawing(let drawing, let recording):
      return Everything(
        drawing: drawing, recording: recording ?? Recording(drawing, canvas: canvas),
        damage: damage)
    case .archive(let drawing, let bytes):
      return Everything(
        drawing: drawing.keepingBytes(of: bytes), recording: Recording(drawing, canvas: canvas),
        damage: damage)
    case .page(let page):
      return Everything(
        drawing: page.drawing, recording: page.recording, damage: damage)
    case .events(let recording):
      return Everything(drawing: recording.drawing, recording: recording, damage: damage)
    case .recording(let reader):
      var (recording, damage) = recording(reader)
      var drawing = recording.drawing
      // A residue matches the drawing that all events make, so without events it is left out.
      if !reader.lacksEvents {
        do throws(PKDError) {
          drawing.residue = try reader.readResidue()
        } catch {
          if damage.isEmpty { damage = [.pkd(error)] }
        }
      }
      if !drawing.hasIntactResidue {
        drawing.residue = nil
        damage.append(.foreignArchive)
      }
      return Everything(drawing: drawing, recording: recording, damage: damage)
    }
  }

  private func recording(_ reader: PKDReader) -> (value: Recording, damage: [DrawingFileError]) {
    let (recording, found) =
      reader.lacksEvents ? reader.readRecordingWithoutEvents() : reader.readRecording()
    return (recording, damage(with: found))
  }

  /// All known damage. Damage that decoding found is added only if opening found none in the bytes,
  /// since it often follows from the first.
  private func damage(with found: PKDError?) -> [DrawingFileError] {
    guard let found, reader?.damage == nil else { return damage }
    return [.pkd(found)] + damage
  }
}
