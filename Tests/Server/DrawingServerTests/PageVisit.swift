import Foundation
import TestSupport
import Testing

/// A browser with the pages of a development server, which is a separate process.
final class PageVisit {
  static let tools = try? String(
    contentsOf: Corpus.project.appendingPathComponent(
      "Tests/Server/DrawingServerTests/page_tools.js"),
    encoding: .utf8)
  /// The condition that the drawing page is ready for drawing.
  static let ready = "document.body?.dataset.state === 'ready'"

  let folder: TemporaryFolder
  let browser: HTMLBrowser.Session
  private(set) var server: RunningServer
  /// The address of the pages.
  var address: String
  private let options: [String]

  init(_ options: [String] = [], in kind: HTMLBrowser.Kind = .chromium, proxyPrefix: String? = nil)
    throws
  {
    folder = try TemporaryFolder()
    browser = try HTMLBrowser.Session(kind)
    browser.window = (900, 700, 1, false)
    try browser.before(try #require(Self.tools))
    var options = ["--dev", "--change-rate", "0"] + options
    var proxy: Int?
    if let proxyPrefix {
      proxy = try browser.perform(["proxy": proxyPrefix]) as? Int
      options += ["--public-url", "http://127.0.0.1:\(try #require(proxy))\(proxyPrefix)"]
    }
    self.options = options
    server = try RunningServer(options, root: folder.file("store").path)
    address = server.url
    if let proxy, let proxyPrefix {
      address = "http://127.0.0.1:\(proxy)\(proxyPrefix)"
      try browser.perform(["target": Int(server.port)])
    }
  }

  /// Starts the server again at its port, after `server.kill`.
  func startAgain() throws {
    let port = server.port
    server = try RunningServer(
      options + ["--listen", "127.0.0.1:\(port)"], root: folder.file("store").path)
  }

  // MARK: Pages

  /// Opens a page in English, and waits until an expression is true.
  func open(_ path: String, ready: String) throws {
    let mark = path.contains("?") ? "&" : "?"
    try browser.open(
      "\(address)/\(path)\(path.contains("lang=") ? "" : "\(mark)lang=en")", ready: ready)
  }

  /// Opens the drawing page.
  func openDraw(_ path: String = "draw") throws { try open(path, ready: Self.ready) }

  /// Opens the gallery, and waits for its drawings.
  func openGallery() throws { try open("", ready: "document.querySelector('.cell') !== null") }

  /// The identifier of the drawing on the drawing page.
  var id: String { get throws { try browser.text("drawing.id") } }

  /// The links of the gallery.
  var cells: [String] {
    get throws {
      try browser.evaluate(
        "[...document.querySelectorAll('.cell')].map((one) => one.getAttribute('href'))")
        as? [String] ?? []
    }
  }

  // MARK: The server

  func send(
    _ method: String, _ path: String, _ fields: [(String, String)] = [], body: [UInt8] = []
  ) throws -> Reply {
    try #require(try server.send(method, "/v1/users/dev/\(path)", fields, body: body))
  }

  /// The recording of a drawing that the server has stored, with what was drawn in its room.
  func recording(_ id: String) throws -> Reply {
    _ = try send("POST", "drawings/\(id)/live/recording")
    return try send("GET", "drawings/\(id)/recording.pkd")
  }

  /// Keeps the page out of rooms, so that it saves and merges whole recordings although others draw.
  /// Pages of a visit with a proxy only.
  func drawsAlone() throws {
    try browser.perform(["replace": [["room.mjs", "watch() {", "watch() {\n    return;"]]])
  }

  /// Deletes all drawings; a development server starts with samples.
  func deleteDrawings() throws {
    for drawing in try send("GET", "drawings?limit=500").items {
      #expect(try send("DELETE", "drawings/\(drawing["id"] as? String ?? "")").status == 204)
    }
  }

  /// The events of a drawing's recording, without the header.
  func events(_ id: String) throws -> [[String: Any]] {
    let reply = try recording(id)
    #expect(reply.status == 200, "\(id): \(reply.text)")
    return try Self.events(of: reply.body)
  }

  static func events(of recording: [UInt8]) throws -> [[String: Any]] {
    let folder = try TemporaryFolder()
    try Data(recording).write(to: folder.file("a.pkd"))
    let result = try Program.run("pkd", ["cat", "a.pkd"], in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    return result.text.split(separator: "\n").dropFirst().compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
    }
  }

  /// The number of samples of each stroke that was begun. A stroke must be a wave of `hand.wave`:
  /// its samples are six points apart, and a curve begins at the first and ends at the last.
  func strokes(_ id: String) throws -> [Int] {
    try events(id).filter { $0["event"] as? String == "begin" }.map { event in
      let points = event["points"] as? [[Double]] ?? []
      guard let first = points.first, let last = points.last else { return 0 }
      return Int(((last[0] - first[0]) / 6).rounded()) + 1
    }
  }

  /// Ends the browser. The pages must have reported only expected messages.
  func end(allowing expected: String...) throws {
    try browser.end()
    let troubles = browser.troubles.filter { trouble in
      !expected.contains { trouble.contains($0) } && !trouble.contains("was preloaded using link")
    }
    #expect(troubles == [])
  }
}
