package import Graphics

/// Shows pictures by kitty's protocol for graphics, as images side by side of which those are sent
/// again that changed: all terminals that know the protocol can do that.
package struct KittyPainter: TerminalPainter {
  private var grid: CellGrid
  private let cell: TerminalSize.PixelSize
  /// Images are so many cells large; those at the right and lower side may be cut.
  private let span = (columns: 8, rows: 4)
  private let shown: PixelRect

  /// A painter for some cells, from the screen's corner on.
  package init(size: TerminalSize) {
    cell = size.cell
    shown = PixelRect(
      width: max(size.columns, 1) * cell.width, height: max(size.rows, 1) * cell.height)
    grid = CellGrid(
      columns: (size.columns + span.columns - 1) / span.columns,
      rows: (size.rows + span.rows - 1) / span.rows,
      cell: TerminalSize.PixelSize(
        width: cell.width * span.columns, height: cell.height * span.rows))
  }

  package var width: Int { shown.width }
  package var height: Int { shown.height }
  /// Takes all images away.
  package var clearing: [UInt8] { Array("\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8) }

  package mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8] {
    var text = TerminalText()
    for tile in grid.update(picture, changed.map { $0.intersection(shown) }) {
      let place = grid.place(ofCell: tile).intersection(shown)
      text.move(
        column: place.columns.lowerBound / cell.width, row: place.rows.lowerBound / cell.height)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(3 * place.width * place.height)
      for y in place.rows {
        for x in place.columns {
          let color = grid.pixels[y * grid.width + x]
          bytes.append(UInt8(color >> 16 & 255))
          bytes.append(UInt8(color >> 8 & 255))
          bytes.append(UInt8(color & 255))
        }
      }
      // An image of the same number takes the place of the one before.
      text.add(
        Self.message(
          "a=T,f=24,s=\(place.width),v=\(place.height),i=\(Self.firstImage + tile),p=1,C=1,q=2",
          bytes))
    }
    return text.bytes
  }

  private static let firstImage = 7001
  /// Longer messages are sent in pieces.
  private static let longestPiece = 4096

  /// A command with what it is about.
  static func message(_ command: String, _ payload: [UInt8]) -> [UInt8] {
    let letters = base64(payload)
    var text = TerminalText()
    var start = 0
    repeat {
      let end = min(start + longestPiece, letters.count)
      let more = end < letters.count ? 1 : 0
      text.add("\u{1B}_G\(start == 0 ? command + "," : "")m=\(more)\(start == 0 ? "" : ",q=2");")
      text.add(Array(letters[start..<end]))
      text.add("\u{1B}\\")
      start = end
    } while start < letters.count
    return text.bytes
  }

  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var letters: [UInt8] = []
    letters.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var word: UInt32 = 0
      for place in 0..<3 {
        word = word << 8 | (place < count ? UInt32(bytes[start + place]) : 0)
      }
      for place in 0..<4 {
        letters.append(
          place <= count ? alphabet[Int(word >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
      }
    }
    return letters
  }
}
