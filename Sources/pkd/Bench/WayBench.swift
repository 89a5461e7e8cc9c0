import Glibc
import Graphics
import Interchange
import Measurement
import PNGFormat
import Rasterization

/// The whole way from a file to another: as processes of this program, and inside of a process.
enum WayBench {
  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    try BenchFolder.with { folder in
      let path = try input.path ?? folder.write(input.bytes, to: "page.ink")
      return try processes(of: path, folder, input, plan)
    } + insideProcess(input, plan)
  }

  // MARK: - Processes

  private struct Command {
    let name: String
    let words: [[UInt8]]
    /// Whether it is a command of this program.
    var isOwn = true
  }

  private static let ownProgram = Array("/proc/self/exe".utf8)

  private static func processes(
    of path: SystemString, _ folder: BenchFolder, _ input: BenchInput, _ plan: BenchPlan
  ) throws -> [Figure] {
    func own(_ name: String, _ words: String..., output: String? = nil) -> Command {
      let words = words + ["--quiet", "--threads", "\(plan.threads)"]
      let target = output.map { [Array("-o".utf8), folder.file($0).bytes] } ?? []
      return Command(
        name: "pkd \(name)",
        words: [ownProgram] + words.map { Array($0.utf8) } + target
          + [Array("--".utf8), path.bytes])
    }
    let commands = [
      Command(name: "empty process (true)", words: [Array("true".utf8)], isOwn: false),
      Command(name: "pkd --version", words: [ownProgram, Array("--version".utf8)]),
      own("info", "info"), own("thumbnail", "thumbnail", output: "small.png"),
      own("render", "render", output: "page.png"),
    ]
    // A damaged file is drawn as far as it can be read.
    let codes: Set<Int32> = input.file.damage.isEmpty ? [0] : [0, ExitCode.badData.rawValue]
    var wall = commands.map { _ in [Double]() }
    var busy = commands.map { _ in [Double]() }
    let begin = now()
    // The first round loads the program and the file into memory.
    for round in -1..<plan.effort.samples {
      if round >= 5, now() - begin > plan.effort.maximumSeconds { break }
      for (index, command) in commands.enumerated() {
        let run = try measured(command) { () throws(ProcessFailure) in
          try ProcessRun(
            command.words, takesMessages: true, accepts: codes,
            shouldStop: { Interruption.isRequested })
        }
        guard round >= 0 else { continue }
        wall[index].append(run.seconds)
        busy[index].append(run.processorSeconds)
      }
    }
    return try commands.indices.map { index in
      let command = commands[index]
      var figure = Figure.milliseconds(command.name, wall[index])
      if let processor = Statistics(busy[index]) {
        figure.details = [Figure.Detail(processor.median * 1e3, "ms", of: "CPU")]
      }
      if command.isOwn {
        let peak = try measured(command) { () throws(ProcessFailure) in
          try PeakMemory.bytes(
            of: command.words, launcher: ownProgram, accepts: codes,
            shouldStop: { Interruption.isRequested })
        }
        figure.details.append(Figure.Detail(Double(peak), "bytes", of: "peak"))
      }
      return figure
    }
  }

  /// Adds the command to a failure.
  private static func measured<Result>(
    _ command: Command, _ body: () throws(ProcessFailure) -> Result
  ) throws -> Result {
    guard !Interruption.isRequested else { throw ProcessFailure.stopped }
    do throws(ProcessFailure) {
      return try body()
    } catch {
      guard error != .stopped else { throw error }
      throw CommandFailure(command: command.name, failure: error)
    }
  }

  private struct CommandFailure: Error, CustomStringConvertible {
    let command: String
    let failure: ProcessFailure
    var description: String { "'\(command)': \(failure)" }
  }

  // MARK: - Inside of a process

  private static func insideProcess(
    _ input: BenchInput, _ plan: BenchPlan
  ) throws -> [Figure] {
    var options = RenderOptions()
    options.threads = plan.threads
    func picture() throws -> [UInt8] {
      let file = try DrawingFile(input.bytes)
      let rendering = try Renderer(options).rendering(of: file.strokes().value, on: file.canvas)
      return try PNGEncoder(threads: plan.threads).encode(
        rendering, isOpaque: rendering.background.alpha == 1, scale: rendering.scale)
    }
    consume(try picture())
    let warm = times(plan.effort, [{ consume(try? picture()) }])[0]
    var eviction = Eviction()
    let begin = now()
    var cold: [Double] = []
    for round in 0..<plan.effort.samples {
      if round >= 5, now() - begin > plan.effort.maximumSeconds { break }
      eviction.evict()
      let start = now()
      consume(try? picture())
      cold.append(now() - start)
    }
    return [
      .milliseconds("bytes to PNG, warm", warm), .milliseconds("bytes to PNG, cold", cold),
    ]
  }

  /// Empties the processor's caches of what a picture needs.
  private struct Eviction {
    /// More than the caches of a core hold.
    private var bytes = [UInt8](repeating: 0, count: 64 << 20)

    mutating func evict() {
      for index in stride(from: 0, to: bytes.count, by: 64) { bytes[index] &+= 1 }
    }
  }
}
