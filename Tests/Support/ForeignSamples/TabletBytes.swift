/// Bytes of a tablet's file, with numbers in little-endian order.
struct TabletBytes {
  var bytes: [UInt8] = []

  init() {}
  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func add(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  mutating func add(_ value: Float) { add(value.bitPattern) }
  mutating func add(_ value: Double) { add(value.bitPattern) }
  mutating func add(_ other: TabletBytes) { bytes += other.bytes }

  /// Adds bytes after their count.
  mutating func addBlock(_ other: TabletBytes) {
    add(UInt32(other.bytes.count))
    add(other)
  }
}
