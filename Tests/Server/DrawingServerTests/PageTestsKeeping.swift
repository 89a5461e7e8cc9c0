import DrawingServices
import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Nothing is lost: killed tabs, no connection, other tabs and other devices.
  @Suite struct KeepingTests {
    @Test func `a tab that is killed in the middle of a stroke has kept the stroke`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openDraw()
      let id = try visit.id
      // One point every 10 ms; the last 300 ms may be lost.
      try browser.evaluate(
        """
        (async () => {
          const points = hand.wave(100, 300, { count: 90 });
          hand.stroke(points.slice(0, 2), { isOpen: true });
          for (const [x, y, pressure] of points.slice(2)) {
            hand.move({ x, y, pressure });
            await hand.wait(10);
          }
        })()
        """)
      try browser.perform(["crash": "first"])
      try browser.perform(["tab": "second"])
      try visit.openDraw("draw?new=\(id)")
      try visit.waitForState("Saved")
      try browser.keepPicture("page-killed.png")
      let strokes = try visit.strokes(id)
      #expect(strokes.count == 1 && (60...90).contains(strokes[0]), "\(strokes)")
      try visit.end()
    }

    @Test func `strokes drawn without a server wait, and are sent later`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openDraw()
      try browser.evaluate("navigator.serviceWorker.ready.then(() => 1)")
      let id = try visit.id
      visit.server.kill()
      try browser.perform(["offline": true])
      try visit.wave(at: 150)
      try visit.waitForState("Kept on this device")
      try visit.wave(at: 350)
      try visit.waitForState("Kept on this device")
      // The gallery shows the drawing, with a picture of both waves. The page makes the picture
      // just after it has shown that the drawing is stored.
      try browser.evaluate("hand.wait(500)")
      try visit.openGallery()
      #expect(try visit.cells == ["draw?id=\(id)"])
      #expect(
        try browser.text("document.querySelector('.here').textContent") == "Kept on this device")
      let dark = try browser.number(
        """
        (async () => {
          const image = document.querySelector('.cell img');
          await image.decode();
          const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
          const isDark = (x, y) => data[4 * (y * width + x)] < 128;
          const hasInk = (from, to) => {
            for (let y = Math.floor(from * height); y < to * height; y++) {
              for (let x = 0; x < width; x++) if (isDark(x, y)) return true;
            }
            return false;
          };
          return Number(hasInk(0, 0.3)) + 2 * Number(hasInk(0.35, 0.6)) + 4 * Number(hasInk(0.7, 1));
        })()
        """)
      #expect(dark == 5)
      try browser.keepPicture("page-gallery-offline.png")
      // The page opens and works without a connection.
      try visit.openDraw("draw?id=\(id)")
      try visit.wave(at: 500)
      try visit.waitForState("Kept on this device")
      try visit.openGallery()
      try visit.startAgain()
      try browser.perform(["offline": false])
      try browser.wait(
        "document.querySelector('.here') === null && document.querySelector('.cell[href=\"drawing?id=\(id)\"]')"
      )
      #expect(try visit.strokes(id) == [40, 40, 40])
      try visit.end(allowing: "Failed to load resource", "WebSocket")
    }

    @Test func `the drawing page sends by itself when the connection is back`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openDraw()
      try browser.perform(["offline": true])
      try visit.wave(at: 150)
      try visit.waitForState("Kept on this device")
      #expect(try visit.recording(visit.id).status == 404)
      try browser.perform(["offline": false])
      try visit.waitForState("Saved")
      #expect(try visit.strokes(visit.id) == [40])
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `a second tab with the same drawing draws on it, too`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      try browser.perform(["tab": "second"])
      try visit.openDraw("draw?id=\(id)")
      try browser.wait("!document.getElementById('faces').hidden")
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      try browser.keepPicture("page-second-tab.png")
      try browser.perform(["tab": "first"])
      try browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 2)")
      // What the second tab has drawn outlives it, and the first one draws on.
      try browser.perform(["close": "second"])
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40, 40])
      try visit.end()
    }

    @Test func `where browsers have no locks, a drawing is open in one tab only, too`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["replace": [["device.mjs", "navigator.locks", "navigator.none"]]])
      try visit.openDraw("draw?no-worker")
      try browser.perform(["rules": [["POST .*sync", 500, 0]]])
      try visit.wave(at: 200)
      try visit.waitForState("Kept on this device")
      let id = try visit.id
      try browser.perform(["tab": "second"])
      try visit.open(
        "draw?no-worker&id=\(id)", ready: "document.body?.dataset.state === 'failed'")
      try browser.waitForText("This drawing is open in another tab.")
      try visit.open("?no-worker", ready: "document.querySelector('.here') !== null")
      // The gallery does not send it instead of its tab, which continues with it.
      try browser.perform(["rules": [Any]()])
      try visit.openGallery()
      try browser.evaluate("hand.wait(700)")
      try browser.perform(["tab": "first"])
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.id == id && visit.strokes(id) == [40, 40])
      try visit.end(allowing: "otherTab", "500")
    }

    @Test func `a recording that arrives damaged is fetched again, then merged`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      let tag = try #require(try visit.recording(id).fields["etag"])
      let other = try Recordings.sample("mood")
      let path = "drawings/\(id)/recording.pkd"
      let put = try visit.send("PUT", path, [("If-Match", tag)], body: other)
      #expect(put.status == 200, "\(put.text)")
      // The browser receives other bytes than the server has sent.
      try browser.perform(["replace": [["recording.pkd", "PKD", "???"]]])
      try visit.wave(at: 400)
      try visit.waitForState("Kept on this device")
      #expect(try visit.recording(id).body == other)
      try browser.perform(["replace": [Any]()])
      try browser.evaluate("drawing.thread.ask('save').then(() => 0)")
      try visit.waitForState("Saved")
      let strokes = try visit.strokes(id)
      #expect(try visit.id == id)
      #expect(strokes.contains(40) && strokes.count > 5)
      try visit.end()
    }

    @Test func `a drawing that was deleted elsewhere comes back as a new one`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      try visit.browser.perform(["offline": true])
      try visit.wave(at: 400)
      try visit.waitForState("Kept on this device")
      #expect(try visit.send("DELETE", "drawings/\(id)").status == 204)
      try visit.browser.perform(["offline": false])
      try visit.browser.wait("drawing.id !== '\(id)'")
      try visit.waitForState("Saved")
      #expect(try visit.recording(id).status == 404)
      #expect(try visit.strokes(visit.id) == [40, 40])
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `a lost answer makes no second drawing`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      // The server stores it, but its answer is lost.
      try browser.perform(["rules": [["POST .*sync", -2, 0]]])
      try visit.wave(at: 200)
      try visit.waitForState("Kept on this device")
      #expect(try visit.strokes(visit.id) == [40])
      let id = try visit.id
      try browser.perform(["rules": [Any]()])
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.id == id)
      #expect(try visit.strokes(id) == [40, 40])
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `a page that was hidden without ink stores later strokes`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openDraw()
      let hide = """
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        drawing.thread.ask('flush').then(() => hand.wait(100));
        """
      try browser.evaluate(hide)
      try visit.wave(at: 200)
      try browser.press("Control+z")
      try browser.wait("document.getElementById('undo').disabled")
      try browser.evaluate(hide)
      // Commands undone before can still be redone, also in another tab after this one has ended.
      try browser.press("Control+Shift+z")
      try browser.wait("document.getElementById('redo').disabled")
      try browser.evaluate("drawing.thread.ask('flush').then(() => 0)")
      let id = try visit.id
      try browser.perform(["crash": "first"])
      try browser.perform(["tab": "second"])
      try visit.openDraw("draw?new=\(id)")
      try visit.waitForState("Saved")
      #expect(try visit.strokes(id) == [40])
      try visit.end()
    }

    @Test
    func
      `a copy is told, and keeps the stroke that is being drawn`()
      throws
    {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      try browser.perform(["rules": [["POST .*sync", 500, 0]]])
      try visit.wave(at: 300)
      try visit.waitForState("Kept on this device")
      #expect(try visit.send("DELETE", "drawings/\(id)").status == 204)
      try browser.perform(["rules": [["POST .*sync", 0, 0.7]]])
      try browser.evaluate("drawing.thread.ask('save'); 0")
      // The pen draws on while the recording is being sent.
      try browser.evaluate("hand.wait(300)")
      try browser.evaluate("hand.stroke(hand.wave(100, 400), { isOpen: true })")
      try browser.waitForText("Yours is kept as a drawing of its own.")
      let copy = try visit.id
      #expect(copy != id)
      try visit.waitForState("Saved")
      try browser.perform(["tab": "second"])
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      try browser.perform(["crash": "first"])
      // The gallery sends the stroke; the drawing need not be opened.
      try visit.open("?no-worker", ready: "document.querySelector('.here') !== null")
      try browser.wait("document.querySelector('.cell[href=\"drawing?id=\(copy)\"]') !== null")
      #expect(try visit.strokes(copy) == [40, 40, 40])
      try visit.end(allowing: "500", "otherTab")
    }

    @Test func `damaged drawings and fast clocks delay no other waiting drawing`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["rules": [["POST .*sync", 500, 0]]])
      for id in ["a", "b"] {
        try visit.openDraw("draw?no-worker&new=\(id)")
        try visit.wave(at: 200)
        try visit.waitForState("Kept on this device")
      }
      try visit.open("checkin?no-worker", ready: "document.querySelector('.tray, form') !== null")
      try browser.evaluate(
        """
        new Promise((resolve) => {
          indexedDB.open('pentimento').onsuccess = ({ target: { result } }) => {
            const change = result.transaction(['drawings', 'commands'], 'readwrite');
            const drawings = change.objectStore('drawings');
            drawings.get('a').onsuccess = ({ target: { result: record } }) => {
              drawings.put({ ...record, recording: new Uint8Array(9) });
              change.objectStore('commands').put(['undo', 1], ['a', record.from]);
            };
            drawings.get('b').onsuccess = ({ target: { result: record } }) => {
              drawings.put({ ...record, createdAt: Date.now() + 1e12 });
            };
            change.oncomplete = () => resolve(1);
          };
        })
        """)
      try browser.perform(["rules": [Any]()])
      try visit.open(
        "?no-worker", ready: "document.querySelector('.cell[href=\"drawing?id=b\"]') !== null")
      #expect(try visit.strokes("b") == [40])
      #expect(try visit.cells.contains("draw?id=a"))
      try visit.end(allowing: "500")
    }

    @Test func `a drawing opens and goes on while a proxy says that the server is away`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["rules": [["POST .*sync", 503, 0]]])
      try visit.openDraw("draw?no-worker")
      try visit.wave(at: 200)
      try visit.waitForState("Kept on this device")
      let id = try visit.id
      for (status, y) in [(502, 300), (-2, 400)] {
        try browser.perform(["rules": [["v1/", status, 0]]])
        try visit.openDraw("draw?no-worker&id=\(id)")
        try visit.wave(at: y)
        try visit.waitForState("Kept on this device")
      }
      try browser.perform(["rules": [Any]()])
      try browser.evaluate("drawing.thread.ask('save')")
      #expect(try visit.strokes(id) == [40, 40, 40])
      try visit.end(allowing: "50", "Failed to load resource")
    }

    @Test func `a page reports a full server, and the drawing waits`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openDraw("draw?no-worker")
      try browser.perform(["rules": [["POST .*sync", 402, 0]]])
      try visit.wave(at: 200)
      try visit.waitForState(
        "There is no more room on the server. The drawing is kept on this device.")
      try browser.keepPicture("page-no-room.png")
      try browser.perform(["rules": [Any]()])
      try browser.click("#done")
      try browser.waitForText("It is in your gallery")
      #expect(try visit.strokes(visit.id) == [40])
      try visit.end(allowing: "402")
    }

    @Test func `a page reports a full quota`() throws {
      let server = try TestServer {
        $0.quotaBytes = 900
        // Links use the address that browsers open.
        $0.publicURL = ""
      }
      let browser = try HTMLBrowser.Session()
      try browser.before(try #require(PageVisit.tools))
      try browser.open(
        "http://127.0.0.1:\(server.port)/draw?lang=en&no-worker#token=\(server.token("ann"))",
        ready: PageVisit.ready)
      try browser.evaluate("hand.stroke(hand.wave(100, 300, { count: 400, step: 1 }))")
      try browser.waitForText("There is no more room on the server.")
      try browser.end()
    }

    @Test func `a token that expires while drawing loses nothing`() throws {
      let server = try TestServer { $0.publicURL = "" }
      let browser = try HTMLBrowser.Session()
      try browser.before(try #require(PageVisit.tools))
      let address = "http://127.0.0.1:\(server.port)/draw?lang=en&no-worker&new=mine"
      try browser.open(
        "\(address)#token=\(server.token("ann"))", ready: PageVisit.ready)
      // The token was removed from the address.
      #expect(try browser.text("location.hash") == "")
      try browser.evaluate("fetch('v1/session', { method: 'DELETE' })")
      try browser.evaluate("hand.stroke(hand.wave(100, 200))")
      try browser.waitForText("Kept on this device until you sign in")
      #expect(try server.send("GET", "/v1/users/ann/drawings/mine").status == 404)
      try browser.keepPicture("page-signed-out.png")
      // After a reload the page asks for a token. A wrong token is refused; a valid one sends the
      // drawing.
      try browser.open(address, ready: "document.querySelector('dialog[open] #token') !== null")
      try browser.keepPicture("page-sign-in.png")
      for (token, ready) in [
        ("nothing", "document.querySelector('dialog[open] [role=alert]').textContent !== ''"),
        (server.token("ann"), PageVisit.ready),
      ] {
        if try browser.isTrue("document.getElementById('token').form.hidden") {
          try browser.click("dialog[open] [aria-expanded]")
        }
        try browser.evaluate("document.getElementById('token').value = '\(token)'")
        try browser.click("dialog[open] form [type=submit]")
        try browser.wait(ready)
      }
      try browser.wait("document.getElementById('state').textContent === 'Saved'")
      let reply = try server.send("GET", "/v1/users/ann/drawings/mine/recording.pkd")
      #expect(reply.status == 200)
      #expect(
        try PageVisit.events(of: reply.body).filter { $0["event"] as? String == "begin" }.count == 1
      )
      try browser.end()
      let expected = ["401", "404", "failed", "no-token", "not-found"]
      #expect(browser.troubles.filter { one in !expected.contains { one.contains($0) } } == [])
    }

    @Test func `another user of the device neither sees nor sends waiting drawings`() throws {
      let server = try TestServer { $0.publicURL = "" }
      let browser = try HTMLBrowser.Session()
      try browser.before(try #require(PageVisit.tools))
      let address = "http://127.0.0.1:\(server.port)"
      try browser.open(
        "\(address)/draw?lang=en&no-worker&new=mine#token=\(server.token("ann"))",
        ready: PageVisit.ready)
      try browser.evaluate("fetch('v1/session', { method: 'DELETE' })")
      try browser.evaluate("hand.stroke(hand.wave(100, 200))")
      try browser.waitForText("Kept on this device until you sign in")
      try browser.open(
        "\(address)/?lang=en&no-worker#token=\(server.token("bob"))",
        ready: "document.querySelector('#days .blank') !== null")
      try browser.waitForText("No drawings yet.")
      #expect(try browser.number("document.querySelectorAll('.cell').length") == 0)
      // Not even by its address, which the browser history may contain.
      try browser.open(
        "\(address)/draw?lang=en&no-worker&new=mine",
        ready: "document.body?.dataset.state === 'failed'")
      try browser.waitForText("This drawing is not here")
      try browser.open(
        "\(address)/?lang=en&no-worker#token=\(server.token("ann"))",
        ready: "document.querySelector('.cell[href=\"drawing?id=mine\"]') !== null")
      let drawn = try server.send("GET", "/v1/users/bob/drawings", as: "bob")
      #expect(drawn.items.isEmpty, "\(drawn.text)")
      #expect(try server.send("GET", "/v1/users/ann/drawings/mine").status == 200)
      try browser.end()
    }
  }
}
