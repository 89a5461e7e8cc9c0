import Glibc

/// Why a file could not be written, read or replaced.
public struct FileError: Error, Hashable, Sendable {
  /// The path of the file.
  public let path: String
  /// The operation that failed.
  public let operation: Operation
  /// The error number of the system, `ENOSPC` for example.
  public let code: Int32

  package init(path: String, operation: Operation, code: Int32) {
    (self.path, self.operation, self.code) = (path, operation, code)
  }

  /// The operations on a file that can fail.
  public enum Operation: String, Hashable, Sendable {
    case open, lock, read, write, synchronize, truncate, rename
  }
}

extension FileError: CustomStringConvertible {
  /// The operation, the path and the reason, for people.
  public var description: String {
    "cannot \(operation.rawValue) \(path): \(String(cString: strerror(code)))"
  }
}
