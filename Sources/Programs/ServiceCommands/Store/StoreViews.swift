import Commands
import DrawingServices
import JSON
import Journal
import Storage

private let language = Option(
  "lang", choices: Language.allCases.map(\.rawValue), help: "The viewer's language.")

let storeGallery = CommandDefinition.storeVerb(
  "gallery", "Show the drawings of the last 90 days, one section per day.",
  [.zone, language, .limit, .after],
  examples: [
    ("pkd store gallery --uid ann", "Newest first."),
    (
      "pkd store gallery --uid ann --time-zone Asia/Taipei --lang zh-TW",
      "In the zone and language of the viewer."
    ),
  ]
) { session, console in
  let environment = try session.environment(for: .reading)
  let service = DrawingService(environment, as: session.caller)
  let zone = try session.zone()
  let language = try session.language()
  let page = try service.gallery(
    of: try session.uid(), zone: zone, language: language,
    limit: session.arguments.whole("limit") ?? DrawingService.galleryPageSize,
    after: session.cursor())
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        page.write(to: &json, title: language.gallery) { $0.value($1) }
        json.field("cursor", page.cursor?.description)
      }
    }
  }
  try console.print(console.bold(language.gallery))
  if page.sections.isEmpty { try console.print(language.noDrawings) }
  for section in page.sections {
    try console.print("\n" + console.bold(section.title))
    for drawing in section.drawings {
      let time = drawing.createdAt.map { String(zone.clock($0).suffix(5)) } ?? "     "
      try console.print("  \(time)  \(drawing.id.padded(to: 20))  \(drawing.thumbnailURL)")
    }
  }
  if let next = page.cursor { console.note("more: --after \(next)") }
}

let storeCards = CommandDefinition.storeVerb(
  "cards", "Show the latest check-ins as cards, with their drawings.",
  [
    Option(
      "checkins", value: "N", form: .whole(0...), help: "The number of check-ins; 7 unless given."),
    Option(
      "reading", choices: ["until-next", "within-day"],
      help:
        "Which drawings without a check-in a card gets: all until the next check-in, or those of its day."
    ),
    .zone,
  ],
  examples: [("pkd store cards --uid ann --time-zone Europe/Berlin", "The last seven.")]
) { session, console in
  let environment = try session.environment(for: .reading)
  let service = CheckInService(environment, as: session.caller)
  let zone = try session.zone()
  let cards = try service.cards(
    of: try session.uid(), checkIns: session.arguments.whole("checkins") ?? 7, zone: zone,
    reading: session.arguments.options["reading"] == "within-day" ? .withinDay : .untilNextCheckIn)
  if session.printsJSON {
    return try console.print { json in
      json.list { json in
        for card in cards {
          card.write(to: &json) {
            $0.value($1)
          } drawing: {
            $0.value($1)
          }
        }
      }
    }
  }
  for card in cards {
    let what = card.checkIn.map { checkIn in
      "check-in \(checkIn.id)" + (checkIn.emotion.isEmpty ? "" : ", \(checkIn.emotion.printable)")
    }
    try console.print(console.bold("\(zone.clock(card.date))  \(what ?? "drawings alone")"))
    for drawing in card.shown { try console.print("  \(drawing.line(zone))") }
    if card.drawings.count > card.shown.count {
      try console.print("  and \(card.drawings.count - card.shown.count) more")
    }
  }
}

let storeCheckIn = CommandDefinition.storeVerb(
  "checkin", "Add, list, change and delete check-ins, or see a week and a day of them.",
  operands: "add|list|get|update|delete|chart|planets [ID]", count: 1...2,
  [
    Option("id", value: "ID", help: "The id of the check-in; a new one unless given."),
    Option("emotion", value: "KEY", help: "An emotion such as joy."),
    Option("color", value: "#RRGGBB", help: "A colour."),
    Option(
      "intensity", value: "F", form: .number(0...1),
      help: "The intensity, 0 to 1; 0.5 unless given."),
    Option("topic", value: "KEY", help: "The topic."),
    Option("evaluation", value: "KEY", help: "The evaluation."),
    Option("journal", value: "TEXT", help: "A text about it."),
    .date("date", "When it was; now unless given."),
    .offset("Minutes east of Greenwich; from --time-zone or the machine unless given."),
    .updated, .fields, .zone, .limit, .after, .from, .to,
  ],
  examples: [
    ("pkd store checkin add --uid ann --emotion joy --color '#FFD700'", "Prints its id."),
    ("pkd store checkin list --uid ann --limit 7", "The latest seven, newest first."),
    ("pkd store checkin chart --uid ann --time-zone Asia/Taipei", "The scores of the last week."),
  ]
) { session, console in
  let words = session.arguments.operands.map(\.description)
  let verb = DocumentVerb(kind: .checkIns, listName: nil, pageSize: 7) { _ in
    try session.checkInFields()
  } complete: { given, now in
    let moment = given["createdAt"]?.momentValue ?? now
    let nothingChosen: Fields = [
      "emotion": "", "colorHex": "", "colorIntensity": 0.5, "topic": "", "evaluation": "",
      "timezoneOffsetMinutes": .integer(Int64(try session.offset(at: moment))),
    ]
    return nothingChosen.merging(given)
  } line: { checkIn, zone in
    CheckIn(checkIn).line(zone)
  }
  if try verb.run(words, session, &console) { return }
  let uid = try session.uid()
  let environment = try session.environment(toDo: words[0])
  let service = CheckInService(environment, as: session.caller)
  switch (words[0], words.count) {
  case ("chart", 1):
    let points = try service.weekChart(
      of: uid, until: environment.now(), zone: try session.zone())
    if session.printsJSON {
      return try console.print { json in
        json.list { json in for point in points { point.write(to: &json) } }
      }
    }
    for point in points {
      let bar = point.score.map { String(repeating: "█", count: $0) } ?? "–"
      try console.print("\(point.day)  \(bar.padded(to: 5))  \(point.checkIn.emotion.printable)")
    }
  case ("planets", 1):
    let planets = try service.planets(
      of: uid, at: environment.now(), zone: try session.zone())
    if session.printsJSON {
      return try console.print { json in
        json.list { json in for planet in planets { json.value(planet.document) } }
      }
    }
    let zone = try session.zone()
    for planet in planets { try console.print(planet.line(zone)) }
  default:
    throw session.error(
      "checkin takes add, list, chart or planets, or get, update or delete and an ID")
  }
}

extension StoreSession {
  /// The fields of a check-in from the options.
  fileprivate func checkInFields() throws -> Fields {
    var fields = texts([
      "emotion": "emotion", "color": "colorHex", "topic": "topic", "evaluation": "evaluation",
      "journal": "journal",
    ])
    if let number = arguments.number("intensity") { fields["colorIntensity"] = .number(number) }
    if let date = try moment("date") { fields["createdAt"] = .moment(date) }
    if let date = try moment("updated") { fields["updatedAt"] = .moment(date) }
    if let minutes = arguments.whole("offset") {
      fields["timezoneOffsetMinutes"] = .integer(Int64(minutes))
    }
    return fields
  }
}

extension CheckIn {
  /// One line for people.
  fileprivate func line(_ zone: ZoneRules) -> String {
    "\(zone.clock(createdAt))  \(id.padded(to: 20))  "
      + [emotion, colorHex].filter { !$0.isEmpty }.map(\.printable).joined(separator: ", ")
  }
}
