import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// Drawings that several users read and change: invitations, members, and drawings of others.

private let maximumSeconds = Int(MemberService.maximumSeconds)

let memberRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/invitations",
    "List the open invitations to a drawing, the last to end first.",
    answers: [(200, .json("Invitations"))]
  ) { call in
    let invitations = try call.members.invitations(to: call.id, of: call.uid)
    return call.json { json in
      json.object { json in
        json.list("items", invitations) { json, invitation in
          json.object { $0.invitation(invitation) }
        }
      }
    }
  },
  Route(
    .post, "/v1/users/{uid}/drawings/{id}/invitations",
    "Invite others to a drawing: {\"role\": \"reader\" or \"writer\", \"seconds\": N, \"uses\": N}. It admits one user in the"
      + " next seven days unless told. Only this answer has the link.",
    body: .json(limit: 4 << 10), answers: [(201, .json("Invitation"))]
  ) { call in
    let fields = try call.fields(named: ["role", "seconds", "uses"])
    func whole(_ name: String, _ standard: Int, upTo limit: Int) throws(Refusal) -> Int {
      guard let value = fields[name] else { return standard }
      guard let number = value.integerValue, 1...Int64(limit) ~= number else {
        throw Refusal.badField(name, "It must be a whole number from 1 to \(limit).")
      }
      return Int(number)
    }
    let seconds = try whole("seconds", Int(MemberService.usualSeconds), upTo: maximumSeconds)
    let uses = try whole("uses", 1, upTo: MemberService.maximumUses)
    let (invitation, code) = try call.members.invite(
      to: call.id, of: call.uid, role: call.role(in: fields), seconds: Int64(seconds), uses: uses)
    let url = "\(call.server.origin(asNamedBy: call.exchange))/join#\(code)"
    return call.json(201) { json in
      json.object { json in
        json.invitation(invitation)
        json.field("code", code)
        json.field("url", url)
      }
    }
  },
  Route(
    .delete, "/v1/users/{uid}/drawings/{id}/invitations/{invitation}", "End an invitation.",
    answers: [(204, .nothing)]
  ) { call in
    try call.deleted(
      call.members.endInvitation(call.parameter("invitation"), to: call.id, of: call.uid))
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/members",
    "List the members of a drawing, the first one first. Members see no 'uid' of others.",
    answers: [(200, .json("Members"))]
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let members = try call.members.members(of: id, of: uid)
    let own = try call.role(of: id, of: uid)
    return call.json { json in
      json.object { json in
        json.list("items", members) { json, member in
          json.object { $0.member(member, call) }
        }
        json.field("owner", uid)
        json.field("role", own?.rawValue)
      }
    }
  },
  Route(
    .put, "/v1/users/{uid}/drawings/{id}/members/{member}",
    "Change the role of a member: {\"role\": \"reader\" or \"writer\"}.",
    body: .json(limit: 4 << 10), answers: [(200, .json("Member"))]
  ) { call in
    let role = try call.role(in: call.fields(named: ["role"]))
    let member = try call.members.setRole(
      role, ofMember: call.member, of: call.id, of: call.uid)
    guard let member else { throw Refusal(404, "not-found", "There is nothing with this name.") }
    return call.json { json in json.object { $0.member(member, call) } }
  },
  Route(
    .delete, "/v1/users/{uid}/drawings/{id}/members/{member}",
    "Remove a member. Members may remove themselves.", answers: [(204, .nothing)]
  ) { call in
    try call.deleted(call.members.remove(call.member, from: call.id, of: call.uid))
  },
  Route(
    .post, "/v1/invitations/look",
    "Look at what a code invites to: {\"code\": \"…\"}. The picture is a link for ten minutes.",
    body: .json(limit: 4 << 10), answers: [(200, .json("Offer"))]
  ) { call in
    let code = try call.code(in: call.fields(named: ["code"]))
    let offer = try call.members.look(code)
    let (owner, drawing) = (offer.invitation.owner, offer.record.document)
    let expires = call.environment.now().microseconds / 1_000_000 + 600
    let picture = try call.server.links.link(
      call.origin, path: "/v1/users/\(owner)/drawings/\(drawing.id)/thumbnail.png", of: owner,
      expires: expires, made: LinkSigner.made(drawing))
    return call.json { json in
      json.object { json in
        json.field("title", offer.record.title ?? "")
        json.field("owner", offer.ownerName)
        json.field("role", offer.invitation.role.rawValue)
        json.field("picture", picture)
        // Where it is, for those who are there already.
        json.field("yourRole", offer.role?.rawValue)
        json.field("uid", offer.role.map { _ in owner })
        json.field("id", offer.role.map { _ in drawing.id })
      }
    }
  },
  Route(
    .post, "/v1/invitations",
    "Join a drawing: {\"code\": \"…\", \"name\": \"…\"}. The other members see the name; that of the profile unless"
      + " given. The same again is no error.",
    body: .json(limit: 4 << 10), answers: [(200, .json("Joined"))]
  ) { call in
    let fields = try call.fields(named: ["code", "name"])
    let code = try call.code(in: fields)
    var name: String?
    if let given = fields["name"], given != .null {
      guard let text = given.textValue, text.utf8.count <= MemberService.nameLimit else {
        throw Refusal.badField("name", "It must be a text of \(MemberService.nameLimit) bytes.")
      }
      name = text
    }
    let member = try call.members.join(code, name: name)
    return call.json { json in
      json.object { json in
        json.field("owner", member.owner)
        json.field("id", member.drawing)
        json.field("role", member.role.rawValue)
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/shared",
    "List the drawings of others that a user is a member of, the latest first.",
    query: [.limit, .after], answers: [(200, .json("SharedDrawings"))]
  ) { call in
    let (drawings, cursor) = try call.members.shared(
      with: call.uid, limit: call.number("limit") ?? 60, after: call.cursor())
    return call.json { json in
      json.object { json in
        json.list("items", drawings) { json, drawing in
          json.object { $0.shared(drawing, call) }
        }
        json.field("cursor", cursor?.description)
      }
    }
  },
]

extension Call {
  fileprivate var members: MemberService { MemberService(environment, as: caller) }

  /// The member in the path, by the user's name or an issuer's subject.
  fileprivate var member: String {
    get throws(Refusal) { UserName.of(try parameter("member"), inRequestBy: caller) }
  }

  fileprivate func role(in fields: Fields) throws(Refusal) -> AccessRule.Role {
    guard let role = (fields["role"] ?? "reader").textValue.flatMap(AccessRule.Role.init) else {
      throw Refusal.badField("role", "It must be 'reader' or 'writer'.")
    }
    return role
  }

  /// The code in a request. Nobody may try many.
  fileprivate func code(in fields: Fields) throws(Refusal) -> String {
    guard let code = fields["code"]?.textValue, 1...128 ~= code.utf8.count else {
      throw Refusal(422, "missing-field", "The field is needed.", field: "code")
    }
    if case .user(let uid) = caller, !server.codes.take(uid) {
      throw Refusal(429, "too-many-changes", "Too many codes in a short time; try again later.")
    }
    return code
  }

  /// The caller's role for a drawing.
  func role(of id: String, of uid: String) throws -> DrawingAccess.Role? {
    try environment.documents.read {
      try DrawingAccess.role(of: caller, owner: uid, drawing: id, in: $0)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func invitation(_ invitation: MemberService.Invitation) {
    field("id", invitation.id)
    field("role", invitation.role.rawValue)
    field("expires", invitation.expires.iso8601)
    field("uses", invitation.usesLeft)
  }

  fileprivate mutating func member(_ member: MemberService.Member, _ call: Call) {
    let isYou = call.caller == .user(member.uid)
    // Only the owner needs to know who a member is.
    if isYou || !call.isMember(member.owner) { field("uid", member.uid) }
    field("name", member.name)
    field("role", member.role.rawValue)
    field("since", member.since.iso8601)
    field("isYou", isYou)
  }

  fileprivate mutating func shared(_ drawing: MemberService.SharedDrawing, _ call: Call) {
    let (member, document) = (drawing.member, drawing.record.document)
    let address = "/v1/users/\(member.owner)/drawings/\(member.drawing)"
    field("owner", member.owner)
    field("ownerName", drawing.ownerName)
    field("id", member.drawing)
    field("title", drawing.record.title ?? "")
    field("role", member.role.rawValue)
    field("thumbnailURL", "\(call.origin)\(address)/\(DrawingFiles.thumbnail)")
    field("since", member.since.iso8601)
    field("createdAt", drawing.record.createdAt?.iso8601)
    field("updatedAt", document["updatedAt"]?.momentValue?.iso8601)
    field("recordingSHA256", drawing.record.recordingSHA256)
  }
}
