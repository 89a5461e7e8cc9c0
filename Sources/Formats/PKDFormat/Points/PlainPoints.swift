import Strokes

extension PointColumns {
  /// The bytes that the values take without entropy coding.
  var plainByteCount: Int { count > 0 ? 4 * floats.count + 2 * words.count : 0 }
}

extension ByteWriter {
  /// Writes all values of all columns as they are in memory, the floats first.
  mutating func plain(_ columns: PointColumns) {
    guard columns.count > 0 else { return }
    for value in columns.floats { littleEndian(UInt64(value.bitPattern), count: 4) }
    for value in columns.words { littleEndian(UInt64(value), count: 2) }
  }
}

extension ByteReader {
  /// Reads the values that `ByteWriter.plain(_:)` writes.
  mutating func plain(_ shape: PathShape, count: Int) throws(PKDError) -> PointColumns {
    guard count > 0 else {
      return PointColumns(emptyIn: shape.scale, present: shape.present, varying: shape.varying)
    }
    let floatCount = PointColumns.length(of: shape.varying, in: .floats, count: count)
    let wordCount = PointColumns.length(of: shape.varying, in: .words, count: count)
    let floatBytes = try range(4 * floatCount)
    let wordBytes = try range(2 * wordCount)
    let floats = bytes.withUnsafeBytes { memory in
      (0..<floatCount).map { index in
        Float(
          bitPattern: UInt32(
            littleEndian: memory.loadUnaligned(
              fromByteOffset: floatBytes.lowerBound + 4 * index, as: UInt32.self)))
      }
    }
    guard floats.allSatisfy({ $0.isFinite }) else {
      throw PKDError(.notFinite, at: floatBytes.lowerBound)
    }
    let words = bytes.withUnsafeBytes { memory in
      (0..<wordCount).map { index in
        UInt16(
          littleEndian: memory.loadUnaligned(
            fromByteOffset: wordBytes.lowerBound + 2 * index, as: UInt16.self))
      }
    }
    return PointColumns(
      count: count, scale: shape.scale, varying: shape.varying, present: shape.present,
      floats: floats, words: words)
  }
}
