import Graphics
import PencilKitArchive
import Strokes

extension PKDrawing {
  /// Erases ink as if the pixel eraser were drawn along a path, as wide as the size of each of its points.
  /// - Parameters:
  ///   - path: where the middle of the eraser goes.
  ///   - mask: where it erases, before the transform; nil for everywhere.
  ///   - transform: from the path and the mask to the page.
  public mutating func erasePath(
    _ path: PKStrokePath, mask: UIBezierPath? = nil, transform: CGAffineTransform = .identity
  ) {
    // Ink of the plain law is as wide as its points say.
    let eraser = Strokes.PKStroke(
      ink: Strokes.PKInk(.monoline, widthLaw: .plain), path: path.base)
    var area = eraser.outline()
    if let mask { area = area.intersection(mask.path.storable) }
    area = area.applying(Graphics.AffineTransform(transform).storable)
    var drawing = Strokes.PKDrawing(strokes: strokes.map(\.base))
    drawing.erase(area)
    // Strokes that were not touched stay as they are.
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
  /// The stroke with its mask as archives hold it.
  fileprivate var storable: Strokes.PKStroke {
    var copy = self
    copy.mask = mask?.inArchive
    return copy
  }
}
