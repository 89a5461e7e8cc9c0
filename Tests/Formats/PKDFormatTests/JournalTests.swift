import Foundation
import Graphics
import Strokes
import System
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

/// A journal in memory with a stopped clock.
private func journal(
  _ files: CrashingFiles = CrashingFiles(), profile: PKDProfile = .exact
) throws -> PKDJournal {
  let base = Timestamp(secondsSinceReferenceDate: 8e8)
  let journal = try PKDJournal(
    creating: "page.pkd",
    content: JournalContent(header: Header(profile: profile, base: base, canvas: .init())),
    in: files)
  journal.clock = { 0 }
  return journal
}

private func continued(_ files: CrashingFiles) throws -> PKDJournal {
  let journal = try PKDJournal(appendingTo: "page.pkd", limits: PKDLimits(), in: files)
  journal.clock = { 0 }
  return journal
}

extension CrashingFiles {
  fileprivate var page: [UInt8] { disk.files["page.pkd"] ?? [] }
}

struct JournalTests {
  @Test(arguments: 0..<12) func `a recorded session is read back`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var session = JournalSession(&random, stepCount: 8)
    session.add(.finish)
    let files = CrashingFiles()
    #expect(session.perform(on: try journal(files)) == nil)
    let reader = try PKDReader(files.page)
    #expect(reader.readRecording().value == session.recording)
    #expect(reader.readStrokes().value == session.records)
    #expect(reader.wholeDamage == nil && reader.isFinished && !reader.isRecovered)
  }

  @Test func `a journal cut at any byte has its complete strokes and live points`() throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = RandomInk(seed: 100 + seed)
      var session = JournalSession(&random, stepCount: 3)
      session.draw(&random, pointCount: 6...6)
      session.add(.flush)
      if seed > 1 { session.add(.finish) }
      let files = CrashingFiles()
      // The length of the file after each step that promises content.
      var marks: [(length: Int, step: Int)] = []
      let journal = try journal(files)
      let header = files.page.count
      session.perform(on: journal) { marks.append((files.page.count, $0)) }
      let bytes = files.page
      for length in 0..<bytes.count {
        let cut = Array(bytes[..<length])
        guard length >= header else {
          #expect(throws: PKDError.self) { try PKDReader(cut) }
          continue
        }
        let step = marks.last { $0.length <= length }?.step
        #expect(session.fault(in: cut, after: step) == nil, "cut at \(length)")
        #expect(try PKDReader(cut).isRecovered)
      }
      #expect(session.fault(in: bytes, after: session.steps.count - 1) == nil)
    }
  }

  @Test func `a finished file cut at any byte has the strokes of its complete chunks`() throws {
    var random = RandomInk(seed: 7)
    let drawing = random.drawing(strokeCount: 20...20, pointCount: 0...4)
    let bytes = try PKDWriter.encode(drawing)
    let whole = try PKDReader(bytes)
    for length in whole.chunks[0].end..<bytes.count {
      let reader = try PKDReader(Array(bytes[..<length]))
      let complete = whole.chunks.filter { $0.end <= length && $0.type == .strokes }.count
      let count = whole.blocks.prefix(complete).reduce(0) { $0 + $1.heads.heads.count }
      #expect(reader.isRecovered)
      #expect(reader.readStrokes().value.map(\.path) == drawing.strokes.prefix(count).map(\.path))
      #expect(reader.readDrawing().value.strokes.count == count)
    }
  }

  @Test(arguments: 0..<8)
  func `a journal cut at any byte can be continued`(_ seed: UInt64) throws {
    var random = RandomInk(seed: 200 + seed)
    let session = JournalSession(&random, stepCount: 4)
    let files = CrashingFiles()
    let first = try journal(files)
    session.perform(on: first)
    try first.flush()
    let bytes = files.page
    for length in stride(from: try PKDReader(bytes).chunks[0].end, through: bytes.count, by: 7) {
      let cut = CrashingFiles(["page.pkd": Array(bytes[..<length])])
      let before = try PKDReader(cut.page)
      let recorded = before.readRecording().value
      let more = try continued(cut)
      #expect(more.cutByteCount == length - before.validEnd)
      #expect(cut.page.starts(with: bytes[..<before.validEnd]))
      var next = JournalSession(after: recorded)
      next.draw(&random)
      next.add(.finish)
      #expect(next.perform(on: more) == nil)
      let after = try PKDReader(cut.page)
      #expect(after.isFinished && !after.isRecovered)
      // Opening has ended an unfinished stroke.
      let ended = before.live == nil ? 0 : 1
      let old = recorded.events.count
      #expect(after.readRecording().value.events.prefix(old).elementsEqual(recorded.events))
      #expect(
        after.readRecording().value.events.dropFirst(old + ended)
          == next.recording.events.dropFirst(old))
    }
  }

  @Test(arguments: [false, true])
  func `continuing a finished file keeps its bytes`(_ isPlain: Bool) throws {
    var random = RandomInk(seed: 31)
    var recording = Recording(random.erasedDrawing(strokeCount: 4...4))
    if !isPlain {
      recording.events.append(
        .init(time: Timestamp(secondsSinceReferenceDate: 9e8), action: .undone))
    }
    let start = try PKDWriter.encode(recording)
    let files = CrashingFiles(["page.pkd": start])
    try continued(files).finish()
    #expect(files.page == start, "nothing was added")
    var session = JournalSession(after: recording)
    session.draw(&random)
    session.addEvent(&random)
    session.draw(&random)
    session.add(.finish)
    #expect(session.perform(on: try continued(files)) == nil)
    #expect(files.page.starts(with: start))
    let reader = try PKDReader(files.page)
    #expect(reader.readRecording().value == session.recording)
    #expect(!reader.isRecovered)
  }

  @Test(arguments: FirstVersion.hashes.keys.sorted())
  func `a file of version 1 is continued as one of the latest version`(_ name: String) throws {
    let bytes = try FirstVersion.bytes(name)
    let before = try PKDReader(bytes)
    let files = CrashingFiles(["page.pkd": bytes])
    let journal = try PKDJournal(appendingTo: "page.pkd", limits: PKDLimits(), in: files)
    let opened = try PKDReader(files.page)
    #expect(opened.version == 2 && opened.wholeDamage == nil)
    let (old, new) = (before.readRecording().value.events, opened.readRecording().value.events)
    // Opening ends an unfinished stroke.
    #expect(Array(new.prefix(old.count)) == old)
    #expect(new.count == old.count + (before.live == nil ? 0 : 1))
    var session = JournalSession(after: opened.readRecording().value)
    var random = RandomInk(seed: 12)
    session.draw(&random, pointCount: 4...8)
    session.add(.finish)
    #expect(try opened.readResidue()?.bytes == before.readResidue()?.bytes)
    let failure = session.perform(on: journal)
    #expect(failure == nil)
    let after = try PKDReader(files.page)
    #expect(after.isFinished && after.wholeDamage == nil)
    let all = after.readRecording().value
    // Other profiles round the points of the new stroke.
    if before.profile == .exact { #expect(all == session.recording) }
    #expect(Array(all.events.prefix(new.count)) == new)
    #expect(all.events.count == session.recording.events.count)
    #expect(after.profile == before.profile && after.canvas == before.canvas)
  }

  @Test func `a damaged file of version 1 is not continued, and stays as it is`() throws {
    // Behind a whole chunk of an unknown type, nothing can be read.
    var file = try #require(ChunkedFile(try FirstVersion.bytes("journal.pkd")))
    file.parts.insert(.init(type: .named("NEWS"), payload: [1]), at: 2)
    let files = CrashingFiles(["page.pkd": file.bytes])
    #expect(throws: PKDError.self) {
      try PKDJournal(appendingTo: "page.pkd", limits: PKDLimits(), in: files)
    }
    #expect(files.page == file.bytes)
  }

  @Test(arguments: 0..<6) func `compacting a journal changes only its size`(_ seed: UInt64) throws {
    var random = RandomInk(seed: 300 + seed)
    var session = JournalSession(&random, stepCount: 6)
    if seed > 2 { session.add(.finish) }
    let files = CrashingFiles()
    let journal = try journal(files)
    session.perform(on: journal)
    try? journal.flush()
    var stranger = ByteWriter()
    stranger.append(files.page)
    let unknown = ChunkType(letters: 0x7A_5A_5A_7A)
    stranger.chunk(unknown, [1, 2, 3])
    let before = try PKDReader(stranger.bytes)
    let page = CrashingFiles(["page.pkd": stranger.bytes])
    try PKDJournal.compact("page.pkd", limits: PKDLimits(), in: page)
    let after = try PKDReader(page.page)
    #expect(after.readRecording().value == before.readRecording().value)
    #expect(after.readStrokes().value == before.readStrokes().value)
    #expect(after.unknownChunks.map(\.0) == [unknown])
    #expect(page.page.count < stranger.bytes.count)
    #expect(!after.isRecovered)
    #expect(page.disk.names.keys.sorted() == ["page.pkd"])
  }

  @Test(arguments: 0..<8)
  func `a file can be followed while it is written`(_ seed: UInt64) throws {
    var random = RandomInk(seed: 400 + seed)
    var session = JournalSession(&random, stepCount: 6, isMasked: false)
    session.add(.finish)
    let files = CrashingFiles()
    session.perform(on: try journal(files))
    let bytes = files.page
    // The file grows by a few bytes at a time.
    let growing = CrashingFiles(["page.pkd": []])
    var follower = try PKDFollower("page.pkd", limits: PKDLimits(), in: growing)
    let file = try DurableFile("page.pkd", for: .changing, in: growing)
    var followed = Recording()
    var length = 0
    while length < bytes.count {
      let more = min(random.whole(1...40), bytes.count - length)
      try file.write(Array(bytes[length..<length + more]), at: length)
      length += more
      followed.events += try follower.poll()
      let reader = try? PKDReader(Array(bytes[..<length]))
      if let reader, reader.isSettled {
        #expect(followed.drawing == reader.readDrawing().value, "at \(length)")
      }
    }
    #expect(follower.isFinished)
    #expect(followed.drawing == session.recording.drawing)
    #expect(followed.events.map(\.time) == followed.events.map(\.time).sorted())
    #expect(try follower.poll().isEmpty)
  }

  @Test func `points are flushed after the flush interval`() throws {
    let files = CrashingFiles()
    let journal = try journal(files)
    var time = 5.0
    journal.clock = { time }
    var random = RandomInk(seed: 9)
    let stroke = random.stroke(pointCount: 30...30)
    #expect(journal.secondsUntilFlush == nil)
    try journal.begin(
      stroke: PKStroke(ink: stroke.ink, path: PKStrokePath()), at: .referenceDate)
    #expect(abs((journal.secondsUntilFlush ?? 0) - 0.1) < 1e-9)
    for point in stroke.path {
      time += 0.03
      try journal.append(points: [point])
      let stored = try PKDReader(files.page)
      let count = stored.strokeCount == 0 ? 0 : stored.pointCount(ofStroke: 0)
      let drawn = Int(((time - 5) / 0.03).rounded())
      #expect(drawn - count <= 4)
      #expect(journal.secondsUntilFlush ?? 0 < 0.1 + 1e-9)
    }
  }

  @Test func `a stroke that was flushed before its first point keeps the later ones`() throws {
    let files = CrashingFiles()
    let journal = try journal(files)
    var random = RandomInk(seed: 10)
    let stroke = random.stroke(pointCount: 5...5)
    try journal.begin(
      stroke: PKStroke(ink: stroke.ink, path: PKStrokePath(), id: stroke.id), at: .referenceDate)
    try journal.flush()
    try journal.append(points: stroke.path)
    try journal.flush()
    let reader = try PKDReader(files.page)
    #expect(reader.wholeDamage == nil)
    #expect(reader.strokeCount == 1 && reader.pointCount(ofStroke: 0) == 5)
    #expect(reader.readRecording().value.drawing.strokes.first?.path.count == 5)
  }

  @Test func `an unfinished stroke is read like a finished one`() throws {
    let files = CrashingFiles()
    let journal = try journal(files)
    var random = RandomInk(seed: 10)
    let stroke = random.stroke(pointCount: 20...20)
    var bare = PKStroke(
      ink: stroke.ink, path: PKStrokePath(), transform: stroke.transform, randomSeed: 77)
    try journal.begin(stroke: bare, at: .referenceDate)
    try journal.append(points: stroke.path)
    try journal.flush()
    bare.path = PKStrokePath(controlPoints: stroke.path, creationDate: .referenceDate)
    let reader = try PKDReader(files.page)
    #expect(reader.strokeCount == 1)
    #expect(try reader.stroke(at: 0) == bare)
    #expect(reader.ink(ofStroke: 0) == bare.ink && reader.id(ofStroke: 0) == bare.id)
    #expect(reader.pointCount(ofStroke: 0) == 20)
    #expect(reader.bounds(ofStroke: 0) == bare.renderBounds.roundedOutwards)
    let range = PKDrawing(strokes: [bare]).timeRange(ofStroke: 0)
    #expect(reader.timeRange(ofStroke: 0) == range)
    #expect(reader.readDrawing().value.strokes == [bare])
    #expect(reader.isRecovered && !reader.isFinished && reader.wholeDamage == nil)
  }

  @Test func `a complete chunk of an unknown type is not cut off`() throws {
    var file = ByteWriter()
    file.append(try PKDWriter.encode(PKDrawing()))
    file.chunk(ChunkType(letters: 0x5A_5A_5A_5A), [1])
    let files = CrashingFiles(["page.pkd": file.bytes])
    #expect(throws: PKDError.self) { try continued(files) }
    #expect(throws: PKDError.self) {
      try PKDJournal.compact("page.pkd", limits: PKDLimits(), in: files)
    }
    #expect(files.page == file.bytes)
  }

  @Test func `real files are created, locked, continued, followed and compacted`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "pkd-journal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("page.pkd").path
    var random = RandomInk(seed: 11)
    var session = JournalSession(&random, stepCount: 5, isMasked: false)
    session.add(.flush)
    var journal: PKDJournal? = try PKDJournal(creating: path)
    let isTaken = PKDFileError(path: path, operation: .open, code: EEXIST)
    #expect(throws: isTaken) { _ = try PKDJournal(creating: path) }
    let isLocked = PKDFileError(path: path, operation: .lock, code: EWOULDBLOCK)
    #expect(throws: isLocked) { _ = try PKDJournal(appendingTo: path) }
    #expect(throws: isLocked) { try PKDJournal.compact(path) }
    var follower = try PKDFollower(path)
    var followed = Recording()
    if let journal {
      session.perform(on: journal) { _ in
        followed.events += (try? follower.poll()) ?? []
      }
    }
    #expect(followed.drawing == session.recording.drawing)
    journal = nil
    try PKDJournal(appendingTo: path).finish()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(try PKDReader(bytes).readRecording().value.events == session.recording.events)
    try PKDJournal.compact(path)
    let compact = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(try PKDReader(compact).readRecording().value.events == session.recording.events)
    #expect(compact.count < bytes.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["page.pkd"])
  }
}

extension PKDReader {
  /// Whether the events mention all finished strokes.
  fileprivate var isSettled: Bool {
    let strokes = Array(readStrokes().value.prefix(recordCount))
    var log = EventReader(strokes, base: header.base, limits: limits)
    for chunk in eventChunks { try? log.read(bytes, in: chunk.payload) }
    return log.next == recordCount
  }
}
