public import Storage

/// The change log of a user: the last change of every document, in the order of the changes.
public struct ChangeService: Sendable {
  private let gate: AccessGate

  /// Changes with the access of a caller.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// A page of changes and the cursor of the next page.
  public struct Page: Sendable {
    /// The changes, the oldest first. A document that has changed several times is listed once.
    public let changes: [DocumentChange]
    /// The sequence number up to which all changes are covered.
    public let cursor: Int64
    /// Whether there are more.
    public let hasMore: Bool
  }

  /// The changes after a sequence number. A document is listed again if it changes again.
  public func page(of uid: String, after sequence: Int64, limit: Int) throws -> Page {
    let paths = try UserPaths(uid)
    try gate.check(.read, .document(paths.profile))
    var collections = gate.environment.application.synchronizedKinds.map(paths.collection)
    for collection in collections { try gate.check(.read, .query(Query(collection))) }
    // Drawings of others that the user may see.
    collections.append(paths.memberships)
    return try gate.environment.documents.read { reader in
      let last = try reader.lastSequence()
      var found: [DocumentChange] = []
      for collection in collections {
        found += try reader.changes(after: sequence, in: collection, limit: limit + 1)
      }
      found.sort { $0.sequence < $1.sequence }
      let page = Array(found.prefix(limit))
      let hasMore = found.count > limit
      return Page(
        changes: page, cursor: hasMore ? page.last?.sequence ?? sequence : max(last, sequence),
        hasMore: hasMore)
    }
  }

  /// The sequence number of the last change of any document.
  public static func lastSequence(in environment: ServiceEnvironment) throws -> Int64 {
    try environment.documents.read { try $0.lastSequence() }
  }

  /// What changes concern: drawings and rooms by `UID/NAME`, and whether there were changes of
  /// documents that are not below a user, such as shares.
  package struct Places: Sendable {
    package var drawings: Set<String> = []
    package var rooms: Set<String> = []
    package var hasOthers = false
  }

  /// What has changed after a sequence number; nil if there are too many changes.
  package static func changedPlaces(
    after sequence: Int64, in environment: ServiceEnvironment
  ) throws -> Places? {
    let changes = try environment.documents.read {
      try $0.changes(after: sequence, in: nil, limit: 1000)
    }
    guard changes.count < 1000 else { return nil }
    var places = Places()
    for change in changes {
      let names = change.path.description.split(separator: "/")
      guard names.count == 4, names[0] == "users" else {
        places.hasOthers = true
        continue
      }
      switch names[2] {
      case "drawings": places.drawings.insert("\(names[1])/\(names[3])")
      case "rooms": places.rooms.insert("\(names[1])/\(names[3])")
      default: break
      }
    }
    return places
  }

  /// The users whose documents have changed after a sequence number, and the number up to which
  /// this is known; nil if there are too many changes.
  public static func changedUsers(
    after sequence: Int64, in environment: ServiceEnvironment
  ) throws -> (uids: Set<String>, sequence: Int64)? {
    try environment.documents.read { reader in
      let changes = try reader.changes(after: sequence, in: nil, limit: 1000)
      guard changes.count < 1000 else { return nil }
      let uids = changes.compactMap { change -> String? in
        let names = change.path.description.split(separator: "/")
        return names.count > 2 && names[0] == "users" ? String(names[1]) : nil
      }
      return (Set(uids), max(changes.last?.sequence ?? sequence, sequence))
    }
  }
}
