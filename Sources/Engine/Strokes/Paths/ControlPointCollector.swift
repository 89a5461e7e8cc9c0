import Graphics

/// Collects the control points of a path one by one in the memory that the path takes: a column for
/// each value that varies, and nothing for points.
package struct ControlPointCollector {
  /// The values of a channel in blocks, so that a long column is neither copied as it grows nor
  /// kept twice at the end.
  private struct Column<Value> {
    private static var blockSize: Int { 1 << 14 }
    private var blocks: [[Value]] = []
    private var open: [Value] = []

    mutating func append(_ value: Value) {
      if open.count == Self.blockSize {
        blocks.append(open)
        open = []
        open.reserveCapacity(Self.blockSize)
      }
      open.append(value)
    }

    mutating func move(to values: inout [Value]) {
      for index in blocks.indices {
        values += blocks[index]
        blocks[index] = []
      }
      values += open
      (blocks, open) = ([], [])
    }
  }

  private static let floatCount = PointChannel.floats.count

  /// The number of control points.
  package private(set) var count = 0
  private var first = StoredPoint(defaultsIn: .current)
  private var varying = PointChannels([.x, .y])
  private var floats = [Column<Float>](repeating: Column(), count: PointChannel.floats.count)
  private var words = [Column<UInt16>](repeating: Column(), count: PointChannel.words.count)

  package init() {}

  /// Adds a control point, whose values must be finite.
  package mutating func append(_ point: PKStrokePoint) {
    precondition(
      point.location.isFinite && point.timeOffset.isFinite,
      "a control point's location and time must be finite")
    let stored = point.stored(in: .current)
    if count == 0 { first = stored }
    for lane in 0..<Self.floatCount {
      let bit = PointChannels(rawValue: 1 << UInt16(lane))
      if varying.isDisjoint(with: bit) {
        if stored.floats[lane].bitPattern == first.floats[lane].bitPattern { continue }
        varying.formUnion(bit)
        for _ in 0..<count { floats[lane].append(first.floats[lane]) }
      }
      floats[lane].append(stored.floats[lane])
    }
    if stored.words != first.words || varying.rawValue >> UInt16(Self.floatCount) != 0 {
      appendWords(of: stored)
    }
    count += 1
  }

  private mutating func appendWords(of stored: StoredPoint) {
    for lane in words.indices {
      let bit = PointChannels(rawValue: 1 << UInt16(lane + Self.floatCount))
      if varying.isDisjoint(with: bit) {
        if stored.words[lane] == first.words[lane] { continue }
        varying.formUnion(bit)
        for _ in 0..<count { words[lane].append(first.words[lane]) }
      }
      words[lane].append(stored.words[lane])
    }
  }

  /// The path of all control points.
  package consuming func path(creationDate: Timestamp) -> PKStrokePath {
    guard count > 0 else {
      return PKStrokePath(storedPoints: [], creationDate: creationDate)
    }
    var (allFloats, allWords) = ([Float](), [UInt16]())
    allFloats.reserveCapacity(PointColumns.length(of: varying, in: .floats, count: count))
    allWords.reserveCapacity(PointColumns.length(of: varying, in: .words, count: count))
    for lane in 0..<Self.floatCount {
      if varying.rawValue >> UInt16(lane) & 1 == 1 {
        floats[lane].move(to: &allFloats)
      } else {
        allFloats.append(first.floats[lane])
      }
    }
    for lane in words.indices {
      if varying.rawValue >> UInt16(lane + Self.floatCount) & 1 == 1 {
        words[lane].move(to: &allWords)
      } else {
        allWords.append(first.words[lane])
      }
    }
    return PKStrokePath(
      columns: PointColumns(
        count: count, scale: .current, varying: varying, present: .all, floats: allFloats,
        words: allWords), creationDate: creationDate)
  }
}
