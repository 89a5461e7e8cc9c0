public import Graphics

extension PKDrawing {
  /// Erases as the tool does when it is drawn along a path over the canvas.
  ///
  /// A vector eraser takes away every stroke that it touches. The others take away the ink below:
  /// a stroke becomes the pieces that are left, each the whole path behind a mask, so what is left
  /// looks as before.
  public mutating func erase(along path: PKStrokePath, with eraser: PKEraserTool) {
    erase(eraser.sweep(along: path), wholeStrokes: eraser.eraserType == .vector)
  }

  /// Erases everything inside an area of the canvas, as a bitmap eraser does.
  public mutating func erase(_ area: Path) {
    erase(area, wholeStrokes: false)
  }

  /// What erasing along a path would do to the strokes.
  public func changes(
    erasingAlong path: PKStrokePath, with eraser: PKEraserTool
  ) -> [StrokeChange<PKStroke>] {
    changes(erasing: eraser.sweep(along: path), wholeStrokes: eraser.eraserType == .vector)
  }

  private func changes(erasing area: Path, wholeStrokes: Bool) -> [StrokeChange<PKStroke>] {
    strokes.compactMap { stroke in
      stroke.remains(erasing: area, wholeStroke: wholeStrokes).map {
        StrokeChange(strokeID: stroke.id, replacements: $0)
      }
    }
  }

  /// Every stroke is asked for itself, so that two of one name are told apart.
  private mutating func erase(_ area: Path, wholeStrokes: Bool) {
    strokes = strokes.flatMap { $0.remains(erasing: area, wholeStroke: wholeStrokes) ?? [$0] }
  }

  /// Puts other strokes in the place of some; strokes that are not there are passed over.
  public mutating func apply(_ changes: [StrokeChange<PKStroke>]) {
    guard !changes.isEmpty else { return }
    let replacements = changes.replacementsByID()
    strokes = strokes.flatMap { replacements[$0.id] ?? [$0] }
  }
}

extension PKEraserTool {
  /// The area that the eraser passes over.
  package func sweep(along path: PKStrokePath) -> Path {
    let ink = PKInk(.monoline, widthLaw: .plain)
    let round = PKStrokePath(
      controlPoints: path.map { point in
        var point = point
        point.size = Size(width: width, height: width)
        return point
      })
    return PKStroke(ink: ink, path: round).outline()
  }
}

extension PKStroke {
  /// Pieces whose visible area is below this many square points are crumbs nobody sees.
  private static let crumb = 0.01

  /// What an eraser leaves of the stroke; nil where it is not touched.
  fileprivate func remains(erasing area: Path, wholeStroke: Bool) -> [PKStroke]? {
    if wholeStroke { return touches(area) ? [] : nil }
    return pieces(erasing: area)
  }

  /// What is left of the stroke when an area of the canvas is erased; nil where it is not touched.
  package func pieces(erasing area: Path) -> [PKStroke]? {
    guard touches(area), let inverse = transform.inverted() else { return nil }
    let ink = outline()
    // Texture reaches a little beyond the outline; the mask of what stays must not cut it.
    let before = mask ?? reachOutline
    let rest = before.subtracting(area.applying(inverse))
    let pieces = rest.components().filter { abs($0.intersection(ink).signedArea) > Self.crumb }
    return pieces.enumerated().map { index, mask in
      var piece = renamed(id.derived("piece", index))
      piece.mask = mask
      piece.parentID = parentID ?? id
      return piece
    }
  }
}
