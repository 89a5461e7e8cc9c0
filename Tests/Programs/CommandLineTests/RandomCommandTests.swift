import Foundation
import Graphics
import PNGFormat
import TestSupport
import Testing

/// Random options for whole commands that draw the samples: all inks, and many strokes.
private struct RandomLine {
  let sample: String
  let options: [String]
  let threads: Int
  let effort: String

  init(seed: UInt64) {
    var random = RandomInk(seed: seed)
    func one(_ values: String...) -> String { values[random.whole(0...values.count - 1)] }
    sample = one("landscape", "landscape", "inks", "erased", "minute", "mood", "handwriting")
    // Narrow parts of a page of about 1,000 points, at positions with ink.
    let (width, height) = (random.whole(1...130), random.whole(1...300))
    let (x, y) = (random.whole(-20...900), random.whole(-20...700))
    var options: [String] = []
    switch random.whole(0...9) {
    case 0: options = ["--size", "\(width)x\(height)"]
    case 1: options = ["--size", "\(width)", "--frame", "content"]
    case 2: options = ["--scale", "0.\(random.whole(1...99))", "--frame", "content"]
    case 3: options = ["--region=\(x).3,\(y).7,\(width).5,\(height)", "--scale", "0.7"]
    case 4: options = ["--region=\(x),\(y),1e-9,1e-9", "--size", "\(width)x\(height)"]
    case 5: options = ["--region=\(one("1e9", "-1e12", "1e18")),\(y),\(width),\(height)"]
    default: options = ["--region=\(x),\(y),\(width),\(height)"]
    }
    if random.chance(0.4) {
      options += ["--background", one("transparent", "auto", "#203040", "white", "#FF000080")]
    }
    if random.chance(0.3) {
      options += ["--paper", one("dotted", "lined", "grid", "graph", "isometric", "cornell")]
    }
    if random.chance(0.4) { options += ["--style", one("dark", "stored")] }
    if random.chance(0.2) { options += ["--depth", "16"] }
    if random.chance(0.2) { options += ["--blend", "linear"] }
    if random.chance(0.2) { options += ["--color-space", "p3"] }
    if random.chance(0.2) { options += ["--quality", one("draft", "fine")] }
    self.options = options
    threads = [1, 2, 3, 5, 8][random.whole(0...4)]
    effort = one("fast", "fast", "fast", "small", "best")
  }
}

struct RandomCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: 0..<6)
  func `PNG, as libpng reads it, has the pixels of samples, with any options`(
    _ part: UInt64
  ) throws {
    func bytes(_ name: String, _ options: [String]) throws -> [UInt8]? {
      let file = folder.file(name)
      let result = try Program.run("pkd", ["render", "-o", file.path, "--quiet"] + options)
      guard result.code == 0 else {
        Issue.record("pkd render \(options.joined(separator: " ")): \(result)")
        return nil
      }
      return [UInt8](try Data(contentsOf: file))
    }
    for seed in 20 * part..<20 * part + UInt64(RunLength.count(10, long: 20)) {
      let line = RandomLine(seed: seed)
      let sample = Corpus.project.appendingPathComponent("Samples/\(line.sample).pkd").path
      let options = [sample] + line.options
      let png = try bytes(
        "own.png", options + ["--effort", line.effort, "--threads", "\(line.threads)"])
      let plain = try bytes("plain.rgba", options + ["--threads", "1"])
      #expect(
        try png.map { try PNGDecoder().decode($0).plainBytes } == plain,
        "seed \(seed): \(options.joined(separator: " ")), \(line.effort), \(line.threads) threads")
    }
  }
}
