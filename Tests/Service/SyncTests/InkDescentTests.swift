import DrawingServices
import Storage
import Testing

@testable import Sync

/// The decision which of two recordings descends from the other, by their hashes.
struct InkDescentTests {
  private func change(_ recording: String, after former: [String] = []) -> SyncChange {
    var change = SyncChange(
      SyncName(.drawings, "d"), .document(["recordingSHA256": .text(recording)]))
    change.ancestors = former
    return change
  }

  private func descent(
    theirs: SyncChange, mine: SyncChange, known: String?, tried: [String] = []
  ) -> (relation: String, common: String?) {
    let descent = InkDescent(
      of: theirs, and: mine, InkBases.Known(sha256: known, tried: tried))
    let relation = descent.isOlder ? "older" : descent.isNewer ? "newer" : "apart"
    return (relation, descent.common)
  }

  @Test
  func `a change is newer, older or separate as seen from the last recording that both sides had`()
  {
    let mine = change("m", after: ["a"])
    #expect(descent(theirs: change("t", after: ["a"]), mine: mine, known: "a") == ("apart", "a"))
    #expect(descent(theirs: change("a"), mine: mine, known: "a") == ("older", "a"))
    #expect(descent(theirs: change("t", after: ["m"]), mine: mine, known: "m") == ("newer", "m"))
    let sent = ["b", "c"]
    #expect(
      descent(theirs: change("c", after: ["a", "b"]), mine: mine, known: "a", tried: sent)
        == ("older", "c"))
    #expect(
      descent(theirs: change("t", after: ["a", "b"]), mine: mine, known: "a", tried: sent)
        == ("apart", "b"))
    // Another device has replaced the last sent recording by an earlier one.
    #expect(
      descent(theirs: change("b", after: ["a", "c"]), mine: mine, known: "a", tried: sent)
        == ("apart", "c"))
  }

  @Test func `a recording that returns to former bytes counts as a change`() {
    // Both had `b`, which followed `a`. Here its last stroke was erased, so that it is `a` again.
    let mine = change("a", after: ["a", "b"])
    #expect(
      descent(theirs: change("t", after: ["a", "b"]), mine: mine, known: "b") == ("apart", "b"))
    // It was sent, and perhaps has not arrived.
    #expect(
      descent(theirs: change("t", after: ["a", "b"]), mine: mine, known: "b", tried: ["a"])
        == ("apart", "b"))
    #expect(
      descent(theirs: change("t", after: ["a", "b", "a"]), mine: mine, known: "b", tried: ["a"])
        == ("newer", "a"))
    // Drawn, sent and erased again: the other side may have continued the sent recording.
    #expect(
      descent(theirs: change("t", after: ["a", "b"]), mine: mine, known: "a", tried: ["b"])
        == ("apart", "b"))
  }

  @Test func `former recordings decide the descent if nothing else is known`() {
    let mine = change("m", after: ["a"])
    #expect(descent(theirs: change("a"), mine: mine, known: nil) == ("older", nil))
    #expect(descent(theirs: change("t", after: ["m"]), mine: mine, known: nil) == ("newer", nil))
    #expect(descent(theirs: change("t", after: ["x"]), mine: mine, known: nil) == ("apart", nil))
  }
}
