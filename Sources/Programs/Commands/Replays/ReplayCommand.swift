import Animation
import Rasterization

/// `pkd replay`: renders recordings as moving pictures.
let replayCommand = CommandDefinition(
  name: "replay",
  summary: "Show ink being drawn, as moving pictures.",
  operands: "IN…",
  operandCount: 1...Int.max,
  options: [
    Option(
      "output", letter: "o", value: "OUT|DIR/",
      help: "NAME with .apng .html .svg .gif .webp .mp4 .webm .y4m .rgba, FOLDER/%05d.png, or '-'; "
        + "a folder for several inputs."),
    Option("to", choices: ReplayOutput.Form.allCases.map(\.rawValue), help: "The output format."),
    .force("Replace existing files; not needed for a name given with -o, except for frames."),
    .skipExisting,
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.apng."),
  ] + InputFiles.options + InputOptions.table + ReplayOptions.table + PictureOptions.table,
  examples: [
    ("pkd replay page.pkd", "Write page.apng, at the original speed with shortened pauses."),
    ("pkd replay page.pkd --duration 10 -o short.apng", "All of it in ten seconds."),
    ("pkd replay page.pkd -o page.html", "A page that plays it in any browser, offline."),
    ("pkd replay *.pkd --to gif -o films/", "All of them into a folder."),
    ("pkd replay page.pkd --every-stroke -o 'frames/%05d.png'", "A picture for each stroke."),
    (
      "pkd replay page.pkd --to y4m -o - | ffmpeg -i - page.mkv",
      "Raw video for other programs."
    ),
  ]
) { arguments, console in
  useHeapOfPictures()
  let pictures = try PictureOptions(arguments, of: "replay", extent: .scale(1))
  let options = try ReplayOptions(arguments, of: "replay")
  let given = arguments.words["output"]
  let inputs = try InputFiles(arguments, of: "replay", output: given, &console).files
  let outputs = try ReplayOutput.list(arguments, of: inputs, command: "replay")
  if outputs.contains(where: { $0.output.path.isTerminal }) {
    throw replayCommand.error(
      "a terminal cannot show pictures; give -o NAME.apng, or redirect the output")
  }
  let existing = try ExistingOutputs(arguments, of: "replay")
  let inputOptions = InputOptions(arguments)
  Interruption.endProgram()
  for (input, output) in outputs {
    if existing.keeps(output.name(1), console) { continue }
    guard let recording = console.openRecording(input, inputOptions) else { continue }
    if !output.isGiven { try makeFolder(output.path.folder) }
    let job = ReplayJob(
      input: input, output: output, mayReplace: output.isGiven || existing == .replaced,
      pictures: pictures, options: options)
    try job.carryOut(recording, &console)
  }
}
