import Graphics
import Testing

@Suite("Pictures in memory")
struct PixmapTests {
  @Test(arguments: Pixmap.Depth.allCases)
  func `a new picture is transparent`(_ depth: Pixmap.Depth) {
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

  @Test func `a picture without pixels is allowed`() {
    let picture = Pixmap(width: 0, height: 0)
    #expect(picture == Pixmap(width: 0, height: 0))
  }
}
