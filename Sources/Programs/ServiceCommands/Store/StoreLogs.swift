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
    .fields, .zone, .limit, .after, .from, .to,
  ],
  examples: [
    (
      "pkd store log add --uid ann --method breath-lines --duration 300 \\\n"
        + "      --mood-before neutral --mood-after positive", "Prints its id."
    ),
    ("pkd store log list --uid ann", "Newest first, page by page."),
  ]
) { session, console in
  let verb = DocumentVerb(kind: .sessionLogs, listName: "logs") { _ in
    var fields = session.texts([
      "method": "methodId", "mood-before": "moodBefore", "mood-after": "moodAfter",
      "notes": "userNotes",
    ])
    if let date = try session.moment("start") { fields["startTime"] = .moment(date) }
    if let seconds = session.arguments.number("duration") { fields["duration"] = .number(seconds) }
    return fields
  } complete: { given, now in
    var fields = Fields([("startTime", .moment(now))]).merging(given)
    if fields["userId"] == nil { fields["userId"] = .text(try session.uid()) }
    return fields
  } line: { log, zone in
    let time = log["startTime"]?.momentValue.map { zone.clock($0) } ?? ""
    return "\(time)  \(log.id.padded(to: 20))  \(log["methodId"]?.line ?? "")"
  }
  guard try verb.run(session.arguments.operands.map(\.description), session, &console) else {
    throw session.error("log takes add or list, or get, update or delete and an ID")
  }
}
