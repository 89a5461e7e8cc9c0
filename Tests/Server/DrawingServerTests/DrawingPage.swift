import TestSupport
import Testing

/// A page of another browser with access to the same drawings.
final class OtherBrowser: DrawingPage {
  let browser: HTMLBrowser.Session
  let address: String

  init(_ address: String) throws {
    browser = try HTMLBrowser.Session()
    browser.window = (900, 700, 1, false)
    try browser.before(try #require(PageVisit.tools))
    self.address = address
  }

  /// Opens a drawing.
  func open(_ path: String) throws {
    try browser.open("\(address)/\(path)&lang=en&no-worker", ready: PageVisit.ready)
    // Opens it like the page of the browser that created the drawing.
    try browser.evaluate(
      "Object.assign(drawing.view, { left: 0, top: 0, zoom: 1 }); hand.settle().then(() => 0)")
  }

  /// Ends the browser. The page must have reported only expected messages.
  func end(allowing expected: String...) throws {
    try browser.end()
    let troubles = browser.troubles.filter { trouble in
      !expected.contains { trouble.contains($0) } && !trouble.contains("was preloaded using link")
    }
    #expect(troubles == [])
  }

  /// Scripts about the recording of the page: the number of visible strokes, and its hash.
  static let strokeCount = engine("return engine.open(bytes).facts.strokes;")
  static let hash = engine("return engine.hash(bytes);")

  private static func engine(_ body: String) -> String {
    """
    (async () => {
      const folder = document.querySelector('script[type=module]').src.replace(/[^/]*$/, '');
      const { Engine } = await import(`${folder}engine.mjs`);
      globalThis.ownEngine ??= await Engine.load(`${folder}engine.wasm`);
      const engine = globalThis.ownEngine;
      const bytes = await drawing.thread.ask('recording');
      \(body)
    })()
    """
  }
}

/// A drawing page, in any browser.
protocol DrawingPage {
  var browser: HTMLBrowser.Session { get }
}

extension DrawingPage {
  /// Draws a wave from the left to the right at a height, and waits until the device has stored it
  /// and the page no longer shows that it is saved.
  func wave(at y: Int, _ options: String = "{}") throws {
    try browser.evaluate(
      "(hand.stroke(hand.wave(100, \(y), \(options))), drawing.thread.ask('flush').then(() => 0))")
  }

  /// Waits until the drawing page shows a state.
  func waitForState(_ words: String) throws {
    try browser.wait(
      "document.getElementById('state').textContent === \(HTMLBrowser.Session.literal(words))")
  }

  /// The number of visible strokes on the page.
  var strokesOnPage: Double { get throws { try browser.number(OtherBrowser.strokeCount) } }

  /// Whether there is ink on the screen near a height of the page.
  func hasInk(at y: Int) throws -> Bool {
    try browser.number(
      """
      (async () => {
        await hand.settle();
        const { data, width } = hand.pixels();
        const { zoom, top, density } = drawing.view.sheet;
        const [first, last] = [\(y) - 30, \(y) + 30].map((y) => Math.round((y - top) * zoom * density));
        for (let y = Math.max(first, 0); y < last; y++) {
          for (let x = 0; x < width; x++) if (data[4 * (y * width + x)] < 128) return 1;
        }
        return 0;
      })()
      """) == 1
  }

  /// Makes the page visible again after it was hidden.
  func lookAgain() throws {
    try browser.evaluate(
      "document.dispatchEvent(new Event('visibilitychange', { bubbles: true })); 0")
  }
}

extension PageVisit: DrawingPage {
  /// Another browser on the same server, without the first one's proxy.
  func another() throws -> OtherBrowser { try OtherBrowser(server.url) }
}
