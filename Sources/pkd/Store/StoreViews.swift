import DrawingServices
import Interchange
import Storage

private let language = Option(
  "lang", choices: Language.allCases.map(\.rawValue), help: "The viewer's language.")

let storeGallery = CommandDefinition.storeVerb(
  "gallery", "Show the drawings of the last 90 days, a section a day.",
  [.zone, language, .limit, .after],
  examples: [
    ("pkd store gallery --uid ann", "Newest first."),
    ("pkd store gallery --uid ann --time-zone Asia/Taipei --lang zh-TW", "As she sees it."),
  ]
) { session, console in
  let environment = try session.environment(for: .reading)
  let service = DrawingService(environment, as: session.caller)
  let zone = try session.zone(environment.settings)
  let language = session.language(environment.settings)
  let page = try service.gallery(
    of: try session.uid(), zone: zone, language: language,
    limit: try session.count("limit") ?? DrawingService.galleryPageSize,
    after: try session.cursor())
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("title", language.gallery)
        json.key("sections")
        json.list { json in
          for section in page.sections {
            json.object { json in
              json.field("title", section.title)
              json.field("day", section.day?.description)
              json.key("drawings")
              json.list { json in for drawing in section.drawings { json.value(drawing.document) } }
            }
          }
        }
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
    Option("checkins", value: "N", help: "How many check-ins; 7 unless given."),
    Option(
      "reading", choices: ["until-next", "within-day"],
      help: "How long a check-in holds drawings that belong to none."),
    .zone,
  ],
  examples: [("pkd store cards --uid ann --time-zone Europe/Berlin", "The last seven.")]
) { session, console in
  let environment = try session.environment(for: .reading)
  let service = DrawingService(environment, as: session.caller)
  let zone = try session.zone(environment.settings)
  let cards = try service.cards(
    of: try session.uid(), checkIns: try session.count("checkins") ?? 7, zone: zone,
    reading: session.arguments.options["reading"] == "within-day" ? .withinDay : .untilNextCheckIn)
  if session.printsJSON {
    return try console.print { json in
      json.list { json in
        for card in cards {
          json.object { json in
            json.field("date", card.date.iso8601)
            json.key("checkIn")
            if let checkIn = card.checkIn { json.value(checkIn.document) } else { json.null() }
            json.key("drawings")
            json.list { json in for drawing in card.drawings { json.value(drawing.document) } }
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
  "checkin", "Add, list and delete check-ins, or see a week and a day of them.",
  operands: "add|list|delete|chart|planets [ID]", count: 1...2,
  [
    Option("id", value: "ID", help: "The check-in's name; a new one unless given."),
    Option("emotion", value: "KEY", help: "An emotion such as joy."),
    Option("color", value: "#RRGGBB", help: "A colour."),
    Option("intensity", value: "F", help: "How strong, 0 to 1; 0.5 unless given."),
    Option("topic", value: "KEY", help: "What it is about."),
    Option("evaluation", value: "KEY", help: "How it is seen."),
    Option("journal", value: "TEXT", help: "What is to be said of it."),
    Option("date", value: "DATE", help: "When it was; now unless given."),
    Option("offset", value: "MINUTES", help: "How far east of Greenwich that was."),
    .zone, .limit, .from, .to,
  ],
  examples: [
    ("pkd store checkin add --uid ann --emotion joy --color '#FFD700'", "Prints its name."),
    ("pkd store checkin list --uid ann --limit 7", "The latest seven, newest first."),
    ("pkd store checkin chart --uid ann --time-zone Asia/Taipei", "The scores of her week."),
  ]
) { session, console in
  let words = session.arguments.operands.map(\.description)
  let uid = try session.uid()
  let purposes: [String: LocalHouse.Purpose] = ["add": .making, "delete": .writing]
  let environment = try session.environment(for: purposes[words[0]] ?? .reading)
  let service = CheckInService(environment, as: session.caller)
  let options = session.arguments.options
  switch (words[0], words.count) {
  case ("add", 1):
    var fields: Fields = [
      "emotion": .text(options["emotion"] ?? ""), "colorHex": .text(options["color"] ?? ""),
      "colorIntensity": .number(try session.number("intensity") ?? 0.5),
      "topic": .text(options["topic"] ?? ""), "evaluation": .text(options["evaluation"] ?? ""),
      "journal": options["journal"].map { .text($0) },
      "timezoneOffsetMinutes": .integer(Int64(try session.integer("offset") ?? 0)),
    ]
    if let date = try session.moment("date", environment.settings) {
      fields["createdAt"] = .moment(date)
    }
    let checkIn = try service.submit(fields, of: uid, id: options["id"])
    if session.printsJSON { return try console.print { $0.value(checkIn.document) } }
    try console.print(checkIn.id)
  case ("list", 1):
    let (from, to) = (
      try session.moment("from", environment.settings),
      try session.moment("to", environment.settings)
    )
    let checkIns =
      from == nil && to == nil
      ? try service.latest(try session.count("limit") ?? 7, of: uid)
      : try service.range(
        from: from ?? Moment.supported.lowerBound, to: to ?? Moment.supported.upperBound, of: uid)
    if session.printsJSON {
      return try console.print { json in
        json.list { json in for checkIn in checkIns { json.value(checkIn.document) } }
      }
    }
    let zone = try session.zone(environment.settings)
    for checkIn in checkIns { try console.print(checkIn.line(zone)) }
  case ("delete", 2):
    guard try service.delete(words[1], of: uid) else {
      return console.fail("\(words[1].printable): there is none", .failed)
    }
    try console.print("deleted \(words[1].printable)")
  case ("chart", 1):
    let points = try service.weekChart(
      of: uid, until: environment.now(), zone: try session.zone(environment.settings))
    if session.printsJSON {
      return try console.print { json in
        json.list { json in
          for point in points {
            json.object { json in
              json.field("id", point.checkIn.id)
              json.field("day", point.day.description)
              json.key("score")
              if let score = point.score { json.value(score) } else { json.null() }
            }
          }
        }
      }
    }
    for point in points {
      let bar = point.score.map { String(repeating: "█", count: $0) } ?? "–"
      try console.print("\(point.day)  \(bar.padded(to: 5))  \(point.checkIn.emotion.printable)")
    }
  case ("planets", 1):
    let planets = try service.planets(
      of: uid, at: environment.now(), zone: try session.zone(environment.settings))
    if session.printsJSON {
      return try console.print { json in
        json.list { json in for planet in planets { json.value(planet.document) } }
      }
    }
    let zone = try session.zone(environment.settings)
    for planet in planets { try console.print(planet.line(zone)) }
  default:
    throw session.error("checkin takes add, list, chart or planets, or delete and an ID")
  }
}

extension CheckIn {
  /// A line about it for people.
  fileprivate func line(_ zone: ZoneRules) -> String {
    "\(zone.clock(createdAt))  \(id.padded(to: 20))  "
      + [emotion, colorHex].filter { !$0.isEmpty }.map(\.printable).joined(separator: ", ")
  }
}
