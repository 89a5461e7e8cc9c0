public import Storage

/// Users: profiles, export and deletion of all their data.
public struct UserService: Sendable {
  private let gate: AccessGate

  /// Users with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment: environment, caller: caller, expected: sequence)
  }

  /// The profile of a user; nil if there is none.
  public func profile(_ uid: String) throws -> Document? {
    let path = try UserPaths(uid).profile
    return try gate.read { try $0.document(path) }
  }

  /// Overwrites some fields of a profile; creates it if there is none.
  @discardableResult
  public func setProfile(_ uid: String, _ changes: Fields) throws -> Document {
    let path = try UserPaths(uid).profile
    return try gate.change { transaction in
      guard try transaction.stored(path) == nil else {
        return try transaction.update(path, changes).value
      }
      var fields = changes
      if fields["createdAt"] == nil { fields["createdAt"] = .moment(transaction.moment) }
      return try transaction.create(path, fields)
    }
  }

  /// The sorted ids of all users with any document. Only for operators.
  public func users() throws -> [String] {
    guard gate.caller == .operator else {
      try gate.check(.read, .query(Query(Collections.users)))
      return []
    }
    var users = Set(try gate.environment.documents.documents(Query(Collections.users)).map(\.id))
    try Self.forEachUser(in: gate.environment.documents) { users.insert($0) }
    users.formUnion(try usersWithLogs())
    return users.sorted()
  }

  /// The users with session logs, which are not below their profiles. Takes one query per user.
  private func usersWithLogs() throws -> [String] {
    try gate.environment.documents.read { reader in
      var users: [String] = []
      let logs = Query(Collections.sessionLogs).ordered(by: "userId", "startTime").page(1)
      while true {
        let next = logs.filtered("userId", .greater(.text(users.last ?? "")))
        guard let uid = try reader.documents(next).first?["userId"]?.textValue else {
          return users.filter { (try? StorageName.check($0)) != nil }
        }
        users.append(uid)
      }
    }
  }

  /// Calls a body with every user who has documents below the profile. Holds one page of paths in memory.
  static func forEachUser(in documents: any DocumentStore, _ body: (String) throws -> Void) throws {
    var last: CollectionPath?
    var user: Substring = ""
    while true {
      let after = last
      let page = try documents.read {
        try $0.collections(beginningWith: "users/", after: after, limit: 500)
      }
      guard let end = page.last else { return }
      last = end
      // The collections of one user follow each other.
      for path in page {
        let names = path.description.split(separator: "/")
        guard names.count > 1, names[1] != user else { continue }
        user = names[1]
        try body(String(user))
      }
    }
  }

  // MARK: - All data of a user

  /// All readable documents of a user, collection by collection: what the user may export.
  public func documents(of uid: String) throws -> [Document] {
    let paths = try UserPaths(uid)
    // Access to the profile includes everything below it.
    try gate.check(.read, .document(paths.profile))
    return try gate.environment.documents.read { reader in
      let profile = try reader.readable(paths.profile)
      if profile.isDamaged {
        gate.environment.reportSkipped(
          StorageError(.damaged("its checksum is wrong"), paths.profile.description))
      }
      var documents = [profile.document].compactMap { $0 }
      for collection in try Self.collections(of: paths, in: reader)
      where collection != paths.secrets {
        documents += try gate.environment.documents(Query(collection), in: reader)
      }
      documents += try gate.environment.documents(Self.logs(of: uid), in: reader)
      return documents
    }
  }

  private static func collections(
    of paths: UserPaths, in reader: any DocumentReader
  ) throws -> [CollectionPath] {
    try reader.collections(beginningWith: "\(paths.profile)/", after: nil, limit: .max)
  }

  private static func logs(of uid: String) -> Query {
    Query(Collections.sessionLogs).filtered("userId", .equal(.text(uid))).ordered(by: "startTime")
  }

  /// The amount of stored data of a user.
  public struct Holdings: Hashable, Sendable {
    /// The number of documents and waiting events.
    public var documents = 0
    /// The number of files of drawings.
    public var files = 0
    /// The size of these files, in bytes.
    public var bytes = 0
    /// Whether there are neither documents nor files.
    public var isEmpty: Bool { documents == 0 && files == 0 }
  }

  /// The amount of data that `deleteEverything` would delete. Needs the same access.
  public func holdings(of uid: String) throws -> Holdings {
    let paths = try UserPaths(uid)
    try gate.check(.delete, .document(paths.profile))
    let environment = gate.environment
    var holdings = Holdings()
    holdings.documents = try environment.documents.read { reader in
      var count = 0
      let profile = try reader.readable(paths.profile)
      if profile.document != nil || profile.isDamaged { count += 1 }
      for collection in try Self.collections(of: paths, in: reader) {
        count += try reader.count(Query(collection))
      }
      let waiting = Query(Collections.outbox).filtered("uid", .equal(.text(uid)))
      return try count + reader.count(Self.logs(of: uid)) + reader.count(waiting)
    }
    try environment.blobs.forEachFolder(below: BlobFolder("\(paths.profile)/drawings")) {
      _, files in
      holdings.files += files.count
      holdings.bytes += files.reduce(0) { $0 + $1.size }
    }
    return holdings
  }

  /// Deletes all data of a user: the documents in one transaction, then the files. A record of the deletion stays
  /// until it is complete, so that a sweep can finish it after a crash. Returns the number of documents.
  @discardableResult
  public func deleteEverything(of uid: String) throws -> Int {
    let paths = try UserPaths(uid)
    try gate.check(.delete, .document(paths.profile))
    let environment = gate.environment
    let (count, drawings) = try environment.documents.change(at: environment.now()) { transaction in
      // Damaged documents must not prevent the deletion.
      let drawings = try transaction.names(in: paths.drawings, after: nil, limit: .max).compactMap {
        try? transaction.document(paths.drawings.document($0)).map { DrawingRecord($0) }
      }
      var count = try transaction.delete(paths.profile) ? 1 : 0
      // Erased, so that no trace of current or formerly deleted documents remains.
      for collection in Set(try Self.collections(of: paths, in: transaction) + paths.collections) {
        count += try transaction.count(Query(collection))
        try transaction.erase(collection)
      }
      let waiting = Query(Collections.outbox).filtered("uid", .equal(.text(uid)))
      for query in [Self.logs(of: uid), ShareService.query(of: uid), waiting] {
        for document in try environment.documents(query, in: transaction) {
          try transaction.erase(document.path)
          count += 1
        }
      }
      try transaction.set(
        Collections.erasures.document(uid), ["begunAt": .moment(transaction.moment)])
      return (count, drawings)
    }
    try environment.deleteFiles(of: drawings, in: [])
    try Self.finishErasure(of: uid, in: environment)
    return count
  }

  /// Deletes the remaining files of a deleted user, then the record of the deletion.
  static func finishErasure(of uid: String, in environment: ServiceEnvironment) throws {
    let paths = try UserPaths(uid)
    try environment.blobs.forEachFolder(below: BlobFolder("\(paths.profile)/drawings")) {
      folder, _ in
      try environment.deleteFiles(of: [], in: [folder])
    }
    // Empty folders would still show that the user existed.
    for path in ["\(paths.profile)/drawings", "\(paths.profile)"] {
      _ = try? environment.blobs.delete(BlobFolder(path))
    }
    try environment.documents.change(at: environment.now()) { transaction in
      try transaction.erase(Collections.erasures.document(uid))
    }
  }
}
