import Foundation
import PencilKit

// The examples of docs/guides/swift.md, word for word. `GuideTests` compares both, and runs these.

func open(_ url: URL) throws -> PKDrawing {
  try PKDrawing(data: Data(contentsOf: url))
}

func save(_ drawing: PKDrawing, to url: URL) throws {
  try drawing.dataRepresentation().write(to: url, options: .atomic)
}

struct Page: Codable {
  var title: String
  var drawing: PKDrawing
}

func backup(_ pages: [Page]) throws -> Data {
  try JSONEncoder().encode(pages)
}

func signature(through locations: [CGPoint]) -> PKDrawing {
  let points = locations.enumerated().map { index, location in
    PKStrokePoint(
      location: location, timeOffset: Double(index) * 0.01, size: CGSize(width: 4, height: 4),
      opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
  }
  let path = PKStrokePath(controlPoints: points, creationDate: Date())
  return PKDrawing(strokes: [PKStroke(ink: PKInk(.pen, color: .black), path: path)])
}

func length(of stroke: PKStroke) -> CGFloat {
  var length: CGFloat = 0
  var last: CGPoint?
  for point in stroke.path.interpolatedPoints(by: .distance(1)) {
    let location = point.location.applying(stroke.transform)
    if let last { length += hypot(location.x - last.x, location.y - last.y) }
    last = location
  }
  return length
}

func thumbnail(of drawing: PKDrawing, isDark: Bool) -> Data? {
  guard !drawing.bounds.isEmpty else { return nil }
  var png: Data?
  UITraitCollection(userInterfaceStyle: isDark ? .dark : .light).performAsCurrent {
    png = drawing.image(from: drawing.bounds.insetBy(dx: -8, dy: -8), scale: 2).pngData()
  }
  return png
}

func frame(of drawing: PKDrawing, at progress: CGFloat) -> PKDrawing {
  PKDrawing(
    strokes: drawing.strokes.map { stroke in
      stroke.substroke(range: 0...CGFloat(max(stroke.path.count - 1, 0)) * progress)
    })
}
