public import Graphics

/// A drawing: strokes on a canvas without edges, the first at the back.
public struct PKDrawing: Sendable {
  /// The strokes from back to front.
  public var strokes: [PKStroke]
  /// The parts of the drawing's archive that the model does not have; see `ArchiveResidue`.
  package var residue: ArchiveResidue?

  /// An empty drawing.
  public init() { self.init(strokes: []) }

  /// A drawing of strokes, the first at the back.
  public init(strokes: some Sequence<PKStroke>) { self.strokes = Array(strokes) }

  /// A box that holds all pixels of the drawing; null if nothing is drawn.
  public var bounds: Rect {
    var bounds = Rect.null
    var last: PKStroke?
    for stroke in strokes {
      // Consecutive pieces of a stroke that differ only in their identifiers have the same box.
      if let last, last.isDrawnLike(stroke) { continue }
      bounds = bounds.union(stroke.renderBounds)
      last = stroke
    }
    return bounds
  }

  /// The oldest content version whose readers can show this drawing.
  public var requiredContentVersion: PKContentVersion {
    strokes.reduce(.version1) { max($0, $1.requiredContentVersion) }
  }
}

extension PKDrawing: Hashable {
  /// Drawings are equal when their strokes are equal. The residue of an archive is not compared.
  public static func == (a: PKDrawing, b: PKDrawing) -> Bool { a.strokes == b.strokes }

  /// Hashes the strokes.
  public func hash(into hasher: inout Hasher) { hasher.combine(strokes) }
}

extension PKDrawing {
  /// Whether the other drawing is known to be the same bit for bit, and so to be written as the same
  /// bytes. False if a stroke has a mask, whose curves are not compared.
  package func isIdentical(to other: PKDrawing) -> Bool {
    strokes.count == other.strokes.count && residue?.form == other.residue?.form
      && (residue?.bytes ?? []) == (other.residue?.bytes ?? [])
      && zip(strokes, other.strokes).allSatisfy { $0.isIdentical(to: $1) }
  }
}

extension PKDrawing {
  /// Adds another drawing's strokes in front. Strokes whose identifiers are taken get new ones.
  public mutating func append(_ other: PKDrawing) {
    var taken = Set(strokes.map { $0.id })
    for stroke in other.strokes {
      var id = stroke.id
      var copy = 0
      while !taken.insert(id).inserted {
        copy += 1
        id = stroke.id.derived("copy", copy)
      }
      strokes.append(copy == 0 ? stroke : stroke.renamed(id))
    }
  }

  /// A drawing with another's strokes in front.
  public func appending(_ other: PKDrawing) -> PKDrawing {
    var result = self
    result.append(other)
    return result
  }

  /// Transforms every stroke; the transform is applied after the stroke's own.
  public mutating func transform(using transform: AffineTransform) {
    for index in strokes.indices {
      strokes[index].transform = strokes[index].transform.finitelyConcatenating(transform)
    }
  }

  /// A drawing with every stroke transformed, after its own transform.
  public func transformed(using transform: AffineTransform) -> PKDrawing {
    var result = self
    result.transform(using: transform)
    return result
  }
}

extension PKDrawing {
  /// The frontmost stroke with ink at a point of the canvas, or within a radius of it.
  public func stroke(at point: Point, radius: Double = 0) -> PKStroke? {
    strokes.last { $0.contains(point, radius: radius) }
  }

  /// The strokes with ink inside a rectangle of the canvas, from back to front.
  public func strokes(intersecting rect: Rect) -> [PKStroke] {
    strokes.filter { $0.intersects(rect) }
  }

  /// The box of the ink that was laid down between two moments; null if there was none.
  public func inkBounds(from start: Timestamp, to end: Timestamp) -> Rect {
    strokes.reduce(.null) { $0.union($1.inkBounds(from: start, to: end)) }
  }

  /// When the first path began; nil without strokes, and if strokes have times but no dates, as in
  /// drawings of Notes in 2018.
  public var creationDate: Timestamp? {
    strokes.lazy.map { $0.path }.filter { $0.isDated }.map { $0.creationDate }.min()
  }

  /// When the last path ended; nil without strokes.
  package var endDate: Timestamp? {
    strokes.map { $0.path.creationDate + max($0.path.duration, 0) }.max()
  }
}

/// The parts of a drawing's archive that this model does not have. `Strokes` only carries the
/// bytes, so that the archive can be written again as it was.
package struct ArchiveResidue: Sendable {
  /// The format of the archive.
  package enum Form: String, Sendable {
    /// A PencilKit archive with the magic `wrd`.
    case pencilKit
    /// A drawing of Notes before iOS 13.
    case notes2018
  }

  package let form: Form
  package let bytes: [UInt8]

  package init(form: Form, bytes: [UInt8]) {
    self.form = form
    self.bytes = bytes
  }
}
