import DrawingServices
import Journal
import Foundation
import JSON
import Storage
import TestSupport
import Testing

@testable import Sync

/// A sync target with scripted answers. By default everything is stored.
private final class PreparedPlace: SyncPeer {
  var answer: (SyncRequest, inout SyncResponse) throws(SyncProblem) -> Void = { _, _ in }
  var uploaded: ([UInt8], _ offset: Int) throws(SyncProblem) -> Int = { $1 + $0.count }

  func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse {
    var response = SyncResponse()
    (response.store, response.cursor) = ("1", request.cursor ?? 0)
    try answer(request, &response)
    return response
  }

  func upload(_ bytes: [UInt8], of sha256: String, at offset: Int) throws(SyncProblem) -> Int {
    try uploaded(bytes, offset)
  }
}

/// The command in this process, with a scripted sync target.
struct SyncRunTests {
  private static let uid = "ann"

  private let folder: TemporaryFolder
  private let place = PreparedPlace()
  private let run: SyncRun

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    var task = SyncTask(.journal)
    (task.root, task.remote, task.uid) = (folder.file("device").path, "elsewhere", Self.uid)
    run = try SyncRun(task, with: place) { _, _ in }
  }

  private func add(_ id: String) throws {
    try CollectionService(.moodEntries, in: run.environment, as: .operator).create(
      ["moodType": "calm", "timestamp": .moment(run.environment.now())], of: Self.uid, id: id)
  }

  // MARK: - The end of the command

  @Test(arguments: [
    (SyncResult.refused(code: "bad-field", "it is not valid"), 65 as Int32),
    (.failed(code: "full", "there is no space"), 0), (.failed(code: HeldChange.metered, ""), 0),
    (.superseded, 0),
  ])
  func `sync fails for permanent problems and not for passing ones`(
    _ result: SyncResult, expected: Int32
  ) throws {
    try add("m")
    place.answer = { request, response in
      for index in request.changes.indices { response.results[index] = result }
    }
    #expect(try run.carryOutOnce() == expected)
    #expect(try run.client.status().held.count == (result == .superseded ? 0 : 1))
  }

  @Test func `a sync target that accepts no further bytes ends the run`() throws {
    var chance = Chance(seed: 3)
    var submission = DrawingService.Submission(
      recording: try SmallInk.bytes([chance.noise(points: 110_000, within: 100)]))
    submission.rendersImageLater = true
    try DrawingService(run.environment, as: .operator).submit(submission, of: Self.uid)
    place.answer = { request, response in
      for index in request.changes.indices {
        response.results[index] = .needs([DrawingFiles.recording], has: nil)
      }
    }
    var count = 0
    place.uploaded = { (_, _) throws(SyncProblem) in
      count += 1
      guard count < 50 else { throw SyncProblem(.ended, "it goes on and on") }
      return 0
    }
    let problem = #expect(throws: SyncProblem.self) { try run.once() }
    #expect(problem?.kind == .unexpected)
  }

  @Test func `a token file that cannot be read is named with the reason`() throws {
    let path = folder.file("missing").path
    let problem = #expect(throws: SyncProblem.self) { try SyncTask.token(inFile: path) }
    #expect(problem?.kind == .local)
    #expect(problem?.description == "\(path): No such file or directory")
  }

  // MARK: - Watching

  @Test func `a device that watches waits longer after each failure`() throws {
    var moments: [Date] = []
    place.answer = { (_, _) throws(SyncProblem) in
      moments.append(Date())
      throw SyncProblem(moments.count < 4 ? .offline : .signIn, "there is no network")
    }
    let problem = #expect(throws: SyncProblem.self) { try run.watch(listeningBy: nil) }
    #expect(problem?.kind == .signIn && moments.count == 4)
    // Half a second, one and two, or half as long: two devices do not retry at the same time.
    for (pause, least) in zip(zip(moments.dropFirst(), moments), [0.25, 0.5, 1]) {
      #expect(pause.0.timeIntervalSince(pause.1) >= least - 0.01)
    }
  }

  @Test func `a watching device retries held entries when they are due`() throws {
    try add("m")
    place.answer = { request, response in
      for index in request.changes.indices {
        response.results[index] = .failed(code: "full", "there is no space")
      }
    }
    _ = try run.run()
    var change = try #require(run.client.heldSent[SyncName(.moodEntries, "m")])
    let due = run.environment.now() + 3
    change.nextAttempt = due
    try run.client.replica.change { try run.client.hold(change, in: $0) }

    var moment: Moment?
    let environment = run.environment
    place.answer = { (request, _) throws(SyncProblem) in
      // The target ends the watch by a later notification.
      if !request.changes.isEmpty { moment = environment.now() }
      if moment != nil || environment.now() > due + 5 { throw SyncProblem(.signIn, "it is done") }
    }
    let problem = #expect(throws: SyncProblem.self) {
      try run.watch { tell in
        Thread.sleep(forTimeInterval: 9)
        tell(true)
      }
    }
    #expect(problem?.kind == .signIn)
    let tried = try #require(moment)
    #expect(tried >= due && tried < due + 5)
  }

  // MARK: - Status

  @Test func `the JSON sync status has progress and held entries`()
    throws
  {
    var status = SyncStatus(address: "https://drawings.example#ann", isPaused: true)
    status.waiting = 3
    status.lastAttempt = Moment(seconds: 1_780_000_000)
    status.lastSuccess = Moment(seconds: 1_770_000_000)
    status.problem = PlaceState.Problem(kind: "offline", text: "there is no network")
    var held = HeldChange(SyncName(.moodEntries, "m"), .received, sequence: 5, code: "full", "why")
    (held.attempts, held.nextAttempt) = (4, Moment(seconds: 1_790_000_000))
    status.held = [held]
    var json = JSONWriter()
    status.write(to: &json)
    let object = try JSONSerialization.jsonObject(with: Data(json.bytes))
    let expected: NSDictionary = [
      "remote": "https://drawings.example", "waiting": 3, "isPaused": true,
      "lastAttempt": Moment(seconds: 1_780_000_000).iso8601,
      "lastSuccess": Moment(seconds: 1_770_000_000).iso8601,
      "problem": "offline", "problemText": "there is no network",
      "held": [
        [
          "name": "moodEntries/m", "direction": "received", "code": "full", "text": "why",
          "attempts": 4, "nextAttempt": Moment(seconds: 1_790_000_000).iso8601,
        ]
      ],
    ]
    #expect(object as? NSDictionary == expected)
  }
}
