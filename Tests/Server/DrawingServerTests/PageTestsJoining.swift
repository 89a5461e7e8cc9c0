import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Drawings that several browsers change at once.
  @Suite struct JoiningTests {
    @Test func `two browsers that draw on one drawing at the same time both have all strokes`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      // One browser cannot reach the server, the other one draws on.
      try other.browser.perform(["offline": true])
      try other.wave(at: 200)
      try other.waitForState("Kept on this device")
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      try other.browser.perform(["offline": false])
      try other.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40, 40])
      // The merged strokes are on the page at once.
      #expect(try other.strokesOnPage == 3)
      #expect(try other.hasInk(at: 300))
      // The first browser, which has drawn on without knowing the change, merges it after its next
      // stroke.
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40, 40, 40])
      #expect(try visit.strokesOnPage == 4)
      #expect(try visit.hasInk(at: 200))
      try visit.browser.keepPicture("page-joined-first.png")
      // A page that only shows the drawing fetches the change when it becomes visible.
      try other.lookAgain()
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 4)")
      #expect(try other.hasInk(at: 400))
      try other.browser.keepPicture("page-joined-second.png")
      try other.end(allowing: "Failed to load resource")
      try visit.end()
    }

    @Test func `merging keeps one browser's erasures and the other one's strokes`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      try other.browser.perform(["offline": true])
      try other.wave(at: 300)
      try other.waitForState("Kept on this device")
      try visit.browser.evaluate("drawing.tools.choose({ tool: 'strokeEraser' })")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      try other.browser.perform(["offline": false])
      try other.waitForState("Saved")
      #expect(try other.strokesOnPage == 2)
      #expect(try !other.hasInk(at: 100) && other.hasInk(at: 200) && other.hasInk(at: 300))
      try visit.lookAgain()
      try visit.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      #expect(try !visit.hasInk(at: 100) && visit.hasInk(at: 300))
      try other.end(allowing: "Failed to load resource")
      try visit.end()
    }

    @Test func `undo while strokes of others arrive takes back only own strokes`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      try visit.drawsAlone()
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      try other.wave(at: 200)
      try other.waitForState("Saved")
      // The server is slow: an undo and the beginning of a stroke come before the other browser's
      // strokes.
      try visit.browser.perform(["rules": [["GET .*recording", 0, 1.5]]])
      try visit.wave(at: 300)
      try visit.browser.evaluate("hand.wait(2000)")
      try visit.browser.press("Control+z")
      try visit.browser.evaluate("hand.stroke(hand.wave(100, 400), { isOpen: true })")
      try visit.browser.evaluate("hand.wait(2500)")
      try visit.browser.perform(["rules": [Any]()])
      // Arriving strokes do not interrupt the current one.
      try visit.browser.evaluate("hand.send('pointerup', { x: 334, y: 400, button: 0 })")
      try visit.browser.evaluate("hand.wait(4000)")
      #expect(try visit.strokesOnPage == 3)
      try visit.browser.keepPicture("page-joined-undo.png")
      try visit.waitForState("Saved")
      for y in [100, 200, 400] { #expect(try visit.hasInk(at: y)) }
      #expect(try !visit.hasInk(at: 300))
      try other.lookAgain()
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")
      try other.end()
      try visit.end()
    }

    @Test func `a tab that ends between two answers has the strokes of both afterwards`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.drawsAlone()
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      try other.wave(at: 200)
      try other.waitForState("Saved")
      // The server stores the merged recording, but its answer is lost.
      try browser.perform(["rules": [["GET .*recording", 0, 1]]])
      try visit.wave(at: 300)
      #expect(try browser.perform(["asked": "GET .*recording"]) as? Bool == true)
      try browser.perform(["rules": [["POST .*sync", -2, 0]]])
      try visit.waitForState("Kept on this device")
      #expect(try visit.strokes(id) == [40, 40, 40])
      // The other browser draws on.
      try other.wave(at: 400)
      try other.waitForState("Saved")
      try browser.perform(["crash": "first"])
      try browser.perform(["tab": "second"])
      try browser.perform(["rules": [Any]()])
      try visit.openDraw("draw?no-worker&id=\(id)")
      try visit.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40, 40, 40])
      #expect(try visit.strokesOnPage == 4)
      try other.end()
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `a drawing deleted elsewhere stays if it was drawn on later`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      #expect(try visit.send("DELETE", "drawings/\(id)").status == 204)
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.id == id && visit.strokes(id) == [40, 40])
      try visit.end()
    }

    @Test func `a pinch or a selection does not restore a drawing deleted elsewhere`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      try visit.browser.evaluate(
        """
        (async () => {
          const send = (...command) => drawing.canvas.send(command);
          send('begin', 'monoline', '#000000', 1, Date.now() / 1000);
          await drawing.thread.ask('flush');
          send('cancel');
          send('select', new Float64Array([0, 0, 900, 0, 900, 600, 0, 600]));
          send('deselect');
          await drawing.thread.ask('flush');
          return 0;
        })()
        """)
      #expect(try visit.send("DELETE", "drawings/\(id)").status == 204)
      #expect(try visit.browser.text("drawing.thread.ask('save')") == "saved")
      #expect(try visit.recording(id).status == 404 && visit.id == id)
      try visit.end()
    }

    @Test func `a recording of more than 2 MB is uploaded in pieces, and resumed`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      try browser.perform(["rules": [["PUT .*sync/files.*offset=1048576", -1, 0]]])
      // Random samples, which cannot be compressed well.
      try browser.evaluate(
        """
        (async () => {
          for (let stroke = 0; stroke < 100; stroke++) {
            const samples = Float64Array.from({ length: 6 * 1500 }, (_, index) =>
              [() => 100 + 500 * Math.random(), () => 100 + 300 * Math.random(), () => Math.floor(index / 6) / 100,
                Math.random, Math.random, Math.random][index % 6]());
            const send = (...command) => drawing.canvas.send(command);
            send('begin', 'monoline', '#000000', 1, Date.now() / 1000, 0);
            send('draw', samples);
            send('end', Date.now() / 1000);
          }
          return (await drawing.thread.ask('recording')).length;
        })()
        """)
      try visit.waitForState("Kept on this device")
      let id = try visit.id
      #expect(try visit.recording(id).status == 404)
      let hash = try browser.text(OtherBrowser.hash)
      let path = "sync/files/\(hash)"
      #expect(try visit.send("GET", path).json["count"] as? Int == 1 << 20)
      try browser.perform(["rules": [["PUT .*sync/files.*offset=0", 500, 0]]])
      try browser.evaluate("drawing.thread.ask('save')")
      let stored = try visit.recording(id)
      #expect(stored.status == 200 && stored.body.count > 2 << 20, "\(stored.body.count)")
      // The server deletes the pieces once the file is complete.
      #expect(try visit.send("GET", path).json["count"] as? Int == 0)
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `an engine that fails at the gallery's picture loses no stroke`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      let fault = """
        async thumbnail(side = 256) {
          if (!globalThis.hasStopped) {
            globalThis.hasStopped = true;
            this.engine.restart();
            throw new EngineError(0);
          }
        """
      try browser.perform([
        "replace": [["easel.mjs", "async thumbnail(side = 256) {", fault]],
        "rules": [["POST .*sync", 500, 0]],
      ])
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Kept on this device")
      #expect(
        try browser.text("drawing.thread.ask('recording').then(({ length }) => `${length > 100}`)")
          == "true")
      try visit.wave(at: 200)
      #expect(try visit.strokesOnPage == 2)
      try browser.perform(["rules": [Any]()])
      try browser.evaluate("drawing.thread.ask('save')")
      #expect(try visit.strokes(visit.id) == [40, 40])
      try visit.end(allowing: "500")
    }

    @Test func `a record of an older page is sent and merged with later strokes`()
      throws
    {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      try browser.perform(["rules": [["POST .*sync", 500, 0]]])
      try visit.wave(at: 200)
      try visit.waitForState("Kept on this device")
      try visit.open("checkin?no-worker", ready: "document.querySelector('.tray, form') !== null")
      try browser.evaluate(
        """
        new Promise((resolve) => {
          indexedDB.open('pentimento').onsuccess = ({ target: { result } }) => {
            const change = result.transaction(['drawings'], 'readwrite');
            const drawings = change.objectStore('drawings');
            drawings.get('\(id)').onsuccess = ({ target: { result: record } }) => {
              const { known, base, sha256, updatedAt, describedAt, ...old } = record;
              drawings.put({ ...old, tag: '"0123456789abcdef"', tried: ['"fedcba9876543210"'] });
            };
            change.oncomplete = () => resolve(1);
          };
        })
        """)
      let other = try visit.another()
      try other.open("draw?id=\(id)")
      try other.wave(at: 300)
      try other.waitForState("Saved")
      try browser.perform(["rules": [Any]()])
      try visit.openGallery()
      try browser.wait(
        "document.querySelector('.here') === null && document.querySelector('.cell[href=\"drawing?id=\(id)\"]')"
      )
      #expect(try visit.strokes(id) == [40, 40, 40])
      try visit.openDraw("draw?no-worker&id=\(id)")
      #expect(try visit.strokesOnPage == 3)
      try other.end()
      try visit.end(allowing: "500")
    }

    @Test func `a clock that is two days ahead delays nothing and wins no conflict`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["replace": [["keeper.mjs", "Date.now()", "(Date.now() + 172800000)"]]])
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      for y in [200, 300] {
        let other = try visit.another()
        try other.open("draw?id=\(id)")
        try other.wave(at: y)
        try other.waitForState("Saved")
        try other.end()
      }
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40, 40, 40])
      let fields = try visit.send("GET", "drawings/\(id)").json
      for name in ["createdAt", "updatedAt"] {
        let moment = try #require(fields[name] as? String)
        let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = try Date(moment, strategy: form)
        #expect(abs(date.timeIntervalSinceNow) < 60, "\(name) \(moment)")
      }
      try visit.end()
    }

    @Test func `fields of a drawing that change meanwhile stay, even with a slow clock`()
      throws
    {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["replace": [["keeper.mjs", "Date.now()", "(Date.now() - 7200000)"]]])
      func saySomething(_ prompt: String) throws {
        let answer = try visit.send(
          "PATCH", "drawings/\(visit.id)", [("Content-Type", "application/json")],
          body: Array(#"{"checkinId": "c1", "promptUsed": "\#(prompt)"}"#.utf8))
        #expect(answer.status == 200, "\(answer.text)")
      }
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      try saySomething("a tree")
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      // The same holds if another page continues the drawing.
      try visit.openDraw("draw?no-worker&id=\(id)")
      try visit.wave(at: 300)
      try saySomething("a house")
      try visit.waitForState("Saved")
      let fields = try visit.send("GET", "drawings/\(id)").json
      #expect(
        fields["checkinId"] as? String == "c1" && fields["promptUsed"] as? String == "a house")
      #expect(try visit.id == id && visit.strokes(id) == [40, 40, 40])
      try visit.end()
    }
  }
}
