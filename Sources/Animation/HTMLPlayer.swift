import JSON
public import Graphics

/// A page that replays a recording by itself: in any browser, without a network, from one file.
///
/// The page holds the recording as it is, the bytes of a `.pkd` file, and a script that reads and
/// draws it. `docs/player.md` tells what it can do and how near its ink comes to that of pictures.
public struct HTMLPlayer: Hashable, Sendable {
  /// How a recording is shown.
  public var settings: Settings

  /// A player with settings.
  public init(_ settings: Settings) { self.settings = settings }

  /// How a recording is shown and played.
  public struct Settings: Hashable, Sendable {
    /// What the page is called.
    public var title: String
    /// The part of the canvas that is shown, in points; one that is empty or not finite shows nothing.
    public var view: Rect
    /// What lies below the ink; nil for nothing, which is shown as chequers.
    public var background: Color?
    /// Whether ink is shown as it looks in the dark. The page's own buttons follow the browser.
    public var isDark: Bool
    /// How many seconds of the recording pass in one, from 0.25 to 16.
    public var speed: Double
    /// The longest pause between two steps in seconds; nil leaves them as they were, until somebody
    /// presses the button that skips them.
    public var maximumPause: Double?
    /// How long the end is shown before it begins again, in seconds.
    public var hold: Double
    /// Whether it begins again.
    public var isLooping: Bool
    /// Whether it plays as soon as it is there. Otherwise it shows the whole drawing and waits.
    public var isPlaying: Bool

    /// Settings; all but the view have values that are right for most.
    public init(
      title: String = "", view: Rect, background: Color? = .white, isDark: Bool = false,
      speed: Double = 1, maximumPause: Double? = nil, hold: Double = 1, isLooping: Bool = false,
      isPlaying: Bool = false
    ) {
      self.title = title
      self.view = view
      self.background = background
      self.isDark = isDark
      self.speed = speed
      self.maximumPause = maximumPause
      self.hold = hold
      self.isLooping = isLooping
      self.isPlaying = isPlaying
    }
  }
}

extension HTMLPlayer {
  /// The page that plays a recording, given as the bytes of a `.pkd` file. What the page cannot read
  /// of them it says itself.
  public func page(playing recording: [UInt8]) -> [UInt8] {
    var page: [UInt8] = []
    page += Array(head.utf8)
    page += script("settings", "application/json", Array(settings.json.utf8))
    page += script("recording", "text/plain", Array(Base64.encode(recording).utf8))
    page += script("player", "text/plain", PlayerData.packed.bytes)
    page += Array("<script>\n\(PlayerData.start)\n</script>\n".utf8)
    return page
  }

  /// How many bytes of a page are not the recording.
  package var playerSize: Int { page(playing: []).count }

  private var head: String {
    // The policy makes a promise of what the page does anyway: nothing comes from elsewhere.
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
    script-src 'unsafe-inline'; style-src 'unsafe-inline'">
    <link rel="icon" href="data:,">
    <title>\(settings.title.escapedForHTML)</title>
    <body>

    """
  }

  /// A script element whose text holds no tag.
  private func script(_ id: String, _ type: String, _ text: [UInt8]) -> [UInt8] {
    Array("<script id=\"\(id)\" type=\"\(type)\">".utf8) + text + Array("</script>\n".utf8)
  }
}

extension HTMLPlayer.Settings {
  /// The settings as the page reads them.
  fileprivate var json: String {
    let parts = [view.minX, view.minY, view.width, view.height]
    let isShown = parts.allSatisfy(\.isFinite) && view.width > 0 && view.height > 0
    let area = (isShown ? parts : [0, 0, 1, 1]).map { "\($0)" }.joined(separator: ",")
    let fields = [
      "\"title\":\(title.quotedForScript)",
      "\"view\":[\(area)]",
      "\"background\":\(background.map { $0.css.quotedForScript } ?? "null")",
      "\"isDark\":\(isDark)",
      "\"speed\":\(speed.isFinite ? min(max(speed, 0.25), 16) : 1)",
      "\"maximumPause\":\(maximumPause.flatMap { $0.isFinite ? "\(max($0, 0))" : nil } ?? "null")",
      "\"hold\":\(hold.isFinite ? max(hold, 0) : 0)",
      "\"isLooping\":\(isLooping)",
      "\"isPlaying\":\(isPlaying)",
    ]
    return "{\(fields.joined(separator: ","))}"
  }
}

extension Color {
  /// The colour as style sheets write it, in sRGB.
  fileprivate var css: String {
    let shown = converted(to: .sRGB).clamped
    let bytes = [shown.red, shown.green, shown.blue].map {
      "\(Int(clamping: ($0 * 255).rounded()))"
    }
    return "rgba(\(bytes.joined(separator: ",")),\(shown.alpha))"
  }
}

extension String {
  /// The text between tags.
  fileprivate var escapedForHTML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "\0": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text as a string of JSON that no script element ends in.
  fileprivate var quotedForScript: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\", "<", ">", "&", "\0"..."\u{1F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension StaticString {
  /// The letters.
  fileprivate var bytes: [UInt8] { Array(description.utf8) }
}
