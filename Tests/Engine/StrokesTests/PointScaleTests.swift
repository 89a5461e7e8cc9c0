import Graphics
import TestSupport
import Testing

@testable import Strokes

private let wild: [Double] = [
  .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -1, 1e9,
]

@Suite struct `The steps of the stored channels` {
  /// The stored value after decoding and storing it again.
  private func again(_ word: UInt16, _ channel: PointChannel, _ scale: PointScale) -> UInt16 {
    var point = StoredPoint(defaultsIn: scale)
    point[float: .width] = 5
    point[float: .secondaryWidth] = 5
    point[word: channel] = word
    return PKStrokePoint(point, scale: scale).stored(in: scale)[word: channel]
  }

  @Test(arguments: [
    PointChannel.aspect, .edge, .force, .azimuth, .altitude, .opacity, .threshold,
  ])
  func `each of all 65,536 steps is read and stored as the same step`(channel: PointChannel) {
    let wrong = (0...UInt16.max).filter { again($0, channel, .current) != $0 }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test(arguments: [PointChannel.aspect, .edge, .force, .azimuth, .threshold])
  func `each step of drawings of 2018 is read and stored as the same step`(channel: PointChannel) {
    let wrong = (0...UInt16.max).filter { again($0, channel, .notes2018) != $0 }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test(arguments: [PointChannel.altitude, .opacity])
  func `each byte of altitude and opacity is read and stored as the same byte`(
    channel: PointChannel
  ) {
    let wrong = (UInt16(0)...255).filter { again($0, channel, .notes2018) != $0 }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    #expect(again(256, channel, .notes2018) == 255)
  }

  @Test func `the steps of archives have known values`() {
    let scale = PointScale.current
    expectClose(scale.azimuth(0), -.pi)
    expectClose(scale.azimuth(65535), .pi)
    expectClose(scale.altitude(0), .pi / 2)
    expectClose(scale.altitude(65535), 0)
    expectClose(scale.opacity(65535), 2)
    #expect(scale.storedOpacity(1) == 32768)
  }

  @Test func `full opacity is exactly 1 in points and between them`() {
    let scale = PointScale.current
    #expect(scale.opacity(32768) == 1)
    #expect(scale.opacity(32767) < 1 && scale.opacity(32769) > 1)
    let points = (0..<6).map { index in
      PKStrokePoint(
        location: Point(x: Double(index * index), y: 3), timeOffset: Double(index),
        size: Size(width: 4, height: 4), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let path = PKStrokePath(controlPoints: points)
    #expect(path.allSatisfy { $0.opacity == 1 })
    #expect(path.interpolatedPoints(by: .parametricStep(0.01)).allSatisfy { $0.opacity == 1 })
  }

  @Test func `the steps of drawings of 2018 have known values`() {
    let scale = PointScale.notes2018
    expectClose(scale.azimuth(0), 0)
    expectClose(scale.azimuth(65535), 2 * .pi)
    expectClose(scale.altitude(0), 0)
    expectClose(scale.altitude(255), .pi / 2)
    expectClose(scale.opacity(255), 1)
  }

  @Test(arguments: PointScale.allCases)
  func `the default values of a point are an upright pen at full strength`(scale: PointScale) {
    let point = PKStrokePoint(StoredPoint(defaultsIn: scale), scale: scale)
    expectClose(point.azimuth, 0, within: 1e-4)
    expectClose(point.altitude, .pi / 2)
    expectClose(point.opacity, 1, within: 1e-4)
    #expect(point.secondaryScale == 1)
    #expect(point.lateralJitter == 1)
    #expect(point.threshold == 0)
    #expect(point.edgeWidth == 0)
  }

  @Test(arguments: PointScale.allCases)
  func `an azimuth beyond one turn is the same direction`(scale: PointScale) {
    for degrees in -720...720 {
      let angle = Double(degrees) * .pi / 180
      let read = scale.azimuth(scale.storedAzimuth(angle))
      let turns = ((read - angle) / (2 * .pi)).rounded()
      expectClose(read - angle, turns * 2 * .pi, within: 1e-4)
    }
  }

  @Test(arguments: PointScale.allCases)
  func `values out of a channel's range are clamped to the nearest step`(scale: PointScale) {
    #expect(scale.storedOpacity(-1) == 0)
    #expect(scale.storedOpacity(9) == (scale == .current ? 65535 : 255))
    #expect(scale.altitude(scale.storedAltitude(9)) == .pi / 2)
    expectClose(scale.altitude(scale.storedAltitude(-9)), 0)
    #expect(PointScale.step(1e9) == 65535)
    #expect(PointScale.step(.nan) == 0)
  }

  @Test(arguments: PointScale.allCases)
  func `rounding any number to a step does not trap`(scale: PointScale) {
    for value in wild {
      let point = PKStrokePoint(
        location: .zero, timeOffset: 0, size: Size(width: value, height: value), opacity: value,
        force: value, azimuth: value, altitude: value, secondaryScale: value, threshold: value,
        lateralJitter: value)
      let stored = point.stored(in: scale)
      // Any stored value stays the same when it is decoded and stored again.
      let again = PKStrokePoint(stored, scale: scale).stored(in: scale)
      #expect(again.words == stored.words)
    }
  }
}

@Suite struct `A stored point` {
  @Test(arguments: PointScale.allCases)
  func `a stored point is read and stored as the same point`(scale: PointScale) {
    var random = RandomInk(seed: 9)
    for _ in 0..<2000 {
      var stored = StoredPoint(defaultsIn: scale)
      for channel in PointChannel.words {
        let limit = [.altitude, .opacity].contains(channel) && scale == .notes2018 ? 255 : 65535
        stored[word: channel] = UInt16(random.whole(0...limit))
      }
      for channel in PointChannel.floats {
        stored[float: channel] = Float(random.number(0.01...500))
      }
      #expect(PKStrokePoint(stored, scale: scale).stored(in: scale) == stored)
    }
  }

  @Test func `the height of a point is stored in thousandths of its width`() {
    var point = touch(0, 0, size: 8)
    point.size.height = 2.0004
    #expect(point.stored(in: .current)[word: .aspect] == 250)
    #expect(PKStrokePoint(point.stored(in: .current), scale: .current).size.height == 2)
  }

  @Test func `a point without width is stored as a square`() {
    var point = touch(0, 0, size: 0)
    #expect(point.stored(in: .current)[word: .aspect] == 1000)
    point.size.height = 3
    #expect(PKStrokePoint(point.stored(in: .current), scale: .current).size == .zero)
  }
}
