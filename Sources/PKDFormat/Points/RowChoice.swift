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

  /// The estimated cost of another shape and form in the table, in 1024ths of a bit.
  private static let shapeCost = 160 << 10

  func apply() {
    // Values of x and y are mostly on or off a grid together, and y's differences are coded with x's.
    choose([.x, .y])
    for channel in [PointChannel.x, .y] { choose([channel], measuring: [.x, .y]) }
    for channel in PointChannel.allCases.dropFirst(2) { choose([channel]) }
  }

  /// Chooses the rows of channels, which get the same one, by the cost of these or of more channels.
  private func choose(_ channels: [PointChannel], measuring measured: [PointChannel]? = nil) {
    let measured = measured ?? channels
    let changing = paths.filter { !changingChannels($0, channels).isEmpty }
    let gridless = changing.filter { path in
      changingChannels(path, channels).contains { !$0.isFloat || hasNoGrid(path, $0) }
    }
    guard let first = gridless.first else { return }
    let candidates = candidates(for: channels[0], first)
    // A row is used by all paths, or only by those without a grid.
    let isMixed = gridless.count < changing.count
    guard isPromising(channels, gridless, candidates, isAll: !isMixed) else { return }
    let before = changing.map { $0.choice }
    var best: (cost: Int, choices: [PathNumbers.Choice])?
    let differences = cost(of: measured, paths)
    for row in candidates {
      for chosen in isMixed ? [changing, gridless] : [changing] {
        guard use(row, for: channels, in: chosen) else { continue }
        let shapes = chosen.count < changing.count ? Self.shapeCost : 0
        let cost = cost(of: measured, paths) + shapes
        if cost < best?.cost ?? differences { best = (cost, changing.map { $0.choice }) }
        for (path, choice) in zip(changing, before) { path.choice = choice }
      }
    }
    guard let best else { return }
    for (path, choice) in zip(changing, best.choices) { path.choice = choice }
  }

  /// Those of some channels that have differences for the points of a path.
  private func changingChannels(
    _ path: PathNumbers, _ channels: [PointChannel]
  ) -> [PointChannel] {
    path.count > 1 ? channels.filter { path.shape.differenced.contains($0) } : []
  }

  /// Uses a row in place of differences; false if one of the paths cannot have it.
  private func use(
    _ row: ChannelShape, for channels: [PointChannel], in paths: [PathNumbers]
  ) -> Bool {
    for path in paths {
      guard changingChannels(path, channels).allSatisfy({ path.canHave(row, $0) }) else {
        return false
      }
    }
    for path in paths {
      for channel in changingChannels(path, channels) { path.choose(row, channel, table: table) }
    }
    return true
  }

  /// The points of a sample that shows whether another row may pay.
  private static let samplePoints = 4096

  /// Whether some other row takes hardly more bits than differences for a sample of the paths. Most
  /// channels of a large page are ruled out by this, in a fraction of the time.
  private func isPromising(
    _ channels: [PointChannel], _ paths: [PathNumbers], _ candidates: [ChannelShape], isAll: Bool
  ) -> Bool {
    let stride = max(paths.reduce(0) { $0 + $1.count } / Self.samplePoints, 1)
    if stride == 1, isAll { return true }
    let sample = paths.indices.filter { $0 % stride == 0 }.map { paths[$0] }
    let before = sample.map { $0.choice }
    let differences = cost(of: channels, sample)
    for row in candidates where use(row, for: channels, in: sample) {
      let cost = cost(of: channels, sample)
      for (path, choice) in zip(sample, before) { path.choice = choice }
      if cost * 20 < differences * 21 { return true }
    }
    return false
  }

  /// The cost of channels in the blocks of paths, in 1024ths of a bit.
  private func cost(of channels: [PointChannel], _ paths: [PathNumbers]) -> Int {
    let channels = channels.reduce(into: PointChannels()) { $0.insert(PointChannels($1)) }
    var (cost, segment) = (0, Segment())
    for block in BlockLimits.blocks(of: paths.map { $0.count }) {
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
