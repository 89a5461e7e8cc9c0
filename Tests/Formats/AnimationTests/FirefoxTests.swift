import Foundation
import Graphics
import Rasterization
import TestSupport
import Testing

@testable import Animation

/// Tests the page of `HTMLPlayer` and the element in a second browser, which shares no code with
/// the first.
@Suite(
  .serialized,
  .enabled(if: HTMLBrowser.isFirefoxPresent, Comment(rawValue: HTMLBrowser.firefoxAbsence)))
struct FirefoxTests {
  typealias Sample = HTMLPlayerTests.Sample

  @Test(arguments: ["minute", "erased"])
  func `Firefox plays and scrubs a page, and ends with the still's pixels`(_ name: String) throws {
    let sample = try Sample(name)
    var visit = try HTMLBrowser.Visit(in: .firefox)
    try visit.open(sample.page(), width: 900, height: 700)  // 0
    visit.evaluate("(\(HTMLPlayerTests.hash))(1)")  // 1
    visit.click("#drawing>>>.start")
    visit.evaluate("new Promise((done) => setTimeout(() => done(drawing.currentTime), 700))")  // 3
    visit.keepPicture("firefox-\(name).png")
    visit.press(" ")
    visit.evaluate("document.body.dataset.state")  // 6
    visit.click("#drawing>>>.scrub input")
    visit.evaluate("drawing.currentTime / drawing.duration")  // 8
    // The screen's pixels after seeks, and at the end of the replay.
    visit.evaluate(
      """
      (async () => {
        \(HTMLPlayerTests.screen)
        const { duration } = drawing;
        let count = 0;
        for (const part of [0.3, 0.8, 0]) {
          drawing.currentTime = part * duration;
          count += differing(await screen(), await visible(part * duration));
        }
        drawing.currentTime = duration - 0.2;
        const ended = new Promise((done) => drawing.addEventListener('ended', done, { once: true }));
        drawing.play();
        await ended;
        return [count, differing(await screen(), await visible(duration)), drawing.ended].join(' ');
      })()
      """)  // 9
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(0) == "paused" && answers.text(6) == "paused")
    let options = RenderOptions(
      region: try sample.view(), background: .color(try #require(Color(hex: "#fffdf8"))))
    let picture = try sample.picture(options)
    #expect(
      answers.text(1)
        == "\(picture.width)x\(picture.height) \(HTMLPlayerTests.hash(of: picture))")
    #expect((0.1...2).contains(answers.number(3)))
    #expect(abs(answers.number(8) - 0.5) < 0.02)
    #expect(answers.text(9) == "0 0 true")
  }

  @Test func `Firefox plays the element under a strict policy`() throws {
    let folder = try TemporaryFolder()
    for file in try WebElement.playerFiles {
      try Data(file.bytes).write(to: folder.file(file.name))
    }
    let sample = try Sample("minute")
    try Data(sample.bytes).write(to: folder.file("sample.pkd"))
    var visit = try HTMLBrowser.Visit(in: .firefox)
    visit.serve(folder.url)
    visit.open(
      "/index.html", width: 700,
      ready:
        "document.querySelector('pentimento-drawing')?.shadowRoot?.querySelector('.ready') != null")
    visit.evaluate(
      "globalThis.drawing = document.querySelector('pentimento-drawing'); (\(HTMLPlayerTests.hash))(1)"
    )  // 2
    // 3
    visit.evaluate(
      "drawing.play(); new Promise((done) => setTimeout(() => done(drawing.currentTime), 600))")
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    let options = RenderOptions(
      region: try sample.view(), background: .color(try #require(Color(hex: "#fffdf8"))))
    #expect(
      answers.text(2) == "640x640 \(HTMLPlayerTests.hash(of: try sample.picture(options)))")
    #expect((0.1...2).contains(answers.number(3)))
  }
}
