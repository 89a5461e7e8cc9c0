import JSON
public import Graphics
public import Rasterization

/// An HTML page that replays a recording in any browser, without a network, from one file.
///
/// The page holds the unchanged bytes of a `.pkd` file and the engine that draws it, with the same
/// pixels as rendered pictures. `docs/guides/web.md` describes its functions.
public struct HTMLPlayer: Hashable, Sendable {
  /// How recordings are shown and played.
  public var settings: Settings

  /// The speeds at which pages can play.
  public static let speeds = 0.25...16.0

  /// A player with settings.
  public init(_ settings: Settings) { self.settings = settings }

  /// How recordings are shown and played.
  public struct Settings: Hashable, Sendable {
    /// The title of the page.
    public var title: String
    /// The visible part of the canvas in points. An empty or infinite one shows nothing.
    public var view: Rect
    /// The background below the ink.
    public var background: Background
    /// The surroundings that ink is shown in; nil for those of the page, which are light or dark.
    public var style: RenderOptions.Style?
    /// The pattern on the paper; nil for that of the recording.
    public var paper: RenderOptions.Paper?
    /// The look of strokes that were erased, undone or moved away; nil hides them until the viewer
    /// switches them on.
    public var earlier: RenderOptions.Earlier?
    /// The number of recorded seconds played in one second; see `speeds`.
    public var speed: Double
    /// The maximum pause between two steps in seconds; nil keeps all pauses, until the viewer
    /// skips them.
    public var maximumPause: Double?
    /// How long the end is shown before the replay starts again, in seconds.
    public var hold: Double
    /// Whether the replay starts again at its end.
    public var isLooping: Bool
    /// A small PNG of the finished drawing in light surroundings, which is shown until the engine
    /// has drawn it; nil for none.
    public var poster: [UInt8]?
    /// Whether the page starts to play when it is loaded. Otherwise it shows the whole drawing
    /// first.
    public var isPlaying: Bool

    /// The background below the ink.
    public enum Background: Hashable, Sendable {
      /// The colour of the page's sheet, which is light or dark.
      case sheet
      /// The recording's own background; without one white, or black in the dark style.
      case page
      /// Nothing; the page shows a checkerboard.
      case transparent
      /// A colour in all styles.
      case color(Color)
    }

    /// Settings; everything but the view has a default.
    public init(
      title: String = "", view: Rect, background: Background = .sheet,
      style: RenderOptions.Style? = nil, paper: RenderOptions.Paper? = nil,
      earlier: RenderOptions.Earlier? = nil, speed: Double = 1, maximumPause: Double? = nil,
      hold: Double = 1, isLooping: Bool = false, isPlaying: Bool = false,
      poster: [UInt8]? = nil
    ) {
      self.title = title
      self.view = view
      self.background = background
      self.style = style
      self.paper = paper
      self.earlier = earlier
      self.speed = speed
      self.maximumPause = maximumPause
      self.hold = hold
      self.isLooping = isLooping
      self.isPlaying = isPlaying
      self.poster = poster
    }
  }
}

extension HTMLPlayer {
  /// The page for a recording, given as the bytes of a `.pkd` file. They are not checked here; the
  /// page itself reports damage.
  public func page(playing recording: [UInt8]) throws(MissingEngine) -> [UInt8] {
    let engine = try PlayerParts.packedEngine
    var page = Array(head.utf8)
    page += script("settings", "type=\"application/json\"", Array(settings.json.utf8))
    page += data("recording", recording)
    page += data("engine", engine)
    page += data("player", PlayerParts.packedScripts)
    page += Array("<script>".utf8) + PlayerParts.start + Array("</script>\n".utf8)
    return page
  }

  /// A text that changes whenever the scripts of the page change, for caches of pages.
  package static var version: String { PlayerParts.pageHash }

  private var head: String {
    // The policy only confirms the page's behaviour: it loads nothing from elsewhere.
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; \
    worker-src blob:; script-src 'sha256-\(PlayerParts.startHash)' \
    'sha256-\(PlayerParts.pageHash)' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" content="#f4efe6" media="(prefers-color-scheme: light)">
    <meta name="theme-color" content="#171410" media="(prefers-color-scheme: dark)">
    <link rel="icon" href="data:,">
    <title>\(settings.title.escapedForHTML)</title>
    <body>
    <noscript>This page replays a drawing, which needs JavaScript.</noscript>

    """
  }

  /// A script element. The text must not contain a tag.
  private func script(_ id: String, _ attributes: String, _ text: [UInt8]) -> [UInt8] {
    Array("<script id=\"\(id)\" \(attributes)>".utf8) + text + Array("</script>\n".utf8)
  }

  private func data(_ id: String, _ bytes: [UInt8]) -> [UInt8] {
    script(
      id, "type=\"text/plain\" data-count=\"\(bytes.count)\"", SevenBitText.encode(bytes))
  }
}

extension HTMLPlayer.Settings {
  /// The settings as the JSON that the page reads.
  fileprivate var json: String {
    let parts = [view.minX, view.minY, view.width, view.height]
    let isShown = parts.allSatisfy(\.isFinite) && view.width > 0 && view.height > 0
    let region = (isShown ? parts : [0, 0, 1, 1]).map { "\($0)" }.joined(separator: ",")
    let fields = attributes.map { "\($0.0.quotedForScript):\($0.1.quotedForScript)" }
    let poster = poster.map { ",\"poster\":\"data:image/png;base64,\(Base64.encode($0))\"" }
    return """
      {"title":\(title.quotedForScript),"region":[\(region)],\
      "hold":\(hold.isFinite ? max(hold, 0) : 0),"attributes":{\(fields.joined(separator: ","))}\(poster ?? "")}
      """
  }

  /// The attributes of the page's element.
  private var attributes: [(String, String)] {
    let speed =
      speed.isFinite
      ? min(max(speed, HTMLPlayer.speeds.lowerBound), HTMLPlayer.speeds.upperBound) : 1
    let pause = maximumPause.flatMap { $0.isFinite ? max($0, 0) : nil }
    var list = [("speed", "\(speed)"), ("max-pause", pause.map { "\($0)" } ?? "none")]
    if isLooping { list.append(("loop", "")) }
    if isPlaying { list.append(("autoplay", "")) }
    if let style { list.append(("ink", style.rawValue)) }
    if let paper { list.append(("paper", paper.rawValue)) }
    switch background {
    case .sheet: list.append(("background", "sheet"))
    case .page: list.append(("background", "page"))
    case .transparent: list.append(("background", "none"))
    case .color(let color): list.append(("background", color.digits))
    }
    switch earlier {
    case nil: break
    case .sienna: list.append(("earlier", ""))
    case .color(let color): list.append(("earlier", color.digits))
    }
    return list
  }
}

extension Color {
  /// The colour as `#RRGGBBAA` in sRGB; without the last two digits if it is opaque.
  fileprivate var digits: String {
    let shown = converted(to: .sRGB).clamped
    let parts = [shown.red, shown.green, shown.blue] + (shown.alpha < 1 ? [shown.alpha] : [])
    return "#"
      + parts.map { part in
        let digits = String(Int(clamping: (part * 255).rounded()), radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
  }
}

extension String {
  /// The text with the characters escaped that HTML does not allow between tags, or in the values
  /// of attributes.
  package var escapedForHTML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\0": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text as a JSON string that cannot end a script element.
  var quotedForScript: String {
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
