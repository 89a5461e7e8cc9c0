import Strokes

/// How the paths of a file are coded: what is decided by a look at all of them.
struct PathPlan {
  private(set) var table: ShapeTable
  private(set) var paths: [PathNumbers] = []

  /// Plans with the rows that a file has already, to which new ones are added.
  init(_ columns: [PointColumns], profile: PKDProfile, after table: ShapeTable) {
    self.table = table
    var stretched: [PointChannel: [Int]] = [:]
    for channel in [PointChannel.x, .y] {
      let values = columns.filter { $0.count >= GridSearch.fewestStretched }.map { columns in
        let start = columns.layout(of: channel).start
        return Array(columns.floats[start..<start + columns.count])
      }
      stretched[channel] = GridSearch.stretchedSteps(of: values).map {
        self.table.place(of: .stretched(step: $0))
      }
    }
    stretched[.timeOffset] = ValueSteps.known.firstIndex(of: .stretched(step: 1e-3)).map { [$0] }
    paths.reserveCapacity(columns.count)
    for columns in columns {
      paths.append(
        PathNumbers(columns, profile: profile, stretchedSteps: stretched, table: &self.table))
    }
    let bends = Self.bends(of: paths)
    // Neighbours mostly have one shape.
    var last: (old: PathShape, new: PathShape)?
    for path in paths {
      if last?.old != path.shape { last = (path.shape, path.shape.choosing(bends: bends)) }
      if let last { path.choose(last.new) }
    }
  }

  /// The channels whose slopes are steadier than their values. Places always count as such, so that
  /// x and y have residuals for the same points.
  private static func bends(of paths: [PathNumbers]) -> PointChannels {
    var bends = PointChannels([.x, .y])
    for channel in PointChannel.allCases where !bends.contains(channel) {
      var (first, second) = (0, 0)
      for path in paths where path.shape.channels[channel.rawValue].kind == .bends {
        let column = path.column(channel)
        guard column.count > 2 else { continue }
        var last = column[column.startIndex + 1]
        var lastSlope = last &- column[column.startIndex]
        for number in column.dropFirst(2) {
          let slope = number &- last
          first += Self.bitCount(slope)
          second += Self.bitCount(slope &- lastSlope)
          (last, lastSlope) = (number, slope)
        }
      }
      if second < first { bends.insert(PointChannels(channel)) }
    }
    return bends
  }

  private static func bitCount(_ value: Int32) -> Int { 32 - value.zigzagged.leadingZeroBitCount }
}
