import InkFiles
import JSON
import ForeignInk
import PKDFormat
import PencilKitArchive
import Strokes

/// `pkd verify`: checks whether files are intact.
let verifyCommand = CommandDefinition(
  name: "verify",
  summary: "Check every byte of ink files.",
  operands: "FILE…",
  operandCount: 1...Int.max,
  options: [.json] + InputFiles.options,
  examples: [
    ("pkd verify page.pkd", "Check every checksum and every stroke, erased ones included."),
    ("pkd verify --quiet *.pkd", "Print only problems."),
    (
      "find . -name '*.pkd' -print0 | pkd verify --files-from -",
      "Files that another program finds."
    ),
    ("pkd verify --json page.pkd", "One line of JSON for each file."),
  ]
) { arguments, console in
  for path in try InputFiles(arguments, of: "verify", &console).paths {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try readFile(path)
    } catch {
      console.fail("\(error)", error.exitCode)
      continue
    }
    let result = VerificationResult(bytes)
    if arguments.has(Option.json.name) {
      try console.printAlways(result.json(path: path.description))
      if !result.isIntact { console.raise(.badData) }
    } else if result.isIntact {
      try console.print("\(path.description.printable): \(result.summary)")
    } else if let picture = result.picture {
      // A picture is not damaged ink: all commands print the same error.
      console.fail("\(path): \(picture)", .badData)
    } else {
      try console.printAlways("\(path.description.printable): \(result.summary)")
      for problem in result.problems { try console.printAlways("  \(problem.text)") }
      console.raise(.badData)
    }
  }
}

/// The result of verifying a file.
private struct VerificationResult {
  struct Problem {
    let text: String
    let reason: String
    let offset: Int?
  }

  private(set) var format: DrawingFile.Format?
  private(set) var problems: [Problem] = []
  private var isFinished = true
  private var recoverable = PKDVerification.Amount()
  private var original: PKDVerification.Amount?
  /// The error for a picture instead of ink.
  private(set) var picture: DrawingFileError?

  var isIntact: Bool { problems.isEmpty }

  init(_ bytes: [UInt8]) {
    format = DrawingFile.Format(recognizing: bytes)
    do throws(DrawingFileError) {
      try verify(bytes)
    } catch {
      problems = [Problem(error: error)]
      if case .picture = error { picture = error }
    }
  }

  private mutating func verify(_ bytes: [UInt8]) throws(DrawingFileError) {
    guard format == .pkd else {
      let file = try DrawingFile(bytes)
      for index in 0..<file.pageCount {
        do throws(DrawingFileError) {
          let page = try file.page(index)
          let drawing = page.strokes().drawing
          recoverable.strokes += drawing.strokes.count
          recoverable.points += drawing.pointCount
          problems += page.damage.map { Problem(error: $0) }
        } catch {
          problems.append(Problem(error: error))
        }
      }
      original = recoverable
      return
    }
    do throws(PKDError) {
      let verification = try PKDVerification(bytes)
      problems = verification.problems.map { Problem($0) }
      isFinished = verification.isFinished
      recoverable = verification.recoverable
      original = verification.original
      guard problems.isEmpty else { return }
      if verification.lacksEvents {
        problems = [Problem(error: .lostEvents)]
      } else if !verification.drawing.hasIntactResidue {
        // Only checked in an intact file: if strokes are lost, the archive data may not fit the
        // remaining ones.
        problems = [Problem(error: .foreignArchive)]
      }
    } catch {
      throw .pkd(error)
    }
  }

  /// The result in words, printed after the path.
  var summary: String {
    let amount = recoverable.text
    guard !isIntact else {
      return "ok (\(amount))" + (isFinished ? "" : ", not finished")
    }
    guard format == .pkd else { return "damaged" }
    guard recoverable.strokes > 0 else { return "damaged; nothing can be recovered" }
    guard let original else { return "damaged; \(amount) can be recovered" }
    return original == recoverable
      ? "damaged; all \(amount) can be recovered"
      : "damaged; \(recoverable.text(of: original)) can be recovered"
  }

  func json(path: String) -> String {
    func write(_ amount: PKDVerification.Amount, _ json: inout JSONWriter) {
      json.object { json in
        json.field("strokes", amount.strokes)
        json.field("points", amount.points)
      }
    }
    var json = JSONWriter()
    json.object { json in
      json.field("file", path)
      json.key("format")
      if let format { json.value(format.rawValue) } else { json.null() }
      json.field("ok", isIntact)
      json.field("finished", isFinished)
      json.list("problems", problems) { json, problem in
        json.object { json in
          json.field("reason", problem.reason)
          json.key("offset")
          if let offset = problem.offset { json.value(offset) } else { json.null() }
        }
      }
      json.key("recoverable")
      write(recoverable, &json)
      json.key("original")
      if let original { write(original, &json) } else { json.null() }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

extension PKDVerification.Amount {
  /// The amount in words.
  var text: String {
    "\(strokes.counting("stroke")), \(points.counting("point"))"
  }

  /// A part of an amount in words.
  func text(of whole: Self) -> String {
    "\(strokes) of \(whole.strokes) strokes, \(points) of \(whole.points) points"
  }
}

extension VerificationResult.Problem {
  init(_ error: PKDError) {
    self.init(text: "\(error)", reason: "\(error.reason)", offset: error.offset)
  }

  init(error: DrawingFileError) {
    switch error {
    case .pkd(let error): self.init(error)
    case .pencilKit(let inner):
      self.init(text: "\(error)", reason: "\(inner.reason)", offset: inner.offset)
    case .json(let inner):
      self.init(text: "\(error)", reason: inner.reason, offset: inner.offset)
    case .events(let inner):
      self.init(text: "\(error)", reason: "\(inner.reason)", offset: nil)
    case .imported(_, let inner):
      self.init(text: "\(error)", reason: "\(inner.reason)", offset: inner.offset)
    case .unknownFormat, .picture, .noPage, .foreignArchive, .lostEvents:
      self.init(text: "\(error)", reason: "\(error)", offset: nil)
    }
  }
}

extension PKDrawing {
  /// The number of stored points, which the pieces of a cut stroke share.
  fileprivate var pointCount: Int {
    var counted = Set<Identifier>()
    return strokes.reduce(0) { sum, stroke in
      let isCounted = stroke.parentID.map { !counted.insert($0).inserted } ?? false
      return isCounted ? sum : sum + stroke.path.count
    }
  }
}
