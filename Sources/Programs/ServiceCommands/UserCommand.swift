import Commands
import DrawingServices
import JSON
import Journal
import SharedStorage
import Storage

/// `pkd user`: the users of a service, and the door for them.
let userCommand = CommandDefinition(
  name: ServiceWord.user.rawValue,
  summary: ServiceWord.user.summary,
  operands: "add|list|sessions|end-sessions [UID]",
  operandCount: 1...2,
  options: [
    .root, .documents, .blobs,
    Option("name", value: "TEXT", help: "The user's name for people; for 'add'."),
    Option(
      "days", value: "N", form: .whole(1...365),
      help: "How long an invitation is open; 7 days unless given."),
    Option(
      "public-url", value: "URL",
      help: "The server's address in the link; else that of PENTIMENTO_PUBLIC_URL."),
    .json,
  ],
  examples: [
    ("pkd user add ann --name Ann", "Prints a link with which Ann signs in, once."),
    ("pkd user add", "The same for a user whose name is made up."),
    ("pkd user list", "All users, with their passkeys and sessions."),
    ("pkd user end-sessions ann", "Signs ann out everywhere."),
  ]
) { arguments, console in
  let words = arguments.operands.map(\.description)
  let uid = words.count > 1 ? UserName.meant(by: words[1]) : nil
  do {
    let place: ServicePlace
    do throws(ServicePlaceError) {
      place = try arguments.servicePlace()
    } catch {
      throw userCommand.error("\(error)")
    }
    let isReading = words[0] == "list" || words[0] == "sessions"
    let environment = try place.open(.journal, for: isReading ? .reading : .writing)
    switch (words[0], uid) {
    case ("add", _): try invite(uid ?? "u-\(environment.newID())", environment, arguments, &console)
    case ("list", nil): try printUsers(environment, arguments, &console)
    case ("sessions", let uid?): try printSessions(of: uid, environment, arguments, &console)
    case ("end-sessions", let uid?):
      let ended = try SessionService(environment, as: .operator).end(of: uid) { _ in true }
      if arguments.has(Option.json.name) {
        try console.print { json in json.object { $0.field("ended", ended.count) } }
      } else {
        try console.print("\(ended.count) sessions ended")
      }
    case ("sessions", nil), ("end-sessions", nil):
      throw userCommand.error("'\(words[0])' needs the id of a user")
    default: throw userCommand.error("user takes add, list, sessions or end-sessions")
    }
  } catch {
    guard let code = storeExitCode(of: error) else { throw error }
    if code == .usage { throw userCommand.error("\(error)") }
    console.fail("\(error)", code)
  }
}

private func invite(
  _ uid: String, _ environment: ServiceEnvironment, _ arguments: Arguments,
  _ console: inout Console
) throws {
  let name = arguments.options["name"] ?? ""
  guard name.utf8.count <= 200 else { throw userCommand.error("--name has at most 200 bytes") }
  let code = try InvitationService.invite(
    uid, name: name, days: arguments.whole("days") ?? 7, in: environment)
  let setting = ServerSetting.all.first { $0.name == "public-url" }
  let base =
    arguments.options["public-url"] ?? setting.map { Console.variable($0.variable) } ?? ""
  // In the fragment, which browsers send to no server, and so no log has it.
  let link = "\(base)/welcome#\(code)"
  if arguments.has(Option.json.name) {
    try console.print { json in
      json.object { json in
        json.field("uid", uid)
        json.field("link", link)
      }
    }
    return
  }
  try console.printAlways(link)
  if base.isEmpty { console.note("put the server's address in front, or give --public-url") }
}

private func printUsers(
  _ environment: ServiceEnvironment, _ arguments: Arguments, _ console: inout Console
) throws {
  let rows = try UserService(environment, as: .operator).users().map { uid in
    let profile = try? UserService(environment, as: .operator).profile(uid)
    return (
      uid: uid, name: profile?["userName"]?.textValue ?? "",
      passkeys: try PasskeyService(environment, as: .operator).all(of: uid).count,
      sessions: try SessionService(environment, as: .operator).all(of: uid).count
    )
  }
  if arguments.has(Option.json.name) {
    return try console.print { json in
      json.object { json in
        json.list("users", rows) { json, row in
          json.object { json in
            json.field("uid", row.uid)
            json.field("name", row.name)
            json.field("passkeys", row.passkeys)
            json.field("sessions", row.sessions)
          }
        }
      }
    }
  }
  for row in rows {
    try console.print(
      "\(row.uid)  \(row.name.isEmpty ? "-" : row.name)  passkeys \(row.passkeys)  sessions \(row.sessions)"
    )
  }
}

private func printSessions(
  of uid: String, _ environment: ServiceEnvironment, _ arguments: Arguments,
  _ console: inout Console
) throws {
  let sessions = try SessionService(environment, as: .operator).all(of: uid)
  if arguments.has(Option.json.name) {
    return try console.print { json in
      json.object { json in
        json.list("sessions", sessions) { json, session in
          json.object { json in
            json.field("id", session.id)
            json.field("method", session.method)
            json.field("agent", session.agent)
            json.field("createdAt", session.created.iso8601)
            json.field("lastUsed", session.lastUsed.iso8601)
            json.field("expires", session.expires.iso8601)
          }
        }
      }
    }
  }
  for session in sessions {
    let agent = session.agent.isEmpty ? "-" : session.agent
    try console.print(
      "\(session.id)  \(session.method)  \(agent)  last used \(session.lastUsed.iso8601)")
  }
}
