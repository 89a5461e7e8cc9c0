import InkFiles
import ForeignInk
import Threads

/// Drawings of a data set, in memory that is lent to callers.
final class OpenCollection {
  /// The address of a column and the number of its elements; nil if the collection has no such
  /// column.
  let columns: [Column]
  /// Descriptions of the damage, and the drawing of each.
  let damage: [(text: Block<CChar>, drawing: Int)]
  let damageCount: Int
  private let blocks: [AnyObject]

  struct Column {
    let base: UnsafeRawPointer?
    let count: Int
  }

  /// The approximate bytes of the texts that one thread reads as one job.
  private static let blockSize = 1 << 18

  /// Reads texts on several threads. The ranges must be inside the bytes.
  init(
    _ kind: InkCollection, _ bytes: UnsafeBufferPointer<UInt8>, texts: [Range<Int>], lanes: Int
  ) throws(InterfaceError) {
    let unpacked = try UnpackedTexts(kind, bytes, texts)
    let parts =
      unpacked.map { unpacked in
        unpacked.bytes.withUnsafeBufferPointer {
          Self.read(kind, $0, texts: unpacked.texts, damage: unpacked.damage, lanes: lanes)
        }
      } ?? Self.read(kind, bytes, texts: texts, damage: [:], lanes: lanes)
    func offsets(_ count: (InkColumns) -> Int) -> [Int64] {
      var next: Int64 = 0
      return parts.map { part in
        defer { next += Int64(count(part)) }
        return next
      }
    }
    let points = offsets { $0.pointCount }
    let strokes = offsets { $0.strokeEnds.count }
    let labels = offsets { $0.labels.bytes.count }
    let keys = offsets { $0.keys.bytes.count }
    var blocks: [AnyObject] = []
    var columns: [Column] = []
    func lend<Element>(_ block: Block<Element>, elements: Int = 1) {
      blocks.append(block)
      columns.append(Column(base: UnsafeRawPointer(block.base), count: block.count / elements))
    }
    // In the order of the header.
    lend(try Block(parts) { $0.places }, elements: 2)
    if parts.contains(where: { $0.hasTimes }) {
      lend(try Block(parts) { $0.times })
    } else {
      columns.append(Column(base: nil, count: 0))
    }
    lend(try Block(parts, { $0.strokeEnds }, changing: { $0 + points[$1] }))
    lend(try Block(parts, { $0.drawingEnds }, changing: { $0 + strokes[$1] }))
    lend(try Block(parts) { $0.labels.bytes })
    lend(try Block(parts, { $0.labels.ends }, changing: { $0 + labels[$1] }))
    lend(try Block(parts) { $0.keys.bytes })
    lend(try Block(parts, { $0.keys.ends }, changing: { $0 + keys[$1] }))
    lend(try Block(parts) { $0.recognitions })
    self.blocks = blocks
    self.columns = columns
    var damage: [(Block<CChar>, Int)] = []
    var drawings = 0
    for part in parts {
      for (drawing, text) in part.damage where damage.count < InkColumns.keptDamage {
        damage.append((try Block(text: text), drawings + drawing))
      }
      drawings += part.drawingCount
    }
    self.damage = damage
    damageCount = parts.reduce(0) { $0 + $1.damageCount }
  }

  private static func read(
    _ kind: InkCollection, _ bytes: UnsafeBufferPointer<UInt8>, texts: [Range<Int>],
    damage: [Int: String], lanes: Int
  ) -> [InkColumns] {
    // Short texts are read together, and long texts in parts.
    var jobs: [[(range: Range<Int>, before: Int, damage: String?)]] = []
    var size = blockSize
    for (index, text) in texts.enumerated() {
      var blocks = kind.blocks(of: UnsafeBufferPointer(rebasing: bytes[text]), size: blockSize)
      if blocks.isEmpty, damage[index] != nil { blocks = [(0..<0, 0)] }
      for (block, (range, before)) in blocks.enumerated() {
        let range = range.lowerBound + text.lowerBound..<range.upperBound + text.lowerBound
        if size >= blockSize {
          jobs.append([])
          size = 0
        }
        let damage = block == blocks.count - 1 ? damage[index] : nil
        jobs[jobs.count - 1].append((range, before, damage))
        // Even a short text has a fixed cost.
        size += range.count + 64
      }
    }
    let results = ConditionMutex(
      (next: 0, parts: [InkColumns](repeating: .init(), count: jobs.count)))
    Lanes.run(min(lanes, jobs.count)) { _ in
      while true {
        let index = results.withLock { state in
          defer { state.next += 1 }
          return state.next
        }
        guard index < jobs.count else { return }
        var columns = InkColumns()
        for (range, before, damage) in jobs[index] {
          kind.read(UnsafeBufferPointer(rebasing: bytes[range]), before: before, into: &columns)
          if let damage { columns.addDamage(cuttingLast: damage) }
        }
        let read = columns
        results.withLock { $0.parts[index] = read }
      }
    }
    return results.withLock { $0.parts }
  }
}

/// The texts of a data set, one after the other, with compressed texts unpacked.
private struct UnpackedTexts {
  private(set) var bytes: [UInt8] = []
  private(set) var texts: [Range<Int>] = []
  /// The reasons why texts are truncated, by their index.
  private(set) var damage: [Int: String] = [:]

  /// Nil if no text is compressed. Otherwise uncompressed texts are copied.
  init?(
    _ kind: InkCollection, _ all: UnsafeBufferPointer<UInt8>, _ ranges: [Range<Int>]
  ) throws(InterfaceError) {
    // The limit for all texts together.
    let limit = GzipReader.textLimit(of: all.count)
    var (isPacked, next) = (false, 0)
    for (index, range) in ranges.enumerated() {
      do throws(ImportError) {
        let text = UnsafeBufferPointer(rebasing: all[range])
        guard let found = try kind.unpacked(text, limit: max(limit - bytes.count, 0)) else {
          continue
        }
        isPacked = true
        for range in ranges[next..<index] { append(all[range]) }
        next = index + 1
        append(found.text)
        damage[index] = found.damage?.description
      } catch {
        throw InterfaceError(.tooLarge, "\(error)")
      }
    }
    guard isPacked else { return nil }
    for range in ranges[next...] { append(all[range]) }
    try checkMemory(2 * bytes.count, for: "the drawings of \(bytes.count) unpacked bytes")
  }

  private mutating func append(_ text: some Collection<UInt8>) {
    texts.append(bytes.count..<bytes.count + text.count)
    bytes += text
  }
}
