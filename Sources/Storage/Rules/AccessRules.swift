/// Who may do what, as a table. What no rule allows is refused; a table without rules refuses all.
public struct AccessRules: Sendable {
  /// The rules. A request needs one that allows it.
  public let rules: [AccessRule]

  /// A table.
  public init(_ rules: [AccessRule]) { self.rules = rules }

  /// Throws where no rule allows a request; the error is that of the rule that came nearest.
  public func check(_ request: AccessRequest) throws(AccessRefusal) {
    guard case .user(let uid) = request.caller else {
      throw AccessRefusal(.unauthenticated, request.subject)
    }
    var (refusal, steps) = (AccessRefusal(.noRule, request.subject), -1)
    for rule in rules where rule.operations.contains(request.operation) {
      guard rule.resource == request.resource.kind,
        let names = rule.pattern.match(request.resource.names)
      else { continue }
      var passed = 0
      do throws(AccessRefusal) {
        try rule.who.check(request, uid, names)
        for requirement in rule.requirements {
          passed += 1
          try requirement.check(request)
        }
        return
      } catch {
        if passed > steps { (refusal, steps) = (error, passed) }
      }
    }
    throw refusal
  }
}

/// What is allowed: to whom, which operations, on which paths, with which fields.
public struct AccessRule: Hashable, Sendable {
  let resource: AccessRequest.ResourceKind
  let pattern: PathPattern
  let operations: Set<AccessRequest.Operation>
  let who: Who
  let requirements: [Requirement]

  /// Documents whose paths are like a pattern: `users/{uid}/drawings/*`.
  public static func documents(
    _ pattern: PathPattern, _ operations: AccessRequest.Operation..., by who: Who,
    with requirements: Requirement...
  ) -> AccessRule {
    AccessRule(
      resource: .document, pattern: pattern, operations: Set(operations), who: who,
      requirements: requirements)
  }

  /// Blobs whose paths are like a pattern.
  public static func blobs(
    _ pattern: PathPattern, _ operations: AccessRequest.Operation..., by who: Who,
    with requirements: Requirement...
  ) -> AccessRule {
    AccessRule(
      resource: .blob, pattern: pattern, operations: Set(operations), who: who,
      requirements: requirements)
  }

  /// To whom something is allowed. Nothing is allowed to those who are not signed in.
  public enum Who: Hashable, Sendable {
    /// To all who are signed in.
    case everybody
    /// To the user whom a name of the path says: the one at `{uid}`.
    case owner
    /// To the user whom a field says; it must go on saying so.
    case ownerByField(String)
  }

  /// What must hold of what is written.
  public enum Requirement: Hashable, Sendable {
    /// There are these fields, and they are not null.
    case fields([String])
    /// A field is text.
    case text(String)
    /// A field is a timestamp.
    case moment(String)
    /// The last name is one of these.
    case name([String])
    /// There are fewer bytes than these.
    case fewerBytes(Int)
  }
}

/// Paths that look alike: names that must be so, `{uid}` for the owner's, `*` for any.
public struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
  private let names: [Substring]

  /// A pattern with slashes between its names.
  public init(stringLiteral text: String) { names = text.split(separator: "/") }

  /// Whose path it is, if it is like the pattern: an empty name where nobody owns it.
  func match(_ path: [Substring]) -> Substring? {
    guard path.count == names.count else { return nil }
    var owner: Substring = ""
    for (name, wanted) in zip(path, names) {
      switch wanted {
      case "*": break
      case "{uid}":
        // All documents of a collection are nobody's.
        guard name != "*" else { return nil }
        owner = name
      default: guard name == wanted else { return nil }
      }
    }
    return owner
  }
}

/// That somebody wants to do something.
public struct AccessRequest: Sendable {
  /// Who wants it.
  public let caller: Caller
  /// What.
  public let operation: Operation
  /// To what.
  public let resource: Resource

  /// A request.
  public init(_ caller: Caller, _ operation: Operation, _ resource: Resource) {
    self.caller = caller
    self.operation = operation
    self.resource = resource
  }

  /// Who asks.
  public enum Caller: Hashable, Sendable {
    /// Somebody who is not signed in.
    case nobody
    /// A user who is signed in.
    case user(String)
  }

  /// What can be done.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case read, create, update, delete
  }

  /// What something is done to.
  public enum Resource: Sendable {
    /// A document: what it says now, and what it would say.
    case document(DocumentPath, now: Fields? = nil, then: Fields? = nil)
    /// All documents that a question asks for.
    case query(Query)
    /// A blob, and how many bytes it would have.
    case blob(BlobPath, size: Int? = nil)
  }

  enum ResourceKind: Hashable, Sendable {
    case document, blob
  }
}

extension AccessRequest.Resource {
  var kind: AccessRequest.ResourceKind { if case .blob = self { .blob } else { .document } }

  /// The names of the path; those of a question end with one that only `*` is like.
  var names: [Substring] {
    switch self {
    case .document(let path, _, _): path.description.split(separator: "/")
    case .query(let query): query.collection.description.split(separator: "/") + ["*"]
    case .blob(let path, _): path.description.split(separator: "/")
    }
  }
}

extension AccessRequest {
  /// What a request is about, for errors.
  var subject: String { "\(operation.rawValue) \(resource.names.joined(separator: "/"))" }
}

extension AccessRule.Who {
  func check(
    _ request: AccessRequest, _ uid: String, _ owner: Substring
  ) throws(AccessRefusal) {
    let isAllowed: Bool
    switch self {
    case .everybody: isAllowed = true
    case .owner: isAllowed = !owner.isEmpty && owner.isIdentical(to: uid)
    case .ownerByField(let field):
      func isOwner(_ value: FieldValue?) -> Bool { value?.textValue?.isIdentical(to: uid) == true }
      switch request.resource {
      case .document(_, let now, let then):
        // What there must be to the operation says so, and whatever else is given.
        let needed =
          switch request.operation {
          case .read, .delete: [now]
          case .create: [then]
          case .update: [now, then]
          }
        isAllowed =
          needed.allSatisfy { $0 != nil }
          && [now, then].compactMap { $0 }.allSatisfy { isOwner($0[field]) }
      case .query(let query):
        // Whoever asks for their own only is given nothing else.
        isAllowed = query.filters.contains { filter in
          guard filter.field.isIdentical(to: field), case .equal(let value) = filter.condition
          else { return false }
          return isOwner(value)
        }
      case .blob: isAllowed = false
      }
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

/// Why a request was refused.
public struct AccessRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why.
  public let reason: Reason
  /// What was wanted.
  public let subject: String

  init(_ reason: Reason, _ subject: String) {
    self.reason = reason
    self.subject = subject
  }

  /// Why something can be refused.
  public enum Reason: Hashable, Sendable {
    /// Nobody is signed in.
    case unauthenticated
    /// Nobody may do this.
    case noRule
    /// It is another user's.
    case notOwner
    /// A field must be there.
    case missingField(String)
    /// A field must be of another type.
    case wrongType(field: String)
    /// Nothing may have this name.
    case badName
    /// It has too many bytes.
    case tooLarge(limit: Int)
  }

  /// One sentence for people.
  public var description: String {
    let why =
      switch reason {
      case .unauthenticated: "nobody is signed in"
      case .noRule: "nobody may do this"
      case .notOwner: "it is another user's"
      case .missingField(let name): "the field '\(name)' is missing"
      case .wrongType(let name): "the field '\(name)' is of another type"
      case .badName: "nothing may have this name"
      case .tooLarge(let limit): "it must have fewer than \(limit) bytes"
      }
    return "not allowed: \(subject): \(why)"
  }
}
