import Foundation
import PencilKit
import Testing

/// Code of typical apps, which must compile and run unchanged.
struct AcceptanceTests {
  @Test func `a document is saved to a file and opened again`() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).drawing")
    defer { try? FileManager.default.removeItem(at: url) }
    let drawing = PKDrawing(strokes: [line(), wave()])
    try drawing.dataRepresentation().write(to: url, options: .atomic)
    let opened = try PKDrawing(data: Data(contentsOf: url))
    #expect(opened == drawing)
    #expect(opened.dataRepresentation() == (try Data(contentsOf: url)))
    let missing = (try? PKDrawing(data: Data("no drawing".utf8))) ?? PKDrawing()
    #expect(missing.strokes.isEmpty)
  }

  struct Page: Codable, Equatable {
    var title = "Untitled"
    var drawing = PKDrawing()
    var size = CGSize(width: 768, height: 1024)
  }

  @Test func `pages are coded as property lists and as JSON`() throws {
    let page = Page(title: "One", drawing: PKDrawing(strokes: [wave()]))
    let list = try PropertyListEncoder().encode([page])
    #expect(try PropertyListDecoder().decode([Page].self, from: list) == [page])
    let json = try JSONEncoder().encode(page)
    #expect(try JSONDecoder().decode(Page.self, from: json) == page)
    // The drawing is a single value: the base64 text of its archive.
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    let text = try #require(object["drawing"] as? String)
    #expect(Data(base64Encoded: text) == page.drawing.dataRepresentation())
    #expect(text.hasPrefix("d3Jk8"))
  }

  private func thumbnail(of drawing: PKDrawing) -> Data? {
    guard !drawing.bounds.isNull, !drawing.bounds.isEmpty else { return nil }
    let frame = drawing.bounds.insetBy(dx: -10, dy: -10)
    return drawing.image(from: frame, scale: 2).pngData()
  }

  @Test func `a thumbnail has two pixels for each point`() throws {
    #expect(thumbnail(of: PKDrawing()) == nil)
    let drawing = PKDrawing(strokes: [line()])
    let png = try #require(thumbnail(of: drawing))
    let size = try #require(pngHeader(png))
    #expect(CGFloat(size.width) == (drawing.bounds.width + 20) * 2)
    #expect(CGFloat(size.height) == (drawing.bounds.height + 20) * 2)
  }

  @Test func `strokes are made from points`() throws {
    let locations = (0...40).map { index -> CGPoint in
      let angle = CGFloat(index) / 40 * 2 * .pi
      return CGPoint(x: 100 + 50 * cos(angle), y: 100 + 50 * sin(angle))
    }
    let points = locations.enumerated().map { index, location in
      PKStrokePoint(
        location: location, timeOffset: TimeInterval(index) * 0.02,
        size: CGSize(width: 5, height: 5), opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
    }
    let path = PKStrokePath(controlPoints: points, creationDate: Date())
    let stroke = PKStroke(ink: PKInk(.pen, color: .red), path: path)
    #expect(stroke.path.count == 41)
    #expect(stroke.transform == .identity && stroke.mask == nil)
    for (point, location) in zip(stroke.path, locations) {
      #expect(isClose(point.location, location, 1e-4))
      #expect(isClose(point.opacity, 1, 2e-5) && isClose(point.force, 1) && point.azimuth >= 0)
      #expect(isClose(point.altitude, .pi / 2, 2e-5))
    }
    let bounds = PKDrawing(strokes: [stroke]).bounds
    #expect(bounds.contains(CGRect(x: 51, y: 51, width: 98, height: 98)))
    #expect(CGRect(x: 40, y: 40, width: 120, height: 120).contains(bounds))
  }

  private struct Sample {
    var x, y, time, force: Double
  }

  @Test func `ink becomes the samples that a recognizer takes`() {
    var drawing = PKDrawing(strokes: [line(), circle(center: CGPoint(x: 50, y: 50), radius: 20)])
    drawing.transform(using: CGAffineTransform(translationX: 100, y: 0))
    let samples = drawing.strokes.map { stroke in
      stroke.path.interpolatedPoints(by: .distance(2.5)).map { point -> Sample in
        let location = point.location.applying(stroke.transform)
        return Sample(
          x: location.x, y: location.y, time: point.timeOffset, force: point.force)
      }
    }
    #expect(samples[0].count == 37)
    #expect(isClose(samples[0][0].x, 110) && isClose(samples[0][36].x, 200))
    #expect(isClose(samples[0][1].x, 112.5, 0.01) && isClose(samples[0][36].time, 0.9))
    #expect(samples[1].allSatisfy { isClose($0.force, 1) })
    for (a, b) in zip(samples[1], samples[1].dropFirst()).dropLast() {
      #expect(isClose(hypot(a.x - b.x, a.y - b.y), 2.5, 0.02))
    }
  }

  private func visiblePoints(of stroke: PKStroke) -> [[PKStrokePoint]] {
    let ranges: [ClosedRange<CGFloat>] =
      stroke.mask == nil ? [0...CGFloat(stroke.path.count - 1)] : stroke.maskedPathRanges
    return ranges.map { range in
      Array(stroke.path.interpolatedPoints(in: range, by: .parametricStep(0.5)))
    }
  }

  @Test func `the runs that a mask leaves are walked one by one`() throws {
    var stroke = line()
    #expect(visiblePoints(of: stroke).map(\.count) == [19])
    let mask = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 30, height: 100))
    mask.append(UIBezierPath(rect: CGRect(x: 60, y: 0, width: 100, height: 100)))
    stroke.mask = mask
    let runs = visiblePoints(of: stroke)
    #expect(runs.count == 2)
    #expect(isClose(try #require(runs[0].last).location.x, 30, 0.05))
    #expect(isClose(try #require(runs[1].first).location.x, 60, 0.05))
  }

  @Test func `strokes are recoloured, rebuilt or in place`() {
    var drawing = PKDrawing(strokes: [line(), wave(PKInk(.crayon, color: .green))])
    let target = UIColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 1)
    let rebuilt = PKDrawing(
      strokes: drawing.strokes.map { stroke in
        PKStroke(
          ink: PKInk(stroke.ink.inkType, color: target), path: stroke.path,
          transform: stroke.transform, mask: stroke.mask, randomSeed: stroke.randomSeed)
      })
    #expect(rebuilt.strokes.allSatisfy { $0.ink.color == target })
    #expect(rebuilt.strokes.map(\.randomSeed) == drawing.strokes.map(\.randomSeed))
    for i in drawing.strokes.indices where drawing.strokes[i].ink.color != target {
      drawing.strokes[i].ink.color = drawing.strokes[i].ink.color.withAlphaComponent(0.4)
    }
    var alpha: CGFloat = 0
    drawing.strokes[1].ink.color.getRed(nil, green: nil, blue: nil, alpha: &alpha)
    #expect(isClose(alpha, 0.4, 1e-6))
    #expect(drawing.strokes[1].ink.inkType == .crayon)
  }

  @Test func `a drawing is fitted into a frame and turned`() {
    let drawing = PKDrawing(strokes: [circle(center: CGPoint(x: 300, y: 500), radius: 90)])
    let frame = CGRect(x: 0, y: 0, width: 64, height: 64)
    let bounds = drawing.bounds
    let scale = min(frame.width / bounds.width, frame.height / bounds.height)
    let fit = CGAffineTransform(translationX: -bounds.minX, y: -bounds.minY)
      .concatenating(CGAffineTransform(scaleX: scale, y: scale))
    var fitted = drawing.transformed(using: fit)
    #expect(frame.insetBy(dx: -2, dy: -2).contains(fitted.bounds))
    #expect(fitted.bounds.width > 60)
    #expect(isClose(fitted.strokes[0].path[0].location.x, 390))
    let turn = CGAffineTransform(rotationAngle: .pi / 2)
    for i in fitted.strokes.indices {
      fitted.strokes[i].transform = fitted.strokes[i].transform.concatenating(turn)
    }
    #expect(fitted.bounds.maxX <= 2 && fitted.bounds.minX >= -66)
  }

  @Test func `strokes near a point are erased by hand, and a stroke is undone`() {
    var drawing = PKDrawing(strokes: [
      line(), line(from: CGPoint(x: 10, y: 200)), circle(center: CGPoint(x: 50, y: 20), radius: 5),
    ])
    let (touch, radius) = (CGPoint(x: 52, y: 22), CGFloat(4))
    drawing.strokes = drawing.strokes.filter { stroke in
      guard stroke.renderBounds.insetBy(dx: -radius, dy: -radius).contains(touch) else {
        return true
      }
      return !stroke.path.interpolatedPoints(in: nil, by: .distance(radius)).contains { point in
        let location = point.location.applying(stroke.transform)
        return hypot(location.x - touch.x, location.y - touch.y) < radius
      }
    }
    #expect(drawing.strokes.count == 1)
    #expect(isClose(drawing.strokes[0].path[0].location.y, 200))
    drawing.strokes.removeLast()
    #expect(drawing.strokes.isEmpty && drawing.bounds.isNull)
  }

  @Test func `pages are merged into one drawing and split again`() {
    let pitch: CGFloat = 1000
    let pages = [PKDrawing(strokes: [line()]), PKDrawing(strokes: [line(), wave()])]
    var merged = PKDrawing()
    for (index, page) in pages.enumerated() {
      merged.append(
        page.transformed(using: CGAffineTransform(translationX: 0, y: pitch * CGFloat(index))))
    }
    merged.append(pages[0])  // the same strokes once more
    #expect(Set(merged.strokes.map(\.id)).count == 4)
    let split = Dictionary(grouping: merged.strokes) { Int($0.renderBounds.midY / pitch) }
    #expect(split[0]?.count == 2 && split[1]?.count == 2)
  }

  @Test func `a timeline sorts strokes by their dates, which survive saving`() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000.123456)
    let drawing = PKDrawing(strokes: [
      line(at: start.addingTimeInterval(9)), line(at: start), line(at: Date()),
    ])
    let saved = try PKDrawing(data: drawing.dataRepresentation())
    #expect(saved.strokes.map(\.path.creationDate) == drawing.strokes.map(\.path.creationDate))
    let sorted = saved.strokes.sorted { $0.path.creationDate < $1.path.creationDate }
    #expect(sorted.first?.path.creationDate == start)
    let ends = sorted.map { stroke in
      stroke.path.creationDate.addingTimeInterval(stroke.path.last?.timeOffset ?? 0)
    }
    #expect(isClose(ends[0].timeIntervalSince(start), 0.9))
    #expect(Calendar.current.isDateInToday(sorted[2].path.creationDate))
  }

  struct StoredStroke: Codable {
    var ink: String
    var red, green, blue, alpha: CGFloat
    var points: [CGPoint]
  }

  @Test func `ink goes to a format of the app's own and comes back`() throws {
    let drawing = PKDrawing(strokes: [
      wave(PKInk(.fountainPen, color: UIColor(red: 0.1, green: 0.5, blue: 1, alpha: 0.75)))
    ])
    let stored = drawing.strokes.map { stroke -> StoredStroke in
      var (r, g, b, a) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(0))
      stroke.ink.color.getRed(&r, green: &g, blue: &b, alpha: &a)
      return StoredStroke(
        ink: stroke.ink.inkType.rawValue, red: r, green: g, blue: b, alpha: a,
        points: stroke.path.map(\.location))
    }
    #expect(stored[0].ink == "com.apple.ink.fountainpen")
    let read = try JSONDecoder().decode(
      [StoredStroke].self, from: try JSONEncoder().encode(stored))
    let ink = PKInk(
      PKInk.InkType(rawValue: read[0].ink) ?? .pen,
      color: UIColor(
        red: read[0].red, green: read[0].green, blue: read[0].blue, alpha: read[0].alpha))
    #expect(ink.inkType == .fountainPen && ink.color == drawing.strokes[0].ink.color)
    if let type = PKInkingTool.InkType(rawValue: "com.example.ink") {
      Issue.record("\(type) is an ink that nobody knows")
    }
    #expect(PKInk.InkType(rawValue: "pen") == nil && PKInk.InkType(rawValue: "") == nil)
  }

  private func tool(named name: String) -> any PKTool {
    switch name {
    case "marker":
      let range = PKInkingTool.InkType.marker.validWidthRange
      return PKInkingTool(.marker, color: .yellow, width: min(500, range.upperBound))
    case "eraser":
      if #available(iOS 16.4, *) { return PKEraserTool(.bitmap, width: 30) }
      return PKEraserTool(.bitmap)
    case "lasso": return PKLassoTool()
    default: return PKInkingTool(.pen, color: .black, width: 5)
    }
  }

  @Test func `tools are distinguished by their types`() {
    #expect((tool(named: "marker") as? PKInkingTool)?.width == 60)
    #expect((tool(named: "pen") as? PKInkingTool)?.inkType == .pen)
    #expect(tool(named: "eraser") is PKEraserTool && tool(named: "lasso") is PKLassoTool)
    #expect((tool(named: "eraser") as? PKEraserTool)?.width == 30)
    #expect(tool(named: "lasso") as? PKInkingTool == nil)
    #expect(PKInkingTool(.pen, width: 0).width == 0.88)
    #expect(PKInkingTool(.pen).width == PKInkingTool.InkType.pen.defaultWidth)
    #expect(PKLassoTool() == PKLassoTool())
  }

  private func name(of ink: PKInk.InkType) -> String {
    switch ink {
    case .pen: return "Pen"
    case .pencil: return "Pencil"
    case .marker: return "Marker"
    case .monoline: return "Monoline"
    case .fountainPen: return "Fountain Pen"
    case .watercolor: return "Watercolor"
    case .crayon: return "Crayon"
    case .reed: return "Reed"
    }
  }

  private func isCompatible(_ drawing: PKDrawing) -> Bool {
    switch drawing.requiredContentVersion {
    case .version1, .version2: return true
    default: return false
    }
  }

  @Test func `switch statements of an app cover all inks and content versions`() {
    #expect(name(of: .fountainPen) == "Fountain Pen" && name(of: .reed) == "Reed")
    #expect(isCompatible(PKDrawing()))
    #expect(isCompatible(PKDrawing(strokes: [wave(PKInk(.watercolor))])))
    let reed = PKDrawing(strokes: [wave(PKInk(.reed))])
    #expect(!isCompatible(reed))
    #expect(reed.requiredContentVersion.rawValue <= PKContentVersion.latest.rawValue)
    #expect(PKContentVersion(rawValue: 99) == nil && PKContentVersion.latest == .version5)
    let versions: [PKContentVersion] = [.version1, .version2, .version3, .version4, .version5]
    #expect(versions.map(\.rawValue) == [1, 2, 3, 4, 5])
  }

  @Test func `the points of a stroke are rewritten`() throws {
    var drawing = PKDrawing(strokes: [wave(), line()])
    var stroke = try #require(drawing.strokes.max { $0.path.count < $1.path.count })
    let points = stroke.path.map { point in
      PKStrokePoint(
        location: point.location, timeOffset: point.timeOffset,
        size: CGSize(width: point.size.width * 2, height: point.size.height * 2),
        opacity: point.opacity, force: point.force, azimuth: point.azimuth,
        altitude: point.altitude, secondaryScale: point.secondaryScale,
        threshold: point.threshold)
    }
    stroke.path = PKStrokePath(controlPoints: points, creationDate: stroke.path.creationDate)
    let before = drawing.strokes[0]
    drawing.strokes[0] = stroke
    for (old, new) in zip(before.path, drawing.strokes[0].path) {
      #expect(isClose(new.size.width, 2 * old.size.width, 0.01))
      #expect(isClose(new.azimuth, old.azimuth, 2e-4) && isClose(new.force, old.force))
      #expect(isClose(new.secondaryScale, old.secondaryScale))
    }
    let mean = stroke.path.reduce(0) { $0 + $1.force } / CGFloat(stroke.path.count)
    #expect(isClose(mean, 1.7, 0.01))
  }

  @Test func `a path is marched along by distance and by time`() {
    let path = line().path
    var parameter: CGFloat = 0
    var locations: [CGPoint] = []
    while parameter < CGFloat(path.count - 1) {
      locations.append(path.interpolatedLocation(at: parameter))
      parameter = path.parametricValue(parameter, offsetBy: .distance(9))
    }
    #expect(locations.count == 10)
    #expect(isClose(locations[1].x, 19, 0.01) && isClose(locations[9].x, 91, 0.01))
    #expect(isClose(path.parametricValue(0, offsetBy: .time(0.45)), 4.5))
    #expect(isClose(path.parametricValue(9, offsetBy: .distance(-90)), 0))
    #expect(isClose(path.parametricValue(3, offsetBy: .parametricStep(-1.5)), 1.5))
    var slice = path.interpolatedPoints(by: .time(0.3))
    var times: [TimeInterval] = []
    while let point = slice.next() { times.append(point.timeOffset) }
    #expect(times.count == 4 && isClose(times[3], 0.9))
  }

  @Test func `a replay shows parts of strokes`() throws {
    let group = UUID()
    var stroke = wave(PKInk(.watercolor, color: .purple))
    stroke.renderGroupID = group
    let drawing = PKDrawing(strokes: [stroke, line()])
    let byID = Dictionary(uniqueKeysWithValues: drawing.strokes.map { ($0.id, $0) })
    #expect(byID[stroke.id]?.renderGroupID == group)
    let half = drawing.strokes.map { stroke in
      stroke.substroke(range: 0...CGFloat(stroke.path.count - 1) * 0.5)
    }
    #expect(Array(half[0].path).count == 13 && half[1].path.count == 6)
    #expect(half[0].renderGroupID == group && half[0].randomSeed == stroke.randomSeed)
    let end = try #require(half[0].path.last).location
    #expect(isClose(end, stroke.path.interpolatedLocation(at: 11.5), 1e-4))
    // A stroke that is rebuilt from its values looks the same.
    let rebuilt = PKStroke(
      ink: half[0].ink, path: half[0].path, transform: half[0].transform, mask: half[0].mask,
      randomSeed: half[0].randomSeed, id: UUID(), renderGroupID: group,
      renderState: half[0].renderState)
    let frame = CGRect(x: 0, y: 0, width: 260, height: 140)
    let picture = PKDrawing(strokes: [half[0]]).image(from: frame, scale: 1).pngData()
    #expect(PKDrawing(strokes: [rebuilt]).image(from: frame, scale: 1).pngData() == picture)
    let part: PKStrokePath = stroke.path[2.5...7.0]
    #expect(part.count == 6 && part.creationDate == stroke.path.creationDate)
    #expect(isClose(part[0].location, stroke.path.interpolatedLocation(at: 2.5), 1e-4))
  }

  @Test func `Bézier curves are imported and exported`() throws {
    let curve = CGMutablePath()
    curve.move(to: CGPoint(x: 10, y: 10))
    curve.addCurve(
      to: CGPoint(x: 110, y: 60), control1: CGPoint(x: 40, y: 100), control2: CGPoint(x: 80, y: -40)
    )
    curve.addQuadCurve(to: CGPoint(x: 200, y: 20), control: CGPoint(x: 150, y: 100))
    var segments: [Int] = []
    let path = PKStrokePath(bezierPath: curve, creationDate: Date()) { converted in
      segments.append(converted.bezierSegmentIndex)
      let time = Double(converted.index) / Double(converted.pointCount)
      return penPoint(converted.location.x, converted.location.y, at: time)
    }
    #expect(path.count == segments.count && segments.first == 0 && segments.last == 1)
    #expect(segments == segments.sorted())
    #expect(isClose(path.interpolatedLocation(at: 0), CGPoint(x: 10, y: 10), 0.01))
    #expect(
      isClose(
        path.interpolatedLocation(at: CGFloat(path.count - 1)), CGPoint(x: 200, y: 20), 0.01))
    let again = PKStrokePath(bezierPath: path.bezierRepresentation, creationDate: Date()) {
      penPoint($0.location.x, $0.location.y)
    }
    #expect(again.count == path.count)
    for value in stride(from: 0, through: CGFloat(path.count - 1), by: 0.25) {
      #expect(
        isClose(
          again.interpolatedLocation(at: value), path.interpolatedLocation(at: value), 0.01))
    }
  }

  @Test func `ink is cut and clipped, and its colours are turned for dark pages`() throws {
    let drawing = PKDrawing(strokes: [line()])
    let cut = drawing.erasingPath(
      PKStrokePath(
        controlPoints: [penPoint(55, 0, width: 10), penPoint(55, 40, width: 10)],
        creationDate: Date()))
    #expect(cut.strokes.count == 2 && drawing.strokes.count == 1)
    #expect(cut.strokes[0].renderBounds.maxX <= 52 && cut.strokes[1].renderBounds.minX >= 58)
    var stroke = line()
    stroke.mask = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 40, height: 100))
    #expect(stroke.renderBounds.maxX <= 41)
    let dark = PKInkingTool.convertColor(.black, from: .light, to: .dark)
    #expect(dark == .white)
    var pictures: [Data?] = []
    for style in [UIUserInterfaceStyle.light, .dark] {
      UITraitCollection(userInterfaceStyle: style).performAsCurrent {
        pictures.append(drawing.image(from: drawing.bounds, scale: 1).pngData())
      }
    }
    #expect(pictures[0] == drawing.image(from: drawing.bounds, scale: 1).pngData())
    #expect(pictures[0] != pictures[1] && pictures[1] != nil)
  }
}
