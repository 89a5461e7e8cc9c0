import PencilKitArchive
import InkFiles
import Animation
import DrawingServices
import Graphics
import HTTP
import HTTPServing
import Rasterization
import Storage

// Pictures that are rendered from recordings on request. With a token, only sizes and colours from
// a short list are allowed, so that nobody can keep the server busy with new ones; a signed link
// may have others.

private let widths = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048]

/// The backgrounds allowed for everybody: none, white, black, and the pages' paper in light and
/// dark.
private let backgrounds = [
  "transparent", "auto", "ffffff", "000000", "fffdf8", "25211c",
]

private let width = QueryParameter(
  "width", .choice(widths.map(String.init)), "The longer side in pixels; 256 unless given.",
  inLinks: .number(1...RenditionStyle.maximumSide))
private let style = QueryParameter(
  "style", .choice(["light", "dark"]), "The surroundings that ink is shown in.")

private let background = QueryParameter(
  "background", .color(among: backgrounds),
  "The background; the page's unless given. 'auto' is the sheet of the server's pages in this style, or that of the other"
    + " style where less than half of the strokes would be seen.",
  inLinks: .color())

private let shape = QueryParameter(
  "shape", .choice(["page", "square"]),
  "Whether the picture has the shape of the page or ink, as it has unless given, or is a square with it in the middle."
)

private let png: [(Int, Route.Content)] = [(200, .type("image/png"))]

extension Call {
  fileprivate func width(_ standard: Int, upTo limit: Int) throws(Refusal) -> Int {
    let width = try number("width") ?? standard
    guard width <= limit || isSigned else {
      throw .badParameter("width", "It may be at most \(limit) here.")
    }
    return width
  }

  fileprivate func isDark() throws(Refusal) -> Bool {
    try text("style") == "dark"
  }

  fileprivate func isSquare() throws(Refusal) -> Bool {
    try text("shape") == "square"
  }

  private static func color(_ digits: String) -> Color? {
    guard digits.utf8.count == 6, let number = UInt32(digits, radix: 16) else { return nil }
    let parts = [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
    return Color(red: parts[0], green: parts[1], blue: parts[2], alpha: 1)
  }

  fileprivate func background() throws(Refusal) -> RenderOptions.Background {
    switch try text("background") {
    case nil: .page
    case "transparent": .transparent
    case "auto": .sheet(try isDark() ? .darkSheet : .lightSheet)
    case let text?: Self.color(text).map { .color($0) } ?? .page
    }
  }

  fileprivate func rendition() throws(Refusal) -> RenditionStyle {
    var style = RenditionStyle()
    style.side = try width(256, upTo: 2048)
    style.isDark = try isDark()
    style.isSquare = try isSquare()
    style.background = try background()
    if let name = try text("paper"), let paper = RenderOptions.Paper(rawValue: name) {
      style.paper = paper
    }
    style.showsEarlier = try text("earlier") == "true"
    return style
  }

  /// A picture that depends only on the recording and the request.
  fileprivate func picture(
    _ bytes: [UInt8], _ type: String, _ fields: [(name: String, value: String)] = []
  ) throws -> Response {
    let tag = EntityTag(String(ContentHash.of(bytes).prefix(32)))
    return try conditional(
      Response(
        200,
        [
          ("Content-Type", type), ("ETag", tag.headerValue), ("Cache-Control", "private, no-cache"),
        ] + fields, .bytes(bytes)), tag)
  }

  /// A replay or a frame of it, from the cache or rendered now.
  fileprivate func replay(
    _ text: String, _ make: (Blob) throws -> [UInt8]
  ) throws -> [UInt8] {
    try DrawingService(environment, as: caller)
      .cached("replay \(text)", ofDrawing: id, of: uid, make)
  }

  /// The content security policy of replay pages: only their own contents.
  static let playerPolicy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    + "style-src 'unsafe-inline'; img-src data: blob:; connect-src data: blob:; sandbox allow-scripts "
    + "allow-downloads"
}

let pictureRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/render", "Render a drawing.",
    query: [
      width, style, background, shape,
      QueryParameter(
        "paper", .choice(RenderOptions.Paper.allCases.map(\.rawValue)),
        "The pattern on the paper; the page's own unless given."),
      QueryParameter(
        "earlier", .choice(["true", "false"]), "Whether earlier strokes show through."),
    ], answers: png
  ) { call in
    let style = try call.rendition()
    let bytes = try DrawingService(call.environment, as: call.caller)
      .rendition(style, ofDrawing: call.id, of: call.uid)
    return try call.picture(bytes, "image/png")
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/replay.apng", "The replay of a drawing as animated PNG.",
    query: [width, style], answers: [(200, .type("image/apng"))]
  ) { call in
    let (side, isDark) = (try call.width(256, upTo: 512), try call.isDark())
    let bytes = try call.replay("apng \(side) \(isDark)") {
      try ReplayPictures(recording: $0, side: side, isDark: isDark).apng()
    }
    return try call.picture(bytes, "image/apng")
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/replay.html",
    "The replay of a drawing as a page that plays it.", answers: [(200, .type("text/html"))]
  ) { call in
    let id = try call.id
    let bytes = try call.replay("html \(HTMLPlayer.version)") {
      try ReplayPictures(recording: $0, side: 512, isDark: false).page(title: id)
    }
    return try call.picture(
      bytes, "text/html; charset=utf-8", [("Content-Security-Policy", Call.playerPolicy)])
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/archive.drawing",
    "The drawing as an archive of PencilKit, without its replay.",
    answers: [(200, .type("application/octet-stream"))]
  ) { call in
    let bytes = try call.replay("archive") { recording in
      let strokes = try DrawingFile(own: recording.bytes).strokes()
      if let damage = strokes.damage.first { throw ServiceError.notRenderable("\(damage)") }
      return strokes.drawing.dataRepresentation()
    }
    return try call.picture(
      bytes, "application/octet-stream",
      [("Content-Disposition", "attachment; filename=\"\(call.id).drawing\"")])
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/frames/{number}",
    "The page at a part of its replay: frame 50 of 100 is the middle.",
    query: [
      width, style, background, shape,
      QueryParameter("of", .number(1...10_000), "The last frame; 100 unless given."),
    ], answers: png
  ) { call in
    let count = try call.number("of") ?? 100
    guard let number = Int(try call.parameter("number")), 0...count ~= number else {
      throw Refusal(404, "no-frame", "The frames are 0 to \(count).")
    }
    let (side, isDark) = (try call.width(256, upTo: 1024), try call.isDark())
    let (background, isSquare) = (try call.background(), try call.isSquare())
    // Equal fractions share one cache entry.
    let part = (Double(number) / Double(count) * 10_000).rounded() / 10_000
    let look = "\(background)\(isSquare ? " square" : "")"
    let bytes = try call.replay("frame \(part) \(side) \(isDark) \(look)") {
      try ReplayPictures(
        recording: $0, side: side, isDark: isDark, background: background, isSquare: isSquare
      ).frame(at: part)
    }
    return try call.picture(bytes, "image/png")
  },
]
