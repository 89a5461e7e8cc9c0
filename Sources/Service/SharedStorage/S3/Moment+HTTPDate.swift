import Calendar
import Storage

extension Moment {
  /// Parses the date of a response: `Wed, 25 Nov 2026 12:00:00 GMT`; nil for anything else.
  init?(httpDate text: String) {
    let words = text.split(separator: " ")
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    guard let time = ISO8601("\(words[3])-\(number)-\(words[1])T\(words[4])Z") else { return nil }
    self.init(microseconds: time.seconds * 1_000_000)
  }
}
