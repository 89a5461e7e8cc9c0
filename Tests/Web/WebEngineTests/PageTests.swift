import InkFiles
import Checksums
import Foundation
import Graphics
import ForeignInk
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing
import WebEngine

/// The path of the module that `Sources/Web/WebEngine/build` wrote; `Tests/run` sets it.
private let enginePath = ProcessInfo.processInfo.environment["TEST_ENGINE"]

/// Compares the engine of the pages, run in Node, with this process, which has the same sources.
@Suite(.enabled(if: enginePath != nil, "needs a compiled engine"), .serialized)
struct PageTests {
  /// All samples, and files of all versions of the format.
  private static func files() throws -> [URL] {
    try ["Samples", "Tests/Formats/PKDFormatTests/Fixtures"].flatMap { folder in
      let folder = Corpus.project.appendingPathComponent(folder)
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil
      )
      .filter { $0.pathExtension == "pkd" }.sorted { $0.path < $1.path }
    }
  }

  /// The number of random drawings and sessions of the pen.
  private static let randomCount = RunLength.count(30, long: 1000)

  @Test func `a page computes and draws what this machine does, to the last bit`() throws {
    let files = try Self.files()
    #expect(files.count > 10)
    var script = EngineScript()
    for function in 0..<6 { script.add("mathematics", Double(function)) }
    for file in files {
      script.open(file)
      for scale in [1.0, 2] {
        script.view(scale: scale, earlier: 1)
        for time in [.infinity, 0, 1.5, 3] { script.add("show", time) }
        script.add("closeView")
      }
      script.add("write")
      for form in [0.0, 1] { script.add("vectors", form, 0.5) }
      script.add("close")
    }
    try Self.expectSameInPage(script)
  }

  @Test func `a page draws random drawings of all inks at any time, as this machine does`() throws {
    try Self.withFolder { folder in
      var random = RandomInk(seed: 91)
      var script = EngineScript()
      for number in 0..<Self.randomCount {
        let file = folder.appendingPathComponent("\(number).pkd")
        var recording = Recording(random.erasedDrawing())
        recording.canvas.size = random.chance() ? Size(width: 200, height: 150) : nil
        if random.chance() {
          recording.canvas.metadata["paper"] = ["lined", "grid", "unknown"][random.whole(0...2)]
        }
        try Data(try PKDWriter.encode(recording)).write(to: file)
        script.open(file)
        script.add("facts")
        for scale in [1.0, 2, 3] {
          script.view(
            scale: scale, region: random.chance(0.3) ? [20, 10, 90.5, 70] : [0, 0, 0, 0],
            style: random.whole(0...2), paper: random.chance(0.3) ? random.whole(-1...7) : 0,
            background: random.whole(0...3), earlier: random.whole(0...2))
          for _ in 0..<4 { script.add("show", random.number(0...60)) }
          script.add("steps", Double(random.whole(0...9)))
          script.add("show", .infinity)
          script.add("closeView")
        }
        script.add("write")
        // Vector files take longer than pictures.
        if number % 4 == 0 { for form in [0.0, 1] { script.add("vectors", form, 1.5) } }
        script.add("close")
      }
      try Self.expectSameInPage(script)
    }
  }

  @Test func `a pen in a page draws, erases and writes as on this machine`() throws {
    var random = RandomInk(seed: 92)
    var script = EngineScript()
    for _ in 0..<Self.randomCount { script.addPenSession(&random) }
    for tolerance in [0.1, 0.02, 0.5, 0] { script.addLongStrokes(&random, tolerance: tolerance) }
    try Self.expectSameInPage(script)
  }

  @Test func `a page reads damaged files as this machine does, and none stops it`() throws {
    try Self.withFolder { folder in
      var script = EngineScript()
      var random = RandomInk(seed: 32)
      var count = 0
      for file in try Self.files() {
        let bytes = [UInt8](try Data(contentsOf: file))
        for _ in 0..<RunLength.count(12, long: 30) {
          let variant = folder.appendingPathComponent("\(count).pkd")
          count += 1
          try Data(Self.damaged(bytes, &random)).write(to: variant)
          script.open(variant)
          script.view(scale: 0.25)
          for time in [1, .infinity] { script.add("show", time) }
          script.add("write")
          script.add("closeView")
          script.add("close")
        }
      }
      // Some are refused, and some are drawn without their damaged parts.
      let results = try Self.expectSameInPage(script)
      #expect(results.contains { $0.hasPrefix("open -") })
      #expect(results.contains { $0.hasPrefix("open 1 ") })
    }
  }

  @Test func `a page merges two versions of a file as this machine and its programs do`() throws {
    try Self.withFolder { folder in
      var random = RandomInk(seed: 93)
      var script = EngineScript()
      var expected: [String] = []
      for number in 0..<Self.randomCount {
        var files: [URL] = []
        func write(_ bytes: [UInt8]) throws {
          files.append(folder.appendingPathComponent("\(number)-\(files.count)"))
          try Data(bytes).write(to: files[files.count - 1])
        }
        // Some start with an archive, which stays an archive on a side without new strokes.
        let archive = random.chance(0.2) ? random.erasedDrawing().dataRepresentation() : nil
        let base =
          try archive.map { Recording(try PKDrawing(data: $0)) } ?? random.drawn(on: Recording())
        let isArchive = archive != nil && random.chance()
        let ours = try PKDWriter.encode(random.drawn(on: base))
        let theirs =
          isArchive
          ? random.erasedDrawing().dataRepresentation()
          : try PKDWriter.encode(random.drawn(on: base))
        let baseBytes = try archive ?? PKDWriter.encode(base)
        try write(ours)
        try write(theirs)
        try write(baseBytes)
        let knowsBase = random.chance(0.7)
        script.merge(base: knowsBase ? files[2] : nil, files[0], files[1])
        let merged = try DrawingFile.merging(
          base: knowsBase ? baseBytes : nil, ours: ours, theirs: theirs)
        // The page does not keep data of an archive besides its ink.
        expected.append(isArchive ? "" : "merge \(merged.count) \(Checksum.of(merged))")
        script.hash(files[0])
        expected.append("hash \(SHA256.of(ours))")
      }
      for (result, expected) in zip(try Self.expectSameInPage(script), expected) {
        #expect(expected.isEmpty ? !result.hasPrefix("merge -") : result == expected)
      }
    }
  }

  @Test func `a page does not merge damaged files`() throws {
    try Self.withFolder { folder in
      var random = RandomInk(seed: 94)
      let base = random.drawn(on: Recording())
      let (ours, theirs) = (
        folder.appendingPathComponent("ours"), folder.appendingPathComponent("theirs")
      )
      try Data(try PKDWriter.encode(random.drawn(on: base))).write(to: ours)
      let whole = try PKDWriter.encode(random.drawn(on: base))
      var script = EngineScript()
      for count in stride(from: 0, to: whole.count, by: max(whole.count / 40, 1)) {
        let file = folder.appendingPathComponent("\(count)")
        try Data(whole[..<count]).write(to: file)
        script.merge(base: nil, ours, file)
      }
      try Data(whole).write(to: theirs)
      script.merge(base: nil, ours, theirs)
      let results = try Self.expectSameInPage(script)
      #expect(results.dropLast().allSatisfy { $0.hasPrefix("merge -") })
      #expect(results.last?.hasPrefix("merge -") == false)
    }
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "web-engine-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Runs a script here and in Node, and returns the results.
  @discardableResult
  private static func expectSameInPage(_ script: EngineScript) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "node", Corpus.project.appendingPathComponent("Tests/Web/WebEngineTests/run.mjs").path,
      enginePath ?? "",
    ]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data((script.lines.joined(separator: "\n") + "\n").utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let page = text.split(separator: "\n").map(String.init)
    let native = script.run()
    #expect(page.count == native.count)
    for (number, (left, right)) in zip(page, native).enumerated() where left != right {
      Issue.record("\(script.lines[number]): \(left) in a page, \(right) here")
      break
    }
    return native
  }

  /// A file with a few changed bytes in one chunk, with a valid checksum.
  private static func damaged(_ bytes: [UInt8], _ random: inout RandomInk) -> [UInt8] {
    func length(at offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    var chunks: [Range<Int>] = []
    var offset = 8
    while offset + 12 <= bytes.count {
      let end = offset + 8 + length(at: offset)
      guard end + 4 <= bytes.count else { break }
      chunks.append(offset + 8..<end)
      offset = end + 4
    }
    var damaged = bytes
    let chunk = chunks[random.whole(0...chunks.count - 1)]
    guard !chunk.isEmpty else { return bytes }
    for _ in 0..<random.whole(1...4) {
      // Often near the beginning of the chunk, which contains counts.
      let end = random.chance(0.5) ? chunk.upperBound : min(chunk.upperBound, chunk.lowerBound + 40)
      damaged[random.whole(chunk.lowerBound...end - 1)] = UInt8(random.whole(0...255))
    }
    let checksum = Checksum.of(damaged[chunk.lowerBound - 4..<chunk.upperBound])
    for byte in 0..<4 {
      damaged[chunk.upperBound + byte] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * byte))
    }
    return damaged
  }
}

extension EngineScript {
  /// Adds a session with strokes that are long enough for fitting curves while they are drawn.
  mutating func addLongStrokes(_ random: inout RandomInk, tolerance: Double) {
    add("create", 200, 160)
    add("pen", (0..<16).map { _ in Double(random.whole(0...255)) })
    add("tolerance", tolerance)
    view(isLive: true, scale: 1)
    for ink in 0..<3 {
      add("begin", Double(ink), 0x20_40_FF_FF, 5, 1.7e9)
      for part in 0..<10 {
        let samples = (part * 50..<part * 50 + 50).flatMap { number in
          let turn = Double(number) / 9
          return [
            100 + 0.15 * Double(number) * cos(turn) + random.number(-0.3...0.3),
            80 + 0.1 * Double(number) * sin(turn), Double(number) / 240, random.number(0.9...1.1),
            0, 1,
          ]
        }
        add("draw", [48, 2] + samples)
        add("update")
      }
      add("end", 1.8e9)
      add("update")
    }
    add("write")
    add("vectors", 0, 2.5)
    add("closeView")
    add("close")
  }

  /// Adds a random session of the pen on a new page.
  mutating func addPenSession(_ random: inout RandomInk) {
    func samples(_ count: Int, _ random: inout RandomInk) -> [Double] {
      (0..<count).flatMap { number in
        [
          random.number(0...200), random.number(0...160), Double(number) / 50,
          random.number(0...3), random.number(-3...3), random.number(0.2...1.5),
        ]
      }
    }
    func transform(_ random: inout RandomInk) -> [Double] {
      let shift = [random.number(-90...90), random.number(-90...90)]
      return (random.chance() ? [1, 0, 0, 1] : (0..<4).map { _ in random.number(-2...2) }) + shift
    }
    // An unbounded page shows the part that the view requests.
    let isEndless = random.chance(0.3)
    add("create", isEndless ? 0 : 200, isEndless ? 0 : 160)
    add("pen", (0..<16).map { _ in Double(random.whole(0...255)) })
    view(
      isLive: true, scale: Double(random.whole(1...3)),
      region: isEndless ? [random.number(-90...50), -20.5, 130.25, 99] : [0, 0, 0, 0],
      style: random.whole(0...1), paper: random.chance(0.7) ? -1 : 1,
      background: random.chance() ? 2 : 0)
    for step in 0..<40 {
      let time = 1.7e9 + Double(step)
      switch random.whole(0...28) {
      case 0: add("undo", time)
      case 1: add("redo", time)
      case 2: add("choices")
      case 3: add("cancel")
      case 4: add("eraser", Double(random.whole(0...2)), random.number(1...30), time)
      case 5, 6: add("end", time)
      case 7, 8:
        add(
          "begin", Double(random.whole(0...7)), Double(random.whole(0...0xFFFF_FFFF)),
          random.number(1...30), time)
      case 14, 15:
        let count = random.whole(0...5)
        let corners = (0..<2 * count).map { _ in random.number(-50...250) }
        let isAdding = Double(random.whole(0...1))
        switch random.whole(0...3) {
        case 0: add("selectAll")
        case 1: add("selectAt", random.number(0...200), random.number(0...160), 30, isAdding)
        default: add("select", [Double(count), isAdding] + corners)
        }
        add("bounds")
        if random.chance(0.7) { add("beginDrag") }
      case 16, 17, 18:
        add("drag", transform(&random))
        if random.chance() { add("bounds") }
      case 27:
        let count = random.whole(1...9)
        add("redraw", [Double(count)] + samples(count, &random))
        add("tidy", time)
      case 19: add("transform", transform(&random) + [time])
      case 23:
        add(
          "restyle", Double(random.whole(-1...8)), Double(random.whole(0...1)),
          Double(random.whole(0...0xFFFF_FFFF)), random.number(0.5...2), time)
      case 24: add("reorder", Double(random.whole(0...1)), time)
      case 25 where random.chance(0.3): add("duplicate", random.number(-9...9), 5, time)
      case 26 where random.chance(0.3): add("paste", random.number(-9...9), 5, time)
      case 20: add("delete", time)
      case 21 where random.chance(0.3): add("setPaper", Double(random.whole(-1...8)))
      case 28 where random.chance(0.3):
        add("setSize", Double(random.whole(-1...400)), Double(random.whole(0...300)))
      default:
        let (count, predicted) = (random.whole(0...9), random.whole(0...3))
        add("erase", [Double(count)] + samples(count, &random))
        add(
          "draw", [Double(count), Double(predicted)] + samples(count + predicted, &random))
      }
      add("update")
    }
    add("end", 1.8e9)
    add("facts")
    add("inkBounds")
    add("update")
    add("write")
    add("closeView")
    add("close")
  }
}

extension RandomInk {
  /// A recording, continued by a pen.
  fileprivate mutating func drawn(on recording: Recording) -> Recording {
    var pen = PenPage(continuing: recording, session: identifier())
    for _ in 0..<whole(1...6) {
      let time = Timestamp(secondsSince1970: 1.7e9 + number(0...1000))
      let samples = (0..<whole(1...8)).map { index in
        PenSample(
          location: Point(x: number(0...200), y: number(0...150)), time: Double(index) / 60,
          force: number(0...1), azimuth: 0, altitude: 1)
      }
      switch whole(0...9) {
      case 0: pen.undo(at: time)
      case 1: pen.redo(at: time)
      case 3: edit(&pen, at: time)
      case 2:
        pen.beginErasing(with: PKEraserTool(.bitmap, width: number(2...30)), at: time)
        pen.erase(samples)
        pen.end(at: time)
      default:
        pen.beginStroke(with: PKInkingTool(.pen, color: color(), width: number(1...9)), at: time)
        pen.draw(samples, predicted: [])
        pen.end(at: time)
      }
    }
    return pen.recording
  }
}
