import Glibc

/// Encodes a video with `ffmpeg`, which receives uncompressed frames through a pipe.
///
/// The video has a temporary name until `ffmpeg` has decoded all of its frames again. If anything
/// fails, it is deleted, and an existing file with its name is kept.
final class VideoPipe {
  /// The video formats.
  enum Kind: String, CaseIterable {
    case mp4, webm
  }

  private let output: SystemString
  private let replacement: FileReplacement
  private let program: RunningProgram

  /// Starts `ffmpeg`. The input must be YUV4MPEG2 with even width and height.
  init(
    output: SystemString, mayReplace: Bool, kind: Kind, threads: Int? = nil
  ) throws(VideoPipeError) {
    self.output = output
    // A video is not written sequentially, so it cannot be written to a pipe.
    guard case .file(let target, _) = try Self.target(of: output) else {
      throw VideoPipeError(message: "a video in .\(kind.rawValue) needs a file; give -o NAME")
    }
    do throws(SystemError) {
      replacement = try FileReplacement(target, for: output, mayReplace: mayReplace)
    } catch {
      throw VideoPipeError(error)
    }
    let words: [SystemString] =
      // Without -xerror ffmpeg treats a full disk as the end of the video.
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

  private static func target(of output: SystemString) throws(VideoPipeError) -> OutputTarget {
    do throws(SystemError) { return try OutputTarget(output) } catch { throw VideoPipeError(error) }
  }

  /// Passes bytes of frames to `ffmpeg`.
  func write(_ bytes: [UInt8]) throws(VideoPipeError) {
    do throws(SystemError) {
      try writeAll(bytes, to: program.pipe, "ffmpeg")
    } catch {
      guard error.code == EPIPE else { throw VideoPipeError(error) }
      // ffmpeg has ended early; its last message contains the reason.
      throw failure(of: program, "ffmpeg")
        ?? VideoPipeError(message: "\(output): ffmpeg ended before the video did")
    }
  }

  /// Waits for the end of the encoding, verifies the number of frames, and renames the video to its
  /// output.
  func finish(frameCount: Int) throws(VideoPipeError) {
    if let failure = failure(of: program, "ffmpeg") { throw failure }
    try readBack(frameCount: frameCount)
    do throws(SystemError) {
      try replacement.commit(isDurable: true)
    } catch {
      throw VideoPipeError(error)
    }
  }

  // ffmpeg must end before the file is deleted, because it could create the file again.
  deinit { program.stop() }

  /// Decodes the video again. A successful exit of `ffmpeg` is not enough: it reports a missing end
  /// of a .webm index only on its standard error, and does not report bytes that the disk loses
  /// after writing.
  private func readBack(frameCount: Int) throws(VideoPipeError) {
    let words: [SystemString] = [
      "-xerror", "-i", replacement.temporary.asPath, "-map", "0:v", "-f", "framecrc", "pipe:1",
    ]
    let (program, problem) = RunningProgram.start("ffmpeg", Self.common + words, .givesOutput)
    guard let program else { throw VideoPipeError(SystemError("ffmpeg", code: problem)) }
    var (count, isAtStart) = (0, true)
    do throws(SystemError) {
      // One line per frame, after some lines that begin with '#'.
      while let piece = try readPiece(from: program.pipe, "ffmpeg") {
        for byte in piece {
          if isAtStart, byte != UInt8(ascii: "#") { count += 1 }
          isAtStart = byte == UInt8(ascii: "\n")
        }
      }
    } catch {
      throw VideoPipeError(error)
    }
    let what = "reading the video back, ffmpeg"
    if let failure = failure(of: program, what) { throw failure }
    if let line = program.lastLine {
      throw VideoPipeError(message: "\(output): \(what) reported: \(line)")
    }
    guard count == frameCount else {
      throw VideoPipeError(
        message: "\(output): \(what) found \(count) of \(frameCount.counting("frame"))")
    }
  }

  /// Closes the pipe of a program and waits for its end; returns the error if it failed.
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

/// A failure to encode a video.
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
  /// The path in a form that `ffmpeg` cannot interpret as an option or a protocol.
  fileprivate var asPath: SystemString {
    bytes.first == UInt8(ascii: "/") ? self : "file:" + (["./", self].joinedBytes)
  }
}

extension [SystemString] {
  fileprivate var joinedBytes: [UInt8] { flatMap(\.bytes) }
}
