extension FixedWidthInteger {
  /// The whole part of a number: the nearest that this type holds where it lies beyond, and 0 for
  /// what is no number.
  ///
  /// Every floating-point number that files or options may have had a part in becomes a whole one in
  /// this way. A plain conversion ends the program where the number does not fit.
  @inlinable
  package init(clamping value: Double) {
    // The upper limit may be rounded up on its way to a float, so what equals it does not fit.
    if value >= Double(Self.max) {
      self = .max
    } else if value > Double(Self.min) {
      self = Self(value)
    } else {
      self = value.isNaN ? 0 : .min
    }
  }

  /// The whole part of a number, as for one of 64 bits.
  @inlinable
  package init(clamping value: Float) { self.init(clamping: Double(value)) }
}
