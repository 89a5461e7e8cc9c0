import Strokes

/// A path as whole numbers, ready to be coded. A class, since loops go over many paths for each of
/// many columns, and each copy of a struct would count seven references up and down.
final class PathNumbers {
  /// The points themselves.
  let columns: PointColumns
  var count: Int { columns.count }
  private(set) var shape: PathShape
  /// The steps of the places, which change from path to path where shapes stay.
  let placeSteps: PlaceSteps
  /// The numbers of all channels that have any: one for each point, or one for all.
  let numbers: [Int32]
  /// Where each channel's numbers begin.
  let starts: InlineArray<13, Int>
  /// A correction for each point of a channel on a stretched grid.
  let corrections: [Int32]
  let correctionStarts: InlineArray<13, Int>
  /// Where channels on stretched grids begin.
  let stretched: InlineArray<13, StretchedStart?>
  let stretchedChannels: PointChannels

  /// The numbers of a channel: one for each point.
  func column(_ channel: PointChannel) -> ArraySlice<Int32> {
    numbers[starts[channel.rawValue]..<starts[channel.rawValue] + count]
  }

  /// Finds the numbers of a path. The table has the steps to try, and gets new ones.
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
    let fallback = StoredPoint(defaultsIn: columns.scale)
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
          if !isChanging, values[0].bitPattern == fallback[float: channel].bitPattern {
            channels[channel.rawValue] = .fallback
          } else if isChanging, channel == .secondaryWidth, changing.contains(.width),
            columns.hasSame(channel, as: .width)
          {
            channels[channel.rawValue] = ChannelShape(kind: .width, steps: 0)
          } else {
            let steps = finder.steps(
              of: values, channel, table: &table, numbers: &numbers, corrections: &corrections,
              stretched: &stretched[channel.rawValue])
            channels[channel.rawValue] = ChannelShape(
              kind: isChanging ? .bends : .constant, steps: steps)
          }
        }
      } else {
        let values = columns.words[start..<start + (isChanging ? count : 1)]
        if !isChanging, values[start] == fallback[word: channel] {
          channels[channel.rawValue] = .fallback
        } else {
          let steps = finder.steps(of: values, channel, columns.scale, profile, &numbers)
          channels[channel.rawValue] = ChannelShape(
            kind: isChanging ? .bends : .constant, steps: steps)
        }
      }
    }
    for channel in PointChannel.floats where stretched[channel.rawValue] != nil {
      stretchedChannels.insert(PointChannels(channel))
    }
    self.stretchedChannels = stretchedChannels
    placeSteps = PlaceSteps(
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

  /// Gives the path a shape that differs in how the channels' neighbours are compared.
  func choose(_ shape: PathShape) { self.shape = shape }
}

extension PathShape {
  /// The shape with some channels told by their bends, and the others by their slopes.
  func choosing(bends: PointChannels) -> PathShape {
    var channels = channels
    for channel in PointChannel.allCases where channels[channel.rawValue].isChanging {
      channels[channel.rawValue].kind = bends.contains(channel) ? .bends : .slopes
    }
    return PathShape(scale: scale, varying: varying, present: present, channels: channels)
  }
}

extension PointColumns {
  /// Whether two channels hold the same bits for every point.
  fileprivate func hasSame(_ channel: PointChannel, as other: PointChannel) -> Bool {
    let (a, b) = (layout(of: channel), layout(of: other))
    guard a.step == 1, b.step == 1 else { return false }
    return (0..<count).allSatisfy {
      floats[a.start + $0].bitPattern == floats[b.start + $0].bitPattern
    }
  }
}

/// Tries one set of steps after the other. The cheapest comes first: neighbouring paths come from
/// one device, so what fitted the last time is tried before all else.
private struct StepFinder {
  let stretchedSteps: [PointChannel: [Int]]

  func steps(
    of values: UnsafeBufferPointer<Float>, _ channel: PointChannel, table: inout ShapeTable,
    numbers: inout [Int32], corrections: inout [Int32], stretched: inout StretchedStart?
  ) -> Int {
    // What devices are known to have comes first: few values lie on many other grids too.
    let isPlace = channel == .x || channel == .y
    for place in isPlace
      ? Self.placeSteps : channel == .timeOffset ? Self.timeSteps : Self.sizeSteps
    {
      if fits(values, table.steps[place], &numbers) { return place }
    }
    if isPlace {
      for place in ValueSteps.known.count..<max(table.steps.count, ValueSteps.known.count) {
        if fits(values, table.steps[place], &numbers) { return place }
      }
    }
    if values.count > 1 {
      if channel == .x || channel == .y, let common = GridSearch.common(of: values),
        case .grid(let step, let offset) = common,
        ValueSteps.fit(values, step: step, offset: offset, into: &numbers)
      {
        return table.place(of: common)
      }
      for place in stretchedSteps[channel] ?? [] {
        guard case .stretched(let step) = table.steps[place] else { continue }
        stretched = ValueSteps.fitStretched(
          values, step: step, numbers: &numbers, corrections: &corrections)
        if stretched != nil { return place }
      }
      if let power = GridSearch.power(of: values), case .grid(let step, _) = power, step >= 1e-5,
        ValueSteps.fit(values, step: step, offset: 0, into: &numbers)
      {
        return table.place(of: power)
      }
    }
    numbers.append(contentsOf: values.lazy.map(\.ordered))
    return 0
  }

  /// Numbers of words are the words, or multiples of what the profile rounds to.
  func steps(
    of values: ArraySlice<UInt16>, _ channel: PointChannel, _ scale: PointScale,
    _ profile: PKDProfile, _ numbers: inout [Int32]
  ) -> Int {
    if scale == .current, let step = profile.step(of: channel),
      let place = ValueSteps.known.firstIndex(of: .grid(step: step, offset: 0))
    {
      let size = UInt16(step)
      numbers.append(contentsOf: values.lazy.map { Int32($0 / size) })
      return place
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

  // Places in the table of known steps.
  private static let placeSteps = [3, 4, 5, 6, 7, 8]
  private static let timeSteps = [1, 10, 11]
  private static let sizeSteps = [2, 8, 9, 6, 7, 4]
}
