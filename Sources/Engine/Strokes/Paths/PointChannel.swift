import Graphics

/// A stored value of a control point. Channels of floats come first, then those of 16-bit words.
package enum PointChannel: Int, CaseIterable, Sendable {
  case x, y, timeOffset, width, secondaryWidth, lateralJitter
  case aspect, edge, force, azimuth, altitude, opacity, threshold

  /// The channels that are stored as 32-bit floats, in order.
  package static let floats: [PointChannel] = [
    .x, .y, .timeOffset, .width, .secondaryWidth, .lateralJitter,
  ]
  /// The channels that are stored as 16-bit words, in order.
  package static let words: [PointChannel] = [
    .aspect, .edge, .force, .azimuth, .altitude, .opacity, .threshold,
  ]

  /// Whether the channel is stored as a float.
  @inlinable package var isFloat: Bool { rawValue < PointChannel.aspect.rawValue }
}

/// A set of channels.
package struct PointChannels: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(_ channel: PointChannel) { self.init(rawValue: 1 << UInt16(channel.rawValue)) }

  package init(_ channels: [PointChannel]) {
    self = channels.reduce(into: []) { $0.insert(Self($1)) }
  }

  // Plain numbers, because hot loops use them: the first six channels and the seven after them.
  @inlinable package static var floats: PointChannels { PointChannels(rawValue: 0x003F) }
  @inlinable package static var words: PointChannels { PointChannels(rawValue: 0x1FC0) }
  @inlinable package static var all: PointChannels { PointChannels(rawValue: 0x1FFF) }

  /// The number of these channels before a channel.
  @inline(__always)
  func count(before channel: PointChannel) -> Int {
    (rawValue & ((1 << UInt16(channel.rawValue)) - 1)).nonzeroBitCount
  }

  @inlinable
  package func contains(_ channel: PointChannel) -> Bool {
    rawValue >> UInt16(channel.rawValue) & 1 == 1
  }
}

/// The stored form of one control point.
package struct StoredPoint: Hashable, Sendable {
  /// The values of the float channels, in their order; the last two are 0.
  package var floats: SIMD8<Float>
  /// The values of the word channels, in their order; the last one is 0.
  package var words: SIMD8<UInt16>

  @inline(__always)
  init(floats: SIMD8<Float>, words: SIMD8<UInt16>) {
    self.floats = floats
    self.words = words
  }

  /// The value for a secondary width that the source does not have; then it is the width itself.
  package static let noSecondaryWidth: Float = -1

  /// The default values of channels that a source does not have, in the steps of a scale.
  @inline(__always)
  package init(defaultsIn scale: PointScale) {
    floats = [0, 0, 0, 0, Self.noSecondaryWidth, 1, 0, 0]
    words = [1000, 0, 0, scale.upright.azimuth, scale.upright.altitude, scale.opaque, 0, 0]
  }

  package subscript(float channel: PointChannel) -> Float {
    get { floats[channel.rawValue] }
    set { floats[channel.rawValue] = newValue }
  }

  package subscript(word channel: PointChannel) -> UInt16 {
    get { words[channel.rawValue - PointChannel.floats.count] }
    set { words[channel.rawValue - PointChannel.floats.count] = newValue }
  }
}

/// The scale of the word channels: the values that their steps stand for.
package enum PointScale: UInt8, Hashable, Sendable, CaseIterable {
  /// The scale of archives since iOS 13.
  case current
  /// The scale of drawings in Notes of 2018: altitude and opacity are bytes, azimuths begin at 0.
  case notes2018

  /// The stored angles of an upright pen.
  var upright: (azimuth: UInt16, altitude: UInt16) {
    switch self {
    case .current: (32767, 0)
    case .notes2018: (0, 255)
    }
  }

  /// The step that opacity 1 is stored as.
  private static let fullOpacity: UInt16 = 32768

  /// The stored opacity of a new point: the step below 1, as PencilKit's archives have it.
  var opaque: UInt16 {
    switch self {
    case .current: 32767
    case .notes2018: 255
    }
  }

  @inline(__always)
  func azimuth(_ stored: UInt16) -> Double {
    switch self {
    case .current: 2 * .pi * Double(stored) / 65535 - .pi
    case .notes2018: 2 * .pi * Double(stored) / 65535
    }
  }

  @inline(__always)
  func altitude(_ stored: UInt16) -> Double {
    switch self {
    case .current: (1 - Double(stored) / 65535) * .pi / 2
    case .notes2018: Double(stored) * (.pi / 2) / 255
    }
  }

  @inline(__always)
  func opacity(_ stored: UInt16) -> Double {
    switch self {
    // No step is exactly 1: the nearest two are half a step below and above. The upper one, in
    // which a full opacity is stored, is read as 1, so that full ink is never more than full.
    case .current: stored == Self.fullOpacity ? 1 : 2 * Double(stored) / 65535
    case .notes2018: Double(stored) / 255
    }
  }

  @inline(__always)
  func storedAzimuth(_ angle: Double) -> UInt16 {
    switch self {
    case .current:
      let turns = angle >= -.pi && angle <= .pi ? 0 : (angle / (2 * .pi)).rounded()
      return Self.step((angle - turns * 2 * .pi + .pi) * 65535 / (2 * .pi))
    case .notes2018:
      let turns = angle >= 0 && angle <= 2 * .pi ? 0 : (angle / (2 * .pi)).rounded(.down)
      return Self.step((angle - turns * 2 * .pi) * 65535 / (2 * .pi))
    }
  }

  @inline(__always)
  func storedAltitude(_ angle: Double) -> UInt16 {
    switch self {
    case .current: Self.step((1 - angle / (.pi / 2)) * 65535)
    case .notes2018: Self.step(angle / (.pi / 2) * 255, limit: 255)
    }
  }

  @inline(__always)
  func storedOpacity(_ opacity: Double) -> UInt16 {
    switch self {
    case .current: Self.step(opacity * 65535 / 2)
    case .notes2018: Self.step(opacity * 255, limit: 255)
    }
  }

  /// The nearest step from 0 to a limit; 0 for NaN.
  @inline(__always)
  static func step(_ value: Double, limit: Double = 65535) -> UInt16 {
    // With the arguments in this order, NaN becomes 0. The result is small enough to be rounded by
    // hand, which saves a call into the system's library.
    let value = min(max(0, value), limit)
    let whole = Int32(value)
    return UInt16(truncatingIfNeeded: whole + (value - Double(whole) >= 0.5 ? 1 : 0))
  }
}

extension [StoredPoint] {
  /// Appends points in their stored form.
  package mutating func append(_ points: some Collection<PKStrokePoint>, in scale: PointScale) {
    // Collections in contiguous memory share one specialized loop, because callers in other modules
    // get no specialization of their own.
    let isDone: Void? = points.withContiguousStorageIfAvailable { points in
      append(contentsOf: points.lazy.map { $0.stored(in: scale) })
    }
    if isDone == nil { append(contentsOf: points.lazy.map { $0.stored(in: scale) }) }
  }
}

extension PKStrokePoint {
  /// Decodes a stored point.
  @inline(__always)
  package init(_ stored: StoredPoint, scale: PointScale) {
    let width = Double(stored.floats[3])
    self.init(
      location: Point(x: Double(stored.floats[0]), y: Double(stored.floats[1])),
      timeOffset: Double(stored.floats[2]),
      size: Size(width: width, height: width * Double(stored.words[0]) / 1000),
      opacity: scale.opacity(stored.words[5]),
      force: Double(stored.words[2]) / 1000,
      azimuth: scale.azimuth(stored.words[3]),
      altitude: scale.altitude(stored.words[4]),
      secondaryScale: width == 0 || stored.floats[4] == StoredPoint.noSecondaryWidth
        ? 1 : Double(stored.floats[4]) / width,
      threshold: 2 * Double(stored.words[6]) / 65535,
      lateralJitter: Double(stored.floats[5]))
    edgeWidth = Double(stored.words[1]) / 10
  }

  /// The stored form, with each value rounded to its nearest step.
  @inline(__always)
  package func stored(in scale: PointScale) -> StoredPoint {
    let width = Float(nearestFinite: size.width)
    // Initialisers, because vector literals would go through arrays.
    return StoredPoint(
      floats: SIMD8(
        Float(nearestFinite: location.x), Float(nearestFinite: location.y),
        Float(nearestFinite: timeOffset), width,
        Float(nearestFinite: Double(width) * secondaryScale), Float(nearestFinite: lateralJitter),
        0, 0),
      words: SIMD8(
        width == 0 ? 1000 : PointScale.step(size.height / Double(width) * 1000),
        PointScale.step(edgeWidth * 10), PointScale.step(force * 1000),
        scale.storedAzimuth(azimuth), scale.storedAltitude(altitude),
        scale.storedOpacity(opacity), PointScale.step(threshold * 65535 / 2), 0))
  }
}

extension Float {
  /// The nearest finite number; 0 for NaN. Archives hold only finite numbers.
  @inline(__always)
  package init(nearestFinite value: Double) {
    let nearest = Float(value)
    if nearest.isFinite {
      self = nearest
    } else {
      self = value.isNaN ? 0 : value < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
    }
  }
}
