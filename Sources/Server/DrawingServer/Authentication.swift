import DrawingServices
import Glibc
import HTTP
import JSON
import Storage
import Threads
import Tokens

/// Authenticates requests by their tokens.
final class Authentication: Sendable {
  private struct State {
    /// The users of recently verified tokens, and the version of the other issuer's keys.
    var known: [String: (uid: String, until: Double)] = [:]
    var keys = 0
  }

  private let settings: ServerSettings
  private let local: TokenVerifier
  private let external: IssuerKeys?
  private let state = ConditionMutex(State())

  /// The time for which a verified token is not verified again, in seconds. Less than the tolerance
  /// for clocks.
  private static let memorySeconds = 10.0
  private static let memorySize = 10_000

  init(_ settings: ServerSettings, local secret: Secret) throws {
    self.settings = settings
    local = TokenIssuer(secret).verifier
    external = try IssuerKeys(settings)
  }

  func close() { external?.close() }

  /// The caller of a request.
  func caller(_ head: RequestHead, isLocal: Bool) throws(Refusal) -> Caller {
    guard head.has("authorization") else {
      return settings.isDevelopment && isLocal ? .user(Self.developmentUser) : .anonymous
    }
    guard let token = Self.bearerToken(head) else {
      throw .badToken("It must be a bearer token.")
    }
    return .user(try user(of: token))
  }

  /// The token of a request; nil for none.
  static func bearerToken(_ head: RequestHead) -> String? {
    let words = head.text("authorization")?.utf8.split(separator: UInt8(ascii: " "))
    guard let words, words.count == 2,
      ["bearer", "firebase"].contains(Substring(words[0]).lowercased())
    else { return nil }
    return String(Substring(words[1]))
  }

  /// The user of requests without a token in development.
  static let developmentUser = "dev"

  func user(of token: String) throws(Refusal) -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let now = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    let keys = external?.current
    let known = state.withLock { state in
      if state.keys != keys?.version ?? 0 { (state.known, state.keys) = ([:], keys?.version ?? 0) }
      return state.known[token]
    }
    if let known,
      abs(known.until - now) <= Self.memorySeconds,
      now <= known.until
    {
      return known.uid
    }
    let uid = UserName.of(try verifiedUser(of: token, keys?.verifier, at: now))
    state.withLock { state in
      // The keys may have changed meanwhile.
      guard state.keys == keys?.version ?? 0 else { return }
      if state.known.count >= Self.memorySize { state.known = [:] }
      state.known[token] = (uid, now + Self.memorySeconds)
    }
    return uid
  }

  private func verifiedUser(
    of token: String, _ verifier: TokenVerifier?, at now: Double
  ) throws(Refusal) -> String {
    var problem = TokenError.malformed
    do throws(TokenError) {
      return try local.user(of: token, at: now)
    } catch {
      problem = error
    }
    if let verifier {
      do throws(TokenError) {
        return try verifier.user(of: token, at: now)
      } catch {
        if error == .unknownKey { external?.lacksKey() }
        // Of both errors, report that of the token's issuer.
        if error != .wrongIssuer, error != .unknownKey, error != .unknownAlgorithm {
          problem = error
        }
      }
    }
    if settings.isDevelopment, settings.allowsEmulatorTokens, let uid = Self.emulatorUser(token) {
      return uid
    }
    let isForeign = ![.malformed, .expired, .notYetValid, .noUser].contains(problem)
    if external != nil, verifier == nil, isForeign {
      throw Refusal(503, "keys-missing", "The issuer of tokens has not given its keys yet.")
    }
    throw .badToken("The token is not accepted: \(problem.rawValue).")
  }

  // MARK: - Development

  /// The user of an unsigned token from Firebase's emulator.
  private static func emulatorUser(_ token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].isEmpty,
      let header = Base64.decodeURL(parts[0].utf8).flatMap({ try? Fields(json: $0) }),
      header["alg"]?.textValue == "none",
      let claims = Base64.decodeURL(parts[1].utf8).flatMap({ try? Fields(json: $0) })
    else { return nil }
    return (claims["sub"] ?? claims["user_id"])?.textValue
  }

  /// In development every local program has full access, so pages of other sites must have none.
  func checkSite(_ head: RequestHead, _ checked: RequestHead.Checked) throws(Refusal) {
    guard settings.isDevelopment else { return }
    let host = checked.host ?? ""
    guard Server.isLoopback(host) else {
      throw Refusal(
        403, "wrong-host", "In development the host must be this machine.", field: "host")
    }
    guard let origin = head.text("origin"), origin != "http://\(host)",
      !settings.origins.contains(origin), !settings.origins.contains("*")
    else { return }
    throw Refusal(
      403, "wrong-origin", "In development pages of other origins need to be allowed.",
      field: "origin")
  }
}

extension Refusal {
  fileprivate static func badToken(_ detail: String) -> Refusal {
    Refusal(401, "bad-token", detail, field: "authorization")
  }
}
