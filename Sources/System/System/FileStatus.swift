package import Glibc

extension stat {
  /// Whether this and another status are those of one file or folder.
  package func isSameFile(as other: stat) -> Bool {
    st_dev == other.st_dev && st_ino == other.st_ino
  }
}
