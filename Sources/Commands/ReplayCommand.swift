import Animation
import Glibc
import Interchange
import Rasterization
import Strokes

/// `pkd replay`: renders recordings as moving pictures.
let replayCommand = CommandDefinition(
  name: "replay",
  summary: "Show ink being drawn, as moving pictures.",
  operands: "IN",
  operandCount: 1...1,
  options: [
    Option(
      "output", letter: "o", value: "OUT",
      help: "NAME with .apng .html .svg .gif .webp .mp4 .webm .y4m .rgba, FOLDER/%05d.png, or '-'."),
    Option("to", choices: ReplayOutput.Form.allCases.map(\.rawValue), help: "The output format."),
    .force("Replace existing files; not needed for a name given with -o, except for frames."),
  ] + InputOptions.table + ReplayOptions.table + PictureOptions.table,
  examples: [
    ("pkd replay page.pkd", "Write page.apng, at the original speed with shortened pauses."),
    ("pkd replay page.pkd --duration 10 -o short.apng", "All of it in ten seconds."),
    ("pkd replay page.pkd -o page.html", "A page that plays it in any browser, offline."),
    ("pkd replay page.pkd --every-stroke -o 'frames/%05d.png'", "A picture for each stroke."),
    (
      "pkd replay page.pkd --to y4m -o - | ffmpeg -i - page.mkv",
      "Raw video for other programs."
    ),
  ]
) { arguments, console in
  let pictures = try PictureOptions(arguments, of: "replay", extent: .scale(1))
  let options = try ReplayOptions(arguments, of: "replay")
  let output = try ReplayOutput(arguments, of: "replay")
  if output.path.isTerminal {
    throw UsageError(
      message: "a terminal cannot show pictures; give -o NAME.apng, or redirect the output",
      command: "replay")
  }
  Interruption.endProgram()
  let inputOptions = try InputOptions(arguments, of: "replay")
  let input = arguments.operands[0]
  guard let recording = console.openRecording(input, inputOptions) else { return }
  let job = ReplayJob(
    input: input, output: output, mayReplace: output.isGiven || arguments.has("force"),
    pictures: pictures, options: options)
  try job.carryOut(recording, &console)
}
