import Strokes

/// A new file with the intact chunks of a damaged one.
///
/// Strokes are referred to by their numbers, so lost ones are replaced by as many strokes without
/// points. These are removed again after reading.
struct SalvagedFile {
  /// The numbers of the strokes that replace lost ones.
  private(set) var lostNumbers = Set<Int>()
  /// Lost strokes whose points are known from live chunks, by their numbers.
  private(set) var liveStrokes: [Int: PKStroke] = [:]
  /// Intact chunks that cannot be used without the lost ones.
  private(set) var orphans: [Salvage.Gap] = []

  private let original: [UInt8]
  private let header: Header
  private let limits: PKDLimits
  private var writer = ByteWriter()
  private var table: FormTable
  /// Whether rows of the table are lost, so that the numbers of later rows are unknown.
  private var hasLostRows = false
  private var tools = BlockTools()
  private var strokeCount = 0
  /// The stroke without an end.
  private var live: LiveStroke?
  /// Whether there is a gap behind the beginning of the live stroke.
  private var isGapBehindLive = false
  /// The number of lost bytes in gaps whose number of strokes is unknown.
  private var unknownByteCount = 0

  init(of original: [UInt8], header: Header, limits: PKDLimits) {
    self.original = original
    self.header = header
    self.limits = limits
    table = FormTable(version: header.version)
    writer.append(Signature.bytes)
  }

  var bytes: [UInt8] { writer.bytes }

  /// Adds a gap, with strokes in place of those that were lost if their number is known.
  mutating func add(_ gap: Salvage.Gap) {
    isGapBehindLive = true
    if gap.holdsRows { hasLostRows = true }
    if let count = gap.strokeCount { fill(count) } else { unknownByteCount += gap.range.count }
  }

  /// Adds a chunk with a valid checksum, unless it cannot be used without the lost ones.
  mutating func add(_ chunk: Chunk) {
    do throws(PKDError) {
      if try isUsable(chunk) { writer.chunk(chunk.type, original[chunk.payload]) }
    } catch {
      var gap = Salvage.Gap(range: chunk.offset..<chunk.end, error: error)
      if chunk.type == .strokes { gap.strokeCount = chunk.strokeCount(original) }
      gap.holdsRows = chunk.type == .table
      orphans.append(gap)
      add(gap)
    }
  }

  /// Updates the state from a chunk, and returns whether it belongs into the new file.
  private mutating func isUsable(_ chunk: Chunk) throws(PKDError) -> Bool {
    switch chunk.type {
    case .index, .tail: return false
    case .table:
      guard !hasLostRows else { return false }
      var reader = ByteReader(original, in: chunk.payload)
      try table.append(&reader, limits: limits)
      return true
    case .strokes:
      try addBlock(chunk)
      return true
    case .live: return try addLive(chunk)
    default: return true
    }
  }

  private mutating func addBlock(_ chunk: Chunk) throws(PKDError) {
    let heads = try StrokeBlock.readHeads(
      original, in: chunk.payload, table: table, base: header.base, limits: limits, tools: &tools)
    _ = try StrokeBlock.readPaths(original, of: heads, table: table, tools: &tools)
    // The gap may contain the finished form of the live stroke.
    if isGapBehindLive, let live, let first = heads.heads.first, !live.matches(first) { fill(1) }
    strokeCount += heads.heads.count
    if let begun = live, begun.record < strokeCount { live = nil }
  }

  private mutating func addLive(_ chunk: Chunk) throws(PKDError) -> Bool {
    var reader = ByteReader(original, in: chunk.payload)
    let (head, points) = try reader.live(table.version, limits: limits)
    // A live chunk has the number of its record, which shows how many strokes came before it.
    let missing = head.record - strokeCount
    if missing > 0, missing <= unknownByteCount {
      unknownByteCount = 0
      fill(missing)
    }
    if head.record < strokeCount { return true }
    // Chunks behind a gap may repeat chunks before it.
    if isGapBehindLive, let live, let id = head.description?.id,
      id != live.stroke.id || points.count < live.points.count
    {
      return false
    }
    if head.description != nil { isGapBehindLive = false }
    guard head.record == strokeCount, live.append(head, points) else {
      throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    }
    return true
  }

  /// Writes strokes without points in place of lost ones, if the table has a form for them.
  private mutating func fill(_ count: Int) {
    // No row can be added to the table, since that would change the numbers of later rows.
    guard count > 0,
      let form = table.forms.firstIndex(where: { $0.ownsPath && $0.traits.isSimple })
        ?? table.forms.firstIndex(where: { $0.ownsPath })
    else { return }
    let numbers = strokeCount..<strokeCount + count
    for start in stride(from: 0, to: count, by: BlockLimits.strokes) {
      var head = StrokeHead(form: form)
      head.date = header.base
      let heads = [StrokeHead](repeating: head, count: min(count - start, BlockLimits.strokes))
      writer.chunk(
        .strokes,
        StrokeBlock.write(heads, paths: [], table: table, base: header.base, tools: &tools))
    }
    lostNumbers.formUnion(numbers)
    if let live, numbers.contains(live.record) { liveStrokes[live.record] = live.whole }
    live = nil
    strokeCount += count
  }
}

extension Chunk {
  /// The number of strokes that a block declares; nil if it cannot be read.
  func strokeCount(_ bytes: [UInt8]) -> Int? {
    var reader = ByteReader(bytes, in: payload)
    guard let first = try? reader.varint(), first >> 1 <= UInt64(BlockLimits.strokes) else {
      return nil
    }
    return Int(first >> 1)
  }
}

extension LiveStroke {
  /// Whether a head is that of this stroke, by its date and seed.
  fileprivate func matches(_ head: StrokeHead) -> Bool {
    head.date == stroke.path.creationDate && head.extras?.seed ?? 0 == stroke.randomSeed
  }
}

extension StrokeTraits {
  /// Whether strokes with these traits are whole strokes without a group.
  fileprivate var isSimple: Bool { isDisjoint(with: [.piece, .group, .bare]) }
}
