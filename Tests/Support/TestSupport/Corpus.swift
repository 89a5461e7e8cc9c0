public import Foundation

/// Real ink from other projects. Its licences vary, so it is not part of the project: it is beside
/// the working folder on some machines, and tests that use it report that they skip elsewhere.
public enum Corpus {
  /// The folder of the project.
  public static let project = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder of the corpus.
  public static let folder = project.deletingLastPathComponent()
    .appendingPathComponent("shared/corpus")

  /// Ink that we drew with other programs, which is part of the project.
  public static let ink = project.appendingPathComponent("Tests/Support/Ink")

  /// Whether there is a corpus on this machine.
  public static let isPresent = FileManager.default.fileExists(atPath: folder.path)

  /// The message of a skipped test.
  public static let absence = "skipped: there is no ../shared/corpus on this machine"

  /// The names of the files in a folder that end with a suffix, sorted.
  public static func names(in name: String, suffix: String) -> [String] {
    let path = folder.appendingPathComponent(name).path
    let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return all.filter { $0.hasSuffix(suffix) }.sorted()
  }

  /// The bytes of a file, `pkdrawing/empty-2019.drawing` for example.
  public static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }
}
