/// Some finished rows of a picture, in memory that the next rows may use again.
public struct Band {
  /// The picture's row that the first one is.
  public let firstRow: Int
  /// How many rows there are; bands have `Band.height` of them, the last one of a picture maybe fewer.
  public let rowCount: Int
  /// How many pixels each row has.
  public let width: Int
  /// How many bits each component has.
  public let depth: Pixmap.Depth
  /// Whether colours are as they are, and not multiplied by their opacities.
  package let isStraight: Bool
  package let bytesPerRow: Int
  private let pixels: UnsafeRawPointer
  private let groups: GroupFlags?
  private let firstGroupRow: Int
  private let owner: AnyObject?

  /// How many rows a band has, unless a picture ends before.
  public static let height = PixelMemory.tileSide

  /// A band of rows at a place in memory, which its owner keeps. Without flags all pixels may differ
  /// from the background.
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

  /// Gives the bytes of a row, which is counted from the band's first one: premultiplied, four or
  /// eight bytes a pixel.
  public func withRow<Result, Failure: Error>(
    _ row: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start(ofRow: row), count: width * depth.bytesPerPixel))
  }

  /// Where a row begins.
  package func start(ofRow row: Int) -> UnsafeRawPointer {
    precondition(0..<rowCount ~= row, "a row that the band does not have")
    return pixels + row * bytesPerRow
  }

  /// Which groups of a row were drawn in, a bit for each; nil where any may be.
  package func flags(ofRow row: Int) -> UnsafePointer<UInt8>? {
    groups.map { $0.start(ofRow: firstGroupRow + row) }
  }

  /// Whether it is known that nothing was drawn in any row.
  package var isBlank: Bool {
    groups?.isBlank(from: firstGroupRow, count: rowCount) ?? false
  }

  /// The columns of a row that may differ from the background; all others are the background.
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

/// A picture that can be had in bands from top to bottom.
public protocol BandSource {
  /// Columns of pixels.
  var width: Int { get }
  /// Rows of pixels.
  var height: Int { get }
  /// How many bits each component has.
  var depth: Pixmap.Depth { get }
  /// What the components mean.
  var colorSpace: ColorSpace { get }
  /// What undrawn pixels show; nil where that is not known.
  var backgroundPixel: Pixmap.Pixel? { get }
  /// Whether there are probably more colours than a palette holds, so that none need be tried.
  var expectsManyColors: Bool { get }

  /// Gives all bands in order, as many at once as are in memory at the same time.
  func forEachBands<Failure: Error>(_ body: ([Band]) throws(Failure) -> Void) throws(Failure)
}

extension BandSource {
  /// No hint: an encoder has to look at every pixel.
  public var backgroundPixel: Pixmap.Pixel? { nil }
  /// No hint: an encoder tries a palette first.
  public var expectsManyColors: Bool { false }
}

/// Which groups of pixels were drawn in: a byte for each row of each tile, a bit for each group.
package final class GroupFlags: @unchecked Sendable {
  /// How many pixels a group has.
  package static let groupWidth = PixelMemory.tileSide / 8

  package let columns: Int
  private let flags: UnsafeMutablePointer<UInt8>

  package init(columns: Int, rows: Int) {
    self.columns = columns
    flags = .allocate(capacity: max(columns * rows, 1))
    flags.initialize(repeating: 0, count: columns * rows)
  }

  deinit { flags.deallocate() }

  package subscript(row: Int, tile: Int) -> UInt8 { flags[row * columns + tile] }

  package func start(ofRow row: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(flags + row * columns)
  }

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

  /// Sets the bytes of a tile; threads draw different ones.
  package func set(_ rows: UnsafePointer<UInt8>, column: Int, row: Int) {
    for y in 0..<PixelMemory.tileSide {
      flags[(row * PixelMemory.tileSide + y) * columns + column] = rows[y]
    }
  }

  /// Sets all groups of a tile.
  package func fill(_ value: UInt8, column: Int) {
    for y in 0..<PixelMemory.tileSide { flags[y * columns + column] = value }
  }
}

extension Pixmap: BandSource {
  /// Gives all bands at once.
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
