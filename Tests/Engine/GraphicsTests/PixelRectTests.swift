import Graphics
import Testing

struct PixelRectTests {
  @Test func `a union contains both pixel rectangles, and an empty one adds nothing`() {
    let a = PixelRect(columns: 2..<5, rows: 7..<9)
    let b = PixelRect(columns: 4..<6, rows: 1..<3)
    let none = PixelRect(columns: 90..<90, rows: 0..<5)
    #expect(a.union(b) == PixelRect(columns: 2..<6, rows: 1..<9))
    #expect(b.union(a) == a.union(b))
    #expect(a.union(none) == a && none.union(a) == a)
    #expect(none.isEmpty && !a.isEmpty)
  }

  @Test func `an intersection is the common part of two pixel rectangles`() {
    let a = PixelRect(columns: 2..<50, rows: 7..<90)
    #expect(
      a.intersection(PixelRect(width: 10, height: 20))
        == PixelRect(columns: 2..<10, rows: 7..<20))
    #expect(a.intersection(PixelRect(width: 2, height: 20)).isEmpty)
    #expect(a.width == 48 && a.height == 83)
  }
}
