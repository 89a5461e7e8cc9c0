import InkFiles
import Glibc
import Graphics
import ForeignInk
import PNGFormat
import Pictures
import Rasterization
import Replay
import Strokes
import Threads

/// The rendering options of a command line, shared by all commands that render.
struct PictureOptions {
  var rendering: RenderOptions
  var texts: [PNGText]
  /// The time that is spent to make files smaller.
  let effort: PNGEncoder.Effort
  /// Whether any option that changes the size was given.
  let setsExtent: Bool
  /// Whether the style was given.
  let setsStyle: Bool

  static let size = Option(
    "size", value: "WxH|N",
    form: ValueForm("WIDTHxHEIGHT or one number of pixels") {
      RenderOptions.Extent(size: $0) != nil
    },
    help: "Exact size in pixels, or the length of the longer side.")

  /// The definitions of all these options.
  static let table = [
    Option(
      "scale", value: "F", form: .positive(), help: "Pixels per point; 1 unless a size is given."),
    size,
    Option(
      "region", value: "X,Y,W,H",
      form: ValueForm("X,Y,WIDTH,HEIGHT in points, the last two above zero") {
        Rect(region: $0) != nil
      },
      help: "Show this part of the page, in points."),
    choice(
      "frame", of: [RenderOptions.Frame.page, .content],
      "Show the page or the ink; the page, if there is one, unless given."),
    margin("none unless given"),
    Option(
      "background", value: "COLOR",
      help: "A name ('pkd help colors'), #RRGGBB, #RRGGBBAA, transparent, or auto for one on "
        + "which the ink shows; the page's own unless given."),
    choice(
      "paper", of: RenderOptions.Paper.allCases,
      "The lines on the paper; the page's own unless given."),
    Option("no-pattern", help: "Leave out the lines of the paper."),
    Option(
      "earlier", value: "COLOR", isValueOptional: true,
      help: "Let strokes show through that were erased, undone or moved away; in sienna unless "
        + "given."),
    choice(
      "style", of: RenderOptions.Style.allCases,
      "Ink for a light or dark background, or with its stored colours."),
    choice("color-space", of: ColorSpace.allCases, "The colour space of the picture."),
    Option("depth", choices: ["8", "16"], help: "Bits of each component."),
    choice("blend", of: RenderOptions.Blending.allCases, "Blend encoded values or linear light."),
    choice(
      "overlap", of: RenderOptions.Overlap.allCases,
      "How ink blends with itself; chosen by each ink unless given."),
    choice("quality", of: RenderOptions.Quality.allCases, "The precision of edges."),
    Option(
      "max-pixels", value: "N", form: .whole(1...),
      help: "Refuse larger pictures; 100000000 unless given."),
    choice("effort", of: PNGEncoder.Effort.allCases, "How much time is spent on smaller files."),
    Option(
      "metadata", value: "KEY=VALUE", help: "A text to store in the picture; may be repeated."),
  ]

  /// The definitions for thumbnails, which have a margin of their own.
  static let thumbnailTable = table.map {
    $0.name == "margin"
      ? margin("unless given, none around a page and 6 % of its longer side around ink") : $0
  }

  private static func margin(_ usual: String) -> Option {
    Option(
      "margin", value: "P", form: .number(0 ... .infinity),
      help: "Space around the shown part, in points; \(usual).")
  }

  private static func choice<Value: RawRepresentable<String>>(
    _ name: String, of values: [Value], _ help: String
  ) -> Option { Option(name, choices: values.map(\.rawValue), help: help) }

  /// Parses the options; `extent` is the default without scale and size, `margin` without a margin.
  init(
    _ arguments: Arguments, of command: String, extent: RenderOptions.Extent,
    margin: RenderOptions.Margin = .points(0)
  ) throws(UsageError) {
    let reader = OptionReader(arguments: arguments, command: command)
    rendering = RenderOptions()
    rendering.extent = try reader.extent() ?? extent
    rendering.region = arguments.options["region"].flatMap { Rect(region: $0) }
    rendering.frame = reader.choice("frame") ?? .automatic
    rendering.margin = arguments.number("margin").map { .points($0) } ?? margin
    rendering.background = try reader.background() ?? .page
    rendering.paper = reader.choice("paper")
    rendering.showsPattern = !arguments.has("no-pattern")
    rendering.earlier = try reader.earlier()
    rendering.style = reader.choice("style") ?? .light
    rendering.colorSpace = reader.choice("color-space") ?? .sRGB
    rendering.depth = arguments.options["depth"] == "16" ? .sixteen : .eight
    rendering.blending = reader.choice("blend") ?? .encoded
    rendering.overlap = reader.choice("overlap")
    rendering.quality = reader.choice("quality") ?? .normal
    rendering.maximumPixels = arguments.whole("max-pixels") ?? rendering.maximumPixels
    // More than 64 threads would only wait for each other.
    rendering.threads = min(arguments.whole(Option.threads.name) ?? Lanes.available, 64)
    texts = try reader.texts()
    effort = reader.choice("effort") ?? .fast
    setsStyle = arguments.has("style")
    setsExtent = ["scale", "size", "region", "margin", "max-pixels"].contains(where: arguments.has)
    for other in ["frame", "margin"] where rendering.region != nil && arguments.has(other) {
      throw reader.error("--region and --\(other) exclude each other")
    }
  }
}

extension RenderOptions {
  /// The strokes of a file that show through, if these options request them.
  func earlierStrokes(of file: DrawingFile) throws(ReplayError) -> [EarlierStroke] {
    guard earlier != nil else { return [] }
    let source = file.replay().source
    let history = try PageHistory(of: source)
    return try history.earlierStrokes(afterSteps: history.steps.count, in: source)
  }
}

extension PictureOptions {
  /// Writes a picture to a file. Returns the pixel form.
  func write(_ picture: Picture, to file: OutputFile) throws(SystemError) -> String {
    do throws(PNGEncodingError<SystemError>) {
      return try picture.writePNG(effort: effort, texts: texts) { bytes throws(SystemError) in
        try file.write(bytes)
      }.form
    } catch {
      throw SystemError(error)
    }
  }

  /// Writes a frame of a replay to a file.
  func write(
    _ frame: some BandSource, _ properties: PNGProperties, to file: OutputFile
  ) throws(SystemError) {
    let encoder = PNGEncoder(effort: effort, threads: rendering.threads)
    do throws(PNGEncodingError<SystemError>) {
      try encoder.encode(frame, properties) { bytes throws(SystemError) in try file.write(bytes) }
    } catch {
      throw SystemError(error)
    }
  }
}

extension SystemError {
  fileprivate init(_ error: PNGEncodingError<SystemError>) {
    switch error {
    case .sink(let failure): self = failure
    case .picture(let problem): self.init("\(problem)", code: EINVAL)
    }
  }
}

/// Parses values of options; throws with a description of an invalid one.
private struct OptionReader {
  let arguments: Arguments
  let command: String

  func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }

  func choice<Value: RawRepresentable<String>>(_ name: String) -> Value? {
    arguments.options[name].flatMap(Value.init(rawValue:))
  }

  func extent() throws(UsageError) -> RenderOptions.Extent? {
    let scale = arguments.number("scale")
    guard let size = arguments.options["size"] else { return scale.map { .scale($0) } }
    guard scale == nil else { throw error("--scale and --size exclude each other") }
    return RenderOptions.Extent(size: size)
  }

  func background() throws(UsageError) -> RenderOptions.Background? {
    switch arguments.options["background"] {
    case nil: nil
    case "transparent": .transparent
    case "auto": .automatic
    case .some(let text): .color(try color(text, of: "background", words: ["transparent", "auto"]))
    }
  }

  func earlier() throws(UsageError) -> RenderOptions.Earlier? {
    guard let text = arguments.options["earlier"] else { return nil }
    guard !text.isEmpty else { return .sienna }
    let color = try color(text, of: "earlier", words: [])
    // A colour without digits for its opacity is as translucent as sienna.
    return .color(color.alpha < 1 ? color : color.withAlpha(RenderOptions.Earlier.opacity))
  }

  /// A colour by its name or digits; `words` are the option's other allowed values.
  private func color(
    _ text: String, of option: String, words: [String]
  ) throws(UsageError) -> Color {
    if let color = Color(hex: text) ?? namedColors[text.lowercased()].flatMap({ Color(hex: $0) }) {
      return color
    }
    let names = namedColors.keys.sorted()
    throw error(
      "--\(option) cannot be '\(text)'"
        + (nearest(to: text, among: names + words).map { "; did you mean '\($0)'?" }
          ?? "; give \((words + ["#RRGGBB", "#RRGGBBAA"]).joined(separator: ", ")) or one of "
          + names.joined(separator: ", ")))
  }

  func texts() throws(UsageError) -> [PNGText] {
    var texts: [PNGText] = []
    for given in arguments.values["metadata"] ?? [] {
      guard let equals = given.firstIndex(of: "=") else {
        throw error("--metadata needs KEY=VALUE, not '\(given)'")
      }
      let text = PNGText(String(given[..<equals]), String(given[equals...].dropFirst()))
      do throws(PNGError) { try text.check() } catch { throw self.error("--metadata: \(error)") }
      texts.append(text)
    }
    return texts
  }
}

extension RenderOptions.Extent {
  /// An extent from the text of a size; nil if it is invalid.
  fileprivate init?(size text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard 1...2 ~= parts.count, parts.allSatisfy({ $0 > 0 }) else { return nil }
    self = parts.count == 1 ? .longerSide(parts[0]) : .pixels(width: parts[0], height: parts[1])
  }
}

extension Rect {
  /// A rectangle with an area, from its text; nil if it is invalid.
  fileprivate init?(region text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0) ?? .nan
    }
    guard parts.count == 4, parts.allSatisfy(\.isFinite), parts[2] > 0, parts[3] > 0 else {
      return nil
    }
    self.init(x: parts[0], y: parts[1], width: parts[2], height: parts[3])
  }
}

/// The sixteen colour names of HTML 4, and some more of CSS.
private let namedColors = [
  "aqua": "#00FFFF", "beige": "#F5F5DC", "black": "#000000", "blue": "#0000FF",
  "brown": "#A52A2A", "cyan": "#00FFFF", "fuchsia": "#FF00FF", "gold": "#FFD700",
  "gray": "#808080", "green": "#008000", "grey": "#808080", "ivory": "#FFFFF0",
  "lavender": "#E6E6FA", "lightgray": "#D3D3D3", "lightgrey": "#D3D3D3", "lime": "#00FF00",
  "linen": "#FAF0E6", "magenta": "#FF00FF", "maroon": "#800000", "navy": "#000080",
  "olive": "#808000", "orange": "#FFA500", "pink": "#FFC0CB", "purple": "#800080",
  "red": "#FF0000", "silver": "#C0C0C0", "snow": "#FFFAFA", "teal": "#008080",
  "white": "#FFFFFF", "yellow": "#FFFF00",
]

/// The name of a colour, or its digits if it has none.
func colorName(_ color: Color) -> String {
  let hex = color.converted(to: .sRGB).hex
  return namedColors.filter { $0.value == hex }.keys.min() ?? hex
}

/// The text of `pkd help colors`.
var colorHelp: String {
  let names = namedColors.sorted { $0.key < $1.key }
  let width = names.map(\.key.count).max() ?? 0
  return """
    Colours are transparent, auto (the page's own, white or a dark one, on which
    the ink shows), #RRGGBB, #RRGGBBAA (the last two digits: opacity) or one of
    these names:

    """ + names.map { "\n  \($0.key.padded(to: width))  \($0.value)" }.joined()
}
