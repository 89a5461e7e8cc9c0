// The panel of colour and size. It shows and picks colours as they are drawn, in the dark style too:
// the colour of the ink is the same in both styles.

import { icon, make } from './build.mjs';
import { mixed, parsed, parts, translucent } from './colour.mjs';
import { styled } from './interface.mjs';
import { bladeOf } from './nibs.mjs';

export class Picker {
  parts = [0, 0, 0];

  // `presets` and `recent` are lists of colours.
  constructor(tools, { presets, recent }) {
    this.tools = tools;
    const range = (id, label, more = {}) => make('input', { type: 'range', id, 'data-label': label, ...more });
    const rail = (id, name, label, more) => range(id, label, { class: `rail ${name}`, ...more });
    this.panel = make(
      'div',
      {
        class: 'menu float picker',
        part: 'picker',
        id: 'picker',
        role: 'group',
        'data-label': 'colourAndSize',
        hidden: true,
      },
      make('div', { class: 'swatches' }, presets, recent),
      make(
        'div',
        { class: 'shade', id: 'shade', role: 'group', 'data-label': 'shade' },
        range('saturation', 'saturation', { max: 100 }),
        range('brightness', 'brightness', { max: 100, tabindex: -1 }),
        make('i'),
      ),
      make(
        'div',
        { class: 'rails' },
        make('button', {
          class: 'button',
          type: 'button',
          id: 'dropper-button',
          'data-label': 'dropper',
          'data-shortcut': 'I',
          title: '',
        }, icon('dropper')),
        rail('hue', 'wheel', 'hue', { max: 359 }),
        rail('opacity', 'veil', 'opacity', { min: 1, max: 100 }),
        make('span', { class: 'swatch tint' }),
        make('input', {
          class: 'field number',
          id: 'hex',
          maxlength: 9,
          size: 9,
          autocomplete: 'off',
          autocapitalize: 'off',
          spellcheck: 'false',
          'data-label': 'hexColour',
          'aria-describedby': 'hex-problem',
        }),
        make('output', { class: 'number small muted', id: 'percentage' }),
        make('p', { class: 'small danger', id: 'hex-problem', role: 'status' }),
        make('span', { class: 'dot' }, make('i')),
        rail('width', 'wedge', 'thickness', { min: -1, max: 4, step: 0.1 }),
        make('output', { class: 'number small muted', id: 'points' }),
      ),
    );
  }

  $(id) {
    return this.tools.$(id);
  }

  // Listens to the panel, after it was put into the element.
  connect() {
    const { tools, panel } = this;
    const [shade, saturation, brightness] = ['shade', 'saturation', 'brightness'].map((id) => this.$(id));
    const on = (element, name, action) => element.addEventListener(name, action);
    on(this.$('dropper-button'), 'click', () => {
      panel.close();
      this.$('colour-button').focus({ preventScroll: true });
      tools.canvas?.dropper.start();
    });
    on(this.$('hue'), 'input', ({ target }) => this.pick(Number(target.value), this.parts[1], this.parts[2]));
    on(this.$('opacity'), 'input', ({ target }) => tools.choose({ opacity: target.value / 100 }));
    on(this.$('width'), 'input', ({ target }) => tools.choose({ size: Number(target.value) }));
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
    on(this.$('hex'), 'change', () => this.read());
    on(this.$('hex'), 'keydown', ({ key }) => {
      if (key === 'Escape') this.write();
    });
    // The focus goes into the panel also where it shows no presets, and an own colour is one of the
    // last colours once the panel closes.
    new MutationObserver(() => {
      const { top } = tools.tray.getBoundingClientRect();
      panel.classList.toggle('below', top < innerHeight / 2);
      if (panel.hidden) {
        this.read();
        tools.remember();
      } else if (!panel.contains(tools.root.activeElement)) {
        saturation.focus({ preventScroll: true });
      }
      this.write();
    }).observe(panel, { attributeFilter: ['hidden'] });
  }

  pick(...next) {
    this.parts = next;
    this.tools.choose({ colour: this.tools.drawn(mixed(...next)) });
  }

  // Takes the colour from the hex field, if it was changed: taking one selects an ink.
  read() {
    const text = this.$('hex').value;
    const found = parsed(text);
    if (found && text !== this.seen) this.tools.choose({ ...found, colour: this.tools.drawn(found.colour) });
    this.write(found === null);
  }

  // The chosen colour as it is drawn.
  get seen() {
    const { colour, opacity } = this.tools.chosen;
    return translucent(this.tools.drawn(colour), opacity);
  }

  // Writes the colour into the hex field, or what is wrong with the text in it.
  write(isWrong = false) {
    if (!isWrong) this.$('hex').value = this.seen;
    this.$('hex').setAttribute('aria-invalid', String(isWrong));
    this.$('hex-problem').textContent = isWrong ? this.tools.t('hexProblem') : '';
  }

  show() {
    const { tools } = this;
    const { chosen: { tool, colour, opacity, size }, width: points, sizeLimits } = tools;
    const percent = (share) => tools.number(share, { style: 'percent' });
    const color = tools.drawn(colour);
    // Colours have fewer steps than hues: the sliders keep what was picked.
    if (mixed(...this.parts) !== color) this.parts = parts(color, this.parts);
    const [hue, saturation, brightness] = this.parts;
    const set = (id, value, words) => {
      this.$(id).value = value;
      this.$(id).setAttribute('aria-valuetext', words);
    };
    set('hue', Math.round(hue), tools.number(hue, { style: 'unit', unit: 'degree', maximumFractionDigits: 0 }));
    set('saturation', Math.round(100 * saturation), percent(saturation));
    set('brightness', Math.round(100 * brightness), percent(brightness));
    set('opacity', Math.round(100 * opacity), percent(opacity));
    this.$('percentage').textContent = percent(opacity);
    const width = tools.t('points', { n: tools.number(points, { maximumFractionDigits: 1 }) });
    [this.$('width').min, this.$('width').max] = sizeLimits;
    set('width', size, width);
    this.$('points').textContent = width;
    styled(this.panel, {
      '--hue': mixed(hue, 1, 1),
      '--x': `${100 * saturation}%`,
      '--y': `${100 - 100 * brightness}%`,
      '--nib': `${points}px`,
      '--blade': bladeOf(tool),
    });
    if (tools.root.activeElement !== this.$('hex')) this.write();
  }
}
