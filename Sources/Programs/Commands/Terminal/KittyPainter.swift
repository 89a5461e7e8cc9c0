package import Graphics

/// Shows pictures with kitty's graphics protocol, as a grid of images. Changed images are sent
/// again, which all terminals with the protocol support.
package struct KittyPainter: TerminalPainter {
  private var grid: CellGrid
  private let cell: TerminalSize.PixelSize
  /// The size of an image in cells; images at the right and lower side may be smaller.
  private let span = (columns: 8, rows: 4)
  private let shown: PixelRect

  /// A painter for an area of this size in the upper left corner of the screen.
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
  /// Deletes all images.
  package var clearing: [UInt8] { Array("\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8) }

  package mutating func show(_ picture: Pixmap, changed: [PixelRect]) -> [UInt8] {
    var text = TerminalText()
    for tile in grid.update(picture, changed.map { $0.intersection(shown) }) {
      let rect = grid.rect(ofCell: tile).intersection(shown)
      text.move(
        column: rect.columns.lowerBound / cell.width, row: rect.rows.lowerBound / cell.height)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(3 * rect.width * rect.height)
      for y in rect.rows {
        for x in rect.columns {
          let color = grid.pixels[y * grid.width + x]
          bytes.append(UInt8(color >> 16 & 255))
          bytes.append(UInt8(color >> 8 & 255))
          bytes.append(UInt8(color & 255))
        }
      }
      // An image replaces the previous one with the same number.
      text.add(
        Self.message(
          "a=T,f=24,s=\(rect.width),v=\(rect.height),i=\(Self.firstImage + tile),p=1,C=1,q=2",
          bytes))
    }
    return text.bytes
  }

  private static let firstImage = 7001
  /// The maximum payload of a message in bytes; longer ones are sent in pieces.
  private static let maximumPieceLength = 4096

  /// A command with its payload, in as many messages as it needs.
  static func message(_ command: String, _ payload: [UInt8]) -> [UInt8] {
    let encoded = base64(payload)
    var text = TerminalText()
    var start = 0
    repeat {
      let end = min(start + maximumPieceLength, encoded.count)
      let more = end < encoded.count ? 1 : 0
      text.add("\u{1B}_G\(start == 0 ? command + "," : "")m=\(more)\(start == 0 ? "" : ",q=2");")
      text.add(Array(encoded[start..<end]))
      text.add("\u{1B}\\")
      start = end
    } while start < encoded.count
    return text.bytes
  }

  /// Base64 with padding.
  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var word: UInt32 = 0
      for index in 0..<3 {
        word = word << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        encoded.append(
          index <= count ? alphabet[Int(word >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "="))
      }
    }
    return encoded
  }
}
