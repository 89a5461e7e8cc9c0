import InkFiles
import Commands
import DrawingServer
import DrawingServices
import Glibc
import JSON
import Journal
import PKDFormat
import Storage
import Strokes
import Tokens

/// `pkd serve`: the service over HTTP.
let serveCommand = CommandDefinition(
  name: ServiceWord.serve.rawValue,
  summary: ServiceWord.serve.summary,
  operands: "",
  operandCount: 0...0,
  // `--threads` is an option of every command.
  options: ServerSetting.all.filter { $0.name != Option.threads.name }
    .map { Option($0.name, value: $0.value, help: $0.help) } + [
      Option("config", value: "FILE", help: "Settings in JSON, by the names of these options.")
    ],
  examples: [
    ("pkd serve --dev", "Try it: on this machine, without tokens, with a sample drawing."),
    ("pkd serve --root /srv/ink --listen 127.0.0.1:8080", "Behind nginx or caddy."),
    ("PENTIMENTO_LISTEN=127.0.0.1:9000 pkd serve", "Each option is also a variable."),
  ]
) { arguments, console in
  var settings = ServerSettings()
  // If a setting is given several times, the last value applies.
  for (setting, text, origin) in try ServerSetting.given(arguments) {
    guard setting.put(text, into: &settings) else {
      throw serveCommand.error(
        setting.form.map { "\(origin) needs \($0), not '\(text)'" }
          ?? "\(origin) cannot be '\(text)': \(setting.help)")
    }
  }
  do {
    try ServerRun(settings).carryOut {
      if settings.isDevelopment { try DevelopmentData.prepare(settings.root) }
    } _: { url in
      if let warning = ServerRun.warning { console.warn(warning) }
      try? console.printAlways(url)
    }
  } catch let problem as ServerProblem {
    console.fail("\(problem)", .usage)
  }
}

extension ServerSetting {
  /// The given settings with their origins: those of the file, then those of the environment, then
  /// options.
  fileprivate static func given(
    _ arguments: Arguments
  ) throws -> [(setting: ServerSetting, text: String, origin: String)] {
    var found: [(setting: ServerSetting, text: String, origin: String)] = []
    let named = Array(Console.variable("PENTIMENTO_CONFIG").utf8)
    if let path = arguments.words["config"] ?? (named.isEmpty ? nil : SystemString(bytes: named)) {
      for (name, text) in try file(path) {
        guard let setting = all.first(where: { $0.name == name }) else {
          throw SystemError(
            path.description, code: EINVAL, reason: "there is no setting '\(name)'",
            exitCode: .usage)
        }
        found.append((setting, text, "'\(name)' in \(path)"))
      }
    }
    for setting in all {
      let variable = Console.variable(setting.variable)
      if !variable.isEmpty { found.append((setting, variable, setting.variable)) }
      if let text = arguments.options[setting.name] {
        found.append((setting, setting.value == nil ? "true" : text, "--\(setting.name)"))
      }
    }
    return found
  }

  private static func file(_ path: SystemString) throws -> [(name: String, text: String)] {
    let bytes = try readFile(path, limit: 1 << 20)
    do throws(JSONError) {
      var values: [(name: String, text: String)] = []
      var reader = JSONReader(bytes)
      try reader.object { (name, reader) throws(JSONError) in
        switch reader.peek() {
        case UInt8(ascii: "\""): values.append((name, try reader.string()))
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
          let isTrue = reader.peek() == UInt8(ascii: "t")
          try reader.skip()
          values.append((name, String(isTrue)))
        default:
          let number = try reader.number()
          guard let whole = Int(exactly: number) else { throw reader.error("not a whole number") }
          values.append((name, String(whole)))
        }
      }
      try reader.end()
      return values
    } catch {
      throw SystemError(path.description, code: EINVAL, reason: "\(error)", exitCode: .badData)
    }
  }
}

/// `pkd token`: creates a token for a user of a service on this machine.
let tokenCommand = CommandDefinition(
  name: ServiceWord.token.rawValue,
  summary: ServiceWord.token.summary,
  operands: "",
  operandCount: 0...0,
  options: [
    .root, Option("uid", value: "U", help: "The user whom the token stands for."),
    Option(
      "hours", value: "N", form: .whole(1...87_600),
      help: "How long it is valid; 24 hours unless given."),
  ],
  examples: [("pkd token --uid ann", "Prints the token alone.")]
) { arguments, console in
  guard let uid = arguments.options["uid"] else { throw tokenCommand.error("token needs --uid U") }
  let hours = arguments.whole("hours") ?? 24
  let root = arguments.options["root"] ?? "./pentimento-data"
  do {
    // The server maps the subject of a token itself.
    try StorageName.check(UserName.meant(by: uid))
    guard !root.contains("://") else { throw tokenCommand.error("--root needs a folder") }
    guard LocalService.exists(root) || LocalService.hasServerKey(root) else {
      throw ServiceError.noService(root: root)
    }
    guard let secret = Secret(try LocalService.serverKey(root)) else { return }
    let now = Double(LocalService.systemTime().microseconds) / 1e6
    try console.printAlways(
      TokenIssuer(secret).token(for: uid, from: now, seconds: Double(hours) * 3600))
  } catch {
    guard let code = storeExitCode(of: error) else { throw error }
    if code == .usage { throw tokenCommand.error("\(error)") }
    console.fail("\(error)", code)
  }
}

/// Sample data of `pkd serve --dev` for a first try.
private enum DevelopmentData {
  /// Creates the service of a folder with the catalogue. If there is no drawing yet, adds drawings
  /// and check-ins of the user `dev`: a small built-in drawing, and those in the folder `Samples`
  /// of a checkout.
  static func prepare(_ root: String) throws {
    let environment = try LocalService.open(.journal, root, for: .creating)
    try CatalogueService(environment, as: .operator).seed()
    let drawings = DrawingService(environment, as: .user("dev"))
    guard try drawings.all(of: "dev", limit: 1).drawings.isEmpty else { return }
    let checkIns = CollectionService(.checkIns, in: environment, as: .user("dev"))
    let checkIn = try checkIns.create(
      [
        "emotion": "joy", "colorHex": "#FFD700", "colorIntensity": 0.5, "topic": "creative",
        "evaluation": "", "timezoneOffsetMinutes": 0,
      ], of: "dev", id: "sample")
    var submission = DrawingService.Submission(
      recording: try PKDWriter.encode(DemoDrawing.recording))
    submission.id = "sample"
    submission.promptUsed = DemoDrawing.recording.canvas.metadata["title"]
    submission.checkInID = checkIn.id
    try drawings.submit(submission, of: "dev")
    try submitSamples(environment, checkIns)
  }

  /// The day of each sample, as days before today, and its mood.
  private static let samples: [(name: String, days: Int64, emotion: String?, color: String)] = [
    ("mood", 0, "calm", "#6FA89A"), ("landscape", 1, "hope", "#86B04E"),
    ("handwriting", 1, nil, ""), ("minute", 3, "tired", "#8C8FA3"), ("erased", 8, nil, ""),
    ("inks", 8, nil, ""),
  ]

  private static func submitSamples(
    _ environment: ServiceEnvironment, _ checkIns: CollectionService
  ) throws {
    let now = environment.now()
    for (number, sample) in samples.enumerated() {
      // Unreadable samples are skipped, because they are optional.
      guard
        let bytes = try? readFile(
          SystemString(bytes: Array("Samples/\(sample.name).pkd".utf8)), limit: 1 << 20)
      else { continue }
      let moment = now - (sample.days * 86_400 + Int64(number) * 1_800)
      var submission = DrawingService.Submission(recording: bytes)
      submission.id = sample.name
      // Lets the gallery's search find them by their titles, in addition to their written words.
      submission.promptUsed = (try? DrawingFile(own: bytes))?.canvas.metadata["title"]
      submission.date = DrawingService.Submission.Date.at(moment)
      submission.rendersImageLater = true
      if let emotion = sample.emotion {
        submission.checkInID = try checkIns.create(
          [
            "emotion": .text(emotion), "colorHex": .text(sample.color), "colorIntensity": 0.7,
            "topic": "", "evaluation": "", "timezoneOffsetMinutes": 0,
            "createdAt": .moment(moment - 300),
          ], of: "dev", id: sample.name
        ).id
      }
      _ = try? DrawingService(environment, as: .user("dev")).submit(submission, of: "dev")
    }
  }
}
