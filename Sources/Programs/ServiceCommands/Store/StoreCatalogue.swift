import Commands
import DrawingServices
import Journal
import Storage

let storeCatalogue = CommandDefinition.storeVerb(
  "catalogue", "Show growth methods and educational resources; operators change them.",
  operands: "list|get|put|delete [ID|JSON]", count: 1...2,
  [
    Option(
      "kind", choices: CatalogueService.Kind.allCases.map(\.rawValue), help: "Only this kind.")
  ],
  examples: [
    ("pkd store catalogue list --as ann", "What users see."),
    ("pkd store catalogue get breath-lines", "One entry."),
    (
      "pkd store catalogue put method.json",
      "With a methodId or a resourceId; '-' is the standard input."
    ),
  ]
) { session, console in
  let words = session.arguments.operands
  let id = words.count > 1 ? words[1].description : ""
  let verb = words[0].description
  let environment = try session.environment(toDo: verb)
  let service = CatalogueService(environment, as: session.caller)
  let kind = session.arguments.options["kind"].flatMap(CatalogueService.Kind.init(rawValue:))
  /// The kind of the entry with the given id.
  func kindOfEntry() throws -> CatalogueService.Kind {
    if let kind { return kind }
    let kinds = try CatalogueService.Kind.allCases.filter { kind in
      do {
        _ = try service.entry(id, kind)
        return true
      } catch let error as StorageError where error.problem == .notFound {
        return false
      }
    }
    guard kinds.count < 2 else {
      throw session.error("both kinds have '\(id.printable)'; give --kind")
    }
    return kinds.first ?? .growthMethods
  }
  switch (verb, words.count) {
  case ("list", 1):
    var entries: [Document] = []
    if kind != .educationalResources { entries += try service.growthMethods() }
    if kind != .growthMethods { entries += try service.educationalResources() }
    try session.print(entries, nil, as: "entries", &console) { entry in
      "\(entry.path.collection.name.description.padded(to: 20))  \(entry.id.padded(to: 20))  "
        + (entry["title"]?.line ?? "")
    }
  case ("get", 2): try session.print(try service.entry(id, try kindOfEntry()), &console)
  case ("put", 2):
    let entry = try service.put(try session.json(words[1]))
    if session.printsJSON { return try console.print { $0.value(entry) } }
    try console.print(entry.id)
  case ("delete", 2):
    try session.print(deleted: id, try service.delete(id, try kindOfEntry()), &console)
  default:
    throw session.error("catalogue takes list, or get or delete and an ID, or put and JSON")
  }
}
