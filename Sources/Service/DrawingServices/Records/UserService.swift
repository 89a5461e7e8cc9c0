public import Storage

/// Users: profiles, export and deletion of all their data.
public struct UserService: Sendable {
  private let gate: AccessGate

  /// Users with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
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
    for kind in gate.environment.application.kinds {
      users.formUnion(try self.users(inFieldOf: kind))
    }
    return users.sorted()
  }

  /// The users whose ids are in a field of a kind's documents. Takes one query per user, and needs
  /// an index.
  private func users(inFieldOf kind: DocumentKind) throws -> [String] {
    guard case .field(let owner, let order) = kind.owner,
      kind.indexes.contains(where: { $0.fields == [owner, order] })
    else { return [] }
    return try gate.environment.documents.read { reader in
      var users: [String] = []
      let documents = Query(kind.collection).ordered(by: owner, order).page(1)
      while true {
        let next = documents.filtered(owner, .greater(.text(users.last ?? "")))
        guard let uid = try reader.documents(next).first?[owner]?.textValue else {
          return users.filter { (try? StorageName.check($0)) != nil }
        }
        users.append(uid)
      }
    }
  }

  /// Calls a body with every user who has documents below the profile. Holds one page of paths in
  /// memory.
  package static func forEachUser(in documents: any DocumentStore, _ body: (String) throws -> Void)
    throws
  {
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

  /// All readable documents of a user that an export includes, collection by collection.
  public func documents(of uid: String) throws -> [Document] {
    let belongings = try Belongings(of: uid, in: gate.environment)
    let profile = belongings.paths.profile
    // Access to the profile includes everything below it.
    try gate.check(.read, .document(profile))
    return try gate.environment.documents.read { reader in
      let stored = try reader.readable(profile)
      if stored.isDamaged {
        gate.environment.reportSkipped(
          StorageError(.damaged("its checksum is wrong"), profile.description))
      }
      var documents = [stored.document].compactMap { $0 }
      for found in try belongings.documents(in: reader) where found.isExported {
        documents += try gate.environment.documents(found.query, in: reader)
      }
      return documents
    }
  }

  /// The amount of stored data of a user.
  public struct Holdings: Hashable, Sendable {
    /// The number of documents and waiting events.
    public var documents = 0
    /// The number of files: of drawings, in the trash, and of incomplete uploads.
    public var files = 0
    /// The size of these files, in bytes.
    public var bytes = 0
    /// The bytes that count for the quota.
    public var countedBytes = 0
    /// Whether there are neither documents nor files.
    public var isEmpty: Bool { documents == 0 && files == 0 }
  }

  /// The amount of data that `deleteEverything` would delete. Needs the same access.
  public func holdings(of uid: String) throws -> Holdings {
    let belongings = try Belongings(of: uid, in: gate.environment)
    try gate.check(.delete, .document(belongings.paths.profile))
    let sum = try belongings.sum()
    return Holdings(
      documents: sum.documents, files: sum.files, bytes: sum.fileBytes,
      countedBytes: sum.countedBytes)
  }

  private static let placesField = "places"
  private static let filesAreGoneField = "filesAreGone"

  /// Whether the files of a deleted user have been deleted, by the record of the deletion.
  static func haveFilesGone(_ record: Document) -> Bool {
    record[filesAreGoneField]?.boolValue ?? false
  }

  /// Deletes all data of a user: the documents in one transaction, then the files. A record of the
  /// deletion stays until it is complete, so that a sweep can finish it after a crash. Returns the
  /// number of documents.
  @discardableResult
  public func deleteEverything(of uid: String) throws -> Int {
    let environment = gate.environment
    let belongings = try Belongings(of: uid, in: environment)
    try gate.check(.delete, .document(belongings.paths.profile))
    let count = try environment.documents.change(at: environment.now()) { transaction in
      let record = try Collections.erasures.document(uid)
      // Data that an earlier deletion has not reached must still be deleted.
      let former = try transaction.readable(record).document.map(Self.places) ?? []
      let (count, places) = try belongings.eraseDocuments(in: transaction)
      try transaction.set(
        record,
        [
          "begunAt": .moment(transaction.moment),
          Self.placesField: .list(Set(former + places).sorted().map { .text($0) }),
        ])
      return count
    }
    environment.quotas?.forget(uid)
    try Self.finishErasure(of: uid, in: environment)
    return count
  }

  private static func places(in record: Document) -> [String] {
    record[placesField]?.listValue?.compactMap(\.textValue) ?? []
  }

  /// Deletes the remaining files of a deleted user, then the rest of the documents in the
  /// database's log, then the record of the deletion. The record stays while an earlier snapshot is
  /// being read, by a backup for example: then the log cannot be truncated, and the next sweep or
  /// start of a server retries.
  static func finishErasure(of uid: String, in environment: ServiceEnvironment) throws {
    let record = try Collections.erasures.document(uid)
    let stored = try environment.documents.read { try $0.readable(record).document }
    let haveFilesGone = stored.map(Self.haveFilesGone) ?? false
    if !haveFilesGone {
      try Belongings(of: uid, in: environment).eraseFiles(places: stored.map(places) ?? [])
    }
    guard (try? environment.documents.forgetErased()) == true else {
      if haveFilesGone { return }
      // The user may have come back, and then has files outside this deletion.
      return try environment.documents.change(at: environment.now()) { transaction in
        try transaction.set(
          record, [Self.filesAreGoneField: true, "begunAt": stored?["begunAt"]])
      }
    }
    try environment.documents.change(at: environment.now()) { transaction in
      try transaction.erase(record)
    }
    // The record contains the user's id. No other text is left, so the time does not matter.
    _ = try? environment.documents.forgetErased()
  }

  /// Completes interrupted deletions of users, each as far as possible, and returns the problems.
  package static func finishErasures(in environment: ServiceEnvironment) throws -> [String] {
    let names = try environment.documents.read {
      try $0.names(in: Collections.erasures, after: nil, limit: .max)
    }
    return names.compactMap { uid in
      do {
        try finishErasure(of: uid, in: environment)
        return nil
      } catch {
        return "users/\(uid) was deleted, but not all of its files: \(error)"
      }
    }
  }
}
