import Graphics

/// The blocks of a picture that are not drawn yet: squares of whole tiles.
struct WaitingBlocks {
  /// The number of pixels along a side of a block.
  let side: Int
  private let columns: Int
  private let rows: Int
  private var waits: [Bool]
  /// The number of blocks that wait.
  private(set) var count: Int

  /// All blocks of a picture wait.
  init(width: Int, height: Int, side: Int) {
    self.side = side
    (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
    count = columns * rows
    waits = [Bool](repeating: true, count: count)
  }

  var isEmpty: Bool { count == 0 }
  /// Whether all blocks wait.
  var areAll: Bool { count == waits.count }

  /// Makes all blocks wait.
  mutating func insertAll() {
    count = waits.count
    for block in waits.indices { waits[block] = true }
  }

  mutating func removeAll() {
    count = 0
    for block in waits.indices { waits[block] = false }
  }

  /// The blocks that wait.
  var all: [Int] { waits.indices.filter { waits[$0] } }

  /// Removes a block, and returns its pixels.
  mutating func remove(_ block: Int) -> PixelRect {
    count -= waits[block] ? 1 : 0
    waits[block] = false
    let (x, y) = (block % columns * side, block / columns * side)
    return PixelRect(columns: x..<x + side, rows: y..<y + side)
  }

  /// The waiting block whose middle is nearest to a pixel; nil if none waits.
  func nearest(x: Int, y: Int) -> Int? {
    func distance(_ block: Int) -> Int {
      let (right, down) = (
        block % columns * side + side / 2 - x, block / columns * side + side / 2 - y
      )
      return right * right + down * down
    }
    return waits.indices.lazy.filter { waits[$0] }.min { distance($0) < distance($1) }
  }

  /// The waiting blocks that meet an area.
  func meeting(_ area: PixelRect) -> [Int] {
    guard !isEmpty, !area.isEmpty else { return [] }
    func range(_ pixels: Range<Int>, _ count: Int) -> Range<Int> {
      (pixels.lowerBound / side..<(pixels.upperBound - 1) / side + 1).clamped(to: 0..<count)
    }
    let columns = range(area.columns, self.columns)
    return range(area.rows, rows).flatMap { row in
      columns.map { row * self.columns + $0 }.filter { waits[$0] }
    }
  }

  /// Moves the blocks as the picture moves by blocks to the right and below. New blocks wait.
  mutating func move(right: Int, down: Int) {
    let old = waits
    for row in 0..<rows {
      for column in 0..<columns {
        let (x, y) = (column + right, row + down)
        // The last blocks of a row and a column may be shown in part only.
        waits[row * columns + column] =
          0..<columns - 1 ~= x && 0..<rows - 1 ~= y ? old[y * columns + x] : true
      }
    }
    count = waits.count { $0 }
  }
}
