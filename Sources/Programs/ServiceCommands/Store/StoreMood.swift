import Commands
import DrawingServices
import Journal
import Storage

let storeMood = CommandDefinition.storeVerb(
  "mood", "Add, list, change and delete mood entries.",
  operands: "add|list|get|update|delete [ID]", count: 1...2,
  [
    Option("id", value: "ID", help: "The id of the entry; a new one unless given."),
    Option("mood", value: "KEY", help: "A mood such as happy."),
    Option("note", value: "TEXT", help: "A text about it."),
    .date("date", "When it was logged; now unless given."),
    Option("expectation", value: "TEXT", help: "What the user expects; may be repeated."),
    Option("device", value: "ID", help: "The device that logged it."),
    .updated, .fields, .zone, .limit, .after, .from, .to,
  ],
  examples: [
    ("pkd store mood add --uid ann --mood happy --note 'a walk'", "Prints its id."),
    ("pkd store mood list --uid ann --limit 50", "Newest first, page by page."),
    ("pkd store mood update ID --uid ann --note 'rain'", "Other fields stay."),
  ]
) { session, console in
  let verb = DocumentVerb(kind: .moodEntries, listName: "entries") { _ in
    var fields = session.texts(["mood": "moodType", "note": "note", "device": "deviceID"])
    if let list = session.list("expectation") { fields["expectations"] = list }
    if let date = try session.moment("date") { fields["timestamp"] = .moment(date) }
    if let date = try session.moment("updated") { fields["updatedAt"] = .moment(date) }
    return fields
  } complete: { given, now in
    Fields([("timestamp", .moment(now))]).merging(given)
  } line: { entry, zone in
    let time = entry["timestamp"]?.momentValue.map { zone.clock($0) } ?? ""
    return "\(time)  \(entry.id.padded(to: 20))  \(entry["moodType"]?.line ?? "")"
  }
  guard try verb.run(session.arguments.operands.map(\.description), session, &console) else {
    throw session.error("mood takes add or list, or get, update or delete and an ID")
  }
}
