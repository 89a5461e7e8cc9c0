import Foundation
import TestSupport
import Testing

/// Recognized words in the drawings of a service, from any program, and the search for them.
struct StoreWordsTests {
  private let store: StoreFolder

  init() throws {
    store = try StoreFolder()
    for (id, sample) in [("d1", "landscape"), ("d2", "landscape")] {
      try store.run("submit", StoreFolder.sample(sample), "--uid", "ann", "--id", id)
    }
    try store.run("submit", StoreFolder.sample("landscape"), "--uid", "bob", "--id", "d3")
    let words =
      #"{"recognizer": "mine", "words": [{"text": "Café\nau", "box": [1, 2.5, 30, 10]}, {"text": "lait", "box": [40, 2, 9, 9]}]}"#
    try Data(words.utf8).write(to: store.folder.file("words.json"))
  }

  private func index(_ arguments: String...) throws -> [String: Any] {
    let result = try Program.run(
      "pkd", ["store", "index", "--give", "json", "--json"] + arguments, in: store.folder.url)
    return try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result)")
  }

  private func found(_ text: String, _ uid: String = "ann") throws -> [String] {
    let found = try store.object("search", text, "--uid", uid)["drawings"] as? [[String: Any]] ?? []
    return found.compactMap { $0["id"] as? String }.sorted()
  }

  @Test func `store index adds words to each drawing once, and search finds them`() throws {
    let command = ["--recognizer", "echo run >> runs; cat words.json"]
    #expect(
      try index(command[0], command[1], "--uid", "ann", "--limit", "1")["indexed"] as? Int == 1)
    #expect(try found("cafe").count == 1)
    #expect(try index(command[0], command[1])["indexed"] as? Int == 2)
    #expect(try index(command[0], command[1])["indexed"] as? Int == 0)
    #expect(try found("CAFE lait") == ["d1", "d2"] && found("lait", "bob") == ["d3"])
    #expect(try index(command[0], command[1], "--again", "--uid", "bob")["indexed"] as? Int == 1)
    let runs = try String(contentsOf: store.folder.file("runs"), encoding: .utf8)
    #expect(runs.split(separator: "\n").count == 4)
  }

  @Test func `a search prints words with boxes in pages, without control characters`()
    throws
  {
    _ = try index("--recognizer", "cat words.json")
    let lines = try store.run("search", "caf", "lait", "--uid", "ann").text
    #expect(
      lines.contains("lait (40 2 9 9)") && lines.split(separator: "\n").count == 2, "\(lines)")
    let first = try store.object("search", "caf", "--uid", "ann", "--limit", "1")
    let drawing = try #require((first["drawings"] as? [[String: Any]])?.first)
    let word = try #require((drawing["words"] as? [[String: Any]])?.first)
    #expect(word["text"] as? String == "Café\nau" && word["box"] as? [Double] == [1, 2.5, 30, 10])
    let cursor = try #require(first["cursor"] as? String)
    let rest = try store.object("search", "caf", "--uid", "ann", "--after", cursor)
    #expect((rest["drawings"] as? [[String: Any]])?.count == 1 && rest["cursor"] is NSNull)
    #expect(try store.run("search", " ", "--uid", "ann").code == 2)
    #expect(try store.run("search", "caf", "--uid", "ann", "--as", "bob").code == 77)
  }

  @Test func `store index lists failed recognitions and indexes the other drawings`() throws {
    let sum = try index("--recognizer", "[ -e once ] && cat words.json || { touch once; false; }")
    let failures = try #require(sum["failures"] as? [[String: Any]])
    #expect(sum["indexed"] as? Int == 2 && failures.count == 1)
    #expect((failures.first?["problem"] as? String)?.contains("ended with 1") == true)
    let result = try store.run("index", "--recognizer", "false", "--again")
    #expect(result.code == 1 && result.errors.contains("0 drawings indexed, 3 failed"), "\(result)")
    #expect(try store.run("index", "--again").code == 2)
  }

  @Test func `store index ignores a drawing that is deleted meanwhile`() throws {
    let result = try Program.shell(
      "pkd store index --give json --json --uid bob --recognizer 'pkd store delete d3 --uid bob >&2; cat words.json'",
      in: store.folder.url)
    #expect(result.text.contains(#""indexed": 0, "changed": 1"#), "\(result)")
    #expect(try found("lait", "bob") == [])
  }
}
