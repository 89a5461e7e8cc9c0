import Animation
import DrawingServices
import HTTP
import HTTPServing
import WebPages

// The pages and their resources. They are public, since they contain no data.

let pageRoutes: [Route] =
  WebPages.addresses.map { address, name in
    pageRoute(address, "A page, or what belongs to all of them.", "text/html") { call in
      let hasJournal = call.server.settings.hasJournal
      guard hasJournal || !WebPages.isOfJournal(name) else { return nil }
      let file = hasJournal ? WebPages.file(name) : WebPages.fileWithoutJournal(name)
      // Browsers revalidate it on every use.
      return call.send(file, caching: "no-cache")
    }
  } + [
    // The URL has a version, so its content never changes, and a page never mixes two versions.
    pageRoute(
      "/assets/{version}/{name...}", "A file of the pages.", "application/octet-stream"
    ) { call in
      guard try call.parameter("version") == WebPages.version else { return nil }
      let name = try call.parameter("name")
      let file = WebPages.file(name)
      if let file = call.send(file, caching: "public, max-age=31536000, immutable") { return file }
      guard WebPages.isEngine(name) else { return nil }
      throw Refusal(501, "not-built", "\(MissingEngine())")
    }
  ]

private func pageRoute(
  _ path: String, _ summary: String, _ type: String,
  _ file: @escaping @Sendable (Call) throws -> Response?
) -> Route {
  Route(
    .get, path, summary, access: .everyone, answers: [(200, .type(type))],
    quick: { call in call.addressWithoutSlash() ?? (try? file(call)) }
  ) { call in
    guard let response = try call.addressWithoutSlash() ?? file(call) else {
      throw Refusal(404, "not-found", "There is nothing at this address.")
    }
    return response
  }
}

extension Call {
  /// A redirect to the URL of a page without its final slash; nil if there is none. With the slash,
  /// browsers would look for the page's relative resources one level too deep.
  func addressWithoutSlash() -> Response? {
    let target = String(decoding: exchange.rawTarget, as: UTF8.self)
    let path = target.prefix { $0 != "?" }
    guard path.last == "/", let name = path.split(separator: "/").last else { return nil }
    let address = "../\(name)\(target.dropFirst(path.count))"
    return Response(308, [("Location", address), ("Cache-Control", "no-cache")])
  }

  /// A file of the pages, compressed if the client accepts that; nil if there is none.
  fileprivate func send(_ file: WebPages.File?, caching: String) -> Response? {
    guard let file else { return nil }
    let tag = EntityTag(file.tag)
    var fields = [
      ("Content-Type", file.mediaType), ("ETag", tag.headerValue), ("Vary", "Accept-Encoding"),
      ("Cache-Control", caching), ("Content-Security-Policy", WebPages.policy),
    ]
    guard let outcome = try? conditions().outcome(method, current: tag), outcome != .failed else {
      return nil
    }
    if outcome == .notModified { return Response(304, fields) }
    guard let packed = file.packed, exchange.head?.list("accept-encoding")?.contains("gzip") == true
    else { return Response(200, fields, .bytes(file.bytes)) }
    fields.append(("Content-Encoding", "gzip"))
    return Response(200, fields, .bytes(packed))
  }
}
