public import Foundation

// Archives of apps name the class `UIColor`, which Foundation for Linux looks up among its own
// classes. These functions register the name before they read a colour; the module has no earlier
// opportunity.

extension NSKeyedUnarchiver {
  fileprivate static let knowsColors: Void = setClass(UIColor.self, forClassName: "UIColor")

  /// Reads a colour from an archive, also from an app's.
  public static func unarchivedObject<Color: UIColor>(
    ofClass cls: Color.Type, from data: Data
  ) throws -> Color? {
    func unarchived<Object: NSObject & NSCoding>(_ cls: Object.Type) throws -> Object? {
      try unarchivedObject(ofClass: cls, from: data)
    }
    knowsColors
    return try unarchived(cls)
  }
}

extension NSCoder {
  /// Reads a colour, also from an app's archive.
  public func decodeObject<Color: UIColor>(of cls: Color.Type, forKey key: String) -> Color? {
    func decoded<Object: NSObject & NSCoding>(_ cls: Object.Type) -> Object? {
      decodeObject(of: cls, forKey: key)
    }
    NSKeyedUnarchiver.knowsColors
    return decoded(cls)
  }
}
