import Measurement

/// A simulation of submits and of their waiting times, from costs that are measured in the same
/// run. It is compared with the measurement where there is one; elsewhere it predicts the
/// throughput of more machines.
///
/// A closed loop: each writer submits its next drawing when the previous one is stored.
enum ScaleModel {
  static func figures(_ effort: Effort) -> [Figure] {
    guard let measured = SubmitBenchmarks.measured(effort) else { return [] }
    // Busy programs need less time per request: they wake up and wait less often.
    guard let costs = Costs(measured, writers: SubmitBenchmarks.writerCounts.max() ?? 1) else {
      ScaleBenchmarks.tell("the model: left out, PostgreSQL and bucket are not on this machine")
      return []
    }
    var figures: [Figure] = []
    // The model's error on runs that did not set its costs.
    let keys = measured.runs.keys.filter { $0.place != .folder }.sorted()
    for key in keys where key.writers > 1 || key.delay > 0 || key.place == .twoServers {
      guard let rates = measured.runs[key]?.map(\.rate) else { continue }
      var site = Site.here(costs, servers: key.place == .twoServers ? 2 : 1)
      site.answer += Double(key.delay) / 1e3
      let predicted = SubmitSimulation(costs, site, writers: key.writers).rate
      figures.append(
        Figure(
          "scale, model, \(key): predicted rate by the measured one", "×",
          rates.map { predicted / $0 }))
    }
    for servers in [1, 2, 4, 8, 16] {
      let site = Site.apart(costs, servers: servers)
      let rate = SubmitSimulation(costs, site, writers: 32 * servers).rate
      figures.append(
        Figure(
          "scale, model, \(servers) server\(servers == 1 ? "" : "s") of 2 cores, all on machines of their own",
          "a second", [rate]))
    }
    // A variant in which each submit queries the bucket separately while it holds the lock.
    var alone = Site.apart(costs, servers: 16)
    alone.asksTogether = false
    figures.append(
      Figure(
        "scale, model, 16 servers, if submits asked for their files one after the other",
        "a second",
        [SubmitSimulation(costs, alone, writers: 512).rate]))
    return figures
  }

  /// The costs of a submit, in seconds of a core.
  struct Costs {
    var server: Double
    var client: Double
    var database: Double
    /// The cost of each request to the bucket.
    var object: Double
    /// The requests to the bucket before the transaction, in rounds: the requests of a round run at
    /// the same time, and the rounds one after the other.
    var rounds = [1, 1, 1, 2]
    /// The requests during the transaction, which excludes all other transactions.
    var lockedRequests = 2
    /// The additional time that a writer waits for each reply of another process on this machine.
    var wait = 0.0
    var flush: Double

    /// The measured costs: processor work with several writers, and waiting time with one. Nil if
    /// some measurements are missing.
    init?(_ measured: SubmitBenchmarks.Measured, writers: Int) {
      func median(_ name: String) -> Double? {
        let times = measured.processors[writers]?[name]?.sorted() ?? []
        return times.dropFirst(times.count / 2).first
      }
      guard let server = median("the server"), let client = median("the client"),
        let database = median("PostgreSQL"), let bucket = median("the bucket"),
        let single = measured.runs[SubmitBenchmarks.Key(place: .oneServer, writers: 1)],
        let flush = measured.flushes.sorted().dropFirst(measured.flushes.count / 2).first
      else { return nil }
      (self.server, self.client, self.database, self.flush) = (server, client, database, flush)
      object = 0
      object = bucket / Double(rounds.reduce(lockedRequests, +))
      // The unexplained remainder of one writer's time, divided by the number of replies that it
      // waits for.
      let rates = single.map(\.rate).sorted()
      let real = 1 / rates[rates.count / 2]
      let known = 1 / SubmitSimulation(self, .here(self, servers: 1), writers: 1).rate
      wait = max(real - known, 0) / Double(SubmitSimulation.answers(self))
    }
  }

  /// The machines that run the servers and the stores.
  struct Site {
    var servers: Int
    /// The cores of each server; nil if all share those of one machine with the stores.
    var coresOfServer: Int?
    var coresOfDatabase = 2
    /// The latency of a reply in addition to its work: of the bucket, and of the database.
    var answer: Double
    var databaseAnswer: Double
    var flush: Double
    /// Whether the submits of a transaction query the bucket for their files at the same time.
    var asksTogether = true

    /// This machine.
    static func here(_ costs: Costs, servers: Int) -> Site {
      Site(servers: servers, answer: costs.wait, databaseAnswer: costs.wait, flush: costs.flush)
    }

    /// A data centre, with assumed times: a bucket like S3, a database in the same zone with a disk
    /// behind the network.
    static func apart(_ costs: Costs, servers: Int) -> Site {
      Site(
        servers: servers, coresOfServer: 2, coresOfDatabase: 8, answer: 0.03,
        databaseAnswer: 0.000_5, flush: 0.001)
    }
  }
}

/// Events in the order of their times.
private struct EventQueue {
  private var heap: [(time: Double, number: Int, body: () -> Void)] = []
  private var count = 0
  private(set) var now = 0.0

  mutating func add(after seconds: Double, _ body: @escaping () -> Void) {
    count += 1
    heap.append((now + seconds, count, body))
    var index = heap.count - 1
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func next() -> (() -> Void)? {
    guard let first = heap.first else { return nil }
    now = first.time
    heap[0] = heap[heap.count - 1]
    heap.removeLast()
    var index = 0
    while true {
      let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
      guard let least = children.min(by: { isBefore($0, $1) }), isBefore(least, index) else {
        break
      }
      heap.swapAt(index, least)
      index = least
    }
    return first.body
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].time, heap[a].number) < (heap[b].time, heap[b].number)
  }
}

/// One run of the simulation.
final class SubmitSimulation {
  private let costs: ScaleModel.Costs
  private let site: ScaleModel.Site
  private let writers: Int
  private var events = EventQueue()
  private var random: UInt64 = 1
  private var done = 0
  /// The processors of the servers, and those of the stores.
  private var serverCores: [Cores] = []
  private var databaseCores = Cores(1)
  private var bucketCores: Cores?
  /// For each server, the submits that wait for its next transaction, and whether a transaction
  /// runs.
  private var waiting: [[() -> Void]] = []
  private var isWriting: [Bool] = []
  /// The transactions that wait for the lock of the database.
  private var lockQueue: [() -> Void] = []
  private var isLocked = false

  /// Processors that share their time equally among all waiting jobs.
  private final class Cores {
    var free: Int
    var queue: [(rest: Double, body: () -> Void)] = []
    var first = 0

    init(_ count: Int) { free = count }
  }

  private static let groupLimit = 64
  private static let preparedAtOnce = 32
  private static let quantum = 0.000_25
  private static let (warmUp, end) = (2.0, 12.0)

  init(_ costs: ScaleModel.Costs, _ site: ScaleModel.Site, writers: Int) {
    (self.costs, self.site, self.writers) = (costs, site, writers)
    if let count = site.coresOfServer {
      serverCores = (0..<site.servers).map { _ in Cores(count) }
      databaseCores = Cores(site.coresOfDatabase)
    } else {
      // Everything shares the processors of this machine.
      let shared = Cores(2)
      serverCores = Array(repeating: shared, count: site.servers)
      (databaseCores, bucketCores) = (shared, shared)
    }
    waiting = Array(repeating: [], count: site.servers)
    isWriting = Array(repeating: false, count: site.servers)
  }

  /// The replies that one writer waits for, one after the other: those of the bucket, and those of
  /// the database for the lock of the files, the begin, the previous row and the commit.
  static func answers(_ costs: ScaleModel.Costs) -> Int {
    costs.rounds.count + 1 + databaseAnswers
  }

  private static let databaseAnswers = 5

  /// The submits per second.
  var rate: Double {
    for writer in 0..<writers { submit(at: writer % site.servers) }
    while events.now < Self.end, let body = events.next() { body() }
    return Double(done) / (Self.end - Self.warmUp)
  }

  // MARK: - A submit

  private func submit(at server: Int) {
    run(costs.client, on: bucketCores) {
      // Most of this time is drawing the thumbnail.
      self.run(self.costs.server, on: self.serverCores[server]) { self.store(at: server, round: 0) }
    }
  }

  private func store(at server: Int, round: Int) {
    guard round < costs.rounds.count else { return transact(at: server) }
    ask(costs.rounds[round]) {
      // The last requests hold the lock of the files, which is acquired and released.
      let locks = round == self.costs.rounds.count - 1 ? 2 : 0
      self.query(locks, share: 0.3) { self.store(at: server, round: round + 1) }
    }
  }

  private func transact(at server: Int) {
    waiting[server].append {
      if self.events.now > Self.warmUp { self.done += 1 }
      self.submit(at: server)
    }
    if !isWriting[server] { write(at: server) }
  }

  /// One transaction of all submits that wait at a server.
  private func write(at server: Int) {
    guard !waiting[server].isEmpty else { return }
    isWriting[server] = true
    lock {
      let group = Array(self.waiting[server].prefix(Self.groupLimit))
      self.waiting[server].removeFirst(group.count)
      self.query(1, share: 0.2 / Double(group.count)) {
        self.prepare(group.count) {
          self.change(group.count) {
            self.query(1, share: 0.1 / Double(group.count)) {
              self.events.add(after: self.vary(self.site.flush)) {
                self.unlock()
                self.isWriting[server] = false
                self.write(at: server)
                for body in group { body() }
              }
            }
          }
        }
      }
    }
  }

  /// Queries the bucket for the files of some submits.
  private func prepare(_ count: Int, then body: @escaping () -> Void) {
    guard count > 0 else { return body() }
    let together = site.asksTogether ? min(count, Self.preparedAtOnce) : 1
    ask(costs.lockedRequests * together) { self.prepare(count - together, then: body) }
  }

  private func change(_ count: Int, then body: @escaping () -> Void) {
    guard count > 0 else { return body() }
    query(1, share: 0.4) { self.change(count - 1, then: body) }
  }

  // MARK: - What it needs

  /// Sends requests to the bucket at the same time.
  private func ask(_ count: Int, then body: @escaping () -> Void) {
    var rest = count
    for _ in 0..<count {
      run(costs.object, on: bucketCores) {
        self.events.add(after: self.vary(self.site.answer)) {
          rest -= 1
          if rest == 0 { body() }
        }
      }
    }
  }

  /// Waits for replies of the database, with a submit's share of its work.
  private func query(_ count: Int, share: Double, then body: @escaping () -> Void) {
    guard count > 0 else { return body() }
    run(costs.database * share, on: databaseCores) {
      self.events.add(after: self.site.databaseAnswer * Double(count), body)
    }
  }

  private func lock(_ body: @escaping () -> Void) {
    if isLocked { return lockQueue.append(body) }
    isLocked = true
    body()
  }

  private func unlock() {
    if lockQueue.isEmpty {
      isLocked = false
    } else {
      events.add(after: 0, lockQueue.removeFirst())
    }
  }

  /// Runs work on processors; work on processors outside the site takes no time.
  private func run(_ seconds: Double, on cores: Cores?, then body: @escaping () -> Void) {
    guard let cores else { return body() }
    cores.queue.append((vary(seconds), body))
    serve(cores)
  }

  private func serve(_ cores: Cores) {
    while cores.free > 0, cores.first < cores.queue.count {
      let (rest, body) = cores.queue[cores.first]
      cores.first += 1
      if cores.first > 1000 {
        cores.queue.removeFirst(cores.first)
        cores.first = 0
      }
      cores.free -= 1
      let part = min(rest, Self.quantum)
      events.add(after: part) {
        cores.free += 1
        if rest > part { cores.queue.append((rest - part, body)) } else { body() }
        self.serve(cores)
      }
    }
  }

  /// Varies each time randomly, by a factor between a half and one and a half.
  private func vary(_ seconds: Double) -> Double {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return seconds * (0.5 + Double(random >> 40) / Double(1 << 24))
  }
}
