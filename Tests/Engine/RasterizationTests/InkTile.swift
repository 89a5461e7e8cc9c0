import CRasterKernels
import Testing

@testable import Rasterization

/// The kernels that deposit ink.
enum InkNib: CaseIterable { case disc, blade, fibres }

/// The fields of a tile, and the kernels of a level that deposit ink in them. All input and output
/// is in plain arrays.
final class InkTile {
  private let kernels: UnsafePointer<RasterInkKernels>
  private let space: OpaquePointer

  init(level: Int32) throws {
    kernels = rasterInkKernels(level)
    space = try #require(rasterInkSpaceCreate())
  }

  deinit { rasterInkSpaceFree(space) }

  var isClear: Bool { rasterInkSpaceIsClear(space) != 0 }

  func deposit(
    _ nib: InkNib, _ path: PlainInkPath, from first: Int, to end: Int, left: Int, top: Int,
    _ form: RasterDeposit, _ fibres: RasterFibres
  ) {
    let positions = (path.x + path.y)
    let numbers =
      path.radius + path.thickness + path.cosine + path.sine + path.flow + path.arc + path.lean
    let count = path.x.count
    let (first32, end32, left, top) = (Int32(first), Int32(end), Int32(left), Int32(top))
    rasterInkSpaceMove(space, left, top, Int32(RasterTileSide))
    positions.withUnsafeBufferPointer { positions in
      numbers.withUnsafeBufferPointer { numbers in
        guard let x = positions.baseAddress, let first0 = numbers.baseAddress else { return }
        func column(_ index: Int) -> UnsafePointer<Float> { first0 + index * count }
        let columns = RasterInkPath(
          x: x, y: x + count, radius: column(0), thickness: column(1), cosine: column(2),
          sine: column(3), flow: column(4), arc: column(5), lean: column(6), count: Int32(count))
        withUnsafePointer(to: form) {
          switch nib {
          case .disc: kernels.pointee.depositDisc(space, columns, first32, end32, left, top, $0)
          case .blade: kernels.pointee.depositBlade(space, columns, first32, end32, left, top, $0)
          case .fibres:
            var fibres = fibres
            kernels.pointee.depositFibres(space, columns, first32, end32, left, top, $0, &fibres)
          }
        }
      }
    }
  }

  /// The coverages of all pixels, and the groups that were listed; each is listed once and flagged.
  typealias Coverage = (bytes: [UInt8], groups: Set<UInt16>)

  func tooth(_ tooth: RasterTooth) -> Coverage {
    var form = tooth
    return coverage { kernels.pointee.tooth(space, &form) }
  }

  func marker(_ marker: RasterMarker) -> Coverage {
    var form = marker
    return coverage { kernels.pointee.marker(space, &form) }
  }

  func passes(_ passes: RasterPasses) -> Coverage {
    var form = passes
    return coverage { kernels.pointee.passes(space, &form) }
  }

  func reed() -> Coverage { coverage { kernels.pointee.reed(space) } }

  func wash(_ wash: RasterWash) -> Coverage {
    var form = wash
    return coverage { kernels.pointee.wash(space, &form) }
  }

  private func coverage(_ tone: () -> RasterCoverage) -> Coverage {
    let (side, width) = (Int(RasterTileSide), Int(RasterGroupWidth))
    let flags = rasterInkSpaceGroups(space)
    for row in 0..<side { flags[row] = 0 }
    let result = tone()
    var bytes = [UInt8](repeating: 0, count: side * side)
    var groups = Set<UInt16>()
    for index in 0..<Int(result.partialCount) {
      let group = Int(result.partial[index])
      #expect(groups.insert(UInt16(group)).inserted)
      #expect(flags[group / 8] >> UInt8(group % 8) & 1 == 1)
      for pixel in 0..<width {
        bytes[group * width + pixel] = result.coverage[width * index + pixel]
      }
    }
    #expect(result.wholeCount == 0)
    #expect((0..<side).reduce(0) { $0 + flags[$1].nonzeroBitCount } == groups.count)
    return (bytes, groups)
  }

  func compositeTile(_ tile: inout [UInt16], over below: inout [UInt16], groups: [UInt8]) {
    tile.withUnsafeMutableBufferPointer { tile in
      below.withUnsafeMutableBufferPointer { below in
        groups.withUnsafeBufferPointer { groups in
          guard let tile = tile.baseAddress, let below = below.baseAddress,
            let groups = groups.baseAddress
          else { return }
          kernels.pointee.compositeTileDeep(below, tile, groups)
        }
      }
    }
  }

  /// Blends through coverages. If `wholes` is set, groups whose coverages are all 255 are blended
  /// as whole groups.
  func blend(
    _ paint: RasterDeepPaint, through coverage: [UInt8], into pixels: inout [UInt16], wholes: Bool
  ) {
    let width = Int(RasterGroupWidth)
    var (partial, whole, bytes) = ([UInt16](), [UInt16](), [UInt8]())
    for group in 0..<coverage.count / width {
      let part = coverage[group * width..<(group + 1) * width]
      if wholes, part.allSatisfy({ $0 == 255 }) {
        whole.append(UInt16(group))
      } else {
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
            kernels.pointee.blendDeep(
              pixels,
              RasterCoverage(
                partial: partial, coverage: bytes, partialCount: partialCount, whole: whole,
                wholeCount: wholeCount), paint)
          }
        }
      }
    }
  }
}
