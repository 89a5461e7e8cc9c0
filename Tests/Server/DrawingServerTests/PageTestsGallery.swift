import Foundation
import TestSupport
import Testing

extension PageTests {
  /// The gallery, the page of a drawing, and texts.
  @Suite struct GalleryTests {
    @Test func `white ink is visible, and a shared replay loads its player after Play`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      let stored = try visit.send(
        "PUT", "drawings/white/recording.pkd", body: Recordings.line(grey: 1))
      #expect(stored.status == 201)
      try visit.openGallery()
      let image = "document.querySelector('[href$=\"id=white\"] img')"
      try browser.wait("\(image)?.naturalWidth > 0")
      let lights = try browser.text(
        """
        (() => {
          const image = \(image);
          const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d');
          canvas.drawImage(image, 0, 0);
          const { data } = canvas.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
          const greens = data.filter((_, index) => index % 4 === 1);
          return `${image.naturalWidth / image.naturalHeight} ${Math.min(...greens)} ${Math.max(...greens)}`;
        })()
        """)
      #expect(lights == "1 33 255")

      let shared = try visit.send(
        "POST", "shares", [("Content-Type", "application/json")],
        body: Array(#"{"drawing": "white", "view": "replay"}"#.utf8))
      let id = try #require(shared.json["id"] as? String)
      try browser.open(
        "\(visit.address)/s/\(id)",
        ready: "document.querySelector('[src=\"\(id)/picture.png\"]')?.naturalWidth > 0")
      let loaded = try browser.text(
        "performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop()).join(' ')"
      )
      #expect(loaded.split(separator: " ").allSatisfy { ["picture.png", "icon.svg"].contains($0) })
      try browser.click("a")
      // The replay plays, and its first moment is 0.
      try browser.wait("document.querySelector('pentimento-drawing')?.currentTime > 0")
      try visit.end()
    }

    /// Opens the page of a drawing and asks to delete it.
    private func delete(_ visit: PageVisit, _ id: String) throws {
      try visit.open(
        "drawing?id=\(id)&no-worker",
        ready: "document.getElementById('delete')?.offsetParent != null")
      try visit.browser.click("#delete")
      try visit.browser.wait("document.getElementById('ask').open")
      try visit.browser.click("#delete-now")
      try visit.browser.wait(
        "document.querySelector('.toast') !== null && document.querySelector('.cell') !== null")
    }

    private func upload(_ visit: PageVisit, _ ids: String...) throws {
      for id in ids {
        let recording = try Recordings.sample("mood")
        #expect(
          try visit.send("PUT", "drawings/\(id)/recording.pkd", body: recording).status == 201)
      }
    }

    @Test func `a deleted drawing comes back with undo, and is deleted once without it`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try upload(visit, "one", "two")
      // By button and by keys, and with a reload that must not delete twice.
      for undo in ["button", "keys"] {
        try delete(visit, "one")
        #expect(try !visit.cells.contains("drawing?id=one"))
        #expect(try visit.cells.contains("drawing?id=two"))
        if undo == "keys" {
          try browser.press("Control+z")
        } else {
          try browser.click(".toast button")
        }
        try browser.wait("document.querySelector('.cell[href=\"drawing?id=one\"]') !== null")
        #expect(try browser.text("document.activeElement.getAttribute('href')") == "drawing?id=one")
        #expect(try visit.send("GET", "drawings/one").status == 200)
      }
      try delete(visit, "one")
      try browser.keepPicture("page-deleted.png")
      // Leaving the page deletes the drawing.
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      #expect(try visit.send("GET", "drawings/one").status == 404)
      #expect(try !visit.cells.contains("drawing?id=one"))
      // It is not deleted again if it comes back, as it would be by a repeated order.
      try upload(visit, "three")
      try visit.open("?deleted=three&no-worker", ready: "document.querySelector('.cell') !== null")
      #expect(try visit.cells.contains("drawing?id=three"))
      #expect(try browser.isTrue("document.querySelector('.toast') === null"))
      // A deletion that fails brings the drawing back.
      try delete(visit, "two")
      try browser.perform(["rules": [["DELETE ", 503, 0]]])
      try browser.evaluate("document.activeElement.blur()")
      try browser.wait(
        "document.querySelector('.cell[href=\"drawing?id=two\"]') !== null", seconds: 20)
      try browser.waitForText("That did not work.")
      #expect(try visit.send("GET", "drawings/two").status == 200)
      try visit.end(allowing: "503", "404")
    }

    @Test func `files that are dropped on the gallery become drawings, page by page`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.deleteDrawings()
      try visit.open("?no-worker", ready: "document.querySelector('.blank') !== null")
      let ink = "<ink xmlns='http://www.w3.org/2003/InkML'><trace>10 10, 60 40, 90 10</trace></ink>"
      let page =
        "<page width='612' height='792'><layer>"
        + "<stroke tool='pen' color='black' width='2'>10 10 60 40 90 10</stroke></layer></page>"
      let notes = "<?xml version='1.0'?><xournal version='0.4'>\(page)\(page)</xournal>"
      func file(_ content: String, _ name: String) -> String {
        "new File([\(HTMLBrowser.Session.literal(content))], '\(name)')"
      }
      try browser.evaluate(
        """
        (() => {
          const data = new DataTransfer();
          for (const one of [
            \(file(ink, "sea.inkml")), \(file("no ink", "a.txt")), \(file(notes, "notes.xoj")),
          ]) data.items.add(one);
          dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
        })()
        """)
      try browser.wait(
        "document.querySelectorAll('a[href^=\"drawing?\"]').length === 3", seconds: 20)
      try browser.waitForText("a.txt: ")
      try browser.keepPicture("page-gallery-opened.png")
      let titles = try visit.send("GET", "drawings").items.compactMap { $0["title"] as? String }
      #expect(titles.sorted() == ["notes 1", "notes 2", "sea"])
      try visit.end(allowing: "422")
    }

    @Test func `the gallery shows that it is empty, loading or failed`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      let count = try visit.send("GET", "drawings").items.count
      #expect(
        try browser.text("document.getElementById('count').textContent")
          == "\(count) drawings")
      try browser.perform(["rules": [[#"/gallery\?"#, 0, 3]]])
      try visit.open(
        "?no-worker",
        ready: "document.getElementById('count')?.textContent === 'Loading your drawings'")
      #expect(
        try browser.isTrue("document.getElementById('days').getAttribute('aria-busy') === 'true'"))
      try browser.keepPicture("page-gallery-loading.png")
      try browser.wait("document.querySelector('.cell') !== null")
      #expect(try browser.isTrue("!document.getElementById('days').hasAttribute('aria-busy')"))
      try browser.perform(["rules": [[#"/gallery\?"#, 500, 0]]])
      try visit.open("?no-worker", ready: "document.querySelector('#days [role=alert]') !== null")
      try browser.waitForText("The gallery could not be loaded")
      try browser.keepPicture("page-gallery-error.png")
      try browser.perform(["rules": [Any]()])
      try browser.click("#days [role=alert] button")
      try browser.wait("document.querySelector('.cell') !== null")
      try visit.deleteDrawings()
      try visit.open("?no-worker", ready: "document.querySelector('#days .blank') !== null")
      try browser.waitForText("No drawings yet. Start creating!")
      #expect(
        try browser.text("document.querySelector('#days .blank a').getAttribute('href')") == "draw")
      try browser.keepPicture("page-gallery-empty.png")
      try visit.end(allowing: "500", "404")
    }

    @Test func `a gallery of many drawings loads only pictures near the window`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      let recording = try Recordings.sample("mood")
      try visit.deleteDrawings()
      for number in 0..<131 {
        let date = ISO8601DateFormatter()
          .string(from: Date().addingTimeInterval(-Double(number) * 7000))
        let reply = try visit.send(
          "PUT", "drawings/g\(number)/recording.pkd?createdAt=\(date)", body: recording)
        #expect(reply.status == 201, "\(reply.text)")
      }
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      #expect(
        try browser.text("document.getElementById('count').textContent") == "The latest 60 drawings"
      )
      // By script: while the browser moves the mouse, proximity alone may trigger the button's
      // work.
      try browser.evaluate("document.querySelector('.further button').click()")
      try browser.wait("document.getElementById('count').textContent === 'The latest 120 drawings'")
      try browser.evaluate("document.querySelector('.further').scrollIntoView()")
      try browser.wait(
        "document.getElementById('count').textContent === '131 drawings'")
      try browser.evaluate("scrollTo(0, 0)")
      try browser.wait("scrollY === 0 && document.querySelectorAll('.cell img').length < 100")
      #expect(try browser.number("document.querySelectorAll('.cell img').length") >= 12)
      // Coming back from a drawing restores the scroll position of the gallery.
      try browser.evaluate("document.querySelectorAll('.day')[4].scrollIntoView(); hand.wait(600)")
      let top = try browser.number("scrollY")
      try browser.evaluate(
        "[...document.querySelectorAll('.cell')].find((one) => one.getBoundingClientRect().top > 50).click()"
      )
      try browser.wait(
        "location.pathname === '/drawing' && document.getElementById('crumb') !== null && document.querySelector('pentimento-drawing')?.duration > 0"
      )
      try browser.click("#crumb")
      try browser.wait(
        "location.pathname === '/' && document.querySelector('.cell') !== null && Math.abs(scrollY - \(top)) < 40"
      )
      try visit.end()
    }

    @Test func `the keyboard leads from the gallery to a replay and back`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      func tab(_ key: String, to condition: String) throws {
        for _ in 0..<40 where try !browser.isTrue("Boolean(\(condition))") {
          try browser.press(key)
        }
        #expect(try browser.isTrue("Boolean(\(condition))"), "\(condition)")
      }
      try browser.press("Tab")
      #expect(try browser.text("document.activeElement.className") == "skip")
      try browser.press("Enter", "Tab")
      try tab("Tab", to: "document.activeElement.matches('.cell')")
      try browser.wait("document.activeElement.querySelector('.under') !== null")
      try browser.press("Enter")
      try browser.wait(
        "location.pathname === '/drawing' && document.querySelector('pentimento-drawing')?.duration > 0"
      )
      // The facts contain the engine's data about the recording.
      try browser.wait("document.getElementById('facts').textContent.includes('Inks')")
      try tab(
        "Tab", to: "document.activeElement.shadowRoot?.activeElement?.classList.contains('start')")
      try browser.press(" ")
      try browser.wait("document.querySelector('pentimento-drawing').currentTime > 0.1")
      #expect(try browser.isTrue("!document.querySelector('pentimento-drawing').paused"))
      try tab("Shift+Tab", to: "document.activeElement.id === 'crumb'")
      try browser.press("Enter")
      try browser.wait("location.pathname === '/' && document.querySelector('.cell') !== null")
      try visit.end()
    }

    @Test func `pages are shown in both languages, and the chosen one is kept`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      let words = [
        ("", "document.querySelector('.cell') !== null", "Gallery", "畫廊"),
        (
          "drawing?id=sample", "document.getElementById('delete')?.offsetParent != null",
          "Take it with you", "帶走"
        ),
        (
          "checkin", "document.getElementById('keep') !== null", "How is it, right now?",
          "此刻，你感覺如何？"
        ),
        ("diary", "document.querySelector('article') !== null", "This week", "這一週"),
        ("draw", PageVisit.ready, "Done", "完成"),
      ]
      for (page, ready, english, chinese) in words {
        for (language, wanted, other) in [("en", english, chinese), ("zh-TW", chinese, english)] {
          let mark = page.contains("?") ? "&" : "?"
          // The texts are set a moment after the elements.
          try visit.open(
            "\(page)\(mark)lang=\(language)&no-worker",
            ready: "\(ready) && document.body.innerText.includes('\(wanted)')")
          let text = try browser.text("document.body.innerText")
          #expect(
            text.contains(wanted) && !text.contains(other),
            "\(page) \(language): \(text.prefix(300))")
          #expect(try browser.text("document.documentElement.lang") == language)
          // Every key has a text, and every placeholder a value.
          #expect(!text.contains("undefined") && !text.contains("{"), "\(page) \(language)")
          if language == "zh-TW" { try browser.keepPicture("page-zh-\(page.prefix(5)).png") }
        }
      }
      try browser.open(
        "\(visit.address)/?no-worker", ready: "document.querySelector('.cell') !== null")
      let before = try browser.text("document.documentElement.lang")
      try browser.click(".language")
      let after = try browser.text("document.documentElement.lang")
      #expect(Set([before, after]) == ["en", "zh-TW"])
      try browser.open(
        "\(visit.address)/diary?no-worker", ready: "document.querySelector('article') !== null")
      #expect(try browser.text("document.documentElement.lang") == after)
      try visit.end()
    }

    @Test func `a link to a drawing can be made, opened and ended`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.open(
        "drawing?id=sample&no-worker",
        ready: "document.getElementById('make-link')?.offsetParent != null")
      // What comes above the button moves it.
      try browser.wait("document.querySelector('#together > *') !== null")
      try browser.evaluate("hand.wait(300)")
      try browser.click("#make-link")
      try browser.wait("document.querySelector('#links .field')?.value.startsWith('http')")
      let link = try browser.text("document.querySelector('#links .field').value")
      let target = link.replacingOccurrences(of: visit.server.url, with: "")
      #expect(try visit.server.send("GET", target)?.status == 200)
      try browser.click(".link-end .button")
      try browser.wait("document.querySelector('#links .field') === null")
      #expect(try visit.server.send("GET", target)?.status != 200)
      try visit.end()
    }
  }
}
