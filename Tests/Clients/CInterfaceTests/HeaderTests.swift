import CPentimento
import Foundation
import TestSupport
import Testing

struct HeaderTests {
  private static let folder = Corpus.project.appendingPathComponent(
    "Sources/Clients/CPentimento/include")

  private static func compilers() -> [String] {
    let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return ["clang", "gcc"].compactMap { name in
      paths.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
  }

  @Test func `the header is C and C++ without warnings, and has the sizes that Swift sees`() throws
  {
    let compilers = Self.compilers()
    if compilers.isEmpty { print("skipped: there is no C compiler") }
    let sizes: [(String, Int)] = [
      ("pentimento_error", MemoryLayout<pentimento_error>.size),
      ("pentimento_info", MemoryLayout<pentimento_info>.size),
      ("pentimento_stroke", MemoryLayout<pentimento_stroke>.size),
      ("pentimento_picture_options", MemoryLayout<pentimento_picture_options>.size),
      ("pentimento_lines", MemoryLayout<pentimento_lines>.size),
      ("pentimento_batch_options", MemoryLayout<pentimento_batch_options>.size),
    ]
    let checks = sizes.map { "typedef char \($0)_size[sizeof(\($0)) == \($1) ? 1 : -1];\n" }
    let folder = try TemporaryFolder()
    let source = folder.file("header.c")
    try Data(("#include \"pentimento.h\"\n" + checks.joined()).utf8).write(to: source)
    for compiler in compilers {
      for language in [["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++11"]] {
        let result = try Program.shell(
          "\"$@\" 2>&1",
          words: [compiler] + language + [
            "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", Self.folder.path,
            source.path,
          ], in: Corpus.project)
        #expect(result.code == 0, "\(compiler) \(language): \(result.text)")
      }
    }
  }

  @Test func `every function of the header exists, and no other`() throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent("pentimento.h"), encoding: .utf8)
    let names = text.matches(of: /\b(pentimento_\w+)\(/).map { String($0.output.1) }
    #expect(Set(names).count > 25)
    let exports = try FileManager.default.contentsOfDirectory(
      atPath: Corpus.project.appendingPathComponent("Sources/Clients/CInterface").path
    ).map {
      try String(
        contentsOf: Corpus.project.appendingPathComponent("Sources/Clients/CInterface/\($0)"),
        encoding: .utf8)
    }.joined()
    let defined = Set(
      exports.matches(of: /@_cdecl\("(\w+)"\)/).map { String($0.output.1) })
    #expect(defined == Set(names), "\(defined.symmetricDifference(names))")
  }

  @Test func `the version is that of the header`() {
    #expect(pentimento_version() == PENTIMENTO_VERSION)
  }
}
