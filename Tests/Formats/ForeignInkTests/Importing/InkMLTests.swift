import InkFiles
import Foundation
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

struct InkMLTests {
  /// A format of x and y in points.
  private static let plain = "<traceFormat>\(channel("X"))\(channel("Y"))</traceFormat>"

  private static func channel(_ name: String, _ rest: String = "units='pt'") -> String {
    "<channel name='\(name)' type='decimal' \(rest)/>"
  }

  private func ink(_ body: String) -> String {
    "<?xml version='1.0' encoding='UTF-8'?>\n<ink xmlns='http://www.w3.org/2003/InkML'>\(body)</ink>"
  }

  private func open(_ text: String) throws -> DrawingFile { try open(Array(text.utf8)) }

  /// Opens a file without fitting curves, so that points keep their locations.
  private func open(_ bytes: [UInt8], as format: DrawingFile.Format? = nil) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(bytes, as: format, options: options)
  }

  private func points(_ file: DrawingFile, _ stroke: Int = 0) -> [PKStrokePoint] {
    let strokes = file.strokes().strokes
    return strokes.indices.contains(stroke) ? Array(strokes[stroke].path) : []
  }

  private func places(_ file: DrawingFile, _ stroke: Int = 0) -> [[Double]] {
    points(file, stroke).map { [$0.location.x, $0.location.y] }
  }

  private func notes(_ file: DrawingFile) -> [String] {
    file.page?.notes.counts.map(\.text) ?? []
  }

  /// The locations of a trace in points.
  private func places(of trace: String) throws -> [[Double]] {
    places(try open(ink(Self.plain + "<trace>\(trace)</trace>")))
  }

  // MARK: - Values

  private static let ways: [(String, [[Double]])] = [
    ("1 2, 3 4", [[1, 2], [3, 4.0]]), ("1 2,3 4,", [[1, 2], [3, 4]]),
    (" \n1\t2 ,\r\n 3 4 ", [[1, 2], [3, 4]]),
    ("1.5-2,-3+4", [[1.5, -2], [-3, 4]]), ("1e1 .5,2E0-.25", [[10, 0.5], [2, -0.25]]),
    ("- 1 - 2", [[-1, -2]]), ("#1F#-0", []), ("#1F -#A", [[31, -10]]), ("#FF#10", [[255, 16]]),
    // Differences apply until another prefix follows, separately for each channel.
    ("10 20,'1'2,3-4,!7 1,8 1", [[10, 20], [11, 22], [14, 18], [7, 19], [8, 20]]),
    ("10 20,'1'2,\"1\"-1,0 0,'5 1", [[10, 20], [11, 22], [13, 23], [15, 24], [20, 26]]),
    // A second difference changes the step between the previous values.
    ("1 1,3 1,\"1'1,0 1", [[1, 1], [3, 1], [6, 2], [9, 3]]),
    ("'1'2,'1'2", [[1, 2], [2, 4]]),
    // A star repeats the previous step.
    ("1 2,* 3,4 *", [[1, 2], [1, 3], [4, 3]]),
    ("1 2,'1'1,**,* 0", [[1, 2], [2, 3], [3, 4], [4, 4]]),
    ("0 0,'1'1,\"1\"0,* *,* *", [[0, 0], [1, 1], [3, 2], [6, 3], [10, 4]]),
    ("1,3 4", [[3, 4]]), ("? 1,2 3", [[2, 3]]), ("T F", [[1, 0]]), ("", []), (",,", []),
    ("1 2,,3 4", [[1, 2], [3, 4]]),
  ]

  @Test(arguments: ways)
  func `InkML values are read in all notations`(trace: String, expected: [[Double]]) throws {
    #expect(try places(of: trace) == expected)
  }

  private static let damaged: [(String, [[Double]], String)] = [
    ("1 2,3 4,x 5,6 7", [[1, 2], [3, 4.0]], "a value of a trace"),
    ("1 2,3 4 5,6 7", [[1, 2], [3, 4]], "a comma after the last value of a point"),
    ("1 2,3 ; 4", [[1, 2]], "a value of a trace"), ("1 2,3 -", [[1, 2]], "a value of a trace"),
    ("1 2,3 #", [[1, 2]], "a value of a trace"), ("1 2,3 --4", [[1, 2]], "a value of a trace"),
    ("1 2:3", [[1, 2]], "a point without intermittent channels"),
    ("1 2,3:4", [[1, 2]], "a point without intermittent channels"),
  ]

  @Test(arguments: damaged)
  func `a damaged InkML trace keeps its first points and the other traces`(
    trace: String, expected: [[Double]], reason: String
  ) throws {
    let text = ink(Self.plain + "<trace>\(trace)</trace><trace>8 9,9 9</trace>")
    let file = try open(text)
    #expect(places(file) == expected)
    #expect(places(file, 1) == [[8, 9], [9, 9]])
    let offset = try #require(text.range(of: "<trace>")).lowerBound.utf16Offset(in: text)
    #expect(
      file.damage.map(\.description) == [
        "damaged InkML: \(reason) is expected at byte \(offset)"
      ])
  }

  @Test func `an incomplete InkML point does not count for the guessed size`() throws {
    let file = try open(ink("<trace>1: 2 3</trace><trace>8 9,9 9</trace>"))
    #expect(file.damage.count == 1)
    #expect(file.strokes().strokes.count == 1)
  }

  @Test func `InkML channels come in any order, missing ones have defaults`() throws {
    let format =
      "<traceFormat>\(Self.channel("F", "max='10' default='5'"))\(Self.channel("Y"))\(Self.channel("X"))"
      + "</traceFormat>"
    let file = try open(ink(format + "<trace>10 1 2,0 3 4,? 5 6</trace>"))
    #expect(places(file) == [[2, 1], [4, 3], [6, 5]])
    #expect(points(file).map(\.force) == [2, 0, 1])
  }

  @Test func `the third InkML value without a format is a time in milliseconds`() throws {
    let file = try open(ink("<trace>1 2 500, 3 4 750</trace><trace>5 6</trace>"))
    #expect(file.damage.isEmpty)
    #expect(points(file).map(\.timeOffset) == [0, 0.25])
    #expect(points(file, 1).count == 1)
    #expect(notes(file).contains { $0.contains("times in milliseconds") })
  }

  @Test func `intermittent InkML channels may be left out`() throws {
    let format =
      "<traceFormat>\(Self.channel("X"))\(Self.channel("Y"))<intermittentChannels>"
      + Self.channel("F", "max='4'") + "</intermittentChannels></traceFormat>"
    let file = try open(ink(format + "<trace>1 1,2 2:4,3 3,4 4 1,5 5:'1,6 6:1</trace>"))
    #expect(places(file).count == 6)
    #expect(points(file).map(\.force) == [1, 2, 2, 0.5, 1, 1.5])
  }

  // MARK: - Units

  private static let units: [(String, String, Double)] = [
    ("cm", "", 72 / 2.54), ("mm", "", 7.2 / 2.54), ("in", "", 72.0), ("pt", "", 1.0),
    ("m", "", 7200 / 2.54),
    ("himetric", "", 72.0 / 2540), ("px", "", 0.75), ("pc", "", 12),
    ("cm", "1000 1/cm", 0.072 / 2.54),
    ("dev", "100 1/in", 0.72), ("himetric", "1 1/himetric", 72.0 / 2540),
    ("cm", "10 1/mm", 0.72 / 2.54),
    ("", "2 cm", 36 / 2.54), ("in", "0 1/in", 72),
  ]

  @Test(arguments: units)
  func `units and resolutions of InkML channels give the size`(
    unit: String, resolution: String, points: Double
  )
    throws
  {
    let parts = resolution.split(separator: " ")
    let properties =
      parts.isEmpty
      ? ""
      : "<channelProperties>"
        + ["X", "Y"].map {
          "<channelProperty channel='\($0)' name='resolution' value='\(parts[0])' units='\(parts[1])'/>"
        }.joined() + "</channelProperties>"
    let format =
      "<traceFormat>" + ["X", "Y"].map { Self.channel($0, "units='\(unit)'") }.joined()
      + "</traceFormat>"
    let file = try open(
      ink(
        "<definitions><context xml:id='c'><inkSource xml:id='s'>\(format)\(properties)</inkSource></context>"
          + "</definitions><trace contextRef='#c'>0 0,100 50</trace>"))
    let end = try #require(places(file).last)
    #expect(abs(end[0] - 100 * points) < 1e-4 * points * 100)
    #expect(abs(end[1] - 50 * points) < 1e-4 * points * 100)
    // The bounds have the file's unit.
    #expect(file.page?.source.bounds?.maxX == 100)
    #expect(!notes(file).contains { $0.contains("unit") })
  }

  @Test func `InkML axes have their own units and directions`() throws {
    let format =
      "<traceFormat>\(Self.channel("X", "units='in'"))\(Self.channel("Y", "units='pt' orientation='-ve'"))"
      + "</traceFormat>"
    #expect(
      places(try open(ink(format + "<trace>1 10,2 20</trace>"))) == [[72, -10], [144, -20]])
  }

  @Test(arguments: [(100.0, 0.75), (1.0, 400.0), (40_000.0, 0.01)])
  func `an InkML file without units gets a likely size`(side: Double, unit: Double) throws {
    let file = try open(ink("<trace>0 0,\(side) 0</trace>"))
    #expect(abs((places(file).last?[0] ?? 0) / (side * unit) - 1) < 1e-6)
    #expect(notes(file).contains("the file states no unit of length: the size is a guess"))
    #expect(notes(file).contains("brushes without a width get 1.5 points"))
    #expect(abs((points(file).first?.size.width ?? 0) - 1.5) < 1e-4)
  }

  @Test func `InkML traces with different units are scaled to the same page`() throws {
    func context(_ name: String, _ unit: String) -> String {
      "<context xml:id='\(name)'><traceFormat>"
        + ["X", "Y"].map { Self.channel($0, "units='\(unit)'") }.joined()
        + "</traceFormat></context>"
    }
    let file = try open(
      ink(
        "<definitions>\(context("a", "pt"))\(context("b", "in"))</definitions>"
          + "<trace contextRef='#a'>72 72,9 9</trace><trace contextRef='#b'>1 1,2 2</trace>"))
    #expect(places(file, 0).first == [72, 72])
    #expect(places(file, 1).first == [72, 72])
  }

  @Test func `an affine mapping leads to the InkML canvas`() throws {
    let transform =
      "<canvasTransform xml:id='t'><mapping type='affine'><affine>2 1 10, 0 3 20</affine></mapping>"
      + "<mapping type='affine'>1 0 0, 0 1 0</mapping></canvasTransform>"
    let file = try open(
      ink(
        "<context xml:id='c'>\(Self.plain)\(transform)</context><trace contextRef='#c'>1 2,3 4</trace>"
      ))
    #expect(places(file) == [[14, 26], [20, 32]])
    // The bounds have the device's coordinates.
    #expect(file.page?.source.bounds?.maxY == 4)
    let same = transform.replacing("<affine>2 1 10, 0 3 20</affine>", with: "").replacing(
      "type='affine'>", with: "type='identity'>", maxReplacements: 1)
    let still = try open(
      ink("<context>\(Self.plain)\(same)</context><trace>1 2,3 4</trace>"))
    #expect(places(still) == [[1, 2], [3, 4]])
    let other = try open(
      ink(
        "<context>\(Self.plain)\(transform.replacing("'affine'", with: "'mathml'"))</context><trace>1 2</trace>"
      ))
    #expect(places(other) == [[1, 2]])
    #expect(notes(other).contains("mappings that are not affine are left out"))
  }

  // MARK: - Brushes

  private func brushed(_ properties: [(String, String)], force: String = "") throws -> DrawingFile {
    let text = properties.map { "<brushProperty name='\($0.0)' \($0.1)/>" }.joined()
    let format =
      force.isEmpty
      ? Self.plain
      : "<traceFormat>\(Self.channel("X"))\(Self.channel("Y"))\(Self.channel("F", "max='8'"))</traceFormat>"
    let trace = force.isEmpty ? "0 0,9 9" : "0 0 0,9 9 4,18 9 8"
    return try open(
      ink(format + "<brush xml:id='b'>\(text)</brush><trace brushRef='#b'>\(trace)</trace>"))
  }

  @Test func `InkML brushes have sizes and colours`() throws {
    let file = try brushed([
      ("width", "value='0.1' units='in'"), ("height", "value='3.6' units='pt'"),
      ("color", "value='#336699'"),
      ("transparency", "value='51'"),
    ])
    #expect(abs((points(file).first?.size.width ?? 0) - 7.2) < 1e-5)
    #expect(abs((points(file).first?.size.height ?? 0) - 3.6) < 1e-3)
    let ink = try #require(file.strokes().strokes.first?.ink)
    #expect(
      ink
        == PKInk(.pen, color: Color(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8), widthLaw: .plain))
  }

  @Test func `InkML mask pens and translucent square tips are highlighters`() throws {
    let width = ("width", "value='2' units='mm'")
    func type(_ properties: [(String, String)]) throws -> PKInk.InkType? {
      try brushed([width] + properties).strokes().strokes.first?.ink.inkType
    }
    #expect(try type([("rasterOp", "value='maskPen'")]) == .marker)
    #expect(try type([("tip", "value='rectangle'"), ("transparency", "value='127'")]) == .marker)
    #expect(try type([("tip", "value='rectangle'")]) == .pen)
    #expect(try type([("tip", "value='ellipse'"), ("transparency", "value='127'")]) == .pen)
    #expect(try type([("rasterOp", "value='copyPen'")]) == .pen)
  }

  @Test func `InkML pressure widens lines unless the brush ignores it`() throws {
    let width = ("width", "value='4' units='pt'")
    let file = try brushed([width], force: "F")
    #expect(points(file).map(\.size.width) == [2, 4, 6])
    #expect(points(file).map(\.force) == [0, 1, 2])
    for word in ["1", "true"] {
      let even = try brushed([width, ("ignorePressure", "value='\(word)'")], force: "F")
      #expect(points(even).map(\.size.width) == [4, 4, 4])
    }
    let pressed = try brushed([width, ("ignorePressure", "value='false'")], force: "F")
    #expect(points(pressed).map(\.size.width) == [2, 4, 6])
  }

  @Test func `InkML lines that are not fitted have corners`() throws {
    let text = ink(
      "\(Self.plain)<brush><brushProperty name='fitToCurve' value='0'/></brush><trace>0 0,9 0,9 9</trace>"
    )
    // Three control points at one location make a corner.
    #expect(places(try open(text)) == [[0, 0], [9, 0], [9, 0], [9, 0], [9, 9]])
    let fitted = text.replacing("value='0'", with: "value='1'")
    #expect(places(try open(fitted)).count == 3)
  }

  @Test func `an InkML channel of widths sets the width`() throws {
    let format =
      "<traceFormat>" + ["X", "Y", "W"].map { Self.channel($0) }.joined() + "</traceFormat>"
    let file = try open(ink(format + "<trace>0 0 1,9 9 2.5</trace>"))
    #expect(points(file).map(\.size.width) == [1, 2.5])
  }

  // MARK: - Angles

  private func angles(_ channels: [(String, String)], _ values: String) throws -> (Double, Double) {
    let format =
      "<traceFormat>\(Self.channel("X"))\(Self.channel("Y"))"
      + channels.map { Self.channel($0.0, $0.1) }.joined() + "</traceFormat>"
    let point = try #require(points(try open(ink(format + "<trace>0 0 \(values)</trace>"))).first)
    return (point.azimuth, point.altitude)
  }

  @Test func `InkML azimuth and elevation give the direction of the pen`() throws {
    var (azimuth, altitude) = try angles([("OA", "units='deg'"), ("OE", "units='deg'")], "90 60")
    #expect(abs(azimuth - .pi / 2) < 1e-3)
    #expect(abs(altitude - .pi / 3) < 1e-3)
    (azimuth, altitude) = try angles([("OA", "units='rad'"), ("OE", "units='rad'")], "1 0.5")
    #expect(abs(azimuth - 1) < 1e-3)
    #expect(abs(altitude - 0.5) < 1e-3)
    (azimuth, altitude) = try angles([("OA", "max='360'"), ("OE", "max='90'")], "45 30")
    #expect(abs(azimuth - .pi / 4) < 1e-3)
    #expect(abs(altitude - .pi / 6) < 1e-3)
  }

  @Test func `InkML tilts along x and y give the direction of the pen`() throws {
    let tilts = [("OTx", "units='deg'"), ("OTy", "units='deg'")]
    var (azimuth, altitude) = try angles(tilts, "30 0")
    #expect(abs(azimuth) < 1e-3)
    #expect(abs(altitude - .pi / 3) < 1e-3)
    (azimuth, altitude) = try angles(tilts, "0 45")
    #expect(abs(azimuth - .pi / 2) < 1e-3)
    #expect(abs(altitude - .pi / 4) < 1e-3)
    (azimuth, altitude) = try angles(tilts, "0 0")
    #expect(abs(altitude - .pi / 2) < 1e-3)
    (azimuth, altitude) = try angles(tilts, "90 -90")
    #expect(altitude >= 0 && altitude < 0.01)
  }

  @Test func `InkML angles in device steps are divided by the resolution`() throws {
    let channels = [("OA", 1000), ("OE", 1000)].map {
      "<channelProperty channel='\($0.0)' name='resolution' value='\($0.1)' units='1/deg'/>"
    }.joined()
    let format =
      "<traceFormat>\(Self.channel("X"))\(Self.channel("Y"))\(Self.channel("OA", "max='360' units='deg'"))"
      + Self.channel("OE", "max='90' units='deg'") + "</traceFormat>"
    let file = try open(
      ink(
        "<context><inkSource>\(format)<channelProperties>\(channels)</channelProperties></inkSource></context>"
          + "<trace>0 0 90000 45000</trace>"))
    let point = try #require(points(file).first)
    #expect(abs(point.azimuth - .pi / 2) < 1e-3)
    #expect(abs(point.altitude - .pi / 4) < 1e-3)
  }

  // MARK: - Times

  private func timed(
    _ traces: String, units: String = "", context: String = ""
  ) throws -> [(start: Double, offsets: [Double])] {
    let format =
      "<traceFormat>\(Self.channel("X"))\(Self.channel("Y"))\(Self.channel("T", units))</traceFormat>"
    let file = try open(ink("<context>\(context)\(format)</context>" + traces))
    return file.strokes().strokes.map {
      (
        $0.path.creationDate.secondsSinceReferenceDate,
        $0.path.map { ($0.timeOffset * 1e4).rounded() / 1e4 }
      )
    }
  }

  @Test func `InkML times are milliseconds unless the file has another unit`() throws {
    let traces = "<trace>0 0 0,1 1 8,2 2 20</trace><trace>0 0 500,1 1 510</trace>"
    let found = try timed(traces)
    #expect(found.map(\.start) == [0, 0.5])
    #expect(found.map(\.offsets) == [[0, 0.008, 0.02], [0, 0.01]])
    #expect(try timed(traces, units: "units='s'").map(\.start) == [0, 500])
    #expect(try timed(traces, units: "units='us'")[1].start == 0.0005)
  }

  @Test func `an InkML timestamp and offsets give the times of traces`() throws {
    let traces =
      "<trace timeOffset='1500'>0 0 0,1 1 8</trace><trace timeOffset='2500'>0 0 100,1 1 108</trace>"
    for context in [
      "<timestamp xml:id='a' timeString='2001-01-01T00:01:00Z'/>",
      "<timestamp xml:id='a' timeString='2001-01-01T00:01:00'/>",
      "<timestamp xml:id='a' time='978307260000'/>",
      "<timestamp xml:id='a' timeString='2001-01-01T01:01:00+01:00'/>",
    ] {
      #expect(try timed(traces, context: context).map(\.start) == [61.5, 62.6])
    }
    let relative =
      "<timestamp xml:id='a' timestampRef='#b' timeOffset='2000'/>"
    let found = try timed(
      "<timestamp xml:id='b' timeString='2001-01-01T00:01:00Z'/>" + traces, context: relative)
    #expect(found.first?.start == 63.5)
  }

  @Test func `InkML times since 1970 give absolute dates`() throws {
    let found = try timed("<trace>0 0 978307201000,1 1 978307201010</trace>")
    #expect(found.map(\.start) == [1])
    #expect(found.map(\.offsets) == [[0, 0.01]])
  }

  @Test func `InkML traces whose times begin again follow each other`() throws {
    let found = try timed("<trace>0 0 0,1 1 1000</trace><trace>0 0 0,1 1 1000</trace>")
    #expect(found.map(\.start) == [0, 1.15])
  }

  @Test func `InkML points without a time have that of the point before`() throws {
    let found = try timed("<trace>0 0,1 1 5,2 2,3 3 9</trace><trace>4 4,5 5</trace>")
    #expect(found[0].offsets == [0, 0, 0, 0.004])
    // A trace without any times is drawn at a hand's pace.
    #expect(found[1].offsets.count == 2 && (found[1].offsets.last ?? 0) > 0)
  }

  @Test func `an InkML rate or duration gives times`() throws {
    let rated = try open(
      ink(
        "<inkSource><sampleRate uniform='true' value='100'/>\(Self.plain)</inkSource><trace>0 0,1 1,2 2</trace>"
      ))
    #expect(points(rated).map { ($0.timeOffset * 1000).rounded() } == [0, 10, 20])
    let lasting = try open(ink(Self.plain + "<trace duration='50'>0 0,1 1,2 2</trace>"))
    #expect(points(lasting).map { ($0.timeOffset * 1000).rounded() } == [0, 25, 50])
  }

  // MARK: - Structure

  @Test func `InkML references may point forward and from context to context`() throws {
    let file = try open(
      ink(
        "<traceGroup contextRef='#late' brushRef='#red'><trace>1 1,2 2</trace>"
          + "<traceGroup brushRef='blue'><trace>3 3</trace></traceGroup></traceGroup><trace contextRef='#late'>4 4</trace>"
          + "<definitions><context xml:id='late' contextRef='#base'/><context xml:id='base' brushRef='#green'>"
          + "<traceFormat>" + ["X", "Y"].map { Self.channel($0, "units='in'") }.joined()
          + "</traceFormat></context>"
          + ["red": "#FF0000", "blue": "#0000FF", "green": "#00FF00"].map {
            "<brush xml:id='\($0.key)'><brushProperty name='color' value='\($0.value)'/></brush>"
          }.joined() + "</definitions>"))
    #expect(places(file).first == [72, 72])
    let colors = file.strokes().strokes.map(\.ink.color)
    #expect(
      colors == [
        Color(red: 1, green: 0, blue: 0), Color(red: 0, green: 0, blue: 1),
        Color(red: 0, green: 1, blue: 0),
      ])
  }

  @Test func `circular InkML references end`() throws {
    let file = try open(
      ink(
        "<definitions><context xml:id='a' contextRef='#b'/><context xml:id='b' contextRef='#a' timestampRef='#t'/>"
          + "<brush xml:id='c' brushRef='#c'/><timestamp xml:id='t' timestampRef='#t' timeOffset='1'/></definitions>"
          + "<trace contextRef='#a' brushRef='#c' xml:id='x' priorRef='#x' continuation='end'>1 1,2 2</trace>"
      ))
    #expect(places(file).count == 2)
  }

  @Test func `InkML contexts and brushes among traces apply to later traces`() throws {
    func brush(_ color: String) -> String {
      "<brush><brushProperty name='color' value='\(color)'/></brush>"
    }
    let file = try open(
      ink(
        "\(Self.plain)<trace>1 1</trace>\(brush("#FF0000"))<trace>2 2</trace>\(brush("#0000FF"))<trace>3 3</trace>"
          + "<traceFormat>\(Self.channel("Y"))\(Self.channel("X"))</traceFormat><trace>4 5</trace>")
    )
    #expect(
      file.strokes().strokes.map(\.ink.color) == [
        .black, Color(red: 1, green: 0, blue: 0), Color(red: 0, green: 0, blue: 1),
        Color(red: 0, green: 0, blue: 1),
      ])
    #expect(places(file, 3) == [[5, 4]])
  }

  @Test func `InkML traces of a pen above the page are not drawn`() throws {
    let file = try open(
      ink(
        Self.plain
          + "<trace>1 1,2 2</trace><trace type='penUp'>2 2,9 9</trace><trace type='penDown'>9 9</trace>"
      ))
    #expect(file.strokes().strokes.count == 2)
    #expect(file.page?.source.strokes == 3)
    #expect(notes(file).contains("the ways of a pen above the page are left out"))
  }

  @Test func `InkML views draw only traces that are not drawn yet`() throws {
    let file = try open(
      ink(
        "\(Self.plain)<definitions><trace xml:id='d1'>1 1</trace><trace xml:id='d2'>2 2</trace>"
          + "<traceGroup xml:id='g'><trace>3 3</trace></traceGroup></definitions>"
          + "<trace xml:id='a'>4 4</trace><traceGroup><traceView traceDataRef='#a'/><traceView traceDataRef='#d2'/>"
          + "<traceView traceDataRef='g'/></traceGroup>"))
    #expect((0..<4).map { places(file, $0) } == [[[2, 2]], [[3, 3]], [[4, 4]], []])
    #expect(file.page?.source.strokes == 4)
  }

  @Test func `an InkML trace that continues another one is the same stroke`() throws {
    let file = try open(
      ink(
        "\(Self.plain)<trace xml:id='a' continuation='begin'>1 1,2 2</trace><trace xml:id='x'>7 7</trace>"
          + "<trace xml:id='b' continuation='middle' priorRef='#a'>3 3</trace>"
          + "<trace continuation='end' priorRef='#b'>4 4</trace><trace continuation='end' priorRef='#none'>5 5</trace>"
      ))
    #expect(places(file, 0) == [[1, 1], [2, 2], [3, 3], [4, 4]])
    #expect(places(file, 1) == [[7, 7]])
    #expect(places(file, 2) == [[5, 5]])
  }

  @Test func `an InkML label names the page`() throws {
    let file = try open(
      ink(
        "<annotation type='label'>x^2</annotation><annotation type='normalizedLabel'>x^{2}\n</annotation>"
          + "<annotation type='label'>y</annotation>\(Self.plain)<traceGroup><annotation type='truth'>z</annotation>"
          + "<annotationXML><math><trace>9 9</trace></math></annotationXML><trace>1 1,2 2</trace></traceGroup>"
      ))
    #expect(file.page?.name == "x^{2}")
    #expect(file.strokes().strokes.count == 1)
  }

  // MARK: - Microsoft

  @Test
  func `Microsoft's InkML coordinates are hundredths of a millimetre`()
    throws
  {
    let channels = ["X", "Y"].map { Self.channel($0, "units='in' max='32767'") }.joined()
    let properties =
      "<channelProperties><channelProperty channel='X' name='resolution' value='4000' units='1/in'/>"
      + "<channelProperty channel='Y' name='resolution' value='5000' units='1/in'/></channelProperties>"
    let source =
      "<inkSource xml:id='inkSrc0'><traceFormat>\(channels)</traceFormat>\(properties)</inkSource>"
    let file = try open(
      "\u{FEFF}"
        + ink(
          "<definitions><context xml:id='ctx0'>\(source)</context></definitions><trace contextRef='#ctx0'>0 0,2540 5080</trace>"
        ))
    #expect(places(file) == [[0, 0], [72, 144]])
    #expect(
      notes(file).contains(
        "places are hundredths of a millimetre, as Microsoft's programs write them"))
    // Boxes of recognized text also identify the program.
    let other = source.replacing("inkSrc0", with: "source")
    let boxed = try open(
      ink(
        "<context xml:id='c'>\(other)</context><annotationXML><emma><context rotatedBoundingBox='0,0 1,1'/></emma>"
          + "</annotationXML><trace>0 0,2540 5080</trace>"))
    #expect(places(boxed) == [[0, 0], [72, 144]])
  }

  @Test(arguments: ["\n", "\r\n"])
  func `a OneNote response has InkML in one of its parts`(end: String) throws {
    let text = ink(Self.plain + "<trace>1 1,2 2 x</trace>")
    let lines = [
      "--batch_1", "CONTENT-TYPE: text/html; charset=utf-8", "",
      "<html><body>--batch</body></html>", "--batch_1",
      "Content-Type: Application/InkML+xml; charset=utf-8", "X-Other: 1", "", text, "--batch_1--",
      "",
    ]
    let message = lines.joined(separator: end)
    let file = try open(message)
    #expect(file.format == .inkML)
    #expect(places(file) == [[1, 1], [2, 2]])
    // Offsets are relative to the whole file.
    let offset = try #require(message.range(of: "<trace>"))
    let start = message.utf8.distance(from: message.startIndex, to: offset.lowerBound)
    #expect("\(file.damage)".contains("at byte \(start)"))
  }

  @Test func `a page of OneNote without ink says so`() throws {
    let page = "<!DOCTYPE html><html data-absolute-enabled=\"true\"><body>a</body></html>"
    let message = "--b\r\nContent-Type: text/html\r\n\r\n\(page)\r\n--b--\r\n"
    for text in [page, message] {
      do throws(DrawingFileError) {
        _ = try DrawingFile(Array(text.utf8))
        Issue.record("read")
      } catch {
        #expect(error == .imported(.inkML, missingInk))
        #expect("\(error)" == "damaged InkML: ink in this page of OneNote is missing at byte 0")
      }
    }
    #expect(DrawingFile.Format(recognizing: Array("<html><body/></html>".utf8)) == nil)
    #expect(DrawingFile.Format(recognizing: Array("--- a\n+++ b\n".utf8)) == nil)
  }

  private var missingInk: ImportError {
    do throws(DrawingFileError) {
      _ = try DrawingFile(Array("<html/>".utf8), as: .inkML)
    } catch {
      if case .imported(_, let error) = error { return error }
    }
    preconditionFailure("a page without ink was read")
  }

  // MARK: - Files

  @Test func `InkML in UTF-16 is read`() throws {
    let text = ink(Self.plain + "<trace>1 2,3 4</trace>").replacing("UTF-8", with: "UTF-16")
    for (encoding, mark) in [
      (String.Encoding.utf16LittleEndian, [UInt8](arrayLiteral: 0xFF, 0xFE)),
      (.utf16BigEndian, [0xFE, 0xFF]),
    ] {
      let bytes = mark + [UInt8](try #require(text.data(using: encoding)))
      let file = try open(bytes)
      #expect(file.format == .inkML)
      #expect(places(file) == [[1, 2], [3, 4]])
    }
  }

  @Test func `InkML is read with any namespace prefix`() throws {
    let file = try open(
      "<i:ink xmlns:i='http://www.w3.org/2003/InkML'><i:trace i:type='penDown'>1 2,300 4</i:trace></i:ink>"
    )
    #expect(file.format == .inkML)
    #expect(places(file).count == 2)
  }

  @Test func `a cut InkML file keeps the traces before the cut`() throws {
    let file = try open("<ink>\(Self.plain)<trace>1 2,3 4</trace><trace>5 6,7 8,9")
    #expect(places(file, 0) == [[1, 2], [3, 4]])
    #expect(places(file, 1) == [[5, 6], [7, 8]])
    #expect(file.damage.count == 1)
    #expect(throws: DrawingFileError.self) { try open("<ink><traceFormat>") }
    #expect(throws: DrawingFileError.self) { try open(Array("<svg/>".utf8), as: .inkML) }
    #expect(try open("<ink/>").strokes().strokes.isEmpty)
  }

  @Test func `unknown InkML colours and raster operations are noted`() throws {
    let file = try brushed([("color", "value='plaid'"), ("rasterOp", "value='xorPen'")])
    #expect(notes(file).contains("colors that are unknown become black"))
    #expect(notes(file).contains("ways of mixing colors are lost"))
  }

  /// A file with definitions of every kind.
  private var defined: String {
    let properties = [
      "name='width' value='2' units='mm'", "name='height' value='1' units='px'",
      "name='color' value='#FF0000'", "name='rasterOp' value='maskPen'",
    ].map { "<brushProperty \($0)/>" }.joined()
    let channels =
      Self.channel("X", "units='mm'") + Self.channel("Y", "units='mm'")
      + Self.channel("F", "units='%' min='0'") + Self.channel("T", "units='ns'")
      + Self.channel("OA", "units='dev' max='360'") + Self.channel("OE", "units='rad'")
    return ink(
      "<definitions><traceFormat xml:id='f'>\(channels)</traceFormat>"
        + "<canvas xml:id='v' traceFormatRef='#f'/><canvas xml:id='u'>\(Self.plain)</canvas>"
        + "<canvas xml:id='w'/><inkSource xml:id='s' traceFormatRef='#f'>"
        + "<sampleRate uniform='true' value='100'/><channelProperties>"
        + "<channelProperty channel='X' name='resolution' value='10' units='1/mm'/>"
        + "<channelProperty channel='OA' name='resolution' value='2' units='1/dev'/>"
        + "</channelProperties></inkSource><brush xml:id='b'>\(properties)</brush></definitions>"
        + "<context xml:id='c' inkSourceRef='#s' canvasRef='#v' brushRef='#b'/>"
        + "<trace contextRef='#c' timeOffset='5'>1 2 50 9 1 1,3 4 60 10 1 1</trace>"
        + "<context xml:id='d' inkSourceRef='#s' canvasRef='#u' brushRef='#b'/>"
        + "<trace contextRef='#d' timeOffset='5'>1 2 50 9 1 1,3 4 60 10 1 1</trace>")
  }

  @Test func `InkML definitions of every kind are found by their names`() throws {
    let file = try open(defined)
    #expect(file.damage.isEmpty)
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.path.count) == [2, 2])
    #expect(strokes.allSatisfy { $0.ink.inkType == .marker })
  }

  @Test func `InkML with any attribute missing or replaced is read or refused`() {
    LackingValueTests.expectSurvival(ofXML: Array(defined.utf8), as: .inkML)
  }

  @Test func `damaged InkML is read or refused`() {
    let text = ink(
      "<definitions><context xml:id='c'><inkSource xml:id='s'><traceFormat>\(Self.channel("X"))\(Self.channel("Y"))"
        + Self.channel("F", "max='9'") + Self.channel("T") + Self.channel("OTx", "units='deg'")
        + "</traceFormat><sampleRate value='9'/></inkSource><timestamp timeString='2001-01-01T00:00:01'/>"
        + "<canvasTransform><mapping type='affine'>1 2 3,4 5 6</mapping></canvasTransform></context>"
        + "<brush xml:id='b'><brushProperty name='width' value='1' units='cm'/></brush></definitions>"
        + "<trace contextRef='#c' brushRef='#b' timeOffset='1'>1 2 3 4 5,'1'1'1'1'1,\"1\"1\"1\"1\"1,* * ? T #F</trace>"
    )
    Damage.expectSurvival(of: Array(text.utf8), as: .inkML)
  }
}
