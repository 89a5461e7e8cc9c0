import Glibc

/// How another program is started: with which words and files, and without the signals that we block or ignore
/// for ourselves.
struct Spawn {
  /// The program and its arguments; it is looked for where programs lie.
  var words: [SystemString]
  /// Open files of ours that it gets under a number, in this order.
  var files: [(own: Int32, number: Int32)] = []
  /// Numbers of files behind which there is nothing.
  var blankFiles: [Int32] = []
  /// Whether it and all that it starts are a group of processes, so that all of them can be ended.
  var hasOwnGroup = false

  /// Starts the program; gives why that failed, by the system's number.
  func start() -> (process: pid_t, problem: Int32) {
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
    // What `nohup` or a shell in the background have ignored stays so, but not in a group that we end.
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
    var arguments = words.map { strdup($0.cString) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawnp(
      &process, words[0].cString, &actions, &attributes, &arguments, environ)
    return (process, problem)
  }
}
