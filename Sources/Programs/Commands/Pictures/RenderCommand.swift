import Rasterization

/// `pkd render`: renders drawings as pictures.
let renderCommand = CommandDefinition(
  name: "render",
  summary: "Draw ink as pictures.",
  operands: "IN…",
  operandCount: 1...Int.max,
  options: fileOptions + [PictureMoment.option] + PictureOptions.table,
  examples: [
    ("pkd render page.drawing", "Write page.png, a pixel for each point."),
    ("pkd render --scale 2 page.pkd -o large.png", "Two pixels for each point, to another name."),
    ("pkd render --style dark --paper grid page.pkd", "Light ink on dark squared paper."),
    ("pkd render --earlier page.pkd", "What was erased, undone or moved away shows through."),
    ("pkd render --at 12.5 page.pkd", "As it was after 12.5 seconds."),
    ("pkd render *.pkd -o pictures/", "All of them into a folder."),
    ("pkd render -r notes/ -o pictures/", "All ink in a folder and its folders."),
    ("pkd render --to rgba page.pkd -o - | ./use-pixels", "Plain pixels for another program."),
    ("pkd render - < page.pkd > page.png", "From the standard input to the standard output."),
  ]
) { arguments, console in
  let options = try PictureOptions(arguments, of: "render", extent: .scale(1))
  try drawPictures(options, arguments, of: "render", &console)
}

/// `pkd thumbnail`: renders drawings as small pictures.
let thumbnailCommand = CommandDefinition(
  name: "thumbnail",
  summary: "Draw ink as small pictures.",
  operands: "IN…",
  operandCount: 1...Int.max,
  options: fileOptions + [LineThumbnails.option, PictureMoment.option]
    + PictureOptions.thumbnailTable,
  examples: [
    ("pkd thumbnail page.drawing", "Write page.png, 256 pixels on its longer side."),
    ("pkd thumbnail --size 128 *.pkd -o thumbnails/", "Smaller ones of many, into a folder."),
    ("pkd thumbnail --size 96x96 page.pkd -o icon.png", "A square with the drawing in its middle."),
    ("pkd thumbnail --ndjson cat.ndjson -o cats.tar", "Each drawing of a data set, fast."),
  ]
) { arguments, console in
  if arguments.has(LineThumbnails.option.name) { return try drawLines(arguments, &console) }
  let options = try PictureOptions(
    arguments, of: "thumbnail", extent: .longerSide(256), margin: .ofThumbnails)
  try drawPictures(options, arguments, of: "thumbnail", &console)
}

private let fileOptions =
  [
    Option(
      "output", letter: "o", value: "OUT|DIR/",
      help: "The picture's name, or a folder; beside the input unless given."),
    PictureForm.option,
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.png."),
    .force("Replace existing pictures; not needed for a name given with -o."),
    .skipExisting,
    .json,
  ] + InputFiles.options + InputOptions.table

/// Renders every input. Continues after failures and reports them at the end.
private func drawPictures(
  _ options: PictureOptions, _ arguments: Arguments, of command: String, _ console: inout Console
) throws {
  useHeapOfPictures()
  let given = arguments.words["output"]
  let inputs = try InputFiles(arguments, of: command, output: given, &console).files
  let form = try PictureForm(
    arguments, output: OutputNames.single(inputs, given: given), of: command)
  let names = try OutputNames(
    of: inputs, given: given, withFolders: arguments.has("with-folders"), ending: form.rawValue,
    command: command)
  let existing = try ExistingOutputs(arguments, of: command)
  let moment = PictureMoment(arguments)
  let writesToStream = names.pairs.contains { $0.output == .standardStream }
  if writesToStream, arguments.has(Option.json.name) {
    throw UsageError(
      message: "--json and the picture cannot both go to the standard output", command: command)
  }
  if names.pairs.contains(where: { $0.output.isTerminal }) {
    throw UsageError(
      message: "a terminal cannot show pictures; give -o NAME.png, or redirect the output",
      command: command)
  }
  Interruption.endProgram()
  let input = InputOptions(arguments)
  try names.makeFolders()
  let batch = PictureBatch(pairs: names.pairs, replaces: existing == .replaced) { pair in
    PictureJob(
      options: options, form: form, moment: moment, input: input, names: names,
      existing: pair.isGiven ? existing.ofGivenName : existing,
      printsFacts: arguments.has("json"))
  }
  try batch.draw(threads: options.rendering.threads, &console)
}

/// Renders each line of the inputs as a picture of its own.
private func drawLines(_ arguments: Arguments, _ console: inout Console) throws {
  let others =
    fileOptions.filter { !["output", "force", "files-from", "recursive"].contains($0.name) }
    + [PictureMoment.option]
    + PictureOptions.thumbnailTable.filter { $0.name != PictureOptions.size.name }
  let thumbnails = try LineThumbnails(arguments, others: others)
  let inputs = try InputFiles(
    arguments, of: "thumbnail", output: arguments.words["output"], &console
  ).paths
  Interruption.endProgram()
  let output = arguments.words["output"]
  if let output, output.isFolder {
    let path = output.bytes.last == UInt8(ascii: "/") ? output : output + "/".utf8
    try makeFolder(path)
    let folder = PictureFolder(path: path, mayReplace: arguments.has("force"))
    return try thumbnails.draw(inputs, to: .folder(folder), &console)
  }
  guard let output, output == .standardStream || output.nameEnding == "tar" else {
    throw UsageError(
      message: "--ndjson needs -o FOLDER/ or -o NAME.tar for its pictures", command: "thumbnail")
  }
  guard !output.isTerminal else {
    throw UsageError(
      message: "a terminal cannot show an archive; give -o NAME.tar", command: "thumbnail")
  }
  // Not durable, because the pictures can be rendered again.
  try writeFile(to: output, isDurable: false) { file throws(SystemError) in
    try thumbnails.draw(inputs, to: .archive(file), &console)
  }
}
