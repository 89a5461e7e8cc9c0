public import Foundation
import Graphics
import PencilKitArchive
import Strokes

/// A stroke: an ink along a path, and its transform to the page.
public struct PKStroke: Identifiable, Sendable {
  /// All values, which copies share until one of them is changed. A drawing recognizes an unchanged
  /// stroke by the identity of this object.
  private var storage: Storage

  private final class Storage: @unchecked Sendable {
    var base: Strokes.PKStroke
    var part: PKStrokePath?

    init(_ base: Strokes.PKStroke, part: PKStrokePath?) { (self.base, self.part) = (base, part) }
  }

  /// The storage, unshared before a change.
  private var ownStorage: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) {
        storage = Storage(storage.base, part: storage.part)
      }
      return storage
    }
  }

  /// The stroke of the model. If it draws only a part of its path, `path` returns that part.
  var base: Strokes.PKStroke {
    _read { yield storage.base }
  }

  /// The stroke of the model, for changes.
  private var ownBase: Strokes.PKStroke {
    _read { yield storage.base }
    _modify { yield &ownStorage.base }
  }

  /// The path of the visible part, which takes time to compute.
  private var part: PKStrokePath? {
    get { storage.part }
    set { ownStorage.part = newValue }
  }

  init(_ base: Strokes.PKStroke) {
    var base = base
    if base.path.identifier == nil {
      let (bounds, ranges) = (base.archivedBounds, base.archivedMaskRanges)
      base.path = base.path.identified(by: base.id.derived("path"))
      base.archivedBounds = bounds
      base.archivedMaskRanges = ranges
    }
    storage = Storage(base, part: nil)
    if base.isPartial { part = visiblePart.path }
  }

  /// A stroke.
  /// - Parameters:
  ///   - ink: the ink.
  ///   - path: the path of the tip.
  ///   - transform: from the path to the page.
  ///   - mask: the visible area, before the transform; nil for everywhere.
  ///   - randomSeed: the seed of the ink's grain.
  ///   - id: the identifier, unique within a drawing.
  ///   - renderGroupID: the same value for neighbours that are drawn as if they were wet together.
  ///   - renderState: the state of another stroke, whose look this one copies.
  public init(
    ink: PKInk, path: PKStrokePath, transform: CGAffineTransform = .identity,
    mask: UIBezierPath? = nil, randomSeed: UInt32 = .random(in: .min ... .max), id: UUID = UUID(),
    renderGroupID: UUID? = nil, renderState: RenderState? = nil
  ) {
    storage = Storage(
      Strokes.PKStroke(
        ink: ink.base, path: path.base, transform: Graphics.AffineTransform(transform).storable,
        mask: mask?.maskPath, randomSeed: randomSeed, id: Identifier(id),
        renderGroupID: renderGroupID.map { Identifier($0) }), part: nil)
    self.renderState = renderState
  }

  /// A stroke with a random seed. Apps also reference this initializer by name, and protocols
  /// require it.
  public init(
    ink: PKInk, path: PKStrokePath, transform: CGAffineTransform, mask: UIBezierPath?
  ) {
    self.init(
      ink: ink, path: path, transform: transform, mask: mask,
      randomSeed: .random(in: .min ... .max), id: UUID())
  }

  /// A stroke with a seed, as the one above.
  public init(
    ink: PKInk, path: PKStrokePath, transform: CGAffineTransform, mask: UIBezierPath?,
    randomSeed: UInt32
  ) {
    self.init(
      ink: ink, path: path, transform: transform, mask: mask, randomSeed: randomSeed, id: UUID())
  }

  /// The identifier, unique within a drawing.
  public var id: UUID {
    get { UUID(name) }
    set { ownBase = base.renamed(Identifier(newValue)) }
  }

  /// The identifier in the model.
  var name: Identifier { storage.base.id }

  /// The ink.
  public var ink: PKInk {
    get { PKInk(base.ink) }
    set { ownBase.ink = newValue.base }
  }

  /// The path of the pen, before the transform.
  public var path: PKStrokePath {
    get { part ?? PKStrokePath(base.path, identifier: base.id.derived("path")) }
    set {
      // The assigned path is the one that was read: a part of the whole path.
      if let part, part.base.identifier == newValue.base.identifier, part.base == newValue.base {
        return
      }
      showWhole(newValue)
    }
  }

  /// The transform from the path to the page, in 32-bit floats.
  public var transform: CGAffineTransform {
    get { CGAffineTransform(base.transform) }
    set { ownBase.transform = Graphics.AffineTransform(newValue).storable }
  }

  /// The visible area, before the transform; nil for everywhere. It is stored as in archives, as
  /// one polygon; reading returns a copy.
  public var mask: UIBezierPath? {
    get { base.mask.map { UIBezierPath($0) } }
    set { ownBase.mask = newValue?.maskPath }
  }

  /// The seed of the ink's grain.
  public var randomSeed: UInt32 {
    get { base.randomSeed }
    set { ownBase.randomSeed = newValue }
  }

  /// Neighbouring strokes of one ink with the same value are drawn as if they were wet together.
  public var renderGroupID: UUID? {
    get { base.renderGroupID.map { UUID($0) } }
    set { ownBase.renderGroupID = newValue.map { Identifier($0) } }
  }
}

extension PKStroke {
  /// The box of all its pixels on the page; null if nothing is visible.
  public var renderBounds: CGRect { CGRect(base.renderBounds) }

  /// The parts of the path, in parameter values, where its centre line is inside the mask; the
  /// whole path if there is no mask.
  public var maskedPathRanges: [ClosedRange<CGFloat>] {
    let ranges = base.maskedPathRanges
    guard part != nil else { return ranges.map { ClosedRange<CGFloat>($0) } }
    let part = visiblePart
    return ranges.map {
      let (from, to) = (part.partParameter($0.lowerBound), part.partParameter($0.upperBound))
      return CGFloat(min(from, to))...CGFloat(max(from, to))
    }
  }

  /// The oldest version of drawings that can store this stroke.
  public var requiredContentVersion: PKContentVersion {
    renderState == nil ? ink.requiredContentVersion : .version5
  }

  /// The stroke between two parameter values of its path, as it looks in the whole stroke. Its path
  /// contains only the points of that part; `renderState` contains the rest.
  public func substroke(range: ClosedRange<CGFloat>) -> PKStroke {
    let range = ClosedRange<Double>(range)
    let shown = visiblePart
    var copy = base.renamed(Identifier())
    copy.pathRange =
      part == nil
      ? range.clamped(to: base.path.parameterRange)
      : shown.wholeParameter(range.lowerBound)...shown.wholeParameter(range.upperBound)
    copy.parentID = nil
    if copy.isPartial, copy.renderState == .state(grainOffset: nil) { copy.renderState = .absent }
    return PKStroke(copy)
  }
}

extension PKStroke {
  /// The visible part of the model's path.
  private var visiblePart: PathPart { PathPart(base.path, base.visiblePathRange) }

  /// Shows all of a path.
  private mutating func showWhole(_ path: PKStrokePath) {
    ownBase.path = path.base
    ownBase.pathRange = .wholePath
    part = nil
  }

  /// The additional state, besides the path, that keeps the current look; nil for a stroke that
  /// needs none.
  public var renderState: RenderState? {
    get {
      var state: RenderState?
      if case .state(let offset) = base.renderState {
        state = RenderState(grainOffset: offset.map { CGPoint($0) })
      }
      guard part != nil else { return state }
      return RenderState(grainOffset: state?.grainOffset, part: visiblePart)
    }
    set {
      ownBase.renderState =
        newValue.map { .state(grainOffset: $0.grainOffset.map { Point(storable: $0) }) } ?? .absent
      // A part always has a state.
      if newValue?.part != nil, newValue?.grainOffset == nil { ownBase.renderState = .absent }
      let shown = path
      if let whole = newValue?.part, whole.isPath(shown) {
        ownBase.path = whole.whole
        ownBase.pathRange = whole.range
        part = shown
      } else if part != nil {
        showWhole(shown)
      }
    }
  }

  /// Whether two strokes are equal in all values that a drawing stores of them.
  static func isSame(_ a: PKStroke, _ b: PKStroke) -> Bool {
    a.storage === b.storage || a.base == b.base
      || a.base.withSecondaryWidths == b.base.withSecondaryWidths
  }
}

extension Strokes.PKStroke {
  /// The stroke with secondary widths. Old archives have none, and new ones store the widths
  /// instead.
  fileprivate var withSecondaryWidths: Strokes.PKStroke {
    var copy = self
    copy.path = Strokes.PKStrokePath(
      columns: path.columns.withSecondaryWidths, creationDate: path.creationDate,
      identifier: path.identifier)
    return copy
  }
}

extension UIBezierPath {
  /// The outline in the form in which archives store masks.
  fileprivate var maskPath: Path { path.storable.inArchive }
}
