import DrawingServices
import Glibc
import System
import Threads
import Tokens
import WebClient

/// The keys with which another issuer signs tokens: a file that is read again after changes, or a
/// URL that is fetched again when its last response has expired.
///
/// If new keys cannot be read, the earlier ones stay valid.
final class IssuerKeys: Sendable {
  /// The intervals between fetches, in seconds.
  struct Pace {
    /// The minimum and maximum time between two fetches; the issuer's cache time counts in between.
    var least = 300.0, most = 86_400.0
    /// The interval if the response has no cache time.
    var usual = 3_600.0
    /// The interval after a token with an unknown key: issuers may change keys at any time.
    var afterUnknownKey = 60.0
    /// The interval after the first failure; doubled for each further one, up to `least`.
    var afterFailure = 5.0
  }

  private struct State {
    var verifier: TokenVerifier?
    /// Incremented whenever the keys change.
    var version = 0
    var fileChanged: Int64 = 0
    /// The time of the last check of the file, or of the last fetch.
    var checked = 0.0
    var wantsKeys = false
    var isClosed = false
  }

  private let source: String
  private let settings: ServerSettings
  private let pace: Pace
  private let state = ConditionMutex(State())

  /// Nil if the settings specify no keys. Throws if a file has no valid key; a URL is fetched
  /// later, on a separate thread.
  init?(_ settings: ServerSettings, pace: Pace = Pace()) throws {
    let source = settings.tokenKeys.isEmpty ? Self.googleKeys(settings) : settings.tokenKeys
    guard let source else { return nil }
    self.source = source
    self.settings = settings
    self.pace = pace
    if !isAddress {
      guard try readFile() else {
        throw ServerProblem("'\(source)' holds no key that is strong enough")
      }
    } else if !WebClient.isSafe(source) {
      throw ServerProblem("--token-keys must be a file or an address with https://")
    } else {
      Lanes.begin { self.fetchUntilClosed() }
    }
  }

  /// The URL of the keys of Firebase's ID tokens, published by Google.
  private static func googleKeys(_ settings: ServerSettings) -> String? {
    guard !settings.firebaseProject.isEmpty else { return nil }
    return "https://www.googleapis.com/robot/v1/metadata/x509/"
      + "securetoken@system.gserviceaccount.com"
  }

  func close() { state.change { $0.isClosed = true } }

  /// The current verifier of tokens, nil before the first successful fetch; and a number that
  /// changes with the keys.
  var current: (verifier: TokenVerifier?, version: Int) {
    if !isAddress { readFileIfDue() }
    return state.withLock { ($0.verifier, $0.version) }
  }

  /// Fetches the keys soon, because a token has an unknown one.
  func lacksKey() {
    guard isAddress else { return }
    let now = MonotonicTime.now
    state.change { state in
      if now - state.checked >= pace.afterUnknownKey { state.wantsKeys = true }
    }
  }

  private func take(_ bytes: [UInt8]) -> Bool {
    var keys = TokenKeys(json: bytes, isPublic: isAddress) ?? TokenKeys()
    if keys.isEmpty { _ = keys.add(pem: String(decoding: bytes, as: UTF8.self)) }
    guard !keys.isEmpty else { return false }
    let verifier =
      settings.firebaseProject.isEmpty
      ? TokenVerifier(
        keys: keys, issuer: settings.tokenIssuer.isEmpty ? nil : settings.tokenIssuer,
        audience: settings.tokenAudience.isEmpty ? nil : settings.tokenAudience)
      : .firebase(project: settings.firebaseProject, keys: keys)
    state.withLock { state in
      state.verifier = verifier
      state.version += 1
    }
    return true
  }

  // MARK: - A file

  /// Checks the file at most once a second.
  private func readFileIfDue() {
    let now = MonotonicTime.now
    let isDue = state.withLock { state in
      guard now - state.checked > 1 else { return false }
      state.checked = now
      return true
    }
    if isDue { _ = try? readFile() }
  }

  private func readFile() throws -> Bool {
    var status = stat()
    guard stat(source, &status) == 0 else {
      throw ServerProblem("\(source): \(String(cString: strerror(errno)))")
    }
    let changed = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    guard state.withLock({ $0.fileChanged != changed }) else { return true }
    guard let bytes = try SmallFile.bytes(source, limit: Self.limit), take(bytes) else {
      return false
    }
    state.withLock { $0.fileChanged = changed }
    return true
  }

  private static let limit = 1 << 20

  // MARK: - An address

  private var isAddress: Bool { source.contains("://") }

  private func fetchUntilClosed() {
    var failures = 0
    while true {
      state.withLock { state in
        state.wantsKeys = false
        state.checked = MonotonicTime.now
      }
      let pause: Double
      do {
        pause = try fetch()
        if failures > 0 { report("answers again") }
        failures = 0
      } catch {
        if failures == 0 { report("\(error)") }
        pause = min(pace.afterFailure * Double(1 << min(failures, 10)), pace.least)
        failures += 1
      }
      if !sleep(pause) { return }
    }
  }

  /// Fetches the keys, and returns the seconds for which they are valid.
  private func fetch() throws -> Double {
    let answer = try WebClient.get(source, limit: Self.limit, seconds: 20)
    guard answer.status == 200 else { throw ServerProblem("it answers with \(answer.status)") }
    guard take(answer.body) else { throw ServerProblem("it has no key that is strong enough") }
    return min(max(answer.maximumAge.map(Double.init) ?? pace.usual, pace.least), pace.most)
  }

  /// Sleeps until the timeout or until keys are wanted; false when the server ends.
  private func sleep(_ seconds: Double) -> Bool {
    let end = MonotonicTime.now + seconds
    while true {
      let (isClosed, wantsKeys) = state.withLock { ($0.isClosed, $0.wantsKeys) }
      if isClosed { return false }
      if wantsKeys || MonotonicTime.now >= end { return true }
      usleep(200_000)
    }
  }

  private func report(_ what: String) {
    let line = "pkd: the keys of tokens at \(source): \(what)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
