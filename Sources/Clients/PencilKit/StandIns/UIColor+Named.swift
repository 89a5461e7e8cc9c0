import Foundation

// Named colours. The first have the same components everywhere; the others are those of Apple's
// systems, whose documentation lists one value for each style.

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
  /// A colour for each style, with the opacities in hundredths.
  private static func dynamic(
    _ light: UInt32, _ dark: UInt32, percent lightAlpha: Int = 100, _ darkAlpha: Int = 100
  ) -> UIColor {
    UIColor { traits in
      let isDark = traits.userInterfaceStyle == .dark
      let bytes = isDark ? dark : light
      func part(_ shift: UInt32) -> CGFloat { CGFloat(bytes >> shift & 0xFF) / 255 }
      return UIColor(
        red: part(16), green: part(8), blue: part(0),
        alpha: CGFloat(isDark ? darkAlpha : lightAlpha) / 100)
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
  /// The colour of text below a title.
  public class var secondaryLabel: UIColor { dynamic(0x3C3C43, 0xEBEBF5, percent: 60, 60) }
  /// The colour of less important text.
  public class var tertiaryLabel: UIColor { dynamic(0x3C3C43, 0xEBEBF5, percent: 30, 30) }
  /// The colour of the least important text.
  public class var quaternaryLabel: UIColor { dynamic(0x3C3C43, 0xEBEBF5, percent: 18, 16) }
  /// The colour of text in an empty field.
  public class var placeholderText: UIColor { dynamic(0x3C3C43, 0xEBEBF5, percent: 30, 30) }
  /// The colour of links.
  public class var link: UIColor { dynamic(0x007AFF, 0x0984FF) }
  /// The colour of tappable elements.
  public class var tintColor: UIColor { dynamic(0x007AFF, 0x0A84FF) }
  /// The colour of translucent lines between content.
  public class var separator: UIColor { dynamic(0x3C3C43, 0x545458, percent: 29, 60) }
  /// The colour of lines between content.
  public class var opaqueSeparator: UIColor { dynamic(0xC6C6C8, 0x38383A) }
  /// The colour behind everything.
  public class var systemBackground: UIColor { dynamic(0xFFFFFF, 0x000000) }
  /// The colour behind groups of content.
  public class var secondarySystemBackground: UIColor { dynamic(0xF2F2F7, 0x1C1C1E) }
  /// The colour behind groups in groups.
  public class var tertiarySystemBackground: UIColor { dynamic(0xFFFFFF, 0x2C2C2E) }
  /// The colour behind a list of groups.
  public class var systemGroupedBackground: UIColor { dynamic(0xF2F2F7, 0x000000) }
  /// The colour behind a group of a list.
  public class var secondarySystemGroupedBackground: UIColor { dynamic(0xFFFFFF, 0x1C1C1E) }
  /// The colour behind a group in a group of a list.
  public class var tertiarySystemGroupedBackground: UIColor { dynamic(0xF2F2F7, 0x2C2C2E) }
  /// The colour of thin shapes.
  public class var systemFill: UIColor { dynamic(0x787880, 0x787880, percent: 20, 36) }
  /// The colour of shapes of middle size.
  public class var secondarySystemFill: UIColor { dynamic(0x787880, 0x787880, percent: 16, 32) }
  /// The colour of large shapes.
  public class var tertiarySystemFill: UIColor { dynamic(0x767680, 0x767680, percent: 12, 24) }
  /// The colour of large shapes with content.
  public class var quaternarySystemFill: UIColor { dynamic(0x747480, 0x767680, percent: 8, 18) }
  /// The colour of text on light pages in both styles.
  public class var darkText: UIColor { UIColor(white: 0, alpha: 1) }
  /// The colour of text on dark pages in both styles.
  public class var lightText: UIColor { UIColor(white: 1, alpha: 0.6) }
}
