import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// The exact profile keeps every bit of every value.
struct ExactTests {
  /// A file with a stroke for each path. The bounds are given, because computing bounds of such
  /// paths is not tested here.
  private func file(_ columns: [PointColumns], profile: PKDProfile = .exact) throws -> [UInt8] {
    let strokes = columns.enumerated().map { index, columns in
      var stroke = PKStroke(
        ink: PKInk(.pen), path: PKStrokePath(columns: columns, creationDate: .referenceDate),
        id: GeneratedName.stroke(index))
      stroke.archivedBounds = Rect(x: 0, y: 0, width: 1, height: 1)
      return stroke
    }
    return try PKDWriter.encode(PKDrawing(strokes: strokes), options: .init(profile: profile))
  }

  private func expectIdentical(
    _ columns: [PointColumns], _ comment: Comment? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let reader = try PKDReader(file(columns))
    let strokes = reader.readStrokes().value
    #expect(reader.wholeDamage == nil, comment, sourceLocation: location)
    #expect(strokes.count == columns.count, sourceLocation: location)
    for (a, b) in zip(strokes, columns) {
      #expect(a.path.columns.isIdentical(to: b), comment, sourceLocation: location)
    }
  }

  @Test(arguments: 0..<12)
  func `hostile columns round-trip bit for bit`(_ group: UInt64) throws {
    for seed in 50 * group..<50 * group + 50 {
      var random = RandomInk(seed: seed)
      let paths = (0..<random.whole(1...20)).map { _ in
        random.hostileColumns(pointCount: random.chance(0.3) ? 0...1 : 0...40)
      }
      try expectIdentical(paths, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<3)
  func `long hostile columns round-trip bit for bit`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    try expectIdentical([random.hostileColumns(pointCount: 5000...5000)])
  }

  /// A path with given x and y; all other channels have their defaults.
  private func columns(x: [Float], y: [Float]? = nil) -> PointColumns {
    let defaultPoint = StoredPoint(defaultsIn: .current)
    return PointColumns(
      x.indices.map { index in
        var point = defaultPoint
        point[float: .x] = x[index]
        point[float: .y] = y?[index] ?? 1
        return point
      }, scale: .current)
  }

  @Test func `extreme floats round-trip bit for bit`() throws {
    let edgeCases: [Float] = [
      0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1, -1, Float(1).nextUp, 0x1p24, 0x1p31,
      0x1p62, -0x1p63, 1e9, 1e30, 0.1, 1 / 3, .pi,
    ]
    for value in edgeCases {
      try expectIdentical([columns(x: [value])])
      try expectIdentical([columns(x: [Float](repeating: value, count: 30))])
      for other in edgeCases {
        try expectIdentical([columns(x: (0..<12).map { $0 % 3 == 0 ? other : value })])
      }
    }
  }

  @Test(arguments: [Float(0x1p37), 0x1p38, 0x1p40, -0x1p40])
  func `a path from far outside the page to fine steps on it round-trips`(_ start: Float) throws {
    // Differences have a common divisor, although the first value is far outside of any page.
    var x = [start]
    while abs(x[x.count - 1]) > 0x1p29 {
      x.append(x[x.count - 1] - (start > 0 ? 0x1p29 : -0x1p29))
    }
    x += (0..<20).map { Float($0 * $0) / 256 }
    try expectIdentical([columns(x: x)])
  }

  @Test func `paths that differ only in the sign of a zero are not shared`() throws {
    let parent = Identifier(high: 1, low: 2)
    let paths = [columns(x: [0, 1, 2]), columns(x: [-0.0, 1, 2]), columns(x: [0, 1, 2])]
    let strokes = paths.enumerated().map { index, columns in
      var stroke = PKStroke(
        ink: PKInk(.pen), path: PKStrokePath(columns: columns, creationDate: .referenceDate),
        id: GeneratedName.stroke(index))
      stroke.parentID = parent
      return stroke
    }
    let copies = try PKDReader(try PKDWriter.encode(PKDrawing(strokes: strokes))).readStrokes()
      .value
    for (copy, columns) in zip(copies, paths) {
      #expect(copy.path.columns.isIdentical(to: columns))
    }
  }

  @Test(
    arguments: [1e-3, 0.1, 0.011_718_75, 0.015_625, 0.004_166_6, 0.025_370_1, 0.113] as [Double])
  func `values on a stretched grid with corrections round-trip, and take few bytes`(
    _ step: Double
  ) throws {
    var random = RandomInk(seed: step.bitPattern)
    var number = 0
    func values(_ misses: Bool) -> [Float] {
      number = random.whole(0...99)
      return (0..<400).map { index in
        number += random.whole(2...9)
        let value = Float(3.1415927 + Double(number) * step)
        return misses && index % 40 == 7 ? value.nextUp : value
      }
    }
    for misses in [false, true] {
      let paths = (0..<4).map { _ in columns(x: values(misses), y: values(misses)) }
      try expectIdentical(paths)
      if !misses, step > 1e-2 { #expect(try file(paths).count < 4 * 400 * 3) }
    }
  }

  @Test func `columns that store equal values for each point still do so after reading`() throws {
    var random = RandomInk(seed: 2)
    let point = random.path(pointCount: 1...1).columns[0]
    let columns = PointColumns([StoredPoint](repeating: point, count: 9), scale: .current)
    for bits in UInt16(0)..<512 {
      let wide = columns.storing(PointChannels(rawValue: bits << 4 | 3), present: .all)
      try expectIdentical([wide])
    }
  }

  @Test func `a line at rest of many points, which takes few bytes, is not refused`() throws {
    for count in [1_000, 20_000] {
      let still = columns(x: [Float](repeating: 7, count: count))
      try expectIdentical([still])
      try expectIdentical([columns(x: (0..<count).map(Float.init))])
    }
  }

  @Test(arguments: 0..<6)
  func `a stroke that is a block of its own round-trips on grids of all kinds`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    let onGrids = random.path(pointCount: 1025...3000).columns.rounded(to: .compact)
    var number = 0
    let zoomed = (0..<random.whole(1025...3000)).map { _ in
      number += random.whole(-9...9)
      return Float(31.7 + Double(number) * 0.016464)
    }
    for columns in [onGrids, columns(x: zoomed)] {
      try expectIdentical([columns])
      let reader = try PKDReader(file([columns]))
      #expect(reader.blocks.map(\.heads.coding) == [.entropy])
    }
  }

  // MARK: - Sizes

  private func plainSize(_ columns: [PointColumns]) -> Int {
    columns.reduce(0) { $0 + $1.plainByteCount }
  }

  @Test func `random floats take at most 2 percent more than uncoded, plus an overhead`() throws {
    for seed in 0..<20 {
      var random = RandomInk(seed: UInt64(seed))
      let count = random.whole(1...3000)
      let points = (0..<count).map { _ in
        var point = StoredPoint(defaultsIn: .current)
        for channel in PointChannel.floats {
          repeat {
            point[float: channel] = Float(
              bitPattern: UInt32.random(in: 0 ... .max, using: &random.generator))
          } while !point[float: channel].isFinite
        }
        for channel in PointChannel.words {
          point[word: channel] = UInt16.random(in: 0 ... .max, using: &random.generator)
        }
        return point
      }
      let columns = PointColumns(points, scale: .current)
      let size = try file([columns]).count
      #expect(Double(size) <= 1.02 * Double(plainSize([columns])) + 420, "\(count) points")
    }
  }

  @Test(arguments: 0..<30)
  func `hostile columns take at most 2 percent more than uncoded, plus an overhead`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    let columns = (0..<random.whole(1...30)).map { _ in random.hostileColumns() }
    let size = try file(columns).count
    // The overhead is a shape of its own, a head and steps for each stroke.
    #expect(Double(size) <= 1.02 * Double(plainSize(columns)) + 420 + 110 * Double(columns.count))
  }
}
