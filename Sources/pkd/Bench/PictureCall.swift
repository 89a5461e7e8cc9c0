import Graphics
import Glibc
import Interchange
import Measurement
import PNGFormat
import Processes
import Rasterization

/// The way from the bytes of a drawing to those of a PNG, within a process.
struct PictureCall {
  private let bytes: [UInt8]
  private var options = RenderOptions()

  init(_ bytes: [UInt8], threads: Int) {
    self.bytes = bytes
    options.threads = threads
  }

  func picture() throws -> [UInt8] {
    let file = try DrawingFile(bytes)
    let rendering = try Renderer(options).rendering(of: file.strokes().value, on: file.canvas)
    return try PNGEncoder(threads: options.threads).encode(
      rendering, isOpaque: rendering.background.alpha == 1, scale: rendering.scale)
  }
}

/// The first `PictureCall` of a fresh process, whose memory comes from the kernel page by page.
enum FirstCall {
  /// The first word on the command line of such a process; a file and the number of threads follow.
  static let word = "--first-call-with"

  /// Starts such a process, and returns the seconds of its call.
  static func seconds(of path: SystemString, threads: Int) throws -> Double {
    let words = [MeasuredCommand.ownProgram, Array(word.utf8), path.bytes]
    let run = try ProcessRun(
      words + [Array("\(threads)".utf8)], takesOutput: true,
      shouldStop: { Interruption.isRequested })
    let digits = String(decoding: run.output, as: UTF8.self).prefix { $0 != "\n" }
    guard let seconds = Double(digits) else { throw ProcessFailure.unexpectedOutput }
    return seconds
  }

  /// Calls and prints the seconds. The process is prepared like one that renders.
  static func report(of words: ArraySlice<SystemString>) -> Int32 {
    useHeapOfPictures()
    guard let path = words.first, let threads = words.last.flatMap({ Int($0.description) }),
      let bytes = try? readFile(path)
    else { return ExitCode.failed.rawValue }
    let call = PictureCall(bytes, threads: threads)
    let start = MonotonicTime.now
    guard let picture = try? call.picture() else { return ExitCode.badData.rawValue }
    let seconds = MonotonicTime.now - start
    consume(picture)
    print(seconds)
    return ExitCode.ok.rawValue
  }
}
