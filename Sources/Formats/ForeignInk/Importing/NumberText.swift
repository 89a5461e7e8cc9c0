import JSON

/// Reads decimal numbers from bytes of text.
enum NumberText {
  /// The number that begins at an index: digits with an optional sign, point and exponent. Moves
  /// the index behind it. Nil if there is no number; the index then stays unchanged. The result is
  /// the double nearest to the text, and infinite if none is large enough.
  static func number(in text: Span<UInt8>, at index: inout Int) -> Double? {
    let number = text.withUnsafeBufferPointer { DecimalNumber($0, at: index, .loose) }
    guard let number else { return nil }
    index = number.end
    return number.value
  }

  /// Moves an index behind blanks, tabs and ends of lines.
  static func skipSpace(in text: Span<UInt8>, at index: inout Int) {
    while index < text.count, text[index] <= 0x20 { index += 1 }
  }
}
