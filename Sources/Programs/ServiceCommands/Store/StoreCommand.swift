import SharedStorage
import Commands
import DrawingServices
import JSON
import Journal
import Storage

/// `pkd store`: a drawing service, in a folder or in stores that several machines share. Each verb
/// is a command whose name consists of both words.
let storeVerbs = [
  storeInit, storeSettings, storeSeed, storeSubmit, storeList, storeGet, storeUpdate, storeDelete,
  storeSearch, storeIndex, storeGallery, storeCards, storeCheckIn, storeMood, storeLog,
  storeProfile, storeCatalogue, storeDoc, storeMembers, storeInvite, storeRemoveMember,
  storeRerender, storeAdopt, storeSweep, storeVerify, storeExport, storeDeliver,
  storeStats, storeBackup, storeRestore,
]

/// The text of `pkd store` and `pkd store --help`.
let storeOverview = """
  \(ServiceWord.store.summary)

  Usage: pkd store VERB … [--root DIR] [options]

  Examples:
    pkd store submit page.drawing --uid ann
        Store a drawing with image and thumbnail; prints its id.
    pkd store gallery --uid ann --time-zone Asia/Taipei --lang zh-TW
        The drawings of the last 90 days, one section per day.
    pkd store adopt downloads/bucket
        Import users/UID/drawings/ID/recording.pkd below a folder.
    pkd store verify --repair
        Verify every byte, and repair what can be repaired.

  Verbs:
  \(storeVerbs.map { verb in
    listed(verb.name.dropFirst("store ".count).description.padded(to: 13), verb.summary)
  }.joined(separator: "\n"))

  'pkd store VERB --help' has details. The folder is ./pentimento-data unless
  --root names another one: then give --root with every command. --uid names the
  user whose data is meant. --as UID acts as that user, through the access rules;
  without it you are the operator, who may do everything.
  """

extension Option {
  static let root = Option(
    "root", value: "DIR", help: "The service's folder; ./pentimento-data unless given.")
  static let uid = Option("uid", value: "U", help: "The user whose data is meant.")
  static let asUser = Option(
    "as", value: "U",
    help: "Act as this user, through the access rules; '' for a caller who is not signed in.")
  static let zone = Option(
    "time-zone", value: "ZONE", help: "The viewer's zone: Asia/Taipei, +08:00; else the service's.")
  static let limit = Option(
    "limit", value: "N", form: .whole(1...), help: "Maximum number of results.")
  static let after = Option(
    "after", value: "CURSOR",
    form: ValueForm("the cursor of an earlier page") { Query.Cursor($0) != nil },
    help: "Continue after the previous page.")
  static let from = date("from", "From this day or moment on.")
  static let to = date("to", "Up to this day or moment, not included.")

  /// An option whose value is a day or a moment.
  static func date(_ name: String, _ help: String) -> Option {
    Option(
      name, value: "DATE",
      form: ValueForm("2026-11-22 or 2026-11-22T08:30:00+08:00") {
        Moment(iso8601: $0) != nil || LocalDay($0) != nil
      },
      help: help)
  }

  /// Minutes east of Greenwich.
  static func offset(_ help: String) -> Option {
    Option("offset", value: "MINUTES", form: .whole(-720...840), help: help)
  }
}

extension CommandDefinition {
  /// A verb of `pkd store`, with the options that all verbs have.
  static func storeVerb(
    _ verb: String, _ summary: String, operands: String = "", count: ClosedRange<Int> = 0...0,
    _ options: [Option] = [], examples: [(line: String, meaning: String)],
    _ run: @escaping @Sendable (StoreSession, inout Console) throws -> Void
  ) -> CommandDefinition {
    CommandDefinition(
      name: "store \(verb)", summary: summary, operands: operands, operandCount: count,
      options: [.root, .documents, .blobs, .uid, .asUser, .json] + options, examples: examples
    ) { arguments, console in
      let place: ServicePlace
      do throws(ServicePlaceError) {
        place = try arguments.servicePlace()
      } catch {
        throw UsageError(message: "\(error)", command: "store \(verb)")
      }
      let session = StoreSession(arguments, place: place, verb: verb)
      do {
        try run(session, &console)
        // Reports damaged documents that lists have skipped.
        for error in session.damage.all { console.fail("\(error)", .badData) }
      } catch {
        guard let code = storeExitCode(of: error) else { throw error }
        if code == .usage { throw UsageError(message: "\(error)", command: "store \(verb)") }
        console.fail("\(error)", code)
      }
    }
  }
}

/// The exit code for an error of the service; nil for other errors.
func storeExitCode(of error: any Error) -> ExitCode? {
  switch error {
  case is AccessRefusal: return .notAllowed
  case is FieldError: return .badData
  case let error as ServiceError:
    switch error {
    case .badRequest, .unknownTimeZone, .noService: return .usage
    default: return .badData
    }
  case let error as StorageError:
    switch error.problem {
    case .badPath, .badValue: return .usage
    case .damaged: return .badData
    default: return .failed
    }
  default: return nil
  }
}

/// One run of a verb: arguments, caller and folder.
struct StoreSession {
  let arguments: Arguments
  /// The damaged documents that lists have skipped.
  let damage = DamageList()
  let place: ServicePlace
  private let command: String

  init(_ arguments: Arguments, place: ServicePlace, verb: String) {
    (self.arguments, self.place) = (arguments, place)
    command = "store \(verb)"
  }

  func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }

  /// Throws unless the caller is the operator.
  func requireOperator(to act: String) throws(UsageError) {
    guard caller == .operator else {
      throw error("only the operator can \(act); leave out --as")
    }
  }

  /// The folder of the service.
  var root: String { place.root }
  var printsJSON: Bool { arguments.has(Option.json.name) }

  var caller: Caller {
    guard let uid = arguments.options[Option.asUser.name] else { return .operator }
    return uid.isEmpty ? .anonymous : .user(UserName.meant(by: uid))
  }

  /// Throws unless the whole service is stored in its folder.
  func requireFolder(to act: String) throws(UsageError) {
    guard place.isFolder else {
      throw error("only a folder can be \(act); 'pkd migrate' copies a service to and from one")
    }
  }

  /// Opens the service.
  func environment(for purpose: LocalService.Purpose) throws -> ServiceEnvironment {
    try place.open(.journal, for: purpose) { [damage] in damage.add($0) }
  }

  /// Opens the service for an action: some only read, some may create the service.
  func environment(toDo action: String) throws -> ServiceEnvironment {
    switch action {
    case "get", "list", "chart", "planets": try environment(for: .reading)
    case "add", "set", "put": try environment(for: .creating)
    default: try environment(for: .writing)
    }
  }

  /// The settings of the service in the folder.
  private func settings() throws -> ServiceSettings { try LocalService.settings(.journal, root) }

  /// The user to work on: `--uid`, or the caller.
  func uid() throws(UsageError) -> String {
    if let uid = arguments.options[Option.uid.name] { return UserName.meant(by: uid) }
    if case .user(let uid) = caller { return uid }
    throw error("give --uid U, the user whose data is meant")
  }

  func cursor() -> Query.Cursor? {
    arguments.options[Option.after.name].flatMap { Query.Cursor($0) }
  }

  /// The time zone of the viewer: `--time-zone`, or the setting of the service.
  func zone() throws -> ZoneRules {
    try ZoneRules(named: arguments.options[Option.zone.name] ?? settings().timeZone)
  }

  /// The language of the viewer: `--lang`, or the setting of the service.
  func language() throws -> Language {
    try arguments.options["lang"].flatMap(Language.init(rawValue:)) ?? settings().language
  }

  /// A moment, or the start of a day in the time zone of the viewer.
  func moment(_ name: String) throws -> Moment? {
    guard let text = arguments.options[name] else { return nil }
    if let moment = Moment(iso8601: text) { return moment }
    return try LocalDay(text).map { try zone().start(of: $0) }
  }
}

/// The errors of damaged documents that lists have skipped. Only used on one thread.
final class DamageList: @unchecked Sendable {
  private(set) var all: [StorageError] = []

  /// Adds an error once.
  func add(_ error: StorageError) {
    if !all.contains(error) { all.append(error) }
  }
}

extension Console {
  /// Prints the JSON that a body writes.
  func print(_ body: (inout JSONWriter) -> Void) throws(SystemError) {
    var json = JSONWriter()
    body(&json)
    try printAlways(String(decoding: json.bytes, as: UTF8.self))
  }

  /// Prints JSON while a body writes it: what is written, each time the body calls the function
  /// that it gets.
  func printInParts(
    _ body: (inout JSONWriter, _ printPart: (inout JSONWriter) throws -> Void) throws -> Void
  ) throws {
    var json = JSONWriter()
    try body(&json) { try printPart(String(decoding: $0.takeBytes(), as: UTF8.self)) }
    try printAlways(String(decoding: json.takeBytes(), as: UTF8.self))
  }
}

extension JSONWriter {
  /// A document as an object of its id and its fields.
  mutating func value(_ document: Document) {
    object { json in
      json.field("id", document.id)
      for (name, value) in document.fields.all where name != "id" {
        json.key(name)
        value.write(to: &json)
      }
    }
  }
}
