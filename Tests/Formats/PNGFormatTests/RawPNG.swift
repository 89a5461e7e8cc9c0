/// A PNG assembled chunk by chunk, valid or not. Its pixels are stored without compression.
struct RawPNG {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private(set) var bytes = signature

  init() {}

  /// A picture from rows that start with their filter byte.
  init(
    width: UInt32, height: UInt32, depth: UInt8 = 8, type: UInt8 = 6, interlace: UInt8 = 0,
    before: [(name: String, data: [UInt8])] = [], rows: [[UInt8]]
  ) {
    add("IHDR", Self.big(width) + Self.big(height) + [depth, type, 0, 0, interlace])
    for chunk in before { add(chunk.name, chunk.data) }
    add("IDAT", Self.stored(rows.flatMap { $0 }))
    add("IEND", [])
  }

  mutating func add(_ name: String, _ data: [UInt8]) {
    let body = Array(name.utf8) + data
    bytes += Self.big(UInt32(data.count)) + body + Self.big(Self.checksum(body))
  }

  static func big(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Bytes as a zlib stream of stored blocks.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      result += [rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8)]
      result += [UInt8(~length & 255), UInt8(~length >> 8)] + block
    } while !rest.isEmpty
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return result + big(b << 16 | a)
  }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
      }
    }
  }

  /// The chunks of a valid PNG.
  static func chunks(of bytes: [UInt8]) -> [(name: String, data: [UInt8])] {
    var chunks: [(name: String, data: [UInt8])] = []
    var offset = signature.count
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let body = Array(bytes[offset + 4..<offset + 8 + length])
      chunks.append((String(decoding: body[..<4], as: UTF8.self), Array(body[4...])))
      offset += length + 12
    }
    return chunks
  }
}
