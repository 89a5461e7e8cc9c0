package import InkFiles
import Glibc
import Graphics
import ForeignInk
import Pictures
import Rasterization
package import Strokes
import System
import VectorExport

/// A program of the user that recognizes words in ink.
package struct Recognizer {
  /// The format of the program's standard input.
  package enum Given: String, CaseIterable {
    case png, inkml, json
  }

  package let command: SystemString
  package let given: Given
  /// Pixels for each point of a picture.
  package let scale: Double
  package let language: String?
  package let timeout: Double

  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  package static let options = [
    Option(
      "recognizer", value: "CMD",
      help: "The program that recognizes words, run by the shell once for each drawing."),
    Option(
      "give", choices: Given.allCases.map(\.rawValue),
      help: "What it gets on its standard input: a picture, unless given, or ink."),
    Option(
      "scale", value: "F", form: .positive(upTo: 100),
      help: "Pixels for each point of the picture; 3 unless given."),
    Option("language", value: "LANG", help: "The language to store with the words, such as en."),
    Option(
      "timeout", value: "S", form: .positive(upTo: 86_400),
      help: "Seconds that it may take; 60 unless given."),
    Option("again", help: "Also drawings whose words are known."),
  ]

  package init(_ arguments: Arguments, of command: String) throws(UsageError) {
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
    guard let program = arguments.words["recognizer"], !program.bytes.isEmpty else {
      throw error("--recognizer CMD names the program that recognizes words")
    }
    self.command = program
    given = arguments.options["give"].flatMap(Given.init(rawValue:)) ?? .png
    guard given == .png || !arguments.has("scale") else {
      throw error("--scale is for pictures, not for --give \(given.rawValue)")
    }
    scale = arguments.number("scale") ?? 3
    timeout = arguments.number("timeout") ?? 60
    language = arguments.options["language"]
  }

  /// The words in a drawing. Throws if the program fails, or if its output is invalid.
  package func words(in page: InkContents) throws -> RecognizedText {
    let (input, points, origin) = try input(page)
    let output = try run(input)
    var text: RecognizedText
    do throws(RecognizerOutput.Problem) {
      text = try RecognizerOutput(output, points: points, origin: origin).text
    } catch {
      throw Problem(description: "the recognizer printed no words: \(error)")
    }
    if text.recognizer.isEmpty { text.recognizer = name }
    if let language { text.language = language }
    return text.completed(from: page.drawing)
  }

  /// The program's name, if its output does not contain one.
  private var name: String {
    let word = command.bytes.split(separator: UInt8(ascii: " ")).first.map { Array($0) } ?? []
    let path = SystemString(bytes: word)
    return String(decoding: path.bytes[path.folder.bytes.count...], as: UTF8.self)
  }

  /// The program's input, the points per unit of its boxes, and the point at their origin.
  private func input(
    _ page: InkContents
  ) throws -> (bytes: [UInt8], points: Double, origin: Point) {
    switch given {
    case .json, .inkml:
      let file = try DrawingFile.encode(
        [page], as: given == .json ? .json : .inkML, paints: InkPaint.measured(of:))
      return (file.bytes, 1, .zero)
    case .png:
      var options = RenderOptions()
      options.extent = .scale(scale)
      options.margin = .points(8)
      options.frame = .content
      options.background = .automatic
      options.showsPattern = false
      let picture = try Picture(of: page.drawing, on: page.canvas, options)
      return (try picture.png(), 1 / picture.scale, picture.visible.origin)
    }
  }

  /// The maximum output of a program, in bytes.
  private static let outputLimit = 64 << 20

  private func run(_ input: [UInt8]) throws -> [UInt8] {
    // A file, because a pipe would have to be read while the input is written.
    let file = try Console.temporaryFile()
    defer { close(file) }
    func size() -> Int {
      var status = stat()
      return fstat(file, &status) == 0 ? Int(status.st_size) : 0
    }
    // A program with endless output must not fill the disk.
    let outcome = ShellCommand(command: command, timeout: timeout).run(input, output: file) {
      size() > Self.outputLimit
    }
    guard size() <= Self.outputLimit else {
      throw Problem(description: "the recognizer printed more than \(Self.outputLimit) bytes")
    }
    guard outcome == .succeeded else {
      let isLate = outcome == .terminated && !Interruption.isRequested
      throw Problem(
        description: isLate
          ? "the recognizer took longer than \(timeout.short) seconds"
          : "the recognizer: \(outcome)")
    }
    lseek(file, 0, SEEK_SET)
    do throws(SystemCallError) {
      return try OpenFile.read(file, upTo: size())
    } catch {
      throw SystemError("the output of the recognizer", code: error.code)
    }
  }
}
