import Strokes

/// A file of the sound chunks of a damaged one.
///
/// Strokes are told apart by their numbers, so in the place of lost ones stand as many without
/// points, which are taken out again when all is read.
struct SalvagedFile {
  /// The numbers of the strokes that stand for lost ones.
  private(set) var lostNumbers = Set<Int>()
  /// Lost strokes of which there are the points that were put down while the pen was.
  private(set) var liveStrokes: [Int: PKStroke] = [:]
  /// Chunks that are sound but mean nothing without what was lost.
  private(set) var orphans: [Salvage.Gap] = []

  private let original: [UInt8]
  private let header: Header
  private let limits: PKDLimits
  private var writer = ByteWriter()
  private var table = FormTable()
  /// Whether rows of the table are lost, so that later ones have no place.
  private var hasLostRows = false
  private var tools = BlockTools()
  private var strokeCount = 0
  /// The stroke under the pen, and whether something was lost since it began.
  private var live: LiveStroke?
  private var isGapBehindLive = false
  /// How many bytes are lost of which nobody says how many strokes they were.
  private var unknownByteCount = 0

  init(of original: [UInt8], header: Header, limits: PKDLimits) {
    self.original = original
    self.header = header
    self.limits = limits
    writer.append(Signature.bytes)
  }

  var bytes: [UInt8] { writer.bytes }

  /// Goes on behind a part that cannot be used.
  mutating func add(_ gap: Salvage.Gap) {
    isGapBehindLive = true
    if gap.holdsRows { hasLostRows = true }
    if let count = gap.strokeCount { fill(count) } else { unknownByteCount += gap.range.count }
  }

  /// Adds a chunk whose checksum fits, unless it means nothing behind what was lost.
  mutating func add(_ chunk: Chunk) {
    do throws(PKDError) {
      if try isUsable(chunk) { writer.append(original[chunk.offset..<chunk.end]) }
    } catch {
      var gap = Salvage.Gap(range: chunk.offset..<chunk.end, error: error)
      if chunk.type == .strokes { gap.strokeCount = chunk.strokeCount(original) }
      gap.holdsRows = chunk.type == .table
      orphans.append(gap)
      add(gap)
    }
  }

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
    // The end of the stroke under the pen may be what was lost.
    if isGapBehindLive, let live, let first = heads.heads.first, !live.isTold(by: first) { fill(1) }
    strokeCount += heads.heads.count
    if let begun = live, begun.record < strokeCount { live = nil }
  }

  private mutating func addLive(_ chunk: Chunk) throws(PKDError) -> Bool {
    var reader = ByteReader(original, in: chunk.payload)
    let (head, points) = try reader.live(limits: limits)
    // The next stroke knows how many there were before it.
    let missing = head.record - strokeCount
    if missing > 0, missing <= unknownByteCount {
      unknownByteCount = 0
      fill(missing)
    }
    if head.record < strokeCount { return true }
    // Behind a gap may lie a copy of what came before it.
    if isGapBehindLive, let live, let id = head.description?.id,
      id != live.stroke.id || points.count < live.points.count
    {
      return false
    }
    if head.description != nil { isGapBehindLive = false }
    guard head.record == strokeCount, live.follow(head, points) else {
      throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    }
    return true
  }

  /// Writes strokes without points in the place of lost ones, if there is a form for them.
  private mutating func fill(_ count: Int) {
    // Rows of the table cannot be added, since later ones are told by their place.
    guard count > 0,
      let form = table.forms.firstIndex(where: { $0.ownsPath && $0.traits.isSimple })
        ?? table.forms.firstIndex(where: \.ownsPath)
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
  /// How many strokes a block says that it has.
  func strokeCount(_ bytes: [UInt8]) -> Int? {
    var reader = ByteReader(bytes, in: payload)
    guard let first = try? reader.varint(), first >> 1 <= UInt64(BlockLimits.strokes) else {
      return nil
    }
    return Int(first >> 1)
  }
}

extension LiveStroke {
  /// Whether a whole stroke is this one.
  fileprivate func isTold(by head: StrokeHead) -> Bool {
    head.date == stroke.path.creationDate && head.extras?.seed ?? 0 == stroke.randomSeed
  }
}

extension StrokeTraits {
  /// Whether strokes of this kind refer to nothing.
  fileprivate var isSimple: Bool { isDisjoint(with: [.piece, .group, .bare]) }
}
