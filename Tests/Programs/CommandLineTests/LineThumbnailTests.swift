import Foundation
import PNGFormat
import TestSupport
import Testing

/// `pkd thumbnail --ndjson`: a picture for each line of Quick, Draw! files.
struct LineThumbnailTests {
  private let folder: TemporaryFolder

  private static let cat =
    #"{"key_id": "11", "drawing": [[[0, 100, 200], [0, 50, 0], [0, 100, 200]]]}"#
  private static let cut = #"{"key_id": "12", "name": "dog", "drawing": [[[0, 100], [0"#
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

  @Test func `thumbnails are the same in an archive, a folder and the standard output`() throws {
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

  @Test func `a file without drawings gives no thumbnails, and a message says so`() throws {
    let result = try sh("printf '\n\n' | pkd thumbnail --ndjson - -o none/; ls none")
    #expect(result.errors.contains("no drawings in the input"), "\(result.errors)")
  }

  @Test func `thumbnail archives are the same for any number of threads`() throws {
    let lines = (0..<600).map {
      #"{"key_id": "\#($0)", "drawing": [[[0, \#($0 % 97), 90], [5, \#($0 % 89), 30]]], "more": "\#(String(repeating: "x", count: 800))"}"#
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

  @Test func `thumbnail sizes are numbers of pixels within limits`() throws {
    for size in [8, 64, 2048] {
      let result = try sh("pkd thumbnail --ndjson --size \(size) two.ndjson -o \(size)/")
      #expect(result.code == 0, "\(result.errors)")
      let picture = try image("\(size)/13.png")
      #expect(picture.width == size && picture.height == size)
    }
    for size in ["7", "2049", "64x64", "big", "-1"] {
      let result = try sh("pkd thumbnail --ndjson --size=\(size) two.ndjson -o a.tar")
      #expect(result.code == 2 && result.errors.contains("--size needs"), "\(result)")
    }
  }

  @Test func `a damaged line prevents no other thumbnail`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson three.ndjson -o a.tar || echo $?
      pkd thumbnail --ndjson two.ndjson -o b.tar; cmp a.tar b.tar && echo same
      """)
    #expect(result.text == "65\nsame\n")
    #expect(
      result.errors == "pkd: three.ndjson: the file ends too early at byte 57 of line 2\n")
    // If one stroke of a line is lost, the others are drawn.
    try write("part", [#"{"key_id": "5", "drawing": [[[1,9],[1,9]],[[1,2],[1]]]}"#])
    let part = try sh("pkd thumbnail --ndjson part.ndjson -o c.tar || echo $?; tar tf c.tar")
    #expect(part.text == "65\n5.png\n" && part.errors.contains("line 1"))
    // Only some of a thousand errors are printed.
    try write("bad", [Self.sun] + Array(repeating: Self.cut, count: 50))
    let bad = try sh("pkd thumbnail --ndjson bad.ndjson -o d.tar || echo $?")
    #expect(bad.text == "65\n" && bad.errors.split(separator: "\n").count == 21)
    #expect(bad.errors.contains("50 drawings in all are damaged"))
  }

  @Test func `thumbnails without a key are named by file and line number`() throws {
    let keys = [#""key_id": "a/b", "#, "", #""key_id": null, "#]
    try write("odd", [""] + keys.map { "{\($0)\"drawing\": [[[1],[1]]]}" })
    try write("empty", [])
    let result = try sh(
      "pkd thumbnail --ndjson empty.ndjson odd.ndjson odd.ndjson -o a.tar; tar tf a.tar")
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text == "2-2.png\n2-3.png\n2-4.png\n3-2.png\n3-3.png\n3-4.png\n")
  }

  @Test func `repeated thumbnail names are numbered, in archives and folders`() throws {
    try write("key", [#"{"key_id": "11-2", "drawing": []}"#, Self.cat, Self.sun, Self.cat])
    let result = try sh(
      """
      pkd thumbnail --ndjson two.ndjson two.ndjson key.ndjson -o a.tar; tar tf a.tar
      pkd thumbnail --ndjson two.ndjson two.ndjson key.ndjson -o out/
      mkdir a; tar xf a.tar -C a; diff -r a out
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    #expect(
      result.text == """
        11.png
        13.png
        11-2.png
        13-2.png
        3-1.png
        11-3.png
        13-3.png
        11-4.png

        """)
  }

  @Test func `a numbered thumbnail name is never that of another thumbnail`() throws {
    // The second unnamed drawing would be 2-2, the same name as that of the second drawing named 2.
    let nameless = #"{"drawing": [[[1],[1]]]}"#
    try write("named", Array(repeating: #"{"key_id": "2", "drawing": []}"#, count: 2))
    try write("nameless", [nameless, nameless, #"{"key_id": "02", "drawing": []}"#])
    let result = try sh(
      "pkd thumbnail --ndjson named.ndjson nameless.ndjson -o a.tar; tar tf a.tar; tar xf a.tar")
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    #expect(result.text == "2.png\n2-2.png\n2-1.png\n2-2-2.png\n02.png\n")
  }

  @Test func `thumbnails in a folder are replaced only with --force, an archive always`() throws {
    let result = try sh(
      """
      mkdir out; echo mine > out/13.png
      pkd thumbnail --ndjson two.ndjson -o out/ || echo $?; cat out/13.png
      pkd thumbnail --ndjson --force two.ndjson -o out/ && head -c 4 out/13.png | tail -c 3
      echo; echo mine > a.tar; pkd thumbnail --ndjson two.ndjson -o a.tar && tar tf a.tar
      """)
    #expect(result.text == "1\nmine\nPNG\n11.png\n13.png\n")
    #expect(result.errors == "pkd: out/13.png: it exists already; --force replaces it\n")
  }

  @Test func `an existing thumbnail does not prevent the others`() throws {
    let result = try sh(
      """
      mkdir out; echo mine > out/11.png; ln -s gone out/13.png
      pkd thumbnail --ndjson two.ndjson -o out/ 2> /dev/null || echo $?
      pkd thumbnail --ndjson two.ndjson three.ndjson -o out/ || echo $?; cat out/11.png; ls -A out
      """)
    #expect(
      result.text == "1\n65\nmine\n11-2.png\n11.png\n13-2.png\n13.png\n", "\(result)")
    #expect(
      result.errors.split(separator: "\n").filter { $0.contains("exists already") }.count == 2)
  }

  @Test func `a full disk leaves only the old thumbnails`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson two.ndjson -o out/; cp -r out before
      (ulimit -f 1; pkd thumbnail --ndjson --force --size 2048 two.ndjson -o out/) || echo $?
      (ulimit -f 1; pkd thumbnail --ndjson --size 2048 two.ndjson -o new/) || echo $?
      diff -r out before; ls -A new
      """)
    #expect(result.text == "1\n1\n" && result.errors.contains("File too large"), "\(result)")
  }

  @Test func `an interrupted run leaves only whole thumbnails`() throws {
    let lines = (0..<3000).map {
      #"{"key_id": "\#($0 + 1)", "drawing": [[[0, \#($0 % 97), 90], [5, \#($0 % 89), 30]]]}"#
    }
    try write("many", lines)
    // The pipe stays open, so that the run cannot end by itself.
    let result = try sh(
      """
      mkdir out; mkfifo pipe
      pkd thumbnail --ndjson --size 512 pipe -o out/ & run=$!
      exec 3> pipe; cat many.ndjson >&3 &
      for turn in $(seq 2000); do ls out | grep -q png && break; done
      kill -TERM $run; code=0; wait $run || code=$?; echo $code
      ls -A out | grep -v '^[0-9]*.png$' || true
      for file in out/*; do tail -c 8 $file | head -c 4; echo; done | sort -u
      """)
    #expect(result.text == "130\nIEND\n", "\(result)")
  }

  @Test func `lines from a pipe are drawn before more arrive`() throws {
    let result = try sh(
      """
      wait() { for turn in $(seq 3000); do [ -f $1 ] && return; sleep 0.01; done; echo "no $1" >&2; }
      (cat two.ndjson; wait out/13.png; cat two.ndjson) | pkd thumbnail --ndjson - -o out/
      (gzip -c two.ndjson; wait gz/13.png; gzip -c two.ndjson) | pkd thumbnail --ndjson - -o gz/
      ls out gz | grep -c png
      """)
    #expect(result.code == 0 && result.errors.isEmpty && result.text == "8\n", "\(result)")
  }

  @Test func `a byte order mark, blanks and zeros around lines are no damage`() throws {
    let lines = "\u{FEFF}" + Self.cat + " \r\n" + Self.sun + "\0\0\0\n\0\0"
    try Data(lines.utf8).write(to: folder.file("odd.ndjson"))
    let result = try sh(
      """
      pkd thumbnail --ndjson odd.ndjson -o a.tar; pkd thumbnail --ndjson two.ndjson -o b.tar
      cmp a.tar b.tar
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
  }

  @Test func `thumbnail --ndjson does not read other files to their end`() throws {
    try write("text", (0..<9000).map { "line \($0) of a long story about something else" })
    try write("late", Array(repeating: Self.cut, count: 19) + [Self.sun])
    let result = try sh(
      """
      pkd thumbnail --ndjson text.ndjson two.ndjson -o a.tar || echo $?
      pkd thumbnail --ndjson two.ndjson -o b.tar; cmp a.tar b.tar
      pkd thumbnail --ndjson late.ndjson -o c.tar 2> /dev/null || echo $?; tar tf c.tar
      """)
    #expect(result.text == "65\n65\n13.png\n", "\(result)")
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 21)
    #expect(errors.last?.contains("text.ndjson: the first 20 lines are damaged") == true)
  }

  @Test func `thumbnail --ndjson of a missing file leaves no archive`() throws {
    let result = try sh("pkd thumbnail --ndjson two.ndjson none.ndjson -o a.tar || echo $?; ls")
    #expect(result.text == "1\nthree.ndjson\ntwo.ndjson\n")
    #expect(result.errors == "pkd: none.ndjson: No such file or directory\n")
  }

  @Test func `thumbnail --ndjson refuses other outputs and picture options`() throws {
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

  // MARK: - Labels

  private static func labelled(_ label: String, _ key: String = "1") throws -> String {
    let text = try JSONSerialization.data(withJSONObject: [label])
    return
      #"{"key_id": "\#(key)", "word": \#(String(decoding: text.dropFirst().dropLast(), as: UTF8.self)), "#
      + #""drawing": [[[0, 100], [0, 50]]]}"#
  }

  @Test func `thumbnails are sorted into folders by label, in archives too`() throws {
    try write(
      "words",
      [
        Self.labelled("The Eiffel Tower"), Self.labelled("cat"), Self.labelled("cat"),
        Self.labelled("cat", "2"), Self.cat, Self.labelled("été"),
      ])
    let result = try sh(
      """
      pkd thumbnail --ndjson words.ndjson -o a.tar; tar tf a.tar --quoting-style=literal
      pkd thumbnail --ndjson words.ndjson -o out/; mkdir a; tar xf a.tar -C a; diff -r a out
      pkd thumbnail --ndjson --threads 4 words.ndjson words.ndjson -o - | tar t | sort | uniq -d
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    #expect(
      result.text == """
        The Eiffel Tower/1.png
        cat/1.png
        cat/1-2.png
        cat/2.png
        11.png
        été/1.png

        """)
  }

  @Test func `no label leads out of the output folder, and no two share a folder`() throws {
    let labels = [
      "..", ".", "/etc/x", "../../x", "a/b", "a%2Fb", "a\\b", "C:x", "*", "a?", "\"", "<b>", "|",
      "%", " ",
      "sp ", "dot.", ".hidden", "-rf", "x.png", "x.PNG", "x\u{0}y", "a\nb", "\u{9B}31m", "\u{7F}",
      "x", "X",
      "é", "e\u{301}", String(repeating: "l", count: 155), String(repeating: "l", count: 156),
      String(repeating: "l", count: 157), String(repeating: "ü", count: 100_000),
      String(repeating: "ü", count: 100_001), String(repeating: "%", count: 51),
      String(repeating: "%", count: 52), String(repeating: "%", count: 53),
    ]
    try write("hostile", try labels.map { try Self.labelled($0) })
    let result = try sh(
      """
      pkd thumbnail --ndjson --size 8 hostile.ndjson -o out/
      pkd thumbnail --ndjson --size 8 hostile.ndjson -o a.tar
      mkdir a; tar xf a.tar -C a; diff -r a out; ls; find out -path 'out/*/1.png' | wc -l
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    #expect(
      result.text == "a\na.tar\nhostile.ndjson\nout\nthree.ndjson\ntwo.ndjson\n\(labels.count)\n")
    let names = try sh("ls -AN1 out").text.split(separator: "\n").map(String.init)
    // Not by `==` of texts, which treats two spellings of a letter as equal.
    let found = Set(names.map { Array($0.utf8) })
    #expect(found.count == labels.count && names.count == labels.count, "\(names)")
    for name in names {
      #expect(name.utf8.count <= 155 && ![".", "-"].contains(name.prefix(1)), "\(name)")
      let isPlain = name.utf8.allSatisfy {
        $0 > 0x1F && $0 != 0x7F && !#"/\:*?"<>|"#.utf8.contains($0)
      }
      #expect(isPlain, "\(name)")
    }
    // All labels that are not too long can be restored.
    let again = Set(names.compactMap { $0.removingPercentEncoding.map { Array($0.utf8) } })
    for label in labels
    where label.utf8.count <= 51 || label.hasPrefix("lll") && label.utf8.count == 155 {
      #expect(again.contains(Array(label.utf8)), "\(label)")
    }
    #expect(names.filter { $0.contains("%-") }.count == 6)
  }

  @Test func `a thumbnail in a label's folder is replaced only with --force`() throws {
    try write("words", [Self.labelled("cat"), Self.labelled("dog")])
    let result = try sh(
      """
      mkdir -p out/cat; echo mine > out/cat/1.png
      pkd thumbnail --ndjson words.ndjson -o out/ || echo $?; cat out/cat/1.png; ls out/dog
      pkd thumbnail --ndjson --force words.ndjson -o out/; head -c 4 out/cat/1.png | tail -c 3; echo
      mkdir new; echo mine > new/cat; pkd thumbnail --ndjson --force words.ndjson -o new/ || echo $?
      cat new/cat
      """)
    #expect(result.text == "1\nmine\n1.png\nPNG\n1\nmine\n", "\(result)")
    #expect(result.errors.contains("out/cat/1.png: it exists already"))
    #expect(result.errors.contains("new/cat/1.png: Not a directory"))
  }

  // MARK: - Packed lines

  @Test func `gzipped lines give the same thumbnails as plain ones`() throws {
    let result = try sh(
      """
      pkd thumbnail --ndjson two.ndjson three.ndjson -o a.tar 2> a || echo $?
      gzip -k two.ndjson three.ndjson; head -1 three.ndjson | gzip > parts.gz
      tail -n +2 three.ndjson | gzip >> parts.gz; head -c 512 /dev/zero >> parts.gz
      pkd thumbnail --ndjson two.ndjson.gz three.ndjson.gz -o b.tar 2> b || echo $?; cmp a.tar b.tar
      pkd thumbnail --ndjson two.ndjson parts.gz -o c.tar 2> /dev/null || echo $?; cmp a.tar c.tar
      (head -c 1 two.ndjson.gz; sleep 0.1; tail -c +2 two.ndjson.gz) |
        pkd thumbnail --ndjson - three.ndjson -o d.tar 2> /dev/null || echo $?; cmp a.tar d.tar
      : | gzip > empty.gz; pkd thumbnail --ndjson empty.gz -o e.tar && tar tf e.tar
      sed s/.gz// b | cmp - a
      """)
    #expect(result.code == 0 && result.text == "65\n65\n65\n65\n", "\(result)")
    #expect(
      result.errors == "pkd: no pictures were made: there are no drawings in the input\n",
      "\(result)")
  }

  @Test func `damage in a gzipped file loses the lines behind it`() throws {
    try write(
      "many", (1...2000).map { #"{"key_id": "\#($0)", "drawing": [[[0, \#($0)], [9, 5]]]}"# })
    let result = try sh(
      """
      gzip -k many.ndjson two.ndjson; (cat two.ndjson.gz; echo more) > more.gz
      head -c 6000 many.ndjson.gz > cut.gz
      (head -c 20 two.ndjson.gz; head -c 40 /dev/zero) > bad.gz
      for file in cut.gz more.gz bad.gz; do
        pkd thumbnail --ndjson --size 8 $file two.ndjson -o a.tar || echo $?
        tar tf a.tar | head -1; tar tf a.tar | tail -1
      done
      """)
    #expect(
      result.text == "65\n1.png\n13-2.png\n65\n11.png\n13-2.png\n65\n11.png\n13.png\n", "\(result)")
    #expect(result.errors.contains("pkd: cut.gz: the gzip data end too early at byte 6000\n"))
    #expect(result.errors.contains("pkd: more.gz: the gzip data are damaged"))
    #expect(result.errors.contains("pkd: bad.gz: the gzip data are damaged"))
  }

  @Test func `a gzip file of one endless line is refused with little memory`() throws {
    let result = try sh(
      """
      head -c 80000000 /dev/zero | gzip -1 > bomb.gz
      # The address sanitizer reserves terabytes of addresses, and starts with no limit.
      if (ulimit -v 900000; pkd --version > version 2>&1); then ulimit -v 900000; fi
      pkd thumbnail --ndjson --threads 1 bomb.gz -o a.tar || echo $?; ls a.tar || true
      """)
    #expect(result.text == "65\n", "\(result)")
    #expect(result.errors.contains("bomb.gz: line 1 has more than 67108864 bytes"))
  }
}
