import InkFiles
import Glibc
import Graphics
import ForeignInk
import Measurement
import Pictures
import Rasterization
import System

/// The conversion from the bytes of a drawing to those of a PNG, within a process.
struct PictureCall {
  private let bytes: [UInt8]
  private var options = RenderOptions()

  init(_ bytes: [UInt8], threads: Int) {
    self.bytes = bytes
    options.threads = threads
  }

  func picture() throws -> [UInt8] {
    let file = try DrawingFile(bytes)
    return try Picture(of: file.strokes(threads: options.threads), on: file.canvas, options).png()
  }
}

/// Calls of `PictureCall` in a new process. The kernel provides the memory of the first call page
/// by page; later calls reuse it.
enum CallProcess {
  /// The first word on the command line of such a process; a file, the number of threads and the
  /// number of calls follow.
  static let word = "--call-picture"

  /// Starts such a process, and returns the time of its last call.
  static func lastCall(of path: SystemString, threads: Int, calls: Int) throws -> Taken {
    let numbers = [threads, calls].map { Array("\($0)".utf8) }
    let run = try ProcessRun(
      [MeasuredCommand.ownProgram, Array(word.utf8), path.bytes] + numbers, takesOutput: true,
      shouldStop: { Interruption.isRequested })
    let words = String(decoding: run.output, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    let seconds = words.compactMap { Double($0) }
    guard seconds.count == 2 else { throw ProcessFailure.unexpectedOutput }
    return Taken(seconds: seconds[0], processorSeconds: seconds[1])
  }

  /// Makes the calls, and prints the wall time and the processor time of the last one in seconds.
  /// The process is prepared like one that renders.
  static func report(of words: [SystemString]) -> Int32 {
    useHeapOfPictures()
    shareHeapOfPictures()
    let numbers = words.dropFirst().compactMap { Int($0.description) }
    guard numbers.count == 2, numbers[1] > 0, let bytes = try? readFile(words[0]) else {
      return ExitCode.failed.rawValue
    }
    let call = PictureCall(bytes, threads: numbers[0])
    var taken = Taken()
    for _ in 0..<numbers[1] {
      var picture: [UInt8]?
      taken = Taken { picture = try? call.picture() }
      guard picture != nil else { return ExitCode.badData.rawValue }
    }
    print(taken.seconds, taken.processorSeconds)
    return ExitCode.ok.rawValue
  }
}
