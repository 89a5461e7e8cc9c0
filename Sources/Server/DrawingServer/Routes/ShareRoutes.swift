import Animation
import DrawingServices
import HTTP
import HTTPServing
import JSON
import Rasterization
import Storage
import WebPages

// Shared drawings: created and ended by their owners, visible to everybody with the link.

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
    let fields = try call.fields(named: ["drawing", "view", "title", "seconds"])
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
        json.list("items", shares) { json, share in json.share(share, call) }
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
    if let address = call.addressWithoutSlash() { return address }
    let page = try PlainPage(
      share, size: call.pictureSize(of: share), address: call.address(of: share))
    return Response(
      200,
      sharedFields + [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", PlainPage.policy),
      ], .bytes(page.html))
  },
  Route(
    .get, "/s/{id}/picture.png", "The picture of a share.", access: .everyone,
    answers: [(200, .type("image/png"))]
  ) { call in
    let bytes = try call.picture(of: call.share())
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
    if let address = call.addressWithoutSlash() { return address }
    let title = share.title.isEmpty ? "Pentimento" : share.title
    let bytes = try DrawingService(call.environment, as: .user(share.uid))
      .cached(
        "replay html \(HTMLPlayer.version) \(title)", ofDrawing: share.drawing, of: share.uid
      ) {
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

/// Caches may keep shared content for a short time only: an ended share must disappear soon.
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

  /// The picture of a share, rendered once and then cached.
  fileprivate func picture(of share: ShareService.Share) throws -> [UInt8] {
    var style = RenditionStyle()
    style.side = 1024
    (style.margin, style.background) = (.ofThumbnails, .automatic)
    return try DrawingService(environment, as: .user(share.uid))
      .rendition(style, ofDrawing: share.drawing, of: share.uid)
  }

  /// The size of the picture of a share; nil if it has none because the recording is damaged or
  /// lost. Throws for temporary problems, such as an unreachable bucket: otherwise the page without
  /// a picture would be cached.
  fileprivate func pictureSize(
    of share: ShareService.Share
  ) throws -> (width: Int, height: Int)? {
    do {
      let bytes = try picture(of: share)
      guard bytes.count >= 24 else { return nil }
      func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      return (number(16), number(20))
    } catch  where Refusal(error).status != 503 {
      return nil
    }
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

extension PlainPage {
  /// The page of a share's link: the picture, and a card for link previews. The replay has a page
  /// of its own behind the picture, so that viewers of the picture do not load player and
  /// recording.
  fileprivate init(
    _ share: ShareService.Share, size: (width: Int, height: Int)?, address: String
  ) {
    let name = share.title.isEmpty ? "A drawing" : share.title
    let title = name.escapedForHTML
    let place = address.escapedForHTML
    let description =
      share.showsReplay ? "A drawing, and how it was drawn." : "A drawing, made with Pentimento."
    var head = """
      <link rel="icon" href="../assets/\(WebPages.version)/icon.svg">
      <meta name="description" content="\(description)">
      <meta property="og:type" content="website">
      <meta property="og:title" content="\(title)">
      <meta property="og:description" content="\(description)">
      <meta property="og:url" content="\(place)">

      """
    var picture = "<p>This drawing cannot be shown.</p>"
    if let size {
      let sides = "width=\"\(size.width)\" height=\"\(size.height)\""
      head += """
        <meta property="og:image" content="\(place)/picture.png">
        <meta property="og:image:type" content="image/png">
        <meta property="og:image:width" content="\(size.width)">
        <meta property="og:image:height" content="\(size.height)">
        <meta name="twitter:card" content="summary_large_image">

        """
      picture = "<img src=\"\(share.id)/picture.png\" \(sides) alt=\"\(title)\">"
      if share.showsReplay {
        picture = """
          <a href="\(share.id)/replay.html#play" aria-label="Play: \(title)">\(picture)
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M8 5.5v13l11-6.5z"/></svg></a>
          <p><a href="../watch?share=\(share.id)">Watch live</a></p>
          """
      }
    }
    self.init(
      title: name, head: head,
      style: """
        img { display: block; width: auto; height: auto; max-width: calc(100vw - 32px);
          max-height: calc(100vh - 110px); background: #fff; border-radius: 3px;
          box-shadow: 0 2px 12px #0003 }
        a { position: relative; border-radius: 3px }
        a:focus-visible { outline: 3px solid; outline-offset: 3px }
        svg { position: absolute; inset: 0; margin: auto; box-sizing: border-box; width: 72px;
          height: 72px; padding: 18px; border-radius: 50%; background: #262430e6; fill: #fffdf8 }
        a:hover svg { background: #262430 }

        """,
      body: "<h1>\(title)</h1>\n\(picture)")
  }
}
