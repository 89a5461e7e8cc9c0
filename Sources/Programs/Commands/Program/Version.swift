import CSystem

/// The program's version information.
enum Version {
  /// The major version stays 0 until the formats are final.
  static let number = "0.1.0"
  /// The commit of the sources; empty if the build did not define it.
  static let commit = String(cString: versionCommit())
  static let text = "pkd \(number)" + (commit.isEmpty ? "" : " (\(commit))")
}
