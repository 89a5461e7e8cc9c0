import Foundation
import TestSupport
import Testing

/// Folders and lists as inputs of commands, and existing outputs.
struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let result = try shell(
      """
      mkdir -p notes/more/.hidden
      pkd record --demo --fast --quiet notes/one.pkd
      pkd convert --quiet notes/one.pkd notes/more/two.drawing
      pkd convert notes/one.pkd --to json notes/more/unnamed
      cp notes/one.pkd notes/more/.hidden/; cp notes/one.pkd notes/.three.pkd
      pkd render notes/one.pkd -o notes/picture.png
      echo '{"name": "a package"}' > notes/package.json
      echo 'no ink' > notes/readme.txt
      ln -s .. notes/more/back
      """)
    try #require(result.code == 0 && result.errors.isEmpty, "\(result)")
  }

  @discardableResult
  private func shell(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  private func inputs(_ arguments: String) throws -> [String] {
    let result = try shell("pkd verify \(arguments)")
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    return result.text.split(separator: "\n").compactMap { $0.split(separator: ":").first }
      .map(String.init)
  }

  @Test func `a folder as input stands for the ink in it, found by ending or content`() throws {
    #expect(try inputs("notes") == ["notes/one.pkd"])
    #expect(try inputs("notes/more/") == ["notes/more/two.drawing", "notes/more/unnamed"])
  }

  @Test func `recursion includes subfolders, but no hidden ones and no link cycles`() throws {
    let all = ["notes/more/two.drawing", "notes/more/unnamed", "notes/one.pkd"]
    #expect(try inputs("--recursive notes") == all)
    #expect(try inputs("-r notes/.") == all.map { $0.replacing("notes/", with: "notes/./") })
    // Files given by name are accepted, even if they are hidden.
    #expect(try inputs("notes/.three.pkd notes/more/.hidden").count == 2)
  }

  @Test func `gzipped Quick, Draw! lines are accepted wherever lines are`() throws {
    let result = try shell(
      """
      mkdir set; pkd convert --simplified notes/one.pkd line.ndjson
      cat line.ndjson line.ndjson | gzip > set/cat.ndjson.gz
      pkd info set | grep -c 'page'; pkd verify set/cat.ndjson.gz > /dev/null
      pkd render set -o out/; ls out; pkd render line.ndjson -o line.png; cmp line.png out/cat-2.png
      pkd convert set/cat.ndjson.gz again.ndjson; cat line.ndjson line.ndjson > both.ndjson
      pkd convert both.ndjson twice.ndjson; cmp again.ndjson twice.ndjson
      head -c 300 set/cat.ndjson.gz > cut.ndjson.gz
      for verb in info verify render; do pkd $verb cut.ndjson.gz > /dev/null || echo $?; done
      """)
    #expect(result.code == 0, "\(result)")
    #expect(result.text.hasSuffix("cat-1.png\ncat-2.png\n65\n65\n65\n"), "\(result)")
    #expect(result.errors.contains("the gzip data end too early at byte 300"), "\(result)")
  }

  @Test func `outputs of numbered pages replace no other input or output`() throws {
    let result = try shell(
      """
      for page in 1 2 3; do pkd convert notes/one.pkd line.ndjson; cat line.ndjson; done > a.ndjson
      cp a.ndjson b.ndjson; cp notes/one.pkd a-1.pkd; cp notes/one.pkd b-2.pkd
      pkd convert --to pkd a-1.pkd a.ndjson -f -o . || true
      cmp a-1.pkd notes/one.pkd && ls a-*.pkd
      pkd render b.ndjson b-2.pkd -o out/ || echo $?; pkd render notes/one.pkd -o one.png
      ls out; cmp out/b-2.png one.png
      """)
    #expect(
      result.errors.contains("a.ndjson: page 1 would become './a-1.pkd', which is"), "\(result)")
    #expect(result.errors.contains("b.ndjson: page 2 would become 'out/b-2.png'"), "\(result)")
    #expect(
      result.text == "a-1.pkd\na-2.pkd\na-3.pkd\n2\nb-1.png\nb-2.png\nb-3.png\n", "\(result)")
  }

  @Test func `a path that is too long is an error, not a skipped file`() throws {
    let result = try shell(
      """
      cp notes/one.pkd top.pkd; mkdir deep
      cd deep; python3 -c "import os
      for level in range(18): os.mkdir('n' * 250); os.chdir('n' * 250)
      open('a.pkd', 'w')"; cd ..
      pkd verify -r deep top.pkd || echo $?; rm -r deep
      """)
    #expect(result.text == "top.pkd: ok (5 strokes, 422 points)\n1\n", "\(result)")
    #expect(result.errors.contains("File name too long"), "\(result)")
  }

  @Test func `a folder without ink is an error that suggests a remedy`() throws {
    try shell("mkdir -p empty outer/inner; cp notes/one.pkd outer/inner/")
    let empty = try shell("pkd info empty")
    #expect(empty.code == 1 && empty.errors.contains("empty: there is no ink in this folder"))
    #expect(!empty.errors.contains("--recursive"))
    #expect(try shell("pkd info outer").errors.contains("--recursive also looks in its folders"))
    #expect(try shell("pkd info -r outer").code == 0)
    #expect(try shell("pkd info missing/").errors.contains("missing/: No such file"))
  }

  @Test func `a damaged file in a folder is reported, not skipped`() throws {
    try shell("head -c 100 /dev/urandom > notes/broken.pkd; : > notes/empty.pkd")
    let result = try shell("pkd verify notes")
    #expect(result.code == 65 && result.text.contains("notes/broken.pkd: damaged"), "\(result)")
    #expect(result.text.contains("notes/empty.pkd") && result.text.contains("notes/one.pkd: ok"))
  }

  @Test func `lists of inputs have a path on each line, or end names by zero bytes`() throws {
    try shell(
      """
      cp notes/one.pkd "$(printf 'two\\nlines.pkd')"; cp notes/one.pkd ./-
      printf 'notes/one.pkd\\r\\n\\nnotes/more\\n-\\n' > list
      """)
    #expect(
      try inputs("--files-from list")
        == ["notes/one.pkd", "notes/more/two.drawing", "notes/more/unnamed", "./-"])
    let piped = try shell("find . -name 'two*.pkd' -print0 | pkd verify --json --files-from -")
    #expect(piped.code == 0 && piped.text.contains("two\\nlines.pkd"), "\(piped)")
    #expect(try inputs("--files-from /dev/null") == [])
    #expect(try shell("pkd verify --files-from missing").code == 1)
    #expect(try shell("pkd verify - --files-from - < list").code == 2)
    #expect(try shell("pkd verify").code == 2)
  }

  @Test func `outputs in another folder keep the folders of their inputs`() throws {
    for line in ["render -r notes -o out", "thumbnail -r notes/ -o out/"] {
      let result = try shell("rm -rf out; mkdir out; pkd \(line); cd out; find -type f | sort")
      #expect(result.text == "./more/two.png\n./more/unnamed.png\n./one.png\n", "\(result)")
    }
    let flat = try shell("pkd render -r notes -o flat/ --with-folders; ls flat")
    #expect(flat.text == "notes-more-two.png\nnotes-more-unnamed.png\nnotes-one.png\n", "\(flat)")
    let ink = try shell("pkd convert -r notes ink/ --to pkd; cd ink; find -type f | sort")
    #expect(ink.text == "./more/two.pkd\n./more/unnamed.pkd\n./one.pkd\n", "\(ink)")
    let beside = try shell("pkd render notes/more; ls notes/more")
    #expect(beside.text.contains("two.png\n"), "\(beside)")
  }

  @Test func `an output folder inside of an input folder gives no inputs`() throws {
    let twice = try shell(
      "for i in 1 2; do pkd convert -r notes -o notes/ink/ --to pkd -f; done; cd notes; find ink -type f | sort"
    )
    #expect(twice.text == "ink/more/two.pkd\nink/more/unnamed.pkd\nink/one.pkd\n", "\(twice)")
  }

  @Test func `one output file for a folder of inputs is refused`() throws {
    for line in ["render notes -o one.png", "convert notes one.json", "replay notes -o one.gif"] {
      let result = try shell("pkd \(line)")
      #expect(result.code == 2 && result.errors.contains("is not a folder for 1"), "\(result)")
    }
  }

  @Test func `existing outputs are refused, replaced or kept by option`() throws {
    try shell("pkd render -r notes -o out/; echo old > out/one.png; rm out/more/two.png")
    #expect(try shell("pkd render -r notes -o out/").code == 1)
    try shell("rm out/more/two.png")
    let kept = try shell(
      "pkd render -r notes -o out/ --skip-existing; cat out/one.png; ls out/more")
    #expect(kept.text == "old\ntwo.png\nunnamed.png\n" && kept.errors.isEmpty, "\(kept)")
    #expect(
      try shell("pkd render notes/one.pkd --skip-existing -o out/one.png; cat out/one.png").text
        == "old\n")
    #expect(
      try shell("pkd render -r notes -o out/ --force; head -c 4 out/one.png | tail -c 3").text
        == "PNG")
    let both = try shell("pkd render notes --force --skip-existing")
    #expect(both.code == 2 && both.errors.contains("exclude each other"))
    for line in ["convert notes -o out/ --to svg", "replay notes -o out/ --to gif --fps 2"] {
      let result = try shell(
        "pkd \(line) && echo old > out/one.\(line.contains("svg") ? "svg" : "gif")")
      #expect(result.code == 0, "\(result)")
      #expect(try shell("pkd \(line)").code == 1)
      #expect(try shell("pkd \(line) --skip-existing").code == 0)
    }
    #expect(try shell("cat out/one.svg out/one.gif").text == "old\nold\n")
  }

  @Test func `replay, repair, cat and store accept several inputs`() throws {
    let films = try shell(
      "pkd replay -r notes -o films/ --to webp --fps 2; cd films; find -type f | sort")
    #expect(films.text == "./more/two.webp\n./more/unnamed.webp\n./one.webp\n", "\(films)")
    let beside = try shell(
      "pkd replay notes/one.pkd notes/more/two.drawing --fps 2; ls notes/*.apng notes/more/*.apng")
    #expect(beside.text == "notes/more/two.apng\nnotes/one.apng\n", "\(beside)")
    try shell("head -c -100 notes/one.pkd > notes/cut.pkd")
    let repaired = try shell(
      "pkd repair -r notes -o whole/; pkd verify --quiet whole && ls whole")
    #expect(repaired.text == "cut.pkd\none.pkd\n", "\(repaired)")
    #expect(
      try shell("pkd cat notes/one.pkd notes/more/two.drawing | grep -c pentimento-events").text
        == "2\n")
    let stored = try shell(
      "pkd store submit notes notes/more/two.drawing --uid ann --ids-from-names; pkd store list --uid ann"
    )
    #expect(stored.text.contains("one") && stored.text.contains("two"), "\(stored)")
  }

  @Test func `commands for recordings skip other ink in folders, but refuse named files`()
    throws
  {
    let lines = ["repair -o whole/", "index --remove", "store submit --uid ann"]
    for line in lines {
      let folder = try shell("pkd \(line) -r notes")
      #expect(folder.code == 0 && !folder.errors.contains("more/"), "\(line): \(folder)")
      #expect(try shell("pkd \(line) notes/more/unnamed").code == 65, "\(line)")
    }
    #expect(try shell("pkd store list --uid ann").text.split(separator: "\n").count == 2)
  }

  @Test func `converting new files of a folder into itself can be repeated`()
    throws
  {
    try shell(
      "for i in 1 2; do pkd convert notes/one.pkd line.ndjson; cat line.ndjson; done > notes/all.ndjson"
    )
    let line = "pkd convert -r notes -o notes/ --to pkd --skip-existing"
    let first = try shell("\(line) && cd notes && find . -name '*.pkd' | sort | xargs sha256sum")
    #expect(first.code == 0 && first.text.contains("all-2.pkd"), "\(first)")
    let second = try shell("\(line) && cd notes && find . -name '*.pkd' | sort | xargs sha256sum")
    #expect(second.code == 0 && second.text == first.text, "\(second)")
    // Without the option nothing marks them as outputs of an earlier run.
    #expect(try shell("pkd convert -r notes -o notes/ --to pkd").code == 2)
  }

  @Test func `folders of many names and deep ones are walked`() throws {
    let result = try shell(
      """
      mkdir many; cd many; seq 3000 | xargs touch
      deep=.; for i in $(seq 100); do deep=$deep/d; done; mkdir -p $deep; cp ../notes/one.pkd $deep/
      cd ..; pkd verify -r many | wc -l
      """)
    #expect(result.text == "1\n" && result.errors.isEmpty, "\(result)")
  }
}
