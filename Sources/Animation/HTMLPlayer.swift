import JSON
public import Graphics

/// An HTML page that replays a recording in any browser, without a network, from one file.
///
/// The page holds the unchanged bytes of a `.pkd` file, and a script that reads and draws it.
/// `docs/player.md` describes what it can do, and how close its ink comes to that of rendered
/// pictures.
public struct HTMLPlayer: Hashable, Sendable {
  /// How recordings are shown and played.
  public var settings: Settings

  /// A player with settings.
  public init(_ settings: Settings) { self.settings = settings }

  /// How recordings are shown and played.
  public struct Settings: Hashable, Sendable {
    /// The title of the page.
    public var title: String
    /// The visible part of the canvas in points. An empty or infinite one shows nothing.
    public var view: Rect
    /// The background; nil for a transparent one, which the page shows as a checkerboard.
    public var background: Color?
    /// Whether ink has the colours of the dark style. The page's own buttons follow the browser.
    public var isDark: Bool
    /// The number of recorded seconds played in one second, from 0.25 to 16.
    public var speed: Double
    /// The maximum pause between two steps in seconds; nil keeps all pauses, until the viewer
    /// presses the button that skips them.
    public var maximumPause: Double?
    /// How long the end is shown before the replay starts again, in seconds.
    public var hold: Double
    /// Whether the replay starts again at its end.
    public var isLooping: Bool
    /// Whether the page starts to play when it is loaded. Otherwise it shows the whole drawing
    /// first.
    public var isPlaying: Bool

    /// Settings; everything but the view has a default.
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
  /// The page for a recording, given as the bytes of a `.pkd` file. They are not checked here; the
  /// page itself reports damage.
  public func page(playing recording: [UInt8]) -> [UInt8] {
    var page: [UInt8] = []
    page += Array(head.utf8)
    page += script("settings", "application/json", Array(settings.json.utf8))
    page += script("recording", "text/plain", Array(Base64.encode(recording).utf8))
    page += script("player", "text/plain", PlayerData.packed.bytes)
    page += Array("<script>\n\(PlayerData.start)\n</script>\n".utf8)
    return page
  }

  /// The size in bytes of a page without the recording.
  package var playerSize: Int { page(playing: []).count }

  private var head: String {
    // The policy enforces what holds anyway: the page loads nothing from elsewhere.
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

  /// A script element. The text must not contain a tag.
  private func script(_ id: String, _ type: String, _ text: [UInt8]) -> [UInt8] {
    Array("<script id=\"\(id)\" type=\"\(type)\">".utf8) + text + Array("</script>\n".utf8)
  }
}

extension HTMLPlayer.Settings {
  /// The settings as the JSON that the page reads.
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
  /// The colour in CSS notation, in sRGB.
  fileprivate var css: String {
    let shown = converted(to: .sRGB).clamped
    let bytes = [shown.red, shown.green, shown.blue].map {
      "\(Int(clamping: ($0 * 255).rounded()))"
    }
    return "rgba(\(bytes.joined(separator: ",")),\(shown.alpha))"
  }
}

extension String {
  /// The text with the characters escaped that HTML does not allow between tags.
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

  /// The text as a JSON string that cannot end a script element.
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
  /// The characters as UTF-8.
  fileprivate var bytes: [UInt8] { Array(description.utf8) }
}
