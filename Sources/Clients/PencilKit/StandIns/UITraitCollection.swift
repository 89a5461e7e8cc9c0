public import Foundation

/// Whether something is shown on a light or a dark background.
public enum UIUserInterfaceStyle: Int, Sendable {
  /// Unknown, which is treated as light.
  case unspecified = 0
  /// Dark ink on a light page.
  case light = 1
  /// Light ink on a dark page.
  case dark = 2
}

/// The traits of an image's environment: here, only its style.
public final class UITraitCollection: NSObject, @unchecked Sendable {
  /// The style.
  public let userInterfaceStyle: UIUserInterfaceStyle

  /// Traits with a style.
  public init(userInterfaceStyle: UIUserInterfaceStyle) {
    self.userInterfaceStyle = userInterfaceStyle
  }

  /// Traits of unknown style.
  public override convenience init() { self.init(userInterfaceStyle: .unspecified) }

  private static let key = "PencilKit.UITraitCollection.current"
  private static let light = UITraitCollection(userInterfaceStyle: .light)

  /// The traits for drawing on this thread: light, unless others are set.
  public class var current: UITraitCollection {
    get { Thread.current.threadDictionary[key] as? UITraitCollection ?? light }
    set { Thread.current.threadDictionary[key] = newValue }
  }

  /// Runs the closure with these traits as the current ones.
  public func performAsCurrent(_ actions: () -> Void) {
    let before = Self.current
    Self.current = self
    defer { Self.current = before }
    actions()
  }

  /// Whether both have the same style.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? UITraitCollection)?.userInterfaceStyle == userInterfaceStyle
  }

  /// The hash of the style.
  public override var hash: Int { userInterfaceStyle.rawValue }
}
