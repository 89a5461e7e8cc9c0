import Graphics
import Strokes
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

/// The writer never writes a file that readers refuse: for every value of the model it throws, or a
/// reader with the default limits reads the same value.
struct ContentTests {
  private static let limits = PKDLimits()

  /// The error of writing; nil if the recording round-trips.
  private static func outcome(_ recording: Recording) -> PKDContentError? {
    do throws(PKDContentError) {
      _ = try PKDWriter.encode(recording)
    } catch {
      return error
    }
    #expect(RecordingProperties.roundTripViolation(recording) == nil)
    return nil
  }

  private static func stroke(_ change: (inout PKStroke) -> Void = { _ in }) -> Recording {
    var random = RandomInk(seed: 1)
    var stroke = random.stroke(pointCount: 3...3)
    change(&stroke)
    return Recording(PKDrawing(strokes: [random.stroke(pointCount: 2...2), stroke]))
  }

  private static func event(_ action: Recording.Action, at seconds: Double = 0) -> Recording {
    var recording = stroke()
    let time = Timestamp(secondsSinceReferenceDate: seconds)
    recording.events.append(Recording.Event(time: time, action: action))
    return recording
  }

  private static let oddNumbers: [Double] = [
    .infinity, -.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -0.0,
    .leastNonzeroMagnitude, 1e39, -1e39,
  ]

  @Test(arguments: oddNumbers)
  func `a page with extreme numbers is refused or round-trips`(_ number: Double) {
    for size in [Size(width: number, height: 1), Size(width: 1, height: number)] {
      let error = Self.outcome(Recording(canvas: .init(size: size)))
      let isIntact = (0...Self.limits.canvasSide).contains(number)
      #expect(error == (isIntact ? nil : PKDContentError(.canvasSide(limit: 1e6), .canvas)))
    }
    for component in [\Color.red, \.green, \.blue, \.alpha] {
      var color = Color.black
      color[keyPath: component] = number
      let error = Self.outcome(Recording(canvas: .init(background: color)))
      #expect(error == (number.isFinite ? nil : PKDContentError(.notFinite("colour"), .canvas)))
    }
  }

  @Test func `pages and texts up to the limits round-trip, and larger ones are refused`() {
    let side = Self.limits.canvasSide
    #expect(Self.outcome(Recording(canvas: .init(size: Size(width: side, height: side)))) == nil)
    let larger = Size(width: side.nextUp, height: side)
    #expect(
      Self.outcome(Recording(canvas: .init(size: larger)))?.reason == .canvasSide(limit: side))
    let longest = String(repeating: "ä", count: Self.limits.textBytes / 2)
    let longer = longest + "."
    let reason = PKDContentError.Reason.tooMany(
      .textBytes, count: Self.limits.textBytes + 1, limit: Self.limits.textBytes)
    #expect(Self.outcome(Recording(canvas: .init(metadata: ["a": longest, longest: ""]))) == nil)
    for metadata in [["a": longer], [longer: ""]] {
      let error = Self.outcome(Recording(canvas: .init(metadata: metadata)))
      #expect(error == PKDContentError(reason, .canvas))
    }
    let texts = Dictionary(uniqueKeysWithValues: (0...Self.limits.tableRows).map { ("\($0)", "") })
    #expect(Self.outcome(Recording(canvas: .init(metadata: texts)))?.place == .canvas)
    for (text, isIntact) in [(longest, true), (longer, false)] {
      let ink = PKInk(.other(identifier: text))
      let expected = isIntact ? nil : PKDContentError(reason, .stroke(1))
      #expect(Self.outcome(Self.stroke { $0.ink = ink }) == expected)
      let tool = Self.event(.toolChanged(.inking(PKInkingTool(ink.inkType))))
      #expect(Self.outcome(tool)?.reason == expected?.reason)
    }
  }

  @Test(arguments: oddNumbers)
  func `a stroke with extreme numbers is refused or round-trips`(_ number: Double) {
    let isIntact = number.isFinite
    func expect(
      _ what: String, _ isIntact: Bool = isIntact, _ change: (inout PKStroke) -> Void
    ) {
      let error = Self.outcome(Self.stroke(change))
      #expect(error == (isIntact ? nil : PKDContentError(.notFinite(what), .stroke(1))))
    }
    expect("date") {
      $0.path = $0.path.withCreationDate(Timestamp(secondsSinceReferenceDate: number))
    }
    expect("transform") { $0.transform.tx = number }
    expect("transform") { $0.transform.b = number }
    expect("colour") { $0.ink.color.green = number }
    expect("mask") {
      $0.mask = Path(Rect(x: 0, y: 0, width: 9, height: 4))
      $0.mask?.addLine(to: Point(x: number, y: 1))
    }
    expect("mask") {
      $0.mask = Path(Rect(x: 0, y: 0, width: 9, height: 4))
      $0.mask?.addQuadratic(to: .zero, control: Point(x: 1, y: number))
    }
    expect("range") {
      $0.archivedMaskRanges = number.isNaN ? nil : [min(number, 0)...max(number, 0)]
      if number.isNaN { $0.archivedMaskRanges = [0...Double.infinity] }
    }
    // A finite double may be infinite as a float.
    expect("point's number", Float(number).isFinite) { stroke in
      stroke.path = PKStrokePath(
        storedPoints: stroke.path.columns.points.map { point in
          var point = point
          point[float: .width] = Float(number)
          return point
        }, creationDate: stroke.path.creationDate)
    }
  }

  @Test(arguments: oddNumbers)
  func `an event with extreme numbers is refused or round-trips`(_ number: Double) {
    let isIntact = number.isFinite
    func expect(_ what: String, _ action: Recording.Action, at seconds: Double = 0) {
      let error = Self.outcome(Self.event(action, at: seconds))
      #expect(error == (isIntact ? nil : PKDContentError(.notFinite(what), .event(4))))
    }
    expect("date", .undone, at: number)
    expect("transform", .moved([], by: AffineTransform(a: 1, b: 0, c: 0, d: number, tx: 0, ty: 0)))
    var (pen, eraser) = (PKInkingTool(.pen), PKEraserTool(.bitmap))
    (pen.width, eraser.width) = (number, number)
    expect("width", .toolChanged(.inking(pen)))
    expect("width", .toolChanged(.eraser(eraser)))
    expect("width", .erased(eraser, along: PKStrokePath(), changes: []))
    pen.width = 1
    pen.color.alpha = number
    expect("colour", .toolChanged(.inking(pen)))
  }

  @Test func `more inks than a table has rows are refused`() {
    let count = Self.limits.tableRows + 1
    let strokes = (0..<count).map { number in
      let color = Color(red: Double(number) / 65_536, green: 0, blue: 0)
      return PKStroke(
        ink: PKInk(.pen, color: color), path: PKStrokePath(), id: GeneratedName.stroke(number))
    }
    let recording = Recording(PKDrawing(strokes: strokes))
    let reason = PKDContentError.Reason.tooMany(.inks, count: count, limit: count - 1)
    #expect(Self.outcome(recording) == PKDContentError(reason, .file))
  }

  @Test func `a journal refuses values that readers refuse, and can be continued`() throws {
    let files = CrashingFiles()
    let journal = try PKDJournal(
      creating: "page.pkd",
      content: JournalContent(
        header: Header(profile: .exact, base: .referenceDate, canvas: .init())), in: files)
    let never = Timestamp(secondsSinceReferenceDate: .nan)
    var stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath(), id: Identifier(high: 1, low: 1))
    let intact = stroke
    stroke.transform.tx = .infinity
    #expect(throws: PKDContentError(.notFinite("transform"), .stroke(0))) {
      try journal.begin(stroke: stroke, at: .referenceDate)
    }
    #expect(throws: PKDContentError(.notFinite("date"), .event(0))) {
      try journal.begin(stroke: intact, at: never)
    }
    #expect(journal.liveStrokeID == nil)
    try journal.begin(stroke: intact, at: .referenceDate)
    func point(_ width: Double, at time: Double = 0) -> PKStrokePoint {
      PKStrokePoint(
        location: .zero, timeOffset: time, size: Size(width: width, height: 1), opacity: 1,
        force: 1, azimuth: 0, altitude: 1)
    }
    try journal.append(points: [point(2)])
    // A value that is not finite is clamped to the channel's range.
    try journal.append(points: [point(4, at: .nan)])
    #expect(throws: PKDContentError.self) { try journal.endStroke(at: never) }
    #expect(throws: PKDContentError(.notFinite("date"), .event(1))) {
      try journal.record(.cleared, at: never)
    }
    try journal.endStroke(at: .referenceDate)
    try journal.finish()
    let reader = try PKDReader(files.disk.files["page.pkd"] ?? [])
    #expect(reader.readStrokes().value.map { $0.path.map(\.size.width) } == [[2, 4]])
    #expect(reader.wholeDamage == nil && reader.readRecording().value.events.count == 2)
    #expect(throws: PKDContentError(.canvasSide(limit: 1e6), .canvas)) {
      let canvas = Recording.Canvas(size: Size(width: 2e6, height: 1))
      _ = try PKDJournal(creating: "/nowhere/page.pkd", canvas: canvas)
    }
  }
}
