import Foundation

// Colours with names. The first have the same components everywhere; the others are those of Apple's systems,
// which publish them with one value for each style.

extension UIColor {
  private static func fixed(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat) -> UIColor {
    UIColor(red: red, green: green, blue: blue, alpha: 1)
  }

  /// Opaque black.
  public class var black: UIColor { fixed(0, 0, 0) }
  /// A grey of a third.
  public class var darkGray: UIColor { UIColor(white: 1.0 / 3, alpha: 1) }
  /// A grey of two thirds.
  public class var lightGray: UIColor { UIColor(white: 2.0 / 3, alpha: 1) }
  /// Opaque white.
  public class var white: UIColor { UIColor(white: 1, alpha: 1) }
  /// A grey of one half.
  public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
  /// Red of sRGB.
  public class var red: UIColor { fixed(1, 0, 0) }
  /// Green of sRGB.
  public class var green: UIColor { fixed(0, 1, 0) }
  /// Blue of sRGB.
  public class var blue: UIColor { fixed(0, 0, 1) }
  /// Green and blue.
  public class var cyan: UIColor { fixed(0, 1, 1) }
  /// Red and green.
  public class var yellow: UIColor { fixed(1, 1, 0) }
  /// Red and blue.
  public class var magenta: UIColor { fixed(1, 0, 1) }
  /// Red and half of green.
  public class var orange: UIColor { fixed(1, 0.5, 0) }
  /// Half of red and of blue.
  public class var purple: UIColor { fixed(0.5, 0, 0.5) }
  /// A brown.
  public class var brown: UIColor { fixed(0.6, 0.4, 0.2) }
  /// Transparent black.
  public class var clear: UIColor { UIColor(white: 0, alpha: 0) }
}

extension UIColor {
  private static func dynamic(_ light: UInt32, _ dark: UInt32) -> UIColor {
    UIColor { traits in
      let bytes = traits.userInterfaceStyle == .dark ? dark : light
      func part(_ shift: UInt32) -> CGFloat { CGFloat(bytes >> shift & 0xFF) / 255 }
      return UIColor(red: part(16), green: part(8), blue: part(0), alpha: 1)
    }
  }

  /// The system's red.
  public class var systemRed: UIColor { dynamic(0xFF3B30, 0xFF453A) }
  /// The system's green.
  public class var systemGreen: UIColor { dynamic(0x34C759, 0x30D158) }
  /// The system's blue.
  public class var systemBlue: UIColor { dynamic(0x007AFF, 0x0A84FF) }
  /// The system's orange.
  public class var systemOrange: UIColor { dynamic(0xFF9500, 0xFF9F0A) }
  /// The system's yellow.
  public class var systemYellow: UIColor { dynamic(0xFFCC00, 0xFFD60A) }
  /// The system's pink.
  public class var systemPink: UIColor { dynamic(0xFF2D55, 0xFF375F) }
  /// The system's purple.
  public class var systemPurple: UIColor { dynamic(0xAF52DE, 0xBF5AF2) }
  /// The system's teal.
  public class var systemTeal: UIColor { dynamic(0x30B0C7, 0x40C8E0) }
  /// The system's indigo.
  public class var systemIndigo: UIColor { dynamic(0x5856D6, 0x5E5CE6) }
  /// The system's brown.
  public class var systemBrown: UIColor { dynamic(0xA2845E, 0xAC8E68) }
  /// The system's mint.
  public class var systemMint: UIColor { dynamic(0x00C7BE, 0x63E6E2) }
  /// The system's cyan.
  public class var systemCyan: UIColor { dynamic(0x32ADE6, 0x64D2FF) }
  /// The system's grey.
  public class var systemGray: UIColor { dynamic(0x8E8E93, 0x8E8E93) }
  /// The system's second grey.
  public class var systemGray2: UIColor { dynamic(0xAEAEB2, 0x636366) }
  /// The system's third grey.
  public class var systemGray3: UIColor { dynamic(0xC7C7CC, 0x48484A) }
  /// The system's fourth grey.
  public class var systemGray4: UIColor { dynamic(0xD1D1D6, 0x3A3A3C) }
  /// The system's fifth grey.
  public class var systemGray5: UIColor { dynamic(0xE5E5EA, 0x2C2C2E) }
  /// The system's sixth grey.
  public class var systemGray6: UIColor { dynamic(0xF2F2F7, 0x1C1C1E) }
  /// The colour of text.
  public class var label: UIColor { dynamic(0x000000, 0xFFFFFF) }
  /// The colour behind everything.
  public class var systemBackground: UIColor { dynamic(0xFFFFFF, 0x000000) }
  /// The colour behind groups of content.
  public class var secondarySystemBackground: UIColor { dynamic(0xF2F2F7, 0x1C1C1E) }
}
