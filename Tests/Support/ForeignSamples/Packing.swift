/// Packs bytes without compressing them, for tests of unpacking.
enum Packing {
  /// A gzip file of stored blocks. If it is cut, the blocks before the cut can be read.
  static func gzip(_ bytes: [UInt8], blockSize: Int = 0xFFFF) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var start = 0
    repeat {
      let end = min(start + blockSize, bytes.count)
      result.append(end == bytes.count ? 1 : 0)
      result += number(end - start, 2) + number(~(end - start) & 0xFFFF, 2) + bytes[start..<end]
      start = end
    } while start < bytes.count
    return result + number(Int(checksum(bytes)), 4) + number(bytes.count, 4)
  }

  /// A zip archive of stored files.
  static func zip(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var (result, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
      let facts =
        number(20, 2) + number(0, 8) + number(Int(checksum(bytes)), 4) + number(bytes.count, 4)
        + number(bytes.count, 4) + number(name.utf8.count, 2) + number(0, 2)
      directory += number(0x0201_4B50, 4) + number(20, 2) + facts + number(0, 10)
      directory += number(result.count, 4) + Array(name.utf8)
      result += number(0x0403_4B50, 4) + facts + Array(name.utf8) + bytes
    }
    let ending =
      number(0x0605_4B50, 4) + number(0, 4) + number(files.count, 2) + number(files.count, 2)
      + number(directory.count, 4) + number(result.count, 4) + number(0, 2)
    return result + directory + ending
  }

  /// The lowest bytes of a number, the lowest first.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The checksum of gzip and zip.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { checksum, byte in
      (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ in
        value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
  }
}
