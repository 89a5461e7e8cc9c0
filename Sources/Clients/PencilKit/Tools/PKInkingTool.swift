public import Foundation
import Graphics
import Strokes

/// A tool that draws: an ink and a width.
public struct PKInkingTool: PKTool, Equatable, Sendable {
  /// The kind of ink.
  public var inkType: InkType
  /// The colour, as it is chosen for the light style.
  public var color: UIColor
  /// The width, in points. A new value is not moved into the range.
  public var width: CGFloat
  /// The angle to which the nib is turned, in radians.
  public var azimuth: CGFloat

  /// A tool. The width is moved into the range of the ink; nil stands for the usual one.
  public init(_ inkType: InkType, color: UIColor = UIColor.black, width: CGFloat? = nil) {
    self.init(inkType, color: color, width: width, azimuth: 0)
  }

  /// A tool with a turned nib. The width is moved into the range of the ink; nil stands for the usual one.
  public init(
    _ inkType: InkType, color: UIColor = UIColor.black, width: CGFloat? = nil, azimuth: CGFloat
  ) {
    let range = inkType.validWidthRange
    self.inkType = inkType
    self.color = color
    self.width = min(max(range.lowerBound, width ?? inkType.defaultWidth), range.upperBound)
    self.azimuth = azimuth
  }

  /// A tool that draws with an ink. The width is moved into the range of the ink.
  public init(ink: PKInk, width: CGFloat) {
    self.init(ink.inkType, color: ink.color, width: width)
  }

  /// What the tool draws with.
  public var ink: PKInk { PKInk(inkType, color: color) }

  /// The oldest version of drawings that can have its ink.
  public var requiredContentVersion: PKContentVersion { inkType.requiredContentVersion }

  /// The appearance in one style of a colour that was chosen in the other. There and back gives the
  /// same colour.
  public static func convertColor(
    _ color: UIColor, from fromUserInterfaceStyle: UIUserInterfaceStyle,
    to toUserInterfaceStyle: UIUserInterfaceStyle
  ) -> UIColor {
    let chosen = color.color(in: fromUserInterfaceStyle).stored
    let seen = Strokes.PKInkingTool.convertColor(
      chosen, from: InterfaceStyle(fromUserInterfaceStyle),
      to: InterfaceStyle(toUserInterfaceStyle))
    // There and back must give the same colour, and not nearly so.
    func tidy(_ value: Double) -> CGFloat { CGFloat((value * 1e6).rounded() / 1e6) }
    return UIColor(
      red: tidy(seen.red), green: tidy(seen.green), blue: tidy(seen.blue),
      alpha: CGFloat(seen.alpha))
  }
}

extension InterfaceStyle {
  /// A style of the model; one that is not known counts as light.
  init(_ style: UIUserInterfaceStyle) { self = style == .dark ? .dark : .light }
}
