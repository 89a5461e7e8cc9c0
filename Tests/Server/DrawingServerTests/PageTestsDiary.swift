import Foundation
import TestSupport
import Testing

extension PageTests {
  /// Check-ins and the diary.
  @Suite struct DiaryTests {
    private static let script =
      #"<img src=x onerror=globalThis.hit=1><script>globalThis.hit=1</script> {n}"#

    private func write(_ browser: HTMLBrowser.Session, journal: String) throws {
      try browser.evaluate(
        """
        (() => {
          document.querySelector('input[value=hope]').click();
          document.querySelector('input[value="#E4604E"]').click();
          const journal = document.getElementById('journal');
          journal.value = \(HTMLBrowser.Session.literal(journal));
          journal.dispatchEvent(new Event('input', { bubbles: true }));
        })()
        """)
    }

    private func checkIns(_ visit: PageVisit) throws -> [[String: Any]] {
      try visit.send("GET", "mood_checkins").items
    }

    @Test func `a check-in is stored with its drawing, and script in it is text`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      let recording = try Recordings.sample("mood")
      #expect(try visit.send("PUT", "drawings/mine/recording.pkd", body: recording).status == 201)
      try visit.open(
        "checkin?no-worker", ready: "document.querySelector('.pick input[value=mine]') !== null")
      try write(browser, journal: Self.script)
      try browser.evaluate("document.querySelector('.pick input[value=mine]').click()")
      // A reload keeps all entered data.
      try visit.open(
        "checkin?no-worker", ready: "document.querySelector('.pick input[value=mine]')?.checked")
      #expect(try browser.isTrue("document.querySelector('input[value=hope]').checked"))
      try browser.keepPicture("page-checkin.png")
      try browser.click("#keep")
      try browser.waitForText("It is in your diary, with the drawing you chose.")
      let stored = try #require(try checkIns(visit).first { $0["emotion"] as? String == "hope" })
      #expect(stored["journal"] as? String == Self.script)
      #expect(stored["colorHex"] as? String == "#E4604E")
      let drawing = try visit.send("GET", "drawings/mine").json
      #expect(drawing["checkinId"] as? String == stored["id"] as? String)
      try browser.click("#kept a.primary")
      try browser.wait(
        "location.pathname === '/diary' && document.querySelector('article .journal') !== null")
      #expect(
        try browser.text("document.querySelector('article .journal').textContent") == Self.script)
      #expect(
        try browser.isTrue(
          "document.querySelector('article a.sheet[href=\"drawing?id=mine\"]') !== null"))
      try browser.wait("document.querySelector('article a.sheet img').naturalWidth > 0")
      #expect(try browser.isTrue("globalThis.hit === undefined"))
      try browser.keepPicture("page-diary.png")
      try visit.end()
    }

    @Test func `a drawing for a check-in leads back to it`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.open("checkin?no-worker", ready: "document.querySelector('.pick-new') !== null")
      try browser.evaluate("document.querySelector('input[value=hope]').click()")
      try browser.click(".pick-new")
      try browser.wait("location.pathname === '/draw' && \(PageVisit.ready)")
      #expect(
        try browser.text("document.getElementById('back').getAttribute('href')") == "checkin")
      try visit.wave(at: 300)
      try browser.click("#done")
      try browser.wait(
        "location.pathname === '/checkin' && document.querySelector('.pick input:checked') !== null"
      )
      #expect(try browser.isTrue("document.querySelector('input[value=hope]').checked"))
      try visit.end()
    }

    @Test func `script in words of an app or a prompt is text`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      let text = HTMLBrowser.Session.literal(Self.script)
      let checkIn = try visit.send(
        "PUT", "mood_checkins/evil", [("Content-Type", "application/json")],
        body: Array(
          ##"{"colorHex":"#112233","colorIntensity":0.5,"emotion":\##(text),"topic":\##(text),"evaluation":\##(text)}"##
            .utf8))
      #expect(checkIn.status == 201, "\(checkIn.text)")
      let patch = try visit.send(
        "PATCH", "drawings/sample", [("Content-Type", "application/json")],
        body: Array(#"{"promptUsed":\#(text),"checkinId":"evil"}"#.utf8))
      #expect(patch.status == 200, "\(patch.text)")
      for (page, ready) in [
        ("diary", "document.querySelector('article') !== null"),
        (
          "",
          "[...document.querySelectorAll('.feeling .name')].some((one) => one.textContent.includes('<img'))"
        ),
        (
          "drawing?id=sample",
          "document.getElementById('facts')?.textContent.includes('<img') === true"
        ),
      ] {
        let mark = page.contains("?") ? "&" : "?"
        try visit.open("\(page)\(mark)no-worker", ready: ready)
        try browser.waitForText("</script> {n}")
        #expect(try browser.isTrue("globalThis.hit === undefined"), "\(page)")
        #expect(
          try browser.number("document.querySelectorAll('main script, main img[src=x]').length")
            == 0)
      }
      try visit.end()
    }

    @Test func `a check-in without a connection waits in the diary, and is sent later`() throws {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.open("checkin", ready: "document.getElementById('keep') !== null")
      try browser.evaluate("navigator.serviceWorker.ready.then(() => 1)")
      visit.server.kill()
      try browser.perform(["offline": true])
      try write(browser, journal: "by the sea")
      try browser.click("#keep")
      try browser.waitForText("Kept on this device. It will be sent when the connection is back.")
      try browser.keepPicture("page-checkin-offline.png")
      try visit.open(
        "diary",
        ready:
          "document.querySelector('article') !== null || document.querySelector('#notice .blank') !== null"
      )
      try browser.waitForText("The diary could not be loaded")
      try browser.waitForText("by the sea")
      try browser.waitForText("Kept on this device")
      try browser.keepPicture("page-diary-offline.png")
      try visit.startAgain()
      try browser.perform(["offline": false])
      try browser.wait(
        "document.querySelector('.kept-here') === null && document.querySelector('.journal') !== null"
      )
      #expect(try checkIns(visit).filter { $0["journal"] as? String == "by the sea" }.count == 1)
      try visit.end(allowing: "Failed to load resource")
    }

    @Test func `the diary shows that it is empty, loading or failed`() throws {
      let visit = try PageVisit(proxyPrefix: "")
      let browser = visit.browser
      try browser.perform(["rules": [[#"/cards\?"#, 0, 3]]])
      try visit.open("diary?no-worker", ready: "document.querySelector('.skeleton.card') !== null")
      #expect(
        try browser.isTrue("document.getElementById('cards').getAttribute('aria-busy') === 'true'"))
      try browser.wait("document.querySelector('article') !== null")
      try browser.perform(["rules": [[#"/cards\?"#, 500, 0]]])
      try visit.open(
        "diary?no-worker", ready: "document.querySelector('#notice [role=alert]') !== null")
      try browser.waitForText("The diary could not be loaded")
      try browser.keepPicture("page-diary-error.png")
      try browser.perform(["rules": [Any]()])
      try browser.click("#notice button")
      try browser.wait("document.querySelector('article') !== null")
      try visit.deleteDrawings()
      for checkIn in try checkIns(visit) {
        #expect(
          try visit.send("DELETE", "mood_checkins/\(checkIn["id"] as? String ?? "")").status == 204)
      }
      try visit.open("diary?no-worker", ready: "document.querySelector('#notice .blank') !== null")
      try browser.waitForText("Nothing here yet.")
      try browser.keepPicture("page-diary-empty.png")
      // Requests for the deleted drawings' pictures may still have been running.
      try visit.end(allowing: "500", "404")
    }

    @Test func `a deleted check-in comes back with undo, and its drawings stay without it`() throws
    {
      let visit = try PageVisit()
      let browser = visit.browser
      try visit.open(
        "diary?no-worker", ready: "document.querySelector('[data-check-in=sample]') !== null")
      func delete() throws {
        try browser.click("[data-check-in=sample]")
        try browser.wait("document.getElementById('delete-dialog').open")
        try browser.click("#delete-now")
        try browser.waitForText("Check-in deleted")
      }
      try delete()
      #expect(try browser.isTrue("document.querySelector('[data-check-in=sample]') === null"))
      try browser.click(".toast button")
      #expect(try browser.text("document.activeElement.dataset.checkIn") == "sample")
      #expect(try visit.send("GET", "mood_checkins/sample").status == 200)
      try delete()
      // Leaving the page deletes the check-in.
      try visit.open("?no-worker", ready: "document.querySelector('.cell') !== null")
      #expect(try visit.send("GET", "mood_checkins/sample").status == 404)
      #expect(try visit.send("GET", "drawings/sample").status == 200)
      try visit.end()
    }
  }
}
