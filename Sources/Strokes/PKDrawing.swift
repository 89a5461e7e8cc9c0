public import Graphics

/// A drawing: strokes on a canvas without edges, the first at the back.
public struct PKDrawing: Sendable {
  /// The strokes from back to front.
  public var strokes: [PKStroke]
  /// What the archive that this drawing came from said beyond the model; see `ArchiveResidue`.
  package var residue: ArchiveResidue?

  /// An empty drawing.
  public init() { self.init(strokes: []) }

  /// A drawing of strokes, the first at the back.
  public init(strokes: some Sequence<PKStroke>) { self.strokes = Array(strokes) }

  /// The box that holds all pixels of the drawing; null where nothing is drawn.
  public var bounds: Rect {
    var bounds = Rect.null
    var last: PKStroke?
    for stroke in strokes {
      // Pieces of one stroke that differ in nothing but their names need one look.
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
  /// Drawings are equal when their strokes are; what an archive said beyond the model is left out.
  public static func == (a: PKDrawing, b: PKDrawing) -> Bool { a.strokes == b.strokes }

  /// Feeds the strokes.
  public func hash(into hasher: inout Hasher) { hasher.combine(strokes) }
}

extension PKDrawing {
  /// Adds another drawing's strokes in front; those whose names are taken get new ones.
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

  /// Places every stroke anew: the transform is applied after the stroke's own.
  public mutating func transform(using transform: AffineTransform) {
    for index in strokes.indices {
      strokes[index].transform = strokes[index].transform.finitelyConcatenating(transform)
    }
  }

  /// A drawing with every stroke placed anew.
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

  /// The box of the ink laid down between two moments; null where that is none.
  public func inkBounds(from start: Timestamp, to end: Timestamp) -> Rect {
    strokes.reduce(.null) { $0.union($1.inkBounds(from: start, to: end)) }
  }

  /// When the first path began; nil without strokes, and where they have times but no dates, as in
  /// drawings of Notes in 2018.
  public var creationDate: Timestamp? {
    strokes.lazy.map { $0.path }.filter { $0.isDated }.map { $0.creationDate }.min()
  }

  /// When the last path ended; nil without strokes.
  package var endDate: Timestamp? {
    strokes.map { $0.path.creationDate + max($0.path.duration, 0) }.max()
  }
}

/// What the archive that a drawing came from said beyond this model: bytes that `Strokes` only
/// carries, so that the archive can be written again as it was.
package struct ArchiveResidue: Sendable {
  /// Who can read the bytes.
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
