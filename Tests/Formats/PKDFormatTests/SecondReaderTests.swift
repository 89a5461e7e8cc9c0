import Foundation
import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

/// A reader in another language implements `docs/formats/pkd.md` alone. If both readers find the
/// same values, the page describes the sources correctly.
struct SecondReaderTests {
  @Test(arguments: 0..<3)
  func `the Python reader agrees on random ink of every profile`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var files = SecondReader.Files()
    for number in 0..<6 {
      let drawing = number % 2 == 0 ? random.drawing() : random.erasedDrawing()
      for profile in PKDProfile.allCases {
        for inkOnly in [false, true] {
          try files.add(
            Recording(drawing), options: .init(profile: profile, inkOnly: inkOnly),
            bytes: try PKDWriter.encode(drawing, options: .init(profile: profile, inkOnly: inkOnly))
          )
        }
      }
    }
    try SecondReader.compare(files)
  }

  @Test(arguments: 0..<2) func `the Python reader agrees on long strokes`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var files = SecondReader.Files()
    for profile in PKDProfile.allCases {
      for pointCount in [150...1500, 0...80] {
        let drawing = PKDrawing(
          strokes: (0..<6).map { _ in
            var stroke = random.stroke(pointCount: 0...1)
            stroke.path = random.hostilePath(pointCount: pointCount)
            return stroke
          })
        try files.add(Recording(drawing), options: .init(profile: profile))
      }
    }
    try SecondReader.compare(files)
  }

  @Test func `the Python reader agrees on fields that only archives have`() throws {
    var random = RandomInk(seed: 1)
    var strokes: [PKStroke] = []
    for number in 0..<20 {
      var stroke = random.stroke(pointCount: 0...9)
      var mask = Path(fillRule: random.chance() ? .evenOdd : .nonZero)
      mask.move(to: Point(x: 0.5, y: random.number(0...9)))
      mask.addQuadratic(to: Point(x: 90, y: 3), control: Point(x: 30, y: random.number(0...90)))
      mask.addCubic(to: Point(x: 9, y: 99), control1: Point(x: 80, y: 1), control2: .zero)
      mask.addLine(to: Point(x: -1, y: random.number(0...9)))
      mask.close()
      if random.chance() { mask.addLine(to: Point(x: 40, y: 40)) }
      stroke.mask = random.chance() ? mask : nil
      stroke.path = stroke.path.withCreationDate(
        Timestamp(secondsSinceReferenceDate: [0, -1.5, 1e300, 0.1 + 0.2, 7e8][number % 5]))
      stroke.archivedMaskRanges = random.chance() ? [0...1, 1.1...random.number(2...9)] : nil
      stroke.archivedBounds = Rect(
        x: random.number(-9...9), y: -3, width: random.number(0...9), height: 1)
      strokes.append(stroke)
    }
    var files = SecondReader.Files()
    try files.add(Recording(PKDrawing(strokes: strokes)))
    try SecondReader.compare(files)
  }

  @Test(arguments: 0..<4) func `the Python reader agrees on events`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var files = SecondReader.Files()
    for profile in PKDProfile.allCases {
      try files.add(random.recording(), options: .init(profile: profile))
      try files.add(random.recording(), options: .init(profile: profile, inkOnly: true))
    }
    try SecondReader.compare(files)
  }

  @Test(arguments: 0..<4)
  func `the Python reader agrees on a journal that is cut`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var session = JournalSession(&random, stepCount: 8)
    if seed % 2 == 0 { session.add(.finish) }
    let system = CrashingFiles()
    let journal = try PKDJournal(
      creating: "page.pkd",
      content: JournalContent(
        header: Header(
          profile: PKDProfile.allCases[Int(seed % 3)],
          base: Timestamp(secondsSinceReferenceDate: 8e8), canvas: .init())), in: system)
    journal.clock = { 0 }
    #expect(session.perform(on: journal) == nil)
    let page = system.disk.files["page.pkd"] ?? []
    var files = SecondReader.Files()
    var walker = ChunkWalker(page)
    while let chunk = try walker.next(limits: PKDLimits()) {
      files.add(Array(page.prefix(chunk.end)))
      if chunk.end < page.count { files.add(Array(page.prefix(chunk.end + 9))) }
    }
    // The format does not define the path of an eraser whose event is lost.
    try SecondReader.compare(files) { $0.hasPrefix("event erased") }
  }

  @Test func `the Python reader agrees on the samples`() throws {
    try SecondReader.compareArchives(SecondReader.samples())
  }

  @Test(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func `the Python reader agrees on real archives`() throws {
    try SecondReader.compareArchives(
      Corpus.names(in: "pkdrawing", suffix: ".drawing").map {
        ($0, try Corpus.bytes("pkdrawing/" + $0))
      })
  }

  @Test(.enabled(if: SecondReader.isPresent, Comment(rawValue: SecondReader.absence)))
  func `the second reader's JSON is the same drawing`() throws {
    let folder = try TemporaryFolder()
    for (name, archive) in try SecondReader.samples() {
      let drawing = try PKDrawing(data: archive)
      try Data(try PKDWriter.encode(drawing)).write(to: folder.file("a.pkd"))
      let json = try SecondReader.run("\"$1\" a.pkd > a.json", in: folder)
      #expect(json.code == 0, "\(json.errors)")
      let converted = try Program.run("pkd", ["convert", "a.json", "a.drawing"], in: folder.url)
      #expect(converted.code == 0, "\(converted.errors)")
      let again = try PKDrawing(data: [UInt8](Data(contentsOf: folder.file("a.drawing"))))
      #expect(again == drawing, "\(name)")
    }
  }

  @Test(.enabled(if: SecondReader.isPresent, Comment(rawValue: SecondReader.absence)))
  func `the Python reader reads a cut file up to the same stroke`() throws {
    var random = RandomInk(seed: 3)
    let bytes = try PKDWriter.encode(random.drawing(strokeCount: 40...40, pointCount: 0...9))
    var files = SecondReader.Files()
    for count in stride(from: 60, to: bytes.count, by: 97) { files.add(Array(bytes[..<count])) }
    try SecondReader.compare(files)
  }

  @Test func `files of version 1 are decoded to their recorded values`() throws {
    var files = SecondReader.Files()
    for (name, expected) in FirstVersion.hashes {
      let bytes = try FirstVersion.bytes(name)
      #expect(try PKDReader(bytes).version == 1)
      files.add(bytes)
      let hash = (files.texts.last ?? "").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01B3
      }
      #expect(hash == expected, "\(name)")
    }
    try SecondReader.compare(files)
  }

  @Test func `the Python reader agrees on finger ink`() throws {
    var ink = FingerInk(seed: 7)
    var files = SecondReader.Files()
    let drawing = ink.drawing()
    for profile in PKDProfile.allCases {
      try files.add(Recording(drawing), options: .init(profile: profile))
    }
    try files.add(Recording(PKDrawing(strokes: [drawing.strokes[0]])))
    try SecondReader.compare(files)
  }

  @Test func `the published statistics are those of the program`() throws {
    let page = Corpus.project.appendingPathComponent("docs/formats/pkd-statistics.txt")
    let letters = try Data(contentsOf: page).filter { $0 != UInt8(ascii: "\n") }
    let source =
      PriorData.first.withUTF8Buffer { Data($0) } + PriorData.wide.withUTF8Buffer { Data($0) }
    #expect(Data(letters) == source, "run `Benchmarks priors`")
  }
}

/// Files that the writer of version 1 made.
enum FirstVersion {
  /// A hash (FNV-1a) of all stored values of each file.
  static let hashes: [String: UInt64] = [
    "archive.pkd": 0xF7D2135468B01401,
    "compact.pkd": 0x391E70ED0F5EE2B2,
    "journal.pkd": 0x3E19AA051A61C3F2,
    "minute.pkd": 0x9337284EE63788B7,
    "mood.pkd": 0xD23646FDB7A48C50,
    "noise.pkd": 0x193777698AA04192,
    "stretched.pkd": 0xD11243EE841DE91D,
  ]

  static func bytes(_ name: String) throws -> [UInt8] {
    let file = Corpus.project.appendingPathComponent(
      "Tests/Formats/PKDFormatTests/Fixtures/" + name)
    return [UInt8](try Data(contentsOf: file))
  }
}

/// Runs the second reader.
enum SecondReader {
  static let isPresent =
    (try? Program.shell("python3 --version", in: Corpus.project).code == 0) ?? false
  static let absence = "skipped: there is no python3 on this machine"

  /// Files with the text that the second reader must print for each.
  struct Files {
    var bytes: [[UInt8]] = []
    /// The expected output for each file.
    var texts: [String] = []

    /// Adds a file and the values that our reader finds in it.
    mutating func add(_ file: [UInt8]) {
      bytes.append(file)
      texts.append(StoredText.of(file))
    }

    /// Adds a recording as a file, and checks that our reader finds its values there.
    mutating func add(
      _ recording: Recording, options: PKDWriter.Options = .init(), bytes file: [UInt8]? = nil
    ) throws {
      add(try file ?? PKDWriter.encode(recording, options: options))
      let own = StoredText.of(recording, profile: options.profile)
      let read = texts.last ?? ""
      func comparable(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { line in
          // `inkOnly` drops only identifiers, and rounded points change the times of events.
          !(options.inkOnly && ["id", "group", "pieceOf"].contains(line.prefix { $0 != " " })
            || (options.inkOnly || options.profile != .exact) && line.hasPrefix("event"))
        }
      }
      let (a, b) = (comparable(own), comparable(read))
      let line = zip(a, b).prefix { $0 == $1 }.count
      #expect(
        a == b,
        "line \(line): \(a.dropFirst(line).first ?? ""), \(b.dropFirst(line).first ?? "")"
      )
    }
  }

  static func samples() throws -> [(String, [UInt8])] {
    let folder = Corpus.project.appendingPathComponent("Samples")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".pkd") }.sorted()
      .map { name in
        let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
        return (name, try PKDReader(bytes).readDrawing().value.dataRepresentation())
      }
  }

  static func compareArchives(_ archives: [(String, [UInt8])]) throws {
    #expect(!archives.isEmpty)
    var files = Files()
    var outlines: [String] = []
    for (_, archive) in archives {
      let drawing = try PKDrawing(data: archive)
      let bytes = try PKDWriter.encode(drawing)
      try files.add(Recording(drawing), bytes: bytes)
      outlines.append((drawing.residue?.bytes ?? []).map { $0.hex(2) }.joined())
      // Only the exact file has an outline; the other profiles differ only in points.
      try files.add(Recording(drawing), options: .init(profile: .compact))
      outlines.append("")
    }
    try compare(files)
    guard isPresent else { return }
    let folder = try write(files)
    let result = try run("\"$1\" --archive *.pkd", in: folder)
    #expect(result.code == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.map(String.init) == outlines)
  }

  /// Runs the second reader on all files, and compares its output.
  static func compare(
    _ files: Files, ignoring isIgnored: (Substring) -> Bool = { _ in false }
  ) throws {
    guard isPresent else { return print(absence) }
    let folder = try write(files)
    let result = try run("\"$1\" --stored *.pkd", in: folder)
    #expect(result.code == 0, "\(result.errors)")
    let texts = result.text.split(separator: "file\n").map(String.init)
    #expect(texts.count == files.texts.count)
    for (number, (theirs, ours)) in zip(texts, files.texts).enumerated() {
      let lines = [theirs, ours].map { text in
        text.split(separator: "\n").filter { !isIgnored($0) }
      }
      guard lines[0] != lines[1] else { continue }
      let line = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
      let found = lines.map { $0.dropFirst(line).first ?? "the end" }
      Issue.record(
        "file \(number), line \(line): \(found[0].prefix(300)), not \(found[1].prefix(300))")
    }
  }

  static func run(_ arguments: String, in folder: TemporaryFolder) throws -> Program.Result {
    try Program.shell(
      "python3 " + arguments,
      Corpus.project.appendingPathComponent("docs/formats/pkd_reader.py").path,
      in: folder.url)
  }

  private static func write(_ files: Files) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (number, bytes) in files.bytes.enumerated() {
      let digits = String(number)
      let name = String(repeating: "0", count: 4 - digits.count) + digits + ".pkd"
      try Data(bytes).write(to: folder.file(name))
    }
    return folder
  }
}

/// Every stored value of a recording as text, in the format that the second reader prints.
private enum StoredText {
  /// The values that our reader finds in a file.
  static func of(_ file: [UInt8]) -> String {
    guard let reader = try? PKDReader(file) else { return "" }
    let (strokes, recording) = (reader.readStrokes().value, reader.readRecording().value)
    return text(strokes, recording) + (reader.wholeDamage == nil ? "intact\n" : "damage\n")
  }

  /// The values of a recording, rounded to a profile.
  static func of(_ recording: Recording, profile: PKDProfile) -> String {
    let records = RecordList(recording).records
    let strokes = records.map { record in
      var stroke = record.stroke
      let (bounds, ranges) = (stroke.archivedBounds, stroke.archivedMaskRanges)
      stroke.path = PKStrokePath(
        columns: stroke.path.columns.rounded(to: profile),
        creationDate: stroke.path.creationDate)
      (stroke.archivedBounds, stroke.archivedMaskRanges) = (bounds, ranges)
      return stroke
    }
    return text(strokes, recording) + "intact\n"
  }

  private static func text(_ strokes: [PKStroke], _ recording: Recording) -> String {
    var lines: [String] = []
    let canvas = recording.canvas
    if let size = canvas.size { lines.append("size " + hexes(size.width, size.height)) }
    if let c = canvas.background {
      let space = c.space == .displayP3 ? "p3" : "srgb"
      lines.append("background \(space) " + hexes(c.red, c.green, c.blue, c.alpha))
    }
    for (name, text) in canvas.metadata.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      lines.append("text \(name) \(text)")
    }
    for (number, stroke) in strokes.enumerated() {
      lines.append("stroke \(number)")
      add(stroke, to: &lines)
    }
    var next = 0
    for event in recording.events {
      var words = text(event, &next).split(separator: " ", omittingEmptySubsequences: false)
      if event.person != 0 { words.insert("by \(event.person)", at: 2) }
      lines.append("event " + words.joined(separator: " "))
    }
    if let words = recording.words {
      lines.append("words \(words.recognizer)|\(words.version)|\(words.language)")
      for word in words.words {
        let box = word.box
        let parts =
          [word.text, hexes(box.minX, box.minY, box.maxX, box.maxY)]
          + word.strokes.map { "\($0)" }
        lines.append("word " + parts.joined(separator: " "))
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func add(_ stroke: PKStroke, to lines: inout [String]) {
    let ink = stroke.ink
    let space = ink.color.space == .displayP3 ? "p3" : "srgb"
    let (color, t) = (ink.color, stroke.transform)
    lines += [
      "id \(stroke.id)",
      "ink \(ink.inkType.rawValue) \(space) \(ink.widthLaw.rawValue) "
        + hexes(color.red, color.green, color.blue, color.alpha),
      "date " + hexes(stroke.path.creationDate.secondsSinceReferenceDate),
      "seed \(stroke.randomSeed)", "transform " + hexes(t.a, t.b, t.c, t.d, t.tx, t.ty),
    ]
    if let box = stroke.archivedBounds {
      lines.append("bounds " + hexes(box.minX, box.minY, box.maxX, box.maxY))
    }
    if let mask = stroke.mask {
      let words = mask.elements.map { element in
        switch element {
        case .move(let to): "M " + hexes(to.x, to.y)
        case .line(let to): "L " + hexes(to.x, to.y)
        case .quadratic(let to, let c): "Q " + hexes(c.x, c.y, to.x, to.y)
        case .cubic(let to, let c, let d): "C " + hexes(c.x, c.y, d.x, d.y, to.x, to.y)
        case .close: "Z"
        }
      }
      let rule = mask.fillRule == .evenOdd ? "evenodd" : "nonzero"
      lines.append((["mask", rule] + words).joined(separator: " "))
    }
    if let ranges = stroke.archivedMaskRanges {
      lines.append("ranges " + hexes(ranges.flatMap { [$0.lowerBound, $0.upperBound] }))
    }
    if stroke.pathRange != .wholePath {
      lines.append("part " + hexes(stroke.pathRange.lowerBound, stroke.pathRange.upperBound))
    }
    if let group = stroke.renderGroupID { lines.append("group \(group)") }
    if let parent = stroke.parentID { lines.append("pieceOf \(parent)") }
    add(stroke.path.columns, to: &lines)
  }

  private static func add(_ columns: PointColumns, to lines: inout [String]) {
    lines.append(
      "points \(columns.count) \(columns.scale.rawValue) \(columns.varying.rawValue) "
        + "\(columns.present.rawValue)")
    guard columns.count > 0 else { return }
    for channel in PointChannel.allCases {
      let (start, step) = columns.layout(of: channel)
      let range = start..<start + (step == 1 ? columns.count : 1)
      let values =
        channel.isFloat
        ? columns.floats[range].map { $0.bitPattern.hex(8) }
        : columns.words[range].map { String($0) }
      lines.append("\(channel) " + values.joined(separator: " "))
    }
  }

  private static func text(_ event: Recording.Event, _ next: inout Int) -> String {
    let time = hexes(event.time.secondsSinceReferenceDate)
    func take() -> Int {
      defer { next += 1 }
      return next
    }
    func text(_ changes: [StrokeChange<PKStroke>]) -> [String] {
      changes.flatMap { change in
        ["\(change.strokeID)"] + change.replacements.map { _ in "\(take())" } + [";"]
      }
    }
    switch event.action {
    case .strokeBegun: return "begun \(time) \(take())"
    case .strokeExtended(let id, _): return "extended \(time) \(take()) \(id)"
    case .strokeEnded(let id): return "ended \(time) \(id)"
    case .erased(let eraser, _, let changes):
      let words = ["erased \(time) \(take()) \(Self.text(.eraser(eraser)))"]
      return (words + text(changes)).joined(separator: " ")
    case .edited(let changes, let above, let below):
      let words = ["edited \(time)"] + text(changes)
      let front = above.map { _ in "\(take())" } + [";"]
      return (words + front + below.map { _ in "\(take())" } + [";"]).joined(separator: " ")
    case .undone: return "undone \(time)"
    case .redone: return "redone \(time)"
    case .moved(let ids, let t):
      return (["moved", time] + ids.map(\.description) + [hexes(t.a, t.b, t.c, t.d, t.tx, t.ty)])
        .joined(separator: " ")
    case .cleared: return "cleared \(time)"
    case .toolChanged(let tool): return "toolChanged \(time) \(Self.text(tool))"
    }
  }

  private static func text(_ tool: PKTool) -> String {
    switch tool {
    case .inking(let tool):
      let c = tool.color
      return "ink \(tool.inkType.rawValue) \(c.space == .displayP3 ? "p3" : "srgb") "
        + hexes(c.red, c.green, c.blue, c.alpha, tool.width)
    case .eraser(let eraser): return "\(eraser.eraserType.rawValue) \(hexes(eraser.width))"
    case .lasso: return "lasso"
    }
  }

  private static func hexes(_ numbers: Double...) -> String { hexes(numbers) }

  private static func hexes(_ numbers: [Double]) -> String {
    numbers.map { $0.bitPattern.hex(16) }.joined(separator: " ")
  }
}

extension FixedWidthInteger {
  fileprivate func hex(_ digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
