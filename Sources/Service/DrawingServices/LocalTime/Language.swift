/// A language for viewers.
public enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case traditionalChinese = "zh-TW"

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// A date with the name of the month: `November 22, 2026`.
  public func longDate(_ day: LocalDay) -> String {
    let (year, month, number) = day.date
    return switch self {
    case .english: "\(Self.months[month - 1]) \(number), \(year)"
    case .traditionalChinese: "\(year)年\(month)月\(number)日"
    }
  }

  /// The title of the gallery.
  public var gallery: String { self == .english ? "Gallery" : "畫廊" }

  /// The text of an empty gallery.
  public var noDrawings: String {
    self == .english ? "No drawings yet. Start creating!" : "還沒有畫作，開始創作吧！"
  }

  /// The title of the section of drawings without a date.
  public var unknownDate: String { self == .english ? "Unknown Date" : "未知日期" }
}
