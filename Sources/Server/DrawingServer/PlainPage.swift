import Animation
import HTTP
import HTTPServing
import WebPages

/// A page without scripts: a share, or the reason of a refusal.
struct PlainPage {
  let title: String
  var language = "en"
  /// Further elements of the head.
  var head = ""
  /// CSS rules for this page alone.
  var style = ""
  let body: String

  /// The content security policy of these pages: show a picture of this server, and link elsewhere.
  /// Other sites may show a share in a frame.
  static let policy =
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; "
    + "form-action 'none'"

  var html: [UInt8] {
    Array(
      """
      <!doctype html>
      <html lang="\(language)">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title.escapedForHTML)</title>
      <meta name="robots" content="noindex">
      \(head)<style>
      :root { color-scheme: light dark; --desk: #f4efe6; --text: #262430; --muted: #6a6460;
        --call: #262430; --on-call: #fffdf8 }
      @media (prefers-color-scheme: dark) {
        :root { --desk: #171410; --text: #f1eadd; --muted: #b3a999; --call: #f1eadd;
          --on-call: #171410 }
      }
      body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex;
        flex-direction: column; gap: 16px; align-items: center; justify-content: center;
        background: var(--desk); color: var(--text); overflow-wrap: anywhere;
        font: 18px/1.5 ui-serif, "Songti TC", "Noto Serif CJK TC", serif }
      h1 { margin: 16px 16px 0; font-size: 22px; line-height: 1.3; font-weight: 500 }
      \(style)</style>
      \(body)
      </html>

      """.utf8)
  }
}

// MARK: - Why there is nothing

extension PlainPage {
  /// The page of a refusal for people in a browser; nil for programs.
  ///
  /// Browsers request `text/html` exactly for pages. Some libraries do so, too, but clients of this
  /// server also send a token. `home` is the URL of the gallery.
  init?(_ refusal: Refusal, _ exchange: Exchange, home: String) {
    guard let head = exchange.head, head.text("authorization") == nil,
      [Array("GET".utf8), Array("HEAD".utf8)].contains(head.method),
      Self.wantsPage(head.list("accept") ?? "")
    else { return nil }
    let isChinese = Self.wantsChinese(head.list("accept-language") ?? "")
    let words = Words(refusal, isChinese: isChinese)
    self.init(
      title: words.title, language: isChinese ? "zh-TW" : "en",
      style: """
        p { margin: 0 16px; max-width: 28em; text-align: center }
        h1 { text-align: center }
        .code { margin-bottom: -16px; color: var(--muted); font-size: 16px }
        a { display: inline-block; margin: 8px 16px; padding: 0 20px; border-radius: 999px;
          background: var(--call); color: var(--on-call); line-height: 44px;
          text-decoration: none; font-family: ui-sans-serif, system-ui, sans-serif }

        """,
      body: """
        <p class="code">\(refusal.status)</p>
        <h1>\(words.title.escapedForHTML)</h1>
        <p>\(words.text.escapedForHTML)</p>
        <a href="\(home.escapedForHTML)">\(isChinese ? "到畫廊" : "To the gallery")</a>
        """)
  }

  /// Whether an `Accept` value prefers HTML to JSON.
  static func wantsPage(_ accept: String) -> Bool {
    var page = 0.0
    var json = 0.0
    for part in accept.split(separator: ",") {
      guard let type = MediaType(String(part)) else { continue }
      let weight = type.parameters["q"].map { Double($0) ?? 0 } ?? 1
      switch type.name {
      case "text/html": page = max(page, weight)
      case "application/json", Refusal.mediaType: json = max(json, weight)
      default: break
      }
    }
    return page > json
  }

  /// Whether the client's first language is Chinese, by the same rule as in the server's pages.
  private static func wantsChinese(_ languages: String) -> Bool {
    languages.prefix(2).lowercased() == "zh"
  }

  private struct Words {
    let title: String
    let text: String

    init(_ refusal: Refusal, isChinese: Bool) {
      let (english, chinese): ((String, String), (String, String)) =
        switch refusal.code {
        case "bad-link":
          (
            ("This link has ended", "Ask whoever gave it to you for a new one."),
            ("這個連結已失效", "請向給你連結的人索取新的連結。")
          )
        case "no-token", "bad-token":
          (("Not signed in", "Sign in first; the gallery asks for it."), ("尚未登入", "請先登入，畫廊會引導你。"))
        default:
          switch refusal.status {
          case 404:
            (
              (
                "There is nothing here",
                "The address may have a mistake, or what was here has ended or was deleted."
              ),
              ("這裡什麼都沒有", "網址可能有誤，或是原本的內容已失效或被刪除。")
            )
          case 500...: (("It does not work just now", "Try again later."), ("目前無法使用", "請稍後再試。"))
          default:
            ((Refusal.title(ofStatus: refusal.status), refusal.detail), ("無法開啟", refusal.detail))
          }
        }
      (title, text) = isChinese ? chinese : english
    }
  }
}
