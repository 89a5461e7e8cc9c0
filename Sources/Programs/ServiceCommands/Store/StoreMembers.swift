import Commands
import DrawingServices
import JSON
import Storage

extension Option {
  fileprivate static let role = Option(
    "role", choices: AccessRule.Role.allCases.map(\.rawValue),
    help: "Whether the drawing can be changed; reader unless given.")
}

let storeMembers = CommandDefinition.storeVerb(
  "members", "List the members of a drawing.", operands: "ID", count: 1...1,
  examples: [("pkd store members ID --uid ann", "One line for each member.")]
) { session, console in
  let environment = try session.environment(for: .reading)
  let (uid, drawing) = (try session.uid(), session.arguments.operands[0].description)
  let members = try MemberService(environment, as: session.caller).members(of: drawing, of: uid)
  if session.printsJSON {
    return try console.print { json in
      json.list { json in
        for member in members {
          json.object { json in
            json.field("uid", member.uid)
            json.field("name", member.name)
            json.field("role", member.role.rawValue)
            json.field("since", member.since.iso8601)
          }
        }
      }
    }
  }
  for member in members {
    try console.print(
      "\(member.role.rawValue)  \(member.uid.padded(to: 20))  \(member.name.printable)")
  }
}

let storeInvite = CommandDefinition.storeVerb(
  "invite", "Invite other users to a drawing; prints the code.", operands: "ID", count: 1...1,
  [
    .role,
    Option(
      "days", value: "N", form: .whole(1...366), help: "Days until it ends; 7 unless given."),
    Option(
      "uses", value: "N", form: .whole(1...MemberService.maximumUses),
      help: "The number of users that it admits; 1 unless given."),
  ],
  examples: [
    ("pkd store invite ID --uid ann --role writer", "The link is SERVER/join#CODE.")
  ]
) { session, console in
  let environment = try session.environment(for: .writing)
  let (uid, drawing) = (try session.uid(), session.arguments.operands[0].description)
  let arguments = session.arguments
  let role = arguments.options[Option.role.name].flatMap(AccessRule.Role.init) ?? .reader
  let days = arguments.whole("days").map { Int64($0) }
  let (invitation, code) = try MemberService(environment, as: session.caller).invite(
    to: drawing, of: uid, role: role,
    seconds: days.map { $0 * 86_400 } ?? MemberService.usualSeconds,
    uses: arguments.whole("uses") ?? 1)
  guard session.printsJSON else { return try console.printAlways(code) }
  try console.print { json in
    json.object { json in
      json.field("code", code)
      json.field("role", invitation.role.rawValue)
      json.field("expires", invitation.expires.iso8601)
      json.field("uses", invitation.usesLeft)
    }
  }
}

let storeRemoveMember = CommandDefinition.storeVerb(
  "remove-member", "End a user's membership in a drawing.", operands: "ID MEMBER", count: 2...2,
  examples: [("pkd store remove-member ID bob --uid ann", "The drawing is ann's.")]
) { session, console in
  let environment = try session.environment(for: .writing)
  let operands = session.arguments.operands.map(\.description)
  let (uid, member) = (try session.uid(), UserName.meant(by: operands[1]))
  let existed = try MemberService(environment, as: session.caller)
    .remove(member, from: operands[0], of: uid)
  try session.print(deleted: member, existed, &console)
}
