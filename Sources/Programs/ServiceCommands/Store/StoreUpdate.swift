import Commands
import DrawingServices
import Storage

let storeUpdate = CommandDefinition.storeVerb(
  "update", "Change the document of a drawing.", operands: "ID", count: 1...1,
  [
    Option("checkin", value: "ID", help: "The check-in that it belongs to."),
    Option("standalone", help: "It belongs to no check-in."),
    Option("from-checkin", choices: ["yes", "no"], help: "Whether it was drawn during one."),
    Option("prompt", value: "TEXT", help: "The prompt of the drawing."),
    .date("date", "When it was drawn."),
    .offset("Minutes east of Greenwich, when it was drawn."),
    .updated, .fields, .zone,
  ],
  examples: [
    ("pkd store update ID --uid ann --checkin c1", "It belongs to a check-in now."),
    ("pkd store update ID --uid ann --prompt 'a tree' --json", "Other fields stay."),
  ]
) { session, console in
  let service = DrawingService(try session.environment(for: .writing), as: session.caller)
  let (uid, id) = (try session.uid(), session.arguments.operands[0].description)
  let options = session.arguments.options
  guard options["checkin"] == nil || options["standalone"] == nil else {
    throw session.error("--checkin and --standalone exclude each other")
  }
  var fields = session.texts(["checkin": "checkinId", "prompt": "promptUsed"])
  if options["standalone"] != nil { fields["checkinId"] = .null }
  if let answer = options["from-checkin"] { fields["isFromCheckIn"] = .bool(answer == "yes") }
  if let date = try session.moment("date") { fields["createdAt"] = .moment(date) }
  if let date = try session.moment("updated") { fields["updatedAt"] = .moment(date) }
  if let minutes = session.arguments.whole("offset") {
    fields["timezoneOffsetMinutes"] = .integer(Int64(minutes))
  }
  fields = fields.merging(try session.givenFields(for: "users/\(uid)/drawings/\(id)"))
  guard fields.count > 0 else { throw session.error("give at least one field to change") }
  let update = try service.update(id, of: uid, fields)
  try session.print(update.map(\.document), &console)
}
