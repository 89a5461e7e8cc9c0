import DrawingServices
import Foundation
import TestSupport
import Testing
import WebPages

extension PageTests {
  /// The service worker, and pages behind a proxy.
  @Suite struct NetworkTests {
    private func waitForWorker(_ browser: HTMLBrowser.Session) throws {
      try browser.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    }

    @Test func `after one visit the pages open and draw without a network`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.openGallery()
      try waitForWorker(browser)
      visit.server.kill()
      try browser.perform(["offline": true])
      try visit.openDraw()
      try visit.wave(at: 300)
      try visit.waitForState("Kept on this device")
      let id = try visit.id
      try browser.evaluate("hand.settle()")
      try browser.keepPicture("page-draw-offline.png")
      for (page, words) in [
        ("diary", "The diary could not be loaded"), ("checkin", "How is it, right now?"),
        ("drawing?id=sample", "There is no connection"), ("", "The gallery could not be loaded"),
      ] {
        try visit.open(page, ready: "document.querySelector('main') !== null")
        try browser.waitForText(words)
      }
      #expect(try visit.cells == ["draw?id=\(id)"])
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `a new version of the files replaces the old one as a whole`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openGallery()
      try waitForWorker(browser)
      let before = try browser.text("caches.keys().then((names) => names.join())")
      try browser.perform([
        "replace": [
          ["/sw.js", "const version = '", "const version = 'next-"],
          ["/assets/\(WebPages.version)/words.mjs", "['Gallery', ", "['New gallery', "],
        ]
      ])
      // The cached version is shown until all new files have arrived.
      try visit.openGallery()
      try browser.wait(
        """
        caches.keys().then((names) => {
          const versions = names.filter((name) => name.startsWith('pentimento '));
          return versions.length === 1 && versions[0].startsWith('pentimento next-');
        })
        """
      )
      #expect(try browser.text("caches.keys().then((names) => names.join())") != before)
      try visit.openGallery()
      #expect(try browser.text("document.querySelector('h1').textContent") == "New gallery")
      // Without a network, the new version is shown, too.
      visit.server.kill()
      try browser.perform(["rules": [["", -1, 0]]])
      try visit.openGallery()
      #expect(try browser.text("document.querySelector('h1').textContent") == "New gallery")
      try visit.end(allowing: "Failed to load resource")
    }

    @Test
    func `the gallery shows its last drawings and pictures without a network, to their user only`()
      throws
    {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try visit.openGallery()
      try waitForWorker(browser)
      // The worker serves this page's requests from the second visit on.
      try visit.openGallery()
      // Blocks after the first are filled when the browser reports them near the window.
      let firstBlock =
        "[...document.querySelector('#days .block').querySelectorAll('.cell')].map((one) => one.getAttribute('href'))"
      let cells = try #require(try browser.evaluate(firstBlock) as? [String])
      let isShown = """
        [...document.querySelectorAll('.cell img')].slice(0, 4).every((one) => one.complete && one.naturalWidth > 0)
        """
      try browser.wait(isShown)
      try browser.wait(
        """
        caches.open('pentimento-pictures').then((cache) => cache.keys())
          .then((keys) => keys.filter((one) => one.url.includes('/render')).length > 3)
        """)
      try browser.perform(["rules": [["/v1/", -1, 0]]])
      try visit.openGallery()
      #expect(try browser.evaluate(firstBlock) as? [String] == cells)
      try browser.wait(isShown)
      try browser.keepPicture("page-gallery-kept.png")
      // A deleted drawing's picture is deleted here, too.
      let first = try #require(cells.first?.split(separator: "=").last.map(String.init))
      let kept =
        "caches.match(document.querySelector('.cell img').src.replace(/\\?.*/, '?style=light'))"
      #expect(try browser.isTrue("\(kept).then((one) => one !== undefined)"))
      try browser.perform(["rules": [Any]()])
      try visit.openGallery()
      // A picture that is still on its way would be kept after the deletion.
      try browser.wait(isShown)
      try browser.evaluate("fetch('v1/users/dev/drawings/\(first)', { method: 'DELETE' })")
      try browser.wait("\(kept).then((one) => one === undefined)")
      // Nothing is left for somebody who is not signed in.
      try browser.perform(["rules": [["/v1/users/", 401, 0]]])
      try visit.open("", ready: "document.querySelector('#days [role=alert]') !== null")
      try browser.wait("caches.has('pentimento-pictures').then((one) => !one)")
      try visit.end(allowing: "Failed to load resource", "401")
    }

    @Test func `pages work below a path of a proxy`() throws {
      let visit = try PageVisit(proxyPrefix: "/ink")
      let browser = visit.browser
      for (page, ready) in [
        ("diary", "document.querySelector('article') !== null"),
        ("checkin", "document.querySelector('.pick-new') !== null"),
        ("drawing?id=sample", "document.querySelector('pentimento-drawing')?.duration > 0"),
        ("draw", PageVisit.ready),
      ] {
        try visit.open(page, ready: ready)
        let strays = try browser.evaluate(
          "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.includes('/ink/') && !name.startsWith('blob:'))"
        )
        #expect(strays as? [String] == [], "\(page)")
      }
      try visit.wave(at: 200)
      try visit.waitForState("Saved")
      let id = try visit.id
      #expect(try visit.strokes(id) == [40])
      #expect(
        try browser.text("navigator.serviceWorker.ready.then(({ scope }) => scope)")
          == "\(visit.address)/")
      try browser.click("#back")
      try browser.wait("location.pathname === '/ink/' && document.querySelector('.cell') !== null")
      #expect(try visit.cells.first == "drawing?id=\(id)")
      try browser.wait("document.querySelector('.cell img').naturalWidth > 0")
      try visit.end()
    }

    @Test func `signing in works below a path of a proxy, and stays there`() throws {
      let browser = try HTMLBrowser.Session()
      try browser.before(try #require(PageVisit.tools))
      let port = try #require(try browser.perform(["proxy": "/ink"]) as? Int)
      let address = "http://127.0.0.1:\(port)/ink"
      let server = try TestServer { $0.publicURL = address }
      try browser.perform(["target": Int(server.port)])
      try browser.open(
        "\(address)/account?lang=en", ready: "document.querySelector('#account #token') !== null")
      try browser.click("#account [aria-expanded]")
      try browser.evaluate("document.getElementById('token').value = '\(server.token("ann"))'")
      try browser.click("#account form [type=submit]")
      try browser.waitForText("No drawings yet.")
      try browser.open("\(address)/draw?lang=en&new=mine", ready: PageVisit.ready)
      try browser.evaluate("hand.stroke(hand.wave(100, 200))")
      try browser.wait("document.getElementById('state').textContent === 'Saved'")
      #expect(try server.send("GET", "/v1/users/ann/drawings/mine").status == 200)
      #expect(try browser.text("document.cookie") == "")
      try browser.end()
      #expect(browser.troubles.filter { !$0.contains("401") } == [])
    }
  }

  /// Browsers that share no code with the first.
  struct OtherBrowserTests {
    @Test(.enabled(if: HTMLBrowser.isFirefoxPresent, Comment(rawValue: HTMLBrowser.firefoxAbsence)))
    func `Firefox shows the gallery, draws, saves, and plays the replay`() throws {
      try Self.visit(in: .firefox)
    }

    @Test(.enabled(if: HTMLBrowser.isWebKitPresent, Comment(rawValue: HTMLBrowser.webKitAbsence)))
    func `WebKit shows the gallery, draws, saves, and plays the replay`() throws {
      try Self.visit(in: .webKit)
    }

    private static func visit(in kind: HTMLBrowser.Kind) throws {
      let visit = try PageVisit(in: kind)
      let browser = visit.browser
      try visit.openGallery()
      try browser.wait("document.querySelector('.cell img').naturalWidth > 0")
      try visit.openDraw()
      try visit.wave(at: 200)
      try visit.wave(at: 400)
      try visit.waitForState("Saved")
      let id = try visit.id
      #expect(try visit.strokes(id) == [40, 40])
      // The screen shows the same pixels as the server renders.
      try browser.evaluate("hand.settle()")
      let look = try #require(try browser.evaluate("hand.look()") as? [String: String])
      let hash = try browser.text("hand.hash(hand.pixels())")
      try browser.keepPicture("page-\(kind.rawValue).png")
      let picture = try PageVisit.Picture(
        recording: visit.recording(id).body, region: look["region"] ?? "",
        scale: look["scale"] ?? "", style: look["style"] ?? "", background: look["background"] ?? ""
      )
      #expect(hash == picture.hash)
      try visit.open(
        "drawing?id=\(id)", ready: "document.querySelector('pentimento-drawing')?.duration > 0")
      let ended = try browser.isTrue(
        """
        (async () => {
          const player = document.querySelector('pentimento-drawing');
          player.currentTime = 0;
          const ended = new Promise((done) => player.addEventListener('ended', done, { once: true }));
          player.play();
          await ended;
          return player.ended;
        })()
        """)
      #expect(ended)
      try browser.keepPicture("page-\(kind.rawValue)-drawing.png")
      try visit.end()
    }
  }
}
