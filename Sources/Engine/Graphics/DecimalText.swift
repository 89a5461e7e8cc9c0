/// Numbers as short texts of a fixed number of decimals at most, such as `-.5`.
package struct DecimalText {
  /// The number of decimals.
  package let decimals: Int
  private let unit: Double
  /// Numbers beyond this are clamped.
  private let limit: Double
  /// Whether a fraction has a zero in front of its point.
  private let hasLeadingZero: Bool

  /// Texts of at most 8 decimals. Programs hold coordinates in 32-bit floats, so the usual limit
  /// is theirs; others must be below 2^63 in units of the last decimal.
  package init(decimals: Int, hasLeadingZero: Bool = false, limit: Double = 1e7) {
    self.decimals = min(max(decimals, 0), 8)
    unit = (0..<self.decimals).reduce(1) { unit, _ in unit * 10 }
    (self.hasLeadingZero, self.limit) = (hasLeadingZero, limit)
  }

  /// A value in units of the last decimal. An `Int` of web pages would not hold it.
  package func units(_ value: Double) -> Int64 {
    // The order of the arguments makes a NaN one of the limits.
    let units = (min(max(-limit, value), limit) * unit).rounded()
    // Faster than the initializer that checks this.
    return abs(units) < 0x1p63 ? Int64(units) : 0
  }

  /// Appends a number of units, and returns whether it has a point.
  @discardableResult
  package func append(_ units: Int64, to bytes: inout [UInt8]) -> Bool {
    var rest = units.magnitude
    guard rest > 0 else {
      bytes.append(UInt8(ascii: "0"))
      return false
    }
    if units < 0 { bytes.append(UInt8(ascii: "-")) }
    var digits = InlineArray<24, UInt8>(repeating: 0)
    var count = 0
    let least = decimals + (hasLeadingZero ? 1 : 0)
    while rest > 0 || count < least {
      digits[count] = UInt8(rest % 10)
      rest /= 10
      count += 1
    }
    var last = 0
    while last < decimals, digits[last] == 0 { last += 1 }
    var index = count - 1
    while index >= last {
      if index == decimals - 1 { bytes.append(UInt8(ascii: ".")) }
      bytes.append(48 + digits[index])
      index -= 1
    }
    return last < decimals
  }

  /// Whether the text of a number of units starts with its point.
  package func startsWithPoint(_ units: Int64) -> Bool {
    !hasLeadingZero && units > 0 && Double(units) < unit
  }

  /// A value as text.
  package func text(_ value: Double) -> String {
    var bytes: [UInt8] = []
    append(units(value), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
