import InkFiles
import Glibc
import Graphics
import ForeignInk
import Measurement
import PencilKitArchive
import Strokes
import VectorExport

/// Foreign ink: the speed of reading files of other programs, the memory that this takes, the speed
/// of drawing thumbnails of data sets, and the size of vector files. The files are expected beside
/// the checkout; without them there are no figures.
enum InterchangeBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    reading(effort) + controlPoints() + memory(effort) + thumbnails(effort) + vectors(effort)
  }

  private static let corpus = "../shared/corpus/"

  /// A format, the files of the corpus that are measured, and whether they are text.
  private struct Sample {
    let name: String
    let files: String
    var isText = false
    /// Whether files store measured pen positions, not curves or corners.
    var hasPlaces = true
  }

  private static let samples = [
    Sample(name: "reMarkable", files: "remarkable/*.rm"),
    Sample(name: "Supernote", files: "supernote/*.note"),
    Sample(name: "UIM 3.0", files: "wacom-uim/v3.0.0*.uim", hasPlaces: false),
    Sample(name: "UIM 3.1", files: "wacom-uim/v3.1.0*.uim", hasPlaces: false),
    Sample(name: "WILL", files: "wacom-will/*.will", hasPlaces: false),
    Sample(name: "ISF", files: "isf/*.isf"),
    Sample(name: "Quick, Draw! raw", files: "quickdraw-raw/*.ndjson", isText: true),
    Sample(
      name: "Quick, Draw! simplified", files: "quickdraw-simplified/*.ndjson", isText: true,
      hasPlaces: false),
    Sample(name: "InkML", files: "inkml/*.inkml", isText: true),
    Sample(name: "Xournal++", files: "xournalpp/*.xopp", isText: true),
    Sample(name: "Rnote", files: "rnote/*.rnote", isText: true),
    Sample(name: "Excalidraw", files: "excalidraw/*", isText: true),
    Sample(name: "tldraw", files: "freehand-json/*.tldr", isText: true),
    Sample(name: "perfect-freehand", files: "freehand-json/perfect*.json", isText: true),
    Sample(name: "write-math", files: "hwrt/*.json", isText: true),
    Sample(name: "Omniglot", files: "omniglot/*.txt", isText: true),
    Sample(name: "MyPaint", files: "mypaint-events/*.dat", isText: true),
  ]

  private static func paths(_ pattern: String) -> [String] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(corpus + pattern, 0, nil, &result) == 0 else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
  }

  // MARK: - Reading

  /// The megabytes of files that become recordings in a second, all pages of all files of a format.
  private static func reading(_ effort: Effort) -> [Figure] {
    samples.flatMap { sample -> [Figure] in
      let files = paths(sample.files).map { contents(of: $0) }.filter {
        (try? DrawingFile($0)) != nil
      }
      guard !files.isEmpty else { return [] }
      var plain = ImportOptions()
      plain.fit = nil
      let taken = times(effort, [{ read(files, plain) }, { read(files, ImportOptions()) }])
      let megabytes = Double(files.reduce(0) { $0 + $1.count }) / 1e6
      let name = "interchange, read \(sample.name)"
      return [
        Figure(
          name, "MB/s", taken[0].map { megabytes / $0 }, goal: .atLeast(sample.isText ? 20 : 50)),
        Figure("\(name), with the fit of curves", "MB/s", taken[1].map { megabytes / $0 }),
      ]
    }
  }

  private static func read(_ files: [[UInt8]], _ options: ImportOptions) {
    for bytes in files {
      guard let file = try? DrawingFile(bytes, options: options) else { continue }
      consume(file.strokes())
      for page in 1..<max(file.pageCount, 1) { consume(try? file.page(page).strokes()) }
    }
  }

  /// The control points that the fit leaves, as a share of the pen's points, of each format and of
  /// all. Importers of positions that were rounded to pixels allow half a pixel, so this figure
  /// does not show the fit's usual tolerance.
  private static func controlPoints() -> [Figure] {
    var plain = ImportOptions()
    plain.fit = nil
    var (controls, points) = (0, 0)
    var figures = samples.filter(\.hasPlaces).compactMap { sample -> Figure? in
      let files = paths(sample.files).map { contents(of: $0) }
      let (own, all) = (pointCount(files, ImportOptions()), pointCount(files, plain))
      controls += own
      points += all
      guard all > 0 else { return nil }
      return Figure(
        "interchange, control points of \(sample.name)", "×", [Double(own) / Double(all)])
    }
    guard points > 0 else { return [] }
    figures.append(
      Figure("interchange, control points of all formats", "×", [Double(controls) / Double(points)])
    )
    return figures
  }

  private static func pointCount(_ files: [[UInt8]], _ options: ImportOptions) -> Int {
    files.reduce(0) { sum, bytes in
      guard let file = try? DrawingFile(bytes, options: options) else { return sum }
      return (0..<file.pageCount).reduce(sum) { sum, page in
        let strokes = (try? file.page(page))?.strokes().strokes ?? []
        return strokes.reduce(sum) { $0 + $1.path.count }
      }
    }
  }

  // MARK: - Memory

  /// The peak memory of `pkd convert` for the largest file of each format, beyond that for a
  /// drawing of one dot, as a multiple of the file.
  private static func memory(_ effort: Effort) -> [Figure] {
    guard WholeProcess.isBuilt else { return [] }
    return withTemporaryFolder { folder in
      let dot = folder + "/dot.json"
      PNGContender.write(JSONDrawingWriter.encode(dotDrawing), to: dot)
      guard
        let least = WholeProcess.peak(["convert", dot, "-o", folder + "/pages/", "--to", "pkd"])
      else { return [] }
      return samples.compactMap { sample -> Figure? in
        let sizes = paths(sample.files).map { (path: $0, bytes: contents(of: $0).count) }
        // For smaller files, the figure would be the memory of the program itself.
        guard let largest = sizes.max(by: { $0.bytes < $1.bytes }), largest.bytes >= 90_000,
          let peak = WholeProcess.peak(
            ["convert", largest.path, "-o", "\(folder)/\(sample.name)/", "--to", "pkd"])
        else { return nil }
        let name = "interchange, memory, convert \(sample.name) (\(largest.bytes / 1000) kB)"
        return Figure(
          name, "× the file", [(peak - least) * 1e6 / Double(largest.bytes)], goal: .atMost(12))
      }
    } ?? []
  }

  private static var dotDrawing: PKDrawing {
    let point = PKStrokePoint(
      location: .zero, timeOffset: 0, size: Size(width: 3, height: 3), opacity: 1, force: 1,
      azimuth: 0,
      altitude: .pi / 2)
    return PKDrawing(strokes: [
      PKStroke(ink: PKInk(.pen), path: PKStrokePath(controlPoints: [point]))
    ])
  }

  // MARK: - Data sets

  /// The drawings of a data set that become pictures in a second on one thread, from file to
  /// archive.
  private static func thumbnails(_ effort: Effort) -> [Figure] {
    guard WholeProcess.isBuilt else { return [] }
    let bytes = paths("quickdraw-simplified/*.ndjson").flatMap { contents(of: $0) }
    let copies = effort.samples > 3 ? 20 : 1
    let drawings = copies * bytes.lazy.filter { $0 == UInt8(ascii: "\n") }.count
    guard drawings > 0 else { return [] }
    return withTemporaryFolder { folder in
      let path = folder + "/drawings.ndjson"
      PNGContender.write((0..<copies).flatMap { _ in bytes }, to: path)
      let commands = [256, 28].map {
        [
          "thumbnail", "--ndjson", path, "--size", "\($0)", "--threads", "1", "--force", "-o",
          folder + "/all.tar",
        ]
      }
      let taken = WholeProcess.turns(effort.samples > 3 ? 7 : 1, commands)
      let goals: [Double] = [15_000, 60_000]
      return [256, 28].indices.map { index in
        Figure(
          "interchange, Quick, Draw! thumbnails of \([256, 28][index]) pixels", "drawings/s",
          taken[index].map { Double(drawings) / $0 }, goal: .atLeast(goals[index]))
      }
    } ?? []
  }

  // MARK: - Vectors

  /// The sizes of a handwritten page as SVG and PDF, and the time of the whole process.
  private static func vectors(_ effort: Effort) -> [Figure] {
    let path = corpus + "pkdrawing/apple-notes-color.drawing"
    guard let file = try? DrawingFile(contents(of: path)) else { return [] }
    let drawing = file.strokes().drawing
    guard let svg = try? SVGExporter().svg(of: drawing),
      let pdf = try? PDFExporter().pdf(of: [.init(drawing)])
    else { return [] }
    let share = Double(svg.count) / Double(polygonBytes(drawing))
    var figures = [
      Figure(
        "interchange, SVG of a page of notes to its plain polygons", "×", [share],
        goal: .atMost(0.4)),
      Figure("interchange, SVG of a page of notes", "kB", [Double(svg.count) / 1e3]),
      Figure(
        "interchange, PDF of a page of notes", "kB", [Double(pdf.count) / 1e3], goal: .atMost(150)),
    ]
    guard WholeProcess.isBuilt else { return figures }
    withTemporaryFolder { folder in
      let targets = ["svg", "pdf", "xopp", "inkml", "excalidraw"]
      let taken = WholeProcess.turns(
        effort.samples, targets.map { ["convert", path, "-o", folder + "/page.\($0)", "--force"] })
      for (target, seconds) in zip(targets, taken) {
        figures.append(
          Figure(
            "interchange, convert a page of notes to \(target)", "ms", seconds.map { $0 * 1e3 }))
      }
    }
    return figures
  }

  /// The bytes of an SVG that stores the edge of every stroke as a polygon, in hundredths of a
  /// point.
  private static func polygonBytes(_ drawing: PKDrawing) -> Int {
    drawing.strokes.reduce(0) { sum, stroke in
      let points = stroke.outline().flattened(tolerance: 0.1).joined()
      return sum
        + points.reduce(60) { $0 + hundredths($1.x).utf8.count + hundredths($1.y).utf8.count + 2 }
    }
  }

  private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
