/// The name of a browser and its system, for lists of sessions.
enum UserAgent {
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
  ]
  // The order matters: many browsers also name others.
  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
  ]

  /// Browser and system, such as `Firefox, Linux`; empty if both are unknown. Nothing else of the
  /// header is stored.
  static func name(of header: String) -> String {
    func find(_ names: [(String, String)]) -> String? {
      names.first { header.contains($0.0) }?.1
    }
    return [find(browsers), find(systems)].compactMap { $0 }.joined(separator: ", ")
  }
}
