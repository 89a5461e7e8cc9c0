import InkFiles
import Glibc
import Graphics
import ForeignInk
import JSON
import PKDFormat
import Strokes

/// `pkd index`: words in recordings, recognized by any program.
let indexCommand = CommandDefinition(
  name: "index",
  summary: "Store the words in recordings that another program recognizes.",
  operands: "FILE…",
  operandCount: 1...Int.max,
  options: Recognizer.options + [
    Option("remove", help: "Remove the words instead."),
    Option("dry-run", help: "Only show the words, without storing them."), .json,
  ] + InputFiles.options,
  examples: [
    (
      "pkd index --recognizer 'tesseract - - tsv' page.pkd",
      "With Tesseract, whose table is understood."
    ),
    (
      "pkd index --recognizer ./mine --give inkml -r notes/",
      "With a program that takes ink and prints JSON."
    ),
    ("pkd index --recognizer ./mine --dry-run --json page.pkd", "Only show what it finds."),
    ("pkd index --remove page.pkd", "Without words again, byte for byte."),
  ]
) { arguments, console in
  let removes = arguments.has("remove")
  if removes {
    for option in Recognizer.options where arguments.has(option.name) {
      throw indexCommand.error("--remove and --\(option.name) exclude each other")
    }
  }
  let job = IndexJob(
    recognizer: removes ? nil : try Recognizer(arguments, of: "index"),
    isAgain: removes || arguments.has("again"), isDry: arguments.has("dry-run"),
    printsJSON: arguments.has(Option.json.name))
  let inputs = try InputFiles(arguments, of: "index", formats: [.pkd], &console).files
  Interruption.watch()
  for (number, input) in inputs.enumerated() {
    console.showProgress(number, of: inputs.count, input.path.description)
    try job.index(input, &console)
    if Interruption.isRequested { break }
  }
  console.endProgress()
  if Interruption.isRequested { console.raise(.interrupted) }
}

/// The indexing of files.
private struct IndexJob {
  /// Nil to remove words.
  let recognizer: Recognizer?
  let isAgain: Bool
  let isDry: Bool
  let printsJSON: Bool

  /// Recognizes the words in a file, and stores them in it. Reports failures.
  func index(_ input: InputFile, _ console: inout Console) throws {
    let path = input.path
    guard path != .standardStream else {
      return console.fail("words are stored in files, not in the standard input", .usage)
    }
    guard let (bytes, file) = console.open(path, InputOptions()) else { return }
    guard let reader = file.reader else {
      return console.fail(
        "\(path): only .pkd recordings hold words; 'pkd convert' makes one", .badData)
    }
    let contents = file.contents()
    guard reader.isFinished, contents.damage.isEmpty else {
      return console.fail(
        "\(path): \(contents.damage.first.map { "\($0)" } ?? "the recording is not finished")",
        .badData)
    }
    if !isAgain, contents.words != nil { return }
    let words: RecognizedText?
    do {
      words = try recognizer?.words(in: contents)
    } catch {
      return fail(path, error, .failed, &console)
    }
    if !isDry {
      do {
        guard let result = try reader.replacingWords(words) else { return }
        try replace(bytes, by: result, at: path)
      } catch {
        return fail(path, error, .badData, &console)
      }
    }
    try show(words, path, console)
  }

  /// Replaces a file if its bytes are still those that were read: another program may have changed
  /// it while the recognizer ran. The file is locked while it is compared and replaced.
  private func replace(
    _ former: [UInt8], by bytes: [UInt8], at path: SystemString
  ) throws(SystemError) {
    guard case .file(let target, .some) = try OutputTarget(path) else {
      throw SystemError(
        path.description, code: EINVAL, reason: "it is no file that can be replaced")
    }
    let replacement = try FileReplacement(target, for: path)
    guard try readFile(path) == former else {
      throw SystemError(
        path.description, code: EBUSY, reason: "it was changed while its words were recognized")
    }
    try replacement.file.write(bytes)
    try replacement.commit(isDurable: true)
  }

  /// Reports an error; a system error already contains the file's name.
  private func fail(
    _ path: SystemString, _ error: any Error, _ code: ExitCode, _ console: inout Console
  ) {
    if let error = error as? SystemError { return console.fail("\(error)", error.exitCode) }
    console.fail("\(path): \(error)", code)
  }

  private func show(
    _ words: RecognizedText?, _ path: SystemString, _ console: Console
  ) throws {
    guard let words else { return }
    if printsJSON {
      var json = JSONWriter()
      json.object { json in
        json.field("file", path.description)
        words.write(into: &json)
      }
      try console.printAlways(String(decoding: json.bytes, as: UTF8.self))
    } else {
      let text = isDry || console.isVerbose ? ": \(words.text)" : ""
      try console.print("\(path): \(words.words.count.counting("word"))\(text)".printable)
    }
  }
}

extension RecognizedText {
  /// Writes the keys of an object about these words.
  func write(into json: inout JSONWriter) {
    for (key, value) in [
      ("recognizer", recognizer), ("version", version), ("language", language),
    ] {
      json.field(key, value)
    }
    json.list("words", words) { json, word in
      json.object { json in
        json.field("text", word.text)
        json.key("box")
        json.list([word.box.minX, word.box.minY, word.box.width, word.box.height])
        json.list("strokes", word.strokes) { json, id in json.value("\(id)") }
      }
    }
  }
}
