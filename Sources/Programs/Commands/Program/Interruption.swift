import Glibc
import Synchronization
import Threads

/// Opens the standard streams that the caller has closed. Otherwise another file could get one of
/// their numbers, and messages would be written into it. Reading the input and writing to the
/// others still fails.
package func openStandardStreams() {
  for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
  where fcntl(descriptor, F_GETFD) < 0 {
    // The system assigns the lowest free number, which is this one.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}

/// Requests by signals to end the program: Ctrl-C, `kill`, a closed terminal.
package enum Interruption {
  private nonisolated(unsafe) static var flag: sig_atomic_t = 0

  /// Whether a signal has requested the end of the program, after `watch`.
  package static var isRequested: Bool { flag != 0 }

  /// After this call, signals interrupt waiting and reading, and set `isRequested`, instead of
  /// ending the program.
  package static func watch() { handle { _ in Interruption.flag = 1 } }

  /// After this call, signals end the program with the exit code 130, after deleting the unfinished
  /// files.
  package static func endProgram() {
    // Initializes the data that a signal handler reads.
    UnfinishedFile.prepare()
    handle { _ in
      UnfinishedFile.deleteAllAndBeginNone()
      _exit(ExitCode.interrupted.rawValue)
    }
  }

  private static func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    // The parent process may have blocked these signals.
    var signals = Self.signals
    for signal in Self.numbers { sigaction(signal, &action, nil) }
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in numbers { sigaddset(&signals, signal) }
    return signals
  }

  /// Calls `body` without being interrupted on this thread.
  package static func holdingSignals<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var (signals, before) = (Self.signals, sigset_t())
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}

/// A file that is deleted if a signal ends the program, until `forget`.
package struct UnfinishedFile {
  private static let maximumCount = 64
  private static let used = ConditionMutex([Bool](repeating: false, count: maximumCount))

  /// Zero-terminated paths, one per slot; a free slot has an empty path. Allocated once, because
  /// signal handlers may run at any moment and must not allocate.
  fileprivate nonisolated(unsafe) static let names: UnsafeMutablePointer<CChar> = {
    let names = UnsafeMutablePointer<CChar>.allocate(capacity: maximumCount * Int(PATH_MAX))
    for number in 0..<maximumCount { names[number * Int(PATH_MAX)] = 0 }
    return names
  }()

  fileprivate static func prepare() {
    _ = names
    _ = beginning.load(ordering: .relaxed)
    _ = isEnding.load(ordering: .relaxed)
  }

  /// The number of files that are being created, and whether the program is ending.
  private static let beginning = Atomic(0)
  private static let isEnding = Atomic(false)

  /// Calls `create`, which creates a file and records its name. If another thread ends the program
  /// meanwhile, that thread waits and then deletes the file; later files are not created.
  package static func begin<Value, Failure: Error>(
    _ create: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try Interruption.holdingSignals { () throws(Failure) in
      beginning.add(1, ordering: .sequentiallyConsistent)
      defer { beginning.subtract(1, ordering: .sequentiallyConsistent) }
      if isEnding.load(ordering: .sequentiallyConsistent) {
        beginning.subtract(1, ordering: .sequentiallyConsistent)
        while true { pause() }
      }
      return try create()
    }
  }

  fileprivate static func deleteAllAndBeginNone() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    // A limited wait: a file system may never respond.
    for _ in 0..<1000 where beginning.load(ordering: .sequentiallyConsistent) > 0 { usleep(1000) }
    for number in 0..<maximumCount {
      let name = names + number * Int(PATH_MAX)
      if name[0] != 0 { unlink(name) }
    }
  }

  /// Its slot among the names; nil if none is free, or if the path is too long.
  private var number: Int?

  package init(_ path: SystemString) {
    let name = path.cString
    guard name.count <= Int(PATH_MAX), let first = name.first else { return }
    number = Self.used.withLock { used in
      let free = used.firstIndex(of: false)
      if let free { used[free] = true }
      return free
    }
    guard let number else { return }
    let place = Self.names + number * Int(PATH_MAX)
    for (index, letter) in name.enumerated().dropFirst() { place[index] = letter }
    // The first character is written last: the handler must never read a partial path.
    place[0] = first
  }

  package mutating func forget() {
    guard let number else { return }
    Self.names[number * Int(PATH_MAX)] = 0
    Self.used.withLock { $0[number] = false }
    self.number = nil
  }
}
