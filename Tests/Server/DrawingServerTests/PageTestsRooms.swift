import Foundation
import TestSupport
import Testing

extension PageTests {
  /// People who draw on one drawing at the same time.
  @Suite struct RoomPageTests {
    /// A page with a drawing of one wave, and another browser on it; both are in its room.
    private func together(_ visit: PageVisit) throws -> (id: String, other: OtherBrowser) {
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      for browser in [visit.browser, other.browser] {
        try browser.wait("document.getElementById('faces').children.length === 1")
        // Entering takes a moment after the other one is seen.
        try browser.evaluate("hand.wait(1200)")
      }
      return (id, other)
    }

    @Test func `others see a stroke while it is drawn, and everybody ends with the same pixels`()
      throws
    {
      let visit = try PageVisit()
      let (id, other) = try together(visit)
      try visit.browser.evaluate("hand.stroke(hand.wave(100, 300), { isOpen: true })")
      // The unfinished stroke is on the other screen.
      try other.browser.evaluate("hand.wait(600)")
      #expect(try other.hasInk(at: 300))
      #expect(try other.strokesOnPage == 1)
      try other.browser.keepPicture("page-room-wet.png")
      try visit.browser.evaluate("hand.send('pointerup', { x: 334, y: 300, button: 0 })")
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      try other.wave(at: 200)
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      try visit.waitForState("Saved")
      try other.waitForState("Saved")
      let hash = "drawing.canvas.ask('recording').then((bytes) => bytes.join())"
      #expect(try visit.browser.text(hash) == other.browser.text(hash))
      #expect(try visit.strokes(id) == [40, 40, 40])
      try other.end()
      try visit.end()
    }

    @Test func `one undoes only own strokes`() throws {
      let visit = try PageVisit()
      let (id, other) = try together(visit)
      try visit.wave(at: 200)
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      try other.wave(at: 300)
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      // Both are the same person here, so undo takes back the last stroke of either.
      try visit.browser.press("Control+z")
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      #expect(try !other.hasInk(at: 300))
      try other.browser.press("Control+Shift+z")
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      try visit.waitForState("Saved")
      try other.waitForState("Saved")
      #expect(try visit.strokes(id).count == 3)
      try other.end()
      try visit.end()
    }

    @Test func `a page without a connection keeps what is drawn, and brings it when it is back`()
      throws
    {
      let visit = try PageVisit()
      let (id, other) = try together(visit)
      try other.browser.perform(["offline": true])
      try other.wave(at: 200)
      try other.waitForState("Kept on this device")
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      #expect(try other.hasInk(at: 200))
      try other.browser.perform(["offline": false])
      try other.waitForState("Saved")
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      #expect(try visit.strokes(id) == [40, 40, 40])
      let hash = "drawing.canvas.ask('recording').then((bytes) => bytes.join())"
      #expect(try visit.browser.text(hash) == other.browser.text(hash))
      try other.end(allowing: "Failed to load resource")
      try visit.end()
    }

    @Test func `somebody with the link of a replay watches live without an account`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      let reply = try visit.send(
        "POST", "shares", [("Content-Type", "application/json")],
        body: Array("{\"drawing\":\"\(id)\",\"view\":\"replay\"}".utf8))
      let share = try #require(reply.json["id"] as? String, "\(reply.text)")
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      try other.browser.wait("document.getElementById('faces').children.length === 1")
      try visit.open("watch?share=\(share)", ready: "document.body?.dataset.state === 'ready'")
      try visit.browser.waitForText("Live")
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 1)")
      try other.wave(at: 200)
      try other.waitForState("Saved")
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      #expect(try visit.hasInk(at: 200))
      try visit.browser.keepPicture("page-watch.png")
      try other.end()
      try visit.end()
    }
  }
}
