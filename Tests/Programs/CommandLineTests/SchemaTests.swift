import Foundation
import TestSupport
import Testing

/// Compares the output of `--json` with `docs/schemas`.
struct SchemaTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let result = try shell(
      """
      pkd record --demo --fast --quiet page.pkd; pkd convert page.pkd page.drawing
      head -c 900 page.pkd > cut.pkd; head -c 300 /dev/urandom > noise.pkd
      pkd convert page.pkd page.xopp; echo '{"strokes": []}' > empty.json
      pkd record --demo --fast --quiet words.pkd
      pkd index words.pkd --recognizer 'echo "{\\"words\\": [{\\"text\\": \\"a\\", \\"box\\": [0, 0, 9, 9]}]}"'
      """)
    try #require(result.code == 0, "\(result)")
  }

  @discardableResult
  private func shell(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  /// Checks each line of a command's output, or all of it as one value.
  private func check(_ line: String, _ schema: String, isWhole: Bool = false) throws {
    let result = try shell("pkd \(line)")
    let texts = isWhole ? [result.text] : result.text.split(separator: "\n").map(String.init)
    #expect(!texts.isEmpty, "\(line): \(result.errors.prefix(300))")
    for text in texts {
      let problems = try Schema(schema).problems(of: Data(text.utf8))
      #expect(problems == [], "pkd \(line)")
    }
  }

  @Test(
    arguments: [
      ("info --json page.pkd page.drawing page.xopp cut.pkd empty.json words.pkd", "info"),
      ("info --json --sizes page.pkd words.pkd", "info"),
      ("verify --json page.pkd page.drawing cut.pkd noise.pkd", "verify"),
      ("render --json page.pkd words.pkd -o pictures/", "render"),
      ("thumbnail --json --at 50% page.pkd -o t.png", "render"),
      ("index --json --dry-run page.pkd --recognizer 'echo {}'", "index"),
      ("index --json --again words.pkd --recognizer 'cat words.json || echo {}'", "index"),
      ("doctor --json", "doctor"),
    ])
  func `the JSON output of commands follows its schema`(
    _ line: String, _ schema: String
  ) throws {
    try check(line, schema)
  }

  @Test func `the report of a measurement follows its schema`() throws {
    try check("bench png --quick --json page.pkd", "bench", isWhole: true)
    try shell("pkd bench png --quick --json page.pkd > before.json")
    try check("bench png --quick --json page.pkd --compare before.json", "bench", isWhole: true)
  }

  @Test func `the results of a worker follow their schema`() throws {
    try shell(
      #"""
      echo '{"id": "a", "path": "page.pkd", "output": "a.png"}' > records
      echo '{"id": "b", "path": "none"}' >> records
      echo '{"id": 7, "path": "page.pkd"}' >> records
      """#)
    try check("worker --size 64 < records", "worker")
  }

  @Test func `the JSON output of each store verb follows its schema`() throws {
    try shell(
      """
      mkdir -p tree/users/ann/drawings/t; cp page.pkd tree/users/ann/drawings/t/recording.pkd
      pkd store init --quiet --root seeds; pkd store seed --quiet --root seeds
      pkd store catalogue get breath-lines --root seeds --json > entry.json
      """)
    try Data(#"{"words": [{"text": "hello", "box": [0, 0, 5, 5]}]}"#.utf8)
      .write(to: folder.file("words.json"))
    for (verb, line) in [
      ("init", "init"), ("seed", "seed"), ("settings", "settings"),
      ("submit", "submit page.pkd --id a"), ("submit", "submit words.pkd --id w"),
      ("list", "list"), ("list", "list --limit 1"), ("get", "get a"),
      ("update", "update a --prompt trees"), ("gallery", "gallery"),
      ("gallery", "gallery --limit 1"),
      ("checkin add", "checkin add --emotion calm --id c"), ("checkin list", "checkin list"),
      ("checkin chart", "checkin chart"), ("checkin planets", "checkin planets"),
      ("cards", "cards"), ("mood add", "mood add --mood calm --id m"), ("mood list", "mood list"),
      ("doc list", "doc list users/ann/drawings"), ("doc get", "doc get users/ann/drawings/a"),
      ("rerender", "rerender --all"), ("sweep", "sweep"), ("verify", "verify"), ("stats", "stats"),
      ("export", "export"), ("deliver", "deliver --command true"), ("backup", "backup -o all.tar"),
      ("adopt", "adopt tree"), ("restore", "restore all.tar --root other"),
      ("profile set", "profile set --name Ann"), ("profile get", "profile get"),
      ("catalogue list", "catalogue list"), ("catalogue get", "catalogue get breath-lines"),
      ("catalogue put", "catalogue put entry.json"),
      ("catalogue delete", "catalogue delete breath-lines"),
      ("index", "index --again --recognizer 'cat words.json'"), ("search", "search hello"),
      ("checkin delete", "checkin delete c"), ("mood delete", "mood delete m"),
      ("delete", "delete a"), ("delete", "delete --everything --yes"),
    ] {
      let result = try shell("pkd store \(line) --uid ann --json")
      let problems = try Schema("store", part: verb).problems(of: Data(result.text.utf8))
      #expect(
        problems == [], "store \(line): \(result.text.prefix(300)) \(result.errors.prefix(300))")
    }
  }

  @Test func `all schemas are valid, and each is of a command`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Schema.folder.path).sorted()
    #expect(names.count > 9)
    let help = try Program.run("pkd", ["--help"]).text
    for name in names where name.hasSuffix(".json") {
      let schema = try Schema(String(name.dropLast(5)))
      #expect(schema.unknownKeywords == [], "\(name)")
      let command = name.dropLast(5)
      #expect(help.contains("  \(command) ") || command == "recognizer", "\(name)")
    }
  }

  @Test func `the schema of recognizers says what the index takes`() throws {
    let schema = try Schema("recognizer")
    for (text, isTaken) in [
      (#"{"words": [{"text": "a", "box": [0, 0, 1, 1]}]}"#, true), (#"{"words": []}"#, true),
      (#"{"recognizer": "r", "other": 1}"#, true), (#"{"words": [{"text": "a"}]}"#, false),
      (#"{"words": [{"text": "", "box": [0, 0, 1, 1]}]}"#, false), (#"{"words": 1}"#, false),
      (#"[]"#, false),
    ] {
      #expect(try schema.problems(of: Data(text.utf8)).isEmpty == isTaken, "\(text)")
      try Data(text.utf8).write(to: folder.file("out.json"))
      let result = try shell("pkd index --dry-run page.pkd --recognizer 'cat out.json'")
      #expect((result.code == 0) == isTaken, "\(text): \(result)")
    }
  }
}

/// The subset of JSON Schema that our schemas use.
private struct Schema {
  static let folder = Corpus.project.appendingPathComponent("docs/schemas")

  private let root: [String: Any]
  private let start: Any

  init(_ name: String, part: String? = nil) throws {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("\(name).json"))
    let all = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    root = all
    guard let part else {
      start = all
      return
    }
    let parts = all["$defs"] as? [String: Any]
    start = try #require(parts?[part], "there is no \(part) in \(name).json")
  }

  func problems(of data: Data) throws -> [String] {
    let options: JSONSerialization.ReadingOptions = [.fragmentsAllowed]
    guard let value = try? JSONSerialization.jsonObject(with: data, options: options) else {
      return ["no JSON"]
    }
    return problems(of: value, start, at: "")
  }

  private func problems(of value: Any, _ schema: Any, at place: String) -> [String] {
    guard let schema = schema as? [String: Any] else { return ["no schema at \(place)"] }
    var found: [String] = []
    if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
      let target = (root["$defs"] as? [String: Any])?[String(name)] ?? [:]
      found += problems(of: value, target, at: place)
    }
    for part in schema["allOf"] as? [Any] ?? [] { found += problems(of: value, part, at: place) }
    if let choices = schema["anyOf"] as? [Any] {
      let all = choices.map { problems(of: value, $0, at: place) }
      if !all.contains([]) { found += all.first ?? [] }
    }
    if let types = schema["type"] {
      let names = (types as? [String]) ?? [types as? String ?? ""]
      if !names.contains(where: { Self.isOf($0, value) }) { found.append("\(place): no \(names)") }
    }
    if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
      found.append("\(place): \(value)")
    }
    if let minimum = schema["minimum"] as? Double, let number = value as? Double, number < minimum {
      found.append("\(place): \(number)")
    }
    if let least = schema["minLength"] as? Int,
      (value as? String).map({ $0.count < least }) ?? false
    {
      found.append("\(place): too short")
    }
    if let list = value as? [Any] {
      if list.count < schema["minItems"] as? Int ?? 0 { found.append("\(place): too few") }
      if list.count > schema["maxItems"] as? Int ?? .max { found.append("\(place): too many") }
      if let items = schema["items"] {
        for (number, item) in list.enumerated() {
          found += problems(of: item, items, at: "\(place)/\(number)")
        }
      }
    }
    if let object = value as? [String: Any] {
      for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        found.append("\(place): \(name) is missing")
      }
      let known = schema["properties"] as? [String: Any] ?? [:]
      for (name, value) in object {
        if let property = known[name] {
          found += problems(of: value, property, at: "\(place)/\(name)")
        } else if schema["additionalProperties"] as? Bool == false {
          found.append("\(place): \(name) is unknown")
        } else if let others = schema["additionalProperties"] as? [String: Any] {
          found += problems(of: value, others, at: "\(place)/\(name)")
        }
      }
    }
    return found
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "string": value is String
    case "array": value is [Any]
    case "object": value is [String: Any]
    case "null": value is NSNull
    case "boolean": (value as? NSNumber).map { isTruth($0) } ?? false
    case "number": (value as? NSNumber).map { !isTruth($0) } ?? false
    case "integer":
      (value as? NSNumber).map { !isTruth($0) && $0.doubleValue == $0.doubleValue.rounded() }
        ?? false
    default: false
    }
  }

  private static func isTruth(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c"
  }

  /// Keywords that this check would ignore.
  var unknownKeywords: Set<String> {
    let known: Set<String> = [
      "$schema", "$defs", "$ref", "title", "description", "type", "properties", "required", "enum",
      "additionalProperties", "items", "minItems", "maxItems", "anyOf", "allOf", "minimum",
      "minLength",
    ]
    var found = Set<String>()
    func walk(_ schema: Any, isNames: Bool) {
      if let list = schema as? [Any] { for item in list { walk(item, isNames: false) } }
      guard let object = schema as? [String: Any] else { return }
      for (key, value) in object {
        if !isNames, !known.contains(key) { found.insert(key) }
        walk(value, isNames: !isNames && ["properties", "$defs"].contains(key))
      }
    }
    walk(root, isNames: false)
    return found
  }
}
