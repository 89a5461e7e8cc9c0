import InkFiles
import Foundation
import ForeignInk

@testable import ForeignSamples

/// Files of foreign formats as seeds for the fuzzers of their readers.
enum ImportSeeds {
  /// Writes a folder for each foreign format, with our own files and the smallest files of another
  /// folder.
  static func write(in folder: URL, from corpus: URL?) throws {
    let files = corpus.map(smallFiles) ?? []
    let own: [DrawingFile.Format] = [.pencilKit, .json, .pkd]
    let samples = Dictionary(grouping: try smallSamples(), by: \.format)
    for format in DrawingFile.Format.allCases where !own.contains(format) {
      let target = folder.appendingPathComponent("Import-\(format.rawValue)")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      let seeds = (samples[format] ?? []).map(\.bytes) + (made[format] ?? [])
      let real = files.lazy.filter { DrawingFile.Format(recognizing: $0) == format }
      for (index, seed) in (seeds + real.prefix(12)).enumerated() {
        try Data(seed).write(to: target.appendingPathComponent("seed-\(index)"))
      }
    }
  }

  /// The sample word in each format, shortened where it takes more than 4 kB: small files are
  /// searched faster.
  private static func smallSamples() throws -> [ForeignSample] {
    zip(try ForeignSample.all(.word), try ForeignSample.all(.mark)).map { word, mark in
      word.bytes.count <= 4096 ? word : mark
    }
  }

  /// The files of a folder that are small enough to be mutated, the smallest first.
  private static func smallFiles(_ folder: URL) -> [[UInt8]] {
    let keys: [URLResourceKey] = [.fileSizeKey, .isRegularFileKey]
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: keys)
    let sized = (all?.allObjects ?? []).compactMap { item -> (url: URL, size: Int)? in
      guard let url = item as? URL, let values = try? url.resourceValues(forKeys: Set(keys)),
        values.isRegularFile == true, let size = values.fileSize, size <= 1 << 16
      else { return nil }
      return (url, size)
    }
    return sized.sorted { ($0.size, $0.url.path) < ($1.size, $1.url.path) }
      .compactMap { try? [UInt8](Data(contentsOf: $0.url)) }
  }

  /// InkML like that of data sets: without units, with times.
  static let unitless = Array(
    ("<ink><annotation type=\"label\">x^2</annotation><traceFormat><channel name=\"X\"/><channel name=\"Y\"/>"
      + "<channel name=\"T\"/></traceFormat><trace>1 2 3,'4'5'6,\"1\"1\"0</trace><trace>7 8:9</trace></ink>")
      .utf8)

  /// More handmade files, for formats with rules that the sample drawing does not use.
  private static let made: [DrawingFile.Format: [[UInt8]]] = [
    .inkML: [unitless],
    .myPaint: [
      Array("1e2 -3.5 4 1\n100.5 7 9 0.25\nnan 0 0 0\n101 9 9 0.1".utf8)
    ],
    .unipen: [
      Array(
        (".VERSION 1.0\n.COORD X Y T P\n.X_POINTS_PER_INCH 100\n.Y_POINTS_PER_MM 5\n.START_BOX\n"
          + ".SEGMENT WORD 0-1:0-2 OK \"hi\"\n.PEN_DOWN\n1 2 3 4\n5 6 7 8\n.PEN_UP\n1 1 9 0\n"
          + ".START_SET\n.PEN_DOWN\n-1.5 2e1 1 9\n").utf8),
      Array(
        (".INCLUDE a\n.POINTS_PER_SECOND 50\n.PEN_DOWN 1 2\n3 4\n.DT 100\n.PEN_UP\n9 9\n"
          + ".START_BOX\n.PEN_DOWN\n7 7\n").utf8),
    ],
    .isf: ink + ink.map { ISFBytes.gif($0) } + ink.map { Array(Data($0).base64EncodedData()) },
  ]

  /// Streams of Ink Serialized Format with all tags and all packings.
  private static let ink: [[UInt8]] = {
    let float = ISFBytes.float
    var tables = ISFBytes()
    tables.add(1, sized: [UInt8](repeating: 7, count: 16))
    tables.add(
      2, table: [[68, 0xFF, 0x01, 69, 26, 27, 2, 0, 9, 1], [70, 80, 71, 1, 87, 9, 0, 0, 0]])
    tables.add(4, table: [[], [54, 56, 59, 60, 61, 62, 6, 1, 85, 11, 100]])
    tables.add(24, table: [[], [56, 7, 0, 100, 0] + float(1) + [54, 7, 0, 0, 5] + float(9)])
    let scaled = [1, 2, 3, 4].flatMap(float)
    tables.add(15, sized: [17] + float(2) + [19, 90] + [21] + scaled)
    let double = ISFBytes.double
    tables.add(31, sized: [17] + double(2) + [20] + double(3) + double(4))
    tables.add(100, [1, 0, 1])
    for index in [9, 13, 23, 26] { tables.add(index, [1]) }
    let values = ISFBytes.packed([1, 7, 30], width: 7)
    tables.addStroke(3, Array(repeating: values, count: 8), rest: [0x80, 1, 2, 3])
    var blocks = ISFBytes()
    blocks.add(0, [0, 0, 20, 20])
    blocks.add(3, sized: [72, 5, 80, 100, 69, 50])
    blocks.add(5, sized: [56])
    blocks.add(25, sized: [56, 3, 0, 100, 0])
    blocks.add(16, [1, 0, 0, 1, 5, 6].flatMap(float))
    for width in [3, 8, 32] {
      let column = ISFBytes.packed([0, 1, 2, 3], width: width, asDifferences: true)
      blocks.addStroke(4, [column, column, column])
    }
    for code in 0..<8 {
      let zeros: [UInt8] = [0x80 + UInt8(code), 0x01, 0x5A, 0xC3, 0x99, 0x11]
      blocks.addStroke(3, [zeros, zeros, zeros])
    }
    return [tables.stream(), blocks.stream()]
  }()
}
