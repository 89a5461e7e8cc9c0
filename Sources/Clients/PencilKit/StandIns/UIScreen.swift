public import Foundation

/// A stand-in for a screen: a machine without one shows a pixel for each point.
public final class UIScreen: NSObject, Sendable {
  /// The only one.
  public static let main = UIScreen()

  /// The number of pixels for each point.
  public let scale: CGFloat = 1
}
