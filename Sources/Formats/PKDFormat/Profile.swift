import Strokes

/// How exactly points are stored.
public enum PKDProfile: UInt8, Hashable, Sendable, CaseIterable {
  /// Every stored value bit for bit.
  case exact
  /// Locations and sizes to 1/512 of a point, times to 1/16 of a millisecond, angles to half a
  /// stored step: finer than any sensor.
  case sensor
  /// Locations and sizes to 1/128 of a point, times to 1/16 of a millisecond, angles to 1/8192 of a
  /// turn.
  case compact

  /// The name in options of commands.
  public var name: String {
    switch self {
    case .exact: "exact"
    case .sensor: "sensor"
    case .compact: "compact"
    }
  }

  /// The distance between two neighbouring values of a channel; nil if values are not rounded.
  func step(of channel: PointChannel) -> Double? {
    switch (self, channel) {
    case (.exact, _): nil
    case (_, .timeOffset): 1 / 8000
    case (.sensor, .x), (.sensor, .y), (.sensor, .width), (.sensor, .secondaryWidth): 1 / 256
    case (.compact, .x), (.compact, .y), (.compact, .width), (.compact, .secondaryWidth): 1 / 64
    case (.compact, .azimuth): 16
    case (.compact, .altitude): 64
    case (.compact, .opacity): 32
    default: nil
    }
  }
}

extension PointColumns {
  /// The same points with values rounded to a profile's steps. Values that lie on a grid of their
  /// own that is about as coarse are left as they are, which is both exact and shorter.
  func rounded(to profile: PKDProfile) -> PointColumns {
    guard profile != .exact, count > 0 else { return self }
    var (floats, words) = (floats, words)
    for channel in PointChannel.allCases {
      guard let step = profile.step(of: channel) else { continue }
      let (start, distance) = layout(of: channel)
      let range = start..<start + (distance == 1 ? count : 1)
      if channel.isFloat {
        if channel == .secondaryWidth, floats[start] == StoredPoint.noSecondaryWidth { continue }
        let isCoarse = floats.withUnsafeBufferPointer {
          GridSearch.isOnCoarseGrid(UnsafeBufferPointer(rebasing: $0[range]), channel, than: step)
        }
        guard !isCoarse else { continue }
        for index in range {
          let number = (Double(floats[index]) / step).rounded(.toNearestOrEven)
          guard abs(number) < ValueSteps.largestNumber else { continue }
          // Adding 0 makes 0 of −0, which would lie on no grid.
          floats[index] = Float(number * step + 0)
        }
      } else if scale == .current {
        // A channel of default values takes no bytes, so they are left as they are.
        let defaults = StoredPoint(defaultsIn: scale)[word: channel]
        guard !words[range].allSatisfy({ $0 == defaults }) else { continue }
        let size = UInt32(step)
        for index in range {
          let rounded = (UInt32(words[index]) + size / 2) / size * size
          words[index] = UInt16(min(rounded, 65_535 / size * size))
        }
      }
    }
    return PointColumns(
      count: count, scale: scale, varying: varying, present: present, floats: floats, words: words)
  }
}

extension GridSearch {
  /// Whether values lie on a grid whose step is at least 0.9 times the given one.
  static func isOnCoarseGrid(
    _ values: UnsafeBufferPointer<Float>, _ channel: PointChannel, than step: Double
  ) -> Bool {
    var numbers: [Int32] = []
    for case .grid(let known, let offset) in ValueSteps.known
    where known >= 0.9 * step && known <= 1 {
      if ValueSteps.fit(values, step: known, offset: offset, into: &numbers) { return true }
    }
    guard channel == .x || channel == .y, case .grid(let common, _)? = common(of: values) else {
      return false
    }
    return common >= 0.9 * step
  }
}
