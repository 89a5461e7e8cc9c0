/// A zip archive whose files are stored without compression.
struct StoredZip {
  private(set) var bytes: [UInt8] = []

  init(_ files: [(name: String, text: String)]) {
    self.init(files.map { ($0.name, Array($0.text.utf8)) })
  }

  init(_ files: [(name: String, contents: [UInt8])]) {
    var directory: [UInt8] = []
    for file in files {
      let checksum = Self.checksum(file.contents)
      let size = UInt32(file.contents.count)
      let fields =
        Self.number(UInt16(20)) + Self.number(UInt16(0)) + Self.number(UInt16(0))
        + Self.number(UInt32(0)) + Self.number(checksum) + Self.number(size) + Self.number(size)
        + Self.number(UInt16(file.name.utf8.count)) + Self.number(UInt16(0))
      directory += [0x50, 0x4B, 1, 2] + Self.number(UInt16(20)) + fields
      directory += [UInt8](repeating: 0, count: 10) + Self.number(UInt32(bytes.count))
      directory += file.name.utf8
      bytes += [0x50, 0x4B, 3, 4] + fields + Array(file.name.utf8) + file.contents
    }
    let start = UInt32(bytes.count)
    bytes += directory
    bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + Self.number(UInt16(files.count))
    bytes += Self.number(UInt16(files.count)) + Self.number(UInt32(directory.count))
    bytes += Self.number(start) + [0, 0]
  }

  /// The checksum of IEEE 802.3, bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
      }
    }
  }

  private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
