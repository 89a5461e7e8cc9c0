import DrawingServices
import Journal
import Storage
import TestSupport

/// The world of a simulation: its true time, and its random numbers.
final class World: @unchecked Sendable {
  // Only one thread runs a simulation.

  var random: Chance
  /// The true time, in microseconds since 1970.
  var time: Int64 = 1_780_000_000_000_000
  private var names = 0

  init(seed: UInt64) { random = Chance(seed: seed) }

  func name(_ prefix: String) -> String {
    names += 1
    return "\(prefix)-\(names)"
  }

  /// Lets time pass, at least a microsecond.
  func pass(seconds: Double) { time += max(1, Int64(seconds * 1e6)) }
}

/// A server or a device, whose stores outlive its crashes.
final class Machine: @unchecked Sendable {
  // Only one thread runs a simulation.

  let world: World
  let name: String
  let power = Power()
  private let documents = InMemoryDocumentStore()
  private let blobs = InMemoryBlobStore()
  private let cache = InMemoryBlobStore()
  /// The lead of its clock in microseconds.
  var clockLead: Int64 = 0
  private let isDevice: Bool

  init(_ world: World, _ name: String, isDevice: Bool) {
    (self.world, self.name, self.isDevice) = (world, name, isDevice)
  }

  /// The environment of the running machine.
  var environment: ServiceEnvironment {
    var settings = ServiceSettings()
    settings.thumbnailSide = 4
    let world = world
    var environment = ServiceEnvironment(
      .journal, documents: CrashingDocuments(documents, power), blobs: CrashingBlobs(blobs, power),
      cache: CrashingBlobs(cache, power), settings: settings,
      now: { [weak self] in Moment(microseconds: world.time + (self?.clockLead ?? 0)) },
      newID: { world.name("id") })
    if isDevice { environment.deviceID = name }
    return environment
  }

  /// The stored contents of a user, by name, without fields that only this machine has.
  func contents(of uid: String) throws -> [SyncName: SyncChange.Content] {
    var found: [SyncName: SyncChange.Content] = [:]
    let replica = try Replica(environment, as: .operator, of: uid)
    try environment.documents.read { reader in
      let page = try replica.changes(after: 0, limit: 1_000_000, byteLimit: .max, in: reader)
      for change in page.changes { found[change.name] = change.content }
    }
    return found
  }

  func file(_ name: String, ofDrawing id: String, of uid: String) throws -> [UInt8]? {
    try environment.blobs.get(BlobPath("users/\(uid)/drawings/\(id)/\(name)"))?.bytes
  }
}
