import CPNGKernels
import Graphics

/// The composed picture after all frames so far, and the changes of the newest frame.
final class FrameCanvas {
  let width: Int
  let height: Int
  let depth: Pixmap.Depth
  /// Whether colours are stored straight, not premultiplied by alpha.
  private(set) var isStraight = false
  /// The bounding rectangle of the pixels that the newest frame changed.
  private(set) var changed = PixelRect(columns: 0..<0, rows: 0..<0)
  /// Whether these pixels are opaque, and whether one has the key's colour.
  private(set) var changes = PNGChanges(areOpaque: 1, isKeyUsed: 0)

  private let kernels: UnsafePointer<PNGKernels>
  private let memory: PixelMemory
  private var isFirst = true
  /// The changed segment of each compared row: its columns, and where its pixels start in `keyed`,
  /// with the key's colour in place of unchanged pixels.
  private var segments: [(row: Int, columns: Range<Int>, start: Int)] = []
  private let keyed = ByteBuffer()
  /// Rows of a band, assembled from such segments.
  private let buffer = ByteBuffer()

  init(_ properties: PNGProperties, _ kernels: UnsafePointer<PNGKernels>) {
    (width, height, depth) = (properties.width, properties.height, properties.depth)
    self.kernels = kernels
    memory = PixelMemory(width: width, height: height, bytesPerPixel: depth.bytesPerPixel)
  }

  /// Copies a picture's pixels in some rectangles, and finds the changes. The first picture is
  /// copied whole.
  func take(_ picture: some BandSource, in given: [PixelRect], key: UInt32?) {
    let whole = PixelRect(width: width, height: height)
    let rectangles = (isFirst ? [whole] : given.map { $0.intersection(whole) })
      .filter { !$0.isEmpty }.sorted { $0.columns.lowerBound < $1.columns.lowerBound }
    let rectangle = rectangles.reduce(PixelRect(width: 0, height: 0)) { $0.union($1) }
    segments.removeAll(keepingCapacity: true)
    keyed.count = 0
    changed = PixelRect(columns: 0..<0, rows: 0..<0)
    changes = PNGChanges(areOpaque: 1, isKeyUsed: 0)
    guard !rectangle.isEmpty else { return }
    picture.forEachBands { bands in
      for band in bands {
        precondition(
          isFirst || band.isStraight == isStraight, "either all frames are premultiplied, or none")
        isStraight = band.isStraight
        let rows = (band.firstRow..<band.firstRow + band.rowCount).clamped(to: rectangle.rows)
        for row in rows {
          let start = band.start(ofRow: row - band.firstRow)
          // Rectangles may overlap, so their columns are merged.
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

  /// Forgets the picture: the next one is the first.
  func clear() { isFirst = true }

  /// Compares and copies some columns of a row.
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
      let buffer = keyed.end(with: 4 * segment.count)
      kernels.pointee.keyUnchanged(
        new + 4 * left, old + 4 * left, segment.count, key, buffer, &changes)
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

  /// Rows of a rectangle as the canvas shows them.
  func band(_ rows: Range<Int>, of rectangle: PixelRect) -> Band {
    Band(
      firstRow: rows.lowerBound, rowCount: rows.count, width: rectangle.width, depth: depth,
      isStraight: isStraight,
      pixels: start(rectangle.columns.lowerBound, rows.lowerBound),
      bytesPerRow: memory.bytesPerRow, owner: memory)
  }

  /// Rows of the changed rectangle with `key` in place of unchanged pixels. The pixels are valid
  /// until the next call.
  func keyedBand(_ rows: Range<Int>, key: UInt32) -> Band {
    let width = changed.width
    buffer.count = 0
    let start = buffer.end(with: 4 * width * rows.count)
    start.withMemoryRebound(to: UInt32.self, capacity: width * rows.count) {
      $0.update(repeating: key.littleEndian, count: width * rows.count)
    }
    // Segments are sorted by row.
    var index = segments.partitioningIndex { $0.row >= rows.lowerBound }
    while index < segments.count, segments[index].row < rows.upperBound {
      let segment = segments[index]
      let x = segment.columns.lowerBound - changed.columns.lowerBound
      (start + 4 * ((segment.row - rows.lowerBound) * width + x)).update(
        from: keyed.start + segment.start, count: 4 * segment.columns.count)
      index += 1
    }
    return Band(
      firstRow: rows.lowerBound, rowCount: rows.count, width: width, depth: .eight,
      isStraight: isStraight, pixels: start, bytesPerRow: 4 * width, owner: nil)
  }
}
