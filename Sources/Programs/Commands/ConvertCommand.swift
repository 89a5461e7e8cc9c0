import InkFiles
import ForeignInk
import Glibc
import PKDFormat
import PencilKitArchive
import Rasterization
import Strokes
import VectorExport

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
      "to", choices: ConversionTarget.all.map(\.name), synonyms: ConversionTarget.endings,
      help: "Write this format, named as here or by an ending such as xopp; "
        + "chosen by the output's ending unless given."),
    Option(
      "profile", choices: PKDProfile.allCases.map(\.name),
      help: "How exactly a .pkd stores points; that of a .pkd input, else exact, unless given."),
    Option(
      "ink-only",
      help: "Leave out stroke identifiers and archive data besides the ink (.pkd)."),
    Option(
      "simplified",
      help: "Write the small form of Quick, Draw! (.ndjson): corners from 0 to 255, without times."),
    Option("salvage", help: "Convert the readable part of a damaged recording."),
    Option(
      "with-folders",
      help: "In a folder, prefix names with those of the inputs' folders: a-page.pkd."),
    .force("Replace existing files in a folder; not needed for a name that was given."),
    .skipExisting,
  ] + InputFiles.options + InputOptions.table + VectorSettings.table,
  examples: [
    ("pkd convert page.drawing page.pkd", "Store a PencilKit archive in about half the bytes."),
    ("pkd convert page.pkd again.drawing", "And back, byte for byte if nothing was changed."),
    ("pkd convert page.drawing page.json", "As JSON, with every value."),
    ("pkd convert --profile compact --ink-only page.drawing small.pkd", "As small as possible."),
    ("pkd convert --to json page.drawing - | less", "JSON on the standard output."),
    ("pkd convert page.pkd page.svg", "As vectors; .pdf takes all pages of a file."),
    ("pkd convert --simplified page.pkd page.ndjson", "A line of Quick, Draw! in its small form."),
    ("pkd convert notes.xopp *.rm --to pkd -o ink/", "Every page of every file."),
    ("pkd convert -r --skip-existing notes/ ink/ --to pkd", "What is new in a folder of notes."),
  ]
) { arguments, console in
  useHeapOfPictures()
  let job = try ConversionJob(arguments, &console)
  Interruption.endProgram()
  try job.makeFolders()
  for (index, pair) in job.pairs.enumerated() {
    console.showProgress(index, of: job.pairs.count, pair.input.description)
    try job.convert(pair, &console)
  }
  console.endProgress()
}

/// The conversion of files.
private struct ConversionJob {
  let arguments: Arguments
  private(set) var input: InputOptions
  let target: ConversionTarget
  private let vectors: VectorSettings
  private let names: OutputNames
  private let existing: ExistingOutputs

  var pairs: [OutputNames.Pair] { names.pairs }

  init(_ arguments: Arguments, _ console: inout Console) throws {
    self.arguments = arguments
    input = InputOptions(arguments)
    existing = try ExistingOutputs(arguments, of: "convert")
    var operands = arguments.operands
    let given = arguments.words["output"]
    if given == nil {
      guard !arguments.has("files-from") else {
        throw convertCommand.error("--files-from needs -o FOLDER/")
      }
      guard operands.count > 1 else { throw convertCommand.error("convert needs IN OUT") }
      guard operands.count == 2 else {
        throw convertCommand.error(
          "'\(operands[2])' is one argument too many; several inputs need -o FOLDER/")
      }
    }
    let name = given ?? operands.removeLast()
    let inputs = try InputFiles(
      arguments, operands: operands, of: "convert", output: name, &console
    ).files
    let output = OutputNames.single(inputs, given: name)
    guard output != nil || name.isFolder else {
      throw convertCommand.error(
        "'\(name)' is not a folder for \(inputs.count.counting("input")); "
          + (given == nil ? "end it with / to create one" : "several inputs need -o FOLDER/"))
    }
    let asked = arguments.options["to"].flatMap { name in
      ConversionTarget.all.first { $0.name == name }
    }
    let ending = output.flatMap { ConversionTarget(fileName: $0.description) }
    guard let target = asked ?? ending else {
      let endings = ConversionTarget.all.flatMap(\.fileExtensions).map { "." + $0 }
      if let output, PictureForm(fileName: output) != nil {
        throw convertCommand.error(
          "'\(name)' is a picture, which 'pkd render \(inputs[0].path) -o \(name)' draws")
      }
      throw convertCommand.error(
        output == nil
          ? "outputs in a folder need --to FORMAT"
          : "the format of '\(name)' is unknown; end it with \(endings.joined(separator: ", ")) "
            + "or give --to")
    }
    self.target = target
    // The data set's corners stay corners.
    input.keepsCorners = target == .ink(.quickDraw)
    names = try OutputNames(
      of: inputs, given: name, withFolders: arguments.has("with-folders"),
      ending: target.fileExtensions[0], keepsExisting: existing == .kept, command: "convert")
    vectors = try VectorSettings(arguments, of: "convert")
    for option in ["profile", "ink-only"] where arguments.has(option) && target != .ink(.pkd) {
      throw convertCommand.error("--\(option) is for .pkd files, not for \(target.name)")
    }
    guard !arguments.has("simplified") || target == .ink(.quickDraw) else {
      throw convertCommand.error("--simplified is for .ndjson files, not for \(target.name)")
    }
    let isVector = target == .svg || target == .pdf
    for option in VectorSettings.table where arguments.has(option.name) {
      let only = VectorSettings.onlyTarget(of: option)
      guard only.map({ $0 != target }) ?? !isVector else { continue }
      throw convertCommand.error(
        "--\(option.name) is for \(only.map { ".\($0.name)" } ?? ".svg and .pdf") files, "
          + "not for \(target.name)")
    }
    guard target.isText || output?.isTerminal != true else {
      throw convertCommand.error(
        "a terminal cannot show .\(target.fileExtensions[0]) files; name a file, or redirect the output"
      )
    }
  }

  func makeFolders() throws(SystemError) { try names.makeFolders() }

  /// Converts a file: all pages into a folder or into a format that can store several, otherwise
  /// one page. Reports failures.
  func convert(_ pair: OutputNames.Pair, _ console: inout Console) throws {
    if existing.keeps(pair.output, console) { return }
    guard let (bytes, file) = console.open(pair.input, input) else { return }
    let takesAll = input.page == nil && file.pageCount > 1
    if takesAll, target.holdsPages {
      var pages = [file]
      for index in 1..<file.pageCount {
        guard let page = console.page(index, of: file, pair.input) else { continue }
        pages.append(page)
      }
      return try convert(pages, pair, of: bytes, &console)
    }
    guard takesAll, !pair.isGiven else {
      console.noteOtherPages(of: file, pair.input, input)
      return try convert([file], pair, of: bytes, &console)
    }
    for index in 0..<file.pageCount {
      guard let numbered = names.page(index, of: file.pageCount, pair, &console),
        let page = console.page(index, of: file, pair.input)
      else { continue }
      try convert([page], numbered, of: bytes, &console)
    }
  }

  /// Writes pages to one file. Reports failures, including those of the system: other files may
  /// still be written.
  private func convert(
    _ files: [DrawingFile], _ pair: OutputNames.Pair, of bytes: [UInt8], _ console: inout Console
  ) throws {
    do {
      try write(files, pair, of: bytes, &console)
    } catch let error as SystemError {
      try console.fail(error)
    }
  }

  private func write(
    _ files: [DrawingFile], _ pair: OutputNames.Pair, of bytes: [UInt8], _ console: inout Console
  ) throws {
    let (input, output) = (pair.input, pair.output)
    let mayReplaceInput = pair.isGiven && target.mayReplace(files[0].format)
    guard input == .standardStream || mayReplaceInput || !isSameFile(input, output) else {
      return console.fail(
        "\(output): this is the drawing itself", pair.isGiven ? .usage : .failed)
    }
    if existing.keeps(output, console) { return }
    if !pair.isGiven {
      let mayReplace = existing == .replaced
      if try console.writePicture(of: files[0], pair, mayReplace: mayReplace) { return }
      guard console.mayWrite(output, mayReplace: mayReplace) else { return }
    }
    // Any error comes again below, with the whole drawing.
    if target == .svg, case .file? = try? OutputTarget(output),
      let strokes = files[0].intactStrokes,
      let size = try? writeSVG(strokes, on: files[0].canvas, to: output)
    {
      return noteConversion(of: bytes, files[0], pair, to: size, strokes.strokeCount, console)
    }
    var pages: [InkContents] = []
    var notes = files[0].imported?.notes ?? ImportNotes()
    for file in files {
      guard let page = page(of: file, pair, &console) else { return }
      pages.append(page)
      notes.add(file.page?.notes ?? ImportNotes())
    }
    var (result, size) = ([UInt8](), 0)
    do {
      if target == .svg {
        size = try writeSVG(
          pages[0].drawing, on: pages[0].canvas, named: pages[0].name, to: output)
      } else {
        let losses: ImportNotes
        (result, losses) = try encode(pages, of: files[0])
        size = result.count
        notes.add(losses)
      }
    } catch let error as SystemError {
      throw error
    } catch let error as RenderError {
      return console.fail("\(input): \(error)", error.exitCode(setsExtent: vectors.setsExtent))
    } catch {
      return console.fail("\(input): \(error)", .failed)
    }
    for note in console.shown(notes) { console.note("\(input): \(note.text) (\(note.count))") }
    if target == .ink(.pencilKit) {
      for loss in PencilKitWriter.losses(of: pages[0].drawing) { console.warn("\(input): \(loss)") }
    }
    if target != .svg { try writeFile(result, to: output) }
    if let loss = archiveLoss(bytes, in: files[0], pages[0].drawing, result) {
      let profile = arguments.options["profile"] ?? PKDProfile.exact.name
      let isAsked = arguments.has("ink-only") || profile != PKDProfile.exact.name
      if !isAsked || console.isVerbose { console.warn("\(input): \(output) \(loss)") }
    }
    let strokes = pages.reduce(0) { $0 + $1.drawing.strokes.count }
    noteConversion(of: bytes, files[0], pair, to: size, strokes, console)
  }

  private func noteConversion(
    of bytes: [UInt8], _ file: DrawingFile, _ pair: OutputNames.Pair, to size: Int, _ strokes: Int,
    _ console: Console
  ) {
    guard console.isVerbose else { return }
    console.note(
      "\(pair.input) (\(file.format.rawValue), \(bytes.count) bytes) → \(pair.output) "
        + "(\(target.name), \(size) bytes), \(strokes) strokes")
  }

  /// Writes a page as SVG while it is made, and returns the number of bytes.
  private func writeSVG(
    _ strokes: some StrokeSource, on canvas: Recording.Canvas, named name: String = "",
    to output: SystemString
  ) throws -> Int {
    var (size, failure) = (0, RenderError?.none)
    do throws(SystemError) {
      try writeFile(to: output) { file throws(SystemError) in
        do throws(VectorFailure<SystemError>) {
          try vectors.writeSVG(strokes, on: canvas, named: name) { bytes throws(SystemError) in
            size += bytes.count
            try file.write(bytes)
          }
        } catch {
          switch error {
          case .sink(let error): throw error
          case .drawing(let error):
            failure = error
            throw SystemError("\(error)", code: EINVAL)
          }
        }
      }
    } catch {
      if let failure { throw failure }
      throw error
    }
    return size
  }

  /// The parts of a drawing's archive that a written file lacks, if its format can store all of
  /// them.
  private func archiveLoss(
    _ bytes: [UInt8], in file: DrawingFile, _ drawing: PKDrawing, _ written: [UInt8]
  ) -> String? {
    let isArchive = file.format == .pencilKit
    guard target.holdsArchives, isArchive || drawing.residue != nil else { return nil }
    // The losses of an archive of 2018 are reported one by one.
    if target == .ink(.pencilKit), drawing.residue?.form == .notes2018 { return nil }
    let result = try? DrawingFile(written)
    let isWhole =
      isArchive
      ? result?.gives(archive: bytes, readAs: drawing) : result?.givesArchive(of: drawing)
    guard isWhole == true else {
      return "has all of its ink, but does not give back all of the archive's bytes"
    }
    return isArchive && bytes.first == 1
      ? "gives back the archive without the byte that a database put before it" : nil
  }

  /// The content of a page. Reports damage, and returns nil if it forbids writing.
  private func page(
    of file: DrawingFile, _ pair: OutputNames.Pair, _ console: inout Console
  ) -> InkContents? {
    let input = pair.input
    let page = file.place(in: input)
    var contents = file.contents()
    // The user may delete the original after a conversion, so nothing is omitted unless requested.
    if !contents.damage.isEmpty, !arguments.has("salvage") {
      for damage in contents.damage { console.fail("\(page): \(damage)", .badData) }
      let repair = file.format == .pkd ? "'pkd repair' writes them as an intact file, " : ""
      console.fail(
        "\(page): nothing was written; \(contents.drawing.strokes.count) strokes can be read: "
          + "\(repair)--salvage converts them", .badData)
      return nil
    }
    for damage in contents.damage { console.warn("\(page): \(damage)") }
    if file.recordingFacts?.isFinished == false, contents.damage.isEmpty {
      console.note("\(input): the recording is not finished; everything in it is converted")
    }
    contents.name = file.page?.name ?? ""
    return contents
  }

  /// The bytes in the target's format, and a description of the losses.
  private func encode(
    _ pages: [InkContents], of file: DrawingFile
  ) throws -> (bytes: [UInt8], notes: ImportNotes) {
    let bytes: [UInt8]
    switch target {
    case .svg: preconditionFailure("SVG is written while it is made")
    case .pdf: bytes = try vectors.pdf(of: pages)
    case .ink(.pkd):
      let profile = PKDProfile.allCases.first { $0.name == arguments.options["profile"] }
      bytes = try pages[0].encodeRecording(
        options: PKDWriter.Options(
          profile: profile ?? file.recordingFacts?.profile ?? .exact,
          inkOnly: arguments.has("ink-only")))
    case .ink(let format):
      return try DrawingFile.encode(
        pages, as: format, form: arguments.has("simplified") ? .simplified : .raw,
        paints: InkPaint.measured(of:))
    }
    return (bytes, ImportNotes())
  }
}

extension DrawingFile {
  /// The strokes of an intact recording that has nothing else, such as events or an archive. They
  /// are read as they are needed. Boxes of another profile may differ from those of the strokes.
  fileprivate var intactStrokes: PKDReader? {
    guard let reader, reader.isFinished, damage.isEmpty, reader.profile == .exact,
      !reader.hasEvents, !reader.lacksEvents
    else { return nil }
    do throws(PKDError) {
      _ = try reader.readWords()
      return try reader.readResidue() == nil ? reader : nil
    } catch {
      return nil
    }
  }
}
