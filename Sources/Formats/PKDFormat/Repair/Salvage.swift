import Strokes

/// The intact parts of a damaged file. Every chunk has its own length and checksum, so a damaged
/// one costs only its own content, and the chunks behind it are found again.
struct Salvage {
  /// A part of the file that cannot be used, and the reason.
  struct Gap {
    let range: Range<Int>
    let error: PKDError
    /// The number of its strokes; nil if unknown.
    var strokeCount: Int?
    /// The number of its points; nil if unknown.
    var pointCount: Int?
    /// Whether it was a chunk of the table.
    var holdsRows = false
  }

  private(set) var chunks: [Chunk] = []
  private(set) var gaps: [Gap] = []
  /// The index of the damaged file, if it is intact.
  private(set) var index: FileIndex?
  /// A new file with the intact chunks.
  private(set) var rebuilt: [UInt8]
  /// The numbers of the strokes in `rebuilt` that replace lost ones.
  private(set) var lostNumbers = Set<Int>()
  /// Lost strokes whose points are known from live chunks, by their numbers.
  private(set) var liveStrokes: [Int: PKStroke] = [:]

  /// Whether the file ends as finished ones do.
  private(set) var isFinished = false

  private let bytes: [UInt8]
  private let limits: PKDLimits

  /// Searches a file for intact chunks. Throws if the signature or header is damaged.
  init(_ bytes: [UInt8], limits: PKDLimits) throws(PKDError) {
    self.bytes = bytes
    self.limits = limits
    rebuilt = bytes
    let page = DamagedPage(of: bytes, limits: limits)
    let header: Header
    if let page {
      header = try page.header(bytes, limits: limits)
    } else {
      header = try PKDReader(bytes, limits: limits).header
    }
    findChunks(behind: page)
    index = chunks.last { $0.type == .index }
      .flatMap { try? FileIndex(bytes, in: $0.payload, limits: limits) }
    for number in gaps.indices where gaps[number].strokeCount == nil { count(&gaps[number]) }
    if !gaps.isEmpty { rebuild(header) }
  }

  // MARK: - Finding chunks

  private mutating func findChunks(behind page: DamagedPage?) {
    var walker = ChunkWalker(bytes)
    if let page {
      add(page)
      walker = ChunkWalker(bytes, from: page.chunk.end)
    }
    // Limits the bytes whose checksums are computed, since a malicious file may be full of nested
    // chunks.
    var allowance = 16 * bytes.count
    while true {
      let start = walker.offset
      var next: Chunk?
      do throws(PKDError) {
        next = try walker.next(limits: limits)
        guard let next else { return }
        try next.check(bytes)
        chunks += next.sections(bytes).chunks
        isFinished = next.type == .tail || next.type == .page
      } catch {
        let end = nextIntactOffset(behind: start, chunk: next, allowance: &allowance)
        gaps.append(Gap(range: start..<end, error: error))
        walker = ChunkWalker(bytes, from: end)
      }
    }
  }

  /// Adds the sections of a damaged page. The bytes after the last section become its gap.
  private mutating func add(_ page: DamagedPage) {
    let (sections, damage) = page.chunk.sections(bytes)
    chunks += sections
    let end = sections.last?.payload.upperBound ?? page.chunk.payload.lowerBound
    var gap = Gap(range: end..<page.chunk.end, error: page.error)
    if damage == nil, end == page.chunk.payload.upperBound, page.error.reason != .truncated {
      (gap.strokeCount, gap.pointCount) = (0, 0)
    }
    gaps.append(gap)
  }

  /// The offset of the next intact chunk, or the end of the file.
  private func nextIntactOffset(behind start: Int, chunk: Chunk?, allowance: inout Int) -> Int {
    if let chunk, chunk.end == bytes.count || hasIntactChunk(at: chunk.end, &allowance) {
      return chunk.end
    }
    var offset = start + 1
    while offset + Chunk.overhead <= bytes.count {
      if hasIntactChunk(at: offset, &allowance) { return offset }
      offset += 1
    }
    return bytes.count
  }

  /// Whether a chunk of a known type with a matching checksum begins at an offset.
  private func hasIntactChunk(at offset: Int, _ allowance: inout Int) -> Bool {
    guard offset + Chunk.overhead <= bytes.count, allowance > 0,
      ChunkType.all.contains(where: { bytes[offset + 4] == UInt8(truncatingIfNeeded: $0.letters) })
    else { return false }
    var walker = ChunkWalker(bytes, from: offset)
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

  /// Counts the strokes and points of a gap: from the index, or else from the damaged block.
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
    gap.holdsRows = chunk.type == .table
    guard chunk.type == .strokes else {
      let holdsInk = chunk.type == .table || chunk.type == .live || !chunk.type.isKnown
      if !holdsInk { (gap.strokeCount, gap.pointCount) = (0, 0) }
      return
    }
    gap.strokeCount = chunk.strokeCount(bytes)
  }

  // MARK: - The new file

  private mutating func rebuild(_ header: Header) {
    var file = SalvagedFile(of: bytes, header: header, limits: limits)
    var rest = gaps[...]
    for chunk in chunks {
      while let gap = rest.first, gap.range.lowerBound < chunk.offset {
        rest.removeFirst()
        file.add(gap)
      }
      file.add(chunk)
    }
    gaps += file.orphans
    rebuilt = file.bytes
    lostNumbers = file.lostNumbers
    liveStrokes = file.liveStrokes
  }
}

extension ChunkType {
  var isKnown: Bool { Self.all.contains(self) }

  /// All known types.
  fileprivate static let all: [ChunkType] = [
    .header, .table, .strokes, .live, .events, .names, .archive, .preview, .words, .index, .tail,
    .page,
  ]
}

extension Recording {
  /// The names of all strokes, with those that were erased later.
  private var strokeNames: Set<Identifier> {
    var names = Set<Identifier>()
    for event in events {
      switch event.action {
      case .strokeBegun(let stroke): names.insert(stroke.id)
      case .erased(_, _, let changes):
        for change in changes { names.formUnion(change.replacements.map { $0.id }) }
      default: break
      }
    }
    return names
  }

  /// The recording without the strokes of these numbers and without events that refer to them.
  /// Strokes that `replacements` contains are replaced by their known parts instead.
  func removing(_ lost: Set<Int>, replacing replacements: [Int: PKStroke] = [:]) -> Recording {
    guard !lost.isEmpty else { return self }
    // Undoing counts events, so with undo events a lost stroke has to stay as one without points.
    let countsEvents = events.contains { $0.action == .undone }
    var result = Recording(canvas: canvas)
    var number = 0
    var removed = Set<Identifier>()
    func next(_ stroke: PKStroke) -> PKStroke? {
      defer { number += 1 }
      if let part = replacements[number] { return part.renamed(stroke.id) }
      // A piece of a lost stroke has no points either.
      return lost.contains(number) || stroke.parentID != nil && stroke.path.isEmpty ? nil : stroke
    }
    for var event in events {
      switch event.action {
      case .strokeBegun(let stroke):
        let kept = next(stroke)
        guard kept != nil || countsEvents else {
          removed.insert(stroke.id)
          continue
        }
        removed.remove(stroke.id)
        event.action = .strokeBegun(kept ?? stroke)
      case .strokeExtended(let id, _):
        defer { number += 1 }
        if let part = replacements[number] {
          event.action = .strokeExtended(id, by: part.path)
        } else if removed.contains(id) || lost.contains(number) {
          continue
        }
      case .strokeEnded(let id): if removed.contains(id) { continue }
      case .erased(let eraser, let path, var changes):
        let eraserPath = replacements[number]?.path ?? path
        number += 1
        for index in changes.indices {
          changes[index].replacements = changes[index].replacements.compactMap(next)
        }
        event.action = .erased(eraser, along: eraserPath, changes: changes)
      case .edited(var changes, let above, let below):
        for index in changes.indices {
          changes[index].replacements = changes[index].replacements.compactMap(next)
        }
        let added = above.compactMap(next)
        event.action = .edited(changes, above: added, below: below.compactMap(next))
      case .undone, .redone, .moved, .cleared, .toolChanged: break
      }
      result.events.append(event)
    }
    result.words = words?.limited(to: result.strokeNames)
    return result
  }
}
