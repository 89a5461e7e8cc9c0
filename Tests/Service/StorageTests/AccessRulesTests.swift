import TestSupport
import Testing

@testable import Storage

struct AccessRulesTests {
  private static let rules = AccessRules([
    .documents("users/{uid}", .read, .update, by: .owner),
    .documents("users/{uid}/notes/*", .read, .delete, by: .owner),
    .documents(
      "users/{uid}/notes/*", .create, .update, by: .owner,
      with: .fields(["title", "createdAt"]), .text("title"), .moment("createdAt")),
    .documents("articles/*", .read, by: .anyUser),
    .documents("shared/*", .read, .create, .update, .delete, by: .ownerByField("owner")),
    .blobs("users/{uid}/pictures/*/*", .read, .delete, by: .owner),
    .blobs(
      "users/{uid}/pictures/*/*", .create, .update, by: .owner,
      with: .name(["image.png", "thumb.png"]), .fewerBytes(1000)),
  ])

  /// The reason of a refusal; nil if the request is allowed.
  private static func refusal(
    _ uid: String?, _ operation: AccessRequest.Operation, _ resource: AccessRequest.Resource,
    _ rules: AccessRules = rules
  ) -> AccessRefusal.Reason? {
    do throws(AccessRefusal) {
      try rules.check(
        AccessRequest(uid.map { .user($0) } ?? .anonymous, operation, resource))
      return nil
    } catch {
      return error.reason
    }
  }

  private static func document(
    _ path: String, now: Fields? = nil, then: Fields? = nil
  ) throws -> AccessRequest.Resource {
    .document(try DocumentPath(path), now: now, then: then)
  }

  @Test func `an empty table of rules refuses everything`() throws {
    let none = AccessRules([])
    for operation in AccessRequest.Operation.allCases {
      for resource: AccessRequest.Resource in [
        try Self.document("articles/a", now: ["owner": "ann"], then: ["owner": "ann"]),
        .query(Query(try CollectionPath("articles"))),
        .blob(try BlobPath("users/ann/pictures/p/image.png"), size: 1),
      ] {
        #expect(Self.refusal("ann", operation, resource, none) == .noRule)
        #expect(Self.refusal(nil, operation, resource, none) == .unauthenticated)
      }
    }
  }

  @Test func `a caller who is not signed in may do nothing`() throws {
    for operation in AccessRequest.Operation.allCases {
      #expect(Self.refusal(nil, operation, try Self.document("articles/a")) == .unauthenticated)
      #expect(Self.refusal(nil, operation, try Self.document("users/ann")) == .unauthenticated)
    }
  }

  @Test func `each access rule allows exactly its operations`() throws {
    let note: Fields = ["title": "t", "createdAt": .moment(Moment(seconds: 1))]
    let table: [(String, [AccessRequest.Operation])] = [
      ("users/ann", [.read, .update]),
      ("users/ann/notes/n", [.read, .create, .update, .delete]),
      ("articles/a", [.read]),
      ("articles/a/notes/n", []), ("users/ann/others/n", []), ("other/x", []),
      ("users/ann/notes/n/lines/l", []),
    ]
    for (path, allowed) in table {
      for operation in AccessRequest.Operation.allCases {
        let resource = try Self.document(path, now: note, then: note)
        let isAllowed = allowed.contains(operation)
        #expect(
          Self.refusal("ann", operation, resource) == (isAllowed ? nil : .noRule),
          "\(operation) \(path)")
        // Other users may only do what all signed-in users may do.
        let isEverybodys = path.hasPrefix("articles/") && isAllowed
        #expect(
          Self.refusal("bob", operation, resource)
            == (isEverybodys ? nil : isAllowed ? .notOwner : .noRule), "\(operation) \(path)")
      }
    }
    let image = try BlobPath("users/ann/pictures/p/image.png")
    for operation in AccessRequest.Operation.allCases {
      #expect(Self.refusal("ann", operation, .blob(image, size: 999)) == nil)
      #expect(Self.refusal("bob", operation, .blob(image, size: 999)) == .notOwner)
      // A rule for documents allows no blob at the same path, and vice versa.
      #expect(
        Self.refusal("ann", operation, .blob(try BlobPath("users/ann/notes/n"), size: 1))
          == .noRule)
      #expect(
        Self.refusal("ann", operation, try Self.document("users/ann/pictures/p/x/y")) == .noRule)
    }
  }

  @Test func `owners are identified by the bytes of their names`() throws {
    // All of these equal the owner's name as text, or look like it.
    for (owner, uid) in [
      ("Kim", "\u{212A}im"), ("ann", "\u{430}nn"), ("ann", "ann\u{200D}"), ("ann", "Ann"),
      ("ann", "ann "), ("ann", "ann\0"), ("ann", ""), ("ann", "*"), ("ann", "{uid}"),
    ] {
      #expect(
        Self.refusal(uid, .read, try Self.document("users/\(owner)", now: [:])) == .notOwner)
      for text in [owner, "\u{e9}"] {
        let twin = text == owner ? uid : "e\u{301}"
        let fields: Fields = ["owner": .text(text)]
        #expect(
          Self.refusal(twin, .read, try Self.document("shared/x", now: fields)) == .notOwner)
        let query = Query(try CollectionPath("shared")).filtered("owner", .equal(.text(text)))
        #expect(Self.refusal(twin, .read, .query(query)) == .notOwner)
      }
    }
    // A path without `{uid}` has no owner.
    let rules = AccessRules([.documents("things/*", .read, by: .owner)])
    for uid in ["", "ann", "*"] {
      #expect(Self.refusal(uid, .read, try Self.document("things/x"), rules) == .notOwner)
    }
  }

  @Test func `an owner by field may do everything that keeps the owner field`() throws {
    let (mine, hers): (Fields, Fields) = (["owner": "ann"], ["owner": "eve"])
    let cases: [(AccessRequest.Operation, now: Fields?, then: Fields?, isAllowed: Bool)] = [
      (.read, mine, nil, true), (.read, hers, nil, false), (.read, nil, nil, false),
      (.read, [:], nil, false), (.read, ["owner": .null], nil, false),
      (.read, ["owner": ["ann"]], nil, false),
      (.delete, mine, nil, true), (.delete, hers, nil, false), (.delete, nil, nil, false),
      (.create, nil, mine, true), (.create, nil, hers, false), (.create, nil, [:], false),
      (.create, nil, nil, false),
      (.update, mine, mine, true), (.update, hers, mine, false), (.update, [:], mine, false),
      // Changing the owner, and removing the owner's field.
      (.update, mine, hers, false), (.update, mine, [:], false),
      // A missing field does not match.
      (.update, mine, nil, false), (.update, nil, mine, false), (.create, mine, nil, false),
      (.read, nil, mine, false), (.delete, nil, mine, false),
    ]
    for (operation, now, then, isAllowed) in cases {
      let resource = try Self.document("shared/x", now: now, then: then)
      #expect(
        Self.refusal("ann", operation, resource) == (isAllowed ? nil : .notOwner),
        "\(operation) from \(String(describing: now?.all)) to \(String(describing: then?.all))")
    }
  }

  @Test
  func `a query must be limited to the caller's documents if owners are identified by a field`()
    throws
  {
    let all = Query(try CollectionPath("shared"))
    let queries: [(Query, Bool)] = [
      (all, false),
      (all.filtered("owner", .equal("ann")), true),
      (all.filtered("a", .less(1)).filtered("owner", .equal("ann")), true),
      (all.filtered("owner", .equal("ann")).filtered("owner", .equal("eve")), true),
      (all.filtered("owner", .equal("eve")), false),
      (all.filtered("owner", .atMost("ann")), false),
      (all.filtered("owner", .oneOf(["ann"])), false),
      (all.filtered("owner", .oneOf(["ann", "eve"])), false),
      (all.filtered("other", .equal("ann")), false),
      (all.ordered(by: "owner"), false),
    ]
    for (query, isAllowed) in queries {
      #expect(Self.refusal("ann", .read, .query(query)) == (isAllowed ? nil : .notOwner))
    }
    #expect(
      Self.refusal("ann", .read, .blob(try BlobPath("shared/x"))) == .noRule)
    let rules = AccessRules([.blobs("shared/*", .read, by: .ownerByField("owner"))])
    #expect(Self.refusal("ann", .read, .blob(try BlobPath("shared/x")), rules) == .notOwner)
  }

  @Test func `a query needs a rule for all documents of its collection`() throws {
    func query(_ path: String) throws -> AccessRequest.Resource {
      .query(Query(try CollectionPath(path)))
    }
    #expect(Self.refusal("ann", .read, try query("articles")) == nil)
    #expect(Self.refusal("ann", .read, try query("users/ann/notes")) == nil)
    #expect(Self.refusal("bob", .read, try query("users/ann/notes")) == .notOwner)
    // Users may read their own profile, but not query all profiles, for any user id.
    for uid in ["ann", "*", "{uid}", ""] {
      #expect(Self.refusal(uid, .read, try query("users")) == .noRule)
    }
    let one = AccessRules([.documents("articles/welcome", .read, by: .anyUser)])
    #expect(Self.refusal("ann", .read, try query("articles"), one) == .noRule)
    #expect(Self.refusal("ann", .read, try Self.document("articles/welcome"), one) == nil)
  }

  @Test func `written data must meet the requirements`() throws {
    let moment = FieldValue.moment(Moment(seconds: 1))
    let cases: [(Fields?, AccessRefusal.Reason?)] = [
      (["title": "t", "createdAt": moment], nil),
      (["title": "", "createdAt": moment, "more": 1], nil),
      (["title": "t"], .missingField("createdAt")),
      (["createdAt": moment], .missingField("title")),
      (["title": .null, "createdAt": moment], .missingField("title")),
      (["title": 1, "createdAt": moment], .wrongType(field: "title")),
      (["title": "t", "createdAt": "2026-01-01"], .wrongType(field: "createdAt")),
      (["title": "t", "createdAt": 5], .wrongType(field: "createdAt")),
      ([:], .missingField("title")), (nil, .missingField("title")),
    ]
    for (fields, reason) in cases {
      let resource = try Self.document("users/ann/notes/n", now: [:], then: fields)
      #expect(Self.refusal("ann", .create, resource) == reason)
      #expect(Self.refusal("ann", .update, resource) == reason)
      #expect(Self.refusal("eve", .create, resource) == .notOwner, "others learn nothing")
      #expect(Self.refusal("ann", .delete, resource) == nil)
    }
    let blobs: [(String, Int?, AccessRefusal.Reason?)] = [
      ("image.png", 0, nil), ("thumb.png", 999, nil),
      ("image.png", 1000, .tooLarge(limit: 1000)), ("image.png", nil, .tooLarge(limit: 1000)),
      ("image.svg", 1, .badName), ("Image.png", 1, .badName), ("image.svg", 1000, .badName),
    ]
    for (name, size, reason) in blobs {
      let path = try BlobPath("users/ann/pictures/p/\(name)")
      #expect(Self.refusal("ann", .create, .blob(path, size: size)) == reason)
      #expect(Self.refusal("ann", .read, .blob(path)) == nil)
    }
  }

  @Test func `a refusal comes from the rule that passed most checks`() throws {
    let rules: [AccessRule] = [
      .documents("users/{uid}/notes/*", .create, by: .owner, with: .text("a"), .text("b")),
      .documents("users/*/notes/*", .create, by: .ownerByField("owner")),
      .documents("users/*/others/*", .create, by: .anyUser),
      .documents("users/*/notes/*", .read, by: .anyUser),
    ]
    let resource = try Self.document("users/ann/notes/n", then: ["a": "x"])
    for rules in [rules, rules.reversed()] {
      let table = AccessRules(rules)
      #expect(Self.refusal("ann", .create, resource, table) == .wrongType(field: "b"))
      #expect(Self.refusal("eve", .create, resource, table) == .notOwner)
      #expect(Self.refusal("ann", .delete, resource, table) == .noRule)
      // One rule is enough.
      let shared = try Self.document("users/ann/notes/n", then: ["owner": "eve"])
      #expect(Self.refusal("eve", .create, shared, table) == nil)
    }
  }

  @Test func `refusals of access are plain sentences`() throws {
    let resource = try Self.document("users/ann/notes/n", then: [:])
    let request = AccessRequest(.user("ann"), .create, resource)
    #expect(throws: AccessRefusal(.missingField("title"), "create users/ann/notes/n")) {
      try Self.rules.check(request)
    }
    let texts: [(AccessRefusal.Reason, String)] = [
      (.unauthenticated, "the caller is not signed in"), (.noRule, "no rule allows this"),
      (.notOwner, "it belongs to another user"), (.missingField("f"), "the field 'f' is missing"),
      (.wrongType(field: "f"), "the field 'f' has the wrong type"),
      (.badName, "this name is not allowed"),
      (.tooLarge(limit: 9), "it must have fewer than 9 bytes"),
    ]
    for (reason, text) in texts {
      #expect(AccessRefusal(reason, "read a/b").description == "not allowed: read a/b: \(text)")
    }
  }
}
