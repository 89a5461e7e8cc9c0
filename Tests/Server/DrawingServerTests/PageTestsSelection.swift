import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Titles, orders, tags and selections in the gallery, and the switches of check-ins.
  @Suite struct SelectionTests {
    private static let ready = "document.querySelector('.cell') !== null"

    /// Pages with drawings that have titles, the first one the newest.
    private func visit(
      _ titles: [String], options: [String] = [], proxyPrefix: String? = ""
    ) throws -> PageVisit {
      let visit = try PageVisit(options, proxyPrefix: proxyPrefix)
      try visit.deleteDrawings()
      for (number, title) in titles.enumerated() {
        let date = ISO8601DateFormatter()
          .string(from: Date().addingTimeInterval(-Double(number) * 90_000))
        let recording = try Recordings.sample("mood")
        let reply = try visit.send(
          "PUT", "drawings/s\(number)/recording.pkd?createdAt=\(date)", body: recording)
        #expect(reply.status == 201, "\(reply.text)")
        try patch(visit, "s\(number)", ["title": title])
      }
      return visit
    }

    private func patch(_ visit: PageVisit, _ id: String, _ fields: [String: Any]) throws {
      let body = try JSONSerialization.data(withJSONObject: fields)
      let reply = try visit.send(
        "PATCH", "drawings/\(id)", [("Content-Type", "application/json")], body: [UInt8](body))
      #expect(reply.status == 200, "\(reply.text)")
    }

    private func tags(_ visit: PageVisit, _ id: String) throws -> [String] {
      try visit.send("GET", "drawings/\(id)").json["tags"] as? [String] ?? []
    }

    private func pick(_ visit: PageVisit, _ ids: String...) throws {
      if try visit.browser.isTrue("document.getElementById('picking').hidden") {
        try visit.browser.click("#select")
      }
      for id in ids {
        try visit.browser.evaluate(
          "[...document.querySelectorAll('.pick')].find((one) => one.drawing.id === '\(id)').click()"
        )
      }
    }

    private let captions =
      "[...document.querySelectorAll('.caption .number')].map((one) => one.textContent).join('|')"

    @Test func `drawings are sorted by title and change, and Back keeps the order`() throws {
      let visit = try visit(["pine", "Öak", "", "<i>birch</i>"])
      let browser = visit.browser
      try visit.open("?no-worker", ready: Self.ready)
      #expect(try browser.text(captions).hasPrefix("pine|Öak|"))
      func sort(_ order: String, _ wanted: [String]) throws {
        try browser.evaluate(
          "var field = document.getElementById('sort'); field.value = '\(order)'; field.dispatchEvent(new Event('change', { bubbles: true }))"
        )
        let links = wanted.map { "drawing?id=\($0)" }.joined(separator: "|")
        try browser.wait(
          "[...document.querySelectorAll('.cell')].map((one) => one.getAttribute('href')).join('|') === '\(links)'"
        )
      }
      try sort("oldest", ["s3", "s2", "s1", "s0"])
      try sort("title", ["s3", "s1", "s0", "s2"])
      #expect(try browser.text(captions).hasPrefix("<i>birch</i>|Öak|pine|"))
      try browser.click(".cell[href=\"drawing?id=s1\"]")
      try browser.wait(
        "location.pathname === '/drawing' && document.getElementById('day')?.textContent === 'Öak'")
      try browser.evaluate("history.back()")
      try browser.wait(
        "location.pathname === '/' && document.getElementById('sort')?.value === 'title' && \(Self.ready)"
      )
      try patch(visit, "s0", ["title": "fir"])
      try sort("changed", ["s0", "s3", "s2", "s1"])
      try sort("newest", ["s0", "s1", "s2", "s3"])
      #expect(try browser.isTrue("!location.search.includes('sort')"))
      try visit.end()
    }

    @Test func `title and tags are written on a drawing's page, and stored without a button`()
      throws
    {
      let visit = try visit([""])
      let browser = visit.browser
      try visit.open(
        "drawing?id=s0&no-worker", ready: "document.getElementById('title')?.offsetParent != null")
      try browser.click("#title")
      for key in ["E", "l", "m", "Enter"] { try browser.press(key) }
      try browser.wait("document.getElementById('day').textContent === 'Elm'")
      try browser.evaluate(
        "const field = document.getElementById('tags'); field.value = ' tree, 山、tree,, '; field.dispatchEvent(new Event('change', { bubbles: true }))"
      )
      try browser.wait("document.getElementById('tags').value === 'tree, 山'")
      #expect(try tags(visit, "s0") == ["tree", "山"])
      #expect(try visit.send("GET", "drawings/s0").json["title"] as? String == "Elm")
      // A failure is reported, and what was typed stays.
      try browser.perform(["rules": [["PATCH ", 500, 0]]])
      try browser.evaluate(
        "const title = document.getElementById('title'); title.value = 'Fir'; title.dispatchEvent(new Event('change', { bubbles: true }))"
      )
      try browser.waitForText("That did not work.")
      #expect(try browser.text("document.getElementById('title').value") == "Fir")
      #expect(try browser.text("document.getElementById('day').textContent") == "Elm")
      try visit.end(allowing: "500")
    }

    @Test func `selected drawings are deleted together, and come back with undo`() throws {
      let visit = try visit(["a", "b", "c", "d"])
      let browser = visit.browser
      try visit.open("?no-worker", ready: Self.ready)
      for undo in [true, false] {
        try pick(visit, "s0", "s2")
        #expect(
          try browser.text("document.getElementById('picked').textContent") == "2 drawings selected"
        )
        try browser.keepPicture("page-selected.png")
        try browser.press("Delete")
        try browser.wait("document.getElementById('ask').open")
        #expect(
          try browser.text("document.getElementById('ask-title').textContent")
            == "Delete 2 drawings?")
        try browser.click("#delete-now")
        try browser.waitForText("2 drawings deleted")
        #expect(try visit.cells == ["drawing?id=s1", "drawing?id=s3"])
        #expect(try visit.send("GET", "drawings/s0").status == 200)
        if undo {
          try browser.press("Control+z")
          try browser.wait("document.querySelectorAll('.cell').length === 4")
        }
      }
      // Leaving the page deletes them.
      try visit.open("?no-worker", ready: Self.ready)
      for (id, status) in [("s0", 404), ("s1", 200), ("s2", 404), ("s3", 200)] {
        #expect(try visit.send("GET", "drawings/\(id)").status == status)
      }
      // Many deletions are refused for a moment, and then accepted; a failed one comes back.
      try pick(visit, "s1", "s3")
      try browser.perform(["rules": [["DELETE .*s1", 429, 0], ["DELETE .*s3", 500, 0]]])
      try browser.press("Delete")
      try browser.click("#delete-now")
      try browser.waitForText("2 drawings deleted")
      try browser.wait("document.querySelector('.cell[href$=s3]') !== null", seconds: 20)
      try browser.perform(["rules": [Any]()])
      try browser.wait(
        "fetch('v1/users/dev/drawings/s1').then(({ status }) => status === 404)", seconds: 20)
      #expect(try visit.cells == ["drawing?id=s3"])
      try visit.end(allowing: "404", "429", "500")
    }

    @Test func `the keyboard alone selects drawings, a range and all of them`() throws {
      let visit = try visit(["a", "b", "c", "d"])
      let browser = visit.browser
      try visit.open("?no-worker", ready: Self.ready)
      try browser.evaluate("document.getElementById('select').focus()")
      try browser.press("Enter")
      #expect(try browser.isTrue("document.activeElement.matches('.pick')"))
      // Links are out of reach meanwhile.
      #expect(
        try browser.isTrue("[...document.querySelectorAll('.cell')].every((one) => one.inert)"))
      try browser.press(" ", "Tab", "Tab")
      try browser.evaluate(
        "document.activeElement.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))"
      )
      #expect(
        try browser.text("document.getElementById('picked').textContent") == "3 drawings selected")
      try browser.press("Control+a")
      #expect(
        try browser.text("document.getElementById('picked').textContent") == "4 drawings selected")
      try browser.press("Control+a")
      #expect(
        try browser.text("document.getElementById('picked').textContent") == "0 drawings selected")
      #expect(try browser.isTrue("document.querySelector('[data-act=pickDelete]').disabled"))
      try browser.press("Escape")
      #expect(try browser.text("document.activeElement.id") == "select")
      #expect(
        try browser.isTrue(
          "document.querySelector('.pick') === null && document.getElementById('picking').hidden"))
      try visit.end()
    }

    @Test func `selected drawings are downloaded as a zip, named by their titles`() throws {
      let visit = try visit(["a/b: c", "A b c", "", "other"])
      let browser = visit.browser
      try visit.open("?no-worker", ready: Self.ready)
      try browser.evaluate(
        """
        URL.createObjectURL = (blob) => { globalThis.saved = blob; return 'blob:none'; };
        HTMLAnchorElement.prototype.click = function () { globalThis.savedName = this.download; };
        """)
      try pick(visit, "s0", "s1", "s2")
      try browser.click("[data-act=pickSave]")
      try browser.wait("globalThis.saved !== undefined")
      #expect(try browser.text("savedName").hasSuffix(".zip"))
      let text = try browser.text(
        "saved.arrayBuffer().then((all) => btoa(Array.from(new Uint8Array(all), (byte) => String.fromCharCode(byte)).join('')))"
      )
      let bytes = [UInt8](try #require(Data(base64Encoded: text)))
      let files = try Self.unzipped(bytes)
      #expect(files.count == 6 && files["other.png"] == nil)
      let names = files.keys.filter { $0.hasSuffix(".pkd") }.sorted()
      #expect(names.contains("a b c.pkd") || names.contains("a b c (2).pkd"))
      #expect(names.contains { $0.hasPrefix("20") })
      let recording = try Recordings.sample("mood")
      for name in names {
        #expect(files[name] == recording)
        let picture = files[name.replacingOccurrences(of: ".pkd", with: ".png")] ?? []
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      }
      // Without an answer nothing is saved, and that is said.
      try browser.evaluate("globalThis.saved = undefined")
      try browser.perform(["rules": [["GET .*s2/recording", 500, 0]]])
      try browser.click("[data-act=pickSave]")
      try browser.waitForText("That did not work.")
      #expect(try browser.isTrue("globalThis.saved === undefined"))
      try visit.end(allowing: "500")
    }

    /// The stored files of a zip archive, by their names.
    private static func unzipped(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
      func number(_ size: Int, at offset: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      }
      let end = bytes.count - 22
      #expect(number(4, at: end) == 0x0605_4B50)
      var place = number(4, at: end + 16)
      var files: [String: [UInt8]] = [:]
      for _ in 0..<number(2, at: end + 10) {
        #expect(number(4, at: place) == 0x0201_4B50 && number(2, at: place + 8) == 0x800)
        let (size, length) = (number(4, at: place + 24), number(2, at: place + 28))
        let name = String(decoding: bytes[place + 46..<place + 46 + length], as: UTF8.self)
        let start = number(4, at: place + 42)
        #expect(number(4, at: start) == 0x0403_4B50 && number(2, at: start + 26) == length)
        let content = start + 30 + length
        files[name] = Array(bytes[content..<content + size])
        place += 46 + length
      }
      #expect(place == end)
      return files
    }

    @Test func `tags are put on selected drawings, and a tag shows its drawings alone`() throws {
      let visit = try visit(["a", "b", "c"])
      let browser = visit.browser
      try patch(visit, "s1", ["tags": ["old"]])
      try visit.open("?no-worker", ready: Self.ready)
      try browser.wait("document.getElementById('tag').options.length === 2")
      try pick(visit, "s0", "s1")
      try browser.click("[data-act=pickTags]")
      try browser.wait("document.activeElement.id === 'new-tag'")
      try browser.evaluate("document.getElementById('new-tag').value = '<b>樹</b>'")
      try browser.press("Enter")
      try browser.wait("document.querySelectorAll('#tags-here button').length === 2")
      try browser.wait("document.getElementById('tag').options.length === 3")
      #expect(try tags(visit, "s0") == ["<b>樹</b>"])
      #expect(try tags(visit, "s1") == ["old", "<b>樹</b>"])
      try browser.evaluate("document.querySelector('[aria-label=\"Remove the tag old\"]').click()")
      try browser.wait("document.querySelectorAll('#tags-here button').length === 1")
      #expect(try tags(visit, "s1") == ["<b>樹</b>"])
      try browser.press("Escape", "Escape")
      try browser.wait("document.getElementById('picking').hidden")
      try browser.evaluate(
        "const field = document.getElementById('tag'); field.value = '<b>樹</b>'; field.dispatchEvent(new Event('change', { bubbles: true }))"
      )
      try browser.wait("document.querySelectorAll('.cell').length === 2")
      #expect(try visit.cells == ["drawing?id=s0", "drawing?id=s1"])
      try browser.evaluate("history.back()")
      try browser.wait("document.querySelectorAll('.cell').length === 3")
      try visit.open("?tag=none&no-worker", ready: "document.querySelector('.blank') !== null")
      try browser.waitForText("No drawing has this tag")
      try visit.end()
    }

    @Test func `check-ins and diary vanish by the user's switch and by the server's`() throws {
      let visit = try visit(["a"])
      let browser = visit.browser
      let links =
        "[...document.querySelectorAll('.nav a')].filter((one) => one.offsetParent).length"
      try visit.open("?no-worker", ready: Self.ready)
      #expect(try browser.number(links) == 3)
      try browser.click("#more")
      try browser.evaluate("document.getElementById('journal').click()")
      #expect(try browser.number(links) == 1)
      try visit.open(
        "drawing?id=s0&no-worker", ready: "document.getElementById('delete')?.offsetParent != null")
      #expect(try browser.number(links) == 1)
      try visit.open("?no-worker", ready: Self.ready)
      try browser.click("#more")
      try browser.evaluate("document.getElementById('journal').click()")
      #expect(try browser.number(links) == 3)
      try visit.end()

      let other = try self.visit(["a"], options: ["--no-journal"])
      try other.open(
        "?no-worker",
        ready: "\(Self.ready) && document.documentElement.hasAttribute('data-no-journal')")
      #expect(try other.browser.number(links) == 1)
      // The user has nothing to switch.
      #expect(try other.browser.isTrue("document.getElementById('more').offsetParent === null"))
      #expect(try other.server.send("GET", "/diary")?.status == 404)
      try other.end()
    }

    @Test func `10,000 drawings place few elements, wherever the window is`() throws {
      let visit = try visit(["a"])
      let browser = visit.browser
      // The service's answers for 10,000 drawings in 1,000 days.
      try browser.before(
        """
        {
          const real = globalThis.fetch;
          globalThis.fetch = async (path, options) => {
            const address = new URL(path, location.href);
            if (!address.pathname.endsWith('/gallery')) return real(path, options);
            const start = Number(address.searchParams.get('after') ?? 0);
            const end = Math.min(start + Number(address.searchParams.get('limit')), 10_000);
            const days = new Map();
            for (let number = start; number < end; number++) {
              const at = new Date(Date.UTC(2026, 10, 28, 12) - Math.floor(number / 10) * 86_400_000 - number % 10 * 60_000);
              const day = at.toISOString().slice(0, 10);
              if (!days.has(day)) days.set(day, []);
              days.get(day).push({ id: `n${number}`, createdAt: at.toISOString(), updatedAt: at.toISOString() });
            }
            const sections = [...days].map(([day, drawings]) => ({ title: day, day, drawings }));
            return new Response(JSON.stringify({ title: '', sections, checkIns: [], cursor: end < 10_000 ? String(end) : null }));
          };
        }
        """)
      try visit.open("?no-worker", ready: Self.ready)
      let whole = "document.getElementById('count').textContent === '10,000 drawings'"
      try browser.evaluate(
        """
        (async () => {
          while (!(\(whole))) {
            document.querySelector('.further button')?.click();
            await hand.wait(5);
          }
        })()
        """)
      try browser.wait(whole, seconds: 60)
      for place in [0.5, 1, 0] {
        try browser.evaluate("scrollTo(0, \(place) * document.body.scrollHeight); hand.wait(500)")
        #expect(try browser.number("document.querySelectorAll('.cell').length") < 120)
        #expect(try browser.number("document.querySelectorAll('.cell').length") > 5)
        #expect(try browser.number("document.querySelectorAll('*').length") < 12_000)
      }
      try visit.end(allowing: "404")
    }
  }
}
