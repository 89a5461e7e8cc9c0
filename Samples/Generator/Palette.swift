import Graphics

/// The colours of all samples: few, so that the pictures look alike.
enum Palette {
  static let ink = Color(rgb: 0x1B2440)
  static let graphite = Color(rgb: 0x4A4E57)
  static let slate = Color(rgb: 0x5C6B86)
  static let sepia = Color(rgb: 0x4B2E1E)
  static let bark = Color(rgb: 0x7A5236)
  static let sand = Color(rgb: 0xE3BE82)
  static let sky = Color(rgb: 0x5AA6DC)
  static let deepBlue = Color(rgb: 0x2A5F9E)
  static let teal = Color(rgb: 0x1F8A84)
  static let moss = Color(rgb: 0x6E8F3A)
  static let leaf = Color(rgb: 0x4C9A4A)
  static let pine = Color(rgb: 0x2C5B41)
  static let lime = Color(rgb: 0xA7C84E)
  static let sun = Color(rgb: 0xFFC62E)
  static let apricot = Color(rgb: 0xF6A15B)
  static let coral = Color(rgb: 0xE8604F)
  static let rose = Color(rgb: 0xE986A0)
  static let plum = Color(rgb: 0x7B3F75)
  static let lilac = Color(rgb: 0xA78BCB)
}

extension Color {
  /// A colour from six hexadecimal digits, `0xRRGGBB`.
  fileprivate init(rgb: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(rgb >> shift & 0xFF) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0))
  }
}
