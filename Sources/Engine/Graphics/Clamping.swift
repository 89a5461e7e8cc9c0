extension FixedWidthInteger {
  /// The integer part of a number, clamped to the range of this type; 0 for NaN.
  ///
  /// Every floating-point number that depends on files or options is converted in this way. A plain
  /// conversion traps if the number does not fit.
  @inlinable
  package init(clamping value: Double) {
    // The conversion may round the maximum up, so a value that equals the result does not fit.
    if value >= Double(Self.max) {
      self = .max
    } else if value > Double(Self.min) {
      self = Self(value)
    } else {
      self = value.isNaN ? 0 : .min
    }
  }

  /// The integer part of a number, clamped in the same way.
  @inlinable
  package init(clamping value: Float) { self.init(clamping: Double(value)) }
}
