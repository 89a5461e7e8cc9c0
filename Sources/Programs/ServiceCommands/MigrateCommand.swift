import SharedStorage
import Commands
import DrawingServices
import Glibc
import JSON
import Journal

/// `pkd migrate`: copies a service to other stores.
let migrateCommand = CommandDefinition(
  name: ServiceWord.migrate.rawValue,
  summary: ServiceWord.migrate.summary,
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
  let (from, to) = try arguments.migrationPlaces()
  do {
    let source = try from.open(.journal, for: .reading)
    let target = try to.open(.journal, for: .creating)
    var last = time(nil)
    let result = try Migration(from: source, to: target).run { [console] result in
      guard time(nil) - last >= 2, !arguments.has(Option.json.name) else { return }
      last = time(nil)
      console.note(result.line)
    }
    try LocalService.copySettings(.journal, from: from.root, to: to.root)
    if arguments.has(Option.json.name) {
      try console.print { result.write(to: &$0) }
    } else {
      try console.print(result.line)
    }
    for problem in result.problems { console.fail("\(problem)", .badData) }
  } catch {
    guard let code = storeExitCode(of: error) else { throw error }
    if code == .usage { throw migrateCommand.error("\(error)") }
    console.fail("\(error)", code)
  }
}

extension Arguments {
  fileprivate func migrationPlaces() throws(UsageError) -> (from: ServicePlace, to: ServicePlace) {
    guard let from = options["from"], let to = options["to"] else {
      throw migrateCommand.error("migrate needs --from and --to")
    }
    do throws(ServicePlaceError) {
      let places = (from: try ServicePlace(text: from), to: try ServicePlace(text: to))
      guard places.from != places.to else {
        throw ServicePlaceError("--from and --to are the same place")
      }
      // Nested stores would copy the copies again.
      guard !LocalService.areNested(places.from.root, places.to.root) else {
        throw ServicePlaceError("of --from and --to, one folder is inside the other")
      }
      return places
    } catch {
      throw migrateCommand.error("\(error)")
    }
  }
}

extension Migration.Result {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("files", files)
      json.field("bytes", bytes)
      json.field("documents", documents)
      json.field("deletions", deletions)
      json.field("known", known)
      json.list("problems", problems) { json, problem in json.value("\(problem)") }
    }
  }

  fileprivate var line: String {
    "\(files.counting("file")) with \(bytes.counting("byte")), \(documents.counting("document")) and"
      + " \(deletions.counting("deletion")) were copied; \(known) were there already"
  }
}
