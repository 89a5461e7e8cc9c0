import InkFiles
import Glibc
import ForeignInk

/// Some lines of a file.
struct LineBlock {
  /// The number of the block among all files.
  let number: Int
  let input: SystemString
  let inputNumber: Int
  let firstLine: Int
  let bytes: [UInt8]
  /// The reason why the file ends after these lines; nil if it continues, or ends normally.
  var damage: String?
}

/// Reads files in blocks of whole lines, also gzip files.
struct LineBlocks {
  private var inputs: ArraySlice<SystemString>
  private var input: SystemString = "-"
  private var inputNumber = 0
  /// The open file; below 0 for none.
  private var file: Int32 = -1
  /// Decompresses the file; nil if it is not compressed.
  private var unpacker: GzipReader?
  /// The start of a line whose end has not been read yet.
  private var rest: [UInt8] = []
  private var line = 1
  private var number = 0
  private(set) var error: SystemError?

  private static let blockSize = 1 << 17
  /// No drawing has a longer line.
  private static let lineLimit = 1 << 26

  init(of inputs: [SystemString]) { self.inputs = inputs[...] }

  /// Ends the reading.
  mutating func stop() {
    inputs.removeAll()
    rest.removeAll()
    closeFile()
  }

  /// Skips the rest of an input, counted from 1.
  mutating func skip(_ number: Int) {
    guard number == inputNumber else { return }
    rest.removeAll()
    closeFile()
  }

  private mutating func closeFile() {
    if file > STDIN_FILENO { close(file) }
    file = -1
    unpacker = nil
  }

  /// The next lines; nil at the end of the last file and after an error.
  mutating func next() -> LineBlock? {
    do throws(SystemError) {
      return try read()
    } catch {
      self.error = self.error ?? error
      stop()
      return nil
    }
  }

  private var name: String { input == .standardStream ? "standard input" : input.description }

  private mutating func read() throws(SystemError) -> LineBlock? {
    while true {
      // The first bytes may already contain lines; reading more of a pipe could block.
      var hasMore = false
      if file < 0 {
        guard let next = inputs.popFirst() else { return nil }
        (input, line) = (next, 1)
        inputNumber += 1
        file = next == .standardStream ? STDIN_FILENO : open(next.cString, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(name) }
        rest = try firstBytes()
        hasMore = !rest.isEmpty
      }
      // Moved, not copied: a line may be long.
      var bytes: [UInt8] = []
      swap(&bytes, &rest)
      let start = hasMore ? 0 : bytes.count
      let damage = try hasMore ? nil : unpacker == nil ? readMore(&bytes) : unpackMore(&bytes)
      if bytes.count == start {
        closeFile()
        if bytes.isEmpty, damage == nil { continue }
        var last = block(bytes)
        last.damage = damage?.description
        return last
      }
      guard let end = bytes[start...].lastIndex(of: UInt8(ascii: "\n")) else {
        rest = bytes
        guard rest.count <= Self.lineLimit else {
          throw SystemError(
            name, code: EFBIG, reason: "line \(line) has more than \(Self.lineLimit) bytes",
            exitCode: .badData)
        }
        continue
      }
      rest = Array(bytes[(end + 1)...])
      bytes.removeLast(rest.count)
      return block(bytes)
    }
  }

  /// The first bytes of the open file, if it is not compressed; otherwise they are passed to the
  /// decompressor.
  private mutating func firstBytes() throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    // A pipe may deliver one byte at a time.
    while bytes.count < 2 {
      let count = bytes.count
      _ = try readMore(&bytes)
      if bytes.count == count { break }
    }
    guard GzipReader.recognizes(bytes) else { return bytes }
    let unpacker = GzipReader()
    unpacker.add(bytes)
    self.unpacker = unpacker
    return []
  }

  /// Appends the next bytes of the open file: none at its end.
  private func readMore(_ bytes: inout [UInt8]) throws(SystemError) -> ImportError? {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: Self.blockSize))
    var count = 0
    repeat {
      count = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + start }, Self.blockSize)
      }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw SystemError(name) }
    bytes.removeLast(Self.blockSize - count)
    return nil
  }

  /// Appends the next bytes of the open file, decompressed: none at its end, or before damage,
  /// which is returned.
  private func unpackMore(_ bytes: inout [UInt8]) throws(SystemError) -> ImportError? {
    guard let unpacker else { return nil }
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: Self.blockSize))
    var (count, damage) = (0, ImportError?.none)
    while count == 0 {
      do throws(ImportError) {
        count = try bytes.withUnsafeMutableBufferPointer { (bytes) throws(ImportError) in
          try unpacker.read(into: UnsafeMutableBufferPointer(rebasing: bytes[start...]))
        }
      } catch {
        damage = error
        break
      }
      guard count == 0 else { break }
      var packed: [UInt8] = []
      _ = try readMore(&packed)
      guard packed.isEmpty else {
        unpacker.add(packed)
        continue
      }
      do throws(ImportError) { try unpacker.end() } catch { damage = error }
      break
    }
    bytes.removeLast(Self.blockSize - count)
    return damage
  }

  private mutating func block(_ bytes: [UInt8]) -> LineBlock {
    let block = LineBlock(
      number: number, input: input, inputNumber: inputNumber, firstLine: line, bytes: bytes)
    number += 1
    line += bytes.withUnsafeBufferPointer { bytes in
      var count = 0
      for byte in bytes { count += byte == UInt8(ascii: "\n") ? 1 : 0 }
      return count
    }
    return block
  }
}
