public import Foundation

/// Whether something is shown on a light or a dark background.
public enum UIUserInterfaceStyle: Int, Sendable {
  /// Not known, which counts as light.
  case unspecified = 0
  /// Dark ink on a light page.
  case light = 1
  /// Light ink on a dark page.
  case dark = 2
}

/// What is known about the surroundings of an image: here, its style alone.
public final class UITraitCollection: NSObject, @unchecked Sendable {
  /// The style.
  public let userInterfaceStyle: UIUserInterfaceStyle

  /// Surroundings of a style.
  public init(userInterfaceStyle: UIUserInterfaceStyle) {
    self.userInterfaceStyle = userInterfaceStyle
  }

  /// Surroundings of no known style.
  public override convenience init() { self.init(userInterfaceStyle: .unspecified) }

  private static let key = "PencilKit.UITraitCollection.current"
  private static let light = UITraitCollection(userInterfaceStyle: .light)

  /// The surroundings of what this thread draws: light, until somebody sets others.
  public class var current: UITraitCollection {
    get { Thread.current.threadDictionary[key] as? UITraitCollection ?? light }
    set { Thread.current.threadDictionary[key] = newValue }
  }

  /// Runs the closure with these surroundings as the current ones.
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
