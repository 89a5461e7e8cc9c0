import Animation
import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// Shared drawings: made and ended by their owners, seen by everybody who has the link.

let shareRoutes: [Route] = [
  Route(
    .post, "/v1/users/{uid}/shares",
    "Share a drawing: {\"drawing\": \"d1\", \"view\": \"picture\" or \"replay\", \"title\": \"…\", \"seconds\": N}. It ends with"
      + " the drawing, and after 30 days unless another time is given, or null for none.",
    body: .json(limit: 16 << 10), answers: [(201, .json("Share"))]
  ) { call in
    guard call.caller == .user(try call.uid) else {
      throw Refusal(403, "not-owner", "This belongs to another user.")
    }
    let fields = try call.fields()
    guard let drawing = fields["drawing"]?.textValue else {
      throw Refusal(422, "missing-field", "The field is needed.", field: "drawing")
    }
    let view = fields["view"] ?? "picture"
    guard view == "picture" || view == "replay" else {
      throw Refusal.badField("view", "It must be 'picture' or 'replay'.")
    }
    var expires: Moment? = call.environment.now() + ShareService.usualSeconds
    if fields["seconds"] == .null {
      expires = nil
    } else if let seconds = fields["seconds"] {
      guard let seconds = seconds.integerValue, 1...Int64(LinkSigner.maximumSeconds) ~= seconds
      else {
        throw Refusal.badField(
          "seconds", "It must be a whole number from 1 to \(LinkSigner.maximumSeconds).")
      }
      expires = call.environment.now() + seconds
    }
    let title = fields["title"] ?? ""
    guard let title = title.textValue, title.utf8.count <= ShareService.titleLimit else {
      throw Refusal.badField("title", "It must be a text of \(ShareService.titleLimit) bytes.")
    }
    let share = try ShareService(call.environment, as: call.caller).share(
      drawing, of: call.uid, showsReplay: view == "replay", title: title, expires: expires)
    return call.json(201, [("Location", call.address(of: share))]) { $0.share(share, call) }
  },
  Route(
    .get, "/v1/users/{uid}/shares", "List the shares of a user, the newest first.",
    answers: [(200, .json("Shares"))]
  ) { call in
    let shares = try ShareService(call.environment, as: call.caller).all(of: call.uid)
    return call.json { json in
      json.object { json in
        json.key("items")
        json.list { json in for share in shares { json.share(share, call) } }
      }
    }
  },
  Route(
    .delete, "/v1/users/{uid}/shares/{id}", "End a share.", answers: [(204, .nothing)]
  ) { call in
    try call.deleted(ShareService(call.environment, as: call.caller).end(call.id, of: call.uid))
  },
  Route(
    .get, "/s/{id}", "The page of a share.", access: .everyone, answers: [(200, .type("text/html"))]
  ) { call in
    let share = try call.share()
    return Response(
      200,
      sharedFields + [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; img-src 'self'; frame-src 'self'; style-src 'unsafe-inline'"
        ),
      ], .bytes(Array(SharePage(share, address: call.address(of: share)).html.utf8)))
  },
  Route(
    .get, "/s/{id}/picture.png", "The picture of a share.", access: .everyone,
    answers: [(200, .type("image/png"))]
  ) { call in
    let share = try call.share()
    var style = RenditionStyle()
    style.side = 1024
    let bytes = try DrawingService(call.environment, as: .user(share.uid))
      .rendition(style, ofDrawing: share.drawing, of: share.uid)
    let tag = EntityTag(String(ContentHash.of(bytes).prefix(32)))
    return try call.conditional(
      Response(
        200, sharedFields + [("Content-Type", "image/png"), ("ETag", tag.headerValue)],
        .bytes(bytes)), tag)
  },
  Route(
    .get, "/s/{id}/replay.html", "The replay of a share.", access: .everyone,
    answers: [(200, .type("text/html"))]
  ) { call in
    let share = try call.share()
    guard share.showsReplay else { throw Call.noShare }
    let title = share.title.isEmpty ? "Pentimento" : share.title
    let bytes = try DrawingService(call.environment, as: .user(share.uid))
      .cached("replay html \(title)", ofDrawing: share.drawing, of: share.uid) {
        try ReplayPictures(recording: $0, side: 512, isDark: false).page(title: title)
      }
    return Response(
      200,
      sharedFields + [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", Call.playerPolicy),
      ], .bytes(bytes))
  },
]

/// Everybody may keep what is shared, for a moment: a share that has ended must soon be gone.
private let sharedFields = [
  ("Cache-Control", "public, max-age=60"), ("X-Robots-Tag", "noindex"),
]

extension Call {
  fileprivate static let noShare = Refusal(
    404, "not-found", "There is nothing here, or not any more.")

  fileprivate func share() throws -> ShareService.Share {
    guard let share = try ShareService.share(id, in: environment) else { throw Self.noShare }
    return share
  }

  fileprivate func address(of share: ShareService.Share) -> String { "\(origin)/s/\(share.id)" }
}

extension JSONWriter {
  fileprivate mutating func share(_ share: ShareService.Share, _ call: Call) {
    object { json in
      json.field("id", share.id)
      json.field("url", call.address(of: share))
      json.field("drawing", share.drawing)
      json.field("view", share.showsReplay ? "replay" : "picture")
      json.field("title", share.title)
      json.field("expires", share.expires?.iso8601)
    }
  }
}

/// The page that a share's link opens: the picture or the replay, and a card for programs that show previews.
private struct SharePage {
  let share: ShareService.Share
  let address: String

  init(_ share: ShareService.Share, address: String) {
    (self.share, self.address) = (share, address)
  }

  var html: String {
    let title = (share.title.isEmpty ? "A drawing" : share.title).escapedForHTML
    let place = address.escapedForHTML
    // The player shows the title itself.
    let content =
      share.showsReplay
      ? "<iframe src=\"\(share.id)/replay.html\" title=\"\(title)\"></iframe>"
      : "<h1>\(title)</h1>\n<img src=\"\(share.id)/picture.png\" alt=\"\(title)\">"
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <meta property="og:type" content="website">
      <meta property="og:title" content="\(title)">
      <meta property="og:url" content="\(place)">
      <meta property="og:image" content="\(place)/picture.png">
      <meta property="og:image:type" content="image/png">
      <meta name="twitter:card" content="summary_large_image">
      <meta name="robots" content="noindex">
      <style>
      :root { color-scheme: light dark; --desk: #f4efe6; --text: #262430; --sheet: #fffdf8 }
      @media (prefers-color-scheme: dark) {
        :root { --desk: #171410; --text: #f1eadd; --sheet: #25211c }
      }
      body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; gap: 16px;
        align-items: center; justify-content: center; background: var(--desk); color: var(--text);
        font: 22px ui-serif, "Songti TC", "Noto Serif CJK TC", serif }
      h1 { margin: 16px 16px 0; font-size: 22px; font-weight: 500; overflow-wrap: anywhere }
      img { max-width: calc(100vw - 32px); max-height: calc(100vh - 110px); background: #fff;
        border-radius: 3px; box-shadow: 0 2px 12px #0003 }
      iframe { border: 0; width: min(1100px, 100vw); height: 100vh }
      </style>
      \(content)
      </html>

      """
  }
}
