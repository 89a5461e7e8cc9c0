import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Drawings that two users look at and draw on.
  @Suite struct MemberTests {
    private static let json = [("Content-Type", "application/json")]

    private func token(_ visit: PageVisit, _ uid: String) throws -> String {
      let root = visit.folder.file("store").path
      let result = try Program.run("pkd", ["token", "--uid", uid, "--root", root])
      #expect(result.code == 0, "\(result.errors)")
      return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func waitForPage(_ page: OtherBrowser, _ condition: String) throws {
      try page.browser.wait(condition)
    }

    /// Opens a page as another user.
    private func open(
      _ page: OtherBrowser, _ path: String, _ fragment: String = "", ready: String
    ) throws {
      let mark = path.contains("?") ? "&" : "?"
      try page.browser.open(
        "\(page.address)/\(path)\(mark)lang=en&no-worker\(fragment)", ready: ready)
    }

    private func invite(_ visit: PageVisit, _ id: String, _ role: String) throws -> String {
      let reply = try visit.send(
        "POST", "drawings/\(id)/invitations", Self.json, body: Array(#"{"role":"\#(role)"}"#.utf8))
      return try #require(reply.json["code"] as? String)
    }

    @discardableResult
    private func join(_ visit: PageVisit, _ uid: String, _ code: String) throws -> Reply {
      try #require(
        try visit.server.send(
          "POST", "/v1/invitations",
          Self.json + [("Authorization", "Bearer \(token(visit, uid))")],
          body: Array(#"{"code":"\#(code)"}"#.utf8)))
    }

    private static func click(_ text: String) -> String {
      """
      (() => {
        const found = [...document.querySelectorAll('button, a')]
          .find((one) => one.offsetParent && one.textContent.trim() === '\(text)');
        found.click();
        return 0;
      })()
      """
    }

    @Test func `a user joins by a link, both draw, and a removed member is told so`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      try visit.wave(at: 100)
      try visit.waitForState("Saved")
      let id = try visit.id
      try visit.open(
        "drawing?id=\(id)", ready: "document.getElementById('together')?.hidden === false")
      try visit.browser.evaluate(Self.click("Invite to draw"))
      try visit.browser.wait("document.querySelector('#together .field') !== null")
      let link = try visit.browser.text("document.querySelector('#together .field').value")
      #expect(link.contains("/join#"))
      try visit.browser.keepPicture("page-members-invite.png")

      let other = try visit.another()
      let code = try #require(link.split(separator: "#").last)
      try open(
        other, "join", "#\(code)&token=\(token(visit, "bob"))",
        ready: "document.getElementById('found')?.hidden === false")
      #expect(
        try visit.send("GET", "drawings/\(id)/members").items.isEmpty, "looking joins nothing")
      try other.browser.wait("document.getElementById('picture').naturalWidth > 0")
      try other.browser.keepPicture("page-members-join.png")
      try other.browser.evaluate("document.getElementById('name').value = 'Bob'; 0")
      try other.browser.evaluate(Self.click("Join"))
      try other.browser.wait("location.pathname.endsWith('/draw') && \(PageVisit.ready)")
      try other.browser.evaluate(
        "Object.assign(drawing.view, { left: 0, top: 0, zoom: 1 }); hand.settle().then(() => 0)")
      try other.wave(at: 200)
      try other.waitForState("Saved")
      #expect(try visit.strokes(id) == [40, 40])

      // The owner's page shows the member at its next look, and the owner draws on.
      try visit.browser.waitForText("Bob")
      try visit.openDraw("draw?id=\(id)")
      #expect(try visit.strokesOnPage == 2)
      try visit.browser.evaluate(
        "Object.assign(drawing.view, { left: 0, top: 0, zoom: 1 }); hand.settle().then(() => 0)")
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      try other.browser.wait("\(OtherBrowser.strokeCount).then((count) => count === 3)")

      try visit.open("drawing?id=\(id)", ready: "document.querySelector('.member') !== null")
      try visit.browser.evaluate(Self.click("Remove"))
      try visit.browser.wait("document.querySelector('.member') === null")
      try other.wave(at: 400)
      try other.waitForState("You cannot change this drawing any more; kept on this device")
      #expect(try visit.strokes(id) == [40, 40, 40])
      try other.browser.evaluate("location.reload(); 0")
      try other.browser.waitForText("It is not shared with you, or not any more.")
      // The same link does not lead back.
      try open(
        other, "join", "#\(code)", ready: "document.getElementById('other')?.hidden === false")
      try other.browser.waitForText("This invitation has ended")
      try other.end(allowing: "Failed to load resource", "not-owner", "403", "404")
      try visit.end()
    }

    @Test func `a gallery shows drawings of others at once, and a reader looks only`() throws {
      let visit = try PageVisit()
      let other = try visit.another()
      try open(
        other, "", "#token=\(token(visit, "bob"))",
        ready: "document.getElementById('days')?.hasAttribute('aria-busy') === false")
      #expect(try other.browser.isTrue("document.getElementById('shared').hidden"))
      #expect(try join(visit, "bob", invite(visit, "sample", "reader")).status == 200)
      try other.browser.wait("document.querySelector('#shared .cell img')?.naturalWidth > 0")
      try other.browser.keepPicture("page-members-gallery.png")
      let cell = try other.browser.text(
        "document.querySelector('#shared .cell').getAttribute('href')")
      #expect(cell == "drawing?id=sample&owner=dev")

      try open(
        other, cell, ready: "document.querySelector('pentimento-drawing')?.duration > 0")
      try other.browser.waitForText("Leave this drawing")
      for name in ["share", "delete", "tags", "draw-on"] {
        #expect(try other.browser.isTrue("document.getElementById('\(name)').hidden"), "\(name)")
      }
      #expect(try other.browser.isTrue("document.getElementById('title').readOnly"))
      try other.browser.keepPicture("page-members-drawing.png")
      try open(
        other, "draw?id=sample&owner=dev", ready: "document.body.dataset.state === 'failed'")
      try other.browser.waitForText("Its owner has not invited you to draw on it.")
      try other.browser.evaluate(Self.click("See it"))
      try other.browser.wait("location.pathname.endsWith('/drawing')")
      try other.browser.waitForText("Leave this drawing")

      // The title of the owner arrives, and a role that is changed.
      _ = try visit.send(
        "PATCH", "drawings/sample", Self.json, body: Array(#"{"title": "Lighthouse"}"#.utf8))
      try other.browser.waitForText("Lighthouse")
      _ = try visit.send(
        "PUT", "drawings/sample/members/bob", Self.json, body: Array(#"{"role": "writer"}"#.utf8))
      try other.browser.wait("document.getElementById('draw-on').hidden === false")
      try other.browser.evaluate(Self.click("Leave this drawing"))
      try other.browser.wait("document.getElementById('days')?.hasAttribute('aria-busy') === false")
      #expect(try other.browser.isTrue("document.getElementById('shared').hidden"))
      #expect(try visit.send("GET", "drawings/sample/members").items.isEmpty)
      try other.end(allowing: "only-reads", "Failed to load resource")
      try visit.end()
    }

    @Test func `another user of the same browser does not see what a member has drawn`() throws {
      let visit = try PageVisit()
      let other = try visit.another()
      for uid in ["bob", "cat"] {
        #expect(try join(visit, uid, invite(visit, "sample", "writer")).status == 200)
      }
      try open(
        other, "draw?id=sample&owner=dev", "#token=\(token(visit, "bob"))", ready: PageVisit.ready)
      let before = try other.strokesOnPage
      try other.browser.perform(["offline": true])
      try other.browser.evaluate(
        "Object.assign(drawing.view, { left: 0, top: 0, zoom: 1 }); hand.settle().then(() => 0)")
      try other.wave(at: 200)
      try other.waitForState("Kept on this device")
      try other.browser.perform(["offline": false])
      try other.browser.evaluate("drawing.thread.ask('save').then(() => 0)")
      try other.waitForState("Saved")
      try other.browser.perform(["offline": true])
      try other.wave(at: 300)
      try other.waitForState("Kept on this device")
      _ = try visit.send("DELETE", "drawings/sample/members/bob")
      try other.browser.evaluate("location.href = 'about:blank'; 0")
      try other.browser.perform(["offline": false])
      // Bob's last stroke stays on the device, for bob alone.
      try open(
        other, "draw?id=sample&owner=dev", "#token=\(token(visit, "cat"))", ready: PageVisit.ready)
      #expect(try other.strokesOnPage == before + 1)
      try other.end(allowing: "Failed to load resource", "not-owner", "403")
      try visit.end()
    }
  }
}
