package import Storage

/// The steps by which a browser gets a session. Each is one transaction: its challenge is used up,
/// the proof stored, and the session begun, or nothing of that.
package struct SignInService: Sendable {
  private let environment: ServiceEnvironment

  package init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// A challenge that was answered; it is accepted once.
  package struct Answered: Sendable {
    package let challenge: [UInt8]
    package let expires: Moment

    package init(_ challenge: [UInt8], expires: Moment) {
      (self.challenge, self.expires) = (challenge, expires)
    }
  }

  /// A new session, with the secret for its cookie.
  package typealias Begun = (secret: String, session: SessionService.Session)

  /// Signs in with a passkey whose answer was verified; nil if the challenge was answered before,
  /// or the passkey was deleted or used meanwhile.
  package func signIn(
    with passkey: PasskeyService.Passkey, counter: UInt32, _ answered: Answered, agent: String
  ) throws -> Begun? {
    try attempt { transaction in
      guard try use(answered, in: transaction),
        try PasskeyService.noteUse(of: passkey, counter: counter, in: transaction)
      else { throw Refused() }
      return try SessionService.begin(
        of: passkey.uid, by: .passkey, agent: agent, in: transaction, environment)
    }
  }

  /// Adds a passkey of a signed-in user; nil if the challenge was answered before.
  package func add(
    _ passkey: PasskeyService.New, of uid: String, _ answered: Answered
  ) throws -> PasskeyService.Passkey? {
    try attempt { transaction in
      guard try use(answered, in: transaction) else { throw Refused() }
      return try PasskeyService.add(passkey, of: uid, in: transaction)
    }
  }

  /// The person who signs up: with the code of an invitation, or as a new user.
  package enum Newcomer: Sendable {
    case invited(code: String)
    case new(uid: String, name: String)
  }

  /// Adds the first passkey of a newcomer, and signs in; nil if the challenge was answered before,
  /// or the invitation was used, has expired, or is for another user than the challenge.
  package func signUp(
    _ newcomer: Newcomer, as uid: String, with passkey: PasskeyService.New, _ answered: Answered,
    agent: String
  ) throws -> (passkey: PasskeyService.Passkey, begun: Begun)? {
    try attempt { transaction in
      guard try use(answered, in: transaction),
        let (found, name) = try user(of: newcomer, in: transaction), found == uid
      else { throw Refused() }
      try transaction.makeProfile(of: uid, name: name)
      let added = try PasskeyService.add(passkey, of: uid, in: transaction)
      let begun = try SessionService.begin(
        of: uid, by: .passkey, agent: agent, in: transaction, environment)
      return (added, begun)
    }
  }

  /// Signs in with an invitation alone, for browsers without passkeys; nil if it was used or has
  /// expired.
  package func accept(invitation code: String, agent: String) throws -> Begun? {
    try attempt { transaction in
      guard let invitation = try InvitationService.use(code, in: transaction) else {
        throw Refused()
      }
      try transaction.makeProfile(of: invitation.uid, name: invitation.name)
      return try SessionService.begin(
        of: invitation.uid, by: .invitation, agent: agent, in: transaction, environment)
    }
  }

  /// Signs in a user of another provider. An identity that is linked to a user is that user. With
  /// an invitation it is linked to the invited user; otherwise it becomes `uid`, which must have a
  /// profile unless `mayBeNew`. Nil if it is refused, or the challenge was answered before.
  package func signIn(
    as identity: IdentityService.Identity, uid: String, mayBeNew: Bool, invitation code: String?,
    name: String, _ answered: Answered, agent: String
  ) throws -> Begun? {
    try attempt { transaction in
      guard try use(answered, in: transaction) else { throw Refused() }
      var user = try IdentityService.user(of: identity, in: transaction)
      if user == nil, let code {
        guard let invitation = try InvitationService.use(code, in: transaction) else {
          throw Refused()
        }
        try transaction.makeProfile(of: invitation.uid, name: invitation.name)
        user = try IdentityService.link(identity, to: invitation.uid, in: transaction)
      }
      if user == nil {
        let profile = try UserPaths(uid).profile
        guard try mayBeNew || transaction.has(profile) else { throw Refused() }
        try transaction.makeProfile(of: uid, name: name)
        user = try IdentityService.link(identity, to: uid, in: transaction)
      }
      guard let user else { throw Refused() }
      return try SessionService.begin(
        of: user, by: .openid, agent: agent, in: transaction, environment)
    }
  }

  private func user(
    of newcomer: Newcomer, in transaction: any DocumentTransaction
  ) throws -> (uid: String, name: String)? {
    switch newcomer {
    case .invited(let code):
      try InvitationService.use(code, in: transaction).map { ($0.uid, $0.name) }
    case .new(let uid, let name):
      try transaction.has(UserPaths(uid).profile) ? nil : (uid, name)
    }
  }

  /// The end of a transaction that is refused, so that nothing of it is stored.
  private struct Refused: Error {}

  private func attempt<Result>(
    _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result? {
    do {
      return try environment.documents.change(at: environment.now(), body)
    } catch is Refused {
      return nil
    }
  }

  /// Erases what has expired: sessions, invitations, and notes of used challenges.
  static func eraseExpired(in environment: ServiceEnvironment) throws {
    for kind in [DocumentKind.sessions, .admissions, .usedChallenges] {
      var last: String?
      while true {
        let after = last
        let names = try environment.documents.read {
          try $0.names(in: kind.collection, after: after, limit: 500)
        }
        guard let end = names.last else { break }
        last = end
        try environment.documents.change(at: environment.now()) { transaction in
          for name in names {
            let path = try kind.collection.document(name)
            guard
              let expires = try transaction.readable(path).document?["expires"]?.momentValue,
              expires <= transaction.moment
            else { continue }
            try transaction.erase(path)
          }
        }
      }
    }
  }

  // MARK: - Challenges

  /// The number of expired notes that one use erases.
  private static let tidied = 50

  /// Notes that a challenge was answered; false if it was before. Servers share the documents, so
  /// it holds for all of them.
  private func use(_ answered: Answered, in transaction: any DocumentTransaction) throws -> Bool {
    let collection = DocumentKind.usedChallenges.collection
    let path = try collection.document(ContentHash.of(answered.challenge))
    guard answered.expires > transaction.moment, try transaction.readable(path) == (nil, false)
    else { return false }
    let ended = Query(collection).filtered("expires", .less(.moment(transaction.moment)))
      .ordered(by: "expires").page(Self.tidied)
    for document in try environment.documents(ended, in: transaction) {
      try transaction.erase(document.path)
    }
    try transaction.set(path, ["expires": .moment(answered.expires)])
    return true
  }
}
