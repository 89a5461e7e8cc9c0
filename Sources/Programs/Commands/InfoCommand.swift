import InkFiles
import Graphics
import ForeignInk
import JSON
import PKDFormat
import PencilKitArchive
import Rasterization
import Replay
import Strokes

/// `pkd info`: shows what files contain.
let infoCommand = CommandDefinition(
  name: "info",
  summary: "Show what files of ink contain.",
  operands: "FILE…",
  operandCount: 1...Int.max,
  options: [
    .json,
    Option(
      "sizes", help: "Also show the size of each point channel (.pkd), which decodes all points."),
  ] + InputFiles.options + InputOptions.table,
  examples: [
    ("pkd info page.drawing", "A table of what the file holds."),
    ("pkd info --json *.drawing", "One line of JSON for each file."),
    ("pkd info -r notes/", "All ink in a folder and its folders."),
    ("pkd info --sizes page.pkd", "Also the size of each point channel."),
    ("pkd info -v page.rm", "Also what holds for every file of its format."),
    ("cat recording.pkd | pkd info -", "The same for the standard input."),
  ]
) { arguments, console in
  let options = InputOptions(arguments)
  let inputs = try InputFiles(arguments, of: "info", &console).paths
  for (index, path) in inputs.enumerated() {
    guard let (bytes, file) = console.open(path, options) else { continue }
    var pages = [file]
    if options.page == nil {
      pages += (1..<max(file.pageCount, 1)).compactMap { console.page($0, of: file, path) }
    }
    let facts = FileFacts(
      path: path.description, bytes: bytes, pages: pages, hasChannelSizes: arguments.has("sizes"))
    if arguments.has(Option.json.name) {
      try console.printAlways(facts.json)
    } else {
      if index > 0 { try console.print("") }
      try console.print(facts.table(console))
    }
    // The readable part was printed; the exit code shows that the file is damaged.
    for page in pages {
      for damage in page.damage {
        console.fail("\(page.place(in: path)): \(damage); 'pkd verify' has details", .badData)
      }
    }
  }
}

extension Console {
  /// The visible notes about a foreign file: routine notes only with `--verbose`.
  func shown(_ notes: ImportNotes) -> [(text: String, count: Int)] {
    isVerbose ? notes.counts : notes.telling
  }
}

/// The facts that `info` prints about a drawing.
struct DrawingFacts {
  let strokes: Int
  let pieces: Int
  let deletedStrokes: Int
  /// The number of stored points; the pieces of a cut stroke share them.
  let points: Int
  /// Strokes by ink, in the order of each ink's first stroke.
  let inks: [(name: String, strokes: Int)]
  /// The values that change along at least one stroke.
  let channels: [String]
  let bounds: Rect
  let duration: Double
  fileprivate(set) var created: Timestamp?
  let requiredContentVersion: Int

  /// `changingChannels` is only called for strokes that may have channels no earlier stroke has.
  init(
    _ strokes: some Sequence<StrokeOverview>, deletedStrokes: Int,
    changingChannels: (_ position: Int) -> PointChannels
  ) {
    var inks: [(name: String, strokes: Int)] = []
    var indices: [PKInk.InkType: Int] = [:]
    var varying = PointChannels([.x, .y])
    var counted = Set<Identifier>()
    var (strokeCount, pieces, points) = (0, 0, 0)
    var bounds = Rect.null
    var times: (start: Timestamp, end: Timestamp)?
    var created: Timestamp?
    var version = PKContentVersion.version1
    for (position, stroke) in strokes.enumerated() {
      strokeCount += 1
      if stroke.isPiece { pieces += 1 }
      bounds = bounds.union(stroke.bounds)
      version = max(version, stroke.ink.requiredContentVersion)
      let time = stroke.time
      times = (
        min(times?.start ?? time.lowerBound, time.lowerBound),
        max(times?.end ?? time.upperBound, time.upperBound)
      )
      if stroke.isDated { created = min(created ?? time.lowerBound, time.lowerBound) }
      if let index = indices[stroke.ink.inkType] {
        inks[index].strokes += 1
      } else {
        indices[stroke.ink.inkType] = inks.count
        inks.append((stroke.ink.inkType.name, 1))
      }
      if let parent = stroke.parentID, !counted.insert(parent).inserted { continue }
      points += stroke.pointCount
      if !varying.isSuperset(of: stroke.varying) {
        varying.formUnion(changingChannels(position))
      }
    }
    self.strokes = strokeCount
    self.pieces = pieces
    self.deletedStrokes = deletedStrokes
    self.points = points
    self.inks = inks
    channels = PointChannel.allCases.filter { varying.contains($0) }.map(\.name)
    self.bounds = bounds
    self.created = created
    let seconds = times.map { $0.end - $0.start } ?? 0
    duration = seconds.isFinite ? seconds : .greatestFiniteMagnitude
    requiredContentVersion = version.rawValue
  }
}

extension DrawingFacts {
  /// The facts about the drawing of a file; for most files without decoding points.
  init(_ file: DrawingFile) {
    if let reader = file.reader, let strokes = Self.finalStrokes(of: reader) {
      let residue = try? reader.readResidue()
      self.init(
        strokes.lazy.map { reader.overview(ofStroke: $0) },
        deletedStrokes: residue.flatMap { PencilKitSummary(of: $0) }?.deletedStrokeCount ?? 0
      ) { position in
        let varying = reader.overview(ofStroke: strokes[position]).varying
        // Only the points show whether the secondary width equals the width.
        guard varying.contains(.secondaryWidth) else { return varying }
        return (try? reader.stroke(at: strokes[position]))?.path.changingChannels ?? varying
      }
      return
    }
    let drawing = file.strokes().drawing
    self.init(
      drawing.strokes.lazy.map { StrokeOverview($0) },
      deletedStrokes: PencilKitSummary(of: drawing)?.deletedStrokeCount ?? 0
    ) { drawing.strokes[$0].path.changingChannels }
  }

  /// The numbers of the strokes that remain at the end; nil if some were changed after they were
  /// drawn, or if that is unknown.
  private static func finalStrokes(of reader: PKDReader) -> [Int]? {
    guard reader.hasEvents else { return reader.lacksEvents ? nil : Array(0..<reader.strokeCount) }
    guard reader.readScript().damage == nil, let history = try? PageHistory(of: reader) else {
      return nil
    }
    let page = history.page(afterSteps: history.steps.count).map { history.showings[Int($0)] }
    let areAsDrawn = page.allSatisfy { !$0.isMoved && !history.isExtended(stroke: $0.stroke) }
    return areAsDrawn ? page.map(\.stroke) : nil
  }
}

extension PointChannel {
  /// The name of a channel in the JSON form.
  var name: String {
    switch self {
    case .x: "x"
    case .y: "y"
    case .timeOffset: "t"
    case .width: "w"
    case .aspect: "h"
    case .secondaryWidth: "secondaryScale"
    case .lateralJitter: "jitter"
    case .edge: "edge"
    case .force: "force"
    case .azimuth: "azimuth"
    case .altitude: "altitude"
    case .opacity: "opacity"
    case .threshold: "threshold"
    }
  }
}

/// The facts that `info` prints about a file.
struct FileFacts {
  let path: String
  let byteCount: Int
  let format: DrawingFile.Format
  let version: Int
  /// The pages to show.
  let pages: [PageFacts]
  let pageCount: Int
  /// The facts that only recordings have; nil for other formats.
  let recording: DrawingFile.RecordingFacts?
  let eventCount: Int
  /// The metadata text that names the paper; nil if there is none.
  let paper: String?
  let sizes: SizeBreakdown?
  /// The recognized words; nil if no program has searched for words.
  let words: RecognizedText?
  /// The notes that concern the whole foreign file.
  private let fileNotes: ImportNotes
  let damage: [DrawingFileError]

  /// The facts of a file from its pages, of which there is at least one.
  init(path: String, bytes: [UInt8], pages files: [DrawingFile], hasChannelSizes: Bool) {
    let file = files[0]
    self.path = path
    byteCount = bytes.count
    format = file.format
    version = file.version
    pages = files.map { PageFacts($0) }
    pageCount = file.pageCount
    recording = file.recordingFacts
    eventCount = file.reader?.eventCount ?? 0
    paper = file.canvas.text(named: RenderOptions.Paper.textName)
    fileNotes = file.imported?.notes ?? ImportNotes()
    sizes = file.reader.map { SizeBreakdown($0, hasChannels: hasChannelSizes) }
    words = try? file.reader?.readWords()
    damage = files.flatMap(\.damage)
  }

  /// The guesses and losses in all pages together.
  private var notes: ImportNotes { pages.reduce(into: fileNotes) { $0.add($1.notes) } }

  /// One line of JSON.
  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.field("file", path)
      json.field("format", format.rawValue)
      json.field("version", version)
      json.field("bytes", byteCount)
      json.list("drawings", pages) { json, page in
        json.object { json in
          if !page.name.isEmpty {
            json.field("name", page.name)
          }
          page.drawing.write(into: &json)
          if let source = page.source {
            json.object("source") { json in
              json.field("strokes", source.strokes)
              json.field("points", source.points)
            }
          }
        }
      }
      if pageCount > 1 {
        json.field("pages", pageCount)
      }
      if !notes.counts.isEmpty {
        json.list("notes", notes.counts) { json, note in json.value(note.text) }
      }
      if let recording {
        json.field("profile", recording.profile.name)
        json.field("finished", recording.isFinished)
        json.field("events", eventCount)
        json.list("damage", damage) { json, damage in json.value("\(damage)") }
      }
      if let paper {
        json.field("paper", paper)
      }
      if let words {
        json.object("text") { json in
          json.field("recognizer", words.recognizer)
          json.field("version", words.version)
          json.field("language", words.language)
          json.field("words", words.words.count)
        }
      }
      if let sizes {
        json.key("sizes")
        sizes.write(into: &json)
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Lines for people.
  func table(_ console: Console) -> String {
    var rows: [(String, String)] = [
      ("format", format.rawValue + (version > 0 ? ", version \(version)" : "")),
      ("size", "\(byteCount) bytes"),
    ]
    if pages.count == 1 {
      if pageCount > 1 { rows.append(("page", "one of \(pageCount)")) }
      rows += pages[0].drawing.rows(byteCount: pageCount == 1 ? byteCount : nil)
      if let source = pages[0].source {
        rows.append(("in the file", "\(source.strokes) strokes, \(source.points) points"))
      }
    } else {
      rows += pageRows
    }
    for (index, note) in console.shown(notes).enumerated() {
      rows.append((index == 0 ? "notes" : "", "\(note.text) (\(note.count))"))
    }
    if let recording {
      rows[0].1 += ", \(recording.profile.name)"
      if recording.hasEvents { rows.append(("events", "\(eventCount)")) }
      if !damage.isEmpty {
        rows.append(("state", "damaged; only the readable part is shown"))
      } else if !recording.isFinished {
        rows.append(("state", "not finished: it was cut off, or is being written"))
      }
    }
    if let paper {
      let isKnown = RenderOptions.Paper(rawValue: paper) != nil
      rows.append(
        ("paper", paper.printable + (isKnown ? "" : ", which is unknown and shown as blank")))
    }
    if let words {
      let about = [words.recognizer, words.version].filter { !$0.isEmpty }.joined(separator: " ")
      rows.append(
        ("text", words.words.count.counting("word") + (about.isEmpty ? "" : " by \(about)")))
    }
    if let sizes { rows += sizes.rows(byteCount: byteCount) }
    let width = rows.map(\.0.count).max() ?? 0
    return console.bold(path.printable) + "\n"
      + rows.map { "  " + console.dim($0.0.padded(to: width)) + "  " + $0.1 }
      .joined(separator: "\n")
  }
}

/// The facts that `info` prints about a page.
struct PageFacts {
  let name: String
  let drawing: DrawingFacts
  /// The content of a foreign file before curves were fitted; nil for our own formats.
  let source: SourceCounts?
  let notes: ImportNotes

  private static let firstDate = Timestamp.referenceDate + 30 * 86_400

  init(_ file: DrawingFile) {
    name = file.page?.name ?? ""
    var drawing = DrawingFacts(file)
    // Foreign times that are relative to the file's start are counted from 2001, the origin of our
    // dates.
    if file.page != nil, let created = drawing.created, created < Self.firstDate {
      drawing.created = nil
    }
    self.drawing = drawing
    source = file.page?.source
    notes = file.page?.notes ?? ImportNotes()
  }
}

extension FileFacts {
  /// A file of thousands of drawings lists only the first ones.
  private static let listedPages = 20

  /// A line for each page.
  private var pageRows: [(String, String)] {
    var rows = [
      ("pages", "\(pageCount)"),
      ("strokes", "\(pages.reduce(0) { $0 + $1.drawing.strokes })"),
      ("points", "\(pages.reduce(0) { $0 + $1.drawing.points })"),
    ]
    for (index, page) in pages.prefix(Self.listedPages).enumerated() {
      let (drawing, bounds) = (page.drawing, page.drawing.bounds)
      let name = page.name.isEmpty ? "" : page.name.printable + ": "
      let size = bounds.isNull ? "" : ", \(short(bounds.width)) × \(short(bounds.height))"
      rows.append(
        (
          "page \(index + 1)",
          "\(name)\(drawing.strokes) strokes, \(drawing.points) points\(size)"
        ))
    }
    if pages.count > Self.listedPages {
      rows.append(("", "and \(pages.count - Self.listedPages) more"))
    }
    return rows
  }
}

extension DrawingFacts {
  fileprivate func write(into json: inout JSONWriter) {
    json.field("strokes", strokes)
    json.field("deletedStrokes", deletedStrokes)
    json.field("pieces", pieces)
    json.field("points", points)
    json.list("inks", inks) { json, ink in json.value(ink.name) }
    json.list("channels", channels) { $0.value($1) }
    json.key("bounds")
    if bounds.isNull {
      json.null()
    } else {
      json.list([bounds.minX, bounds.minY, bounds.width, bounds.height])
    }
    json.field("duration", duration)
    json.key("created")
    if let text = created?.iso8601 { json.value(text) } else { json.null() }
    json.field("requiredContentVersion", requiredContentVersion)
  }

  /// Lines for people; with the bytes per point if all bytes of the file belong to this drawing.
  fileprivate func rows(byteCount: Int?) -> [(String, String)] {
    var strokeText = "\(strokes)"
    if pieces > 0 { strokeText += ", \(pieces) of them cut by an eraser" }
    if deletedStrokes > 0 { strokeText += ", and \(deletedStrokes) deleted" }
    var pointText = "\(points)"
    if points > 0, let byteCount {
      pointText += " (\(short(Double(byteCount) / Double(points))) bytes each)"
    }
    var rows = [("strokes", strokeText), ("points", pointText)]
    if !inks.isEmpty {
      rows.append(
        ("inks", inks.map { "\($0.name.printable) (\($0.strokes))" }.joined(separator: ", ")))
      rows.append(("channels", channels.joined(separator: " ")))
      let size = "\(short(bounds.width)) × \(short(bounds.height))"
      let origin = "\(short(bounds.minX)), \(short(bounds.minY))"
      rows.append(("bounds", bounds.isNull ? "nothing is drawn" : "\(size) at \(origin)"))
      rows.append(("duration", "\(short(duration)) s"))
      if let text = created.flatMap(\.iso8601) { rows.append(("created", text)) }
    }
    rows.append(("content", "needs version \(requiredContentVersion)"))
    return rows
  }

}

/// A number with at most two decimals.
private func short(_ value: Double) -> String {
  let text = ((value * 100).rounded() / 100).description
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

extension SizeBreakdown {
  /// The channels with their sizes, followed by the bytes of blocks that belong to no channel.
  private var channelSizes: [(name: String, bytes: Double)] {
    var sizes = PointChannel.allCases.compactMap { channel in
      channels[channel].map { (name: channel.name, bytes: $0) }
    }
    if let points = parts[.points], points > 0 { sizes.append(("blocks", max(rest, 0))) }
    return sizes
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.object("chunks") { json in
        for part in Part.allCases {
          json.field(part.rawValue, parts[part] ?? 0)
        }
      }
      if channels.isEmpty { return }
      json.object("channels") { json in
        for size in channelSizes {
          json.field(size.name, (size.bytes * 100).rounded() / 100)
        }
      }
    }
  }

  /// The sizes of the parts of a file, largest first, and the sizes of the channels of its points.
  fileprivate func rows(byteCount: Int) -> [(String, String)] {
    let sizes = Part.allCases.compactMap { part in parts[part].map { (part.rawValue, $0) } }
      .sorted { $0.1 > $1.1 }
    var rows = sizes.enumerated().map { index, size in
      let share = tenths(100 * Double(size.1) / Double(max(byteCount, 1)))
      return (
        index == 0 ? "bytes" : "",
        size.0.padded(to: 14) + String(size.1).leftPadded(to: 9) + share.leftPadded(to: 7) + " %"
      )
    }
    guard pointCount > 0 else { return rows }
    rows += channelSizes.enumerated().map { index, size in
      let bits = tenths(8 * size.bytes / Double(pointCount))
      return (
        index == 0 ? "of points" : "",
        size.name.padded(to: 14) + String(Int(clamping: size.bytes.rounded())).leftPadded(to: 9)
          + bits.leftPadded(to: 7) + " bits per point"
      )
    }
    return rows
  }

  private func tenths(_ value: Double) -> String {
    let number = Int(clamping: (value * 10).rounded())
    return "\(number / 10).\(number % 10)"
  }
}

extension String {
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
