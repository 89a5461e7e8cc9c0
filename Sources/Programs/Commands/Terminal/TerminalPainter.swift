package import Graphics

/// The size of a terminal.
package struct TerminalSize: Hashable, Sendable {
  /// The number of cells in a row.
  package var columns: Int
  /// The number of rows of cells.
  package var rows: Int
  /// The size of a cell in pixels; `typical` if the terminal does not report it.
  package var cell: PixelSize

  /// The size of a cell in pixels.
  package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The assumed size for terminals that do not report it.
    package static let typical = PixelSize(width: 10, height: 20)
  }

  package init(columns: Int, rows: Int, cell: PixelSize) {
    (self.columns, self.rows, self.cell) = (columns, rows, cell)
  }
}

/// Encodes pictures as bytes that make a terminal show them. Only changes are sent.
package protocol TerminalPainter {
  /// The width of the pictures in pixels.
  var width: Int { get }
  /// The height of the pictures in pixels.
  var height: Int { get }

  /// The bytes that show a picture; only pixels in `changed` may differ from the last one. Empty if
  /// nothing looks different.
  mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8]

  /// The bytes that delete the content that remains after clearing the screen's text.
  var clearing: [UInt8] { get }
}

/// The pixels that a terminal shows, in cells. A cell is sent as a whole.
struct CellGrid {
  let columns: Int
  let rows: Int
  let cell: TerminalSize.PixelSize
  /// Each pixel as `0xRRGGBB`, row by row.
  private(set) var pixels: [UInt32]

  /// The colour of pixels that were never sent; no picture contains it.
  private static let unknown = UInt32.max

  init(columns: Int, rows: Int, cell: TerminalSize.PixelSize) {
    (self.columns, self.rows, self.cell) = (max(columns, 1), max(rows, 1), cell)
    pixels = [UInt32](
      repeating: Self.unknown,
      count: self.columns * cell.width * self.rows * cell.height)
  }

  var width: Int { columns * cell.width }
  var height: Int { rows * cell.height }

  /// Copies the pixels in some rectangles of a picture; returns the indices of the cells that look
  /// different, in ascending order.
  mutating func update(_ picture: Pixmap, _ rects: [PixelRect]) -> [Int] {
    let whole = PixelRect(width: width, height: height)
      .intersection(PixelRect(width: picture.width, height: picture.height))
    var cells: Set<Int> = []
    for rect in rects.map({ $0.intersection(whole) }) where !rect.isEmpty {
      for y in rect.rows {
        picture.withRow(y) { row in
          for x in rect.columns {
            let color = TerminalColor.onWhite(row, x)
            guard pixels[y * width + x] != color else { continue }
            pixels[y * width + x] = color
            cells.insert(y / cell.height * columns + x / cell.width)
          }
        }
      }
    }
    return cells.sorted()
  }

  /// The pixels of a cell.
  func rect(ofCell number: Int) -> PixelRect {
    let (x, y) = (number % columns * cell.width, number / columns * cell.height)
    return PixelRect(columns: x..<x + cell.width, rows: y..<y + cell.height)
  }
}

/// Converts colours for terminals.
enum TerminalColor {
  /// A pixel as `0xRRGGBB`, composited on white.
  static func onWhite(_ row: UnsafeRawBufferPointer, _ x: Int) -> UInt32 {
    let rest = 255 - UInt32(row[4 * x + 3])
    func part(_ channel: Int) -> UInt32 { min(UInt32(row[4 * x + channel]) + rest, 255) }
    return part(0) << 16 | part(1) << 8 | part(2)
  }

  /// The index of the nearest of 240 colours, a cube and greys. All terminals with 256 colours
  /// agree on these.
  static func indexed(_ color: UInt32) -> Int {
    let parts = [Int(color >> 16 & 255), Int(color >> 8 & 255), Int(color & 255)]
    let levels = [0, 95, 135, 175, 215, 255]
    let steps = parts.map { part in
      levels.indices.min { abs(levels[$0] - part) < abs(levels[$1] - part) } ?? 0
    }
    let gray = min(max((parts.reduce(0, +) / 3 - 3) / 10, 0), 23)
    func distance(_ others: [Int]) -> Int {
      zip(parts, others).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let isGray =
      distance([Int](repeating: 8 + 10 * gray, count: 3)) < distance(steps.map { levels[$0] })
    return isGray ? 232 + gray : 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }
}

/// Collects bytes for a terminal.
struct TerminalText {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += text.utf8 }
  mutating func add(_ more: [UInt8]) { bytes += more }

  /// Moves the cursor to a cell; columns and rows count from 0.
  mutating func move(column: Int, row: Int) { add("\u{1B}[\(row + 1);\(column + 1)H") }
}
