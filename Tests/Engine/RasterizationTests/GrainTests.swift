import Graphics
import Testing

@testable import Rasterization

struct GrainTests {
  @Test func `noise fades as its cells become smaller than a pixel`() {
    let cells = [0, 0.01, 0.1, 0.5, 1, 2, 10, 1000].map { Grain.amplitude(ofCells: $0) }
    #expect(zip(cells, cells.dropFirst()).allSatisfy { $0 < $1 })
    #expect(cells.first == 0)
    #expect((0.999...1).contains(cells.last ?? 0))
    #expect(Grain.amplitude(ofCells: -1) == 0 && Grain.amplitude(ofCells: .nan) == 0)
  }

  @Test func `paper seen from far away is grey, without a grain that shows`() {
    let style = GrainStyle(octaves: [(cell: 1.5, weight: 0.7), (cell: 3, weight: 0.3)], seed: 9)
    for scale in [0, 1e-9, 1e-3] {
      let grain = Grain(style, on: GrainPlane(AffineTransform(scale: scale), scale: scale))
      #expect(grain.range == 0)
      #expect(grain.spread > 0)
    }
    let near = Grain(style, on: GrainPlane(.identity, scale: 1))
    #expect(near.range > 0.5 && near.range < 1)
  }
}
