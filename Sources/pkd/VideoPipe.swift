import Glibc

/// A film on its way through `ffmpeg`, which takes plain frames and compresses them.
///
/// The film lies under another name until it is whole. One that fails leaves nothing.
final class VideoPipe {
  /// What becomes of frames.
  enum Kind: String, CaseIterable {
    case mp4, webm
  }

  private let kind: Kind
  private let output: SystemString
  private let temporary: SystemString
  private let process: pid_t
  /// Where frames go; closed at the end.
  private var input: Int32
  /// What `ffmpeg` says: a file without a name, or none.
  private let errors: Int32
  private var isFinished = false

  /// Starts `ffmpeg`. Frames come as YUV4MPEG2; what they lack to even sides gets a colour, `#RRGGBB`.
  init(
    output: SystemString, kind: Kind, padding: String = "#FFFFFF", threads: Int? = nil
  ) throws(VideoPipeError) {
    (self.kind, self.output) = (kind, output)
    guard output != .standardStream else {
      throw VideoPipeError(message: "a film in .\(kind.rawValue) needs a file; give -o NAME")
    }
    let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    temporary = output.folder + ".pkd-\(random).tmp".utf8
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw VideoPipeError(SystemError("ffmpeg")) }
    input = ends[1]
    // A pipe for what it says could fill up while we wait for it, and it for us.
    var name = Array("/tmp/pkd-XXXXXX".utf8CString)
    errors = mkstemp(&name)
    if errors >= 0 { unlink(name) }
    for file in [input, errors] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let words: [SystemString] =
      ["ffmpeg", "-y", "-nostdin", "-hide_banner", "-loglevel", "error", "-f", "yuv4mpegpipe"]
      + ["-i", "pipe:0", "-vf", Self.filter(padding)] + Self.coding(kind)
      + (threads.map { ["-threads", SystemString(bytes: Array("\($0)".utf8))] } ?? [])
      + ["-f", SystemString(bytes: Array(kind.rawValue.utf8)), temporary.asPath]
    Interruption.note(halfWritten: temporary)
    var process = pid_t()
    let problem = Self.start(words, input: ends[0], errors: errors, &process)
    close(ends[0])
    guard problem == 0 else {
      close(input)
      close(errors)
      Interruption.note(halfWritten: nil)
      throw problem == ENOENT
        ? VideoPipeError(
          message: "ffmpeg is needed for .\(kind.rawValue) and is not installed: "
            + "apt install ffmpeg, or write .apng, .webp or .y4m")
        : VideoPipeError(SystemError("ffmpeg", code: problem))
    }
    self.process = process
  }

  /// Hands on bytes of frames.
  func write(_ bytes: [UInt8]) throws(VideoPipeError) {
    do throws(SystemError) {
      try writeAll(bytes, to: input, "ffmpeg")
    } catch {
      guard error.code == EPIPE else { throw VideoPipeError(error) }
      // It has ended before us, and says why.
      throw end() ?? VideoPipeError(error)
    }
  }

  /// Waits until the film is whole, and gives it its name.
  func finish() throws(VideoPipeError) {
    if let failure = end() { throw failure }
    var status = stat()
    if stat(output.cString, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      chmod(temporary.cString, status.st_mode & 0o7777)
    }
    guard rename(temporary.cString, output.cString) == 0 else {
      let failure = VideoPipeError(SystemError(output.description))
      unlink(temporary.cString)
      throw failure
    }
  }

  deinit {
    guard !isFinished else { return }
    // Nobody wants the rest.
    kill(process, SIGKILL)
    close(input)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    close(errors)
    unlink(temporary.cString)
    Interruption.note(halfWritten: nil)
  }

  /// Ends `ffmpeg` by ending its input; says what went wrong, if anything did, and then takes away
  /// what there is of the film.
  private func end() -> VideoPipeError? {
    guard !isFinished else { return nil }
    isFinished = true
    close(input)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    Interruption.note(halfWritten: nil)
    defer { close(errors) }
    guard status != 0 else { return nil }
    unlink(temporary.cString)
    let how =
      status & 0x7F == 0
      ? "ended with \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
    let why = lastLine.map { ": \($0)" } ?? ""
    return VideoPipeError(message: "\(output): ffmpeg \(how)\(why)")
  }

  /// What `ffmpeg` said last.
  private var lastLine: String? {
    var room = [UInt8](repeating: 0, count: 4096)
    let length = lseek(errors, 0, SEEK_END)
    let count = pread(errors, &room, room.count, max(length - room.count, 0))
    guard count > 0 else { return nil }
    let lines = String(decoding: room[..<count], as: UTF8.self).split(separator: "\n")
    return lines.last { !$0.allSatisfy(\.isWhitespace) }.map { String($0).printable }
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
  private static func filter(_ padding: String) -> SystemString {
    let color = padding.replacingHash
    return SystemString(
      bytes: Array("pad=w=ceil(iw/2)*2:h=ceil(ih/2)*2:color=\(color)".utf8))
  }

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

  /// Starts a program whose standard input and error are what is given. Gives why that failed.
  private static func start(
    _ words: [SystemString], input: Int32, errors: Int32, _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, input)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    if errors >= 0 { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
    // We ignore broken pipes, others need not.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments = words.map { strdup($0.cString) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return posix_spawnp(&process, "ffmpeg", &actions, &attributes, &arguments, environ)
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

extension String {
  /// A colour as `ffmpeg` writes it.
  fileprivate var replacingHash: String { hasPrefix("#") ? "0x" + dropFirst() : self }
}
