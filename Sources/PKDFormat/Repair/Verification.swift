package import Strokes

/// What a close look at a whole file finds: every checksum, every stroke, and whether the index
/// tells what is there.
public struct PKDVerification {
  /// How much ink there is. Points that strokes share count once.
  public struct Amount: Hashable, Sendable {
    /// Strokes, with those that were erased later.
    public var strokes = 0
    /// The control points of their paths.
    public var points = 0

    /// No ink.
    public init() {}
  }

  /// What is wrong, in the order of the file; nothing for a sound one.
  public let problems: [PKDError]
  /// Whether the file was finished: it ends with an index and a tail.
  public let isFinished: Bool
  /// What can be read.
  public let recoverable: Amount
  /// What there was before; nil where a lost part does not say.
  public let original: Amount?

  private let salvage: Salvage
  private let reader: PKDReader
  /// What the reader makes of it, with what stands for lost strokes.
  private let whole: Recording
  private let residue: ArchiveResidue?
  /// Whether the reader finds nothing wrong.
  private let isReadable: Bool

  /// Looks at a file. One whose first bytes are damaged cannot be read at all, which is the error.
  public init(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) throws(PKDError) {
    let salvage = try Salvage(bytes, limits: limits)
    let reader = try PKDReader(salvage.rebuilt, limits: limits)
    var problems = salvage.gaps.map(\.error)
    let contents = Self.contents(of: reader, lost: salvage.lostNumbers)
    // Reading finds what checksums do not tell: coded values, names, events.
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
    }
    self.problems = problems.sorted { $0.offset < $1.offset }
    self.salvage = salvage
    self.reader = reader
    isFinished = salvage.chunks.last?.type == .tail
    var recoverable = contents.amount
    for stroke in salvage.liveStrokes.values { recoverable.add(stroke) }
    self.recoverable = recoverable
    original =
      damage == nil
      ? contents.amount.adding(salvage.gaps) : salvage.index.map { Amount($0.entries) }
  }

  /// Counts what can be read, and gives the index that says so.
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

  /// What is wrong with the end of a file.
  private static func problems(of reader: PKDReader, index: FileIndex) -> [PKDError] {
    guard let last = reader.chunks.last, last.type == .tail else { return [] }
    guard let place = reader.chunks.last(where: { $0.type == .index }) else {
      return [PKDError(.misplacedChunk(ChunkType.index.description), at: last.offset)]
    }
    var problems: [PKDError] = []
    do throws(PKDError) {
      let told = try FileIndex(reader.bytes, in: place.payload, limits: reader.limits)
      if told.entries != index.entries {
        problems.append(PKDError(.wrongIndex, at: place.offset))
      }
    } catch {
      problems.append(error)
    }
    var tail = ByteReader(reader.bytes, in: last.payload)
    if (try? tail.littleEndian(8)) != UInt64(place.offset) || tail.remaining > 0 {
      problems.append(PKDError(.wrongTail, at: last.payload.lowerBound))
    }
    return problems
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

  /// With what was lost; nil where that is not known.
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
  /// A file made sound again.
  public struct Repair: Sendable {
    /// The bytes of the new file.
    public let bytes: [UInt8]
    /// Chunks that are not known here and had to be left out.
    public let droppedChunks: [String]
  }

  /// The part of the file that can be read, as a finished file. A sound one stays as it is.
  ///
  /// What the file kept of an archive goes along only if the caller finds that it fits.
  package func repaired(
    _ isSound: (PKDrawing) -> Bool
  ) throws(PKDContentError) -> Repair {
    let drawing = drawing
    let fits = isSound(drawing)
    if problems.isEmpty, isFinished, fits {
      return Repair(bytes: reader.bytes, droppedChunks: [])
    }
    var kept: [(type: ChunkType, payload: ArraySlice<UInt8>)] = []
    var dropped: [String] = []
    for chunk in reader.chunks where chunk.type == .preview || !chunk.type.isKnown {
      // What depends on the strokes cannot stay where some of them are lost.
      if chunk.type.isSafeToCopy || salvage.gaps.isEmpty && isReadable {
        kept.append((chunk.type, reader.bytes[chunk.payload]))
      } else {
        dropped.append(chunk.type.description)
      }
    }
    let recording = recording
    return Repair(
      bytes: try PKDWriter.encode(
        recording, residue: fits ? drawing.residue : nil, keeping: kept,
        options: .init(profile: recording.isRounded(to: reader.profile) ? reader.profile : .exact)),
      droppedChunks: dropped)
  }

  /// What can be read of the recording.
  package var recording: Recording {
    reader.lacksEvents
      ? reader.readRecordingWithoutEvents(lost: salvage.lostNumbers).value
      : whole.removing(salvage.lostNumbers, replacing: salvage.liveStrokes)
  }

  /// Whether strokes are all that is left of a recording in which more happened.
  public var lacksEvents: Bool { reader.lacksEvents }

  /// What can be read of the drawing, with what the file keeps of an archive.
  package var drawing: PKDrawing {
    var drawing = recording.drawing
    drawing.residue = residue
    return drawing
  }
}

extension Recording {
  /// Whether writing with a profile changes no point. Files may claim one that they do not follow.
  fileprivate func isRounded(to profile: PKDProfile) -> Bool {
    profile == .exact
      || RecordingRecords(self).list.records.allSatisfy { record in
        let columns = record.stroke.path.columns
        let rounded = columns.rounded(to: profile)
        return rounded.words == columns.words
          && rounded.floats.elementsEqual(columns.floats) { $0.bitPattern == $1.bitPattern }
      }
  }
}
