import Graphics

/// A picture in bands with flags, like a rendering: groups that contain only the picture's first
/// pixel count as blank.
struct TiledPicture: BandSource {
  let picture: Pixmap

  var width: Int { picture.width }
  var height: Int { picture.height }
  var depth: Pixmap.Depth { picture.depth }
  var colorSpace: ColorSpace { picture.colorSpace }
  var backgroundPixel: Pixmap.Pixel? { picture[0, 0] }

  func forEachBands<Failure: Error>(
    _ body: ([Band]) throws(Failure) -> Void
  ) throws(Failure) {
    let side = Band.height
    let bytesPerRow = picture.memory.bytesPerRow
    for first in stride(from: 0, to: height, by: side) {
      let rows = first..<min(first + side, height)
      let groups = GroupFlags(columns: (width + side - 1) / side, rows: side)
      for column in 0..<groups.columns {
        let flags = (0..<side).map { row in
          row < rows.count ? drawnGroups(ofRow: first + row, from: column * side) : 0
        }
        flags.withUnsafeBufferPointer { flags in
          if let flags = flags.baseAddress { groups.set(flags, column: column, row: 0) }
        }
      }
      try body([
        Band(
          firstRow: first, rowCount: rows.count, width: width, depth: depth,
          pixels: picture.memory.base + first * bytesPerRow, bytesPerRow: bytesPerRow,
          owner: picture.memory, groups: groups)
      ])
    }
  }

  /// The groups of a tile's row that contain other pixels than the picture's first, one bit for
  /// each.
  private func drawnGroups(ofRow y: Int, from first: Int) -> UInt8 {
    var flags: UInt8 = 0
    for x in first..<min(first + Band.height, width) where picture[x, y] != picture[0, 0] {
      flags |= 1 << UInt8((x - first) / GroupFlags.groupWidth)
    }
    return flags
  }
}
