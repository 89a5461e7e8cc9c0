import Glibc

/// Writing and synchronizing open files: all of it, or an error.
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
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemCallError()
      }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else { throw SystemCallError(EFBIG) }
    }
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
