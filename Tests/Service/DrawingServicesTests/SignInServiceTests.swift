import Testing

@testable import DrawingServices
@testable import Storage

/// Sessions, invitations and challenges over time.
struct SignInServiceTests {
  private let service = ServiceFixture()
  private static let day: Int64 = 86_400

  private func begin(_ uid: String = "ann") throws -> SignInService.Begun {
    try SessionService.begin(of: uid, by: .passkey, agent: "Firefox", in: service.environment)
  }

  private func session(_ key: String) throws -> SessionService.Session? {
    try SessionService.session(key: key, in: service.environment)
  }

  @Test func `a session ends ninety days after its last use, and after a year`() throws {
    let key = try begin().session.key
    service.clock.now = ServiceFixture.start + (90 * Self.day - 1)
    #expect(try session(key) != nil)
    service.clock.now = ServiceFixture.start + 90 * Self.day
    #expect(try session(key) == nil)
    let other = try begin().session.key
    let start = service.clock.now
    for day in stride(from: Int64(60), through: 360, by: 60) {
      service.clock.now = start + day * Self.day
      #expect(try session(other) != nil)
      try SessionService.touch(key: other, in: service.environment)
    }
    #expect(try session(other)?.expires == start + 365 * Self.day)
    service.clock.now = start + 365 * Self.day
    #expect(try session(other) == nil)
    // A late use does not revive it.
    try SessionService.touch(key: other, in: service.environment)
    #expect(try session(other) == nil)
  }

  @Test func `the last use of a session is stored once an hour at most`() throws {
    let key = try begin().session.key
    let path = try DocumentPath("sessions/\(key)")
    func sequence() throws -> Int64? {
      try service.environment.documents.read { try $0.document(path)?.sequence }
    }
    let first = try sequence()
    service.clock.now = ServiceFixture.start + 3599
    try SessionService.touch(key: key, in: service.environment)
    #expect(try sequence() == first)
    service.clock.now = ServiceFixture.start + 3600
    try SessionService.touch(key: key, in: service.environment)
    #expect(try sequence() != first)
    #expect(try session(key)?.lastUsed == service.clock.now)
  }

  @Test func `secrets are random, and stored as their hash alone`() throws {
    let secrets = try (0..<50).map { _ in try begin().secret }
    #expect(Set(secrets).count == 50)
    for secret in secrets {
      #expect(secret.hasPrefix("pkds_") && secret.utf8.count == 5 + 43)
      #expect(try session(AccessSecret.name(of: secret))?.uid == "ann")
      #expect(try session(secret) == nil)
    }
  }

  @Test func `a new session ends expired ones, and the oldest of a hundred`() throws {
    let old = try begin().session.key
    service.clock.now = ServiceFixture.start + 91 * Self.day
    let first = try begin().session.key
    #expect(
      try service.environment.documents.read { try $0.document(DocumentPath("sessions/\(old)")) }
        == nil)
    for second in 1..<100 {
      service.clock.now = service.clock.now + Int64(second > 0 ? 1 : 0)
      _ = try begin()
    }
    let bob = try begin("bob").session.key
    let sessions = SessionService(service.environment, as: .user("ann"))
    #expect(try sessions.all(of: "ann").count == 100)
    #expect(try session(first) != nil)
    service.clock.now = service.clock.now + 1
    _ = try begin()
    #expect(try sessions.all(of: "ann").count == 100)
    #expect(try session(first) == nil)
    #expect(try session(bob) != nil)
  }

  @Test func `users see and end their own sessions only, and the operator all`() throws {
    let ann = try begin().session
    _ = try begin("bob")
    let asBob = SessionService(service.environment, as: .user("bob"))
    #expect(throws: AccessRefusal.self) { try asBob.all(of: "ann") }
    #expect(throws: AccessRefusal.self) { try asBob.end(of: "ann") { _ in true } }
    #expect(try asBob.end(of: "bob") { $0.id == ann.id } == [])
    #expect(throws: AccessRefusal.self) {
      try SessionService(service.environment, as: .anonymous).all(of: "ann")
    }
    #expect(
      try SessionService(service.environment, as: .operator).end(of: "ann") { _ in true }
        == [ann.key])
    #expect(try session(ann.key) == nil)
  }

  private func answered(_ byte: UInt8, seconds: Int64 = 300) -> SignInService.Answered {
    SignInService.Answered([byte], expires: service.clock.now + seconds)
  }

  private func passkey(_ byte: UInt8 = 1) -> PasskeyService.New {
    PasskeyService.New(credential: [byte], key: [2], algorithm: -7, counter: 0, name: "A")
  }

  @Test func `a refused step stores nothing, and leaves invitation and challenge`() throws {
    let code = try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    let signIn = SignInService(service.environment)
    // The note names another user than the invitation.
    #expect(
      try signIn.signUp(
        .invited(code: code), as: "bob", with: passkey(), answered(1), agent: "") == nil)
    #expect(try InvitationService.invitation(code, in: service.environment) != nil)
    let done = try signIn.signUp(
      .invited(code: code), as: "ann", with: passkey(), answered(1), agent: "")
    #expect(done?.begun.session.uid == "ann")
    #expect(try signIn.add(passkey(2), of: "ann", answered(1)) == nil)
    #expect(try signIn.add(passkey(2), of: "ann", answered(2, seconds: 0)) == nil)
    #expect(try signIn.add(passkey(2), of: "ann", answered(2)) != nil)
    // A visitor does not become somebody who is there.
    #expect(
      try signIn.signUp(
        .new(uid: "ann", name: ""), as: "ann", with: passkey(3), answered(3), agent: "") == nil)
  }

  @Test func `notes of used challenges are erased after they have expired`() throws {
    let signIn = SignInService(service.environment)
    for byte in UInt8(0)..<20 { _ = try signIn.add(passkey(byte), of: "ann", answered(byte)) }
    func count() throws -> Int {
      try service.environment.documents.read {
        try $0.count(Query(CollectionPath("used_challenges")))
      }
    }
    #expect(try count() == 20)
    service.clock.now = service.clock.now + 301
    _ = try signIn.add(passkey(99), of: "ann", answered(99))
    #expect(try count() == 1)
  }

  @Test func `a sweep erases what has expired, and nothing else`() throws {
    _ = try begin("gone")
    let code = try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    _ = try SignInService(service.environment).add(passkey(), of: "ann", answered(1))
    service.clock.now = ServiceFixture.start + 91 * Self.day
    let key = try begin("bob").session.key
    _ = try Sweep(service.environment).run()
    let left = try service.environment.documents.read { reader in
      try ["sessions", "invitations", "used_challenges", "passkeys"].flatMap {
        try reader.names(in: CollectionPath($0), after: nil, limit: 100)
      }
    }
    #expect(left.count == 2 && left.first == key)
    #expect(try InvitationService.invitation(code, in: service.environment) == nil)
  }

  @Test func `of two uses with one counter, one is accepted`() throws {
    let signIn = SignInService(service.environment)
    let made = try #require(try signIn.add(passkey(), of: "ann", answered(1)))
    #expect(try signIn.signIn(with: made, counter: 5, answered(2), agent: "") != nil)
    #expect(try signIn.signIn(with: made, counter: 5, answered(3), agent: "") == nil)
    #expect(try signIn.signIn(with: made, counter: 0, answered(4), agent: "") == nil)
    #expect(
      try PasskeyService(service.environment, as: .user("ann"))
        .delete(made.id, of: "ann", evenIfLast: true) == .done)
    #expect(try signIn.signIn(with: made, counter: 9, answered(5), agent: "") == nil)
  }

  @Test func `an identity that is linked lets its user delete the last passkey`() throws {
    let signIn = SignInService(service.environment)
    let made = try #require(try signIn.add(passkey(), of: "ann", answered(1)))
    let passkeys = PasskeyService(service.environment, as: .user("ann"))
    #expect(try passkeys.delete(made.id, of: "ann", evenIfLast: false) == .isLastWayIn)
    let code = try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    let identity = IdentityService.Identity(issuer: "https://a.example", subject: "s")
    #expect(
      try signIn.signIn(
        as: identity, uid: "other", mayBeNew: false, invitation: code, name: "", answered(2),
        agent: "")?.session.uid == "ann")
    #expect(try passkeys.delete(made.id, of: "ann", evenIfLast: false) == .done)
  }

  @Test func `a user has at most twenty open invitations and fifty passkeys`() throws {
    for _ in 0..<20 {
      _ = try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    }
    #expect(throws: ServiceError.self) {
      try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    }
    service.clock.now = service.clock.now + Self.day
    _ = try InvitationService.invite("ann", name: "", days: 1, in: service.environment)
    let signIn = SignInService(service.environment)
    for byte in UInt8(0)..<50 { _ = try signIn.add(passkey(byte), of: "ann", answered(byte)) }
    #expect(throws: ServiceError.self) {
      try signIn.add(passkey(200), of: "ann", answered(200))
    }
  }
}
