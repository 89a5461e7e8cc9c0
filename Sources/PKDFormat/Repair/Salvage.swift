import Strokes

/// What is left of a damaged file: chunks stand for themselves, so a lost one takes only what it
/// held, and what follows it is found again.
struct Salvage {
  /// A part of the file that cannot be used, and why.
  struct Gap {
    let range: Range<Int>
    let error: PKDError
    /// How many strokes and points were there, where that is known.
    var strokeCount: Int?
    var pointCount: Int?
    /// Whether it was a chunk of the table.
    var holdsRows = false
  }

  private(set) var chunks: [Chunk] = []
  private(set) var gaps: [Gap] = []
  /// The index of the original, if it is there.
  private(set) var index: FileIndex?
  /// A file of what is sound.
  private(set) var rebuilt: [UInt8]
  /// See `SalvagedFile`.
  private(set) var lostNumbers = Set<Int>()
  /// See `SalvagedFile`.
  private(set) var liveStrokes: [Int: PKStroke] = [:]

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
    gap.holdsRows = chunk.type == .table
    guard chunk.type == .strokes else {
      let holdsInk = chunk.type == .table || chunk.type == .live || !chunk.type.isKnown
      if !holdsInk { (gap.strokeCount, gap.pointCount) = (0, 0) }
      return
    }
    gap.strokeCount = chunk.strokeCount(bytes)
  }

  // MARK: - A file of what is sound

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

  /// Those that are known here.
  fileprivate static let all: [ChunkType] = [
    .header, .table, .strokes, .live, .events, .names, .archive, .preview, .index, .tail,
  ]
}

extension Recording {
  /// The recording without strokes that are told by their numbers in a file, and what refers to
  /// nothing without them. Those of which something is left come in their places.
  func removing(_ lost: Set<Int>, replacing left: [Int: PKStroke] = [:]) -> Recording {
    guard !lost.isEmpty else { return self }
    // Undoing counts what has happened: there, what is lost has to stay as a stroke without points.
    let countsEvents = events.contains { $0.action == .undone }
    var result = Recording(canvas: canvas)
    var number = 0
    var gone = Set<Identifier>()
    func next(_ stroke: PKStroke) -> PKStroke? {
      defer { number += 1 }
      if let whole = left[number] { return whole.renamed(stroke.id) }
      // A piece of a lost stroke has no points either.
      return lost.contains(number) || stroke.parentID != nil && stroke.path.isEmpty ? nil : stroke
    }
    for var event in events {
      switch event.action {
      case .strokeBegun(let stroke):
        let kept = next(stroke)
        guard kept != nil || countsEvents else {
          gone.insert(stroke.id)
          continue
        }
        gone.remove(stroke.id)
        event.action = .strokeBegun(kept ?? stroke)
      case .strokeExtended(let id, _):
        defer { number += 1 }
        if let whole = left[number] {
          event.action = .strokeExtended(id, by: whole.path)
        } else if gone.contains(id) || lost.contains(number) {
          continue
        }
      case .strokeEnded(let id): if gone.contains(id) { continue }
      case .erased(let eraser, let path, var changes):
        let way = left[number]?.path ?? path
        number += 1
        for index in changes.indices {
          changes[index].replacements = changes[index].replacements.compactMap(next)
        }
        event.action = .erased(eraser, along: way, changes: changes)
      case .undone, .redone, .moved, .cleared, .toolChanged: break
      }
      result.events.append(event)
    }
    return result
  }
}
