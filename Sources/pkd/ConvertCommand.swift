import Interchange
import PKDFormat
import PencilKitArchive
import Strokes

/// `pkd convert`: converts ink from one format to another.
let convertCommand = CommandDefinition(
  name: "convert",
  summary: "Write ink in another format.",
  operands: "IN OUT",
  operandCount: 2...2,
  options: [
    Option(
      "from", choices: DrawingFile.Format.allCases.map(\.rawValue),
      help: "Read the input as this format; detected from its content unless given."),
    Option(
      "to", choices: DrawingFile.Format.allCases.filter(\.isWritten).map(\.rawValue),
      help: "Write this format; chosen by the output's ending unless given."),
    Option(
      "profile", choices: PKDProfile.allCases.map(\.name),
      help: "How exactly a .pkd stores points; that of a .pkd input, else exact, unless given."),
    Option(
      "ink-only",
      help: "Leave out stroke identifiers and archive data besides the ink (.pkd)."),
    Option("salvage", help: "Convert the readable part of a damaged recording."),
  ],
  examples: [
    ("pkd convert page.drawing page.pkd", "Store a PencilKit archive in about half the bytes."),
    ("pkd convert page.pkd again.drawing", "And back, byte for byte if nothing was changed."),
    ("pkd convert page.drawing page.json", "As JSON, with every value."),
    ("pkd convert page.pkd page.ndjson", "The middle lines, as Quick, Draw! has them."),
    ("pkd convert --profile compact --ink-only page.drawing small.pkd", "As small as possible."),
    ("pkd convert --to json page.drawing - | less", "JSON on the standard output."),
  ]
) { arguments, console in
  let (input, output) = (arguments.operands[0], arguments.operands[1])
  func format(_ option: String) -> DrawingFile.Format? {
    arguments.options[option].flatMap(DrawingFile.Format.init(rawValue:))
  }
  guard let target = format("to") ?? DrawingFile.Format(fileName: output.description) else {
    let endings = DrawingFile.Format.allCases.filter(\.isWritten).flatMap(\.fileExtensions).map { "." + $0 }
    throw convertCommand.error(
      "the format of '\(output)' is unknown; end it with \(endings.joined(separator: ", ")) "
        + "or give --to")
  }
  for option in ["profile", "ink-only"] where arguments.has(option) && target != .pkd {
    throw convertCommand.error("--\(option) is for .pkd files, not for \(target.rawValue)")
  }
  guard [.json, .events, .quickDraw].contains(target) || !output.isTerminal else {
    throw convertCommand.error(
      "a terminal cannot show .\(target.fileExtensions[0]) files; name a file, or redirect the output"
    )
  }
  guard let (bytes, file) = console.open(input, as: format("from")) else { return }
  let contents = file.everything()
  let (drawing, damage) = (contents.drawing, contents.damage)
  // The user may delete the original after a conversion, so nothing is omitted unless requested.
  if !damage.isEmpty, !arguments.has("salvage") {
    for damage in damage { console.fail("\(input): \(damage)", .badData) }
    return console.fail(
      "\(input): nothing was written; \(drawing.strokes.count) strokes can be read: "
        + "'pkd repair' writes them as an intact file, --salvage converts them", .badData)
  }
  for damage in damage { console.warn("\(input): \(damage)") }
  if file.recordingFacts?.isFinished == false, damage.isEmpty {
    console.note("\(input): the recording is not finished; everything in it is converted")
  }
  let result: [UInt8]
  if target == .pkd {
    let profile = PKDProfile.allCases.first { $0.name == arguments.options["profile"] }
    result = try contents.encodeRecording(
      options: PKDWriter.Options(
        profile: profile ?? file.recordingFacts?.profile ?? .exact,
        inkOnly: arguments.has("ink-only")))
  } else {
    result = try contents.encode(as: target)
  }
  if target == .pencilKit {
    for loss in PencilKitWriter.losses(of: drawing) { console.warn("\(input): \(loss)") }
  }
  try writeFile(result, to: output)
  if console.isVerbose {
    console.note(
      "\(input) (\(file.format.rawValue), \(bytes.count) bytes) → \(output) "
        + "(\(target.rawValue), \(result.count) bytes), \(drawing.strokes.count) strokes")
  }
}
