public import Graphics

extension PKDrawing {
  /// Erases as the tool does when it is drawn along a path over the canvas.
  ///
  /// A vector eraser deletes every stroke that it touches. The others erase only the ink below
  /// them: a stroke is replaced by the pieces that are left. Each piece is the whole path behind a
  /// mask, so it looks as before.
  public mutating func erase(along path: PKStrokePath, with eraser: PKEraserTool) {
    erase(eraser.sweep(along: path), wholeStrokes: eraser.eraserType == .vector)
  }

  /// Erases everything inside an area of the canvas, as a bitmap eraser does.
  public mutating func erase(_ area: Path) {
    erase(area, wholeStrokes: false)
  }

  /// The changes that erasing along a path would make, one for each stroke that the eraser touches.
  public func changes(
    erasingAlong path: PKStrokePath, with eraser: PKEraserTool
  ) -> [StrokeChange<PKStroke>] {
    changes(erasing: eraser.sweep(along: path), with: eraser)
  }

  /// The changes that erasing the area that an eraser swept would make.
  func changes(erasing area: Path, with eraser: PKEraserTool) -> [StrokeChange<PKStroke>] {
    strokes.compactMap { stroke in
      stroke.remains(erasing: area, wholeStroke: eraser.eraserType == .vector).map {
        StrokeChange(strokeID: stroke.id, replacements: $0)
      }
    }
  }

  /// Strokes are replaced one by one and not by `apply`, because two may have the same identifier.
  private mutating func erase(_ area: Path, wholeStrokes: Bool) {
    strokes = strokes.flatMap { $0.remains(erasing: area, wholeStroke: wholeStrokes) ?? [$0] }
  }

  /// Replaces strokes. Changes of strokes that do not exist are ignored; of several changes of one
  /// stroke the last counts.
  public mutating func apply(_ changes: [StrokeChange<PKStroke>]) {
    guard !changes.isEmpty else { return }
    let replacements = changes.replacementsByID()
    strokes = strokes.flatMap { replacements[$0.id] ?? [$0] }
  }
}

extension PKEraserTool {
  /// The area that the eraser sweeps along a path.
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
  /// The minimum visible area of a piece, in square points. Smaller ones cannot be seen.
  static let minimumPieceArea = 0.01

  /// The strokes that an eraser leaves of the stroke; nil if it is not touched.
  fileprivate func remains(erasing area: Path, wholeStroke: Bool) -> [PKStroke]? {
    if wholeStroke { return touches(area) ? [] : nil }
    return pieces(erasing: area)
  }

  /// The pieces of the stroke that are left when an area of the canvas is erased; nil if it is not
  /// touched.
  package func pieces(erasing area: Path) -> [PKStroke]? {
    guard renderBounds.intersects(area.controlBounds), let inverse = transform.inverted() else {
      return nil
    }
    let ink = outline()
    /// The relevant part of the area near an outline, since an eraser may have been drawn over the
    /// whole page. Combining rounds points to a grid, by far less than a point.
    func part(near outline: Path) -> Path {
      let box = outline.controlBounds.grown(by: 1).applying(transform)
      return area.simplified(outside: box).applying(inverse)
    }
    let near = part(near: ink)
    guard (mask == nil && isVisibleInMiddle(near, ink)) || touches(near, outline: ink) else {
      return nil
    }
    // Texture reaches a little beyond the outline, and the masks of pieces must not cut it.
    let whole = mask ?? reachOutline
    let pieces = whole.pieces(subtracting: part(near: whole)).filter { isVisible($0, ink) }
    return pieces.enumerated().map { index, mask in
      var piece = renamed(id.derived("piece", index))
      piece.mask = mask
      piece.parentID = parentID ?? id
      return piece
    }
  }

  /// Whether enough ink lies inside a piece of the stroke's area; the outline is that of all its
  /// ink.
  func isVisible(_ piece: Path, _ ink: Path) -> Bool {
    // Nearly always there is enough ink around a point in the middle of the line.
    isVisibleInMiddle(piece, ink) || isVisible(piece, ink, in: piece.controlBounds)
  }

  /// Whether enough ink lies inside a piece around one of some points of the path.
  private func isVisibleInMiddle(_ piece: Path, _ ink: Path) -> Bool {
    let (box, range) = (piece.controlBounds, visiblePathRange)
    return (0...16).contains { step in
      let center = path.interpolatedLocation(
        at: range.lowerBound + (range.upperBound - range.lowerBound) * Double(step) / 16)
      return box.contains(center) && piece.contains(center)
        && isVisible(piece, ink, in: Rect(around: [center]).grown(by: 1))
    }
  }

  private func isVisible(_ piece: Path, _ ink: Path, in window: Rect) -> Bool {
    let common = piece.clipped(to: window).intersection(ink.clipped(to: window))
    return abs(common.signedArea) > Self.minimumPieceArea
  }
}
