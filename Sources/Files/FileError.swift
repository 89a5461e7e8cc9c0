import Glibc

/// Why a file could not be written, read or replaced.
public struct FileError: Error, Hashable, Sendable {
  /// The file.
  public let path: String
  /// What was tried.
  public let operation: Operation
  /// The system's number for the reason, `ENOSPC` for example.
  public let code: Int32

  package init(path: String, operation: Operation, code: Int32) {
    (self.path, self.operation, self.code) = (path, operation, code)
  }

  /// What can be tried with a file.
  public enum Operation: String, Hashable, Sendable {
    case open, lock, read, write, synchronize, truncate, rename
  }
}

extension FileError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    "cannot \(operation.rawValue) \(path): \(String(cString: strerror(code)))"
  }
}
