extension String {
  /// The text without control characters, which could control the terminal.
  package var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }

  /// JSON and other results with escapes for the control characters from U+0080 to U+009F, which
  /// some terminals obey. `JSONWriter` escapes the earlier ones.
  package var escapingLateControls: String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool { (0x80...0x9F).contains(scalar.value) }
    guard utf8.contains(0xC2), unicodeScalars.contains(where: isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if isControl(scalar) {
        text += "\\u00" + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
