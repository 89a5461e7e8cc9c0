import InkFiles
import Checksums
import Graphics
import ForeignInk
import JSON
import PNGFormat
import Pictures
import Rasterization
import Threads

/// The result of a record.
struct WorkResult {
  let id: WorkID
  var width = 0
  var height = 0
  /// The size of the picture in bytes, and its hash.
  var size = 0
  var sha256 = ""
  /// The picture, if it is returned.
  var picture: [UInt8]?
  /// Whether the picture existed already.
  var isKnown = false
  /// The reason why there is no picture, or a description of its missing parts.
  var problem: String?

  init(of id: WorkID) { self.id = id }
}

/// Draws records, on any thread.
final class WorkPainter: Sendable {
  private let arguments: Arguments
  private let standard: Settings
  private let input: InputOptions
  private let skipsKnown: Bool
  private let place: WorkPlace
  /// Parsed options by their text, because records repeat the same options.
  private let known = ConditionMutex<[String: Settings]>([:])

  /// The settings for drawing a picture.
  private struct Settings {
    var options: PictureOptions
    let moment: PictureMoment
    /// The given options, for the hash that identifies a picture's source.
    let given: String

    init(_ arguments: Arguments) throws(UsageError) {
      options = try PictureOptions(
        arguments, of: "worker", extent: .longerSide(256), margin: .ofThumbnails)
      moment = PictureMoment(arguments)
      // Includes repeatable options, and the input format.
      given = (WorkPainter.options.map(\.name) + ["from"]).flatMap { name in
        (arguments.values[name] ?? []).map { "\(name)=\($0)" }
      }.joined(separator: "\n")
    }
  }

  /// The options that a record may set.
  static let options = PictureOptions.thumbnailTable + [PictureMoment.option]

  /// The keyword of the PNG text that identifies a picture's source.
  static let keyword = "Pentimento-Source"
  private static let knownLimit = 1000

  init(_ arguments: Arguments, _ place: WorkPlace) throws(UsageError) {
    (self.arguments, self.place) = (arguments, place)
    standard = try Settings(arguments)
    input = InputOptions(arguments)
    skipsKnown = arguments.has("skip-done")
  }

  var threads: Int { standard.options.rendering.threads }

  /// Draws a record. A problem is also returned as a result.
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
    // Each thread draws its own picture.
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
    // A damaged drawing's picture gets no source text, so that it is drawn again and its problem is
    // reported each time.
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

  /// A hash of a picture's source: bytes and options.
  private static func source(of bytes: [UInt8], _ settings: Settings) -> String {
    var hash = SHA256()
    hash.add(SHA256.of(bytes).bytes)
    hash.add(Array("\(Version.number)\n\(settings.given)".utf8))
    return "\(hash.digest)"
  }

  /// Whether a picture's text names this source. Texts precede the pixels.
  private func wasDrawn(_ output: SystemString, from source: String) -> Bool {
    let text = Array("\(Self.keyword)\0\(source)".utf8)
    let found = place.beginning(output)
    return found.indices.contains { found[$0] == text[0] && found[$0...].starts(with: text) }
  }
}

/// The reason why a record cannot be drawn.
struct WorkProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
