import InkFiles
import Glibc
import ForeignInk
import PKDFormat
import PencilKitArchive
import Strokes
import System

/// `pkd repair`: writes the readable part of a damaged file as an intact one.
let repairCommand = CommandDefinition(
  name: "repair",
  summary: "Write the readable part of a damaged recording as an intact one.",
  operands: "IN OUT | IN… -o FOLDER/",
  operandCount: 1...Int.max,
  options: [
    Option("output", letter: "o", value: "DIR/", help: "A folder for several outputs."),
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.pkd."),
    .force("Replace existing files."),
  ] + InputFiles.options,
  examples: [
    ("pkd repair damaged.pkd rescued.pkd", "Repair a recording that was cut off or damaged."),
    ("pkd repair --force page.pkd page.pkd", "In place: the name is given twice."),
    ("pkd repair *.pkd -o repaired/", "Several, into a folder."),
  ]
) { arguments, console in
  Interruption.endProgram()
  let mayReplace = arguments.has("force")
  guard let given = arguments.words["output"] else {
    guard arguments.operands.count == 2, !arguments.has("files-from") else {
      throw repairCommand.error("repair needs IN OUT, or -o FOLDER/ for several inputs")
    }
    return try repair(
      arguments.operands[0], to: arguments.operands[1], mayReplace: mayReplace, &console)
  }
  let inputs = try InputFiles(
    arguments, of: "repair", formats: [.pkd], output: given, &console
  ).files
  let names = try OutputNames(
    of: inputs, given: given, withFolders: arguments.has("with-folders"), ending: "pkd",
    command: "repair")
  try names.makeFolders()
  for pair in names.pairs {
    do {
      try repair(pair.input, to: pair.output, mayReplace: mayReplace, &console)
    } catch let error as SystemError {
      try console.fail(error)
    }
  }
}

/// Repairs a file.
private func repair(
  _ input: SystemString, to output: SystemString, mayReplace: Bool, _ console: inout Console
) throws {
  guard input == output || input == .standardStream || !isSameFile(input, output) else {
    throw repairCommand.error(
      "'\(output)' leads to '\(input)' itself; give the same name twice to replace it")
  }
  guard !output.isTerminal else {
    throw repairCommand.error(
      "a terminal cannot show recordings; name a file, or redirect the output")
  }
  let bytes = try readFile(input)
  if let picture = PictureFormat(recognizing: bytes) {
    return console.fail("\(input): \(DrawingFileError.picture(picture))", .badData)
  }
  guard try mayReplace || !OutputTarget(output).fileExists else {
    throw SystemError(alreadyExists: output)
  }
  guard DrawingFile.Format(recognizing: bytes) == .pkd else {
    return console.fail("\(input): not a .pkd recording; only those can be repaired", .badData)
  }
  let verification: PKDVerification
  do throws(PKDError) {
    verification = try PKDVerification(bytes)
  } catch {
    return console.fail("\(input): nothing can be recovered: \(error)", .badData)
  }
  var fits = true
  let repair = try verification.repaired { drawing in
    fits = drawing.hasIntactResidue
    return fits
  }
  let amount = verification.recoverable
  for problem in verification.problems { console.warn("\(input): \(problem)") }
  guard amount.strokes > 0 || verification.original == amount else {
    return console.fail("\(input): nothing can be recovered", .badData)
  }
  try writeFile(repair.bytes, to: output, mayReplace: mayReplace)
  if !fits { console.warn("\(input): \(DrawingFileError.foreignArchive); it was left out") }
  if verification.lacksEvents { console.warn("\(input): \(DrawingFileError.lostEvents)") }
  for chunk in repair.droppedChunks {
    console.warn("\(input): the chunk \(chunk) depends on what was lost; it was left out")
  }
  if repair.bytes == bytes {
    console.note("\(input) is intact; \(output) is a copy")
  } else if verification.original == amount, !verification.lacksEvents {
    console.note("\(output): \(amount.text), nothing was lost")
  } else {
    let whole = verification.original.map { $0 == amount ? amount.text : amount.text(of: $0) }
    console.warn("\(output): \(whole ?? "\(amount.text); the original number is unknown")")
  }
}

/// Whether two names lead to one file.
func isSameFile(_ a: SystemString, _ b: SystemString) -> Bool {
  var (first, second) = (stat(), stat())
  guard stat(a.cString, &first) == 0, stat(b.cString, &second) == 0 else { return false }
  return first.isSameFile(as: second)
}
