public import Storage

/// Members: other users who may read or change a drawing, and the invitations by which they become
/// members (decision 73).
///
/// No user can read the documents of members and invitations, so all access is through this type.
/// Everything ends with its drawing.
public struct MemberService: Sendable {
  private let gate: AccessGate
  private var environment: ServiceEnvironment { gate.environment }

  /// Members with the access of a caller.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// A member of a drawing.
  public struct Member: Hashable, Sendable {
    /// The member.
    public let uid: String
    /// The owner of the drawing.
    public let owner: String
    /// The drawing.
    public let drawing: String
    /// What the member may do.
    public let role: AccessRule.Role
    /// The name that the other members see; empty for none.
    public let name: String
    /// When the user became a member.
    public let since: Moment

    init?(_ document: Document) {
      guard let uid = document["uid"]?.textValue, let owner = document["owner"]?.textValue,
        let drawing = document["drawing"]?.textValue,
        let role = document["role"]?.textValue.flatMap(AccessRule.Role.init)
      else { return nil }
      (self.uid, self.owner, self.drawing, self.role) = (uid, owner, drawing, role)
      name = document["name"]?.textValue ?? ""
      since = document["since"]?.momentValue ?? document.created
    }
  }

  /// An invitation to a drawing.
  public struct Invitation: Hashable, Sendable {
    /// The hash of the secret in the link, which the service does not store.
    public let id: String
    /// The owner of the drawing.
    public let owner: String
    /// The drawing.
    public let drawing: String
    /// The role of those who join.
    public let role: AccessRule.Role
    /// When the invitation ends.
    public let expires: Moment
    /// How many users may still join.
    public let usesLeft: Int
    fileprivate let created: Moment?

    init?(_ document: Document) {
      guard let owner = document["uid"]?.textValue, let drawing = document["drawing"]?.textValue,
        let role = document["role"]?.textValue.flatMap(AccessRule.Role.init),
        let expires = document["expires"]?.momentValue, let uses = document["uses"]?.integerValue
      else { return nil }
      id = document.id
      (self.owner, self.drawing, self.role) = (owner, drawing, role)
      (self.expires, usesLeft) = (expires, Int(uses))
      created = document["drawingCreated"]?.momentValue
    }
  }

  /// The default lifetime of an invitation, in seconds: a week.
  public static let usualSeconds: Int64 = 7 * 86_400
  /// The maximum lifetime of an invitation, in seconds: a year.
  public static let maximumSeconds: Int64 = 366 * 86_400
  /// The maximum number of users that one invitation admits.
  public static let maximumUses = 100
  /// The maximum number of members of a drawing, and of its invitations.
  public static let limit = 100
  /// The maximum size of a name, in bytes.
  public static let nameLimit = 200

  // MARK: - Inviting

  /// Invites others to a drawing. The code in the result is stored nowhere.
  public func invite(
    to drawing: String, of uid: String, role: AccessRule.Role,
    seconds: Int64 = usualSeconds, uses: Int = 1
  ) throws -> (invitation: Invitation, code: String) {
    guard 1...Self.maximumSeconds ~= seconds else {
      throw ServiceError.badRequest("an invitation lasts 1 to \(Self.maximumSeconds) seconds")
    }
    guard 1...Self.maximumUses ~= uses else {
      throw ServiceError.badRequest("an invitation admits 1 to \(Self.maximumUses) users")
    }
    let code = environment.newID()
    let path = try Self.path(ofInvitation: code)
    return try gate.of(uid).change { transaction in
      let stored = try ownedDrawing(drawing, of: uid, in: transaction)
      let documents = transaction.ofService
      let query = Self.invitations(uid, drawing)
      if try documents.count(query) >= Self.limit {
        for document in try environment.documents(query, in: documents)
        where try !Self.isOpen(document, in: documents, at: transaction.moment) {
          try documents.erase(document.path)
        }
      }
      guard try documents.count(query) < Self.limit else {
        throw ServiceError.badRequest("a drawing has at most \(Self.limit) invitations")
      }
      let document = try documents.set(
        path,
        [
          "uid": .text(uid), "drawing": .text(drawing), "role": .text(role.rawValue),
          "drawingCreated": .moment(stored.created), "uses": .integer(Int64(uses)),
          "expires": .moment(transaction.moment + seconds),
          "createdAt": .moment(transaction.moment),
        ])
      guard let invitation = Invitation(document) else { throw ServiceError.noInvitation }
      return (invitation, code)
    }
  }

  /// The invitations to a drawing that are still open, the newest first.
  public func invitations(to drawing: String, of uid: String) throws -> [Invitation] {
    let path = try UserPaths(uid).drawings.document(drawing)
    let now = environment.now()
    return try environment.documents.read { reader in
      try gate.check(
        .delete, .document(path, now: reader.readable(path).document?.fields), in: reader)
      return try environment.documents(Self.invitations(uid, drawing), in: reader)
        .filter { try Self.isOpen($0, in: reader, at: now) }
        .compactMap { Invitation($0) }.sorted { ($1.expires, $1.id) < ($0.expires, $0.id) }
    }
  }

  /// Ends an invitation and returns whether it existed.
  @discardableResult
  public func endInvitation(_ id: String, to drawing: String, of uid: String) throws -> Bool {
    let path = try Collections.invitations.document(id)
    return try gate.of(uid).change { transaction in
      try checkOwner(drawing, of: uid, in: transaction)
      let document = try transaction.ofService.readable(path).document
      guard document?["uid"] == .text(uid), document?["drawing"] == .text(drawing) else {
        return false
      }
      try transaction.ofService.erase(path)
      return true
    }
  }

  // MARK: - Joining

  /// A drawing that a code invites to.
  package struct Offer: Sendable {
    package let invitation: Invitation
    package let record: DrawingRecord
    /// The name in the profile of the owner; empty for none.
    package let ownerName: String
    /// The role that the caller has already; nil for none.
    package let role: DrawingAccess.Role?
    /// Whether the caller has used the invitation before.
    fileprivate let isUsed: Bool
  }

  /// The drawing that a code invites the caller to. Throws `ServiceError.noInvitation` for unknown,
  /// expired and used-up codes alike.
  package func look(_ code: String) throws -> Offer {
    let (uid, path) = try guest(code)
    let now = environment.now()
    return try environment.documents.read { try offer(path, code, to: uid, at: now, in: $0) }
  }

  /// Makes the caller a member by a code. The same again is no error. A name of nil means that in
  /// the caller's profile.
  @discardableResult
  public func join(_ code: String, name: String?) throws -> Member {
    let (uid, path) = try guest(code)
    guard (name ?? "").utf8.count <= Self.nameLimit else {
      throw ServiceError.badRequest("a name has at most \(Self.nameLimit) bytes")
    }
    return try gate.change { transaction in
      let documents = transaction.ofService
      let offer = try offer(path, code, to: uid, at: transaction.moment, in: documents)
      if offer.role == .owner { throw ServiceError.ownDrawing }
      let invitation = offer.invitation
      let memberPath = try DrawingAccess.path(
        ofMember: uid, invitation.owner, invitation.drawing)
      let stored = try documents.readable(memberPath).document
      // A writer stays one, and so does a member whose role the owner has changed since.
      if let role = offer.role, role == .writer || invitation.role == .reader || offer.isUsed,
        let member = stored.flatMap({ Member($0) })
      {
        return member
      }
      if offer.role == nil,
        try documents.count(Self.members(invitation.owner, invitation.drawing)) >= Self.limit
      {
        throw ServiceError.badRequest("a drawing has at most \(Self.limit) members")
      }
      let profile = try documents.readable(UserPaths(uid).profile).document
      let document = try Self.store(
        [
          "uid": .text(uid), "owner": .text(invitation.owner), "drawing": .text(invitation.drawing),
          "drawingCreated": invitation.created.map { .moment($0) },
          "role": .text(invitation.role.rawValue),
          "name": .text(name ?? profile?["userName"]?.textValue ?? ""),
          "since": offer.role == nil ? .moment(transaction.moment) : stored?["since"],
        ], at: memberPath, of: uid, in: documents)
      try use(path, code, by: uid, in: documents)
      guard let member = Member(document) else { throw ServiceError.noInvitation }
      return member
    }
  }

  /// The caller, and the document of the invitation with a code.
  private func guest(_ code: String) throws -> (uid: String, DocumentPath) {
    guard case .user(let uid) = gate.caller else {
      try gate.check(.read, .query(Query(Collections.invitations)))
      throw ServiceError.badRequest("only a user can join a drawing")
    }
    _ = try UserPaths(uid)
    return (uid, try Self.path(ofInvitation: code))
  }

  private func offer(
    _ path: DocumentPath, _ code: String, to uid: String, at now: Moment,
    in reader: any DocumentReader
  ) throws -> Offer {
    guard let document = try reader.readable(path).document,
      let invitation = Invitation(document), invitation.expires > now
    else { throw ServiceError.noInvitation }
    let drawing = try UserPaths(invitation.owner).drawings.document(invitation.drawing)
    guard let stored = try reader.readable(drawing).document, stored.created == invitation.created
    else { throw ServiceError.noInvitation }
    let role = try DrawingAccess.role(
      of: .user(uid), owner: invitation.owner, drawing: invitation.drawing, in: reader)
    let isUsed = Self.used(document).contains(Self.guest(uid, code))
    // A member whom the owner has removed cannot come back by the same link.
    guard role != nil || invitation.usesLeft > 0 && !isUsed else { throw ServiceError.noInvitation }
    let profile = try reader.readable(UserPaths(invitation.owner).profile).document
    return Offer(
      invitation: invitation, record: DrawingRecord(stored),
      ownerName: profile?["userName"]?.textValue ?? "", role: role, isUsed: isUsed)
  }

  /// Counts a use of an invitation.
  private func use(
    _ path: DocumentPath, _ code: String, by uid: String, in transaction: any DocumentTransaction
  ) throws {
    guard let document = try transaction.readable(path).document,
      let left = document["uses"]?.integerValue, left > 0
    else { throw ServiceError.noInvitation }
    let used = Self.used(document) + [Self.guest(uid, code)]
    try transaction.set(
      path,
      document.fields.merging([
        "uses": .integer(left - 1), "usedBy": .list(used.map { .text($0) }),
      ]))
  }

  private static func used(_ invitation: Document) -> [String] {
    invitation["usedBy"]?.listValue?.compactMap(\.textValue) ?? []
  }

  /// A user in an invitation: a hash with its secret, so that nothing tells that an erased user was
  /// here.
  private static func guest(_ uid: String, _ code: String) -> String {
    String(ContentHash.of(Array("\(code)/\(uid)".utf8)).prefix(32))
  }

  // MARK: - Members

  /// The members of a drawing, the first one first, for the owner and for members.
  public func members(of drawing: String, of uid: String) throws -> [Member] {
    let path = try UserPaths(uid).drawings.document(drawing)
    return try environment.documents.read { reader in
      let stored = try reader.readable(path).document
      try gate.check(.read, .document(path, now: stored?.fields), in: reader)
      return try environment.documents(Self.members(uid, drawing), in: reader)
        .filter { $0["drawingCreated"]?.momentValue == stored?.created }
        .compactMap { Member($0) }.sorted { ($0.since, $0.uid) < ($1.since, $1.uid) }
    }
  }

  /// Changes the role of a member; nil if there is none.
  @discardableResult
  public func setRole(
    _ role: AccessRule.Role, ofMember member: String, of drawing: String, of uid: String
  ) throws -> Member? {
    let path = try DrawingAccess.path(ofMember: member, uid, drawing)
    return try environment.documents.change(at: environment.now()) { transaction in
      try checkOwner(drawing, of: uid, in: transaction)
      guard let stored = try transaction.readable(path).document else { return nil }
      let fields = stored.fields.merging(["role": .text(role.rawValue)])
      if fields == stored.fields { return Member(stored) }
      return Member(try Self.store(fields, at: path, of: member, in: transaction))
    }
  }

  /// Ends a membership, and returns whether there was one. Members may end their own.
  @discardableResult
  public func remove(_ member: String, from drawing: String, of uid: String) throws -> Bool {
    let path = try DrawingAccess.path(ofMember: member, uid, drawing)
    return try environment.documents.change(at: environment.now()) { transaction in
      let stored = try transaction.readable(path)
      if stored.document == nil || gate.caller != .user(member) {
        try checkOwner(drawing, of: uid, in: transaction)
      }
      guard stored.document != nil || stored.isDamaged else { return false }
      try Self.end(path, of: member, in: transaction)
      return true
    }
  }

  /// A drawing of another user that the caller is a member of.
  public struct SharedDrawing: Sendable {
    /// The membership.
    public let member: Member
    /// The drawing.
    public let record: DrawingRecord
    /// The name in the profile of the owner; empty for none.
    public let ownerName: String
  }

  /// One page of the drawings of others that a user is a member of, the latest first.
  public func shared(
    with uid: String, limit: Int? = nil, after cursor: Query.Cursor? = nil
  ) throws -> (drawings: [SharedDrawing], cursor: Query.Cursor?) {
    try gate.check(.read, .document(try UserPaths(uid).profile))
    let query = Query(Collections.members).filtered("uid", .equal(.text(uid)))
      .ordered(by: "since", descending: true).page(limit, after: cursor)
    return try environment.documents.read { reader in
      let page = try reader.page(query)
      page.damaged.forEach(environment.reportSkipped)
      let drawings = try page.documents.compactMap { document -> SharedDrawing? in
        guard let member = Member(document) else { return nil }
        let owner = try UserPaths(member.owner)
        guard let stored = try reader.readable(owner.drawings.document(member.drawing)).document,
          stored.created == document["drawingCreated"]?.momentValue
        else { return nil }
        let profile = try reader.readable(owner.profile).document
        return SharedDrawing(
          member: member, record: DrawingRecord(stored),
          ownerName: profile?["userName"]?.textValue ?? "")
      }
      return (drawings, page.cursor)
    }
  }

  // MARK: - Owners

  /// Throws unless the caller is the owner of a drawing, or an operator: only these may delete it.
  private func checkOwner(
    _ drawing: String, of uid: String, in transaction: any DocumentTransaction
  ) throws {
    let path = try UserPaths(uid).drawings.document(drawing)
    try gate.check(
      .delete, .document(path, now: transaction.readable(path).document?.fields), in: transaction)
  }

  private func checkOwner(
    _ drawing: String, of uid: String, in transaction: GatedTransaction
  ) throws {
    try checkOwner(drawing, of: uid, in: transaction.ofService)
  }

  private func ownedDrawing(
    _ drawing: String, of uid: String, in transaction: GatedTransaction
  ) throws -> Document {
    try checkOwner(drawing, of: uid, in: transaction)
    let path = try UserPaths(uid).drawings.document(drawing)
    guard let stored = try transaction.stored(path) else {
      throw StorageError(.notFound, path.description)
    }
    return stored
  }

  // MARK: - Documents

  private static func path(ofInvitation code: String) throws(StorageError) -> DocumentPath {
    try Collections.invitations.document(ContentHash.of(Array(code.utf8)))
  }

  private static func members(_ owner: String, _ drawing: String) -> Query {
    Query(Collections.members).filtered("owner", .equal(.text(owner)))
      .filtered("drawing", .equal(.text(drawing)))
  }

  private static func invitations(_ owner: String, _ drawing: String) -> Query {
    Query(Collections.invitations).filtered("uid", .equal(.text(owner)))
      .filtered("drawing", .equal(.text(drawing)))
  }

  /// Stores a member, and a note of it among the user's own documents.
  private static func store(
    _ fields: Fields, at path: DocumentPath, of uid: String,
    in transaction: any DocumentTransaction
  ) throws -> Document {
    try transaction.set(
      UserPaths(uid).memberships.document(path.id),
      Fields(fields.all.filter { ["owner", "drawing", "role", "since"].contains($0.0) }))
    return try transaction.set(path, fields)
  }

  /// Ends a membership. Its note is deleted with a trace, so that the user's devices learn of it.
  private static func end(
    _ path: DocumentPath, of uid: String, in transaction: any DocumentTransaction
  ) throws {
    try transaction.erase(path)
    try transaction.delete(
      UserPaths(uid).memberships.document(path.id), at: transaction.moment)
  }

  /// Whether an invitation has neither expired, nor been used up, nor ended with its drawing.
  private static func isOpen(
    _ document: Document, in reader: any DocumentReader, at now: Moment
  ) throws -> Bool {
    guard let invitation = Invitation(document), invitation.expires > now, invitation.usesLeft > 0
    else { return false }
    return try isStored(document, owner: invitation.owner, in: reader)
  }

  /// Whether the drawing of a member or an invitation is stored.
  private static func isStored(
    _ document: Document, owner: String, in reader: any DocumentReader
  ) throws -> Bool {
    let path = try UserPaths(owner).drawings.document(document["drawing"]?.textValue ?? "")
    let stored = try reader.readable(path).document
    return stored != nil && stored?.created == document["drawingCreated"]?.momentValue
  }

  /// Ends all memberships and invitations of a drawing that is being deleted.
  static func endAll(
    of uid: String, drawing: String, in transaction: any DocumentTransaction,
    _ environment: ServiceEnvironment
  ) throws {
    for document in try environment.documents(members(uid, drawing), in: transaction) {
      try end(document.path, of: document["uid"]?.textValue ?? "", in: transaction.ofOthers)
    }
    for document in try environment.documents(invitations(uid, drawing), in: transaction) {
      try transaction.erase(document.path)
    }
  }

  /// Notes the ends of all memberships in the drawings of a user who is being erased, for the
  /// members.
  static func noteEnds(
    ofOwner uid: String, in transaction: any DocumentTransaction,
    _ environment: ServiceEnvironment
  ) throws {
    let query = Query(Collections.members).filtered("owner", .equal(.text(uid)))
    for document in try environment.documents(query, in: transaction) {
      guard let member = document["uid"]?.textValue else { continue }
      try transaction.delete(
        UserPaths(member).memberships.document(document.id), at: transaction.moment)
    }
  }

  /// Erases the invitations that have ended, and memberships without a drawing. Invitations that
  /// were used up stay until they expire: their guests may ask again.
  static func eraseEnded(in environment: ServiceEnvironment) throws {
    try forEach(in: Collections.invitations, environment) { document, transaction in
      let invitation = Invitation(document)
      if let invitation, invitation.expires > transaction.moment,
        try isStored(document, owner: invitation.owner, in: transaction)
      {
        return
      }
      try transaction.erase(document.path)
    }
    try forEach(in: Collections.members, environment) { document, transaction in
      let member = Member(document)
      if let member, try isStored(document, owner: member.owner, in: transaction) { return }
      if let member { return try end(document.path, of: member.uid, in: transaction) }
      try transaction.erase(document.path)
    }
  }

  /// Calls a body with each readable document of a collection, in transactions of up to 500.
  private static func forEach(
    in collection: CollectionPath, _ environment: ServiceEnvironment,
    _ body: (Document, any DocumentTransaction) throws -> Void
  ) throws {
    var last: String?
    repeat {
      let after = last
      let names = try environment.documents.read {
        try $0.names(in: collection, after: after, limit: 500)
      }
      if !names.isEmpty {
        try environment.documents.change(at: environment.now()) { transaction in
          for name in names {
            guard let document = try transaction.readable(collection.document(name)).document
            else { continue }
            try body(document, transaction)
          }
        }
      }
      last = names.last
    } while last != nil
  }
}
