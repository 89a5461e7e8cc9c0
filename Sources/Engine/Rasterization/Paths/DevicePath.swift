import CRasterKernels
import Graphics
import Strokes

/// The paths of strokes as chains of nibs in pixels, in columns that the kernels read.
package struct DevicePaths {
  /// The kind of nib, which selects the columns of a chain.
  enum Nib {
    case round, elliptic, textured
  }

  /// Points with nibs that are discs. These are most points of most drawings, so their columns
  /// have one count.
  final class Round {
    @exclusivity(unchecked) private(set) var count = 0
    /// The number of points that kernels may read beyond a chain.
    private static let margin = 8
    @exclusivity(unchecked) private var capacity = 64 - margin
    @exclusivity(unchecked) private(set) var x = UnsafeMutablePointer<Int32>.allocate(capacity: 64)
    @exclusivity(unchecked) private(set) var y = UnsafeMutablePointer<Int32>.allocate(capacity: 64)
    @exclusivity(unchecked)
    private(set) var radius = UnsafeMutablePointer<Float>.allocate(capacity: 64)

    deinit {
      x.deallocate()
      y.deallocate()
      radius.deallocate()
    }

    @inline(__always)
    func append(_ point: DevicePoint, _ nibRadius: Float) {
      if count == capacity { reserve(1) }
      (x + count).initialize(to: point.x)
      (y + count).initialize(to: point.y)
      (radius + count).initialize(to: nibRadius)
      count &+= 1
    }

    /// Reserves capacity for additional points.
    @inline(never)
    func reserve(_ more: Int) {
      guard count + more > capacity else { return }
      capacity = max(count + more, 2 * capacity)
      x.grow(keeping: count, capacity: capacity + Self.margin)
      y.grow(keeping: count, capacity: capacity + Self.margin)
      radius.grow(keeping: count, capacity: capacity + Self.margin)
    }

    func removeAll() { count = 0 }
  }

  /// Points with nibs that are ellipses; see `RasterEllipticPath`.
  struct Elliptic {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let xx = Column<Float>()
    let xy = Column<Float>()
    let yy = Column<Float>()

    /// The reach of the nib at a point.
    func reach(at index: Int) -> Float { max(xx[index], yy[index]).squareRoot() }
  }

  /// Points with nibs of textured inks; see `RasterInkPath`.
  struct Textured {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let radius = Column<Float>()
    let thickness = Column<Float>()
    let cosine = Column<Float>()
    let sine = Column<Float>()
    let flow = Column<Float>()
    let arc = Column<Float>()
    let lean = Column<Float>()

    /// Reserves capacity for additional points. All columns have the same length.
    @inline(__always)
    func reserve(_ more: Int) {
      guard x.count + more > x.capacity else { return }
      x.reserve(more)
      y.reserve(more)
      for column in [radius, thickness, cosine, sine, flow, arc, lean] { column.reserve(more) }
    }
  }

  /// A path without gaps: a range of points in the columns of its kind of nib.
  package struct Chain {
    let nib: Nib
    var start: Int
    var count: Int
    /// The reach of ink from the points, in pixels.
    var reach: Float
    /// Its opacity where the stroke's opacity changes on the way; 255 otherwise.
    var opacity: UInt8 = 255
    /// The number of times that the sides of its pixels are doubled relative to the scene's; see
    /// `WideNibs`.
    var coarseness: UInt8 = 0
    /// The box of its points, once they are measured.
    var box = Box()
  }

  /// A box of points in 1/1024 pixels, up to its edges.
  struct Box {
    var left: Int32 = 0
    var top: Int32 = 0
    var right: Int32 = 0
    var bottom: Int32 = 0

    init() {}

    init(_ extent: RasterExtent) {
      (left, top, right, bottom) = (extent.left, extent.top, extent.right, extent.bottom)
    }

    /// The box of the points in a range of indices, which must not be empty.
    init(_ x: UnsafePointer<Int32>, _ y: UnsafePointer<Int32>, _ points: ClosedRange<Int>) {
      let first = points.lowerBound
      (left, top, right, bottom) = (x[first], y[first], x[first], y[first])
      for index in points {
        left = min(left, x[index])
        right = max(right, x[index])
        top = min(top, y[index])
        bottom = max(bottom, y[index])
      }
    }
  }

  let round = Round()
  let elliptic = Elliptic()
  let textured = Textured()
  var chains: [Chain] = []

  /// The number of points of all chains.
  var pointCount: Int { round.count + elliptic.x.count + textured.x.count }

  mutating func removeAll() {
    round.removeAll()
    elliptic.x.removeAll()
    elliptic.y.removeAll()
    elliptic.xx.removeAll()
    elliptic.xy.removeAll()
    elliptic.yy.removeAll()
    textured.x.removeAll()
    textured.y.removeAll()
    textured.radius.removeAll()
    textured.thickness.removeAll()
    textured.cosine.removeAll()
    textured.sine.removeAll()
    textured.flow.removeAll()
    textured.arc.removeAll()
    textured.lean.removeAll()
    chains.removeAll(keepingCapacity: true)
  }
}

/// A position in the kernels' fixed-point numbers: 1/1024 pixels.
struct DevicePoint: Equatable {
  /// The greatest coordinate, in pixels; nothing is drawn further away. The longest side of a
  /// picture and the widest nib fit inside.
  static let limit = 262_144.0

  var x: Int32
  var y: Int32

  /// Nil outside of the limit, and for NaN.
  @inline(__always)
  init?(_ point: SIMD2<Double>) {
    guard abs(point.x) < Self.limit, abs(point.y) < Self.limit else { return nil }
    // The magnitude 2⁵² makes the last bit worth 1. So the sum is rounded to an integer, and the
    // lowest bits of its pattern are that integer, without a range check or a call into the
    // system's library.
    let sum = point * 1024 + 0x1.8p52
    x = Int32(truncatingIfNeeded: sum.x.bitPattern)
    y = Int32(truncatingIfNeeded: sum.y.bitPattern)
  }
}

/// Builds chains, point by point.
struct ChainBuilder {
  private let nib: DevicePaths.Nib
  private var start: Int?
  private var count = 0
  private var reach: Float = 0
  var opacity: UInt8 = 255
  private let coarseness: UInt8

  init(_ nib: DevicePaths.Nib, coarseness: Int = 0) {
    self.nib = nib
    self.coarseness = UInt8(clamping: coarseness)
  }

  var isOpen: Bool { start != nil }
  /// The index of the open chain's first point; nil where none is open.
  var openStart: Int? { start }

  mutating func begin(at index: Int) {
    start = index
    count = 0
  }

  /// Makes the reach of the chain at least this.
  mutating func extend(reach: Float) { self.reach = max(self.reach, reach) }

  mutating func add() { count += 1 }

  /// Whether a chain is open and has another opacity.
  func changes(to opacity: UInt8) -> Bool { isOpen && opacity != self.opacity }

  mutating func finish(_ chains: inout [DevicePaths.Chain]) {
    if let start, count > 0 {
      chains.append(
        DevicePaths.Chain(
          nib: nib, start: start, count: count, reach: reach, opacity: opacity,
          coarseness: coarseness))
    }
    start = nil
    reach = 0
  }
}
