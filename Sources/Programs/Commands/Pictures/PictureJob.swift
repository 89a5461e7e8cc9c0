import InkFiles
import Glibc
import Graphics
import ForeignInk
import JSON
import PNGFormat
import Pictures
import Rasterization
import Replay
import Strokes
import Threads

/// The rendering of one drawing to one picture.
struct PictureJob {
  var options: PictureOptions
  let form: PictureForm
  let moment: PictureMoment
  let input: InputOptions
  let names: OutputNames
  let existing: ExistingOutputs
  let printsFacts: Bool
  /// The turns of the batch, if its outputs replace files.
  var turns: Turns?

  /// Renders one input. Reports a failure and returns false.
  func draw(_ pair: OutputNames.Pair, _ console: inout Console) throws -> Bool {
    if existing.keeps(pair.output, console) { return true }
    // Opened first: for an input that is a picture, this error is better than one about its name.
    guard let (_, file) = console.open(pair.input, input) else { return false }
    // All pages, unless a page was requested or there is only one name.
    guard input.page == nil, file.pageCount > 1, !pair.isGiven else {
      if !printsFacts { console.noteOtherPages(of: file, pair.input, input) }
      return try draw(file, pair, &console)
    }
    var areComplete = true
    for index in 0..<file.pageCount {
      guard let numbered = names.page(index, of: file.pageCount, pair, &console),
        let page = console.page(index, of: file, pair.input)
      else {
        areComplete = false
        continue
      }
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
    if existing.keeps(output, console) { return true }
    let mayReplace = existing == .replaced
    if try console.writePicture(of: file, pair, mayReplace: mayReplace) { return true }
    guard console.mayWrite(output, mayReplace: mayReplace) else { return false }
    let page = file.place(in: input)
    let drawn: DrawnPicture
    let hiddenInk: Color?
    do {
      guard let found = try DrawnPicture(of: file, at: moment, options.rendering) else {
        for damage in file.strokes().damage { console.fail("\(page): \(damage)", .badData) }
        return false
      }
      drawn = found
      hiddenInk = try found.picture.hiddenInk()
      guard form.hasOpacity || drawn.picture.background.alpha == 1 else {
        console.fail(
          "\(input): .\(form.rawValue) has no opacity; give --background COLOR", .usage)
        return false
      }
      try drawn.picture.properties(texts: options.texts).check()
    } catch {
      console.fail("\(input): \(advice(on: error))", exitCode(for: error))
      return false
    }
    let picture = drawn.picture
    for ink in picture.unknownInks.sorted() {
      console.note("\(input): the ink '\(ink)' is unknown and drawn as pen")
    }
    if let color = hiddenInk {
      console.note("\(input): \(hiddenInkNote(color, on: picture.background))")
    }
    let pixelForm: String
    do throws(SystemError) {
      pixelForm = try write(picture, to: output)
    } catch {
      // The reader has closed the pipe.
      guard error.code != EPIPE else { throw error }
      console.fail("\(error)", .failed)
      return false
    }
    if printsFacts {
      try console.printAlways(facts(of: picture, hasHiddenInk: hiddenInk != nil, pair))
    }
    if console.isVerbose {
      console.note(
        "\(input) → \(output), \(picture.width)×\(picture.height) pixels, "
          + "\(drawn.strokeCount) strokes, \(pixelForm)")
    }
    // The readable part was drawn; the exit code shows that the input is damaged.
    for damage in drawn.damage {
      console.fail("\(page): \(damage); only the readable part was drawn", .badData)
    }
    return drawn.damage.isEmpty
  }

  /// Writes rows to the file, with only a few rows in memory. Returns the pixel form.
  private func write(
    _ picture: Picture, to output: SystemString
  ) throws(SystemError) -> String {
    var name = form.rawValue
    // Not durable, as the picture can be rendered again.
    try writeFile(
      to: output, mayReplace: existing == .replaced, isDurable: false, turns: turns
    ) { file throws(SystemError) in
      switch form {
      case .png: name = try options.write(picture, to: file)
      case .rgba, .ppm, .pgm: try form.write(picture.bands, to: file)
      }
    }
    return name
  }

  /// The note about ink whose colour is invisible, with an option that helps.
  private func hiddenInkNote(_ color: Color, on background: Color) -> String {
    let note = "its \(colorName(color)) ink does not show on \(colorName(background))"
    // A region may contain only ink that differs from most of the drawing's.
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

  private func facts(
    of picture: Picture, hasHiddenInk: Bool, _ pair: OutputNames.Pair
  ) -> String {
    var json = JSONWriter()
    json.object { json in
      json.field("file", pair.input.description)
      json.field("picture", pair.output.description)
      json.field("width", picture.width)
      json.field("height", picture.height)
      json.field("scale", picture.scale)
      json.list("unknownInks", picture.unknownInks.sorted()) { $0.value($1) }
      json.field("hasHiddenInk", hasHiddenInk)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

/// The picture of a page of a file.
struct DrawnPicture {
  let picture: Picture
  let strokeCount: Int
  let damage: [DrawingFileError]

  /// Draws a page; nil if it is damaged, one of several, and has no readable stroke of its own.
  init?(of file: DrawingFile, at moment: PictureMoment, _ options: RenderOptions) throws {
    let strokes = file.strokes(threads: options.threads)
    guard strokes.damage.isEmpty || strokes.strokeCount > 0 || file.pageCount == 1 else {
      return nil
    }
    guard case .end = moment else {
      let replay = file.replay()
      let source = replay.source
      let timeline = try Timeline(of: source)
      let state = moment.state(on: timeline)
      picture = try Picture(of: source, on: timeline, at: state, options)
      strokeCount = timeline.strokeCount(in: state)
      damage = replay.damage
      return
    }
    picture = try Picture(
      of: strokes, on: file.canvas, options, earlier: try options.earlierStrokes(of: file))
    (strokeCount, damage) = (strokes.strokeCount, strokes.damage)
  }
}

extension Timeline {
  /// The number of strokes on the page, including an unfinished one.
  fileprivate func strokeCount(in state: PageState) -> Int {
    history.page(afterSteps: state.doneSteps).count + (state.growing == nil ? 0 : 1)
  }
}
