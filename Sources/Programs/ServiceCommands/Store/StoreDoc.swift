import Commands
import DrawingServices
import Glibc
import JSON
import Journal
import Storage

let storeDoc = CommandDefinition.storeVerb(
  "doc", "Get, set, list and delete any document, through the access rules.",
  operands: "get|set|list|delete PATH [JSON]", count: 2...3,
  [
    Option("merge", help: "Overwrite the given fields; the others stay."), .limit,
    .after,
  ],
  examples: [
    ("pkd store doc get users/ann --as ann", "Its fields as JSON."),
    ("pkd store doc set users/ann '{\"userName\": \"Ann\"}'", "Replaces all its fields."),
    ("pkd store doc set users/ann ann.json", "From a file; from standard input without one."),
    ("pkd store doc list users/ann/moodEntries --limit 50", "One line each, sorted by name."),
    ("pkd store doc delete users/bob --as ann", "Not allowed: it belongs to another user."),
  ]
) { session, console in
  let words = session.arguments.operands
  let (verb, path) = (words[0].description, words[1].description)
  let environment = try session.environment(toDo: verb)
  let service = DocumentService(environment, as: session.caller)
  switch (verb, words.count) {
  case ("get", 2):
    let document = try service.document(try DocumentPath(path))
    if session.printsJSON { return try console.print { $0.pathAndFields(document) } }
    try console.print { document.fields.write(to: &$0) }
  case ("set", 2...3):
    let path = try DocumentPath(path)
    guard words.count == 3 || isatty(STDIN_FILENO) == 0 else {
      throw session.error("give JSON, a JSON file, or - for standard input")
    }
    let json = try session.json(words.count == 3 ? words[2] : .standardStream)
    let update = try service.set(
      path, try Application.journal.fields(json, for: path), merges: session.arguments.has("merge"))
    if session.printsJSON {
      return try console.print { $0.pathAndFields(update.value, applied: update.isApplied) }
    }
    if !update.isApplied { console.note("\(path): not changed, as the stored version is newer") }
  case ("list", 2):
    let page = try service.page(
      try CollectionPath(path), limit: session.arguments.whole("limit") ?? DocumentService.pageSize,
      after: session.cursor())
    if session.printsJSON {
      return try console.print { json in
        json.object { json in
          json.list("documents", page.documents) { json, document in json.pathAndFields(document) }
          json.field("cursor", page.cursor?.description)
        }
      }
    }
    for document in page.documents {
      try console.print("\(document.path)  \(FieldValue.map(document.fields).line)")
    }
    if let cursor = page.cursor { console.note("more: --after \(cursor)") }
  case ("delete", 2):
    let path = try DocumentPath(path)
    let existed = try service.delete(path)
    if session.printsJSON {
      try console.print { json in
        json.object { json in
          json.field("path", path.description)
          json.field("deleted", existed)
        }
      }
    } else if existed {
      try console.print("deleted \(path)")
    }
    if !existed { console.fail("\(path): not found", .failed) }
  default:
    throw session.error("doc takes get, list or delete and a path, or set, a path and JSON")
  }
}

extension JSONWriter {
  /// A document as an object of path and fields, like in exports.
  fileprivate mutating func pathAndFields(_ document: Document, applied: Bool? = nil) {
    object { json in
      json.field("path", document.path.description)
      if let applied {
        json.field("applied", applied)
      }
      json.key("fields")
      document.fields.write(to: &json)
    }
  }
}
