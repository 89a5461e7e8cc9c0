import Glibc

/// A temporary folder for the files of measured processes. While it exists, signals do not end the
/// program, but stop its processes, so that no files remain.
struct BenchFolder {
  let path: SystemString

  /// Calls a body with a new folder in TMPDIR, which is deleted afterwards with its files.
  static func with<Result>(_ body: (BenchFolder) throws -> Result) throws -> Result {
    let name = Console.temporaryFolder + "/pkd-bench-XXXXXX"
    var template = Array(name.utf8CString)
    Interruption.watch()
    defer { Interruption.endProgram() }
    guard mkdtemp(&template) != nil else { throw SystemError(name) }
    let folder = BenchFolder(
      path: SystemString(bytes: template.dropLast().map { UInt8(bitPattern: $0) }))
    defer { folder.delete() }
    return try body(folder)
  }

  func file(_ name: String) -> SystemString { path + "/\(name)".utf8 }

  /// Writes a file that only this program and its processes use.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) -> SystemString {
    let path = file(name)
    let handle = open(path.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard handle >= 0 else { throw SystemError(path.description) }
    defer { close(handle) }
    try writeAll(bytes, to: handle, path.description)
    return path
  }

  /// Creates another name for a file, in the folder.
  func link(_ file: SystemString, to name: String) throws(SystemError) -> SystemString {
    let path = self.file(name)
    guard Glibc.link(file.cString, path.cString) == 0 else {
      throw SystemError(path.description)
    }
    return path
  }

  private func delete() {
    for name in folderEntries(path) ?? [] { unlink((path + "/".utf8 + name.bytes).cString) }
    rmdir(path.cString)
  }
}

extension SystemString {
  fileprivate static func + (a: SystemString, b: [UInt8]) -> SystemString {
    SystemString(bytes: a.bytes + b)
  }
}
