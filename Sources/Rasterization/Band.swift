import CRasterKernels
public import Graphics

/// Some finished rows of a picture, in memory that the next rows will use again.
public struct Band {
  /// The picture's row that the first one is.
  public let firstRow: Int
  /// How many rows there are.
  public let rowCount: Int
  /// How many pixels each row has.
  public let width: Int
  /// How many bits each component has.
  public let depth: Pixmap.Depth
  let memory: PixelMemory
  let firstMemoryRow: Int
  let groups: GroupFlags

  /// Gives the bytes of a row, which is counted from the band's first one: premultiplied, four or
  /// eight bytes a pixel.
  public func withRow<Result, Failure: Error>(
    _ row: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(0..<rowCount ~= row, "a row that the band does not have")
    return try body(
      UnsafeRawBufferPointer(
        rebasing: memory.bytes(ofRow: firstMemoryRow + row)[..<(width * depth.bytesPerPixel)]))
  }

  /// The columns of a row that may differ from the background; all others are the background.
  public func drawnColumns(ofRow row: Int) -> [Range<Int>] {
    precondition(0..<rowCount ~= row, "a row that the band does not have")
    var ranges: [Range<Int>] = []
    for tile in 0..<groups.columns {
      let bits = groups[firstMemoryRow + row, tile]
      for group in 0..<Int(RasterGroupsPerRow) where bits >> UInt8(group) & 1 == 1 {
        let start = tile * TileBins.side + group * Int(RasterGroupWidth)
        let end = min(start + Int(RasterGroupWidth), width)
        guard start < end else { break }
        if let last = ranges.last, last.upperBound == start {
          ranges[ranges.count - 1] = last.lowerBound..<end
        } else {
          ranges.append(start..<end)
        }
      }
    }
    return ranges
  }
}

/// Which groups of pixels were drawn in: a byte for each row of each tile, a bit for each group.
final class GroupFlags: @unchecked Sendable {
  let columns: Int
  private let flags: Column<UInt8>

  init(columns: Int, rows: Int) {
    self.columns = columns
    flags = Column(repeating: 0, count: columns * rows)
  }

  subscript(row: Int, tile: Int) -> UInt8 { flags[row * columns + tile] }

  /// Sets the bytes of a tile; threads draw different ones.
  func set(_ rows: UnsafePointer<UInt8>, column: Int, row: Int) {
    for y in 0..<TileBins.side {
      flags.base[(row * TileBins.side + y) * columns + column] = rows[y]
    }
  }
}
