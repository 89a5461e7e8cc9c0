import Glibc

/// The reason why a server cannot start, for the operator.
package struct ServerProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Small files that only the operator writes.
enum SmallFile {
  /// The bytes of a file; nil if it has more than the limit.
  static func bytes(_ path: String, limit: Int) throws(ServerProblem) -> [UInt8]? {
    // A pipe without a writer must not block the thread.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw ServerProblem("\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ServerProblem("\(path): it is no file")
    }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count <= limit {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      guard got >= 0 else { throw ServerProblem("\(path): \(String(cString: strerror(errno)))") }
      if got == 0 { break }
      count += got
    }
    return count > limit ? nil : Array(bytes[..<count])
  }
}
