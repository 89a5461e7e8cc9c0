import Foundation
import TestSupport
import Testing

@testable import Animation

/// Examines the pages with axe-core, which finds many of the faults that exclude people with
/// assistive technology. It comes with the Python packages `axe-playwright-python` and
/// `axe-core-python`; Debian has no package.
@Suite(
  .serialized, .enabled(if: HTMLBrowser.isPresent, Comment(rawValue: HTMLBrowser.absence)),
  .enabled(
    if: HTMLBrowser.axe != nil,
    "skipped: there is no axe-core; pip install axe-playwright-python brings it"))
struct AccessibilityTests {
  private static let windows = [(320, 640), (768, 1024), (1440, 900)]
  private static let states = [
    "0", "drawing.controlsPart.openMenu(true)", "drawing.controlsPart.showKeys()",
    "drawing.controlsPart.keys.close(); drawing.toggleEarlier(true); drawing.play(); 0",
  ]

  private func visit() throws -> HTMLBrowser.Visit {
    var visit = try HTMLBrowser.Visit()
    visit.before(try #require(HTMLBrowser.axe))
    return visit
  }

  private func expectNoFaults(in visit: HTMLBrowser.Visit, at numbers: [Int]) throws {
    let answers = try visit.answers()
    // The browser gives advice about axe's use of canvases, which does not matter here.
    #expect(answers.troubles.filter { !$0.hasPrefix("Canvas2D:") } == [])
    for number in numbers { #expect(answers.text(number) == "", "answer \(number)") }
  }

  @Test(arguments: [false, true])
  func `replay pages have no accessibility faults in any state`(isDark: Bool) throws {
    var visit = try visit()
    var numbers: [Int] = []
    let sample = try HTMLPlayerTests.Sample("minute")
    for (width, height) in Self.windows {
      try visit.open(sample.page(), width: width, height: height, isDark: isDark)
      for state in Self.states {
        visit.evaluate(state)
        numbers.append(visit.count)
        visit.evaluate(HTMLBrowser.faults())
      }
    }
    let settings = HTMLPlayer.Settings(view: try sample.view())
    let half = Array(sample.bytes.prefix(sample.bytes.count / 2))
    for (bytes, hash) in [(sample.bytes, "#embed"), (half, ""), ([1, 2, 3], "")] {
      try visit.open(HTMLPlayer(settings).page(playing: bytes), isDark: isDark, hash: hash)
      numbers.append(visit.count)
      visit.evaluate(HTMLBrowser.faults())
    }
    try expectNoFaults(in: visit, at: numbers)
  }

  @Test(arguments: [false, true])
  func `pages with drawing elements have no accessibility faults`(isDark: Bool) throws {
    let folder = try TemporaryFolder()
    for file in try WebElement.playerFiles {
      try Data(file.bytes).write(to: folder.file(file.name))
    }
    try Data(try HTMLPlayerTests.Sample("minute").bytes).write(to: folder.file("sample.pkd"))
    // The same example with a second drawing.
    let example = try String(contentsOf: folder.file("index.html"), encoding: .utf8)
    let second = "<pentimento-drawing src=\"sample.pkd\" label=\"Another\" controls>"
    let two = example.replacingOccurrences(
      of: "</main>", with: "\(second)</pentimento-drawing>\n</main>")
    #expect(two.count > example.count)
    try Data(two.utf8).write(to: folder.file("two.html"))
    let ready = """
      (() => { const all = [...document.querySelectorAll('pentimento-drawing')];
        globalThis.drawing = all[0];
        return all.length > 0 && all.every((one) => one.shadowRoot?.querySelector('.ready')); })()
      """
    var visit = try visit()
    var numbers: [Int] = []
    visit.serve(folder.url)
    for (width, height) in Self.windows {
      visit.open("/index.html", width: width, height: height, isDark: isDark, ready: ready)
      for state in Self.states {
        visit.evaluate(state)
        numbers.append(visit.count)
        visit.evaluate(HTMLBrowser.faults())
      }
    }
    visit.open("/two.html", isDark: isDark, ready: ready)
    numbers.append(visit.count)
    visit.evaluate(HTMLBrowser.faults())
    try expectNoFaults(in: visit, at: numbers)
  }

  @Test func `the accessibility check finds a control without a name`() throws {
    var visit = try visit()
    try visit.open(HTMLPlayerTests.Sample("minute").page())
    visit.evaluate("drawing.controlsPart.slider.removeAttribute('aria-label')")
    visit.evaluate(HTMLBrowser.faults())
    let answers = try visit.answers()
    #expect(answers.text(3).hasPrefix("label: "))
  }
}
