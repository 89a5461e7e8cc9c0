import InkFiles
import ForeignInk
import PKDFormat
import Strokes

/// The options for reading files of ink.
struct InputOptions {
  /// The given format; nil to recognize it by the content.
  let format: DrawingFile.Format?
  /// The requested page, counted from 0; nil for none.
  let page: Int?
  /// Whether each stroke gets the colour of the person who drew it.
  var isByPerson = false
  /// Whether lines between few points that are far apart stay straight.
  var keepsCorners = false

  static let table = [
    Option(
      "from", choices: DrawingFile.Format.allCases.map(\.rawValue),
      synonyms: DrawingFile.Format.endings,
      help: "Read as this format; detected from the content unless given."),
    Option(
      "page", value: "N", form: .whole(1...),
      help: "The page of a file with several, counted from 1."),
    Option(
      "by-person", help: "Each stroke in the colour of the person who drew it, if several did."),
  ]

  /// The first page, in any format.
  init() { (format, page) = (nil, nil) }

  init(_ arguments: Arguments) {
    format = arguments.options["from"].flatMap(DrawingFile.Format.init(rawValue:))
    page = arguments.whole("page").map { $0 - 1 }
    isByPerson = arguments.has("by-person")
  }
}

extension DrawingFile.Format {
  /// The formats by extensions that only their files have.
  static let endings = [String: String](
    allCases.flatMap { format in format.ownFileExtensions.map { ($0, format.rawValue) } },
    uniquingKeysWith: { first, _ in first })
}

extension SystemString {
  /// The bytes of a file that belongs to this one; nil if there is no readable one.
  fileprivate func companion(_ companion: ImportOptions.Companion) -> [UInt8]? {
    let other =
      switch companion {
      case .named(let suffix): self + suffix.utf8
      case .beside(let name): folder + name.utf8
      }
    // Only regular files: reading a pipe of that name would block.
    guard isRegularFile(other) else { return nil }
    return try? readFile(other)
  }
}

extension DrawingFile {
  /// The name of an input for messages, with the number of this page if there are several.
  func place(in input: SystemString) -> String {
    pageCount > 1 ? "\(input), page \(pageIndex + 1)" : "\(input)"
  }
}

/// A recording to replay.
struct ReplayInput {
  let source: any RecordingSource
  /// A `.pkd` file with the whole recording: the input itself, or an encoded copy.
  let bytes: () throws -> [UInt8]
}

extension Console {
  /// Reads and decodes a file: the requested page, or else the first one. Reports a failure and
  /// returns nil.
  mutating func open(
    _ path: SystemString, _ options: InputOptions
  ) -> (bytes: [UInt8], file: DrawingFile)? {
    do throws(SystemError) {
      let bytes = try readFile(path)
      do throws(DrawingFileError) {
        var imports = ImportOptions()
        imports.keepsCorners = options.keepsCorners
        if path != .standardStream { imports.companion = { path.companion($0) } }
        let file = try DrawingFile(
          bytes, as: options.format, page: options.page ?? 0, options: imports)
        return (bytes, options.isByPerson ? file.coloredByPerson() : file)
      } catch {
        fail("\(path): \(error)", exitCode(for: error))
      }
    } catch {
      fail("\(error)", error.exitCode)
    }
    return nil
  }

  /// Another page of a file. Reports a failure and returns nil.
  mutating func page(_ index: Int, of file: DrawingFile, _ path: SystemString) -> DrawingFile? {
    do throws(DrawingFileError) {
      return try file.page(index)
    } catch {
      fail("\(path), page \(index + 1): \(error)", .badData)
    }
    return nil
  }

  /// Writes the picture of a page whose ink cannot be read, under the output's name with the
  /// picture's extension. True if there is one.
  mutating func writePicture(
    of file: DrawingFile, _ pair: OutputNames.Pair, mayReplace: Bool
  ) throws -> Bool {
    guard let picture = file.page?.picture else { return false }
    let isPNG = PictureFormat(recognizing: picture) == .png
    let output = pair.isGiven ? pair.output : pair.output.withEnding(isPNG ? "png" : "jpg")
    guard mayWrite(output, mayReplace: mayReplace) else { return true }
    try writeFile(picture, to: output)
    note("\(pair.input), \(file.page?.name ?? ""): no ink, but the picture that its program made")
    return true
  }

  private func exitCode(for error: DrawingFileError) -> ExitCode {
    if case .noPage(_, let count) = error, count > 0 { return .usage }
    return .badData
  }

  /// Notes that a file has more pages than the shown one.
  func noteOtherPages(of file: DrawingFile, _ path: SystemString, _ options: InputOptions) {
    guard options.page == nil, file.pageCount > 1 else { return }
    note("\(path): this is page 1 of \(file.pageCount); --page N gives another one")
  }

  /// Opens a recording to replay. Reports a failure and returns nil.
  mutating func openRecording(_ path: SystemString, _ options: InputOptions) -> ReplayInput? {
    guard let (bytes, file) = open(path, options) else { return nil }
    noteOtherPages(of: file, path, options)
    let replay = file.replay()
    for damage in replay.damage {
      fail("\(path): \(damage); only the readable part is replayed", .badData)
    }
    let isWhole =
      file.format == .pkd && replay.damage.isEmpty && file.recordingFacts?.isFinished == true
    return ReplayInput(source: replay.source) {
      isWhole ? bytes : try file.contents(withArchive: false).encodeRecording()
    }
  }
}
