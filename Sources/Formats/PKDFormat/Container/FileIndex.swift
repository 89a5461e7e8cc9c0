import Graphics
import Strokes

/// The offsets of a file's blocks and a summary of each, so that a reader can skip the blocks that
/// it does not need.
struct FileIndex {
  struct Entry: Hashable {
    var offset: Int
    var strokeCount: Int
    var pointCount: Int
    var box: Rect?
    /// In milliseconds since the header's base.
    var time: ClosedRange<Int64>
  }

  private(set) var entries: [Entry] = []

  init() {}

  /// Adds a block, whose chunk begins at an offset.
  mutating func add(_ heads: [StrokeHead], at offset: Int, base: Timestamp) {
    let boxes = heads.compactMap { $0.box }
    // Strokes that share a path share its time.
    let owners = heads.filter { $0.ownsPath }
    let starts = owners.map { $0.date.milliseconds &- base.milliseconds }
    let ends = zip(starts, owners).map { $0 &+ Int64($1.duration) }
    entries.append(
      Entry(
        offset: offset, strokeCount: heads.count,
        pointCount: heads.reduce(0) { $0 + $1.pointCount },
        box: boxes.isEmpty ? nil : boxes.reduce(.null) { $0.union($1) },
        time: (starts.min() ?? 0)...max(starts.min() ?? 0, ends.max() ?? 0)))
  }

  var payload: [UInt8] {
    var writer = ByteWriter()
    writer.count(entries.count)
    var (offset, time) = (0, Int64(0))
    var corner = (x: Int64(0), y: Int64(0))
    for entry in entries {
      writer.count(entry.offset - offset)
      offset = entry.offset
      writer.count(entry.strokeCount << 1 | (entry.box == nil ? 0 : 1))
      writer.count(entry.pointCount)
      writer.signed(entry.time.lowerBound &- time)
      time = entry.time.lowerBound
      writer.varint(UInt64(bitPattern: entry.time.upperBound &- entry.time.lowerBound))
      if let box = entry.box {
        writer.signed(Int64(clamping: box.minX) - corner.x)
        writer.signed(Int64(clamping: box.minY) - corner.y)
        writer.count(Int(clamping: box.width))
        writer.count(Int(clamping: box.height))
        corner = (Int64(clamping: box.minX), Int64(clamping: box.minY))
      }
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8], in payload: Range<Int>, limits: PKDLimits) throws(PKDError) {
    var reader = ByteReader(bytes, in: payload)
    var (offset, time) = (0, Int64(0))
    var corner = (x: Int64(0), y: Int64(0))
    for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let start = reader.offset
      offset += try reader.count(limit: bytes.count, .chunkBytes)
      let count = try reader.count(limit: 2 * BlockLimits.strokes + 1, .strokes)
      let points = try reader.count(limit: limits.points, .points)
      time = time &+ (try reader.signed())
      let length = try reader.varint()
      let (end, overflow) = time.addingReportingOverflow(Int64(clamping: length))
      guard !overflow, offset < bytes.count else { throw PKDError(.notCanonical, at: start) }
      var box: Rect?
      if count & 1 == 1 {
        corner.x = corner.x &+ (try reader.signed())
        corner.y = corner.y &+ (try reader.signed())
        box = Rect(
          x: Double(corner.x), y: Double(corner.y), width: try reader.boxSide(),
          height: try reader.boxSide())
      }
      entries.append(
        Entry(
          offset: offset, strokeCount: count >> 1, pointCount: points, box: box, time: time...end))
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }
}

extension ByteReader {
  /// The width or height of a box; in a web page it may be larger than any `Int`.
  fileprivate mutating func boxSide() throws(PKDError) -> Double {
    let limit: UInt64 = 1 << 32
    let start = offset
    let side = try varint()
    guard side <= limit else {
      throw PKDError(
        .tooMany(.canvasPoints, declared: side, limit: Int(clamping: limit)), at: start)
    }
    return Double(side)
  }
}
