// The colour picker and the eyedropper of the drawing page.
//
// The picker shows and picks colours as they are drawn, in the dark style too. The colour of the ink
// is the same in both styles.

import { hex, inverted, mixed, parsed, parts, translucent } from './colour.mjs';
import { icon, shown, styled, t } from './shared.mjs';

const $ = (id) => document.getElementById(id);
const percent = (share) => shown.number(share, { style: 'percent' });

// An ink's colour as the page's style draws it; or the other way round.
export const drawn = (color) => (window.theme.isDark ? inverted(color) : color);

// The panel of colour and size.
export class Picker {
  parts = [0, 0, 0];

  constructor(tools) {
    this.tools = tools;
    const panel = $('picker');
    const shade = $('shade');
    const [saturation, brightness] = [$('saturation'), $('brightness')];
    const on = (element, name, action) => element.addEventListener(name, action);
    on($('hue'), 'input', ({ target }) => this.pick(Number(target.value), this.parts[1], this.parts[2]));
    on($('opacity'), 'input', ({ target }) => tools.choose({ opacity: target.value / 100 }));
    on($('width'), 'input', ({ target }) => tools.choose({ size: Number(target.value) }));
    on(saturation, 'input', ({ target }) => this.pick(this.parts[0], target.value / 100, this.parts[2]));
    on(brightness, 'input', ({ target }) => this.pick(this.parts[0], this.parts[1], target.value / 100));
    const point = (event) => {
      const { left, top, width, height } = shade.getBoundingClientRect();
      const share = (length, whole) => Math.min(Math.max(length / whole, 0), 1);
      this.pick(this.parts[0], share(event.clientX - left, width), 1 - share(event.clientY - top, height));
    };
    on(shade, 'pointerdown', (event) => {
      if (event.button !== 0) return;
      shade.setPointerCapture(event.pointerId);
      // The press would take the focus to the page.
      event.preventDefault();
      saturation.focus({ preventScroll: true });
      this.pointer = event.pointerId;
      point(event);
    });
    on(shade, 'pointermove', (event) => {
      if (event.pointerId === this.pointer) point(event);
    });
    for (const name of ['pointerup', 'pointercancel']) on(shade, name, () => this.pointer = null);
    // The two sliders of the field are one stop of Tab, and each arrow moves along its own axis.
    on(shade, 'keydown', (event) => {
      const axis = { ArrowLeft: 1, ArrowRight: 1, ArrowUp: 2, ArrowDown: 2 }[event.key];
      if (!axis) return;
      event.preventDefault();
      const step = (['ArrowRight', 'ArrowUp'].includes(event.key) ? 1 : -1) * (event.shiftKey ? 0.1 : 0.01);
      const next = [...this.parts];
      next[axis] = Math.min(Math.max(Math.round(100 * (next[axis] + step)) / 100, 0), 1);
      const [now, other] = axis === 1 ? [saturation, brightness] : [brightness, saturation];
      [now.tabIndex, other.tabIndex] = [0, -1];
      this.pick(...next);
      now.focus({ preventScroll: true });
    });
    on($('hex'), 'change', () => this.read());
    on($('hex'), 'keydown', ({ key }) => {
      if (key === 'Escape') this.write();
    });
    // The focus goes into the panel also where it shows no presets, and an own colour is one of the
    // last colours once the panel closes.
    new MutationObserver(() => {
      if (panel.hidden) {
        this.read();
        tools.remember();
      } else if (!panel.contains(document.activeElement)) {
        saturation.focus({ preventScroll: true });
      }
      this.write();
    }).observe(panel, { attributeFilter: ['hidden'] });
  }

  pick(...next) {
    this.parts = next;
    this.tools.choose({ colour: drawn(mixed(...next)) });
  }

  // Takes the colour from the hex field, if it was changed: taking one selects an ink.
  read() {
    const text = $('hex').value;
    const found = parsed(text);
    if (found && text !== this.seen) this.tools.choose({ ...found, colour: drawn(found.colour) });
    this.write(found === null);
  }

  // The chosen colour as it is drawn.
  get seen() {
    const { colour, opacity } = this.tools.chosen;
    return translucent(drawn(colour), opacity);
  }

  // Writes the colour into the hex field, or what is wrong with the text in it.
  write(isWrong = false) {
    if (!isWrong) $('hex').value = this.seen;
    $('hex').setAttribute('aria-invalid', String(isWrong));
    $('hex-problem').textContent = isWrong ? t('hexProblem') : '';
  }

  show() {
    const { chosen: { colour, opacity, size }, points, sizeLimits, blade } = this.tools;
    const color = drawn(colour);
    // Colours have fewer steps than hues: the sliders keep what was picked.
    if (mixed(...this.parts) !== color) this.parts = parts(color, this.parts);
    const [hue, saturation, brightness] = this.parts;
    const set = (id, value, words) => {
      $(id).value = value;
      $(id).setAttribute('aria-valuetext', words);
    };
    set('hue', Math.round(hue), shown.number(hue, { style: 'unit', unit: 'degree', maximumFractionDigits: 0 }));
    set('saturation', Math.round(100 * saturation), percent(saturation));
    set('brightness', Math.round(100 * brightness), percent(brightness));
    set('opacity', Math.round(100 * opacity), percent(opacity));
    $('percentage').textContent = percent(opacity);
    const width = t('points', { n: shown.number(points, { maximumFractionDigits: 1 }) });
    [$('width').min, $('width').max] = sizeLimits;
    set('width', size, width);
    $('points').textContent = width;
    styled($('picker'), {
      '--hue': mixed(hue, 1, 1),
      '--x': `${100 * saturation}%`,
      '--y': `${100 - 100 * brightness}%`,
      '--nib': `${points}px`,
      '--blade': blade,
    });
    if (document.activeElement !== $('hex')) this.write();
  }
}

// The eyedropper takes the colour of the page below a pointer, or of a point that arrows move.
export class Dropper {
  // The number of pixels around the one in the middle of the loupe.
  reach = 5;

  constructor(view, thread, tools) {
    Object.assign(this, { view, thread, tools, area: $('dropper') });
    this.context = $('loupe-pixels').getContext('2d');
    $('dropper-button').append(icon('dropper'));
    $('dropper-button').addEventListener('click', () => {
      $('picker').close();
      $('colour-button').focus({ preventScroll: true });
      this.start();
    });
    const on = (name, action) => this.area.addEventListener(name, action);
    on('pointerdown', (event) => {
      if (event.button !== 0 || this.pointer !== undefined) return;
      this.pointer = event.pointerId;
      // Keeps the focus, and with it the eyedropper.
      event.preventDefault();
      this.look(...this.view.at(event));
    });
    on('pointermove', (event) => {
      if ((this.pointer ?? event.pointerId) === event.pointerId) this.look(...this.view.at(event));
    });
    on('pointerup', (event) => {
      if (event.pointerId !== this.pointer) return;
      this.look(...this.view.at(event));
      this.take();
    });
    on('pointercancel', () => this.pointer = undefined);
    on('contextmenu', (event) => event.preventDefault());
    on('blur', () => this.end());
    on('keydown', (event) => this.key(event));
  }

  start() {
    if (!this.area.hidden) return;
    this.back = document.activeElement;
    this.pointer = undefined;
    this.area.hidden = false;
    this.area.focus({ preventScroll: true });
    this.tools.name('takeColour');
    this.view.locate();
    this.look(...this.view.middle);
  }

  key(event) {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
    const step = event.shiftKey ? 20 : 1;
    if (x !== undefined) this.look(this.x + step * x, this.y + step * y);
    else if (['Enter', ' '].includes(event.key)) this.take();
    else if (event.key === 'Escape') this.end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Shows the pixels around a point of the view. Answers to earlier points are skipped.
  async look(x, y) {
    const { width, height } = this.view;
    [this.x, this.y] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
    styled(this.area, { '--x': `${this.x}px`, '--y': `${this.y}px` });
    $('loupe').classList.toggle('below', this.y < 160);
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.seen !== `${this.x} ${this.y}` && !this.area.hidden) {
      this.seen = `${this.x} ${this.y}`;
      await this.pixels().then(({ data, color }) => {
        this.context.putImageData(data, 0, 0);
        styled($('loupe'), { '--colour': color });
        $('loupe').hidden = false;
      }, () => {});
    }
    this.isAsking = false;
    this.seen = undefined;
  }

  async pixels() {
    const side = 2 * this.reach + 1;
    const answer = await this.thread.ask('around', {
      point: this.view.toPage(this.x, this.y),
      reach: this.reach,
    });
    const middle = 4 * (side * this.reach + this.reach);
    return { data: new ImageData(answer, side, side), color: hex([...answer.slice(middle, middle + 3)]) };
  }

  async take() {
    // Blocks that are not drawn yet have no colour.
    const color = await this.thread.ask('whole').then(() => this.pixels()).then((found) => found.color, () => null);
    if (this.area.hidden) return;
    this.end();
    if (!color) return;
    this.tools.choose({ colour: drawn(color), opacity: 1 });
    this.tools.remember();
    this.tools.name(drawn(color));
  }

  end() {
    if (this.area.hidden) return;
    const hadFocus = document.activeElement === this.area;
    this.area.hidden = $('loupe').hidden = true;
    if (hadFocus) (this.back === document.body ? $('area') : this.back).focus({ preventScroll: true });
  }
}
