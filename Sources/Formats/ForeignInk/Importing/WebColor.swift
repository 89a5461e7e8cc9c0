import Graphics

extension Color {
  /// A colour as web pages write it: hexadecimal, `rgb()` or `rgba()` with numbers, or one of the
  /// usual names. Nil for anything else.
  init?(web text: String) {
    let text = text.lowercased()
    if let color = Color(hex: text) ?? Self.rgb(text) {
      self = color
    } else if text == "transparent" {
      self = .clear
    } else if let hex = Self.names[text] {
      self.init(
        red: Double(hex >> 16 & 255) / 255, green: Double(hex >> 8 & 255) / 255,
        blue: Double(hex & 255) / 255)
    } else {
      return nil
    }
  }

  private static func rgb(_ text: String) -> Color? {
    guard text.hasPrefix("rgb"), text.hasSuffix(")"), text.utf8.count < 100,
      let open = text.firstIndex(of: "(")
    else { return nil }
    let values = text[open...].dropFirst().dropLast()
      .split { ", /".contains($0) }.map { Double(String($0)) ?? .nan }
    guard values.count == 3 || values.count == 4, values.allSatisfy(\.isFinite) else { return nil }
    return Color(
      red: values[0] / 255, green: values[1] / 255, blue: values[2] / 255,
      alpha: values.count > 3 ? values[3] : 1
    ).clamped
  }

  private static let names: [String: Int] = [
    "black": 0, "white": 0xFFFFFF, "red": 0xFF0000, "lime": 0x00FF00, "blue": 0x0000FF,
    "green": 0x008000, "yellow": 0xFFFF00, "orange": 0xFFA500, "gray": 0x808080, "grey": 0x808080,
    "silver": 0xC0C0C0, "brown": 0xA52A2A, "pink": 0xFFC0CB, "purple": 0x800080,
    "violet": 0xEE82EE, "cyan": 0x00FFFF, "aqua": 0x00FFFF, "magenta": 0xFF00FF,
    "fuchsia": 0xFF00FF, "navy": 0x000080, "teal": 0x008080, "maroon": 0x800000,
    "olive": 0x808000, "indigo": 0x4B0082, "gold": 0xFFD700,
  ]
}
