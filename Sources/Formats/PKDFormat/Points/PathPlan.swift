import Strokes

/// How the paths of a file are coded, as far as that depends on all of them.
struct PathPlan {
  private(set) var table: ShapeTable
  private(set) var paths: [PathNumbers] = []

  /// Plans for paths. New rows are added to those that the file has already.
  init(_ columns: [PointColumns], profile: PKDProfile, after table: ShapeTable) {
    self.table = table
    var stretched: [PointChannel: [Int]] = [:]
    for channel in [PointChannel.x, .y] {
      let steps = GridSearch.stretchedSteps(of: columns, channel)
      stretched[channel] = steps.map { self.table.row(of: .stretched(step: $0)) }
    }
    stretched[.timeOffset] = ValueSteps.known.firstIndex(of: .stretched(step: 1e-3)).map { [$0] }
    paths.reserveCapacity(columns.count)
    for columns in columns {
      paths.append(
        PathNumbers(columns, profile: profile, stretchedSteps: stretched, table: &self.table))
    }
    let secondOrder = Self.secondOrderChannels(of: paths)
    // Consecutive paths mostly have the same shape.
    var last: (old: PathShape, new: PathShape)?
    for path in paths {
      if last?.old != path.shape {
        last = (path.shape, path.shape.choosing(secondOrder: secondOrder))
      }
      if let last { path.choose(last.new) }
    }
    RowChoice(paths, table: self.table).apply()
  }

  /// The channels whose second differences are smaller than their first ones. x and y are always
  /// among them, so that both have residuals for the same points.
  private static func secondOrderChannels(of paths: [PathNumbers]) -> PointChannels {
    var channels = PointChannels([.x, .y])
    for channel in PointChannel.allCases where !channels.contains(channel) {
      var (first, second) = (0, 0)
      for path in paths where path.shape.channels[channel.rawValue].kind == .secondDifferences {
        guard path.count > 2 else { continue }
        path.column(channel).withUnsafeBufferPointer { column in
          var last = column[1]
          var lastSlope = last &- column[0]
          for index in 2..<column.count {
            let slope = column[index] &- last
            first += Self.bitCount(slope)
            second += Self.bitCount(slope &- lastSlope)
            (last, lastSlope) = (column[index], slope)
          }
        }
      }
      if second < first { channels.insert(PointChannels(channel)) }
    }
    return channels
  }

  private static func bitCount(_ value: Int32) -> Int { 32 - value.zigzagged.leadingZeroBitCount }
}
