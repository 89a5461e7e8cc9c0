import DrawingServices
import Journal
import Glibc
import Measurement
import PKDFormat
import Storage
import System

/// The upkeep of a large service: the time of the operator's commands, and its growth with the
/// number of drawings. Most figures are whole processes.
enum UpkeepBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    let runs = isFull ? 3 : 1
    let (few, many, checkIns) = isFull ? (10_000, 40_000, 200_000) : (20, 40, 50)
    guard WholeProcess.isBuilt else { return [] }
    return withTemporaryFolder { folder in
      let (small, large) = (folder + "/small", folder + "/large")
      fill(small, drawings: few, checkIns: 0)
      fill(large, drawings: many, checkIns: checkIns)
      var figures: [Figure] = []
      for verb in ["stats", "sweep", "verify"] {
        let taken = WholeProcess.turns(
          runs, [small, large].map { ["store", verb, "--root", $0] })
        figures += [
          Figure(
            "upkeep, \(verb) of \(many) drawings of a user, whole process", "s", taken[1],
            goal: .atMost(5)),
          Figure(
            "upkeep, \(verb), times as long for four times the drawings", "×",
            zip(taken[0], taken[1]).map { $1 / $0 }, goal: .atMost(5)),
        ]
      }
      figures.append(checkingIn(large, before: checkIns, isFull ? 51 : 3))
      let peaks = ["stats", "sweep", "verify"].compactMap {
        WholeProcess.peak(["store", $0, "--root", large])
      }
      figures.append(
        Figure(
          "upkeep, memory of the largest of these commands", "MB", [peaks.max() ?? 0],
          goal: .atMost(50)))
      let archive = folder + "/archive.tar"
      let half = folder + "/half"
      fill(half, drawings: many / 2, checkIns: 0)
      _ = WholeProcess.turns(1, [["store", "backup", "--root", half, "-o", archive]])
      // A new folder for each run: restoring right after a deletion is slower on some file systems.
      let restored = (0..<runs).flatMap { run in
        WholeProcess.turns(
          1, [["store", "restore", archive, "--root", "\(folder)/restored\(run)"]])[0]
      }
      return figures + [
        Figure(
          "upkeep, restore of \(many / 2) drawings, whole process", "s", restored,
          goal: .atMost(15))
      ]
    } ?? []
  }

  /// Adding a check-in, safe on the disk, for a user with many check-ins.
  private static func checkingIn(_ root: String, before: Int, _ count: Int) -> Figure {
    var samples: [Double] = []
    if let environment = try? LocalService.open(.journal, root, for: .writing) {
      let service = CollectionService(.checkIns, in: environment, as: .user("user"))
      for _ in 0..<count {
        let start = MonotonicTime.now
        consume(
          try? service.create(
            [
              "colorHex": "", "colorIntensity": 0.5, "emotion": "joy", "topic": "",
              "evaluation": "",
            ], of: "user"))
        samples.append((MonotonicTime.now - start) * 1e3)
      }
    }
    return Figure(
      "upkeep, a check-in of a user who has had \(before), safe on the disk", "ms", samples,
      goal: .atMost(5))
  }

  // MARK: - A large service

  private static let page: [UInt8] =
    (try? PKDWriter.encode(Workload.page(words: 3, columns: 3))) ?? []

  /// Adds copies of a small drawing to a service. Files are synchronized once at the end.
  private static func fill(_ root: String, drawings: Int, checkIns: Int) {
    guard let environment = try? LocalService.open(.journal, root),
      let record = try? DrawingService(environment, as: .operator).submit(
        .init(recording: page), of: "model"),
      let blobs = try? FileBlobStore(filling: root)
    else { return }
    let model = record.document.path.folder
    let contents = DrawingFiles.names.compactMap { name in
      (try? environment.blobs.get(model.blob(name))).flatMap { $0 }.map {
        BlobContent(name, contentType: $0.info.contentType, $0.bytes)
      }
    }
    let moment = Moment(seconds: 1_790_000_000)
    for start in stride(from: 0, to: max(drawings, checkIns), by: 1000) {
      try? environment.documents.change(at: moment) { transaction in
        for index in start..<min(start + 1000, max(drawings, checkIns)) {
          let created = FieldValue.moment(moment + Int64(index * 60))
          if index < checkIns {
            try transaction.set(
              DocumentPath("users/user/mood_checkins/c\(index)"),
              [
                "colorHex": "#FFD700", "colorIntensity": 0.5, "emotion": "joy",
                "topic": "emotional", "evaluation": "good", "timezoneOffsetMinutes": 480,
                "createdAt": created, "updatedAt": created,
              ])
          }
          guard index < drawings else { continue }
          let path = try DocumentPath("users/user/drawings/d\(index)")
          _ = try blobs.put(contents, in: path.folder, at: moment)
          try transaction.set(
            path, record.document.fields.merging(["createdAt": created]))
        }
      }
    }
    try? blobs.synchronize()
  }
}
