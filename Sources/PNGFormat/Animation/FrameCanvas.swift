import CPNGKernels
import Graphics

/// The picture as all frames so far left it, and what the newest one changed.
final class FrameCanvas {
  let width: Int
  let height: Int
  let depth: Pixmap.Depth
  /// Whether colours are not multiplied by their opacities.
  private(set) var isStraight = false
  /// The smallest rectangle that holds all that the newest frame changed.
  private(set) var changed = PixelRect(columns: 0..<0, rows: 0..<0)
  /// What was found in it.
  private(set) var changes = PNGChanges(areSolid: 1, isKeyTaken: 0)

  private let kernels: UnsafePointer<PNGKernels>
  private let memory: PixelMemory
  private var isFirst = true
  /// What changed in each row of the rectangle that was looked at: its columns, and where its pixels
  /// stand, those that are as before with the key's colour.
  private var segments: [(row: Int, columns: Range<Int>, start: Int)] = []
  private let keyed = ByteRoom()
  /// Rows of a band, put together from such pixels.
  private let room = ByteRoom()

  init(_ properties: PNGProperties, _ kernels: UnsafePointer<PNGKernels>) {
    (width, height, depth) = (properties.width, properties.height, properties.depth)
    self.kernels = kernels
    memory = PixelMemory(width: width, height: height, bytesPerPixel: depth.bytesPerPixel)
  }

  /// Takes over what a picture shows in some rectangles. Of the first one all is taken.
  func take(_ picture: some BandSource, in given: [PixelRect], key: UInt32?) {
    let whole = PixelRect(width: width, height: height)
    let rectangles = (isFirst ? [whole] : given.map { $0.intersection(whole) })
      .filter { !$0.isEmpty }.sorted { $0.columns.lowerBound < $1.columns.lowerBound }
    let rectangle = rectangles.reduce(PixelRect(width: 0, height: 0)) { $0.union($1) }
    segments.removeAll(keepingCapacity: true)
    keyed.count = 0
    changed = PixelRect(columns: 0..<0, rows: 0..<0)
    changes = PNGChanges(areSolid: 1, isKeyTaken: 0)
    guard !rectangle.isEmpty else { return }
    picture.forEachBands { bands in
      for band in bands {
        precondition(isFirst || band.isStraight == isStraight, "frames of one kind")
        isStraight = band.isStraight
        let rows = (band.firstRow..<band.firstRow + band.rowCount).clamped(to: rectangle.rows)
        for row in rows {
          let start = band.start(ofRow: row - band.firstRow)
          // Rectangles may overlap; their columns must not.
          var columns = 0..<0
          for next in rectangles where next.rows.contains(row) {
            if columns.isEmpty {
              columns = next.columns
            } else if next.columns.lowerBound <= columns.upperBound {
              columns =
                columns.lowerBound..<max(columns.upperBound, next.columns.upperBound)
            } else {
              take(start.assumingMemoryBound(to: UInt8.self), row, columns, key)
              columns = next.columns
            }
          }
          if !columns.isEmpty {
            take(start.assumingMemoryBound(to: UInt8.self), row, columns, key)
          }
        }
      }
    }
    if isFirst { changed = PixelRect(width: width, height: height) }
    isFirst = false
  }

  /// Takes over some columns of a row.
  private func take(
    _ row: UnsafePointer<UInt8>, _ y: Int, _ columns: Range<Int>, _ key: UInt32?
  ) {
    let bytes = depth.bytesPerPixel
    let new = row + columns.lowerBound * bytes
    let old = start(columns.lowerBound, y)
    if isFirst {
      if let key, depth == .eight {
        kernels.pointee.keyUnchanged(new, nil, width, key, nil, &changes)
      }
      return old.update(from: new, count: width * bytes)
    }
    var (first, end) = (0, 0)
    kernels.pointee.findChange(new, old, columns.count * bytes, &first, &end)
    guard end > 0 else { return }
    let (left, right) = (first / bytes, (end + bytes - 1) / bytes)
    let segment = columns.lowerBound + left..<columns.lowerBound + right
    if let key, depth == .eight {
      let room = keyed.end(with: 4 * segment.count)
      kernels.pointee.keyUnchanged(
        new + 4 * left, old + 4 * left, segment.count, key, room, &changes)
      segments.append((y, segment, keyed.count))
      keyed.count += 4 * segment.count
    }
    (old + first).update(from: new + first, count: end - first)
    changed = changed.union(PixelRect(columns: segment, rows: y..<y + 1))
  }

  private func start(_ x: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> {
    (memory.base + y * memory.bytesPerRow + x * depth.bytesPerPixel)
      .assumingMemoryBound(to: UInt8.self)
  }

  /// Some rows of a rectangle as they are.
  func band(_ rows: Range<Int>, of rectangle: PixelRect) -> Band {
    Band(
      firstRow: rows.lowerBound, rowCount: rows.count, width: rectangle.width, depth: depth,
      isStraight: isStraight,
      pixels: start(rectangle.columns.lowerBound, rows.lowerBound),
      bytesPerRow: memory.bytesPerRow, owner: memory)
  }

  /// Some rows of what changed, with a key where pixels are as before; until the next ones are asked
  /// for.
  func keyedBand(_ rows: Range<Int>, key: UInt32) -> Band {
    let width = changed.width
    room.count = 0
    let start = room.end(with: 4 * width * rows.count)
    start.withMemoryRebound(to: UInt32.self, capacity: width * rows.count) {
      $0.update(repeating: key.littleEndian, count: width * rows.count)
    }
    // Segments stand in the order of their rows.
    var place = segments.partitioningIndex { $0.row >= rows.lowerBound }
    while place < segments.count, segments[place].row < rows.upperBound {
      let segment = segments[place]
      let x = segment.columns.lowerBound - changed.columns.lowerBound
      (start + 4 * ((segment.row - rows.lowerBound) * width + x)).update(
        from: keyed.start + segment.start, count: 4 * segment.columns.count)
      place += 1
    }
    return Band(
      firstRow: rows.lowerBound, rowCount: rows.count, width: width, depth: .eight,
      isStraight: isStraight, pixels: start, bytesPerRow: 4 * width, owner: nil)
  }
}

extension Array {
  /// The first place from which on all elements are such.
  fileprivate func partitioningIndex(_ isSuch: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isSuch(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
