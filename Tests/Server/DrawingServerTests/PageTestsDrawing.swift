import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Drawing with pens and fingers.
  @Suite struct DrawingTests {
    @Test func `every pen event is recorded, and no predicted one`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.evaluate(
        """
        (() => {
          const at = (index) => ({ x: 100 + 3 * index, y: 200, pressure: index / 60 });
          hand.stroke([at(0), ...Array.from({ length: 20 }, (_, index) => ({
            ...at(3 * index + 3), coalesced: [1, 2, 3].map((more) => at(3 * index + more)),
            predicted: [{ x: 900, y: 600 }, { x: 950, y: 650 }],
          }))]);
        })()
        """)
      try visit.waitForState("Saved")
      let id = try visit.id
      let points = try #require(try visit.events(id).first?["points"] as? [[Double]])
      // The curve through the samples. Its width grows with each sample, which shows that none is
      // missing.
      #expect(points.count < 61 && points.map { $0[0] } == points.map { $0[0] }.sorted())
      #expect(points.first?[0] == 100 && points.last?[0] == 280)
      #expect(points.allSatisfy { $0[1] == 200 })
      let widths = points.map { $0[3] }
      #expect(
        widths == widths.sorted() && (widths.last ?? 0) > 1.3 * (widths.first ?? 9), "\(widths)")
      // The drawing is in the gallery at once.
      try browser.click("#done")
      try visit.browser.waitForText("It is in your gallery")
      try visit.openGallery()
      #expect(try visit.cells.first == "drawing?id=\(id)")
      try browser.wait("document.querySelector('.cell img').naturalWidth > 0")
      try browser.keepPicture("page-gallery.png")
      // Its replay ends with the same picture.
      try visit.open(
        "drawing?id=\(id)", ready: "document.querySelector('pentimento-drawing')?.duration > 0")
      let end = try browser.text(
        """
        (async () => {
          const player = document.querySelector('pentimento-drawing');
          player.currentTime = 0;
          const ended = new Promise((done) => player.addEventListener('ended', done, { once: true }));
          player.play();
          await ended;
          const { width, height, data } = await player.pixels({ time: player.duration, scale: 1 });
          return hand.hash({ width, height, data }) + ' ' + player.region.join(',');
        })()
        """)
      try browser.keepPicture("page-drawing.png")
      let region = String(try #require(end.split(separator: " ").last))
      let picture = try PageVisit.Picture(
        recording: visit.recording(id).body, region: region, scale: "1", style: "light",
        background: "#fffdf8")
      #expect(end == "\(picture.hash) \(region)")
      try visit.end()
    }

    @Test func `a drawing can be downloaded as convert's SVG, and as PDF`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      try visit.open(
        "drawing?id=\(id)", ready: "document.querySelector('pentimento-drawing')?.duration > 0")
      let files = try visit.browser.text(
        """
        (async () => {
          const made = [];
          const address = URL.createObjectURL;
          URL.createObjectURL = (blob) => { made.push(blob); return address.call(URL, blob); };
          for (const end of ['svg', 'pdf']) {
            const before = made.length;
            document.querySelector(`#files a[download$=".${end}"]`).click();
            for (let tries = 0; tries < 400 && made.length === before; tries++) await hand.wait(25);
          }
          const [svg, pdf] = made;
          return `${pdf.type} ${(await pdf.text()).slice(0, 8)} ${svg.type}\n${await svg.text()}`;
        })()
        """)
      #expect(files.hasPrefix("application/pdf %PDF-1.5 image/svg+xml\n<svg"))
      let folder = try TemporaryFolder()
      try Data(visit.recording(id).body).write(to: folder.file("a.pkd"))
      #expect(try Program.run("pkd", ["convert", "a.pkd", "a.svg"], in: folder.url).code == 0)
      // The drawing is named after the file.
      let native = try String(contentsOf: folder.file("a.svg"), encoding: .utf8)
        .replacing(/<title>.*<\/title>\n/, with: "")
      #expect(files.hasSuffix("\n" + native) && native.contains("<path"))
      try visit.end()
    }

    @Test func `a pen draws with the pressure and tilt that the browser reports`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let points: [[Double]] = (0..<40).map { (index: Int) -> [Double] in
        [200 + 5 * Double(index), 300, 0.2 + Double(index) / 100, 30, 10, 0]
      }
      try visit.browser.perform(["pen": points])
      try visit.waitForState("Saved")
      let stored = try #require(try visit.events(visit.id).first?["points"] as? [[Double]])
      // Force is twice the pressure, and the altitude is that of a tilted pen.
      let (first, last) = (try #require(stored.first), try #require(stored.last))
      #expect(abs(first[6] - 0.4) < 0.1 && abs(last[6] - 1.18) < 0.1)
      #expect(abs(first[0] - 200) < 6 && abs(last[0] - 395) < 6)
      #expect(stored.allSatisfy { abs($0[8] - 1.028) < 0.01 })
      try visit.end()
    }

    @Test func `after the first touch of a pen a finger moves the page`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      #expect(try browser.isTrue("!document.getElementById('palm').checked"))
      try visit.wave(at: 200)
      #expect(try browser.isTrue("document.getElementById('palm').checked"))
      try browser.evaluate(
        "hand.stroke([[300, 300], [350, 360], [400, 400]], { type: 'touch', id: 11 })")
      #expect(try browser.text("[drawing.view.left, drawing.view.top].join()") == "-100,-100")
      // A palm that was there before the pen draws nothing and blocks nothing.
      try browser.evaluate(
        "hand.send('pointerdown', { x: 600, y: 600, type: 'touch', id: 12, button: 0 })")
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      #expect(try visit.strokes(visit.id) == [40, 40])
      try visit.end()
    }

    @Test func `a pen draws where a palm lies, and after strokes and keys without an end`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      // A palm before the first touch of a pen.
      try browser.evaluate(
        """
        (() => {
          hand.stroke([[600, 600], [603, 601], [604, 604]], { type: 'touch', id: 12, isOpen: true });
          hand.stroke(hand.wave(100, 150));
          hand.send('pointerup', { x: 604, y: 604, type: 'touch', id: 12, button: 0 });
        })()
        """)
      // The end of a stroke is lost, with or without pointer capture.
      try browser.evaluate(
        """
        (() => {
          hand.stroke(hand.wave(100, 250), { isOpen: true });
          hand.send('lostpointercapture', { x: 340, y: 250 });
          hand.stroke(hand.wave(100, 350), { id: 8, isOpen: true });
          hand.stroke(hand.wave(100, 450), { id: 8 });
        })()
        """)
      // The space key is released in another window.
      try browser.evaluate("hand.key(' '); dispatchEvent(new Event('blur'))")
      // Undo ends the stroke that is being drawn, so that redo restores it.
      try browser.evaluate(
        """
        (() => {
          hand.stroke(hand.wave(100, 550), { isOpen: true });
          hand.key('z', { ctrlKey: true });
          hand.send('pointerup', { x: 340, y: 550, button: 0 });
          hand.key('y', { ctrlKey: true });
        })()
        """)
      try visit.waitForState("Saved")
      #expect(try visit.strokes(visit.id) == [40, 40, 40, 40, 40])
      #expect(try browser.isTrue("document.getElementById('redo').disabled"))
      // A window without a size.
      try browser.evaluate(
        """
        (async () => {
          const property = Object.getOwnPropertyDescriptor(globalThis, 'innerWidth');
          Object.defineProperty(globalThis, 'innerWidth', { value: 0, configurable: true });
          await drawing.view.settle();
          Object.defineProperty(globalThis, 'innerWidth', property);
        })()
        """)
      #expect(try browser.isTrue("document.getElementById('failure').hidden"))
      try visit.end()
    }

    @Test func `two fingers zoom and cancel the stroke of the first`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.evaluate(
        """
        (() => {
          const finger = (id, kind, x, y) => hand.send(kind, { x, y, type: 'touch', id, button: kind === 'pointermove' ? -1 : 0 });
          finger(11, 'pointerdown', 300, 300);
          hand.move({ x: 302, y: 303, type: 'touch', id: 11 });
          finger(12, 'pointerdown', 500, 300);
          finger(11, 'pointermove', 200, 300);
          finger(12, 'pointermove', 600, 300);
          finger(11, 'pointerup', 200, 300);
          finger(12, 'pointerup', 600, 300);
        })()
        """)
      try browser.wait("document.getElementById('percent').textContent === '200%'")
      // A finger draws.
      try browser.evaluate(
        "hand.stroke([[300, 300], [350, 360], [400, 400]], { type: 'touch', id: 13 })")
      try visit.waitForState("Saved")
      let points = try #require(try visit.events(visit.id).first?["points"] as? [[Double]])
      let (first, last) = (try #require(points.first), try #require(points.last))
      #expect(abs(last[0] - first[0] - 50) < 0.01 && abs(last[1] - first[1] - 50) < 0.01)
      try visit.end()
    }

    @Test func `a tap of two fingers undoes, and one of three redoes`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.wave(at: 200)
      func tap(_ count: Int, reach: Int = 0) throws {
        try browser.evaluate(
          """
          (() => {
            const all = Array.from({ length: \(count) }, (_, index) => ({ x: 300 + 60 * index, y: 400, type: 'touch', id: 20 + index }));
            for (const finger of all) hand.send('pointerdown', { ...finger, button: 0 });
            for (const finger of all) hand.send('pointerup', { ...finger, x: finger.x + \(reach), button: 0 });
          })()
          """)
      }
      // Fingers that move are no tap.
      try tap(2, reach: 40)
      try tap(1)
      try browser.wait("!document.getElementById('undo').disabled")
      try tap(2)
      try browser.wait("document.getElementById('undo').disabled")
      try tap(3)
      try browser.wait("!document.getElementById('undo').disabled")
      try visit.waitForState("Saved")
      #expect(try visit.strokes(visit.id) == [40])
      try visit.end()
    }

    @Test func `a mouse draws thinner where it is fast, unless speed is ignored`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      func forces(_ number: Int) throws -> [Double] {
        let events = try visit.events(visit.id).filter { $0["points"] != nil }
        return try #require(events[number]["points"] as? [[Double]]).map { $0[6] }
      }
      let draw = """
        (async () => {
          const at = (x) => ({ x, y: 300, type: 'mouse' });
          hand.send('pointerdown', { ...at(100), button: 0 });
          for (let x = 100; x < 130; x += 1) { hand.move(at(x)); await new Promise((done) => setTimeout(done, 4)); }
          for (let x = 130; x < 800; x += 60) { hand.move(at(x)); await new Promise((done) => setTimeout(done, 4)); }
          hand.send('pointerup', { ...at(800), button: 0 });
        })()
        """
      try browser.evaluate(draw)
      try browser.evaluate("document.getElementById('pressure').click()")
      try browser.evaluate(draw)
      try visit.waitForState("Saved")
      let (free, even) = (try forces(0), try forces(1))
      #expect(try #require(free.max()) > #require(free.last) + 0.2)
      #expect(even.allSatisfy { abs($0 - 1) < 0.01 })
      try visit.end()
    }

    @Test func `a stroke with Shift is straight, and one at the ruler follows its edge`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.evaluate("hand.stroke(hand.wave(100, 200), { shiftKey: true })")
      try browser.evaluate(
        """
        (() => {
          const { ruler } = drawing;
          ruler.toggle();
          ruler.turn(-15);
          const [x, y] = ruler.middle;
          const angle = -Math.PI / 12;
          hand.stroke(Array.from({ length: 20 }, (_, index) => {
            const [along, away] = [15 * index - 150, 34 + 9 * Math.sin(index)];
            return [
              x + along * Math.cos(angle) - away * Math.sin(angle),
              y + along * Math.sin(angle) + away * Math.cos(angle),
            ];
          }));
        })()
        """)
      try visit.waitForState("Saved")
      let strokes = try visit.events(visit.id).compactMap { $0["points"] as? [[Double]] }
      #expect(strokes.count == 2 && strokes[0].count == 2)
      #expect(abs(strokes[0][0][1] - 200) < 0.1 && abs(strokes[0][1][0] - 334) < 0.1)
      let first = strokes[1][0]
      for point in strokes[1].dropFirst() {
        let slope = (point[1] - first[1]) / (point[0] - first[0])
        #expect(abs(slope + 0.268) < 0.02)
      }
      try visit.end()
    }

    @Test func `a circle becomes a clean one when the pen rests, and undo gives the hand's back`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      let circle = """
        (async () => {
          const points = Array.from({ length: 60 }, (_, index) => {
            const [angle, radius] = [index / 59 * 6.3, 100 + 3 * Math.sin(index / 5)];
            return [400 + radius * Math.cos(angle), 300 + radius * Math.sin(angle)];
          });
          hand.stroke(points, { isOpen: true });
          await hand.wait(1000);
          hand.send('pointerup', { x: 500, y: 300, button: 0 });
          await hand.settle();
        })()
        """
      try browser.evaluate(circle)
      #expect(try browser.text("document.getElementById('said').textContent") == "Circle")
      try visit.waitForState("Saved")
      let events = try visit.events(visit.id).compactMap { $0["event"] as? String }
      #expect(events == ["begin", "end", "edit"])
      try browser.press("Control+z")
      try browser.wait("!document.getElementById('redo').disabled")
      #expect(try visit.strokesOnPage == 1)
      // Without the recognition the stroke stays as it was drawn.
      try browser.evaluate("document.getElementById('figures').click()")
      try browser.evaluate(circle)
      try visit.waitForState("Saved")
      #expect(
        try visit.events(visit.id).compactMap { $0["event"] as? String }.suffix(3) == [
          "undo", "begin", "end",
        ])
      try visit.end()
    }

    @Test func `the button beside a selection deletes it without a keyboard`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.wave(at: 300)
      #expect(try browser.isTrue("document.getElementById('acts').hidden"))
      try browser.click("input[value=lasso]")
      try browser.evaluate(
        "hand.settle().then(() => hand.stroke([[5, 80], [880, 80], [880, 500], [5, 500]]))")
      try browser.wait("!document.getElementById('acts').hidden")
      try browser.click("#delete-selected")
      try browser.wait("drawing.thread.ask('box').then((box) => box === null)")
      #expect(try browser.isTrue("document.getElementById('acts').hidden"))
      try visit.end()
    }

    @Test func `a tap with the lasso selects one stroke, and Shift adds to a selection`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      for y in [200, 300, 400] { try visit.wave(at: y, "{ height: 0 }") }
      try visit.browser.click("input[value=lasso]")
      func selected(after hand: String) throws -> Double {
        try visit.browser.number("(\(hand), hand.selected().then(({ count }) => count))")
      }
      #expect(try selected(after: "hand.stroke([[150, 300]])") == 1)
      #expect(try selected(after: "hand.stroke([[150, 200]], { shiftKey: true })") == 2)
      #expect(try selected(after: "hand.stroke([[150, 300]], { shiftKey: true })") == 1)
      let lasso = "[[90, 380], [500, 380], [500, 420], [90, 420]]"
      #expect(try selected(after: "hand.stroke(\(lasso), { shiftKey: true })") == 2)
      #expect(try selected(after: "hand.stroke([[500, 600]])") == 0)
      try visit.end()
    }

    @Test func `a selection is scaled and turned by its handles, and one undo takes each back`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.wave(at: 300, "{ height: 60 }")
      func box() throws -> [Double] {
        let text = try browser.text("hand.selected().then(({ box }) => (box ?? []).join())")
        return text.split(separator: ",").compactMap { Double($0) }
      }
      func drag(_ handle: String, by x: Int, _ y: Int) throws {
        try browser.evaluate(
          """
          (() => {
            const [left, top] = ['cx', 'cy'].map((name) =>
              Number(document.querySelector('\(handle)').getAttribute(name)));
            hand.stroke([[left, top], [left + \(x) / 2, top + \(y) / 2], [left + \(x), top + \(y)]]);
          })()
          """)
      }
      try browser.press("Control+a")
      try browser.wait("drawing.selection.count === 1")
      let before = try box()
      try drag(".handle.side:nth-child(7)", by: 117, 0)
      let wide = try box()
      #expect(abs(wide[2] / before[2] - 1.5) < 0.02 && abs(wide[0] - before[0]) < 1, "\(wide)")
      try drag(".handle.turn", by: 400, Int(wide[3] / 2) + 32)
      let upright = try box()
      #expect(abs(upright[3] - wide[2]) < 2 && abs(upright[2] - wide[3]) < 2, "\(upright)")
      try browser.press("Control+z", "Control+z", "Control+a")
      #expect(try zip(box(), before).allSatisfy { abs($0 - $1) < 0.01 })
      try visit.end()
    }

    @Test func `copied ink is pasted into another drawing with all its points, and undone at once`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      for y in [200, 300] { try visit.wave(at: y) }
      try visit.waitForState("Saved")
      let drawn = try visit.id
      try browser.press("Control+a")
      try browser.wait("drawing.selection.count === 2")
      let pasted = try browser.text(
        """
        (async () => {
          const { file } = await drawing.thread.ask('copy');
          await hand.another('pasted');
          drawing.selection.clipboard.last = file;
          await drawing.selection.paste();
          const { count, box } = await hand.selected();
          return [count, Math.round(box[0] + box[2] / 2), Math.round(box[1] + box[3] / 2)].join();
        })()
        """)
      let place = pasted.split(separator: ",").compactMap { Int($0) }
      #expect(place[0] == 2 && abs(place[1] - 450) <= 1 && abs(place[2] - 350) <= 1, "\(pasted)")
      #expect(try visit.strokesOnPage == 2)
      try browser.press("Control+z")
      try browser.wait("document.getElementById('undo').disabled")
      #expect(try visit.strokesOnPage == 0)
      try browser.press("Control+Shift+z")
      try browser.wait("drawing.thread.ask('save').then((state) => state === 'saved')")
      let pastedPoints = try visit.events("pasted").filter { $0["event"] as? String == "edit" }
        .flatMap { $0["above"] as? [[String: Any]] ?? [] }
        .map { ($0["points"] as? [Any])?.count ?? 0 }
      let drawnPoints = try visit.events(drawn).filter { $0["event"] as? String == "begin" }
        .map { ($0["points"] as? [Any])?.count ?? 0 }
      #expect(
        pastedPoints == drawnPoints && pastedPoints.count == 2, "\(pastedPoints), \(drawnPoints)")
      #expect(try visit.strokesOnPage == 2)
      try visit.end()
    }

    @Test func `the selection is changed by keys, buttons and colours`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.wave(at: 250)
      try browser.press("Control+a", "Control+d")
      try browser.wait("drawing.selection.count === 1")
      try browser.press("Shift+H", "Shift+V", "]", "Control+[")
      try browser.click("#change")
      try browser.click("#selection-menu [data-label=crayon]")
      try browser.evaluate(
        "document.querySelector('input[name=colours][value=\"#1f8a7c\"]').click(); hand.wait(300)"
      )
      try visit.waitForState("Saved")
      let last = try visit.events(visit.id).last { $0["event"] as? String == "edit" }
      let changes = try #require(last?["changes"] as? [[String: Any]])
      let stroke = try #require((changes[0]["strokes"] as? [[String: Any]])?.first)
      let ink = try #require(stroke["ink"] as? [String: Any])
      let color = try #require(ink["color"] as? [Double])
      #expect(ink["type"] as? String == "crayon")
      #expect(zip(color, [31, 138, 124]).allSatisfy { abs(255 * $0 - $1) < 1 }, "\(color)")
      #expect(try visit.strokesOnPage == 2)
      try visit.end()
    }

    @Test func `a selection takes the tray's colour and size, and stays selected after undo`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.wave(at: 250)
      // The tray goes on to another colour, and then back to the one it shows.
      try browser.click("input[name=colours][value='#e4604e']")
      try browser.press("Control+a")
      try browser.wait("drawing.selection.count === 1")
      let changes = "drawing.thread.ask('recording').then(({ length }) => length)"
      let before = try browser.number(changes)
      try browser.click("input[name=colours][value='#e4604e']")
      try browser.wait("\(changes).then((length) => length > \(before))")
      let box = try browser.number("drawing.selection.box[3]")
      try browser.click("input[name=size][value='3']")
      try browser.wait("drawing.selection.box[3] > \(box) + 2")
      #expect(try browser.isTrue("drawing.selection.count === 1"))
      try browser.press("Control+z")
      try browser.wait("Math.abs(drawing.selection.box[3] - \(box)) < 0.5")
      #expect(try browser.isTrue("drawing.selection.count === 1"))
      try browser.press("Escape")
      try browser.wait("drawing.selection.count === 0")
      try visit.end()
    }

    @Test func `ink beyond the edge of a new page is moved onto it when asked`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.evaluate("drawing.view.moveBy(-2000, 0)")
      try visit.wave(at: 250)
      try browser.click("#papers-button")
      try browser.click("input[name=page-size][value=square]")
      try browser.waitForText("Ink beyond the edge is kept")
      #expect(
        try browser.isTrue("drawing.thread.ask('ink').then(([x, , width]) => x + width > 600)"))
      try browser.click(".toast button")
      try browser.wait(
        "drawing.thread.ask('ink').then(([x, y, w, h]) => x >= 0 && y >= 0 && x + w <= 600 && y + h <= 600)"
      )
      try browser.press("Control+z")
      try browser.wait("drawing.thread.ask('ink').then(([x]) => x > 600)")
      try visit.end()
    }

    @Test func `a dropped file of another program becomes ink, and one without ink a sentence`()
      throws
    {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      func drop(_ content: String) throws {
        try browser.evaluate(
          """
          (() => {
            const data = new DataTransfer();
            data.items.add(new File([\(HTMLBrowser.Session.literal(content))], 'a.txt'));
            dispatchEvent(new DragEvent('drop', { dataTransfer: data, clientX: 300, clientY: 300 }));
          })()
          """)
      }
      try drop(
        "<ink xmlns=\"http://www.w3.org/2003/InkML\"><trace>10 10, 60 40, 90 10</trace></ink>")
      try browser.wait("drawing.selection.count === 1")
      #expect(
        try browser.isTrue(
          "Math.abs(drawing.selection.box[0] + drawing.selection.box[2] / 2 - 300) < 9"))
      for nonsense in ["<script>alert(1)</script>", "", "{\"a\": [", "\u{89}PKD\r\n\u{1A}\n"] {
        try browser.evaluate("document.querySelector('.toast')?.remove()")
        try drop(nonsense)
        try browser.wait("document.querySelector('.toast')?.textContent.includes('a.txt')")
      }
      // Files of any size get a sentence, without being sent.
      try browser.evaluate("document.querySelector('.toast')?.remove()")
      try drop("<ink>" + String(repeating: " ", count: 11 << 20))
      try browser.wait("document.querySelector('.toast')?.textContent.includes('too large')")
      #expect(try visit.strokesOnPage == 1)
      try visit.end(allowing: "422")
    }

    @Test func `a page gets a size, is turned, and is stored with it`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.click("#papers-button")
      try browser.click("input[name=page-size][value=a4]")
      try browser.wait("drawing.view.isSettled")
      try browser.keepPicture("page-draw-a4.png")
      // The whole page is in the window, between the bars.
      let edge = "document.querySelector('.page-edge').getBoundingClientRect()"
      #expect(try browser.isTrue("\(edge).top > 0 && \(edge).bottom < innerHeight"))
      let isUpright = "Math.abs(\(edge).height / \(edge).width - 842 / 595) < 0.01"
      #expect(try browser.isTrue(isUpright))
      try browser.click("#papers > button")
      #expect(try browser.isTrue("\(edge).width > \(edge).height"))
      try browser.click("#papers > button")
      #expect(try browser.isTrue(isUpright))
      try browser.press("Escape")
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      let id = try visit.id
      func size() throws -> [Double] {
        let folder = try TemporaryFolder()
        try Data(visit.recording(id).body).write(to: folder.file("a.pkd"))
        let picture = try Program.run("pkd", ["render", "a.pkd", "-o", "a.ppm"], in: folder.url)
        #expect(picture.code == 0, "\(picture.errors)")
        let head = try Data(contentsOf: folder.file("a.ppm")).prefix(20)
        return String(decoding: head, as: UTF8.self).split(separator: "\n")[1]
          .split(separator: " ").compactMap { Double($0) }
      }
      #expect(try size() == [595, 842])
      // It is there after a reload, and can be taken away.
      try visit.openDraw("draw?id=\(id)")
      #expect(try browser.isTrue(isUpright))
      #expect(
        try browser.text("document.querySelector('input[name=page-size]:checked').value") == "a4")
      try browser.click("#papers-button")
      try browser.click("input[name=page-size][value=endless]")
      try browser.wait("document.querySelector('.page-edge').hidden")
      try browser.press("Escape")
      try visit.waitForState("Saved")
      #expect(try size() != [595, 842])
      #expect(try visit.strokes(id).count == 1)
      try visit.end()
    }

    @Test func `a touch of the page that closes a menu draws nothing`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try browser.click("#papers-button")
      try browser.wait("!document.getElementById('papers').hidden")
      try browser.evaluate("hand.settle().then(() => hand.stroke([[300, 400], [300, 400]]))")
      try browser.wait("document.getElementById('papers').hidden")
      try browser.evaluate("hand.settle()")
      #expect(try browser.isTrue("document.getElementById('undo').disabled"))
      try visit.wave(at: 300)
      try browser.wait("!document.getElementById('undo').disabled")
      try visit.end()
    }

    @Test func `everything can be chosen and undone from the keyboard`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      func chosen() throws -> String {
        try browser.text("[drawing.tools.chosen.tool, drawing.tools.chosen.size].join(' ')")
      }
      try browser.press("3", "]")
      #expect(try chosen() == "fountainPen 2")
      try browser.press("e")
      #expect(try chosen() == "eraser 2")
      try browser.press("Shift+E", "[", "[")
      #expect(try chosen() == "strokeEraser 0")
      try browser.press("l")
      #expect(try chosen() == "lasso 0")
      try browser.press("1", "+")
      #expect(try browser.text("document.getElementById('percent').textContent") == "125%")
      // An empty page has no ink to show; a page with ink shows it.
      try browser.press("0")
      try browser.wait(
        "drawing.view.zoom === 1 && drawing.view.left === 0 && drawing.view.top === 0")
      try visit.wave(at: 300)
      try browser.press("ArrowRight", "ArrowDown")
      #expect(try browser.text("[drawing.view.left, drawing.view.top].join()") == "40,40")
      try browser.press("0")
      try browser.wait("drawing.view.left < 0 && drawing.view.top !== 40")
      let box = try browser.text("drawing.thread.ask('box').then((box) => box.join())")
      let sides = box.split(separator: ",").compactMap { Double($0) }
      // The wave with its width, in multiples of an eighth.
      #expect(sides.count == 4 && abs(sides[0] - 98) <= 8 && abs(sides[2] - 238) <= 16, "\(box)")
      try browser.press("Control+z")
      try browser.wait("document.getElementById('undo').disabled")
      try browser.press("Control+Shift+z")
      try browser.wait("document.getElementById('redo').disabled")
      // Select all of it, move it, and delete it.
      try browser.press("0", "Control+a")
      try browser.wait("!document.getElementById('frame').hasAttribute('hidden')")
      try browser.press("ArrowRight", "Delete")
      try browser.wait("drawing.thread.ask('box').then((box) => box === null)")
      // The dialog of shortcuts, and back.
      try browser.press("?")
      #expect(try browser.isTrue("document.getElementById('keys').open"))
      try browser.press("Escape")
      #expect(try browser.isTrue("!document.getElementById('keys').open"))
      // Every control can be reached with Tab, and Space chooses a paper.
      try browser.evaluate("document.getElementById('papers-button').focus()")
      try browser.press("Enter", "ArrowRight", "Escape")
      #expect(
        try browser.text("document.querySelector('input[name=paper]:checked').value") == "dotted")
      #expect(try browser.text("document.activeElement.id") == "papers-button")
      try browser.keepPicture("page-draw-keyboard.png")
      try visit.end()
    }

    @Test func `the page of a missing drawing says so`() throws {
      let visit = try PageVisit()
      try visit.open("draw?id=none", ready: "document.body.dataset.state === 'failed'")
      try visit.browser.waitForText("This drawing is not here")
      try visit.open("drawing?id=none", ready: "document.querySelector('#other h1') !== null")
      try visit.browser.waitForText("This drawing is not here")
      // An invalid id leads nowhere else, and a new drawing gets one.
      try visit.open("drawing?id=.", ready: "document.querySelector('#other h1') !== null")
      try visit.openDraw("draw?new=..&checkin=%F0%9F%98%80")
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      #expect(try visit.id.hasPrefix("d-"))
      try visit.end(allowing: "404", "not-found")
    }
  }
}
