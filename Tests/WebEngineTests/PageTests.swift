import Checksums
import Foundation
import TestSupport
import Testing
import WebEngine

/// The module that `Sources/WebEngine/build` wrote; `Tests/run` gives its path.
private let enginePath = ProcessInfo.processInfo.environment["WEB_ENGINE"]

/// Compares the engine that runs in pages, in Node, with this process, which has the same sources.
@Suite(.enabled(if: enginePath != nil, "needs a compiled engine"), .serialized)
struct PageTests {
  /// All samples, and files of all versions of the format.
  private static func files() throws -> [URL] {
    try ["Samples", "Tests/PKDFormatTests/Fixtures"].flatMap { folder in
      let folder = Corpus.project.appendingPathComponent(folder)
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil
      )
      .filter { $0.pathExtension == "pkd" }.sorted { $0.path < $1.path }
    }
  }

  @Test func `a page computes and draws what this machine does, to the last bit`() throws {
    let files = try Self.files()
    #expect(files.count > 10)
    let page = try Self.linesOfPage(files, scales: ["1", "2"])
    var expected = (0..<6).map { "mathematics \($0) \(engineMathHash(Int32($0)))" }
    for file in files {
      expected += Self.lines([UInt8](try Data(contentsOf: file)), scales: [1, 2])
    }
    #expect(page == expected)
  }

  @Test func `a page reads damaged files as this machine does, and none stops it`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "web-engine-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var damaged: [URL] = []
    var expected = (0..<6).map { "mathematics \($0) \(engineMathHash(Int32($0)))" }
    var random = RandomInk(seed: 32)
    for file in try Self.files() {
      let bytes = [UInt8](try Data(contentsOf: file))
      for _ in 0..<30 {
        let variant = Self.damaged(bytes, &random)
        damaged.append(folder.appendingPathComponent("\(damaged.count).pkd"))
        try Data(variant).write(to: damaged[damaged.count - 1])
        expected += Self.lines(variant, scales: [0.25])
      }
    }
    // Some are refused, some drawn without their damaged parts.
    #expect(expected.contains { $0.hasPrefix("-") } && expected.contains { $0.hasPrefix("1 ") })
    #expect(try Self.linesOfPage(damaged, scales: ["0.25"]) == expected)
  }

  /// What `render.mjs` prints.
  private static func linesOfPage(_ files: [URL], scales: [String]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = Corpus.project.appendingPathComponent("Tests/WebEngineTests/render.mjs").path
    process.arguments =
      ["node", script, enginePath ?? ""] + scales + ["--"] + files.map(\.path)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").map(String.init)
  }

  /// The same lines of this process.
  private static func lines(_ bytes: [UInt8], scales: [Double]) -> [String] {
    let handle = bytes.withUnsafeBytes { documentOpen($0.baseAddress, $0.count) }
    guard handle > 0 else { return ["\(handle)"] }
    defer { _ = documentClose(handle) }
    let (pageWidth, pageHeight) = (documentWidth(handle), documentHeight(handle))
    let page = "\(documentIsDamaged(handle)) \(text(pageWidth))x\(text(pageHeight))"
    return scales.map { scale in
      let result = documentRender(handle, scale)
      let (width, height) = (pictureWidth(handle), pictureHeight(handle))
      let count = Int(width) * Int(height)
      var hash: UInt32 = 0
      if result == 0, let start = picturePixels(handle) {
        hash = 0x811c_9dc5
        for index in 0..<count {
          let pixel = start.load(fromByteOffset: 4 * index, as: UInt32.self)
          hash = (hash ^ pixel) &* 0x0100_0193
        }
      }
      return "\(page) \(result) \(width)x\(height) \(hash)"
    }
  }

  /// A number as JavaScript prints it, if it is a whole one.
  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// A file with a few other bytes in one chunk, whose checksum is right.
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
      // Often near the beginning of the chunk, where counts are.
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
