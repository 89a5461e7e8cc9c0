import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Faults that axe-core finds, and pages wider than their window.
  @Suite(
    .enabled(
      if: HTMLBrowser.axe != nil,
      "skipped: there is no axe-core; pip install axe-playwright-python brings it"))
  struct AccessibilityTests {
    /// A page with its condition for being ready, and scripts that bring it into its states.
    private struct Page: Sendable {
      struct Rule: Sendable {
        let pattern: String
        let status: Int
      }

      let path: String
      let ready: String
      var states = ["0"]
      /// The answers of a proxy meanwhile.
      var rules: [Rule] = []
    }

    private static let pages = [
      Page(
        path: "", ready: "document.querySelector('.cell') !== null",
        states: [
          "0", "document.getElementById('more').click()",
          "document.getElementById('select').click(); document.querySelector('.pick').click()",
          "document.querySelector('[data-act=pickTags]').click()",
          "document.getElementById('tagging').close(); document.querySelector('[data-act=pickDelete]').click()",
        ]),
      Page(path: "?sort=title", ready: "document.querySelector('.results .cell') !== null"),
      Page(path: "?tag=none", ready: "document.querySelector('.blank') !== null"),
      Page(
        path: "", ready: "document.querySelector('#days [role=alert]') !== null",
        rules: [Page.Rule(pattern: #"/gallery\?"#, status: 500)]),
      Page(path: "?search=nothing", ready: "document.querySelector('.blank .for') !== null"),
      Page(
        path: "drawing?id=sample",
        ready:
          "document.querySelector('pentimento-drawing')?.duration > 0 && document.getElementById('delete').offsetParent !== null",
        states: [
          "document.querySelector('#links .field') ?? document.getElementById('make-link').click(); hand.wait(400)",
          "document.querySelector('#together .field') ?? document.querySelector('#together .actions .button').click(); hand.wait(400)",
          "document.getElementById('ask').showModal()",
        ]),
      Page(path: "join", ready: "document.querySelector('#other h1') !== null"),
      Page(path: "drawing?id=none", ready: "document.querySelector('#other h1') !== null"),
      Page(
        path: "draw", ready: PageVisit.ready,
        states: [
          "hand.stroke(hand.wave(60, 200)); 0",
          "document.getElementById('papers-button').click()",
          "document.getElementById('more-button').click()",
          "document.getElementById('colour-button').click()",
          "document.getElementById('hex').value = 'x', document.getElementById('hex').dispatchEvent(new Event('change')), hand.wait(50)",
          "document.getElementById('dropper-button').click(), hand.wait(100)",
          "document.getElementById('more').close(); document.getElementById('keys').showModal()",
        ]),
      Page(path: "draw?id=none", ready: "document.body.dataset.state === 'failed'"),
      Page(
        path: "checkin", ready: "document.querySelector('.pick') !== null",
        states: [
          "0",
          "document.querySelector('input[value=joy]').click(); document.getElementById('keep').click(); hand.wait(600)",
        ]),
      Page(
        path: "diary", ready: "document.querySelector('article') !== null",
        states: ["0", "document.getElementById('delete-dialog').showModal()"]),
      Page(
        path: "diary", ready: "document.querySelector('#notice [role=alert]') !== null",
        rules: [Page.Rule(pattern: #"/cards\?"#, status: 500)]),
    ]

    @Test func `web pages have no accessibility faults and fit their window in any state`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      browser.isStill = true
      try browser.before(try #require(HTMLBrowser.axe))
      for page in Self.pages {
        try browser.perform(["rules": page.rules.map { [$0.pattern, $0.status, 0] as [Any] }])
        let mark = page.path.contains("?") ? "&" : "?"
        browser.window = (1440, 900, 1, false)
        try visit.open("\(page.path)\(mark)no-worker&theme=light", ready: page.ready)
        for state in page.states {
          try browser.evaluate(
            "(async () => { await (\(state.replacingOccurrences(of: "; ", with: ", "))); })()")
          for (width, height) in [(1440, 900), (768, 1024), (390, 780), (320, 640)] {
            browser.window = (width, height, 1, false)
            try browser.changeWindow()
            try browser.evaluate("hand.wait(150)")
            let place = "\(page.path) \(state) at \(width)"
            #expect(
              try browser.number("document.documentElement.scrollWidth - innerWidth") <= 0,
              "\(place): wider than the window")
            if width == 390 { continue }
            for _ in 0..<2 {
              let faults = try browser.text(HTMLBrowser.faults(after: 60))
              let look = try browser.text("window.theme.isDark ? 'dark' : 'light'")
              #expect(faults == "", "\(place), \(look)")
              if width == 320 {
                let name = page.path.prefix { $0 != "?" }
                try browser.keepPicture("page-320-\(name)-\(look).png")
              }
              try browser.evaluate("window.theme.toggle()")
            }
          }
        }
      }
      try visit.end(allowing: "500", "404", "not-found", "Canvas2D:")
    }
  }
}
