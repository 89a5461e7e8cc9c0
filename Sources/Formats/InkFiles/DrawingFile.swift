import JSON
public import PKDFormat
import PencilKitArchive
public import Strokes

/// A file of ink in any known format, detected by its first bytes.
///
/// Opening a `.pkd` file reads its tables and the heads of its strokes; the other formats are
/// decoded as a whole. Three methods decode the rest on each call, and return all known damage with
/// it: `strokes()` for pictures, `replay()` for replays, and `contents()` for other files.
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
  private let source: Source

  private enum Source {
    /// Content that is decoded as a whole.
    case decoded(InkContents)
    /// An archive of PencilKit's, with its bytes.
    case archive(PKDrawing, [UInt8])
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
        source = .archive(reader.drawing, bytes)
      } catch {
        throw .pencilKit(error)
      }
    case .json:
      do throws(JSONError) {
        let text = try JSONDrawingReader.read(bytes)
        source = .decoded(text)
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
        source = .recording(reader)
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
        damage = errors.map { .events($0) }
        source = .decoded(InkContents(recording, damage: damage))
        version = EventStreamWriter.version
        canvas = recording.canvas
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
    source = .decoded(InkContents(DrawnStrokes(page.drawing, damage: damage), on: canvas))
  }

  /// The number of pages.
  public var pageCount: Int { imported?.pageCount ?? 1 }

  /// The drawing with each stroke in the colour of the person who drew it.
  public func coloredByPerson() -> DrawingFile { DrawingFile(self, by: { $0.coloredByPerson() }) }

  private init(_ file: DrawingFile, by change: (Recording) -> Recording) {
    let contents = file.contents(withArchive: false)
    (format, version, canvas) = (file.format, file.version, file.canvas)
    (imported, page, pageIndex) = (file.imported, file.page, file.pageIndex)
    (damage, recordingFacts) = (file.damage, nil)
    source = .decoded(InkContents(change(contents.recording), damage: contents.damage))
  }

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
    guard case .recording(let reader) = source else { return nil }
    return reader
  }
}

// MARK: - Archives

extension DrawingFile {
  /// Whether the file restores a PencilKit archive that can be read and was written into it, byte
  /// for byte. `drawing` is the drawing in the contents of the archive's own file, if it is known:
  /// where it is equal in all bits, the archive need not be written again.
  package func gives(archive bytes: [UInt8], readAs drawing: PKDrawing? = nil) -> Bool {
    isTrueOfDrawing { mine in
      if let drawing, PencilKitWriter.isKnown(toGive: bytes, drawing), mine.isIdentical(to: drawing)
      {
        return true
      }
      return PencilKitWriter.gives(bytes, from: mine)
    }
  }

  /// Whether the file restores, byte for byte, the archive that can be read and a drawing came from.
  package func givesArchive(of drawing: PKDrawing) -> Bool {
    isTrueOfDrawing { mine in
      guard drawing.residue?.form == .notes2018 else {
        return mine.dataRepresentation() == drawing.dataRepresentation()
      }
      return PencilKitWriter.notes2018Message(mine) == PencilKitWriter.notes2018Message(drawing)
    }
  }

  /// Whether the drawing gives a certain archive that can be read. Checking a residue writes the
  /// archive, too, and reads it; so the drawing comes first without this check, which it cannot fail
  /// if it gives that archive.
  private func isTrueOfDrawing(_ gives: (PKDrawing) -> Bool) -> Bool {
    gives(contents(withArchive: true, isChecked: false).drawing) || gives(contents().drawing)
  }
}

// MARK: - Reading

extension DrawingFile {
  /// The strokes and events of a page, for a replay.
  public struct Replay {
    /// The strokes and events. Of an intact recording, only strokes that are drawn are decoded.
    public let source: any RecordingSource
    /// The damage of the file.
    public let damage: [DrawingFileError]
  }

  /// The strokes of the drawing after the last event, for a picture: with the boxes that an intact
  /// `.pkd` file stores. The residue of an archive is not decoded if the file stores it separately.
  public func strokes(threads: Int = 1) -> DrawnStrokes {
    switch source {
    case .decoded(let contents): contents.strokes
    case .archive(let drawing, _): DrawnStrokes(drawing)
    case .recording(let reader): ink(of: reader, threads: threads).strokes
    }
  }

  /// The strokes and events, for a replay.
  public func replay() -> Replay {
    if let reader, reader.isFinished, damage.isEmpty, reader.readScript().damage == nil {
      return Replay(source: reader, damage: [])
    }
    let contents = contents(withArchive: false)
    return Replay(source: RecordedStrokes(contents.recording), damage: contents.damage)
  }

  /// Decodes the whole content, to be written in another format.
  /// - Parameter withArchive: whether the residue of an archive is read and checked, too.
  public func contents(withArchive: Bool = true) -> InkContents {
    contents(withArchive: withArchive, isChecked: true)
  }

  private func contents(withArchive: Bool, isChecked: Bool) -> InkContents {
    var contents: InkContents
    switch source {
    case .decoded(let decoded): contents = decoded
    case .archive(let drawing, let bytes):
      contents = InkContents(withArchive ? drawing.keepingBytes(of: bytes) : drawing, on: canvas)
    case .recording(let reader):
      contents = ink(of: reader)
      // Words and a residue match the drawing that all events make, so without events they are left
      // out.
      if !reader.lacksEvents {
        func read<Value>(_ read: () throws(PKDError) -> Value?) -> Value? {
          do throws(PKDError) {
            return try read()
          } catch {
            if contents.damage.isEmpty { contents.strokes.damage = [.pkd(error)] }
            return nil
          }
        }
        contents.words = read(reader.readWords)
        if withArchive { contents.strokes.drawing.residue = read(reader.readResidue) }
      }
      if isChecked, !contents.drawing.hasIntactResidue {
        contents.strokes.drawing.residue = nil
        contents.strokes.damage.append(.foreignArchive)
      }
    }
    if !withArchive { contents.strokes.drawing.residue = nil }
    return contents
  }

  /// The strokes and events of a `.pkd` file.
  private func ink(of reader: PKDReader, threads: Int = 1) -> InkContents {
    guard reader.hasEvents || reader.lacksEvents else {
      let (strokes, found) = reader.readStrokes(threads: threads)
      return InkContents(
        DrawnStrokes(strokes, of: reader, damage: damage(with: found)), on: canvas)
    }
    var (history, found) = (RecordedStrokes([], canvas: canvas), PKDError?.none)
    if reader.lacksEvents {
      let (recording, damage) = reader.readRecordingWithoutEvents()
      (history, found) = (RecordedStrokes(recording), damage)
    } else {
      (history, found) = reader.readHistory()
    }
    return InkContents(
      DrawnStrokes(after: history, of: reader, damage: damage(with: found)), on: canvas,
      history: history)
  }

  /// All known damage. Damage that decoding found is added only if opening found none in the bytes,
  /// since it often follows from the first.
  private func damage(with found: PKDError?) -> [DrawingFileError] {
    guard let found, reader?.damage == nil else { return damage }
    return [.pkd(found)] + damage
  }
}
