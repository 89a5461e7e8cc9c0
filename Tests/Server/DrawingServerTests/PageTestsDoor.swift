import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Signing in and out in a browser, and drawing without an account. The browser has an
  /// authenticator that agrees to everything.
  @Suite struct DoorTests {
    /// A browser with the pages of a server that knows nobody.
    private final class Visit {
      let folder: TemporaryFolder
      let browser: HTMLBrowser.Session
      let server: RunningServer
      /// Browsers make no passkeys for numeric addresses.
      var address: String { "http://localhost:\(server.port)" }
      private var root: String { folder.file("store").path }

      init(_ options: [String] = []) throws {
        folder = try TemporaryFolder()
        #expect(
          try Program.run("pkd", ["store", "init", "--root", folder.file("store").path]).code == 0)
        browser = try HTMLBrowser.Session(.chromium)
        browser.window = (900, 700, 1, false)
        try browser.before(try #require(PageVisit.tools))
        server = try RunningServer(
          ["--change-rate", "0"] + options, root: folder.file("store").path)
        try browser.perform(["authenticator": true])
      }

      func open(_ path: String, ready: String) throws {
        let parts = path.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let mark = path.contains("?") ? "&" : "?"
        let hash = parts.count > 1 ? "#\(parts[1])" : ""
        try browser.open("\(address)/\(parts[0])\(mark)lang=en\(hash)", ready: ready)
      }

      func openGallery() throws {
        try open("", ready: "document.getElementById('days')?.getAttribute('aria-busy') === null")
      }
      func openAccount() throws { try open("account", ready: Self.account) }
      static let account = "document.getElementById('account')?.children.length > 0"

      /// The page of an invitation by the command.
      func openWelcome(_ uid: String = "ann") throws {
        let link = try run("add", uid, "--name", "Ann")
        #expect(link.hasPrefix("/welcome#"))
        try open(
          String(link.dropFirst().dropLast()),
          ready: "document.querySelector('#invitation button') !== null")
      }

      func run(_ words: String...) throws -> String {
        let result = try Program.run("pkd", ["user"] + words + ["--root", root])
        #expect(result.code == 0, "\(result.errors)")
        return result.text
      }

      /// Presses the button or link with a text.
      func press(_ text: String) throws {
        try browser.evaluate(
          """
          (() => {
            for (const one of document.querySelectorAll('[data-pressed]')) delete one.dataset.pressed;
            const one = [...document.querySelectorAll('button, a.button')].find((one) =>
              one.checkVisibility() && (one.textContent.trim() === '\(text)' || one.ariaLabel === '\(text)'));
            one.dataset.pressed = '';
          })()
          """)
        try browser.click("[data-pressed]")
      }

      /// Waits for the gallery after a sign-in.
      func waitForGallery() throws {
        try browser.wait(
          "location.pathname === '/' && document.getElementById('days')?.getAttribute('aria-busy') === null"
        )
      }

      func draw() throws -> String {
        try open("draw", ready: PageVisit.ready)
        try browser.evaluate("hand.stroke(hand.wave(100, 250))")
        try browser.wait(
          "document.getElementById('state').textContent.startsWith('Kept on this device')")
        // The gallery's picture is made just after that.
        try browser.evaluate("hand.wait(500)")
        return try browser.text("drawing.id")
      }

      var cells: [String] {
        get throws {
          try browser.evaluate(
            "[...document.querySelectorAll('.cell')].map((one) => one.getAttribute('href'))")
            as? [String] ?? []
        }
      }

      var uid: String {
        get throws {
          try browser.text(
            "fetch('v1/session').then((one) => one.json()).then((one) => one.uid ?? '')")
        }
      }

      func end() throws {
        try browser.end()
        let troubles = browser.troubles.filter { trouble in
          !["401", "404", "409", "not-found", "was preloaded using link", "Canvas2D:"].contains {
            trouble.contains($0)
          }
        }
        #expect(troubles == [])
      }
    }

    @Test func `an invited person makes a passkey, signs out, and signs in with it`() throws {
      let visit = try Visit()
      let browser = visit.browser
      try visit.openWelcome()
      #expect(try browser.text("document.body.innerText").contains("Ann, this is your invitation."))
      try visit.press("Make a passkey")
      try visit.waitForGallery()
      #expect(try visit.uid == "ann")
      #expect(try browser.evaluate("document.getElementById('visitor').hidden") as? Bool == true)
      try visit.openAccount()
      let text = try browser.text("document.body.innerText")
      #expect(text.contains("This browser") && text.contains("Made "))
      try visit.press("Sign out")
      try visit.waitForGallery()
      #expect(try visit.uid == "")
      #expect(try browser.evaluate("document.getElementById('visitor').hidden") as? Bool == false)
      #expect(try visit.run("sessions", "ann") == "")
      try visit.openAccount()
      try visit.press("Sign in with a passkey")
      try visit.waitForGallery()
      #expect(try visit.uid == "ann")
      #expect(try visit.run("sessions", "ann").contains("  passkey  "))
      // The invitation is used up.
      #expect(try visit.run("list").contains("ann  Ann  passkeys 1  sessions 1"))
      try visit.end()
    }

    @Test func `a passkey gets another name, and the last one is deleted on purpose`() throws {
      let visit = try Visit()
      let browser = visit.browser
      try visit.openWelcome()
      try visit.press("Make a passkey")
      try visit.waitForGallery()
      try visit.openAccount()
      let name = try browser.text("document.querySelector('.row .name').textContent")
      try visit.press("Rename the passkey \(name)")
      try browser.evaluate("document.getElementById('passkey-name').value = 'Blue key'")
      try browser.click("#name-form [type=submit]")
      try browser.waitForText("Blue key")
      try visit.press("Delete the passkey Blue key")
      try browser.wait("document.getElementById('last').open")
      try browser.click("#delete-last")
      try browser.waitForText("None yet.")
      try browser.perform(["authenticator": true])
      try visit.press("Add a passkey")
      try browser.wait("document.querySelector('.row .button.danger') !== null")
      try visit.end()
    }

    @Test func `everyone becomes a user where the operator wants that`() throws {
      let visit = try Visit(["--sign-up", "everyone"])
      try visit.openAccount()
      try visit.browser.waitForText("Make an account")
      try visit.press("Make an account")
      try visit.waitForGallery()
      #expect(try visit.uid.hasPrefix("u-"))
      try visit.end()
    }

    @Test func `a visitor's drawings stay here, and move into the account that is made`() throws {
      let visit = try Visit()
      let browser = visit.browser
      let id = try visit.draw()
      try visit.openGallery()
      #expect(try visit.cells == ["draw?id=\(id)"])
      #expect(
        try browser.text("document.getElementById('visitor').innerText").contains(
          "Your drawings are kept on this device."))
      #expect(
        try browser.evaluate("document.querySelector('dialog[open]') === null") as? Bool == true)
      try browser.keepPicture("page-visitor.png")
      // It is opened again, and drawn on.
      try visit.open("draw?id=\(id)", ready: PageVisit.ready)
      #expect(try browser.evaluate("drawing.canvas.canUndo") as? Bool == true)
      let second = try visit.draw()
      try visit.openWelcome()
      try visit.press("Go on without a passkey")
      try visit.waitForGallery()
      try browser.wait("document.getElementById('adopting').open")
      #expect(
        try browser.text("document.getElementById('adopting-title').textContent")
          == "Move 2 drawings into your account?")
      try browser.click("#adopt")
      let list =
        "fetch('v1/users/ann/drawings').then((one) => one.json()).then(({ items }) => items.length === 2)"
      try browser.wait(list)
      try visit.openGallery()
      try browser.wait("document.querySelectorAll('.cell').length === 2")
      #expect(Set(try visit.cells) == ["drawing?id=\(id)", "drawing?id=\(second)"])
      #expect(try browser.evaluate("document.getElementById('adopting').open") as? Bool == false)
      try visit.end()
    }

    @Test func `drawings that a user does not want stay, and are asked about once`() throws {
      let visit = try Visit()
      let browser = visit.browser
      let id = try visit.draw()
      try visit.openWelcome()
      try visit.press("Go on without a passkey")
      try browser.wait("document.getElementById('adopting')?.open")
      try browser.click("#not-adopt")
      try visit.openGallery()
      try browser.evaluate("hand.wait(500)")
      #expect(try browser.evaluate("document.getElementById('adopting').open") as? Bool == false)
      #expect(try visit.cells == [])
      try visit.openAccount()
      try visit.press("Sign out")
      try visit.waitForGallery()
      #expect(try visit.cells == ["draw?id=\(id)"])
      try visit.end()
    }

    @Test func `on a shared device nobody sees the unsent drawings of another user`() throws {
      let visit = try Visit()
      let browser = visit.browser
      try visit.openWelcome()
      try visit.press("Go on without a passkey")
      try visit.waitForGallery()
      try visit.open("draw", ready: PageVisit.ready)
      #expect(try visit.run("end-sessions", "ann") == "1 sessions ended\n")
      // The server forgets the session after three seconds.
      try browser.wait("fetch('v1/session').then((one) => one.status === 401)")
      try browser.evaluate("hand.stroke(hand.wave(100, 250))")
      try browser.waitForText("Kept on this device until you sign in")
      let id = try browser.text("drawing.id")
      try visit.openGallery()
      #expect(try visit.cells == [])
      try visit.open("draw?id=\(id)", ready: "document.body.dataset.state === 'failed'")
      try browser.wait("document.querySelector('dialog[open] .ways') !== null")
      try visit.openWelcome("bob")
      try visit.press("Go on without a passkey")
      try visit.waitForGallery()
      try browser.evaluate("hand.wait(500)")
      #expect(try visit.cells == [])
      #expect(try browser.evaluate("document.getElementById('adopting').open") as? Bool == false)
      try visit.openWelcome("ann")
      try visit.press("Go on without a passkey")
      try visit.waitForGallery()
      try browser.wait(
        "fetch('v1/users/ann/drawings').then((one) => one.json()).then(({ items }) => items.length === 1)"
      )
      try visit.end()
    }

    @Test func `a used or wrong invitation says so`() throws {
      let visit = try Visit()
      try visit.open(
        "welcome#pkdi_wrong", ready: "document.querySelector('#invitation a') !== null")
      try visit.browser.waitForText("This invitation has ended")
      try visit.browser.end()
    }

    @Test(
      .enabled(
        if: HTMLBrowser.axe != nil,
        "skipped: there is no axe-core; pip install axe-playwright-python brings it"))
    func `the doors have no accessibility faults and fit their window`() throws {
      let visit = try Visit(["--sign-up", "everyone"])
      let browser = visit.browser
      browser.isStill = true
      try browser.before(try #require(HTMLBrowser.axe))
      func check(_ place: String) throws {
        for (width, height) in [(1440, 900), (768, 1024), (390, 780), (320, 640)] {
          browser.window = (width, height, 1, false)
          try browser.changeWindow()
          try browser.evaluate("hand.wait(150)")
          #expect(
            try browser.number("document.documentElement.scrollWidth - innerWidth") <= 0,
            "\(place) at \(width): wider than the window")
          for _ in 0..<2 {
            let faults = try browser.text(HTMLBrowser.faults(after: 60))
            let look = try browser.text("window.theme.isDark ? 'dark' : 'light'")
            #expect(faults == "", "\(place) at \(width), \(look)")
            if width == 320 || width == 1440 {
              try browser.keepPicture("door-\(width)-\(place)-\(look).png")
            }
            try browser.evaluate("window.theme.toggle()")
          }
        }
      }
      _ = try visit.draw()
      try visit.openGallery()
      try check("visitor")
      try visit.openAccount()
      try visit.browser.waitForText("Make an account")
      try visit.press("Use a token")
      try check("account-signed-out")
      try visit.open(
        "diary", ready: "document.querySelector('dialog[open] .ways') !== null")
      try check("dialog")
      try visit.openWelcome()
      try check("welcome")
      try visit.press("Make a passkey")
      try browser.wait("document.getElementById('adopting')?.open")
      try check("adopting")
      try browser.click("#not-adopt")
      try visit.openAccount()
      try check("account")
      try browser.evaluate("document.getElementById('last').showModal()")
      try check("last")
      try browser.end()
    }
  }
}
