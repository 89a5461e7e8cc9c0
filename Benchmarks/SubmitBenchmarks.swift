import Glibc
import Measurement
import System
import Threads

/// Drawings that writers store at servers with PostgreSQL and a bucket, one after the other, with
/// everything on this machine.
enum SubmitBenchmarks {
  static let writerCounts = [1, 4, 8, 16]

  static func figures(_ effort: Effort) -> [Figure] {
    guard let measured = measured(effort) else { return [] }
    var figures: [Figure] = []
    for (key, runs) in measured.runs.sorted(by: { $0.key < $1.key }) {
      let rates = runs.map(\.rate)
      let times = runs.flatMap(\.times).sorted().map { $0 * 1e3 }
      guard !times.isEmpty else { continue }
      let slow = times[Int(0.95 * Double(times.count - 1))]
      let isShared = key.place != .folder && key.delay == 0
      figures += [
        Figure(
          "scale, submits, \(key)", "a second", rates,
          goal: isShared && key.writers >= 8 ? .atLeast(150) : nil),
        Figure("scale, submits, \(key), median", "ms", [times[times.count / 2]]),
        Figure("scale, submits, \(key), 95 of 100", "ms", [slow]),
      ]
    }
    for (writers, processors) in measured.processors.sorted(by: { $0.key < $1.key }) {
      for (name, seconds) in processors.sorted(by: { $0.key < $1.key }) {
        figures.append(
          Figure(
            "scale, processor time of a submit, \(writers) writer\(writers == 1 ? "" : "s"), \(name)",
            "ms", seconds.map { $0 * 1e3 }))
      }
    }
    let objects = measured.objects
    for (method, count) in objects.counts.sorted(by: { $0.key < $1.key }) {
      figures.append(Figure("scale, requests to the bucket in a submit, \(method)", "", [count]))
    }
    for (method, seconds) in objects.seconds.sorted(by: { $0.key < $1.key }) {
      figures.append(
        Figure("scale, answer of the bucket to a \(method)", "ms", [seconds * 1e3]))
    }
    figures += [
      Figure("scale, log of PostgreSQL for a submit", "bytes", [measured.logBytes]),
      Figure("scale, flush of this disk", "ms", measured.flushes.map { $0 * 1e3 }),
      Figure("scale, thumbnails read by 8 readers, one server", "a second", measured.reads),
      Figure(
        "scale, processor time of a read, the server", "ms",
        measured.readProcessors.map { $0 * 1e3 }),
    ]
    return figures
  }

  // MARK: - What is measured

  /// The storage behind the server.
  enum Place: Comparable {
    /// The server's own folder, with SQLite.
    case folder
    case oneServer
    case twoServers
  }

  /// The parameters of a run.
  struct Key: Hashable, Comparable, CustomStringConvertible {
    let place: Place
    let writers: Int
    /// The additional latency of the bucket in milliseconds: it simulates a bucket farther away
    /// than this machine.
    var delay = 0

    static func < (a: Key, b: Key) -> Bool {
      (a.delay, a.place, a.writers) < (b.delay, b.place, b.writers)
    }

    var description: String {
      let servers =
        switch place {
        case .folder: "folder and SQLite"
        case .oneServer: "one server"
        case .twoServers: "two servers"
        }
      let distance = delay > 0 ? ", bucket \(delay) ms away" : ""
      return "\(servers), \(writers) writer\(writers == 1 ? "" : "s")\(distance)"
    }
  }

  struct Run {
    var seconds = 0.0
    /// The seconds of each submit.
    var times: [Double] = []

    var rate: Double { Double(times.count) / seconds }
  }

  struct Measured {
    var runs: [Key: [Run]] = [:]
    /// The processor seconds of a submit at one server, by the number of writers and by program.
    var processors: [Int: [String: [Double]]] = [:]
    /// The requests of one submit to the bucket.
    var objects = Objects()
    var logBytes = 0.0
    var flushes: [Double] = []
    var reads: [Double] = []
    var readProcessors: [Double] = []

    struct Objects {
      var counts: [String: Double] = [:]
      /// The seconds until the first byte of a response.
      var seconds: [String: Double] = [:]
    }
  }

  /// Whether a measurement was tried, and its result.
  private static let cache = ConditionMutex((isTried: false, measured: Measured?.none))

  /// The measurement, once for all groups of figures that need it; nil if it is not possible.
  static func measured(_ effort: Effort) -> Measured? {
    let isTried = cache.withLock { cache in
      defer { cache.isTried = true }
      return cache.isTried
    }
    if isTried { return cache.withLock { $0.measured } }
    _ = SharedServices.use("submits") { services in
      ScaleBenchmarks.measure("submits") { root in
        let bench = SubmitBench(root: root, services: services, isFull: effort.samples > 3)
        let measured = try bench.run()
        cache.withLock { $0.measured = measured }
        return []
      }
    }
    return cache.withLock { $0.measured }
  }
}

private struct SubmitBench {
  let root: String
  let services: SharedServices
  let isFull: Bool

  typealias Key = SubmitBenchmarks.Key
  typealias Run = SubmitBenchmarks.Run

  private var seconds: Double { isFull ? 2.5 : 0.5 }

  func run() throws -> SubmitBenchmarks.Measured {
    let recordings = try ScaleBenchmarks.pages(64)
    var measured = SubmitBenchmarks.Measured()
    var number = 0
    for _ in 0..<(isFull ? 3 : 1) {
      for writers in SubmitBenchmarks.writerCounts {
        for place in [SubmitBenchmarks.Place.folder, .oneServer, .twoServers] {
          number += 1
          let key = Key(place: place, writers: writers)
          let run = try run(key, services.blobs, recordings, number, &measured)
          measured.runs[key, default: []].append(run)
        }
      }
    }
    try measureDistance(recordings, &measured)
    try measureReads(recordings, &measured)
    measured.flushes = flushes()
    return measured
  }

  /// The same measurement with a slower bucket, behind a relay that also counts requests.
  private func measureDistance(
    _ recordings: [[UInt8]], _ measured: inout SubmitBenchmarks.Measured
  ) throws {
    guard let relay = try ObjectRelay(services.blobs) else { return }
    defer { relay.end() }
    var number = 0
    for (delay, writerCounts) in [(0, [1]), (20, [1, 16])] {
      for writers in writerCounts {
        number += 1
        let key = Key(place: .oneServer, writers: writers, delay: delay)
        var unused = SubmitBenchmarks.Measured()
        let run = try run(key, relay.address, recordings, 1_000_000 + number, &unused) {
          relay.setDelay(milliseconds: delay)
        }
        if delay > 0 {
          measured.runs[key, default: []].append(run)
        } else {
          measured.objects = relay.counted(for: run.times.count)
        }
      }
    }
  }

  /// Writers submit for some seconds, each one drawing after the other, to one server or to two in
  /// turns.
  private func run(
    _ key: Key, _ blobs: String, _ recordings: [[UInt8]], _ number: Int,
    _ measured: inout SubmitBenchmarks.Measured, whenReady: () -> Void = {}
  ) throws -> Run {
    let stores = ["--documents", services.documents, "--blobs", blobs]
    let servers = try (0..<(key.place == .twoServers ? 2 : 1)).map { server in
      key.place == .folder
        ? try ServerProcess("\(root)/folder")
        : try ServerProcess("\(root)/server-\(server)", stores)
    }
    defer { for server in servers { server.end() } }
    // The one-time work of each server, such as connecting and counting the user's drawings, is
    // excluded.
    for (index, server) in servers.enumerated() {
      let client = try HTTPClient(port: server.port)
      for count in 0..<4 {
        try client.send(
          "PUT", "/v1/users/dev/drawings/first-\(number)-\(index)-\(count)/recording.pkd",
          recordings[count])
      }
    }
    whenReady()
    func processors() -> [String: [pid_t: Double]] {
      // The stores may start processes meanwhile.
      var seconds = Self.engines().mapValues { processes in
        Dictionary(
          uniqueKeysWithValues: processes.map { ($0, ServerProcess.processorSeconds(of: $0)) })
      }
      seconds["the server"] = [0: servers.reduce(0) { $0 + $1.processorSeconds }]
      seconds["the client"] = [0: ServerProcess.processorSeconds(of: getpid())]
      return seconds
    }
    let (before, logBefore) = (processors(), services.logPosition)
    let shared = ConditionMutex((run: Run(), failure: (any Error)?.none))
    let begin = MonotonicTime.now
    let end = begin + seconds
    Lanes.run(key.writers) { writer in
      do {
        let client = try HTTPClient(port: servers[writer % servers.count].port)
        var count = 0
        while MonotonicTime.now < end {
          let path = "/v1/users/dev/drawings/d-\(number)-\(writer)-\(count)/recording.pkd"
          let start = MonotonicTime.now
          try client.send("PUT", path, recordings[(writer * 17 + count) % recordings.count])
          let seconds = MonotonicTime.now - start
          shared.withLock { $0.run.times.append(seconds) }
          count += 1
        }
      } catch {
        shared.withLock { $0.failure = error }
      }
    }
    var (run, failure) = shared.withLock { $0 }
    run.seconds = MonotonicTime.now - begin
    if let failure { throw failure }
    guard !run.times.isEmpty else { throw ScaleBenchmarks.Problem(what: "no submits") }
    if key.place == .oneServer, key.delay == 0 {
      let count = Double(run.times.count)
      for (name, processes) in processors() {
        let seconds = processes.reduce(0) { $0 + $1.value - (before[name]?[$1.key] ?? 0) }
        measured.processors[key.writers, default: [:]][name, default: []].append(seconds / count)
      }
      if key.writers == 1 { measured.logBytes = (services.logPosition - logBefore) / count }
    }
    return run
  }

  /// The processes of the stores on this machine, by kind.
  private static func engines() -> [String: [pid_t]] {
    let programs = [
      "postgres": "PostgreSQL", "radosgw": "the bucket", "ceph-osd": "the bucket",
      "ceph-mon": "the bucket", "minio": "the bucket",
    ]
    var found: [String: [pid_t]] = [:]
    guard let folder = opendir("/proc") else { return found }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let process = pid_t(name) else { continue }
      let program = firstLine(of: "/proc/\(process)/comm")
      if let what = programs[program] { found[what, default: []].append(process) }
    }
    return found
  }

  private static func firstLine(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self)
  }

  /// Thumbnails. A server with a bucket caches none, because other servers may replace them.
  private func measureReads(
    _ recordings: [[UInt8]], _ measured: inout SubmitBenchmarks.Measured
  ) throws {
    let server = try ServerProcess(
      "\(root)/server-0", ["--documents", services.documents, "--blobs", services.blobs])
    defer { server.end() }
    let writer = try HTTPClient(port: server.port)
    for (number, recording) in recordings.enumerated() {
      try writer.send("PUT", "/v1/users/dev/drawings/read-\(number)/recording.pkd", recording)
    }
    for _ in 0..<(isFull ? 3 : 1) {
      let before = server.processorSeconds
      let done = ConditionMutex((count: 0, failure: (any Error)?.none))
      let begin = MonotonicTime.now
      Lanes.run(8) { reader in
        do {
          let client = try HTTPClient(port: server.port)
          var count = 0
          while MonotonicTime.now - begin < seconds {
            let number = (count + 7 * reader) % recordings.count
            _ = try client.get("/v1/users/dev/drawings/read-\(number)/thumbnail.png")
            count += 1
          }
          done.withLock { $0.count += count }
        } catch {
          done.withLock { $0.failure = error }
        }
      }
      let taken = MonotonicTime.now - begin
      let (count, failure) = done.withLock { $0 }
      if let failure { throw failure }
      measured.reads.append(Double(count) / taken)
      measured.readProcessors.append((server.processorSeconds - before) / Double(max(count, 1)))
    }
  }

  /// The seconds that this disk needs to make eight kilobytes durable.
  private func flushes() -> [Double] {
    let file = open("\(root)/flush", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return [] }
    defer { close(file) }
    let bytes = [UInt8](repeating: 1, count: 8192)
    return (0..<(isFull ? 101 : 3)).map { number in
      pwrite(file, bytes, bytes.count, off_t(number) * 8192)
      let begin = MonotonicTime.now
      fdatasync(file)
      return MonotonicTime.now - begin
    }
  }
}

/// Relays the bytes between a server and its bucket, counts the requests, and adds latency.
private final class ObjectRelay: Sendable {
  /// The address of the bucket through the relay.
  let address: String
  private let listener: Int32
  private let bucket: UInt16
  private let state = ConditionMutex(State())

  private struct State {
    var delay = 0.0
    var counts: [String: Int] = [:]
    var seconds: [String: Double] = [:]
  }

  /// A relay in front of a bucket on this machine without TLS; nil for another one.
  init?(_ blobs: String) throws {
    let mark = "endpoint=http://127.0.0.1:"
    guard let start = blobs.firstRange(of: mark) else {
      ScaleBenchmarks.tell("the bucket is not on this machine, so its requests are not counted")
      return nil
    }
    let digits = blobs[start.upperBound...].prefix { $0.isNumber }
    guard let port = UInt16(digits) else { return nil }
    bucket = port
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var place = Self.place(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) | listen(listener, 64) | getsockname(listener, $0, &size)
      }
    }
    guard status == 0 else { throw ScaleBenchmarks.Problem(what: "no relay") }
    let own = UInt16(bigEndian: place.sin_port)
    address = blobs.replacing("127.0.0.1:\(port)", with: "127.0.0.1:\(own)")
    Lanes.begin { self.takeClients() }
  }

  private static func place(_ port: UInt16) -> sockaddr_in {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    return place
  }

  /// Sets the latency that is added to responses, and resets the count.
  func setDelay(milliseconds: Int) {
    state.withLock { $0 = State(delay: Double(milliseconds) / 1e3) }
  }

  func end() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The requests since the latency was set, per submit.
  func counted(for submits: Int) -> SubmitBenchmarks.Measured.Objects {
    state.withLock { state in
      var objects = SubmitBenchmarks.Measured.Objects()
      for (method, count) in state.counts {
        objects.counts[method] = Double(count) / Double(submits)
        objects.seconds[method] = (state.seconds[method] ?? 0) / Double(count)
      }
      return objects
    }
  }

  private func takeClients() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      // Child processes that start later must not inherit the socket.
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var place = Self.place(bucket)
      let status = withUnsafePointer(to: &place) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0, Lanes.begin({ self.relay(client, server) }) else {
        close(client)
        close(server)
        continue
      }
    }
  }

  /// A request begins with the first bytes after a response, and its response with the first bytes
  /// after the request.
  private func relay(_ client: Int32, _ server: Int32) {
    defer {
      close(client)
      close(server)
    }
    var one: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    var (method, sent): (String?, Double) = (nil, 0)
    while true {
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, -1) > 0 else { return }
      let isRequest = ends[0].revents != 0
      let (from, to) = isRequest ? (client, server) : (server, client)
      let count = read(from, &bytes, bytes.count)
      guard count > 0 else { return }
      if isRequest {
        if method == nil { method = Self.method(of: bytes[..<count]) }
        sent = MonotonicTime.now
      } else if let what = method {
        let taken = MonotonicTime.now - sent
        let delay = state.withLock { state in
          state.counts[what, default: 0] += 1
          state.seconds[what, default: 0] += taken
          return state.delay
        }
        method = nil
        if delay > 0 { usleep(UInt32(delay * 1e6)) }
      }
      var rest = bytes[..<count]
      while !rest.isEmpty {
        let done = rest.withUnsafeBytes { write(to, $0.baseAddress, $0.count) }
        guard done > 0 else { return }
        rest = rest.dropFirst(done)
      }
    }
  }

  private static func method(of bytes: ArraySlice<UInt8>) -> String {
    let line = String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    let name = String(line.prefix { $0 != " " })
    return line.contains("list-type=2") ? "LIST" : name
  }
}
