import InkFiles
import Graphics
import ForeignInk
import Measurement
import PKDFormat
import Strokes

/// A drawing to measure with.
final class BenchInput {
  /// The name in reports: the path, or the name of a built-in drawing.
  let name: String
  /// The file; nil for a built-in drawing, and for the standard input.
  let path: SystemString?
  let bytes: [UInt8]
  let file: DrawingFile
  /// The decoded strokes.
  let strokes: DrawnStrokes
  let pointCount: Int
  /// Notes for the reader of the report.
  var notes: [String] = []

  /// A file that was opened.
  convenience init(path: SystemString, bytes: [UInt8], file: DrawingFile) {
    let isStream = path == .standardStream
    self.init(
      name: isStream ? "standard input" : path.description.printable, path: isStream ? nil : path,
      bytes: bytes, file: file)
  }

  private init(name: String, path: SystemString?, bytes: [UInt8], file: DrawingFile) {
    (self.name, self.path, self.bytes, self.file) = (name, path, bytes, file)
    strokes = file.strokes()
    pointCount = strokes.strokes.reduce(0) { $0 + $1.path.count }
  }

  /// A built-in drawing, and the groups that measure it.
  struct BuiltIn: Sendable {
    let groups: [BenchGroup]
    /// Whether it takes so long that it is measured only when its group alone is requested.
    var isLarge = false
    let make: @Sendable () -> BenchInput?
  }

  /// The built-in drawings. Each call makes them again, because only one is needed at a time.
  static let builtIn = [
    BuiltIn(groups: BenchGroup.allCases) {
      recorded("page", Workload.page(), width: 1024, height: 1366)
    },
    BuiltIn(groups: BenchGroup.allCases) {
      recorded("sketch", Workload.sketch(), width: 1024, height: 1366)
    },
    BuiltIn(groups: BenchGroup.allCases) {
      recorded("doodle", Workload.doodle(), width: 430, height: 760)
    },
    BuiltIn(groups: [.png]) {
      recorded("marker", Workload.highlights(), width: 1024, height: 1366)
    },
    BuiltIn(groups: [.png]) { recorded("blank", PKDrawing(), width: 1024, height: 1366) },
    BuiltIn(groups: [.png]) { recorded("digit", Workload.digit(), width: 28, height: 28) },
    BuiltIn(groups: [.replay], isLarge: true) {
      recorded(
        "notebook", Workload.wanderings(3000, pointCount: 100, scale: 2), width: 2048, height: 2732)
    },
    BuiltIn(groups: [.way], isLarge: true) {
      recorded("poster", Workload.poster(), width: 8000, height: 8000)
    },
  ]

  private static func recorded(
    _ name: String, _ drawing: PKDrawing, width: Double, height: Double
  ) -> BenchInput? {
    let canvas = Recording.Canvas(size: Size(width: width, height: height))
    guard let bytes = try? PKDWriter.encode(drawing, on: canvas),
      let file = try? DrawingFile(bytes)
    else { return nil }
    return BenchInput(name: name, path: nil, bytes: bytes, file: file)
  }

  /// A line about the drawing.
  var description: String {
    var inks: [String] = []
    for stroke in strokes.strokes {
      let ink = stroke.ink.inkType.name.printable
      // A hostile file may have thousands of inks.
      if !inks.contains(ink), inks.count < 9 { inks.append(ink) }
    }
    let parts =
      [strokes.strokes.count.counting("stroke"), pointCount.counting("point")] + inks
    return "\(name): \(parts.joined(separator: ", "))"
  }
}
