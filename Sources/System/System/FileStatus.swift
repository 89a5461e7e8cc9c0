package import Glibc

extension stat {
  /// Whether this and another status are those of one file or folder.
  package func isSameFile(as other: stat) -> Bool {
    st_dev == other.st_dev && st_ino == other.st_ino
  }
}

extension OpenFile {
  /// Whether a path leads to an open file.
  package static func isNamed(_ file: Int32, _ path: UnsafePointer<CChar>) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(file, &own) == 0 && stat(path, &named) == 0 && own.isSameFile(as: named)
  }
}
