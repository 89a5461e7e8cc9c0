import Foundation
import Graphics
import PKDFormat
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing

@testable import Animation

/// Tests the page of `HTMLPlayer` in a real browser.
@Suite(.serialized, .enabled(if: HTMLBrowser.isPresent, Comment(rawValue: HTMLBrowser.absence)))
struct HTMLPlayerTests {
  /// A recording of `Samples/` and the visible part of its canvas.
  struct Sample {
    let name: String
    let bytes: [UInt8]

    init(_ name: String) throws {
      self.name = name
      let file = Corpus.project.appendingPathComponent("Samples/\(name).pkd")
      bytes = [UInt8](try Data(contentsOf: file))
    }

    func view() throws -> Rect {
      let reader = try PKDReader(bytes)
      if let size = reader.canvas.size { return Rect(origin: .zero, size: size) }
      return (0..<reader.strokeCount).reduce(.null) { $0.union(reader.bounds(ofStroke: $1)) }
    }

    func page(_ change: (inout HTMLPlayer.Settings) -> Void = { _ in }) throws -> [UInt8] {
      var settings = HTMLPlayer.Settings(title: name, view: try view(), maximumPause: 0.5)
      change(&settings)
      return try HTMLPlayer(settings).page(playing: bytes)
    }

    /// The still picture of the end.
    func picture(_ options: RenderOptions) throws -> Pixmap {
      let reader = try PKDReader(bytes)
      return try Renderer(options).picture(
        of: reader.readRecording().value.drawing, on: reader.canvas)
    }
  }

  @Test func `a replay of every sample ends with the rendered picture, in both styles`() throws {
    let names = ["handwriting", "minute", "mood", "inks", "erased", "landscape"]
    let scales = [1, 1.7]
    var visit = try HTMLBrowser.Visit()
    for isDark in [false, true] {
      for name in names {
        try visit.open(Sample(name).page(), isDark: isDark)
        for scale in scales { visit.evaluate("(\(Self.hash))(\(scale))") }
      }
    }
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    var number = 0
    for isDark in [false, true] {
      for name in names {
        let sample = try Sample(name)
        #expect(answers.text(number) == "paused")
        for (index, scale) in scales.enumerated() {
          // The colours of the sheet.
          let sheet = isDark ? Color(hex: "#25211c") : Color(hex: "#fffdf8")
          let options = RenderOptions(
            extent: .scale(scale), region: try sample.view(),
            background: .color(try #require(sheet)), style: isDark ? .dark : .light)
          let picture = try sample.picture(options)
          #expect(
            answers.text(number + 1 + index)
              == "\(picture.width)x\(picture.height) \(Self.hash(of: picture))",
            "\(name) at \(scale), \(isDark ? "dark" : "light")")
        }
        number += 1 + scales.count
      }
    }
  }

  @Test func `a recording is played on its own paper unless another one is named`() throws {
    let sample = try Sample("mood")
    var recording = try PKDReader(sample.bytes).readRecording().value
    recording.canvas.paper = .graph
    let (bytes, view) = (try PKDWriter.encode(recording), try sample.view())
    let papers: [RenderOptions.Paper?] = [nil, .blank, .lined]
    var visit = try HTMLBrowser.Visit()
    for paper in papers {
      let settings = HTMLPlayer.Settings(view: view, paper: paper)
      try visit.open(HTMLPlayer(settings).page(playing: bytes))
      visit.evaluate("(\(Self.hash))(1)")
    }
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    for (number, paper) in papers.enumerated() {
      let options = RenderOptions(
        region: view, background: .color(try #require(Color(hex: "#fffdf8"))), paper: paper)
      let picture = try Renderer(options).picture(of: recording.drawing, on: recording.canvas)
      #expect(
        answers.text(2 * number + 1)
          == "\(picture.width)x\(picture.height) \(Self.hash(of: picture))", "\(paper as Any)")
    }
  }

  /// The size and a hash of the last frame's pixels: FNV-1a with words instead of bytes.
  static let hash = """
    async (scale) => {
      const { width, height, data } = await drawing.pixels({ time: drawing.duration, scale });
      let hash = 0x811c9dc5;
      for (const word of new Uint32Array(data.buffer)) hash = Math.imul(hash ^ word, 0x01000193);
      return `${width}x${height} ${hash >>> 0}`;
    }
    """

  static func hash(of picture: Pixmap) -> UInt32 {
    (0..<picture.height).reduce(0x811c_9dc5) { hash, y in
      picture.withRow(y) { row in
        stride(from: 0, to: 4 * picture.width, by: 4).reduce(hash) { hash, start in
          let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(row[start + $1]) << UInt32(8 * $1) }
          return (hash ^ word) &* 0x0100_0193
        }
      }
    }
  }

  /// Waits until the page shows its current moment, and reads the screen's pixels.
  static let screen = """
    const settle = async () => {
      do { await new Promise((done) => setTimeout(done, 60)); }
      while (drawing.isShowing || drawing.isRefreshing || drawing.shownTime !== drawing.currentTime);
      await new Promise((done) => setTimeout(done, 250));
    };
    const screen = async () => {
      await settle();
      const { width, height } = drawing.canvas;
      const probe = new OffscreenCanvas(width, height).getContext('2d');
      probe.drawImage(drawing.canvas, 0, 0);
      return probe.getImageData(0, 0, width, height).data;
    };
    const differing = (a, b) => a.length === b.length
      ? a.reduce((count, value, index) => count + (value !== b[index]), 0) : -1;
    const visible = async (time) => {
      const place = drawing.zoom.place(drawing.region, 8e6);
      const { data } = await drawing.pixels({ time, scale: place.scale });
      return data;
    };
    """

  @Test
  func `the screen shows the engine's pixels at every moment, also without canvases in workers`()
    throws
  {
    for hasCanvas in [true, false] {
      var visit = try HTMLBrowser.Visit()
      if !hasCanvas {
        visit.before("delete HTMLCanvasElement.prototype.transferControlToOffscreen")
      }
      for name in ["minute", "erased"] {
        try visit.open(Sample(name).page(), width: 700, height: 600)
        visit.evaluate(
          """
          (async () => {
            \(Self.screen)
            const { duration } = drawing;
            let count = differing(await screen(), await visible(duration));
            for (const part of [0.3, 0.8, 0, 0.55, 1]) {
              drawing.currentTime = part * duration;
              count += differing(await screen(), await visible(part * duration));
            }
            return count;
          })()
          """)
      }
      let answers = try visit.answers()
      #expect(answers.troubles == [])
      #expect(answers.number(hasCanvas ? 1 : 2) == 0 && answers.number(hasCanvas ? 3 : 4) == 0)
    }
  }

  @Test func `a page plays, pauses, scrubs and steps`() throws {
    var visit = try HTMLBrowser.Visit()
    let wait = "new Promise((done) => setTimeout(done, 300))"
    try visit.open(Sample("minute").page(), width: 700, height: 600)
    visit.evaluate(
      """
      globalThis.heard = [];
      for (const name of ['play', 'pause', 'seeking', 'seeked', 'ended', 'ratechange', 'timeupdate'])
        drawing.addEventListener(name, () => heard.push(name));
      drawing.currentTime === drawing.duration && drawing.paused
      """)  // 1
    visit.click("#drawing>>>.start")
    visit.evaluate("new Promise((done) => setTimeout(() => done(drawing.currentTime), 700))")  // 3
    visit.evaluate("drawing.shadowRoot.querySelector('.play').getAttribute('aria-label')")  // 4
    visit.keepPicture("playing.png")
    visit.press(" ")
    visit.evaluate("document.body.dataset.state")  // 7
    visit.press("Home", ".", ".")
    visit.evaluate("drawing.currentTime === drawing.clock.end(1)")  // 11
    visit.press(",")
    visit.evaluate("drawing.currentTime === drawing.clock.end(0)")  // 13
    visit.press("End", "ArrowLeft")
    visit.evaluate("drawing.duration - drawing.currentTime")  // 16
    visit.press("]", "]", "[")
    visit.evaluate("drawing.playbackRate")  // 20
    visit.evaluate(
      """
      (() => { const scrubber = drawing.shadowRoot.querySelector('.scrub input');
        scrubber.value = 10; scrubber.dispatchEvent(new Event('input')); return drawing.currentTime; })()
      """)  // 21
    visit.evaluate("globalThis.short = drawing.duration")
    visit.press("p")
    visit.evaluate("[short, drawing.duration, drawing.skipsPauses].join(' ')")  // 24
    visit.press("p", "l", "e")
    visit.evaluate(
      "[drawing.duration === short, drawing.loop, drawing.hasAttribute('earlier')].join(' ')")
    visit.press("l", "e", "+")
    visit.evaluate("drawing.zoom.factor")  // 32
    visit.press("0", "k")
    visit.evaluate("document.body.dataset.state")  // 35
    visit.evaluate("\(wait).then(() => { drawing.currentTime = drawing.duration - 0.1; })")
    visit.evaluate(
      "new Promise((done) => setTimeout(() => done(drawing.ended && drawing.paused), 1500))")  // 37
    visit.evaluate(
      "['play', 'pause', 'seeking', 'seeked', 'ended', 'ratechange', 'timeupdate'].filter((n) => !heard.includes(n)).join()"
    )  // 38
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(
      answers.requests.allSatisfy {
        $0.hasPrefix("file://") && $0.contains(".html") || $0.hasPrefix("blob:")
      })
    #expect(answers.values[1] as? Bool == true)
    #expect((0.1...2).contains(answers.number(3)))
    #expect(answers.text(4) == "Pause" && answers.text(7) == "paused")
    #expect(answers.values[11] as? Bool == true && answers.values[13] as? Bool == true)
    #expect(abs(answers.number(16) - 1) < 1e-9)
    #expect(answers.number(20) == 2 && answers.number(21) == 10)
    let parts = answers.text(24).split(separator: " ")
    #expect(parts.count == 3 && parts[2] == "false")
    #expect((Double(parts[0]) ?? 0) + 10 < (Double(parts[1]) ?? 0))
    #expect(answers.text(28) == "true true true")
    #expect(answers.number(32) == 1.25 && answers.text(35) == "playing")
    #expect(answers.values[37] as? Bool == true && answers.text(38) == "")
  }

  @Test func `pages fit windows of all sizes, in both themes and languages`() throws {
    var visit = try HTMLBrowser.Visit()
    var count = 0
    for (width, height) in [(320, 640), (768, 1024), (1440, 900), (640, 320)] {
      for isDark in [false, true] {
        try visit.open(
          Sample("minute").page(), width: width, height: height, ratio: width < 700 ? 2 : 1,
          isDark: isDark)
        visit.evaluate("new Promise((done) => setTimeout(done, 300))")
        visit.keepPicture("\(width)-\(isDark ? "dark" : "light").png")
        visit.click("#drawing>>>.more button")
        if isDark { visit.evaluate("document.querySelectorAll('header button')[0].click()") }
        if !isDark { visit.evaluate("0") }
        visit.keepPicture("\(width)-\(isDark ? "dark" : "light")-menu.png")
        visit.evaluate(Self.faults)
        count += 1
      }
    }
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    for number in 0..<count { #expect(answers.text(7 * number + 6) == "", "window \(number)") }
  }

  /// The faults of the layout: parts without names, small buttons, parts outside of the window.
  private static let faults = """
    (() => {
      const root = drawing.shadowRoot;
      const all = [...document.querySelectorAll('header button'),
        ...root.querySelectorAll('.bar button, .bar input, .menu label')].filter((item) => item.offsetParent);
      const faults = [];
      for (const item of all) {
        const box = (item.closest('label') ?? item).getBoundingClientRect();
        const name = item.getAttribute('aria-label') ?? (item.closest('label') ?? item).textContent;
        if (!name.trim()) faults.push(`no name: ${item.outerHTML}`);
        if (box.height < 40 || box.width < 40) faults.push(`small: ${name}`);
        if (box.left < 0 || box.right > innerWidth + 0.5) faults.push(`outside: ${name}`);
      }
      if (all.length < 12) faults.push(`only ${all.length} controls`);
      const { scrollWidth, scrollHeight } = document.documentElement;
      if (scrollWidth > innerWidth || scrollHeight > Math.max(innerHeight, 352)) faults.push('scrolls');
      const sheet = drawing.sheet.getBoundingClientRect();
      if (!(sheet.width > 100 && Math.abs(sheet.width / sheet.height - 1) < 0.02)) faults.push(`sheet ${sheet.width}`);
      return faults.join('; ');
    })()
    """

  @Test func `a zoomed page becomes as sharp as the screen`() throws {
    var visit = try HTMLBrowser.Visit()
    let sharpness = """
      (async () => { \(Self.screen) await settle();
        return drawing.canvas.width / drawing.canvas.getBoundingClientRect().width; })()
      """
    try visit.open(Sample("minute").page(), width: 900, height: 700)
    visit.evaluate(sharpness)  // 1
    visit.press("+", "+", "+", "+")
    visit.evaluate("new Promise((done) => setTimeout(done, 900))")
    visit.evaluate(sharpness)  // 7
    visit.keepPicture("zoomed.png")
    visit.evaluate("drawing.canvas.getBoundingClientRect().width > drawing.stage.clientWidth")  // 9
    visit.press("0")
    visit.evaluate("new Promise((done) => setTimeout(done, 900))")
    visit.evaluate(
      "(async () => { \(Self.screen) return differing(await screen(), await visible(drawing.duration)); })()"
    )  // 12
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    for number in [1, 7] { #expect(abs(answers.number(number) - 1) < 0.01) }
    #expect(answers.values[9] as? Bool == true)
    #expect(answers.number(12) == 0)
  }

  @Test func `two fingers zoom, one moves, and neither plays`() throws {
    var visit = try HTMLBrowser.Visit()
    try visit.open(Sample("minute").page(), width: 900, height: 700)
    visit.evaluate(
      """
      (() => {
        drawing.stage.setPointerCapture = () => {};  // these fingers are not real
        const box = drawing.sheet.getBoundingClientRect();
        const touch = (name, pointerId, x, y) => drawing.sheet.dispatchEvent(new PointerEvent(
          name, { pointerId, clientX: box.x + x, clientY: box.y + y, bubbles: true, composed: true }));
        touch('pointerdown', 1, 200, 200);
        touch('pointerdown', 2, 300, 200);
        for (let step = 1; step <= 20; step++) touch('pointermove', 2, 300 + 10 * step, 200);
        touch('pointerup', 2, 500, 200);
        touch('pointerup', 1, 200, 200);
        const before = drawing.sheet.getBoundingClientRect();
        touch('pointerdown', 1, 200, 200);
        for (let step = 1; step <= 40; step++) touch('pointermove', 1, 200 - step, 200 - step);
        touch('pointerup', 1, 160, 160);
        drawing.stage.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const after = drawing.sheet.getBoundingClientRect();
        return [drawing.zoom.factor.toFixed(6), Math.round(after.x - before.x),
          Math.round(after.y - before.y), drawing.paused].join(' ');
      })()
      """)
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(1) == "3.000000 -40 -40 true")
  }

  @Test func `settings and the URL fragment decide how a replay page begins`() throws {
    var visit = try HTMLBrowser.Visit()
    try visit.open(
      Sample("minute").page {
        $0.speed = 3
        $0.isLooping = true
        $0.background = .color(.white)
        $0.style = .stored
        $0.earlier = .sienna
        $0.maximumPause = nil
      }, hash: "#t=12.5")
    visit.evaluate(
      "[drawing.currentTime, drawing.playbackRate, drawing.loop, drawing.skipsPauses, drawing.getAttribute('background'), drawing.getAttribute('ink')].join(' ')"
    )  // 1
    visit.evaluate("(\(Self.hash))(1)")  // 2
    try visit.open(Sample("minute").page { $0.background = .transparent }, hash: "#embed")
    visit.evaluate(
      "[drawing.controlsPart.bar.hidden, document.querySelector('header').offsetWidth, document.querySelector('header button').offsetParent].join(' ')"
    )  // 4
    visit.evaluate("(\(Self.hash))(1)")  // 5
    visit.keepPicture("embedded.png")
    try visit.open(Sample("minute").page { $0.isPlaying = true })
    visit.evaluate("new Promise((done) => setTimeout(() => done(drawing.paused), 300))")  // 8
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(1) == "12.5 3 true false #ffffff stored")
    let sample = try Sample("minute")
    #expect(answers.text(2).hasPrefix("640x640 "))
    #expect(answers.text(4) == "true 1 ")
    let clear = try sample.picture(RenderOptions(background: .transparent))
    var straight = [UInt8](repeating: 0, count: 4 * clear.width * clear.height)
    clear.copyStraight(PixelRect(width: clear.width, height: clear.height), to: &straight)
    var hash: UInt32 = 0x811c_9dc5
    for start in stride(from: 0, to: straight.count, by: 4) {
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(straight[start + $1]) << UInt32(8 * $1) }
      hash = (hash ^ word) &* 0x0100_0193
    }
    #expect(answers.text(5) == "640x640 \(hash)")
    #expect(answers.values[8] as? Bool == false)
  }

  @Test func `truncated and damaged files are played up to the damage`() throws {
    var random = RandomInk(seed: 5)
    let whole = try Sample("minute").bytes
    let settings = HTMLPlayer.Settings(view: Rect(x: 0, y: 0, width: 640, height: 640))
    var files = [Array(whole.prefix(whole.count / 2)), [1, 2, 3], []]
    files += (0..<12).map { _ in
      var bytes = whole
      bytes[random.whole(0...bytes.count - 1)] ^= 1 << UInt8(random.whole(0...7))
      return bytes
    }
    var visit = try HTMLBrowser.Visit()
    for file in files {
      try visit.open(HTMLPlayer(settings).page(playing: file))
      visit.evaluate("drawing.note.hidden ? '' : drawing.note.textContent")
    }
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(0) == "paused" && answers.text(1).contains("What can be read is shown"))
    #expect(answers.text(2) == "failed" && answers.text(3).contains("cannot be read"))
    #expect(answers.text(4) == "failed" && answers.text(5).contains("cannot be read"))
    for number in 3..<files.count {
      #expect(["paused", "failed"].contains(answers.text(2 * number)), "file \(number)")
    }
  }

  @Test func `a replay page shows 3,000 strokes, and seeks among them`() throws {
    let strokes = try ["inks", "mood", "minute"].flatMap {
      try PKDReader(Sample($0).bytes).readRecording().value.drawing.strokes
    }
    let mixed = (0..<3_000).map { number in
      var stroke = strokes[number % strokes.count].renamed(Identifier())
      let (column, row) = (Double(number % 50), Double(number / 50))
      stroke.transform = AffineTransform(
        a: 0.25, b: 0, c: 0, d: 0.25, tx: 20 * column - 40, ty: 12 * row - 40)
      return stroke
    }
    let settings = HTMLPlayer.Settings(
      view: Rect(x: 0, y: 0, width: 1060, height: 780), maximumPause: 0.5)
    var visit = try HTMLBrowser.Visit()
    visit.before("addEventListener('loadeddata', () => performance.mark('ready'), true)")
    try visit.open(HTMLPlayer(settings).page(playing: PKDWriter.encode(PKDrawing(strokes: mixed))))
    visit.evaluate("Math.round(performance.getEntriesByName('ready')[0].startTime)")  // 2
    visit.keepPicture("many.png")
    visit.evaluate(
      """
      (async () => {
        await new Promise((done) => setTimeout(done, 8000));
        let worst = 0;
        for (const part of [0, 1, 0.5, 0.9, 0.1, 0.7, 0.3, 0.97, 0.02, 1, 0.6]) {
          const start = performance.now();
          const seeked = new Promise((done) => drawing.addEventListener('seeked', done, { once: true }));
          drawing.currentTime = part * drawing.duration;
          await seeked;
          worst = Math.max(worst, performance.now() - start);
        }
        return Math.round(worst);
      })()
      """)  // 4
    visit.evaluate(
      """
      (async () => {
        drawing.currentTime = drawing.duration / 2;
        drawing.play();
        const times = [];
        const end = performance.now() + 4000;
        while (performance.now() < end) {
          await new Promise(requestAnimationFrame);
          times.push(drawing.frameTime);
        }
        drawing.pause();
        return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
      })()
      """)  // 5
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(1) == "paused")
    print(
      "3,000 strokes: ready after \(answers.number(2)) ms, longest seek \(answers.number(4)) ms, "
        + "95 % of frames within \(answers.number(5)) ms")
    #expect(answers.number(4) > 0 && answers.number(5) >= 0)
  }

  @Test(arguments: [false, true])
  func `a page shows its poster until the drawing is there, if the ink fits the theme`(isDark: Bool)
    throws
  {
    let sample = try Sample("minute")
    let poster = try PNGEncoder().encode(
      try Renderer(RenderOptions(extent: .longerSide(64))).picture(
        of: PKDReader(sample.bytes).readRecording().value.drawing))
    let settings = HTMLPlayer.Settings(
      view: Rect(x: 0, y: 0, width: 640, height: 640), poster: poster)
    var visit = try HTMLBrowser.Visit()
    try visit.open(HTMLPlayer(settings).page(playing: sample.bytes), isDark: isDark)
    let image = "drawing.shadowRoot.querySelector('.poster')"
    // An element without a drawing to show yet shows its poster.
    visit.evaluate(
      "\(image).hidden && drawing.load(new Uint8Array(9)).catch(() => {}).then(() => \(image).naturalHeight)"
    )
    visit.evaluate("!\(image).hidden && \(image).src.startsWith('data:image/png')")
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.values[1] as? Double == (isDark ? 0 : 64))
    #expect(answers.values[2] as? Bool == !isDark)
  }

  @Test func `the element plays a file that a server sends, under a strict policy`() throws {
    let folder = try TemporaryFolder()
    for file in try WebElement.playerFiles {
      try Data(file.bytes).write(to: folder.file(file.name))
    }
    let sample = try Sample("minute")
    try Data(sample.bytes).write(to: folder.file("sample.pkd"))
    var visit = try HTMLBrowser.Visit()
    visit.serve(folder.url)
    let ready =
      "document.querySelector('pentimento-drawing')?.shadowRoot?.querySelector('.ready') != null"
    visit.open("/index.html", width: 700, ready: ready)
    // 2
    visit.evaluate(
      "globalThis.drawing = document.querySelector('pentimento-drawing'); (\(Self.hash))(1)")
    // 3
    visit.evaluate(
      "drawing.play(); new Promise((done) => setTimeout(() => done(drawing.currentTime), 600))")
    visit.evaluate("drawing.removeAttribute('controls'); drawing.controlsPart.bar.hidden")  // 4
    visit.keepPicture("served.png")
    visit.evaluate(
      """
      new Promise((done) => {
        drawing.addEventListener('error', () => done(drawing.error.message), { once: true });
        drawing.src = 'missing.pkd';
      })
      """)  // 6
    visit.evaluate(
      "drawing.remove(); document.querySelector('main').append(drawing); drawing.src = 'sample.pkd'; 0"
    )
    visit.evaluate(
      "new Promise((done) => drawing.addEventListener('loadeddata', () => done(drawing.paused), { once: true }))"
    )
    let answers = try visit.answers()
    // The browser itself reports the missing file as an error.
    #expect(answers.troubles.filter { !$0.contains("404") } == [])
    let options = RenderOptions(
      region: try sample.view(), background: .color(try #require(Color(hex: "#fffdf8"))))
    #expect(answers.text(2) == "640x640 \(Self.hash(of: try sample.picture(options)))")
    #expect((0.1...2).contains(answers.number(3)) && answers.values[4] as? Bool == true)
    #expect(answers.text(6).contains("missing.pkd") && answers.values[8] as? Bool == true)
  }

  @Test func `a title with markup is shown as text`() throws {
    let title = "</title></script><script>throw 1</script> & \"quotes\" \\ \u{2028} 漢字 é 🖋"
    let page = try Sample("mood").page { $0.title = title }
    var visit = try HTMLBrowser.Visit()
    try visit.open(page)
    visit.evaluate("document.title")
    visit.evaluate("drawing.sheet.getAttribute('aria-label')")
    visit.evaluate("document.querySelector('h1').textContent")
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    for number in 1...3 { #expect(answers.text(number) == title) }
  }

  @Test func `a page without a title is named in the language of the viewer`() throws {
    var visit = try HTMLBrowser.Visit()
    try visit.open(Sample("mood").page { $0.title = "" })
    let names = "[document.title, document.querySelector('h1').textContent].join(' ')"
    visit.evaluate(names)
    visit.evaluate("document.querySelector('header button').click()")
    visit.evaluate(names)
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(1) == "Drawing Drawing" && answers.text(3) == "畫作 畫作")
  }

  @Test func `controls show their state and the sheet stays with forced colours`() throws {
    var visit = try HTMLBrowser.Visit()
    for isForced in [false, true] {
      try visit.open(Sample("mood").page(), isDark: true, hasForcedColors: isForced)
      visit.click("#drawing>>>.more button")
      visit.evaluate(
        """
        (() => {
          const color = (name) => getComputedStyle(drawing.shadowRoot.querySelector(name)).backgroundColor;
          const states = ['.choices label:has(:checked)', '.choices label:not(:has(:checked))',
            '.switch input:checked', '.switch input:not(:checked)'].map(color);
          return [states[0] !== states[1], states[2] !== states[3], color('.menu'), color('.sheet')].join(' ');
        })()
        """)
      visit.keepPicture("forced-\(isForced).png")
    }
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(2) == "true true rgb(45, 40, 33) rgb(37, 33, 28)")
    #expect(answers.text(6) == "true true rgb(0, 0, 0) rgb(37, 33, 28)")
  }

  @Test func `the player's menu does not cover the scrubber in narrow windows`() throws {
    var visit = try HTMLBrowser.Visit()
    try visit.open(Sample("mood").page(), width: 320, height: 640)
    visit.click("#drawing>>>.more button")
    visit.evaluate(
      """
      (() => { const [menu, scrubber] = ['.menu', '.scrub'].map(
          (name) => drawing.shadowRoot.querySelector(name).getBoundingClientRect());
        return menu.height > 200 && menu.top >= 0 && menu.bottom <= scrubber.top; })()
      """)
    let answers = try visit.answers()
    #expect(answers.troubles == [] && answers.values[2] as? Bool == true)
  }
}

/// Tests the files that are built into the program.
struct PlayerPartsTests {
  @Test func `the program contains all files of the player`() throws {
    let folder = Corpus.project.appendingPathComponent("Sources/Formats/Animation/Player")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(WebFile.player.map(\.name) == names, "list them in CWebFiles/player.c")
    for file in WebFile.player {
      let bytes = try Data(contentsOf: folder.appendingPathComponent(file.name))
      #expect(file.bytes == [UInt8](bytes), "\(file.name)")
    }
  }

  @Test func `the player's scripts are ASCII, so that any page encoding works`() {
    let scripts = PlayerParts.scripts
    for script in [
      scripts.element, scripts.page, scripts.served, scripts.worker, PlayerParts.start,
    ] {
      #expect(!script.isEmpty && script.allSatisfy { $0 < 128 })
    }
  }

  @Test func `minifying scripts and styles removes only comments and spaces`() {
    func bare(_ name: String, _ text: String) -> String {
      String(decoding: WebFile(name, Array(text.utf8)).bare, as: UTF8.self)
    }
    #expect(
      bare("a.mjs", "// Why.\n\n  const a = 'https://b'; // c\n\tcall(a,  b);\r\n")
        == "const a = 'https://b'; // c\ncall(a,  b);\n")
    #expect(
      bare("a.css", "/* Why. */\na :hover,\n b > c {\n  color: red; margin: 0 1px;\n}\n")
        == "a :hover,b > c{color:red;margin:0 1px;}")
    #expect(bare("a.css", "a::after { content: \", { \"; }") == "a::after{content:\", { \";}")
    #expect(bare("a.html", "<p>\n // </p>") == "<p>\n // </p>")
  }

  @Test func `modules become one script in the order of their imports, each with names of its own`()
    throws
  {
    let bundle = ScriptBundle([
      WebFile(
        "a-b.mjs",
        Array(
          "import {\n  c,\n  d as e,\n} from './c.mjs';\nexport class F {}\nexport const [g, h] = [c, e];\n"
            .utf8)),
      WebFile(
        "c.mjs", Array("const x = '畫';\nexport const c = 1;\nexport async function d() {}\n".utf8)),
    ])
    let text = """
      const $c = (() => {
      const x = '\\u756b';
      const c = 1;
      async function d() {}
      return { c, d };
      })();
      const $a_b = (() => {
      const { c, d: e } = $c;
      class F {}
      const [g, h] = [c, e];
      return { F, g, h };
      })();

      """
    #expect(String(decoding: bundle.script(of: "a-b.mjs"), as: UTF8.self) == text)
    #expect(bundle.script(of: "c.mjs", after: "a-b.mjs").isEmpty)
    for script in [
      PlayerParts.scripts.element, CanvasParts.scripts.elements, CanvasParts.scripts.worker,
    ] {
      let lines = script.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
      #expect(!lines.contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") })
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["TEST_ENGINE"] != nil, "needs a compiled engine"))
  func `the program contains the compiled engine`() throws {
    let path = try #require(ProcessInfo.processInfo.environment["TEST_ENGINE"])
    // The player's engine is beside the whole one.
    let player = URL(fileURLWithPath: path).deletingLastPathComponent()
      .appendingPathComponent("player.wasm")
    let engine = [UInt8](try Data(contentsOf: player))
    #expect(try PlayerParts.engine == engine, "swift build again")
  }

  @Test func `bytes round-trip through the 7-bit text of a page`() {
    var random = RandomInk(seed: 3)
    var cases: [[UInt8]] = [[], [0], [0, 0, 0], [255], [13, 60, 0, 62], Array(0...255)]
    cases += (0..<50).map { count in (0..<count).map { _ in UInt8(random.whole(0...255)) } }
    for bytes in cases {
      let text = SevenBitText.encode(bytes)
      #expect(!text.contains { [0, 13, UInt8(ascii: "<")].contains($0) })
      #expect(text.count <= bytes.count * 8 / 7 + 2)
      #expect(Self.decoded(String(decoding: text, as: UTF8.self), bytes.count) == bytes)
    }
  }

  /// Decodes like `text.mjs`.
  private static func decoded(_ text: String, _ count: Int) -> [UInt8] {
    var bits: [UInt8] = []
    func add(_ value: UInt32) { bits += (0..<7).map { UInt8(value >> (6 - $0) & 1) } }
    for code in text.unicodeScalars.map(\.value) {
      if code >= 160 { add([0, 13, 60][Int(code - 160) >> 7]) }
      add(code < 128 ? code : (code - 160) & 127)
    }
    return (0..<count).map { byte in bits[8 * byte..<8 * byte + 8].reduce(0) { $0 << 1 | $1 } }
  }

  @Test(
    .enabled(if: Self.hasNode, "skipped: there is no node on this machine"),
    .enabled(
      if: ProcessInfo.processInfo.environment["TEST_ENGINE"] != nil, "needs a compiled engine"))
  func `the engine's JavaScript classes work in Node`() throws {
    let folder = try TemporaryFolder()
    // Needs the whole engine, as the player's has no pen.
    let engine = try #require(ProcessInfo.processInfo.environment["TEST_ENGINE"])
    let script = Corpus.project.appendingPathComponent(
      "Tests/Formats/AnimationTests/engine_test.mjs")
    let samples = Corpus.project.appendingPathComponent("Samples")
    let result = try Program.shell(
      "gzip -c \"$3\" > engine.gz && node \"$1\" engine.gz \"$2\"", script.path, samples.path,
      engine, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.text.hasSuffix(" checks\n") && !result.text.contains("failed"), "\(result.text)")
  }

  private static let hasNode =
    (try? Program.shell("node --version", in: Corpus.project).code == 0) ?? false
}
