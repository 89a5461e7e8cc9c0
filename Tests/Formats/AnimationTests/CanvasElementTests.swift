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
      _ body: String, in kind: HTMLBrowser.Kind, samples: [String] = ["minute"],
      ready: String = "tests.isOpen()"
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
      try open(body, ready: ready)
    }

    private func open(_ body: String, ready: String) throws {
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `every attribute is reflected by a property, and unknown values mean the usual one`(
    in kind: HTMLBrowser.Kind
  )
    throws
  {
    let page = try Page(Self.canvas, in: kind)
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `a form posts the ink, demands it, and takes it back`(in kind: HTMLBrowser.Kind) throws {
    let page = try Page(
      "<form id=form><pentimento-canvas name=ink required></pentimento-canvas><button>Send</button></form>",
      in: kind)
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const form = document.getElementById('form');
      const all = [];
      const size = () => new FormData(form).get('ink')?.size ?? 0;
      all.push(form.elements.ink === canvas, canvas.form === form, form.checkValidity(), canvas.validity.valueMissing, size());
      await tests.drawn(canvas);
      await canvas.save();
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `a drawing is opened, continued and taken out in each type`(in kind: HTMLBrowser.Kind) throws
  {
    let page = try Page(#"<pentimento-canvas src="minute.pkd"></pentimento-canvas>"#, in: kind)
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
      const refused = (options) => canvas.toBlob(options).then(() => false, (error) => error instanceof TypeError);
      const isRefused = await refused({ type: 'gif' }) && await refused({ background: 'red' });
      const [short, long] = await Promise.all(['#fa0', '#ffaa00'].map((background) => canvas.toBlob({ scale: 1, background })));
      canvas.undo();
      await tests.heard(canvas, 'drawingchange');
      const [canUndo, canRedo] = [canvas.canUndo, canvas.canRedo];
      // Bytes, a file and an address are the same drawing.
      const sizes = [];
      for (const source of [value, new Blob([value]), value.buffer, 'minute.pkd', new URL('minute.pkd', location)]) {
        await canvas.load(source);
        sizes.push((await canvas.save()).length > before.byteLength / 2);
      }
      return [...heads, isRefused && short.size === long.size, canUndo, canRedo, ...sizes, value.length > 1000];
      """#)
    #expect(
      answer
        == #"["image/png","PNG","image/svg+xml","svg","application/pdf","PDF","application/vnd.pentimento.recording","PKD",true,true,true,true,true,true,true,true,true]"#
    )
    #expect(try page.end() == [])
  }

  @Test(arguments: HTMLBrowser.Kind.present)
  func `an archive comes back as it was, and with a stroke keeps each of its bytes`(
    in kind: HTMLBrowser.Kind
  ) throws {
    let page = try Page(Self.canvas, in: kind)
    let made = try Program.shell("pkd convert minute.pkd ink.drawing", in: page.folder.url)
    #expect(made.code == 0, "\(made.errors)")
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const archive = new Uint8Array(await (await fetch('ink.drawing')).arrayBuffer());
      await canvas.load('ink.drawing');
      const before = await canvas.save();
      const isUndoable = canvas.canUndo;
      await tests.drawn(canvas);
      const after = await canvas.save();
      const blob = await canvas.toBlob({ type: 'drawing' });
      // Whether all bytes are there in their order, between new ones.
      let at = 0;
      for (const byte of after) if (byte === archive[at]) at += 1;
      // The app's own strokes stay.
      const undoes = [isUndoable, canvas.canUndo];
      canvas.undo();
      await tests.heard(canvas, 'drawingchange');
      undoes.push(canvas.canUndo, (await canvas.save()).join() === archive.join());
      return [before.join() === archive.join(), at === archive.length, after.length - archive.length < 600,
        blob.size === after.length, blob.type, undoes.join()];
      """#)
    #expect(
      answer
        == #"[true,true,true,true,"application/vnd.apple.pencilkit.drawing","false,true,false,true"]"#
    )
    #expect(try page.end() == [])
  }

  @Test(arguments: HTMLBrowser.Kind.present)
  func `bad files are told by an event, and the canvas can still be used`(in kind: HTMLBrowser.Kind)
    throws
  {
    let page = try Page(Self.canvas, in: kind)
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `tools follow a canvas and lead it, in any order of definition`(in kind: HTMLBrowser.Kind)
    throws
  {
    let page = try Page(
      "<pentimento-tools for=late autosave-name=mine></pentimento-tools><pentimento-canvas id=late></pentimento-canvas>",
      in: kind)
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
      // Tools without stored choices take those of the page's text.
      const others = document.createElement('div');
      document.body.append(others);
      others.innerHTML = `<pentimento-canvas id=own ink=reed color=#123456 size=9></pentimento-canvas><pentimento-tools for=own></pentimento-tools>
        <pentimento-canvas id=again ink=reed></pentimento-canvas><pentimento-tools for=again autosave-name=mine></pentimento-tools>`;
      const { ink, color, size } = others.querySelector('#own');
      all.push([ink, color, size, others.querySelector('#again').ink].join());
      return all;
      """#)
    #expect(
      answer
        == ##"[true,"ink","crayon",12,"#e4604e",true,"#123456",1,true,"#e4604e","crayon","reed,#123456,9,crayon"]"##
    )
    #expect(try page.end() == [])
  }

  @Test(arguments: HTMLBrowser.Kind.present)
  func `events tell of strokes, which pages can refuse, of changes and of selections`(
    in kind: HTMLBrowser.Kind
  ) throws {
    let page = try Page(Self.canvas, in: kind)
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `faults that a breaker found stay mended`(in kind: HTMLBrowser.Kind) throws {
    let page = try Page(
      "<form id=form><pentimento-canvas name=ink></pentimento-canvas></form><div id=place></div>",
      in: kind)
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
      for (let turn = 0; turn < 100 && !sent; turn++) await tests.wait(50);
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `canvases work in shadow trees, beside hostile styles, and after moves`(
    in kind: HTMLBrowser.Kind
  ) throws {
    let page = try Page("<div id=host></div><div id=other></div>", in: kind)
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

  @Test(arguments: HTMLBrowser.Kind.present)
  func `a canvas leaves its page the wheel, errors, and changes while it was away`(
    in kind: HTMLBrowser.Kind
  ) throws {
    let page = try Page(
      """
      <form id=form><div id=around><pentimento-canvas name=ink src="minute.pkd"></pentimento-canvas></div></form>
      <div id=long></div>
      """, in: kind)
    let answer = try page.text(
      #"""
      const { canvas } = tests;
      const wrong = [];
      const check = (name, isRight) => isRight || wrong.push(name);
      const place = document.getElementById('around');
      const wheel = (more) => {
        const event = new WheelEvent('wheel', { bubbles: true, composed: true, cancelable: true, deltaY: 30, ...more });
        canvas.area.dispatchEvent(event);
        return event.defaultPrevented;
      };
      check('wheel of a page that fits', wheel());
      document.getElementById('long').style.height = '5000px';
      check('wheel', !wheel());
      check('zoom', wheel({ ctrlKey: true }));
      canvas.focus();
      check('wheel with the focus', wheel());
      const label = canvas.area.getAttribute('aria-label');
      place.lang = 'zh-TW';
      await tests.wait(20);
      check('language', canvas.area.getAttribute('aria-label') !== label);
      place.lang = '';
      // Only the element itself hears what concerns nobody else.
      let heard = 0;
      for (const target of [place, document, window]) target.addEventListener('error', () => heard++);
      canvas.addEventListener('error', (event) => event.preventDefault());
      await canvas.load(new Uint8Array(9)).catch(() => {});
      check('error', heard === 0);
      // Attributes of a removed canvas, before and after it has freed its worker.
      const length = (await canvas.save()).length;
      for (const pause of [0, 1400]) {
        await canvas.load(null);
        canvas.remove();
        await tests.wait(pause);
        canvas.src = `minute.pkd?${pause}`;
        canvas.readonly = true;
        place.append(canvas);
        await tests.heard(canvas, 'load');
        check(`source after ${pause}`, (await canvas.save()).length === length);
        canvas.readonly = false;
      }
      // A form is reset to what was loaded, also after a removal.
      await tests.drawn(canvas);
      check('change', (await canvas.save()).length > length);
      canvas.remove();
      await tests.wait(1400);
      place.append(canvas);
      await tests.heard(canvas, 'load');
      check('drawing after a removal', (await canvas.save()).length > length);
      document.getElementById('form').reset();
      await tests.heard(canvas, 'load');
      check('reset', (await canvas.save()).length === length);
      return wrong;
      """#)
    #expect(answer == "[]")
    #expect(try page.end() == [])
  }

  @Test(.enabled(if: HTMLBrowser.isPresent, Comment(rawValue: HTMLBrowser.absence)))
  func `a canvas is as sharp as a screen with another density`() throws {
    let page = try Page(Self.canvas, in: .chromium)
    try page.browser.evaluate("tests.canvas.style.width = '300px'")
    try page.browser.wait("tests.canvas.view.isSettled && tests.canvas.view.width === 300")
    #expect(try page.text("return tests.canvas.view.sheet.density;") == "1")
    // Its size in CSS pixels stays.
    page.browser.window = (720, 700, 2, false)
    try page.browser.changeWindow()
    try page.browser.wait("tests.canvas.view.sheet.density === 2 && tests.canvas.view.isSettled")
    #expect(try page.end() == [])
  }

  @Test(arguments: HTMLBrowser.Kind.present)
  func `a form waits for a drawing that nobody has seen, and is not sent without it`(
    in kind: HTMLBrowser.Kind
  ) throws {
    let page = try Page(
      """
      <form id=form><details><pentimento-canvas name=ink required src="minute.pkd"></pentimento-canvas></details></form>
      <table height=9000><tr><td></table><form id=other><pentimento-canvas name=ink src="minute.pkd"></pentimento-canvas></form>
      <pentimento-canvas id=far></pentimento-canvas>
      <form id=bad><pentimento-canvas name=ink src="missing.pkd"></pentimento-canvas></form>
      <dialog id=dialog><pentimento-canvas id=small page-size="300 200"></pentimento-canvas></dialog>
      """, in: kind, ready: "document.readyState === 'complete'")
    let answer = try page.text(
      #"""
      const wrong = [];
      const check = (name, isRight) => isRight || wrong.push(name);
      let sent;
      for (const form of document.forms) {
        form.addEventListener('submit', (event) => {
          event.preventDefault();
          sent = new FormData(form).get('ink')?.size;
        });
      }
      const send = async (id) => {
        sent = null;
        document.getElementById(id).requestSubmit();
        for (let turn = 0; turn < 60 && sent === null; turn++) await tests.wait(50);
        return sent;
      };
      check('details', await send('form') > 1000);
      check('far', await send('other') > 1000);
      const far = document.getElementById('far');
      check('lazy', !far.isOpen);
      check('save', (await far.save()).length > 0 && far.isOpen);
      check('missing', await send('bad') === null);
      const bad = document.querySelector('#bad pentimento-canvas');
      check('said', bad.said.classList.contains('shown') && bad.said.textContent.length > 9);
      check('not open', await bad.save().catch(({ code }) => code) === 'notOpen');
      await bad.load('minute.pkd');
      check('unsaid', !bad.said.classList.contains('shown'));
      check('loaded', await send('bad') > 1000);
      document.getElementById('dialog').showModal();
      const small = document.getElementById('small');
      await small.fit();
      check('dialog', small.clientWidth > 250);
      small.setAttribute('page-size', 'large');
      check('size', String(small.pageSize) === '300,200');
      return wrong;
      """#)
    #expect(answer == "[]")
    #expect(try page.end().filter { !$0.contains("404") && !$0.contains("undefined") } == [])
  }
}
