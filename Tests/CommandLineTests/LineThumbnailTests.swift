import Foundation
import PNGFormat
import TestSupport
import Testing

/// `pkd thumbnail --ndjson`: a picture for each line of Quick, Draw! files.
struct LineThumbnailTests {
  private let folder: TemporaryFolder

  private static let cat =
    #"{"key_id": "11", "word": "cat", "drawing": [[[0, 100, 200], [0, 50, 0], [0, 100, 200]]]}"#
  private static let cut = #"{"key_id": "12", "word": "dog", "drawing": [[[0, 100], [0"#
  private static let sun =
    #"{"key_id": "13", "drawing": [[[0, 10], [0, 10], [0, 50]], [[5, 9], [7, 7], [90, 99]]]}"#

  init() throws {
    folder = try TemporaryFolder()
    try write("two", [Self.cat, Self.sun])
    try write("three", [Self.cat, Self.cut, Self.sun])
  }

  private func write(_ name: String, _ lines: [String]) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: folder.file(name + ".ndjson"))
  }

  private func sh(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  private func image(_ name: String) throws -> PNGImage {
    try PNGDecoder().decode([UInt8](try Data(contentsOf: folder.file(name))))
  }

  @Test func `an archive, a folder and the standard output get the same pictures`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson two.ndjson -o a.tar
      pkd thumbnail --ndjson two.ndjson -o out/
      pkd thumbnail --ndjson two.ndjson -o - > b.tar
      pkd thumbnail --ndjson - -o - < two.ndjson > c.tar
      cmp a.tar b.tar; cmp a.tar c.tar
      mkdir a; tar xf a.tar -C a; diff -r a out
      tar tf a.tar
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text == "11.png\n13.png\n")
    let picture = try image("out/11.png")
    #expect(picture.width == 256 && picture.height == 256)
    // The corner of the line is black, the space around it white.
    #expect(picture[128, 154].x < 10_000)
    #expect(picture[128, 20] == SIMD4(repeating: 65_535))
  }

  @Test func `all numbers of threads make the same archive`() throws {
    let lines = (0..<600).map {
      #"{"key_id": "\#($0)", "drawing": [[[0, \#($0 % 97), 90], [5, \#($0 % 89), 30]]], "word": "\#(String(repeating: "x", count: 800))"}"#
    }
    try write("many", lines)
    let result = try sh(
      """
      pkd thumbnail --ndjson --size 16 --threads 1 many.ndjson -o one.tar
      pkd thumbnail --ndjson --size 16 --threads 4 many.ndjson -o four.tar
      cmp one.tar four.tar && tar tf four.tar | cksum; seq -f %g.png 0 599 | cksum
      """)
    let sums = result.text.split(separator: "\n")
    #expect(result.code == 0 && sums.count == 2 && sums.first == sums.last, "\(result)")
  }

  @Test func `sizes are numbers of pixels within limits`() throws {
    for size in [8, 64, 2048] {
      let result = try sh("pkd thumbnail --ndjson --size \(size) two.ndjson -o \(size)/")
      #expect(result.code == 0, "\(result.errors)")
      let picture = try image("\(size)/13.png")
      #expect(picture.width == size && picture.height == size)
    }
    for size in ["7", "2049", "64x64", "big", "-1"] {
      let result = try sh("pkd thumbnail --ndjson --size=\(size) two.ndjson -o a.tar")
      #expect(result.code == 2 && result.errors.contains("from 8 to 2048"), "\(result)")
    }
  }

  @Test func `a damaged line costs no other line`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson three.ndjson -o a.tar || echo $?
      pkd thumbnail --ndjson two.ndjson -o b.tar; cmp a.tar b.tar && echo same
      """)
    #expect(result.text == "65\nsame\n")
    #expect(
      result.errors == "pkd: three.ndjson: the file ends too early at byte 57 of line 2\n")
    // Of a line of which a stroke is lost, the others are drawn.
    try write("part", [#"{"key_id": "5", "drawing": [[[1,9],[1,9]],[[1,2],[1]]]}"#])
    let part = try sh("pkd thumbnail --ndjson part.ndjson -o c.tar || echo $?; tar tf c.tar")
    #expect(part.text == "65\n5.png\n" && part.errors.contains("line 1"))
    // A thousand errors are not printed.
    try write("bad", Array(repeating: Self.cut, count: 50))
    let bad = try sh("pkd thumbnail --ndjson bad.ndjson -o d.tar || echo $?")
    #expect(bad.text == "65\n" && bad.errors.split(separator: "\n").count == 21)
    #expect(bad.errors.contains("50 drawings in all are damaged"))
  }

  @Test func `drawings without a name get the numbers of file and line`() throws {
    try write("odd", ["", #"{"key_id": "a/b", "drawing": []}"#, #"{"drawing": [[[1],[1]]]}"#])
    try write("empty", [])
    let result = try sh(
      "pkd thumbnail --ndjson empty.ndjson odd.ndjson odd.ndjson -o a.tar; tar tf a.tar")
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text == "2-2.png\n2-3.png\n3-2.png\n3-3.png\n")
  }

  @Test func `a name that comes twice is kept twice, but not replaced in a folder`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson two.ndjson two.ndjson -o a.tar; tar tf a.tar
      pkd thumbnail --ndjson two.ndjson two.ndjson -o out/ || echo $?; ls out
      """)
    #expect(result.text == "11.png\n13.png\n11.png\n13.png\n1\n11.png\n13.png\n")
    #expect(result.errors == "pkd: out/11.png: it exists already; --force replaces it\n")
  }

  @Test func `pictures in a folder are replaced only by force, a named archive always`() throws {
    let result = try sh(
      """
      mkdir out; echo mine > out/13.png
      pkd thumbnail --ndjson two.ndjson -o out/ || echo $?; cat out/13.png
      pkd thumbnail --ndjson --force two.ndjson -o out/ && head -c 4 out/13.png | tail -c 3
      echo; echo mine > a.tar; pkd thumbnail --ndjson two.ndjson -o a.tar && tar tf a.tar
      """)
    #expect(result.text == "1\nmine\nPNG\n11.png\n13.png\n")
    #expect(result.errors.contains("out/13.png") && result.errors.contains("--force"))
  }

  @Test func `a missing file is an error, and leaves no archive`() throws {
    let result = try sh("pkd thumbnail --ndjson two.ndjson none.ndjson -o a.tar || echo $?; ls")
    #expect(result.text == "1\nthree.ndjson\ntwo.ndjson\n")
    #expect(result.errors == "pkd: none.ndjson: No such file or directory\n")
  }

  @Test func `other outputs and options of pictures are refused`() throws {
    for line in ["two.ndjson", "two.ndjson -o a.png", "two.ndjson -o a.tar.gz"] {
      let result = try sh("pkd thumbnail --ndjson \(line)")
      #expect(result.code == 2 && result.errors.contains("needs -o FOLDER/"), "\(line)")
    }
    for option in ["--scale 2", "--page 1", "--margin 0", "--json", "--background red"] {
      let result = try sh("pkd thumbnail --ndjson two.ndjson -o a.tar \(option)")
      #expect(result.code == 2 && result.errors.contains("exclude each other"), "\(option)")
    }
    #expect(try sh("ls").text == "three.ndjson\ntwo.ndjson\n")
  }
}
