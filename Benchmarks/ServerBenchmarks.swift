import DrawingServices
import Journal
import Glibc
import Graphics
import Measurement
import PKDFormat
import Storage
import Strokes
import System
import Threads

/// The server, from a client's connection to its reply, on loopback: client and server share the
/// processors.
enum ServerBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    return withTemporaryFolder { root in
      do {
        let sample = try prepare(root)
        var figures = try starting(root, count: isFull ? 15 : 2)
        let server = try ServerProcess(root)
        defer { server.end() }
        figures += try reading(server, sample, seconds: isFull ? 8 : 1)
        figures += try rendering(server, count: isFull ? 60 : 3)
        for (image, goal) in [("later", 500.0), ("now", 300.0)] {
          figures += try submitting(
            server, image: image, goal: goal, count: isFull ? 4_000 : 64, effort)
        }
        figures += try spectators(server, count: isFull ? 1_000 : 20)
        return figures
      } catch {
        // Without this line, the report would look like that of a program without a server.
        print("the server could not be measured: \(error)")
        return []
      }
    } ?? []
  }

  /// Figures of a server with a drawing of a page, given its path.
  static func withServer(_ body: (ServerProcess, _ path: String) throws -> [Figure]) -> [Figure] {
    withTemporaryFolder { root in
      do {
        let sample = try prepare(root)
        let server = try ServerProcess(root)
        defer { server.end() }
        return try body(server, sample)
      } catch {
        print("the server could not be measured: \(error)")
        return []
      }
    } ?? []
  }

  struct Problem: Error {
    let what: String
  }

  /// A page of 84 words and 5,040 points, as for the service without a server.
  private static let recording: [UInt8] = {
    let canvas = Recording.Canvas(size: Size(width: 430, height: 760))
    return
      (try? PKDWriter.encode(
        Recording(Workload.page(words: 84, columns: 6), canvas: canvas))) ?? []
  }()

  private static func prepare(_ root: String) throws -> String {
    let service = DrawingService(try LocalService.open(.journal, root), as: .operator)
    var submission = DrawingService.Submission(recording: recording)
    submission.id = "sample"
    try service.submit(submission, of: "dev")
    return "/v1/users/dev/drawings/sample"
  }

  // MARK: - Figures

  private static func starting(_ root: String, count: Int) throws -> [Figure] {
    let times = try (0..<count).map { _ in
      let begin = MonotonicTime.now
      let server = try ServerProcess(root)
      defer { server.end() }
      _ = try HTTPClient(port: server.port).get("/health")
      return MonotonicTime.now - begin
    }
    return [
      Figure(
        "server, from the start to its first answer", "ms", times.map { $0 * 1e3 },
        goal: .atMost(50))
    ]
  }

  /// Thumbnails over 64 connections. The client is `wrk`, which uses less of the processors than
  /// our own client.
  private static func reading(
    _ server: ServerProcess, _ sample: String, seconds: Int
  ) throws -> [Figure] {
    let url = "http://127.0.0.1:\(server.port)\(sample)/thumbnail.png"
    let size = try HTTPClient(port: server.port).get("\(sample)/thumbnail.png").count
    let before = server.processorSeconds
    guard
      let text = output(of: ["wrk", "-t1", "-c64", "-d\(seconds)s", "--latency", url]),
      let rate = number(after: "Requests/sec:", in: text),
      let count = number(before: " requests in", in: text),
      let slow = number(after: "99%", in: text)
    else { return [] }
    let each = (server.processorSeconds - before) / count * 1e6
    return [
      Figure(
        "server, thumbnails of \(size) bytes at 64 connections", "a second", [rate],
        goal: .atLeast(20_000)),
      Figure("server, one thumbnail of hundred takes longer", "ms", [slow], goal: .atMost(5)),
      Figure("server, processor time for a thumbnail", "µs", [each], goal: .atMost(15)),
    ]
  }

  private static func rendering(_ server: ServerProcess, count: Int) throws -> [Figure] {
    let client = try HTTPClient(port: server.port)
    var times: [Double] = []
    for number in 0..<count {
      // Other drawings, so that no picture is in the cache.
      let path = "/v1/users/dev/drawings/cold-\(number)"
      _ = try client.send("PUT", "\(path)/recording.pkd", recording)
      let begin = MonotonicTime.now
      _ = try client.get("\(path)/render?width=256")
      times.append(MonotonicTime.now - begin)
    }
    return [
      Figure(
        "server, a picture of 256 pixels that is not in the cache", "ms", times.map { $0 * 1e3 },
        goal: .atMost(5))
    ]
  }

  private static func submitting(
    _ server: ServerProcess, image: String, goal: Double, count: Int, _ effort: Effort
  ) throws -> [Figure] {
    let lanes = 16
    let times = ConditionMutex<[Double]>([])
    let begin = MonotonicTime.now
    Lanes.run(lanes) { lane in
      guard let client = try? HTTPClient(port: server.port) else { return }
      for number in 0..<count / lanes {
        let path = "/v1/users/dev/drawings/\(image)-\(lane)-\(number)/recording.pkd?image=\(image)"
        let start = MonotonicTime.now
        guard (try? client.send("PUT", path, recording)) != nil else { return }
        let end = MonotonicTime.now
        times.withLock { $0.append(end - start) }
      }
    }
    let seconds = MonotonicTime.now - begin
    let sorted = times.withLock { $0.sorted() }
    guard sorted.count == count / lanes * lanes, let slow = sorted.dropLast(sorted.count / 100).last
    else { throw Problem(what: "submits failed") }
    let what = image == "now" ? "image and thumbnail" : "thumbnail"
    return [
      Figure(
        "server, drawings of 5,040 points kept durably at 16 connections, with \(what)", "a second",
        [Double(sorted.count) / seconds], goal: .atLeast(goal)),
      Figure(
        "server, one such submit of hundred with \(what) takes longer", "ms", [slow * 1e3],
        goal: image == "now" ? nil : .atMost(40)),
    ]
  }

  private static func spectators(_ server: ServerProcess, count: Int) throws -> [Figure] {
    var clients: [HTTPClient] = []
    for _ in 0..<count {
      let client = try HTTPClient(port: server.port)
      try client.begin("GET", "/v1/users/dev/drawings/sample/live")
      clients.append(client)
    }
    // All response headers have arrived when this returns.
    for client in clients { _ = try client.readSome() }
    defer { withExtendedLifetime(clients) {} }
    return [
      Figure(
        "server, memory with \(count) spectators who wait", "MB",
        [Double(server.residentBytes) / 1e6], goal: .atMost(100))
    ]
  }

  // MARK: - Other programs

  /// The output of a program; nil if it is not installed or fails.
  private static func output(of words: [String]) -> String? {
    guard let stream = popen("\(words.joined(separator: " ")) 2>/dev/null", "r") else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, stream)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// The number behind a word, in milliseconds if it is a time.
  private static func number(after word: String, in text: String) -> Double? {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    guard let rest = lines.first(where: { $0.hasPrefix(word) })?.dropFirst(word.count) else {
      return nil
    }
    let digits = rest.drop { $0 == " " }.prefix { $0.isNumber || $0 == "." }
    let unit = rest.drop { $0 == " " }.dropFirst(digits.count)
    return Double(digits).map { $0 * (unit == "us" ? 1e-3 : unit == "s" ? 1e3 : 1) }
  }

  private static func number(before word: String, in text: String) -> Double? {
    guard
      let line = text.split(separator: "\n").first(where: { line in
        line.drop { $0 == " " }.drop { $0.isNumber }.hasPrefix(word)
      })
    else { return nil }
    return Double(line.drop { $0 == " " }.prefix { $0.isNumber })
  }
}

/// `pkd serve` in development mode; the build puts it beside this program.
final class ServerProcess {
  let port: UInt16
  private let process: pid_t
  private let output: Int32

  /// Starts a server without rate limits on a folder, with further options.
  init(_ root: String, _ more: [String] = []) throws {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let own = path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    let folder = own[..<((own.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)]
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ServerBenchmarks.Problem(what: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let limits = ["--change-rate", "0", "--quota", "1000000", "--connections-per-client", "4096"]
    let words = ["serve", "--dev", "--root", root, "--listen", "127.0.0.1:0"] + limits + more
    var spawn = Spawn(
      words: [Array(folder) + Array("pkd".utf8)] + words.map { Array($0.utf8) },
      files: [(ends[1], STDOUT_FILENO)])
    spawn.hasOwnGroup = true
    let (process, problem) = spawn.start()
    close(ends[1])
    guard problem == 0 else { throw ServerBenchmarks.Problem(what: "pkd cannot be started") }
    (self.process, output) = (process, ends[0])
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    let digits = String(decoding: line, as: UTF8.self).split(separator: ":").last ?? ""
    guard let port = UInt16(digits) else {
      throw ServerBenchmarks.Problem(what: "the server did not start")
    }
    self.port = port
  }

  func end() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(output)
  }

  /// The processor seconds of all threads of the server.
  var processorSeconds: Double { Self.processorSeconds(of: process) }

  var residentBytes: Int {
    let fields = words("statm", after: nil)
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  private func words(_ name: String, after mark: Character?) -> [Substring] {
    Self.words(name, of: process, after: mark)
  }

  /// The processor seconds of all threads of a process.
  static func processorSeconds(of process: pid_t) -> Double {
    let fields = words("stat", of: process, after: ")")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func words(
    _ name: String, of process: pid_t, after mark: Character?
  ) -> [Substring] {
    guard let file = fopen("/proc/\(process)/\(name)", "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // A program's name may contain blanks.
    let start = mark.flatMap { text.lastIndex(of: $0) }.map { text.index(after: $0) }
    return text[(start ?? text.startIndex)...].split(separator: " ")
  }
}

/// One persistent connection to the server.
final class HTTPClient {
  private let handle: Int32
  private var waiting: [UInt8] = []

  init(port: UInt16) throws {
    handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw ServerBenchmarks.Problem(what: "no connection") }
    var one: Int32 = 1
    setsockopt(
      handle, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(handle) }

  func get(_ target: String) throws -> [UInt8] { try send("GET", target) }

  func begin(_ method: String, _ target: String, _ body: [UInt8] = []) throws {
    let head =
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
      + (body.isEmpty ? "" : "Content-Length: \(body.count)\r\n") + "\r\n"
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(handle, $0.baseAddress, $0.count) }
      guard count > 0 else { throw ServerBenchmarks.Problem(what: "the connection has ended") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request and returns the body of the response; throws unless its status means success.
  @discardableResult
  func send(_ method: String, _ target: String, _ body: [UInt8] = []) throws -> [UInt8] {
    try begin(method, target, body)
    return try finish()
  }

  /// Returns the body of the response to the request that was begun.
  @discardableResult
  func finish() throws -> [UInt8] {
    let end: [UInt8] = [13, 10, 13, 10]
    var header = waiting.firstRange(of: end)
    while header == nil {
      waiting += try readSome()
      header = waiting.firstRange(of: end)
    }
    guard let header else { return [] }
    let text = String(decoding: waiting[..<header.lowerBound], as: UTF8.self)
    let lines = text.split(separator: "\r\n")
    guard lines.first?.dropFirst(9).first == "2" else {
      throw ServerBenchmarks.Problem(what: "\(lines.first ?? "")")
    }
    let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }?.dropFirst(16)
    let count = length.flatMap { Int($0) } ?? 0
    while waiting.count < header.upperBound + count { waiting += try readSome() }
    defer { waiting.removeFirst(header.upperBound + count) }
    return Array(waiting[header.upperBound..<header.upperBound + count])
  }

  /// What has come; nil for nothing.
  func readNow() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = piece.withUnsafeMutableBytes {
      recv(handle, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    return count > 0 ? Array(piece[..<count]) : nil
  }

  func readSome() throws -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = piece.withUnsafeMutableBytes { read(handle, $0.baseAddress, $0.count) }
    guard count > 0 else { throw ServerBenchmarks.Problem(what: "the connection has ended") }
    return Array(piece[..<count])
  }
}
