import Glibc

/// Some lines of a file.
struct LineBlock {
  /// The number of the block in all files.
  let number: Int
  let input: SystemString
  let inputNumber: Int
  let firstLine: Int
  let bytes: [UInt8]
}

/// Reads files in blocks of whole lines.
struct LineBlocks {
  private var inputs: ArraySlice<SystemString>
  private var input: SystemString = "-"
  private var inputNumber = 0
  /// The open file; below 0 for none.
  private var file: Int32 = -1
  /// The start of a line whose end is not read yet.
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

  /// Reads no more of an input, counted from 1.
  mutating func skip(_ number: Int) {
    guard number == inputNumber else { return }
    rest.removeAll()
    closeFile()
  }

  private mutating func closeFile() {
    if file > STDIN_FILENO { close(file) }
    file = -1
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
      if file < 0 {
        guard let next = inputs.popFirst() else { return nil }
        (input, line) = (next, 1)
        inputNumber += 1
        file = next == .standardStream ? STDIN_FILENO : open(next.cString, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(name) }
      }
      let start = rest.count
      var bytes = rest
      bytes.append(contentsOf: repeatElement(0, count: Self.blockSize))
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + start }, Self.blockSize)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError(name)
      }
      bytes.removeLast(Self.blockSize - count)
      if count == 0 {
        rest = []
        closeFile()
        if bytes.isEmpty { continue }
        return block(bytes)
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
