import Foundation
import Graphics
import PKDFormat
import Strokes
import TestSupport
import Testing

@testable import Animation

/// Tests the element in pages that use it wrongly.
extension HTMLPlayerTests {
  /// A folder with the parts of the element, an empty page and recordings.
  private struct Site {
    let folder: TemporaryFolder

    init(_ samples: String..., body: String = "<script src=pentimento.js></script><body>") throws {
      folder = try TemporaryFolder()
      for file in try WebElement.playerFiles {
        try Data(file.bytes).write(to: folder.file(file.name))
      }
      for name in samples { try write(Sample(name).bytes, to: name) }
      // Without a charset, browsers read scripts as Windows-1252.
      let page = "<!DOCTYPE html><link rel=icon href=data:,>" + body
      try Data(page.utf8).write(to: folder.file("page.html"))
    }

    func write(_ script: String, script name: String) throws {
      try Data(script.utf8).write(to: folder.file("\(name).js"))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
      try Data(bytes).write(to: folder.file("\(name).pkd"))
    }

    /// Opens the page, with helper functions for later scripts.
    func visit(width: Int = 700, height: Int = 760) throws -> HTMLBrowser.Visit {
      var visit = try HTMLBrowser.Visit()
      visit.serve(folder.url)
      visit.before(HTMLPlayerTests.tools)
      visit.open(
        "/page.html", width: width, height: height,
        ready: "document.body && customElements.get('pentimento-drawing') && 'open'")
      return visit
    }

    /// The result of a script on the page, as JSON.
    func answer(_ script: String) throws -> (text: String, troubles: [String]) {
      var visit = try visit()
      visit.evaluate("(async () => {\n\(script)\n})().then(JSON.stringify)")
      let answers = try visit.answers()
      return (answers.text(3), answers.troubles)
    }
  }

  private static func page(
    _ width: Double, _ height: Double, _ events: [Recording.Event] = []
  ) throws -> [UInt8] {
    let canvas = Recording.Canvas(size: Size(width: width, height: height))
    return try PKDWriter.encode(Recording(canvas: canvas, events: events))
  }

  fileprivate static let tools = #"""
    const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const until = async (test) => { for (let count = 0; count < 300 && !test(); count++) await pause(20); return Boolean(test()); };
    const element = (attributes) => {
      const drawing = document.createElement('pentimento-drawing');
      for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value);
      drawing.heard = [];
      for (const name of ['play', 'pause', 'seeking', 'seeked', 'ended', 'ratechange', 'loadeddata', 'error'])
        drawing.addEventListener(name, () => drawing.heard.push(name));
      document.body.append(drawing);
      return drawing;
    };
    const shown = async (drawing) => {
      await until(() => drawing.heard.includes('loadeddata') || drawing.heard.includes('error'));
      await pause(150);
      await until(() => !drawing.isShowing && !drawing.isRefreshing && (drawing.error || drawing.shownTime === drawing.currentTime));
      return drawing;
    };
    const note = (drawing) => drawing.note.hidden ? '' : drawing.note.textContent;
    """#

  @Test(arguments: [
    "<script type=module src=pentimento.js></script>",
    "<script type=module src=import.js></script>",
    "<script src=append.js></script>",
  ])
  func `the element plays, whether its script is a module, imported or added later`(
    _ script: String
  ) throws {
    let site = try Site("minute", body: script + "<body>")
    try site.write("await import('./pentimento.js')", script: "import")
    try site.write(
      "document.head.append(Object.assign(document.createElement('script'), { src: 'pentimento.js' }))",
      script: "append")
    let answer = try site.answer(
      """
      const drawing = element({ src: 'minute.pkd', controls: '' });
      await shown(drawing);
      return [drawing.error ? String(drawing.error) : '', drawing.duration > 1];
      """)
    #expect(answer.text == #"["",true]"# && answer.troubles == [], "\(answer)")
  }

  @Test
  func `an element keeps properties that were set before it was defined`()
    throws
  {
    let site = try Site(
      "minute",
      body: "<body dir=rtl><script src=late.js></script><script src=pentimento.js></script>")
    try site.write(
      """
      const late = document.createElement('pentimento-drawing');
      Object.assign(late, { src: 'minute.pkd', controls: true, paper: 'grid', maxPause: 'none', loop: true, currentTime: 1 });
      document.body.append(late);
      """, script: "late")
    let answer = try site.answer(
      """
      await until(() => late.duration > 1);
      const attributes = late.getAttributeNames().sort().map((name) => name + '=' + late.getAttribute(name));
      const read = [late.src, late.controls, late.paper, late.maxPause, late.loop, late.currentTime, late.fill, late.theme];
      late.controls = 'sheet'; late.fill = true; late.paper = null;
      return [attributes, read, late.getAttribute('controls'), late.hasAttribute('fill'), late.hasAttribute('paper'),
        getComputedStyle(late).direction, late.shadowRoot.querySelectorAll('[part]').length > 4];
      """)
    let expected =
      #"[["controls=","loop=","max-pause=none","paper=grid","src=minute.pkd"],"#
      + #"["minute.pkd",true,"grid","none",true,1,false,null],"sheet",true,false,"ltr",true]"#
    #expect(answer.text == expected && answer.troubles == [], "\(answer)")
  }

  @Test func `an invalid early property does not prevent the other ones`()
    throws
  {
    let site = try Site(
      "minute", body: "<body><script src=late.js></script><script src=pentimento.js></script>")
    try site.write(
      """
      var errors = 0;
      addEventListener('error', (event) => { errors += 1; event.preventDefault(); });
      const late = document.createElement('pentimento-drawing');
      Object.assign(late, { playbackRate: 1e9, src: 'minute.pkd', currentTime: 'soon', controls: true });
      document.body.append(late);
      """, script: "late")
    let answer = try site.answer(
      """
      await until(() => late.duration > 1);
      return [late.src, late.controls, late.playbackRate, late.currentTime, errors > 0];
      """)
    #expect(answer.text == #"["minute.pkd",true,1,0,true]"#, "\(answer)")
  }

  @Test func `an element chooses a sheet on which its ink shows`()
    throws
  {
    let dot = PKStrokePoint(
      location: Point(x: 5, y: 5), timeOffset: 0, size: Size(width: 4, height: 4), opacity: 1,
      force: 1, azimuth: 0, altitude: 1)
    let site = try Site()
    for (name, color) in [("white", Color.white), ("black", .black)] {
      let stroke = PKStroke(
        ink: PKInk(.pen, color: color), path: PKStrokePath(controlPoints: [dot]))
      try site.write(PKDWriter.encode(Recording(PKDrawing(strokes: [stroke]))), to: name)
    }
    let answer = try site.answer(
      """
      const looks = [];
      for (const src of ['white.pkd', 'black.pkd']) {
        for (const theme of ['light', 'dark']) {
          const drawing = await shown(element({ src, theme }));
          const { data: [corner] } = await drawing.pixels();
          const { backgroundColor } = drawing.shadowRoot.querySelector('.sheet').style;
          looks.push([corner, backgroundColor, drawing.region[2] > 100]);
          drawing.remove();
        }
      }
      return looks;
      """)
    let (light, dark) = (#"[255,"rgb(255, 253, 248)",true]"#, #"[37,"rgb(37, 33, 28)",true]"#)
    #expect(answer.text == "[\(dark),\(light),\(light),\(dark)]", "\(answer)")
    #expect(answer.troubles == [])
  }

  @Test
  func `an element shows the drawing that was requested last`()
    throws
  {
    let site = try Site("minute", "erased", "mood")
    let answer = try site.answer(
      #"""
      // An older download that ends later than the newer one.
      const fetched = globalThis.fetch;
      let release, wasAborted = false;
      globalThis.fetch = (address, options) => {
        if (!String(address).includes('slow')) return fetched(address, options);
        options.signal.addEventListener('abort', () => { wasAborted = true; });
        return new Promise((done) => { release = () => done(fetched('erased.pkd')); });
      };
      const drawing = element({ src: 'slow.pkd', controls: '' });
      await until(() => release);
      drawing.src = 'minute.pkd';
      await shown(drawing);
      const sum = async () => (await drawing.pixels()).data.reduce((a, b) => (a * 31 + b) | 0, 0);
      const before = await sum();
      release();
      await pause(300);
      drawing.setAttribute('label', 'x');
      await pause(300);
      const other = await shown(element({ src: 'minute.pkd' }));
      const same = before === await sum() && drawing.duration === other.duration;
      // A file that is missing.
      drawing.src = 'missing.pkd';
      await until(() => drawing.error);
      drawing.currentTime = 3;
      const failed = [drawing.sheet.querySelectorAll('canvas').length, drawing.duration, drawing.currentTime, drawing.seeking,
        drawing.player.classList.contains('ready'), drawing.controlsPart.dashes.length, drawing.controlsPart.time.textContent];
      const count = drawing.heard.filter((name) => name === 'play').length;
      await drawing.play();
      failed.push(drawing.paused, drawing.heard.filter((name) => name === 'play').length - count);
      // An address as an object.
      drawing.heard = [];
      await drawing.load(new URL('mood.pkd', location));
      const url = [note(drawing), drawing.duration > 0];
      // Wishes before a drawing is loaded.
      const early = document.createElement('pentimento-drawing');
      early.heard = [];
      early.currentTime = 2;
      const first = [early.ended, early.currentTime, early.paused];
      document.body.append(early);
      await early.load('minute.pkd');
      first.push(early.currentTime, early.paused);
      const eager = document.createElement('pentimento-drawing');
      document.body.append(eager);
      eager.play();
      eager.src = 'minute.pkd';
      first.push(await until(() => eager.currentTime > 0.1 && eager.currentTime < 5), eager.paused);
      eager.remove();
      return [wasAborted, same, failed, url, first];
      """#)
    #expect(answer.troubles.allSatisfy { $0.contains("404") })
    #expect(
      answer.text
        == #"[true,true,[0,null,0,false,false,0,"0:00 / 0:00",true,0],["",true],[false,2,true,2,true,true,false]]"#
    )
  }

  @Test
  func
    `invalid attributes count as their defaults, and colours of the sheet are those of the browser`()
    throws
  {
    let site = try Site("minute")
    let answer = try site.answer(
      #"""
      const answers = [];
      const drawing = await shown(element({ src: 'minute.pkd', controls: '', autoplay: '', label: 'x' }));
      drawing.pause(); drawing.currentTime = 4; await shown(drawing);
      const sum = async () => (await drawing.pixels({ time: 4 })).data.reduce((a, b) => (a * 31 + b) | 0, 0);
      const usual = await sum();
      for (const [name, value] of [['background', 'red'], ['background', 'transparent'], ['background', '#abc'], ['background', ''],
        ['ink', 'loud'], ['paper', 'foo'], ['theme', 'blue']]) {
        drawing.setAttribute(name, value);
        if (await sum() !== usual) answers.push(`${name}=${value}`);
        drawing.removeAttribute(name);
      }
      drawing.setAttribute('earlier', ''); const earlier = await sum();
      drawing.setAttribute('earlier', 'red'); if (await sum() !== earlier) answers.push('earlier');
      drawing.removeAttribute('earlier');
      const times = [];
      for (const value of ['-3', 'much', 'none', '0']) { drawing.setAttribute('max-pause', value); times.push(drawing.maximumPause); }
      drawing.removeAttribute('max-pause');
      const rates = [];
      for (const value of ['-1', 'Infinity', '', 'fast', '0', '17', '0.0625', '16']) {
        drawing.setAttribute('speed', value); rates.push(drawing.playbackRate);
      }
      for (const value of [Infinity, NaN, 0, -1, 17, 'fast']) {
        try { drawing.playbackRate = value; rates.push(value); } catch (error) { rates.push(error.name); }
      }
      drawing.playbackRate = '2';
      rates.push(drawing.playbackRate === 2);
      const colors = [];
      const ground = async (color) => {
        drawing.style.setProperty('--sheet', color);
        return (await drawing.pixels({ time: 0 })).data.slice(0, 4).join(' ');
      };
      for (const color of ['rgb(1 2 3)', 'color(srgb 1 0 0)', 'color-mix(in srgb, red, blue)', 'oklch(1 0 0)', 'lab(100 0 0)',
        'oklab(0 0 0)', 'transparent', 'rgb(255 0 0 / 50%)']) colors.push(await ground(color));
      drawing.style.removeProperty('--sheet');
      return [answers, note(drawing), times, rates, colors];
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"[[],"",[0.5,0.5,null,0],[1,1,1,1,1,1,0.0625,16,"TypeError","TypeError","NotSupportedError","NotSupportedError","NotSupportedError","TypeError",true],["1 2 3 255","255 0 0 255","128 0 128 255","255 255 255 255","255 255 255 255","0 0 0 255","0 0 0 0","0 0 0 0"]]"#
    )
  }

  @Test func `an element retries a failed engine and hides its error note`()
    throws
  {
    let site = try Site("minute")
    let answer = try site.answer(
      #"""
      const drawing = await shown(element({ src: 'minute.pkd', controls: '' }));
      // Answers of the worker are replaced by errors.
      const post = Worker.prototype.postMessage;
      let fault, left = 0;
      Worker.prototype.postMessage = function (message, ...more) {
        if (left > 0 && ['view', 'show'].includes(message.kind)) {
          left--;
          setTimeout(() => this.onmessage({ data: { number: message.number, error: { code: fault, message: 'x' } } }));
        } else post.call(this, message, ...more);
      };
      const answers = [];
      [fault, left] = ['invalidArgument', 1];
      drawing.setAttribute('background', '#ffeeee');
      await until(() => note(drawing));
      answers.push(note(drawing) !== '', drawing.heard.includes('error'));
      drawing.setAttribute('background', '#ffeeff');
      answers.push(await until(() => !note(drawing)), drawing.error === undefined);
      // A request that stops the engine is repeated, as often as there are pictures between.
      fault = 'stopped';
      for (const time of [1, 2, 3]) {
        left = 1;
        drawing.currentTime = time;
        answers.push(await until(() => drawing.shownTime === time), note(drawing));
      }
      left = 2;
      drawing.currentTime = 4;
      answers.push(await until(() => note(drawing)), left);
      // A file that the engine would not open.
      await drawing.load(new ArrayBuffer((32 << 20) + 1));
      answers.push(note(drawing));
      return answers;
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"[true,true,true,true,true,"",true,"",true,"",true,0,"This drawing is too large for a page."]"#
    )
  }

  @Test func `a removed element keeps its position and removes its listeners`() throws {
    let site = try Site("minute")
    let answer = try site.answer(
      #"""
      let listeners = 0;
      for (const [name, change] of [['addEventListener', 1], ['removeEventListener', -1]]) {
        const real = document[name];
        document[name] = function (...all) { listeners += change; real.apply(this, all); };
      }
      const drawing = await shown(element({ src: 'minute.pkd', controls: '' }));
      const others = listeners;
      drawing.playbackRate = 2;
      drawing.currentTime = 5;
      await shown(drawing);
      const thread = () => drawing.heard.filter((name) => name === 'loadeddata').length;
      // Moved while it plays.
      drawing.play();
      const box = document.createElement('div');
      document.body.append(box);
      box.append(drawing);
      await pause(50);
      const moved = [drawing.paused, thread()];
      drawing.pause();
      drawing.currentTime = 5;
      // Out for a moment.
      drawing.play();
      drawing.remove();
      const out = listeners;
      await pause(100);
      const time = drawing.currentTime;
      moved.push(drawing.paused);
      document.body.append(drawing);
      await shown(drawing);
      const back = [drawing.currentTime === time, drawing.playbackRate, thread(), drawing.sheet.querySelectorAll('canvas').length, drawing.duration > 10];
      // Out for longer: the worker ends.
      const bytes = await (await fetch('minute.pkd')).arrayBuffer();
      await drawing.load(bytes);
      drawing.currentTime = 6;
      drawing.setAttribute('autoplay', '');
      let ended = 0;
      const end = Worker.prototype.terminate;
      Worker.prototype.terminate = function () { ended++; end.call(this); };
      drawing.remove();
      await until(() => ended);
      drawing.heard = [];
      const slept = [ended, drawing.currentTime, drawing.sheet.querySelectorAll('canvas').length];
      document.body.append(drawing);
      await shown(drawing);
      slept.push(drawing.currentTime, drawing.playbackRate, drawing.shownTime, drawing.paused, drawing.heard.includes('error'));
      drawing.remove();
      return [moved, out, others, back, slept, listeners];
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"[[false,1,true],0,1,[true,2,1,1,true],[1,6,0,6,2,6,true,false],0]"#)
  }

  @Test func `saved pictures have the maximum size and valid file names`() throws {
    let letters = String(repeating: "a", count: 79)
    let site = try Site("mood")
    try site.write(Self.page(5000, 5000), to: "large")
    let answer = try site.answer(
      #"""
      const saved = [];
      HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
      const drawing = element({ controls: '' });
      await drawing.savePicture();
      const early = note(drawing);
      await drawing.load('mood.pkd');
      await shown(drawing);
      const names = [];
      for (const label of ['a'.repeat(79) + '\u{1F600}b', 'a'.repeat(80) + '\u{1F600}', '..', '.htaccess', '\u202egpj.exe', '', ' ', 'a/b\\c', '\n', '\u0085x.', '\u{1F469}\u200d\u{1F52C}']) {
        saved.length = 0;
        drawing.setAttribute('label', label);
        await drawing.savePicture();
        names.push(saved[0]);
      }
      const after = note(drawing);
      saved.length = 0;
      await drawing.load('large.pkd');
      let size;
      const real = drawing.pixels;
      drawing.pixels = async (options) => { const answer = await real.call(drawing, options); size = [answer.width, answer.height]; return answer; };
      await drawing.savePicture();
      const large = [saved.length, note(drawing), size];
      drawing.pixels = () => Promise.reject(new Error('no'));
      await drawing.savePicture();
      return [early, names, after, large, note(drawing)];
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"["This picture could not be saved.",["\#(letters)😀.png","\#(letters)a.png","drawing.png","htaccess.png","gpj.exe.png","drawing.png","drawing.png","a b c.png","drawing.png","x.png","👩‍🔬.png"],"",[1,"",[3988,3988]],"This picture could not be saved."]"#
    )
  }

  @Test func `an element shows pages of extreme shapes and empty ones to their end`() throws {
    let site = try Site()
    for (name, width, height) in [("tall", 0.4, 1000.0), ("thin", 7, 5006), ("empty", 400, 300)] {
      try site.write(Self.page(width, height), to: name)
    }
    let answer = try site.answer(
      #"""
      const sizes = [];
      for (const name of ['tall', 'thin', 'empty']) {
        const drawing = await shown(element({ src: `${name}.pkd`, controls: '', loop: '' }));
        const { width, height } = drawing.canvas ?? {};
        sizes.push([name, width, height, note(drawing)]);
        if (name === 'empty') {
          drawing.play();
          sizes.push(await until(() => drawing.heard.includes('ended')), drawing.paused);
        }
        drawing.remove();
      }
      return sizes;
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"[["tall",7,16383,""],["thin",23,16382,""],["empty",680,510,""],true,true]"#)
  }

  @Test func `the scrubber draws as many dashes as fit`()
    throws
  {
    let stroke = try #require(
      try PKDReader(Sample("minute").bytes).readRecording().value.drawing.strokes.first)
    let start = stroke.path.creationDate
    let events = (0..<4_000).flatMap { number -> [Recording.Event] in
      let (one, time) = (stroke.renamed(Identifier()), start + Double(10 * number))
      return [
        Recording.Event(time: time, action: .strokeBegun(one)),
        Recording.Event(time: time + 5, action: .strokeEnded(one.id)),
        Recording.Event(time: time + 6, action: .undone),
      ]
    }
    let site = try Site()
    try site.write(Self.page(640, 640, events), to: "alternating")
    let answer = try site.answer(
      #"""
      const drawing = await shown(element({ src: 'alternating.pkd', controls: '' }));
      const { clock, controlsPart } = drawing;
      const { dashes, marks } = controlsPart;
      const isBounded = dashes.length > 100 && dashes.length <= marks.clientWidth;
      drawing.setAttribute('theme', 'dark');
      drawing.loop = true;
      const isKept = controlsPart.dashes === dashes;
      drawing.setAttribute('max-pause', '0.1');
      const isNew = controlsPart.dashes !== dashes;
      return [clock.count, isBounded, dashes.some(({ kind }) => kind === 1), isKept, isNew];
      """#)
    #expect(answer.troubles == [])
    #expect(
      answer.text
        == #"[8000,true,true,true,true]"#)
  }

  @Test func `mouse, keyboard and window size act on the sheet's current position`()
    throws
  {
    let site = try Site("minute")
    var visit = try site.visit()
    func evaluate(_ script: String) -> Int {
      visit.evaluate("(async () => { \(script) })().then(JSON.stringify)")
      return visit.count - 1
    }
    _ = evaluate(
      """
      globalThis.drawing = element({ src: 'minute.pkd', controls: '' });
      drawing.style.cssText = 'display: block; width: 400px';
      await shown(drawing);
      """)
    visit.drag([200, 200], [300, 200], [600, 700])
    let released = evaluate(
      "drawing.zoom.by(2); return [drawing.zoom.held.size, drawing.paused];")
    visit.drag([200, 200], [200, 200])
    let tapped = evaluate("return drawing.paused;")
    visit.press("K", "L")
    // The lower right corner, in a smaller box.
    let resized = evaluate(
      """
      drawing.zoom.by(8);
      drawing.zoom.set(8, -1e9, -1e9);
      await pause(300);
      drawing.style.width = '150px';
      await pause(300);
      await shown(drawing);
      const [sheet, stage] = [drawing.sheet, drawing.stage].map((part) => part.getBoundingClientRect());
      const isCovered = sheet.right > stage.right - 4 && sheet.left < stage.left + 4 && sheet.width > 1000;
      return [isCovered, sheet.bottom > stage.top + 100, drawing.canvas.width > 100, drawing.canvas.height > 100];
      """)
    _ = evaluate(
      """
      drawing.remove();
      globalThis.drawing = element({ src: 'minute.pkd', controls: 'sheet', lang: 'zh-TW' });
      await shown(drawing);
      drawing.start.focus();
      """)
    visit.press(" ")
    let started = evaluate(
      "return [document.activeElement === drawing, drawing.shadowRoot.activeElement === drawing.player, drawing.paused];"
    )
    visit.press("K", "L")
    let stopped = evaluate(
      "return [drawing.paused, drawing.loop, drawing.start.ariaLabel, drawing.controlsPart.choices.textContent];"
    )
    let answers = try visit.answers()
    #expect(answers.troubles == [])
    #expect(answers.text(released) == "[0,true]")
    #expect(answers.text(tapped) == "false")
    #expect(answers.text(resized) == "[true,true,true,true]")
    #expect(answers.text(started) == "[true,true,false]")
    #expect(answers.text(stopped) == #"[true,true,"播放這幅畫","½×1×2×4×"]"#)
  }
}
