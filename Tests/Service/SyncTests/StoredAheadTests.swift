import DrawingServices
import Journal
import Storage
import Testing

@testable import Sync

/// Changes that a server accepts when the stored version is far ahead of its clock, as after an
/// error of its own clock.
struct StoredAheadTests {
  private static let now = Moment(seconds: 1_780_000_000)
  private static let ahead = now + 2 * 86_400

  private func answer(
    _ content: SyncChange.Content, hasSeen: Bool = true
  ) throws -> SyncResult? {
    let environment = ServiceEnvironment(
      .journal, documents: InMemoryDocumentStore(), blobs: InMemoryBlobStore(), now: { Self.now },
      newID: { "id" })
    let name = SyncName(.moodEntries, "m")
    try environment.documents.change(at: Self.now) {
      try $0.set(name.path(of: "ann"), Self.entry(at: Self.ahead))
    }
    var request = SyncRequest()
    if !hasSeen { request.cursor = 0 }
    request.changes = [SyncChange(name, content)]
    return try SyncService(environment, as: .operator).answer(request, of: "ann").results[0]
  }

  private static func entry(at moment: Moment, device: String = "d") -> Fields {
    [
      "moodType": "calm", "timestamp": .moment(now), "createdAt": .moment(now),
      "updatedAt": .moment(moment), "deviceID": .text(device), "timezoneOffsetMinutes": 0,
    ]
  }

  @Test func `a change and a deletion may be a little later than the stored version`() throws {
    let later = Moment(microseconds: Self.ahead.microseconds + 1)
    #expect(try answer(.document(Self.entry(at: later))) == nil)
    #expect(try answer(.deleted(later)) == nil)
  }

  @Test func `a change that is much later than the stored version is ahead`() throws {
    let later = Self.ahead + 7200
    for content in [SyncChange.Content.document(Self.entry(at: later)), .deleted(later)] {
      guard case .ahead? = try answer(content) else {
        Issue.record("\(content) was taken")
        continue
      }
    }
  }

  /// A device sets its change back to a time after this one.
  @Test func `a device learns the time of a version that it has seen or written`() throws {
    func answer(to device: String, hasSeen: Bool) throws -> SyncResult? {
      let fields = Self.entry(at: Self.ahead + 7200, device: device)
      return try self.answer(.document(fields), hasSeen: hasSeen)
    }
    #expect(try answer(to: "d", hasSeen: false) == .ahead(of: Self.ahead))
    #expect(try answer(to: "other", hasSeen: true) == .ahead(of: Self.ahead))
    #expect(try answer(to: "other", hasSeen: false) == .ahead(of: nil))
  }
}
