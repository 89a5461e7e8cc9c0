package import Storage

/// Passkeys: the public keys with which users sign in. The private ones never leave the users'
/// devices.
package struct PasskeyService: Sendable {
  private let gate: AccessGate
  private var environment: ServiceEnvironment { gate.environment }

  /// Passkeys with the access of a caller.
  package init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// A passkey.
  package struct Passkey: Hashable, Sendable {
    /// The name of the document, the hash of the credential's id.
    package let id: String
    package let uid: String
    package let credential: [UInt8]
    /// The public key in COSE.
    package let key: [UInt8]
    /// The counter of the last use; zero for authenticators without one.
    package let counter: UInt32
    package let name: String
    package let created: Moment
    package let lastUsed: Moment?

    fileprivate init?(_ document: Document) {
      guard let uid = document["uid"]?.textValue,
        let credential = document["credential"]?.bytesValue, let key = document["key"]?.bytesValue,
        let counter = document["counter"]?.integerValue.flatMap({ UInt32(exactly: $0) }),
        let created = document["createdAt"]?.momentValue
      else { return nil }
      id = document.id
      (self.uid, self.credential, self.key) = (uid, credential, key)
      (self.counter, self.created) = (counter, created)
      name = document["name"]?.textValue ?? ""
      lastUsed = document["lastUsed"]?.momentValue
    }
  }

  /// The maximum number of a user's passkeys, and of a name's bytes.
  package static let limit = 50
  package static let nameLimit = 100

  /// A passkey to store.
  package struct New: Sendable {
    package var credential: [UInt8]
    package var key: [UInt8]
    package var algorithm: Int64
    package var counter: UInt32
    package var name: String

    package init(
      credential: [UInt8], key: [UInt8], algorithm: Int64, counter: UInt32, name: String
    ) {
      (self.credential, self.key, self.algorithm) = (credential, key, algorithm)
      (self.counter, self.name) = (counter, name)
    }
  }

  /// Stores a passkey in a transaction. Throws if the credential is known, also for another user.
  static func add(
    _ new: New, of uid: String, in transaction: any DocumentTransaction
  ) throws -> Passkey {
    guard try transaction.count(query(of: uid)) < limit else {
      throw ServiceError.badRequest("a user has at most \(limit) passkeys")
    }
    let document = try transaction.create(
      path(ofCredential: new.credential),
      [
        "uid": .text(uid), "credential": .bytes(new.credential), "key": .bytes(new.key),
        "algorithm": .integer(new.algorithm), "counter": .integer(Int64(new.counter)),
        "name": .text(checked(new.name)), "createdAt": .moment(transaction.moment),
      ])
    guard let passkey = Passkey(document) else {
      throw StorageError(.notFound, document.path.description)
    }
    return passkey
  }

  /// The passkey with a credential's id; nil if there is none.
  package static func passkey(
    credential: [UInt8], in environment: ServiceEnvironment
  ) throws -> Passkey? {
    let path = try path(ofCredential: credential)
    return try environment.documents.read { try $0.readable(path).document }
      .flatMap { Passkey($0) }
  }

  /// Stores the use of a passkey. Returns false if it was deleted meanwhile, or another use had a
  /// higher counter.
  static func noteUse(
    of passkey: Passkey, counter: UInt32, in transaction: any DocumentTransaction
  ) throws -> Bool {
    let path = try path(ofCredential: passkey.credential)
    guard let document = try transaction.readable(path).document,
      let stored = Passkey(document), stored.uid == passkey.uid,
      counter > stored.counter || counter == 0 && stored.counter == 0
    else { return false }
    try transaction.set(
      path,
      document.fields.merging([
        "counter": .integer(Int64(counter)), "lastUsed": .moment(transaction.moment),
      ]))
    return true
  }

  /// The passkeys of a user, the oldest first.
  package func all(of uid: String) throws -> [Passkey] {
    try gate.check(.read, .document(try UserPaths(uid).profile))
    return try environment.documents.read { reader in
      try environment.documents(Self.query(of: uid), in: reader).compactMap { Passkey($0) }
    }
  }

  /// Gives a passkey another name; nil if the user has no such passkey.
  package func rename(_ id: String, of uid: String, to name: String) throws -> Passkey? {
    let profile = try UserPaths(uid).profile
    try gate.check(.update, .document(profile, now: Fields(), then: Fields()))
    let (path, name) = (try Self.path(id), Self.checked(name))
    return try environment.documents.change(at: environment.now()) { transaction in
      guard let document = try transaction.readable(path).document,
        document["uid"]?.textValue == uid
      else { return nil }
      return Passkey(
        try transaction.set(path, document.fields.merging(["name": .text(name)])))
    }
  }

  /// The result of a deletion.
  package enum Deletion: Sendable {
    case done, missing
    /// Without it, the user could not sign in any more.
    case isLastWayIn
  }

  /// Deletes a passkey of a user; the last way in only if that is meant.
  package func delete(
    _ id: String, of uid: String, evenIfLast isConfirmed: Bool
  ) throws -> Deletion {
    try gate.check(.delete, .document(try UserPaths(uid).profile))
    let path = try Self.path(id)
    return try environment.documents.change(at: environment.now()) { transaction in
      guard try transaction.readable(path).document?["uid"]?.textValue == uid else {
        return .missing
      }
      let others = try transaction.count(Self.query(of: uid)) - 1
      let identities = try transaction.count(IdentityService.query(of: uid))
      guard isConfirmed || others + identities > 0 else { return .isLastWayIn }
      try transaction.erase(path)
      return .done
    }
  }

  private static func checked(_ name: String) -> String {
    var name = name.printable
    while name.utf8.count > nameLimit { name.removeLast() }
    return name
  }

  private static func path(ofCredential id: [UInt8]) throws(StorageError) -> DocumentPath {
    try path(ContentHash.of(id))
  }

  private static func path(_ id: String) throws(StorageError) -> DocumentPath {
    try DocumentKind.passkeys.collection.document(id)
  }

  static func query(of uid: String) -> Query {
    Query(DocumentKind.passkeys.collection).filtered("uid", .equal(.text(uid)))
      .ordered(by: "createdAt")
  }
}

extension String {
  /// The text without control characters.
  fileprivate var printable: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
  }
}
