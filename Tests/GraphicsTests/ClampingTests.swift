import Graphics
import Testing

struct ClampingTests {
  private func expectNearest<Number: FixedWidthInteger>(_ type: Number.Type) {
    let (least, most) = (Double(Number.min), Double(Number.max))
    for value in [most, most.nextUp, 2 * most, 1e307, .greatestFiniteMagnitude, .infinity] {
      #expect(Number(clamping: value) == .max, "\(type) of \(value)")
    }
    for value in [least, least.nextDown, least - most, -1e307, -.infinity] {
      #expect(Number(clamping: value) == .min, "\(type) of \(value)")
    }
    #expect(Number(clamping: Double.nan) == 0)
    #expect(Number(clamping: -0.0) == 0)
    #expect(Number(clamping: 12.9) == 12)
    // The nearest ends that are no limits.
    #expect(Number(clamping: most.nextDown) == Number(most.nextDown))
    #expect(Number(clamping: Float.greatestFiniteMagnitude) == .max)
  }

  @Test func `any number becomes the nearest whole one of a type, and what is none 0`() {
    expectNearest(Int.self)
    expectNearest(Int32.self)
    expectNearest(UInt32.self)
    expectNearest(UInt16.self)
    expectNearest(UInt8.self)
    #expect(Int(clamping: -12.9) == -12)
    #expect(Int(clamping: Double(Int.min).nextUp) == Int(Double(Int.min).nextUp))
    #expect(UInt8(clamping: 255.5) == 255)
    #expect(UInt8(clamping: -0.5) == 0)
  }
}
