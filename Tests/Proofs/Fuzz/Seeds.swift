import InkFiles
import CZlib
import Foundation
import Graphics
import ForeignInk
import PencilKitArchive
import Strokes
import TestSupport

@testable import ForeignSamples
@testable import PKDFormat
@testable import PNGFormat

// Writes the seeds of the fuzzers: small generated drawings, one file each, in a folder for every
// target.

@main
enum Seeds {
  static func main() throws {
    guard (2...3).contains(CommandLine.arguments.count) else {
      print("usage: Seeds FOLDER [CORPUS]")
      return
    }
    let folder = URL(fileURLWithPath: CommandLine.arguments[1])
    let edited = try ArchiveSamples.edited()
    let archives = [ArchiveSamples.wrd, edited] + drawings.map { $0.dataRepresentation() }
    try write(archives + [ArchiveSamples.databaseBlob], "Wrd", in: folder)
    let packed = ArchiveSamples.zlib2018
    try write(
      [[0] + packed, [1] + packed.dropFirst(2), [1, 3, 0], [1, 0x4B, 0x4C, 0x84, 0x01, 0]],
      "Inflate", in: folder)
    try write([ArchiveSamples.message2018], "Notes2018", in: folder)
    try write(
      archives + [ArchiveSamples.databaseBlob, ArchiveSamples.zlib2018, crowd], "AnyForm",
      in: folder)
    try write(try jsonTexts(archives), "JSON", in: folder)
    try write(try eventTexts(), "Events", in: folder)
    let recordings = try recordings() + fingerInk() + firstVersion()
    try write(recordings, "Recording", in: folder)
    try write(recordings + manyBlocks() + journals(), "Salvage", in: folder)
    try write(
      archives + jsonTexts(archives) + recordings + journals(), "Consumers", in: folder)
    try write(calls(archives + recordings), "Engine", in: folder)
    try write(
      try interfaceCalls(Array(archives.prefix(2)) + recordings.prefix(2)), "Interface", in: folder)
    try write(symbols(), "Symbols", in: folder)
    try write(columns(), "Points", in: folder)
    try write(pictures + movingPictures(), "PNG", in: folder)
    try write(requests.map { Array($0.utf8) }, "Requests", in: folder)
    let corpus = CommandLine.arguments.dropFirst(2).first.map { URL(fileURLWithPath: $0) }
    try ImportSeeds.write(in: folder, from: corpus)
  }

  /// Requests with and without bodies of several parts.
  private static let requests = [
    "GET /v1/users/ann/drawings?limit=3&after=00 HTTP/1.1\nHost: a\nRange: bytes=1-2\n\n",
    "GET /v0/b/x/o/users%2Fann%2Fdrawings?alt=media HTTP/1.1\nHost: a\nIf-None-Match: \"a\", *\n\n",
    "PUT /v1/a HTTP/1.1\nHost: a:80\nTransfer-Encoding: chunked\n\nx",
    "POST /v1/a HTTP/1.1\nHost: a\nContent-Length: 9\nContent-Type: multipart/form-data; boundary=b\n\n"
      + "--b\r\nContent-Disposition: form-data; name=\"r\"; filename=\"f\"\r\n\r\nabc\r\n--b--\r\n",
    "POST /v0/a HTTP/1.1\nHost: a\nContent-Type: multipart/related; boundary=\"b c\"\n\n"
      + "--b c\r\nContent-Type: application/json\r\n\r\n{}\r\n--b c \r\n\r\n\0\u{1}\r\n--b c--",
  ]

  /// Moving pictures in every form that the encoder writes, and one by hand with every disposal and
  /// blend method.
  private static func movingPictures() throws -> [[UInt8]] {
    let pictures = (0..<4).map { number in
      let picture = Pixmap(width: 9, height: 7)
      for x in 0...number { picture.set(x, number) }
      return picture
    }
    let colors: [FrameColors] = [FrameColors(of: pictures[3]), .any]
    let written = try colors.map { colors in
      let encoder = try APNGEncoder(
        PNGProperties(width: 9, height: 7), frameCount: 4, loopCount: 2, colors: colors)
      for picture in pictures { try encoder.add(picture, lasting: FrameDuration(1, over: 30)) }
      try encoder.finish()
      return encoder.takeBytes()
    }
    var png = RawPNG()
    png.add("IHDR", RawPNG.big(4) + RawPNG.big(4) + [8, 6, 0, 0, 0])
    png.add("acTL", RawPNG.big(6) + RawPNG.big(0))
    png.add("IDAT", RawPNG.stored([UInt8](repeating: 0, count: 68)))
    for frame in UInt32(0)..<6 {
      let sides = [2 * frame, 2, 2, frame % 3, frame % 2]
      let ways: [UInt8] = [0, 1, 0, 30, UInt8(frame / 2), UInt8(frame % 2)]
      png.add("fcTL", sides.flatMap { RawPNG.big($0) } + ways)
      let row: [UInt8] = [0] + [UInt8](repeating: 100, count: 8)
      png.add("fdAT", RawPNG.big(2 * frame + 1) + RawPNG.stored(row + row))
    }
    png.add("IEND", [])
    return written + [png.bytes]
  }

  /// Pictures in every form of PNG, with ancillary chunks.
  private static var pictures: [[UInt8]] {
    let text: [UInt8] = Array("Title".utf8) + [0]
    let chunks: [(name: String, data: [UInt8])] = [
      ("sRGB", [0]), ("pHYs", [0, 0, 11, 19, 0, 0, 11, 19, 1]), ("tEXt", text + [65, 66]),
      ("zTXt", text + [0] + RawPNG.stored([65, 66])), ("iTXt", text + [0, 0, 0, 0, 65, 66]),
    ]
    let palette: [(name: String, data: [UInt8])] = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9])]
    let forms: [(type: UInt8, depths: [UInt8])] = [
      (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ]
    return forms.flatMap { form in
      form.depths.flatMap { depth in
        ([0, 1] as [UInt8]).map { interlace in
          RawPNG(
            width: 5, height: 5, depth: depth, type: form.type, interlace: interlace,
            before: chunks + (form.type == 3 ? palette : []),
            rows: [[UInt8](repeating: 0, count: 300)]
          ).bytes
        }
      }
    }
  }

  /// Calls of a page before each file: random ones, after opening a pen and a view.
  private static func calls(_ files: [[UInt8]]) -> [[UInt8]] {
    var random = SplitMix64(seed: 11)
    return files.map { file in
      let others = (0..<100).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // The last byte chooses the first call.
      let choices = others + [4, 0, 0, 0, 0, 0, 0, 2, 0, 1, 5]
      return [UInt8(choices.count)] + choices + file
    }
  }

  /// Calls of a program in C: of drawings, of data sets in each form, and of columns.
  private static func interfaceCalls(_ files: [[UInt8]]) throws -> [[UInt8]] {
    var random = SplitMix64(seed: 12)
    func call(_ kind: UInt8, _ first: [UInt8], _ file: [UInt8]) -> [UInt8] {
      let others = (0..<60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // The last byte chooses the first call.
      let choices = others + first.reversed() + [kind]
      return [UInt8(choices.count)] + choices + file
    }
    let samples = try ForeignSample.all(.word)
    let formats: [DrawingFile.Format] = [.quickDraw, .quickDrawBinary, .omniglot, .inkML]
    let sets = formats.enumerated().flatMap { number, format in
      samples.filter { $0.format == format }.map { call(1, [UInt8(number), 0, 0, 1], $0.bytes) }
    }
    let places = (0..<120).flatMap { number in
      withUnsafeBytes(of: Float(number * 37 % 256)) { Array($0) }
    }
    let texts = [call(0, [0], ImportSeeds.unitless), call(1, [3, 0, 0, 1], ImportSeeds.unitless)]
    return files.map { call(0, [0], $0) } + sets + texts + [
      call(2, [0, 3, 9, 4, 9, 0, 1, 3, 0], places)
    ]
  }

  private static func write(_ seeds: [[UInt8]], _ target: String, in folder: URL) throws {
    let folder = folder.appendingPathComponent(target)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Small inputs are faster, and equally varied.
    for (index, seed) in seeds.enumerated() where seed.count <= 4096 {
      try Data(seed).write(to: folder.appendingPathComponent("own-\(index)"))
    }
  }

  /// A compressed drawing of 2018 with 262,144 empty strokes of two bytes each: its memory must
  /// stay in proportion to the decompressed size.
  private static var crowd: [UInt8] {
    func field(_ key: UInt8, _ payload: [UInt8]) -> [UInt8] {
      let count = payload.count
      return [key] + [0, 7, 14, 21].map { UInt8(count >> $0 & 0x7F) | ($0 < 21 ? 0x80 : 0) }
        + payload
    }
    let strokes = (0..<1 << 18).flatMap { _ in [0x2A, 0] as [UInt8] }
    let document = field(0x12, field(0x1A, strokes))
    var packed = [UInt8](repeating: 0, count: 1 << 16)
    var count = uLong(packed.count)
    let status = compress2(&packed, &count, document, uLong(document.count), 9)
    return status == Z_OK ? Array(packed[..<Int(count)]) : []
  }

  /// Drawings with different content.
  private static var drawings: [PKDrawing] {
    var random = RandomInk(seed: 3)
    var result = [PKDrawing(), PKDrawing(strokes: [line])]
    for count in 1...6 {
      result.append(random.drawing(strokeCount: count...count, pointCount: 0...(12 / count)))
    }
    for _ in 0..<4 { result.append(random.erasedDrawing(strokeCount: 1...2, pointCount: 0...4)) }
    var cut = PKDrawing(strokes: [line])
    cut.erase(Path(Rect(x: 40, y: 0, width: 12, height: 90)))
    result.append(cut)
    result.append(PKDrawing(strokes: [line.substroke(range: 0.5...1.75)]))
    return result
  }

  /// The first 1, 3 and 17 strokes of each sample.
  private static func samples() throws -> [PKDrawing] {
    let names = try FileManager.default.contentsOfDirectory(atPath: "Samples").sorted()
    return try names.filter { $0.hasSuffix(".pkd") }.flatMap { name in
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: "Samples/" + name)))
      let strokes = try PKDReader(bytes).readDrawing().value.strokes
      return [1, 3, 17].map { PKDrawing(strokes: Array(strokes.prefix($0))) }
    }
  }

  /// Drawings with and without an archive's outline, recordings of random events, and parts of the
  /// samples, in all profiles.
  private static func recordings() throws -> [[UInt8]] {
    var random = RandomInk(seed: 7)
    let outlined = try PKDrawing(data: ArchiveSamples.edited())
    let old = try PKDrawing(data: ArchiveSamples.zlib2018)
    var result = try (drawings + [outlined, old]).map { try PKDWriter.encode($0) }
    for drawing in try samples() {
      for profile in PKDProfile.allCases {
        result.append(
          try PKDWriter.encode(drawing, options: .init(profile: profile, inkOnly: true)))
      }
    }
    for count in 1...16 {
      result.append(try PKDWriter.encode(random.recording(eventCount: count...count)))
      var strokes = [PKStroke(ink: PKInk(.pen), path: random.hostilePath())]
      if random.chance() { strokes[0].archivedBounds = .zero }
      result.append(try PKDWriter.encode(PKDrawing(strokes: strokes)))
    }
    return result
  }

  /// Parts of finger ink, whose values are predicted, as pages and as chunks.
  private static func fingerInk() throws -> [[UInt8]] {
    var ink = FingerInk(seed: 5)
    let strokes = ink.drawing().strokes
    return try [(1, 5), (1, 60), (2, 110), (4, 100)].flatMap { count, pointCount -> [[UInt8]] in
      let drawing = PKDrawing(
        strokes: strokes.prefix(count).map { stroke in
          var part = stroke
          part.path = stroke.path.controlPoints(in: 0..<pointCount)
          return part
        })
      var chunks = PKDWriter.Options()
      chunks.allowsPage = false
      return [try PKDWriter.encode(drawing), try PKDWriter.encode(drawing, options: chunks)]
    }
  }

  /// Files of version 1, of which only the first chunks are short enough.
  private static func firstVersion() throws -> [[UInt8]] {
    let folder = "Tests/Formats/PKDFormatTests/Fixtures/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + name)))
      guard var file = ChunkedFile(bytes) else { return nil }
      while file.bytes.count > 4096, !file.parts.isEmpty {
        // Chunks from the second block on, or tables that are too long, are left out.
        let last = file.parts.lastIndex { $0.type == .strokes } ?? file.parts.count - 1
        file.parts.remove(at: last)
      }
      return file.bytes
    }
  }

  /// Points as the target `Points` reads them: a byte for each channel's rule, then blocks of
  /// values.
  private static func columns() -> [[UInt8]] {
    var random = RandomInk(seed: 19)
    return (0..<40).map { number in
      let bytes = (0..<random.whole(20...900)).map { _ in UInt8(random.whole(0...255)) }
      let rules = (0..<13).map { UInt8(($0 + number) % 7) }
      return [UInt8(number), 0xFF] + rules + bytes
    }
  }

  /// Recordings as lines of text, and one in the short form that a person would write.
  private static func eventTexts() throws -> [[UInt8]] {
    var random = RandomInk(seed: 11)
    var recordings = (1...16).map { random.recording(eventCount: $0...$0) }
    recordings += drawings.map { Recording($0) }
    let plain = #"""
      {"format": "pentimento-events", "version": 1}
      {"event": "begin", "time": 5, "points": [[1, 2], [30, 40, 0.1], [60, 2, 0.2, 9]]}
      {"event": "points", "points": [[90, 2, 0.3]]}
      {"event": "end"}
      {"event": "erase", "eraser": {"width": 12}, "points": [[0, 20], [90, 20]]}
      {"event": "undo"}
      """#
    return [Array(plain.utf8)]
      + recordings.map { recording in
        var writer = EventStreamWriter()
        return EventStreamWriter.header(recording.canvas)
          + recording.events.flatMap { writer.line($0) }
      }
  }

  /// Small recordings of several blocks.
  private static func manyBlocks() throws -> [[UInt8]] {
    var random = RandomInk(seed: 13)
    return try (0..<4).flatMap { _ -> [[UInt8]] in
      let drawing = random.drawing(strokeCount: 40...40, pointCount: 1...3)
      var recording = Recording(drawing)
      let now = recording.events.last?.time ?? .referenceDate
      recording.erase(
        along: random.path(pointCount: 3...3), with: PKEraserTool(.bitmap, width: 60), at: now)
      recording.events.append(Recording.Event(time: now, action: .undone))
      return [try PKDWriter.encode(drawing), try PKDWriter.encode(recording)]
    }
  }

  /// Unfinished recordings, some of them with an unfinished stroke.
  private static func journals() throws -> [[UInt8]] {
    var random = RandomInk(seed: 17)
    return try (0..<6).map { number in
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pkd")
      defer { try? FileManager.default.removeItem(at: file) }
      let journal = try PKDJournal(creating: file.path, startingAt: .referenceDate)
      for stroke in random.drawing(strokeCount: 4...4, pointCount: 1...6).strokes {
        let points = Array(stroke.path)
        var begun = stroke
        begun.path = PKStrokePath(controlPoints: [], creationDate: stroke.path.creationDate)
        try journal.begin(stroke: begun, at: stroke.path.creationDate)
        for point in points {
          try journal.append(points: [point])
          try journal.flush()
        }
        try journal.endStroke(at: stroke.path.creationDate)
        try journal.flush()
      }
      if number % 2 == 0 {
        try journal.begin(stroke: line, at: line.path.creationDate)
        try journal.flush()
      }
      return [UInt8](try Data(contentsOf: file))
    }
  }

  /// The columns of blocks, up to the maximum of the target, and the segment.
  private static func symbols() throws -> [[UInt8]] {
    var encoder = SegmentEncoder()
    return try (drawings + samples()).flatMap { PriorTraining.segments(of: $0) }.map { block in
      var segment = Segment()
      var rows: [UInt8] = []
      for column in block.segment.columns.filter({ !$0.range.isEmpty }).prefix(15) {
        let values = block.segment.values[column.range].prefix(1023)
        let other = segment.columns.last { $0.range.count == values.count }
        let companion = column.companion == nil ? nil : other?.range.lowerBound
        segment.add(column.kind, companion: companion) { $0 += values }
        rows += [UInt8(column.kind.rawValue) | (companion == nil ? 0 : 0x80)]
        rows += [UInt8(values.count & 0xFF), UInt8(values.count >> 8)]
      }
      var writer = ByteWriter()
      encoder.encode(segment, lanes: block.lanes, into: &writer)
      return [block.lanes == 1 ? 0 : 1, UInt8(segment.columns.count)] + rows + writer.bytes
    }
  }

  private static let line = PKStroke(
    ink: PKInk(.pen),
    path: PKStrokePath(
      controlPoints: (0..<4).map { index in
        PKStrokePoint(
          location: Point(x: 10 + 24 * Double(index), y: 40 + 3 * Double(index)),
          timeOffset: 0.01 * Double(index), size: Size(width: 6, height: 6), opacity: 1, force: 1,
          azimuth: 0, altitude: 1)
      }), id: Identifier(high: 1, low: 2))

  /// Texts of the writer, with and without an archive's outline, and one that a person would write.
  private static func jsonTexts(_ archives: [[UInt8]]) throws -> [[UInt8]] {
    let carried = try archives.map { JSONDrawingWriter.encode(try PKDrawing(data: $0)) }
    let old = try PKDrawing(data: ArchiveSamples.zlib2018)
    let plain = #"""
      {"strokes": [{"ink": {"type": "marker", "color": [0, 0.5, 1], "widthLaw": "plain",
      "colorSpace": "p3"}, "date": "2026-11-21T12:40:51Z", "points": [{"x": 1, "y": 2},
      {"x": 5, "y": 7, "t": 0.5, "w": 9, "h": 3, "jitter": 2, "aspect": 7, "edge": 1}],
      "maskPath": "M 0 0 Q 9 0 9 9 C 9 12 3 12 0 9 Z", "maskRule": "evenodd", "part": [0.25, 0.5],
      "scale": "notes2018", "unknown": {"a": [true, null, "\u00e9\n"]}}]}
      """#
    return carried + drawings.map { JSONDrawingWriter.encode($0) } + [JSONDrawingWriter.encode(old)]
      + [Array(plain.utf8)]
  }
}

extension Pixmap {
  /// Makes a pixel black.
  fileprivate func set(_ x: Int, _ y: Int) {
    (memory.base + y * memory.bytesPerRow + 4 * x).storeBytes(
      of: UInt32(0xFF00_0000).littleEndian, as: UInt32.self)
  }
}
