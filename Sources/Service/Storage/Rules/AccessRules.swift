/// The table of access rules. A request is refused unless a rule allows it.
public struct AccessRules: Sendable {
  /// The rules; one of them must allow a request.
  public let rules: [AccessRule]

  /// A table of rules; an empty one refuses every request.
  public init(_ rules: [AccessRule]) { self.rules = rules }

  /// Throws if no rule allows a request of a caller who is not a member of anything. The error comes
  /// from the rule that passed the most checks.
  public func check(_ request: AccessRequest) throws(AccessRefusal) {
    if case .refused(let refusal, _) = outcome(of: request) { throw refusal }
  }

  /// Throws if no rule allows a request. `role` is asked for the caller's role only if a role could
  /// allow the request and no other rule does.
  public func check(
    _ request: AccessRequest, role: (AccessRule.Membership) throws -> AccessRule.Role?
  ) throws {
    guard case .refused(var refusal, let rules) = outcome(of: request) else { return }
    guard let membership = rules.first?.membership, let role = try role(membership) else {
      throw refusal
    }
    var maximumPassed = -1
    for (rule, _) in rules {
      var passed = 0
      do throws(AccessRefusal) {
        try rule.check(request, role, &passed)
        return
      } catch {
        if passed > maximumPassed { (refusal, maximumPassed) = (error, passed) }
      }
    }
    throw refusal
  }

  /// The result for a request without regard to roles.
  private enum Outcome {
    case allowed
    /// Refused, unless the caller is a member with a role that one of these rules asks for.
    case refused(AccessRefusal, [(rule: AccessRule, membership: AccessRule.Membership)])
  }

  private func outcome(of request: AccessRequest) -> Outcome {
    guard case .user(let uid) = request.caller else {
      return .refused(AccessRefusal(.unauthenticated, request.subject), [])
    }
    let (kind, path) = (request.resource.kind, request.resource.names)
    var (refusal, maximumPassed) = (AccessRefusal?.none, -1)
    var ofMembers: [(rule: AccessRule, membership: AccessRule.Membership)] = []
    for rule in rules where rule.operations.contains(request.operation) {
      guard rule.resource == kind, let names = rule.pattern.match(path) else { continue }
      if case .member = rule.who {
        ofMembers.append((rule, names))
        continue
      }
      var passed = 0
      do throws(AccessRefusal) {
        try rule.who.check(request, uid, names.owner)
        try rule.checkRequirements(request, &passed)
        return .allowed
      } catch {
        if passed > maximumPassed { (refusal, maximumPassed) = (error, passed) }
      }
    }
    // A refusal of the owner is no matter of roles.
    ofMembers.removeAll { $0.membership.owner.isEmpty || $0.membership.owner.isIdentical(to: uid) }
    return .refused(refusal ?? AccessRefusal(.noRule, request.subject), ofMembers)
  }
}

/// A rule that allows operations on paths: the users, the operations and the requirements.
public struct AccessRule: Hashable, Sendable {
  let resource: AccessRequest.ResourceKind
  let pattern: PathPattern
  let operations: Set<AccessRequest.Operation>
  let who: Who
  let requirements: [Requirement]

  /// A rule for documents whose paths match a pattern: `users/{uid}/drawings/*`.
  public static func documents(
    _ pattern: PathPattern, _ operations: AccessRequest.Operation..., by who: Who,
    with requirements: Requirement...
  ) -> AccessRule {
    AccessRule(
      resource: .document, pattern: pattern, operations: Set(operations), who: who,
      requirements: requirements)
  }

  /// A rule for blobs whose paths match a pattern.
  public static func blobs(
    _ pattern: PathPattern, _ operations: AccessRequest.Operation..., by who: Who,
    with requirements: Requirement...
  ) -> AccessRule {
    AccessRule(
      resource: .blob, pattern: pattern, operations: Set(operations), who: who,
      requirements: requirements)
  }

  /// The users that a rule applies to. No rule applies to callers who are not signed in.
  public enum Who: Hashable, Sendable {
    /// All users who are signed in.
    case anyUser
    /// The user whose id is in the path, at `{uid}`.
    case owner
    /// The user whose id is in a field, before and after the operation.
    case ownerByField(String)
    /// Members of the object at `{shared}` in the tree of the owner at `{uid}`, with at least this
    /// role.
    case member(Role)
  }

  /// The role of a member. A writer may also read.
  public enum Role: String, Hashable, Sendable, CaseIterable, Comparable {
    case reader, writer

    /// Whether a role allows less than another one.
    public static func < (a: Role, b: Role) -> Bool { a == .reader && b == .writer }
  }

  /// An object in the tree of an owner, of which others may be members.
  public struct Membership: Hashable, Sendable {
    /// The id of the owner: empty if the pattern has no `{uid}`.
    public let owner: Substring
    /// The name of the object: empty if the pattern has no `{shared}`.
    public let shared: Substring
  }

  /// A requirement for written data.
  public enum Requirement: Hashable, Sendable {
    /// These fields exist and are not null.
    case fields([String])
    /// No other fields of the document change than these.
    case changesOnly(Set<String>)
    /// A field is text.
    case text(String)
    /// A field is a timestamp.
    case moment(String)
    /// The last name of the path is one of these.
    case name([String])
    /// The blob has fewer bytes than this number.
    case fewerBytes(Int)
  }
}

/// A pattern for paths: literal names, `{uid}` for the id of the owner, `{shared}` for an object that
/// may have members, `*` for any name.
public struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
  private let names: [Substring]

  /// A pattern with slashes between its names.
  public init(stringLiteral text: String) { names = text.split(separator: "/") }

  /// The owner and the object with members in a path; nil if the path does not match.
  func match(_ path: [Substring]) -> AccessRule.Membership? {
    guard path.count == names.count else { return nil }
    var (owner, shared): (Substring, Substring) = ("", "")
    for (name, wanted) in zip(path, names) {
      switch wanted {
      case "*": break
      case "{uid}", "{shared}":
        // A query for a whole collection has no single owner or object.
        guard name != "*" else { return nil }
        if wanted == "{uid}" { owner = name } else { shared = name }
      default: guard name == wanted else { return nil }
      }
    }
    return AccessRule.Membership(owner: owner, shared: shared)
  }
}

/// An access request: caller, operation and path.
public struct AccessRequest: Sendable {
  /// The caller who makes the request.
  public let caller: Caller
  /// The requested operation.
  public let operation: Operation
  /// The document, query or blob that the operation is for.
  public let resource: Resource

  /// A request of a caller for an operation on a resource.
  public init(_ caller: Caller, _ operation: Operation, _ resource: Resource) {
    self.caller = caller
    self.operation = operation
    self.resource = resource
  }

  /// The caller of a request.
  public enum Caller: Hashable, Sendable {
    /// A caller who is not signed in.
    case anonymous
    /// A signed-in user, by id.
    case user(String)
  }

  /// The operations that rules can allow.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case read, create, update, delete
  }

  /// The target of an operation.
  public enum Resource: Sendable {
    /// A document: its current fields, and its fields after the operation.
    case document(DocumentPath, now: Fields? = nil, then: Fields? = nil)
    /// All documents that match a query.
    case query(Query)
    /// A blob, and its size in bytes after the operation.
    case blob(BlobPath, size: Int? = nil)
  }

  enum ResourceKind: Hashable, Sendable {
    case document, blob
  }
}

extension AccessRequest.Resource {
  var kind: AccessRequest.ResourceKind { if case .blob = self { .blob } else { .document } }

  /// The names of the path. Those of a query end with `*`, which only the pattern `*` matches.
  var names: [Substring] {
    switch self {
    case .document(let path, _, _): path.description.namesOfPath
    case .query(let query): query.collection.description.namesOfPath + ["*"]
    case .blob(let path, _): path.description.namesOfPath
    }
  }
}

extension AccessRequest {
  /// Operation and path, for error messages.
  var subject: String { "\(operation.rawValue) \(resource.names.joined(separator: "/"))" }
}

extension AccessRule {
  fileprivate func checkRequirements(
    _ request: AccessRequest, _ passed: inout Int
  ) throws(AccessRefusal) {
    for requirement in requirements {
      passed += 1
      try requirement.check(request)
    }
  }

  /// Throws unless a member with a role may do something.
  fileprivate func check(
    _ request: AccessRequest, _ role: Role, _ passed: inout Int
  ) throws(AccessRefusal) {
    guard case .member(let least) = who, role >= least else {
      throw AccessRefusal(.onlyReads, request.subject)
    }
    try checkRequirements(request, &passed)
  }
}

extension AccessRule.Who {
  func check(
    _ request: AccessRequest, _ uid: String, _ owner: Substring
  ) throws(AccessRefusal) {
    let isAllowed: Bool
    switch self {
    case .anyUser: isAllowed = true
    case .owner: isAllowed = !owner.isEmpty && owner.isIdentical(to: uid)
    case .ownerByField(let field):
      func isOwner(_ value: FieldValue?) -> Bool { value?.textValue?.isIdentical(to: uid) == true }
      switch request.resource {
      case .document(_, let now, let then):
        // The fields that the operation needs must exist and contain the owner's id; so must all
        // given fields.
        let required =
          switch request.operation {
          case .read, .delete: [now]
          case .create: [then]
          case .update: [now, then]
          }
        isAllowed =
          required.allSatisfy { $0 != nil }
          && [now, then].compactMap { $0 }.allSatisfy { isOwner($0[field]) }
      case .query(let query):
        // The query must be limited to documents of the user.
        isAllowed = query.filters.contains { filter in
          guard filter.field.isIdentical(to: field), case .equal(let value) = filter.condition
          else { return false }
          return isOwner(value)
        }
      case .blob: isAllowed = false
      }
    // The caller's role is checked later.
    case .member: isAllowed = false
    }
    guard isAllowed else { throw AccessRefusal(.notOwner, request.subject) }
  }
}

extension AccessRule.Requirement {
  func check(_ request: AccessRequest) throws(AccessRefusal) {
    func refuse(_ reason: AccessRefusal.Reason) -> AccessRefusal {
      AccessRefusal(reason, request.subject)
    }
    func field(_ name: String) -> FieldValue? {
      guard case .document(_, _, let then) = request.resource, let value = then?[name],
        value != .null
      else { return nil }
      return value
    }
    switch self {
    case .fields(let names):
      for name in names where field(name) == nil { throw refuse(.missingField(name)) }
    case .changesOnly(let names):
      guard case .document(_, let stored, let new) = request.resource else {
        throw refuse(.notOwner)
      }
      let (now, then) = (stored ?? Fields(), new ?? Fields())
      let all = Set(now.all.map(\.0)).union(then.all.map(\.0))
      for name in all.subtracting(names).sorted()
      where now[name] ?? .null != then[name] ?? .null { throw refuse(.ownersField(name)) }
    case .text(let name):
      guard field(name)?.textValue != nil else { throw refuse(.wrongType(field: name)) }
    case .moment(let name):
      guard field(name)?.momentValue != nil else { throw refuse(.wrongType(field: name)) }
    case .name(let names):
      guard let last = request.resource.names.last, names.contains(String(last)) else {
        throw refuse(.badName)
      }
    case .fewerBytes(let limit):
      guard case .blob(_, let size?) = request.resource, size < limit else {
        throw refuse(.tooLarge(limit: limit))
      }
    }
  }
}

/// The reason and the subject of a refusal.
public struct AccessRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason of the refusal.
  public let reason: Reason
  /// The refused operation and path.
  public let subject: String

  init(_ reason: Reason, _ subject: String) {
    self.reason = reason
    self.subject = subject
  }

  /// The reasons for a refusal.
  public enum Reason: Hashable, Sendable {
    /// The caller is not signed in.
    case unauthenticated
    /// No rule allows this operation on this path.
    case noRule
    /// It belongs to another user.
    case notOwner
    /// It belongs to another user, and the caller may only read it.
    case onlyReads
    /// Only the owner may change this field.
    case ownersField(String)
    /// A required field is missing or null.
    case missingField(String)
    /// A field has the wrong type.
    case wrongType(field: String)
    /// The last name of the path is not one of the allowed names.
    case badName
    /// The blob has too many bytes.
    case tooLarge(limit: Int)
  }

  /// The subject and the reason, as one sentence for people.
  public var description: String {
    let why =
      switch reason {
      case .unauthenticated: "the caller is not signed in"
      case .noRule: "no rule allows this"
      case .notOwner: "it belongs to another user"
      case .onlyReads: "the caller may only read it"
      case .ownersField(let name): "only the owner may change the field '\(name)'"
      case .missingField(let name): "the field '\(name)' is missing"
      case .wrongType(let name): "the field '\(name)' has the wrong type"
      case .badName: "this name is not allowed"
      case .tooLarge(let limit): "it must have fewer than \(limit) bytes"
      }
    return "not allowed: \(subject): \(why)"
  }
}
