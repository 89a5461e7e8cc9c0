import Glibc
import Graphics
import Strokes
import System
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

/// An operation on a file, with the conditions that the file must meet after any failure.
enum CrashScenario: CaseIterable {
  case recording, finishing, appending, recovering, compacting, upgrading

  private static let name = "page.pkd"

  /// A run on files. `fault` describes the first fault of the files after the last promise; nil if
  /// there is none.
  struct Run {
    var start: [String: [UInt8]] = [:]
    var perform: (CrashingFiles) throws -> Void
    var fault: (_ files: [String: [UInt8]], _ promise: Int?) -> String?
  }

  func run(_ seed: UInt64) throws -> Run {
    var random = RandomInk(seed: seed)
    switch self {
    case .recording, .finishing:
      var session = JournalSession(&random, stepCount: 2)
      session.draw(&random, pointCount: 4...8)
      session.add(self == .recording ? .flush : .finish)
      return Self.drawing(session, on: [:]) { files in
        let header = Header(
          profile: .exact, base: Timestamp(secondsSinceReferenceDate: 8e8), canvas: .init())
        return try PKDJournal(
          creating: Self.name, content: JournalContent(header: header), in: files)
      }
    case .appending:
      let recording = Recording(random.erasedDrawing(strokeCount: 2...2))
      return Self.continuing(try PKDWriter.encode(recording), recording, &random)
    case .recovering:
      // A journal that ended in the middle of a chunk.
      let files = CrashingFiles()
      var session = JournalSession(&random, stepCount: 2)
      session.draw(&random, pointCount: 4...8)
      session.add(.flush)
      let header = Header(
        profile: .exact, base: Timestamp(secondsSinceReferenceDate: 8e8), canvas: .init())
      let journal = try PKDJournal(
        creating: Self.name, content: JournalContent(header: header), in: files)
      session.perform(on: journal)
      let bytes = files.disk.files[Self.name] ?? []
      let cut = Array(bytes[..<random.whole(try PKDReader(bytes).chunks[0].end...bytes.count)])
      return Self.continuing(cut, try Self.recovered(cut), &random)
    case .upgrading:
      // A journal of version 1, which is replaced by a file of the latest version.
      let bytes = try FirstVersion.bytes("journal.pkd")
      return Self.continuing(bytes, try Self.recovered(bytes), &random)
    case .compacting:
      let files = CrashingFiles()
      var session = JournalSession(&random, stepCount: 4)
      session.add(.flush)
      let header = Header(
        profile: .exact, base: Timestamp(secondsSinceReferenceDate: 8e8), canvas: .init())
      let journal = try PKDJournal(
        creating: Self.name, content: JournalContent(header: header), in: files)
      session.perform(on: journal)
      let start = files.disk.files
      return Run(start: start) { files in
        try PKDJournal.compact(Self.name, limits: PKDLimits(), in: files)
        files.promise(1)
      } fault: { files, promise in
        guard let bytes = files[Self.name] else { return "no file" }
        guard let reader = try? PKDReader(bytes) else { return "no recording" }
        guard reader.readRecording().value == session.recording else { return "another recording" }
        if promise == nil { return bytes == start[Self.name] || reader.isFinished ? nil : "mixed" }
        return reader.isFinished ? nil : "the old file"
      }
    }
  }

  /// The content that must be kept: the content of the file after opening it without failures.
  private static func recovered(_ bytes: [UInt8]) throws -> Recording {
    let files = CrashingFiles([name: bytes])
    try PKDJournal(appendingTo: name, limits: PKDLimits(), in: files).finish()
    return try PKDReader(files.disk.files[name] ?? []).readRecording().value
  }

  private static func continuing(
    _ bytes: [UInt8], _ recording: Recording, _ random: inout RandomInk
  ) -> Run {
    var session = JournalSession(after: recording)
    session.draw(&random, pointCount: 4...8)
    session.addEvent(&random)
    session.add(.finish)
    return drawing(session, on: [name: bytes]) { files in
      try PKDJournal(appendingTo: name, limits: PKDLimits(), in: files)
    }
  }

  private static func drawing(
    _ session: JournalSession, on start: [String: [UInt8]],
    _ open: @escaping (CrashingFiles) throws -> PKDJournal
  ) -> Run {
    // The old content is promised, but not the end event that opening adds to an unfinished stroke.
    let old = start[name].flatMap { try? PKDReader($0) }
    var before = JournalSession.Progress()
    if let old {
      before.records = old.recordCount
      before.livePoints = old.live?.points.count ?? 0
      before.events = old.readRecording().value.events.count
    }
    return Run(start: start) { files in
      let journal = try open(files)
      journal.clock = { 0 }
      files.promise(-1)
      let failure = session.perform(on: journal) { files.promise($0) }
      if let failure { throw failure }
    } fault: { files, promise in
      guard let bytes = files[name] else { return promise == nil && old == nil ? nil : "no file" }
      // A file whose creation was interrupted need not be readable.
      if promise == nil, old == nil, (try? PKDReader(bytes)) == nil { return nil }
      return session.fault(
        in: bytes, minimum: promise.flatMap { $0 < 0 ? nil : session.progress[$0] } ?? before)
    }
  }
}

struct CrashTests {
  @Test(arguments: CrashScenario.allCases, DiskModel.allCases)
  func `all promised content is there after a power cut at any moment`(
    _ scenario: CrashScenario, _ model: DiskModel
  ) throws {
    var count = 0
    for seed in 0..<2 as Range<UInt64> {
      let run = try scenario.run(500 + seed)
      let files = CrashingFiles(run.start)
      try run.perform(files)
      count += files.forEachState(model) { state, promise in
        let fault = run.fault(state, promise)
        #expect(fault == nil, "\(scenario), after promise \(promise ?? -2)")
      }
    }
    #expect(count > 20)
    print("crash states, \(scenario), \(model): \(count)")
  }

  @Test(
    arguments: CrashScenario.allCases,
    [.refuse(EIO), .refuse(ENOSPC), .short, .half, .stop] as [CrashingFiles.Fault])
  func `a failure of any operation loses no promised content`(
    _ scenario: CrashScenario, _ fault: CrashingFiles.Fault
  ) throws {
    let run = try scenario.run(600)
    let whole = CrashingFiles(run.start)
    try run.perform(whole)
    #expect(run.fault(whole.disk.files, Self.lastPromise(of: whole)) == nil)
    for operation in stride(from: 0, to: whole.operationCount, by: RunLength.step(2)) {
      let files = CrashingFiles(run.start, fault: (operation, fault))
      var failure: (any Error)?
      do { try run.perform(files) } catch { failure = error }
      let failurePoint = "\(scenario), \(fault) at operation \(operation)"
      #expect(run.fault(files.disk.files, Self.lastPromise(of: files)) == nil, "\(failurePoint)")
      if fault == .short {
        #expect(failure == nil, "\(failurePoint)")
        #expect(files.disk.files == whole.disk.files, "\(failurePoint)")
      }
      // A power cut follows the failure.
      files.forEachState(.strict) { state, promise in
        #expect(run.fault(state, promise) == nil, "\(failurePoint), then a power cut")
      }
      if !files.isStopped {
        #expect(files.disk.names.keys.allSatisfy { $0 == "page.pkd" }, "\(failurePoint)")
      }
    }
  }

  private static func lastPromise(of files: CrashingFiles) -> Int? {
    for case .promise(let number) in files.changes.reversed() { return number }
    return nil
  }

  @Test func `a journal loses nothing if the disk is full for a moment`() throws {
    for operation in 7..<40 {
      let run = try CrashScenario.finishing.run(700)
      let whole = CrashingFiles()
      try run.perform(whole)
      let files = CrashingFiles(fault: (operation, .half))
      do { try run.perform(files) } catch let error as PKDFileError {
        // Only the last write and synchronizations are not retried.
        #expect(error.operation == .synchronize || error.operation == .write)
        continue
      }
      #expect(files.disk.files == whole.disk.files)
    }
  }

  @Test func `the simulated crashes lose content if nothing is synchronized`() throws {
    // This proves that the check above can fail.
    var random = RandomInk(seed: 1)
    var session = JournalSession(&random, stepCount: 2)
    session.draw(&random, pointCount: 4...8)
    session.add(.flush)
    for model in DiskModel.allCases {
      let files = CrashingFiles()
      let header = Header(
        profile: .exact, base: Timestamp(secondsSinceReferenceDate: 8e8), canvas: .init())
      let journal = try PKDJournal(
        creating: "page.pkd", content: JournalContent(header: header), in: files)
      journal.isSynchronizing = false
      session.perform(on: journal) { files.promise($0) }
      var badCount = 0
      files.forEachState(model) { state, promise in
        guard let promise else { return }
        if session.fault(in: state["page.pkd"] ?? [], after: promise) != nil { badCount += 1 }
      }
      #expect(badCount > 10)
    }
  }
}
