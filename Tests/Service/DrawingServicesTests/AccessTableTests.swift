import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Compares the table of rules and the schemas with the written contract.
struct AccessTableTests {
  private static let complete: [String: Fields] = [
    "mood_checkins": Samples.checkIn.merging([
      "journal": "long ago", "timezoneOffsetMinutes": 480, "updatedAt": Samples.moment,
    ]),
    "drawings": Samples.drawing.merging([
      "checkinId": "c1", "thumbnailURL": "file:t", "promptUsed": "a tree",
      "timezoneOffsetMinutes": -300, "updatedAt": Samples.moment,
    ]),
    "moodEntries": Samples.moodEntry.merging([
      "note": "", "quoteShown": .map(["text": "t", "author": "a", "source": "local"]),
      "expectations": ["sleep"], "synced": true, "deviceID": "d", "createdAt": Samples.moment,
      "updatedAt": Samples.moment,
    ]),
    "sessionLogs": Samples.sessionLog.merging(["userNotes": "n"]),
    "users": [
      "userName": "Ann", "selectedExpectations": ["calm"], "notificationHour": 21,
      "notificationMinute": 0, "fcmToken": "t", "createdAt": Samples.moment,
      "lastActive": Samples.moment, "userId": "ann", "creationDate": Samples.moment,
      "lastLogin": Samples.moment, "linkedProgressData": .map([:]),
      "settings": .map([
        "notificationsEnabled": true, "privacyLevel": "high", "reminderTime": "21:00",
      ]),
    ],
  ]

  /// Values of all kinds, on both sides of the fields' limits.
  private static let values: [FieldValue] = [
    nil, true, 0, 1, -1, 23, 24, 59, 60, 480, 841, -721, 604_801, .number(1), 0.5, 1.5, -0.1, "",
    "joy", "#FFD700", "#ffd70", "#GGGGGG", "d1", "a b", ".d", "high", "neutral",
    "2026-11-18T12:00:00Z", Samples.moment, .bytes([1]), [], ["a"], [1], ["a", 1], .map([:]),
    .map(["text": 1]), .map(["text": "t", "source": "elsewhere"]),
    .map(["text": "t", "categories": [1]]), .map(["notificationsEnabled": 1]),
    .map(["privacyLevel": "none"]), .map(["privacyLevel": "low"]),
    .map(["reminderTime": "soon"]), .map(["reminderTime": "24:00"]), .map(["reminderTime": 9]),
    .map(["reminderTime": Samples.moment]),
  ]

  /// A value of every kind that rules distinguish.
  private static let kinds: [FieldValue] = [nil, 5, "joy", Samples.moment]

  private static let documentPaths: [String] = {
    let names = [
      "mood_checkins", "drawings", "moodEntries", "milestones", "weekly_summaries", "notes",
      "Drawings",
    ]
    let owned = ["users/ann", "users/bob"].flatMap { user in
      [user] + names.map { "\(user)/\($0)/x1" }
    }
    return owned + [
      "sessionLogs/x1", "growthMethods/x1", "educationalResources/x1", "outbox/x1", "things/x1",
      "drawings/x1", "mood_checkins/x1", "moodEntries/x1", "users/ann/drawings/d1/strokes/s1",
      "users/ann/drawings/d1/drawings/d2", "users/ann/mood_checkins/c1/users/ann",
      "sessionLogs/x1/parts/p1", "growthMethods/x1/notes/n1", "accounts/ann",
      "accounts/ann/drawings/d1",
    ]
  }()

  private static let blobPaths =
    ["ann", "bob"].flatMap { uid in
      [
        "image.png", "recording.pkd", "thumbnail.png", "Image.png", "image.png.bak", "x",
        "image.svg",
      ].map { "users/\(uid)/drawings/d1/\($0)" }
    } + [
      "users/ann/image.png", "users/ann/drawings/image.png", "users/ann/pictures/d1/image.png",
      "users/ann/drawings/d1/more/image.png", "drawings/ann/d1/image.png", "outbox/image.png",
      "accounts/ann/drawings/d1/image.png",
    ]

  private static let sizes: [Int?] = [
    0, 1, 10_485_759, 10_485_760, 10_485_761, .max, nil,
  ]

  private static let callers = [nil, "ann", "bob", "cat", "dan"]

  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init)
  }

  private static func model(_ names: [String]) -> Fields {
    complete[names.count == 4 ? names[2] : names[0]] ?? ["text": "t"]
  }

  /// Fields in every state: complete, each one missing, null or of another type, and with unknown
  /// ones.
  private static func states(_ names: [String], _ values: [FieldValue]) -> [Fields] {
    let whole = model(names)
    var states = [whole, whole.merging(["more": 1, "even": .map(["more": [true]])]), Fields()]
    for (name, _) in whole.all {
      var without = whole
      without[name] = nil
      states.append(without)
      for value in values { states.append(whole.merging(Fields([(name, value)]))) }
    }
    states.append(whole.merging(["userId": "bob"]))
    return states
  }

  /// Every cell of the table: caller, object, operation, and fields in a state.
  private static func cells(_ callers: [String?] = callers, values: [FieldValue]) -> [Wish] {
    var cells: [Wish] = []
    for uid in callers {
      for operation in AccessRequest.Operation.allCases {
        for path in blobPaths {
          for size in sizes {
            cells.append(
              Wish(uid: uid, operation: operation, kind: .blob, names: names(path), size: size))
          }
        }
        for path in documentPaths {
          let (names, whole) = (names(path), model(names(path)))
          var wish = Wish(uid: uid, operation: operation, kind: .document, names: names)
          switch operation {
          case .read, .delete:
            for now in [nil, whole, whole.merging(["userId": "bob"])] {
              wish.now = now
              cells.append(wish)
            }
          case .create:
            for then in states(names, values) {
              wish.then = then
              cells.append(wish)
            }
          case .update:
            for then in states(names, values) {
              for now in [then, whole.merging(["userId": "bob"])] {
                (wish.now, wish.then) = (now, now.merging(then))
                cells.append(wish)
              }
            }
          }
        }
      }
      // What members may change, and what they may not.
      for name in Contract.fieldsOfMembers.union(["tags", "promptUsed", "more"]) {
        let drawing = model(names("users/ann/drawings/x1"))
        let value: FieldValue =
          switch name {
          case "tags", "formerRecordings": ["new"]
          case "imageIsRendered", "rendersImageLater": true
          case "updatedAt", "describedAt": .moment(ServiceFixture.start + 1)
          case "recognizedText": .map(["words": []])
          default: "new"
          }
        cells.append(
          Wish(
            uid: uid, operation: .update, kind: .document, names: names("users/ann/drawings/x1"),
            now: drawing, then: drawing.merging(Fields([(name, value)]))))
      }
      for path in documentPaths {
        for owner in callers {
          cells.append(
            Wish(
              uid: uid, operation: .read, kind: .query(owner: owner),
              names: names(path).dropLast()))
        }
      }
    }
    return cells
  }

  @Test func `every cell of the access table agrees with the contract`() throws {
    var (count, allowed) = (0, 0)
    for wish in Self.cells(values: Self.kinds) {
      count += 1
      let isAllowed = Contract.allows(wish)
      if isAllowed { allowed += 1 }
      if try wish.isAllowed(by: Application.journal.rules) != isAllowed {
        Issue.record("\(wish) should \(isAllowed ? "" : "not ")be allowed")
      }
    }
    // A comparison of nothing, or only of refusals, would prove nothing.
    #expect(count > 5_000 && allowed > 500 && allowed < count / 2)
  }

  @Test func `where nobody is a member, the rules of members change nothing`() throws {
    let rules = Application.journal.rules
    let former = AccessRules(
      rules.rules.filter { if case .member = $0.who { false } else { true } })
    #expect(former.rules.count == rules.rules.count - 4)
    for wish in Self.cells(values: Self.kinds) {
      let refusal = try wish.refusal(by: former)
      // The roles are not even asked for where there can be none.
      let now = try wish.refusal(by: rules) { membership in
        #expect(wish.uid != nil && wish.uid != String(membership.owner))
        return nil
      }
      if now != refusal { Issue.record("\(wish): \(String(describing: now))") }
    }
  }

  @Test func `the services allow what the contract allows, fields included`() throws {
    let environment = ServiceFixture().environment
    var (right, count) = (0, 0)
    // Other callers are tested above; this test needs callers with some access.
    for wish in Self.cells(["ann"], values: Self.values) {
      count += 1
      if wish.isRight { right += 1 }
      if try wish.isLetThrough(environment) != wish.isRight {
        Issue.record("\(wish), then \(wish.then?.all ?? []), should be otherwise")
      }
    }
    #expect(count > 1000 && right > 100 && right < count)
  }

  @Test func `random requests are allowed as the contract says`() throws {
    var random = SplitMix64(seed: 71)
    func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &random)]
    }
    func fields(_ names: [String]) -> Fields {
      var fields = Self.model(names).merging(["userId": pick(["ann", "ann", "bob"])])
      if names.count > 2 { fields["userId"] = nil }
      let all = fields.all.map(\.0)
      for _ in 0..<pick([0, 0, 0, 1, 1, 2]) {
        fields[pick(all + ["unknown"])] = pick([nil] + Self.values.map { Optional($0) })
      }
      return fields
    }
    let environment = ServiceFixture().environment
    var allowed = 0
    let count = RunLength.count(20_000, long: 1_000_000)
    for _ in 0..<count {
      var wish = Wish(
        uid: pick(["ann", "ann", "bob", nil]), operation: pick(AccessRequest.Operation.allCases),
        kind: .document, names: Self.names(pick(Self.documentPaths)))
      switch pick([0, 0, 0, 0, 1, 2]) {
      case 1: (wish.kind, wish.names) = (.blob, Self.names(pick(Self.blobPaths)))
      case 2:
        wish.kind = .query(owner: pick(Self.callers))
        (wish.operation, wish.names) = (.read, wish.names.dropLast())
      default: break
      }
      if case .blob = wish.kind { wish.size = pick(Self.sizes) }
      if case .document = wish.kind {
        if wish.operation != .create, pick([true, true, false]) { wish.now = fields(wish.names) }
        if wish.operation == .create { wish.then = fields(wish.names) }
        if wish.operation == .update { wish.then = wish.now?.merging(fields(wish.names)) ?? [:] }
      }
      if wish.isRight { allowed += 1 }
      if try wish.isLetThrough(environment) != wish.isRight {
        Issue.record("\(wish), then \(wish.then?.all ?? []), should be otherwise")
        break
      }
    }
    #expect(allowed > count / 50 && allowed < count / 2)
  }

  /// Tables in which one clause was removed, weakened or strengthened.
  private static var spoiltTables: [(String, AccessRules)] {
    let rules = Application.journal.rules.rules
    var tables: [(String, AccessRules)] = []
    for (index, rule) in rules.enumerated() {
      func add(
        _ what: String, operations: Set<AccessRequest.Operation>? = nil,
        who: AccessRule.Who? = nil, requirements: [AccessRule.Requirement]? = nil
      ) {
        var changed = rules
        changed[index] = AccessRule(
          resource: rule.resource, pattern: rule.pattern,
          operations: operations ?? rule.operations, who: who ?? rule.who,
          requirements: requirements ?? rule.requirements)
        tables.append(("rule \(index), \(what)", AccessRules(changed)))
      }
      for operation in AccessRequest.Operation.allCases {
        // If another rule for the same paths allows the request, nothing changes.
        let others = rules.filter { $0 != rule && $0.pattern == rule.pattern }
        if others.contains(where: { $0.operations.contains(operation) }) { continue }
        add(
          "\(operation) turned over", operations: rule.operations.symmetricDifference([operation]))
      }
      if case .member(let role) = rule.who {
        add("for another role", who: .member(role == .reader ? .writer : .reader))
      }
      if rule.who != .anyUser { add("for everybody", who: .anyUser) }
      if rule.who != .owner { add("for the owner by path", who: .owner) }
      for (index, requirement) in rule.requirements.enumerated() {
        var without = rule.requirements
        without.remove(at: index)
        add("without \(requirement)", requirements: without)
        func put(_ what: String, _ other: AccessRule.Requirement) {
          var changed = rule.requirements
          changed[index] = other
          add(what, requirements: changed)
        }
        switch requirement {
        case .fields(let names):
          for name in names { put("without \(name)", .fields(names.filter { $0 != name })) }
          put("more", .fields(names + ["updatedAt"]))
        case .name(let names):
          for name in names { put("without \(name)", .name(names.filter { $0 != name })) }
          put("more", .name(names + ["image.svg"]))
        case .fewerBytes(let limit):
          put("one byte more", .fewerBytes(limit + 1))
          put("one byte less", .fewerBytes(limit - 1))
        case .changesOnly(let names):
          for name in names { put("without \(name)", .changesOnly(names.subtracting([name]))) }
          put("more", .changesOnly(names.union(["tags"])))
        case .text(let name): put("any \(name)", .fields([name]))
        case .moment(let name): put("any \(name)", .fields([name]))
        }
      }
      var without = rules
      without.remove(at: index)
      tables.append(("without rule \(index)", AccessRules(without)))
    }
    for path in ["milestones", "weekly_summaries"] {
      tables.append(
        (
          path,
          AccessRules(
            rules + [
              .documents(
                PathPattern(stringLiteral: "users/{uid}/\(path)/*"), .read, by: .owner)
            ])
        ))
    }
    return tables
  }

  @Test func `an access table with one wrong clause is detected`() throws {
    let tables = Self.spoiltTables
    #expect(tables.count > 70)
    var random = SplitMix64(seed: 72)
    // In random order, because neighbours are similar and most wrong tables are detected early.
    let cells = try Self.cells(values: Self.kinds).shuffled(using: &random).map { wish in
      (wish: wish, request: try wish.request(), isAllowed: Contract.allows(wish))
    }
    for (what, rules) in tables {
      let isFoundOut = cells.contains { cell in
        let isAllowed: ()? = try? rules.check(cell.request) {
          Contract.role(cell.wish.uid, String($0.owner), String($0.shared))
        }
        return (isAllowed != nil) != cell.isAllowed
      }
      #expect(isFoundOut, "\(what)")
    }
  }

  @Test func `invalid ids are refused before the access rules`() throws {
    let fixture = ServiceFixture()
    for id in ["", ".", "..", "a/b", "a/../b", "-a", "é", String(repeating: "a", count: 129)] {
      #expect(throws: StorageError.self) { try fixture.drawings().drawing(id, of: "ann") }
      #expect(throws: StorageError.self) {
        try fixture.drawings().range(from: ServiceFixture.start, of: id)
      }
      #expect(throws: StorageError.self) { try fixture.checkIns().create(Samples.checkIn, of: id) }
    }
    let longest = String(repeating: "a", count: 128)
    try fixture.checkIns().create(Samples.checkIn, of: "ann", id: longest)
    #expect(try fixture.checkIns().document(longest, of: "ann").id == longest)
  }

  @Test func `services without rules allow nothing`() throws {
    let full = ServiceFixture()
    try full.setCheckIn("c1", at: ServiceFixture.start)
    try full.setDrawing("d1", at: ServiceFixture.start)
    try full.set("sessionLogs/l1", Samples.sessionLog)
    try full.set("users/ann/moodEntries/m1", Samples.moodEntry)
    let before = try full.allDocuments()
    let fixture = ServiceFixture(
      documents: full.environment.documents, rules: AccessRules([]))
    for (caller, reason): (Caller, AccessRefusal.Reason) in [
      (.user("ann"), .noRule), (.anonymous, .unauthenticated),
    ] {
      let environment = fixture.environment
      let drawings = DrawingService(environment, as: caller)
      let checkIns = CollectionService(.checkIns, in: environment, as: caller)
      let views = CheckInService(environment, as: caller)
      let entries = CollectionService(.moodEntries, in: environment, as: caller)
      let logs = CollectionService(.sessionLogs, in: environment, as: caller)
      let users = UserService(environment, as: caller)
      let catalogue = CatalogueService(environment, as: caller)
      let moment = ServiceFixture.start
      var recording = DrawingService.Submission(recording: [1])
      recording.id = "d2"
      let attempts: [(String, () throws -> Any?)] = [
        ("submit", { try drawings.submit(recording, of: "ann") }),
        ("drawing", { try drawings.drawing("d1", of: "ann") }),
        ("file", { try drawings.file("image.png", ofDrawing: "d1", of: "ann") }),
        ("range", { try drawings.range(from: moment, of: "ann") }),
        ("all", { try drawings.all(of: "ann") }),
        ("by check-in", { try drawings.drawings(ofCheckIn: "c1", of: "ann") }),
        ("delete", { try drawings.delete("d1", of: "ann") }),
        ("rendition", { try drawings.rendition(RenditionStyle(), ofDrawing: "d1", of: "ann") }),
        ("rerender", { try drawings.rerender("d1", of: "ann") }),
        ("gallery", { try drawings.gallery(of: "ann", zone: .utc) }),
        ("cards", { try views.cards(of: "ann", checkIns: 7, zone: .utc) }),
        ("check in", { try checkIns.create(Samples.checkIn, of: "ann") }),
        ("change check-in", { try checkIns.update("c1", of: "ann", ["topic": "t"]) }),
        ("check-in", { try checkIns.document("c1", of: "ann") }),
        ("latest", { try checkIns.page(of: "ann") }),
        ("check-ins", { try checkIns.page(of: "ann", from: moment, to: moment) }),
        ("delete check-in", { try checkIns.delete("c1", of: "ann") }),
        ("chart", { try views.weekChart(of: "ann", until: moment, zone: .utc) }),
        ("planets", { try views.planets(of: "ann", at: moment, zone: .utc) }),
        ("entry", { try entries.create(Samples.moodEntry, of: "ann") }),
        ("change entry", { try entries.update("m1", of: "ann", ["note": "n"]) }),
        ("delete entry", { try entries.delete("m1", of: "ann") }),
        ("entries", { try entries.page(of: "ann") }),
        ("log", { try logs.create(Samples.sessionLog) }),
        ("change log", { try logs.update("l1", ["userNotes": "n"]) }),
        ("delete log", { try logs.delete("l1") }),
        ("logs", { try logs.page(of: "ann") }),
        ("profile", { try users.profile("ann") }),
        ("set profile", { try users.setProfile("ann", [:]) }),
        ("users", { try users.users() }),
        ("everything", { try users.documents(of: "ann") }),
        ("delete everything", { try users.deleteEverything(of: "ann") }),
        ("methods", { try catalogue.growthMethods() }),
        ("articles", { try catalogue.educationalResources() }),
        ("seed", { try catalogue.seed() }),
      ]
      for (what, attempt) in attempts {
        #expect(refusal(attempt) == reason, "\(what) as \(caller)")
      }
    }
    #expect(try full.allDocuments() == before)
    #expect(try full.allFiles().isEmpty && fixture.allFiles().isEmpty)
  }

  @Test func `schemas apply to the operator, access rules do not`() throws {
    let fixture = ServiceFixture(rules: AccessRules([]))
    let checkIns = fixture.checkIns(as: .operator)
    try checkIns.create(Samples.checkIn, of: "ann", id: "c1")
    #expect(throws: FieldError.self) {
      try checkIns.create(Samples.checkIn.merging(["emotion": 5]), of: "ann", id: "c2")
    }
    #expect(throws: FieldError.self) { try checkIns.update("c1", of: "ann", ["topic": .null]) }
    #expect(try fixture.allDocuments().count == 1)
  }

  @Test func `users cannot seed the catalogue, whether it is seeded or not`() throws {
    let fixture = ServiceFixture()
    let catalogue = CatalogueService(fixture.environment, as: .user("ann"))
    #expect(refusal { try catalogue.seed() } == .noRule)
    try CatalogueService(fixture.environment, as: .operator).seed()
    #expect(refusal { try catalogue.seed() } == .noRule)
    #expect(try catalogue.growthMethods().count >= 3)
    #expect(
      refusal { try CatalogueService(fixture.environment, as: .anonymous).growthMethods() }
        == .unauthenticated)
  }
}
