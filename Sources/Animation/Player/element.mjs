import { make, icon } from './build.mjs';
import { Clock } from './clock.mjs';
import { Controls } from './controls.mjs';
import { DrawingThread } from './thread.mjs';
import { word } from './words.mjs';
import { Zoom } from './zoom.mjs';

export const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const stillSystem = matchMedia('(prefers-reduced-motion: reduce)');

// The maximum size of a view. More pixels make frames slow, without a gain that can be seen.
const maximumPixels = 8e6;

// The element that replays a drawing. Its times are those that the viewer watches: pauses are shortened.
export class PentimentoDrawing extends HTMLElement {
  // Set before the element is defined: `worker` is the address of the worker's script; `engine` is an address, or
  // { text, count } for one that is packed in the page; `styles` are style sheets.
  static parts;

  static observedAttributes = [
    'src', 'controls', 'loop', 'speed', 'poster', 'earlier', 'theme', 'ink', 'background', 'paper', 'max-pause', 'lang', 'label',
  ];

  // Settings without an attribute. The part of the drawing's page that is shown; all of it unless given.
  givenRegion;
  // How many seconds the end is shown before a loop starts again.
  hold = 1;

  #clock = new Clock(new Float64Array(0));
  #time = 0;
  #rate = 1;
  #isPaused = true;
  #hasBegun = false;
  #opened;
  #thread;
  #size;
  #lastUpdate = 0;
  #generation = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = PentimentoDrawing.parts.styles;
    this.poster_ = make('img', { class: 'poster', alt: '', hidden: true });
    this.sheet = make('div', { class: 'sheet', role: 'img' }, this.poster_);
    this.start = make('button', { class: 'start', type: 'button', onclick: () => this.play() }, icon('play'));
    this.stage = make('div', { class: 'stage' }, this.sheet, this.start);
    this.note = make('p', { class: 'note', hidden: true });
    this.player = make(
      'section', { class: 'player' }, this.stage, make('div', { class: 'status', role: 'status' }, this.note));
    root.append(this.player);
    this.controlsPart = new Controls(this);
    this.player.append(this.controlsPart.bar);
    root.append(this.controlsPart.keys);
    this.zoom = new Zoom(this);
    this.addEventListener('keydown', (event) => this.controlsPart.press(event));
  }

  connectedCallback() {
    this.resizing = new ResizeObserver(() => this.#refreshSoon());
    this.resizing.observe(this.stage);
    darkSystem.addEventListener('change', this.updateLook);
    this.updateLook();
    this.#rate = Number(this.getAttribute('speed')) || 1;
    this.#updateControls();
    if (this.hasAttribute('src') && !this.#thread) this.load(this.getAttribute('src'));
  }

  disconnectedCallback() {
    this.pause();
    this.resizing.disconnect();
    darkSystem.removeEventListener('change', this.updateLook);
    this.#generation++;
    this.#thread?.end();
    this.#thread = this.#opened = this.#size = undefined;
  }

  attributeChangedCallback(name, old, value) {
    if (!this.isConnected || old === value) return;
    switch (name) {
      case 'src': if (value !== null) this.load(value); break;
      case 'speed': this.playbackRate = Number(value) || 1; break;
      case 'max-pause': this.#setClock(); break;
      case 'poster': this.#showPoster(); break;
      case 'earlier': case 'ink': case 'background': case 'paper': this.#refreshSoon(); break;
      case 'theme': case 'lang': case 'label': this.updateLook(); break;
    }
    this.#updateControls();
  }

  // MARK: Loading

  // Opens a `.pkd` file: its address, its bytes, or { text, count } for one that is packed in the page.
  async load(source) {
    const generation = ++this.#generation;
    this.pause();
    this.#thread?.end();
    this.#opened = this.#size = this.look = undefined;
    this.#hasBegun = this.hasStopped = this.isSeeking = false;
    this.player.classList.remove('ready', 'begun');
    this.note.hidden = true;
    this.#showPoster();
    const { parts } = PentimentoDrawing;
    try {
      this.#thread = new DrawingThread(parts.worker);
      const drawing = typeof source === 'string' ? await fetched(source) : source;
      const opened = await this.#thread.ask('load', {
        source: parts.engine, drawing, isSheet: this.getAttribute('background') === 'sheet',
      });
      if (generation !== this.#generation) return;
      this.#opened = opened;
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
      return;
    }
    this.region = this.givenRegion ?? this.#opened.region;
    this.player.style.setProperty('--ratio', this.region[2] / this.region[3]);
    if (this.#opened.isDamaged) this.#tell('damaged');
    this.#setClock();
    this.#time = this.#clock.duration;
    this.dispatchEvent(new Event('loadedmetadata'));
    this.zoom.fit();
    await this.#refresh();
    if (this.hasAttribute('autoplay') && !stillSystem.matches) this.play();
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

  #fail(error) {
    this.pause();
    this.error = error;
    const known = { notARecording: 'unreadable', unreadable: 'unreadable', noPicture: 'nothing', tooLarge: 'tooLarge' };
    this.#tell(known[error.code] ?? 'failed');
    this.dispatchEvent(new Event('error'));
  }

  // MARK: Look

  get language() { return this.closest('[lang]')?.lang || document.documentElement.lang || navigator.language; }
  get isDark() {
    const theme = this.getAttribute('theme');
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
    // With controls="sheet" there is only the round button.
    this.controlsPart.bar.hidden = controls === null || controls === 'sheet';
    this.player.classList.toggle('bare', this.controlsPart.bar.hidden);
    this.controlsPart.update();
  }

  // The options of views. Unless attributes say otherwise, ink follows the theme, and the background is the sheet's.
  #options() {
    const ink = this.getAttribute('ink') ?? 'auto';
    const given = this.getAttribute('background') ?? 'auto';
    const isOwn = given === 'page' || given === 'auto' && this.#opened.hasBackground;
    const isClear = given === 'none' || given.length === 9;
    this.sheet.classList.toggle('clear', isClear);
    this.sheet.style.backgroundColor = given.startsWith('#') && !isClear ? given : '';
    const sheet = hexadecimal(getComputedStyle(this.sheet).backgroundColor);
    const earlier = this.getAttribute('earlier');
    return {
      style: ink === 'auto' ? (this.isDark ? 'dark' : 'light') : ink,
      background: isOwn ? 'page' : ['auto', 'sheet'].includes(given) ? sheet : given,
      paper: this.getAttribute('paper') ?? 'blank',
      earlier: earlier === null ? false : earlier || true,
    };
  }

  // MARK: Pictures

  #refreshSoon() {
    if (!this.#opened) return;
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => this.#refresh(), 120);
  }

  // Opens a view of the visible part at the screen's resolution, and puts its canvas over the old one.
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
    const generation = this.#generation;
    try {
      const answer = await this.#thread.ask(
        'view', { options, seconds: this.#clock.recording(seconds), canvas: offscreen }, offscreen ? [offscreen] : []);
      if (generation !== this.#generation) return;
      this.look = look;
      this.#size = answer;
      this.shownTime = seconds;
      this.#put(canvas, answer, place);
      this.#paint(answer.parts);
      if (!this.player.classList.contains('ready')) this.#becomeReady();
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
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

  // Shows the current moment. One frame is requested at a time; moments that pass meanwhile are left out.
  async #show() {
    if (this.isShowing || this.isRefreshing || !this.#size) return;
    this.isShowing = true;
    const generation = this.#generation;
    try {
      while (this.shownTime !== this.#time && !this.isRefreshing) {
        const seconds = this.#time;
        const { parts, took } = await this.#thread.ask('show', { seconds: this.#clock.recording(seconds) });
        if (generation !== this.#generation) return;
        this.#paint(parts);
        this.shownTime = seconds;
        this.frameTime = took;
      }
    } catch (error) {
      // A stopped engine has been restarted and needs a new view. If it stops a second time, that is an error.
      if (generation === this.#generation) {
        this.look = this.#size = undefined;
        if (['stopped', 'unknownHandle'].includes(error.code) && !this.hasStopped) this.#refreshSoon();
        else this.#fail(error);
        this.hasStopped = true;
      }
    } finally {
      this.isShowing = false;
    }
    if (this.isSeeking && this.shownTime === this.#time) {
      this.isSeeking = false;
      this.dispatchEvent(new Event('seeked'));
    }
  }

  // The pixels of a moment: RGBA with straight alpha, equal to those that `pkd render` and `pkd replay` write.
  async pixels({ time = this.#time, scale = 1 } = {}) {
    if (!this.#opened) throw new Error('No drawing is open.');
    const options = { ...this.#options(), scale, region: this.region };
    return this.#thread.ask('pixels', { options, seconds: this.#clock.recording(time) });
  }

  viewChanged() { this.#refreshSoon(); }

  // MARK: Time

  get clock() { return this.#clock; }
  get duration() { return this.#opened ? this.#clock.duration : NaN; }
  get currentTime() { return this.#time; }
  set currentTime(seconds) {
    this.begin();
    this.isSeeking = true;
    this.dispatchEvent(new Event('seeking'));
    this.#setTime(Math.min(Math.max(Number(seconds) || 0, 0), this.#clock.duration), true);
  }

  get paused() { return this.#isPaused; }
  get ended() { return this.#hasBegun && !this.loop && this.#time >= this.#clock.duration; }
  get seeking() { return this.isSeeking === true; }
  get loop() { return this.hasAttribute('loop'); }
  set loop(isOn) { this.toggleAttribute('loop', Boolean(isOn)); }
  get playbackRate() { return this.#rate; }
  set playbackRate(rate) {
    if (!(rate > 0) || rate === this.#rate) return;
    this.#rate = rate;
    this.#updateControls();
    this.dispatchEvent(new Event('ratechange'));
  }

  get src() { return this.getAttribute('src'); }
  set src(address) { this.setAttribute('src', address); }

  // The maximum length of a pause in seconds; Infinity keeps all pauses.
  get maximumPause() {
    const text = this.getAttribute('max-pause');
    return text === null || text === '' ? 0.5 : text === 'none' ? Infinity : Math.max(Number(text) || 0, 0);
  }

  get skipsPauses() { return this.maximumPause !== Infinity; }
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

  async play() {
    if (!this.#opened || !this.#isPaused) return;
    const hadFocus = this.shadowRoot.activeElement === this.start;
    this.begin();
    if (hadFocus) this.controlsPart.focus();
    this.#isPaused = false;
    if (this.#time >= this.#clock.duration) this.#setTime(0, true);
    this.dispatchEvent(new Event('play'));
    this.controlsPart.update();
    this.lastTick = performance.now();
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

  // Advances the time with each animation frame. Hidden pages get none, so that their replay waits.
  #tick = (now) => {
    if (this.#isPaused) return;
    const elapsed = Math.min(Math.max(now - this.lastTick, 0), 250) / 1000;
    this.lastTick = now;
    const { duration } = this.#clock;
    if (this.#time < duration) {
      this.heldSince = now;
      this.#setTime(Math.min(this.#time + elapsed * this.#rate, duration), false);
    } else if (!this.loop) {
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

  async savePicture() {
    const { width, height, data } = await this.pixels({ scale: this.zoom.fitScale });
    const canvas = make('canvas', { width, height });
    canvas.getContext('2d').putImageData(new ImageData(data, width, height), 0, 0);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const address = URL.createObjectURL(blob);
    const name = (this.getAttribute('label') ?? '').replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim().slice(0, 80) || 'drawing';
    make('a', { href: address, download: `${name}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  toggleFullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.requestFullscreen?.().catch(() => {});
  }
}

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.arrayBuffer();
}

// '#rrggbb' from 'rgb(r, g, b)'.
function hexadecimal(color) {
  const parts = color.match(/[\d.]+/g) ?? [255, 255, 255];
  return '#' + parts.slice(0, 3).map((part) => Math.round(part).toString(16).padStart(2, '0')).join('');
}
