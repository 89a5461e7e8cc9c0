import Storage

/// How much a service keeps.
public struct Statistics: Hashable, Sendable {
  /// Users of whom anything is kept.
  public private(set) var users = 0
  /// Drawings of all users.
  public private(set) var drawings = 0
  /// Check-ins of all users.
  public private(set) var checkIns = 0
  /// Mood entries of all users.
  public private(set) var moodEntries = 0
  /// Bytes of all drawings' files.
  public private(set) var fileBytes = 0
  /// Events that nobody has heard yet.
  public private(set) var waitingEvents = 0

  /// Counts.
  public init(_ environment: ServiceEnvironment) throws {
    try UserService.forEachUser(in: environment.documents) { uid in
      let paths = try UserPaths(uid)
      users += 1
      try environment.documents.read { reader in
        drawings += try reader.count(Query(paths.drawings))
        checkIns += try reader.count(Query(paths.checkIns))
        moodEntries += try reader.count(Query(paths.moodEntries))
      }
    }
    // Those of whom there is a profile and nothing below it.
    var last: String?
    repeat {
      let place = last
      try environment.documents.read { reader in
        let names = try reader.names(in: Collections.users, after: place, limit: 500)
        users += try names.count { name in
          try reader.collections(
            beginningWith: "\(Collections.users)/\(name)/", after: nil, limit: 1
          ).isEmpty
        }
        last = names.last
      }
    } while last != nil
    try environment.blobs.forEachFolder(below: BlobFolder("users")) { _, files in
      fileBytes += files.reduce(0) { $0 + $1.size }
    }
    waitingEvents = try Outbox(environment).count()
  }
}
