import Foundation
import FoundationXML
import Graphics
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing
import VectorExport

@testable import Animation

@Suite struct AnimatedSVGTests {
  @Test(arguments: Sample.all)
  func `an animated SVG ends with the last page`(sample: Sample) throws {
    for stepping in [Playback.Stepping.none, .steps(each: 0.1)] {
      let source = RecordedStrokes(sample.recording)
      let timeline = try Timeline(of: source, maximumPause: 0.5)
      let playback = Playback(timeline, Playback.Options(hold: 1, stepping: stepping))
      let svg = try AnimatedSVG(of: source, playback, options: RenderOptions())
      let page = try SVGReader(svg.bytes)
      #expect(page.strokes.count == svg.showingCount)
      let history = timeline.history
      let ever = try history.showings.indices.filter { try history.hasInk($0, in: source) }
      // Showings that appear and disappear in one moment are never visible.
      #expect(svg.showingCount <= ever.count)
      let last = try history.page(afterSteps: history.steps.count).filter {
        try history.hasInk(Int($0), in: source)
      }
      #expect(page.strokes.count { $0["display"] == nil } == last.count, "\(sample.name)")
      try check(page, duration: playback.duration)
    }
  }

  @Test func `a stroke is animated at its time and pace`() throws {
    // A straight line in one second; its second half takes the last fifth of the time.
    let points = [(0.0, 0.0), (100, 0.8), (200, 1)].map { x, time in
      PKStrokePoint(
        location: Point(x: x, y: 50), timeOffset: time, size: Size(width: 4, height: 4),
        opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let path = PKStrokePath(
      controlPoints: points, creationDate: .referenceDate)
    let second = PKStrokePath(controlPoints: points, creationDate: Timestamp.referenceDate + 3)
    let drawing = PKDrawing(strokes: [
      PKStroke(ink: PKInk(.monoline, color: .black), path: path),
      PKStroke(ink: PKInk(.monoline, color: .black), path: second),
    ])
    let source = RecordedStrokes(Recording(drawing))
    let timeline = try Timeline(of: source)
    let playback = Playback(timeline, Playback.Options(speed: 2))
    let page = try SVGReader(
      AnimatedSVG(of: source, playback, options: RenderOptions()).bytes)
    let growth = page.animations.filter { $0["attributeName"] == "stroke-dashoffset" }
    #expect(growth.count == 2)
    #expect(growth[0]["begin"] == "m.begin")
    let start = timeline.starts[1] / 2
    let begin = try #require(growth[1]["begin"])
    #expect(begin.hasPrefix("m.begin+") && begin.hasSuffix("s"))
    #expect(abs((Double(begin.dropFirst(8).dropLast()) ?? 0) - start) <= 0.0005)
    #expect(growth.allSatisfy { $0["dur"] == "0.5s" || $0["dur"] == ".5s" })
    let times = (growth[0]["keyTimes"] ?? "").split(separator: ";").compactMap { Double($0) }
    let offsets = (growth[0]["values"] ?? "").split(separator: ";").compactMap { Double($0) }
    // The spline smooths the change of pace, so at 0.8 of the time a little less than half is left.
    let slow = zip(times, offsets).filter { $0.0 > 0.3 && $0.0 < 0.7 }
    #expect(slow.allSatisfy { abs($0.1 - (1 - $0.0 * 0.6)) < 0.1 }, "\(times) \(offsets)")
    #expect(times.first == 0 && times.last == 1 && offsets.last == 0)
  }

  @Test func `the SVG's clock follows speed, loop count and part`() throws {
    let sample = try #require(Sample.all.first { $0.name == "erased" })
    let source = RecordedStrokes(sample.recording)
    let timeline = try Timeline(of: source, maximumPause: 0.5)
    for ease in Playback.Ease.allCases {
      let playback = Playback(
        timeline, Playback.Options(duration: 6, part: 5...12, ease: ease, hold: 2))
      for (count, begin) in [(0, "0s;m.end"), (1, "0s"), (3, "0s;8s;16s")] {
        let svg = try AnimatedSVG(
          of: source, playback, options: RenderOptions(), loopCount: count)
        let page = try SVGReader(svg.bytes)
        let clock = try #require(page.animations.first { $0["id"] == "m" })
        #expect(clock["begin"] == begin && clock["dur"] == "8s")
        try check(page, duration: 8)
      }
    }
  }

  @Test(arguments: [false, true])
  func `random recordings give well-formed SVGs with times in range`(_ isHostile: Bool) throws {
    var random = RandomInk(seed: 31)
    for _ in 0..<25 {
      var recording = random.recording(eventCount: 5...40)
      if isHostile {
        for index in recording.events.indices {
          guard case .strokeBegun(var stroke) = recording.events[index].action else { continue }
          stroke.path = random.hostilePath()
          recording.events[index].action = .strokeBegun(stroke)
        }
      }
      let source = RecordedStrokes(recording)
      let playback = Playback(try Timeline(of: source, maximumPause: 1))
      let options = RenderOptions(region: Rect(x: 0, y: 0, width: 500, height: 500))
      let svg = try AnimatedSVG(of: source, playback, options: options)
      let page = try SVGReader(svg.bytes)
      #expect(page.strokes.count == svg.showingCount)
      try check(page, duration: max(playback.duration, 0.001))
      let text = String(decoding: svg.bytes, as: UTF8.self)
      #expect(!text.contains("nan") && !text.contains("inf") && !text.contains("e+"))
    }
  }

  @Test(arguments: [RenderOptions.Style.light, .dark])
  func `an animated SVG has the shapes, colours and opacities of the still one`(
    style: RenderOptions.Style
  ) throws {
    let inks: [PKInk.InkType] = [
      .pen, .monoline, .fountainPen, .pencil, .crayon, .marker, .reed, .watercolor,
    ]
    let drawing = PKDrawing(
      strokes: inks.enumerated().map { number, type -> PKStroke in
        let points = (0..<6).map { index -> PKStrokePoint in
          let (x, y) = (100 + 100 * index, 50 + 100 * (number + index % 2))
          return PKStrokePoint(
            location: Point(x: Double(x), y: Double(y)), timeOffset: Double(index) / 10,
            size: Size(width: 9, height: 9), opacity: 0.9, force: 1, azimuth: 0, altitude: 1)
        }
        let color = Color(red: Double(number) / 8, green: 0.2, blue: 0.5)
        return PKStroke(
          ink: PKInk(type, color: color), path: PKStrokePath(controlPoints: points))
      })
    var options = RenderOptions(background: .color(.white), style: style)
    options.region = Rect(x: 0, y: 0, width: 1_000, height: 1_000)
    let source = RecordedStrokes(Recording(drawing))
    let moving = try AnimatedSVG(of: source, Playback(try Timeline(of: source)), options: options)
    let still = try SVGExporter(VectorOptions(picture: options, isFlat: true)).svg(of: drawing)
    func looks(_ file: [UInt8]) throws -> Set<[String: String]> {
      let names = [
        "d", "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "style",
      ]
      return Set(try SVGReader(file).strokes.map { $0.filter { names.contains($0.key) } })
    }
    let expected = try looks(still)
    #expect(expected.count == inks.count)
    #expect(try looks(moving.bytes) == expected)
  }

  @Test func `the moment of a step is when it first becomes visible`() throws {
    let sample = try #require(Sample.all.first { $0.name == "erased" })
    let timeline = try Timeline(of: RecordedStrokes(sample.recording), maximumPause: 0.5)
    for options in [
      Playback.Options(speed: 3), Playback.Options(duration: 5, ease: .smooth),
      Playback.Options(stepping: .steps(each: 0.25)), Playback.Options(part: 3...9),
    ] {
      let playback = Playback(timeline, options)
      for step in timeline.history.steps.indices {
        guard let moment = playback.moment(ofStep: step) else { continue }
        let state = playback.state(at: moment + 1e-6)
        #expect(state.doneSteps > step || (state.doneSteps == step && state.growing != nil))
        guard moment > 1e-3 else { continue }
        #expect(playback.state(at: moment - 1e-3).doneSteps <= step)
      }
    }
  }

  /// Checks that all animations run within the duration, with times in order, and that references
  /// have targets.
  private func check(_ page: SVGReader, duration: Double) throws {
    for animation in page.animations {
      let begin = try #require(animation["begin"])
      guard begin.hasPrefix("m.begin") else { continue }
      let start = Double(begin.dropFirst("m.begin+".count).dropLast()) ?? 0
      let length = try #require(Double((animation["dur"] ?? "").dropLast()))
      #expect(start >= 0 && length > 0 && start + length <= duration + 0.003)
      guard let times = animation["keyTimes"]?.split(separator: ";").compactMap({ Double($0) })
      else { continue }
      #expect(times.first == 0 && times.last == 1 && times == times.sorted())
      let values = animation["values"]?.split(separator: ";").compactMap { Double($0) } ?? []
      #expect(values.count == times.count && values.allSatisfy { 0...1 ~= $0 })
      #expect(values == values.sorted(by: >))
    }
    #expect(page.references.isSubset(of: page.names), "\(page.references.subtracting(page.names))")
  }
}

extension PageHistory {
  /// Whether a showing has any ink.
  fileprivate func hasInk(_ showing: Int, in source: RecordedStrokes) throws -> Bool {
    try !stroke(ofShowing: showing, in: source).outline().isEmpty
  }
}

/// The elements of an SVG; throws if it is not well-formed.
private final class SVGReader: NSObject, XMLParserDelegate {
  private(set) var strokes: [[String: String]] = []
  private(set) var animations: [[String: String]] = []
  private(set) var names: Set<String> = []
  private(set) var references: Set<String> = []
  private var depth: [String] = []

  struct Failure: Error {
    let reason: String
  }

  init(_ bytes: [UInt8]) throws {
    super.init()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = self
    guard parser.parse() else {
      throw Failure(reason: "\(parser.parserError as Any), line \(parser.lineNumber)")
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    if depth.last == "g", ["path", "use"].contains(name) { strokes.append(attributes) }
    if ["animate", "set"].contains(name) { animations.append(attributes) }
    if let name = attributes["id"] { names.insert(name) }
    for (key, value) in attributes {
      if key == "href" { references.insert(String(value.dropFirst())) }
      if let match = value.wholeMatch(of: /url\(#(\w+)\)/) {
        references.insert(String(match.output.1))
      }
    }
    depth.append(name)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    depth.removeLast()
  }
}
