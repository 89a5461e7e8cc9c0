import Glibc
import Graphics
import Rasterization
import Strokes

/// The stages from strokes to pixels: points and curve, nibs and sides, samples, coverage, colours.
func stages(_ mood: PKDrawing) throws -> [UInt8] {
  let star = mood.strokes[34]
  let box = star.renderBounds
  let region = Rect(x: box.center.x - 19, y: box.center.y - 19, width: 38, height: 38)
  /// The side of a panel, and of the pictures that are shown enlarged.
  let (side, pixels) = (256, 32)

  func picture(_ strokes: [PKStroke], _ side: Int) throws -> Pixmap {
    let options = RenderOptions(
      extent: .pixels(width: side, height: side), region: region, background: .color(.white))
    return try Renderer(options).picture(of: PKDrawing(strokes: strokes))
  }

  let curve = line(star.path.interpolatedPoints(by: .parametricStep(0.05)).map(\.location), .ink)
  let crosses = star.path.flatMap { point in
    [Point(x: 0.6, y: 0), Point(x: 0, y: 0.6)].map { arm in
      line([point.location - arm, point.location + arm], .red)
    }
  }
  let dark = star.colored(.ink)
  let marker = PKStroke(
    ink: PKInk(
      .marker, color: Color(red: 1, green: 0.78, blue: 0.18, alpha: 0.9), widthLaw: .plain),
    path: path(
      [Point(x: region.minX, y: box.center.y), Point(x: region.maxX, y: box.center.y)],
      Size(width: 12, height: 12)))

  var sheet = Sheet(columnCount: 5, gap: 14, gapColor: .white)
  sheet.add(try picture([curve] + crosses, side))
  sheet.add(try picture(nibs(of: star), side))
  sheet.add(
    samples(of: try picture([dark], 4 * pixels)), enlargedBy: side / pixels / 4)
  sheet.add(try picture([dark], pixels), enlargedBy: side / pixels)
  sheet.add(try picture([dark, marker], pixels), enlargedBy: side / pixels)
  return try sheet.encoded()
}

/// The outlines of a pen's nibs, two for each span, and of the quadrilaterals between them.
private func nibs(of stroke: PKStroke) -> [PKStroke] {
  let nibs = stroke.path.interpolatedPoints(by: .parametricStep(0.5)).map { point in
    // A pen draws twice its size without 4 points.
    (center: point.location, radius: point.size.width - 2)
  }
  var outlines = nibs.map { nib in
    line(
      (0...48).map { index in
        let angle = Double(index) / 24 * .pi
        return nib.center + Point(x: cos(angle), y: sin(angle)) * nib.radius
      }, .blue)
  }
  for (first, second) in zip(nibs, nibs.dropFirst()) {
    guard let way = (second.center - first.center).normalized else { continue }
    for side in [1.0, -1] {
      let across = Point(x: -way.y, y: way.x) * side
      outlines.append(
        line(
          [first.center + across * first.radius, second.center + across * second.radius], .blue))
    }
  }
  return outlines
}

/// A picture in which every pixel is as dark as the darkest or as light as the lightest.
private func samples(of picture: Pixmap) -> Pixmap {
  let pixels = (0..<picture.height).flatMap { y in (0..<picture.width).map { (x: $0, y: y) } }
  func value(_ pixel: (x: Int, y: Int)) -> UInt16 { picture[pixel.x, pixel.y].red }
  guard let darkest = pixels.min(by: { value($0) < value($1) }),
    let lightest = pixels.max(by: { value($0) < value($1) })
  else { return picture }
  let samples = Pixmap(width: picture.width, height: picture.height)
  let middle = value(darkest) / 2 + value(lightest) / 2
  for pixel in pixels {
    let source = value(pixel) < middle ? darkest : lightest
    samples.set(pixel.x, pixel.y, from: picture, source.x, source.y)
  }
  return samples
}

/// A thin line.
private func line(_ points: [Point], _ color: Color) -> PKStroke {
  PKStroke(
    ink: PKInk(.monoline, color: color, widthLaw: .plain),
    path: path(points, Size(width: 0.16, height: 0.16)))
}

/// A path through points that are close together, or straight between two.
private func path(_ points: [Point], _ size: Size) -> PKStrokePath {
  PKStrokePath(
    controlPoints: points.map {
      PKStrokePoint(
        location: $0, timeOffset: 0, size: size, opacity: 1, force: 1, azimuth: 0, altitude: 1)
    })
}

extension PKStroke {
  fileprivate func colored(_ color: Color) -> PKStroke {
    var stroke = self
    stroke.ink.color = color
    return stroke
  }
}

extension Color {
  fileprivate static let ink = Color(red: 0.1, green: 0.14, blue: 0.25)
  fileprivate static let red = Color(red: 0.85, green: 0.1, blue: 0.1)
  fileprivate static let blue = Color(red: 0.2, green: 0.4, blue: 0.75)
}
