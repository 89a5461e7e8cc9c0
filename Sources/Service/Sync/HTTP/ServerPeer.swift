package import DrawingServices
import JSON
import Storage
package import WebClient

/// The other place as a server that runs `pkd serve`.
package final class ServerPeer: SyncPeer {
  private let application: Application
  private let connection: WebConnection
  private let path: String
  /// Reads the device's token. Called again after a refusal, since tokens expire.
  private let readToken: () -> String
  private var token: String

  /// The maximum size of a response in bytes, with files and documents.
  private static let answerLimit = 32 << 20
  /// The time limit of a request at the server, which renders drawings.
  private static let answerSeconds = 600.0

  package init(
    _ application: Application, _ base: String, of uid: String,
    _ options: WebConnection.Options = WebConnection.Options(),
    token readToken: @escaping () -> String
  ) throws(SyncProblem) {
    self.application = application
    do throws(WebProblem) {
      connection = try WebConnection(base, options)
    } catch {
      throw SyncProblem(.unexpected, error.description)
    }
    path = "/v1/users/\(uid)"
    self.readToken = readToken
    token = readToken()
  }

  /// The bytes of all requests and responses so far.
  package var traffic: (sent: Int, received: Int) { connection.traffic }

  /// Closes the connection and aborts running requests.
  package func end() { connection.close() }

  private var fields: [(name: String, value: String)] {
    token.isEmpty ? [] : [("Authorization", "Bearer \(token)")]
  }

  package func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse {
    let answer = try send(
      .post, "\(path)/sync", [("Content-Type", "application/cbor")], request.fields().bytes)
    do {
      return try SyncResponse(Fields(bytes: answer.body), in: application)
    } catch {
      throw SyncProblem(.unexpected, "the answer of the server cannot be read: \(error)")
    }
  }

  package func upload(
    _ bytes: [UInt8], of sha256: String, at offset: Int
  ) throws(SyncProblem) -> Int {
    let path = "\(path)/sync/files/\(sha256)"
    let answer =
      bytes.isEmpty
      ? try send(.get, path, [], [])
      : try send(
        .put, "\(path)?offset=\(offset)", [("Content-Type", "application/octet-stream")], bytes)
    guard let fields = try? Fields(json: answer.body),
      let count = fields["count"]?.integerValue.flatMap({ Int(exactly: $0) })
    else { throw SyncProblem(.unexpected, "the answer of the server cannot be read") }
    return count
  }

  private func send(
    _ method: WebConnection.Method, _ path: String, _ more: [(name: String, value: String)],
    _ body: [UInt8]
  ) throws(SyncProblem) -> WebAnswer {
    var answer = try ask(method, path, fields + more, body)
    if answer.status == 401 {
      let newer = readToken()
      if newer != token {
        token = newer
        answer = try ask(method, path, fields + more, body)
      }
    }
    guard answer.status != 200 else { return answer }
    throw SyncProblem(answer)
  }

  private func ask(
    _ method: WebConnection.Method, _ path: String, _ fields: [(name: String, value: String)],
    _ body: [UInt8]
  ) throws(SyncProblem) -> WebAnswer {
    do throws(WebProblem) {
      return try connection.request(
        method, path, fields: fields, body: body, limit: Self.answerLimit,
        seconds: Self.answerSeconds)
    } catch {
      throw SyncProblem(error)
    }
  }

  // MARK: - Changes as they happen

  /// Calls a body whenever something has changed at the server, until it returns false, the server
  /// ends the stream or another thread calls `end`. The body is also called for the server's signs
  /// of life.
  package func listen(_ body: (_ hasChanged: Bool) -> Bool) throws(SyncProblem) {
    var hasBegun = false
    let answer: WebAnswer
    do throws(WebProblem) {
      answer = try connection.stream("\(path)/events?content=brief", fields: fields) { bytes in
        // Changes between the last sync and this stream are not reported by it.
        defer { hasBegun = true }
        return body(!hasBegun || bytes.contains(UInt8(ascii: "{")))
      }
    } catch {
      throw SyncProblem(error)
    }
    guard answer.status == 200 else { throw SyncProblem(answer) }
  }
}

extension SyncProblem {
  fileprivate init(_ problem: WebProblem) {
    switch problem.kind {
    case .cannotConnect, .timeout, .interrupted:
      self.init(.offline, "offline: \(problem.description)")
    case .tooLarge: self.init(.tooLarge, problem.description)
    case .ended: self.init(.ended, problem.description)
    case .busy: self.init(.busy, problem.description)
    case .unsafeAddress, .unsafeField, .certificate, .other:
      self.init(.unexpected, problem.description)
    }
  }

  /// The problem of a response with another status than 200.
  fileprivate init(_ answer: WebAnswer) {
    let problem = try? Fields(json: answer.body)
    let detail = problem?["detail"]?.textValue ?? "the server answers \(answer.status)"
    let seconds = answer.field("retry-after").flatMap { Double($0) }
    switch answer.status {
    case 401, 403: self.init(.signIn, detail)
    case 413: self.init(.tooLarge, detail)
    case 408, 429, 500...599: self.init(.busy, detail, waitSeconds: seconds)
    case 404, 405:
      self.init(.unexpected, "there is no server for sync at this address (\(answer.status))")
    default: self.init(.unexpected, detail)
    }
  }
}
