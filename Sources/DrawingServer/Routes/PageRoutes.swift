import HTTP
import HTTPServing
import WebPages

// The pages and what they load. Everybody may have them: they hold no data.

let pageRoutes: [Route] =
  WebPages.addresses.map { address, name in
    Route(
      .get, address, "A page, or what belongs to all of them.", access: .everyone,
      answers: [(200, .type("text/html"))], quick: { $0.page(name) }
    ) { call in
      guard let response = call.page(name) else { throw Call.noPage }
      return response
    }
  } + [
    Route(
      .get, "/assets/{name...}", "A file of the pages.", access: .everyone,
      answers: [(200, .type("application/octet-stream"))],
      quick: { call in (try? call.parameter("name")).flatMap { call.page($0) } }
    ) { call in
      guard let response = call.page(try call.parameter("name")) else { throw Call.noPage }
      return response
    }
  ]

extension Call {
  fileprivate static let noPage = Refusal(404, "not-found", "There is nothing at this address.")

  /// A file of the pages, compressed if the client takes that; nil if there is none.
  fileprivate func page(_ name: String) -> Response? {
    guard let file = WebPages.file(name) else { return nil }
    let tag = EntityTag(file.tag)
    var fields = [
      ("Content-Type", file.mediaType), ("ETag", tag.headerValue), ("Vary", "Accept-Encoding"),
      // Browsers ask each time whether it is still the same, so that no page has parts of two versions.
      ("Cache-Control", "no-cache"), ("Content-Security-Policy", WebPages.policy),
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
