import Animation
import Glibc
import PKDFormat

/// `pkd web`: writes the files for web pages that show drawings and draw.
let webCommand = CommandDefinition(
  name: "web",
  summary: "Write the elements that replay and draw in your own web pages.",
  operands: "DIR",
  operandCount: 1...1,
  options: [
    Option("player", help: "Only the element that replays, with its small engine."),
    .force("Replace existing files."),
  ],
  examples: [
    ("pkd web site", "Write the elements with their engines, a sample and two example pages."),
    ("pkd replay page.pkd -o page.html", "One page with everything in it, instead."),
  ]
) { arguments, console in
  let folder = arguments.operands[0]
  // An empty name would mean the root folder.
  guard folder != .standardStream, !folder.bytes.isEmpty else {
    throw webCommand.error("DIR must be a folder")
  }
  Interruption.endProgram()
  let slash = [UInt8(ascii: "/")]
  try makeFolder(SystemString(bytes: folder.bytes + slash))
  let sample: [UInt8]
  do throws(PKDContentError) {
    sample = try PKDWriter.encode(DemoDrawing.recording)
  } catch {
    return console.fail("\(error)", .failed)
  }
  let files =
    try WebElement.playerFiles + [(name: "sample.pkd", bytes: sample)]
    + (arguments.has("player") ? [] : WebElement.canvasFiles)
  let paths = files.map { SystemString(bytes: folder.bytes + slash + Array($0.name.utf8)) }
  if !arguments.has("force"), let path = paths.first(where: exists) {
    throw SystemError(alreadyExists: path)
  }
  for (path, file) in zip(paths, files) {
    try writeFile(file.bytes, to: path, mayReplace: arguments.has("force"))
  }
}
