import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// The bound of a channel's error: half a step, or 0 for exact channels.
private func bound(_ profile: PKDProfile, _ channel: PointChannel) -> Double {
  switch (profile, channel) {
  case (.exact, _): 0
  case (.sensor, .x), (.sensor, .y), (.sensor, .width), (.sensor, .secondaryWidth): 1 / 512
  case (.compact, .x), (.compact, .y), (.compact, .width), (.compact, .secondaryWidth): 1 / 128
  case (_, .timeOffset): 1 / 16_000
  case (.compact, .azimuth): 8
  case (.compact, .altitude): 32
  case (.compact, .opacity): 16
  default: 0
  }
}

/// The largest multiple of the step below 65536. Words above it are rounded down, so their bound is
/// a whole step.
private func top(_ channel: PointChannel) -> Double {
  switch channel {
  case .azimuth: 65_520
  case .altitude: 65_472
  case .opacity: 65_504
  default: 65_535
  }
}

struct ProfileTests {
  private func coded(_ columns: PointColumns, _ profile: PKDProfile) throws -> PointColumns {
    var stroke = PKStroke(
      ink: PKInk(.pen), path: PKStrokePath(columns: columns, creationDate: .referenceDate))
    stroke.archivedBounds = .zero
    let bytes = try PKDWriter.encode(PKDrawing(strokes: [stroke]), options: .init(profile: profile))
    let reader = try PKDReader(bytes)
    #expect(reader.profile == profile)
    return try reader.stroke(at: 0).path.columns
  }

  private func expectWithinBounds(
    _ columns: PointColumns, _ profile: PKDProfile, _ comment: Comment
  ) throws {
    let copy = try coded(columns, profile)
    #expect(copy.count == columns.count && copy.scale == columns.scale, comment)
    #expect(copy.varying == columns.varying && copy.present == columns.present, comment)
    for index in 0..<columns.count {
      for channel in PointChannel.allCases {
        var (a, b) = (0.0, 0.0)
        if channel.isFloat {
          (a, b) = (
            Double(columns.float(channel, at: index)), Double(copy.float(channel, at: index))
          )
        } else {
          (a, b) = (Double(columns.word(channel, at: index)), Double(copy.word(channel, at: index)))
        }
        var limit = columns.scale == .current || channel.isFloat ? bound(profile, channel) : 0
        if !channel.isFloat, a > top(channel), limit > 0 { limit = 2 * limit - 1 }
        // The multiple of the step is itself rounded to a float.
        if channel.isFloat { limit += Double(Float(a).magnitude.ulp) / 2 }
        if limit == 0 || bound(profile, channel) == 0 { limit = 0 }
        #expect(abs(a - b) <= limit, "\(channel) of point \(index): \(a) and \(b), \(comment)")
      }
    }
  }

  @Test(arguments: PKDProfile.allCases)
  func `rounding keeps every channel within its bound`(_ profile: PKDProfile) throws {
    for seed in 0..<60 {
      var random = RandomInk(seed: UInt64(seed))
      try expectWithinBounds(
        random.path(pointCount: 1...60).columns, profile, "drawn, seed \(seed)")
      try expectWithinBounds(random.hostileColumns(), profile, "hostile, seed \(seed)")
    }
  }

  @Test(arguments: PKDProfile.allCases)
  func `rounding keeps every 16-bit value within its bound`(_ profile: PKDProfile) throws {
    // Multiples of 7, so that every remainder occurs.
    let points = (0..<9363).map { index in
      var point = StoredPoint(defaultsIn: .current)
      for channel in PointChannel.words { point[word: channel] = UInt16(7 * index) }
      return point
    }
    let columns = PointColumns(points, scale: .current)
    let copy = try coded(columns, profile)
    for channel in PointChannel.words {
      let limit = bound(profile, channel)
      let worst = (0..<columns.count).reduce(0) { worst, index in
        let (a, b) = (columns.word(channel, at: index), copy.word(channel, at: index))
        return Double(a) > top(channel) ? worst : max(worst, abs(Int(a) - Int(b)))
      }
      #expect(Double(worst) <= limit, "\(channel)")
    }
  }

  @Test(arguments: [PKDProfile.sensor, .compact])
  func `values on grids that are coarse enough are not rounded`(_ profile: PKDProfile) throws {
    let fine: [Double] = [0.003_906_25, 0.011_718_75, 0.01]
    let coarse: [Double] = [0.015_625, 0.1, 0.125, 0.5, 1]
    let steps = profile == .sensor ? fine + coarse : coarse
    var random = RandomInk(seed: 11)
    for step in steps {
      var points: [StoredPoint] = []
      var number = 400
      for index in 0..<80 {
        var point = StoredPoint(defaultsIn: .current)
        number += random.whole(-30...31)
        for channel in [PointChannel.x, .y, .width, .secondaryWidth] {
          point[float: channel] = Float(Double(number + index % 3 * channel.rawValue) * step)
        }
        point[float: .timeOffset] = Float(Double(index * 4 + random.whole(0...3)) * 1e-3)
        points.append(point)
      }
      let columns = PointColumns(points, scale: .current)
      #expect(try coded(columns, profile).isIdentical(to: columns), "step \(step)")
    }
  }

  @Test func `a coarse grid with any offset is not rounded`() throws {
    let points = (0..<60).map { index in
      var point = StoredPoint(defaultsIn: .current)
      point[float: .x] = Float(0.001_953_125 + Double(index * index % 50) * 5 / 512)
      point[float: .y] = Float(Double(index * 7 % 53) * 5 / 512)
      return point
    }
    let columns = PointColumns(points, scale: .current)
    #expect(try coded(columns, .sensor).isIdentical(to: columns))
  }

  @Test func `a value that rounds to negative zero lies on the grid like others`() throws {
    var random = RandomInk(seed: 5)
    func columns(_ shift: Float) -> PointColumns {
      PointColumns(
        (0..<400).map { index in
          var point = StoredPoint(defaultsIn: .current)
          point[float: .x] = Float(random.number(0...300))
          point[float: .y] = index == 9 ? shift : Float(index) / 3
          return point
        }, scale: .current)
    }
    func size(_ columns: PointColumns) throws -> Int {
      let path = PKStrokePath(columns: columns, creationDate: .referenceDate)
      return try PKDWriter.encode(
        PKDrawing(strokes: [PKStroke(ink: PKInk(.pen), path: path)]),
        options: .init(profile: .sensor)
      ).count
    }
    let (above, below) = (try size(columns(0.000_1)), try size(columns(-0.000_1)))
    #expect(abs(above - below) < 100, "\(above) and \(below) bytes")
  }

  @Test(arguments: [PKDProfile.sensor, .compact])
  func `rounding points again changes nothing`(_ profile: PKDProfile) throws {
    for seed in 0..<40 {
      var random = RandomInk(seed: UInt64(seed))
      let once = try coded(random.path(pointCount: 1...50).columns, profile)
      #expect(try coded(once, profile).isIdentical(to: once))
    }
  }

  @Test(arguments: [PKDProfile.sensor, .compact])
  func `rounding changes nothing but the values of points`(_ profile: PKDProfile) throws {
    var random = RandomInk(seed: 3)
    let drawing = random.erasedDrawing(strokeCount: 8...8)
    let copy = try PKDReader(try PKDWriter.encode(drawing, options: .init(profile: profile)))
      .readDrawing().value
    #expect(copy.strokes.count == drawing.strokes.count)
    for (a, b) in zip(copy.strokes, drawing.strokes) {
      #expect(a.id == b.id && a.ink == b.ink && a.mask == b.mask && a.transform == b.transform)
      #expect(a.path.count == b.path.count && a.path.creationDate == b.path.creationDate)
      #expect(a.randomSeed == b.randomSeed && a.parentID == b.parentID)
    }
  }
}
