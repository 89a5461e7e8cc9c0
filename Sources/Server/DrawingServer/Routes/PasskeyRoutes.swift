import DrawingServices
import HTTP
import HTTPServing
import JSON
import Passkeys
import Storage

// Passkeys: made by a signed-in user, by the holder of an invitation, or by a visitor if everyone
// may become a user.

private let bodyLimit = 64 << 10

let passkeyRoutes: [Route] = [
  Route(
    .post, "/v1/passkeys/options",
    "A challenge for a new passkey: {\"code\": of an invitation, \"name\": of a new user}.",
    access: .everyone, body: .json(limit: bodyLimit), answers: [(200, .json("PasskeyCreation"))]
  ) { call in
    try call.enter()
    let fields = try call.fields(named: ["code", "name"])
    let code = fields["code"]?.textValue
    let (uid, name, isNew) = try call.owner(ofPasskeyWith: code, fields["name"]?.textValue ?? "")
    let challenge = try randomText()
    let note: Fields = [
      "challenge": .text(challenge), "uid": .text(uid), "name": .text(name),
      "isNew": .bool(isNew), "code": code.map { .text($0) },
    ]
    let known =
      isNew || code != nil
      ? [] : try PasskeyService(call.environment, as: call.caller).all(of: uid)
    return call.json(200, [call.noteField(note, for: .register)]) { json in
      json.object { json in
        json.field("challenge", challenge)
        json.object("rp") { json in
          json.field("id", PasskeyVerifier(origin: call.webOrigin).party)
          json.field("name", "Pentimento")
        }
        json.object("user") { json in
          json.field("id", Base64.encodeURL(handle(of: uid)))
          json.field("name", name.isEmpty ? uid : name)
          json.field("displayName", name.isEmpty ? uid : name)
        }
        json.list("pubKeyCredParams", PasskeyKey.Algorithm.allCases) { json, algorithm in
          json.object { json in
            json.field("type", "public-key")
            json.field("alg", Int(algorithm.rawValue))
          }
        }
        json.list("excludeCredentials", known) { json, passkey in
          json.object { json in
            json.field("type", "public-key")
            json.field("id", Base64.encodeURL(passkey.credential))
          }
        }
        json.object("authenticatorSelection") { json in
          json.field("residentKey", "required")
          json.field("requireResidentKey", true)
          json.field("userVerification", "preferred")
        }
        json.field("attestation", "none")
        json.field("timeout", Int(NoteSeal.seconds) * 1000)
      }
    }
  },
  Route(
    .post, "/v1/passkeys",
    "Store a new passkey: {\"clientDataJSON\": …, \"attestationObject\": …}, each in base64url, and"
      + " {\"label\": …}. Signs in who was not.",
    access: .everyone, body: .json(limit: bodyLimit), answers: [(201, .json("Passkey"))]
  ) { call in
    try call.enter()
    let fields = try call.fields(named: ["clientDataJSON", "attestationObject", "label"])
    func bytes(_ name: String) -> [UInt8] {
      fields[name]?.textValue.flatMap { Base64.decodeURL($0.utf8) } ?? []
    }
    let (note, expires) = try call.note(for: .register)
    guard let challenge = note["challenge"]?.textValue.flatMap({ Base64.decodeURL($0.utf8) }),
      let uid = note["uid"]?.textValue
    else { throw Door.refusal }
    let registration: PasskeyVerifier.Registration
    do throws(PasskeyError) {
      registration = try PasskeyVerifier(origin: call.webOrigin).registration(
        clientData: bytes("clientDataJSON"), attestation: bytes("attestationObject"),
        challenge: challenge)
    } catch {
      throw Door.refusal
    }
    let label = fields["label"]?.textValue ?? ""
    let new = PasskeyService.New(
      credential: registration.id, key: registration.key, algorithm: registration.algorithm,
      counter: registration.counter, name: label.isEmpty ? call.agent : label)
    let answered = SignInService.Answered(challenge, expires: expires)
    let service = SignInService(call.environment)
    let code = note["code"]?.textValue
    let isNew = note["isNew"]?.boolValue == true
    if code == nil, !isNew {
      // The note belongs to the user who is signed in now.
      guard call.caller == .user(uid), let passkey = try service.add(new, of: uid, answered) else {
        throw Door.refusal
      }
      return call.json(201, [call.noteRemoval(of: .register)]) { $0.passkey(passkey) }
    }
    if isNew { try call.door.checkNewcomer(call.client) }
    let newcomer: SignInService.Newcomer =
      code.map { .invited(code: $0) } ?? .new(uid: uid, name: note["name"]?.textValue ?? "")
    guard
      let (passkey, begun) = try service.signUp(
        newcomer, as: uid, with: new, answered, agent: call.agent)
    else { throw Door.refusal }
    return try call.signedIn(
      begun, call.json(201) { $0.passkey(passkey) }, without: .register)
  },
  Route(
    .get, "/v1/passkeys", "List the user's passkeys.", answers: [(200, .json("Passkeys"))]
  ) { call in
    let passkeys = try PasskeyService(call.environment, as: call.caller).all(of: call.user)
    return call.json { json in
      json.object { json in
        json.list("items", passkeys) { json, passkey in json.passkey(passkey) }
      }
    }
  },
  Route(
    .patch, "/v1/passkeys/{id}", "Give a passkey another name: {\"name\": …}.",
    body: .json(limit: bodyLimit), answers: [(200, .json("Passkey"))]
  ) { call in
    guard let name = try call.fields(named: ["name"])["name"]?.textValue, !name.isEmpty else {
      throw Refusal(422, "missing-field", "The field is needed.", field: "name")
    }
    let service = PasskeyService(call.environment, as: call.caller)
    guard let passkey = try service.rename(call.id, of: call.user, to: name) else {
      throw Refusal(404, "not-found", "There is nothing with this name.")
    }
    return call.json { $0.passkey(passkey) }
  },
  Route(
    .delete, "/v1/passkeys/{id}", "Delete a passkey.",
    query: [
      QueryParameter("even-if-last", .choice(["true"]), "Delete it even if it is the last way in.")
    ], answers: [(204, .nothing)]
  ) { call in
    let isConfirmed = try call.text("even-if-last") != nil
    let service = PasskeyService(call.environment, as: call.caller)
    switch try service.delete(call.id, of: call.user, evenIfLast: isConfirmed) {
    case .done: return Response(204)
    case .missing: return try call.deleted(false)
    case .isLastWayIn:
      throw Refusal(
        409, "last-way-in", "Without it, the user cannot sign in any more.", field: "even-if-last")
    }
  },
]

extension Call {
  /// The user for whom a passkey is made, with a name for people, and whether the user is new.
  fileprivate func owner(
    ofPasskeyWith code: String?, _ name: String
  ) throws -> (uid: String, name: String, isNew: Bool) {
    if let code {
      let found = try invitation(code)
      return (found.uid, found.name, false)
    }
    if case .user(let uid) = caller {
      let profile = try UserService(environment, as: caller).profile(uid)
      return (uid, profile?["userName"]?.textValue ?? "", false)
    }
    guard server.settings.takesEveryone else { throw Door.refusal }
    guard name.utf8.count <= 200 else {
      throw Refusal.badField("name", "It must be a text of 200 bytes.")
    }
    // Nobody else's: the name is random.
    return ("u-\(environment.newID())", name, true)
  }
}

extension JSONWriter {
  fileprivate mutating func passkey(_ passkey: PasskeyService.Passkey) {
    object { json in
      json.field("id", passkey.id)
      json.field("name", passkey.name)
      json.field("createdAt", passkey.created.iso8601)
      json.field("lastUsed", passkey.lastUsed?.iso8601)
    }
  }
}
