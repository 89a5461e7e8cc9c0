import Foundation
public import PencilKit
import Testing

extension PKInk: CustomStringConvertible {
  /// The app's own description of inks.
  public var description: String { "ink of the app" }
}

/// Printed values show the interface and not the storage.
struct MirrorTests {
  @Test func `a drawing and its parts show their values`() {
    var stroke = line()
    func labels(_ value: Any) -> [String?] { Mirror(reflecting: value).children.map(\.label) }
    #expect(labels(PKDrawing(strokes: [stroke])) == ["strokes", "bounds"])
    #expect(labels(stroke) == ["id", "ink", "path", "randomSeed"])
    #expect(labels(stroke.path) == ["id", "creationDate", "count"])
    #expect(labels(stroke.ink) == ["inkType", "color"])
    stroke.transform = CGAffineTransform(translationX: 1, y: 2)
    stroke.mask = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 40, height: 40))
    stroke.renderState = PKStroke.RenderState(grainOffset: .zero)
    #expect(labels(stroke).suffix(3) == ["transform", "mask", "renderState"])
    let part = stroke.substroke(range: 1...2)
    var text = ""
    dump(PKDrawing(strokes: [stroke, part]), to: &text)
    #expect(text.contains("randomSeed") && !text.contains("columns") && text.count < 6000)
    let path = "\(stroke.path)"
    #expect(path.hasPrefix("PKStrokePath(id: ") && path.hasSuffix("count: 10)"))
  }

  @Test func `a description that an app defines is used`() {
    #expect("\(PKInk(.pen))" == "ink of the app")
    #expect("\(PKDrawing(strokes: [line()]))".contains("ink of the app"))
  }
}
