import Commands
import DrawingServices
import Storage

let storeProfile = CommandDefinition.storeVerb(
  "profile", "Show a user's profile, or change it.", operands: "get|set", count: 1...1,
  [
    Option("name", value: "TEXT", help: "The name of the user."),
    Option("expectation", value: "TEXT", help: "What the user expects; may be repeated."),
    Option("hour", value: "N", form: .whole(0...23), help: "The hour of the reminder, 0 to 23."),
    Option(
      "minute", value: "N", form: .whole(0...59), help: "The minute of the reminder, 0 to 59."),
    Option("token", value: "TEXT", help: "The token for notifications."),
    .fields,
  ],
  examples: [
    ("pkd store profile set --uid ann --name Ann --hour 21", "Other fields stay."),
    ("pkd store profile get --uid ann --json", "The whole profile."),
  ]
) { session, console in
  let verb = session.arguments.operands[0].description
  guard verb == "get" || verb == "set" else { throw session.error("profile takes get or set") }
  let environment = try session.environment(toDo: verb)
  let (uid, service) = (try session.uid(), UserService(environment, as: session.caller))
  if verb == "get" {
    guard let profile = try service.profile(uid) else {
      return console.fail("\(uid): there is no profile", .failed)
    }
    return try session.print(profile, &console)
  }
  var fields = session.texts(["name": "userName", "token": "fcmToken"])
  if let list = session.list("expectation") { fields["selectedExpectations"] = list }
  for (option, field) in [("hour", "notificationHour"), ("minute", "notificationMinute")] {
    if let number = session.arguments.whole(option) { fields[field] = .integer(Int64(number)) }
  }
  fields = fields.merging(try session.givenFields(for: "users/\(uid)"))
  guard fields.count > 0 else { throw session.error("give at least one field to change") }
  try session.print(try service.setProfile(uid, fields), &console)
}
