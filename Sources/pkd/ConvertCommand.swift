import Interchange
import Strokes

/// `pkd convert`: ink from one format into another.
let convertCommand = CommandDefinition(
  name: "convert",
  summary: "Write ink in another format.",
  operands: "IN OUT",
  operandCount: 2...2,
  options: [
    Option(
      "from", choices: DrawingFile.Format.allCases.map(\.rawValue),
      help: "Take the input for this format instead of looking at its content."),
    Option(
      "to", choices: DrawingFile.Format.allCases.map(\.rawValue),
      help: "Write this format instead of the one that the output's name ends with."),
    Option("page", value: "N", help: "Take the N-th drawing of a file with several."),
  ],
  examples: [
    ("pkd convert recording.pkd page.json", "A PencilKit archive as JSON, every value of it."),
    ("pkd convert page.json page.drawing", "And back, byte for byte if nothing was changed."),
    ("pkd convert --to json page.drawing - | less", "JSON on the standard output."),
  ]
) { arguments, console in
  let (input, output) = (arguments.operands[0], arguments.operands[1])
  func format(_ option: String) -> DrawingFile.Format? {
    arguments.options[option].flatMap(DrawingFile.Format.init(rawValue:))
  }
  guard let target = format("to") ?? DrawingFile.Format(fileName: output.description) else {
    let endings = DrawingFile.Format.allCases.flatMap(\.fileExtensions).map { "." + $0 }
    throw convertCommand.error(
      "cannot tell the format of '\(output)'; end it with \(endings.joined(separator: ", ")) "
        + "or give --to")
  }
  var page = 1
  if let text = arguments.options["page"] {
    guard let number = Int(text), number > 0 else {
      throw convertCommand.error("--page needs a positive number, not '\(text)'")
    }
    page = number
  }
  guard let (bytes, file) = console.open(input, as: format("from")) else { return }
  guard page <= file.drawings.count else {
    return console.fail("\(input): there is no drawing \(page) of \(file.drawings.count)", .badData)
  }
  let drawing = file.drawings[page - 1]
  let result = DrawingFile.encode(drawing, as: target)
  try writeFile(result, to: output)
  if console.isVerbose {
    console.note(
      "\(input) (\(file.format.rawValue), \(bytes.count) bytes) → \(output) "
        + "(\(target.rawValue), \(result.count) bytes), \(drawing.strokes.count) strokes")
  }
}
