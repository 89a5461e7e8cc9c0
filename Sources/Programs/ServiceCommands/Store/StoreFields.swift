import Commands
import DrawingServices
import Glibc
import JSON
import Journal
import Storage

// Shared code of the verbs that write and show documents.

/// A verb for documents of a kind: `add`, `list`, `get`, `update` and `delete`.
struct DocumentVerb {
  let kind: DocumentKind
  /// The member with the documents in the JSON of a list; nil if the JSON is the list alone.
  let listName: String?
  var pageSize = CollectionService.pageSize
  /// The fields that the options give for a document.
  let fields: (_ id: String) throws -> Fields
  /// The fields of a new document at a moment, from the given ones.
  let complete: (Fields, _ now: Moment) throws -> Fields
  /// A document as a line for people.
  let line: (Document, ZoneRules) -> String

  /// Carries out the words of the command. Returns false for words that it does not know.
  func run(_ words: [String], _ session: StoreSession, _ console: inout Console) throws -> Bool {
    let environment = try session.environment(toDo: words[0])
    let service = CollectionService(kind, in: environment, as: session.caller)
    // The path of documents with their owner in a field has no user.
    let isOfUser = kind.owner == .user
    func owner() throws -> String { try isOfUser ? session.uid() : "" }
    func given(_ id: String) throws -> Fields {
      let folder = try isOfUser ? "users/\(session.uid())/" : ""
      return try fields(id).merging(session.givenFields(for: "\(folder)\(kind.name)/\(id)"))
    }
    switch (words[0], words.count) {
    case ("add", 1):
      let option = session.arguments.options["id"]
      let id = option ?? environment.newID()
      let fields = try complete(given(id), environment.now())
      let isNamed = option == nil && kind.idField.map { fields[$0] != nil } ?? false
      let document = try service.create(fields, of: owner(), id: isNamed ? nil : id)
      if session.printsJSON {
        try console.print { $0.value(document) }
      } else {
        try console.print(document.id)
      }
    case ("list", 1):
      let zone = try session.zone()
      let (from, to) = (try session.moment("from"), try session.moment("to"))
      let standard = from == nil && to == nil ? pageSize : nil
      let page = try service.page(
        of: session.uid(), from: from, to: to,
        limit: session.arguments.whole("limit") ?? standard, after: session.cursor())
      try session.print(page.documents, page.cursor, as: listName, &console) { line($0, zone) }
    case ("get", 2): try session.print(service.document(words[1], of: owner()), &console)
    case ("update", 2):
      let changes = try given(words[1])
      guard changes.count > 0 else { throw session.error("give at least one field to change") }
      try session.print(service.update(words[1], of: owner(), changes), &console)
    case ("delete", 2):
      try session.print(deleted: words[1], service.delete(words[1], of: owner()), &console)
    default: return false
    }
    return true
  }
}

extension Option {
  static let fields = Option(
    "fields", value: "JSON", help: "More fields: JSON, a JSON file, or - for standard input.")
  static let updated = date(
    "updated", "When it was changed; now unless given. A newer stored version stays.")
}

extension StoreSession {
  /// The maximum size of JSON input, 8 MiB: more than the JSON of any valid document.
  private static let maximumJSONByteCount = 8 << 20

  /// JSON from the command line, a file or the standard input.
  func json(_ word: SystemString) throws -> [UInt8] {
    let first = word.bytes.first { ![9, 10, 13, 32].contains($0) }
    if first == UInt8(ascii: "{") { return word.bytes }
    return try withReader(word) { read in
      var bytes: [UInt8] = []
      while true {
        let piece = try read(1 << 16)
        if piece.isEmpty { return bytes }
        bytes += piece
        guard bytes.count <= Self.maximumJSONByteCount else {
          throw ServiceError.tooLarge(file: word.description, limit: Self.maximumJSONByteCount)
        }
      }
    }
  }

  /// The fields of `--fields`, for a document at a path; none if it was not given.
  func givenFields(for path: String) throws -> Fields {
    guard let word = arguments.words[Option.fields.name] else { return Fields() }
    return try Application.journal.fields(try json(word), for: try DocumentPath(path))
  }

  /// Text fields from given options; `names` maps options to fields.
  func texts(_ names: KeyValuePairs<String, String>) -> Fields {
    Fields(
      names.compactMap { option, field in
        arguments.options[option].map { (field, FieldValue.text($0)) }
      })
  }

  /// All values of a repeatable option; nil if it was not given.
  func list(_ option: String) -> FieldValue? {
    arguments.values[option].map { .list($0.map { .text($0) }) }
  }

  /// Minutes east of Greenwich at a moment: from `--offset`, from `--time-zone`, or from the time
  /// zone of the machine.
  func offset(at moment: Moment) throws -> Int {
    if let minutes = arguments.whole("offset") { return minutes }
    if arguments.has(Option.zone.name) { return Int(try zone().offset(at: moment)) / 60 }
    var (time, parts) = (time_t(moment.microseconds / 1_000_000), tm())
    guard localtime_r(&time, &parts) != nil else { return 0 }
    return parts.tm_gmtoff / 60
  }

  /// Prints the result of an update.
  func print(_ update: Updated<Document>, _ console: inout Console) throws {
    if printsJSON {
      return try console.print { $0.value(update.value, applied: update.isApplied) }
    }
    if update.isApplied { return try console.print(update.value.id) }
    console.note("\(update.value.id): not changed, as the stored version is newer")
  }

  /// Prints the result of a deletion; a missing document is a failure.
  func print(deleted id: String, _ existed: Bool, _ console: inout Console) throws {
    if printsJSON {
      try console.print { json in
        json.object { json in
          json.field("id", id)
          json.field("deleted", existed)
        }
      }
    } else if existed {
      try console.print("deleted \(id.printable)")
    }
    if !existed { console.fail("\(id): not found", .failed) }
  }

  /// Prints a document, one line per field.
  func print(_ document: Document, _ console: inout Console) throws {
    if printsJSON { return try console.print { $0.value(document) } }
    let width = document.fields.all.map(\.0.count).max() ?? 0
    for (name, value) in document.fields.all {
      try console.print("\(name.printable.padded(to: width))  \(value.line)")
    }
  }

  /// Prints documents, one line each or as a list in a JSON object, and the cursor of the next
  /// page. Without the name of a member the JSON is the list alone, and the cursor a note.
  func print(
    _ documents: [Document], _ cursor: Query.Cursor?, as name: String?, _ console: inout Console,
    line: (Document) -> String
  ) throws {
    if name == nil, printsJSON {
      if let cursor { console.note("more: --after \(cursor)") }
      return try console.print { json in
        json.list { json in for document in documents { json.value(document) } }
      }
    }
    if let name, printsJSON {
      return try console.print { json in
        json.object { json in
          json.list(name, documents) { $0.value($1) }
          json.field("cursor", cursor?.description)
        }
      }
    }
    for document in documents { try console.print(line(document)) }
    if let cursor { console.note("more: --after \(cursor)") }
  }

  /// The catalogue for an export, if it or one of its collections was requested.
  func catalogue(_ environment: ServiceEnvironment) throws -> [Document] {
    let kinds = CatalogueService.Kind.allCases.map(\.rawValue)
    guard arguments.has("catalogue") || kinds.contains(arguments.options["collection"] ?? "")
    else { return [] }
    let service = CatalogueService(environment, as: caller)
    return try service.growthMethods() + service.educationalResources()
  }
}

extension FieldValue {
  /// The value as one line for people.
  var line: String {
    if case .text(let text) = self { return text.printable }
    if case .moment(let moment) = self { return moment.iso8601 }
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self).printable
  }
}

extension JSONWriter {
  /// A document as an object of its id, whether the update was applied, and its fields.
  mutating func value(_ document: Document, applied: Bool) {
    object { json in
      json.field("id", document.id)
      json.field("applied", applied)
      for (name, value) in document.fields.all where name != "id" && name != "applied" {
        json.key(name)
        value.write(to: &json)
      }
    }
  }
}
