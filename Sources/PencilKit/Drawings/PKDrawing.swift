public import Foundation
import Graphics
import Strokes

/// A drawing: strokes on a page without edges, the first at the back.
public struct PKDrawing: Sendable {
  private var list: [PKStroke] = []
  /// The identifiers of the strokes when they were last made different from each other.
  private var names: [Identifier] = []
  /// What the archive of the drawing says beyond its strokes, so that it can be written again.
  var residue: ArchiveResidue?

  /// A drawing without strokes.
  public init() {}

  /// A drawing of strokes. Of strokes with the same identifier, the first keeps it.
  public init<S: Sequence>(strokes: S) where S.Element == PKStroke { self.strokes = Array(strokes) }

  /// The strokes from back to front. Of strokes with the same identifier, the first keeps it.
  public var strokes: [PKStroke] {
    get { list }
    set {
      list = newValue
      makeNamesUnique()
    }
    // In place, so that a loop over all strokes does not copy them all each time.
    _modify {
      defer { makeNamesUnique() }
      yield &list
    }
  }

  /// Whether the strokes have some of the names, in their order.
  private var keepsOrder: Bool {
    var next = names.startIndex
    for stroke in list {
      while next < names.endIndex, names[next] != stroke.base.id { next += 1 }
      guard next < names.endIndex else { return false }
      next += 1
    }
    return true
  }

  private mutating func makeNamesUnique() {
    // Most changes keep all names, or add a few: a stroke that is added must not make a table of all others.
    if list.count >= names.count, zip(list, names).allSatisfy({ $0.base.id == $1 }) {
      let added = list[names.count...].map(\.base.id)
      if added.count < 8, !added.contains(where: { names.contains($0) }),
        Set(added).count == added.count
      {
        names += added
        return
      }
    }
    // Strokes that are left out make no names equal.
    if list.count < names.count, keepsOrder {
      names = list.map(\.base.id)
      return
    }
    names.removeAll(keepingCapacity: true)
    names.reserveCapacity(list.count)
    // The taken names, each with the number of its copies: a thousand copies are named in as many steps.
    var copies = [Identifier: Int](minimumCapacity: list.count)
    for index in list.indices {
      let own = list[index].base.id
      var name = own
      while copies[name] != nil {
        let count = copies[own, default: 0] + 1
        copies[own] = count
        name = own.derived("copy", count)
      }
      copies[name] = 0
      if name != own { list[index].id = UUID(name) }
      names.append(name)
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
  /// Whether both have the same strokes: identifiers, inks, points and all else that is saved.
  public static func == (a: PKDrawing, b: PKDrawing) -> Bool {
    a.list.elementsEqual(b.list, by: PKStroke.isSame)
  }
}

extension PKDrawing {
  /// The box of all pixels; null if nothing is seen.
  public var bounds: CGRect { CGRect(model.bounds) }

  /// The oldest version of drawings that can have all its strokes.
  public var requiredContentVersion: PKContentVersion {
    list.map(\.requiredContentVersion).max { $0.rawValue < $1.rawValue } ?? .version1
  }

  /// Adds the strokes of another drawing in front. Those whose identifiers are taken get new ones.
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
    for index in list.indices {
      let own = Graphics.AffineTransform(list[index].transform)
      list[index].transform = CGAffineTransform(own.finitelyConcatenating(transform))
    }
  }

  /// The transformed drawing.
  public func transformed(using transform: CGAffineTransform) -> PKDrawing {
    var result = self
    result.transform(using: transform)
    return result
  }
}
