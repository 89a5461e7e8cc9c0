import Graphics
import PNGFormat
import Rasterization
import Strokes

/// A picture made of pictures of equal size, in rows, with gaps of one colour.
struct Sheet {
  private let columnCount: Int
  private let gap: Int
  private let gapColor: Color
  private var panels: [Pixmap] = []

  init(columnCount: Int, gap: Int, gapColor: Color) {
    (self.columnCount, self.gap, self.gapColor) = (columnCount, gap, gapColor)
  }

  /// The number of pictures.
  var panelCount: Int { panels.count }

  /// Adds a picture after the others. If it is enlarged, each of its pixels becomes a square.
  mutating func add(_ picture: Pixmap, enlargedBy factor: Int = 1) {
    let (width, height) = (picture.width * factor, picture.height * factor)
    let panel = Pixmap(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width { panel.set(x, y, from: picture, x / factor, y / factor) }
    }
    panels.append(panel)
  }

  /// All pictures, placed and encoded.
  func encoded() throws -> [UInt8] {
    guard let first = panels.first else { return [] }
    let rowCount = (panels.count + columnCount - 1) / columnCount
    let (width, height) = (first.width + gap, first.height + gap)
    let gaps = RenderOptions(
      extent: .pixels(width: columnCount * width - gap, height: rowCount * height - gap),
      region: Rect(x: 0, y: 0, width: 1, height: 1), background: .color(gapColor))
    let sheet = try Renderer(gaps).picture(of: PKDrawing()).copy
    for (index, panel) in panels.enumerated() {
      let (left, top) = (index % columnCount * width, index / columnCount * height)
      for y in 0..<panel.height {
        for x in 0..<panel.width { sheet.set(left + x, top + y, from: panel, x, y) }
      }
    }
    return try PNGEncoder(effort: .best).encode(sheet, isOpaque: true)
  }
}

extension Pixmap {
  /// Copies a pixel of another picture with 8 bits per component.
  func set(_ x: Int, _ y: Int, from other: Pixmap, _ otherX: Int, _ otherY: Int) {
    (memory.base + y * memory.bytesPerRow + 4 * x).copyMemory(
      from: other.memory.base + otherY * other.memory.bytesPerRow + 4 * otherX, byteCount: 4)
  }
}
