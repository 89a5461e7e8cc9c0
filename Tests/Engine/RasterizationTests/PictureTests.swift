import Foundation
import Graphics
import PNGFormat
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// The stored hashes of pictures. Pictures that differ are written to a folder.
private struct GoldenBook {
  private static let file = Corpus.project.appendingPathComponent(
    "Tests/Engine/RasterizationTests/Goldens.swift")
  private static let pictures = Corpus.project.appendingPathComponent(".build/pictures")
  static let isRenewed = ProcessInfo.processInfo.environment["TEST_RENEW"] != nil

  private let stored: [Substring: Substring]
  private var lines: [String] = []

  init() {
    stored = Dictionary(
      goldens.split(separator: "\n").map { line in
        (line.dropFirst(17), line.prefix(16))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Compares a picture with its stored hash, and writes it to a file if it differs.
  mutating func check(_ picture: Pixmap, name: String) throws {
    let digits = String(picture.hash, radix: 16)
    let hash = String(repeating: "0", count: 16 - digits.count) + digits
    lines.append("  \(hash) \(name)")
    if stored[name[...]] == hash[...] { return }
    try FileManager.default.createDirectory(at: Self.pictures, withIntermediateDirectories: true)
    let path = Self.pictures.appendingPathComponent("\(name).png")
    try Data(PNGEncoder().encode(picture)).write(to: path)
    if Self.isRenewed { return }
    Issue.record(
      "\(name) has changed: see \(path.path); if it is right, see Goldens.swift")
  }

  /// Stores the new hashes if TEST_RENEW is set; otherwise expects that all stored ones were
  /// used.
  func finish() throws {
    guard Self.isRenewed else {
      #expect(stored.count == lines.count, "there are hashes of scenes that do not exist")
      return
    }
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let quotes = text.components(separatedBy: "\"\"\"")
    try (quotes[0] + "\"\"\"\n" + lines.joined(separator: "\n") + "\n  \"\"\"\n")
      .write(to: Self.file, atomically: true, encoding: .utf8)
  }
}

struct PictureTests {
  @Test func `scenes are drawn as when their hashes were recorded`() throws {
    var book = GoldenBook()
    for scene in PictureScene.all {
      try book.check(scene.picture(), name: "\(scene.name), light")
      try book.check(scene.picture { $0.style = .dark }, name: "\(scene.name), dark")
    }
    try book.finish()
  }

  /// One picture for each ink and trait, so that people can check its look.
  private static let references = PictureScene.figures.filter { !$0.name.hasSuffix("curve") }
  private static let referenceFolder = Corpus.project.appendingPathComponent(
    "Tests/Support/Pictures")

  @Test(arguments: references)
  func `every trait of an ink is drawn as in its stored picture`(_ scene: PictureScene) throws {
    let file = Self.referenceFolder.appendingPathComponent("\(scene.name).png")
    let picture = try scene.picture()
    if GoldenBook.isRenewed {
      try Data(PNGEncoder(effort: .best).encode(picture, isOpaque: true)).write(to: file)
    }
    #expect(try PNGDecoder().decode([UInt8](Data(contentsOf: file))).shows(picture))
  }

  @Test func `the stored pictures take at most 600 kB, and each has its scene`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.referenceFolder, includingPropertiesForKeys: nil)
    let names = Set(files.map { $0.deletingPathExtension().lastPathComponent })
    #expect(names == Set(Self.references.map(\.name)))
    let byteCount = try files.reduce(0) { try $0 + Data(contentsOf: $1).count }
    #expect(byteCount <= 600_000, "\(byteCount)")
  }

  @Test func `the names of scenes are unique`() {
    #expect(Set(PictureScene.all.map(\.name)).count == PictureScene.all.count)
  }

  @Test(arguments: PictureScene.all)
  func `a picture is the same with all kernels and any number of threads`(
    _ scene: PictureScene
  ) throws {
    let picture = try scene.picture()
    for level in 0..<bestLevel {
      #expect(try scene.picture { $0.level = level }.differences(from: picture) == 0)
    }
    #expect(try scene.picture { $0.threads = 3 }.differences(from: picture) == 0)
  }

  @Test(arguments: PictureScene.all)
  func `a picture is the same in bands and in tiles`(_ scene: PictureScene) throws {
    let picture = try scene.picture()
    for threads in [1, 3] {
      let rendering = try scene.rendering { $0.threads = threads }
      var next = 0
      let blank = try PictureScene(scene.name, []) {
        $0.canvas = scene.canvas
        $0.options = scene.options
        $0.options.showsPattern = false
      }.picture()
      rendering.forEachBand { band in
        #expect(band.firstRow == next)
        for row in 0..<band.rowCount {
          let bytes = band.withRow(row, Array.init)
          #expect(bytes == picture.bytes(ofRow: next))
          let clear = blank.bytes(ofRow: next)
          var undrawn = Set(0..<band.width)
          for columns in band.drawnColumns(ofRow: row) { undrawn.subtract(columns) }
          let size = band.depth.bytesPerPixel
          #expect(
            undrawn.allSatisfy { column in
              (column * size..<(column + 1) * size).allSatisfy { bytes[$0] == clear[$0] }
            })
          next += 1
        }
      }
      #expect(next == picture.height)
    }
  }

  @Test(arguments: PictureScene.all)
  func `a region of the page has the page's pixels`(_ scene: PictureScene) throws {
    guard case .scale(let scale) = scene.options.extent else { return }
    let picture = try scene.picture()
    let whole = try scene.picture { $0.extent = .scale(scale) }
    #expect(whole.differences(from: picture) == 0)
    for region in [
      Rect(x: 11, y: 13, width: 47, height: 31), Rect(x: 30, y: -9, width: 60, height: 60),
    ] {
      let part = try scene.picture { $0.region = region }
      let (left, top) = (Int(region.minX * scale), Int(region.minY * scale))
      var differing = 0
      for y in 0..<part.height where 0..<picture.height ~= y + top {
        for x in 0..<part.width where 0..<picture.width ~= x + left {
          if part[x, y] != picture[x + left, y + top] { differing += 1 }
        }
      }
      #expect(differing == 0, "\(region)")
    }
  }
}

/// The highest level that this processor supports.
private let bestLevel = kernelLevels[kernelLevels.count - 1]

extension Pixmap {
  /// The number of rows that differ.
  func differences(from other: Pixmap) -> Int {
    guard width == other.width, height == other.height else { return .max }
    return (0..<height).reduce(0) { $0 + (bytes(ofRow: $1) == other.bytes(ofRow: $1) ? 0 : 1) }
  }
}
