import Glibc
import Measurement

/// A command that is measured as a process of its own.
struct MeasuredCommand {
  let name: String
  private let words: [[UInt8]]
  private let threads: Int
  /// The number of drawings that it processes, with their name in a rate; nil for one.
  private let batch: (count: Int, unit: String)?
  private let isOwn: Bool
  /// Exit codes that are not failures.
  private let codes: Set<Int32>

  static let ownProgram = Array("/proc/self/exe".utf8)

  /// A command of another program, whose memory is not measured.
  init(foreign name: String, _ words: [String]) {
    (self.name, self.words, isOwn) = (name, words.map { Array($0.utf8) }, false)
    (threads, batch, codes) = (1, nil, [0])
  }

  /// A command of this program. `files` follow its options. The readable part of a damaged file is
  /// drawn.
  init(
    _ name: String, _ words: [String], output: SystemString? = nil, files: [SystemString] = [],
    threads: Int = 1, batch: (count: Int, unit: String)? = nil, acceptsDamage: Bool = false
  ) {
    let output = output.map { [Array("-o".utf8), $0.bytes] } ?? []
    let files = files.isEmpty ? [] : [Array("--".utf8)] + files.map(\.bytes)
    self.name = name
    self.words = [Self.ownProgram] + words.map { Array($0.utf8) } + output + files
    (self.threads, self.batch, isOwn) = (threads, batch, true)
    codes = acceptsDamage ? [0, ExitCode.badData.rawValue] : [0]
  }

  /// The work of one process, from before its start to after its end.
  var work: Work {
    .timed(threads: threads) {
      try naming { () throws(ProcessFailure) in
        try ProcessRun(
          words, takesMessages: true, accepts: codes,
          shouldStop: { Interruption.isRequested }
        ).taken
      }
    }
  }

  /// Its time, together with processor time, peak memory or rate.
  func figure(_ samples: Samples) throws -> Figure {
    var figure = Figure.milliseconds(name, samples) { seconds in
      batch.map { [Figure.Detail(Double($0.count) / seconds, $0.unit)] } ?? []
    }
    if batch == nil, let processor = Statistics(samples.processorSeconds) {
      figure.details.append(Figure.Detail(processor.median * 1e3, "ms", of: "CPU"))
    }
    if isOwn {
      let peak = try naming { () throws(ProcessFailure) in
        try PeakMemory.bytes(
          of: words, launcher: Self.ownProgram, accepts: codes,
          shouldStop: { Interruption.isRequested })
      }
      figure.details.append(Figure.Detail(Double(peak), "bytes", of: "peak"))
    }
    return figure
  }

  /// Adds the command's name to a failure.
  private func naming<Result>(
    _ body: () throws(ProcessFailure) -> Result
  ) throws -> Result {
    guard !Interruption.isRequested else { throw ProcessFailure.stopped }
    do throws(ProcessFailure) {
      return try body()
    } catch {
      guard error != .stopped else { throw error }
      throw CommandFailure(command: name, failure: error)
    }
  }
}

/// The failure of a measured command.
struct CommandFailure: Error, CustomStringConvertible {
  let command: String
  let failure: ProcessFailure

  var description: String { "'\(command)': \(failure)" }
}
