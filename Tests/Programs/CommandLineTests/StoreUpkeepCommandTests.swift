import Foundation
import TestSupport
import Testing

/// `pkd store` after lost or damaged data, and with mistyped arguments.
struct StoreUpkeepCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> Program.Result {
    try Program.run("pkd", ["store"] + words, in: folder.url)
  }

  private static let sample = Corpus.project.appendingPathComponent("Samples/mood.pkd").path

  private func submit(_ ids: String...) throws {
    for id in ids {
      let result = try run("submit", Self.sample, "--uid", "ann", "--id", id, "--root", "s")
      #expect(result.code == 0, "\(result.errors)")
    }
  }

  private func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.file(path).path)
  }

  @Test(arguments: [
    ["list", "--uid", "a"], ["get", "x", "--uid", "a"], ["gallery", "--uid", "a"],
    ["cards", "--uid", "a"], ["checkin", "list", "--uid", "a"], ["checkin", "chart", "--uid", "a"],
    ["checkin", "delete", "x", "--uid", "a"], ["delete", "x", "--uid", "a"], ["export"], ["stats"],
    ["sweep"], ["verify"], ["verify", "--repair"], ["rerender", "--all"], ["settings"],
    ["settings", "language", "en"], ["backup", "-o", "b.tar"], ["deliver", "--command", "true"],
  ])
  func `a mistyped store root is reported and never created`(_ words: [String]) throws {
    let result = try Program.run("pkd", ["store"] + words + ["--root", "mistyped"], in: folder.url)
    #expect(result.code == 2, "\(result.errors)")
    #expect(result.errors.contains("there is no service in 'mistyped'"), "\(result.errors)")
    #expect(!isThere("mistyped") && !isThere("b.tar"))
  }

  @Test func `every store verb refuses a lost database, and repair recreates it`() throws {
    try submit("a", "b")
    let recording = try Data(contentsOf: folder.file("s/users/ann/drawings/a/recording.pkd"))
    try FileManager.default.removeItem(at: folder.file("s/pentimento.db"))
    for words in [
      ["list", "--uid", "ann"], ["sweep", "--older-than", "0"], ["stats"], ["init"], ["seed"],
      ["submit", Self.sample, "--uid", "ann"], ["checkin", "add", "--uid", "ann"],
      ["backup", "-o", "b.tar"], ["rerender", "--all"], ["settings", "language", "en"],
    ] {
      let result = try Program.run("pkd", ["store"] + words + ["--root", "s"], in: folder.url)
      #expect(result.code == 65 && result.errors.contains("verify --repair"), "\(words): \(result)")
    }
    #expect(!isThere("s/pentimento.db") && isThere("s/users/ann/drawings/b/image.png"))
    let seen = try run("verify", "--root", "s")
    #expect(seen.code == 65 && seen.text.contains("its document is missing"))
    let repaired = try run("verify", "--repair", "--root", "s")
    #expect(repaired.code == 0, "\(repaired)")
    #expect(try run("list", "--uid", "ann", "--root", "s").text.split(separator: "\n").count == 2)
    #expect(try run("verify", "--deep", "--root", "s").code == 0)
    #expect(
      try Data(contentsOf: folder.file("s/users/ann/drawings/a/recording.pkd")) == recording)
  }

  @Test func `a damaged row is reported, and store lists end with 65`() throws {
    try submit("a", "b")
    let script = """
      import sqlite3
      database = sqlite3.connect("s/pentimento.db")
      database.execute("UPDATE documents SET created = created + 1 WHERE id = 'a'")
      database.commit()
      """
    let python = try Program.shell("python3 -c \"$1\"", script, in: folder.url)
    guard python.code == 0 else { return }  // the driver of SQLite may be missing
    for words in [
      ["list", "--uid", "ann"], ["gallery", "--uid", "ann"], ["cards", "--uid", "ann"], ["export"],
    ] {
      let result = try Program.run("pkd", ["store"] + words + ["--root", "s"], in: folder.url)
      #expect(result.code == 65 && result.errors.contains("users/ann/drawings/a: damaged"))
      #expect(result.text.contains("b"), "\(words)")
    }
    #expect(try run("verify", "--repair", "--root", "s").code == 0)
    #expect(try run("list", "--uid", "ann", "--root", "s").code == 0)
  }

  @Test func `a file that is far too large is refused without being read`() throws {
    #expect(truncate(sparse("huge.pkd"), 20 << 30) == 0)
    let bucket = "bucket/users/eve/drawings/x"
    try FileManager.default.createDirectory(
      at: folder.file(bucket), withIntermediateDirectories: true)
    #expect(truncate(sparse(bucket + "/recording.pkd"), 20 << 30) == 0)
    for words in [["submit", "huge.pkd", "--uid", "ann"], ["adopt", "bucket"]] {
      let result = try Program.shell(
        "pkd store \"$@\" --root s || echo ended with $?", words: words, in: folder.url)
      #expect(result.text.contains("ended with 65"), "\(result)")
      #expect(result.errors.contains("more than 10485759 bytes"), "\(result)")
    }
    let pipe = try Program.shell(
      "head -c 40000000 /dev/zero | pkd store submit - --uid ann --root s || echo ended with $?",
      in: folder.url)
    #expect(pipe.text.contains("ended with 65"), "\(pipe)")
    let info = try Program.run("pkd", ["info", "huge.pkd"], in: folder.url)
    #expect(info.code == 65 && info.errors.contains("more than"), "\(info)")
  }

  private func sparse(_ name: String) -> String {
    let path = folder.file(name).path
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return path
  }

  @Test func `settings belong to the store's folder, and every verb uses them`() throws {
    #expect(try run("init", "--root", "s").code == 0)
    for (name, value) in [
      ("base-url", "https://example.org/"), ("language", "zh-TW"), ("milestones", "1,2"),
      ("time-zone", "Asia/Taipei"), ("image-scale", "0.5"),
    ] {
      let result = try run("settings", name, value, "--root", "s")
      #expect(result.code == 0, "\(result.errors)")
    }
    try submit("a")
    let record = try run("get", "a", "--uid", "ann", "--root", "s")
    #expect(record.text.contains("https://example.org/users/ann/drawings/a/image.png"))
    #expect(try run("gallery", "--uid", "ann", "--root", "s").text.contains("畫廊"))
    #expect(try run("rerender", "a", "--image", "--uid", "ann", "--root", "s").code == 0)
    #expect(
      try run("get", "a", "--uid", "ann", "--root", "s").text.contains(
        "https://example.org/users/ann/drawings/a/image.png"))
    for (name, value) in [
      ("language", "fr"), ("milestones", "x"), ("image-scale", "0"), ("lang", "en"),
    ] {
      #expect(try run("settings", name, value, "--root", "s").code == 2, "\(name)")
    }
    #expect(try run("settings", "--json", "--root", "s").text.contains("\"milestones\": [1, 2]"))
  }

  @Test func `dry sweeps list removable folders and keep unknown ones`()
    throws
  {
    try submit("a")
    let users = folder.file("s/users/ann/drawings")
    for index in 0..<11 {
      try FileManager.default.copyItem(
        at: users.appendingPathComponent("a"), to: users.appendingPathComponent("o\(index)"))
    }
    let dry = try run("sweep", "--older-than", "0", "--dry-run", "--root", "s")
    #expect(dry.code == 65 && dry.text.contains("11 of 12"), "\(dry)")
    #expect(try run("sweep", "--older-than", "0", "--root", "s").code == 65)
    #expect(isThere("s/users/ann/drawings/o10"))
    let swept = try run("sweep", "--older-than", "0", "--yes", "--root", "s")
    #expect(swept.code == 0 && swept.text.contains("11 orphans moved to the trash"), "\(swept)")
    #expect(!isThere("s/users/ann/drawings/o10") && isThere("s/users/ann/drawings/a"))
  }

  @Test func `a service on a read-only disk can be read`() throws {
    try submit("a")
    _ = try run("checkin", "add", "--uid", "ann", "--root", "s")
    let script = """
      mount --bind s s && mount -o remount,bind,ro s
      for words in "list --uid ann" "gallery --uid ann" "checkin list --uid ann" stats verify \\
        "export" "get a --uid ann --size 20" "settings" "backup -o b.tar"; do
        pkd store $words --root s >/dev/null
      done
      pkd store list --uid ann --root s
      pkd store checkin add --uid ann --root s && exit 1 || true
      """
    let result = try Program.shell(
      "unshare -m sh -c true 2>/dev/null || exit 99; unshare -m sh -ec \"$1\"", script,
      in: folder.url)
    if result.code == 99 {
      print("skipped: this machine does not allow mounting")
      return
    }
    #expect(result.code == 0 && result.text.contains("  a  "), "\(result)")
  }

  @Test func `verify reports folders whose names no user or drawing can have`() throws {
    try submit("a")
    for odd in ["users/a b/drawings/x", "users/ann/drawings/.hidden"] {
      try FileManager.default.createDirectory(
        at: folder.file("s/\(odd)"), withIntermediateDirectories: true)
    }
    let result = try run("verify", "--root", "s")
    #expect(result.code == 65)
    for path in ["users/a b", "users/ann/drawings/.hidden"] {
      #expect(
        result.text.contains("\(path): no user or drawing can have this name"), "\(result.text)")
    }
    #expect(result.text.contains("that of a user with it is users/sub-"))
  }

  @Test func `a folder at the path of the settings is an error`() throws {
    try submit("a")
    try FileManager.default.removeItem(at: folder.file("s/settings.json"))
    try FileManager.default.createDirectory(
      at: folder.file("s/settings.json"), withIntermediateDirectories: true)
    for words in [["list", "--uid", "ann"], ["settings", "language", "de"], ["verify"]] {
      let result = try Program.run(
        "pkd", ["store"] + words + ["--root", "s"], in: folder.url)
      #expect(result.code == 65 && result.errors.contains("settings.json"), "\(result)")
    }
  }

  @Test func `a service on a full disk can be read`() throws {
    let script = """
      mkdir small && mount -t tmpfs -o size=1m tmpfs small
      pkd store submit "$1" --uid ann --id a --root small/s
      head -c 2000000 /dev/zero > small/fill 2>/dev/null || true
      pkd store list --uid ann --root small/s
      pkd store get a --uid ann --root small/s >/dev/null
      pkd store stats --root small/s >/dev/null
      pkd store checkin add --uid ann --root small/s && exit 1 || true
      rm small/fill
      pkd store verify --root small/s
      """
    let result = try Program.shell(
      "unshare -m sh -c true 2>/dev/null || exit 99; unshare -m sh -ec \"$1\" sh \"$2\"", script,
      Self.sample, in: folder.url)
    if result.code == 99 {
      print("skipped: this machine does not allow mounting")
      return
    }
    #expect(result.code == 0 && result.text.contains("  a  "), "\(result)")
  }
}
