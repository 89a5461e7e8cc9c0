import Foundation
import TestSupport
import Testing

/// The verbs of `pkd store` for documents.
struct StoreVerbTests {
  private let store: StoreFolder

  init() throws { store = try StoreFolder() }

  private func ids(_ list: Any?) -> [String] {
    (list as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
  }

  @Test func `store profile sets single fields and shows them`() throws {
    #expect(try store.run("profile", "get", "--uid", "ann").code == 2, "there is no service yet")
    #expect(!FileManager.default.fileExists(atPath: store.file("").path))
    var profile = try store.object(
      "profile", "set", "--as", "ann", "--name", "Ann", "--hour", "21", "--expectation", "calm",
      "--expectation", "sleep")
    #expect(profile["selectedExpectations"] as? [String] == ["calm", "sleep"])
    profile = try store.object(
      "profile", "set", "--uid", "ann", "--minute", "30", "--fields",
      #"{"settings": {"reminderTime": "20:30"}, "lastActive": "2026-11-18T12:00:00Z"}"#)
    #expect(profile["userName"] as? String == "Ann" && profile["notificationMinute"] as? Int == 30)
    #expect(try store.run("profile", "get", "--uid", "ann").text.contains("userName"))
    #expect(try store.run("profile", "get", "--uid", "ann", "--as", "bob").code == 77)
    #expect(try store.run("profile", "get", "--uid", "bob").code == 1)
    #expect(try store.run("profile", "set", "--uid", "ann", "--hour", "24").code == 2)
    #expect(try store.run("profile", "set", "--uid", "ann").code == 2)
    #expect(
      try store.run("profile", "set", "--uid", "ann", "--fields", #"{"userId": "bob"}"#).code == 65)
  }

  @Test
  func `mood entries are added, listed and deleted, and older changes are ignored`()
    throws
  {
    for index in 0..<5 {
      let added = try store.run(
        "mood", "add", "--as", "ann", "--mood", "happy", "--id", "m\(index)", "--date",
        "2026-11-1\(index)T08:00:00Z", "--updated", "2026-11-15T08:00:00Z")
      #expect(added.text == "m\(index)\n", "\(added)")
    }
    let first = try store.object("mood", "list", "--uid", "ann", "--limit", "3")
    let cursor = try #require(first["cursor"] as? String)
    let rest = try store.object("mood", "list", "--uid", "ann", "--after", cursor)
    #expect(ids(first["entries"]) == ["m4", "m3", "m2"] && ids(rest["entries"]) == ["m1", "m0"])
    let older = try store.object(
      "mood", "update", "m0", "--uid", "ann", "--note", "older", "--updated", "2026-11-14")
    #expect(older["applied"] as? Bool == false && older["note"] == nil)
    let said = try store.run(
      "mood", "update", "m0", "--uid", "ann", "--note", "older", "--updated", "2026-11-14")
    #expect(said.code == 0 && said.text.isEmpty && said.errors.contains("newer"))
    let newer = try store.object("mood", "update", "m0", "--uid", "ann", "--note", "newer")
    #expect(newer["applied"] as? Bool == true && newer["note"] as? String == "newer")
    #expect(try store.object("mood", "get", "m0", "--uid", "ann")["note"] as? String == "newer")
    let far = try store.run(
      "mood", "update", "m0", "--uid", "ann", "--note", "n", "--updated", "2999-01-01")
    #expect(far.code == 65 && far.errors.contains("updatedAt"))
    #expect(try store.object("mood", "delete", "m0", "--uid", "ann")["deleted"] as? Bool == true)
    #expect(try store.run("mood", "delete", "m0", "--uid", "ann").code == 1)
    #expect(try store.run("mood", "get", "m1", "--uid", "ann", "--as", "bob").code == 77)
    #expect(try store.run("mood", "get", "--uid", "ann").code == 2)
  }

  @Test func `session logs belong to their users, and users with only logs are exported`() throws {
    let log = try store.object(
      "log", "add", "--as", "ann", "--method", "breath-lines", "--duration", "300", "--mood-before",
      "neutral", "--mood-after", "positive", "--start", "2026-11-18T12:00:00Z", "--id", "l1")
    #expect(log["userId"] as? String == "ann" && log["logId"] as? String == "l1")
    #expect(ids(try store.object("log", "list", "--uid", "ann")["logs"]) == ["l1"])
    #expect(
      try store.object("log", "update", "l1", "--as", "ann", "--notes", "n")["userNotes"] as? String
        == "n")
    #expect(try store.object("log", "get", "l1", "--as", "ann")["userNotes"] as? String == "n")
    for verb in ["get", "delete"] {
      #expect(try store.run("log", verb, "l1", "--as", "bob").code == 77)
    }
    #expect(try store.run("export").text.contains("sessionLogs/l1"))
    #expect(try store.run("log", "delete", "l1", "--as", "ann").code == 0)
    #expect(try store.run("log", "get", "l1").code == 1)
    #expect(try store.run("log", "add", "--uid", "ann", "--method", "m").code == 65)
  }

  @Test func `the catalogue is read by all users and changed by operators`() throws {
    try store.run("seed")
    let all = try store.object("catalogue", "list", "--as", "ann")
    #expect(ids(all["entries"]).count == 5)
    #expect(try store.run("catalogue", "list", "--as", "").code == 77)
    let entry = #"{"resource_id": "r", "title": "t", "content_text": "c", "category": "safety"}"#
    try Data(entry.utf8).write(to: store.folder.file("r.json"))
    #expect(try store.run("catalogue", "put", "r.json", "--as", "ann").code == 77)
    #expect(try store.run("catalogue", "put", "r.json").text == "r\n")
    #expect(try store.run("catalogue", "put", entry).text == "r\n")
    #expect(
      try store.object("catalogue", "get", "r", "--as", "ann")["contentText"] as? String == "c")
    #expect(try !store.run("export").text.contains("educationalResources/r"))
    for words in [["--catalogue"], ["--collection", "educationalResources"]] {
      let export = try Program.run("pkd", ["store", "export"] + words, in: store.folder.url)
      #expect(export.text.contains("educationalResources/r"), "\(words)")
    }
    #expect(try store.run("catalogue", "delete", "r", "--as", "ann").code == 77)
    #expect(try store.run("catalogue", "delete", "r").code == 0)
    #expect(try store.run("catalogue", "get", "r").code == 1)
    #expect(try store.run("catalogue", "put", "{}").code == 65)
  }

  @Test func `store doc applies the rules to documents of any source`() throws {
    try store.run("init")
    let path = "users/ann/moodEntries/m"
    let json = #"{"moodType": "calm", "timestamp": "2026-11-18T12:00:00Z"}"#
    try Data(json.utf8).write(to: store.folder.file("m.json"))
    let set = try store.object("doc", "set", path, json, "--as", "ann")
    #expect(set["path"] as? String == path && set["applied"] as? Bool == true)
    for (index, words) in [["m.json"], ["-"], []].enumerated() {
      let result = try Program.run(
        "pkd", ["store", "doc", "set", "\(path)\(index)"] + words, input: Data(json.utf8),
        in: store.folder.url)
      #expect(result.code == 0, "\(words): \(result)")
    }
    let list = try store.object("doc", "list", "users/ann/moodEntries", "--limit", "3")
    #expect((list["documents"] as? [Any])?.count == 3)
    let cursor = try #require(list["cursor"] as? String)
    let rest = try store.run("doc", "list", "users/ann/moodEntries", "--after", cursor)
    #expect(rest.text.hasPrefix("\(path)2  {"))
    // The output of get is valid input of set.
    let got = try store.run("doc", "get", path).text
    #expect(try store.run("doc", "set", path, got).code == 0)
    #expect(try store.run("doc", "get", path).text == got)
    for words in [
      ["get", path], ["set", path, json], ["list", "users/ann/moodEntries"], ["delete", path],
      ["set", "users/ann/secrets/s", "{}"], ["get", "outbox/e"],
    ] {
      let result = try Program.run(
        "pkd", ["store", "doc"] + words + ["--as", "bob"], in: store.folder.url)
      #expect(result.code == 77, "\(words): \(result)")
    }
    #expect(try store.run("doc", "set", path, #"{"moodType": 5}"#).code == 65)
    #expect(try store.run("doc", "set", path, "{").code == 65)
    #expect(try store.run("doc", "get", "users").code == 2)
    #expect(try store.run("doc", "get", "users/../x/y").code == 2)
    #expect(try store.run("doc", "delete", path, "--as", "ann").code == 0)
    #expect(try store.run("doc", "delete", path).code == 1)
    #expect(try store.run("doc", "get", path).code == 1)
  }

  @Test func `check-ins and drawings are changed, and lists have limits`() throws {
    for index in 0..<4 {
      try store.run(
        "checkin", "add", "--uid", "ann", "--id", "c\(index)", "--emotion", "joy", "--date",
        "2026-11-1\(index)T08:00:00Z", "--updated", "2026-11-15")
    }
    let some = try store.json(
      "checkin", "list", "--uid", "ann", "--from", "2026-11-11", "--limit", "2")
    #expect(ids(some) == ["c1", "c2"])
    let note = try store.run(
      "checkin", "list", "--uid", "ann", "--from", "2026-11-11", "--limit", "2")
    let cursor = try #require(
      note.errors.split(separator: "\n").first { $0.contains("--after ") }?.split(separator: " ")
        .last)
    let next = try store.json(
      "checkin", "list", "--uid", "ann", "--from", "2026-11-11", "--after", String(cursor))
    #expect(ids(next) == ["c3"])
    let changed = try store.object("checkin", "update", "c1", "--as", "ann", "--journal", "later")
    #expect(changed["journal"] as? String == "later" && changed["applied"] as? Bool == true)
    #expect(
      try store.object("checkin", "get", "c1", "--uid", "ann")["emotion"] as? String == "joy")
    let older = try store.object(
      "checkin", "update", "c1", "--uid", "ann", "--journal", "x", "--updated", "2026-11-14")
    #expect(older["applied"] as? Bool == false && older["journal"] as? String == "later")
    let gone = try store.object("checkin", "delete", "c3", "--uid", "ann")
    #expect(gone["deleted"] as? Bool == true && gone["id"] as? String == "c3")
    let missing = try store.run("checkin", "delete", "c3", "--uid", "ann", "--json")
    #expect(missing.code == 1 && missing.text.contains("\"deleted\": false"))

    let sample = StoreFolder.sample("mood")
    for index in 0..<3 {
      try store.run("submit", sample, "--uid", "ann", "--id", "d\(index)", "--checkin", "c1")
    }
    let page = try store.object("list", "--uid", "ann", "--checkin", "c1", "--limit", "2")
    let behind = try #require(page["cursor"] as? String)
    let rest = try store.object("list", "--uid", "ann", "--checkin", "c1", "--after", behind)
    #expect(ids(page["drawings"]) == ["d0", "d1"] && ids(rest["drawings"]) == ["d2"])
    let alone = try store.object(
      "update", "d0", "--as", "ann", "--standalone", "--prompt", "a tree", "--from-checkin", "no")
    #expect(alone["checkinId"] is NSNull && alone["promptUsed"] as? String == "a tree")
    #expect(alone["isFromCheckIn"] as? Bool == false)
    #expect(
      try store.run("update", "d0", "--uid", "ann", "--as", "bob", "--prompt", "x").code == 77)
    let forged = #"{"recordingSHA256": "0"}"#
    #expect(try store.run("update", "d0", "--uid", "ann", "--fields", forged).code == 2)
    #expect(try store.run("update", "d9", "--uid", "ann", "--prompt", "x").code == 1)
    #expect(try store.run("verify").code == 0)
  }

  @Test func `a check-in has the machine's offset unless it or a zone is given`() throws {
    let folder = store.folder.url
    for (words, minutes) in [
      ([], 480), (["--offset", "-60"], -60), (["--time-zone", "+05:30"], 330),
    ] as [([String], Int)] {
      let result = try Program.run(
        "pkd", ["store", "checkin", "add", "--uid", "ann", "--json"] + words,
        environment: ["TZ": "XYZ-8"], in: folder)
      let checkIn = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
      #expect(checkIn?["timezoneOffsetMinutes"] as? Int == minutes, "\(words): \(result)")
    }
    let drawing = try Program.run(
      "pkd", ["store", "submit", StoreFolder.sample("mood"), "--uid", "ann", "--json"],
      environment: ["TZ": "XYZ+3:30"], in: folder)
    let record = try JSONSerialization.jsonObject(with: drawing.output) as? [String: Any]
    #expect(record?["timezoneOffsetMinutes"] as? Int == -210)
  }

  @Test func `deleting all data of a user needs --yes, and an unknown user is an error`()
    throws
  {
    try store.run("submit", StoreFolder.sample("mood"), "--uid", "ann", "--id", "a")
    let refused = try store.run("delete", "--everything", "--uid", "ann")
    #expect(refused.code == 2 && refused.errors.contains("--yes"))
    let dry = try store.object("delete", "--everything", "--uid", "ann", "--dry-run", "--yes")
    #expect(dry["documents"] as? Int == 1 && dry["files"] as? Int == 3)
    #expect(dry["dryRun"] as? Bool == true)
    #expect(try store.run("delete", "a", "--uid", "ann", "--dry-run").text == "would delete a\n")
    #expect(try store.run("delete", "b", "--uid", "ann", "--dry-run").code == 1)
    #expect(try store.run("get", "a", "--uid", "ann", "--file", "image").code == 0)
    for words in [["--yes"], ["--dry-run"], []] {
      let unknown = try Program.run(
        "pkd", ["store", "delete", "--everything", "--uid", "anm"] + words, in: store.folder.url)
      #expect(unknown.code == 1 && unknown.errors.contains("anm"), "\(unknown)")
    }
    #expect(try store.run("delete", "--everything", "--as", "ann", "--yes").code == 0)
    #expect(try store.run("delete", "--everything", "--uid", "ann", "--yes").code == 1)
    #expect(try store.run("export").text == "[]\n")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `deleting everything asks on a terminal, and accepts only yes`() throws {
    try store.run("checkin", "add", "--uid", "ann")
    for (answer, isGone) in [("", false), ("n", false), ("yes", true)] {
      let result = try Program.shell(
        "echo \"$1\" | script -qec 'pkd store delete --everything --uid ann' /dev/null", answer,
        in: store.folder.url)
      #expect((result.code == 0) == isGone, "\(answer): \(result)")
      #expect(result.text.contains("1 document"), "\(result)")
      #expect((try store.run("export").text == "[]\n") == isGone, "\(answer)")
    }
  }

  @Test func `adopt reports invalid names`() throws {
    let recording = try Data(contentsOf: URL(fileURLWithPath: StoreFolder.sample("mood")))
    try recording.write(to: store.folder.file("recording.pkd"))
    let long = String(repeating: "x", count: 129)
    let made = try Program.shell(
      #"""
      for path in ann/drawings/a "b c/drawings/a" .hidden/drawings/a ann/drawings/.b "$1/drawings/a" \
        "$(printf 'x\377')/drawings/a" user@example.org/drawings/a; do
        mkdir -p "bucket/users/$path" && cp recording.pkd "bucket/users/$path/"
      done
      mkdir -p bucket/users/.empty/drawings
      """#, long, in: store.folder.url)
    #expect(made.code == 0, "\(made)")
    let result = try store.run("adopt", "bucket", "--json")
    #expect(result.code == 65)
    let counts = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(counts["adopted"] as? Int == 2 && counts["passedOver"] as? Int == 5, "\(result)")
    let paths = try #require(counts["passedOverPaths"] as? [String])
    #expect(Set(["b c/a", ".hidden/a", "ann/.b", "\(long)/a"]).isSubset(of: paths))
    #expect(result.errors.contains("b c") && result.errors.contains("cannot be a name"))
    // An issuer's subject has another name here, but means the same user.
    #expect(try store.run("list", "--uid", "user@example.org").text.contains("a"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.file("users").path)
        .contains { $0.hasPrefix("sub-") })
  }
}
