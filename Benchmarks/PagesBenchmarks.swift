import Animation
import DrawingServices
import Glibc
import Journal
import Graphics
import JSON
import Measurement
import PKDFormat
import Storage
import Strokes
import Threads

/// The pages of the server in a headless Chromium, which shares the processors with the server.
enum PagesBenchmarks {
  private static let driver = "Tests/Support/TestSupport/html_browser.py"
  private static let galleryUser = "dev"

  static func figures(_ effort: Effort) -> [Figure] {
    guard !output(of: "command -v chromium >/dev/null && command -v python3").isEmpty else {
      return []
    }
    let isFull = effort.samples > 3
    return withTemporaryFolder { root in
      do {
        try fillGallery(root, count: isFull ? 10_000 : 70)
        try storePage(root, strokes: isFull ? 3_000 : 30)
        let server = try ServerProcess(root)
        defer { server.end() }
        return try figures(server, rounds: isFull ? 5 : 1, strokes: isFull ? 4 : 1)
          + elementFigures(in: "\(root)/site", rounds: isFull ? 5 : 1, count: isFull ? 50 : 3)
      } catch {
        print("the pages could not be measured: \(error)")
        return []
      }
    } ?? []
  }

  // MARK: - What is shown

  private static func fillGallery(_ root: String, count: Int) throws {
    let service = try LocalService.open(.journal, root)
    let recording = try PKDWriter.encode(Recording(Workload.page(words: 2, columns: 2)))
    let now = service.now()
    Lanes.run(16) { lane in
      for number in stride(from: lane, to: count, by: 16) {
        var submission = DrawingService.Submission(recording: recording)
        submission.id = "g\(number)"
        submission.rendersImageLater = true
        // Over the 90 days that a gallery shows.
        submission.date = .at(now - Int64(number) * (89 * 86_400 / Int64(count)))
        _ = try? DrawingService(service, as: .operator).submit(submission, of: galleryUser)
      }
    }
  }

  private static func storePage(_ root: String, strokes: Int) throws {
    let page = Recording.Canvas(size: Size(width: 1024, height: 1366))
    var submission = DrawingService.Submission(
      recording: try PKDWriter.encode(Recording(Workload.mixedInks(strokes), canvas: page)))
    submission.id = "full"
    submission.rendersImageLater = true
    try DrawingService(try LocalService.open(.journal, root), as: .operator)
      .submit(submission, of: galleryUser)
  }

  // MARK: - Visits

  private static func figures(
    _ server: ServerProcess, rounds: Int, strokes: Int
  ) throws -> [Figure] {
    let url = "http://127.0.0.1:\(server.port)"
    var visit = Visit()
    // The first visit stores the pages in the browser, and renders the pictures.
    visit.open("\(url)/?no-worker", ready: isFilled)
    for _ in 0..<rounds {
      visit.open("\(url)/?no-worker", ready: isFilled)
      visit.measure("firstScreen()")
    }
    visit.measure("allOfGallery()")
    for _ in 0..<rounds {
      visit.open("\(url)/draw?no-worker", ready: isReady)
      visit.measure("ready()")
    }
    for ink in PKInkingTool.InkType.known { visit.measure("strokes('\(ink.name)', \(strokes))") }
    for _ in 0..<rounds { visit.measure("save()") }
    visit.open("\(url)/draw?no-worker&id=full", ready: isReady)
    visit.measure("ready()", as: "full-")
    visit.measure("strokes('pen', \(strokes))", as: "full-")
    for _ in 0..<rounds {
      visit.measure("zoom()", as: "full-")
      visit.measure("save()", as: "full-")
    }
    let all = try visit.samples()
    func of(_ name: String) -> [Double] { all[name] ?? [] }
    return [
      Figure(
        "gallery of 10,000 drawings, first screen after the HTML", "ms", of("first"),
        goal: .atMost(300)),
      Figure("gallery, elements after paging through all", "", of("nodes")),
      Figure("gallery, pictures after paging through all", "", of("pictures")),
      Figure("gallery, memory of scripts after paging through all", "MB", of("heap")),
      Figure("drawing page, ready", "ms", of("ready"), goal: .atMost(1000)),
      Figure("drawing page, from event to pixels", "ms", of("pixels")),
      Figure(
        "drawing page, from event to pixels, 95 of 100", "ms", high(of("pixels")),
        goal: .atMost(4)),
      Figure("drawing page, saving", "ms", of("save"), goal: .atMost(200)),
      Figure("drawing page with 3,000 strokes, ready", "ms", of("full-ready")),
      Figure("drawing page with 3,000 strokes, sharp again after zooming", "ms", of("full-zoom")),
      Figure("drawing page with 3,000 strokes, saving", "ms", of("full-save")),
      Figure(
        "drawing page with 3,000 strokes, from event to pixels, 95 of 100", "ms",
        high(of("full-pixels"))),
      Figure(
        "drawing page with 3,000 strokes, frames", "a second",
        [1000 * Double(of("full-frame").count) / max(of("full-frame").reduce(0, +), 1)],
        goal: .atLeast(50)),
    ]
  }

  /// `<pentimento-canvas>` in a page of its own: each round is another browser, whose second visit
  /// finds compiled code.
  private static func elementFigures(
    in site: String, rounds: Int, count: Int
  ) throws -> [Figure] {
    guard mkdir(site, 0o700) == 0 else { return [] }
    for (name, bytes) in try WebElement.canvasFiles {
      write(bytes, to: "\(site)/\(name)")
    }
    for number in [0, 1, count] {
      let canvases = String(repeating: "<pentimento-canvas></pentimento-canvas>", count: number)
      let page =
        "<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,>"
        + "<script src=pentimento-canvas.js defer></script>\(canvases)"
      write(Array(page.utf8), to: "\(site)/page\(number).html")
    }
    func opening(_ number: Int, in visit: inout Visit) {
      visit.open("/page\(number).html", ready: "window.shownAt?.length >= \(number)")
    }
    var all: [String: [Double]] = [:]
    for _ in 0..<rounds {
      var visit = Visit()
      visit.run(
        "before",
        """
        window.shownAt = [];
        // The server's policy allows no other style sheets.
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('pentimento-canvas { display: inline-block; width: 150px; height: 80px; }');
        document.adoptedStyleSheets = [sheet];
        document.addEventListener('load', ({ target }) => {
          if (target.localName === 'pentimento-canvas') shownAt.push(performance.now());
        }, true);
        """)
      visit.run("serve", site)
      for name in ["cold-", "warm-"] {
        opening(1, in: &visit)
        visit.measure("shown()", as: name)
      }
      for number in [0, count] {
        opening(number, in: &visit)
        visit.measureMemory(as: number == 0 ? "empty-" : "many-")
      }
      visit.measure("shown()", as: "many-")
      all.merge(try visit.samples()) { $0 + $1 }
    }
    let areShown = all["many-shown"]?.count == rounds * count
    let memory =
      areShown ? zip(all["many-memory"] ?? [], all["empty-memory"] ?? []).map { $0 - $1 } : []
    return [
      Figure(
        "canvas element, from the address to the drawing, cold", "ms", all["cold-shown"] ?? [],
        goal: .atMost(1000)),
      Figure("the same, warm", "ms", all["warm-shown"] ?? [], goal: .atMost(300)),
      Figure("\(count) canvas elements, memory", "MB", memory, goal: .atMost(300)),
    ]
  }

  private static let isFilled =
    "[...document.images].length > 0 && [...document.images].slice(0, 8).every((one) => one.complete)"
  private static let isReady = "document.body?.dataset.state === 'ready'"

  /// The value that 95 of 100 samples do not exceed.
  private static func high(_ samples: [Double]) -> [Double] {
    samples.isEmpty ? [] : [samples.sorted()[(samples.count - 1) * 95 / 100]]
  }

  /// Commands for the browser, and the measurements of its pages.
  private struct Visit {
    private var commands: [[(name: String, value: Value)]] = []
    private var prefixes: [String?] = []

    private enum Value {
      case text(String)
      case number(Int)
    }

    mutating func open(_ address: String, ready: String) {
      commands.append([
        ("open", .text(address)), ("ready", .text(ready)), ("width", .number(1000)),
        ("height", .number(800)),
      ])
      prefixes.append(nil)
      let script = output(of: "base64 -w 0 Benchmarks/pages.js")
      commands.append([("evaluate", .text("eval(atob('\(script)')), 0"))])
      prefixes.append(nil)
    }

    mutating func run(_ command: String, _ text: String) {
      commands.append([(command, .text(text))])
      prefixes.append(nil)
    }

    /// The memory of the browser, a second after its last page was shown.
    mutating func measureMemory(as prefix: String) {
      run("evaluate", "new Promise((done) => setTimeout(done, 1000))")
      commands.append([("memory", .number(1))])
      prefixes.append(prefix)
    }

    mutating func measure(_ call: String, as prefix: String = "") {
      commands.append([("evaluate", .text("measure.\(call)"))])
      prefixes.append(prefix)
    }

    func samples() throws -> [String: [Double]] {
      var text: [UInt8] = []
      for command in commands {
        var json = JSONWriter()
        json.object { json in
          for (name, value) in command {
            switch value {
            case .text(let text): json.field(name, text)
            case .number(let number): json.field(name, number)
            }
          }
        }
        text += json.bytes + [10]
      }
      return withTemporaryFile(text) { file in
        var samples: [String: [Double]] = [:]
        let lines = output(
          of: "python3 \(driver) < \(file) | python3 Benchmarks/pages.py | tr '\\n' ';'")
        for line in lines.split(separator: ";") {
          let words = line.split(separator: " ")
          guard words.count > 2, let number = Int(words[0]), prefixes.indices.contains(number),
            let prefix = prefixes[number]
          else { continue }
          samples[prefix + words[1], default: []] += words.dropFirst(2).compactMap { Double($0) }
        }
        return samples
      }
    }
  }
}
