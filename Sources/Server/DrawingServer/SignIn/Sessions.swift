import DrawingServices
import HTTP
import Storage
import Threads

/// The sessions of recent requests, which are not read again for a few seconds.
final class Sessions: Sendable {
  private struct Known {
    let session: SessionService.Session
    let until: Moment
  }

  private let environment: ServiceEnvironment
  private let known = ConditionMutex<[String: Known]>([:])

  /// The time for which a session is remembered, in seconds. One that another server has ended may
  /// work here for that long.
  private static let memorySeconds: Int64 = 3
  private static let memorySize = 10_000

  init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Whether a cookie holds the secret of a session, and not a token.
  static func isSecret(_ text: String) -> Bool { text.hasPrefix(SessionService.prefix) }

  /// The session with a secret.
  func session(of secret: String) throws -> SessionService.Session {
    let key = AccessSecret.name(of: secret)
    let now = environment.now()
    // A clock that was set back must not prolong the time.
    if let found = known.withLock({ $0[key] }), now < found.until,
      found.until < now + (Self.memorySeconds + 1), now < found.session.expires
    {
      return found.session
    }
    guard let session = try SessionService.session(key: key, in: environment) else {
      throw Refusal(401, "bad-token", "The session has ended.", field: "cookie")
    }
    known.withLock { known in
      if known.count >= Self.memorySize { known = [:] }
      known[key] = Known(session: session, until: now + Self.memorySeconds)
    }
    return session
  }

  /// Stores that a session was used, at most once an hour.
  func touch(_ session: SessionService.Session) {
    guard SessionService.isTouchDue(session, at: environment.now()) else { return }
    // The next request tries again.
    guard (try? SessionService.touch(key: session.key, in: environment)) != nil else { return }
    forget([session.key])
  }

  func forget(_ keys: [String]) { known.withLock { known in for key in keys { known[key] = nil } } }

  /// Forgets the sessions of a user, and returns their keys.
  func forgetAll(of uid: String) -> [String] {
    known.withLock { known in
      let keys = known.filter { $0.value.session.uid == uid }.map(\.key)
      for key in keys { known[key] = nil }
      return keys
    }
  }
}
