import Interchange
import PKDFormat
import PencilKitArchive
import Strokes

/// `pkd convert`: converts ink from one format to another.
let convertCommand = CommandDefinition(
  name: "convert",
  summary: "Write ink in another format.",
  operands: "IN OUT | IN… -o FOLDER/",
  operandCount: 1...Int.max,
  options: [
    Option(
      "output", letter: "o", value: "OUT|DIR/",
      help: "The output's name, or a folder for all outputs."),
    Option(
      "to", choices: ConversionTarget.all.map(\.name),
      help: "Write this format; chosen by the output's ending unless given."),
    Option(
      "profile", choices: PKDProfile.allCases.map(\.name),
      help: "How exactly a .pkd stores points; that of a .pkd input, else exact, unless given."),
    Option(
      "ink-only",
      help: "Leave out stroke identifiers and archive data besides the ink (.pkd)."),
    Option("salvage", help: "Convert the readable part of a damaged recording."),
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.pkd."),
    .force("Replace existing files in a folder; not needed for a name that was given."),
  ] + InputOptions.table,
  examples: [
    ("pkd convert page.drawing page.pkd", "Store a PencilKit archive in about half the bytes."),
    ("pkd convert page.pkd again.drawing", "And back, byte for byte if nothing was changed."),
    ("pkd convert page.drawing page.json", "As JSON, with every value."),
    ("pkd convert --profile compact --ink-only page.drawing small.pkd", "As small as possible."),
    ("pkd convert --to json page.drawing - | less", "JSON on the standard output."),
    ("pkd convert notes.xopp *.rm --to pkd -o ink/", "Every page of every file."),
  ]
) { arguments, console in
  let job = try ConversionJob(arguments)
  for pair in try job.pairs() { try job.convert(pair, &console) }
}

/// A format that can be written.
struct ConversionTarget: Equatable {
  let format: DrawingFile.Format

  var name: String { format.rawValue }
  var fileExtensions: [String] { format.fileExtensions }
  var isText: Bool { format == .json }

  static let all = DrawingFile.Format.allCases.filter(\.isWritten).map { Self(format: $0) }

  /// The format of a file name's extension; nil for an unknown one or none.
  init?(fileName: String) {
    guard let format = DrawingFile.Format(fileName: fileName) else { return nil }
    self.format = format
  }

  private init(format: DrawingFile.Format) { self.format = format }
}

/// The conversion of files.
private struct ConversionJob {
  let arguments: Arguments
  let input: InputOptions
  let target: ConversionTarget
  /// The single output's name; nil for outputs in a folder.
  private let output: SystemString?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    input = try InputOptions(arguments, of: "convert")
    let operands = arguments.operands
    let given = arguments.words["output"]
    if given == nil {
      guard operands.count > 1 else { throw convertCommand.error("convert needs IN OUT") }
      guard operands.count == 2 else {
        throw convertCommand.error(
          "'\(operands[2])' is one argument too many; several inputs need -o FOLDER/")
      }
    }
    let name = given ?? operands[1]
    output = operands.count == (given == nil ? 2 : 1) && !name.isFolder ? name : nil
    let asked = arguments.options["to"].flatMap { name in
      ConversionTarget.all.first { $0.name == name }
    }
    let ending = output.flatMap { ConversionTarget(fileName: $0.description) }
    guard let target = asked ?? ending else {
      let endings = ConversionTarget.all.flatMap(\.fileExtensions).map { "." + $0 }
      throw convertCommand.error(
        output == nil
          ? "outputs in a folder need --to FORMAT"
          : "the format of '\(name)' is unknown; end it with \(endings.joined(separator: ", ")) "
            + "or give --to")
    }
    self.target = target
    for option in ["profile", "ink-only"] where arguments.has(option) && target.name != "pkd" {
      throw convertCommand.error("--\(option) is for .pkd files, not for \(target.name)")
    }
    guard target.isText || output?.isTerminal != true else {
      throw convertCommand.error(
        "a terminal cannot show .\(target.fileExtensions[0]) files; name a file, or redirect the output"
      )
    }
  }

  /// The inputs and their outputs.
  func pairs() throws -> [OutputNames.Pair] {
    let operands = arguments.operands
    if let output { return [.init(input: operands[0], output: output, isGiven: true)] }
    let folder = arguments.words["output"] ?? operands[1]
    let inputs = arguments.words["output"] == nil ? [operands[0]] : operands
    let names = try OutputNames(
      of: inputs, given: folder, withFolders: arguments.has("with-folders"),
      ending: target.fileExtensions[0], command: "convert")
    try makeFolder(folder.bytes.last == UInt8(ascii: "/") ? folder : folder + "/".utf8)
    return names.pairs
  }

  /// Converts a file: all pages into a folder, or one page to a name. Reports failures.
  func convert(_ pair: OutputNames.Pair, _ console: inout Console) throws {
    guard let (bytes, file) = console.open(pair.input, input) else { return }
    guard input.page == nil, file.pageCount > 1, !pair.isGiven else {
      console.noteOtherPages(of: file, pair.input, input)
      return try convert(file, pair, byteCount: bytes.count, &console)
    }
    for index in 0..<file.pageCount {
      guard let page = console.page(index, of: file, pair.input) else { continue }
      let numbered = pair.page(index, of: file.pageCount)
      try convert(page, numbered, byteCount: bytes.count, &console)
    }
  }

  private func convert(
    _ file: DrawingFile, _ pair: OutputNames.Pair, byteCount: Int, _ console: inout Console
  ) throws {
    let (input, output) = (pair.input, pair.output)
    if !pair.isGiven {
      guard input == .standardStream || !isSameFile(input, output) else {
        return console.fail("\(output): this is the drawing itself", .failed)
      }
      guard arguments.has("force") || !exists(output) else {
        return console.fail("\(SystemError(alreadyExists: output))", .failed)
      }
    }
    if !pair.isGiven, try console.writePicture(of: file, pair, mayReplace: arguments.has("force")) {
      return
    }
    let contents = file.everything()
    let (drawing, damage) = (contents.drawing, contents.damage)
    // The user may delete the original after a conversion, so nothing is omitted unless requested.
    if !damage.isEmpty, !arguments.has("salvage") {
      for damage in damage { console.fail("\(input): \(damage)", .badData) }
      let repair = file.format == .pkd ? "'pkd repair' writes them as an intact file, " : ""
      return console.fail(
        "\(input): nothing was written; \(drawing.strokes.count) strokes can be read: "
          + "\(repair)--salvage converts them", .badData)
    }
    for damage in damage { console.warn("\(input): \(damage)") }
    if file.recordingFacts?.isFinished == false, damage.isEmpty {
      console.note("\(input): the recording is not finished; everything in it is converted")
    }
    var notes = file.imported?.notes ?? ImportNotes()
    notes.add(file.page?.notes ?? ImportNotes())
    for note in notes.counts { console.note("\(input): \(note.text) (\(note.count))") }
    let result = try encode(contents, of: file)
    if target.format == .pencilKit {
      for loss in PencilKitWriter.losses(of: drawing) { console.warn("\(input): \(loss)") }
    }
    try writeFile(result, to: output)
    if console.isVerbose {
      console.note(
        "\(input) (\(file.format.rawValue), \(byteCount) bytes) → \(output) "
          + "(\(target.name), \(result.count) bytes), \(drawing.strokes.count) strokes")
    }
  }

  private func encode(
    _ contents: DrawingFile.Everything, of file: DrawingFile
  ) throws -> [UInt8] {
    guard target.format == .pkd else {
      return try DrawingFile.encode(
        [contents.page(named: file.page?.name ?? "")], as: target.format)
    }
    let profile = PKDProfile.allCases.first { $0.name == arguments.options["profile"] }
    return try contents.encodeRecording(
      options: PKDWriter.Options(
        profile: profile ?? file.recordingFacts?.profile ?? .exact,
        inkOnly: arguments.has("ink-only")))
  }
}
