package import Graphics

/// How large a terminal is.
package struct TerminalSize: Hashable, Sendable {
  /// Cells in a row.
  package var columns: Int
  /// Rows of cells.
  package var rows: Int
  /// Pixels of a cell, as far as is known.
  package var cell: PixelSize

  /// Pixels of a cell.
  package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// What most cells are about, where a terminal does not tell.
    package static let usual = PixelSize(width: 10, height: 20)
  }

  package init(columns: Int, rows: Int, cell: PixelSize) {
    (self.columns, self.rows, self.cell) = (columns, rows, cell)
  }
}

/// Shows pictures on a terminal, by the bytes that it is sent. Only what changed is sent.
package protocol TerminalPainter {
  /// Columns of pixels that it shows.
  var width: Int { get }
  /// Rows of pixels that it shows.
  var height: Int { get }

  /// What makes the terminal show a picture, of which only some pixels may have changed.
  mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8]

  /// What takes everything away that does not go with the screen's text.
  var clearing: [UInt8] { get }
}

/// The pixels that a terminal shows, in cells of which each is sent as a whole.
struct CellGrid {
  let columns: Int
  let rows: Int
  let cell: TerminalSize.PixelSize
  /// Each pixel as `0xRRGGBB`, row by row.
  private(set) var pixels: [UInt32]

  /// No pixel has this colour.
  private static let unknown = UInt32.max

  init(columns: Int, rows: Int, cell: TerminalSize.PixelSize) {
    (self.columns, self.rows, self.cell) = (max(columns, 1), max(rows, 1), cell)
    pixels = [UInt32](
      repeating: Self.unknown,
      count: self.columns * cell.width * self.rows * cell.height)
  }

  var width: Int { columns * cell.width }
  var height: Int { rows * cell.height }

  /// Takes the pixels of a picture of this size; gives the cells that look different, in order.
  mutating func update(_ picture: Pixmap, _ places: [PixelRect]) -> [Int] {
    let whole = PixelRect(width: width, height: height)
      .intersection(PixelRect(width: picture.width, height: picture.height))
    var cells: Set<Int> = []
    for place in places.map({ $0.intersection(whole) }) where !place.isEmpty {
      for y in place.rows {
        picture.withRow(y) { row in
          for x in place.columns {
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
  func place(ofCell number: Int) -> PixelRect {
    let (x, y) = (number % columns * cell.width, number / columns * cell.height)
    return PixelRect(columns: x..<x + cell.width, rows: y..<y + cell.height)
  }
}

/// Colours as terminals take them.
enum TerminalColor {
  /// A pixel as `0xRRGGBB`; what is clear lies on white.
  static func onWhite(_ row: UnsafeRawBufferPointer, _ x: Int) -> UInt32 {
    let rest = 255 - UInt32(row[4 * x + 3])
    func part(_ channel: Int) -> UInt32 { min(UInt32(row[4 * x + channel]) + rest, 255) }
    return part(0) << 16 | part(1) << 8 | part(2)
  }

  /// The nearest of the 240 colours that all terminals of 256 agree about: a cube and greys.
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

/// Bytes on their way to a terminal.
struct TerminalText {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += text.utf8 }
  mutating func add(_ more: [UInt8]) { bytes += more }

  /// Goes to a cell, which counts from 0.
  mutating func move(column: Int, row: Int) { add("\u{1B}[\(row + 1);\(column + 1)H") }
}
