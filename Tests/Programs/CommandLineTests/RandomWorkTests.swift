import Foundation
import TestSupport
import Testing

/// Random and damaged input for commands that other programs feed: workers, imports of buckets, and
/// storage addresses.
struct RandomWorkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let samples = ["mood", "erased", "inks"].compactMap {
    try? [UInt8](
      Data(contentsOf: Corpus.project.appendingPathComponent("Samples/\($0).pkd")))
  }

  /// A random record, valid or wrong anywhere.
  private func record(
    _ chance: inout Chance, _ number: Int, isFramed: Bool
  ) throws -> (head: String, bytes: [UInt8]) {
    var bytes = chance.pick(Self.samples) ?? []
    if chance.isLucky(0.6) {
      var mutation = Mutation(seed: chance.seed())
      bytes = mutation.mutated(bytes, splicing: Self.samples[0])
    }
    if chance.isLucky(0.1) { bytes = [] }
    let output =
      chance.pick(["", "p\(number).png", "missing/p.png", "", "-", ".", "records"]) ?? ""
    let size = chance.pick(["64", "1", "0", "-3", "9x9", "300", "1e9", "x", ""]) ?? ""
    let style = chance.pick(["light", "dark", "none"]) ?? ""
    var fields = [#""id": "r\#(number)""#]
    if !output.isEmpty { fields.append(#""output": "\#(output)""#) }
    if chance.isLucky(0.7) {
      let moment = chance.pick(["0", "2.5", "-1", "1e300", "\"50%\"", "null", "true", "[1]"]) ?? ""
      let at = chance.isLucky(0.3) ? #", "at": \#(moment)"# : ""
      fields.append(#""options": {"size": "\#(size)", "style": "\#(style)"\#(at)}"#)
    }
    if isFramed {
      fields.append(#""byteCount": \#(bytes.count)"#)
    } else if chance.isLucky(0.5) {
      let name = "d\(number)"
      try Data(bytes).write(to: folder.file(name))
      fields.append(#""path": "\#(name)""#)
    } else {
      fields.append(#""bytes": "\#(Data(bytes).base64EncodedString())""#)
    }
    if !isFramed {
      if chance.isLucky(0.05) { fields.append(#""nonsense": 1"#) }
      if chance.isLucky(0.05) { return ("{\(fields.joined(separator: ","))", []) }
    }
    return ("{\(fields.joined(separator: ", "))}", bytes)
  }

  @Test(arguments: 0..<UInt64(RunLength.count(6, long: 60)))
  func `a worker gives one result for each random record`(_ seed: UInt64) throws {
    var chance = Chance(seed: seed)
    let isFramed = chance.isLucky(0.4)
    let count = chance.whole(1...40)
    var input: [UInt8] = []
    for number in 0..<count {
      let (head, bytes) = try record(&chance, number, isFramed: isFramed)
      if isFramed {
        input += [0, 0, UInt8(head.utf8.count >> 8), UInt8(head.utf8.count & 255)]
        input += Array(head.utf8) + bytes
      } else {
        input += Array((head + "\n").utf8)
      }
    }
    var options = ["worker", "--threads", "\(chance.whole(1...4))"]
    if isFramed { options.append("--framed") }
    if chance.isLucky(0.5) { options.append("--skip-done") }
    let result = try Program.run("pkd", options, input: Data(input), in: folder.url)
    #expect(result.code == 0, "seed \(seed): \(result.code), \(result.errors)")
    let results = isFramed ? Self.framed(result.output) : Self.lines(result.output)
    #expect(results.count == count, "seed \(seed)")
    #expect(results.allSatisfy { $0["width"] != nil || $0["error"] != nil || $0["known"] != nil })
    // Only pictures were written, and they are complete.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where !name.hasPrefix("d") {
      let bytes = try Data(contentsOf: folder.file(name))
      #expect(name == "records" || name.hasPrefix("p"), "\(name)")
      #expect(bytes.starts(with: [0x89, 0x50]) && bytes.suffix(8).starts(with: Array("IEND".utf8)))
    }
  }

  @Test(arguments: 0..<UInt64(RunLength.count(6, long: 60)))
  func `a worker survives a damaged stream or ends with a reason`(
    _ seed: UInt64
  ) throws {
    var chance = Chance(seed: 1000 + seed)
    var input: [UInt8] = []
    for number in 0..<5 {
      let (head, bytes) = try record(&chance, number, isFramed: true)
      input += [0, 0, UInt8(head.utf8.count >> 8), UInt8(head.utf8.count & 255)]
      input += Array(head.utf8) + bytes
    }
    var mutation = Mutation(seed: seed)
    input = mutation.mutated(input)
    let result = try Program.run(
      "pkd", ["worker", "--framed", "--threads", "2"], input: Data(input), in: folder.url)
    #expect(
      result.code == 0 || result.code == 65 && !result.errors.isEmpty, "seed \(seed): \(result)")
  }

  @Test(arguments: 0..<UInt64(RunLength.count(4, long: 40)))
  func `import-bucket imports the readable part of a damaged bucket`(_ seed: UInt64) throws {
    var chance = Chance(seed: 2000 + seed)
    let count = chance.whole(1...12)
    for number in 0..<count {
      var bytes = chance.pick(Self.samples) ?? []
      if chance.isLucky(0.5) {
        var mutation = Mutation(seed: chance.seed())
        bytes = mutation.mutated(bytes)
      }
      let place = folder.file("b/users/u\(number % 3)/drawings/d\(number)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(bytes).write(to: place.appendingPathComponent("recording.pkd"))
      if chance.isLucky(0.3) {
        try Data([1, 2]).write(to: place.appendingPathComponent("thumbnail.png"))
      }
    }
    let result = try Program.run("pkd", ["import-bucket", "b", "--json"], in: folder.url)
    #expect([0, 65].contains(result.code), "seed \(seed): \(result)")
    let counts = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Int])
    #expect(counts["drawings"] == count)
    #expect((counts["failed"] == 0) == (result.code == 0), "seed \(seed): \(result)")
    // A second run retries only failed drawings.
    let again = try Program.run("pkd", ["import-bucket", "b", "--json"], in: folder.url)
    let others = try JSONSerialization.jsonObject(with: again.output) as? [String: Int]
    #expect(others?["pictures"] == 0 && others?["failed"] == counts["failed"])
  }

  @Test(arguments: 0..<UInt64(RunLength.count(10, long: 200)))
  func `a random storage address ends a command with a reason`(_ seed: UInt64) throws {
    var chance = Chance(seed: 3000 + seed)
    let pieces = [
      "a", ",", "postgres://", "s3://", "u@127.0.0.1:1/x", "b?endpoint=", "http://127.0.0.1:1", "/",
      "..", "é", " ", "?", "&region=", "%00", "-",
    ]
    let place = (0..<chance.whole(0...6)).map { _ in chance.pick(pieces) ?? "" }.joined()
    let commands = [
      ["store", "list", "--uid", "a", "--root=\(place)"],
      ["store", "stats", "--documents=postgres://\(place)"],
      ["store", "sweep", "--blobs=s3://\(place)"], ["migrate", "--from=\(place)", "--to=c"],
      ["migrate", "--from", "c", "--to=\(place)x,postgres://127.0.0.1:1/none"],
      ["import-bucket", "--", "\(place)"], ["worker", "--blobs=\(place)"],
      ["serve", "--root", "c", "--blobs=\(place)", "--listen", "nowhere"],
    ]
    let words = chance.pick(commands) ?? []
    let result = try Program.run("pkd", words, in: folder.url)
    let isQuietEnd = words.contains("migrate") || words[0] == "worker"
    #expect(
      [1, 2, 65].contains(result.code) && !result.errors.isEmpty || isQuietEnd && result.code == 0,
      "seed \(seed): \(words): \(result)")
  }

  private static func lines(_ output: Data) -> [[String: Any]] {
    output.split(separator: 10).compactMap {
      try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
    }
  }

  private static func framed(_ output: Data) -> [[String: Any]] {
    var (rest, results) = (Array(output)[...], [[String: Any]]())
    while rest.count >= 4 {
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard
        let fields = try? JSONSerialization.jsonObject(with: Data(rest.prefix(count)))
          as? [String: Any]
      else { break }
      rest = rest.dropFirst(count + (fields["byteCount"] as? Int ?? 0))
      results.append(fields)
    }
    return results
  }
}
