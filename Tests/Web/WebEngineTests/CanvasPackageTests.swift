import Foundation
import TestSupport
import Testing

private let enginePath = ProcessInfo.processInfo.environment["TEST_ENGINE"]

/// The package's elements, from its archive, in pages, bundles and web views.
@Suite(.enabled(if: enginePath != nil, "needs a compiled engine"))
struct CanvasPackageTests {
  private static func has(_ program: String) -> Bool {
    (try? Program.shell("command -v \(program)", in: Corpus.project).code == 0) ?? false
  }

  /// A program that joins modules.
  struct Bundler: Sendable, CustomTestStringConvertible {
    let name: String
    var form = "a module"
    /// Joins `main.js` as `app.js`.
    let command: String
    /// What `main.js` imports: not all find packages by their names.
    var module = "pentimento/canvas"
    /// Whether the bundle is a module; a classic script otherwise.
    var isModule = true
    /// Whether it copies the worker and the engines.
    var copies = false

    var testDescription: String { "\(name), \(form)" }

    static let esbuild = Bundler(
      name: "esbuild",
      command: "esbuild main.js --bundle --format=esm --outfile=app.js --log-level=warning")
    static let present = [
      esbuild,
      Bundler(
        name: "esbuild", form: "a classic script",
        command: "esbuild main.js --bundle --outfile=app.js --log-level=error", isModule: false),
      Bundler(
        name: "rollup", command: "rollup main.js --file app.js --format es --silent",
        module: "./node_modules/pentimento/canvas.mjs"),
      Bundler(
        name: "webpack", form: "a classic script",
        command:
          "webpack --mode production --entry ./main.js --output-path . --output-filename app.js",
        isModule: false, copies: true),
    ].filter { has($0.name) }
  }
  private static let hasBundler = has(Bundler.esbuild.name)
  private static let hasTypes = has("tsc")

  /// A site with the package in `node_modules`.
  private static func site(script type: String = "module") throws -> TemporaryFolder {
    let folder = try NodePackageTests.app("minute")
    try Data(
      "<!DOCTYPE html><link rel=icon href=data:,><body><div id=root></div><script src=app.js type=\(type)></script>"
        .utf8
    )
    .write(to: folder.file("page.html"))
    return folder
  }

  /// Opens a page of a site, waits until an expression is true, and returns that of another one as
  /// JSON.
  private static func answer(
    _ folder: TemporaryFolder, _ script: String, page: String = "page.html",
    ready: String = "document.querySelector('pentimento-canvas')?.isOpen",
    allowing message: String = "no message"
  ) throws -> String {
    let browser = try HTMLBrowser.Session()
    browser.window = (700, 700, 1, false)
    try browser.before("Element.prototype.setPointerCapture = () => {};")
    try browser.perform(["serve": folder.url.path])
    try browser.open("/\(page)", ready: ready)
    let text = try browser.text(
      "(async () => { \(draw)\n\(script) })().then((value) => JSON.stringify(value))")
    try browser.end()
    #expect(browser.troubles.filter { !$0.contains(message) } == [])
    return text
  }

  private static let draw = #"""
    const canvas = document.querySelector('pentimento-canvas');
    const draw = async () => {
      const changed = new Promise((done) => canvas.addEventListener('drawingchange', done, { once: true }));
      const { left, top } = canvas.getBoundingClientRect();
      for (const [name, at] of [['pointerdown', 0], ['pointermove', 20], ['pointermove', 60], ['pointerup', 60]]) {
        for (const kind of name === 'pointermove' && 'onpointerrawupdate' in globalThis ? ['pointerrawupdate'] : [name]) {
          canvas.area.dispatchEvent(new PointerEvent(kind, { bubbles: true, composed: true, pointerId: 3, pointerType: 'mouse',
            button: name === 'pointerdown' ? 0 : -1, buttons: 1, clientX: left + 40 + at, clientY: top + 40 + at / 2 }));
        }
      }
      await changed;
    };
    """#

  @Test func `a page without a build step draws by the module under a strict policy`() throws {
    let folder = try Self.site()
    try Data(
      """
      import './node_modules/pentimento/canvas.mjs';
      document.body.append(document.createElement('pentimento-canvas'));
      """.utf8
    ).write(to: folder.file("app.js"))
    let answer = try Self.answer(
      folder, "await draw(); return [(await canvas.save()).length > 100, canvas.canUndo];")
    #expect(answer == "[true,true]")
  }

  @Test func `a server that renders pages can import the elements`() throws {
    let folder = try Self.site()
    try Data(
      """
      import { configure } from 'pentimento/canvas';
      configure({ worker: 'x.js' });
      console.log(typeof configure);
      """.utf8
    ).write(to: folder.file("ssr.mjs"))
    let result = try Program.shell("node ssr.mjs", in: folder.url)
    #expect(result.text == "function\n", "\(result.errors)")
  }

  /// Stand-ins for React and Vue, which cannot be fetched here: as much of them as the components use.
  private static let frameworks = [
    "react": #"""
    let hooks = [], at = 0, effects = [];
    const same = (a, b) => a && b && a.length === b.length && a.every((one, index) => Object.is(one, b[index]));
    export const useRef = (value) => hooks[at++] ??= { current: value };
    export const useLayoutEffect = (body, needs) => {
      const index = at++;
      if (!same(hooks[index], needs)) effects.push(body);
      hooks[index] = needs;
    };
    export const useImperativeHandle = (ref, make, needs) => useLayoutEffect(() => { if (ref) ref.current = make(); }, needs);
    export const forwardRef = (body) => body;
    export const createElement = (name, { ref, ...attributes }) => ({ name, ref, attributes });
    // Renders a component into a place, and again with other props.
    export const render = (component, props, ref, place) => {
      at = 0;
      effects = [];
      const made = component(props, ref);
      const element = place.firstChild ?? place.appendChild(document.createElement(made.name));
      for (const [name, value] of Object.entries(made.attributes)) element.setAttribute(name, value);
      made.ref.current = element;
      for (const effect of effects) effect();
    };
    """#,
    "vue": #"""
    const mounted = [], watched = [];
    export const ref = (value) => ({ value });
    export const onMounted = (body) => mounted.push(body);
    export const watch = (read, body) => watched.push(body);
    export const defineComponent = (options) => options;
    export const h = (name, attributes) => ({ name, attributes });
    export const mount = (component, props, emit, place) => {
      const made = component.setup(props, { attrs: { label: 'Here' }, emit, expose() {} })();
      const element = document.createElement(made.name);
      for (const [name, value] of Object.entries(made.attributes)) {
        if (name === 'ref') value.value = element;
        else if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
        else element.setAttribute(name, value);
      }
      place.append(element);
      for (const body of mounted) body();
      return () => watched.forEach((body) => body());
    };
    """#,
  ]

  private static func bundled(_ app: String, by bundler: Bundler = .esbuild) throws
    -> TemporaryFolder
  {
    let folder = try site(script: bundler.isModule ? "module" : "text/javascript")
    for (name, text) in frameworks {
      let place = folder.file("node_modules/\(name)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(#"{"name": "\#(name)", "type": "module", "exports": "./index.js"}"#.utf8)
        .write(to: place.appendingPathComponent("package.json"))
      try Data(text.utf8).write(to: place.appendingPathComponent("index.js"))
    }
    try Data(app.utf8).write(to: folder.file("main.js"))
    let copy = "cd node_modules/pentimento && cp pentimento-canvas-worker.js *.wasm ../.."
    let result = try Program.shell(
      bundler.copies ? bundler.command : "\(bundler.command) && \(copy)", in: folder.url)
    #expect(result.code == 0, "\(result.text)\(result.errors)")
    return folder
  }

  @Test func `a worker of a page draws the pixels that Node draws`() throws {
    let folder = try Self.site()
    let script =
      "const { data } = await pixels(source, { size: 200 });\n"
      + "const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data)).join();\n"
    for (name, package, source, end) in [
      ("drawn.mjs", "pentimento", "'a.pkd'", "console.log(hash);"),
      (
        "worker.js", "./node_modules/pentimento/index.mjs", "new URL('a.pkd', import.meta.url)",
        "const missing = await pixels('missing.pkd').catch(({ status }) => status);\npostMessage(`${hash}\\n${missing}`);"
      ),
    ] {
      try Data(
        "import { pixels } from '\(package)';\nconst source = \(source);\n\(script)\(end)".utf8
      )
      .write(to: folder.file(name))
    }
    try Data(
      """
      const worker = new Worker('worker.js', { type: 'module' });
      worker.onmessage = ({ data }) => window.drawn = data;
      """.utf8
    ).write(to: folder.file("app.js"))
    let node = try Program.shell("node drawn.mjs", in: folder.url)
    #expect(node.code == 0, "\(node.errors)")
    let answer = try Self.answer(
      folder, "return window.drawn;", ready: "window.drawn", allowing: "404")
    #expect(answer == "\"\(node.text)404\"".replacingOccurrences(of: "\n", with: "\\n"))
  }

  @Test(arguments: Bundler.present)
  func `a bundle draws, and makes a vector file`(by bundler: Bundler) throws {
    let folder = try Self.bundled(
      "import '\(bundler.module)';\ndocument.body.append(document.createElement('pentimento-canvas'));",
      by: bundler)
    let answer = try Self.answer(
      folder,
      """
      await draw();
      const svg = await canvas.toBlob({ type: 'svg' });
      return [canvas.canUndo, (await canvas.save()).length > 100, (await svg.text()).startsWith('<svg')];
      """)
    #expect(answer == "[true,true,true]")
  }

  @Test(.enabled(if: hasBundler, "skipped: there is no esbuild"))
  func `a bundle with a component of React passes attributes, bytes and events`() throws {
    let folder = try Self.bundled(
      """
      import { render } from 'react';
      import { PentimentoCanvas } from 'pentimento/react';
      const place = document.getElementById('root');
      window.told = [];
      window.canvasRef = {};
      const props = (more) => ({ className: 'page', penOnly: false, evenWidth: true, color: '#ff0000',
        onDrawingChange: () => told.push('changed'), ...more });
      render(PentimentoCanvas, props(), canvasRef, place);
      window.again = (more) => render(PentimentoCanvas, props(more), canvasRef, place);
      """)
    let answer = try Self.answer(
      folder,
      """
      await draw();
      const loaded = new Promise((done) => canvas.addEventListener('load', done, { once: true }));
      again({ value: await (await fetch('a.pkd')).arrayBuffer(), onDrawingChange: () => told.push('later') });
      await loaded;
      await draw();
      return [canvasRef.current === canvas, canvas.className, canvas.evenWidth, canvas.penOnly, canvas.color, told.join()];
      """)
    #expect(answer == ##"[true,"page",true,false,"#ff0000","changed,later"]"##)
  }

  @Test(.enabled(if: hasBundler, "skipped: there is no esbuild"))
  func `a bundle with a component of Vue gives and takes bytes`() throws {
    let folder = try Self.bundled(
      """
      import { mount } from 'vue';
      import { PentimentoCanvas } from 'pentimento/vue';
      window.props = { modelValue: null };
      window.told = [];
      window.changed = mount(PentimentoCanvas, props, (name, value) => { told.push(name); props.modelValue = value; window.changed(); },
        document.getElementById('root'));
      """)
    let answer = try Self.answer(
      folder,
      """
      await draw();
      await new Promise((done) => setTimeout(done, 200));
      const length = props.modelValue.length;
      await draw();
      await new Promise((done) => setTimeout(done, 200));
      return [told.join(), canvas.getAttribute('label'), props.modelValue.length > length, canvas.canUndo];
      """)
    #expect(answer == #"["update:modelValue,update:modelValue","Here",true,true]"#)
  }

  @Test(.enabled(if: hasTypes, "skipped: there is no tsc"))
  func `its types fit a page and a script for Node, and find mistakes`() throws {
    let folder = try Self.site()
    let head =
      "import type { PentimentoCanvasElement } from 'pentimento/canvas';\nimport { render } from 'pentimento';\n"
    let good = """
      const canvas: PentimentoCanvasElement = document.createElement('pentimento-canvas');
      canvas.ink = 'crayon';
      canvas.addEventListener('strokestart', (event) => console.log(event.detail.size.toFixed(1)));
      canvas.toBlob({ type: 'drawing' }).then((blob) => blob.size);
      render('a.pkd', { scale: 2 }).then((bytes) => bytes.length);
      """
    let options =
      #""noEmit": true, "strict": true, "target": "es2022", "lib": ["es2022", "dom"], "module": "nodenext""#
      + #", "moduleResolution": "nodenext", "types": []"#
    try Data(#"{"compilerOptions": {\#(options)}, "files": ["app.mts"]}"#.utf8)
      .write(to: folder.file("tsconfig.json"))
    let command = "tsc -p ."
    try Data((head + good).utf8).write(to: folder.file("app.mts"))
    let result = try Program.shell(command, in: folder.url)
    #expect(result.code == 0, "\(result.text)")
    for wrong in [
      "canvas.ink = 'quill';", "canvas.toBlob({ type: 'gif' });", "canvas.select('some');",
    ] {
      try Data((head + good + "\n" + wrong).utf8).write(to: folder.file("app.mts"))
      let result = try Program.shell(command, in: folder.url)
      #expect(result.code != 0 && result.text.contains("app.mts(8"), "\(wrong): \(result.text)")
    }
  }

  @Test func `a native app draws, loads and saves by messages`() throws {
    let folder = try Self.site()
    let result = try Program.shell(
      "cp node_modules/pentimento/* . 2>/dev/null; base64 -w0 a.pkd > a.txt", in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    let answer = try Self.answer(
      folder,
      #"""
      const heard = [];
      window.Pentimento = { postMessage: (text) => heard.push(JSON.parse(text)) };
      const call = async (name, ...values) => {
        const id = heard.length + 1;
        await pentimento.receive(JSON.stringify({ id, call: name, arguments: values }));
        return heard.find((one) => one.id === id);
      };
      const file = await (await fetch('a.txt')).text();
      const loaded = await call('load', file);
      await draw();
      const saved = await call('save');
      await call('set', 'ink', 'crayon');
      const png = await call('toBlob', { type: 'png', scale: 1 });
      return ['result' in loaded, saved.result.length > 1000, canvas.ink, atob(png.result).slice(1, 4),
        heard.some((one) => one.event === 'drawingchange'), (await call('eval', '1')).error, (await call('load', 'AAAA')).error !== undefined];
      """#, page: "webview.html")
    #expect(
      answer
        == #"[true,true,"crayon","PNG",true,"There is no call “eval”.",true]"#)
  }
}
