import Foundation
import TestSupport
import Testing

@testable import Animation

/// Tests `<pentimento-canvas>` and `<pentimento-tools>` in pages of other people, under a strict
/// content policy, in real browsers.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["TEST_ENGINE"] != nil, "needs a compiled engine"))
struct CanvasElementTests {
  /// A page with the elements, open in a browser. `tests` in it has helpers.
  private final class Page {
    let folder: TemporaryFolder
    let browser: HTMLBrowser.Session

    init(
      _ body: String, in kind: HTMLBrowser.Kind = .chromium, samples: [String] = ["minute"]
    ) throws {
      folder = try TemporaryFolder()
      for file in try WebElement.canvasFiles {
        try Data(file.bytes).write(to: folder.file(file.name))
      }
      for name in samples {
        try Data(try HTMLPlayerTests.Sample(name).bytes).write(to: folder.file("\(name).pkd"))
      }
      browser = try HTMLBrowser.Session(kind)
      browser.window = (700, 700, 1, false)
      try browser.before(CanvasElementTests.tools)
      try browser.perform(["serve": folder.url.path])
      try open(body)
    }

    func open(_ body: String, ready: String = "tests.isOpen()") throws {
      let page =
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><link rel=icon href=data:,>"
        + "<script src=pentimento-canvas.js></script>" + body
      try Data(page.utf8).write(to: folder.file("page.html"))
      try browser.open("/page.html", ready: ready)
    }

    func text(_ script: String) throws -> String {
      try browser.text("(async () => { \(script) })().then((value) => JSON.stringify(value))")
    }

    /// Ends the browser, and returns the messages of the page.
    func end() throws -> [String] {
      try browser.end()
      return browser.troubles
    }
  }

  private static let tools = #"""
    globalThis.tests = {
      get canvas() { return document.querySelector('pentimento-canvas'); },
      isOpen: () => document.readyState === 'complete' && [...document.querySelectorAll('pentimento-canvas')].every((one) => one.isOpen && one.view?.isSettled),
      wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
      heard(target, name) {
        return new Promise((done) => target.addEventListener(name, done, { once: true }));
      },
      // Draws a line on a canvas, at places in it.
      async draw(canvas, from = [40, 40], to = [160, 90], more = {}) {
        const { left, top } = canvas.getBoundingClientRect();
        const event = (name, [x, y]) => canvas.area.dispatchEvent(new PointerEvent(name, {
          bubbles: true, composed: true, cancelable: true, pointerId: 5, pointerType: 'mouse', isPrimary: true, button: name === 'pointerdown' ? 0 : -1,
          buttons: 1, clientX: left + x, clientY: top + y, ...more,
        }));
        const move = 'onpointerrawupdate' in globalThis ? 'pointerrawupdate' : 'pointermove';
        event('pointerdown', from);
        for (let step = 1; step <= 8; step++) {
          event(move, from.map((one, axis) => one + (to[axis] - one) * step / 8));
          await tests.wait(4);
        }
        event('pointerup', to);
      },
      async drawn(canvas, ...places) {
        const changed = tests.heard(canvas, 'drawingchange');
        await tests.draw(canvas, ...places);
        await changed;
        await tests.wait(60);
      },
    };
    Element.prototype.setPointerCapture = () => {};
    """#

  private static let canvas = "<pentimento-canvas></pentimento-canvas>"

  @Test func `every attribute is reflected by a property, and unknown values mean the usual one`()
    throws
  {
    let page = try Page(Self.canvas)
    let rows = try page.text(
      #"""
      const { canvas } = tests;
      const wrong = [];
      // Attribute, its text, property, the value that it has then, and the one without it.
      for (const [attribute, text, property, value, usual] of [
        ['tool', 'eraser', 'tool', 'eraser', 'ink'],
        ['tool', 'hammer', 'tool', 'ink', 'ink'],
        ['ink', 'crayon', 'ink', 'crayon', 'pen'],
        ['ink', 'quill', 'ink', 'pen', 'pen'],
        ['color', '#10203040', 'color', '#10203040', '#1b2440'],
        ['color', 'red', 'color', '#1b2440', '#1b2440'],
        ['size', '7.5', 'size', 7.5, 3],
        ['size', '-1', 'size', 3, 3],
        ['paper', 'grid', 'paper', 'grid', 'grid'],
        ['background', 'none', 'background', 'none', null],
        ['theme', 'dark', 'theme', 'dark', null],
        ['label', 'Here', 'label', 'Here', null],
        ['name', 'ink', 'name', 'ink', null],
        ['required', '', 'required', true, false],
        ['readonly', '', 'readonly', true, false],
        ['pen-only', '', 'penOnly', true, false],
        ['even-width', '', 'evenWidth', true, false],
        ['keep-hand', '', 'keepHand', true, false],
        ['src', 'minute.pkd?1', 'src', 'minute.pkd?1', null],
      ]) {
        canvas.setAttribute(attribute, text);
        if (canvas[property] !== value) wrong.push([attribute, text, canvas[property]]);
        canvas.removeAttribute(attribute);
        if (canvas[property] !== usual) wrong.push([attribute, 'none', canvas[property]]);
        if (text === String(value) && !['paper', 'src'].includes(attribute)) {
          canvas[property] = value;
          if (canvas.getAttribute(attribute) !== text) wrong.push([property, canvas.getAttribute(attribute)]);
          canvas.removeAttribute(attribute);
        }
      }
      return wrong;
      """#)
    #expect(rows == "[]")
    #expect(try page.end() == [])
  }

  @Test func `a form posts the ink, demands it, and takes it back`() throws {
    let page = try Page(
      "<form id=form><pentimento-canvas name=ink required></pentimento-canvas><button>Send</button></form>"
    )
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const form = document.getElementById('form');
      const all = [];
      const size = () => new FormData(form).get('ink')?.size ?? 0;
      all.push(form.elements.ink === canvas, canvas.form === form, form.checkValidity(), canvas.validity.valueMissing, size());
      await tests.drawn(canvas);
      all.push(form.checkValidity(), size() > 100, new FormData(form).get('ink').name, canvas.value.length === size());
      form.reset();
      await tests.heard(canvas, 'load');
      await tests.wait(50);
      all.push(form.checkValidity(), size());
      canvas.closest('form').replaceChildren(Object.assign(document.createElement('fieldset'), { disabled: true }));
      document.querySelector('fieldset').append(canvas);
      await tests.wait(50);
      await tests.draw(canvas);
      await tests.wait(100);
      all.push(canvas.canUndo);
      return all;
      """#)
    #expect(
      answer == #"[true,true,false,true,0,true,true,"ink.pkd",true,false,0,false]"#)
    #expect(try page.end() == [])
  }

  @Test func `a drawing is opened, continued and taken out in each type`() throws {
    let page = try Page(#"<pentimento-canvas src="minute.pkd"></pentimento-canvas>"#)
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const before = await (await fetch('minute.pkd')).arrayBuffer();
      await tests.drawn(canvas);
      const value = await canvas.save();
      const heads = [];
      for (const type of ['png', 'svg', 'pdf', 'pkd']) {
        const blob = await canvas.toBlob({ type, scale: 1 });
        const bytes = new Uint8Array(await blob.arrayBuffer());
        heads.push(blob.type, String.fromCharCode(...bytes.slice(1, 4)));
      }
      const isRefused = await canvas.toBlob({ type: 'gif' }).then(() => false, (error) => error instanceof TypeError);
      canvas.undo();
      await tests.heard(canvas, 'drawingchange');
      const [canUndo, canRedo] = [canvas.canUndo, canvas.canRedo];
      // Bytes, a file and an address are the same drawing.
      const sizes = [];
      for (const source of [value, new Blob([value]), value.buffer, 'minute.pkd', new URL('minute.pkd', location)]) {
        await canvas.load(source);
        sizes.push((await canvas.save()).length > before.byteLength / 2);
      }
      return [...heads, isRefused, canUndo, canRedo, ...sizes, value.length > 1000];
      """#)
    #expect(
      answer
        == #"["image/png","PNG","image/svg+xml","svg","application/pdf","PDF","application/vnd.pentimento.recording","PKD",true,true,true,true,true,true,true,true,true]"#
    )
    #expect(try page.end() == [])
  }

  @Test func `an archive comes back as it was, and with a stroke keeps each of its bytes`() throws {
    let page = try Page(Self.canvas)
    let made = try Program.shell("pkd convert minute.pkd ink.drawing", in: page.folder.url)
    #expect(made.code == 0, "\(made.errors)")
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const archive = new Uint8Array(await (await fetch('ink.drawing')).arrayBuffer());
      await canvas.load('ink.drawing');
      const before = await canvas.save();
      await tests.drawn(canvas);
      const after = await canvas.save();
      const blob = await canvas.toBlob({ type: 'drawing' });
      // Whether all bytes are there in their order, between new ones.
      let at = 0;
      for (const byte of after) if (byte === archive[at]) at += 1;
      return [before.join() === archive.join(), at === archive.length, after.length - archive.length < 600,
        blob.size === after.length, blob.type];
      """#)
    #expect(answer == #"[true,true,true,true,"application/vnd.apple.pencilkit.drawing"]"#)
    #expect(try page.end() == [])
  }

  @Test func `bad files are told by an event, and the canvas can still be used`() throws {
    let page = try Page(Self.canvas)
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const told = [];
      canvas.addEventListener('error', (event) => {
        event.preventDefault();
        told.push(event.detail.code);
      });
      await tests.drawn(canvas);
      for (const source of [new Uint8Array([1, 2, 3]), 'missing.pkd', new Uint8Array(0), 7]) {
        await canvas.load(source).catch((error) => told.push('rejected'));
      }
      await canvas.load(null);
      await tests.drawn(canvas);
      return [...told, canvas.canUndo];
      """#)
    #expect(
      answer.hasPrefix(
        #"["notARecording","rejected","failed","rejected","notARecording","rejected""#), "\(answer)"
    )
    #expect(answer.hasSuffix("true]"))
    #expect(try page.end().filter { !$0.contains("404") } == [])
  }

  @Test func `tools follow a canvas and lead it, in any order of definition`() throws {
    let page = try Page(
      "<pentimento-tools for=late autosave-name=mine></pentimento-tools><pentimento-canvas id=late></pentimento-canvas>"
    )
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const tools = document.querySelector('pentimento-tools');
      const all = [tools.canvas === canvas];
      const input = (value) => tools.root.querySelector(`input[value="${value}"]`);
      input('crayon').click();
      all.push(canvas.tool, canvas.ink, canvas.size);
      input('#e4604e').click();
      all.push(canvas.color);
      canvas.take({ tool: 'ink', ink: 'marker', color: '#123456', size: 16 });
      all.push(input('marker').checked, tools.chosen.colour, tools.chosen.size);
      canvas.tool = 'eraser';
      all.push(input('eraser').checked);
      canvas.ink = 'crayon';
      all.push(canvas.color, JSON.parse(localStorage.getItem('mine')).tool);
      return all;
      """#)
    #expect(
      answer
        == ##"[true,"ink","crayon",12,"#e4604e",true,"#123456",1,true,"#e4604e","crayon"]"##)
    #expect(try page.end() == [])
  }

  @Test func `events tell of strokes, which pages can refuse, of changes and of selections`() throws
  {
    let page = try Page(Self.canvas)
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const told = [];
      for (const name of ['strokestart', 'strokeend', 'drawingchange', 'toolchange', 'selectionchange']) {
        canvas.addEventListener(name, ({ detail }) => told.push(name === 'selectionchange' ? `${name} ${detail.count}` : name));
      }
      await tests.drawn(canvas);
      canvas.select('all');
      await tests.wait(150);
      canvas.select('none');
      await tests.wait(50);
      const first = told.splice(0).join();
      canvas.tool = 'ink';
      told.length = 0;
      // Refused at its begin, and at its end.
      canvas.addEventListener('strokestart', (event) => event.preventDefault(), { once: true });
      await tests.draw(canvas, [40, 140], [160, 190]);
      canvas.addEventListener('strokeend', (event) => event.preventDefault(), { once: true });
      await tests.draw(canvas, [40, 140], [160, 190]);
      await tests.wait(150);
      const second = told.splice(0).join();
      canvas.readonly = true;
      await tests.draw(canvas, [40, 140], [160, 190]);
      canvas.clear();
      await tests.wait(150);
      return [first, second, told.join(), canvas.canRedo];
      """#)
    #expect(
      answer
        == #"["strokestart,strokeend,drawingchange,toolchange,selectionchange 1,selectionchange 0","strokestart,strokestart,strokeend","",false]"#
    )
    #expect(try page.end() == [])
  }

  @Test func `faults that a breaker found stay mended`() throws {
    let page = try Page(
      "<form id=form><pentimento-canvas name=ink></pentimento-canvas></form><div id=place></div>")
    let answer = try page.text(
      #"""
      let { canvas } = tests;
      const form = document.getElementById('form');
      const found = {};
      canvas.addEventListener('error', (event) => event.preventDefault());
      // A form that is sent at once, and one after saving.
      let sent;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        sent = new FormData(form).get('ink');
      });
      await tests.draw(canvas);
      form.requestSubmit();
      await tests.wait(200);
      found.submit = sent?.size > 100;
      await tests.draw(canvas, [40, 140], [160, 190]);
      const saved = await canvas.save();
      found.save = new FormData(form).get('ink').size === saved.length;
      // A load that fails leaves the open drawing.
      const isRefused = await canvas.load('missing.pkd').then(() => false, () => true);
      await tests.drawn(canvas, [200, 140], [260, 190]);
      found.load = isRefused && (await canvas.save()).length > saved.length;
      // Short colours are colours.
      canvas.take({ color: '#fa0' });
      await tests.drawn(canvas, [200, 40], [260, 90]);
      found.color = canvas.color === '#ffaa00' && canvas.canUndo;
      // A selection that must not be changed.
      canvas.select('all');
      await tests.wait(150);
      canvas.readonly = true;
      canvas.area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true, composed: true }));
      await tests.wait(100);
      found.readonly = canvas.selectionCount === 4 && !canvas.isEmpty;
      canvas.readonly = false;
      canvas.select('none');
      for (const size of ['foo', [-5, 3], [1e9, 1e9]]) {
        try {
          canvas.pageSize = size;
          found.size = 'taken';
        } catch (error) {
          found.size ??= error instanceof TypeError;
        }
      }
      // A stroke goes on while the drawing is saved.
      canvas.tool = 'ink';
      const before = (await canvas.save()).length;
      const { left, top } = canvas.getBoundingClientRect();
      const point = (name, x) => canvas.area.dispatchEvent(new PointerEvent(name, { bubbles: true, composed: true, pointerId: 9,
        pointerType: 'mouse', button: name === 'pointerdown' ? 0 : -1, buttons: 1, clientX: left + x, clientY: top + 230 }));
      const move = 'onpointerrawupdate' in globalThis ? 'pointerrawupdate' : 'pointermove';
      point('pointerdown', 20);
      point(move, 60);
      const saving = canvas.save();
      point(move, 300);
      point('pointerup', 300);
      await saving;
      const [, , width] = await canvas.ask('ink');
      found.stroke = width > 270;
      // A canvas without a size, which is shown later.
      const hidden = document.createElement('pentimento-canvas');
      hidden.hidden = true;
      document.getElementById('place').append(hidden);
      await hidden.load('minute.pkd');
      hidden.hidden = false;
      await tests.wait(400);
      found.hidden = hidden.view.isSettled && hidden.zoom < 1;
      // A removed canvas frees its worker, and opens its drawing again.
      hidden.remove();
      await tests.wait(1400);
      const isFreed = await hidden.ask('box').then(() => false, ({ code }) => code === 'notOpen');
      document.getElementById('place').append(hidden);
      await tests.heard(hidden, 'load');
      found.removed = isFreed && !hidden.isEmpty;
      // Tools find a canvas that comes later.
      const tools = document.createElement('pentimento-tools');
      tools.htmlFor = 'x';
      tools.setAttribute('for', 'later');
      document.getElementById('place').append(tools);
      const later = document.createElement('pentimento-canvas');
      later.id = 'later';
      document.getElementById('place').append(later);
      await tests.wait(50);
      found.tools = tools.canvas === later;
      // Another document.
      const frame = document.createElement('iframe');
      document.body.append(frame);
      frame.contentDocument.body.append(later);
      found.adopted = later.root.adoptedStyleSheets.length === 4;
      return Object.entries(found).filter(([, isRight]) => isRight !== true);
      """#)
    #expect(answer == "[]")
    #expect(try page.end().filter { !$0.contains("404") } == [])
  }

  @Test func `canvases work in shadow trees, beside hostile styles, and after moves`() throws {
    let page = try Page("<div id=host></div><div id=other></div>")
    let answer = try page.text(
      #"""
      const styles = (text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        return [sheet];
      };
      document.adoptedStyleSheets = styles(`* {
        direction: rtl !important; font: 40px fantasy !important; letter-spacing: 2em; text-transform: uppercase;
        box-sizing: content-box !important; line-height: 3 !important;
      }`);
      const root = document.getElementById('host').attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = styles('pentimento-canvas { width: 300px; height: 200px; }');
      root.innerHTML = '<pentimento-tools for=c></pentimento-tools><pentimento-canvas id=c></pentimento-canvas>';
      const canvas = root.getElementById('c');
      await tests.heard(canvas, 'load');
      await tests.drawn(canvas);
      const all = [root.querySelector('pentimento-tools').canvas === canvas, canvas.canUndo];
      document.getElementById('other').append(canvas);
      await tests.wait(100);
      await tests.drawn(canvas, [40, 140], [160, 190]);
      canvas.undo();
      await tests.heard(canvas, 'drawingchange');
      all.push(canvas.canUndo, canvas.canRedo, getComputedStyle(canvas.area).direction);
      return all;
      """#)
    #expect(answer == #"[true,true,true,true,"ltr"]"#)
    #expect(try page.end() == [])
  }

  @Test(
    .enabled(if: HTMLBrowser.isFirefoxPresent, Comment(rawValue: HTMLBrowser.firefoxAbsence)))
  func `Firefox draws, saves, and takes a form's value`() throws {
    let page = try Page(
      "<form id=form><pentimento-canvas name=ink required></pentimento-canvas></form>", in: .firefox
    )
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const form = document.getElementById('form');
      const isMissing = !form.checkValidity();
      await tests.drawn(canvas);
      const png = await canvas.toBlob({ type: 'png' });
      return [isMissing, form.checkValidity(), new FormData(form).get('ink').size > 100, png.size > 100];
      """#)
    #expect(answer == "[true,true,true,true]")
    #expect(try page.end() == [])
  }
}
