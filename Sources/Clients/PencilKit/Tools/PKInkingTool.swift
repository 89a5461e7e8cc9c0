public import Foundation
import Graphics
import Strokes

/// A tool that draws: an ink and a width.
public struct PKInkingTool: PKTool, Equatable, Sendable {
  /// The kind of ink.
  public var inkType: InkType
  /// The colour, as chosen for the light style.
  public var color: UIColor
  /// The width, in points. A new value is not clamped to the range.
  public var width: CGFloat
  /// The angle to which the nib is turned, in radians.
  public var azimuth: CGFloat

  /// A tool. The width is clamped to the range of the ink; nil stands for the default.
  public init(_ inkType: InkType, color: UIColor = UIColor.black, width: CGFloat? = nil) {
    self.init(inkType, color: color, width: width, azimuth: 0)
  }

  /// A tool with a turned nib. The width is clamped to the range of the ink; nil stands for the
  /// default.
  public init(
    _ inkType: InkType, color: UIColor = UIColor.black, width: CGFloat? = nil, azimuth: CGFloat
  ) {
    let range = inkType.validWidthRange
    self.inkType = inkType
    self.color = color
    self.width = min(max(range.lowerBound, width ?? inkType.defaultWidth), range.upperBound)
    self.azimuth = azimuth
  }

  /// A tool that draws with an ink. The width is clamped to the range of the ink.
  public init(ink: PKInk, width: CGFloat) {
    self.init(ink.inkType, color: ink.color, width: width)
  }

  /// The tool's ink.
  public var ink: PKInk { PKInk(inkType, color: color) }

  /// The oldest version of drawings that can store its ink.
  public var requiredContentVersion: PKContentVersion { inkType.requiredContentVersion }

  /// Converts a colour that was chosen in one style to its appearance in the other. Converting it
  /// back gives the same colour.
  public static func convertColor(
    _ color: UIColor, from fromUserInterfaceStyle: UIUserInterfaceStyle,
    to toUserInterfaceStyle: UIUserInterfaceStyle
  ) -> UIColor {
    let chosen = color.color(in: fromUserInterfaceStyle).stored
    let seen = Strokes.PKInkingTool.convertColor(
      chosen, from: InterfaceStyle(fromUserInterfaceStyle),
      to: InterfaceStyle(toUserInterfaceStyle))
    // Converting there and back must give exactly the same colour.
    func tidy(_ value: Double) -> CGFloat { CGFloat((value * 1e6).rounded() / 1e6) }
    return UIColor(
      red: tidy(seen.red), green: tidy(seen.green), blue: tidy(seen.blue),
      alpha: CGFloat(seen.alpha))
  }
}

extension InterfaceStyle {
  /// A style of the model; an unknown one is treated as light.
  init(_ style: UIUserInterfaceStyle) { self = style == .dark ? .dark : .light }
}
