/// Finished rows of a picture, in memory that later rows may overwrite.
public struct Band {
  /// The index in the picture of the band's first row.
  public let firstRow: Int
  /// The number of rows: `Band.height`, or fewer in the last band of a picture.
  public let rowCount: Int
  /// The number of pixels in a row.
  public let width: Int
  /// The number of bits of a component.
  public let depth: Pixmap.Depth
  /// Whether colours have straight alpha; otherwise they are premultiplied.
  package let isStraight: Bool
  /// The distance from one row to the next in bytes.
  package let bytesPerRow: Int
  private let pixels: UnsafeRawPointer
  private let groups: GroupFlags?
  private let firstGroupRow: Int
  private let owner: AnyObject?

  /// The number of rows of every band but the last one of a picture.
  public static let height = PixelMemory.tileSide

  /// A band of rows at an address; `owner` keeps the memory alive. Without `groups`, any pixel may
  /// differ from the background.
  package init(
    firstRow: Int, rowCount: Int, width: Int, depth: Pixmap.Depth, isStraight: Bool = false,
    pixels: UnsafeRawPointer, bytesPerRow: Int, owner: AnyObject?, groups: GroupFlags? = nil,
    firstGroupRow: Int = 0
  ) {
    (self.firstRow, self.rowCount) = (firstRow, rowCount)
    (self.width, self.depth, self.isStraight) = (width, depth, isStraight)
    (self.pixels, self.bytesPerRow, self.owner) = (pixels, bytesPerRow, owner)
    (self.groups, self.firstGroupRow) = (groups, firstGroupRow)
  }

  /// Calls the body with the bytes of a row, counted from the band's first one: four or eight bytes
  /// for each pixel, premultiplied.
  public func withRow<Result, Failure: Error>(
    _ row: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start(ofRow: row), count: width * depth.bytesPerPixel))
  }

  /// The address of a row.
  package func start(ofRow row: Int) -> UnsafeRawPointer {
    precondition(0..<rowCount ~= row, "a row that the band does not have")
    return pixels + row * bytesPerRow
  }

  /// The groups of a row in which something was drawn, a bit for each; nil if that is not known.
  package func flags(ofRow row: Int) -> UnsafePointer<UInt8>? {
    groups.map { $0.start(ofRow: firstGroupRow + row) }
  }

  /// Whether certainly nothing was drawn in any row.
  package var isBlank: Bool {
    groups?.isBlank(from: firstGroupRow, count: rowCount) ?? false
  }

  /// The columns of a row that may differ from the background; all others equal it.
  public func drawnColumns(ofRow row: Int) -> [Range<Int>] {
    precondition(0..<rowCount ~= row, "a row that the band does not have")
    guard let groups else { return [0..<width] }
    var ranges: [Range<Int>] = []
    for tile in 0..<groups.columns {
      let bits = groups[firstGroupRow + row, tile]
      for group in 0..<8 where bits >> UInt8(group) & 1 == 1 {
        let start = tile * PixelMemory.tileSide + group * GroupFlags.groupWidth
        let end = min(start + GroupFlags.groupWidth, width)
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

/// A picture that is available in bands from top to bottom.
public protocol BandSource {
  /// The width in pixels.
  var width: Int { get }
  /// The height in pixels.
  var height: Int { get }
  /// The number of bits of a component.
  var depth: Pixmap.Depth { get }
  /// The colour space of the components.
  var colorSpace: ColorSpace { get }
  /// The pixel where nothing is drawn; nil if it is not known.
  var backgroundPixel: Pixmap.Pixel? { get }
  /// Whether there are probably more colours than a palette holds, so that an encoder should not
  /// try one.
  var expectsManyColors: Bool { get }

  /// Calls the body with all bands in order. Each call gets the bands that are in memory at the
  /// same time.
  func forEachBands<Failure: Error>(_ body: ([Band]) throws(Failure) -> Void) throws(Failure)
}

extension BandSource {
  /// No hint: an encoder has to look at every pixel.
  public var backgroundPixel: Pixmap.Pixel? { nil }
  /// No hint: an encoder tries a palette first.
  public var expectsManyColors: Bool { false }
}

/// The groups of pixels in which something was drawn: a byte for each row of each tile, a bit for
/// each group.
package final class GroupFlags: @unchecked Sendable {
  /// The number of pixels in a group.
  package static let groupWidth = PixelMemory.tileSide / 8

  /// The number of tiles side by side.
  package let columns: Int
  private let flags: UnsafeMutablePointer<UInt8>

  /// Flags of groups in which nothing was drawn, for a number of tiles side by side and of rows of
  /// pixels.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    flags = .allocate(capacity: max(columns * rows, 1))
    flags.initialize(repeating: 0, count: columns * rows)
  }

  deinit { flags.deallocate() }

  /// The flags of a row of a tile.
  package subscript(row: Int, tile: Int) -> UInt8 { flags[row * columns + tile] }

  /// The flags of all tiles in a row of pixels.
  package func start(ofRow row: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(flags + row * columns)
  }

  /// Whether nothing was drawn in some rows; looks at eight bytes at a time.
  func isBlank(from row: Int, count: Int) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: flags + row * columns, count: count * columns)
    var all: UInt64 = 0
    let words = bytes.count / 8
    for word in 0..<words {
      all |= bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)
    }
    for byte in bytes[(8 * words)...] { all |= UInt64(byte) }
    return all == 0
  }

  /// Sets the flags of a tile, 128 bytes. Safe on several threads, if each sets other tiles.
  package func set(_ rows: UnsafePointer<UInt8>, column: Int, row: Int) {
    for y in 0..<PixelMemory.tileSide {
      flags[(row * PixelMemory.tileSide + y) * columns + column] = rows[y]
    }
  }

  /// Copies the flags of a tile, as its pixels are copied.
  package func copy(from source: (column: Int, row: Int), to target: (column: Int, row: Int)) {
    for y in 0..<PixelMemory.tileSide {
      flags[(target.row * PixelMemory.tileSide + y) * columns + target.column] =
        flags[(source.row * PixelMemory.tileSide + y) * columns + source.column]
    }
  }

  /// Sets the flags of all rows of a tile in the first row of tiles.
  package func fill(_ value: UInt8, column: Int) {
    for y in 0..<PixelMemory.tileSide { flags[y * columns + column] = value }
  }
}

extension Pixmap: BandSource {
  /// Calls the body once, with all bands.
  public func forEachBands<Failure: Error>(
    _ body: ([Band]) throws(Failure) -> Void
  ) throws(Failure) {
    try body(
      stride(from: 0, to: height, by: Band.height).map { first in
        Band(
          firstRow: first, rowCount: min(Band.height, height - first), width: width, depth: depth,
          pixels: memory.base + first * memory.bytesPerRow, bytesPerRow: memory.bytesPerRow,
          owner: memory)
      })
  }
}
