import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Searching in the gallery.
  @Suite struct SearchTests {
    private static let found = "document.querySelector('.results .cell') !== null"

    /// Opens pages with drawings that have recognized words.
    private func visit(_ words: [String: [String]]) throws -> PageVisit {
      let visit = try PageVisit(proxyPrefix: "")
      let recording = try Recordings.sample("mood")
      for (id, texts) in words.sorted(by: { $0.key < $1.key }) {
        #expect(
          try visit.send("PUT", "drawings/\(id)/recording.pkd", body: recording).status == 201)
        let list = texts.map { ["text": $0, "box": [1, 2, 3, 4]] as [String: Any] }
        let body = try JSONSerialization.data(
          withJSONObject: ["recognizedText": ["words": list]])
        let reply = try visit.send(
          "PATCH", "drawings/\(id)", [("Content-Type", "application/json")], body: [UInt8](body))
        #expect(reply.status == 200, "\(reply.text)")
      }
      return visit
    }

    private func type(_ text: String, _ browser: HTMLBrowser.Session) throws {
      try browser.evaluate(
        "document.getElementById('search').value = \(HTMLBrowser.Session.literal(text)); document.getElementById('search').dispatchEvent(new Event('input'))"
      )
    }

    @Test func `a typed search is found, and Back returns to it and to all drawings`()
      throws
    {
      let visit = try visit([
        "one": ["<b>Shop</b>", "list"], "two": ["shopping"], "three": ["other"],
      ])
      let browser = visit.browser
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      let all = try visit.cells.count
      try browser.click("#search")
      for key in ["s", "h", "o", "p"] { try browser.press(key) }
      try browser.wait(Self.found)
      #expect(try visit.cells == ["drawing?id=two", "drawing?id=one"])
      // Words are shown as texts, never as elements.
      #expect(
        try browser.text("[...document.querySelectorAll('.found')].at(-1).textContent")
          == "<b>Shop</b>")
      #expect(
        try browser.text("document.getElementById('count').textContent") == "2 drawings found")
      #expect(try browser.text("document.activeElement.id") == "search")
      #expect(try browser.text("new URLSearchParams(location.search).get('search')") == "shop")
      try browser.click(".results .cell[href=\"drawing?id=one\"]")
      try browser.wait(
        "location.pathname === '/drawing' && document.getElementById('crumb') !== null")
      try browser.evaluate("history.back()")
      try browser.wait("location.pathname === '/' && \(Self.found)")
      #expect(try browser.text("document.getElementById('search').value") == "shop")
      // A word that no drawing contains, in both languages.
      try type("<i>none</i>", browser)
      try browser.waitForText("Nothing found for “<i>none</i>”")
      try browser.click(".language")
      try browser.waitForText("找不到「<i>none</i>」")
      try browser.click(".language")
      // Escape returns to all drawings.
      try browser.click("#search")
      try browser.press("Escape")
      try browser.wait("document.querySelectorAll('.cell').length >= \(all)")
      #expect(try browser.isTrue("!location.search.includes('search')"))
      try visit.end()
    }

    @Test func `Back leads from a search to the gallery, and a failure can be tried again`() throws
    {
      let visit = try visit(["one": ["shop"]])
      let browser = visit.browser
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      try type("shop", browser)
      try browser.wait(Self.found)
      try browser.evaluate("history.back()")
      try browser.wait("document.querySelector('.day:not(.results) .cell') !== null")
      #expect(try browser.text("document.getElementById('search').value").isEmpty)
      try browser.perform(["rules": [["search=", 500, 0]]])
      try type("shop", browser)
      try browser.waitForText("The search did not work")
      try browser.perform(["rules": [Any]()])
      try browser.click("#days [role=alert] button")
      try browser.wait(Self.found)
      try visit.end(allowing: "500")
    }

    @Test func `search results fit into all windows, light and dark`() throws {
      let visit = try visit([
        "one": [String(repeating: "shop", count: 40), "a shop"], "two": ["shopping", "workshop"],
        "three": ["買東西 shop"],
      ])
      let browser = visit.browser
      for width in [320, 768, 1440] {
        for isDark in [false, true] {
          browser.window = (width, 800, 1, isDark)
          try browser.changeWindow()
          let look = "\(width)-\(isDark ? "dark" : "light")"
          try visit.open("?search=shop&no-worker", ready: Self.found)
          #expect(
            try browser.isTrue("document.documentElement.scrollWidth <= innerWidth"), "\(look)")
          #expect(try browser.number("document.getElementById('search').offsetHeight") >= 44)
          try browser.evaluate("hand.wait(700)")
          try browser.keepPicture("page-search-\(look).png")
          try visit.open(
            "?search=none&no-worker", ready: "document.querySelector('.blank .for') !== null")
          try browser.keepPicture("page-search-nothing-\(look).png")
        }
      }
      try visit.end()
    }
  }
}
