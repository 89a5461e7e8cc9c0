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
      let folder = try BlobFolder("\(paths.profile)/drawings")
      var last: BlobPath?
      while true {
        let page = try environment.blobs.list(below: folder, after: last, limit: 500)
        fileBytes += page.reduce(0) { $0 + $1.size }
        guard page.count == 500 else { break }
        last = page.last?.path
      }
    }
    // Those of whom there is a profile and nothing below it.
    var cursor: Query.Cursor?
    repeat {
      let place = cursor
      try environment.documents.read { reader in
        let page = try reader.page(Query(Collections.users).page(500, after: place))
        users += try page.documents.count { user in
          try reader.collections(beginningWith: "\(user.path)/", after: nil, limit: 1).isEmpty
        }
        cursor = page.cursor
      }
    } while cursor != nil
    waitingEvents = try Outbox(environment).count()
  }
}
