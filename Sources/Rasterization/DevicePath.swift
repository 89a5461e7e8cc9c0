import Graphics
import Strokes

/// The paths of strokes as chains of nibs in pixels, in columns that the kernels read.
package struct DevicePaths {
  /// How a nib is given.
  enum Nib {
    case round, elliptic, textured
  }

  /// Nibs that stay discs.
  struct Round {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let radius = Column<Float>()

    func reserve(_ more: Int) {
      x.reserve(more)
      y.reserve(more)
      radius.reserve(more)
    }
  }

  /// Nibs that are ellipses.
  struct Elliptic {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let xx = Column<Float>()
    let xy = Column<Float>()
    let yy = Column<Float>()

    /// How far the nib at a point reaches.
    func reach(at index: Int) -> Float { max(xx[index], yy[index]).squareRoot() }
  }

  /// Nibs of textured inks; see `RasterInkPath`.
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
  }

  /// A path without a gap, in one of the groups of columns.
  package struct Chain {
    let nib: Nib
    var start: Int
    var count: Int
    /// How far ink reaches from the points, in pixels.
    var reach: Float
    /// How opaque it is, where a stroke's opacity changes on the way.
    var opacity: UInt8 = 255
  }

  let round = Round()
  let elliptic = Elliptic()
  let textured = Textured()
  var chains: [Chain] = []

  mutating func removeAll() {
    round.x.removeAll()
    round.y.removeAll()
    round.radius.removeAll()
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

/// A place in pixels as the kernels know it: whole numbers of 1/1024.
struct DevicePoint: Equatable {
  /// Nothing is drawn so far away: a picture's longest side and the widest nib fit inside.
  static let limit = 262_144.0

  var x: Int32
  var y: Int32

  /// Nil outside of the limits, and for what is no number.
  @inline(__always)
  init?(_ point: SIMD2<Double>) {
    guard abs(point.x) < Self.limit, abs(point.y) < Self.limit else { return nil }
    // At this size a step of the last bit is 1, so the sum is rounded to a whole number, which its
    // last bits are: no check of a range, no call into the system's library.
    let sum = point * 1024 + 0x1.8p52
    x = Int32(truncatingIfNeeded: sum.x.bitPattern)
    y = Int32(truncatingIfNeeded: sum.y.bitPattern)
  }
}

/// Puts a chain together, point by point.
struct ChainBuilder {
  private let nib: DevicePaths.Nib
  private var start: Int?
  private var count = 0
  private var reach: Float = 0
  var opacity: UInt8 = 255

  init(_ nib: DevicePaths.Nib) { self.nib = nib }

  var isOpen: Bool { start != nil }
  /// Where the chain begins that is being made.
  var openStart: Int? { start }

  mutating func begin(at place: Int) {
    start = place
    count = 0
  }

  mutating func note(reach: Float) { self.reach = max(self.reach, reach) }

  mutating func add() { count += 1 }

  /// Whether a chain is open whose opacity is another one.
  func changes(to opacity: UInt8) -> Bool { isOpen && opacity != self.opacity }

  mutating func finish(_ chains: inout [DevicePaths.Chain]) {
    if let start, count > 0 {
      chains.append(
        DevicePaths.Chain(nib: nib, start: start, count: count, reach: reach, opacity: opacity))
    }
    start = nil
    reach = 0
  }
}
