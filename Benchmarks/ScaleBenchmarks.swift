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
import Threads

/// The cost of large numbers of drawings: thumbnails in batches, by a worker and on Spark, and
/// moving a whole service. `SubmitBenchmarks` measures servers.
enum ScaleBenchmarks {
  // MARK: - Drawings

  /// Different drawings as people make them on a phone, in some seconds or a minute: most are a few
  /// words, the others are doodles and a few strokes of textured inks.
  static func drawings(_ count: Int) throws -> [[UInt8]] {
    let words = Workload.page(words: 84, columns: 6).strokes
    let doodle = Workload.doodle().strokes
    let sketch = Workload.mixedInks(72).strokes
    return try (0..<count).map { number in
      var random = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
      /// Some of the strokes, in their order.
      func some(_ strokes: [PKStroke], atLeast low: Int, atMost high: Int) -> [PKStroke] {
        var wanted = low + Int(next() % UInt64(high - low + 1))
        return strokes.enumerated().compactMap { index, stroke in
          guard next() % UInt64(strokes.count - index) < UInt64(wanted) else { return nil }
          wanted -= 1
          return stroke
        }
      }
      func next() -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random >> 11
      }
      let (strokes, size) =
        switch number % 10 {
        case 0, 1: (some(doodle, atLeast: 12, atMost: 20), Size(width: 430, height: 760))
        case 2: (some(sketch, atLeast: 10, atMost: 30), Size(width: 1024, height: 1366))
        default: (some(words, atLeast: 12, atMost: 60), Size(width: 430, height: 760))
        }
      return try encode(PKDrawing(strokes: strokes), size, number)
    }
  }

  /// Different pages of 84 words and 5,040 points, the same content that other figures measure.
  static func pages(_ count: Int) throws -> [[UInt8]] {
    let page = Workload.page(words: 84, columns: 6)
    return try (0..<count).map { try encode(page, Size(width: 430, height: 760), $0) }
  }

  private static func encode(_ drawing: PKDrawing, _ size: Size, _ number: Int) throws -> [UInt8] {
    var canvas = Recording.Canvas(size: size)
    canvas.metadata["number"] = String(number)
    return try PKDWriter.encode(Recording(drawing, canvas: canvas))
  }

  /// Files of drawings that have just been written, so they are in the page cache.
  private struct Files {
    let folder: String
    let paths: [String]
    let bytes: Int

    init(_ drawings: [[UInt8]], in folder: String) throws {
      mkdir(folder, 0o755)
      paths = try drawings.enumerated().map { number, drawing in
        let path = "\(folder)/\(number).pkd"
        try ScaleBenchmarks.write(drawing, to: path)
        return path
      }
      (self.folder, bytes) = (folder, drawings.reduce(0) { $0 + $1.count })
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw Problem(what: "\(path) cannot be written") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  typealias Problem = ServerBenchmarks.Problem

  /// Calls a body with a folder; prints the error that prevented its figures.
  static func measure(_ what: String, _ body: (_ root: String) throws -> [Figure]) -> [Figure] {
    guard WholeProcess.isBuilt else {
      tell("\(what): left out, \(WholeProcess.pkd) is not built")
      return []
    }
    return withTemporaryFolder { root in
      do {
        return try body(root)
      } catch {
        tell("\(what): could not be measured, \(error)")
        return []
      }
    } ?? []
  }

  /// Prints a note beside the figures, which may be JSON.
  static func tell(_ text: String) {
    let line = text + "\n"
    _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
  }

  /// The seconds that `pkd` takes with some arguments and an optional standard input.
  private static func run(_ words: [String], input: String? = nil) throws -> Double {
    let file = try input.map { path in
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw Problem(what: "\(path) cannot be read") }
      return file
    }
    defer { if let file { close(file) } }
    let command = ([WholeProcess.pkd] + words).map { Array($0.utf8) }
    return try ProcessRun(command, input: file).taken.seconds
  }

  // MARK: - Batches

  /// Thumbnails of many files by one process, and the same by a worker that reads its jobs from
  /// standard input.
  static func batch(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    return measure("batches") { root in
      try batch(
        "drawings", drawings(isFull ? 4_000 : 40), root: "\(root)/drawings", rounds: isFull ? 5 : 1)
        + batch("pages", pages(isFull ? 2_000 : 20), root: "\(root)/pages", rounds: isFull ? 5 : 1)
    }
  }

  private static func batch(
    _ name: String, _ drawings: [[UInt8]], root: String, rounds: Int
  ) throws -> [Figure] {
    mkdir(root, 0o755)
    let files = try Files(drawings, in: "\(root)/in")
    let count = Double(drawings.count)
    func record(_ number: Int, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
      var json = JSONWriter()
      json.object { json in
        json.field("id", "\(number)")
        body(&json)
        json.field("output", "\(root)/out/\(number).png")
      }
      return json.bytes
    }
    var (lines, framed): ([UInt8], [UInt8]) = ([], [])
    for (number, path) in files.paths.enumerated() {
      lines += record(number) { $0.field("path", path) } + [10]
      let head = record(number) { $0.field("byteCount", drawings[number].count) }
      framed += withUnsafeBytes(of: UInt32(head.count).bigEndian) { Array($0) }
      framed += head + drawings[number]
    }
    try write(lines, to: "\(root)/lines")
    try write(framed, to: "\(root)/framed")
    let ways: [(words: [String], input: String?)] = [
      (["thumbnail", "--quiet", "-o", "\(root)/out/"] + files.paths, nil),
      (["worker"], "\(root)/lines"), (["worker", "--framed"], "\(root)/framed"),
    ]
    var seconds = ways.map { _ in [Double]() }
    for _ in 0..<rounds {
      for (index, way) in ways.enumerated() {
        // Into new files each time.
        _ = output(of: "rm -rf '\(root)/out' && mkdir '\(root)/out'")
        seconds[index].append(try run(way.words, input: way.input))
      }
    }
    func overhead(_ index: Int) -> [Double] {
      zip(seconds[index], seconds[0]).map { ($0 - $1) / count * 1e3 }
    }
    let size = "\(drawings.count) \(name) of \(Int(Double(files.bytes) / count / 100) * 100) bytes"
    return [
      Figure(
        "scale, thumbnails of \(size), one process", "a second", seconds[0].map { count / $0 },
        goal: .atLeast(1_500)),
      Figure(
        "scale, \(name), by a worker with lines: longer for each", "ms", overhead(1),
        goal: .atMost(0.1)),
      Figure(
        "scale, \(name), by a worker with frames: longer for each", "ms", overhead(2),
        goal: .atMost(0.1)),
    ]
  }

  // MARK: - Spark

  /// Spark on this machine, compared with one process on the same cores. A run for a few drawings
  /// measures its start separately.
  static func spark(_ effort: Effort) -> [Figure] {
    guard !output(of: "command -v spark-submit").isEmpty else {
      tell("Spark: left out, there is no spark-submit in PATH")
      return []
    }
    guard access("Samples/spark/render.py", R_OK) == 0 else {
      tell("Spark: left out, this is not the folder of the project")
      return []
    }
    let isFull = effort.samples > 3
    return measure("Spark") { root in
      let drawings = try drawings(isFull ? 10_000 : 40)
      let files = try Files(drawings, in: "\(root)/in")
      func manifest(_ count: Int) throws -> String {
        let lines = files.paths.prefix(count).enumerated().map { number, path in
          var json = JSONWriter()
          json.object { json in
            json.field("id", "\(number)")
            json.field("path", path)
            json.field("output", "\(root)/out/\(number).png")
          }
          return json.bytes + [10]
        }
        let path = "\(root)/manifest-\(count)"
        try write(Array(lines.joined()), to: path)
        return path
      }
      let (few, all) = (try manifest(16), try manifest(drawings.count))
      func onSpark(_ manifest: String) throws -> Double {
        _ = output(of: "rm -rf '\(root)/out' '\(root)/report'")
        let words = [
          "spark-submit", "--master", "local[2]", "Samples/spark/render.py", manifest,
          "\(root)/report", "--pkd", WholeProcess.pkd, "--", "--size", "256",
        ]
        return try ProcessRun(words.map { Array($0.utf8) }).taken.seconds
      }
      var (plain, starts, whole): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<(isFull ? 3 : 1) {
        _ = output(of: "rm -rf '\(root)/out' && mkdir '\(root)/out'")
        plain.append(
          try run(["thumbnail", "--quiet", "--threads", "2", "-o", "\(root)/out/"] + files.paths))
        starts.append(try onSpark(few))
        whole.append(try onSpark(all))
      }
      let what = "scale, \(drawings.count) thumbnails"
      return [
        Figure("\(what), one process", "s", plain),
        Figure("\(what), Spark local[2], whole", "s", whole),
        Figure("scale, 16 thumbnails, Spark local[2], whole", "s", starts),
        Figure(
          "\(what), Spark once it runs, share of the rate of one process", "×",
          zip(plain, zip(whole, starts)).map { $0 / max($1.0 - $1.1, 1e-9) }, goal: .atLeast(0.8)),
      ]
    }
  }

  // MARK: - Moving

  /// A service of many small drawings from a folder to shared stores and back.
  static func migrating(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    let count = isFull ? 10_000 : 40
    return SharedServices.use("moving") { services in
      measure("moving") { root in
        try fill("\(root)/from", count)
        let shared = "\(root)/shared,\(services.documents),\(services.blobs)"
        let runs: [(name: String, from: String, to: String)] = [
          ("from a folder to PostgreSQL and a bucket", "\(root)/from", shared),
          ("the same again, nothing to do", "\(root)/from", shared),
          ("back to a folder", shared, "\(root)/back"),
          ("the same again, nothing to do", shared, "\(root)/back"),
        ]
        let before = services.sizeOfDocuments
        var figures: [Figure] = []
        for (index, run) in runs.enumerated() {
          let words = ["migrate", "--json", "--from", run.from, "--to", run.to]
          let process = try ProcessRun(
            ([WholeProcess.pkd] + words).map { Array($0.utf8) }, takesOutput: true)
          let result = try Fields(json: process.output)
          let documents = result[index % 2 == 0 ? "documents" : "known"]?.integerValue ?? 0
          guard documents >= count else {
            throw Problem(what: "\(documents) of \(count) were moved")
          }
          let way = index < 2 ? "" : " (back)"
          figures.append(
            Figure(
              "scale, \(count) drawings, \(run.name)\(index == 3 ? way : "")", "drawings a second",
              [Double(count) / process.taken.seconds],
              goal: index % 2 == 0 ? .atLeast(500) : nil))
        }
        let grown = zip(services.sizeOfDocuments, before).map { Double($0 - $1) / Double(count) }
        if let rows = grown.first, let indexes = grown.last, grown.count == 2 {
          figures += [
            Figure("scale, PostgreSQL, rows of a drawing", "bytes", [rows]),
            Figure("scale, PostgreSQL, indexes of a drawing", "bytes", [indexes]),
          ]
        }
        return figures + (try sizes("\(root)/from"))
      }
    }
  }

  /// Makes a service in a folder with the drawings of some users.
  private static func fill(_ root: String, _ count: Int) throws {
    let environment = try LocalService.open(.journal, root)
    let service = DrawingService(environment, as: .operator)
    _ = try Lanes.map(Array(try drawings(count).enumerated()), lanes: 16) { number, drawing in
      var submission = DrawingService.Submission(recording: drawing)
      submission.id = "drawing-\(number)"
      submission.rendersImageLater = true
      try service.submit(submission, of: "user\(number % 100)")
    }
  }

  /// The mean size in bytes of a drawing's files. An image is made when it is first read.
  private static func sizes(_ root: String) throws -> [Figure] {
    let service = DrawingService(try LocalService.open(.journal, root), as: .operator)
    let numbers = stride(from: 0, to: 500, by: 1)
    return try DrawingFiles.names.map { name in
      let sizes = numbers.compactMap { number in
        try? service.file(name, ofDrawing: "drawing-\(number)", of: "user\(number % 100)").info.size
      }
      guard !sizes.isEmpty else { throw Problem(what: "no \(name)") }
      let mean = Double(sizes.reduce(0, +)) / Double(sizes.count)
      return Figure("scale, mean of \(name)", "bytes", [mean])
    }
  }
}

/// The PostgreSQL server and the bucket that `TEST_POSTGRES` and `TEST_S3` name: a new database in
/// the server, and a new prefix in the bucket.
struct SharedServices {
  let documents: String
  let blobs: String
  /// The existing database, over whose connection others are created.
  private let main: String

  /// Calls a body with a new database and prefix; without stores, prints a note and returns no
  /// figures.
  static func use(_ what: String, _ body: (SharedServices) -> [Figure]) -> [Figure] {
    guard let documents = getenv("TEST_POSTGRES"), let blobs = getenv("TEST_S3") else {
      ScaleBenchmarks.tell(
        "\(what): left out, TEST_POSTGRES and TEST_S3 do not name stores "
          + "(Tests/Proofs/Services/postgres-up, objects-up)")
      return []
    }
    guard !output(of: "command -v psql").isEmpty else {
      ScaleBenchmarks.tell("\(what): left out, there is no psql to make a database")
      return []
    }
    let (main, bucket) = (String(cString: documents), String(cString: blobs))
    let name = "scale_\(getpid())_\(Int(MonotonicTime.now * 1e3))"
    let services = SharedServices(main: main, bucket: bucket, name: name)
    _ = services.ask(main, "CREATE DATABASE \(name)")
    defer { _ = services.ask(main, "DROP DATABASE \(name) WITH (FORCE)") }
    return body(services)
  }

  private init(main: String, bucket: String, name: String) {
    self.main = main
    let path = main.split(separator: "?", maxSplits: 1)
    let options = path.count > 1 ? "?\(path[1])" : ""
    let server = path[0][...(path[0].lastIndex(of: "/") ?? path[0].startIndex)]
    documents = "\(server)\(name)\(options)"
    let parts = bucket.split(separator: "?", maxSplits: 1)
    blobs = "\(parts[0])/\(name)" + (parts.count > 1 ? "?\(parts[1])" : "")
  }

  /// The first line of a database's reply to a statement.
  private func ask(_ url: String, _ statement: String) -> String {
    output(of: "psql '\(url)' -Atqc \"\(statement)\"")
  }

  /// The bytes of all rows, and those of all indexes.
  var sizeOfDocuments: [Int] {
    let sizes = ask(
      documents,
      """
      SELECT coalesce(sum(pg_table_size(c.oid)), 0), coalesce(sum(pg_indexes_size(c.oid)), 0)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'pentimento' AND c.relkind = 'r'
      """)
    return sizes.split(separator: "|").compactMap { Int($0) }
  }

  /// The bytes of log that the server has ever written.
  var logPosition: Double {
    Double(ask(main, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")) ?? 0
  }
}
