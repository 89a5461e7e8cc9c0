import Checksums
import Glibc
package import Storage
import Threads
import WebClient

/// A client of a bucket. It keeps connections open, signs requests, and retries after temporary
/// errors.
package final class ObjectClient: Sendable {
  package struct Options: Sendable {
    /// A PEM file of the trusted authorities that replace the system's.
    package var certificates: String?
    /// The maximum number of concurrent requests; others wait.
    package var connections = 64
    /// The time for retries of a request, in seconds since its start.
    package var patience = 10.0
    /// The maximum time in which nothing is sent or received, in seconds.
    package var silenceSeconds = 10.0
    /// The timeout of one attempt in which bytes are transferred, in seconds.
    package var seconds = 60.0
    package var now: @Sendable () -> Moment

    package init(now: @escaping @Sendable () -> Moment) { self.now = now }
  }

  package let address: ObjectAddress
  private let options: Options
  /// The current credentials: other programs renew temporary ones.
  let credentials: @Sendable () throws -> ObjectCredentials
  private let pool = ConditionMutex((idle: [WebConnection](), count: 0))
  /// The lead of the store's clock over ours in microseconds; zero until the store reveals it.
  private let lead = ConditionMutex<Int64>(0)
  private let bucket = ConditionMutex(false)
  private let presence = ConditionMutex(StorePresence())

  package init(
    _ address: ObjectAddress, _ options: Options,
    credentials: @escaping @Sendable () throws -> ObjectCredentials
  ) {
    (self.address, self.options, self.credentials) = (address, options, credentials)
  }

  typealias Items = [(name: String, value: String)]

  /// A request for an object, or for the bucket if the key is empty.
  struct Request {
    var method: WebConnection.Method
    var key = ""
    var query: Items = []
    var fields: Items = []
    var body: [UInt8] = []
    var limit = 1 << 20
  }

  /// The response to a request, including a permanent refusal. Throws if there is none in time, or
  /// at once if other requests have already failed.
  func answer(_ request: Request) throws(StorageError) -> WebAnswer {
    let begun = Self.now()
    var backoff = 0.1
    var hasRenewed = false
    while true {
      let failure: StorageError
      do throws(WebProblem) {
        let answer = try send(request)
        switch answer.status {
        case 403 where !hasRenewed && correctClock(answer):
          hasRenewed = true
          continue
        case 409, 429, 500...: failure = error(answer, request)
        default:
          presence.withLock { $0.noteAnswer(at: Self.now()) }
          return answer
        }
        if answer.status < 500 { presence.withLock { $0.noteAnswer(at: Self.now()) } }
      } catch {
        failure = StorageError(.unavailable(error.description), address.description)
        switch error.kind {
        case .cannotConnect, .interrupted, .timeout: break
        default: throw failure
        }
      }
      guard Self.now() - begun < options.patience else {
        let isNews = presence.withLock {
          $0.noteFailure(failure.reason, ofRequestBegunAt: begun)
        }
        if isNews { waitForStore(request.key) }
        throw failure
      }
      usleep(UInt32(backoff * Double.random(in: 0.5..<1) * 1e6))
      backoff = min(backoff * 2, 2)
    }
  }

  /// Polls the store with requests for an object, on a separate thread, until it responds. Ordinary
  /// requests would block their callers for as long as the store is silent.
  private func waitForStore(_ key: String) {
    let pause = options.patience / 4
    let isBegun = Lanes.begin { [weak self] in
      repeat { usleep(UInt32(pause * 1e6)) } while self.map { !$0.findsStore(key) } ?? false
    }
    // Without the thread, ordinary requests have to detect the store's return.
    if !isBegun { presence.withLock { $0.noteAnswer(at: Self.now()) } }
  }

  private func findsStore(_ key: String) -> Bool {
    do throws(WebProblem) {
      let answer = try send(
        Request(method: .head, key: key), isTrial: true,
        seconds: min(options.patience / 2, options.seconds))
      guard answer.status < 500 else { return false }
    } catch {
      return false
    }
    presence.withLock { $0.noteAnswer(at: Self.now()) }
    return true
  }

  /// Seconds of the monotonic clock.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func send(
    _ request: Request, isTrial: Bool = false, seconds: Double? = nil
  ) throws(WebProblem) -> WebAnswer {
    let path = address.path(request.key)
    let signer: ObjectSignature
    do {
      signer = try signature()
    } catch {
      throw WebProblem(.other, "there are no credentials: \(error)")
    }
    // Over an encrypted connection the hash of the body proves nothing more, and takes a
    // millisecond for two megabytes. Stored bytes have their own hash.
    let isProtected = address.base.hasPrefix("https:")
    let hash = isProtected ? ObjectSignature.unsignedBody : "\(SHA256.of(request.body))"
    let signed = signer.fields(
      request.method.rawValue, host: address.host, path: path, query: request.query,
      fields: request.fields, bodyHash: hash)
    let query = ObjectSignature.text(of: request.query)
    if !isTrial { try checkPresence() }
    let connection = try takeConnection()
    defer { giveBack(connection) }
    // Checked again, since other requests may have failed while it waited for the connection.
    if !isTrial { try checkPresence() }
    return try connection.request(
      request.method, query.isEmpty ? path : "\(path)?\(query)", fields: request.fields + signed,
      body: request.body, limit: request.limit, seconds: seconds ?? options.seconds)
  }

  private func checkPresence() throws(WebProblem) {
    if let reason = presence.withLock({ $0.failure }) { throw WebProblem(.other, reason) }
  }

  func signature() throws -> ObjectSignature {
    let now = options.now()
    let lead = lead.withLock { $0 }
    return ObjectSignature(
      try credentials(), region: address.region,
      at: Moment(microseconds: now.microseconds + lead))
  }

  /// The maximum clock difference, in microseconds, that cannot be the reason of a refusal.
  private static let acceptedDifference: Int64 = 60_000_000

  /// Whether a refusing store's clock differs, which is then used from now on. The refusal does not
  /// always state this reason.
  private func correctClock(_ answer: WebAnswer) -> Bool {
    guard let date = answer.field("date").flatMap(Moment.init(httpDate:)) else { return false }
    let difference = date.microseconds - options.now().microseconds
    return lead.withLock { lead in
      guard abs(difference - lead) > Self.acceptedDifference else { return false }
      lead = difference
      return true
    }
  }

  // MARK: - Connections

  private func takeConnection() throws(WebProblem) -> WebConnection {
    let limit = options.connections
    let idle: WebConnection?? = pool.wait { pool -> WebConnection?? in
      if let idle = pool.idle.popLast() { return .some(idle) }
      guard pool.count < limit else { return nil }
      pool.count += 1
      return .some(nil)
    }
    if case .some(.some(let connection)) = idle { return connection }
    do throws(WebProblem) {
      var options = WebConnection.Options(
        certificates: options.certificates, connectSeconds: 5,
        silenceSeconds: options.silenceSeconds)
      options.allowsPlainHTTP = true
      return try WebConnection(address.base, options)
    } catch {
      pool.change { $0.count -= 1 }
      throw error
    }
  }

  private func giveBack(_ connection: WebConnection) {
    pool.changeForOne { $0.idle.append(connection) }
  }

  // MARK: - Failures

  var bucketIsMissing: StorageError {
    StorageError(.unavailable("the bucket is missing"), address.description)
  }

  /// Whether the bucket existed at the last check.
  var isBucketKnown: Bool { bucket.withLock { $0 } }

  func noteBucket() { bucket.withLock { $0 = true } }

  /// The error of a refused request.
  func error(_ answer: WebAnswer, _ request: Request) -> StorageError {
    let failure = ObjectFailure(answer)
    let subject = request.key.isEmpty ? address.description : request.key
    switch (answer.status, failure.code) {
    case (_, "NoSuchBucket"): return bucketIsMissing
    case (404, _): return StorageError(.notFound, subject)
    case (401, _), (403, _):
      return StorageError(
        .unavailable("the store refuses the credentials (\(failure.code))"), address.description)
    case (507, _), (_, "QuotaExceeded"): return StorageError(.full, subject)
    default:
      return StorageError(
        .unavailable("the store answers \(answer.status) \(failure.code)"), subject)
    }
  }
}

/// A store's reason for refusing a request.
struct ObjectFailure {
  /// The error code, such as `NoSuchKey`; empty if there is none.
  let code: String

  init(_ answer: WebAnswer) {
    let found = (try? ObjectXML.read(answer.body))?.first { $0.name == "Code" }?.text ?? ""
    code = String(found.prefix(60).filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
