import InkFiles
import Glibc
import Graphics
import ForeignInk
import JSON
import Measurement
import Rasterization
import Strokes
import System

/// Other programs and libraries that draw the same lines, if they are installed.
///
/// Libraries are called from Python, and only drawing is timed, like our own rows. Programs are
/// timed as whole processes: starting, reading SVG, drawing, writing PNG; `pkd render` is listed
/// beside them.
enum PeerBench {
  /// The libraries, by the names of their Python modules.
  private static let libraries = [
    (name: "Cairo, Python", module: "cairo"), (name: "Skia, Python", module: "skia"),
    (name: "OpenCV, Python", module: "cv2"), (name: "Pillow, aliased", module: "PIL"),
  ]

  /// The programs, with their arguments for a drawing in SVG and a picture.
  private static let programs:
    [(name: String, words: @Sendable (SystemString, SystemString) -> [[UInt8]])] =
      [
        ("rsvg-convert", { ["-o".bytes, $1.bytes, $0.bytes] }),
        ("mutool", { ["draw".bytes, "-q".bytes, "-o".bytes, $1.bytes, $0.bytes] }),
      ]

  static func figures(
    _ input: BenchInput, _ plan: BenchPlan
  ) throws -> [Figure] {
    let page = try Renderer().rendering(of: input.strokes, on: input.file.canvas)
    let lines = PeerLines(input, page)
    return try BenchFolder.with { folder in
      var figures: [Figure] = []
      var absent: [String] = []
      let data = try folder.write(lines.json(plan.effort), to: "lines.json")
      for (name, module) in libraries {
        if let samples = try library(module, data, name, input) {
          figures.append(Figure(name, "ms", samples))
        } else {
          absent.append(String(name.prefix { $0 != "," }))
        }
      }
      let drawing = try folder.write(lines.svg, to: "lines.svg")
      let picture = folder.file("lines.png")
      let ink = try input.path ?? folder.write(input.bytes, to: "page.ink")
      let own = ["/proc/self/exe", "render", "-qo"].map(\.bytes)
      let words = own + [picture.bytes, "--".bytes, ink.bytes]
      figures += [try process("pkd render, process", words, plan, input)].compactMap(\.self)
      for (name, words) in programs {
        if let figure = try process(
          "\(name), process", [name.bytes] + words(drawing, picture), plan, input)
        {
          figures.append(figure)
        } else {
          absent.append(name)
        }
      }
      input.notes.append(
        "other libraries and programs draw lines of constant width through the same points"
          + (absent.isEmpty ? "" : "; not installed: \(absent.joined(separator: ", "))"))
      // Failed ones were reported on the standard error.
      return figures.filter { $0.sampleCount > 0 }
    }
  }

  /// The milliseconds of drawing by a library; nil if Python cannot import it.
  private static func library(
    _ module: String, _ data: SystemString, _ name: String, _ input: BenchInput
  ) throws -> [Double]? {
    let handle = open(data.cString, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { throw SystemError(data.description) }
    defer { close(handle) }
    do throws(ProcessFailure) {
      let run = try ProcessRun(
        ["python3", "-c", PeerScript.text, module].map(\.bytes), input: handle, takesOutput: true,
        timeout: maximumSeconds, shouldStop: { Interruption.isRequested })
      return String(decoding: run.output, as: UTF8.self).split(separator: "\n").compactMap {
        Double($0)
      }
    } catch {
      switch error {
      case .notStarted(ENOENT), .failed(PeerScript.absentCode, _): return nil
      case .stopped: throw error
      default:
        input.notes.append("\(name): \(error)")
        return []
      }
    }
  }

  /// The time of a program; nil if it is not installed, and a figure without samples after noting a
  /// failure.
  private static func process(
    _ name: String, _ words: [[UInt8]], _ plan: BenchPlan, _ input: BenchInput
  ) throws -> Figure? {
    let work = Work.timed {
      try ProcessRun(
        words, timeout: maximumSeconds, shouldStop: { Interruption.isRequested }
      ).taken
    }
    do {
      return Figure.milliseconds(name, try samples(plan.effort, [work])[0])
    } catch let error as ProcessFailure {
      switch error {
      case .notStarted(ENOENT): return nil
      case .stopped: throw error
      default:
        input.notes.append("\(name): \(error)")
        return Figure(name, "ms", [])
      }
    }
  }

  /// A peer is ended after this time.
  private static let maximumSeconds = 60.0
}

/// A drawing as lines of constant width, which every library can draw.
private struct PeerLines {
  let width: Int
  let height: Int
  private var lines: [Line] = []

  private struct Line {
    let color: Color
    let width: Double
    let points: [Point]
  }

  init(_ input: BenchInput, _ page: Rendering) {
    (width, height) = (page.width, page.height)
    // A page starts at the origin, and a picture of ink alone at its box.
    var origin = Point.zero
    if input.file.canvas.size == nil {
      let box = input.strokes.strokes.reduce(Rect.null) { $0.union($1.renderBounds) }
      origin = Point(x: box.minX, y: box.minY)
    }
    for stroke in input.strokes.strokes {
      let points = stroke.path.map { $0.location.applying(stroke.transform) - origin }
      guard let first = points.first, points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
        continue
      }
      let widths = stroke.path.reduce(0) { $0 + $1.size.width }
      lines.append(
        Line(
          color: stroke.ink.color.converted(to: .sRGB), width: widths / Double(points.count),
          points: points.count == 1 ? [first, first] : points))
    }
  }

  /// The lines for `PeerScript`.
  func json(_ effort: Effort) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("width", width)
      json.field("height", height)
      json.key("runs")
      // The script's output for more samples would exceed `ProcessRun.maximumOutput`.
      json.value(min(effort.samples, 1000))
      json.field("seconds", min(effort.maximumSeconds, 10))
      json.list("lines", lines, long: true) { json, line in
        json.list { json in
          json.list([line.color.red, line.color.green, line.color.blue, line.color.alpha])
          json.value(line.width)
          json.list(line.points.flatMap { [$0.x, $0.y] })
        }
      }
    }
    return json.bytes
  }

  /// The lines as a drawing in SVG.
  var svg: [UInt8] {
    func short(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
      <rect width="100%" height="100%" fill="white"/>
      <g fill="none" stroke-linecap="round" stroke-linejoin="round">

      """
    for line in lines {
      let points = line.points.map { "\(short($0.x)),\(short($0.y))" }.joined(separator: " ")
      text += """
        <polyline stroke="\(line.color.hex.prefix(7))" stroke-opacity="\(line.color.alpha)" \
        stroke-width="\(short(line.width))" points="\(points)"/>

        """
    }
    return Array((text + "</g>\n</svg>\n").utf8)
  }
}

extension String {
  fileprivate var bytes: [UInt8] { Array(utf8) }
}
