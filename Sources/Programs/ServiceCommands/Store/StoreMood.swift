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
    .updated, .fields, .zone, .limit, .after,
  ],
  examples: [
    ("pkd store mood add --uid ann --mood happy --note 'a walk'", "Prints its id."),
    ("pkd store mood list --uid ann --limit 50", "Newest first, page by page."),
    ("pkd store mood update ID --uid ann --note 'rain'", "Other fields stay."),
  ]
) { session, console in
  let words = session.arguments.operands.map(\.description)
  let environment = try session.environment(toDo: words[0])
  let service = MoodEntryService(environment, as: session.caller)
  let uid = try session.uid()
  func fields(_ id: String) throws -> Fields {
    var fields = session.texts(["mood": "moodType", "note": "note", "device": "deviceID"])
    if let list = session.list("expectation") { fields["expectations"] = list }
    if let date = try session.moment("date") { fields["timestamp"] = .moment(date) }
    if let date = try session.moment("updated") { fields["updatedAt"] = .moment(date) }
    return fields.merging(try session.givenFields(for: "users/\(uid)/moodEntries/\(id)"))
  }
  switch (words[0], words.count) {
  case ("add", 1):
    let id = session.arguments.options["id"] ?? environment.newID()
    var fields = try fields(id)
    if fields["timestamp"] == nil { fields["timestamp"] = .moment(environment.now()) }
    let entry = try service.create(fields, of: uid, id: id)
    if session.printsJSON { return try console.print { $0.value(entry) } }
    try console.print(entry.id)
  case ("list", 1):
    let zone = try session.zone()
    let page = try service.page(
      of: uid, limit: session.arguments.whole("limit") ?? MoodEntryService.pageSize,
      after: session.cursor())
    try session.print(page.documents, page.cursor, as: "entries", &console) { entry in
      let time = entry["timestamp"]?.momentValue.map { zone.clock($0) } ?? ""
      return "\(time)  \(entry.id.padded(to: 20))  \(entry["moodType"]?.line ?? "")"
    }
  case ("get", 2): try session.print(try service.entry(words[1], of: uid), &console)
  case ("update", 2):
    try session.print(try service.update(words[1], of: uid, try fields(words[1])), &console)
  case ("delete", 2):
    try session.print(deleted: words[1], try service.delete(words[1], of: uid), &console)
  default:
    throw session.error("mood takes add or list, or get, update or delete and an ID")
  }
}
