import Interchange
import Threads

/// Drawings of a data set in memory that is lent.
final class OpenCollection {
  /// Where a column lies, and the number of its elements; nil where there is none of this number.
  let columns: [Column]
  /// What is damaged, and in which drawing.
  let damage: [(text: Block<CChar>, drawing: Int)]
  let damageCount: Int
  private let blocks: [AnyObject]

  struct Column {
    let base: UnsafeRawPointer?
    let count: Int
  }

  /// Texts of about this size are read one after the other by one thread.
  private static let blockSize = 1 << 18

  /// Reads texts on several threads. The ranges must lie in the bytes.
  init(
    _ kind: InkCollection, _ bytes: UnsafeBufferPointer<UInt8>, texts: [Range<Int>], lanes: Int
  ) throws(InterfaceError) {
    let parts = Self.read(kind, bytes, texts: texts, lanes: lanes)
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
    _ kind: InkCollection, _ bytes: UnsafeBufferPointer<UInt8>, texts: [Range<Int>], lanes: Int
  ) -> [InkColumns] {
    // Short texts are read together, and long ones in parts.
    var jobs: [[(range: Range<Int>, before: Int)]] = []
    var size = blockSize
    for text in texts {
      let blocks = kind.blocks(of: UnsafeBufferPointer(rebasing: bytes[text]), size: blockSize)
      for (range, before) in blocks {
        let range = range.lowerBound + text.lowerBound..<range.upperBound + text.lowerBound
        if size >= blockSize {
          jobs.append([])
          size = 0
        }
        jobs[jobs.count - 1].append((range, before))
        // A text costs something even if it is short.
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
        for (range, before) in jobs[index] {
          kind.read(UnsafeBufferPointer(rebasing: bytes[range]), before: before, into: &columns)
        }
        let read = columns
        results.withLock { $0.parts[index] = read }
      }
    }
    return results.withLock { $0.parts }
  }
}
