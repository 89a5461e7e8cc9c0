import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Pages that stay open while others change what they show.
  @Suite struct ChangeTests {
    private static let json = [("Content-Type", "application/json")]

    private func upload(_ visit: PageVisit, _ id: String, _ sample: String = "mood") throws {
      let stored = try visit.recording(id).fields["etag"]
      let reply = try visit.send(
        "PUT", "drawings/\(id)/recording.pkd", stored.map { [("If-Match", $0)] } ?? [],
        body: Recordings.sample(sample))
      #expect(reply.status / 100 == 2, "\(reply.status) \(reply.text)")
    }

    private func rename(_ visit: PageVisit, _ id: String, _ title: String) throws {
      let body = Array(#"{"title": "\#(title)"}"#.utf8)
      #expect(try visit.send("PATCH", "drawings/\(id)", Self.json, body: body).status == 200)
    }

    /// The number of open streams of the server.
    private func streams(_ visit: PageVisit) throws -> String? {
      let metrics = try visit.server.send("GET", "/metrics", [], body: [])?.text ?? ""
      return metrics.firstMatch(of: /pentimento_streams (\d+)/).map { String($0.output.1) }
    }

    @Test func `a gallery shows new, renamed, redrawn and deleted drawings, and keeps the others`()
      throws
    {
      let visit = try PageVisit()
      let browser = visit.browser
      try upload(visit, "two")
      try upload(visit, "one")
      try visit.openGallery()
      try browser.evaluate(
        """
        globalThis.cellOf = (id) => document.querySelector(`.cell[href$="id=${id}"]`);
        globalThis.before = cellOf('one');
        before.focus();
        """)
      try upload(visit, "three")
      try browser.wait("cellOf('three') !== null")
      #expect(try visit.cells.first == "drawing?id=three")
      let isKept = "cellOf('one') === before && document.activeElement === before"
      #expect(try browser.isTrue(isKept))
      try rename(visit, "two", "Lighthouse")
      try browser.waitForText("Lighthouse")
      try browser.evaluate("globalThis.picture = cellOf('two').querySelector('img').src; 0")
      try upload(visit, "two", "landscape")
      try browser.wait("cellOf('two').querySelector('img').src !== picture")
      #expect(try visit.send("DELETE", "drawings/three").status == 204)
      try browser.wait("cellOf('three') === null")
      #expect(try browser.isTrue(isKept))
      // The last drawing, and the first one.
      try visit.deleteDrawings()
      try browser.waitForText("No drawings yet.")
      try upload(visit, "four")
      try browser.wait("cellOf('four') !== null")
      try visit.end()
    }

    @Test func `all tabs of a browser share one stream, which outlives its tab and the server`()
      throws
    {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openGallery()
      try browser.perform(["tab": "second"])
      try visit.openGallery()
      try browser.perform(["tab": "third"])
      try visit.open("diary", ready: "document.querySelector('article') !== null")
      #expect(try streams(visit) == "1")
      try browser.perform(["close": "first"])
      try browser.perform(["tab": "second"])
      try upload(visit, "later")
      try browser.wait("document.querySelector('.cell[href$=\"id=later\"]') !== null")
      // The server notices a closed connection when it writes.
      #expect(try waited(20) { try streams(visit) == "1" })
      // A change while the server and its streams are gone.
      visit.server.kill()
      try visit.startAgain()
      try upload(visit, "after")
      try browser.wait(
        "document.querySelector('.cell[href$=\"id=after\"]') !== null", seconds: 30)
      try visit.end(allowing: "Failed to load resource", "net::ERR")
    }

    @Test func `the page of a drawing follows its title, its ink and its end`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try upload(visit, "one")
      try visit.open(
        "drawing?id=one", ready: "document.querySelector('pentimento-drawing')?.duration > 0")
      try browser.evaluate(
        "globalThis.length = document.querySelector('pentimento-drawing').duration; 0")
      try rename(visit, "one", "Lighthouse")
      try browser.waitForText("Lighthouse")
      #expect(
        try browser.isTrue("document.querySelector('pentimento-drawing').duration === length"))
      try upload(visit, "one", "landscape")
      try browser.wait(
        "![0, length].includes(document.querySelector('pentimento-drawing').duration)")
      #expect(try visit.send("DELETE", "drawings/one").status == 204)
      try browser.wait("!document.getElementById('other').hidden")
      try visit.end(allowing: "404")
    }

    @Test func `a diary shows a check-in of another device`() throws {
      let visit = try PageVisit()
      try visit.open("diary", ready: "document.querySelector('article') !== null")
      let body =
        ##"{"emotion": "hope", "topic": "x", "evaluation": "y", "journal": "From far away", "colorHex": "#112233", "colorIntensity": 0.5}"##
      let reply = try visit.send(
        "PUT", "mood_checkins/far", Self.json, body: Array(body.utf8))
      #expect(reply.status == 201, "\(reply.text)")
      try visit.browser.waitForText("From far away")
      try visit.end()
    }

    @Test func `ink that another browser saves appears on an open drawing page`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let other = try visit.another()
      try other.open("draw?id=\(try visit.id)")
      try other.wave(at: 300)
      try other.waitForState("Saved")
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      #expect(try visit.hasInk(at: 300))
      try other.end()
      try visit.end()
    }
  }
}
