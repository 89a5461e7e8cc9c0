public import Foundation
import Graphics
import Strokes

/// A drawing: strokes on a page without edges, the first at the back.
public struct PKDrawing: Sendable {
  private var list: [PKStroke] = []
  /// Keeps the identifiers of the strokes unique.
  private var names = StrokeNames()
  /// The content of the drawing's archive beyond its strokes, kept so that it can be written again.
  var residue: ArchiveResidue?

  /// A drawing without strokes.
  public init() {}

  /// A drawing of strokes. If several strokes have the same identifier, the first keeps it.
  public init<S: Sequence>(strokes: S) where S.Element == PKStroke { self.strokes = Array(strokes) }

  /// The strokes from back to front. If several strokes have the same identifier, the first keeps
  /// it.
  public var strokes: [PKStroke] {
    get { list }
    set {
      list = newValue
      names.makeUnique(in: &list)
    }
    // Modified in place, so that a loop over all strokes does not copy all of them in each
    // iteration.
    _modify {
      defer { names.makeUnique(in: &list) }
      yield &list
    }
  }

  /// The drawing of the model.
  var model: Strokes.PKDrawing {
    var drawing = Strokes.PKDrawing(strokes: list.map(\.base))
    drawing.residue = residue
    return drawing
  }
}

extension PKDrawing: Equatable {
  /// Whether both have the same strokes: identifiers, inks, points and all other saved values.
  public static func == (a: PKDrawing, b: PKDrawing) -> Bool {
    a.list.elementsEqual(b.list, by: PKStroke.isSame)
  }
}

extension PKDrawing {
  /// The box of all visible pixels; null if nothing is visible.
  public var bounds: CGRect { CGRect(model.bounds) }

  /// The oldest version of drawings that can store all its strokes.
  public var requiredContentVersion: PKContentVersion {
    list.map(\.requiredContentVersion).max { $0.rawValue < $1.rawValue } ?? .version1
  }

  /// Adds the strokes of another drawing in front. Strokes whose identifiers are already used get
  /// new ones.
  public mutating func append(_ drawing: PKDrawing) { strokes += drawing.list }

  /// A drawing with another's strokes in front.
  public func appending(_ drawing: PKDrawing) -> PKDrawing {
    var result = self
    result.append(drawing)
    return result
  }

  /// Applies a transform after that of each stroke. Points and masks stay as they are.
  public mutating func transform(using transform: CGAffineTransform) {
    let transform = Graphics.AffineTransform(transform).storable
    strokes = list.map { stroke in
      var copy = stroke
      let own = Graphics.AffineTransform(stroke.transform)
      copy.transform = CGAffineTransform(own.finitelyConcatenating(transform))
      return copy
    }
  }

  /// The transformed drawing.
  public func transformed(using transform: CGAffineTransform) -> PKDrawing {
    var result = self
    result.transform(using: transform)
    return result
  }
}
