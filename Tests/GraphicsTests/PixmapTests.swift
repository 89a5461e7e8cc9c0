import Graphics
import Testing

@Suite("Pictures in memory")
struct PixmapTests {
  @Test(arguments: Pixmap.Depth.allCases)
  func `a new picture is clear`(_ depth: Pixmap.Depth) {
    let picture = Pixmap(width: 200, height: 3, depth: depth)
    for y in 0..<3 {
      #expect((0..<200).allSatisfy { picture[$0, y] == .clear })
      picture.withRow(y) { row in
        #expect(row.count == 200 * depth.bytesPerPixel)
        #expect(row.allSatisfy { $0 == 0 })
      }
    }
  }

  @Test func `pictures are equal when their pixels are`() {
    #expect(Pixmap(width: 5, height: 4) == Pixmap(width: 5, height: 4))
    #expect(Pixmap(width: 5, height: 4) != Pixmap(width: 4, height: 5))
    #expect(Pixmap(width: 5, height: 4) != Pixmap(width: 5, height: 4, depth: .sixteen))
    #expect(
      Pixmap(width: 5, height: 4) != Pixmap(width: 5, height: 4, colorSpace: .displayP3))
  }

  @Test func `a picture without pixels is one`() {
    let picture = Pixmap(width: 0, height: 0)
    #expect(picture == Pixmap(width: 0, height: 0))
  }
}

@Suite("Pictures of tiles")
struct TiledPixmapTests {
  private let ink = Pixmap.Pixel(red: 0, green: 257, blue: 514, alpha: 65535)

  @Test func `tiles that do not exist show the background`() {
    let white = Pixmap.Pixel(red: 65535, green: 65535, blue: 65535, alpha: 65535)
    let picture = TiledPixmap(width: 300, height: 129, background: white)
    #expect(picture.columns == 3)
    #expect(picture.rows == 2)
    #expect(picture[299, 128] == white)
    #expect(picture.pixelTileCount == 0)
  }

  @Test func `a solid tile is its colour everywhere`() {
    var picture = TiledPixmap(width: 300, height: 300)
    picture[tile: 1, 2] = .solid(ink)
    #expect(picture[128, 256] == ink)
    #expect(picture[255, 299] == ink)
    #expect(picture[127, 256] == .clear)
    #expect(picture.pixelTileCount == 0)
  }

  @Test func `a tile of one colour is kept as that colour`() {
    let side = TiledPixmap.tileSide
    let tile = TiledPixmap.Tile(Pixmap(width: side, height: side))
    guard case .solid(.clear) = tile else {
      Issue.record("\(tile)")
      return
    }
  }
}
