import Foundation
import PNGFormat
import TestSupport
import Testing

/// A service in a temporary folder, and `pkd store` commands for it.
struct StoreFolder {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static func sample(_ name: String) -> String {
    Corpus.project.appendingPathComponent("Samples/\(name).pkd").path
  }

  @discardableResult
  func run(_ words: String...) throws -> Program.Result {
    try Program.run("pkd", ["store"] + words, in: folder.url)
  }

  /// The JSON that a verb prints.
  func json(_ words: String...) throws -> Any {
    let result = try Program.run("pkd", ["store"] + words + ["--json"], in: folder.url)
    return try JSONSerialization.jsonObject(with: result.output, options: .fragmentsAllowed)
  }

  func object(_ words: String...) throws -> [String: Any] {
    let result = try Program.run("pkd", ["store"] + words + ["--json"], in: folder.url)
    return try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result)")
  }

  func file(_ path: String) -> URL { folder.file("pentimento-data/" + path) }

  func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: file(path))) }
}

struct StoreCommandTests {
  @Test func `a stored drawing is returned unchanged, with its pictures`() throws {
    let store = try StoreFolder()
    let sample = StoreFolder.sample("mood")
    let kept = try store.object("submit", sample, "--uid", "ann", "--id", "a", "--prompt", "Draw!")
    #expect(kept["id"] as? String == "a")
    #expect(kept["promptUsed"] as? String == "Draw!")
    #expect(kept["imageURL"] as? String == "file:users/ann/drawings/a/image.png")
    let recording = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    let got = try store.run("get", "a", "--uid", "ann", "--file", "recording")
    #expect([UInt8](got.output) == recording)
    #expect(try store.bytes("users/ann/drawings/a/recording.pkd") == recording)
    let thumbnail = try PNGDecoder().decode(store.bytes("users/ann/drawings/a/thumbnail.png"))
    #expect(max(thumbnail.width, thumbnail.height) == 256)
    let dark = try store.run("get", "a", "--uid", "ann", "--size", "64", "--style", "dark")
    let picture = try PNGDecoder().decode([UInt8](dark.output))
    #expect(max(picture.width, picture.height) == 64)
    let again = try store.run("get", "a", "--uid", "ann", "--size", "64", "--style", "dark")
    #expect(again.output == dark.output)
    #expect(try store.run("verify").code == 0)
  }

  @Test func `PencilKit archives are stored unchanged, and other bytes are refused`() throws {
    let store = try StoreFolder()
    let archive = store.folder.file("page.drawing").path
    _ = try Program.run("pkd", ["convert", StoreFolder.sample("mood"), archive])
    #expect(try store.run("submit", archive, "--uid", "ann", "--id", "a").code == 0)
    #expect(
      try store.bytes("users/ann/drawings/a/recording.pkd")
        == [UInt8](try Data(contentsOf: URL(fileURLWithPath: archive))))

    let json = store.folder.file("page.json").path
    _ = try Program.run("pkd", ["convert", StoreFolder.sample("mood"), json])
    let picture = store.file("users/ann/drawings/a/image.png").path
    for (wrong, reason) in [
      (json, "neither a PencilKit archive nor a .pkd file"), (picture, "a picture (PNG), not ink"),
    ] {
      let result = try store.run("submit", wrong, "--uid", "ann", "--id", "b")
      #expect(result.code == 65)
      #expect(result.errors.contains(reason))
    }
    let image = try store.run(
      "submit", archive, "--uid", "ann", "--id", "b", "--image", archive)
    #expect(image.code == 65)
    #expect(image.errors.contains("not a valid PNG"))
    #expect(!FileManager.default.fileExists(atPath: store.file("users/ann/drawings/b").path))
  }

  @Test func `users see only their own data`() throws {
    let store = try StoreFolder()
    let sample = StoreFolder.sample("mood")
    #expect(try store.run("submit", sample, "--as", "ann", "--id", "a").code == 0)
    #expect(try store.run("get", "a", "--as", "ann", "--json").code == 0)
    for words in [
      ["get", "a"], ["list"], ["gallery"], ["cards"], ["delete", "a"], ["export"],
      ["get", "a", "--file", "image"], ["get", "a", "--size", "20"], ["rerender", "a"],
      ["submit", sample, "--id", "b"], ["checkin", "add", "--emotion", "joy"],
      ["checkin", "list"], ["delete", "--everything"],
    ] {
      for caller in ["bob", ""] {
        let result = try Program.run(
          "pkd", ["store"] + words + ["--uid", "ann", "--as", caller], in: store.folder.url)
        #expect(result.code == 77, "\(words) as '\(caller)': \(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("not allowed"))
      }
    }
    for words in [["sweep"], ["verify"], ["stats"], ["backup", "-o", "b.tar"], ["adopt", "."]] {
      let result = try Program.run(
        "pkd", ["store"] + words + ["--as", "ann"], in: store.folder.url)
      #expect(result.code == 2, "\(words)")
    }
    #expect(try store.run("seed", "--as", "ann").code == 77)
    #expect(try store.object("stats")["drawings"] as? Int == 1)
  }

  @Test func `operators and owners invite to drawings, and others do not`() throws {
    let store = try StoreFolder()
    try store.run("submit", StoreFolder.sample("mood"), "--uid", "ann", "--id", "a")
    let code = try store.run("invite", "a", "--uid", "ann")
    #expect(code.code == 0 && code.text.count == 21, "\(code)")
    let invited = try store.object(
      "invite", "a", "--as", "ann", "--role", "writer", "--days", "2", "--uses", "3")
    #expect(invited["role"] as? String == "writer" && invited["uses"] as? Int == 3)
    #expect(try store.json("members", "a", "--uid", "ann") as? [String] == [])
    for words in [["invite", "a"], ["members", "a"], ["remove-member", "a", "cat"]] {
      let result = try Program.run(
        "pkd", ["store"] + words + ["--uid", "ann", "--as", "bob"], in: store.folder.url)
      #expect(result.code == 77, "\(words): \(result)")
    }
    #expect(try store.run("remove-member", "a", "cat", "--uid", "ann").code == 1)
    #expect(try store.run("invite", "none", "--uid", "ann").code == 1)
    #expect(try store.run("invite", "a", "--uid", "ann", "--uses", "101").code == 2)
  }

  @Test func `the store refuses names that lead out of its folder`() throws {
    let store = try StoreFolder()
    try store.run("init")
    let sample = StoreFolder.sample("mood")
    for name in [
      "..", "a/b", "/etc", ".hidden", "ä", "a b", "", String(repeating: "x", count: 129),
    ] {
      #expect(try store.run("submit", sample, "--uid", name).code == 2, "uid '\(name)'")
      #expect(try store.run("submit", sample, "--uid", "ann", "--id", name).code == 2, "'\(name)'")
    }
    #expect(!FileManager.default.fileExists(atPath: store.file("users").path))
  }

  @Test func `check-ins, cards and the gallery show the stored data`() throws {
    let store = try StoreFolder()
    let sample = StoreFolder.sample("mood")
    for (id, date) in [("c1", "2026-11-20T08:00:00Z"), ("c2", "2026-11-21T08:00:00Z")] {
      let result = try store.run(
        "checkin", "add", "--uid", "ann", "--id", id, "--emotion", "joy", "--color", "#FFD700",
        "--date", date)
      #expect(result.text == id + "\n")
    }
    for (id, checkIn) in [("d1", "c1"), ("d2", "c1"), ("d3", "c2")] {
      try store.run("submit", sample, "--uid", "ann", "--id", id, "--checkin", checkIn)
    }
    let cards = try #require(try store.json("cards", "--uid", "ann") as? [[String: Any]])
    let shown = cards.map { card in
      (card["drawings"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }
    #expect(shown == [["d3"], ["d1", "d2"]])
    let list = try #require(try store.json("checkin", "list", "--uid", "ann") as? [[String: Any]])
    #expect(list.compactMap { $0["id"] as? String } == ["c2", "c1"])
    let gallery = try store.run("gallery", "--uid", "ann", "--lang", "zh-TW", "--limit", "2")
    #expect(gallery.text.hasPrefix("畫廊"))
    #expect(gallery.errors.contains("more: --after "))
    let ofCheckIn = try store.object("list", "--uid", "ann", "--checkin", "c1")
    #expect((ofCheckIn["drawings"] as? [Any])?.count == 2)
    #expect(try store.run("checkin", "delete", "c1", "--uid", "ann").code == 0)
    #expect(try store.run("checkin", "delete", "c1", "--uid", "ann").code == 1)
    #expect(try store.run("gallery", "--uid", "bob").text.contains("No drawings yet"))
    #expect(
      try store.run("checkin", "add", "--uid", "ann", "--color", "gold").errors.contains("colorHex")
    )
  }

  @Test func `adopting a bucket again adopts only new drawings`() throws {
    let store = try StoreFolder()
    let sample = StoreFolder.sample("mood")
    func addFile(_ path: String, _ bytes: Data) throws {
      let url = store.folder.file("bucket/users/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: url)
    }
    let recording = try Data(contentsOf: URL(fileURLWithPath: sample))
    let image = try Program.run("pkd", ["render", "--size", "40", sample, "-o", "-"]).output
    try addFile("ann/drawings/a/recording.pkd", recording)
    try addFile("ann/drawings/a/image.png", image)
    try addFile("bob/drawings/b/recording.pkd", recording)
    try addFile("bob/drawings/b/image.png", Data("no picture".utf8))
    try addFile("bob/drawings/c/recording.pkd", Data("no drawing".utf8))
    try addFile("bob/drawings/ü/recording.pkd", recording)
    let first = try store.run("adopt", "bucket")
    #expect(first.code == 65)
    #expect(first.text == "2 adopted, 0 already stored, 1 failed\n")
    #expect(first.errors.contains("bob/c"))
    #expect(first.errors.contains("skipped"))
    #expect(try store.bytes("users/ann/drawings/a/image.png") == [UInt8](image))
    #expect(try PNGDecoder().decode(store.bytes("users/bob/drawings/b/image.png")).width > 40)
    try addFile("bob/drawings/c/recording.pkd", recording)
    let second = try store.object("adopt", "bucket")
    #expect(second["adopted"] as? Int == 1)
    #expect(second["alreadyThere"] as? Int == 2)
    #expect(try store.run("verify").code == 0)
  }

  @Test func `store verify finds damaged pictures, and rerender restores them`() throws {
    let store = try StoreFolder()
    try store.run("submit", StoreFolder.sample("mood"), "--uid", "ann", "--id", "a")
    for name in ["image.png", "thumbnail.png"] {
      var bytes = try store.bytes("users/ann/drawings/a/\(name)")
      bytes[bytes.count / 2] ^= 1
      try Data(bytes).write(to: store.file("users/ann/drawings/a/\(name)"))
    }
    let found = try store.run("verify")
    #expect(found.code == 65)
    #expect(found.text.contains("thumbnail.png"))
    // Reading an image renders it again.
    #expect(try store.run("get", "a", "--uid", "ann", "--file", "image").code == 0)
    #expect(try !store.run("verify").text.contains("image.png"))
    #expect(try store.run("verify", "--repair").code == 0)
    #expect(try store.run("verify").text.hasSuffix(": ok\n"))

    var recording = try store.bytes("users/ann/drawings/a/recording.pkd")
    recording[recording.count / 2] ^= 1
    try Data(recording).write(to: store.file("users/ann/drawings/a/recording.pkd"))
    #expect(try store.run("verify", "--repair").code == 65)
  }

  @Test func `a store backup contains everything, and is restored as a service`() throws {
    let store = try StoreFolder()
    try store.run("seed")
    try store.run("submit", StoreFolder.sample("mood"), "--uid", "ann", "--id", "a")
    try store.run("checkin", "add", "--uid", "ann", "--emotion", "calm", "--id", "c")
    #expect(try store.run("backup", "-o", "b.tar").code == 0)
    let names = try Program.shell("tar tf b.tar", in: store.folder.url).text
    #expect(names.hasSuffix("pentimento.db\nMANIFEST\n"))
    #expect(try store.run("restore", "b.tar").code == 1)
    #expect(try store.run("restore", "b.tar", "--root", "other").code == 0)
    #expect(try store.run("verify", "--root", "other").code == 0)
    let (one, other) = (try store.run("export"), try store.run("export", "--root", "other"))
    #expect(!one.output.isEmpty && one.output == other.output)
    let damaged = try Program.shell(
      "head -c 3000 b.tar > cut.tar; pkd store restore cut.tar --root third", in: store.folder.url)
    #expect(damaged.code == 65)
    #expect(
      !FileManager.default.fileExists(
        atPath: store.folder.file("third/pentimento.db").path))
  }

  @Test func `delivered events are not delivered again`() throws {
    let store = try StoreFolder()
    for index in 0..<10 { try store.run("checkin", "add", "--uid", "ann", "--id", "c\(index)") }
    #expect(try store.run("deliver", "--command", "false").code == 1)
    #expect(try store.object("stats")["waitingEvents"] as? Int == 1)
    // It waits a minute before the retry; another user's event does not.
    for index in 0..<10 { try store.run("checkin", "add", "--uid", "bob", "--id", "c\(index)") }
    let result = try store.object("deliver", "--command", "cat >> events")
    #expect(result["delivered"] as? Int == 1)
    let event = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: store.folder.file("events")))
        as? [String: Any])
    #expect(event["kind"] as? String == "milestone")
    #expect(event["uid"] as? String == "bob")
    #expect(try store.object("deliver", "--command", "cat >> events")["delivered"] as? Int == 0)
  }

  @Test func `a webhook accepts an event only with a status of 2xx`() throws {
    let store = try StoreFolder()
    // Replaces curl: records the address and the posted bytes, and prints a status.
    let script =
      "#!/bin/sh\necho \"$*\" >> requests; cat >> posted; echo chatter >&2; printf %s $ANSWER\n"
    try Data(script.utf8).write(to: store.folder.file("curl"))
    for (answer, isDelivered) in [("301", false), ("500", false), ("000", false), ("204", true)] {
      // Failed events wait for a minute, so each run has one event.
      for _ in 0..<10 { try store.run("checkin", "add", "--uid", "u\(answer)") }
      let result = try Program.shell(
        "chmod +x curl; PATH=\"$PWD:$PATH\" ANSWER=$1 pkd store deliver --json "
          + "--webhook \"https://example.org/it's?a=1\"", answer, in: store.folder.url)
      #expect(result.code == (isDelivered ? 0 : 1), "\(answer): \(result)")
      let counts = try #require(
        try JSONSerialization.jsonObject(with: result.output) as? [String: Int], "\(result)")
      #expect(
        counts["delivered"] == (isDelivered ? 1 : 0) && counts["failed"] == (isDelivered ? 0 : 1))
    }
    let requests = try String(contentsOf: store.folder.file("requests"), encoding: .utf8)
    #expect(
      requests.split(separator: "\n").allSatisfy { $0.hasSuffix("-- https://example.org/it's?a=1") }
    )
    let posted = try String(contentsOf: store.folder.file("posted"), encoding: .utf8)
    #expect(posted.split(separator: "\n").count == 4 && posted.contains("u204-checkins-10"))
    #expect(try store.object("stats")["waitingEvents"] as? Int == 3)
  }

  @Test func `invalid numbers of the store are wrong usage and do not trap`() throws {
    let store = try StoreFolder()
    try store.run("init")
    for offset in ["1e30", "480.7", "-1e300", "nan", "99999999999999999999"] {
      let sample = StoreFolder.sample("mood")
      #expect(try store.run("submit", sample, "--uid", "ann", "--offset", offset).code == 2)
      #expect(try store.run("checkin", "add", "--uid", "ann", "--offset", offset).code == 2)
    }
    #expect(try store.run("checkin", "add", "--uid", "ann", "--offset", "-480").code == 0)
    #expect(try store.run("sweep", "--older-than", "9223372036854775807").code == 0)
  }

  @Test func `submitted drawings are named after their files`() throws {
    let store = try StoreFolder()
    for folder in ["one", "two"] {
      let url = store.folder.file(folder)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: StoreFolder.sample("mood"), toPath: url.appendingPathComponent("page.pkd").path)
    }
    let named = try store.run("submit", "one/page.pkd", "--uid", "ann", "--ids-from-names")
    #expect(named.text == "page\n")
    let equal = try store.run(
      "submit", "one/page.pkd", "two/page.pkd", "--uid", "ann", "--ids-from-names")
    #expect(equal.code == 2 && equal.errors.contains("--id"))
  }

  @Test func `store delete --everything deletes all data of one user only`() throws {
    let store = try StoreFolder()
    for uid in ["ann", "bob"] {
      try store.run("submit", StoreFolder.sample("mood"), "--uid", uid, "--id", "a")
      try store.run("checkin", "add", "--uid", uid, "--emotion", "joy")
    }
    let gone = try store.object("delete", "--everything", "--uid", "ann", "--yes")
    #expect(gone["documents"] as? Int == 2)
    #expect(!FileManager.default.fileExists(atPath: store.file("users/ann").path))
    #expect(try store.run("export", "--uid", "ann").text == "[]\n")
    #expect(try store.run("get", "a", "--uid", "bob", "--file", "image").code == 0)
    #expect(try store.run("verify").code == 0)
  }

  @Test func `a missing or damaged service is reported`() throws {
    let store = try StoreFolder()
    let missing = try store.run("list", "--uid", "ann")
    #expect(missing.code == 2)
    #expect(missing.errors.contains("pkd store init"))
    try store.run("submit", StoreFolder.sample("mood"), "--uid", "ann", "--id", "a")
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(at: store.file("pentimento.db" + suffix))
    }
    try Data("this is no database, but it is long enough to be one".utf8).write(
      to: store.file("pentimento.db"))
    let damaged = try store.run("list", "--uid", "ann")
    #expect(damaged.code == 65)
    #expect(damaged.errors.contains("damaged"))
    #expect(try !store.bytes("users/ann/drawings/a/recording.pkd").isEmpty)
  }

  @Test func `the help of every verb has examples, and mistyped verbs are corrected`() throws {
    let all = try Program.run("pkd", ["store", "--help"])
    let verbs = all.text.split(separator: "\n").drop { $0 != "Verbs:" }.dropFirst()
      .prefix { $0.hasPrefix("  ") }.filter { !$0.hasPrefix("   ") }.compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
    #expect(verbs.count == 30)
    for verb in verbs {
      let help = try Program.run("pkd", ["store", verb, "--help"])
      #expect(help.text.contains("Examples:\n  pkd store \(verb)"), "\(verb)")
    }
    let near = try Program.run("pkd", ["store", "galery"])
    #expect(near.code == 2)
    #expect(near.errors.contains("did you mean 'store gallery'?"))
  }
}
