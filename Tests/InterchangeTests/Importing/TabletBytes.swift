/// Bytes of a file of a tablet, the lowest of a number first.
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

  /// Bytes behind their number.
  mutating func addBlock(_ other: TabletBytes) {
    add(UInt32(other.bytes.count))
    add(other)
  }
}

/// A zip archive of files that are not compressed.
struct StoredZip {
  private var files = TabletBytes()
  private var directory = TabletBytes()
  private var count: UInt16 = 0

  mutating func add(_ name: String, _ contents: [UInt8]) {
    let offset = UInt32(files.bytes.count)
    var head = TabletBytes()
    head.add(UInt16(20))
    head.add(UInt64(0))
    head.add(Self.checksum(contents))
    for _ in 0..<2 { head.add(UInt32(contents.count)) }
    head.add(UInt16(name.utf8.count))
    head.add(UInt16(0))
    files.add(UInt32(0x0403_4B50))
    files.add(head)
    files.add(TabletBytes(name))
    files.bytes += contents
    directory.add(UInt32(0x0201_4B50))
    directory.add(UInt16(20))
    directory.add(head)
    for _ in 0..<5 { directory.add(UInt16(0)) }
    directory.add(offset)
    directory.add(TabletBytes(name))
    count += 1
  }

  var bytes: [UInt8] {
    var end = TabletBytes()
    end.add(UInt32(0x0605_4B50))
    end.add(UInt32(0))
    for _ in 0..<2 { end.add(count) }
    end.add(UInt32(directory.bytes.count))
    end.add(UInt32(files.bytes.count))
    end.add(UInt16(0))
    return files.bytes + directory.bytes + end.bytes
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
