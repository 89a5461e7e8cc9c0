import Calendar
import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// A clock that only changes when it is set.
final class TestClock: Sendable {
  private let moment: ConditionMutex<Moment>

  init(_ moment: Moment) { self.moment = ConditionMutex(moment) }

  var now: Moment {
    get { moment.withLock { $0 } }
    set { moment.withLock { $0 = newValue } }
  }
}

/// A service in memory, or in a folder, with a clock set by hand and numbered ids.
struct ServiceFixture {
  let clock = TestClock(ServiceFixture.start)
  let environment: ServiceEnvironment

  /// A Wednesday: 2026-11-18 12:00 UTC.
  static let start = Moment(seconds: 1_795_003_200)

  init(
    application: Application = .journal, documents: any DocumentStore = InMemoryDocumentStore(),
    blobs: any BlobStore = InMemoryBlobStore(), cache: (any BlobStore)? = InMemoryBlobStore(),
    rules: AccessRules? = nil, settings: ServiceSettings = ServiceSettings(),
    now: Moment = ServiceFixture.start
  ) {
    let clock = clock
    clock.now = now
    let count = ConditionMutex(0)
    environment = ServiceEnvironment(
      application, documents: documents, blobs: blobs, cache: cache, rules: rules,
      settings: settings,
      now: { clock.now },
      newID: {
        count.withLock { count in
          count += 1
          return "id\(padded(count, 5))"
        }
      })
  }

  func drawings(as caller: Caller = .user("ann")) -> DrawingService {
    DrawingService(environment, as: caller)
  }

  func checkIns(as caller: Caller = .user("ann")) -> CollectionService {
    CollectionService(.checkIns, in: environment, as: caller)
  }

  func views(as caller: Caller = .user("ann")) -> CheckInService {
    CheckInService(environment, as: caller)
  }

  /// Stores a document without any checks.
  @discardableResult
  func set(_ path: String, _ fields: Fields) throws -> Document {
    let path = try DocumentPath(path)
    return try environment.documents.change(at: clock.now) { try $0.set(path, fields) }
  }

  /// Stores a drawing's document without any files.
  @discardableResult
  func setDrawing(
    _ id: String, at moment: Moment?, checkIn: String? = nil, of uid: String = "ann"
  ) throws -> DrawingRecord {
    DrawingRecord(
      try set(
        "users/\(uid)/drawings/\(id)",
        [
          "createdAt": moment.map { .moment($0) }, "checkinId": checkIn.map { .text($0) },
          "imageURL": "file:i", "recordingURL": "file:r", "isFromCheckIn": .bool(checkIn != nil),
          "timezoneOffsetMinutes": 0, "updatedAt": .moment(clock.now),
        ]))
  }

  /// Notes that a drawing is being submitted, as done before its files are stored.
  func begin(_ id: String, of uid: String) throws {
    try drawings(as: .operator).begin(DrawingPaths(id, of: uid))
  }

  /// Stores a check-in's document.
  @discardableResult
  func setCheckIn(
    _ id: String, at moment: Moment, emotion: String = "joy", of uid: String = "ann",
    offset: Int64 = 0
  ) throws -> CheckIn {
    CheckIn(
      try set(
        "users/\(uid)/mood_checkins/\(id)",
        Samples.checkIn.merging([
          "createdAt": .moment(moment), "updatedAt": .moment(moment), "emotion": .text(emotion),
          "timezoneOffsetMinutes": .integer(offset),
        ])))
  }

  /// The fields of all documents, by path.
  func allDocuments() throws -> [String: Fields] {
    try environment.documents.read { reader in
      var all: [String: Fields] = [:]
      for collection in try reader.collections(beginningWith: "", after: nil, limit: .max) {
        for document in try reader.documents(Query(collection)) {
          all[document.path.description] = document.fields
        }
      }
      return all
    }
  }

  /// All files below the users, by path.
  func allFiles() throws -> [String: [UInt8]] { try files(in: environment.blobs, below: "users") }
}

/// All files of a store below a folder, by path.
func files(in store: any BlobStore, below folder: String) throws -> [String: [UInt8]] {
  var all: [String: [UInt8]] = [:]
  for info in try store.list(below: try BlobFolder(folder), limit: 1_000_000) {
    all[info.path.description] = try store.get(info.path)?.bytes
  }
  return all
}

/// Fields in the form that apps write.
enum Samples {
  static let moment = FieldValue.moment(ServiceFixture.start)

  /// The required fields of a check-in.
  static let checkIn: Fields = [
    "colorHex": "#FFD700", "colorIntensity": 0.5, "emotion": "joy", "topic": "emotional",
    "evaluation": "", "createdAt": moment,
  ]

  /// The required fields of a drawing.
  static let drawing: Fields = [
    "imageURL": "file:i", "recordingURL": "file:r", "isFromCheckIn": false, "createdAt": moment,
  ]

  /// The required fields of a mood entry.
  static let moodEntry: Fields = ["moodType": "happy", "timestamp": moment]

  /// A log of the user ann.
  static let sessionLog: Fields = [
    "logId": "l1", "userId": "ann", "methodId": "breath-lines", "startTime": moment,
    "duration": 60, "moodBefore": "neutral", "moodAfter": "positive",
  ]
}

/// The description of the error that a body throws; nil if it throws none.
func thrown<Result>(_ body: () throws -> Result) -> (any Error)? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

/// The reason for which the rules refuse a body; nil if they do not.
func refusal<Result>(_ body: () throws -> Result) -> AccessRefusal.Reason? {
  (thrown(body) as? AccessRefusal)?.reason
}

/// The problem of the `StorageError` that a body throws; nil if it throws none.
func storageProblem<Result>(_ body: () throws -> Result) -> StorageError.Problem? {
  (thrown(body) as? StorageError)?.problem
}
