import Graphics
import Strokes
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

struct FinishedJournalTests {
  @Test(arguments: 0..<6) func `a finished journal ends with an index and a tail that fit`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    var session = JournalSession(&random, stepCount: 8)
    session.add(.finish)
    let files = CrashingFiles()
    let journal = try PKDJournal(
      creating: "page.pkd",
      content: JournalContent(
        header: Header(profile: .exact, base: .referenceDate, canvas: .init())), in: files)
    journal.clock = { 0 }
    #expect(session.perform(on: journal) == nil)
    let bytes = try #require(files.disk.files["page.pkd"])
    let verification = try PKDVerification(bytes)
    #expect(verification.problems.isEmpty && verification.isFinished)
    let chunks = try PKDReader(bytes).chunks
    let tail = try #require(chunks.last)
    var reader = ByteReader(bytes, in: tail.payload)
    #expect(tail.type == .tail && tail.payload.count == 8)
    #expect(try reader.littleEndian(8) == UInt64(chunks[chunks.count - 2].offset))
    #expect(chunks[chunks.count - 2].type == .index)
  }
}
