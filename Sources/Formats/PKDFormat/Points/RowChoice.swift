import Strokes

/// Chooses predicted rows and functions of the width for the channels of a file's paths where they
/// take fewer bits than differences by the shipped statistics.
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

  /// The estimated cost of another shape and form in the table, in 1024ths of a bit. Costs of a
  /// whole file have more than 32 bits, and an `Int` has no more in a page.
  private static let shapeCost: Int64 = 160 << 10

  func apply() {
    // Values of x and y are mostly on or off a grid together, and y's differences are coded with
    // x's.
    let location = PointChannels([.x, .y])
    choose(location)
    let differenced = paths.reduce(into: PointChannels()) { $0.formUnion($1.shape.differenced) }
    for channel in PointChannel.allCases where differenced.contains(channel) {
      choose(PointChannels(channel), measuring: location.contains(channel) ? location : nil)
    }
  }

  /// Chooses the rows of channels, which get the same one, by the cost of these or of more
  /// channels.
  private func choose(_ channels: PointChannels, measuring measured: PointChannels? = nil) {
    let measured = measured ?? channels
    let changing = paths.filter { !changingChannels($0, channels).isEmpty }
    let gridless = changing.filter { path in
      changingChannels(path, channels).contains(where: { !$0.isFloat || hasNoGrid(path, $0) })
    }
    guard let first = gridless.first, let channel = channels.first else { return }
    let candidates = candidates(for: channel, first)
    // A row is used by all paths, or only by those without a grid.
    let isMixed = gridless.count < changing.count
    switch estimate(channels, gridless, candidates, isMeasured: !isMixed && measured == channels) {
    case .certain(let row): if use(row, for: channels, in: changing) { return }
    case .possible(let rows):
      tryAll(rows, channels, measured, isMixed ? [changing, gridless] : [changing])
    }
  }

  /// Chooses the row of the lowest cost, for one of several groups of paths, by trying all.
  private func tryAll(
    _ rows: [ChannelShape], _ channels: PointChannels, _ measured: PointChannels,
    _ groups: [[PathNumbers]]
  ) {
    guard let changing = groups.first, !rows.isEmpty else { return }
    let before = changing.map { $0.choice }
    var best: (cost: Int64, choices: [PathNumbers.Choice])?
    let differences = cost(of: measured, paths)
    for row in rows {
      for chosen in groups {
        guard use(row, for: channels, in: chosen) else { continue }
        let shapes: Int64 = chosen.count < changing.count ? Self.shapeCost : 0
        let limit = best?.cost ?? differences
        let cost = cost(of: measured, paths, limit: limit) + shapes
        if cost < limit { best = (cost, changing.map { $0.choice }) }
        for (path, choice) in zip(changing, before) { path.choice = choice }
      }
    }
    guard let best else { return }
    for (path, choice) in zip(changing, best.choices) { path.choice = choice }
  }

  /// The channels, of the given ones, that are coded as differences for the points of a path.
  private func changingChannels(
    _ path: PathNumbers, _ channels: PointChannels
  ) -> PointChannels {
    path.count > 1 ? channels.intersection(path.shape.differenced) : []
  }

  /// Uses a row in place of differences; false if one of the paths cannot have it.
  private func use(
    _ row: ChannelShape, for channels: PointChannels, in paths: [PathNumbers]
  ) -> Bool {
    for path in paths {
      guard !changingChannels(path, channels).contains(where: { !path.canHave(row, $0) }) else {
        return false
      }
    }
    for path in paths {
      changingChannels(path, channels).forEach { path.choose(row, $0, table: table) }
    }
    return true
  }

  /// The points of a sample that shows whether another row pays.
  private static let samplePoints = 2048

  /// The result of estimating costs by a sample.
  private enum Estimate {
    /// A row that takes clearly fewer bits than differences and all other rows.
    case certain(ChannelShape)
    /// The rows that may take fewer bits than differences.
    case possible([ChannelShape])
  }

  /// Estimates the costs of rows by a sample of the paths, which for a large page takes a fraction
  /// of the time of trying them. `isMeasured` says whether these paths and channels are all that
  /// the choice depends on.
  private func estimate(
    _ channels: PointChannels, _ paths: [PathNumbers], _ candidates: [ChannelShape],
    isMeasured: Bool
  ) -> Estimate {
    let stride = max(paths.reduce(0) { $0 + $1.count } / Self.samplePoints, 1)
    if stride == 1, isMeasured { return .possible(candidates) }
    let sample = paths.indices.filter { $0 % stride == 0 }.map { paths[$0] }
    let before = sample.map { $0.choice }
    let differences = cost(of: channels, sample)
    var costs: [(row: ChannelShape, cost: Int64)] = []
    for row in candidates where use(row, for: channels, in: sample) {
      costs.append((row, cost(of: channels, sample)))
      for (path, choice) in zip(sample, before) { path.choice = choice }
    }
    guard let best = costs.min(by: { $0.cost < $1.cost }) else { return .possible([]) }
    /// Whether a cost is so near to another that only a trial shows which is lower.
    func isNear(_ cost: Int64, _ other: Int64) -> Bool { cost * 20 < other * 21 }
    let near = costs.filter { isNear($0.cost, min(best.cost, differences)) }.map { $0.row }
    if isMeasured, near.count == 1, !isNear(differences, best.cost) { return .certain(best.row) }
    return .possible(near)
  }

  /// The cost of channels in the blocks of paths, in 1024ths of a bit. Counting ends where it is
  /// more than the limit.
  private func cost(
    of channels: PointChannels, _ paths: [PathNumbers], limit: Int64 = .max
  ) -> Int64 {
    var (cost, segment): (Int64, Segment) = (0, Segment())
    for block in BlockLimits.blocks(of: paths.map { $0.count }) where cost <= limit {
      PointBlock.gather(paths[block], channels, into: &segment)
      let pointCount = paths[block].reduce(0) { $0 + $1.count }
      cost += segment.cost(lanes: PointBlock.lanes(pointCount: pointCount))
    }
    return cost
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
    for channel: PointChannel, _ gridless: PathNumbers
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
      [ChannelShape(kind: .function, steps: gridless.shape.channels[channel.rawValue].steps)]
    }
  }
}

extension PathNumbers {
  /// Whether a channel that has a number for each point may have a row.
  fileprivate func canHave(_ row: ChannelShape, _ channel: PointChannel) -> Bool {
    row.kind != .function
      || shape.changing.contains(.width)
        && (channel.isFloat || shape.channels[channel.rawValue].steps == row.steps)
  }
}

extension PointChannels {
  /// The channel that comes first.
  fileprivate var first: PointChannel? { PointChannel(rawValue: rawValue.trailingZeroBitCount) }

  @inline(__always)
  fileprivate func forEach(_ body: (PointChannel) -> Void) {
    _ = contains(where: {
      body($0)
      return false
    })
  }

  /// Whether one of the channels, in ascending order, meets a condition.
  @inline(__always)
  fileprivate func contains(where condition: (PointChannel) -> Bool) -> Bool {
    var rest = self
    while let channel = rest.first {
      if condition(channel) { return true }
      rest = PointChannels(rawValue: rest.rawValue & (rest.rawValue - 1))
    }
    return false
  }
}
