import Graphics
import PencilKitArchive
import Strokes

extension PKDrawing {
  /// Erases ink as if the pixel eraser were drawn along a path, as wide as the size of each of its
  /// points.
  /// - Parameters:
  ///   - path: the path of the eraser's centre.
  ///   - mask: the area in which it erases, before the transform; nil for everywhere.
  ///   - transform: from the path and the mask to the page.
  public mutating func erasePath(
    _ path: PKStrokePath, mask: UIBezierPath? = nil, transform: CGAffineTransform = .identity
  ) {
    // The width of ink with the plain width rule is the size of its points.
    let eraser = Strokes.PKStroke(
      ink: Strokes.PKInk(.monoline, widthLaw: .plain), path: path.base)
    var area = eraser.outline()
    if let mask { area = area.intersection(mask.path.storable) }
    area = area.applying(Graphics.AffineTransform(transform).storable)
    var drawing = Strokes.PKDrawing(strokes: strokes.map(\.base))
    drawing.erase(area)
    // Untouched strokes are kept as they are.
    let untouched = Dictionary(strokes.map { ($0.base.id, $0) }) { first, _ in first }
    strokes = drawing.strokes.map { stroke in
      if let old = untouched[stroke.id], old.base == stroke { return old }
      return PKStroke(stroke.storable)
    }
  }

  /// The drawing with ink erased as by `erasePath`.
  public func erasingPath(
    _ path: PKStrokePath, mask: UIBezierPath? = nil, transform: CGAffineTransform = .identity
  ) -> PKDrawing {
    var result = self
    result.erasePath(path, mask: mask, transform: transform)
    return result
  }
}

extension Strokes.PKStroke {
  /// The stroke with its mask in the form that archives store.
  fileprivate var storable: Strokes.PKStroke {
    var copy = self
    copy.mask = mask?.inArchive
    return copy
  }
}
