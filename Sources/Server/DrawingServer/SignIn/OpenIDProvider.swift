import Checksums
import DrawingServices
import HTTP
import JSON
import Storage
import System
import Threads
import Tokens
import WebClient

/// A provider of OpenID Connect: its description and keys, and the exchange of a code.
final class OpenIDProvider: Sendable {
  let issuer: String
  /// The text of the button.
  let name: String
  private let clientID: String
  private let clientSecret: String?

  /// What a provider says about itself (OpenID Connect Discovery, section 3).
  struct Description: Sendable {
    var authorization = ""
    var token = ""
    var keys = ""
    /// The algorithms of ID tokens that it uses and we accept.
    var algorithms: Set<TokenAlgorithm> = []
    var takesBasic = true
    /// Whether it names itself in the redirect back (RFC 9207).
    var namesIssuer = false
  }

  private struct State {
    var description: (value: Description, until: Double)?
    var keys: (value: TokenKeys, until: Double)?
    /// The times of the last fetches of keys because of an unknown one, and of a failure.
    var refreshed = -1e9
    var failed = -1e9
  }
  private let state = ConditionMutex(State())

  private static let limit = 1 << 20
  private static let seconds = 10.0
  /// The bounds of the time for which answers are kept, in seconds, and the pause after a failure.
  private static let leastAge = 300.0, mostAge = 86_400.0, usualAge = 3_600.0
  private static let failurePause = 2.0
  /// The least time between two fetches because of unknown keys.
  private static let refreshPause = 10.0

  /// Nil without a provider in the settings.
  init?(_ settings: ServerSettings) throws {
    guard !settings.openIDIssuer.isEmpty else { return nil }
    guard WebClient.isSafe(settings.openIDIssuer) else {
      throw ServerProblem("--openid-issuer must be an address with https://")
    }
    guard !settings.openIDClientID.isEmpty, !settings.publicURL.isEmpty else {
      throw ServerProblem("--openid-issuer needs --openid-client-id and --public-url")
    }
    issuer = settings.openIDIssuer
    clientID = settings.openIDClientID
    name = settings.openIDName
    if settings.openIDClientSecretFile.isEmpty {
      clientSecret = nil
    } else {
      guard let bytes = try SmallFile.bytes(settings.openIDClientSecretFile, limit: 4096),
        let text = String(validating: bytes, as: UTF8.self)
      else { throw ServerProblem("'\(settings.openIDClientSecretFile)' holds no secret") }
      let secret = String(text.filter { !$0.isWhitespace })
      guard !secret.isEmpty else {
        throw ServerProblem("'\(settings.openIDClientSecretFile)' is empty")
      }
      clientSecret = secret
    }
  }

  /// One sign-in at the provider.
  struct Request {
    let state: String
    let nonce: String
    /// The text whose hash the provider gets, so that nobody else can use the code (RFC 7636).
    let verifier: String
    let redirect: String
  }

  /// The address of the provider's page.
  func address(of request: Request) throws -> String {
    let place = try description().authorization
    let challenge = Base64.encodeURL(SHA256.of(Array(request.verifier.utf8)).bytes)
    let items = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", request.redirect),
      ("scope", "openid profile"), ("state", request.state), ("nonce", request.nonce),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    return place + (place.contains("?") ? "&" : "?") + Self.form(items)
  }

  /// Exchanges the code of a redirect back, and returns the subject. `issuer` is the one that the
  /// redirect names; a wrong one means that another provider has sent it.
  func subject(
    code: String, issuer named: String?, _ request: Request, at now: Double
  ) throws -> String {
    let description = try description()
    guard named == nil ? !description.namesIssuer : named == issuer else { throw Door.refusal }
    var items = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirect),
      ("code_verifier", request.verifier),
    ]
    var fields = [
      (name: "Content-Type", value: "application/x-www-form-urlencoded"),
      (name: "Accept", value: "application/json"),
    ]
    if let clientSecret, description.takesBasic {
      let pair = "\(clientID.percentEncoded):\(clientSecret.percentEncoded)"
      fields.append(("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"))
    } else {
      items.append(("client_id", clientID))
      if let clientSecret { items.append(("client_secret", clientSecret)) }
    }
    let answer: WebAnswer
    do throws(WebProblem) {
      answer = try WebClient.post(
        description.token, fields, body: Array(Self.form(items).utf8), limit: Self.limit,
        seconds: Self.seconds)
    } catch {
      throw Self.away
    }
    guard answer.status == 200, let token = Self.texts(in: answer.body)["id_token"] else {
      throw answer.status >= 500 ? Self.away : Door.refusal
    }
    func user() throws(TokenError) -> String {
      guard let keys = try? keys() else { throw .unknownKey }
      return try TokenVerifier(keys: keys, issuer: issuer, audience: clientID).user(
        ofIDToken: token, nonce: request.nonce, algorithms: description.algorithms, at: now)
    }
    do throws(TokenError) {
      return try user()
    } catch .unknownKey {
      // Providers may change their keys at any time.
      guard mayRefreshKeys() else { throw Door.refusal }
      do throws(TokenError) { return try user() } catch { throw Door.refusal }
    } catch {
      throw Door.refusal
    }
  }

  // MARK: - The provider's answers

  private static let away = Refusal(
    503, "provider-away", "The other service for signing in does not answer; try again later.")

  private func description() throws -> Description {
    let now = MonotonicTime.now
    if let known = state.withLock({ $0.description }), now < known.until { return known.value }
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    let (body, age) = try fetch("\(base)/.well-known/openid-configuration")
    guard let value = description(in: body) else { throw Self.away }
    state.withLock { $0.description = (value, now + age) }
    return value
  }

  private func keys() throws -> TokenKeys {
    let now = MonotonicTime.now
    if let known = state.withLock({ $0.keys }), now < known.until { return known.value }
    let (body, age) = try fetch(description().keys)
    guard let value = TokenKeys(json: body, isPublic: true) else { throw Self.away }
    state.withLock { $0.keys = (value, now + age) }
    return value
  }

  private func mayRefreshKeys() -> Bool {
    let now = MonotonicTime.now
    return state.withLock { state in
      guard now - state.refreshed >= Self.refreshPause else { return false }
      (state.refreshed, state.keys) = (now, nil)
      return true
    }
  }

  private func fetch(_ address: String) throws -> (body: [UInt8], age: Double) {
    let now = MonotonicTime.now
    guard state.withLock({ now - $0.failed >= Self.failurePause }) else { throw Self.away }
    guard
      let answer = try? WebClient.get(address, limit: Self.limit, seconds: Self.seconds),
      answer.status == 200
    else {
      state.withLock { $0.failed = MonotonicTime.now }
      throw Self.away
    }
    let age = answer.maximumAge.map(Double.init) ?? Self.usualAge
    return (answer.body, min(max(age, Self.leastAge), Self.mostAge))
  }

  private func description(in body: [UInt8]) -> Description? {
    guard let fields = try? Fields(json: body), fields["issuer"]?.textValue == issuer else {
      return nil
    }
    func address(_ name: String) -> String {
      fields[name]?.textValue.flatMap { WebClient.isSafe($0) && !$0.contains("#") ? $0 : nil } ?? ""
    }
    func texts(_ name: String) -> [String]? {
      fields[name]?.listValue.map { $0.compactMap(\.textValue) }
    }
    var value = Description()
    value.authorization = address("authorization_endpoint")
    value.token = address("token_endpoint")
    value.keys = address("jwks_uri")
    // RS256 is the default.
    value.algorithms = Set(
      (texts("id_token_signing_alg_values_supported") ?? ["RS256"])
        .compactMap(TokenAlgorithm.init(rawValue:))
    ).subtracting([.hs256])
    value.takesBasic =
      (texts("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"])
      .contains("client_secret_basic")
    value.namesIssuer =
      fields["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    let isComplete = ![value.authorization, value.token, value.keys].contains("")
    return isComplete && !value.algorithms.isEmpty ? value : nil
  }

  /// The texts of an object of JSON; empty for anything else.
  private static func texts(in body: [UInt8]) -> [String: String] {
    guard let fields = try? Fields(json: body) else { return [:] }
    var texts: [String: String] = [:]
    for (name, value) in fields.all { texts[name] = value.textValue }
    return texts
  }

  private static func form(_ items: [(String, String)]) -> String {
    items.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
  }
}
