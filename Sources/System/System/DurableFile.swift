import Glibc

/// An open file. Writing stores all bytes or throws; once `synchronize` has returned, they survive
/// a power cut.
package final class DurableFile {
  package let path: String
  private let system: any FileSystem
  private let file: Int32

  /// How a file is opened.
  package enum Purpose {
    case reading
    /// The file must exist.
    case changing
    /// The file must not exist.
    case creating
    /// An existing file is emptied; a new one gets these permissions.
    case replacing(permissions: UInt32)
  }

  /// Opens a file. Unless only for reading, locks it, so that no other process writes to it in the
  /// meantime.
  package init(
    _ path: String, for purpose: Purpose, in system: any FileSystem
  ) throws(FileError) {
    let (flags, mode): (Int32, UInt32) =
      switch purpose {
      case .reading: (O_RDONLY, 0)
      case .changing: (O_RDWR, 0)
      case .creating: (O_RDWR | O_CREAT | O_EXCL, 0o666)
      case .replacing(let permissions): (O_RDWR | O_CREAT | O_TRUNC, permissions)
      }
    self.path = path
    self.system = system
    file = try Self.attempt(.open, path) { () throws(SystemCallError) in
      try system.open(path, flags, mode: mode)
    }
    if case .reading = purpose { return }
    try attempt(.lock) { file throws(SystemCallError) in
      try system.lock(file)
      // The process that had the lock before may have replaced the file.
      guard try system.isNamed(file, path) else { throw SystemCallError(ESTALE) }
    }
  }

  deinit { system.close(file) }

  /// Runs a body, and repeats it when a signal has interrupted it.
  private static func attempt<Result>(
    _ operation: FileError.Operation, _ path: String,
    _ body: () throws(SystemCallError) -> Result
  ) throws(FileError) -> Result {
    while true {
      do throws(SystemCallError) {
        return try body()
      } catch {
        if error.code == EINTR { continue }
        throw FileError(path: path, operation: operation, code: error.code)
      }
    }
  }

  private func attempt<Result>(
    _ operation: FileError.Operation, _ body: (Int32) throws(SystemCallError) -> Result
  ) throws(FileError) -> Result {
    try Self.attempt(operation, path) { () throws(SystemCallError) in try body(file) }
  }

  /// The permission bits of the file.
  package func permissions() throws(FileError) -> UInt32 {
    try attempt(.read) { file throws(SystemCallError) in try system.permissions(file) }
  }

  /// All bytes from an offset to the end.
  package func bytes(from offset: Int = 0) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let start = offset + bytes.count
      let more = try attempt(.read) { file throws(SystemCallError) in
        try system.read(file, at: start, count: 1 << 18)
      }
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  /// Writes all bytes. After an error some of them may be written; writing again at the same offset
  /// repairs that.
  package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      done += try attempt(.write) { file throws(SystemCallError) in
        let count = try system.write(bytes[done...], to: file, at: offset + done)
        guard count > 0 else { throw SystemCallError(EIO) }
        return count
      }
    }
  }

  /// Waits until all written bytes are durable: they survive a power cut. After an error it is
  /// unknown which bytes are, and a second attempt would not report the loss: the system forgets
  /// bytes that it could not write.
  package func synchronize(dataOnly: Bool = true) throws(FileError) {
    try attempt(.synchronize) { file throws(SystemCallError) in
      try system.synchronize(file, dataOnly: dataOnly)
    }
  }

  /// Cuts the file to a length in bytes.
  package func truncate(to length: Int) throws(FileError) {
    try attempt(.truncate) { file throws(SystemCallError) in
      try system.truncate(file, to: length)
    }
  }

  /// Replaces the bytes of this file, under its lock.
  package func replace(with bytes: [UInt8]) throws(FileError) {
    try Self.replace(path, with: bytes, permissions: try permissions(), in: system)
  }
}

extension DurableFile {
  /// Waits until the names in the folder of a file are durable.
  package static func synchronizeFolder(of path: String, in system: any FileSystem)
    throws(FileError)
  {
    let folder = folder(of: path)
    let file = try attempt(.open, folder) { () throws(SystemCallError) in
      try system.open(folder, O_RDONLY | O_DIRECTORY, mode: 0)
    }
    defer { system.close(file) }
    try attempt(.synchronize, folder) { () throws(SystemCallError) in
      try system.synchronize(file, dataOnly: false)
    }
  }

  /// Replaces the bytes of a file atomically: after a power cut it has the old bytes or the new
  /// ones, and the new ones once this has returned.
  package static func replace(
    _ path: String, with bytes: [UInt8], permissions: UInt32, in system: any FileSystem
  ) throws(FileError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let temporary = "\(folder(of: path))/.\(name).new"
    do throws(FileError) {
      let file = try DurableFile(
        temporary, for: .replacing(permissions: permissions), in: system)
      try file.write(bytes, at: 0)
      try file.synchronize(dataOnly: false)
      try attempt(.rename, path) { () throws(SystemCallError) in
        try system.rename(temporary, to: path)
      }
    } catch {
      try? system.remove(temporary)
      throw error
    }
    try synchronizeFolder(of: path, in: system)
  }

  /// Deletes a file, if possible.
  package static func remove(_ path: String, in system: any FileSystem) { try? system.remove(path) }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
