import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Drawings that other users may read or change.
struct MemberTests {
  private let fixture = ServiceFixture()
  private var environment: ServiceEnvironment { fixture.environment }

  private func members(_ uid: String) -> MemberService {
    MemberService(environment, as: .user(uid))
  }

  /// A drawing of ann's with some members.
  private func share(_ roles: [String: AccessRule.Role] = [:], id: String = "d1") throws {
    var submission = try Recordings.submission(2, id: id)
    submission.promptUsed = "a tree"
    try fixture.drawings().submit(submission, of: "ann")
    for (uid, role) in roles {
      let code = try members("ann").invite(to: id, of: "ann", role: role).code
      try members(uid).join(code, name: uid.uppercased())
    }
  }

  private func role(
    of caller: Caller, _ drawing: String = "d1", owner: String = "ann"
  ) throws -> DrawingAccess.Role? {
    try environment.documents.read {
      try DrawingAccess.role(of: caller, owner: owner, drawing: drawing, in: $0)
    }
  }

  private static func isInvalid<Result>(_ body: () throws -> Result) -> Bool {
    if case .noInvitation? = thrown(body) as? ServiceError { true } else { false }
  }

  private static func isRefused<Result>(_ body: () throws -> Result) -> Bool {
    if case .badRequest? = thrown(body) as? ServiceError { true } else { false }
  }

  // MARK: - Roles

  @Test func `everybody has one role for a drawing`() throws {
    try share(["cat": .reader, "dan": .writer])
    #expect(try role(of: .operator) == .owner)
    #expect(try role(of: .user("ann")) == .owner)
    #expect(try role(of: .user("ann"), "not-stored-yet") == .owner)
    #expect(try role(of: .user("dan")) == .writer)
    #expect(try role(of: .user("cat")) == .reader)
    for caller: Caller in [.anonymous, .user("bob"), .user(""), .user("\u{212A}at"), .user("*")] {
      #expect(try role(of: caller) == nil)
    }
    // A role is for one drawing of one owner.
    try share(id: "d2")
    #expect(try role(of: .user("dan"), "d2") == nil)
    #expect(try role(of: .user("dan"), "d1", owner: "cat") == nil)
    #expect(try role(of: .user("dan"), "not-stored-yet") == nil)
  }

  @Test func `a role ends with its drawing, and a later one of the same name has no members`()
    throws
  {
    try share(["dan": .writer])
    let code = try members("ann").invite(to: "d1", of: "ann", role: .reader).code
    try fixture.drawings().delete("d1", of: "ann")
    #expect(try role(of: .user("dan")) == nil)
    #expect(try members("dan").shared(with: "dan").drawings.isEmpty)
    fixture.clock.now = ServiceFixture.start + 60
    try share()
    #expect(try role(of: .user("dan")) == nil)
    #expect(try members("ann").members(of: "d1", of: "ann").isEmpty)
    #expect(try members("ann").invitations(to: "d1", of: "ann").isEmpty)
    #expect(Self.isInvalid { try members("bob").join(code, name: nil) })
  }

  @Test func `a membership that a deletion has left behind is no role, and a sweep erases it`()
    throws
  {
    try share(["dan": .writer])
    _ = try members("ann").invite(to: "d1", of: "ann", role: .reader)
    // As a program without members deletes a drawing.
    let path = try DocumentPath("users/ann/drawings/d1")
    try environment.documents.change(at: fixture.clock.now) { try $0.delete(path) }
    #expect(try role(of: .user("dan")) == nil)
    fixture.clock.now = ServiceFixture.start + 60
    try fixture.setDrawing("d1", at: nil)
    #expect(try role(of: .user("dan")) == nil)
    #expect(try members("dan").shared(with: "dan").drawings.isEmpty)
    try MemberService.eraseEnded(in: environment)
    let left = try fixture.allDocuments().keys.filter {
      $0.hasPrefix("members/") || $0.hasPrefix("invitations/") || $0.contains("memberships")
    }
    #expect(left.isEmpty)
  }

  @Test func `a sweep keeps what is open, and erases invitations that have expired`() throws {
    try share(["dan": .writer])
    _ = try members("ann").invite(to: "d1", of: "ann", role: .reader, seconds: 100)
    _ = try members("ann").invite(to: "d1", of: "ann", role: .reader, seconds: 10_000)
    fixture.clock.now = ServiceFixture.start + 5000
    try MemberService.eraseEnded(in: environment)
    #expect(try role(of: .user("dan")) == .writer)
    let kept = try fixture.allDocuments().filter { $0.key.hasPrefix("invitations/") }
    // The one that dan has used, and the open one.
    #expect(kept.count == 2)
    #expect(try members("ann").invitations(to: "d1", of: "ann").count == 1)
  }

  // MARK: - Invitations

  @Test func `an invitation admits one user for a week, unless told`() throws {
    try share()
    let (invitation, code) = try members("ann").invite(to: "d1", of: "ann", role: .writer)
    #expect(invitation.expires == ServiceFixture.start + 7 * 86_400)
    #expect(invitation.usesLeft == 1)
    // The code is stored nowhere.
    for (path, fields) in try fixture.allDocuments() {
      #expect(!path.contains(code) && !"\(fields.all)".contains(code))
    }
    let offer = try members("bob").look(code)
    #expect(offer.invitation == invitation && offer.role == nil && offer.record.id == "d1")
    let member = try members("bob").join(code, name: "Bob")
    #expect(member.role == .writer && member.name == "Bob")
    #expect(try role(of: .user("bob")) == .writer)
    #expect(Self.isInvalid { try members("cat").join(code, name: nil) })
    #expect(Self.isInvalid { try members("cat").look(code) })
    #expect(try members("ann").invitations(to: "d1", of: "ann").isEmpty)
    // A repeated request is no error, and changes nothing.
    let before = try fixture.allDocuments()
    #expect(try members("bob").join(code, name: "Robert") == member)
    #expect(try fixture.allDocuments() == before)
  }

  @Test func `unknown, expired, ended and used-up codes are alike`() throws {
    try share()
    let service = members("ann")
    let expired = try service.invite(to: "d1", of: "ann", role: .reader, seconds: 60).code
    let ended = try service.invite(to: "d1", of: "ann", role: .reader)
    #expect(try service.endInvitation(ended.invitation.id, to: "d1", of: "ann"))
    #expect(try !service.endInvitation(ended.invitation.id, to: "d1", of: "ann"))
    let used = try service.invite(to: "d1", of: "ann", role: .reader).code
    try members("cat").join(used, name: nil)
    fixture.clock.now = ServiceFixture.start + 60
    for code in [expired, ended.code, used, "unknown", "", "../x", ended.invitation.id] {
      #expect(Self.isInvalid { try members("bob").look(code) }, "\(code)")
      #expect(Self.isInvalid { try members("bob").join(code, name: nil) }, "\(code)")
    }
  }

  @Test func `of two users with one use left, one joins`() throws {
    try share()
    for round in 0..<20 {
      let code = try members("ann").invite(to: "d1", of: "ann", role: .writer).code
      let joined = ConditionMutex(0)
      Lanes.run(4) { lane in
        if (try? members("u\(round)-\(lane)").join(code, name: nil)) != nil {
          joined.withLock { $0 += 1 }
        }
      }
      #expect(joined.withLock { $0 } == 1)
    }
    #expect(try members("ann").members(of: "d1", of: "ann").count == 20)
  }

  @Test func `the owner cannot join, and a removed member cannot return by the same link`() throws {
    try share()
    let code = try members("ann").invite(to: "d1", of: "ann", role: .writer, uses: 5).code
    guard case .ownDrawing? = thrown({ try members("ann").join(code, name: nil) }) as? ServiceError
    else {
      Issue.record("the owner has joined")
      return
    }
    try members("bob").join(code, name: nil)
    #expect(try members("ann").remove("bob", from: "d1", of: "ann"))
    #expect(try !members("ann").remove("bob", from: "d1", of: "ann"))
    #expect(Self.isInvalid { try members("bob").join(code, name: nil) })
    // Nor does a link return a role that the owner has taken.
    try members("cat").join(code, name: nil)
    try members("ann").setRole(.reader, ofMember: "cat", of: "d1", of: "ann")
    #expect(try members("cat").join(code, name: nil).role == .reader)
    // Another link does, and makes a reader a writer.
    let other = try members("ann").invite(to: "d1", of: "ann", role: .writer, uses: 2).code
    #expect(try members("bob").join(other, name: nil).role == .writer)
    #expect(try members("cat").join(other, name: nil).role == .writer)
    let look = try members("ann").invite(to: "d1", of: "ann", role: .reader).code
    #expect(try members("cat").join(look, name: nil).role == .writer)
  }

  @Test func `numbers, times and names have limits`() throws {
    try share()
    let service = members("ann")
    for (seconds, uses) in [(0, 1), (-1, 1), (366 * 86_400 + 1, 1), (60, 0), (60, 101), (60, -1)] {
      #expect(
        Self.isRefused {
          try service.invite(
            to: "d1", of: "ann", role: .reader, seconds: Int64(seconds), uses: uses)
        })
    }
    let code = try service.invite(to: "d1", of: "ann", role: .reader, uses: 100).code
    let long = String(repeating: "n", count: 201)
    #expect(Self.isRefused { try members("bob").join(code, name: long) })
    for number in 0..<100 { try members("u\(number)").join(code, name: nil) }
    let more = try service.invite(to: "d1", of: "ann", role: .writer).code
    #expect(Self.isRefused { try members("bob").join(more, name: nil) })
    // One who is a member already may become a writer.
    #expect(try members("u7").join(more, name: nil).role == .writer)
    for _ in 0..<98 { _ = try service.invite(to: "d1", of: "ann", role: .reader, seconds: 60) }
    // Those that were used up make space.
    for _ in 0..<2 { _ = try service.invite(to: "d1", of: "ann", role: .reader, seconds: 60) }
    #expect(Self.isRefused { try service.invite(to: "d1", of: "ann", role: .reader) })
    fixture.clock.now = ServiceFixture.start + 60
    _ = try service.invite(to: "d1", of: "ann", role: .reader)
  }

  @Test func `a name comes from the profile unless given`() throws {
    try share()
    _ = try UserService(environment, as: .user("bob")).setProfile("bob", ["userName": "Bob"])
    let code = try members("ann").invite(to: "d1", of: "ann", role: .reader, uses: 3).code
    #expect(try members("bob").join(code, name: nil).name == "Bob")
    #expect(try members("cat").join(code, name: "Cat").name == "Cat")
    #expect(try members("dan").join(code, name: nil).name == "")
  }

  // MARK: - What members may do

  @Test func `a writer changes ink and title, and nothing else`() throws {
    try share(["cat": .reader, "dan": .writer])
    let dan = fixture.drawings(as: .user("dan"))
    let next = try Recordings.pkd(4)
    try dan.revise(next, ofDrawing: "d1", of: "ann", replacing: .any)
    #expect(try dan.file("recording.pkd", ofDrawing: "d1", of: "ann").bytes == next)
    #expect(try dan.file("image.png", ofDrawing: "d1", of: "ann").bytes.count > 0)
    #expect(try dan.update("d1", of: "ann", ["title": "Ours"]).value.title == "Ours")
    for name in ["tags", "promptUsed", "checkinId", "isFromCheckIn", "createdAt", "imageURL", "x"] {
      #expect(
        refusal { try dan.update("d1", of: "ann", [name: "new"]) } == .ownersField(name))
    }
    let upload = DrawingService.Upload(DrawingFiles.image, try Recordings.image(3))
    #expect(refusal { try dan.put(upload, ofDrawing: "d1", of: "ann") } == .badName)
    var again = DrawingService.Upload(try Recordings.submission(6, id: "d1"))
    again.condition = .former(.named([ContentHash.of(next)]))
    try dan.put(again, ofDrawing: "d1", of: "ann")
    let stored = try fixture.drawings().drawing("d1", of: "ann")
    #expect(stored.recordingSHA256 == ContentHash.of(try Recordings.pkd(6)))
    #expect(stored.promptUsed == "a tree")
    // Without the condition, another recording is another drawing.
    again = DrawingService.Upload(try Recordings.submission(8, id: "d1"))
    #expect(storageProblem { try dan.put(again, ofDrawing: "d1", of: "ann") } == .alreadyExists)
  }

  @Test func `a reader reads`() throws {
    try share(["cat": .reader])
    let cat = fixture.drawings(as: .user("cat"))
    for name in DrawingFiles.names {
      #expect(try !cat.file(name, ofDrawing: "d1", of: "ann").bytes.isEmpty)
    }
    #expect(try cat.drawing("d1", of: "ann").id == "d1")
    #expect(try !cat.rendition(RenditionStyle(), ofDrawing: "d1", of: "ann").isEmpty)
    #expect(refusal { try cat.update("d1", of: "ann", ["title": "t"]) } == .onlyReads)
    let next = try Recordings.pkd(4)
    #expect(
      refusal { try cat.revise(next, ofDrawing: "d1", of: "ann", replacing: .any) } == .onlyReads)
  }

  @Test func `members cannot do what is the owner's`() throws {
    try share(["cat": .reader, "dan": .writer])
    try share(id: "d2")
    let before = try fixture.allDocuments()
    for uid in ["cat", "dan"] {
      let (drawings, service) = (fixture.drawings(as: .user(uid)), members(uid))
      let attempts: [(String, () throws -> Any?)] = [
        ("delete", { try drawings.delete("d1", of: "ann") }),
        ("delete image", { try drawings.deleteFile("image.png", ofDrawing: "d1", of: "ann") }),
        ("rerender", { try drawings.rerender("d1", of: "ann") }),
        ("list", { try drawings.all(of: "ann") }),
        ("gallery", { try drawings.gallery(of: "ann", zone: .utc) }),
        ("search", { try drawings.search("x", of: "ann", limit: 5) }),
        ("other drawing", { try drawings.drawing("d2", of: "ann") }),
        ("no drawing", { try drawings.drawing("d3", of: "ann") }),
        ("new drawing", { try drawings.submit(Recordings.submission(4, id: "d9"), of: "ann") }),
        ("profile", { try UserService(environment, as: .user(uid)).profile("ann") }),
        ("export", { try UserService(environment, as: .user(uid)).documents(of: "ann") }),
        (
          "share",
          {
            try ShareService(environment, as: .user(uid)).share(
              "d1", of: "ann", showsReplay: true, expires: nil)
          }
        ),
        ("invite", { try service.invite(to: "d1", of: "ann", role: .reader) }),
        ("invitations", { try service.invitations(to: "d1", of: "ann") }),
        ("end invitation", { try service.endInvitation("x", to: "d1", of: "ann") }),
        ("set role", { try service.setRole(.writer, ofMember: uid, of: "d1", of: "ann") }),
        ("remove", { try service.remove(uid == "cat" ? "dan" : "cat", from: "d1", of: "ann") }),
        (
          "changes",
          { try ChangeService(environment, as: .user(uid)).page(of: "ann", after: 0, limit: 9) }
        ),
        ("shared with others", { try service.shared(with: "ann") }),
        (
          "metadata for downloads",
          {
            try DrawingService(ofOwner: environment, as: .user(uid)).describedFile(
              "image.png", ofDrawing: "d1", of: "ann", firstToken: "t")
          }
        ),
      ]
      for (what, attempt) in attempts {
        let reason = refusal(attempt)
        #expect(reason == .notOwner || reason == .badName || reason == .onlyReads, "\(what)")
      }
    }
    #expect(try fixture.allDocuments() == before)
  }

  @Test func `members see each other, and may leave`() throws {
    try share(["cat": .reader, "dan": .writer])
    for uid in ["ann", "cat", "dan"] {
      let all = try members(uid).members(of: "d1", of: "ann")
      #expect(Set(all.map(\.name)) == ["CAT", "DAN"])
    }
    #expect(refusal { try members("bob").members(of: "d1", of: "ann") } == .notOwner)
    let shared = try members("dan").shared(with: "dan").drawings
    #expect(shared.map(\.record.id) == ["d1"] && shared[0].member.owner == "ann")
    #expect(try members("dan").remove("dan", from: "d1", of: "ann"))
    #expect(
      refusal { try fixture.drawings(as: .user("dan")).drawing("d1", of: "ann") } == .notOwner)
    #expect(refusal { try members("dan").remove("dan", from: "d1", of: "ann") } == .notOwner)
    #expect(try members("cat").members(of: "d1", of: "ann").map(\.uid) == ["cat"])
    #expect(try MemberService(environment, as: .operator).remove("cat", from: "d1", of: "ann"))
  }

  @Test func `beginning, change and end of a membership are changes of the member`() throws {
    try share()
    let changes = ChangeService(environment, as: .user("bob"))
    var cursor: Int64 = 0
    func next() throws -> [DocumentChange] {
      let page = try changes.page(of: "bob", after: cursor, limit: 10)
      cursor = page.cursor
      return page.changes
    }
    #expect(try next().isEmpty)
    let code = try members("ann").invite(to: "d1", of: "ann", role: .reader).code
    try members("bob").join(code, name: nil)
    let begun = try next()
    #expect(begun.count == 1 && begun[0].document?["drawing"] == "d1")
    #expect(begun[0].document?["role"] == "reader")
    try members("ann").setRole(.writer, ofMember: "bob", of: "d1", of: "ann")
    #expect(try next().first?.document?["role"] == "writer")
    try members("ann").setRole(.writer, ofMember: "bob", of: "d1", of: "ann")
    #expect(try next().isEmpty)
    try members("ann").remove("bob", from: "d1", of: "ann")
    let ended = try next()
    #expect(ended.count == 1 && ended[0].document == nil)
    #expect(ended[0].path == begun[0].path)
    // Also if the owner deletes the drawing, or leaves with all data.
    for way in ["drawing", "owner"] {
      fixture.clock.now = fixture.clock.now + 60
      if way == "owner" { try share() }
      let code = try members("ann").invite(to: "d1", of: "ann", role: .reader).code
      try members("bob").join(code, name: nil)
      _ = try next()
      if way == "drawing" { try fixture.drawings().delete("d1", of: "ann") }
      if way == "owner" {
        try UserService(environment, as: .user("ann")).deleteEverything(of: "ann")
      }
      #expect(try next().map { $0.document == nil } == [true], "\(way)")
    }
  }

  // MARK: - While a member is being removed

  /// Documents with a body that runs before one of the next transactions.
  private struct InterruptedStore: DocumentStore {
    let store = InMemoryDocumentStore()
    let interruption = ConditionMutex<(countdown: Int, body: @Sendable () throws -> Void)?>(nil)

    func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
      try store.read(body)
    }
    func problems() -> [StorageError] { store.problems() }
    func repairIndexes() {}
    var identity: Int64? { store.identity }

    func carryOut(_ change: PendingChange) throws {
      let body = interruption.withLock { state -> (@Sendable () throws -> Void)? in
        guard let due = state else { return nil }
        state = due.countdown > 0 ? (due.countdown - 1, due.body) : nil
        return due.countdown > 0 ? nil : due.body
      }
      try body?()
      try store.carryOut(change)
    }
  }

  @Test(arguments: 0...3)
  func `a member who is removed during a revision has made it, or has changed nothing`(
    _ count: Int
  ) throws {
    let store = InterruptedStore()
    let fixture = ServiceFixture(documents: store)
    let environment = fixture.environment
    let (first, next) = (try Recordings.pkd(2), try Recordings.pkd(4))
    try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let ann = MemberService(environment, as: .user("ann"))
    let code = try ann.invite(to: "d1", of: "ann", role: .writer).code
    try MemberService(environment, as: .user("dan")).join(code, name: nil)
    store.interruption.withLock {
      $0 = (count, { try ann.remove("dan", from: "d1", of: "ann") })
    }
    let error = refusal {
      try fixture.drawings(as: .user("dan")).revise(
        next, ofDrawing: "d1", of: "ann", replacing: .any)
    }
    // The first transaction announces the revision, and decides.
    #expect(error == (count == 0 ? .notOwner : nil))
    let record = try fixture.drawings().drawing("d1", of: "ann")
    #expect(record.nextRecordingSHA256 == nil)
    let bytes = try fixture.drawings().file("recording.pkd", ofDrawing: "d1", of: "ann").bytes
    #expect(bytes == (count == 0 ? first : next))
    #expect(record.recordingSHA256 == ContentHash.of(bytes))
  }

  // MARK: - Quota

  @Test func `bytes of a member count for the owner, whose limit holds`() throws {
    try share(["dan": .writer])
    var service = environment
    let quotas = UserQuotas(limit: 1 << 20)
    service.quotas = quotas
    let dan = DrawingService(service, as: .user("dan"))
    func sums() throws -> [Int] {
      try ["ann", "dan"].map { uid in
        try service.checkQuota(1, of: uid)
        return try #require(quotas.sum(of: uid))
      }
    }
    let before = try sums()
    try dan.revise(try Recordings.pkd(4), ofDrawing: "d1", of: "ann", replacing: .any)
    let revised = try sums()
    #expect(revised[0] != before[0] && revised[1] == before[1])
    _ = try dan.update("d1", of: "ann", ["title": .text(String(repeating: "t", count: 150))])
    let after = try sums()
    #expect(after[0] > revised[0] + 100 && after[1] == before[1])
    // As counted again from the stores.
    let counted = try ["ann", "dan"].map { try Belongings(of: $0, in: service).countedBytes() }
    #expect(counted == after)
    // Ending a membership frees bytes of the member, not of the owner.
    try share(["dan": .reader], id: "d2")
    quotas.forget("ann")
    _ = try sums()
    try DrawingService(service, as: .user("ann")).delete("d2", of: "ann")
    #expect(try sums()[0] == Belongings(of: "ann", in: service).countedBytes())
    service.quotas = UserQuotas(limit: after[0])
    let full = DrawingService(service, as: .user("dan"))
    let long = String(repeating: "t", count: 200)
    func isOver<Result>(_ body: () throws -> Result) -> Bool {
      if case .overQuota? = storageProblem(body) { true } else { false }
    }
    #expect(isOver { try full.update("d1", of: "ann", ["title": .text(long)]) })
    let large = try Recordings.large()
    #expect(isOver { try full.revise(large, ofDrawing: "d1", of: "ann", replacing: .any) })
    #expect(try fixture.drawings().drawing("d1", of: "ann").nextRecordingSHA256 == nil)
  }

  // MARK: - Erasing and exporting

  @Test func `an erasure takes the memberships on both sides`() throws {
    for erased in ["ann", "dan"] {
      let fixture = ServiceFixture()
      let environment = fixture.environment
      for owner in ["ann", "dan"] {
        try fixture.drawings(as: .user(owner)).submit(
          try Recordings.submission(2, id: "d-\(owner)"), of: owner)
      }
      for (owner, uid) in [("ann", "dan"), ("ann", "cat"), ("dan", "ann"), ("dan", "cat")] {
        let code = try MemberService(environment, as: .user(owner))
          .invite(to: "d-\(owner)", of: owner, role: .writer).code
        try MemberService(environment, as: .user(uid)).join(code, name: nil)
      }
      let users = UserService(environment, as: .operator)
      let held = try users.holdings(of: erased).documents
      #expect(try users.deleteEverything(of: erased) == held)
      #expect(try users.holdings(of: erased).isEmpty)
      for (path, fields) in try fixture.allDocuments() {
        #expect(
          !path.contains("/\(erased)") && !"\(fields.all)".contains("\"\(erased)\""), "\(path)")
      }
      let other = erased == "ann" ? "dan" : "ann"
      let cat = try MemberService(environment, as: .user("cat")).shared(with: "cat").drawings
      #expect(cat.map(\.member.owner) == [other])
      let own = try MemberService(environment, as: .user(other))
        .members(of: "d-\(other)", of: other)
      #expect(own.map(\.uid) == ["cat"])
    }
  }

  @Test func `an export has the memberships of a user and of the user's drawings`() throws {
    try share(["cat": .reader, "dan": .writer])
    func exported(_ uid: String) throws -> [String] {
      try UserService(environment, as: .user(uid)).documents(of: uid)
        .filter { $0.path.collection == Collections.members }
        .compactMap { $0["uid"]?.textValue }.sorted()
    }
    #expect(try exported("ann") == ["cat", "dan"])
    #expect(try exported("dan") == ["dan"])
    #expect(try exported("bob").isEmpty)
    #expect(try UserService(environment, as: .operator).users() == ["ann", "cat", "dan"])
  }
}
