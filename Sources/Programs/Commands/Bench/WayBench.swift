import InkFiles
import ForeignInk
import Measurement

/// The whole conversion from one file to another: as processes of this program, and within a
/// process.
enum WayBench {
  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    try BenchFolder.with { folder in
      let path = try input.path ?? folder.write(input.bytes, to: "page.ink")
      return try single(path, folder, input, plan) + batches(folder, input, plan)
    }
  }

  /// Commands on one drawing, and the same conversion within a process.
  private static func single(
    _ path: SystemString, _ folder: BenchFolder, _ input: BenchInput, _ plan: BenchPlan
  ) throws -> [Figure] {
    func own(_ words: String..., output: String? = nil) -> MeasuredCommand {
      MeasuredCommand(
        words.joined(separator: " "), words + ["--quiet", "--threads", "\(plan.threads)"],
        output: output.map(folder.file), files: [path], threads: plan.threads,
        acceptsDamage: !input.file.damage.isEmpty)
    }
    let commands = [
      MeasuredCommand(foreign: "empty process (true)", ["true"]),
      MeasuredCommand("--version", ["--version"]),
      own("info"), own("thumbnail", output: "small.png"), own("render", output: "page.png"),
      own("render", "--depth", "16", output: "deep.png"),
      own("render", "--paper", "grid", output: "grid.png"),
      own("render", "--effort", "small", output: "packed.png"),
    ]
    let calls = [1, 4].map { count in
      Work.timed(threads: plan.threads) {
        try CallProcess.lastCall(of: path, threads: plan.threads, calls: count)
      }
    }
    // Reports errors before the calls.
    _ = try PictureCall(input.bytes, threads: plan.threads).picture()
    let samples = try samples(plan.effort, commands.map(\.work) + calls)
    input.notes.append(
      "bytes to PNG, cold: the first call in a process, in memory that was never touched before; "
        + "warm: the fourth, which uses the memory of earlier ones again")
    return try zip(commands, samples).map { try $0.figure($1) }
      + zip(["bytes to PNG, cold", "bytes to PNG, warm"], samples.suffix(2)).map {
        Figure.milliseconds($0, $1)
      }
  }

  /// One command for many copies of a drawing.
  private static func batches(
    _ folder: BenchFolder, _ input: BenchInput, _ plan: BenchPlan
  ) throws -> [Figure] {
    let isSmall = input.pointCount < 1000
    // Large drawings take long enough in few copies.
    let isFew = plan.isBrief || input.pointCount > 100_000
    let thumbnailCount = plan.isQuick ? 3 : isFew ? 10 : 100
    let counts = (thumbnails: thumbnailCount, pictures: 10 * thumbnailCount)
    let first = try folder.write(input.bytes, to: "copy.ink")
    let copies = try (0..<(isSmall ? counts.pictures : counts.thumbnails)).map {
      try folder.link(first, to: "copy\($0).ink")
    }
    func command(_ name: String, _ count: Int, _ unit: String) throws -> MeasuredCommand {
      MeasuredCommand(
        "\(name) \(count) copies",
        [name, "--quiet", "--force", "--threads", "\(plan.threads)"],
        output: folder.file(""), files: Array(copies.prefix(count)), threads: plan.threads,
        batch: (count, unit), acceptsDamage: !input.file.damage.isEmpty)
    }
    var commands = [try command("thumbnail", counts.thumbnails, "files/s")]
    if isSmall { commands.append(try command("render", counts.pictures, "files/s")) }
    return try zip(commands, samples(plan.effort, commands.map(\.work))).map {
      try $0.figure($1)
    }
  }
}
