import Foundation
import Graphics
import PKDFormat
import Strokes
import TestSupport
import Testing
import Threads
import WebClient

/// Devices that store one drawing after the other, like apps. A drawing that was not acknowledged
/// is sent again, to the next server, until it is.
final class Load: Sendable {
  /// A stored drawing.
  struct Drawing: Hashable, Sendable {
    let uid: String
    let id: String
    let seed: UInt64

    var path: String { "/v1/users/\(uid)/drawings/\(id)/recording.pkd" }
    var recording: [UInt8] { (try? Ink.small(seed)) ?? [] }
  }

  struct Seen: Sendable {
    var stored: [Drawing] = []
    /// The number of drawings that were sent more than once.
    var repeated = 0
    /// The number of answers by status.
    var statuses: [Int: Int] = [:]
    /// Answers that should never occur.
    var odd: [String] = []
    /// Requests without an answer: the connection could not be made, or was lost.
    var unanswered: [String] = []
    /// The duration of the slowest answer in seconds.
    var slowest = 0.0
  }

  private struct State {
    var seen = Seen()
    var isOver = false
    var running: Int
  }

  private let state: ConditionMutex<State>

  /// The maximum duration of a request in seconds: after that `pkd sync` gives up, and nginx after
  /// twice as long.
  static let limit = 30.0

  /// Begins to send. Each writer sends to one of the URLs, and to the next if that one fails.
  init(
    writers: Int, users: Int, _ name: String, tokens: [String], to urls: [String]
  ) {
    state = ConditionMutex(State(running: writers))
    for writer in 0..<writers {
      Thread { [self] in
        let user = writer % users
        run(writer, "u\(user)", tokens[user], urls, name)
        state.change { $0.running -= 1 }
      }.start()
    }
  }

  private func run(
    _ writer: Int, _ uid: String, _ token: String, _ urls: [String], _ name: String
  ) {
    var options = WebConnection.Options(silenceSeconds: Self.limit * 2)
    options.connectSeconds = 5
    let connections = urls.compactMap { try? WebConnection($0, options) }
    var number: UInt64 = 0
    while !isOver {
      number += 1
      let drawing = Drawing(
        uid: uid, id: "\(name)\(writer)-\(number)", seed: UInt64(writer) << 32 | number)
      var attempt = 0
      while !isOver {
        let connection = connections[(writer + attempt) % connections.count]
        attempt += 1
        if send(drawing, token, connection, attempt) { break }
        usleep(50_000)
      }
    }
  }

  /// Sends a drawing, and returns whether it was acknowledged.
  private func send(
    _ drawing: Drawing, _ token: String, _ connection: WebConnection, _ attempt: Int
  ) -> Bool {
    let begun = seconds()
    let answer = Result { () throws(WebProblem) in
      try connection.request(
        .put, drawing.path, fields: [("Authorization", "Bearer \(token)")],
        body: drawing.recording, limit: 1 << 20)
    }
    return state.withLock { state in
      state.seen.slowest = max(state.seen.slowest, seconds() - begun)
      switch answer {
      case .failure(let problem):
        state.seen.unanswered.append(problem.description)
        return false
      case .success(let answer):
        state.seen.statuses[answer.status, default: 0] += 1
        switch answer.status {
        case 200, 201:
          state.seen.stored.append(drawing)
          if attempt > 1 { state.seen.repeated += 1 }
          return true
        case 503:
          if answer.field("retry-after") == nil { state.seen.odd.append("no Retry-After") }
        default:
          state.seen.odd.append("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return false
      }
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// The results so far.
  var seen: Seen { state.withLock { $0.seen } }

  /// Whether this number of further drawings is stored within a time.
  func goesOn(_ count: Int = 20, within limit: Double = 20) -> Bool {
    let before = seen.stored.count
    return happens(within: limit) { seen.stored.count >= before + count }
  }

  /// Ends the load after the running requests were answered.
  func end() -> Seen {
    state.change { $0.isOver = true }
    return state.wait { $0.running == 0 ? $0.seen : nil }
  }
}

/// Recordings of ink.
enum Ink {
  /// A small recording, different for each seed.
  static func small(_ seed: UInt64) throws -> [UInt8] {
    var chance = Chance(seed: seed)
    let time = Timestamp(secondsSince1970: 1_780_000_000)
    return try PKDWriter.encode(
      PKDrawing(strokes: [chance.smallStroke(at: time), chance.smallStroke(at: time)]))
  }

  /// The small recording of a drawing whose name ends with `-SEED`.
  static func small(ofDrawing id: String) throws -> [UInt8] {
    try small(#require(id.split(separator: "-").last.flatMap { UInt64($0) }))
  }

  /// A recording of many megabytes: points that cannot be predicted.
  static func large(points: Int) throws -> [UInt8] {
    var chance = Chance(seed: 1)
    return try PKDWriter.encode(PKDrawing(strokes: [chance.noise(points: points, within: 1)]))
  }
}

/// A user's view of a service.
struct UserClient: Sendable {
  let uid: String
  let token: String

  /// Sends a request; nil if there is no answer. `seconds` is its duration.
  func send(
    _ method: WebConnection.Method, _ path: String, to url: String, body: [UInt8] = []
  ) -> (answer: WebAnswer, seconds: Double)? {
    let begun = seconds()
    let options = WebConnection.Options(silenceSeconds: Load.limit * 2)
    guard let connection = try? WebConnection(url, options),
      let answer = try? connection.request(
        method, path, fields: [("Authorization", "Bearer \(token)")], body: body, limit: 32 << 20)
    else { return nil }
    return (answer, seconds() - begun)
  }

  /// Sends a request like apps, which retry after 503: servers may not know yet that a store is
  /// back.
  func patientlySend(
    _ method: WebConnection.Method, _ path: String, to url: String, body: [UInt8] = []
  ) -> WebAnswer? {
    var answer: WebAnswer?
    _ = happens(within: 10) {
      answer = send(method, path, to: url, body: body)?.answer
      return answer?.status != 503
    }
    return answer
  }

  func status(
    _ method: WebConnection.Method, _ path: String, to url: String, body: [UInt8] = []
  ) -> Int {
    send(method, path, to: url, body: body)?.answer.status ?? 0
  }

  /// The names of all drawings, by pages of a list.
  func drawings(at url: String) throws -> [String] {
    var names: [String] = []
    var cursor: String?
    repeat {
      let after = cursor.map { "&after=\($0)" } ?? ""
      let answer = try #require(
        patientlySend(.get, "/v1/users/\(uid)/drawings?limit=500\(after)", to: url))
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      names += try #require(json["items"] as? [[String: Any]]).compactMap { $0["id"] as? String }
      cursor = json["cursor"] as? String
    } while cursor != nil
    return names
  }
}

extension Load.Seen {
  /// Compares the stored drawings with the acknowledged ones, on each server.
  func check(_ clients: [UserClient], at servers: [RunningServer]) throws {
    for url in servers.map(\.url) {
      let lost = try Lanes.map(stored, lanes: 8) { drawing -> String? in
        guard let client = clients.first(where: { $0.uid == drawing.uid }),
          let answer = client.patientlySend(.get, drawing.path, to: url),
          answer.status == 200, answer.body == drawing.recording
        else { return drawing.id }
        return nil
      }.compactMap { $0 }
      #expect(lost == [], "acknowledged and lost, at \(url)")
      for client in clients {
        let names = try client.drawings(at: url)
        #expect(Set(names).count == names.count, "a drawing is listed twice")
        let wanted = Set(stored.filter { $0.uid == client.uid }.map(\.id))
        #expect(wanted.isSubset(of: names))
      }
    }
    // A repeated drawing is recognized, and creates no other one.
    for drawing in stored.prefix(10) {
      guard let client = clients.first(where: { $0.uid == drawing.uid }) else { continue }
      let before = try client.drawings(at: servers[0].url).count
      let again = client.patientlySend(
        .put, drawing.path, to: servers[0].url, body: drawing.recording)
      #expect(again?.status == 200 || again?.status == 201)
      #expect(try client.drawings(at: servers[0].url).count == before)
    }
  }
}
