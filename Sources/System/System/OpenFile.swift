import Glibc

/// Reading, writing and synchronizing open files: all of it, or an error.
package enum OpenFile {
  /// Writes all bytes at the current position of an open file, with as many system calls as it
  /// takes.
  package static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to file: Int32
  ) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      let count = write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemCallError()
      }
      guard count > 0 else { throw SystemCallError(EIO) }
      written += count
    }
  }

  /// Writes all bytes at the current position of an open file.
  package static func writeAll(
    _ bytes: some Collection<UInt8>, to file: Int32
  ) throws(SystemCallError) {
    let result =
      bytes.withContiguousStorageIfAvailable { bytes in
        Result { () throws(SystemCallError) in
          try writeAll(UnsafeRawBufferPointer(bytes), to: file)
        }
      } ?? .failure(SystemCallError(EINVAL))
    try result.get()
  }

  /// All bytes from the current position of an open file or pipe to its end, which must not be more
  /// than `limit`.
  package static func readAll(_ file: Int32, limit: Int) throws(SystemCallError) -> [UInt8] {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemCallError() }
    // A regular file is read into one buffer of the right size. A pipe, whose size is unknown, and
    // a very large file, which may be sparse, are read in pieces.
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    guard !isRegular || Int(status.st_size) <= limit else { throw SystemCallError(EFBIG) }
    let first = isRegular ? min(Int(status.st_size) + 1, 64 << 20) : 1 << 16
    var pieces: [[UInt8]] = []
    var (count, capacity) = (0, first)
    while true {
      let piece = try read(file, upTo: capacity)
      count += piece.count
      guard count <= limit else { throw SystemCallError(EFBIG) }
      let isAtEnd = piece.count < capacity
      if isAtEnd, pieces.isEmpty { return piece }
      pieces.append(piece)
      if isAtEnd { break }
      // The next piece is as large as all previous pieces together, up to a limit.
      capacity = min(count, 16 << 20, limit - count + 1)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in pieces.indices {
      bytes += pieces[index]
      pieces[index] = []
    }
    return bytes
  }

  /// Reads up to `count` bytes of a file; fewer at its end.
  package static func read(_ file: Int32, upTo count: Int) throws(SystemCallError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      while filled < count {
        let got = Glibc.read(file, memory.baseAddress.map { $0 + filled }, count - filled)
        if got > 0 {
          filled += got
        } else if got == 0 || errno != EINTR {
          code = got == 0 ? 0 : errno
          return
        }
      }
    }
    guard code == 0 else { throw SystemCallError(code) }
    return bytes
  }

  /// Waits until the bytes and the length of an open file are durable. After an error it is unknown
  /// which bytes are durable, and a second attempt would not report the lost ones.
  package static func synchronize(_ file: Int32) throws(SystemCallError) {
    guard fsync(file) == 0 else { throw SystemCallError() }
  }

  /// Waits until the names in a folder are durable. Does nothing on file systems that cannot do so.
  package static func synchronizeFolder(_ path: UnsafePointer<CChar>) throws(SystemCallError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw SystemCallError() }
    defer { close(folder) }
    guard fsync(folder) == 0 || errno == EINVAL else { throw SystemCallError() }
  }
}
