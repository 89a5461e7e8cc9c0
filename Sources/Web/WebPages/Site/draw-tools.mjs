// The tray: inks, erasers and the lasso, sizes and colours, and the current choices.

import { icon, make, mark, styled, t } from './shared.mjs';

export const inks = ['pen', 'monoline', 'fountainPen', 'reed', 'marker', 'pencil', 'crayon', 'watercolor'];
// Tool, key of its name, icon, and shortcut.
const edits = [
  ['eraser', 'eraser', 'eraser', 'E'],
  ['strokeEraser', 'eraserStroke', 'eraserStroke', 'Shift E'],
  ['lasso', 'lasso', 'lasso', 'L'],
];
const sizes = ['fine', 'medium', 'broad', 'veryBroad'];
const dots = [4, 8, 13, 19];
export const colours = [
  ['night', '#1b2440'],
  ['charcoal', '#4a4a52'],
  ['sienna', '#b4532a'],
  ['coral', '#e4604e'],
  ['sun', '#f2b632'],
  ['leaf', '#4e8a4b'],
  ['lake', '#1f8a7c'],
  ['sky', '#3f7fc0'],
  ['plum', '#7b3f75'],
  ['rose', '#de7fa0'],
  ['earth', '#7a5230'],
  ['mist', '#98a0ae'],
];
// Widths in points, from fine to very broad.
const widths = {
  pen: [1.5, 3, 6, 11],
  monoline: [1.5, 3, 5.5, 9],
  fountainPen: [2.5, 5, 9, 15],
  reed: [4, 7, 12, 18],
  marker: [9, 16, 26, 40],
  pencil: [2, 3, 5.5, 9],
  crayon: [7, 12, 20, 30],
  watercolor: [16, 28, 44, 64],
};
const eraserWidths = [10, 20, 34, 56];

function choice(group, value, key, shape, className, shortcut = '') {
  return make(
    'label',
    { class: `choice ${className}`, title: t(key), 'data-label': key, 'data-shortcut': shortcut },
    make('input', { type: 'radio', name: group, value, 'aria-label': t(key), 'data-label': key }),
    shape,
  );
}

export class Tools {
  chosen = { tool: 'pen', size: 1, colour: '#1b2440', onlyPen: false, ignoresPressure: false, keepsHand: false };

  // `changed` is called when a choice has changed.
  constructor(changed) {
    this.changed = changed;
    try {
      Object.assign(this.chosen, JSON.parse(localStorage.getItem('pentimento-tools') ?? '{}'));
    } catch { /* nothing was stored, or storage is unavailable */ }
    if (!inks.includes(this.chosen.tool)) this.chosen.tool = 'pen';
    const place = (id) => document.getElementById(id);
    place('inks').append(...inks.map((ink, index) => choice('tool', ink, ink, mark(ink), 'tool', String(index + 1))));
    place('edits').append(
      ...edits.map(([tool, key, name, shortcut]) => choice('tool', tool, key, icon(name), 'tool', shortcut)),
    );
    place('sizes').append(
      ...sizes.map((key, index) =>
        choice('size', String(index), key, styled(make('i'), { '--dot': `${dots[index]}px` }), 'size')
      ),
    );
    for (const group of ['colours', 'colour-list']) {
      place(group).append(...colours.map(([key, color]) => choice(group, color, key, make('i'), 'hue')));
    }
    for (const [name, id] of [['onlyPen', 'palm'], ['ignoresPressure', 'even'], ['keepsHand', 'as-drawn']]) {
      place(id).checked = this.chosen[name];
      place(id).addEventListener(
        'change',
        (event) => this.choose({ [name]: event.target.checked, hasChosenPen: true }),
      );
    }
    document.querySelector('.tray').addEventListener('change', ({ target }) => {
      if (target.name === 'tool') this.choose({ tool: target.value });
      else if (target.name === 'size') this.choose({ size: Number(target.value) });
      else this.choose({ colour: target.value });
      if (target.name === 'tool') target.closest('label').scrollIntoView({ inline: 'center', block: 'nearest' });
      this.name(target.dataset.label);
    });
    this.show();
  }

  choose(choices) {
    const before = this.chosen.tool;
    Object.assign(this.chosen, choices);
    // A selection takes the colour. Otherwise choosing one selects an ink, for drawing with it.
    const isTaken = choices.colour && this.recolour?.(choices.colour);
    if (choices.colour && !isTaken && !inks.includes(this.chosen.tool)) this.chosen.tool = this.lastInk ?? 'pen';
    if (inks.includes(this.chosen.tool)) this.lastInk = this.chosen.tool;
    try {
      localStorage.setItem('pentimento-tools', JSON.stringify(this.chosen));
    } catch { /* for this page only */ }
    this.show();
    this.changed(before !== this.chosen.tool);
  }

  // Shows the name of the choice for a moment.
  name(key) {
    const output = document.getElementById('named');
    output.textContent = t(key);
    output.classList.add('shown');
    clearTimeout(this.nameTimer);
    this.nameTimer = setTimeout(() => output.classList.remove('shown'), 1400);
  }

  show() {
    const { tool, size, colour } = this.chosen;
    for (const [group, value] of [['tool', tool], ['size', size], ['colours', colour], ['colour-list', colour]]) {
      const input = document.querySelector(`input[name="${group}"][value="${value}"]`);
      if (input) input.checked = true;
    }
    this.showColours();
  }

  // In the dark style, colours are shown as the engine draws them.
  showColours(dark = this.dark) {
    this.dark = dark;
    const shown = (color) => (window.theme.isDark && dark?.[colours.findIndex(([, one]) => one === color)]) || color;
    for (const label of document.querySelectorAll('.hue')) {
      styled(label, { '--colour': shown(label.firstElementChild.value) });
    }
    styled(document.querySelector('.tray'), { '--colour': shown(this.chosen.colour) });
  }

  // The next or previous size.
  resize(step) {
    this.choose({ size: Math.min(Math.max(this.chosen.size + step, 0), sizes.length - 1) });
    this.name(sizes[this.chosen.size]);
  }

  // The kind of gesture for the current tool.
  get kind() {
    return inks.includes(this.chosen.tool) ? 'ink' : this.chosen.tool;
  }
  get ink() {
    return this.chosen.tool;
  }
  get color() {
    return this.chosen.colour;
  }
  get width() {
    return widths[this.chosen.tool][this.chosen.size];
  }
  get eraserWidth() {
    return eraserWidths[this.chosen.size];
  }
  get onlyPen() {
    return this.chosen.onlyPen;
  }
  get keepsHand() {
    return this.chosen.keepsHand;
  }
  get ignoresPressure() {
    return this.chosen.ignoresPressure;
  }
}
