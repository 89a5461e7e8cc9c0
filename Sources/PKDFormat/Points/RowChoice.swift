import Strokes

/// Chooses predicted rows and functions of the width for the channels of a file's paths where they
/// are estimated to take fewer bits than differences.
///
/// Differences are hard to beat where all values of a path lie on a grid that a device or a program
/// measures on. So other rows are tried for channels of which some path has no such grid.
struct RowChoice {
  private let paths: [PathNumbers]
  private let table: ShapeTable

  init(_ paths: [PathNumbers], table: ShapeTable) {
    self.paths = paths
    self.table = table
  }

  /// The estimated cost of another shape and form in the table, in 1024ths of a bit.
  private static let shapeCost = 160 << 10

  func apply() {
    for channel in PointChannel.allCases {
      let changing = paths.filter { $0.count > 1 && $0.shape.differenced.contains(channel) }
      let gridless = channel.isFloat ? changing.filter { hasNoGrid($0, channel) } : changing
      guard !gridless.isEmpty else { continue }
      // A row is used by all paths, or only by those without a grid.
      let isMixed = gridless.count < changing.count
      var best: (cost: Int, row: ChannelShape, paths: [PathNumbers])?
      let differences = cost(of: channel, changing)
      for row in candidates(for: channel, gridless) {
        for paths in isMixed ? [changing, gridless] : [changing] {
          guard paths.allSatisfy({ $0.canHave(row, channel) }) else { continue }
          let rows =
            paths.count < changing.count
            ? (changing.map { hasNoGrid($0, channel) ? row : nil })
            : changing.map { _ in row }
          let shapes = paths.count < changing.count ? Self.shapeCost : 0
          let cost = cost(of: channel, changing, rows: rows) + shapes
          if cost < best?.cost ?? differences { best = (cost, row, paths) }
        }
      }
      guard let best else { continue }
      for path in best.paths { path.choose(best.row, channel, table: table) }
    }
  }

  /// Whether the values of a path's channel lie on no grid that is coarse enough to be a device's.
  private func hasNoGrid(_ path: PathNumbers, _ channel: PointChannel) -> Bool {
    switch table.steps[path.shape.steps(of: channel, path.locationSteps)] {
    case .bits: true
    // The bits of any float are whole numbers of a power of two.
    case .grid(let step, _): step < 1 / 256 && step.significand == 1
    case .stretched: false
    }
  }

  private func candidates(
    for channel: PointChannel, _ gridless: [PathNumbers]
  ) -> [ChannelShape] {
    switch channel {
    case .x, .y:
      [0, ValueSteps.sixths].map { ChannelShape(kind: .predicted, steps: $0) }
    case .timeOffset:
      [ValueSteps.clockTicks, 0].flatMap { steps in
        [ChannelShape(kind: .predicted, steps: steps), ChannelShape(kind: .steady, steps: steps)]
      }
    case .width, .lateralJitter: [ChannelShape(kind: .predicted, steps: 0)]
    case .secondaryWidth:
      [ChannelShape(kind: .predicted, steps: 0), ChannelShape(kind: .function, steps: 0)]
    default:
      [ChannelShape(kind: .function, steps: gridless[0].shape.channels[channel.rawValue].steps)]
    }
  }

  /// The cost of a channel's numbers, but for the first ones, in 1024ths of a bit. Paths without a row
  /// here keep theirs.
  private func cost(
    of channel: PointChannel, _ paths: [PathNumbers], rows: [ChannelShape?]? = nil
  ) -> Int {
    var columns = [[UInt32]](repeating: [], count: PointColumn.count)
    var function = WidthFunction()
    var (pointCount, blockPoints) = (0, 0)
    for (number, path) in paths.enumerated() {
      pointCount += path.count
      guard let row = rows?[number] else {
        path.appendDifferences(channel, to: &columns)
        continue
      }
      let steps = table.steps[row.steps]
      if row.kind == .function {
        blockPoints += path.count
        if blockPoints > BlockLimits.points {
          (function, blockPoints) = (WidthFunction(), path.count)
        }
        path.forEachFunctionNumber(channel, &function) {
          columns[PointColumn.functions.rawValue].append($0.zigzagged)
        }
        continue
      }
      let numbers = path.predicted(channel, isSteady: row.kind == .steady, steps: steps)
      // A flag of y is hardly ever another one than that of x.
      if channel != .y { columns[PointColumn.flags.rawValue] += numbers.flags }
      columns[PointColumn.indices.rawValue] += numbers.indices
      columns[PointColumn.bits.rawValue] += numbers.bits
    }
    var segment = Segment()
    for column in PointColumn.allCases {
      segment.add(column.kind(channel)) { $0 += columns[column.rawValue] }
    }
    return segment.cost(lanes: PointBlock.lanes(pointCount: pointCount))
  }
}

extension PathNumbers {
  /// Whether a channel that has a number for each point may have a row.
  fileprivate func canHave(_ row: ChannelShape, _ channel: PointChannel) -> Bool {
    row.kind != .function
      || shape.changing.contains(.width)
        && (channel.isFloat || shape.channels[channel.rawValue].steps == row.steps)
  }

  /// Appends the differences of a channel to its columns.
  fileprivate func appendDifferences(_ channel: PointChannel, to columns: inout [[UInt32]]) {
    let isSecondOrder = shape.secondOrder.contains(channel)
    let numbers = column(channel)
    var (last, slope) = (numbers.first ?? 0, Int32(0))
    for (index, number) in numbers.enumerated().dropFirst() {
      let step = number &- last
      let column: PointColumn = isSecondOrder && index == 1 ? .velocities : .residuals
      columns[column.rawValue].append((isSecondOrder ? step &- slope : step).zigzagged)
      (last, slope) = (number, step)
    }
  }
}
