import Commands
import DrawingServices
import Glibc
import JSON
import Journal
import Storage

// Shared code of the verbs that write and show documents.

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
          json.key("deleted")
          json.value(existed)
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
  /// page.
  func print(
    _ documents: [Document], _ cursor: Query.Cursor?, as name: String, _ console: inout Console,
    line: (Document) -> String
  ) throws {
    if printsJSON {
      return try console.print { json in
        json.object { json in
          json.key(name)
          json.list { json in for document in documents { json.value(document) } }
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
      json.key("id")
      json.value(document.id)
      json.key("applied")
      json.value(applied)
      for (name, value) in document.fields.all where name != "id" && name != "applied" {
        json.key(name)
        value.write(to: &json)
      }
    }
  }
}
