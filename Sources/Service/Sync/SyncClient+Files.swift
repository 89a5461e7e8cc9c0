import DrawingServices
import Storage

// Fetching missing files.

extension SyncClient {
  /// The maximum number of bytes of files in one response and in one request.
  private static let fileBytesAtOnce = 4 << 20
  private static let filesAtOnce = 64

  /// A drawing with the files that were found.
  typealias FetchedDrawing = (change: SyncChange, files: [String: [UInt8]])

  /// Fetches the files of drawings, and calls a body with some drawings at a time and their files.
  /// Incomplete files are kept, so that the next fetch continues them, even after a lost
  /// connection.
  func fetch(
    _ drawings: [(change: SyncChange, wanted: [WantedFile])],
    _ body: ([FetchedDrawing]) throws -> Void
  ) throws {
    let staged = StagedFiles(environment, of: replica.uid)
    var found: [WantedFile: [UInt8]] = [:]
    var missing: Set<WantedFile> = []
    var tries: [WantedFile: Int] = [:]
    var waiting = drawings[...]
    while !waiting.isEmpty {
      var complete: [FetchedDrawing] = []
      while let next = waiting.first,
        next.wanted.allSatisfy({ found[$0] != nil || missing.contains($0) })
      {
        var files: [String: [UInt8]] = [:]
        for wanted in next.wanted { files[wanted.name] = found.removeValue(forKey: wanted) }
        complete.append((next.change, files))
        waiting.removeFirst()
      }
      if !complete.isEmpty { try body(complete) }
      if waiting.isEmpty { break }
      let asked = Array(
        waiting.flatMap(\.wanted).filter { found[$0] == nil && !missing.contains($0) }
          .prefix(Self.filesAtOnce))
      try fetch(asked, staged, &found, &missing, &tries)
    }
  }

  private func fetch(
    _ asked: [WantedFile], _ staged: StagedFiles, _ found: inout [WantedFile: [UInt8]],
    _ missing: inout Set<WantedFile>, _ tries: inout [WantedFile: Int]
  ) throws {
    var request = SyncRequest()
    request.store = state.store
    request.fileBytes = Self.fileBytesAtOnce
    request.wanted = try asked.map { wanted in
      var wanted = wanted
      wanted.offset = try staged.count(wanted.sha256)
      return wanted
    }
    let before = (found.count, missing.count, request.wanted.map(\.offset))
    defer {
      // A request that brings no progress is not repeated.
      let after = asked.map { (try? staged.count($0.sha256)) ?? 0 }
      if before == (found.count, missing.count, after) || asked.allSatisfy({ tries[$0] ?? 0 > 40 })
      {
        missing.formUnion(asked.filter { found[$0] == nil })
      }
    }
    let response = try peer.exchange(request)
    for wanted in asked { tries[wanted, default: 0] += 1 }
    var received = 0
    var reached = -1
    for file in response.files where request.wanted.indices.contains(file.index) {
      let (wanted, key) = (request.wanted[file.index], asked[file.index])
      received += file.bytes.count
      reached = max(reached, file.index)
      var bytes = file.bytes
      if file.followsBase, let base = wanted.base,
        let own = try replica.file(wanted.name, base.sha256, of: wanted.drawing)
      {
        bytes = own + bytes
      } else if wanted.offset > 0, wanted.offset + bytes.count < file.count {
        try staged.add(bytes, to: wanted.sha256, at: wanted.offset)
        continue
      } else if wanted.offset > 0 {
        try staged.add(bytes, to: wanted.sha256, at: wanted.offset)
        guard let whole = try staged.file(wanted.sha256) else {
          // The kept piece is damaged: fetch the file from its beginning.
          try staged.remove(wanted.sha256)
          continue
        }
        bytes = whole
        try staged.remove(wanted.sha256)
      }
      if bytes.count < file.count {
        try staged.add(bytes, to: wanted.sha256, at: 0)
      } else if SyncService.hash(of: bytes) == wanted.sha256 {
        found[key] = bytes
      } else {
        missing.insert(key)
      }
    }
    // In a full response, files after the last piece were not examined.
    let end = received < request.fileBytes ? asked.count : reached + 1
    let indices = Set(response.files.map(\.index))
    for index in 0..<end where !indices.contains(index) { missing.insert(asked[index]) }
  }
}
