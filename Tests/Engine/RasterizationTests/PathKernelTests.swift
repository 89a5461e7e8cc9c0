import CRasterKernels
import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

@Suite struct `The kernels for paths` {
  private struct RandomPath {
    let path: PKStrokePath
    let division: RasterDivision

    /// A path with steps of a size in points, which may be huge or nothing.
    init(_ random: inout SplitMix64, count: Int, step: Double) {
      var location = Point(
        x: Double.random(in: -900...900, using: &random),
        y: Double.random(in: -900...900, using: &random))
      path = PKStrokePath(
        controlPoints: (0..<count).map { _ in
          location.x += Double.random(in: -1...1, using: &random) * step
          location.y += Double.random(in: -1...1, using: &random) * step
          return PKStrokePoint(
            location: location, timeOffset: 0, size: Size(width: 3, height: 3), opacity: 1,
            force: 1, azimuth: 0, altitude: 1)
        })
      let scale = Double.random(in: 0.05...3, using: &random)
      division = RasterDivision(
        a: scale, b: 0.1, c: -0.1, d: scale, tx: 7.3, ty: -1.9,
        squaredBends: 1 / (0.4 / scale * 0.4 / scale), longest: 4000)
    }

    /// The pieces and the end of a span, in plain code.
    func divided(_ index: Int) -> (pieces: UInt8, end: SIMD2<Double>) {
      let span = path.span(index)
      let (first, last) = (2 * span.c2, 2 * span.c2 + 6 * span.c3)
      let power = max((first * first).sum(), (last * last).sum()) * division.squaredBends
      func length(_ axis: Int) -> Double {
        abs(span.c1[axis]) + 2 * abs(span.c2[axis]) + 3 * abs(span.c3[axis])
      }
      let isUsual = power <= 81 && length(0) + length(1) <= division.longest
      let pieces: UInt8 = !isUsual ? 0 : power <= 1 ? 1 : power <= 16 ? 2 : 3
      let p = ((span.c3 + span.c2) + span.c1) + span.c0
      return (
        pieces,
        SIMD2(
          division.a * p.x + division.c * p.y + division.tx,
          division.b * p.x + division.d * p.y + division.ty)
      )
    }
  }

  @Test(arguments: kernelLevels)
  func `kernels divide spans as plain code does, to the bit`(level: Int32) {
    var random = SplitMix64(seed: 67)
    let kernels = rasterKernels(level, 8)
    var found: Set<UInt8> = []
    for number in 0..<400 {
      let count = Int.random(in: 4...70, using: &random)
      let step = [0, 0.3, 4, 60, 4e4][number % 5]
      let sample = RandomPath(&random, count: count, step: step)
      var ends = RasterSpanEnds()
      let range = ends.divide(
        sample.path.columns, from: 1, through: count - 2, by: sample.division, kernels)
      #expect(range == 1..<min(count - 2, 1 + Int(RasterSpanCount)))
      for index in range {
        let expected = sample.divided(index)
        #expect(ends.pieceCount(index - 1) == Int(expected.pieces), "\(number), span \(index)")
        #expect(ends.end(index - 1) == expected.end, "\(number), span \(index)")
        found.insert(expected.pieces)
      }
    }
    #expect(found == [0, 1, 2, 3])
  }

  @Test func `all levels find the same extent of a chain, and plain code the same box`() {
    var random = SplitMix64(seed: 68)
    for number in 0..<300 {
      let count = Int.random(in: 1...40, using: &random)
      let reach = [2_000, 300_000, 40_000_000][number % 3]
      func column() -> [Int32] {
        (0..<count + 8).map { _ in Int32.random(in: Int32(-reach)...Int32(reach), using: &random) }
      }
      let (x, y) = (column(), column())
      let radii = (0..<count + 8).map { _ in Float.random(in: 0...30, using: &random) }
      let extents = kernelLevels.map { level in
        x.withUnsafeBufferPointer { x in
          y.withUnsafeBufferPointer { y in
            radii.withUnsafeBufferPointer { radii in
              rasterKernels(level, 8).pointee.measureRound(
                RasterRoundPath(
                  x: x.baseAddress!, y: y.baseAddress!, radius: radii.baseAddress!,
                  count: Int32(count)), 256, 384)
            }
          }
        }
      }
      for extent in extents {
        #expect(extent.visits.bitPattern == extents[0].visits.bitPattern)
        #expect(
          (extent.left, extent.right) == (x[..<count].min(), x[..<count].max()), "\(number)")
        #expect(
          (extent.top, extent.bottom) == (y[..<count].min(), y[..<count].max()), "\(number)")
      }
    }
  }
}
