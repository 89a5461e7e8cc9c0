import Graphics

/// A picture in bands with flags, like a rendering: tiles of only the picture's first pixel count as blank.
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
        let columns = column * side..<min((column + 1) * side, width)
        let isBlank = rows.allSatisfy { y in columns.allSatisfy { picture[$0, y] == picture[0, 0] }
        }
        groups.fill(isBlank ? 0 : 0xFF, column: column)
      }
      try body([
        Band(
          firstRow: first, rowCount: rows.count, width: width, depth: depth,
          pixels: picture.memory.base + first * bytesPerRow, bytesPerRow: bytesPerRow,
          owner: picture.memory, groups: groups)
      ])
    }
  }
}
