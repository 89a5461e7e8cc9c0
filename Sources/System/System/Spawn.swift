package import Glibc

/// Starts a child process with arguments and files. Signals that this program blocks or ignores are
/// reset.
package struct Spawn {
  /// The program, which is searched in PATH, and its arguments, as bytes without zeros.
  package var words: [[UInt8]]
  /// Open files that the child gets under other descriptors, in this order.
  package var files: [(own: Int32, number: Int32)] = []
  /// Descriptors of the child that are /dev/null.
  package var blankFiles: [Int32] = []
  /// Whether the child starts a new process group, so that it and its children can be terminated
  /// together.
  package var hasOwnGroup = false

  package init(
    words: [[UInt8]], files: [(own: Int32, number: Int32)] = [], blankFiles: [Int32] = [],
    hasOwnGroup: Bool = false
  ) {
    self.words = words
    self.files = files
    self.blankFiles = blankFiles
    self.hasOwnGroup = hasOwnGroup
  }

  /// Starts the program; `problem` is 0 or the error number of the system.
  package func start() -> (process: pid_t, problem: Int32) {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for file in files { posix_spawn_file_actions_adddup2(&actions, file.own, file.number) }
    for number in blankFiles {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    var (defaults, none) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&defaults)
    // Signals that `nohup` or a shell has ignored stay ignored, except in a group that must be
    // terminated.
    let others = hasOwnGroup ? [SIGCHLD, SIGINT, SIGTERM, SIGHUP] : []
    for signal in [SIGPIPE, SIGXFSZ] + others { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &none)
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    if hasOwnGroup {
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= POSIX_SPAWN_SETPGROUP
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let strings = words.map { $0.map { CChar(bitPattern: $0) } + [0] }
    var arguments = strings.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawnp(
      &process, strings[0], &actions, &attributes, &arguments, environ)
    return (process, problem)
  }
}
