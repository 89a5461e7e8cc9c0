import { icon, make, takeProperties } from './build.mjs';
import { Clock } from './clock.mjs';
import { Controls } from './controls.mjs';
import { DrawingThread } from './thread.mjs';
import { word } from './words.mjs';
import { largestScale, Zoom } from './zoom.mjs';

export const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const stillSystem = matchMedia('(prefers-reduced-motion: reduce)');

// The maximum size of a view. More pixels make frames slow, without a visible gain.
const maximumPixels = 8e6;
// The maximum size of a saved picture: the engine draws at most 16 million pixels, and sides are
// rounded up.
const maximumSavedPixels = 15.9e6;
// The largest file that the engine opens.
const maximumBytes = 32 << 20;

// The keywords that attributes accept as values. Two attributes also accept colours.
const attributeWords = {
  theme: ['light', 'dark'],
  ink: ['light', 'dark', 'stored'],
  background: ['sheet', 'page', 'none'],
  earlier: [],
  paper: ['page', 'blank', 'dotted', 'lined', 'grid', 'graph', 'isometric', 'staves', 'cornell'],
};
const withColors = ['background', 'earlier'];

// The properties that reflect attributes, with the attributes' names. `true` is an attribute
// without a value; false and null remove it.
const reflected = {
  src: 'src',
  controls: 'controls',
  autoplay: 'autoplay',
  speed: 'speed',
  poster: 'poster',
  earlier: 'earlier',
  theme: 'theme',
  ink: 'ink',
  background: 'background',
  paper: 'paper',
  maxPause: 'max-pause',
  label: 'label',
  fill: 'fill',
};
const switches = ['controls', 'autoplay', 'fill'];

// The element that replays a drawing. Its times are playback times: pauses are shortened.
export class PentimentoDrawing extends HTMLElement {
  // Set before the element is defined: `worker` is the URL of the worker's script; `engine` is a
  // URL, or { text, count } for an engine that is packed in the page; `styles` are style sheets.
  static parts;

  static observedAttributes = [
    'src',
    'controls',
    'loop',
    'speed',
    'poster',
    'earlier',
    'theme',
    'ink',
    'background',
    'paper',
    'max-pause',
    'lang',
    'label',
  ];

  // Settings without an attribute. The region of the drawing's page that is shown; the whole page
  // unless given.
  givenRegion;
  // The seconds for which the end is shown before a loop starts again.
  hold = 1;

  #clock = new Clock(new Float64Array(0));
  #time = 0;
  #rate = 1;
  #isPaused = true;
  #hasBegun = false;
  // The current load: { source, abort, thread }. Every load creates a new object. Asynchronous code
  // compares it with the object that it started with, and stops if it belongs to an older load.
  #load;
  #opened;
  #size;
  #lastUpdate = 0;
  #isActive = false;
  // Whether `src` was set and has not been loaded yet.
  #hasNewSource = false;
  // The time that was set before the drawing was open.
  #startTime;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = PentimentoDrawing.parts.styles;
    this.poster_ = make('img', { class: 'poster', part: 'poster', alt: '', hidden: true });
    this.sheet = make('div', { class: 'sheet', part: 'sheet', role: 'img' }, this.poster_);
    this.start = make(
      'button',
      { class: 'start', part: 'start', type: 'button', onclick: () => this.play() },
      icon('play'),
    );
    this.stage = make('div', { class: 'stage' }, this.sheet, this.start);
    this.note = make('p', { class: 'note', part: 'note', hidden: true });
    this.player = make(
      'section',
      { class: 'player', tabindex: '-1' },
      this.stage,
      make('div', { class: 'status', role: 'status' }, this.note),
    );
    root.append(this.player);
    this.controlsPart = new Controls(this);
    this.player.append(this.controlsPart.bar);
    root.append(this.controlsPart.keys);
    this.zoom = new Zoom(this);
    this.addEventListener('keydown', (event) => this.controlsPart.press(event));
  }

  connectedCallback() {
    takeProperties(this, [...Object.keys(reflected), 'loop', 'playbackRate', 'currentTime', 'skipsPauses']);
    this.#isActive = true;
    clearTimeout(this.sleepTimer);
    this.resizing = new ResizeObserver(() => this.zoom.resized());
    this.resizing.observe(this.stage);
    darkSystem.addEventListener('change', this.updateLook);
    this.controlsPart.connect();
    this.updateLook();
    this.#updateControls();
    if (this.#hasNewSource) this.load(this.getAttribute('src'));
    else if (this.sleepingSource) this.load(this.sleepingSource);
  }

  // An element that is moved within the document continues to play. A removed element pauses; if it
  // stays removed, it keeps only the data for loading the drawing again.
  disconnectedCallback() {
    this.#isActive = false;
    this.resizing.disconnect();
    darkSystem.removeEventListener('change', this.updateLook);
    this.controlsPart.disconnect();
    queueMicrotask(() => {
      if (!this.isConnected) this.pause();
    });
    clearTimeout(this.sleepTimer);
    this.sleepTimer = setTimeout(() => {
      if (!this.isConnected) this.#sleep();
    }, 1000);
  }

  attributeChangedCallback(name, old, value) {
    if (old === value) return;
    if (name === 'src') this.#hasNewSource = value !== null;
    if (name === 'speed') this.#setRate(speedOf(value));
    if (!this.#isActive) return;
    switch (name) {
      case 'src':
        if (value !== null) this.load(value);
        break;
      case 'max-pause':
        this.#setClock();
        break;
      case 'poster':
        this.#showPoster();
        break;
      case 'earlier':
      case 'ink':
      case 'background':
      case 'paper':
        this.#refreshSoon();
        break;
      case 'theme':
      case 'lang':
      case 'label':
        this.updateLook();
        break;
    }
    this.#updateControls();
  }

  // MARK: Loading

  // Opens a `.pkd` file: its URL, its bytes, or { text, count } for a file that is packed in the
  // page.
  async load(source) {
    if (this.#load) this.#unload();
    // A kept or preset time applies only to the drawing for which it was set.
    const isBack = this.sleepingSource === source;
    if (this.sleepingSource && !isBack) this.#startTime = undefined;
    const goesOn = isBack && this.#startTime !== undefined;
    this.#hasNewSource = false;
    this.sleepingSource = this.error = undefined;
    const load = this.#load = { source, abort: new AbortController() };
    const { parts } = PentimentoDrawing;
    try {
      load.thread = new DrawingThread(parts.worker);
      const isAddress = typeof source === 'string' || source instanceof URL;
      const drawing = isAddress ? await fetched(source, load.abort.signal) : source;
      if (load !== this.#load) return;
      if (drawing.byteLength > maximumBytes) throw tooLarge();
      const opened = await load.thread.ask('load', {
        source: parts.engine,
        drawing,
        isSheet: this.#choice('background') === 'sheet',
      }, isAddress ? [drawing] : []);
      if (load !== this.#load) return;
      this.#opened = opened;
    } catch (error) {
      load.abort.abort();
      if (load === this.#load) this.#fail(error);
      return;
    }
    this.region = this.givenRegion ?? this.#opened.region;
    this.player.style.setProperty('--ratio', this.region[2] / this.region[3]);
    this.#showNote();
    this.#setClock();
    this.#time = Math.min(this.#startTime ?? Infinity, this.#clock.duration);
    if (this.#startTime !== undefined) this.begin();
    this.#startTime = undefined;
    this.controlsPart.timeChanged();
    this.dispatchEvent(new Event('loadedmetadata'));
    this.zoom.fit();
    await this.#refresh();
    if (load !== this.#load || this.error) return;
    if (!this.#isPaused) this.#run();
    else if (this.hasAttribute('autoplay') && this.isConnected && !goesOn && !stillSystem.matches) this.play();
  }

  // Ends a load, and clears its results.
  #unload() {
    this.pause();
    this.#load.abort.abort();
    this.#load.thread?.end();
    this.#load =
      this.#opened =
      this.#size =
      this.#startTime =
      this.look =
      this.shownTime =
        undefined;
    this.#hasBegun = this.hasStopped = this.isSeeking = false;
    this.#clock = new Clock(new Float64Array(0));
    this.#time = 0;
    for (const canvas of this.sheet.querySelectorAll('canvas')) canvas.remove();
    this.player.classList.remove('ready', 'begun');
    this.#showNote();
    this.#showPoster();
    this.controlsPart.update();
  }

  // Frees the worker. The drawing is loaded again when the element returns to the document.
  #sleep() {
    if (!this.#load) return;
    const { source } = this.#load;
    const time = this.#hasBegun ? this.#time : this.#startTime;
    this.#unload();
    this.sleepingSource = source;
    this.#startTime = time;
  }

  #showPoster() {
    const address = this.getAttribute('poster');
    this.poster_.hidden = !address || this.player.classList.contains('ready');
    if (address) this.poster_.src = address;
  }

  #tell(key) {
    this.note.dataset.word = key;
    this.note.textContent = word(key, this.language);
    this.note.hidden = false;
  }

  // The note about a shown drawing: whether it is damaged.
  #showNote() {
    if (this.#opened?.isDamaged) this.#tell('damaged');
    else this.note.hidden = true;
  }

  // A stopped engine has been restarted and needs a new view. A second stop is an error.
  #recover(error) {
    this.look = this.#size = undefined;
    if (!['stopped', 'unknownHandle'].includes(error.code) || this.hasStopped) return this.#fail(error);
    this.hasStopped = true;
    this.#refreshSoon();
  }

  #fail(error) {
    this.pause();
    this.error = error;
    this.#startTime = undefined;
    const known = { notARecording: 'unreadable', unreadable: 'unreadable', noPicture: 'nothing', tooLarge: 'tooLarge' };
    this.#tell(known[error.code] ?? 'failed');
    this.dispatchEvent(new Event('error'));
  }

  // MARK: Look

  get language() {
    return this.closest('[lang]')?.lang || document.documentElement.lang || navigator.language;
  }
  get isDark() {
    const theme = this.#choice('theme');
    return theme ? theme === 'dark' : darkSystem.matches;
  }

  updateLook = () => {
    this.toggleAttribute('data-dark', this.isDark);
    this.start.setAttribute('aria-label', word('playDrawing', this.language));
    const label = this.getAttribute('label') || word('drawing', this.language);
    this.player.setAttribute('aria-label', word('replayOf', this.language, { a: label }));
    this.sheet.setAttribute('aria-label', label);
    if (!this.note.hidden) this.#tell(this.note.dataset.word);
    this.controlsPart.setWords(this.language);
    this.#refreshSoon();
  };

  #updateControls() {
    const controls = this.getAttribute('controls');
    this.player.classList.toggle('controlled', controls !== null);
    // With controls="sheet", the round button is the only control.
    this.controlsPart.bar.hidden = controls === null || controls === 'sheet';
    this.player.classList.toggle('bare', this.controlsPart.bar.hidden);
    this.controlsPart.update();
  }

  // The value of an attribute; undefined if it is missing or invalid.
  #choice(name) {
    const value = this.getAttribute(name)?.trim().toLowerCase();
    const isColor = withColors.includes(name) && /^#([\da-f]{6}|[\da-f]{8})$/.test(value);
    return isColor || attributeWords[name].includes(value) ? value : undefined;
  }

  // The options of views. Unless attributes say otherwise, ink follows the theme, and the
  // background is the sheet's.
  #options() {
    const given = this.#choice('background');
    const isOwn = given === 'page' || !given && this.#opened.hasBackground;
    const isClear = given === 'none' || given?.length === 9;
    this.sheet.classList.toggle('clear', isClear);
    const isSheet = !isOwn && (!given || given === 'sheet');
    return {
      style: this.#choice('ink') ?? (this.isDark ? 'dark' : 'light'),
      background: isOwn ? 'page' : isSheet ? sheetColor(this.sheet) : given,
      isSheet,
      paper: this.#choice('paper') ?? 'page',
      earlier: this.hasAttribute('earlier') && (this.#choice('earlier') ?? true),
    };
  }

  // MARK: Pictures

  #refreshSoon() {
    if (!this.#opened) return;
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => this.#refresh(), 120);
  }

  // Opens a view of the visible part at the screen's resolution, and puts its canvas over the old
  // one.
  async #refresh() {
    if (!this.#opened || !this.isConnected) return;
    if (this.isRefreshing) {
      this.needsRefresh = true;
      return;
    }
    const place = this.zoom.place(this.region, maximumPixels);
    if (!place) return;
    const options = { ...this.#options(), scale: place.scale, region: place.region };
    const look = JSON.stringify(options);
    if (look === this.look) return;
    this.isRefreshing = true;
    this.needsRefresh = false;
    const canvas = make('canvas', { 'aria-hidden': 'true' });
    const offscreen = canvas.transferControlToOffscreen?.();
    const seconds = this.#time;
    const load = this.#load;
    try {
      const answer = await load.thread.ask(
        'view',
        { options, seconds: this.#clock.recording(seconds), canvas: offscreen },
        offscreen ? [offscreen] : [],
      );
      if (load !== this.#load) return;
      this.hasStopped = false;
      this.look = look;
      this.#size = answer;
      this.shownTime = seconds;
      this.#put(canvas, answer, place);
      this.sheet.style.backgroundColor = options.background === 'none' || options.background.length > 7
        ? ''
        : answer.background;
      this.#paint(answer.parts);
      if (this.error) this.#showNote();
      this.error = undefined;
      if (!this.player.classList.contains('ready')) this.#becomeReady();
    } catch (error) {
      if (load === this.#load) this.#recover(error);
    } finally {
      this.isRefreshing = false;
    }
    this.#show();
    if (this.needsRefresh) this.#refresh();
  }

  #put(canvas, { width, height, left, top }, { scale, layoutScale }) {
    if (!canvas.transferControlToOffscreen) Object.assign(canvas, { width, height });
    Object.assign(canvas.style, {
      left: `${(left - this.region[0]) * layoutScale}px`,
      top: `${(top - this.region[1]) * layoutScale}px`,
      width: `${(width / scale) * layoutScale}px`,
      height: `${(height / scale) * layoutScale}px`,
    });
    const old = [...this.sheet.querySelectorAll('canvas')];
    this.sheet.append(canvas);
    this.canvas = canvas;
    // The worker's first frame may arrive later than its message.
    setTimeout(() => old.forEach((one) => one.remove()), 120);
  }

  #paint(parts) {
    for (const { rect: [x, y, width, height], pixels } of parts) {
      this.canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), x, y);
    }
  }

  #becomeReady() {
    this.player.classList.add('ready');
    this.poster_.hidden = true;
    this.#updateControls();
    this.dispatchEvent(new Event('loadeddata'));
  }

  // Shows the current moment. One frame is requested at a time; moments that pass meanwhile are
  // skipped.
  async #show() {
    if (this.isShowing || this.isRefreshing || !this.#size) return;
    this.isShowing = true;
    const load = this.#load;
    try {
      while (this.shownTime !== this.#time && !this.isRefreshing) {
        const seconds = this.#time;
        const { parts, took } = await load.thread.ask('show', { seconds: this.#clock.recording(seconds) });
        if (load !== this.#load) return;
        this.hasStopped = false;
        this.#paint(parts);
        this.shownTime = seconds;
        this.frameTime = took;
      }
    } catch (error) {
      if (load === this.#load) this.#recover(error);
    } finally {
      this.isShowing = false;
    }
    if (this.isSeeking && this.shownTime === this.#time) {
      this.isSeeking = false;
      this.dispatchEvent(new Event('seeked'));
    }
  }

  // The pixels of a moment: RGBA with straight alpha, equal to the output of `pkd render` and
  // `pkd replay`.
  async pixels({ time = this.#time, scale = 1 } = {}) {
    if (!this.#opened) throw new Error('No drawing is open.');
    const options = { ...this.#options(), scale, region: this.region };
    return this.#load.thread.ask('pixels', { options, seconds: this.#clock.recording(time) });
  }

  // The names of the inks that are visible at the end, in the order of PencilKit's tools. A
  // playback-only engine does not support this.
  async inks() {
    return this.#opened ? this.#load.thread.ask('inks', {}) : [];
  }

  viewChanged() {
    this.#refreshSoon();
  }

  // MARK: Time

  get clock() {
    return this.#clock;
  }
  get duration() {
    return this.#opened ? this.#clock.duration : NaN;
  }
  get currentTime() {
    return this.#startTime ?? this.#time;
  }
  // Before the drawing is open, this is the initial moment.
  set currentTime(given) {
    const seconds = Math.max(Number(given) || 0, 0);
    if (!this.#opened) {
      if (!this.error) this.#startTime = seconds;
      return;
    }
    this.begin();
    this.isSeeking = true;
    this.dispatchEvent(new Event('seeking'));
    this.#setTime(Math.min(seconds, this.#clock.duration), true);
  }

  get paused() {
    return this.#isPaused;
  }
  get ended() {
    return Boolean(this.#opened) && this.#hasBegun && !this.loop && this.#time >= this.#clock.duration;
  }
  get seeking() {
    return this.isSeeking === true;
  }
  get loop() {
    return this.hasAttribute('loop');
  }
  set loop(isOn) {
    this.toggleAttribute('loop', Boolean(isOn));
  }
  get playbackRate() {
    return this.#rate;
  }
  set playbackRate(given) {
    const rate = Number(given);
    if (!Number.isFinite(rate)) throw new TypeError('The speed is not a finite number.');
    if (!isSpeed(rate)) throw new DOMException('The speed is not between 1/16 and 16.', 'NotSupportedError');
    this.#setRate(rate);
  }

  #setRate(rate) {
    if (rate === this.#rate) return;
    this.#rate = rate;
    this.#updateControls();
    this.dispatchEvent(new Event('ratechange'));
  }

  // The maximum length of a pause in seconds; Infinity keeps all pauses.
  get maximumPause() {
    const text = this.getAttribute('max-pause')?.trim();
    return text === 'none' ? Infinity : text && Number(text) >= 0 ? Number(text) : 0.5;
  }

  get skipsPauses() {
    return this.maximumPause !== Infinity;
  }
  set skipsPauses(isOn) {
    if (isOn === this.skipsPauses) return;
    const short = this.shortPause ?? '0.5';
    if (!isOn) this.shortPause = String(this.maximumPause);
    this.setAttribute('max-pause', isOn ? short : 'none');
  }

  #setClock() {
    if (!this.#opened) return;
    const recorded = this.#clock.recording(this.#time);
    const isAtEnd = this.#time >= this.#clock.duration;
    this.#clock = new Clock(this.#opened.steps, this.maximumPause);
    this.#time = isAtEnd ? this.#clock.duration : this.#clock.watching(recorded);
    this.controlsPart.clockChanged();
    this.dispatchEvent(new Event('durationchange'));
    this.#show();
  }

  #setTime(seconds, isSeek) {
    this.#time = seconds;
    this.#show();
    this.controlsPart.timeChanged();
    const now = performance.now();
    if (!isSeek && now - this.#lastUpdate < 200 && seconds < this.#clock.duration) return;
    this.#lastUpdate = now;
    this.dispatchEvent(new Event('timeupdate'));
  }

  // Hides the round button, at the first use of any control.
  begin() {
    this.#hasBegun = true;
    this.player.classList.add('begun');
  }

  // Before the drawing is open, this waits for it.
  async play() {
    if (!this.#isPaused || this.error) return;
    const hadFocus = this.shadowRoot.activeElement === this.start;
    this.begin();
    if (hadFocus) this.controlsPart.focus();
    this.#isPaused = false;
    if (this.#opened && this.#time >= this.#clock.duration) this.#setTime(0, true);
    this.dispatchEvent(new Event('play'));
    this.controlsPart.update();
    if (this.#opened) this.#run();
  }

  #run() {
    if (this.#time >= this.#clock.duration) this.#setTime(0, true);
    this.lastTick = performance.now();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(this.#tick);
  }

  toggle() {
    if (this.#isPaused) this.play();
    else this.pause();
  }

  pause() {
    if (this.#isPaused) return;
    this.#isPaused = true;
    cancelAnimationFrame(this.frame);
    this.dispatchEvent(new Event('pause'));
    this.controlsPart.update();
  }

  // Advances the time with each animation frame. Hidden pages get no animation frames, so their
  // replay waits.
  #tick = (now) => {
    if (this.#isPaused) return;
    const elapsed = Math.min(Math.max(now - this.lastTick, 0), 250) / 1000;
    this.lastTick = now;
    const { duration } = this.#clock;
    if (this.#time < duration) {
      this.heldSince = now;
      this.#setTime(Math.min(this.#time + elapsed * this.#rate, duration), false);
    } else if (!this.loop || duration === 0) {
      this.pause();
      this.dispatchEvent(new Event('ended'));
      return;
    } else if (now - this.heldSince >= this.hold * 1000) {
      this.#setTime(0, true);
    }
    this.frame = requestAnimationFrame(this.#tick);
  };

  // MARK: Actions of the menu

  // Remembers the colour of earlier strokes while they are hidden.
  toggleEarlier(isOn) {
    this.earlierColor = this.getAttribute('earlier') ?? this.earlierColor ?? '';
    if (isOn) this.setAttribute('earlier', this.earlierColor);
    else this.removeAttribute('earlier');
  }

  // At the displayed resolution, but at least one pixel per point of the page, and within the
  // engine's limit.
  async savePicture() {
    try {
      await this.#savePicture();
      if (!this.error) this.#showNote();
    } catch {
      if (!this.error) this.#tell('notSaved');
    }
  }

  async #savePicture() {
    if (!this.#opened) throw new Error('No drawing is open.');
    const scale = Math.min(Math.max(this.zoom.fitScale, 1), largestScale(this.region, maximumSavedPixels));
    const { width, height, data } = await this.pixels({ scale });
    const canvas = make('canvas', { width, height });
    canvas.getContext('2d').putImageData(new ImageData(data, width, height), 0, 0);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const address = URL.createObjectURL(blob);
    make('a', { href: address, download: `${fileName(this.getAttribute('label') ?? '')}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  toggleFullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.requestFullscreen?.().catch(() => {});
  }
}

for (const [name, attribute] of Object.entries(reflected)) {
  Object.defineProperty(PentimentoDrawing.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      const text = this.getAttribute(attribute);
      return switches.includes(name) ? text !== null && (text || true) : text;
    },
    set(value) {
      if (value === null || value === undefined || value === false) this.removeAttribute(attribute);
      else this.setAttribute(attribute, value === true ? '' : value);
    },
  });
}

async function fetched(address, signal) {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  if (Number(response.headers.get('content-length')) > maximumBytes) throw tooLarge();
  return response.arrayBuffer();
}

function tooLarge() {
  return Object.assign(new Error('The file is too large.'), { code: 'tooLarge' });
}

// Speeds that media elements support.
function isSpeed(rate) {
  return rate >= 1 / 16 && rate <= 16;
}
function speedOf(text) {
  return text?.trim() && isSpeed(Number(text)) ? Number(text) : 1;
}

// The colour of the sheet as '#rrggbb'. Other forms than plain sRGB are drawn on a pixel, which the
// browser converts. A translucent sheet is not part of the picture, so the result is 'none'. The
// colour that the player has set itself is ignored.
function sheetColor(sheet) {
  const shown = sheet.style.backgroundColor;
  sheet.style.backgroundColor = '';
  const color = getComputedStyle(sheet).backgroundColor;
  sheet.style.backgroundColor = shown;
  let parts = color.match(/^rgb\((\d+), (\d+), (\d+)\)$/)?.slice(1).map(Number);
  if (!parts) {
    const context = make('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    parts = [...context.getImageData(0, 0, 1, 1).data];
    if (parts.pop() < 255) return 'none';
  }
  return '#' + parts.map((part) => part.toString(16).padStart(2, '0')).join('');
}

// A file name: without characters that file systems forbid, without invisible controls other than
// the joiners of emoji and scripts, and without dots or spaces at its ends; at most 80 characters.
function fileName(label) {
  const clean = label.replace(/[\\/:*?"<>|\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu, ' ').replace(
    /\s+/g,
    ' ',
  );
  const trimmed = (text) => text.replace(/^[. ]+|[. ]+$/g, '');
  return trimmed([...trimmed(clean)].slice(0, 80).join('')) || 'drawing';
}
