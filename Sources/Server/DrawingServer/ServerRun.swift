import Animation
package import DrawingServices
import Journal
import Glibc
import HTTPServing
import SharedStorage
import Storage
import Threads
import Tokens

/// One run of a server, from its settings until a signal ends it.
package struct ServerRun {
  private let settings: ServerSettings

  package init(_ settings: ServerSettings) { self.settings = settings }

  /// A warning for operators at the start of a server; nil for none.
  package static var warning: String? {
    WebFile.pageEngine == nil ? "\(MissingEngine()) Until then, nobody can draw in its pages." : nil
  }

  /// Serves until SIGTERM or SIGINT. Calls `prepare` before the service is opened, and `ready` with
  /// the URL when clients can connect.
  package func carryOut(
    preparing prepare: () throws -> Void = {}, _ ready: (String) -> Void
  ) throws {
    try check()
    // Before any thread starts, including one that prepares: all threads inherit the mask, so that
    // this one gets the signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    try prepare()
    let place = ServicePlace(
      settings.root, documents: settings.documents, blobs: settings.blobs)
    // The first server of a database creates its tables.
    let mayCreate = settings.isDevelopment || !settings.documents.isEmpty
    let environment = try place.open(.journal, for: mayCreate ? .creating : .writing)
    guard let secret = Secret(try LocalService.serverKey(settings.root)) else {
      throw ServerProblem("the key of the service is too short")
    }
    let socket = try listen()
    let log = AccessLog(try logFile())
    let server = try Server(environment, settings, secret: secret, log: log)
    let listener = HTTPListener(limits, server)
    server.attach(listener)
    guard listener.start(socket.handle, try certificate()) else {
      throw ServerProblem(
        settings.certificate.isEmpty
          ? "the server could not be started"
          : "the server could not be started; does the key belong to the certificate?")
    }
    if settings.documents.isEmpty { watchDatabase() }
    environment.reserve?.keep()
    // Ends erasures that a crash or a reader has interrupted. A sweep reports the obstacle.
    Lanes.begin { _ = try? UserService.finishErasures(in: environment) }
    ready((settings.certificate.isEmpty ? "http://" : "https://") + socket.address)
    waitForEnd(signals)
    server.close()
    listener.stop()
    log.close()
  }

  /// Ends the program when the database file has been replaced: writes to a removed file are lost.
  private func watchDatabase() {
    let path = "\(settings.root)/pentimento.db"
    var first = stat()
    guard stat(path, &first) == 0 else { return }
    let (device, inode) = (first.st_dev, first.st_ino)
    Lanes.begin {
      while true {
        sleep(1)
        var now = stat()
        if stat(path, &now) == 0, now.st_dev == device, now.st_ino == inode { continue }
        let problem = "pkd: \(path) was removed or replaced; the server ends\n"
        _ = problem.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        _exit(1)
      }
    }
  }

  private func waitForEnd(_ signals: sigset_t) {
    var signals = signals
    while true {
      var signal: Int32 = 0
      guard sigwait(&signals, &signal) == 0, signal != SIGHUP else { continue }
      break
    }
    // A second signal ends the program at once.
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private var limits: HTTPListener.Limits {
    var limits = HTTPListener.Limits()
    limits.connectionThreads = max(Lanes.available, 2)
    limits.workThreads = settings.threads > 0 ? settings.threads : max(Lanes.available * 4, 24)
    // A connection may need a file besides its socket. The service and probes also need files.
    var files = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    let fileLimit = Int(clamping: files.rlim_cur)
    limits.extraConnections = max(min(limits.extraConnections, fileLimit / 16), 4)
    let most = max(fileLimit / 2 - 16 - limits.extraConnections, 8)
    limits.connections = min(settings.connections, most)
    limits.connectionsOfClient =
      settings.connectionsPerClient > 0
      ? settings.connectionsPerClient : max(limits.connections / 8, 16)
    limits.proxies = Set(settings.proxies)
    return limits
  }

  private func check() throws(ServerProblem) {
    // It would be loaded for the first token; the other libraries are loaded when a server starts.
    loadCryptography()
    guard settings.certificate.isEmpty == settings.key.isEmpty else {
      throw ServerProblem("--certificate and --key belong together")
    }
    guard
      settings.tokenKeys.isEmpty || !settings.firebaseProject.isEmpty || settings.takesAnyAudience
        || !settings.tokenIssuer.isEmpty && !settings.tokenAudience.isEmpty
    else {
      throw ServerProblem(
        "--token-keys needs --token-issuer and --token-audience: the same keys may sign tokens for other apps."
          + " If they sign none, --any-audience takes all of their tokens")
    }
    guard !settings.linksToStore || !settings.blobs.isEmpty else {
      throw ServerProblem("--store-links needs --blobs, a bucket to link to")
    }
    if settings.allowsEmulatorTokens, !settings.isDevelopment {
      throw ServerProblem("--allow-emulator-tokens needs --dev: everyone can make such tokens")
    }
  }

  private func listen() throws(ServerProblem) -> ListeningSocket {
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      limit.rlim_cur = min(limit.rlim_max, UInt(settings.connections) * 2 + 1024)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    let socket: ListeningSocket
    do throws(ListeningSocket.Problem) {
      socket = try ListeningSocket(settings.listen)
    } catch {
      switch error {
      case .badAddress:
        throw ServerProblem(
          "--listen must be like 127.0.0.1:8080 or [::]:8080, not '\(settings.listen)'")
      case .system(let code):
        throw ServerProblem("\(settings.listen): \(String(cString: strerror(code)))")
      }
    }
    if settings.isDevelopment, !socket.isLocal {
      close(socket.handle)
      throw ServerProblem(
        "--dev lets everyone do everything, so it listens on this machine only; leave out --dev or --listen"
      )
    }
    return socket
  }

  private func certificate() throws(ServerProblem) -> HTTPListener.Certificate? {
    guard !settings.certificate.isEmpty else { return nil }
    func text(_ path: String) throws(ServerProblem) -> String {
      guard let bytes = try SmallFile.bytes(path, limit: 1 << 20) else {
        throw ServerProblem("\(path): it is too large")
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    return HTTPListener.Certificate(
      chain: try text(settings.certificate), key: try text(settings.key))
  }

  private func logFile() throws(ServerProblem) -> Int32 {
    switch settings.accessLog {
    case "": return -1
    case "-": return STDOUT_FILENO
    default:
      // A pipe without a reader must cause an error instead of blocking the start.
      let file = open(
        settings.accessLog, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard file >= 0 else {
        throw ServerProblem("\(settings.accessLog): \(String(cString: strerror(errno)))")
      }
      _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
      return file
    }
  }
}
