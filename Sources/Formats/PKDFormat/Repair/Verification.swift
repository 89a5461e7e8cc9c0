import Graphics
package import Strokes

/// The result of checking a whole file: every checksum, every stroke, and whether the index agrees
/// with the content.
public struct PKDVerification {
  /// The number of strokes and points. Points that strokes share count once.
  public struct Amount: Hashable, Sendable {
    /// Strokes, including those that were erased later.
    public var strokes = 0
    /// The control points of their paths.
    public var points = 0

    /// No strokes and points.
    public init() {}
  }

  /// All damage, in the order of the file; empty for an intact one.
  public let problems: [PKDError]
  /// Whether the file was finished: it ends with an index and a tail.
  public let isFinished: Bool
  /// The strokes and points that can be read.
  public let recoverable: Amount
  /// The strokes and points before the damage; nil if the counts of a lost part are unknown.
  public let original: Amount?

  private let salvage: Salvage
  private let reader: PKDReader
  /// The recording, including the strokes that replace lost ones.
  private let whole: Recording
  private let residue: ArchiveResidue?
  /// Whether the new file could be read without damage.
  private let isReadable: Bool

  /// Checks a file. Throws if the signature or header is damaged, since nothing can be read then.
  public init(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) throws(PKDError) {
    let salvage = try Salvage(bytes, limits: limits)
    let reader = try PKDReader(salvage.rebuilt, limits: limits)
    var problems = salvage.gaps.map { $0.error }
    let contents = Self.contents(of: reader, lost: salvage.lostNumbers)
    // Reading finds damage that checksums cannot show, in coded values, names and events.
    let (recording, recordingDamage) = reader.readRecording()
    var damage = reader.damage ?? recordingDamage
    whole = recording
    do throws(PKDError) {
      residue = try reader.readResidue()
    } catch {
      residue = nil
      damage = damage ?? error
    }
    isReadable = damage == nil
    if let damage, salvage.gaps.isEmpty { problems.append(damage) }
    if salvage.gaps.isEmpty, problems.isEmpty {
      problems += Self.problems(of: reader, index: contents.index)
      problems += reader.wrongBoxes
    }
    self.problems = problems.sorted { $0.offset < $1.offset }
    self.salvage = salvage
    self.reader = reader
    isFinished = salvage.isFinished
    var recoverable = contents.amount
    for stroke in salvage.liveStrokes.values { recoverable.add(stroke) }
    self.recoverable = recoverable
    original =
      damage == nil
      ? contents.amount.adding(salvage.gaps) : salvage.index.map { Amount($0.entries) }
  }

  /// Counts the strokes and points that can be read, and returns an index of them.
  private static func contents(
    of reader: PKDReader, lost: Set<Int>
  ) -> (amount: Amount, index: FileIndex) {
    var amount = Amount()
    var index = FileIndex()
    var number = 0
    try? reader.forEachBlock { chunk, heads, table, tools throws(PKDError) in
      index.add(heads.heads, at: chunk.offset, base: reader.header.base)
      let paths = try StrokeBlock.readPaths(reader.bytes, of: heads, table: table, tools: &tools)
      for head in heads.heads {
        defer { number += 1 }
        let isStroke = !table.forms[head.form].traits.contains(.bare)
        if isStroke, !lost.contains(number) { amount.strokes += 1 }
      }
      amount.points += paths.reduce(0) { $0 + $1.count }
    }
    if let live = reader.live { amount.add(live.whole) }
    return (amount, index)
  }

  /// The problems with the index and the tail of a file.
  private static func problems(of reader: PKDReader, index: FileIndex) -> [PKDError] {
    guard let last = reader.chunks.last, last.type == .tail else { return [] }
    guard let chunk = reader.chunks.last(where: { $0.type == .index }) else {
      return [PKDError(.misplacedChunk(ChunkType.index.description), at: last.offset)]
    }
    var problems: [PKDError] = []
    do throws(PKDError) {
      let stored = try FileIndex(reader.bytes, in: chunk.payload, limits: reader.limits)
      if stored.entries != index.entries {
        problems.append(PKDError(.wrongIndex, at: chunk.offset))
      }
    } catch {
      problems.append(error)
    }
    var tail = ByteReader(reader.bytes, in: last.payload)
    if (try? tail.littleEndian(8)) != UInt64(chunk.offset) || tail.remaining > 0 {
      problems.append(PKDError(.wrongTail, at: last.payload.lowerBound))
    }
    return problems
  }
}

// MARK: - Boxes

extension PKDReader {
  /// A file with more wrong boxes than this counts the others.
  private static let listedBoxes = 20

  /// The stored boxes that do not contain the ink. Pictures are cut and framed by these boxes.
  fileprivate var wrongBoxes: [PKDError] {
    var problems: [PKDError] = []
    var (more, last) = (0, 0)
    for (number, stroke) in readStrokes().value.enumerated() where number < recordCount {
      // Boxes that come from an archive are kept unchanged.
      guard let box = head(number).box, !traits(number).contains(.archivedBox),
        !stroke.fits(box)
      else { continue }
      last = blocks[Int(positions[number].block)].offset
      if problems.count < Self.listedBoxes {
        problems.append(PKDError(.wrongBox(stroke: number), at: last))
      } else {
        more += 1
      }
    }
    if more > 0 { problems.append(PKDError(.moreWrongBoxes(more), at: last)) }
    return problems
  }
}

extension PKStroke {
  /// Whether a stored box contains the ink. Other writers, and earlier versions of this one, draw
  /// the edges of an ink a little differently, and rounding moves points a little.
  fileprivate func fits(_ box: Rect) -> Bool {
    let ink = inkBounds()
    guard !ink.isNull else { return true }
    let largest = renderBounds
    // The extent of a picture beyond the ink itself: texture, smooth edges and whole points.
    let bleed = max(
      ink.minX - largest.minX, ink.minY - largest.minY, largest.maxX - ink.maxX,
      largest.maxY - ink.maxY)
    let tolerance = 4 + bleed
    return box.grown(by: tolerance).contains(ink)
      && largest.grown(by: tolerance).contains(box)
  }
}

extension PKDVerification.Amount {
  fileprivate mutating func add(_ stroke: PKStroke) {
    strokes += 1
    points += stroke.path.count
  }

  fileprivate init(_ entries: [FileIndex.Entry]) {
    strokes = entries.reduce(0) { $0 + $1.strokeCount }
    points = entries.reduce(0) { $0 + $1.pointCount }
  }

  /// The sum with the strokes and points of gaps; nil if those of a gap are unknown.
  fileprivate func adding(_ gaps: [Salvage.Gap]) -> Self? {
    var sum = self
    for gap in gaps {
      guard let strokes = gap.strokeCount, let points = gap.pointCount else { return nil }
      sum.strokes += strokes
      sum.points += points
    }
    return sum
  }
}

// MARK: - Repair

extension PKDVerification {
  /// A repaired file.
  public struct Repair: Sendable {
    /// The bytes of the new file.
    public let bytes: [UInt8]
    /// The types of unknown chunks that had to be left out.
    public let droppedChunks: [String]
  }

  /// The part of the file that can be read, as a finished file. An intact and finished file is
  /// returned unchanged.
  ///
  /// The residue of an archive is kept only if the closure finds that it matches the drawing.
  package func repaired(
    _ isIntact: (PKDrawing) -> Bool
  ) throws(PKDContentError) -> Repair {
    let drawing = drawing
    let fits = isIntact(drawing)
    if problems.isEmpty, isFinished, fits {
      return Repair(bytes: reader.bytes, droppedChunks: [])
    }
    var kept: [(type: ChunkType, payload: ArraySlice<UInt8>)] = []
    var dropped: [String] = []
    for chunk in reader.chunks where chunk.type == .preview || !chunk.type.isKnown {
      // A chunk that depends on the strokes cannot be kept if some of them are lost.
      if chunk.type.isSafeToCopy || salvage.gaps.isEmpty && isReadable {
        kept.append((chunk.type, reader.bytes[chunk.payload]))
      } else {
        dropped.append(chunk.type.description)
      }
    }
    let recording = recording
    return Repair(
      bytes: try PKDWriter.encode(
        RecordList(recording), of: recording, residue: fits ? drawing.residue : nil, keeping: kept,
        options: .init(profile: recording.isRounded(to: reader.profile) ? reader.profile : .exact)),
      droppedChunks: dropped)
  }

  /// The part of the recording that can be read.
  package var recording: Recording {
    reader.lacksEvents
      ? reader.readRecordingWithoutEvents(lost: salvage.lostNumbers).value
      : whole.removing(salvage.lostNumbers, replacing: salvage.liveStrokes)
  }

  /// Whether the events are lost, so that only strokes are left of the recording.
  public var lacksEvents: Bool { reader.lacksEvents }

  /// The part of the drawing that can be read, with the residue of an archive.
  package var drawing: PKDrawing {
    var drawing = recording.drawing
    drawing.residue = residue
    return drawing
  }
}

extension Recording {
  /// Whether writing with a profile changes no point. A file may claim a profile that its points do
  /// not have.
  fileprivate func isRounded(to profile: PKDProfile) -> Bool {
    profile == .exact
      || RecordList(self).records.allSatisfy { record in
        let columns = record.stroke.path.columns
        let rounded = columns.rounded(to: profile)
        return rounded.words == columns.words
          && rounded.floats.elementsEqual(columns.floats) { $0.bitPattern == $1.bitPattern }
      }
  }
}
