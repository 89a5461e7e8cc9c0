import DrawingServices
import Graphics
import Journal
import PKDFormat
import Storage
import Strokes
import TestSupport
import Testing

@testable import Sync

/// The messages between a device and a server, request by request.
struct SyncClientTests {
  private static let uid = "ann"

  /// The sent requests, and the client's reports.
  private final class Log {
    var requests: [SyncRequest] = []
    var held: [HeldChange] = []

    /// The names of all sent changes.
    var sent: [String] { requests.flatMap(\.changes).map { "\($0.name)" } }
  }

  private let world = World(seed: 1)
  private let server: Machine
  private let device: Machine
  private let peer: FaultyPeer
  private let log = Log()

  init() {
    server = Machine(world, "server", isDevice: false)
    device = Machine(world, "device", isDevice: true)
    peer = FaultyPeer(world, server, Self.uid)
    let log = log
    peer.alterRequest = { log.requests.append($0) }
  }

  private func client(
    of machine: Machine? = nil, _ conflicts: SyncSettings.ConflictRule = .lastWrite
  ) throws -> SyncClient {
    var settings = SyncSettings()
    settings.threads = 1
    settings.conflicts = conflicts
    let peer = machine == nil ? peer : FaultyPeer(world, server, Self.uid)
    let client = try SyncClient(
      (machine ?? device).environment, of: Self.uid, with: peer, at: "server", settings,
      mergingInk: SimulatedInk.merge)
    let log = log
    client.report = { if case .held(let change) = $0 { log.held.append(change) } }
    return client
  }

  private func add(_ id: String, to machine: Machine? = nil) throws {
    let machine = machine ?? device
    try CollectionService(.moodEntries, in: machine.environment, as: .operator).create(
      ["moodType": "calm", "timestamp": .moment(machine.environment.now())], of: Self.uid, id: id)
    world.pass(seconds: 1)
  }

  private func submit(
    _ id: String, _ recording: [UInt8]? = nil, rendering: Bool = false, to machine: Machine? = nil
  ) throws {
    var chance = world.random
    let stroke = SimulatedInk.stroke(&chance, at: world.time)
    world.random = chance
    var submission = DrawingService.Submission(
      recording: try recording ?? SimulatedInk.bytes([stroke]))
    submission.id = id
    submission.rendersImageLater = !rendering
    try DrawingService((machine ?? device).environment, as: .operator)
      .submit(submission, of: Self.uid)
    world.pass(seconds: 1)
  }

  // MARK: - What is sent

  @Test func `a device does not send back received changes`() throws {
    let other = Machine(world, "other", isDevice: true)
    for id in ["a", "b", "c"] { try add(id, to: other) }
    _ = try client(of: other).run()
    #expect(try client().run().received == 3)
    try add("own")
    #expect(try client().run().sent == 1)
    #expect(log.sent == ["moodEntries/own"])
  }

  @Test func `a server does not send back received changes`() throws {
    try add("m")
    try submit("d")
    #expect(try client().run().sent == 2)
    let drawings = DrawingService(device.environment, as: .operator)
    try drawings.update("d", of: Self.uid, ["promptUsed": "a tree"])
    world.pass(seconds: 1)
    let count = try client().run()
    #expect(count.sent == 1 && count.received == 0)
    let path = try SyncName(.drawings, "d").path(of: Self.uid)
    let fields = try #require(try server.environment.documents.document(path)).fields
    #expect(fields["promptUsed"] == "a tree")
    // It has a time other than that of the last change only if the ink has changed since.
    #expect(fields["describedAt"] == nil)
  }

  @Test func `only the later of two versions in one answer is fetched`() throws {
    try submit("d", to: server)
    #expect(try client().run().received == 1)
    try DrawingService(server.environment, as: .operator)
      .update("d", of: Self.uid, ["promptUsed": "a tree"])
    world.pass(seconds: 1)
    let other = SyncService.hash(of: [1, 2, 3])
    peer.alterResponse = { _, response in
      for change in response.changes {
        guard var fields = change.fields else { continue }
        fields["recordingSHA256"] = .text(other)
        let earlier = SyncChange(change.name, .document(fields), sequence: change.sequence - 1)
        response.changes.insert(earlier, at: 0)
      }
    }
    let client = try client()
    #expect(try client.run().received == 1)
    #expect(log.requests.allSatisfy { $0.wanted.allSatisfy { $0.sha256 != other } })
    #expect(try client.status().held == [])
  }

  @Test func `a refused change is sent again only on request`() throws {
    try add("m")
    peer.alterResponse = { request, response in
      for index in request.changes.indices {
        response.results[index] = .refused(code: "bad-field", "it is not valid")
      }
    }
    _ = try client().run()
    #expect(log.sent == ["moodEntries/m"])
    #expect(try client().status().held.map(\.code) == ["bad-field"])
    _ = try client().run()
    world.pass(seconds: 7 * 86_400)
    _ = try client().run()
    #expect(log.sent.count == 1)

    peer.alterResponse = { _, _ in }
    let client = try client()
    try client.retryHeld()
    #expect(try client.run().sent == 1)
    #expect(log.sent.count == 2)
    #expect(try client.status().held.isEmpty)
  }

  @Test func `a refused change keeps waiting when the server starts anew`() throws {
    try add("m")
    try add("n")
    peer.alterResponse = { request, response in
      for (index, change) in request.changes.enumerated() where change.name.id == "m" {
        response.results[index] = .refused(code: "bad-field", "it is not valid")
      }
    }
    _ = try client().run()
    let log = log
    log.requests = []
    peer.alterResponse = { _, response in response.isReset = log.requests.count == 1 }
    let client = try client()
    _ = try client.run()
    #expect(log.requests.count > 1)
    #expect(Set(log.requests.dropFirst().flatMap(\.changes).map(\.name.id)) == ["n"])
    #expect(try client.status().waiting == 0 && client.status().held.count == 1)
  }

  @Test func `only the new end of a grown recording is sent`() throws {
    var chance = Chance(seed: 7)
    let start = Timestamp(secondsSince1970: Double(world.time / 1_000_000))
    var content = try JournalContent(canvas: .init(), profile: .exact, startingAt: start)
    var versions: [[UInt8]] = []
    for _ in 0..<2 {
      let stroke = SimulatedInk.stroke(&chance, at: world.time)
      let path = PKStrokePath(controlPoints: [], creationDate: start)
      try content.begin(PKStroke(ink: stroke.ink, path: path, id: stroke.id), at: start)
      try content.append(points: stroke.path)
      try content.endStroke(at: start)
      versions.append(content.pendingBytes())
    }
    try submit("d", versions[0])
    #expect(try client().run().sent == 1)
    log.requests = []
    try DrawingService(device.environment, as: .operator)
      .revise(versions[1], ofDrawing: "d", of: Self.uid, replacing: .any)
    #expect(try client().run().sent == 1)
    let files = log.requests.flatMap(\.changes).flatMap(\.files)
    #expect(files.map(\.bytes) == [Array(versions[1].dropFirst(versions[0].count))])
    #expect(
      files.map(\.base) == [
        SyncFile.Base(sha256: SyncService.hash(of: versions[0]), count: versions[0].count)
      ])
    #expect(
      try server.file(DrawingFiles.recording, ofDrawing: "d", of: Self.uid) == versions[1])
  }

  @Test func `a finished recording with one stroke more is sent without its beginning`() throws {
    var chance = Chance(seed: 7)
    let strokes = (0..<41 as Range<Int64>).map { number in
      let stroke = SimulatedInk.stroke(&chance, at: world.time + number * 1_000_000)
      return PKStroke(ink: PKInk(.pen, color: .black), path: stroke.path, id: stroke.id)
    }
    let before = try SimulatedInk.bytes(Array(strokes[..<40]))
    let after = try SimulatedInk.bytes(strokes)
    try submit("d", before)
    #expect(try client().run().sent == 1)
    log.requests = []
    try DrawingService(device.environment, as: .operator)
      .revise(after, ofDrawing: "d", of: Self.uid, replacing: .any)
    #expect(try client().run().sent == 1)
    let file = try #require(log.requests.flatMap(\.changes).flatMap(\.files).first)
    let base = try #require(file.base)
    #expect(base.sha256 == SyncService.hash(of: before) && base.count < before.count)
    #expect(file.bytes == Array(after.dropFirst(base.count)))
    #expect(try server.file(DrawingFiles.recording, ofDrawing: "d", of: Self.uid) == after)
  }

  @Test func `a paused device sends nothing, and its runs are no success`() throws {
    try add("m")
    let client = try client()
    try client.setPaused(true)
    #expect(try client.run() == SyncCount())
    #expect(log.requests.isEmpty)
    #expect(try client.status().lastSuccess == nil)
    try client.setPaused(false)
    #expect(try client.run().sent == 1)
    #expect(try client.status().lastSuccess != nil)
  }

  @Test func `files in one sync request have at most four megabytes`() throws {
    var chance = Chance(seed: 5)
    for number in 0..<4 {
      try submit("d\(number)", SimulatedInk.bytes([chance.noise(points: 56_000, within: 100)]))
    }
    #expect(try client().run().sent == 4)
    let sizes = log.requests.map { request in
      request.changes.flatMap(\.files).reduce(0) { $0 + $1.bytes.count }
    }
    #expect(sizes.reduce(0, +) > 4 << 20)
    #expect(sizes.allSatisfy { $0 <= 4 << 20 })
    #expect(try server.contents(of: Self.uid) == device.contents(of: Self.uid))
  }

  @Test func `an entry of a clock days ahead gets its true time`()
    throws
  {
    device.clockLead = 2 * 86_400_000_000
    let written = Moment(microseconds: world.time)
    try add("m")
    world.pass(seconds: 3600)
    #expect(try client().run().sent == 1)
    let content = try #require(try server.contents(of: Self.uid)[SyncName(.moodEntries, "m")])
    guard case .document(let fields) = content else { throw SyncProblem(.local, "deleted") }
    for name in ["createdAt", "updatedAt", "timestamp"] {
      #expect(fields[name] == .moment(written), "\(name)")
    }
    // No user has to act on it.
    #expect(log.held == [])
  }

  @Test func `an undecided conflict leaves the entry unchanged`()
    throws
  {
    let other = Machine(world, "other", isDevice: true)
    try add("m")
    for machine in [device, other] { _ = try client(of: machine).run() }
    let name = SyncName(.moodEntries, "m")
    for machine in [device, other] {
      try CollectionService(.moodEntries, in: machine.environment, as: .operator)
        .update(name.id, of: Self.uid, ["note": .text("of \(machine.name)")])
      world.pass(seconds: 1)
    }
    _ = try client(of: other).run()
    let client = try client(.ask)
    _ = try client.run()
    let path = try name.path(of: Self.uid)
    #expect(try device.environment.documents.document(path)?["note"] == "of device")
    #expect(try client.status().held.map(\.code) == [HeldChange.conflict])
    try client.decide(name, keeping: .remote)
    _ = try client.run()
    for machine in [device, server] {
      #expect(try machine.environment.documents.document(path)?["note"] == "of other")
    }
  }

  // MARK: - Files

  @Test func `an image that is uploaded later arrives on other devices`() throws {
    let other = Machine(world, "other", isDevice: true)
    try submit("d")
    try submit("pictured", rendering: true)
    for machine in [device, other] { _ = try client(of: machine).run() }
    let image = try #require(
      try device.file(DrawingFiles.image, ofDrawing: "pictured", of: Self.uid))
    try DrawingService(device.environment, as: .operator)
      .put(.init(DrawingFiles.image, image), ofDrawing: "d", of: Self.uid)
    world.pass(seconds: 1)
    for machine in [device, other] { _ = try client(of: machine).run() }
    for machine in [server, other] {
      #expect(try machine.file(DrawingFiles.image, ofDrawing: "d", of: Self.uid) == image)
    }
  }

  @Test func `a sync answer has at most the requested bytes of files`() throws {
    for id in ["a", "b"] { try submit(id, to: server) }
    let files = try ["a", "b"].map { id in
      try #require(try server.file(DrawingFiles.recording, ofDrawing: id, of: Self.uid))
    }
    var request = SyncRequest()
    request.fileBytes = files[0].count + 5
    request.wanted = zip(["a", "b"], files).map { id, bytes in
      WantedFile(
        drawing: id, name: DrawingFiles.recording, sha256: SyncService.hash(of: bytes))
    }
    let found = try SyncService(server.environment, as: .user(Self.uid))
      .answer(request, of: Self.uid).files
    #expect(found.map(\.bytes) == [files[0], Array(files[1].prefix(5))])
    #expect(found.map(\.count) == files.map(\.count))
  }

  @Test func `pieces of a file beyond the size limit are refused`() throws {
    let staged = StagedFiles(server.environment, of: Self.uid)
    let name = String(repeating: "a", count: 64)
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    var count = 0
    while count + piece.count < DrawingFiles.sizeLimit {
      count = try staged.add(piece, to: name, at: count)
    }
    #expect(throws: ServiceError.self) { try staged.add(piece, to: name, at: count) }
    #expect(try staged.count(name) == count)
  }

  @Test func `an older deletion leaves the drawing and its tokens`() throws {
    try submit("d", rendering: true, to: server)
    let service = DrawingService(server.environment, as: .user(Self.uid))
    _ = try service.changeMetadata(DrawingFiles.image, ofDrawing: "d", of: Self.uid) {
      $0.tokens = ["secret"]
    }
    var request = SyncRequest()
    request.changes = [
      SyncChange(SyncName(.drawings, "d"), .deleted(Moment(microseconds: world.time) + -60))
    ]
    let response = try SyncService(server.environment, as: .user(Self.uid))
      .answer(request, of: Self.uid)
    #expect(response.results == [0: .superseded])
    let info = try #require(
      try service.fileInfo(DrawingFiles.image, ofDrawing: "d", of: Self.uid))
    #expect(try service.storedMetadata(info, of: Self.uid)?.tokens == ["secret"])
  }

  @Test func `a repeated deletion does not delete later uploads`() throws {
    try submit("d", to: server)
    let bytes = try #require(
      try server.file(DrawingFiles.recording, ofDrawing: "d", of: Self.uid))
    var request = SyncRequest()
    request.changes = [
      SyncChange(SyncName(.drawings, "d"), .deleted(Moment(microseconds: world.time)))
    ]
    let service = SyncService(server.environment, as: .user(Self.uid))
    #expect(try service.answer(request, of: Self.uid).results == [:])
    #expect(try server.file(DrawingFiles.recording, ofDrawing: "d", of: Self.uid) == nil)
    world.pass(seconds: 1)
    // An app stores the files first.
    try DrawingService(server.environment, as: .user(Self.uid))
      .put(.init(DrawingFiles.recording, bytes), ofDrawing: "d", of: Self.uid)
    #expect(try service.answer(request, of: Self.uid).results == [:])
    #expect(try server.file(DrawingFiles.recording, ofDrawing: "d", of: Self.uid) == bytes)
  }
}
