import InkFiles

extension QuickDrawImporter {
  /// Reads lines into columns; `lines` is the number of lines before them.
  static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, lines: Int, into columns: inout InkColumns
  ) {
    var record = QuickDrawRecord()
    var (start, number) = (0, lines)
    while start < bytes.count {
      var next = start
      while next < bytes.count, bytes[next] != UInt8(ascii: "\n") { next += 1 }
      var end = next
      while end > start, bytes[end - 1].isBlank { end -= 1 }
      number += 1
      if end > start {
        record.read(UnsafeBufferPointer(rebasing: bytes[start..<end]), number: number)
        columns.append(record)
      }
      start = next + 1
    }
  }
}

extension QuickDrawBinaryImporter {
  /// Ranges of whole records. After damage, the start of the next record cannot be found.
  static func blocks(
    of bytes: UnsafeBufferPointer<UInt8>, size: Int
  ) -> [(range: Range<Int>, before: Int)] {
    var blocks: [(range: Range<Int>, before: Int)] = []
    var (start, end, count, before) = (0, 0, 0, 0)
    while end < bytes.count {
      end = endOfRecord(in: bytes, from: end) ?? bytes.count
      count += 1
      if end - start >= size || end == bytes.count {
        blocks.append((start..<end, before))
        (start, before) = (end, before + count)
        count = 0
      }
    }
    return blocks
  }

  /// The index behind a record; nil if it is cut.
  private static func endOfRecord(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    func uint16(_ index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }
    guard bytes.count - start >= headSize else { return nil }
    var index = start + headSize
    for _ in 0..<uint16(start + headSize - 2) {
      guard bytes.count - index >= 2 else { return nil }
      index += 2 + 2 * uint16(index)
      guard index <= bytes.count else { return nil }
    }
    return index
  }

  /// Reads records into columns.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, into columns: inout InkColumns) {
    let all = Array(bytes)
    var record = QuickDrawRecord()
    var start = 0
    while start < bytes.count {
      let end = endOfRecord(in: bytes, from: start) ?? bytes.count
      record.removeAll()
      record.read(ByteCursor(all[start..<end]))
      columns.append(record)
      start = end
    }
  }
}

extension InkColumns {
  /// Adds a drawing, with the reasons for its missing strokes.
  mutating func append(_ record: QuickDrawRecord) {
    for error in record.damage { addDamage(error.description) }
    let first = record.isRaw ? record.times.first ?? 0 : 0
    var point = 0
    for end in record.strokeEnds {
      while point < end {
        addPoint(
          x: record.xs[point], y: record.ys[point],
          time: record.isRaw ? (record.times[point] - first) / 1000 : .nan)
        point += 1
      }
      endStroke()
    }
    endDrawing(
      label: record.word, key: record.keyID, isRecognized: record.isRecognized,
      hasTimes: record.isRaw && point > 0)
  }
}
