import DrawingServices
import Journal
import Foundation
import Storage
import StorageTestSupport
import TestSupport

@testable import SharedStorage

/// A separate database and a separate part of a bucket, which several servers may use at the same
/// time.
final class TestStores: Sendable {
  private static let environment = ProcessInfo.processInfo.environment

  /// The bucket with its options, as `Tests/Proofs/Services/objects-up` prints it.
  static let bucket = try? environment["TEST_S3"].map { try ObjectAddress($0) }

  /// Whether both kinds of stores exist, and the bucket's server can be used through a proxy.
  static let arePresent =
    PostgresServer.canStart && bucket?.endpoint.hasPrefix("http://127.0.0.1:") ?? false

  static let absence =
    "skipped: there is no PostgreSQL, or no store of objects on this machine (Tests/Proofs/Services/objects-up)"

  /// One server for all tests that do not stop it.
  private static let sharedPostgres = Result { try PostgresServer() }

  /// The port of the object store.
  static let objectsPort = bucket?.endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0

  let postgres: PostgresServer
  /// The addresses that servers get.
  let documents: String
  let blobs: String
  private let name = "test-\(UUID().uuidString.lowercased().prefix(8))"
  private let folder: TemporaryFolder

  struct Missing: Error {}

  /// Empty stores. `postgres` is a server that the test may stop, and `port` that of a proxy in
  /// front of the objects.
  init(postgres: PostgresServer? = nil, throughPort port: UInt16? = nil) throws {
    self.postgres = try postgres ?? Self.sharedPostgres.get()
    folder = try TemporaryFolder()
    let session = try PostgresSession(self.postgres.url, schema: "pentimento", PostgresLimits())
    let database = name.replacingOccurrences(of: "-", with: "_")
    _ = try session.connect(for: .maintenance).rows("CREATE DATABASE \(database)")
    guard let end = self.postgres.url.lastIndex(of: "/"), let bucket = Self.bucket else {
      throw Missing()
    }
    documents = "\(self.postgres.url[..<end])/\(database)"
    blobs = Self.address(bucket.bucket, "\(bucket.prefix)\(name)", port: port)
  }

  deinit {
    guard let client = try? client(), let all = try? client.all(client.address.prefix) else {
      return
    }
    try? client.delete(all.map(\.key))
  }

  /// The address of a part of a bucket at a port of this machine.
  static func address(_ bucket: String, _ prefix: String, port: UInt16? = nil) -> String {
    "s3://\(bucket)/\(prefix)?endpoint=http://127.0.0.1:\(port ?? objectsPort)"
      + "&region=\(Self.bucket?.region ?? "")"
  }

  // MARK: - In this process

  @Sendable static func credentials() -> ObjectCredentials {
    ObjectCredentials(
      name: environment["AWS_ACCESS_KEY_ID"] ?? "",
      secret: environment["AWS_SECRET_ACCESS_KEY"] ?? "")
  }

  /// A client of the bucket, past any proxy.
  func client(
    _ now: @escaping @Sendable () -> Moment = { LocalService.systemTime() }
  ) throws -> ObjectClient {
    let address = Self.address(
      Self.bucket?.bucket ?? "", "\(Self.bucket?.prefix ?? "")\(name)")
    return ObjectClient(
      try ObjectAddress(address), ObjectClient.Options(now: now), credentials: Self.credentials)
  }

  /// A service with its own stores and clock, as in another process.
  func service(
    _ now: @escaping @Sendable () -> Moment = { LocalService.systemTime() }
  ) throws -> ServiceEnvironment {
    ServiceEnvironment(
      .journal,
      documents: try PostgresDocumentStore(documents, indexes: Application.journal.indexes),
      blobs: S3BlobStore(try client(now), locks: try PostgresLocks(documents)),
      now: now, newID: { LocalService.randomName() })
  }

  // MARK: - Servers

  /// Starts a server. `place` distinguishes its folder from those of others; all have the same key.
  func server(
    _ place: String = "a", _ options: [String] = [], port: UInt16? = nil, blobs: String? = nil,
    environment: [String: String] = [:]
  ) throws -> RunningServer {
    let root = folder.file(place)
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let key = root.appendingPathComponent("server-key")
    if !FileManager.default.fileExists(atPath: key.path) {
      try Data(Self.serverKey).write(to: key)
    }
    let listen = port.map { ["--listen", "127.0.0.1:\($0)"] } ?? []
    return try RunningServer(
      ["--documents", documents, "--blobs", blobs ?? self.blobs, "--change-rate", "0"]
        + listen + options, root: root.path, environment: environment)
  }

  private static let serverKey = [UInt8](repeating: 7, count: 32)

  /// A token that all servers accept. A server must have been started.
  func token(_ uid: String) throws -> String {
    let root = folder.file("a").path
    let result = try Program.run("pkd", ["token", "--uid", uid, "--root", root])
    guard result.code == 0 else { throw Missing() }
    return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func file(_ name: String) -> URL { folder.file(name) }
}

/// The seconds of a clock that is never set.
func seconds() -> Double { Double(PostgresConnection.now()) / 1000 }

/// Whether a condition becomes true within a sufficient time.
func happens(within limit: Double = 20, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = seconds() + limit
  while try !condition() {
    if seconds() > end { return false }
    usleep(20_000)
  }
  return true
}

/// Whether an error is passing, so that clients retry. The tests of the object store kill its
/// gateway for a moment.
func mayPass(_ error: any Error) -> Bool {
  guard let error = error as? StorageError, case .unavailable = error.problem else { return false }
  usleep(100_000)
  return true
}
