import { icon, make } from './build.mjs';
import { word } from './words.mjs';

const speeds = [0.5, 1, 2, 4];

// The bar below the sheet, its menu, and the keyboard shortcuts.
export class Controls {
  constructor(element) {
    this.element = element;
    this.words = [];
    const button = (kind, name, act, ...more) =>
      this.named(make('button', { class: `button ${kind}`, type: 'button', onclick: act }, icon(name), ...more), kind);
    this.playButton = make('button', { class: 'button play', type: 'button', onclick: () => element.toggle() });
    this.marks = make('canvas', { 'aria-hidden': 'true' });
    this.slider = this.named(
      make('input', {
        type: 'range',
        min: 0,
        max: 1,
        step: 'any',
        value: 1,
        oninput: () => {
          element.currentTime = Number(this.slider.value);
        },
      }),
      'position',
    );
    this.time = make('span', { class: 'time' });
    this.more = this.named(
      make('button', {
        class: 'button',
        type: 'button',
        'aria-expanded': 'false',
        'aria-controls': 'menu',
        onclick: () => this.openMenu(this.menu.hidden),
      }, icon('dots')),
      'options',
    );
    this.menu = this.makeMenu();
    this.bar = this.named(
      make(
        'div',
        { class: 'bar float', part: 'bar', role: 'group', hidden: true },
        button('previous', 'previous', () => this.step(-1)),
        this.playButton,
        button('next', 'next', () => this.step(1)),
        make('div', { class: 'scrub', part: 'scrub' }, this.marks, this.slider),
        this.time,
        make('div', { class: 'more' }, this.more, this.menu),
      ),
      'replay',
    );
    this.keys = this.makeKeys();
    new ResizeObserver(() => this.clockChanged()).observe(this.marks);
  }

  // A listener on the document would keep a removed element alive.
  connect() {
    document.addEventListener('pointerdown', this.pressedOutside);
  }
  disconnect() {
    document.removeEventListener('pointerdown', this.pressedOutside);
  }
  pressedOutside = (event) => {
    if (!event.composedPath().includes(this.menu) && !event.composedPath().includes(this.more)) this.openMenu(false);
  };

  // `named` sets an element's translated name for screen readers, `text` creates an element with
  // translated text. Both follow later changes of the language.
  named(element, key) {
    this.words.push((language) => {
      element.setAttribute('aria-label', word(key, language));
      if (element.matches('button')) element.title = word(key, language);
    });
    return element;
  }

  text(key, tag = 'span', attributes = {}) {
    const element = make(tag, attributes);
    this.words.push((language) => {
      element.textContent = word(key, language);
    });
    return element;
  }

  setWords(language) {
    this.language = language;
    for (const set of this.words) set(language);
    this.update();
  }

  // MARK: Menu

  makeMenu() {
    const { element } = this;
    this.choices = make('span', { class: 'choices' });
    this.addSpeeds(speeds);
    const toggle = (key, get, set) => {
      const input = make('input', { type: 'checkbox', role: 'switch', onchange: () => set(input.checked) });
      this.switches.push(() => {
        input.checked = get();
      });
      return make('label', { class: 'switch' }, this.text(key), input);
    };
    this.switches = [];
    const item = (key, name, act, ...more) =>
      make('button', { class: 'button', type: 'button', onclick: act }, icon(name), this.text(key), ...more);
    return make(
      'div',
      { class: 'menu float', id: 'menu', hidden: true, onkeydown: (event) => this.leaveMenu(event) },
      this.named(make('div', { class: 'row', role: 'radiogroup' }, this.text('speed'), this.choices), 'speed'),
      toggle('skip', () => element.skipsPauses, (isOn) => {
        element.skipsPauses = isOn;
      }),
      toggle('earlier', () => element.hasAttribute('earlier'), (isOn) => element.toggleEarlier(isOn)),
      toggle('loop', () => element.loop, (isOn) => {
        element.loop = isOn;
      }),
      make('hr'),
      item('save', 'save', () => element.savePicture()),
      item('full', 'full', () => element.toggleFullscreen()),
      item('shortcuts', 'keys', () => this.showKeys(), make('kbd', {}, '?')),
    );
  }

  addSpeeds(list) {
    this.choices.replaceChildren(...list.map((speed) => {
      const input = make('input', {
        type: 'radio',
        name: 'speed',
        value: speed,
        onchange: () => {
          this.element.playbackRate = speed;
        },
      });
      return make('label', {}, input, speed === 0.5 ? '½×' : `${speed}×`);
    }));
    this.speeds = list;
  }

  openMenu(isOpen) {
    if (this.menu.hidden === !isOpen) return;
    this.menu.hidden = !isOpen;
    this.more.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.menu.querySelector('input:checked, input')?.focus({ preventScroll: true });
  }

  leaveMenu(event) {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.openMenu(false);
    this.more.focus();
  }

  // MARK: State

  update() {
    const { element } = this;
    const isPlaying = !element.paused;
    const name = isPlaying ? 'pause' : 'play';
    if (this.playButton.dataset.icon !== name) {
      this.playButton.dataset.icon = name;
      this.playButton.replaceChildren(icon(name));
    }
    this.playButton.setAttribute('aria-label', word(name, this.language));
    const rate = element.playbackRate;
    if (!this.speeds.includes(rate)) this.addSpeeds([...speeds, rate].sort((a, b) => a - b));
    for (const input of this.choices.querySelectorAll('input')) input.checked = Number(input.value) === rate;
    this.switches.forEach((set) => set());
    this.timeChanged();
    this.clockChanged();
  }

  timeChanged() {
    const { currentTime } = this.element;
    const duration = this.element.clock.duration;
    const [a, b] = [clockText(currentTime), clockText(duration)];
    const text = word('of', this.language, { a, b });
    if (this.shownTime !== text) {
      this.shownTime = text;
      this.time.replaceChildren(make('b', {}, a), ` / ${b}`);
      this.slider.setAttribute('aria-valuetext', text);
    }
    this.slider.max = duration || 1;
    this.slider.value = duration ? currentTime : 1;
    this.drawMarks();
  }

  // MARK: The track of the scrubber: a dash for each stroke, gaps for pauses

  clockChanged() {
    const { clientWidth: width, clientHeight: height } = this.marks;
    if (!width) return;
    const ratio = devicePixelRatio;
    Object.assign(this.marks, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const { clock } = this.element;
    if (this.dashClock !== clock || this.dashWidth !== width) {
      [this.dashes, this.dashClock, this.dashWidth] = [dashes(clock, width), clock, width];
    }
    const style = getComputedStyle(this.marks);
    this.colors = Object.fromEntries(
      ['line', 'edge', 'ink', 'trace'].map((name) => [name, style.getPropertyValue(`--${name}`)]),
    );
    this.drawMarks();
  }

  drawMarks() {
    if (!this.dashes) return;
    const context = this.marks.getContext('2d');
    const { clientWidth: width, clientHeight: height } = this.marks;
    const { clock, currentTime } = this.element;
    const now = 8 + (clock.duration ? currentTime / clock.duration : 1) * (width - 16);
    const line = (from, to, thickness, color) => {
      context.strokeStyle = color;
      context.lineWidth = thickness;
      context.beginPath();
      context.moveTo(from, height / 2);
      context.lineTo(to, height / 2);
      context.stroke();
    };
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineCap = 'round';
    line(8, width - 8, 2, this.colors.line);
    for (const { kind, from, to } of this.dashes) {
      const thickness = kind ? 3 : 5;
      const end = Math.max(from + 0.5, to - 3); // round caps make a dash longer
      if (end > now) line(Math.max(from, now), end, thickness, this.colors.edge);
      if (from < now) line(from, Math.min(end, now), thickness, kind ? this.colors.trace : this.colors.ink);
    }
  }

  // MARK: Keys

  // Moves the focus from the round button to the button in the bar. Without a bar, to the whole
  // player, which handles the same keys.
  focus() {
    (this.bar.hidden ? this.element.player : this.playButton).focus({ preventScroll: true });
  }

  step(direction) {
    const { element } = this;
    element.pause();
    element.currentTime = direction > 0
      ? element.clock.next(element.currentTime)
      : element.clock.previous(element.currentTime);
  }

  changeSpeed(direction) {
    const index = this.speeds.indexOf(this.element.playbackRate) + direction;
    if (this.speeds[index]) this.element.playbackRate = this.speeds[index];
  }

  // Shortcuts are ignored in text fields, in the menu, and while the list of shortcuts is open.
  press(event) {
    const target = event.composedPath()[0];
    const { element } = this;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || this.keys.open) return;
    if (!element.hasAttribute('controls') || this.menu.contains(target)) return;
    if (target.matches?.('input:not([type=range]), textarea, select')) return;
    const seek = (seconds) => {
      element.currentTime = seconds;
    };
    const actions = {
      ' ': () => element.toggle(),
      k: () => element.toggle(),
      ArrowLeft: () => seek(element.currentTime - 1),
      ArrowRight: () => seek(element.currentTime + 1),
      ',': () => this.step(-1),
      '.': () => this.step(1),
      Home: () => seek(0),
      End: () => seek(element.duration),
      '[': () => this.changeSpeed(-1),
      ']': () => this.changeSpeed(1),
      p: () => {
        element.skipsPauses = !element.skipsPauses;
      },
      e: () => element.toggleEarlier(!element.hasAttribute('earlier')),
      l: () => {
        element.loop = !element.loop;
      },
      f: () => element.toggleFullscreen(),
      s: () => element.savePicture(),
      '+': () => element.zoom.by(1.25),
      '=': () => element.zoom.by(1.25),
      '-': () => element.zoom.by(0.8),
      0: () => element.zoom.fit(),
      '?': () => this.showKeys(),
    };
    // With Caps Lock, letters are capital.
    const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (event.key === ' ' && target.matches?.('button, a'))) return;
    event.preventDefault();
    act();
  }

  showKeys() {
    this.openMenu(false);
    this.keys.showModal();
  }

  makeKeys() {
    const rows = [
      ['keyPlay', ['space', 'K']],
      ['keySeek', ['← →']],
      ['keyStroke', [', .']],
      ['keyEnds', ['Home End']],
      ['keySpeed', ['[ ]']],
      ['skip', ['P']],
      ['earlier', ['E']],
      ['loop', ['L']],
      ['keyZoom', ['+ − 0']],
      ['save', ['S']],
      ['full', ['F']],
      ['keyThis', ['?']],
    ];
    const list = make(
      'dl',
      { class: 'keys' },
      ...rows.flatMap(([key, names]) => [
        this.text(key, 'dt'),
        make(
          'dd',
          {},
          ...names.flatMap((name, index) => [
            index ? ' ' : '',
            name === 'space' ? this.text('space', 'kbd') : make('kbd', {}, name),
          ]),
        ),
      ]),
    );
    const dialog = make('dialog', { 'aria-labelledby': 'keys' }, this.text('shortcuts', 'h2', { id: 'keys' }), list);
    dialog.append(
      make('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, this.text('close')),
    );
    return dialog;
  }
}

// The dashes of a clock's steps. Dashes of the same kind are joined if the gap is less than 2
// pixels. Dashes of different kinds are joined if together they are shorter than 2 pixels, and the
// result has the colour of a change. So there are at most as many dashes as pixels.
function dashes(clock, width) {
  const list = [];
  const scale = clock.duration ? (width - 16) / clock.duration : 0;
  const first = clock.duration ? 8 : width - 8;
  let last;
  for (let step = 0; step < clock.count; step++) {
    const kind = clock.kinds[step];
    const [from, to] = [first + clock.starts[step] * scale, first + clock.end(step) * scale];
    if (last && (last.kind === kind ? from - last.to < 2 : to - last.from < 2)) {
      last.to = Math.max(to, last.to);
      last.kind = Math.max(kind, last.kind);
    } else {
      last = { kind, from, to: Math.max(to, from + 0.5) };
      list.push(last);
    }
  }
  return list;
}

function clockText(seconds) {
  const whole = Math.floor(seconds + 1e-6);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
