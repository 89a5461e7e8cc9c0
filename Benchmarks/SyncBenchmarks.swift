import DrawingServices
import Journal
import Glibc
import Graphics
import JSON
import Measurement
import PKDFormat
import Storage
import Strokes
import System

/// `pkd sync` with a server on loopback, as whole processes: devices and the server share the
/// processors.
enum SyncBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    return withTemporaryFolder { root in
      do {
        _ = try LocalService.open(.journal, "\(root)/server")
        let server = try ServerProcess("\(root)/server")
        defer { server.end() }
        let bench = SyncBench(root: root, port: server.port)
        return try bench.entries(isFull ? 10_000 : 200, runs: isFull ? 5 : 1)
          + bench.watching(isFull ? 40 : 3)
          + bench.history(isFull ? [1000, 100_000] : [50, 100], runs: isFull ? 15 : 1)
          + bench.drawings(isFull ? 1000 : 8, runs: isFull ? 3 : 1)
      } catch {
        print("sync could not be measured: \(error)")
        return []
      }
    } ?? []
  }
}

/// The devices of some users, and the server that they synchronize with.
private struct SyncBench {
  let root: String
  let port: UInt16

  // MARK: - Devices

  private func device(_ name: String) throws -> String {
    let path = "\(root)/\(name)"
    _ = try LocalService.open(.journal, path)
    try LocalService.becomeDevice(path)
    return path
  }

  private func words(_ device: String, _ uid: String, _ more: [String] = []) throws -> [String] {
    let file = "\(root)/token-\(uid)"
    if access(file, F_OK) != 0 {
      let command = [WholeProcess.pkd, "token", "--uid", uid, "--root", "\(root)/server"]
      let token = try ProcessRun(command.map { Array($0.utf8) }, takesOutput: true).output
      let handle = fopen(file, "w")
      fwrite(token, 1, token.count, handle)
      fclose(handle)
    }
    let remote = "http://127.0.0.1:\(port)"
    return ["sync", "--root", device, "--remote", remote, "--token-file", file] + more
  }

  /// The seconds of a sync, and the bytes in both directions.
  private func sync(_ device: String, _ uid: String) throws -> (seconds: Double, bytes: Int) {
    let command = ([WholeProcess.pkd] + (try words(device, uid, ["--json"]))).map { Array($0.utf8) }
    let run = try ProcessRun(command, takesOutput: true)
    let last = String(decoding: run.output, as: UTF8.self).split(separator: "\n").last ?? ""
    let fields = try? Fields(json: Array(last.utf8))
    func bytes(_ name: String) -> Int { Int(fields?[name]?.integerValue ?? 0) }
    return (run.taken.seconds, bytes("bytes_sent") + bytes("bytes_received"))
  }

  /// Writes entries as an app does, many in a transaction. Returns their size in bytes as JSON.
  @discardableResult
  private func write(_ count: Int, of uid: String, in device: String) throws -> Int {
    let environment = try LocalService.open(.journal, device)
    var bytes = 0
    let now = environment.now()
    try environment.documents.change(at: now) { transaction in
      for number in 0..<count {
        let moment = FieldValue.moment(now - Int64(count - number) * 60)
        let fields: Fields = [
          "moodType": .text(["happy", "sad", "anxious", "calm"][number % 4]),
          "note": .text("Entry \(number), written on a train between two tunnels."),
          "timestamp": moment, "createdAt": moment, "updatedAt": moment,
          "expectations": ["sleep", "focus"], "deviceID": "bench",
        ]
        let id = "entry-\(number)-0000-4000-8000-\(uid)"
        try transaction.set(DocumentPath("users/\(uid)/moodEntries/\(id)"), fields)
        bytes += fields.json.count + id.utf8.count
      }
    }
    return bytes
  }

  // MARK: - Figures

  func entries(_ count: Int, runs: Int) throws -> [Figure] {
    var (up, down): ([Double], [Double]) = ([], [])
    var (upRatio, downRatio): ([Double], [Double]) = ([], [])
    var (idle, idleBytes): ([Double], [Double]) = ([], [])
    for run in 0..<runs {
      let uid = "entries\(run)"
      let (first, second) = (try device("\(uid)-a"), try device("\(uid)-b"))
      let payload = Double(try write(count, of: uid, in: first))
      let sent = try sync(first, uid)
      let received = try sync(second, uid)
      let nothing = try sync(second, uid)
      up.append(sent.seconds)
      down.append(received.seconds)
      upRatio.append(Double(sent.bytes) / payload)
      downRatio.append(Double(received.bytes) / payload)
      idle.append(nothing.seconds)
      idleBytes.append(Double(nothing.bytes))
    }
    let peakDevice = try device("peak")
    try write(count, of: "peak", in: peakDevice)
    var figures = [
      Figure("sync, first sending of \(count) entries", "s", up, goal: .atMost(0.4)),
      Figure("sync, first fetching of \(count) entries", "s", down, goal: .atMost(0.4)),
      Figure(
        "sync, bytes on the wire for each of entries sent", "x", upRatio, goal: .atMost(1.3)),
      Figure(
        "sync, bytes on the wire for each of entries fetched", "x", downRatio, goal: .atMost(1.3)),
      Figure("sync, nothing new", "ms", idle.map { $0 * 1e3 }),
      Figure("sync, nothing new: bytes both ways", "bytes", idleBytes, goal: .atMost(1000)),
    ]
    if let peak = WholeProcess.peak(try words(peakDevice, "peak")) {
      figures.append(
        Figure("sync, memory while sending \(count) entries", "MB", [peak], goal: .atMost(50)))
    }
    if let peak = WholeProcess.peak(try words(try device("peak-b"), "peak")) {
      figures.append(
        Figure("sync, memory while fetching \(count) entries", "MB", [peak], goal: .atMost(50)))
    }
    return figures
  }

  func drawings(_ count: Int, runs: Int) throws -> [Figure] {
    let canvas = Recording.Canvas(size: Size(width: 430, height: 760))
    // About 60 kB each, all different.
    let page = Workload.page(words: 136, columns: 8)
    let recordings = try (0..<count).map { number -> [UInt8] in
      var texts = canvas
      texts.metadata["number"] = String(number)
      return try PKDWriter.encode(Recording(page, canvas: texts))
    }
    let payload = Double(recordings.reduce(0) { $0 + $1.count })
    var (up, down): ([Double], [Double]) = ([], [])
    var (upRatio, downRatio): ([Double], [Double]) = ([], [])
    for run in 0..<runs {
      let uid = "drawings\(run)"
      let (first, second) = (try device("\(uid)-a"), try device("\(uid)-b"))
      let service = DrawingService(try LocalService.open(.journal, first), as: .operator)
      for (number, recording) in recordings.enumerated() {
        var submission = DrawingService.Submission(recording: recording)
        submission.id = "page-\(number)"
        submission.rendersImageLater = true
        try service.submit(submission, of: uid)
      }
      let sent = try sync(first, uid)
      let received = try sync(second, uid)
      up.append(sent.seconds)
      down.append(received.seconds)
      upRatio.append(Double(sent.bytes) / payload)
      downRatio.append(Double(received.bytes) / payload)
    }
    let size = "\(count) drawings of \(Int(payload / 1e6)) MB"
    return [
      Figure("sync, sending \(size)", "s", up, goal: .atMost(3)),
      Figure("sync, fetching \(size)", "s", down, goal: .atMost(3)),
      Figure("sync, bytes on the wire for drawings sent", "x", upRatio, goal: .atMost(1.3)),
      Figure("sync, bytes on the wire for drawings fetched", "x", downRatio, goal: .atMost(1.3)),
    ]
  }

  /// One new entry after long histories: the cost must not grow with them.
  func history(_ counts: [Int], runs: Int) throws -> [Figure] {
    try counts.map { count in
      let uid = "history\(count)"
      let path = try device(uid)
      try write(count, of: uid, in: path)
      _ = try sync(path, uid)
      let service = CollectionService(
        .moodEntries, in: try LocalService.open(.journal, path), as: .operator)
      let times = try (0..<runs).map { _ in
        try service.create(
          ["moodType": "happy", "timestamp": .moment(LocalService.systemTime())], of: uid)
        return try sync(path, uid).seconds * 1e3
      }
      return Figure("sync, one new entry after \(count)", "ms", times)
    }
  }

  /// From the write of an entry on one device until another one has it, both with `--watch`.
  func watching(_ count: Int) throws -> [Figure] {
    let uid = "watch"
    let (first, second) = (try device("watch-a"), try device("watch-b"))
    let runs = try [first, second].map { device in
      let command = [WholeProcess.pkd] + (try words(device, uid, ["--watch", "--quiet"]))
      var spawn = Spawn(words: command.map { Array($0.utf8) }, files: [])
      spawn.hasOwnGroup = true
      return spawn.start().0
    }
    defer {
      for process in runs {
        kill(process, SIGTERM)
        var status: Int32 = 0
        waitpid(process, &status, 0)
      }
    }
    sleep(2)
    let (here, there) = (
      try LocalService.open(.journal, first), try LocalService.open(.journal, second, for: .reading)
    )
    let service = CollectionService(.moodEntries, in: here, as: .operator)
    var times: [Double] = []
    for number in 0..<count {
      // Irregular intervals, which cannot fall into step with a timer.
      usleep(UInt32(150_000 + number * 7_919 % 100_000))
      let path = try DocumentPath("users/\(uid)/moodEntries/w\(number)")
      let begin = MonotonicTime.now
      try service.create(
        ["moodType": "happy", "timestamp": .moment(here.now())], of: uid, id: path.id)
      while try there.documents.document(path) == nil {
        guard MonotonicTime.now - begin < 10 else {
          throw ServerBenchmarks.Problem(what: "a watched entry did not arrive")
        }
        usleep(300)
      }
      times.append((MonotonicTime.now - begin) * 1e3)
    }
    return [
      Figure(
        "sync, from the write of an entry until another device has it, with --watch", "ms", times,
        goal: .atMost(100))
    ]
  }
}
