// The element `<pentimento-canvas>`: a page to draw on, as `PKCanvasView` is for apps. Its worker has
// the engine, and the drawing.

import { make } from './build.mjs';
import { inverted, parsed, translucent } from './colour.mjs';
import { Dropper } from './dropper.mjs';
import { Hand } from './hand.mjs';
import { InkElement } from './ink-element.mjs';
import { styled } from './interface.mjs';
import { bladeOf, inks, isInk, sizeOf, sizes, usualSize, widthOf } from './nibs.mjs';
import { papers } from './paper.mjs';
import { Ruler } from './ruler.mjs';
import { Selection } from './selection.mjs';
import { sharedThread } from './shared-thread.mjs';
import { bytesFrom } from './source.mjs';
import { DrawingThread } from './thread.mjs';
import { SheetView } from './view.mjs';

const tools = ['ink', 'eraser', 'strokeEraser', 'lasso'];
const erasers = ['eraser', 'strokeEraser'];
// The clean figures that a resting hand may get.
const figures = ['line', 'polyline', 'arrow', 'circle', 'ellipse', 'rectangle', 'triangle', 'star', 'heart'];
// The colours of sheets.
const grounds = { light: '#fffdf8', dark: '#25211c' };
// The usual colour of ink.
const usualColor = '#1b2440';
// The pause before a selection gets a colour or a size, in milliseconds: pickers give many.
const restylePause = 80;
// Commands that do not change the finished drawing.
const unfinished = /^(draw|redraw|predict|begin|drag|erase|select|deselect|cancel|tidy)/;
// The longest side of a page in points.
const mostSide = 1e6;
// A slow writing of the value is followed by a rest, so that large drawings do not wait after each stroke:
// by so many times the milliseconds above this limit, and at most so many.
const [quick, restShare, mostRest] = [50, 4, 1000];
// A canvas that was removed for so long frees its worker, in milliseconds.
const sleepPause = 1000;
// How long words are shown, in milliseconds.
const sayTime = 1400;

const now = () => Date.now() / 1000;
const rounded = (place) => place.map((one) => one.toFixed(1)).join(' ');

export class PentimentoCanvas extends InkElement {
  static formAssociated = true;
  // The names of papers.
  static papers = papers;

  static attributes = {
    src: 'text',
    name: 'text',
    label: 'text',
    required: 'switch',
    readonly: 'switch',
    tool: 'text',
    ink: 'text',
    color: 'text',
    size: 'number',
    paper: 'text',
    'page-size': 'text',
    background: 'text',
    'pen-only': 'switch',
    'even-width': 'switch',
    'keep-hand': 'switch',
    // The page opens the drawing by `openWith`.
    kept: 'switch',
  };

  // `convert`, if a page sets it, is a function of the bytes of a file that the engine does not read. Its
  // promise gives { recording, pageCount }; it is rejected with a `key` of words for the reason.

  canUndo = false;
  canRedo = false;
  // Whether the drawing is open.
  isOpen = false;

  #internals = this.attachInternals?.();
  #thread;
  // The last load: asynchronous code compares it with the one that it began with.
  #load;
  #loaded = Promise.resolve();
  #heard = () => {};
  // The page of the open drawing: { paper, size }.
  #page = null;
  #value = null;
  // The bytes that were loaded, to which a form is reset.
  #first = null;
  #isDisabled = false;
  // Whether somebody has chosen what draws: a first pen changes nothing then.
  #hasChosenPen = false;

  constructor() {
    super();
    this.views = make('div', { class: 'views', id: 'views', part: 'page' });
    this.ring = make('div', { class: 'ring', id: 'ring', hidden: true });
    this.area = make(
      'div',
      { class: 'area', id: 'area', tabindex: 0, role: 'application', 'data-label': 'canvas' },
      this.views,
    );
    const rulerBody = make('span', {
      class: 'ruler-body',
      id: 'ruler-body',
      tabindex: 0,
      role: 'slider',
      'data-label': 'ruler',
      'aria-valuemin': 0,
      'aria-valuemax': 180,
      'aria-valuenow': 0,
    });
    const ruler = make('div', { class: 'ruler', id: 'ruler', hidden: true }, rulerBody);
    this.said = make('output', { class: 'said', id: 'said', part: 'said' });
    this.view = new SheetView(this.views, this, {
      look: () => this.look,
      moved: () => {
        this.selection.place();
        this.tell('viewchange', { zoom: this.view.zoom });
      },
    });
    this.view.failed = (error) => this.fail(error);
    this.selection = new Selection(this);
    this.ruler = new Ruler(this.view, ruler, rulerBody);
    this.dropper = new Dropper(this, (color) => this.#picked(color));
    this.area.append(this.selection.overlay, this.ring);
    this.root.append(
      make('div', { class: 'room' }, this.area, ruler, this.selection.acts, this.dropper.area, this.said),
    );
    this.hand = new Hand(this.area, this, this.#events);
    this.addEventListener('keydown', (event) => event.defaultPrevented || this.press(event));
    this.addEventListener('keyup', ({ key }) => {
      if (key === ' ') this.holdSpace(false);
    });
    for (const [name, run] of [['copy', () => this.selection.copy()], ['cut', () => this.selection.cut()]]) {
      this.addEventListener(name, (event) => this.copies(event, run));
    }
    this.addEventListener('paste', (event) => this.pastes(event));
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.addFiles([...event.dataTransfer.files], this.view.at(event));
    });
  }

  connectedCallback() {
    super.connectedCallback();
    this.#hasChosenPen ||= this.penOnly;
    this.#place();
    clearTimeout(this.#sleeping);
    // Tools may have been waiting for this canvas.
    for (const one of this.getRootNode().querySelectorAll?.('pentimento-tools') ?? []) {
      if (one.getAttribute('for') === this.id) one.connect?.();
    }
    // Another window receives the release of a key.
    addEventListener('blur', this.#releaseSpace);
    if (this.#thread || this.hasAttribute('kept')) return;
    // A form sends the drawing of each field, seen or not.
    if (this.form && this.hasAttribute('name') && (this.hasAttribute('src') || this.#kept)) {
      if (!this.#load) this.#wake();
      return;
    }
    // Other elements that are never seen need no worker.
    this.#nearing ??= new IntersectionObserver((entries) => {
      if (!entries.at(-1).isIntersecting) return;
      this.#nearing.disconnect();
      if (!this.#load) this.#wake();
    }, { rootMargin: '200px' });
    this.#nearing.observe(this);
  }
  #nearing;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.hand.finish();
    this.#nearing?.disconnect();
    removeEventListener('blur', this.#releaseSpace);
    this.holdSpace(false);
    // An element that is moved within the document keeps its worker. One that stays removed keeps only
    // the bytes of its drawing.
    clearTimeout(this.#sleeping);
    if (!this.hasAttribute('kept')) this.#sleeping = setTimeout(() => this.#sleep(), sleepPause);
  }
  #sleeping;
  // The bytes of a drawing without a worker.
  #kept;

  async #sleep() {
    await this.#loaded.catch(() => {});
    const load = this.#load;
    if (this.isConnected || !load) return;
    const isOpen = this.isOpen;
    const bytes = isOpen ? await this.ask('value').catch(() => undefined) : undefined;
    // A worker whose drawing could not be taken keeps it.
    if (this.isConnected || load !== this.#load || (isOpen && !bytes)) return;
    this.#kept = bytes ?? this.#kept;
    this.isOpen = false;
    this.#thread?.end();
    this.#thread = this.#load = undefined;
    this.view.keep();
  }

  // Waits until the drawing is open: that of an element far from the window is opened now.
  async #ready() {
    if (!this.#load && !this.hasAttribute('kept')) await this.#wake();
    await this.#loaded;
    if (!this.isOpen) throw Object.assign(new Error('There is no drawing.'), { code: 'notOpen' });
  }

  // Opens the drawing of an element that comes near the window, for the first time or again.
  async #wake() {
    const [kept, first] = [this.#kept, this.#first];
    try {
      await this.load(kept ?? this.getAttribute('src'));
      // A form is still reset to the bytes that were loaded.
      if (kept) this.#first = first;
    } catch { /* told by an event */ }
  }

  #releaseSpace = () => this.holdSpace(false);

  attributeChanged(name, value) {
    if (name === 'src' && value !== null && this.#load) this.load(value).catch(() => {});
    else if (name === 'src' && value !== null) this.#kept = undefined;
    else if (name === 'paper' && papers.includes(value)) this.paper = value;
    else if (name === 'page-size' && (value === null || sizeIn(value))) this.#resize(sizeIn(value));
    else if (name === 'background') this.renew();
    else if (['required', 'readonly'].includes(name)) this.#validate();
    else if (name === 'label') this.writeWords();
    else if (name === 'pen-only' && !this.#isTaking) this.#hasChosenPen = true;
    if (['tool', 'ink', 'color', 'size', 'pen-only', 'even-width', 'keep-hand'].includes(name)) this.#toolChanged(name);
  }

  // MARK: Tools

  get tool() {
    const tool = this.getAttribute('tool');
    return tools.includes(tool) ? tool : 'ink';
  }
  set tool(tool) {
    this.take({ tool });
  }
  get ink() {
    const ink = this.getAttribute('ink');
    return isInk(ink) ? ink : 'pen';
  }
  set ink(ink) {
    this.take({ tool: 'ink', ink });
  }
  // `#rrggbb`, or `#rrggbbaa` with an opacity.
  get color() {
    return colorIn(this.getAttribute('color')) ?? usualColor;
  }
  set color(color) {
    this.take({ color });
  }
  // The width of the ink or the eraser, in points.
  get size() {
    const size = Number(this.getAttribute('size'));
    return size > 0 ? size : widthOf(this.#owner, usualSize);
  }
  set size(size) {
    this.take({ size });
  }
  get eraserSize() {
    return erasers.includes(this.tool) ? this.size : widthOf('eraser', usualSize);
  }
  get #owner() {
    return this.tool === 'ink' ? this.ink : this.tool;
  }

  // Whether a page has chosen what draws.
  get hasChoice() {
    return ['tool', 'ink', 'color', 'size'].some((name) => this.hasAttribute(name));
  }

  // Takes a tool: some of { tool, ink, color, size }. Another tool without a size has its usual one.
  take(choices) {
    const isOther = ['tool', 'ink'].some((name) => name in choices && choices[name] !== this[name]);
    const all = isOther ? { size: null, ...choices } : choices;
    this.#isTaking = true;
    for (const [name, value] of Object.entries(all)) {
      if (value === null) this.removeAttribute(name);
      else this.setAttribute(name, value);
    }
    this.#isTaking = false;
    const isBare = !('color' in choices || 'size' in choices);
    if (this.isConnected) this.#toolChanged(isOther ? 'tool' : 'size', isBare);
  }
  #isTaking = false;

  // `isBare` is true for another tool without a colour and a size.
  #toolChanged(name, isBare = name !== 'color' && name !== 'size') {
    if (this.#isTaking) return;
    if (['tool', 'ink'].includes(name)) {
      if (this.tool !== 'lasso' || this.selection.count === 0) this.selection.clear();
      this.#showRing(null);
    }
    this.tell('toolchange', { isBare });
  }

  // The next or previous of the four sizes.
  stepSize(step) {
    const size = sizeOf(this.#owner, this.size);
    const next = step > 0 ? Math.floor(size) + 1 : Math.ceil(size) - 1;
    if (!(next in sizes)) return;
    this.size = widthOf(this.#owner, next);
    this.say(this.t(sizes[next]));
  }

  pick(tool) {
    if (isInk(tool)) this.ink = tool;
    else this.tool = tool;
    this.say(this.t({ strokeEraser: 'eraserStroke' }[tool] ?? tool));
  }

  // The eyedropper has taken a colour, as it is seen.
  #picked(seen) {
    const color = this.isDark ? inverted(seen) : seen;
    if (this.tell('colorpick', { color }, true)) this.take({ tool: 'ink', color, size: this.size });
    this.say(color);
  }

  // Whether fingers draw nothing. It is set by the first pen, unless it was set before.
  get penOnly() {
    return this.hasAttribute('pen-only');
  }
  set penOnly(isOn) {
    this.#hasChosenPen = true;
    this.toggleAttribute('pen-only', Boolean(isOn));
  }

  get isReadonly() {
    return this.hasAttribute('readonly') || this.#isDisabled || !this.isOpen;
  }

  // MARK: The hand

  #events = {
    began: (kind, event) => {
      const { ink, color, size } = this;
      const detail = { tool: kind, ink, color, size, pointerType: event.pointerType };
      if (!this.tell('strokestart', detail, true)) return false;
      if (!event.shiftKey) this.selection.clear();
      return true;
    },
    ends: ({ kind }) => kind !== 'ink' || this.tell('strokeend', {}, true),
    // A cancelled drag shows where the strokes were. After others, the worker tells where they are.
    ended: (gesture) => {
      if (gesture.kind === 'drag' && gesture.isCancelled) this.selection.place();
    },
    // After the first touch of a pen, a palm draws nothing, unless somebody has chosen otherwise.
    pen: () => {
      if (this.penOnly || this.#hasChosenPen) return;
      this.#isTaking = true;
      this.toggleAttribute('pen-only', true);
      this.#isTaking = false;
      this.tell('toolchange');
      this.say(this.t('palm'));
    },
    lasso: (polygon, ended) => this.#showLasso(polygon, ended),
    grip: (point, event) => {
      if (event.shiftKey) return null;
      return this.selection.grip(point, this.view.at(event), event.pointerType === 'touch' ? 22 : 12);
    },
    dragged: (by) => this.selection.place(by),
    hover: (event) => this.#showRing(event),
    edge: (x, y) => this.ruler.edge(x, y),
    tapped: (count) => {
      if (count === 2) this.undo();
      if (count === 3) this.redo();
    },
  };

  #showLasso(polygon, ended) {
    const { view, selection } = this;
    const isShown = !ended && polygon.length > 1;
    const line = isShown ? `M${polygon.map((point) => rounded(view.toScreen(...point))).join('L')}Z` : '';
    selection.lasso.setAttribute('d', line);
    if (!ended || polygon.length === 0) return;
    const sides = [0, 1].map((axis) => {
      const all = polygon.map((point) => point[axis]);
      return Math.max(...all) - Math.min(...all);
    });
    const reach = (ended.type === 'touch' ? 14 : 7) / view.zoom;
    const { isAdding } = ended;
    // A lasso that goes nowhere is a tap.
    if (Math.max(...sides) < reach) this.send(['selectAt', ...polygon[0], reach, isAdding]);
    else this.send(['select', new Float64Array(polygon.flat()), isAdding]);
  }

  // The outline of the eraser or of the nib follows the pointer; that of the nib only until it draws.
  #showRing(event) {
    const { ring, view, hand } = this;
    const kind = hand?.gesture?.kind ?? this.tool;
    const isErasing = erasers.includes(kind);
    const isNib = kind === 'ink' && !hand?.gesture && event?.pointerType !== 'touch';
    ring.hidden = !event || this.isReadonly || !(isErasing || isNib);
    if (ring.hidden) return;
    ring.classList.toggle('nib', isNib);
    ring.classList.toggle('blade', isNib && ['marker', 'reed'].includes(this.ink));
    const width = isErasing ? this.eraserSize : Math.max(this.size * view.zoom, 3);
    const [x, y] = view.at(event);
    // The blades of broad nibs, in the direction of the pen.
    const blade = isNib ? bladeOf(this.ink) : 1;
    const turn = blade < 1 ? hand.nibAzimuth(event) : 0;
    Object.assign(ring.style, {
      width: `${width}px`,
      height: `${width * blade}px`,
      transform: `translate(${x - width / 2}px, ${y - width * blade / 2}px) rotate(${turn}rad)`,
    });
  }

  // While Space is down, the pen moves the page.
  holdSpace(isDown) {
    this.hand.isSpaceDown = isDown;
    this.area.classList.toggle('panning', isDown);
  }

  // Ends an unfinished gesture.
  finish() {
    this.hand.finish();
  }

  // Commands are sent to the worker at once; the timestamp of their event is returned when its ink is
  // drawn.
  send(command, stamp) {
    this.#isPending ||= !unfinished.test(command[0]);
    this.#thread?.worker.postMessage({ command, stamp }, command[1] instanceof Float64Array ? [command[1].buffer] : []);
  }

  // Asks the worker. It has no answer while there is no drawing.
  ask(kind, message, transfer) {
    if (!this.#thread) return Promise.reject(Object.assign(new Error('There is no drawing.'), { code: 'notOpen' }));
    return this.#thread.ask(kind, message, transfer);
  }

  // MARK: Opening

  // Opens a recording or an archive: its URL, its bytes, or a file; null for an empty page. The promise
  // is resolved when it is shown, and rejected if it cannot be opened.
  load(source) {
    const { worker, engines } = InkElement.parts;
    return this.openWith(worker, async () => {
      const bytes = await bytesFrom(source);
      return { bytes, engines };
    });
  }

  // Opens the drawing of another worker, for pages that keep drawings themselves: its address, a
  // function that returns what it needs to open a drawing, and one that hears its other messages.
  openWith(worker, message, heard = () => {}) {
    const load = this.#load = {};
    this.#loaded = this.#open(load, worker, message, heard).catch((error) => {
      if (load !== this.#load) return undefined;
      this.#state('loading', false);
      // An earlier drawing is still open.
      this.isOpen = load.isOtherOpen;
      this.#loaded = Promise.resolve();
      if (!load.isOtherOpen) this.#load = undefined;
      this.fail(error);
      throw error;
    });
    this.#loaded.catch(() => {});
    return this.#loaded;
  }

  async #open(load, worker, message, heard) {
    this.#state('loading', true);
    this.finish();
    const isSame = this.#thread?.address === worker && !this.#thread.failure;
    load.isOtherOpen = this.isOpen && isSame;
    this.isOpen = false;
    this.#heard = heard;
    if (!isSame) {
      this.#thread?.end();
      const hear = (told) => this.#hear(told);
      this.#thread = worker === InkElement.parts.worker
        ? sharedThread(worker, hear)
        : new DrawingThread(worker, { type: 'module' }, hear);
      this.#thread.address = worker;
    }
    const details = await message();
    if (load !== this.#load) return undefined;
    const opened = await this.#thread.ask('open', details);
    if (load !== this.#load) return undefined;
    this.isOpen = true;
    this.#kept = undefined;
    if (details.bytes !== undefined) this.#first = details.bytes;
    this.selection.show({ count: 0, box: null });
    this.#showPage(opened.page);
    if (opened.isNew) this.#beginPage();
    this.#showFacts(opened);
    if (!opened.isNew) {
      await this.#fit();
      clearTimeout(this.view.timer);
    }
    await this.view.renew();
    if (load !== this.#load) return undefined;
    this.#openOverview();
    this.#state('loading', false);
    this.said.classList.remove('shown');
    this.tell('load', { isNew: opened.isNew });
    await this.#keepValue();
    return opened;
  }

  // A new page has the paper and the size of the attributes.
  #beginPage() {
    const paper = this.getAttribute('paper');
    const size = sizeIn(this.getAttribute('page-size'));
    if (papers.includes(paper) && paper !== this.#page.paper) this.paper = paper;
    if (size) this.#resize(size);
  }

  #hear(message) {
    if (message.facts) this.#showFacts(message.facts);
    if (message.restarted) {
      this.selection.show({ count: 0, box: null });
      this.#showPage(message.page);
      this.view.renew();
    }
    if (message.selection) this.#showSelection(message.selection);
    if (figures.includes(message.figure)) this.say(this.t(message.figure));
    if (message.parts) this.view.paintAll(message.parts);
    if (message.overview !== undefined) this.view.showOverview(message.overview);
    if (message.drawn) this.tell('inkdrawn', message);
    if (message.error) this.fail(message.error);
    if (message.changed) {
      this.tell('drawingchange', { canUndo: this.canUndo, canRedo: this.canRedo });
      this.#keepValue();
    }
    this.#heard(message);
  }

  #showFacts({ canUndo, canRedo, isEmpty }) {
    Object.assign(this, { canUndo, canRedo, isEmpty });
    this.#state('empty', isEmpty);
    this.#validate();
  }

  // The lasso changes what was selected.
  #showSelection(next) {
    if (next.count > 0 && this.tool !== 'lasso') {
      // Not a choice of another tool, which would drop the selection.
      this.selection.count = next.count;
      this.tool = 'lasso';
      this.selection.count = 0;
    }
    this.selection.show(next);
  }

  // Tells an error. A refused call changes nothing, and is none.
  fail(error) {
    const { code, message, status } = error;
    if (['invalidArgument', 'unknownHandle', 'wrongKind', 'notOpen'].includes(code)) return;
    if (!this.tell('error', { code, message, status }, true)) return;
    console.error(code, message);
    // Without a drawing, the words stay.
    this.say(this.t('failed'), this.isOpen ? sayTime : Infinity);
  }

  #state(name, isSet) {
    try {
      if (isSet) this.#internals?.states.add(name);
      else this.#internals?.states.delete(name);
    } catch { /* an older browser has other names for states */ }
  }

  // MARK: The page

  #showPage(page) {
    this.#page = page;
    this.view.paper.name = page.paper ?? 'blank';
    this.view.page = page.size;
    this.view.transform();
    this.tell('pagechange', page);
  }

  // The paper of the drawing. Undo does not change it.
  get paper() {
    return this.#page?.paper ?? this.getAttribute('paper') ?? 'blank';
  }
  set paper(paper) {
    if (!papers.includes(paper)) throw new TypeError(`There is no paper “${paper}”.`);
    if (this.getAttribute('paper') !== paper) this.setAttribute('paper', paper);
    if (!this.isOpen || this.#page.paper === paper) return;
    this.send(['paper', paper]);
    this.#showPage({ ...this.#page, paper });
  }

  // The size of the page as [width, height] in points; null for one without edges.
  get pageSize() {
    return this.#page?.size ?? null;
  }
  set pageSize(size) {
    if (size !== null && !isSize(size)) throw new TypeError('A size is [width, height] in points, or null.');
    if (this.isOpen) this.#resize(size);
    else if (size) this.setAttribute('page-size', size.join(' '));
    else this.removeAttribute('page-size');
  }
  #resize(size) {
    if (!this.isOpen || String(size) === String(this.#page.size)) return;
    this.send(['size', size]);
    this.#showPage({ ...this.#page, size });
  }

  get look() {
    const style = this.isDark ? 'dark' : 'light';
    const wanted = this.getAttribute('background');
    const background = wanted === 'none' ? wanted : colorIn(wanted) ?? grounds[style];
    return { style, background, paper: 'page' };
  }

  themeChanged() {
    this.renew();
  }

  renew() {
    if (!this.view.sheet) return;
    this.view.renew();
    this.#openOverview();
  }

  // Gives the worker a canvas for the overview, in place of one with another style.
  #openOverview() {
    const canvas = this.view.newOverview();
    if (!canvas) return;
    this.ask('overview', { canvas, look: { style: this.look.style } }, [canvas]).catch(() => {});
  }

  // The spaces at the edges that bars cover, in CSS pixels from the top clockwise.
  get insets() {
    return this.view.insets;
  }
  set insets(insets) {
    this.view.insets = insets;
    this.#place();
  }

  #place() {
    styled(this.said, { bottom: `${this.view.insets[2] + 12}px` });
  }

  get zoom() {
    return this.view.zoom;
  }
  set zoom(zoom) {
    if (!(zoom > 0)) throw new TypeError('A zoom is a positive number.');
    this.view.zoomAt(...this.view.middle, zoom);
  }
  zoomBy(factor) {
    this.view.zoomBy(factor);
  }
  // Shows the whole page, or all ink of one without edges.
  async fit() {
    await this.#ready();
    return this.#fit();
  }
  // A view without a size fits when it gets one.
  async #fit() {
    const box = await this.ask('box');
    this.view.isUnfit = this.view.width === 0 || this.view.height === 0;
    this.view.fit(box);
  }

  // MARK: Changes

  undo() {
    this.#change('undo');
  }
  redo() {
    this.#change('redo');
  }
  clear() {
    this.selection.clear();
    this.#change('clear');
  }
  #change(name) {
    if (this.isReadonly) return;
    this.finish();
    this.send([name, now()]);
  }

  // Selects all strokes, those in a polygon of [x, y] in points, or none.
  select(wanted = 'all') {
    this.finish();
    if (!wanted || wanted === 'none') return this.selection.clear();
    if (this.isReadonly) return undefined;
    if (this.tool !== 'lasso') this.tool = 'lasso';
    this.selection.isAwaited = true;
    return this.send(wanted === 'all' ? ['selectAll'] : ['select', new Float64Array(wanted.flat()), false]);
  }

  get selectionCount() {
    return this.selection.count;
  }
  get selectionInk() {
    return this.selection.ink;
  }

  selectionChanged() {
    const { count, box, ink } = this.selection;
    this.#state('selecting', count > 0);
    this.tell('selectionchange', { count, box, ink });
  }

  // Gives the selection a style, the last one of many.
  restyleSoon(style) {
    clearTimeout(this.#restyling);
    this.#restyling = setTimeout(() => this.selection.restyle(style), restylePause);
  }
  #restyling;

  // Adds the ink of a file, with its middle at a point of the page. Returns a promise of the number of
  // strokes, which are then selected.
  async insert(source, at = this.view.toPage(...this.view.middle)) {
    const file = await bytesFrom(source);
    await this.#ready();
    this.finish();
    return this.ask('paste', { file, at, time: now() });
  }

  // Adds files that were dropped or chosen, at a place of the view.
  addFiles(files, at) {
    if (!this.isReadonly) this.selection.open(files, at);
  }

  // MARK: Clipboard and keys

  copies(event, run) {
    if (this.selection.count === 0 || event.composedPath()[0].matches?.('input, textarea')) return;
    event.preventDefault();
    run();
  }

  pastes(event) {
    if (this.isReadonly || event.composedPath()[0].matches?.('input, textarea')) return;
    event.preventDefault();
    event.stopPropagation();
    this.selection.paste(event.clipboardData, this.hand.place);
  }

  // Takes a key, wherever it was pressed. Returns whether it is one of the canvas.
  press(event) {
    const target = event.composedPath()[0];
    if (!this.isOpen || target.closest?.('input:not([type=radio]), textarea, select, dialog, .menu')) return false;
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    let action;
    if (isCommand || event.altKey) {
      action = !event.altKey && (this.#commands[key] ?? this.#commands[key.toLowerCase()]);
    } else if (key === ' ') {
      action = !target.closest?.('button, a, input') && (() => this.holdSpace(true));
    } else if (/^[1-8]$/.test(key)) {
      action = () => this.pick(inks[key - 1]);
    } else if (!(key.startsWith('Arrow') && target.matches?.('input'))) {
      // Radio buttons handle arrows themselves.
      action = this.#keys[key] ?? this.#keys[key.toLowerCase()];
    }
    if (!action || (key === 'Escape' && !this.#canEscape)) return false;
    event.preventDefault();
    action(event);
    return true;
  }

  get #canEscape() {
    return Boolean(this.hand.gesture) || this.selection.count > 0 || this.ruler.isShown;
  }

  #keys = {
    e: () => this.pick('eraser'),
    E: () => this.pick('strokeEraser'),
    l: () => this.pick('lasso'),
    r: () => this.ruler.toggle(),
    '[': () => (this.selection.count > 0 ? this.selection.restyle({ widthFactor: 0.8 }) : this.stepSize(-1)),
    ']': () => (this.selection.count > 0 ? this.selection.restyle({ widthFactor: 1.25 }) : this.stepSize(1)),
    H: () => this.selection.scale(-1, 1),
    V: () => this.selection.scale(1, -1),
    i: () => this.dropper.start(),
    '+': () => this.zoomBy(1.25),
    '=': () => this.zoomBy(1.25),
    '-': () => this.zoomBy(0.8),
    0: () => this.fit(),
    Escape: () => {
      if (this.hand.gesture) this.hand.cancel();
      else if (this.selection.count > 0) this.selection.clear();
      else if (this.ruler.isShown) this.ruler.toggle();
    },
    Delete: () => this.selection.delete(),
    Backspace: () => this.selection.delete(),
    ArrowLeft: ({ shiftKey }) => this.#step(-1, 0, shiftKey),
    ArrowRight: ({ shiftKey }) => this.#step(1, 0, shiftKey),
    ArrowUp: ({ shiftKey }) => this.#step(0, -1, shiftKey),
    ArrowDown: ({ shiftKey }) => this.#step(0, 1, shiftKey),
  };

  // With Ctrl.
  #commands = {
    a: () => {
      this.select('all');
      this.say(this.t('lasso'));
    },
    d: () => this.selection.duplicate(),
    '[': () => this.selection.reorder(false),
    ']': () => this.selection.reorder(true),
    y: () => this.redo(),
    z: ({ shiftKey }) => (shiftKey ? this.redo() : this.undo()),
  };

  // Arrows move the selection, or the page.
  #step(x, y, isFar) {
    if (this.selection.count === 0) return this.view.moveBy(-40 * x, -40 * y);
    const length = (isFar ? 10 : 1) / this.view.zoom;
    return this.selection.move(x * length, y * length);
  }

  focus(options) {
    this.area.focus(options);
  }

  // MARK: Words

  // Shows words for a moment.
  say(words, time = sayTime) {
    this.said.textContent = words;
    this.said.classList.add('shown');
    clearTimeout(this.#saying);
    if (time < Infinity) this.#saying = setTimeout(() => this.said.classList.remove('shown'), time);
  }
  #saying;

  // Tells what did not work, or needs to be known. A page that shows it cancels the event.
  notify(key, values, subject) {
    const words = this.t(key, values);
    const message = subject ? `${subject}: ${words}` : words;
    if (this.tell('notice', { key, message }, true)) this.say(message);
  }

  writeWords() {
    super.writeWords();
    const label = this.getAttribute('label');
    if (label) this.area.setAttribute('aria-label', label);
    this.#validate();
  }

  // MARK: Files and forms

  // The bytes of the drawing after the last finished change, as they were stored last; null before a
  // drawing is open. `save` waits for a change that has just been made.
  get value() {
    return this.#value;
  }
  set value(bytes) {
    this.load(bytes).catch(() => {});
  }

  // A promise of the bytes of the drawing.
  async save() {
    if (this.#kept && !this.isConnected) return this.#kept;
    await this.#ready();
    this.#value = await this.ask('value');
    this.#setFormValue();
    return this.#value;
  }

  // A promise of the drawing as a file of a type: 'png', 'svg', 'pdf', 'pkd' or 'drawing'. Pictures
  // have pixels per point, a style of 'light' or 'dark', and a background of 'none' or a colour.
  async toBlob({ type = 'png', scale = 2, style = 'light', background = 'none' } = {}) {
    await this.#ready();
    const types = {
      png: 'image/png',
      svg: 'image/svg+xml',
      pdf: 'application/pdf',
      pkd: 'application/vnd.pentimento.recording',
      drawing: 'application/vnd.apple.pencilkit.drawing',
    };
    if (!Object.hasOwn(types, type)) throw new TypeError(`There is no type “${type}”.`);
    const ground = background === 'none' ? background : colorIn(background);
    if (!ground) throw new TypeError(`There is no background “${background}”.`);
    return new Blob([await this.ask('file', { type, scale, style, background: ground })], { type: types[type] });
  }

  // Stores the value of a form's field after a change, or of a loaded drawing.
  async #keepValue() {
    this.#hasChanged = true;
    if (this.hasAttribute('kept') || this.#isKeeping) return;
    this.#isKeeping = true;
    try {
      // An answer may be older than a change that was made meanwhile.
      while (this.#hasChanged) {
        const rest = this.#rested - performance.now();
        if (rest > 0) await new Promise((done) => setTimeout(done, rest));
        this.#hasChanged = this.#isPending = false;
        const start = performance.now();
        this.#value = await this.ask('value');
        const end = performance.now();
        this.#rested = end + Math.min(restShare * Math.max(end - start - quick, 0), mostRest);
      }
      this.#setFormValue();
    } catch (error) {
      // A form that lacks the last stroke is not sent.
      this.#waiting.length = 0;
      this.#isPending = true;
      this.fail(error);
    }
    this.#isKeeping = false;
    // A form that was sent meanwhile waits for the last stroke.
    for (const send of this.#waiting.splice(0)) send();
  }
  #waiting = [];
  // When the value may be written again.
  #rested = 0;

  formAssociatedCallback(form) {
    this.#form?.removeEventListener('submit', this.#holdSubmission, true);
    this.#form = form;
    form?.addEventListener('submit', this.#holdSubmission, true);
  }
  #form;
  #holdSubmission = (event) => {
    const { submitter } = event;
    const hold = () => {
      this.finish();
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const again = () => this.#form?.requestSubmit(submitter);
    if (this.hasAttribute('kept')) return;
    if (this.#isExpected) {
      // A form without the drawing of its page's text is not sent: a server would take it for deleted.
      hold();
      this.#ready().then(() => this.#isExpected || again(), () => {});
    } else if (this.#isKeeping || this.#isPending || this.hand.gesture) {
      hold();
      this.#waiting.push(again);
      this.#keepValue();
    }
  };
  // Whether a named field has a drawing that is not open yet.
  get #isExpected() {
    const hasDrawing = this.hasAttribute('src') || this.#kept;
    return this.hasAttribute('name') && hasDrawing && (!this.isOpen || this.#value === null);
  }
  #isKeeping = false;
  #hasChanged = false;
  // Whether the value lacks a command.
  #isPending = false;

  #setFormValue() {
    const isSent = this.#value && !this.isEmpty;
    const ending = this.#value?.[0] === 0x89 ? 'pkd' : 'drawing';
    const file = isSent ? new File([this.#value], `${this.getAttribute('name') || 'drawing'}.${ending}`) : null;
    this.#internals?.setFormValue(file);
    this.#validate();
  }

  #validate() {
    if (!this.#internals || !this.isConnected) return;
    const isMissing = this.hasAttribute('required') && !this.hasAttribute('readonly') && this.isEmpty !== false &&
      !this.#isExpected;
    if (isMissing) this.#internals.setValidity({ valueMissing: true }, this.t('drawingMissing'), this.area);
    else this.#internals.setValidity({});
  }

  get form() {
    return this.#internals?.form ?? null;
  }
  get type() {
    return this.localName;
  }
  get validity() {
    return this.#internals?.validity;
  }
  get validationMessage() {
    return this.#internals?.validationMessage ?? '';
  }
  get willValidate() {
    return this.#internals?.willValidate ?? false;
  }
  checkValidity() {
    return this.#internals?.checkValidity() ?? true;
  }
  reportValidity() {
    return this.#internals?.reportValidity() ?? true;
  }

  formResetCallback() {
    // One that was never opened is as it was.
    if (this.#load) this.load(this.#first).catch(() => {});
  }
  formDisabledCallback(isDisabled) {
    this.#isDisabled = isDisabled;
    this.#state('disabled', isDisabled);
    this.area.tabIndex = isDisabled ? -1 : 0;
  }
  formStateRestoreCallback(state) {
    if (state instanceof Blob) this.load(state).catch(() => {});
  }
}

// The colour of a text as `#rrggbb` or `#rrggbbaa`; undefined for other texts.
function colorIn(text) {
  const found = text && parsed(text);
  return found ? translucent(found.colour, found.opacity) : undefined;
}

// Whether a page can have a size.
const isSize = (size) => Array.isArray(size) && size.length === 2 && size.every((side) => side > 0 && side <= mostSide);

// The size in a text like `595 842` or `595x842`; null for other texts.
function sizeIn(text) {
  const sides = text?.split(/[\s,x×]+/).map(Number) ?? [];
  return isSize(sides) ? sides : null;
}
