import DrawingServices
import Journal
import SharedStorage
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads

/// Members of drawings in a store that several servers use.
@Suite(.enabled(if: PostgresServer.sharedURL != nil, "\(PostgresServer.absence)"))
struct SharedMemberTests {
  private static let now = Moment(seconds: 1_795_003_200)
  private let schema: PostgresSchemaOfTest
  private let servers: [ServiceEnvironment]

  init() throws {
    let schema = PostgresSchemaOfTest(in: try #require(PostgresServer.sharedURL))
    self.schema = schema
    servers = try (0..<2).map { _ in
      ServiceEnvironment(
        .journal,
        documents: try PostgresDocumentStore(
          schema.url, schema: schema.name, indexes: Application.journal.indexes),
        blobs: InMemoryBlobStore(), now: { Self.now }, newID: { LocalService.randomName() })
    }
    _ = try DocumentService(servers[0], as: .operator).set(
      DocumentPath("users/ann/drawings/d1"),
      [
        "imageURL": "file:i", "recordingURL": "file:r", "isFromCheckIn": false,
        "createdAt": .moment(Self.now),
      ])
  }

  private func members(_ server: Int, _ uid: String) -> MemberService {
    MemberService(servers[server], as: .user(uid))
  }

  @Test func `of users at two servers with one use left, one joins`() throws {
    for round in 0..<5 {
      let code = try members(0, "ann").invite(to: "d1", of: "ann", role: .writer).code
      let joined = ConditionMutex(0)
      Lanes.run(6) { lane in
        let service = members(lane % 2, "u\(round)-\(lane)")
        if (try? service.join(code, name: nil)) != nil { joined.withLock { $0 += 1 } }
      }
      #expect(joined.withLock { $0 } == 1)
    }
    #expect(try members(1, "ann").members(of: "d1", of: "ann").count == 5)
  }

  @Test func `a member who is removed at one server changes nothing at the other`() throws {
    let code = try members(0, "ann").invite(to: "d1", of: "ann", role: .writer).code
    try members(1, "dan").join(code, name: nil)
    let drawings = servers.map { DrawingService($0, as: .user("dan")) }
    for service in drawings { _ = try service.update("d1", of: "ann", ["title": "Ours"]) }
    #expect(try members(0, "dan").shared(with: "dan").drawings.map(\.record.id) == ["d1"])
    try members(0, "ann").remove("dan", from: "d1", of: "ann")
    for service in drawings {
      #expect(throws: AccessRefusal.self) {
        try service.update("d1", of: "ann", ["title": "Mine"])
      }
    }
    #expect(
      try DrawingService(servers[1], as: .user("ann")).drawing("d1", of: "ann").title == "Ours")
    // All of it ends with the user.
    try members(1, "dan").join(
      members(0, "ann").invite(to: "d1", of: "ann", role: .reader).code, name: nil)
    try UserService(servers[1], as: .operator).deleteEverything(of: "ann")
    #expect(try members(0, "dan").shared(with: "dan").drawings.isEmpty)
    #expect(try servers[0].documents.problems().isEmpty)
  }
}
