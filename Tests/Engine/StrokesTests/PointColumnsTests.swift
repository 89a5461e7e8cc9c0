import Graphics
import TestSupport
import Testing

@testable import Strokes

extension PointColumns {
  /// The number of bytes of all values.
  fileprivate var byteCount: Int { 4 * floats.count + 2 * words.count }

  /// The columns with one value for each point in every channel.
  fileprivate var unfolded: PointColumns { storing(.all, present: present) }
}

private func points(_ count: Int, _ change: (Int, inout StoredPoint) -> Void) -> [StoredPoint] {
  (0..<count).map { index in
    var point = touch(Double(index), Double(2 * index)).stored(in: .current)
    change(index, &point)
    return point
  }
}

private func columns(_ count: Int, _ change: (Int, inout StoredPoint) -> Void) -> PointColumns {
  PointColumns(points(count, change), scale: .current)
}

extension StoredPoint {
  /// Sets a channel to a value that differs from all defaults.
  fileprivate mutating func disturb(_ channel: PointChannel) {
    if PointChannels.floats.contains(channel) {
      self[float: channel] = -7
    } else {
      self[word: channel] = 7
    }
  }
}

@Suite struct `The columns of a path` {
  @Test func `a channel that never changes takes one value`() {
    let columns = columns(100) { _, _ in }
    #expect(columns.varying == PointChannels([.x, .y]))
    #expect(columns.floats.count == 2 * 100 + 4)
    #expect(columns.words.count == 7)
  }

  @Test(arguments: PointChannel.allCases)
  func `a channel that changes once takes one value for each point`(channel: PointChannel) {
    let points = points(100) { index, point in if index == 60 { point.disturb(channel) } }
    let columns = PointColumns(points, scale: .current)
    #expect(columns.varying == PointChannels([.x, .y, channel]))
    let isFloat = PointChannel.floats.contains(channel)
    let isLocation = channel == .x || channel == .y
    #expect(columns.floats.count == (isFloat && !isLocation ? 303 : 204))
    #expect(columns.words.count == (isFloat ? 7 : 106))
    #expect(columns.points == points)
    for (index, point) in points.enumerated() {
      if isFloat {
        #expect(columns.float(channel, at: index) == point[float: channel])
      } else {
        #expect(columns.word(channel, at: index) == point[word: channel])
      }
    }
  }

  @Test func `every point is read back as it was stored`() {
    var random = RandomInk(seed: 10)
    for _ in 0..<50 {
      let points = random.path(pointCount: 0...30).columns.points
      #expect(PointColumns(points, scale: .current).points == points)
      #expect(PointColumns(points, scale: .current).unfolded.points == points)
    }
  }

  @Test func `a path drawn by hand takes at most thirty-eight bytes a point`() {
    var random = RandomInk(seed: 11)
    for _ in 0..<20 {
      let columns = random.path(pointCount: 100...200).columns
      #expect(columns.byteCount <= 38 * columns.count + 38)
    }
    // Only location, time and width vary, as with a pen without pressure.
    #expect(line(points: 1000).columns.byteCount == 12 * 1000 + 3 * 4 + 7 * 2)
  }

  @Test func `equality and hash of columns do not depend on their layout`() {
    var random = RandomInk(seed: 12)
    for _ in 0..<50 {
      let folded = random.path(pointCount: 1...30).columns
      let unfolded = folded.unfolded
      #expect(unfolded.varying == .all)
      #expect(folded == unfolded)
      #expect(folded.hashValue == unfolded.hashValue)
      let again = PointColumns(unfolded.points, scale: unfolded.scale)
      #expect(again == folded)
      #expect(again.varying == folded.varying)
      let path = PKStrokePath(columns: folded, creationDate: .referenceDate)
      #expect(path == PKStrokePath(columns: unfolded, creationDate: .referenceDate))
      #expect(path != PKStrokePath(columns: folded, creationDate: .referenceDate + 1))
    }
  }

  @Test func `a single different value makes columns unequal in every layout`() {
    let plain = columns(20) { _, _ in }
    for channel in PointChannel.allCases {
      let other = columns(20) { index, point in if index == 13 { point.disturb(channel) } }
      #expect(plain != other)
      #expect(plain.unfolded != other)
      #expect(plain.unfolded != other.unfolded)
    }
    #expect(plain != columns(21) { _, _ in })
  }

  @Test func `more channels can be stored for each point, and channels that differ always are`() {
    let columns = columns(10) { index, point in point[word: .force] = UInt16(index) }
    let wanted = PointChannels([.opacity, .timeOffset])
    let stored = columns.storing(wanted, present: [.floats])
    #expect(stored.varying == PointChannels([.x, .y, .timeOffset, .force, .opacity]))
    #expect(stored.present == .floats)
    #expect(stored == columns)
    #expect(columns.storing([], present: .all).varying == PointChannels([.x, .y, .force]))
  }

  @Test func `columns without points have default values`() {
    let empty = PointColumns([], scale: .current)
    #expect(empty.isEmptyAndIntact)
    #expect(empty.storing([], present: .all).isEmptyAndIntact)
    #expect(empty.unfolded.isEmptyAndIntact)
    #expect(empty.converted(to: .notes2018).count == 0)
    #expect(empty == empty.unfolded)
    #expect(empty.hashValue == empty.unfolded.hashValue)
  }

  @Test func `columns without points can be compacted again`() async {
    await #expect(processExitsWith: .success) {
      _ = PointColumns([], scale: .current).storing(.all, present: .all)
        .storing([], present: .all)
    }
  }

  @Test func `columns without points are equal, whatever their single values`() {
    let single = PointColumns(
      count: 0, scale: .current, varying: PointChannels([.x, .y]), present: .all,
      floats: [1, 2, 3, 4], words: [1, 2, 3, 4, 5, 6, 7])
    #expect(single == PointColumns([], scale: .current))
  }

  @Test
  func
    `converting to another scale rounds each point, and converting to the same scale changes nothing`()
  {
    let columns = wandering.columns
    #expect(columns.converted(to: .current) == columns)
    let old = columns.converted(to: .notes2018)
    #expect(old.scale == .notes2018)
    #expect(old != columns)
    for (a, b) in zip(columns.points, old.points) {
      let (now, then) = (PKStrokePoint(a, scale: .current), PKStrokePoint(b, scale: .notes2018))
      #expect(now.location == then.location)
      #expect(now.timeOffset == then.timeOffset)
      expectClose(now.opacity, then.opacity, within: 0.5 / 255 + 1e-4)
      expectClose(now.altitude, then.altitude, within: 0.5 * .pi / 2 / 255 + 1e-4)
      let turn = (now.azimuth - then.azimuth) / (2 * .pi)
      expectClose(turn, turn.rounded(), within: 1e-4)
    }
    #expect(old.converted(to: .notes2018) == old)
  }

  @Test func `a million points take well below a hundred megabytes and are found in constant time`()
  {
    let count = 1_000_000
    let varying = PointChannels([.x, .y, .timeOffset, .width, .force])
    let columns = PointColumns(
      count: count, scale: .current, varying: varying, present: .all,
      floats: [Float](unsafeUninitializedCapacity: 4 * count + 2) { buffer, used in
        for index in 0..<4 * count + 2 { buffer[index] = Float(index) }
        used = 4 * count + 2
      }, words: [UInt16](repeating: 1000, count: count + 6))
    #expect(columns.byteCount < 20_000_000)
    let path = PKStrokePath(columns: columns, creationDate: .referenceDate)
    #expect(path.parameterRange.upperBound == 999_999)
    #expect(path[999_999].location == Point(x: 999_999, y: 1_999_999))
    expectClose(
      path.interpolatedLocation(at: 500_000.5), Point(x: 500_000.5, y: 1_500_000.5), within: 1e-3)
  }
}

extension PointColumns {
  fileprivate var isEmptyAndIntact: Bool { count == 0 && points.isEmpty }
}
