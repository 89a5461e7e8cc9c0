import PNGFormat

/// The output of a replay: format and path.
struct ReplayOutput {
  /// The output formats.
  enum Form: String, CaseIterable {
    case apng, frames, gif, webp, mp4, webm, html, svg, y4m, rgba

    /// The format for the extension of a file name; nil for an unknown one.
    init?(fileName name: String) {
      let ending = name.lastIndex(of: ".").map { name[$0...].dropFirst().lowercased() }
      switch ending {
      case "png": self = .apng
      case "raw": self = .rgba
      case "htm": self = .html
      case .some(let ending) where ending != "frames": self.init(rawValue: ending)
      default: return nil
      }
    }
  }

  let form: Form
  let path: SystemString
  /// Whether the user gave this path, so that an existing file may be replaced. False for numbered
  /// frames, whose names are generated.
  let isGiven: Bool

  /// The outputs of inputs. Names in a folder, and beside the inputs, are generated.
  static func list(
    _ arguments: Arguments, of inputs: [InputFile], command: String
  ) throws(UsageError) -> [(input: SystemString, output: ReplayOutput)] {
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
    let wanted = arguments.options["to"].flatMap(Form.init(rawValue:))
    let given = arguments.words["output"]
    if let given, !given.isFolder || FramePattern(given) != nil {
      guard inputs.count == 1, inputs[0].isGiven else {
        throw error("'\(given)' is not a folder for \(inputs.count.counting("recording"))")
      }
      let output = try ReplayOutput(given, as: wanted, error)
      try output.check(arguments, error)
      return [(inputs[0].path, output)]
    }
    let form = wanted ?? .apng
    guard given != nil || form == .apng else {
      throw error("--to \(form.rawValue) needs an output: -o NAME, or a folder")
    }
    guard form != .frames else {
      throw error("frames need numbers in their names: FOLDER/%05d.png")
    }
    if given == nil, inputs.contains(where: { $0.path == .standardStream }) {
      throw error("the standard input needs an output: -o NAME.apng")
    }
    let names = try OutputNames(
      of: inputs, given: given, withFolders: arguments.has("with-folders"), ending: form.rawValue,
      command: command)
    return try names.pairs.map { pair throws(UsageError) in
      let output = ReplayOutput(form: form, path: pair.output, isGiven: false)
      try output.check(arguments, error)
      return (pair.input, output)
    }
  }

  private init(form: Form, path: SystemString, isGiven: Bool) {
    (self.form, self.path, self.isGiven) = (form, path, isGiven)
  }

  /// An output with a given name.
  private init(
    _ output: SystemString, as wanted: Form?, _ error: (String) -> UsageError
  ) throws(UsageError) {
    path = output
    if FramePattern(output) != nil, wanted == nil || wanted == .frames {
      form = .frames
    } else if output == .standardStream {
      guard let wanted, wanted != .frames else {
        throw error("the standard output needs --to, such as y4m, rgba or apng")
      }
      form = wanted
    } else if let form = wanted ?? Form(fileName: output.description) {
      guard form != .frames else {
        throw error("frames need numbers in their names: FOLDER/%05d.png")
      }
      self.form = form
    } else {
      throw error(
        "the format of '\(output)' is unknown; end it with .apng, .html, .svg, .gif, .webp, .mp4, "
          + ".webm, .y4m or .rgba, number frames as FOLDER/%05d.png, or give --to")
    }
    isGiven = form != .frames
  }

  /// Throws if options do not fit the form.
  private func check(
    _ arguments: Arguments, _ error: (String) -> UsageError
  ) throws(UsageError) {
    if form == .svg, arguments.has("earlier") {
      throw error("--earlier is not for .svg, which has outlines of strokes only")
    }
    if form != .apng, arguments.has("poster") {
      throw error("--poster is for .apng only")
    }
    if form == .html {
      for option in ["start", "end", "every-stroke", "ease"] where arguments.has(option) {
        throw error("--\(option) is not for .html, where the viewer chooses")
      }
      for option in Self.pictureOptions where arguments.has(option) {
        throw error("--\(option) is not for .html, which draws itself, as sharp as the screen")
      }
      guard ["0", "1"].contains(arguments.options["loop"] ?? "0") else {
        throw error("--loop is 1 or 0, which is endless, for .html")
      }
    }
    if path == .standardStream, form == .mp4 || form == .webm {
      throw error("a video in .\(form.rawValue) needs a file; give -o NAME.\(form.rawValue)")
    }
  }

  /// The picture options that a page does not support.
  private static let pictureOptions = [
    "scale", "size", "max-pixels", "color-space", "depth", "blend", "overlap", "quality",
    "metadata",
  ]

  /// The path of a frame, counted from 1; for other formats the only path.
  func name(_ number: Int) -> SystemString {
    form == .frames ? FramePattern(path)?.name(number) ?? path : path
  }
}

/// A path with a placeholder for a number: `frames/%05d.png`.
struct FramePattern {
  private let head: [UInt8]
  private let tail: [UInt8]
  private let width: Int

  init?(_ path: SystemString) {
    let bytes = path.bytes
    guard let percent = bytes.firstIndex(of: UInt8(ascii: "%")),
      let end = bytes[percent...].firstIndex(of: UInt8(ascii: "d")),
      !bytes[(end + 1)...].contains(UInt8(ascii: "%"))
    else { return nil }
    let digits = String(decoding: bytes[(percent + 1)..<end], as: UTF8.self)
    guard digits.isEmpty || (Int(digits).map { 1...18 ~= $0 } ?? false) else { return nil }
    head = Array(bytes[..<percent])
    tail = Array(bytes[(end + 1)...])
    width = Int(digits) ?? 1
  }

  /// The path of a frame, counted from 1.
  func name(_ number: Int) -> SystemString {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(width - digits.count, 0))
    return SystemString(bytes: head + Array((zeros + digits).utf8) + tail)
  }
}
