package import Graphics

/// Shows pictures as sixels: bands of six rows, each drawn one palette colour after the other.
package struct SixelPainter: TerminalPainter {
  private var grid: CellGrid
  private var lookup: PaletteLookup

  /// A painter for an area of this size in the upper left corner of the screen.
  package init(size: TerminalSize, palette: ColorPalette) {
    grid = CellGrid(columns: size.columns, rows: size.rows, cell: size.cell)
    lookup = PaletteLookup(palette)
  }

  package var width: Int { grid.width }
  package var height: Int { grid.height }
  package var clearing: [UInt8] { [] }

  package mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8] {
    let cells = grid.update(picture, changed)
    guard !cells.isEmpty else { return [] }
    let rect = cells.map(grid.rect).reduce(PixelRect(width: 0, height: 0)) { $0.union($1) }
    var text = TerminalText()
    text.move(
      column: rect.columns.lowerBound / grid.cell.width,
      row: rect.rows.lowerBound / grid.cell.height)
    text.add(sixels(rect))
    return text.bytes
  }

  /// The sixel image of a part of the picture.
  private mutating func sixels(_ rect: PixelRect) -> [UInt8] {
    var indices: [UInt8] = []
    indices.reserveCapacity(rect.width * rect.height)
    for y in rect.rows {
      for x in rect.columns {
        indices.append(lookup.index(ofColor: grid.pixels[y * grid.width + x]))
      }
    }
    // Pixels without a colour stay unchanged, and pixels are square.
    var text = TerminalText()
    text.add("\u{1B}P0;1q\"1;1;\(rect.width);\(rect.height)")
    for index in Set(indices).sorted() {
      let color = lookup.palette.colors[Int(index)]
      func percent(_ shift: UInt32) -> Int { Int((color >> shift & 255) * 100 + 127) / 255 }
      text.add("#\(index);2;\(percent(16));\(percent(8));\(percent(0))")
    }
    for top in stride(from: 0, to: rect.height, by: 6) {
      let band = SixelBand(indices, width: rect.width, rows: top..<min(top + 6, rect.height))
      text.add(band.bytes)
      if top + 6 < rect.height { text.add("-") }
    }
    text.add("\u{1B}\\")
    return text.bytes
  }
}

/// Up to six rows of pixels.
private struct SixelBand {
  private(set) var bytes: [UInt8] = []

  init(_ indices: [UInt8], width: Int, rows: Range<Int>) {
    var colors: Set<UInt8> = []
    for y in rows { colors.formUnion(indices[y * width..<(y + 1) * width]) }
    for (number, color) in colors.sorted().enumerated() {
      // Returns to the start of the band.
      if number > 0 { bytes.append(UInt8(ascii: "$")) }
      bytes += "#\(color)".utf8
      var run: (character: UInt8, count: Int) = (0, 0)
      for x in 0..<width {
        var bits: UInt8 = 0
        for (bit, y) in rows.enumerated() where indices[y * width + x] == color {
          bits |= 1 << UInt8(bit)
        }
        let character = bits + 63
        if character == run.character {
          run.count += 1
        } else {
          add(run)
          run = (character, 1)
        }
      }
      // A blank run at the end is left out.
      if run.character != 63 { add(run) }
    }
  }

  /// Writes a run of equal characters, with a repeat count if that is shorter.
  private mutating func add(_ run: (character: UInt8, count: Int)) {
    if run.count > 3 {
      bytes += "!\(run.count)".utf8
      bytes.append(run.character)
    } else {
      for _ in 0..<run.count { bytes.append(run.character) }
    }
  }
}
