import Foundation
import TestSupport
import Testing

/// The prefix of an environment variable shows its reader, as `docs/CONTRIBUTING.md` says.
struct VariableTests {
  /// Names by other authors: the system, shells, and the programs and services that we call.
  private static let others: Set<String> = [
    "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE", "BASH_SOURCE", "COLORTERM", "HOME", "MOZ_CRASHREPORTER_DISABLE",
    "NO_COLOR", "PATH", "PWD", "PYTHONPATH", "RANDOM", "SECONDS",
    "SOURCE_DATE_EPOCH", "SWIFT_BACKTRACE", "TERM", "TMPDIR", "TZ",
  ]
  /// Arguments of the scripts that make the engine and the wheel.
  private static let arguments: Set<String> = [
    "KEEP_NAMES", "OPTIMIZE", "PLAYER", "PYTHON", "WASM_OPT",
  ]

  /// The allowed prefixes of names in a file.
  private static func beginnings(in path: String) -> [String] {
    if path == "Package.swift" { return ["BUILD_"] }
    guard path.hasPrefix("Sources/"), !path.hasPrefix("Sources/Clients/Python/tests/") else {
      return ["TEST_", "PENTIMENTO_", "BUILD_"]
    }
    // Scripts among the sources are build scripts.
    return [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
      ? ["PENTIMENTO_"] : ["PENTIMENTO_", "BUILD_"]
  }

  private static func files() throws -> [String] {
    try ["Sources", "Tests", "Benchmarks", "Samples", ".ci", "docs/pictures"].flatMap { folder in
      let place = Corpus.project.appendingPathComponent(folder)
      return try FileManager.default.subpathsOfDirectory(atPath: place.path)
        .map { "\(folder)/\($0)" }
    } + ["Package.swift"]
  }

  /// The names in a file: in a shell script those that it reads, in other files all names in lines
  /// about an environment.
  private static func names(in path: String) -> [String] {
    let file = URL(fileURLWithPath: path)
    let endings = ["swift", "c", "h", "inc", "py", "js", "mjs", ""]
    guard endings.contains(file.pathExtension),
      let bytes = FileManager.default.contents(atPath: path),
      let text = String(bytes: bytes, encoding: .utf8)
    else { return [] }
    let first = text.prefix { $0 != "\n" }
    let isShell =
      file.pathExtension.isEmpty && !first.contains("python") && !first.contains("node")
    let marks = isShell ? ["$"] : ["environ", "getenv", "variable(", "process.env"]
    guard marks.contains(where: text.contains) else { return [] }
    return text.split(separator: "\n").filter { marks.contains(where: $0.contains) }.flatMap {
      isShell
        ? $0.matches(of: /\$\{?([A-Z][A-Z0-9_]*)(?![A-Za-z])/).map { String($0.output.1) }
        : $0.matches(of: /"([A-Z][A-Z0-9_]+)"|process\.env\.(\w+)/).map {
          String($0.output.1 ?? $0.output.2 ?? "")
        }
    }
  }

  @Test func `names of environment variables show their reader`()
    throws
  {
    let page = try ArchitectureTests.text("docs/CONTRIBUTING.md")
    var used: Set<String> = []
    for path in try Self.files() {
      let beginnings = Self.beginnings(in: path)
      for name in Self.names(in: Corpus.project.appendingPathComponent(path).path) {
        used.insert(name)
        if Self.others.contains(name) { continue }
        if Self.arguments.contains(name), path.hasSuffix("/build") { continue }
        if name == "ONLY", path == "Package.swift" { continue }
        #expect(beginnings.contains(where: name.hasPrefix), "\(path) reads \(name)")
        if name.hasPrefix("TEST_") || name.hasPrefix("BUILD_") {
          let family = name.split(separator: "_").prefix(2).joined(separator: "_")
          #expect(
            page.contains("`\(name)`") || page.contains("`\(name)=")
              || page.contains("`\(family)_…`"), "\(name)")
        }
      }
    }
    #expect(used.filter { $0.hasPrefix("TEST_") }.count > 20)
    #expect(used.isSuperset(of: Self.others.union(Self.arguments)))
  }
}
