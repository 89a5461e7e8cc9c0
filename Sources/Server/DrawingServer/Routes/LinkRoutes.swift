import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// Links that work without a token.

private let linkLimit = 500

let linkRoutes: [Route] = [
  Route(
    .post, "/v1/users/{uid}/links",
    "Sign many links at once: {\"paths\": [\"drawings/d1/render?width=512\", …], \"seconds\": 3600}.",
    body: .json(limit: 256 << 10), answers: [(200, .json("Links"))]
  ) { call in
    let uid = try call.uid
    // A caller who may read the profile may read everything below it, and so all targets of links.
    guard call.caller == .user(uid) else {
      throw Refusal(403, "not-owner", "This belongs to another user.")
    }
    let fields = try call.fields(named: ["paths", "seconds"])
    guard let paths = fields["paths"]?.listValue, 1...linkLimit ~= paths.count else {
      throw Refusal.badField("paths", "It must be a list of 1 to \(linkLimit) paths.")
    }
    var expires = call.server.links.expiry(at: call.environment.now())
    if let seconds = fields["seconds"] {
      guard let seconds = seconds.integerValue, 1...Int64(LinkSigner.maximumSeconds) ~= seconds
      else {
        throw Refusal.badField(
          "seconds", "It must be a whole number from 1 to \(LinkSigner.maximumSeconds).")
      }
      // Rounded up, so that a link never expires early.
      expires = (call.environment.now().microseconds + 999_999) / 1_000_000 + seconds
    }
    var links: [(path: String, link: String)] = []
    for path in paths {
      guard let path = path.textValue else { throw Refusal.badField("paths", "A path is a text.") }
      links.append((path, try call.signedLink(path, of: uid, expires: expires)))
    }
    return call.json { json in
      json.object { json in
        json.field("expires", Moment(seconds: expires).iso8601)
        json.list("items") { json in
          for (path, link) in links {
            json.object { json in
              json.field("path", path)
              json.field("url", link)
            }
          }
        }
      }
    }
  },
  Route(
    .delete, "/v1/users/{uid}/links", "Revoke all links to anything of a user.",
    answers: [(204, .nothing)]
  ) { call in
    try call.server.links.revokeAll(of: call.uid, as: call.caller)
    return Response(204)
  },
]

extension Call {
  /// The time when a target's drawing was first stored; nil if the target is not a drawing.
  fileprivate func made(_ target: RequestTarget) throws -> String? {
    guard let path = target.drawing else { return nil }
    return LinkSigner.made(try environment.documents.read { try $0.readable(path).document })
  }

  /// Throws if the request used a link whose drawing is deleted, or replaced by another one.
  func checkDrawingOfLink() throws {
    guard isSigned, let target = exchange.checked?.target, let wanted = try target.value("made"),
      try made(target) != wanted
    else { return }
    throw Refusal(403, "bad-link", "The link is not valid, or not any more.")
  }

  /// A signed link to a path below a user, which must be that of a readable route.
  fileprivate func signedLink(
    _ path: String, of uid: String, expires: Int64
  ) throws -> String {
    let refusal = Refusal.badField("paths", "A path leads to nothing that can be linked to.")
    let target: RequestTarget
    do throws(Refusal) {
      target = try RequestTarget(Array("/v1/users/\(uid)/\(path)".utf8))
    } catch {
      throw refusal
    }
    guard case .route(let route, _) = server.table.find(.get, target.segments),
      route.path.hasPrefix("/v1/users/{uid}/"), target.segments.count > 3,
      target.segments.allSatisfy({ (try? StorageName.check($0)) != nil }),
      !target.query.contains(where: { LinkSigner.itemNames.contains($0.name) })
    else { throw refusal }
    do throws(Refusal) {
      try route.checkQuery(ofLink: target.query)
    } catch {
      throw Refusal.badField(
        "paths", "\(path.printableASCII): \(error.field ?? ""): \(error.detail)")
    }
    return try server.links.link(
      origin, path: "/" + target.segments.joined(separator: "/"), query: target.query, of: uid,
      expires: expires, made: try made(target))
  }
}

extension RequestTarget {
  /// The drawing in a path: `/v1/users/ann/drawings/d1/…`.
  fileprivate var drawing: DocumentPath? {
    guard segments.count > 4, segments[3] == "drawings" else { return nil }
    return try? DocumentPath("users/\(segments[2])/drawings/\(segments[4])")
  }
}
