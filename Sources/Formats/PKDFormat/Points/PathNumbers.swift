import Strokes

/// A path as whole numbers, ready to be coded. A class, since loops visit many paths for each of
/// many columns, and each copy of a struct would retain and release seven references.
final class PathNumbers {
  /// The points themselves.
  let columns: PointColumns
  var count: Int { columns.count }
  private(set) var shape: PathShape
  /// The steps of x and y. Not a part of the shape, since they differ between paths of one shape.
  private(set) var locationSteps: LocationSteps
  /// The predicted channels, in ascending order.
  private(set) var predictions: [PredictedChannel] = []
  /// The numbers of all channels that have any: one for each point, or one for the path.
  let numbers: [Int32]
  /// The index in `numbers` of each channel's first number.
  let starts: InlineArray<13, Int>
  /// For each channel on a stretched grid, a correction for each point.
  let corrections: [Int32]
  let correctionStarts: InlineArray<13, Int>
  /// The anchors of channels on stretched grids.
  let stretched: InlineArray<13, StretchedStart?>
  private(set) var stretchedChannels: PointChannels

  /// The numbers of a channel: one for each point.
  func column(_ channel: PointChannel) -> ArraySlice<Int32> {
    numbers[starts[channel.rawValue]..<starts[channel.rawValue] + count]
  }

  /// Finds the numbers of a path. The table's steps are tried; new ones are added to it.
  init(
    _ columns: PointColumns, profile: PKDProfile, stretchedSteps: [PointChannel: [Int]],
    table: inout ShapeTable
  ) {
    let count = columns.count
    var (numbers, corrections): ([Int32], [Int32]) = ([], [])
    var starts = InlineArray<13, Int>(repeating: 0)
    var correctionStarts = starts
    var stretched = InlineArray<13, StretchedStart?>(repeating: nil)
    var stretchedChannels = PointChannels()
    let defaults = StoredPoint(defaultsIn: columns.scale)
    var channels = ChannelRows()
    let changing = columns.changing
    numbers.reserveCapacity(changing.rawValue.nonzeroBitCount * columns.count + 8)
    let finder = StepFinder(stretchedSteps: stretchedSteps)
    for channel in PointChannel.allCases {
      starts[channel.rawValue] = numbers.count
      correctionStarts[channel.rawValue] = corrections.count
      guard count > 0 else { continue }
      let (start, _) = columns.layout(of: channel)
      let isChanging = changing.contains(channel) && count > 1
      if channel.isFloat {
        columns.floats.withUnsafeBufferPointer { floats in
          let values = UnsafeBufferPointer(
            rebasing: floats[start..<start + (isChanging ? count : 1)])
          if !isChanging, values[0].bitPattern == defaults[float: channel].bitPattern {
            channels[channel.rawValue] = .default
          } else if isChanging, channel == .secondaryWidth, changing.contains(.width),
            columns.hasSame(channel, as: .width)
          {
            channels[channel.rawValue] = ChannelShape(kind: .width, steps: 0)
          } else {
            let steps = finder.steps(
              of: values, channel, table: &table, numbers: &numbers, corrections: &corrections,
              stretched: &stretched[channel.rawValue])
            channels[channel.rawValue] = ChannelShape(
              kind: isChanging ? .secondDifferences : .constant, steps: steps)
          }
        }
      } else {
        let values = columns.words[start..<start + (isChanging ? count : 1)]
        if !isChanging, values[start] == defaults[word: channel] {
          channels[channel.rawValue] = .default
        } else {
          let steps = finder.steps(of: values, channel, columns.scale, profile, &numbers)
          channels[channel.rawValue] = ChannelShape(
            kind: isChanging ? .secondDifferences : .constant, steps: steps)
        }
      }
    }
    for channel in PointChannel.floats where stretched[channel.rawValue] != nil {
      stretchedChannels.insert(PointChannels(channel))
    }
    self.stretchedChannels = stretchedChannels
    locationSteps = LocationSteps(
      x: channels[PointChannel.x.rawValue].steps, y: channels[PointChannel.y.rawValue].steps)
    channels[PointChannel.x.rawValue].steps = 0
    channels[PointChannel.y.rawValue].steps = 0
    shape = PathShape(
      scale: columns.scale, varying: columns.varying, present: columns.present, channels: channels)
    self.columns = columns
    (self.numbers, self.starts) = (numbers, starts)
    (self.corrections, self.correctionStarts) = (corrections, correctionStarts)
    self.stretched = stretched
  }

  /// The properties that a choice of rows may change.
  struct Choice {
    fileprivate let shape: PathShape
    fileprivate let locationSteps: LocationSteps
    fileprivate let stretchedChannels: PointChannels
    fileprivate let predictions: [PredictedChannel]
  }

  /// The rows that were chosen, which can be restored.
  var choice: Choice {
    get {
      Choice(
        shape: shape, locationSteps: locationSteps, stretchedChannels: stretchedChannels,
        predictions: predictions)
    }
    set {
      (shape, locationSteps) = (newValue.shape, newValue.locationSteps)
      (stretchedChannels, predictions) = (newValue.stretchedChannels, newValue.predictions)
    }
  }

  /// Replaces the shape by one that differs only in the order of differences.
  func choose(_ shape: PathShape) { self.shape = shape }

  /// Replaces the row of a channel that has a number for each point. Channels must come in
  /// ascending order.
  func choose(_ row: ChannelShape, _ channel: PointChannel, table: ShapeTable) {
    var shaped = row
    switch channel {
    case .x: (locationSteps.x, shaped.steps) = (row.steps, 0)
    case .y: (locationSteps.y, shaped.steps) = (row.steps, 0)
    default: break
    }
    shape = shape.replacing(channel, with: shaped)
    stretchedChannels.remove(PointChannels(channel))
    guard row.isPredicted else { return }
    predictions.append(
      PredictedChannel(
        channel: channel, steps: table.steps[row.steps],
        numbers: predicted(channel, isSteady: row.kind == .steady, steps: table.steps[row.steps])))
  }

  /// The numbers of a changing float channel, as they are if it is predicted.
  func predicted(
    _ channel: PointChannel, isSteady: Bool, steps: ValueSteps
  ) -> PredictedNumbers {
    let start = columns.layout(of: channel).start
    return columns.floats.withUnsafeBufferPointer { floats in
      PredictedNumbers(
        UnsafeBufferPointer(rebasing: floats[start..<start + count]), isSteady: isSteady,
        steps: steps)
    }
  }

  /// Calls the closure with the numbers of a changing channel as a function of the width.
  func forEachFunctionNumber(
    _ channel: PointChannel, _ function: inout WidthFunction, _ body: (Int32) -> Void
  ) {
    let (start, widths) = (columns.layout(of: channel).start, columns.layout(of: .width).start)
    for index in 0..<count {
      let prediction = function.prediction(at: columns.floats[widths + index])
      if channel.isFloat {
        let value = columns.floats[start + index]
        function.enter(Double(value))
        body(value.ordered &- Float(prediction).ordered)
      } else {
        let number = numbers[starts[channel.rawValue] + index]
        function.enter(Double(number))
        body(number &- Int32(prediction.roundedToEven))
      }
    }
  }
}

/// A predicted channel of a path.
struct PredictedChannel {
  let channel: PointChannel
  let steps: ValueSteps
  let numbers: PredictedNumbers

  var hasGrid: Bool { steps != .bits }
}

extension PathShape {
  /// The shape with second differences for some channels and first differences for the others.
  func choosing(secondOrder: PointChannels) -> PathShape {
    var channels = channels
    for channel in PointChannel.allCases where channels[channel.rawValue].isDifferenced {
      channels[channel.rawValue].kind =
        secondOrder.contains(channel) ? .secondDifferences : .firstDifferences
    }
    return PathShape(scale: scale, varying: varying, present: present, channels: channels)
  }
}

extension PointColumns {
  /// Whether two channels have the same bits in every point.
  fileprivate func hasSame(_ channel: PointChannel, as other: PointChannel) -> Bool {
    let (a, b) = (layout(of: channel), layout(of: other))
    guard a.step == 1, b.step == 1 else { return false }
    return floats.withUnsafeBufferPointer { floats in
      (0..<count).allSatisfy {
        floats[a.start + $0].bitPattern == floats[b.start + $0].bitPattern
      }
    }
  }
}

/// Finds the steps of a channel's values by trying one after the other. Paths of a file mostly come
/// from one device, so steps that fitted an earlier path are tried before a search for new ones.
private struct StepFinder {
  let stretchedSteps: [PointChannel: [Int]]

  func steps(
    of values: UnsafeBufferPointer<Float>, _ channel: PointChannel, table: inout ShapeTable,
    numbers: inout [Int32], corrections: inout [Int32], stretched: inout StretchedStart?
  ) -> Int {
    // Known devices' steps come first: a few values lie on many other grids too.
    let isLocation = channel == .x || channel == .y
    for row in isLocation
      ? Self.locationSteps : channel == .timeOffset ? Self.timeSteps : Self.sizeSteps
    {
      if fits(values, table.steps[row], &numbers) { return row }
    }
    if isLocation {
      for row in ValueSteps.known.count..<max(table.steps.count, ValueSteps.known.count) {
        if fits(values, table.steps[row], &numbers) { return row }
      }
    }
    if values.count > 1 {
      if isLocation, let common = GridSearch.common(of: values),
        case .grid(let step, let offset) = common,
        ValueSteps.fit(values, step: step, offset: offset, into: &numbers)
      {
        return table.row(of: common)
      }
      for row in stretchedSteps[channel] ?? [] {
        guard case .stretched(let step) = table.steps[row] else { continue }
        stretched = ValueSteps.fitStretched(
          values, step: step, numbers: &numbers, corrections: &corrections)
        if stretched != nil { return row }
      }
      if let power = GridSearch.power(of: values), case .grid(let step, _) = power, step >= 1e-5,
        ValueSteps.fit(values, step: step, offset: 0, into: &numbers)
      {
        return table.row(of: power)
      }
    }
    let start = numbers.count
    numbers.append(contentsOf: repeatElement(0, count: values.count))
    numbers.withUnsafeMutableBufferPointer { numbers in
      for index in values.indices { numbers[start + index] = values[index].ordered }
    }
    return 0
  }

  /// The numbers of words: the words themselves, or their quotients by the step that the profile
  /// rounds to.
  func steps(
    of values: ArraySlice<UInt16>, _ channel: PointChannel, _ scale: PointScale,
    _ profile: PKDProfile, _ numbers: inout [Int32]
  ) -> Int {
    if scale == .current, let step = profile.step(of: channel),
      let row = ValueSteps.known.firstIndex(of: .grid(step: step, offset: 0))
    {
      let size = UInt16(step)
      numbers.append(contentsOf: values.lazy.map { Int32($0 / size) })
      return row
    }
    numbers.append(contentsOf: values.lazy.map(Int32.init))
    return 0
  }

  private func fits(
    _ values: UnsafeBufferPointer<Float>, _ steps: ValueSteps, _ numbers: inout [Int32]
  ) -> Bool {
    guard case .grid(let step, let offset) = steps else { return false }
    return ValueSteps.fit(values, step: step, offset: offset, into: &numbers)
  }

  // Rows of the known steps, in the order in which they are tried.
  private static let locationSteps = [3, 4, 5, 6, 7, 8]
  private static let timeSteps = [1, 10, 11]
  private static let sizeSteps = [2, 8, 9, 6, 7, 4]
}
