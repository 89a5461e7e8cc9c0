import Compression

/// Copies of a file in each of which one value is extreme: a number, a count, a width or a
/// coordinate, also inside gzip and zip.
///
/// Random bits usually break a file's structure, and are refused early. These copies are
/// well-formed, so that the value reaches the loops, allocations and pictures that depend on it.
public struct ExtremeValues: Sendable {
  /// The packaging around the values.
  fileprivate enum Packaging {
    case none
    case gzip
    /// The files of an archive, one of which is changed.
    case zip([(name: String, bytes: [UInt8])], changed: Int)
  }

  /// A run of values: bytes, the positions of values in them, and the replacements.
  fileprivate struct Part {
    let packaging: Packaging
    let bytes: [UInt8]
    let places: [Range<Int>]
    let values: [[UInt8]]
    var count: Int { places.count * values.count }
  }

  private let parts: [Part]
  /// The number of copies.
  public let count: Int

  /// The copies of a file.
  public init(_ file: [UInt8]) {
    var parts: [Part] = []
    func add(_ bytes: [UInt8], _ packaging: Packaging) {
      if Self.isText(bytes) {
        parts.append(
          Part(
            packaging: packaging, bytes: bytes, places: Self.numbers(in: bytes),
            values: Self.texts))
        return
      }
      for values in Self.binary {
        let width = values[0].count
        let places = bytes.indices.dropLast(width - 1).map { $0..<$0 + width }
        parts.append(Part(packaging: packaging, bytes: bytes, places: places, values: values))
      }
      // Numbers of variable length replace one byte.
      parts.append(
        Part(
          packaging: packaging, bytes: bytes, places: bytes.indices.map { $0..<$0 + 1 },
          values: Self.variableLengths))
    }
    if ZipArchive.recognizes(file), let archive = try? ZipArchive(file) {
      let files = archive.entries.compactMap { entry in
        (try? archive.contents(of: entry, limit: 1 << 24)).map { (entry.name, $0) }
      }
      for index in files.indices { add(files[index].1, .zip(files, changed: index)) }
    } else if file.starts(with: [0x1F, 0x8B]),
      let content = try? Inflate.inflate(file, limit: 1 << 24)
    {
      add(content, .gzip)
    }
    add(file, .none)
    self.parts = parts
    count = parts.reduce(0) { $0 + $1.count }
  }

  /// A copy.
  public subscript(index: Int) -> [UInt8] {
    var index = index
    for part in parts {
      guard index >= part.count else {
        return part.copy(index / part.values.count, index % part.values.count)
      }
      index -= part.count
    }
    preconditionFailure("there is no copy of this number")
  }

  /// Some copies, spread evenly over all.
  public func sample(_ number: Int) -> [[UInt8]] {
    guard count > number, number > 0 else { return (0..<count).map { self[$0] } }
    // Because of the remainder, the replacement changes from position to position.
    return (0..<number).map { self[$0 * count / number] }
  }

  // MARK: - Values

  /// The replacements of a number in a text.
  private static let texts: [[UInt8]] = [
    "0", "-1", "1e308", "-1e308", "1e-320", "NaN", "inf", "-Infinity", "65536", "1000000",
    "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
    String(repeating: "9", count: 400), "0." + String(repeating: "0", count: 300) + "1",
  ].map { Array($0.utf8) }

  private static func lowestFirst(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// The replacements of one, two, four and eight bytes.
  private static let binary: [[[UInt8]]] = {
    let floats = [Float.nan, .infinity, -3e38, 1e38, 1e6, -1e6, .leastNonzeroMagnitude, 0].map {
      lowestFirst(UInt64($0.bitPattern), 4)
    }
    let doubles = [Double.nan, -.infinity, 1e308, -1e308, 1e6, .leastNonzeroMagnitude, 0].map {
      lowestFirst($0.bitPattern, 8)
    }
    let words = [0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x1_0000, 0].map {
      lowestFirst(UInt64($0), 4)
    }
    return [
      [[0xFF], [0x80], [0x7F], [0]], [[0xFF, 0xFF], [0xFF, 0x7F], [0, 0x80]],
      floats + floats.map { $0.reversed() } + words + words.map { $0.reversed() },
      doubles + doubles.map { $0.reversed() } + [lowestFirst(.max, 8), lowestFirst(1 << 62, 8)],
    ]
  }()

  private static let variableLengths: [[UInt8]] = [
    [0xFF, 0xFF, 0x03], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    [UInt8](repeating: 0xFF, count: 9) + [1],
  ]

  // MARK: - Places

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(1 << 12).allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The ranges of the numbers in a text.
  private static func numbers(in text: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    while index < text.count {
      guard 48...57 ~= text[index] else {
        index += 1
        continue
      }
      var end = index + 1
      while end < text.count, 48...57 ~= text[end] || text[end] == UInt8(ascii: ".") { end += 1 }
      let isNegative = index > 0 && text[index - 1] == UInt8(ascii: "-")
      ranges.append((isNegative ? index - 1 : index)..<end)
      index = end
    }
    return ranges
  }
}

extension ExtremeValues.Part {
  /// The file with a value at a position.
  fileprivate func copy(_ place: Int, _ value: Int) -> [UInt8] {
    var changed = bytes
    changed.replaceSubrange(places[place], with: values[value])
    switch packaging {
    case .none: return changed
    case .gzip: return Packing.gzip(changed)
    case .zip(var files, let index):
      files[index].bytes = changed
      return Packing.zip(files)
    }
  }
}
