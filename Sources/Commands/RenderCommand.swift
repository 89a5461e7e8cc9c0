import JSON
import Glibc
import Graphics
import Interchange
import PNGFormat
import Rasterization
import Replay
import Strokes

/// `pkd render`: renders drawings as pictures.
let renderCommand = CommandDefinition(
  name: "render",
  summary: "Draw ink as pictures.",
  operands: "IN…",
  operandCount: 1...Int.max,
  options: fileOptions + PictureOptions.table,
  examples: [
    ("pkd render page.drawing", "Write page.png, a pixel for each point."),
    ("pkd render --scale 2 page.pkd -o large.png", "Two pixels for each point, to another name."),
    ("pkd render --style dark --paper grid page.pkd", "Light ink on dark squared paper."),
    ("pkd render --earlier page.pkd", "What was erased, undone or moved away shows through."),
    ("pkd render *.pkd -o pictures/", "All of them into a folder."),
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
  options: fileOptions + [LineThumbnails.option] + PictureOptions.thumbnailTable,
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
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.png."),
    .force("Replace existing pictures; not needed for a name given with -o."),
    .json,
  ] + InputOptions.table

/// Renders every input. Continues after failures and reports them at the end.
private func drawPictures(
  _ options: PictureOptions, _ arguments: Arguments, of command: String, _ console: inout Console
) throws {
  useHeapOfPictures()
  let names = try OutputNames(
    of: arguments.operands, given: arguments.words["output"],
    withFolders: arguments.has("with-folders"), ending: "png", command: command)
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
  if let folder = arguments.words["output"], names.pairs.contains(where: { !$0.isGiven }) {
    try makeFolder(folder)
  }
  Interruption.endProgram()
  let input = try InputOptions(arguments, of: command)
  let batch = PictureBatch(pairs: names.pairs) { pair in
    PictureJob(
      options: options, input: input, mayReplace: pair.isGiven || arguments.has("force"),
      printsFacts: arguments.has("json"))
  }
  try batch.draw(threads: options.rendering.threads, &console)
}

/// Renders each line of the inputs as a picture of its own.
private func drawLines(_ arguments: Arguments, _ console: inout Console) throws {
  let others =
    fileOptions.filter { !["output", "force"].contains($0.name) }
    + PictureOptions.thumbnailTable.filter { $0.name != PictureOptions.size.name }
  let thumbnails = try LineThumbnails(arguments, others: others)
  Interruption.endProgram()
  let output = arguments.words["output"]
  if let output, output.isFolder {
    let path = output.bytes.last == UInt8(ascii: "/") ? output : output + "/".utf8
    try makeFolder(path)
    let folder = PictureFolder(path: path, mayReplace: arguments.has("force"))
    return try thumbnails.draw(arguments.operands, to: .folder(folder), &console)
  }
  guard let output, output == .standardStream || output.nameEnding == "tar" else {
    throw UsageError(
      message: "--ndjson needs -o FOLDER/ or -o NAME.tar for its pictures", command: "thumbnail")
  }
  guard !output.isTerminal else {
    throw UsageError(
      message: "a terminal cannot show an archive; give -o NAME.tar", command: "thumbnail")
  }
  // Not durable, as the pictures can be rendered again.
  try writeFile(to: output, isDurable: false) { file throws(SystemError) in
    try thumbnails.draw(arguments.operands, to: .archive(file), &console)
  }
}

/// The rendering of one drawing to one picture.
struct PictureJob {
  var options: PictureOptions
  let input: InputOptions
  let mayReplace: Bool
  let printsFacts: Bool

  /// Renders one input. Reports a failure and returns false.
  func draw(_ pair: OutputNames.Pair, _ console: inout Console) throws -> Bool {
    // Opened first, as an input that is a picture deserves a better error than one about its name.
    guard let (_, file) = console.open(pair.input, input) else { return false }
    // All pages, unless one was asked for or there is only one name.
    guard input.page == nil, file.pageCount > 1, !pair.isGiven else {
      if !printsFacts { console.noteOtherPages(of: file, pair.input, input) }
      return try draw(file, pair, &console)
    }
    var areComplete = true
    for index in 0..<file.pageCount {
      guard let page = console.page(index, of: file, pair.input) else {
        areComplete = false
        continue
      }
      let numbered = pair.page(index, of: file.pageCount)
      areComplete = try draw(page, numbered, &console) && areComplete
    }
    return areComplete
  }

  /// Renders a page.
  private func draw(
    _ file: DrawingFile, _ pair: OutputNames.Pair, _ console: inout Console
  ) throws -> Bool {
    let (input, output) = (pair.input, pair.output)
    guard input == .standardStream || !isSameFile(input, output) else {
      console.fail("\(output): this is the drawing itself", pair.isGiven ? .usage : .failed)
      return false
    }
    guard mayReplace || !exists(output) else {
      console.fail("\(SystemError(alreadyExists: output))", .failed)
      return false
    }
    if try console.writePicture(of: file, pair, mayReplace: mayReplace) { return true }
    let (strokes, damage) = file.strokes()
    let page = file.place(in: input)
    // Without a stroke of its own, a damaged page of several gives no picture.
    guard damage.isEmpty || strokes.strokeCount > 0 || file.pageCount == 1 else {
      for damage in damage { console.fail("\(page): \(damage)", .badData) }
      return false
    }
    let rendering: Rendering
    let properties: PNGProperties
    do {
      rendering = try Renderer(options.rendering).rendering(
        of: strokes, on: file.canvas, earlier: try options.earlierStrokes(of: file))
      properties = options.properties(
        of: rendering, background: rendering.background, scale: rendering.scale)
      try properties.check()
    } catch {
      console.fail("\(input): \(advice(on: error))", exitCode(for: error))
      return false
    }
    for ink in rendering.unknownInks.sorted() {
      console.note("\(input): the ink '\(ink)' is unknown and drawn as pen")
    }
    if let color = rendering.hiddenInk {
      console.note("\(input): \(hiddenInkNote(color, on: rendering.background))")
    }
    let form: String
    do throws(SystemError) {
      form = try write(rendering, properties, to: output)
    } catch {
      // The reader has closed the pipe.
      guard error.code != EPIPE else { throw error }
      console.fail("\(error)", .failed)
      return false
    }
    if printsFacts { try console.printAlways(facts(of: rendering, pair)) }
    if console.isVerbose {
      console.note(
        "\(input) → \(output), \(rendering.width)×\(rendering.height) pixels, "
          + "\(strokes.strokeCount) strokes, \(form)")
    }
    // The readable part was drawn; the exit code shows that the input is damaged.
    for damage in damage {
      console.fail("\(page): \(damage); only the readable part was drawn", .badData)
    }
    return damage.isEmpty
  }

  /// Writes rows from the renderer to the file, with only a few rows in memory. Returns the pixel form.
  private func write(
    _ rendering: Rendering, _ properties: PNGProperties, to output: SystemString
  ) throws(SystemError) -> String {
    var form = ""
    // Not durable, as the picture can be rendered again.
    try writeFile(to: output, mayReplace: mayReplace, isDurable: false) {
      file throws(SystemError) in
      switch options.encoder {
      case .own(let effort):
        form = try options.encode(rendering, properties, effort, to: file)
      case .libpng:
        form = properties.isOpaque ? "RGB" : "RGBA"
        try writeThroughLibPNG(rendering, properties, to: file)
      }
    }
    return form
  }

  private func writeThroughLibPNG(
    _ rendering: Rendering, _ properties: PNGProperties, to file: OutputFile
  ) throws(SystemError) {
    // The properties were checked, so the encoder can only run out of memory.
    do {
      let encoder = try LibPNGEncoder(properties)
      try rendering.forEachBand { band in
        for row in 0..<band.rowCount { try band.withRow(row) { try encoder.add($0) } }
        try file.write(encoder.takeBytes())
      }
      try encoder.finish()
      try file.write(encoder.takeBytes())
    } catch {
      throw error as? SystemError ?? SystemError("\(error)", code: ENOMEM)
    }
  }

  /// The note on ink of a colour that does not show, with an option that helps.
  private func hiddenInkNote(_ color: Color, on background: Color) -> String {
    let note = "its \(colorName(color)) ink does not show on \(colorName(background))"
    // A region may hold only ink that differs from most of the drawing's.
    return options.rendering.background == .automatic
      ? note : "\(note); --background auto chooses a background on which it does"
  }

  /// The exit code for an error: wrong options, bad input or a failure of the machine.
  private func exitCode(for error: any Error) -> ExitCode {
    guard let error = error as? RenderError else {
      return error is ReplayError ? .badData : .failed
    }
    return error.exitCode(setsExtent: options.setsExtent)
  }

  private func facts(of rendering: Rendering, _ pair: OutputNames.Pair) -> String {
    var json = JSONWriter()
    json.object { json in
      json.key("file")
      json.value(pair.input.description)
      json.key("picture")
      json.value(pair.output.description)
      json.key("width")
      json.value(rendering.width)
      json.key("height")
      json.value(rendering.height)
      json.key("scale")
      json.value(rendering.scale)
      json.key("unknownInks")
      json.list { json in for ink in rendering.unknownInks.sorted() { json.value(ink) } }
      json.key("hasHiddenInk")
      json.value(rendering.hiddenInk != nil)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
