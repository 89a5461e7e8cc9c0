import DrawingServices
import HTTP
import JSON
import Storage
import Threads
import Tokens

/// Links that work without a token: signed for one URL of one user, until they expire or the user
/// revokes all of them.
///
/// `/v1/users/ann/drawings/d1/image.png?expires=1795000000&signature=…`: the signature covers the
/// path, all other query items, and a random text that is stored for the user. A new text revokes
/// all earlier links. Links to a drawing also contain the time when it was first stored (`made`),
/// so that they end with it, and do not open a later drawing with the same name.
final class LinkSigner: Sendable {
  private struct Known {
    let text: String
    let until: Moment
  }

  private let service: LinkService
  private let environment: ServiceEnvironment
  private let secret: Secret
  private let seconds: Int64
  private let known = ConditionMutex<[String: Known]>([:])

  /// The time for which a user's text is cached, in seconds. A link that another process has
  /// revoked may work for that long.
  private static let memorySeconds: Int64 = 2
  private static let memorySize = 10_000

  /// The query items that belong to the signature.
  static let itemNames: Set = ["expires", "made", "signature"]

  /// The maximum lifetime of a link, in seconds: a year.
  static let maximumSeconds = 366 * 86_400

  init(_ environment: ServiceEnvironment, _ secret: Secret, seconds: Int) {
    service = LinkService(environment)
    self.environment = environment
    // A different key than that for tokens, so that a link can never be used as a token.
    self.secret = Secret(secret.signature(of: Array("links".utf8))) ?? secret
    self.seconds = Int64(seconds)
  }

  /// The expiry of a link that is made now. Links of the same period are equal, so that browsers
  /// can cache their pictures.
  func expiry(at now: Moment) -> Int64 {
    let second = now.microseconds / 1_000_000
    return (second / seconds + 2) * seconds
  }

  /// The version of the links to a user's files; new links are made when it changes.
  func version(of uid: String, at now: Moment) -> String {
    "\(expiry(at: now) / seconds)\(((try? text(of: uid)) ?? "").prefix(4))"
  }

  /// The time when a drawing was first stored, in the form for links; zero for one without a
  /// document.
  static func made(_ drawing: Document?) -> String {
    String(drawing?.created.microseconds ?? 0, radix: 36)
  }

  /// A link below an origin. `query` are its query items, which precede those of the signature;
  /// `made` identifies the drawing, if it leads to one.
  func link(
    _ origin: String, path: String, query: [RequestTarget.Item] = [], of uid: String,
    expires: Int64, made: String?
  ) throws -> String {
    var items = query + [RequestTarget.Item(name: "expires", value: String(expires))]
    if let made { items.append(RequestTarget.Item(name: "made", value: made)) }
    let signature = Base64.encodeURL(
      secret.signature(of: Self.message(path, items, try text(of: uid))))
    let written = items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
    return "\(origin)\(path)?\(written.joined(separator: "&"))&signature=\(signature)"
  }

  /// The user for whom a target was signed. Throws if the signature is invalid, expired or revoked.
  func owner(of target: RequestTarget, at now: Moment) throws -> String {
    let refusal = Refusal(403, "bad-link", "The link is not valid, or not any more.")
    guard let given = try target.value("signature").flatMap({ Base64.decodeURL($0.utf8) }),
      let expires = try target.value("expires").flatMap({ Int64($0) }),
      expires > now.microseconds / 1_000_000, target.segments.count > 3,
      target.segments[0] == "v1", target.segments[1] == "users"
    else { throw refusal }
    let uid = target.segments[2]
    guard (try? StorageName.check(uid)) != nil else { throw refusal }
    let items = target.query.filter { $0.name != "signature" }
    // The path is decoded: no segment of a route contains a slash.
    guard target.segments.allSatisfy({ !$0.utf8.contains(UInt8(ascii: "/")) }) else {
      throw refusal
    }
    let path = "/" + target.segments.joined(separator: "/")
    // Only reads: documents may only be created by requests of the user.
    let remembered = known(uid)
    guard let text = try remembered ?? service.storedText(of: uid),
      secret.verifies(given, of: Self.message(path, items, text))
    else { throw refusal }
    // The cache time starts at the reading and is not renewed: another server may have revoked the
    // text.
    if remembered == nil { remember(text, of: uid) }
    return uid
  }

  /// Revokes all links of a user.
  func revokeAll(of uid: String, as caller: Caller) throws {
    try service.renew(uid, as: caller)
    forget(uid)
  }

  /// Removes an erased user from the cache.
  func forget(_ uid: String) { known.withLock { $0[uid] = nil } }

  private func text(of uid: String) throws -> String {
    if let text = known(uid) { return text }
    let text = try service.text(of: uid)
    remember(text, of: uid)
    return text
  }

  private func known(_ uid: String) -> String? {
    let now = environment.now()
    // A clock that was set back must not prolong the time.
    return known.withLock { $0[uid] }.flatMap { known in
      now < known.until && known.until < now + (Self.memorySeconds + 1) ? known.text : nil
    }
  }

  private func remember(_ text: String, of uid: String) {
    let until = environment.now() + Self.memorySeconds
    known.withLock { known in
      if known.count >= Self.memorySize { known = [:] }
      known[uid] = Known(text: text, until: until)
    }
  }

  /// The signed bytes. Every part is preceded by its length, so that no two requests give the same
  /// bytes.
  private static func message(
    _ path: String, _ items: [RequestTarget.Item], _ text: String
  ) -> [UInt8] {
    let sorted = items.sorted {
      $0.name != $1.name
        ? $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        : $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
    }
    let parts = ["GET", path, text] + sorted.flatMap { [$0.name, $0.value] }
    return parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
  }
}

extension String {
  /// The text with everything percent-encoded except letters, digits and `-._~`.
  var percentEncoded: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case 45, 46, 48...57, 65...90, 95, 97...122, 126: bytes.append(byte)
      default: bytes += [37, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
