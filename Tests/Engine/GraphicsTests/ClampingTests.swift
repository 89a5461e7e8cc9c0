import Graphics
import Testing

struct ClampingTests {
  private func expectClamping<Number: FixedWidthInteger>(_ type: Number.Type) {
    let (minimum, maximum) = (Double(Number.min), Double(Number.max))
    for value in [maximum, maximum.nextUp, 2 * maximum, 1e307, .greatestFiniteMagnitude, .infinity]
    {
      #expect(Number(clamping: value) == .max, "\(type) of \(value)")
    }
    for value in [minimum, minimum.nextDown, minimum - maximum, -1e307, -.infinity] {
      #expect(Number(clamping: value) == .min, "\(type) of \(value)")
    }
    #expect(Number(clamping: Double.nan) == 0)
    #expect(Number(clamping: -0.0) == 0)
    #expect(Number(clamping: 12.9) == 12)
    // The values next to the limits.
    #expect(Number(clamping: maximum.nextDown) == Number(maximum.nextDown))
    #expect(Number(clamping: Float.greatestFiniteMagnitude) == .max)
  }

  @Test func `any number is truncated and clamped to the integer type, and NaN becomes 0`() {
    expectClamping(Int.self)
    expectClamping(Int32.self)
    expectClamping(UInt32.self)
    expectClamping(UInt16.self)
    expectClamping(UInt8.self)
    #expect(Int(clamping: -12.9) == -12)
    #expect(Int(clamping: Double(Int.min).nextUp) == Int(Double(Int.min).nextUp))
    #expect(UInt8(clamping: 255.5) == 255)
    #expect(UInt8(clamping: -0.5) == 0)
  }
}
