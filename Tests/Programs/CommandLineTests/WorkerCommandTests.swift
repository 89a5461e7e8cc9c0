import Foundation
import PNGFormat
import TestSupport
import Testing

/// `pkd worker`: pictures of records from another program.
struct WorkerCommandTests {
  private let folder: TemporaryFolder
  private static let mood = Corpus.project.appendingPathComponent("Samples/mood.pkd").path
  private static let inks = Corpus.project.appendingPathComponent("Samples/inks.pkd").path

  init() throws { folder = try TemporaryFolder() }

  private func run(_ records: String, _ options: String = "") throws -> [[String: Any]] {
    try Data(records.utf8).write(to: folder.file("records"))
    let result = try Program.shell("pkd worker \(options) < records", in: folder.url)
    try #require(result.code == 0, "\(result.errors)")
    return try result.text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  private func image(_ name: String) throws -> PNGImage {
    try PNGDecoder().decode([UInt8](try Data(contentsOf: folder.file(name))))
  }

  @Test func `a worker draws the picture that 'pkd thumbnail' draws`() throws {
    let results = try run(
      """
      {"id": "a", "path": "\(Self.mood)", "output": "a.png"}
      {"id": "b", "path": "\(Self.inks)", "output": "b.png", "options": {"size": "64x64"}}
      """)
    #expect(Set(results.compactMap { $0["id"] as? String }) == ["a", "b"])
    let plain = try Program.shell(
      "pkd thumbnail '\(Self.mood)' -o c.png && pkd thumbnail --size 64x64 '\(Self.inks)' -o d.png",
      in: folder.url)
    #expect(plain.code == 0)
    let isSame = (
      try image("a.png").components == image("c.png").components,
      try image("b.png").components == image("d.png").components
    )
    #expect(isSame == (true, true))
  }

  @Test func `a worker's record may contain bytes, and its result the picture`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.mood)).base64EncodedString()
    let result = try #require(
      try run("{\"bytes\": \"\(bytes)\", \"options\": {\"size\": \"28\"}}").first)
    #expect(result["id"] as? String == "1")
    let text = try #require(result["png"] as? String)
    let picture = try #require(Data(base64Encoded: text))
    #expect(picture.count == result["size"] as? Int)
    #expect(try PNGDecoder().decode([UInt8](picture)).height == 28)
  }

  @Test func `a worker reports failed records and draws the others`() throws {
    let results = try run(
      """
      {"id": "missing", "path": "none.pkd"}
      no record
      {"id": "both", "path": "a", "bytes": ""}
      {"id": "neither"}
      {"id": "unreadable", "bytes": "AAAA"}
      {"id": "option", "path": "\(Self.mood)", "options": {"size": "-3"}}
      {"id": "unknown", "path": "\(Self.mood)", "options": {"output": "x"}}
      {"id": "folder", "path": "\(Self.mood)", "output": "missing/a.png"}
      {"id": "zero", "path": "\(Self.mood)", "output": "v.pkd\\u0000.png"}
      {"id": "zero in a path", "path": "\(Self.mood)\\u0000"}

      {"id": "good", "path": "\(Self.mood)", "output": "a.png"}
      """)
    #expect(results.count == 11)
    #expect(!FileManager.default.fileExists(atPath: folder.file("v.pkd").path))
    for result in results {
      #expect((result["error"] == nil) == (result["id"] as? String == "good"), "\(result)")
    }
    #expect(results.contains { $0["id"] as? String == "2" })
  }

  @Test func `a worker's record cannot read or write the standard streams`() throws {
    let results = try run(
      """
      {"id": "-", "path": "-", "output": "a.png"}
      {"id": "stdin", "path": "/dev/stdin", "output": "a.png"}
      {"id": "out", "path": "\(Self.mood)", "output": "-"}
      {"id": "stdout", "path": "\(Self.mood)", "output": "/dev/stdout"}
      {"id": "good", "path": "\(Self.mood)", "output": "a.png"}
      """)
    #expect(results.count == 5)
    for result in results {
      #expect((result["error"] == nil) == (result["id"] as? String == "good"), "\(result)")
    }
  }

  @Test func `a pipe without a writer does not block a worker`() throws {
    #expect(try Program.shell("mkfifo pipe", in: folder.url).code == 0)
    let results = try run(
      """
      {"path": "pipe"}
      {"path": "\(Self.mood)"}
      """, "--threads 1")
    #expect(results.count == 2)
    #expect(results.compactMap { $0["error"] as? String } == ["pipe is no file"])
  }

  @Test func `a worker reports a damaged drawing each time, even with --skip-done`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.mood))
    try bytes.prefix(bytes.count - 40).write(to: folder.file("cut.pkd"))
    let record = "{\"id\": \"a\", \"path\": \"cut.pkd\", \"output\": \"a.png\"}"
    for _ in 0..<2 {
      let result = try #require(try run(record, "--skip-done").first)
      #expect(result["error"] != nil && result["known"] == nil)
    }
  }

  @Test func `a worker shows earlier strokes as 'pkd thumbnail' does`() throws {
    let erased = Corpus.project.appendingPathComponent("Samples/erased.pkd").path
    _ = try run(
      "{\"path\": \"\(erased)\", \"output\": \"a.png\", \"options\": {\"earlier\": \"red\"}}")
    let plain = try Program.shell(
      "pkd thumbnail --earlier=red '\(erased)' -o b.png", in: folder.url)
    #expect(plain.code == 0, "\(plain.errors)")
    let isSame = try image("a.png").components == image("b.png").components
    #expect(isSame)
  }

  @Test func `a worker refuses an id that is no exact integer`() throws {
    for (id, isName) in [
      ("9007199254740991", true), ("-9007199254740991", true), ("9007199254740992", false),
      ("9007199254740993", false), ("-9007199254740993", false), ("1.5", false),
    ] {
      let result = try #require(try run("{\"id\": \(id), \"path\": \"\(Self.mood)\"}", "").first)
      #expect((result["error"] == nil) == isName, "\(id): \(result)")
    }
  }

  @Test func `a worker refuses repeated names in a record`() throws {
    for (more, name) in [("\"id\": \"b\"", "id"), ("\"path\": \"x\"", "path")] {
      let result = try #require(
        try run("{\"id\": \"a\", \"path\": \"\(Self.mood)\", \(more)}", "").first)
      #expect(result["id"] as? String == "a")
      #expect((result["error"] as? String)?.contains("'\(name)': it comes twice") == true)
    }
    let options = "\"options\": {\"size\": 10, \"size\": 20}"
    let result = try #require(
      try run("{\"id\": \"a\", \"path\": \"\(Self.mood)\", \(options)}", "").first)
    #expect((result["error"] as? String)?.contains("'options.size': it comes twice") == true)
  }

  @Test func `a worker skips a picture only for the same drawing and options`() throws {
    func record(_ path: String, _ options: String = "{}") -> String {
      "{\"id\": \"a\", \"path\": \"\(path)\", \"output\": \"a.png\", \"options\": \(options)}"
    }
    func isKnown(_ record: String, _ options: String = "--skip-done") throws -> Bool {
      try run(record, options).first?["known"] as? Bool ?? false
    }
    #expect(try !isKnown(record(Self.mood)))
    #expect(try isKnown(record(Self.mood)))
    #expect(try !isKnown(record(Self.mood), ""))
    #expect(try !isKnown(record(Self.inks)))
    #expect(try !isKnown(record(Self.inks, "{\"style\": \"dark\"}")))
    #expect(try isKnown(record(Self.inks), "--skip-done --style dark"))
    // A repeated option uses both values.
    func named(_ first: String) -> String {
      "--skip-done --style dark --metadata a=\(first) --metadata b=1"
    }
    #expect(try !isKnown(record(Self.inks), named("7")))
    #expect(try isKnown(record(Self.inks), named("7")))
    #expect(try !isKnown(record(Self.inks), named("8")))
    #expect(try !isKnown(record(Self.inks), "--skip-done --style dark"))
    // Cut off by the crash of another program.
    let bytes = try Data(contentsOf: folder.file("a.png"))
    try bytes.prefix(30).write(to: folder.file("a.png"))
    #expect(try !isKnown(record(Self.inks), "--skip-done --style dark"))
    #expect(try Data(contentsOf: folder.file("a.png")) == bytes)
  }

  @Test func `framed records and results of a worker are followed by their bytes`() throws {
    let recording = try Data(contentsOf: URL(fileURLWithPath: Self.mood))
    var input = Data()
    for id in ["x", "y"] {
      let head = Data("{\"id\": \"\(id)\", \"byteCount\": \(recording.count)}".utf8)
      input += Data([0, 0, 0, UInt8(head.count)]) + head + recording
    }
    try input.write(to: folder.file("records"))
    let result = try Program.shell("pkd worker --framed < records > results", in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    var rest = try Data(contentsOf: folder.file("results"))
    var ids: Set<String> = []
    while !rest.isEmpty {
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let head = rest.dropFirst(4).prefix(count)
      let facts = try #require(try JSONSerialization.jsonObject(with: head) as? [String: Any])
      let size = try #require(facts["byteCount"] as? Int)
      let picture = rest.dropFirst(4 + count).prefix(size)
      #expect(try PNGDecoder().decode([UInt8](picture)).height == 256)
      ids.insert(facts["id"] as? String ?? "")
      rest = Data(rest.dropFirst(4 + count + size))
    }
    #expect(ids == ["x", "y"])
    // A wrong field fails only its record, wherever the byte count is in the record.
    var mixed = Data()
    for field in ["\"path\": 5", "\"options\": {\"size\": null}", "\"more\": {}"] {
      let head = Data("{\(field), \"id\": \"w\", \"byteCount\": \(recording.count)}".utf8)
      mixed += Data([0, 0, 0, UInt8(head.count)]) + head + recording
    }
    try (mixed + input).write(to: folder.file("records"))
    let others = try Program.shell("pkd worker --framed --threads 1 < records", in: folder.url)
    #expect(others.code == 0, "\(others.errors)")
    #expect(
      others.output.ranges(of: Data("\"id\": \"w\", \"error\": \"it is no record".utf8)).count == 3)
    // A record without bytes behind it needs no byte count.
    let head = Data(#"{"id": "w", "path": "a", "more": 1}"#.utf8)
    try (Data([0, 0, 0, UInt8(head.count)]) + head + input).write(to: folder.file("records"))
    let more = try Program.shell("pkd worker --framed < records | grep -ac sha256", in: folder.url)
    #expect(more.text == "2\n", "\(more.errors)")
    // A stream that ends within a record is an error.
    try input.dropLast(3).write(to: folder.file("records"))
    #expect(
      try Program.shell("pkd worker --framed < records > results", in: folder.url).code == 65)
  }

  @Test func `a worker draws a moment as 'pkd thumbnail --at' does`() throws {
    let minute = Corpus.project.appendingPathComponent("Samples/minute.pkd").path
    let results = try run(
      """
      {"id": "a", "path": "\(minute)", "output": "a.png", "options": {"at": "50%"}}
      {"id": "b", "path": "\(minute)", "output": "b.png", "options": {"at": 2.5, "style": "dark"}}
      {"id": "c", "path": "\(minute)", "output": "c.png", "options": {"at": "0:01"}}
      {"id": "d", "path": "\(minute)", "output": "d.png", "options": {"at": -1}}
      """, "--at 3")
    #expect(results.count == 4 && results.filter { $0["error"] != nil }.count == 1, "\(results)")
    #expect(results.contains { ($0["error"] as? String)?.contains("--at needs a time") ?? false })
    _ = try run("{\"path\": \"\(minute)\", \"output\": \"e.png\"}", "--at 3")
    for (name, options) in [
      ("a", "--at 50%"), ("b", "--at 2.5 --style dark"), ("c", "--at 1"), ("e", "--at 3"),
    ] {
      let plain = try Program.shell("pkd thumbnail \(options) '\(minute)' -o p.png", in: folder.url)
      #expect(plain.code == 0)
      let isSame = try image("\(name).png").components == image("p.png").components
      #expect(isSame, "\(name)")
    }
    // Another moment gives another picture.
    func isKnown(_ at: String) throws -> Bool {
      try run(
        "{\"path\": \"\(minute)\", \"output\": \"k.png\", \"options\": {\"at\": \(at)}}",
        "--skip-done"
      ).first?["known"] as? Bool ?? false
    }
    let known = try (isKnown("1"), isKnown("1"), isKnown("\"1\""), isKnown("2"))
    #expect(known == (false, true, true, false))
  }

  @Test func `a worker accepts numbers and switches without quotation marks`() throws {
    let results = try run(
      """
      {"id": 5, "path": "\(Self.mood)", "output": "a.png",
       "options": {"scale": 0.5, "margin": 1e1, "depth": 16, "no-pattern": true, "earlier": true}}
      """.replacing("\n", with: " ")
        + "\n{\"id\": -6, \"path\": \"\(Self.mood)\", \"output\": \"b.png\", "
        + "\"options\": {\"size\": 64, \"no-pattern\": false}}", "--no-pattern --paper grid")
    #expect(Set(results.compactMap { $0["id"] as? Int }) == [5, -6], "\(results)")
    let plain = try Program.shell(
      """
      pkd thumbnail --scale 0.5 --margin 10 --depth 16 --no-pattern --earlier '\(Self.mood)' -o c.png
      pkd thumbnail --size 64 --paper grid '\(Self.mood)' -o d.png
      """, in: folder.url)
    #expect(plain.code == 0, "\(plain.errors)")
    let isSame = (
      try image("a.png").components == image("c.png").components,
      try image("b.png").components == image("d.png").components
    )
    #expect(isSame == (true, true))
  }

  @Test func `a worker's error names the field and the record's id`() throws {
    let wrong = [
      (#""path": 5"#, "'path': a text is expected at byte 9"),
      (#""output": ["a"]"#, "'output': a text is expected"),
      (#""bytes": "!""#, "'bytes': bytes must be Base64"),
      (#""byteCount": "7""#, "'byteCount': a number is expected"),
      (#""options": 7"#, "'options': '{' is expected"),
      (#""options": {"size": 64, "scale": null}"#, "'options.scale': a text, a number"),
      (#""options": {"size": [64, 64]}"#, "'options.size': a text, a number"),
      (#""options": {"size": 1e400}"#, "'options.size': a number is too large"),
      (#""nonsense": {"a": [1]}"#, "'nonsense': a record has no such field"),
      (
        #""path": "\#(Self.mood)", "options": {"sice": 64}"#,
        "no option 'sice'; did you mean 'size'?"
      ),
      (#""path": "\#(Self.mood)", "options": {"size": true}"#, "--size needs a value"),
      (#""path": "\#(Self.mood)", "options": {"size": 0.5}"#, "--size needs"),
      (#""path": "\#(Self.mood)", "options": {"style": 2}"#, "--style cannot be '2'"),
      (#""path": "\#(Self.mood)", "options": {"no-pattern": 1}"#, "--no-pattern takes no value"),
    ]
    // Fields before and after are still read.
    let results = try run(
      wrong.map { "{\($0.0), \"id\": \"x\"}" }.joined(separator: "\n"), "--threads 1")
    #expect(results.count == wrong.count)
    for (result, (record, text)) in zip(results, wrong) {
      #expect(result["id"] as? String == "x", "\(record)")
      #expect((result["error"] as? String)?.contains(text) ?? false, "\(record): \(result)")
    }
    let ids = try run(
      #"{"id": 1.5}"# + "\n" + #"{"id": null}"# + "\n" + #"{"id": 1e300}"#, "--threads 1")
    for (index, result) in ids.enumerated() {
      #expect(result["id"] as? String == "\(index + 1)")
      #expect(
        (result["error"] as? String)?.contains("'id': a text or a whole number is expected")
          ?? false)
    }
  }
}
