import Foundation
import PencilKit
import Testing

/// No argument makes the interface trap.
struct BadInputTests {
  private static let numbers = strangeNumbers.map { CGFloat($0) }

  @Test func `data that is no drawing is refused with a reason`() {
    let good = PKDrawing(strokes: [wave()]).dataRepresentation()
    let bad = [
      Data(), Data([0]), Data("wrd".utf8), Data(repeating: 0xFF, count: 1000), good.dropLast(),
      good.prefix(40),
    ]
    for data in bad {
      let error = #expect(throws: CocoaError.self) { try PKDrawing(data: data) }
      #expect(error?.code == .coderReadCorrupt)
      #expect(error?.localizedDescription.contains("byte") == true)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([PKDrawing].self, from: Data("[\"d3Jk8A==\"]".utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([PKDrawing].self, from: Data("[{}]".utf8))
    }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(
        PKStroke.RenderState.self, from: Data("{\"path\":\"AAAA\",\"start\":0,\"end\":1}".utf8))
    }
  }

  @Test func `slices of data are read like any other`() throws {
    let drawing = PKDrawing(strokes: [line()])
    let data = Data([9, 9, 9]) + drawing.dataRepresentation()
    #expect(try PKDrawing(data: data.dropFirst(3)) == drawing)
  }

  @Test func `points with numbers that are not finite make a path of finite points`() {
    for number in Self.numbers {
      let point = PKStrokePoint(
        location: CGPoint(x: number, y: number), timeOffset: TimeInterval(number),
        size: CGSize(width: number, height: number), opacity: number, force: number,
        azimuth: number, altitude: number, secondaryScale: number, threshold: number,
        lateralJitter: number)
      let date = Date(timeIntervalSinceReferenceDate: TimeInterval(number))
      let path = PKStrokePath(controlPoints: [point, penPoint(1, 1), point], creationDate: date)
      #expect(path.allSatisfy { $0.location.x.isFinite && $0.location.y.isFinite })
      #expect(path.allSatisfy { $0.timeOffset.isFinite && $0.azimuth >= 0 && $0.azimuth < 6.2832 })
      #expect(path.creationDate.timeIntervalSinceReferenceDate.isFinite)
      let stroke = PKStroke(ink: PKInk(.pen), path: path)
      #expect(!stroke.renderBounds.origin.x.isNaN)
    }
  }

  @Test func `a path without points answers all questions`() {
    let path = PKStrokePath()
    #expect(path.isEmpty && path.first == nil && path.bezierRepresentation.isEmpty)
    #expect(path.interpolatedLocation(at: 3) == .zero)
    #expect(path.interpolatedPoint(at: -1).location == .zero)
    #expect(Array(path.interpolatedPoints(by: .distance(1))).isEmpty)
    #expect(path.parametricValue(2, offsetBy: .time(1)) == 0)
    #expect(path[0...5.5].isEmpty)
    var stroke = PKStroke(ink: PKInk(.pen), path: path)
    #expect(stroke.renderBounds.isNull && stroke.maskedPathRanges.isEmpty)
    #expect(stroke.substroke(range: 0...3).path.isEmpty)
    stroke.mask = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 9, height: 9))
    #expect(stroke.maskedPathRanges.isEmpty)
    let drawing = PKDrawing(strokes: [stroke])
    #expect(drawing.bounds.isNull && drawing.erasingPath(path) == drawing)
  }

  @Test func `parameters and steps beyond all bounds are clamped`() {
    let paths: [PKStrokePath] = [wave().path, line().path[0...0], line().path[0...1]]
    for path in paths {
      for number in Self.numbers {
        #expect(path.interpolatedLocation(at: number).x.isFinite)
        #expect(path.interpolatedPoint(at: number).timeOffset.isFinite)
        for other in Self.numbers {
          for stride in strides(of: other) {
            let value = path.parametricValue(number, offsetBy: stride)
            #expect((0...CGFloat(path.count - 1)).contains(value))
            guard number <= other, !(0..<1e-3).contains(other) else { continue }
            let points = path.interpolatedPoints(in: number...other, by: stride).prefix(1000)
            #expect(!Array(points).isEmpty)
          }
        }
      }
    }
    // Steps that lead nowhere leave both ends.
    for stride in strides(of: 0) + strides(of: -1) + strides(of: .nan) {
      let ends = line().path.interpolatedPoints(by: stride).map(\.location.x)
      #expect(ends == [10, 100])
    }
  }

  private func strides(of size: CGFloat) -> [PKStrokePath.InterpolatedSlice.Stride] {
    [.distance(size), .time(TimeInterval(size)), .parametricStep(size)]
  }

  @Test func `parts with ranges beyond the path are clamped to it`() {
    let stroke = wave()
    for range in [-5...50, 50...60, -9 ... -3, 3...3, -CGFloat.infinity...CGFloat.infinity] {
      let part = stroke.substroke(range: range)
      #expect((1...24).contains(part.path.count))
      #expect(stroke.path[range].count == part.path.count)
    }
    #expect(stroke.substroke(range: -5...50).path.id == stroke.path.id)
    #expect(stroke.substroke(range: -5...50).renderState == nil)
  }

  @Test func `transforms and masks with extreme numbers do not trap`() throws {
    for number in Self.numbers {
      var drawing = PKDrawing(strokes: [line(), wave()])
      drawing.transform(
        using: CGAffineTransform(a: number, b: 0, c: number, d: 1, tx: number, ty: 0))
      drawing.transform(using: CGAffineTransform(scaleX: number, y: number))
      #expect(drawing.strokes.allSatisfy { $0.transform.a.isFinite && $0.transform.tx.isFinite })
      _ = (drawing.bounds, drawing.strokes.map(\.renderBounds))
      let mask = UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: number, height: 10))
      mask.addLine(to: CGPoint(x: number, y: number))
      mask.usesEvenOddFillRule = true
      drawing.strokes[0].mask = mask
      _ = drawing.strokes[0].maskedPathRanges
      _ = drawing.image(from: CGRect(x: 0, y: 0, width: 64, height: 64), scale: 1)
      drawing.erasePath(line().path, mask: mask)
      #expect(try PKDrawing(data: drawing.dataRepresentation()) == drawing)
    }
    // Apps compute this for an empty drawing.
    let bounds = PKDrawing().bounds
    var drawing = PKDrawing(strokes: [line()])
    drawing.transform(
      using: CGAffineTransform(translationX: -bounds.minX, y: -bounds.minY)
        .concatenating(CGAffineTransform(scaleX: 100 / bounds.width, y: 100 / bounds.height)))
    #expect(drawing.strokes.count == 1)
  }

  @Test func `pictures of impossible sizes are images without pixels`() {
    let drawing = PKDrawing(strokes: [line()])
    var rects = [CGRect.null, .zero, .infinite, CGRect(x: 0, y: 0, width: 1e9, height: 1e9)]
    for number in Self.numbers {
      rects.append(CGRect(x: 0, y: 0, width: number, height: 10))
      rects.append(CGRect(x: number, y: number, width: 10, height: 10))
    }
    for rect in rects {
      for scale in [0, 1, 1e-9] + Self.numbers {
        let image = drawing.image(from: rect, scale: scale)
        #expect(image.pngData() != nil || image.size == .zero)
      }
    }
    #expect(drawing.image(from: .null, scale: 2).pngData() == nil)
    // A negative extent goes to the left and up.
    let turned = drawing.image(from: CGRect(x: 100, y: 50, width: -90, height: -40), scale: 1)
    let usual = drawing.image(from: CGRect(x: 10, y: 10, width: 90, height: 40), scale: 1)
    #expect(turned.pngData() == usual.pngData() && turned.size == usual.size)
  }

  @Test func `colours with numbers that are not finite make inks with finite colours`() {
    for number in Self.numbers {
      let color = UIColor(red: number, green: number, blue: 0, alpha: number)
      let ink = PKInk(.pen, color: color)
      var red: CGFloat = .nan
      ink.color.getRed(&red, green: nil, blue: nil, alpha: nil)
      #expect(red.isFinite && ink.color == ink.color)
      _ = PKInkingTool.convertColor(color, from: .light, to: .dark)
      _ = UIColor(hue: number, saturation: number, brightness: number, alpha: number)
      _ = UIColor(displayP3Red: number, green: 0, blue: 0, alpha: 1)
      #expect(PKInkingTool(.marker, color: color, width: number).width.isFinite)
      #expect(PKEraserTool(.bitmap, width: number).width.isFinite)
    }
  }

  @Test func `outlines with extreme numbers become paths`() {
    for number in Self.numbers {
      let path = UIBezierPath()
      path.addArc(
        withCenter: CGPoint(x: number, y: 0), radius: number, startAngle: number, endAngle: 1,
        clockwise: true)
      path.addCurve(
        to: CGPoint(x: number, y: 1), controlPoint1: .zero,
        controlPoint2: CGPoint(x: 5, y: number))
      path.append(
        UIBezierPath(
          roundedRect: CGRect(x: 0, y: 0, width: number, height: number), cornerRadius: number))
      _ = (path.bounds, path.contains(.zero), path.reversing().bounds, path.cgPath.boundingBox)
      let converted = PKStrokePath(bezierPath: path.cgPath, creationDate: Date()) {
        penPoint($0.location.x, $0.location.y)
      }
      #expect(converted.allSatisfy { $0.location.x.isFinite })
    }
    let nothing = PKStrokePath(bezierPath: CGMutablePath(), creationDate: Date()) { _ in
      penPoint(0, 0)
    }
    #expect(nothing.isEmpty)
    let dot = CGMutablePath()
    dot.move(to: CGPoint(x: 3, y: 4))
    let point = PKStrokePath(bezierPath: dot, creationDate: Date()) {
      penPoint($0.location.x, $0.location.y)
    }
    #expect(point.count == 1 && isClose(point[0].location, CGPoint(x: 3, y: 4)))
  }
}
