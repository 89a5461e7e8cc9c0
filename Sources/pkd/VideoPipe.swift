import Glibc

/// A film on its way through `ffmpeg`, which takes plain frames and compresses them.
///
/// The film lies under another name until it is whole, which is believed when `ffmpeg` has read all of its
/// frames back. One that fails leaves nothing, and what had its name stays.
final class VideoPipe {
  /// What becomes of frames.
  enum Kind: String, CaseIterable {
    case mp4, webm
  }

  private let output: SystemString
  private let replacement: FileReplacement
  private let program: RunningProgram

  /// Starts `ffmpeg`. Frames come as YUV4MPEG2 of even sides.
  init(
    output: SystemString, mayReplace: Bool, kind: Kind, threads: Int? = nil
  ) throws(VideoPipeError) {
    self.output = output
    // A film is not written from its start to its end.
    guard case .file(let target, _) = try Self.place(of: output) else {
      throw VideoPipeError(message: "a film in .\(kind.rawValue) needs a file; give -o NAME")
    }
    do throws(SystemError) {
      replacement = try FileReplacement(target, for: output, mayReplace: mayReplace)
    } catch {
      throw VideoPipeError(error)
    }
    let words: [SystemString] =
      // Without -xerror it takes a full disk for the end of the film.
      ["-xerror", "-y", "-f", "yuv4mpegpipe", "-i", "pipe:0"] + Self.coding(kind)
      + (threads.map { ["-threads", SystemString(bytes: Array("\($0)".utf8))] } ?? [])
      + ["-f", SystemString(bytes: Array(kind.rawValue.utf8)), replacement.temporary.asPath]
    let (program, problem) = RunningProgram.start("ffmpeg", Self.common + words, .takesInput)
    guard let program else {
      throw problem == ENOENT
        ? VideoPipeError(
          message: "ffmpeg is needed for .\(kind.rawValue) and is not installed: "
            + "apt install ffmpeg, or write .apng, .webp or .y4m")
        : VideoPipeError(SystemError("ffmpeg", code: problem))
    }
    self.program = program
  }

  private static func place(of output: SystemString) throws(VideoPipeError) -> OutputPlace {
    do throws(SystemError) { return try OutputPlace(output) } catch { throw VideoPipeError(error) }
  }

  /// Hands on bytes of frames.
  func write(_ bytes: [UInt8]) throws(VideoPipeError) {
    do throws(SystemError) {
      try writeAll(bytes, to: program.pipe, "ffmpeg")
    } catch {
      guard error.code == EPIPE else { throw VideoPipeError(error) }
      // It has ended before us, and says why.
      throw failure(of: program, "ffmpeg")
        ?? VideoPipeError(message: "\(output): ffmpeg ended before the film did")
    }
  }

  /// Waits until the film is whole, with so many frames, and gives it its name.
  func finish(frameCount: Int) throws(VideoPipeError) {
    if let failure = failure(of: program, "ffmpeg") { throw failure }
    try readBack(frameCount: frameCount)
    do throws(SystemError) {
      try replacement.commit(isDurable: true)
    } catch {
      throw VideoPipeError(error)
    }
  }

  // The film goes after its writer, which could make it again.
  deinit { program.stop() }

  /// Has the film decoded. That `ffmpeg` ended well is not enough: the index of a .webm that lost its
  /// end is told on its standard error alone, and what a disk loses later than it is written on none.
  private func readBack(frameCount: Int) throws(VideoPipeError) {
    let words: [SystemString] = [
      "-xerror", "-i", replacement.temporary.asPath, "-map", "0:v", "-f", "framecrc", "pipe:1",
    ]
    let (program, problem) = RunningProgram.start("ffmpeg", Self.common + words, .givesOutput)
    guard let program else { throw VideoPipeError(SystemError("ffmpeg", code: problem)) }
    var (count, isAtStart) = (0, true)
    do throws(SystemError) {
      // A line for each frame, behind a few that begin with '#'.
      while let piece = try readPiece(from: program.pipe, "ffmpeg") {
        for byte in piece {
          if isAtStart, byte != UInt8(ascii: "#") { count += 1 }
          isAtStart = byte == UInt8(ascii: "\n")
        }
      }
    } catch {
      throw VideoPipeError(error)
    }
    let what = "reading the film back, ffmpeg"
    if let failure = failure(of: program, what) { throw failure }
    if let line = program.lastLine {
      throw VideoPipeError(message: "\(output): \(what) said: \(line)")
    }
    guard count == frameCount else {
      throw VideoPipeError(
        message: "\(output): \(what) found \(count) of \(frameCount.counting("frame"))")
    }
  }

  /// Ends a program by ending what it reads; says what went wrong, if anything did.
  private func failure(of program: RunningProgram, _ what: String) -> VideoPipeError? {
    let status = program.end()
    guard status != 0 else { return nil }
    let signal = status & 0x7F
    let how =
      signal == 0
      ? "ended with \(status >> 8 & 0xFF)" : "was ended: \(String(cString: strsignal(signal)))"
    let why = program.lastLine.map { ": \($0)" } ?? ""
    return VideoPipeError(message: "\(output): \(what) \(how)\(why)")
  }
}

/// Why there is no film.
struct VideoPipeError: Error, CustomStringConvertible {
  let message: String
  var description: String { message }

  init(message: String) { self.message = message }

  init(_ error: SystemError) { message = error.description }
}

extension VideoPipe {
  private static let common: [SystemString] = ["-nostdin", "-hide_banner", "-loglevel", "error"]

  private static func coding(_ kind: Kind) -> [SystemString] {
    let colors: [SystemString] = [
      "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries",
      "bt709", "-color_trc", "bt709",
    ]
    switch kind {
    case .mp4:
      return ["-c:v", "libx264", "-preset", "medium", "-crf", "18"] + colors
        + ["-movflags", "+faststart"]
    case .webm:
      return ["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4"]
        + colors
    }
  }
}

extension SystemString {
  /// The name so that it cannot be taken for an option or a protocol.
  fileprivate var asPath: SystemString {
    bytes.first == UInt8(ascii: "/") ? self : "file:" + (["./", self].joinedBytes)
  }
}

extension [SystemString] {
  fileprivate var joinedBytes: [UInt8] { flatMap(\.bytes) }
}
