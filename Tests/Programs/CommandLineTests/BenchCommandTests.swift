import Foundation
import TestSupport
import Testing

/// `pkd bench`. No test checks a measured time.
struct BenchCommandTests {
  private let folder: TemporaryFolder
  private let page: String

  init() throws {
    folder = try TemporaryFolder()
    page = folder.file("page.pkd").path
    let result = try Program.run("pkd", ["record", "--demo", "--fast", "--quiet", page])
    try #require(result.code == 0, "\(result.errors)")
  }

  private func bench(
    _ words: String..., environment: [String: String] = [:], input: Data = Data()
  ) throws -> Program.Result {
    try Program.run(
      "pkd", ["bench", "--runs", "1", "--quick"] + words, input: input, environment: environment,
      in: folder.url)
  }

  private struct Report: Decodable {
    struct Figure: Decodable {
      let name: String
      let value: Double
      let unit: String
      let spread: Double
      let samples: Int
      let change: String?
      let ratio: Double?
    }

    let program: String
    let processor: String
    let cores: String
    let compiler: String
    let date: String
    let figures: [Figure]
  }

  private func report(_ result: Program.Result) throws -> Report {
    try JSONDecoder().decode(Report.self, from: result.output)
  }

  /// Files that a run left in its temporary folder.
  private func leftovers(in temporary: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.path)
  }

  private static let samples =
    ["erased", "inks", "minute"] + (RunLength.isLong ? ["handwriting", "landscape", "mood"] : [])

  @Test(arguments: samples)
  func `every group of pkd bench measures every sample`(_ name: String) throws {
    let sample = Corpus.project.appendingPathComponent("Samples/\(name).pkd").path
    let result = try bench("--json", sample)
    #expect(result.code == 0, "\(result.errors)")
    let report = try report(result)
    for group in ["raster", "png", "codec", "replay", "way"] {
      #expect(report.figures.contains { $0.name.hasPrefix("\(group), \(sample), ") }, "\(group)")
    }
    #expect(report.figures.allSatisfy { $0.value > 0 && $0.samples == 1 && $0.spread == 0 })
    #expect(Set(report.figures.map(\.name)).count == report.figures.count)
    #expect(!report.processor.isEmpty && Int(report.cores) ?? 0 > 0 && !report.compiler.isEmpty)
  }

  @Test(arguments: ["raster", "png", "codec", "replay", "way"])
  func `pkd bench with one group prints its table`(_ group: String) throws {
    let result = try bench(group, page)
    #expect(result.code == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("\(group): ") && $0.hasSuffix("best") }, "\(result.text)")
    for other in ["raster", "png", "codec", "replay", "way"] where other != group {
      #expect(!result.text.contains("\n\(other): "))
    }
    for line in lines where !line.contains(page) && line.count > 80 {
      Issue.record("\(line.count) columns: \(line)")
    }
  }

  @Test func `pkd bench without files measures the built-in drawings`() throws {
    let report = try report(try bench("raster", "--json"))
    let drawings = Set(report.figures.map { $0.name.split(separator: ", ")[1] })
    #expect(drawings == ["page", "sketch", "doodle"])
  }

  @Test func `pkd bench measures PNG also with a marker, a blank page and a tiny drawing`() throws {
    let figures = try report(try bench("png", "--json")).figures
    for drawing in ["page", "sketch", "doodle", "marker", "blank", "digit"] {
      #expect(figures.contains { $0.name == "png, \(drawing), size, fast" }, "\(drawing)")
    }
  }

  @Test(
    arguments: [
      [], ["page.pkd"], ["page.pkd", "1", "0"], ["page.pkd", "1", "-3"], ["page.pkd", "x", "1"],
      ["none.pkd", "1", "1"], ["/dev/null", "1", "1"],
    ])
  func `the internal option --call-picture refuses invalid arguments`(
    _ words: [String]
  ) throws {
    let result = try Program.run("pkd", ["--call-picture"] + words, in: folder.url)
    #expect([1, 65].contains(result.code) && result.text.isEmpty, "\(result)")
  }

  @Test func `pkd bench also measures an archive, JSON and the standard input`() throws {
    for name in ["page.drawing", "page.json"] {
      try #require(try Program.run("pkd", ["convert", page, folder.file(name).path]).code == 0)
      let result = try bench("codec", "way", name, "--json")
      #expect(result.code == 0, "\(result.errors)")
      #expect(try report(result).figures.contains { $0.name == "way, \(name), render" })
    }
    let result = try bench(
      "way", "-", "--json", input: try Data(contentsOf: folder.file("page.pkd")))
    #expect(try report(result).figures.contains { $0.name == "way, standard input, render" })
  }

  @Test func `a quiet run of pkd bench prints only JSON`() throws {
    let result = try bench("raster", page, "--quiet")
    #expect(result.code == 0 && result.text.isEmpty && result.errors.isEmpty, "\(result)")
    #expect(try !report(try bench("raster", page, "--quiet", "--json")).figures.isEmpty)
  }

  // MARK: - Comparing

  /// Writes a baseline from a report in which times are multiplied by a factor.
  private func baseline(times factor: Double, from report: Report) throws -> String {
    let figures = report.figures.map { figure in
      let value = figure.unit == "ms" ? figure.value * factor : figure.value
      return ["name": figure.name, "unit": figure.unit, "value": value, "spread": 0.01]
        as [String: Any]
    }
    let object: [String: Any] = [
      "processor": report.processor, "cores": report.cores, "figures": figures,
    ]
    let file = folder.file("baseline.json")
    try JSONSerialization.data(withJSONObject: object).write(to: file)
    return file.path
  }

  @Test func `a comparison of benchmarks marks only changed figures`() throws {
    let before = try report(try bench("png", page, "--json"))
    // The factor exceeds any disturbance of the machine.
    for (factor, word) in [(1e6, "faster"), (1e-6, "slower")] {
      let path = try baseline(times: factor, from: before)
      let result = try bench("png", page, "--compare", path)
      #expect(result.code == 0, "\(result.errors)")
      let times = before.figures.count { $0.unit == "ms" }
      #expect(
        result.text.contains("\(before.figures.count) figures compared: \(times) \(word)."),
        "\(result.text)")
      let json = try report(try bench("png", page, "--compare", path, "--json"))
      for figure in json.figures {
        #expect(figure.change == (figure.unit == "ms" ? word : "same"), "\(figure)")
        #expect(figure.ratio ?? 0 > 0)
      }
    }
  }

  @Test func `pkd bench reports a baseline of another machine and missing figures`() throws {
    let other = folder.file("other.json")
    try Data(#"{"processor": "Z80", "cores": "1", "figures": []}"#.utf8).write(to: other)
    let result = try bench("raster", page, "--compare", other.path)
    #expect(result.code == 0)
    #expect(
      result.errors.contains("measured on another machine (Z80, 1 cores)"), "\(result.errors)")
    #expect(
      result.text.contains("0 figures compared") && result.text.contains("not in the baseline"))
  }

  @Test(
    arguments: [
      (#"{"figures": [}"#, "not a report of 'pkd bench --json': ", "at byte 13"),
      (#"{"figures": [{"name": "a"}]}"#, "needs 'name', 'value' and 'unit'", "at byte 13"),
      ("{}", "a report needs 'figures'", "at byte 2"), ("", "the text ends too early", "at byte 0"),
    ])
  func `a damaged baseline is refused with its offset before measuring`(
    _ text: String, _ reason: String, _ place: String
  ) throws {
    let file = folder.file("damaged.json")
    try Data(text.utf8).write(to: file)
    let result = try bench("raster", page, "--compare", file.path)
    #expect(result.code == 65 && result.text.isEmpty, "\(result)")
    #expect(result.errors.contains(reason) && result.errors.contains(place), "\(result.errors)")
  }

  @Test func `a missing baseline is an error`() throws {
    let result = try bench("raster", page, "--compare", "none.json")
    #expect(result.code == 1 && result.errors.contains("none.json: No such file"), "\(result)")
  }

  // MARK: - Wrong usage and bad input

  @Test(
    arguments: [
      (["png", "--peers"], "--peers draws only"), (["--peers"], "--peers draws only"),
      (["--runs", "0"], "--runs needs a whole number from 1"), (["--runs", "x"], "--runs needs"),
      (["rastr"], "there is no file 'rastr'; did you mean the group 'raster'?"),
      (["-", "-"], "can be read only once"), (["-", "--compare", "-"], "can be read only once"),
      (["--compare"], "--compare needs a value"), (["--jsn"], "did you mean '--json'?"),
    ])
  func `wrong usage of pkd bench has its own message and the exit code 2`(
    _ words: [String], _ message: String
  ) throws {
    let result = try Program.run("pkd", ["bench"] + words, in: folder.url)
    #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
    #expect(result.text.isEmpty)
  }

  @Test func `pkd bench reports files that cannot be opened and measures the others`() throws {
    var bytes = try Data(contentsOf: folder.file("page.pkd"))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: folder.file("damaged.pkd"))
    try Data("no ink".utf8).write(to: folder.file("text.pkd"))
    let result = try bench("raster", "none.pkd", "text.pkd", "damaged.pkd", page, ".", "--json")
    #expect(result.code == 65)
    for message in [
      "none.pkd: No such file", "text.pkd: not a drawing", "only the readable part is measured",
      ".: Is a directory",
    ] {
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    let names = try report(result).figures.map(\.name)
    #expect(names.contains { $0.hasPrefix("raster, \(page), ") })
  }

  @Test func `pkd bench measures a drawing without ink, without sizes per point`() throws {
    try Data(#"{"strokes": []}"#.utf8).write(to: folder.file("empty.json"))
    let result = try bench("empty.json", "--json")
    #expect(result.code == 0, "\(result.errors)")
    let figures = try report(result).figures
    #expect(figures.contains { $0.name == "codec, empty.json, read JSON" })
    #expect(!figures.contains { $0.unit == "bytes/point" })
  }

  @Test func `a drawing that is too large fails in the groups that draw it`() throws {
    let ink = #"{"strokes": [{"points": [{"x": 0, "y": 0}, {"x": 1e7, "y": 1e7}]}]}"#
    try Data(ink.utf8).write(to: folder.file("large.json"))
    let result = try bench("raster", "codec", "large.json", "--json")
    #expect(result.code == 65 && result.errors.contains("large.json: raster: "), "\(result.errors)")
    #expect(try report(result).figures.contains { $0.name == "codec, large.json, read JSON" })
  }

  // MARK: - Processes and files

  @Test func `pkd bench leaves nothing in the temporary folder`() throws {
    let temporary = folder.file("tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let environment = ["TMPDIR": temporary.path]
    #expect(
      try bench(
        "way", "-", environment: environment,
        input: try Data(contentsOf: folder.file("page.pkd"))
      ).code == 0)
    #expect(try leftovers(in: temporary).isEmpty)
    #expect(try bench("raster", page, "--peers", environment: environment).code == 0)
    #expect(try leftovers(in: temporary).isEmpty)
  }

  @Test(arguments: ["INT", "TERM", "HUP"])
  func `a signal ends pkd bench without leaving files`(_ signal: String) throws {
    let script = """
      mkdir tmp; export TMPDIR=$PWD/tmp
      pkd bench way "$1" --runs 100000 --quiet & run=$!
      trap 'kill -KILL $run 2>/dev/null || true' EXIT
      for try in $(seq 1500); do [ -e tmp/*/page.png ] && break; sleep 0.02; done
      ls tmp/*/page.png; kill -\(signal) $run; code=0; wait $run || code=$?
      echo "ended with $code"; sleep 0.2; ls -A tmp
      """
    let result = try Program.shell(script, page, in: folder.url)
    #expect(result.code == 0 && result.text.contains("page.png"), "\(result)")
    #expect(result.text.hasSuffix("ended with 130\n"), "\(result)")
  }

  @Test func `pkd bench runs groups that need no temporary folder if it is unusable`() throws {
    let result = try bench(page, "--json", environment: ["TMPDIR": "/nonexistent"])
    #expect(result.code == 1, "\(result.errors)")
    #expect(result.errors.contains("way: /nonexistent/"), "\(result.errors)")
    let groups = Set(try report(result).figures.map { $0.name.split(separator: ",")[0] })
    #expect(groups.isSuperset(of: ["raster", "png", "codec", "replay"]))
  }

  @Test func `pkd bench reports peers that are not installed, and succeeds`() throws {
    let empty = folder.file("bin")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let result = try bench("raster", page, "--peers", environment: ["PATH": empty.path])
    #expect(result.code == 0, "\(result)")
    #expect(
      result.errors.contains(
        "not installed: Cairo, Skia, OpenCV, Pillow, rsvg-convert, mutool"),
      "\(result.errors)")
    #expect(result.text.contains("pkd render, process"))
  }

  @Test func `pkd bench reports peers that fail, and succeeds`() throws {
    let bin = folder.file("bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let script = """
      printf '#!/bin/sh\\ncat >/dev/null; echo 1.5; echo 2.5\\n' > bin/python3
      printf '#!/bin/sh\\nkill -SEGV $$\\n' > bin/mutool
      printf '#!/bin/sh\\nexit 9\\n' > bin/rsvg-convert
      chmod +x bin/*
      PATH=$PWD/bin:$PATH pkd bench raster "$1" --peers --quick --runs 1
      """
    let result = try Program.shell(script, page, in: folder.url)
    #expect(result.code == 0, "\(result)")
    #expect(
      result.errors.contains("rsvg-convert, process: it ended with exit code 9"),
      "\(result.errors)")
    #expect(result.errors.contains("mutool, process: it was ended: "), "\(result.errors)")
    #expect(result.text.contains("Cairo, Python") && result.text.contains("2 ms"))
    for name in ["rsvg-convert", "mutool"] { #expect(!result.text.contains("\(name), process")) }
  }
}
