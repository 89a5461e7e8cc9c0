package import Graphics

/// Shows pictures as text. Each cell is two pixels: the upper one is the colour of a half block
/// `▀`, the lower one the background colour.
package struct HalfBlockPainter: TerminalPainter {
  /// The colours that the terminal supports.
  package enum Colors: Hashable, Sendable {
    /// 24-bit colours.
    case all
    /// The 240 fixed colours of a terminal with 256.
    case indexed
  }

  private let colors: Colors
  private var grid: CellGrid

  /// A painter for a number of cells from the upper left corner of the screen.
  package init(columns: Int, rows: Int, colors: Colors) {
    self.colors = colors
    grid = CellGrid(
      columns: columns, rows: rows, cell: TerminalSize.PixelSize(width: 1, height: 2))
  }

  package var width: Int { grid.width }
  package var height: Int { grid.height }
  package var clearing: [UInt8] { [] }

  package mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8] {
    var text = TerminalText()
    var next = -1
    var (front, back): (String?, String?) = (nil, nil)
    for cell in grid.update(picture, changed) {
      let (column, row) = (cell % grid.columns, cell / grid.columns)
      if cell != next || column == 0 { text.move(column: column, row: row) }
      next = cell + 1
      let upper = code(grid.pixels[2 * row * grid.columns + column])
      let lower = code(grid.pixels[(2 * row + 1) * grid.columns + column])
      if back != lower {
        text.add("\u{1B}[48;\(lower)m")
        back = lower
      }
      guard upper != lower else {
        text.add(" ")
        continue
      }
      if front != upper {
        text.add("\u{1B}[38;\(upper)m")
        front = upper
      }
      text.add("▀")
    }
    if next >= 0 { text.add("\u{1B}[0m") }
    return text.bytes
  }

  /// The parameters of a colour in the sequence that selects it.
  private func code(_ color: UInt32) -> String {
    switch colors {
    case .all: "2;\(color >> 16 & 255);\(color >> 8 & 255);\(color & 255)"
    case .indexed: "5;\(TerminalColor.indexed(color))"
    }
  }
}
