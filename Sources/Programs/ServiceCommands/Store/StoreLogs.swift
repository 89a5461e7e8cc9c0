import Commands
import DrawingServices
import Journal
import Storage

private let moods = ["veryNegative", "negative", "neutral", "positive", "veryPositive"]

let storeLog = CommandDefinition.storeVerb(
  "log", "Add, list, change and delete session logs.",
  operands: "add|list|get|update|delete [ID]", count: 1...2,
  [
    Option("id", value: "ID", help: "The id of the log; a new one unless given."),
    Option("method", value: "ID", help: "The growth method."),
    .date("start", "When the session began; now unless given."),
    Option(
      "duration", value: "SECONDS", form: .number(0...604_800),
      help: "How long it took."),
    Option("mood-before", choices: moods, help: "How the user felt before."),
    Option("mood-after", choices: moods, help: "How the user felt after."),
    Option("notes", value: "TEXT", help: "A text about it."),
    .fields, .zone, .limit, .after,
  ],
  examples: [
    (
      "pkd store log add --uid ann --method breath-lines --duration 300 \\\n"
        + "      --mood-before neutral --mood-after positive", "Prints its id."
    ),
    ("pkd store log list --uid ann", "Newest first, page by page."),
  ]
) { session, console in
  let words = session.arguments.operands.map(\.description)
  let environment = try session.environment(toDo: words[0])
  let service = SessionLogService(environment, as: session.caller)
  func fields(_ id: String) throws -> Fields {
    var fields = session.texts([
      "method": "methodId", "mood-before": "moodBefore", "mood-after": "moodAfter",
      "notes": "userNotes",
    ])
    if let date = try session.moment("start") { fields["startTime"] = .moment(date) }
    if let seconds = session.arguments.number("duration") { fields["duration"] = .number(seconds) }
    return fields.merging(try session.givenFields(for: "sessionLogs/\(id)"))
  }
  switch (words[0], words.count) {
  case ("add", 1):
    let id = session.arguments.options["id"] ?? environment.newID()
    var fields = try fields(id)
    if fields["userId"] == nil { fields["userId"] = .text(try session.uid()) }
    if fields["startTime"] == nil { fields["startTime"] = .moment(environment.now()) }
    let named = session.arguments.options["id"] == nil && fields["logId"] != nil
    let log = try service.create(fields, id: named ? nil : id)
    if session.printsJSON { return try console.print { $0.value(log) } }
    try console.print(log.id)
  case ("list", 1):
    let zone = try session.zone()
    let page = try service.page(
      of: try session.uid(), limit: session.arguments.whole("limit") ?? 50,
      after: session.cursor())
    try session.print(page.documents, page.cursor, as: "logs", &console) { log in
      let time = log["startTime"]?.momentValue.map { zone.clock($0) } ?? ""
      return "\(time)  \(log.id.padded(to: 20))  \(log["methodId"]?.line ?? "")"
    }
  case ("get", 2): try session.print(try service.log(words[1]), &console)
  case ("update", 2):
    let log = try service.update(words[1], try fields(words[1]))
    if session.printsJSON { return try console.print { $0.value(log, applied: true) } }
    try console.print(log.id)
  case ("delete", 2):
    try session.print(deleted: words[1], try service.delete(words[1]), &console)
  default:
    throw session.error("log takes add or list, or get, update or delete and an ID")
  }
}
