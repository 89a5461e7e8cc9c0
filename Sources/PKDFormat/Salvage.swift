import Strokes

/// What is left of a damaged file: chunks stand for themselves, so a lost one takes only what it
/// held, and what follows it is found again.
///
/// The sound chunks are put into a file of their own. Strokes are told apart by their numbers, so in
/// the place of lost ones stand as many without points, which are taken out again when all is read.
struct Salvage {
  /// A part of the file that cannot be used, and why.
  struct Gap {
    let range: Range<Int>
    let error: PKDError
    /// How many strokes and points were there, where that is known.
    var strokeCount: Int?
    var pointCount: Int?
  }

  private(set) var chunks: [Chunk] = []
  private(set) var gaps: [Gap] = []
  /// The index of the original, if it is there.
  private(set) var index: FileIndex?
  /// A file of what is sound.
  private(set) var rebuilt: [UInt8]
  /// The numbers of the strokes that stand for lost ones.
  private(set) var lostNumbers = Set<Int>()

  private let bytes: [UInt8]
  private let limits: PKDLimits

  /// Looks through a file. One whose header is lost cannot be read at all.
  init(_ bytes: [UInt8], limits: PKDLimits) throws(PKDError) {
    self.bytes = bytes
    self.limits = limits
    rebuilt = bytes
    let reader = try PKDReader(bytes, limits: limits)
    findChunks()
    index = chunks.last { $0.type == .index }
      .flatMap { try? FileIndex(bytes, in: $0.payload, limits: limits) }
    for number in gaps.indices { count(&gaps[number]) }
    if !gaps.isEmpty { rebuild(reader.header) }
  }

  // MARK: - Finding chunks

  private mutating func findChunks() {
    var walker = ChunkWalker(bytes)
    // Whoever makes up a file full of chunks inside chunks does not get all their checksums.
    var allowance = 16 * bytes.count
    while true {
      let start = walker.offset
      var next: Chunk?
      do throws(PKDError) {
        next = try walker.next(limits: limits)
        guard let next else { return }
        try next.check(bytes)
        chunks.append(next)
      } catch {
        let end = soundPlace(behind: start, chunk: next, allowance: &allowance)
        gaps.append(Gap(range: start..<end, error: error))
        walker = ChunkWalker(bytes, from: end)
      }
    }
  }

  /// Where the next sound chunk begins, or the end of the file.
  private func soundPlace(behind start: Int, chunk: Chunk?, allowance: inout Int) -> Int {
    if let chunk, chunk.end == bytes.count || isSound(at: chunk.end, &allowance) {
      return chunk.end
    }
    var place = start + 1
    while place + Chunk.overhead <= bytes.count {
      if isSound(at: place, &allowance) { return place }
      place += 1
    }
    return bytes.count
  }

  private func isSound(at place: Int, _ allowance: inout Int) -> Bool {
    guard place + Chunk.overhead <= bytes.count, allowance > 0,
      ChunkType.all.contains(where: { bytes[place + 4] == UInt8(truncatingIfNeeded: $0.letters) })
    else { return false }
    var walker = ChunkWalker(bytes, from: place)
    guard let chunk = try? walker.next(limits: limits), ChunkType.all.contains(chunk.type) else {
      return false
    }
    allowance -= chunk.payload.count
    do throws(PKDError) {
      try chunk.check(bytes)
      return true
    } catch {
      return false
    }
  }

  /// Finds how much was lost in a gap: the index knows, and else the block itself may still say.
  private func count(_ gap: inout Gap) {
    if let index {
      let lost = index.entries.filter { gap.range.contains($0.offset) }
      gap.strokeCount = lost.reduce(0) { $0 + $1.strokeCount }
      gap.pointCount = lost.reduce(0) { $0 + $1.pointCount }
      return
    }
    var walker = ChunkWalker(bytes, from: gap.range.lowerBound)
    guard let chunk = try? walker.next(limits: limits), chunk.end == gap.range.upperBound else {
      return
    }
    guard chunk.type == .strokes else {
      let holdsInk = chunk.type == .table || chunk.type == .live || !chunk.type.isKnown
      if !holdsInk { (gap.strokeCount, gap.pointCount) = (0, 0) }
      return
    }
    var reader = ByteReader(bytes, in: chunk.payload)
    if let first = try? reader.varint(), first >> 1 <= UInt64(BlockLimits.strokes) {
      gap.strokeCount = Int(first >> 1)
    }
  }

  // MARK: - A file of what is sound

  private mutating func rebuild(_ header: Header) {
    var writer = ByteWriter()
    writer.append(Signature.bytes)
    var table = FormTable()
    var tools = BlockTools()
    var strokeCount = 0
    var rest = gaps[...]
    for chunk in chunks where chunk.type != .index && chunk.type != .tail {
      while let gap = rest.first, gap.range.lowerBound < chunk.offset {
        rest.removeFirst()
        fill(gap, &writer, table, header, &strokeCount, &tools)
      }
      writer.append(bytes[chunk.offset..<chunk.end])
      var reader = ByteReader(bytes, in: chunk.payload)
      if chunk.type == .table { try? table.append(&reader, limits: limits) }
      if chunk.type == .strokes, let first = try? reader.varint() {
        strokeCount += Int(clamping: first >> 1)
      }
    }
    rebuilt = writer.bytes
  }

  /// Writes strokes without points in the place of lost ones.
  private mutating func fill(
    _ gap: Gap, _ writer: inout ByteWriter, _ table: FormTable, _ header: Header,
    _ strokeCount: inout Int, _ tools: inout BlockTools
  ) {
    // Rows of the table cannot be added, since later ones are told by their place.
    guard var left = gap.strokeCount,
      let form = table.forms.firstIndex(where: { $0.ownsPath && $0.traits.isSimple })
        ?? table.forms.firstIndex(where: \.ownsPath)
    else { return }
    while left > 0 {
      let count = min(left, BlockLimits.strokes)
      var head = StrokeHead(form: form)
      head.date = header.base
      writer.chunk(
        .strokes,
        StrokeBlock.write(
          [StrokeHead](repeating: head, count: count), paths: [], table: table, base: header.base,
          tools: &tools))
      lostNumbers.formUnion(strokeCount..<strokeCount + count)
      strokeCount += count
      left -= count
    }
  }
}

extension StrokeTraits {
  /// Whether strokes of this kind refer to nothing.
  fileprivate var isSimple: Bool { isDisjoint(with: [.piece, .group, .bare]) }
}

extension ChunkType {
  var isKnown: Bool { Self.all.contains(self) }

  /// Those that are known here.
  fileprivate static let all: [ChunkType] = [
    .header, .table, .strokes, .live, .events, .names, .archive, .preview, .index, .tail,
  ]
}

extension Recording {
  /// The recording without strokes that are told by their numbers in a file, and what refers to
  /// nothing without them.
  func removing(_ lost: Set<Int>) -> Recording {
    guard !lost.isEmpty else { return self }
    // Undoing counts what has happened: there, what is lost has to stay as a stroke without points.
    let countsEvents = events.contains { $0.action == .undone }
    var result = Recording(canvas: canvas)
    var number = 0
    var gone = Set<Identifier>()
    func isLost(_ stroke: PKStroke) -> Bool {
      defer { number += 1 }
      // A piece of a lost stroke has no points either.
      return lost.contains(number) || stroke.parentID != nil && stroke.path.isEmpty
    }
    for var event in events {
      switch event.action {
      case .strokeBegun(let stroke):
        if isLost(stroke), !countsEvents {
          gone.insert(stroke.id)
          continue
        }
        gone.remove(stroke.id)
      case .strokeExtended(let id, _):
        number += 1
        if gone.contains(id) || lost.contains(number - 1) { continue }
      case .strokeEnded(let id): if gone.contains(id) { continue }
      case .erased(let eraser, let path, var changes):
        number += 1
        for index in changes.indices {
          changes[index].replacements = changes[index].replacements.filter { !isLost($0) }
        }
        event.action = .erased(eraser, along: path, changes: changes)
      case .undone, .redone, .moved, .cleared, .toolChanged: break
      }
      result.events.append(event)
    }
    return result
  }
}
