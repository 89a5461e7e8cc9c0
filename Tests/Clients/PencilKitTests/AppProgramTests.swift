import Foundation
import PencilKit
import Testing

/// More code of typical apps: notes, thumbnails, undo, sync, export.
struct AppProgramTests {
  // MARK: Notes

  private struct Note: Codable, Identifiable, Equatable {
    var id = UUID()
    var modified = Date(timeIntervalSinceReferenceDate: 5)
    var pages: [PKDrawing] = [PKDrawing()]
    var isEmpty: Bool { pages.allSatisfy { $0.strokes.isEmpty } }
  }

  @Test func `a notebook of several pages is a file of JSON`() throws {
    var note = Note()
    #expect(note.isEmpty)
    note.pages.append(PKDrawing(strokes: [line(), wave()]))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let read = try decoder.decode(Note.self, from: encoder.encode(note))
    #expect(read == note && !read.isEmpty && read.pages[1].strokes.count == 2)
  }

  private struct OldNote: Codable { var drawing: Data }
  private struct NewNote: Codable { var drawing: PKDrawing }

  @Test func `a field of type Data can become a drawing, and the reverse`() throws {
    let drawing = PKDrawing(strokes: [wave()])
    let old = try JSONEncoder().encode(OldNote(drawing: drawing.dataRepresentation()))
    let new = try JSONDecoder().decode(NewNote.self, from: old)
    #expect(new.drawing == drawing)
    let back = try JSONDecoder().decode(OldNote.self, from: JSONEncoder().encode(new))
    #expect(back.drawing == drawing.dataRepresentation())
  }

  @Test func `a page that grows has room below the ink`() {
    let drawing = PKDrawing(strokes: [line(), line(from: CGPoint(x: 20, y: 1400))])
    let canvas = CGSize(width: 768, height: 1024)
    let height =
      drawing.bounds.isNull ? canvas.height : max(canvas.height, drawing.bounds.maxY + 200)
    #expect(height > 1600 && height < 1620)
    #expect(PKDrawing().bounds.size == .zero && PKDrawing().bounds.isEmpty)
  }

  @Test func `strokes of a selection are moved, copied and deleted`() throws {
    var drawing = PKDrawing(strokes: [line(), line(from: CGPoint(x: 10, y: 300)), wave()])
    let lasso = CGRect(x: 0, y: 280, width: 200, height: 60)
    let chosen = Set(drawing.strokes.filter { lasso.intersects($0.renderBounds) }.map(\.id))
    #expect(chosen.count == 1)
    for index in drawing.strokes.indices where chosen.contains(drawing.strokes[index].id) {
      drawing.strokes[index].transform = drawing.strokes[index].transform
        .concatenating(CGAffineTransform(translationX: 0, y: 100))
    }
    let moved = try #require(drawing.strokes.first { chosen.contains($0.id) })
    #expect(isClose(moved.renderBounds.midY, 400, 1.5))
    // Copies have the identifiers of their originals until they are in the drawing.
    var copy = moved
    copy.transform = copy.transform.translatedBy(x: 15, y: 15)
    drawing.strokes.append(copy)
    #expect(Set(drawing.strokes.map(\.id)).count == 4)
    #expect(drawing.strokes.filter { chosen.contains($0.id) }.count == 1)
    drawing.strokes.removeAll { chosen.contains($0.id) }
    #expect(drawing.strokes.count == 3)
  }

  @Test func `strokes are reordered, replaced and inserted`() {
    var drawing = PKDrawing(strokes: [line(seed: 1), line(seed: 2), line(seed: 3)])
    let ids = drawing.strokes.map(\.id)
    drawing.strokes.swapAt(0, 2)
    #expect(drawing.strokes.map(\.id) == [ids[2], ids[1], ids[0]])
    drawing.strokes.insert(wave(), at: 1)
    drawing.strokes[0] = line(seed: 9)
    drawing.strokes.replaceSubrange(2...3, with: [line(seed: 8)])
    #expect(drawing.strokes.map(\.randomSeed).filter { [8, 9].contains($0) } == [9, 8])
    drawing.strokes.reverse()
    drawing.strokes = Array(drawing.strokes.prefix(2))
    #expect(drawing.strokes.count == 2)
  }

  // MARK: Undo and sync

  @Test func `an undo stack keeps whole drawings`() {
    var undo: [PKDrawing] = []
    var redo: [PKDrawing] = []
    var current = PKDrawing()
    func change(_ edit: (inout PKDrawing) -> Void) {
      undo.append(current)
      redo = []
      edit(&current)
    }
    change { $0.strokes.append(line()) }
    change { $0.strokes.append(wave()) }
    let latest = current
    change { $0.strokes[0].ink.color = .green }
    redo.append(current)
    current = undo.removeLast()
    #expect(current == latest && current != redo[0])
    current = undo.removeLast()
    #expect(current.strokes.count == 1)
    current = undo.removeLast()
    #expect(current == PKDrawing() && undo.isEmpty)
  }

  @Test func `a difference of two versions is found by the identifiers`() {
    let old = PKDrawing(strokes: [line(), wave(), line(from: .zero)])
    var new = old
    new.strokes.remove(at: 1)
    new.strokes.append(line(seed: 4))
    let (before, after) = (Set(old.strokes.map(\.id)), Set(new.strokes.map(\.id)))
    #expect(before.subtracting(after) == [old.strokes[1].id])
    #expect(after.subtracting(before) == [new.strokes[2].id])
    let difference = new.strokes.map(\.id).difference(from: old.strokes.map(\.id))
    #expect(difference.insertions.count == 1 && difference.removals.count == 1)
  }

  @Test func `two devices join their strokes by date and seed`() throws {
    func key(_ stroke: PKStroke) -> String {
      "\(stroke.path.creationDate.timeIntervalSinceReferenceDate)/\(stroke.randomSeed)"
    }
    let shared = line(at: Date(timeIntervalSinceReferenceDate: 1.000001), seed: 1)
    let mine = PKDrawing(strokes: [shared, line(seed: 2)])
    let theirs = try PKDrawing(
      data: PKDrawing(strokes: [shared, line(seed: 3)]).dataRepresentation())
    var joined = mine
    let known = Set(mine.strokes.map(key))
    joined.strokes += theirs.strokes.filter { !known.contains(key($0)) }
    #expect(joined.strokes.map(\.randomSeed) == [1, 2, 3])
  }

  @Test func `bytes of an unchanged drawing stay the same, so it is not uploaded again`() throws {
    let drawing = PKDrawing(strokes: [line(), wave()])
    #expect(drawing.dataRepresentation() == drawing.dataRepresentation())
    let opened = try PKDrawing(data: drawing.dataRepresentation())
    #expect(opened.dataRepresentation() == drawing.dataRepresentation())
    var changed = opened
    changed.strokes[0].transform = CGAffineTransform(translationX: 1, y: 0)
    #expect(changed.dataRepresentation() != opened.dataRepresentation())
  }

  // MARK: Pictures

  private final class ThumbnailCache {
    private var images: [Data: UIImage] = [:]
    private(set) var misses = 0

    func image(of drawing: PKDrawing, scale: CGFloat) -> UIImage {
      let key = drawing.dataRepresentation()
      if let image = images[key] { return image }
      misses += 1
      let image = drawing.image(from: drawing.bounds, scale: scale)
      images[key] = image
      return image
    }
  }

  @Test func `thumbnails are cached by the bytes of their drawings`() throws {
    let cache = ThumbnailCache()
    let drawing = PKDrawing(strokes: [wave(PKInk(.marker, color: .yellow))])
    let image = cache.image(of: drawing, scale: 2)
    #expect(cache.image(of: drawing, scale: 2) === image && cache.misses == 1)
    #expect(image.scale == 2 && image.size == drawing.bounds.size)
    let png = try #require(image.pngData())
    let read = try #require(UIImage(data: png, scale: 2))
    #expect(read.size == image.size && UIImage(data: Data("no".utf8)) == nil)
  }

  @Test func `a picture has the aspect ratio of the page at any scale`() throws {
    let drawing = PKDrawing(strokes: [line()])
    let page = CGRect(x: 0, y: 0, width: 210, height: 297)
    for scale in [0.1, 0.25, 1.0 / 3, 1, 1.5, 2, 3] as [CGFloat] {
      let png = try #require(drawing.image(from: page, scale: scale).pngData())
      let size = try #require(pngHeader(png))
      #expect(size.width == Int((210 * scale - 1e-6).rounded(.up)))
      #expect(size.height == Int((297 * scale - 1e-6).rounded(.up)))
    }
    #expect(drawing.image(from: page, scale: 0).scale == UIScreen.main.scale)
  }

  @Test func `a page is drawn in tiles`() throws {
    let drawing = PKDrawing(strokes: [circle(center: CGPoint(x: 60, y: 60), radius: 50)])
    let tiles = stride(from: 0, to: 128, by: 64).flatMap { y in
      stride(from: 0, to: 128, by: 64).map { x in
        drawing.image(from: CGRect(x: x, y: y, width: 64, height: 64), scale: 1).pngData()
      }
    }
    #expect(Set(tiles).count == 4 && !tiles.contains(nil))
    let blank = drawing.image(from: CGRect(x: 500, y: 0, width: 64, height: 64), scale: 1)
    #expect(blank.pngData() != nil && blank.size == CGSize(width: 64, height: 64))
  }

  // MARK: Recognition

  @Test func `strokes are normalized for a model of handwriting`() throws {
    let drawing = PKDrawing(strokes: [line(), circle(center: CGPoint(x: 50, y: 50), radius: 30)])
    let bounds = drawing.bounds
    let side = max(bounds.width, bounds.height)
    let input = drawing.strokes.map { stroke in
      stroke.path.interpolatedPoints(by: .time(0.05)).map { point -> [Float] in
        let location = point.location.applying(stroke.transform)
        return [
          Float((location.x - bounds.minX) / side), Float((location.y - bounds.minY) / side),
          Float(point.timeOffset), Float(point.force / 4.17),
        ]
      }
    }
    #expect(input[0].count == 19 && input[1].count >= 9)
    #expect(input.joined().allSatisfy { (-0.1...1.1).contains($0[0]) && $0[3] < 0.25 })
    #expect(abs((try #require(input[0].last))[2] - 0.9) < 1e-6)
  }

  @Test func `words are found by gaps between strokes`() {
    let drawing = PKDrawing(strokes: [
      line(from: CGPoint(x: 0, y: 10)), line(from: CGPoint(x: 95, y: 12)),
      line(from: CGPoint(x: 300, y: 11)),
    ])
    var words: [[PKStroke]] = []
    var reach = -CGFloat.infinity
    for stroke in drawing.strokes.sorted(by: { $0.renderBounds.minX < $1.renderBounds.minX }) {
      if stroke.renderBounds.minX - reach > 30 { words.append([]) }
      words[words.count - 1].append(stroke)
      reach = max(reach, stroke.renderBounds.maxX)
    }
    #expect(words.map(\.count) == [2, 1])
  }

  @Test func `speed and direction follow from control points`() {
    let stroke = line()
    let speeds = zip(stroke.path, stroke.path.dropFirst()).map { a, b in
      hypot(b.location.x - a.location.x, b.location.y - a.location.y)
        / (b.timeOffset - a.timeOffset)
    }
    #expect(speeds.allSatisfy { isClose($0, 100, 0.1) })
    let directions = zip(stroke.path, stroke.path.dropFirst()).map { a, b in
      CGVector(dx: b.location.x - a.location.x, dy: b.location.y - a.location.y)
    }
    #expect(directions.allSatisfy { atan2($0.dy, $0.dx) == 0 })
    #expect(stroke.path.indices.last == 9 && stroke.path[stroke.path.startIndex].timeOffset == 0)
    #expect(stroke.path.suffix(2).map(\.location.x) == [90, 100])
  }

  // MARK: Replays

  @Test func `a scrubber shows the ink of a chosen time`() throws {
    let start = Date(timeIntervalSinceReferenceDate: 1000)
    let drawing = PKDrawing(strokes: [line(at: start), line(at: start.addingTimeInterval(2))])
    func shown(at time: TimeInterval) -> PKDrawing {
      PKDrawing(
        strokes: drawing.strokes.compactMap { stroke in
          let offset = time - stroke.path.creationDate.timeIntervalSince(start)
          guard offset > 0 else { return nil }
          let end = stroke.path.parametricValue(0, offsetBy: .time(offset))
          return stroke.substroke(range: 0...end)
        })
    }
    #expect(shown(at: 0).strokes.isEmpty)
    #expect(isClose(shown(at: 0.45).bounds.maxX, 57, 2))
    #expect(shown(at: 1.5).strokes.count == 1 && shown(at: 2.3).strokes.count == 2)
    #expect(shown(at: 9).bounds == drawing.bounds)
    let frame = drawing.bounds
    let finished = shown(at: 9).image(from: frame, scale: 1).pngData()
    #expect(finished == drawing.image(from: frame, scale: 1).pngData())
  }

  @Test func `a stroke grows point by point`() {
    let whole = wave()
    var last: CGFloat = 0
    for count in 1...whole.path.count {
      let path = PKStrokePath(
        controlPoints: whole.path.prefix(count), creationDate: whole.path.creationDate)
      let stroke = PKStroke(ink: whole.ink, path: path, randomSeed: whole.randomSeed)
      #expect(stroke.renderBounds.width >= last)
      last = stroke.renderBounds.width
    }
    #expect(isClose(last, whole.renderBounds.width, 1))
  }

  @Test func `a stroke that was cut in two looks like the whole`() throws {
    let stroke = wave(PKInk(.crayon, color: .brown))
    let end = CGFloat(stroke.path.count - 1)
    let halves = PKDrawing(strokes: [
      stroke.substroke(range: 0...9.5), stroke.substroke(range: 9.5...end),
    ])
    #expect(halves.bounds == stroke.renderBounds)
    #expect(halves.requiredContentVersion == .version5)
    #expect(halves.strokes[0].path.count + halves.strokes[1].path.count == 11 + 15)
    #expect(halves.strokes.allSatisfy { $0.id != stroke.id && $0.renderState != nil })
    let saved = try PKDrawing(data: halves.dataRepresentation())
    #expect(saved == halves)
    #expect(saved.strokes[1].path.count == 15 && saved.strokes[1].mask == nil)
    #expect(saved.strokes[1].path.id == halves.strokes[1].path.id)
    // A part of a part is a part of the whole.
    let inner = saved.strokes[1].substroke(range: 1...3)
    #expect(inner.path.count == 3)
    #expect(
      isClose(inner.path[0].location, stroke.path.interpolatedLocation(at: 10), 1e-3))
  }

  @Test func `the render state is coded apart from its stroke`() throws {
    struct Stored: Codable {
      var points: [CGPoint]
      var state: PKStroke.RenderState?
    }
    let part = wave().substroke(range: 2...5.5)
    let stored = Stored(points: part.path.map(\.location), state: part.renderState)
    let read = try JSONDecoder().decode(Stored.self, from: JSONEncoder().encode(stored))
    #expect(read.state == part.renderState)
    let rebuilt = PKStroke(
      ink: part.ink, path: part.path, randomSeed: part.randomSeed, renderState: read.state)
    #expect(rebuilt.renderBounds == part.renderBounds)
    // A part with another path shows only that path.
    let other = PKStroke(ink: part.ink, path: line().path, renderState: read.state)
    #expect(other.path.count == 10 && other.renderState != read.state)
    var state = PKStroke.RenderState(grainOffset: CGPoint(x: 3, y: 4))
    state.grainOffset?.x = 5
    let same = try PropertyListDecoder().decode(
      [PKStroke.RenderState].self, from: PropertyListEncoder().encode([state]))
    #expect(same == [state])
  }

  // MARK: Own formats

  @Test func `ink is exported as SVG`() {
    let drawing = PKDrawing(strokes: [circle(center: CGPoint(x: 50, y: 50), radius: 20)])
    let paths = drawing.strokes.map { stroke -> String in
      var text = ""
      stroke.path.bezierRepresentation.applyWithBlock { element in
        let points = element.pointee.points
        switch element.pointee.type {
        case .moveToPoint: text += "M\(points[0].x) \(points[0].y)"
        case .addLineToPoint: text += "L\(points[0].x) \(points[0].y)"
        case .addQuadCurveToPoint:
          text += "Q\(points[0].x) \(points[0].y) \(points[1].x) \(points[1].y)"
        case .addCurveToPoint:
          text += "C" + (0..<3).map { "\(points[$0].x) \(points[$0].y)" }.joined(separator: " ")
        case .closeSubpath: text += "Z"
        }
      }
      return text
    }
    #expect(paths[0].hasPrefix("M70.0 50.0C"))
    #expect(paths[0].count { $0 == "C" } == 40)
  }

  @Test func `points are packed into bytes and unpacked`() throws {
    let stroke = wave()
    var bytes = Data()
    for point in stroke.path {
      for value in [point.location.x, point.location.y, point.force, point.azimuth] {
        withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    let values = stride(from: 0, to: bytes.count, by: 4).map { start in
      Float(bitPattern: bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
    let points = stride(from: 0, to: values.count, by: 4).map { start in
      PKStrokePoint(
        location: CGPoint(x: Double(values[start]), y: Double(values[start + 1])),
        timeOffset: 0, size: CGSize(width: 4, height: 4), opacity: 1,
        force: CGFloat(values[start + 2]), azimuth: CGFloat(values[start + 3]), altitude: 1)
    }
    let path = PKStrokePath(controlPoints: points, creationDate: .distantPast)
    for (a, b) in zip(path, stroke.path) {
      #expect(a.location == b.location && isClose(a.force, b.force))
      #expect(isClose(a.azimuth, b.azimuth, 2e-4))
    }
    #expect(path.creationDate == .distantPast)
  }

  @Test func `a shape is snapped to the ink that was drawn`() throws {
    let rough = circle(center: CGPoint(x: 80, y: 90), radius: 40)
    let bounds = rough.path.reduce(CGRect.null) {
      $0.union(CGRect(origin: $1.location, size: .zero))
    }
    let oval = UIBezierPath(ovalIn: bounds)
    let points = rough.path
    let snapped = PKStroke(
      ink: rough.ink,
      path: PKStrokePath(bezierPath: oval.cgPath, creationDate: points.creationDate) { converted in
        let old = points.interpolatedPoint(
          at: CGFloat(converted.index) / CGFloat(max(converted.pointCount - 1, 1))
            * CGFloat(points.count - 1))
        return PKStrokePoint(
          location: converted.location, timeOffset: old.timeOffset, size: old.size,
          opacity: old.opacity, force: old.force, azimuth: old.azimuth, altitude: old.altitude)
      })
    for point in snapped.path.interpolatedPoints(by: .distance(3)) {
      #expect(isClose(hypot(point.location.x - 80, point.location.y - 90), 40, 0.05))
    }
    #expect(isClose(try #require(snapped.path.last).timeOffset, 0.4, 1e-6))
  }

  // MARK: Erasing and tools

  @Test func `an eraser leaves pieces, and later ones of them`() throws {
    func sweep(_ x: CGFloat) -> PKStrokePath {
      PKStrokePath(
        controlPoints: [penPoint(x, -50, width: 8), penPoint(x, 100, width: 8)],
        creationDate: Date())
    }
    var drawing = PKDrawing(strokes: [line(), line(from: CGPoint(x: 10, y: 400))])
    let untouched = drawing.strokes[1].id
    drawing.erasePath(sweep(40))
    drawing.erasePath(sweep(80))
    #expect(drawing.strokes.count == 4 && drawing.strokes[3].id == untouched)
    #expect(drawing.strokes.dropLast().allSatisfy { $0.mask != nil && $0.path.count == 10 })
    let ranges = drawing.strokes.dropLast().flatMap(\.maskedPathRanges)
    #expect(ranges.count == 3 && isClose(ranges[1].lowerBound, 3.4, 0.05))
    let saved = try PKDrawing(data: drawing.dataRepresentation())
    #expect(saved == drawing)
    // Erases only ink that the mask shows, at the position that the transform gives it.
    let limited = PKDrawing(strokes: [line()]).erasingPath(
      sweep(0), mask: UIBezierPath(rect: CGRect(x: -100, y: 300, width: 900, height: 9)))
    #expect(limited.strokes.count == 1 && limited.strokes[0].mask == nil)
    let moved = PKDrawing(strokes: [line()]).erasingPath(
      sweep(0), transform: CGAffineTransform(translationX: 60, y: 0))
    #expect(moved.strokes.count == 2)
  }

  @Test func `fully erased strokes are recognized by their null bounds`() {
    var stroke = line()
    stroke.mask = UIBezierPath()
    let drawing = PKDrawing(strokes: [stroke])
    let isBlank = drawing.strokes.allSatisfy { $0.renderBounds.isNull || $0.renderBounds.isEmpty }
    #expect(isBlank && !drawing.strokes.isEmpty && stroke.maskedPathRanges.isEmpty)
    #expect(drawing.bounds.isNull)
  }

  @Test func `a palette of tools is kept in the defaults`() throws {
    struct StoredTool: Codable, Equatable {
      var ink: String
      var width: CGFloat
      var color: [CGFloat]
    }
    let tools = [
      PKInkingTool(.pen, color: .systemBlue, width: 3),
      PKInkingTool(.watercolor, color: UIColor(white: 0.5, alpha: 0.5), width: 200),
    ]
    let stored = tools.map { tool -> StoredTool in
      var (r, g, b, a) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(0))
      tool.color.getRed(&r, green: &g, blue: &b, alpha: &a)
      return StoredTool(ink: tool.inkType.rawValue, width: tool.width, color: [r, g, b, a])
    }
    let read = try JSONDecoder().decode([StoredTool].self, from: JSONEncoder().encode(stored))
    let again = read.compactMap { stored -> PKInkingTool? in
      guard let type = PKInkingTool.InkType(rawValue: stored.ink) else { return nil }
      let c = stored.color
      return PKInkingTool(
        type, color: UIColor(red: c[0], green: c[1], blue: c[2], alpha: c[3]),
        width: stored.width)
    }
    #expect(again[1] == tools[1] && again[1].width == 80 && again[0].width == 3)
    #expect(again[0] != PKInkingTool(.pen, color: .systemBlue, width: 4))
    #expect(PKInkingTool(ink: tools[1].ink, width: 20).inkType == .watercolor)
    #expect(PKInkingTool(.pen, azimuth: 0.5).azimuth == 0.5)
    var pen = tools[0]
    pen.width = 1000
    #expect(pen.width == 1000 && pen.ink.inkType == .pen)
  }

  @Test func `erasers have widths of their kinds`() {
    let narrow = PKEraserTool(.bitmap, width: 5)
    #expect(narrow.eraserType == .fixedWidthBitmap && narrow.width == 16.4)
    #expect(PKEraserTool(.bitmap, width: 40) == PKEraserTool(.bitmap, width: 40))
    #expect(PKEraserTool(.vector, width: 5).width == 5)
    for type in [PKEraserTool.EraserType.vector, .bitmap, .fixedWidthBitmap] {
      #expect(type.validWidthRange.contains(type.defaultWidth))
      #expect(PKEraserTool(type).eraserType == type)
      #expect(PKEraserTool(type, width: .infinity).width == type.validWidthRange.upperBound)
    }
  }

  @Test func `every ink has its widths and its version`() {
    let inks: [PKInkingTool.InkType] = [
      .pen, .pencil, .marker, .monoline, .fountainPen, .watercolor, .crayon, .reed,
    ]
    #expect(inks.map(\.requiredContentVersion.rawValue) == [1, 1, 1, 2, 2, 2, 2, 4])
    for ink in inks {
      #expect(ink.validWidthRange.contains(ink.defaultWidth))
      #expect(PKInkingTool.InkType(rawValue: ink.rawValue) == ink)
      let drawing = PKDrawing(strokes: [wave(PKInk(ink, color: .red))])
      #expect(drawing.requiredContentVersion == ink.requiredContentVersion)
      #expect(!drawing.bounds.isEmpty)
    }
    #expect(PKInk(.pen).color == .black && PKInk(.reed).requiredContentVersion == .version4)
  }

  @Test func `drawings are drawn in several tasks at once`() async throws {
    let drawing = PKDrawing(strokes: [wave(), line()])
    let expected = drawing.image(from: drawing.bounds, scale: 1).pngData()
    let pictures = await withTaskGroup(of: Data?.self) { group in
      for _ in 0..<8 {
        group.addTask { drawing.image(from: drawing.bounds, scale: 1).pngData() }
      }
      return await group.reduce(into: [Data?]()) { $0.append($1) }
    }
    #expect(pictures.count == 8 && pictures.allSatisfy { $0 == expected })
  }
}
