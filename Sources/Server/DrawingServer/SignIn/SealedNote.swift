import DrawingServices
import JSON
import Storage
import Tokens

/// Notes that a browser keeps for the server during a sign-in, in a cookie: signed, for one purpose
/// and a few minutes. So any server with the same key can read them, and none has to store them.
struct NoteSeal: Sendable {
  private let secret: Secret

  /// The time for which a note is valid, in seconds.
  static let seconds: Int64 = 300

  init(_ secret: Secret) {
    // A different key than those for tokens and links.
    self.secret = Secret(secret.signature(of: Array("sign-in".utf8))) ?? secret
  }

  /// What a note belongs to. A note of one purpose is none of another.
  enum Purpose: String {
    case signIn = "sign-in"
    case register, openid
  }

  func seal(_ fields: Fields, for purpose: Purpose, at now: Moment) -> String {
    let fields = fields.merging(["until": .integer(now.microseconds / 1_000_000 + Self.seconds)])
    let text = Base64.encodeURL(fields.json)
    return "\(text).\(Base64.encodeURL(signature(text, purpose)))"
  }

  /// The fields of a note; nil if it is not one of ours, for another purpose, or too old.
  func open(
    _ text: String, for purpose: Purpose, at now: Moment
  ) -> (fields: Fields, expires: Moment)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let signature = Base64.decodeURL(parts[1].utf8),
      secret.verifies(signature, of: message(String(parts[0]), purpose)),
      let fields = Base64.decodeURL(parts[0].utf8).flatMap({ try? Fields(json: $0) }),
      let until = fields["until"]?.integerValue
    else { return nil }
    let expires = Moment(seconds: until)
    // A clock that was set back must not prolong the time.
    guard now < expires, expires < now + (Self.seconds + 60) else { return nil }
    return (fields, expires)
  }

  private func message(_ text: String, _ purpose: Purpose) -> [UInt8] {
    Array("\(purpose.rawValue) \(text)".utf8)
  }

  private func signature(_ text: String, _ purpose: Purpose) -> [UInt8] {
    secret.signature(of: message(text, purpose))
  }
}
