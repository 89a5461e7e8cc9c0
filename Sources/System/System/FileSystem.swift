import Glibc

/// A system call that failed, with its error number.
package struct SystemCallError: Error {
  /// The error number, `ENOSPC` for example.
  package let code: Int32

  /// A failure with an error number, by default that of the last system call.
  package init(_ code: Int32 = errno) { self.code = code }
}

/// The system calls that durable files need. `MachineFiles` makes them; tests use a file system in
/// memory that can fail at any call and computes the states that a power cut could leave.
package protocol FileSystem {
  func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemCallError) -> Int32
  /// Takes the exclusive lock of a file, which `close` releases. Throws if another process holds
  /// it.
  func lock(_ file: Int32) throws(SystemCallError)
  /// Whether a path still leads to an open file.
  func isNamed(_ file: Int32, _ path: String) throws(SystemCallError) -> Bool
  func permissions(_ file: Int32) throws(SystemCallError) -> UInt32
  /// At most `count` bytes; fewer at the end of the file.
  func read(_ file: Int32, at offset: Int, count: Int) throws(SystemCallError) -> [UInt8]
  /// Writes some of the bytes and returns their number.
  func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int) throws(SystemCallError)
    -> Int
  func synchronize(_ file: Int32, dataOnly: Bool) throws(SystemCallError)
  func truncate(_ file: Int32, to length: Int) throws(SystemCallError)
  func rename(_ path: String, to other: String) throws(SystemCallError)
  func remove(_ path: String) throws(SystemCallError)
  func close(_ file: Int32)
}

/// The file system of the machine.
package struct MachineFiles: FileSystem {
  package init() {}

  private func check(_ result: Int32) throws(SystemCallError) {
    if result < 0 { throw SystemCallError() }
  }

  package func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemCallError) -> Int32 {
    let file = Glibc.open(path, flags | O_CLOEXEC, mode)
    try check(file)
    return file
  }

  package func lock(_ file: Int32) throws(SystemCallError) {
    try check(flock(file, LOCK_EX | LOCK_NB))
  }

  package func isNamed(_ file: Int32, _ path: String) throws(SystemCallError) -> Bool {
    OpenFile.isNamed(file, path)
  }

  package func permissions(_ file: Int32) throws(SystemCallError) -> UInt32 {
    var status = stat()
    try check(fstat(file, &status))
    return status.st_mode & 0o777
  }

  package func read(_ file: Int32, at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      let result = pread(file, memory.baseAddress, count, off_t(offset))
      if result < 0 { code = errno }
      filled = max(result, 0)
    }
    if code != 0 { throw SystemCallError(code) }
    return bytes
  }

  package func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int)
    throws(SystemCallError)
    -> Int
  {
    let result = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
    if result < 0 { throw SystemCallError() }
    return result
  }

  package func synchronize(_ file: Int32, dataOnly: Bool) throws(SystemCallError) {
    try check(dataOnly ? fdatasync(file) : fsync(file))
  }

  package func truncate(_ file: Int32, to length: Int) throws(SystemCallError) {
    try check(ftruncate(file, off_t(length)))
  }

  package func rename(_ path: String, to other: String) throws(SystemCallError) {
    try check(Glibc.rename(path, other))
  }

  package func remove(_ path: String) throws(SystemCallError) { try check(unlink(path)) }

  package func close(_ file: Int32) { _ = Glibc.close(file) }
}
