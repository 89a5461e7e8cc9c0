/// A picture that holds only what was drawn: a tile that nothing touched does not exist, and one of a
/// single colour is that colour.
public struct TiledPixmap: Sendable {
  /// Tiles are so many pixels wide and high.
  public static let tileSide = PixelMemory.tileSide

  /// What is known of a tile.
  public enum Tile: Sendable {
    /// Nothing but the background.
    case blank
    /// One colour.
    case solid(Pixmap.Pixel)
    /// A picture of the tile's size, of which the tiles at the edges show only a part.
    case pixels(Pixmap)
  }

  /// Columns of pixels.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// How many bits each component has.
  public let depth: Pixmap.Depth
  /// What the components mean.
  public let colorSpace: ColorSpace
  /// What blank tiles show.
  public let background: Pixmap.Pixel
  /// How many tiles lie beside each other, and below.
  public let columns: Int
  /// How many tiles lie below each other.
  public let rows: Int
  private var tiles: [Tile]

  /// A picture of nothing but its background.
  public init(
    width: Int, height: Int, depth: Pixmap.Depth = .eight, colorSpace: ColorSpace = .sRGB,
    background: Pixmap.Pixel = .clear
  ) {
    precondition(width >= 0 && height >= 0, "a picture has no negative extent")
    (self.width, self.height) = (width, height)
    (self.depth, self.colorSpace) = (depth, colorSpace)
    self.background = background
    columns = (width + Self.tileSide - 1) / Self.tileSide
    rows = (height + Self.tileSide - 1) / Self.tileSide
    tiles = [Tile](repeating: .blank, count: columns * rows)
  }

  /// A tile, by its column and row.
  public subscript(tile column: Int, _ row: Int) -> Tile {
    get {
      precondition(0..<columns ~= column && 0..<rows ~= row, "a tile that there is not")
      return tiles[row * columns + column]
    }
    set {
      precondition(0..<columns ~= column && 0..<rows ~= row, "a tile that there is not")
      if case .pixels(let picture) = newValue {
        precondition(
          picture.width == Self.tileSide && picture.height == Self.tileSide
            && picture.depth == depth, "a picture that is no tile")
      }
      tiles[row * columns + column] = newValue
    }
  }

  /// The pixel in a column and a row, which the picture must have.
  public subscript(x: Int, y: Int) -> Pixmap.Pixel {
    precondition(0..<width ~= x && 0..<height ~= y, "a pixel that the picture does not have")
    let side = Self.tileSide
    return switch self[tile: x / side, y / side] {
    case .blank: background
    case .solid(let pixel): pixel
    case .pixels(let picture): picture[x % side, y % side]
    }
  }

  /// How many tiles hold pixels of their own.
  public var pixelTileCount: Int {
    tiles.count { if case .pixels = $0 { true } else { false } }
  }
}

extension TiledPixmap.Tile {
  /// What a picture of a tile comes to: one colour where all its pixels are the same.
  public init(_ picture: Pixmap) {
    let first = picture[0, 0]
    let isSolid = picture.withRow(0) { top in
      // A row that repeats its first pixel, and rows that repeat the first one.
      let step = picture.depth.bytesPerPixel
      guard top[step...].elementsEqual(top[..<(top.count - step)]) else { return false }
      return (1..<picture.height).allSatisfy { y in picture.withRow(y) { $0.elementsEqual(top) } }
    }
    self = isSolid ? .solid(first) : .pixels(picture)
  }
}
