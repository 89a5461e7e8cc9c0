import Graphics
import Strokes

// A stroke's bounds and transform, which all forms encode in the same way. The model holds them. A
// field whose encoding by this package would differ from its bytes also stays in the outline, and
// is written again as long as it agrees with the stroke.

extension WireWriter {
  /// Reads a stroke's bounds and writes a placeholder for them into this outline. A box without
  /// content, which is as common in archives as one with content, stays in the outline and gives
  /// nil.
  mutating func outlineBounds(
    _ field: WireField, of reader: WireReader, isKept: Bool = false
  ) throws(PencilKitError) -> Rect? {
    let box = try reader.box(field)
    outline(field, of: reader, as: box.archiveValues, count: 4, isKept: isKept || box.isUnset)
    return box.isUnset ? nil : box
  }

  /// Reads a stroke's transform and writes a placeholder for it into this outline.
  mutating func outlineTransform(
    _ field: WireField, of reader: WireReader, isKept: Bool = false
  ) throws(PencilKitError) -> AffineTransform {
    let transform = try reader.transform(field)
    outline(field, of: reader, as: transform.archiveValues, count: 6, isKept: isKept)
    return transform
  }

  /// Writes a placeholder if writing the values gives the field's bytes again, otherwise the field.
  private mutating func outline(
    _ field: WireField, of reader: WireReader, as values: SIMD8<Double>, count: Int, isKept: Bool
  ) {
    if !isKept, reader.holds(field, values, count: count) {
      appendPlaceholder(field.number)
    } else {
      append(field, of: reader)
    }
  }

  /// Writes a stroke's bounds in place of the outline's field, or that field if it agrees with
  /// them.
  mutating func bounds(
    _ number: Int, of stroke: PKStroke, over field: WireField?, of old: WireReader?
  ) {
    let bounds = stroke.renderBounds
    if let old, let field, !field.payload.isEmpty, let box = try? old.box(field),
      box == bounds || box.isUnset
    {
      return append(field, of: old)
    }
    self.field(number, floats: (bounds.isNull ? .zero : bounds).archiveValues, count: 4)
  }

  /// Writes a stroke's transform in place of the outline's field, or that field if it agrees with
  /// it. The usual one, which readers assume without a field, is written only where the outline has
  /// one.
  mutating func transform(
    _ number: Int, of stroke: PKStroke, over field: WireField?, of old: WireReader?,
    unless usual: AffineTransform = .identity
  ) {
    let transform = stroke.transform
    guard field != nil || transform != usual else { return }
    if let old, let field, !field.payload.isEmpty, (try? old.transform(field)) == transform {
      return append(field, of: old)
    }
    self.field(number, floats: transform.archiveValues, count: 6)
  }
}

extension WireReader {
  /// The box in a field; the null rectangle if it is at infinity.
  fileprivate func box(_ field: WireField) throws(PencilKitError) -> Rect {
    if holds(field, Rect.null.archiveValues, count: 4) { return .null }
    let v = try floats(field, "stroke's bounds")
    return Rect(x: v[0], y: v[1], width: v[2], height: v[3])
  }

  func transform(_ field: WireField) throws(PencilKitError) -> AffineTransform {
    let v = try floats(field, "stroke's transform")
    return AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
  }

  /// Whether a field has exactly the bytes that `WireWriter` makes of a transform.
  func holds(_ field: WireField, _ transform: AffineTransform) -> Bool {
    holds(field, transform.archiveValues, count: 6)
  }
}

extension Rect {
  /// Whether this is a box that archives hold for bounds which were never computed: an empty one at
  /// the origin or at infinity.
  fileprivate var isUnset: Bool { isNull || self == .zero }

  /// The numbers by which an archive holds a box: x, y, width and height.
  fileprivate var archiveValues: SIMD8<Double> {
    isNull
      ? SIMD8(.infinity, .infinity, 0, 0, 0, 0, 0, 0)
      : SIMD8(minX, minY, width, height, 0, 0, 0, 0)
  }
}

extension AffineTransform {
  /// The numbers by which an archive holds a transform: a, b, c, d, tx and ty.
  fileprivate var archiveValues: SIMD8<Double> { SIMD8(a, b, c, d, tx, ty, 0, 0) }
}
