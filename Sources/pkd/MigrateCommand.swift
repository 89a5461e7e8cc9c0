import JSON

/// `pkd migrate`: checks its options and becomes the program `pkd-migrate`.
let migrateCommand = CommandDefinition(
  name: "migrate",
  summary: "Copy a service to other stores: a folder, or a database and a bucket.",
  operands: "",
  operandCount: 0...0,
  options: [
    Option(
      "from", value: "PLACE",
      help: "Where it is: a folder; with a database and a bucket elsewhere DIR,postgres://…,s3://…."
    ),
    Option("to", value: "PLACE", help: "Where it goes; what is there already stays."),
    .json,
  ],
  examples: [
    (
      "pkd migrate --from ink --to shared,postgres://u@db/ink,s3://drawings",
      "Repeat it to copy what has changed since."
    )
  ]
) { arguments, console in
  guard let from = arguments.options["from"], let to = arguments.options["to"] else {
    throw migrateCommand.error("migrate needs --from and --to")
  }
  var json = JSONWriter()
  json.object { json in
    json.field("from", from)
    json.field("to", to)
    json.field("json", arguments.has(Option.json.name))
    json.field("quiet", arguments.has(Option.quiet.name))
  }
  throw SecondProgram.become("pkd-migrate", with: json.bytes)
}
