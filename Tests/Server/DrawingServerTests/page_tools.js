// Runs before the scripts of the pages that tests open: a hand with a pen, and readers of what is on the screen.
(() => {
  // Nobody can capture pointers that are not real.
  Element.prototype.setPointerCapture = () => {};

  // The document for tests: it finds what is in the canvas and its tools, too.
  const elements = 'pentimento-canvas, pentimento-tools';
  const trees = () => [
    document,
    ...[...document.querySelectorAll(elements)].map((one) => one.shadowRoot).filter(Boolean),
  ];
  const first = (find) => trees().reduce((found, tree) => found ?? find(tree), null);
  const deep = {
    getElementById: (id) => first((tree) => tree.getElementById(id)),
    querySelector: (selector) => first((tree) => tree.querySelector(selector)),
    querySelectorAll: (selector) => trees().flatMap((tree) => [...tree.querySelectorAll(selector)]),
    get activeElement() {
      const { activeElement } = document;
      return (activeElement?.matches(elements) && activeElement.shadowRoot?.activeElement) || activeElement;
    },
  };
  globalThis.deepDocument = new Proxy(document, {
    get(target, name) {
      if (Object.hasOwn(deep, name)) return deep[name];
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, name, value) => {
      target[name] = value;
      return true;
    },
  });

  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  // One event of a pointer; `coalesced` and `predicted` are lists of points like it.
  function event(kind, { x, y, type = 'pen', id = 7, button = -1, coalesced = [], predicted = [], ...rest }) {
    const isDown = !['pointerup', 'pointercancel'].includes(kind);
    const inner = (list) => list.map((point) => event('pointermove', { type, id, ...point }));
    return new PointerEvent(kind, {
      bubbles: true,
      cancelable: true,
      composed: true,
      pointerId: id,
      pointerType: type,
      isPrimary: true,
      clientX: x,
      clientY: y,
      button,
      buttons: isDown ? 1 : 0,
      pressure: isDown ? 0.5 : 0,
      coalescedEvents: inner(coalesced),
      predictedEvents: inner(predicted),
      ...rest,
    });
  }

  const send = (kind, point) => deep.getElementById('area').dispatchEvent(event(kind, point));
  const move = (point) => {
    if ('onpointerrawupdate' in globalThis) send('pointerrawupdate', point);
    send('pointermove', point);
  };

  // Draws through points. The pen stays down if `isOpen`.
  function stroke(points, { isOpen = false, ...rest } = {}) {
    const all = points.map((
      point,
    ) => (Array.isArray(point)
      ? { x: point[0], y: point[1], pressure: point[2] ?? 0.5, ...rest }
      : { ...rest, ...point })
    );
    send('pointerdown', { ...all[0], button: 0 });
    all.slice(1).forEach(move);
    if (!isOpen) send('pointerup', { ...all.at(-1), button: 0 });
  }

  // A wave from the left to the right.
  const wave = (x, y, { count = 40, step = 6, height = 25 } = {}) =>
    Array.from({ length: count }, (_, index) => [
      x + index * step,
      y + height * Math.sin(index / 3),
      0.3 + 0.4 * Math.abs(Math.sin(index / 9)),
    ]);

  // Waits until everything that was drawn is on the screen.
  async function settle() {
    const { view, thread } = drawing;
    clearTimeout(view.timer);
    await view.settle();
    await thread.ask('flush');
    for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
    await wait(40);
  }

  // The pixels of the canvas on the screen.
  function pixels() {
    const { canvas } = drawing.view;
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height);
  }

  // FNV-1a with words for bytes.
  function hash({ width, height, data }) {
    let value = 0x811c9dc5;
    for (const word of new Uint32Array(data.buffer)) value = Math.imul(value ^ word, 0x01000193);
    return `${width}x${height} ${value >>> 0}`;
  }

  // What the server needs to draw the same picture. Numbers are text, as the tests' reader of JSON is off by a last bit.
  function look() {
    const { style, background, scale, region } = drawing.view.options;
    return { style, background, scale: String(scale), region: region.join() };
  }

  // Random numbers from 0 to 1, always the same for a seed.
  function random(seed) {
    let state = seed | 0;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let value = Math.imul(state ^ (state >>> 15), 1 | state);
      value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
      return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
    };
  }

  // Opens a new drawing in the same page, and waits until it is on the screen.
  async function another(id) {
    const { view, thread } = drawing;
    await thread.ask('close');
    const base = new URL('.', document.baseURI).href;
    Object.assign(view, { left: 0, top: 0, zoom: 1 });
    await drawing.open(() => ({ uid: 'dev', id, base, mayBeNew: true }));
    await settle();
  }

  // Draws something random on a new drawing, saves it, and returns how it was shown.
  async function randomDrawing(seed) {
    const next = random(seed);
    const between = (from, to) => from + next() * (to - from);
    const pick = (list) => list[Math.floor(next() * list.length)];
    const { canvas, view, thread, tools } = drawing;
    const id = `random-${seed}`;
    if (next() < 0.5) window.theme.toggle();
    await another(id);
    Object.assign(canvas, { penOnly: false, evenWidth: next() < 0.2 });
    const radio = (group) => pick(deep.querySelectorAll(`input[name="${group}"]`));
    if (next() < 0.6) radio('paper').click();
    const place = () => [between(-20, innerWidth + 20), between(-20, innerHeight + 20)];
    const path = (count, size) => {
      let [x, y] = place();
      let [across, down] = [between(-size, size), between(-size, size)];
      return Array.from({ length: count }, () => {
        [across, down] = [across + between(-size, size) / 2, down + between(-size, size) / 2];
        return {
          x: x += across,
          y: y += down,
          pressure: between(0.05, 1),
          tiltX: between(-60, 60) | 0,
          tiltY: between(-60, 60) | 0,
          twist: between(0, 359) | 0,
        };
      });
    };
    const draw = async (options = {}) => {
      const type = pick(['pen', 'pen', 'pen', 'mouse', 'touch']);
      const points = path(2 + Math.floor(between(0, 30)), 18);
      points.forEach((point, index) => {
        if (index && next() < 0.3) point.coalesced = [...path(1 + Math.floor(between(0, 3)), 10), { ...point }];
        if (next() < 0.3) point.predicted = path(2, 10);
      });
      stroke(points, { type, ...options });
      if (next() < 0.3) await wait(between(0, 40));
    };
    const count = 4 + Math.floor(between(0, 10));
    for (let step = 0; step < count; step++) {
      const what = next();
      if (what < 0.62) {
        for (const group of ['tool', 'size', 'colours']) radio(group).click();
        if (canvas.tool !== 'ink') tools.choose({ tool: 'pen' });
        await draw();
      } else if (what < 0.7) {
        tools.choose({ tool: pick(['eraser', 'strokeEraser']) });
        await draw();
      } else if (what < 0.76) {
        document.getElementById('undo').click();
        if (next() < 0.5) document.getElementById('redo').click();
      } else if (what < 0.86) {
        tools.choose({ tool: 'lasso' });
        stroke([[-50, -50], [innerWidth * between(0.4, 1.2), -50], [innerWidth, innerHeight], [-50, innerHeight]]);
        await wait(60);
        const { box } = await selected();
        if (box) {
          const middle = view.toScreen(box[0] + box[2] / 2, box[1] + box[3] / 2);
          stroke([middle, [middle[0] + 5, middle[1] + 9], [
            middle[0] + between(-90, 90),
            middle[1] + between(-90, 90),
          ]]);
        }
        const { selection } = drawing;
        for (let change = 0; change < Math.floor(between(0, 3)); change++) {
          pick([
            () => selection.restyle({ color: pick(['#e4604e80', '#1f8a7c']) }),
            () => selection.restyle({ ink: pick(['pen', 'marker', 'crayon']) }),
            () => selection.restyle({ widthFactor: between(0.5, 2) }),
            () => selection.scale(pick([-1, 1, between(0.5, 1.5)]), between(0.5, 1.5)),
            () => selection.turn(between(-2, 2)),
            () => selection.reorder(next() < 0.5),
            () => selection.duplicate(),
          ])();
        }
        if (next() < 0.2) key('Delete');
        tools.choose({ tool: 'pen' });
      } else if (what < 0.9) {
        // A stroke that was not meant.
        stroke(path(8, 20), { isOpen: true });
        key('Escape');
      } else {
        view.zoomAt(between(0, innerWidth), between(0, innerHeight), between(0.3, 3));
        // Less than a block, or so far that the sheet moves on.
        const far = next() < 0.5 ? 100 : 900;
        view.moveBy(between(-far, far), between(-far, far));
        if (next() < 0.5) await settle();
      }
    }
    // Half of the pictures are as the pen left them, half are drawn again.
    if (next() < 0.5) {
      view.zoomAt(between(0, innerWidth), between(0, innerHeight), between(0.4, 2.5));
      await settle();
    } else {
      clearTimeout(view.timer);
      await (view.settling ?? 0);
      await thread.ask('flush');
      await wait(80);
      if (!view.isSettled) await settle();
    }
    const result = { id, ...look(), hash: hash(pixels()), state: await thread.ask('save') };
    return result;
  }

  // The selection as the page shows it, after all commands were carried out.
  async function selected() {
    await drawing.thread.ask('flush');
    const { count, box } = drawing.selection;
    return { count, box };
  }

  const key = (name, more = {}) =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more }));

  globalThis.hand = {
    event,
    send,
    move,
    stroke,
    wave,
    settle,
    pixels,
    hash,
    look,
    another,
    randomDrawing,
    wait,
    key,
    selected,
  };
})();
