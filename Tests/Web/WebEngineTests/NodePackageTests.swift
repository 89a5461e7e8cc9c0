import Checksums
import Foundation
import TestSupport
import Testing

/// The path of the module that `Sources/Web/WebEngine/build` wrote; `Tests/run` sets it.
private let enginePath = ProcessInfo.processInfo.environment["TEST_ENGINE"]

/// The package for Node, from its archive in an empty folder.
@Suite(.enabled(if: enginePath != nil, "needs a compiled engine"))
struct NodePackageTests {
  /// A folder with the package, a sample and the script that uses it.
  static func app(_ sample: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let project = Corpus.project
    let result = try Program.shell(
      """
      "$1/Sources/Web/Package/pack" "$PWD" "$(command -v pkd)" >/dev/null
      mkdir node_modules && tar xzf pentimento-*.tgz -C node_modules
      mv node_modules/package node_modules/pentimento
      cp "$1/Samples/$2.pkd" a.pkd
      cp "$1/Tests/Web/WebEngineTests/package.mjs" .
      """, project.path, sample, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    return folder
  }

  @Test(arguments: ["mood", "erased", "inks"])
  func `its pictures and files are those of pkd`(_ sample: String) throws {
    let folder = try Self.app(sample)
    let looks = [
      ("{}", ""), (#"{"scale": 2, "style": "dark"}"#, "--scale 2 --style dark"),
      (#"{"size": 300}"#, "--size 300"), (#"{"background": "none"}"#, "--background transparent"),
      (##"{"paper": "grid", "background": "#fffdf8"}"##, "--paper grid --background '#fffdf8'"),
      (#"{"region": [10, 20, 90, 60], "scale": 3}"#, "--region 10,20,90,60 --scale 3"),
      (#"{"at": 1.5}"#, "--at 1.5"), (#"{"earlier": true, "at": 3}"#, "--earlier --at 3"),
    ]
    let result = try Program.shell(
      "node package.mjs a.pkd \"$@\"", words: looks.map(\.0), in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n").map(String.init)
    try #require(lines.count == looks.count + 9, "\(result.text)")
    let commands = looks.map { "render \($0.1)" } + ["thumbnail"]
    for (line, command) in zip(lines, commands) {
      let drawn = try Program.shell(
        "pkd \(command) a.pkd --to rgba -o - | sha256sum", in: folder.url)
      let parts = line.split(separator: " ")
      #expect(parts[1] == drawn.text.prefix(64) && parts[2] == "true", "\(command): \(line)")
    }
    for (line, type) in zip(lines[commands.count...], ["svg", "pdf"]) {
      let made = try Program.shell(
        "pkd convert a.pkd --to \(type) -o - | sha256sum", in: folder.url)
      #expect(made.text.hasPrefix(line), "\(type)")
    }
    #expect(
      lines.suffix(5) == [
        "notARecording", "noPicture", "tooLarge", "ENOENT", "invalidArgument",
      ])
  }

  @Test func `its command draws, converts, tells facts and explains itself`() throws {
    let folder = try Self.app("mood")
    let result = try Program.shell(
      """
      pentimento() { node node_modules/pentimento/bin.mjs "$@"; }
      pentimento a.pkd a.png --size 64
      pentimento thumbnail a.pkd small.png
      pentimento - - < a.pkd > b.png
      pentimento a.pkd a.SVG
      pentimento a.pkd again.pkd
      pentimento info again.pkd
      pentimento --version
      pentimento --help | head -1
      cmp a.pkd again.pkd || pkd verify -q again.pkd
      for words in "" "a.pkd" "a.pkd a.gif" "a.pkd a.png --scale x" "a.pkd a.png --nothing" "x.pkd a.png"; do
        pentimento $words > out.txt 2> errors.txt && code=0 || code=$?
        echo "$code $(wc -l < errors.txt)"
      done
      """, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.text.contains("\"strokes\": ") && result.text.contains("\n0.1.0\nDraw ink"))
    #expect(result.text.hasSuffix("0 0\n1 1\n1 1\n1 1\n2 1\n1 1\n"), "\(result.text)")
    let heads = ["a.png", "small.png", "b.png"].map { name in
      (try? Data(contentsOf: folder.file(name)))?.prefix(4) ?? Data()
    }
    #expect(heads.allSatisfy { $0 == Data([0x89, 0x50, 0x4E, 0x47]) })
    #expect(try String(contentsOf: folder.file("a.SVG"), encoding: .utf8).contains("</svg>"))
  }
}
