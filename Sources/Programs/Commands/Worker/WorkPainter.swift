import InkFiles
import Checksums
import Graphics
import ForeignInk
import JSON
import PNGFormat
import Pictures
import Rasterization
import Threads

/// What became of a record.
struct WorkResult {
  let id: WorkID
  var width = 0
  var height = 0
  /// The bytes of the picture, and their hash.
  var size = 0
  var sha256 = ""
  /// The picture, if it is handed back.
  var picture: [UInt8]?
  /// Whether the picture was there already.
  var isKnown = false
  /// Why there is no picture, or what it lacks.
  var problem: String?

  init(of id: WorkID) { self.id = id }
}

/// Draws records. Any thread may do so.
final class WorkPainter: Sendable {
  private let arguments: Arguments
  private let standard: Settings
  private let input: InputOptions
  private let skipsKnown: Bool
  private let place: WorkPlace
  /// The options of records, which repeat themselves, by what they say.
  private let known = ConditionMutex<[String: Settings]>([:])

  /// How a picture is drawn.
  private struct Settings {
    var options: PictureOptions
    let moment: PictureMoment
    /// The options that were given, for the hash that says whether a picture is drawn from the same.
    let given: String

    init(_ arguments: Arguments) throws(UsageError) {
      options = try PictureOptions(
        arguments, of: "worker", extent: .longerSide(256), margin: .ofThumbnails)
      moment = PictureMoment(arguments)
      // Also those that may be given several times, and the format as which drawings are read.
      given = (WorkPainter.options.map(\.name) + ["from"]).flatMap { name in
        (arguments.values[name] ?? []).map { "\(name)=\($0)" }
      }.joined(separator: "\n")
    }
  }

  /// The options that each picture may have.
  static let options = PictureOptions.thumbnailTable + [PictureMoment.option]

  /// The keyword of the text in a picture that says what it was drawn from.
  static let keyword = "Pentimento-Source"
  private static let knownLimit = 1000

  init(_ arguments: Arguments, _ place: WorkPlace) throws(UsageError) {
    (self.arguments, self.place) = (arguments, place)
    standard = try Settings(arguments)
    input = InputOptions(arguments)
    skipsKnown = arguments.has("skip-done")
  }

  var threads: Int { standard.options.rendering.threads }

  /// Draws a record. A problem is a result, too.
  func result(of record: WorkRecord) -> WorkResult {
    var result = WorkResult(of: record.id)
    do {
      try draw(record, &result)
    } catch {
      result.problem = (error as? UsageError)?.message ?? "\(advice(on: error))"
    }
    return result
  }

  private func draw(_ record: WorkRecord, _ result: inout WorkResult) throws {
    if let problem = record.problem { throw WorkProblem(problem) }
    let settings = try settings(of: record)
    var options = settings.options
    // Each thread draws a picture of its own.
    options.rendering.threads = 1
    guard (record.path == nil) != (record.bytes == nil) else {
      throw WorkProblem("a record has either a path or bytes")
    }
    let bytes = try record.bytes ?? place.bytes(record.path ?? .standardStream)
    if let output = record.output { try place.check(output) }
    let source = Self.source(of: bytes, settings)
    if skipsKnown, let output = record.output, wasDrawn(output, from: source) {
      result.isKnown = true
      return
    }
    let file = try DrawingFile(bytes, as: input.format)
    guard let drawn = try DrawnPicture(of: file, at: settings.moment, options.rendering) else {
      throw WorkProblem(file.strokes().damage.first?.description ?? "nothing can be read")
    }
    let damage = drawn.damage
    // One of a damaged drawing is not done: its problem is told each time.
    if damage.isEmpty { options.texts.append(PNGText(Self.keyword, source)) }
    let picture = try drawn.picture.png(effort: options.effort, texts: options.texts)
    (result.width, result.height) = (drawn.picture.width, drawn.picture.height)
    (result.size, result.sha256) = (picture.count, "\(SHA256.of(picture))")
    if let output = record.output {
      try place.put(picture, output)
    } else {
      result.picture = picture
    }
    if let first = damage.first { result.problem = "\(first); only the readable part was drawn" }
  }

  // MARK: - Options

  private func settings(of record: WorkRecord) throws -> Settings {
    guard !record.options.isEmpty else { return standard }
    let key = record.options.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    if let settings = known.withLock({ $0[key] }) { return settings }
    var words: [SystemString] = []
    var others = arguments
    for (name, value) in record.options {
      guard Self.options.contains(where: { $0.name == name }) else {
        let near = nearest(to: name, among: Self.options.map(\.name))
        throw WorkProblem(
          "there is no option '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
      }
      switch value {
      case .value(let text): words.append(SystemString(bytes: Array("--\(name)=\(text)".utf8)))
      case .isGiven(true): words.append(SystemString(bytes: Array("--\(name)".utf8)))
      case .isGiven(false): others.remove(name)
      }
    }
    let settings = try Settings(others.replacing(workerCommand.parse(words)))
    known.withLock { known in
      if known.count >= Self.knownLimit { known = [:] }
      known[key] = settings
    }
    return settings
  }

  // MARK: - Pictures that were drawn before

  /// What a picture is drawn from: bytes and options, as a hash.
  private static func source(of bytes: [UInt8], _ settings: Settings) -> String {
    var hash = SHA256()
    hash.add(SHA256.of(bytes).bytes)
    hash.add(Array("\(Version.number)\n\(settings.given)".utf8))
    return "\(hash.digest)"
  }

  /// Whether a picture says that it was drawn from this. Texts stand before the pixels.
  private func wasDrawn(_ output: SystemString, from source: String) -> Bool {
    let text = Array("\(Self.keyword)\0\(source)".utf8)
    let found = place.beginning(output)
    return found.indices.contains { found[$0] == text[0] && found[$0...].starts(with: text) }
  }
}

/// Why a record cannot be drawn.
struct WorkProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
