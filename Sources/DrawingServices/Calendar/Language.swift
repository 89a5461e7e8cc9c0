/// A language that viewers may read.
public enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case traditionalChinese = "zh-TW"

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// A day in many words.
  public func longDate(_ day: LocalDay) -> String {
    let (year, month, number) = day.date
    return switch self {
    case .english: "\(Self.months[month - 1]) \(number), \(year)"
    case .traditionalChinese: "\(year)年\(month)月\(number)日"
    }
  }

  /// What stands above all drawings.
  public var gallery: String { self == .english ? "Gallery" : "畫廊" }

  /// What stands where there are none.
  public var noDrawings: String {
    self == .english ? "No drawings yet. Start creating!" : "還沒有畫作，開始創作吧！"
  }

  /// What stands above drawings of which nobody knows the day.
  public var unknownDate: String { self == .english ? "Unknown Date" : "未知日期" }
}
