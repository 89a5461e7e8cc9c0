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

/// The drawing service: storing drawings durably, and querying documents.
enum ServiceBenchmarks {
  /// The word on the command line of a process that uses a service and prints its peak memory.
  static let childWord = "memory-of-service"

  static func figures(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    return withTemporaryFolder { root in
      submitting(root + "/files", count: isFull ? 1_500 : 24)
        + submittingOnManyThreads(root + "/many", count: isFull ? 960 : 32)
        + revising(root + "/revised", count: isFull ? 100 : 4)
        + finding(
          root + "/documents", few: isFull ? 10_000 : 300, many: isFull ? 1_000_000 : 3_000,
          effort)
    } ?? []
  }

  // MARK: - Files

  /// A drawing of 84 words and 5,040 points on a page as large as a phone's.
  private static let recording: [UInt8] = {
    let canvas = Recording.Canvas(size: Size(width: 430, height: 760))
    return
      (try? PKDWriter.encode(
        Recording(Workload.page(words: 84, columns: 6), canvas: canvas))) ?? []
  }()

  /// The results of submitting drawings on several threads.
  private struct Submits {
    var seconds = 0.0
    /// The seconds of each submit.
    var times: [Double] = []
    /// The drawings of the first user.
    var ids: [String] = []

    var rate: Double { Double(times.count) / seconds }
  }

  /// Submits drawings on several threads; each drawing is safe on the disk before its thread
  /// submits the next one.
  private static func submit(
    _ count: Int, to service: DrawingService, lanes: Int = 2, rendersImageLater: Bool = false,
    ids: (_ lane: Int, _ number: Int) -> String? = { _, _ in nil }
  ) -> Submits {
    let submits = ConditionMutex(Submits())
    let start = MonotonicTime.now
    Lanes.run(lanes) { lane in
      for number in 0..<count / lanes {
        var submission = DrawingService.Submission(recording: recording)
        submission.id = ids(lane, number)
        submission.rendersImageLater = rendersImageLater
        let began = MonotonicTime.now
        guard let record = try? service.submit(submission, of: "user\(lane)") else { continue }
        let end = MonotonicTime.now
        submits.withLock {
          $0.times.append(end - began)
          if lane == 0 { $0.ids.append(record.id) }
        }
      }
    }
    var result = submits.withLock { $0 }
    result.seconds = MonotonicTime.now - start
    return result
  }

  /// A server's submits: many threads of one process, with the image and without it.
  private static func submittingOnManyThreads(_ root: String, count: Int) -> [Figure] {
    guard let environment = try? LocalService.open(.journal, root) else { return [] }
    let service = DrawingService(environment, as: .operator)
    let threads = 16
    var (whole, small) = (Submits(), Submits())
    var (wholeRates, smallRates) = ([Double](), [Double]())
    // In turns, because disks become slower as they fill.
    for _ in 0..<5 {
      let first = submit(count, to: service, lanes: threads)
      let second = submit(count, to: service, lanes: threads, rendersImageLater: true)
      wholeRates.append(first.rate)
      smallRates.append(second.rate)
      whole.times += first.times
      small.times += second.times
    }
    func slow(_ submits: Submits) -> Double {
      let times = submits.times.sorted()
      return times.isEmpty ? .infinity : times[Int(0.99 * Double(times.count - 1))]
    }
    return [
      Figure(
        "service, the same on \(threads) threads", "a second", wholeRates, goal: .atLeast(300)),
      Figure(
        "service, one of hundred on \(threads) threads takes longer", "ms", [slow(whole) * 1e3]),
      Figure(
        "service, on \(threads) threads with thumbnail alone", "a second", smallRates,
        goal: .atLeast(500)),
      Figure(
        "service, one of hundred with thumbnail alone takes longer", "ms", [slow(small) * 1e3]),
    ]
  }

  /// Revisions while a user draws: one page that saves, and many of them beside pages that store
  /// new drawings.
  private static func revising(_ root: String, count: Int) -> [Figure] {
    guard let environment = try? LocalService.open(.journal, root) else { return [] }
    let service = DrawingService(environment, as: .operator)
    let canvas = Recording.Canvas(size: Size(width: 430, height: 760))
    let other =
      (try? PKDWriter.encode(
        Recording(Workload.page(words: 85, columns: 6), canvas: canvas))) ?? []
    func revise(_ lane: Int, _ number: Int) -> Double {
      let began = MonotonicTime.now
      _ = try? service.revise(
        number % 2 == 0 ? other : recording, ofDrawing: "revised", of: "user\(lane)",
        replacing: .any)
      return MonotonicTime.now - began
    }
    let threads = 16
    _ = submit(threads, to: service, lanes: threads, rendersImageLater: true) { _, _ in "revised" }
    // Single submits and single revisions in turns.
    var (submits, revisions) = ([Double](), [Double]())
    for number in 0..<count {
      submits += submit(1, to: service, lanes: 1, rendersImageLater: true).times
      revisions.append(revise(0, number))
    }
    // Half of the threads submit until the other half have finished their revisions.
    var (rates, beside) = ([Double](), [Double]())
    for _ in 0..<5 {
      let (revised, submitted) = (ConditionMutex(0), ConditionMutex(0))
      let start = MonotonicTime.now
      Lanes.run(threads) { lane in
        if lane % 2 == 0 {
          for number in 0..<count { _ = revise(lane, number) }
          revised.withLock { $0 += 1 }
        }
        while lane % 2 != 0, revised.withLock({ $0 }) < threads / 2 {
          let done = submit(1, to: service, lanes: 1, rendersImageLater: true).times.count
          submitted.withLock { $0 += done }
        }
      }
      let seconds = MonotonicTime.now - start
      rates.append(Double(count * threads / 2) / seconds)
      beside.append(Double(submitted.withLock { $0 }) / seconds)
    }
    return [
      Figure("service, one submit with thumbnail alone", "ms", submits.map { $0 * 1e3 }),
      Figure("service, one revision", "ms", revisions.map { $0 * 1e3 }),
      Figure("service, revisions on \(threads / 2) threads", "a second", rates),
      Figure("service, submits on as many beside them", "a second", beside),
    ]
  }

  private static func submitting(_ root: String, count: Int) -> [Figure] {
    guard let environment = try? LocalService.open(.journal, root) else { return [] }
    let service = DrawingService(environment, as: .operator)
    // In turns, because disks become slower as they fill.
    let rounds = 6
    var (plain, named) = (Submits(), Submits())
    var ratios: [Double] = []
    for round in 0..<rounds {
      let first = submit(count / rounds, to: service)
      let second = submit(count / rounds, to: service) { "named-\(round)-\($0)-\($1)" }
      ratios.append(second.rate / first.rate)
      plain.seconds += first.seconds
      plain.times += first.times
      plain.ids += first.ids
      named.times += second.times
    }
    let times = plain.times.sorted()
    guard !times.isEmpty, !named.times.isEmpty else { return [] }
    let slow = times[Int(0.99 * Double(times.count - 1))]

    let names = plain.ids
    let getCount = count * 20
    let gotBytes = ConditionMutex(0)
    let startOfGets = MonotonicTime.now
    Lanes.run(2) { _ in
      var bytes = 0
      for index in 0..<getCount / 2 {
        let blob = try? service.file(
          DrawingFiles.thumbnail, ofDrawing: names[index % names.count], of: "user0")
        bytes += blob?.bytes.count ?? 0
      }
      gotBytes.withLock { $0 += bytes }
    }
    let gets = Double(getCount) / (MonotonicTime.now - startOfGets)
    return [
      Figure(
        "service, drawings of 5,040 points kept durably, with image and thumbnail", "a second",
        [plain.rate], goal: .atLeast(300)),
      Figure(
        "service, the same with given ids, rate relative to it", "×", ratios, goal: .atLeast(0.9)),
      Figure("service, one of hundred takes longer", "ms", [slow * 1e3], goal: .atMost(25)),
      Figure(
        "service, thumbnails of \(gotBytes.withLock { $0 } / max(getCount, 1)) bytes, checked",
        "a second", [gets], goal: .atLeast(30_000)),
    ]
  }

  // MARK: - Documents

  private static let zone = (try? ZoneRules(named: "Asia/Taipei")) ?? .utc
  private static let today = Moment(seconds: 1_790_000_000)

  private static func environment(_ root: String) -> ServiceEnvironment? {
    guard let house = try? LocalService.open(.journal, root) else { return nil }
    return ServiceEnvironment(
      .journal, documents: house.documents, blobs: house.blobs, now: { today }, newID: house.newID)
  }

  /// Adds drawings and check-ins of a user to a store, at even intervals over 80 days.
  private static func fill(
    _ environment: ServiceEnvironment, _ uid: String, drawings: Int, checkIns: Int
  ) {
    func moment(_ index: Int, of count: Int) -> FieldValue {
      .moment(today + -80 * 86_400 + Int64(80 * 86_400 * index / max(count, 1)))
    }
    let steps = stride(from: 0, to: max(drawings, checkIns), by: 1000)
    for start in steps {
      try? environment.documents.change(at: today) { transaction in
        for index in start..<min(start + 1000, max(drawings, checkIns)) {
          if index < checkIns {
            try transaction.set(
              DocumentPath("users/\(uid)/mood_checkins/c\(index)"),
              [
                "colorHex": "#FFD700", "colorIntensity": 0.5, "emotion": "joy",
                "topic": "emotional", "evaluation": "good", "timezoneOffsetMinutes": 480,
                "createdAt": moment(index, of: checkIns), "updatedAt": .moment(today),
              ])
          }
          guard index < drawings else { continue }
          let folder = "file:users/\(uid)/drawings/d\(index)"
          let isLinked = checkIns > 0 && index % 3 == 0
          try transaction.set(
            DocumentPath("users/\(uid)/drawings/d\(index)"),
            [
              "checkinId": isLinked ? .text("c\(index * checkIns / drawings)") : nil,
              "isFromCheckIn": .bool(isLinked), "imageURL": .text(folder + "/image.png"),
              "recordingURL": .text(folder + "/recording.pkd"),
              "thumbnailURL": .text(folder + "/thumbnail.png"), "timezoneOffsetMinutes": 480,
              "createdAt": moment(index, of: drawings), "updatedAt": .moment(today),
            ])
        }
      }
    }
  }

  private static func finding(
    _ root: String, few: Int, many: Int, _ effort: Effort
  ) -> [Figure] {
    guard let environment = environment(root) else { return [] }
    fill(environment, "gallery", drawings: few, checkIns: 0)
    fill(environment, "cards", drawings: few * 3 / 10, checkIns: few / 10)
    let small = queries(environment, effort)
    let start = MonotonicTime.now
    let perUser = 3_000
    for user in 0..<many / perUser {
      fill(environment, "other\(user)", drawings: perUser - perUser / 4, checkIns: perUser / 4)
    }
    let filled = Double(many / perUser * perUser) / (MonotonicTime.now - start)
    let large = queries(environment, effort)
    var figures: [Figure] = []
    for (name, limit, few, many) in zip(small, large).map({
      ($0.name, $0.limit, $0.times, $1.times)
    }) {
      figures.append(
        Figure("service, \(name)", "ms", few.map { $0 * 1e3 }, goal: limit.map { .atMost($0) }))
      figures.append(
        Figure(
          "service, \(name), among \(many.isEmpty ? 0 : self.count(environment)) documents", "×",
          zip(few, many).map { $1 / $0 }, goal: .atMost(2)))
    }
    if filled > 0 {
      figures.append(Figure("service, documents stored in batches", "a second", [filled]))
    }
    if let memory = Double(output(of: "'\(CommandLine.arguments[0])' \(childWord) '\(root)'")) {
      figures.append(
        Figure("service, memory of all of this", "MB", [memory], goal: .atMost(50)))
    }
    return figures
  }

  private static func count(_ environment: ServiceEnvironment) -> Int {
    (try? environment.documents.read { Int(try $0.lastSequence()) }) ?? 0
  }

  /// The queries of apps, with their goals in milliseconds and their times in seconds.
  private static func queries(
    _ environment: ServiceEnvironment, _ effort: Effort
  ) -> [(name: String, limit: Double?, times: [Double])] {
    let drawings = DrawingService(environment, as: .user("gallery"))
    let drawingsOfCards = DrawingService(environment, as: .user("cards"))
    let views = CheckInService(environment, as: .user("cards"))
    let checkIns = CollectionService(.checkIns, in: environment, as: .user("cards"))
    let bodies: [(String, Double?, () -> Void)] = [
      (
        "a page of the gallery of 90 days", 5,
        { consume(try? drawings.gallery(of: "gallery", zone: zone)) }
      ),
      (
        "cards of 1,000 check-ins and 3,000 drawings", 10,
        { consume(try? views.cards(of: "cards", checkIns: 1_000, zone: zone)) }
      ),
      (
        "cards of the latest 7 check-ins", nil,
        { consume(try? views.cards(of: "cards", checkIns: 7, zone: zone)) }
      ),
      (
        "drawings of a week", nil,
        { consume(try? drawings.range(from: today + -7 * 86_400, of: "gallery")) }
      ),
      (
        "drawings of a check-in", nil,
        { consume(try? drawingsOfCards.drawings(ofCheckIn: "c50", of: "cards")) }
      ),
      ("the latest 7 check-ins", nil, { consume(try? checkIns.page(of: "cards", limit: 7)) }),
    ]
    let samples = times(effort, bodies.map(\.2))
    return zip(bodies, samples).map { ($0.0, $0.1, $1) }
  }

  /// Uses a service as apps do, and prints the peak memory in MB.
  static func printPeak(using root: String) {
    guard let environment = environment(root) else { return }
    _ = queries(environment, .smoke)
    let service = DrawingService(environment, as: .operator)
    for index in 0..<20 {
      var submission = DrawingService.Submission(recording: recording)
      submission.id = "memory\(index)"
      consume(try? service.submit(submission, of: "memory"))
      consume(try? service.file(DrawingFiles.thumbnail, ofDrawing: "memory\(index)", of: "memory"))
    }
    print(Double(PeakMemory.ofThisProcess()) / 1e6)
  }

  // MARK: - Words

  /// Searches among drawings with recognized words: in this process, by the program, and by a
  /// server.
  static func search(_ effort: Effort) -> [Figure] {
    withTemporaryFolder { searching($0, count: effort.samples > 3 ? 40_000 : 50, effort) } ?? []
  }

  /// The searched texts: a word of a fiftieth of the drawings, of none, a frequent part of words, a
  /// letter, two words, and characters of a script without spaces.
  private static let searches = [
    ("a page of results", "shopping"), ("nothing found", "nowhere"), ("a part of words", "ingra"),
    ("a letter", "o"), ("two words", "shopping the"), ("Chinese", "天氣"),
  ]

  private static func searching(_ root: String, count: Int, _ effort: Effort) -> [Figure] {
    guard let environment = environment(root) else { return [] }
    // The user id that a server in development mode uses.
    let uid = "dev"
    fill(environment, uid, drawings: count, checkIns: 0)
    let wordCount = 40
    let parts = [
      "sh", "op", "ing", "ra", "ter", "con", "pre", "the", "an", "d", "al", "ist", "un", "der",
      "ma",
    ]
    var state: UInt64 = 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let letters = Array("今天氣很好我們去公園畫一棵樹")
    let vocabulary = (0..<8_000).map { number in
      number % 8 == 0
        ? String((0...random(3)).map { _ in letters[random(letters.count)] })
        : (0...random(4)).map { _ in parts[random(parts.count)] }.joined()
    }
    for start in stride(from: 0, to: count, by: 500) {
      try? environment.documents.change(at: today) { transaction in
        for index in start..<min(start + 500, count) {
          let words = (0..<wordCount).map { (word: Int) -> RecognizedText.Word in
            let isWanted = word == 0 && index % 50 == 0
            let x = 60 * Double(word % 6)
            return RecognizedText.Word(
              // Some words are more frequent than others.
              isWanted ? "shopping" : vocabulary[random(random(vocabulary.count) + 1)],
              box: Rect(x: x, y: Double(word / 6 * 40), width: 50, height: 30))
          }
          let text = RecognizedText(recognizer: "bench", version: "1", language: "en", words: words)
          let path = try DocumentPath("users/\(uid)/drawings/d\(index)")
          guard var fields = try transaction.document(path)?.fields else { continue }
          fields["recognizedText"] = .map(text.fields)
          try transaction.set(path, fields)
        }
      }
    }
    let service = DrawingService(environment, as: .user(uid))
    guard let page = try? service.search("shopping", of: uid), !page.results.isEmpty else {
      print("the search found nothing")
      return []
    }
    var figures: [Figure] = []
    func add(_ way: String, _ samples: [[Double]]) {
      for ((name, _), times) in zip(searches, samples) {
        figures.append(
          Figure(
            "service, search among \(count) drawings of \(wordCount) words, \(way), \(name)", "ms",
            times.map { $0 * 1e3 }))
      }
    }
    add(
      "in a process that runs",
      times(effort, searches.map { _, text in { consume(try? service.search(text, of: uid)) } }))
    guard WholeProcess.isBuilt else { return figures }
    let commands = searches.map { _, text in
      ["store", "search", text, "--uid", uid, "--root", root, "--json"]
    }
    add("whole process", WholeProcess.turns(effort.samples, commands))
    guard let server = try? ServerProcess(root) else { return figures }
    defer { server.end() }
    guard let client = try? HTTPClient(port: server.port),
      (try? client.get("/v1/users/\(uid)/drawings?search=shopping")) != nil
    else {
      print("the server did not search")
      return figures
    }
    let paths = searches.map { _, text in
      "/v1/users/\(uid)/drawings?search="
        + text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    add(
      "by a server", times(effort, paths.map { path in { consume(try? client.get(path)) } }))
    return figures
  }
}
