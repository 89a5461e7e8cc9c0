import Storage

/// Counts of the data of a service.
public struct Statistics: Hashable, Sendable {
  /// The number of users with any document.
  public private(set) var users = 0
  /// The number of drawings of all users.
  public private(set) var drawings = 0
  /// The numbers of the app's documents of all users, by the labels of their kinds.
  public private(set) var counts: [String: Int] = [:]
  /// The size of the files of all drawings, in bytes.
  public private(set) var fileBytes = 0
  /// The number of events that wait for delivery.
  public private(set) var waitingEvents = 0

  /// Counts the data of a service. Reads all folders of files.
  public init(_ environment: ServiceEnvironment) throws {
    let counted = environment.application.countedKinds
    for (name, _) in counted { counts[name] = 0 }
    try UserService.forEachUser(in: environment.documents) { uid in
      let paths = try UserPaths(uid)
      users += 1
      try environment.documents.read { reader in
        drawings += try reader.count(Query(paths.drawings))
        for (name, kind) in counted {
          counts[name, default: 0] += try reader.count(Query(paths.collection(kind)))
        }
      }
    }
    // Plus the users with a profile and nothing below it.
    var last: String?
    repeat {
      let after = last
      try environment.documents.read { reader in
        let names = try reader.names(in: Collections.users, after: after, limit: 500)
        users += try names.count { name in
          try reader.collections(
            beginningWith: "\(Collections.users)/\(name)/", after: nil, limit: 1
          ).isEmpty
        }
        last = names.last
      }
    } while last != nil
    try environment.blobs.forEachFolder(below: FilePlace.drawings.folder) { _, files in
      fileBytes += files.reduce(0) { $0 + $1.size }
    }
    waitingEvents = try Outbox(environment).count()
  }
}

extension Application {
  /// The kinds of users' documents that statistics count, with their labels.
  package var countedKinds: [(name: String, kind: DocumentKind)] {
    kinds.compactMap { kind in kind.countName.map { ($0, kind) } }
  }
}
