import CRasterKernels
import Testing

@testable import Rasterization

/// The levels of instructions that this processor supports.
let kernelLevels = Array(0...rasterBestLevel())

/// The samples of a tile, and the kernels of a level that draw in them. All input and output is in
/// plain arrays.
final class KernelTile {
  private let kernels: UnsafePointer<RasterKernels>
  private let space: OpaquePointer

  init(level: Int32, samples: Int) throws {
    kernels = rasterKernels(level, Int32(samples))
    space = try #require(rasterSpaceCreate(Int32(samples)))
  }

  deinit { rasterSpaceFree(space) }

  var isClear: Bool { rasterSpaceIsClear(space) != 0 }

  func sweep(_ path: PlainRoundPath, from first: Int, to end: Int, left: Int, top: Int) {
    path.x.withUnsafeBufferPointer { x in
      path.y.withUnsafeBufferPointer { y in
        path.radius.withUnsafeBufferPointer { radius in
          guard let x = x.baseAddress, let y = y.baseAddress, let radius = radius.baseAddress
          else { return }
          kernels.pointee.sweepRound(
            space, RasterRoundPath(x: x, y: y, radius: radius, count: Int32(path.x.count)),
            Int32(first), Int32(end), Int32(left), Int32(top))
        }
      }
    }
  }

  func sweep(_ path: PlainEllipticPath, from first: Int, to end: Int, left: Int, top: Int) {
    path.x.withUnsafeBufferPointer { x in
      path.y.withUnsafeBufferPointer { y in
        path.xx.withUnsafeBufferPointer { xx in
          path.xy.withUnsafeBufferPointer { xy in
            path.yy.withUnsafeBufferPointer { yy in
              guard let x = x.baseAddress, let y = y.baseAddress, let xx = xx.baseAddress,
                let xy = xy.baseAddress, let yy = yy.baseAddress
              else { return }
              kernels.pointee.sweepElliptic(
                space,
                RasterEllipticPath(
                  x: x, y: y, xx: xx, xy: xy, yy: yy, count: Int32(path.x.count)),
                Int32(first), Int32(end), Int32(left), Int32(top))
            }
          }
        }
      }
    }
  }

  /// The coverages of all pixels. Each group is listed at most once, and is then flagged.
  func resolve() -> [UInt8] {
    let side = Int(RasterTileSide)
    let (width, perRow) = (Int(RasterGroupWidth), Int(RasterGroupsPerRow))
    let flags = rasterSpaceGroups(space)
    for row in 0..<side { flags[row] = 0 }
    let result = kernels.pointee.resolve(space)
    var coverage = [UInt8](repeating: 0, count: side * side)
    var seen = Set<UInt16>()
    func record(_ group: UInt16) -> Int {
      #expect(seen.insert(group).inserted)
      let (row, column) = (Int(group) / perRow, Int(group) % perRow)
      #expect(flags[row] >> UInt8(column) & 1 == 1)
      return row * side + column * width
    }
    for index in 0..<Int(result.partialCount) {
      let start = record(result.partial[index])
      for pixel in 0..<width { coverage[start + pixel] = result.coverage[width * index + pixel] }
    }
    for index in 0..<Int(result.wholeCount) {
      let start = record(result.whole[index])
      for pixel in 0..<width { coverage[start + pixel] = 255 }
    }
    #expect((0..<side).reduce(0) { $0 + flags[$1].nonzeroBitCount } == seen.count)
    return coverage
  }

  /// Blends through coverages. If `wholes` is set, groups whose coverages are all 255 are blended
  /// as whole groups.
  func blend(
    _ paint: RasterPaint, through coverage: [UInt8], into pixels: inout [UInt8], wholes: Bool
  ) {
    let width = Int(RasterGroupWidth)
    var (partial, whole, bytes) = ([UInt16](), [UInt16](), [UInt8]())
    for group in 0..<coverage.count / width {
      let part = coverage[group * width..<(group + 1) * width]
      if wholes, part.allSatisfy({ $0 == 255 }) {
        whole.append(UInt16(group))
      } else if part.contains(where: { $0 > 0 }) {
        partial.append(UInt16(group))
        bytes += part
      }
    }
    let (partialCount, wholeCount) = (Int32(partial.count), Int32(whole.count))
    partial.append(0)
    whole.append(0)
    bytes.append(0)
    partial.withUnsafeBufferPointer { partial in
      whole.withUnsafeBufferPointer { whole in
        bytes.withUnsafeMutableBufferPointer { bytes in
          pixels.withUnsafeMutableBufferPointer { pixels in
            guard let partial = partial.baseAddress, let whole = whole.baseAddress,
              let bytes = bytes.baseAddress, let pixels = pixels.baseAddress
            else { return }
            kernels.pointee.blend(
              pixels, 4 * Int32(RasterTileSide),
              RasterCoverage(
                partial: partial, coverage: bytes, partialCount: partialCount, whole: whole,
                wholeCount: wholeCount), paint)
          }
        }
      }
    }
  }

  func compositeTile(_ tile: inout [UInt8], over below: inout [UInt8], groups: [UInt8]) {
    tile.withUnsafeMutableBufferPointer { tile in
      below.withUnsafeMutableBufferPointer { below in
        groups.withUnsafeBufferPointer { groups in
          guard let tile = tile.baseAddress, let below = below.baseAddress,
            let groups = groups.baseAddress
          else { return }
          kernels.pointee.compositeTile(below, 4 * Int32(RasterTileSide), tile, groups)
        }
      }
    }
  }
}
