import DrawingServices
import Foundation
import PentimentoClient
import Testing

/// The client library against a server.
struct ClientTests {
  private let server: TestServer

  init() throws { server = try TestServer { $0.publicURL = "" } }

  private func storage(as uid: String?) throws -> PentimentoClient.Storage {
    let token = uid.map { server.token($0) }
    return PentimentoClient.Storage(
      try #require(URL(string: "http://127.0.0.1:\(server.port)")), bucket: "app"
    ) { token }
  }

  @Test func `an app stores, reads, lists and deletes files as with Firebase`() async throws {
    let folder = try storage(as: "ann").reference(withPath: "/users/ann/drawings/d1/")
    let recording = folder.child("recording.pkd")
    #expect(recording.name == "recording.pkd")
    #expect(recording.parent()?.fullPath == "users/ann/drawings/d1")
    let bytes = Data(try Recordings.sample("mood"))
    let stored = try await recording.putData(
      bytes,
      metadata: StorageMetadata(contentType: "application/octet-stream", metadata: ["a": "b"]))
    #expect(stored.size == "\(bytes.count)")
    #expect(try await recording.data(maxSize: 1 << 20) == bytes)
    #expect(try await recording.getMetadata().metadata == ["a": "b"])
    let link = try await recording.downloadURL()
    #expect(link.absoluteString.contains("token="))
    let target = link.absoluteString.replacingOccurrences(
      of: "http://127.0.0.1:\(server.port)", with: "")
    #expect(try server.send("GET", target, as: nil).body == Array(bytes))
    #expect(try await folder.listAll().items.map(\.fullPath) == [recording.fullPath])
    #expect(try await folder.parent()?.listAll().prefixes.map(\.name) == ["d1"])
    try await recording.delete()
    await #expect(throws: StorageFailure.self) { try await recording.delete() }
  }

  @Test func `failures have the codes of Firebase`() async throws {
    let missing = try storage(as: "ann").reference(withPath: "users/ann/drawings/d/image.png")
    func code(_ body: () async throws -> Void) async -> StorageFailure.Code? {
      do {
        try await body()
        return nil
      } catch {
        return (error as? StorageFailure)?.code
      }
    }
    #expect(await code { _ = try await missing.getMetadata() } == .objectNotFound)
    let other = try storage(as: "bob").reference(withPath: missing.fullPath)
    #expect(await code { _ = try await other.putData(Data([1])) } == .unauthorized)
    let nobody = try storage(as: nil).reference(withPath: missing.fullPath)
    #expect(await code { _ = try await nobody.getMetadata() } == .unauthenticated)
    let recording = try storage(as: "ann").reference(withPath: "users/ann/drawings/d/recording.pkd")
    try await recording.putData(Data(try Recordings.sample("mood")))
    #expect(await code { _ = try await recording.data(maxSize: 10) } == .downloadSizeExceeded)
  }
}
