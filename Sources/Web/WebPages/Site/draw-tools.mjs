// The tray: inks, erasers and the lasso, sizes and colours, and the current choices.

import { parsed, translucent } from './colour.mjs';
import { drawn, Picker } from './picker.mjs';
import { icon, make, mark, onLanguage, styled, t } from './shared.mjs';

export const inks = ['pen', 'monoline', 'fountainPen', 'reed', 'marker', 'pencil', 'crayon', 'watercolor'];
// Tool, key of its name, icon, and shortcut.
const edits = [
  ['eraser', 'eraser', 'eraser', 'E'],
  ['strokeEraser', 'eraserStroke', 'eraserStroke', 'Shift E'],
  ['lasso', 'lasso', 'lasso', 'L'],
];
const sizes = ['fine', 'medium', 'broad', 'veryBroad'];
const dots = [4, 8, 13, 19];
const colours = [
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
// Widths in points: the least of the slider, from fine to very broad, and the greatest. They are
// within the widths that the engine's tools have.
const widths = {
  pen: [0.9, 1.5, 3, 6, 11, 22],
  monoline: [0.5, 1, 2, 3, 4, 4],
  fountainPen: [1.5, 2.5, 5, 9, 14, 14],
  reed: [2, 4, 7, 12, 18, 30],
  marker: [7.5, 9, 16, 26, 40, 60],
  pencil: [2.4, 2.4, 3, 5.5, 9, 16],
  crayon: [10, 10, 12, 20, 30, 50],
  watercolor: [10, 16, 28, 44, 64, 80],
};
const eraserWidths = [5, 10, 20, 34, 56, 112];
// Sizes between and beyond the four have numbers too: 0.5 is halfway from fine to medium, -1 is the
// least, and 4 the greatest.
const [leastSize, mostSize] = [-1, sizes.length];
const mostRecent = 8;
// The widths of broad nibs along their blades, as shares of those across.
const blades = { marker: 0.36, fountainPen: 0.3, reed: 0.17 };

// The width of a size, in tenths of a point.
function widthOf(all, size) {
  const index = Math.min(Math.floor(size - leastSize), all.length - 2);
  const width = all[index] * (all[index + 1] / all[index]) ** (size - leastSize - index);
  return Math.round(10 * width) / 10;
}

const isInk = (tool) => inks.includes(tool);
const isPreset = (color) => colours.some(([, one]) => one === color);
// Both erasers are equally wide.
const ownerOf = (tool) => (isInk(tool) ? tool : 'eraser');
const storageKey = 'pentimento-tools';

// The stored choices, as far as they are valid: an older page may have stored them, or another program.
function stored() {
  let found;
  try {
    found = Object(JSON.parse(localStorage.getItem(storageKey)));
  } catch {
    found = {}; // nothing was stored, or storage is unavailable
  }
  const color = (text) => (typeof text === 'string' ? parsed(text)?.colour : undefined);
  const number = (value, least, most) => Number.isFinite(value) ? Math.min(Math.max(value, least), most) : undefined;
  const look = (values, usual) => ({
    colour: color(values.colour) ?? usual.colour,
    opacity: number(values.opacity, 0.01, 1) ?? usual.opacity,
    size: number(values.size, leastSize, mostSize) ?? usual.size,
  });
  const current = look(found, { colour: colours[0][1], opacity: 1, size: 1 });
  const owners = [...inks, 'eraser'].filter((tool) => found.own?.[tool]);
  const recent = Array.isArray(found.recent) ? found.recent.map(color).filter(Boolean) : [];
  return {
    ...current,
    tool: isInk(found.tool) ? found.tool : 'pen',
    onlyPen: found.onlyPen === true,
    ignoresPressure: found.ignoresPressure === true,
    keepsHand: found.keepsHand === true,
    hasChosenPen: found.hasChosenPen === true,
    own: Object.fromEntries(owners.map((tool) => {
      const { size, ...ink } = look(found.own[tool], current);
      return [tool, tool === 'eraser' ? { size } : { size, ...ink }];
    })),
    recent: [...new Set(recent)].slice(0, mostRecent),
  };
}

function choice(group, value, key, shape, className, shortcut = '') {
  return make(
    'label',
    { class: `choice ${className}`, title: t(key), 'data-label': key, 'data-shortcut': shortcut },
    make('input', { type: 'radio', name: group, value, 'aria-label': t(key), 'data-label': key }),
    shape,
  );
}

export class Tools {
  // The current choices; and in `own`, the colour, opacity and size that each ink had last, and the
  // size of the erasers. `recent` has the last own colours, the latest first.
  chosen = stored();

  // `changed` is called when a choice has changed.
  constructor(changed) {
    this.changed = changed;
    Object.assign(this.chosen, this.chosen.own[this.chosen.tool]);
    this.keepOwn();
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
    this.picker = new Picker(this);
    for (
      const [name, id, isOpposite] of [
        ['onlyPen', 'palm', false],
        ['ignoresPressure', 'pressure', true],
        ['keepsHand', 'figures', true],
      ]
    ) {
      place(id).checked = this.chosen[name] !== isOpposite;
      place(id).addEventListener(
        'change',
        ({ target }) => this.choose({ [name]: target.checked !== isOpposite, hasChosenPen: true }),
      );
    }
    // A click, because the chosen colour can be chosen again for a selection.
    document.querySelector('.tray').addEventListener('click', ({ target }) => {
      if (target.type !== 'radio') return;
      if (target.name === 'tool') this.choose({ tool: target.value });
      else if (target.name === 'size') this.choose({ size: Number(target.value) });
      else this.choose({ colour: target.value });
      if (target.name === 'tool') target.closest('label').scrollIntoView({ inline: 'center', block: 'nearest' });
      this.name(target.dataset.label);
    });
    addEventListener('themechange', () => this.show());
    onLanguage(() => this.show());
    this.showRecent();
    this.show();
  }

  choose(choices) {
    const { chosen } = this;
    const before = chosen.tool;
    // A selection takes colour and size. Otherwise choosing a colour selects an ink, for drawing
    // with it.
    const isColour = 'colour' in choices || 'opacity' in choices;
    const isForSelection = (isColour || 'size' in choices) && this.restyle?.({ ...chosen, ...choices }, isColour);
    const isForInk = isColour && !isForSelection;
    const tool = choices.tool ?? (isForInk && !isInk(before) ? this.lastInk ?? 'pen' : before);
    // An ink without an own look continues with the one before.
    if (tool !== before) Object.assign(chosen, chosen.own[ownerOf(tool)]);
    Object.assign(chosen, choices, { tool });
    this.keepOwn();
    this.store();
    this.show();
    this.changed(before !== tool);
  }

  keepOwn() {
    const { tool, colour, opacity, size, own } = this.chosen;
    if (isInk(tool)) this.lastInk = tool;
    if (tool !== 'lasso') own[ownerOf(tool)] = isInk(tool) ? { colour, opacity, size } : { size };
  }

  // Puts the current colour among the last own ones.
  remember() {
    const { colour, recent } = this.chosen;
    if (isPreset(colour) || recent[0] === colour) return;
    this.chosen.recent = [colour, ...recent.filter((one) => one !== colour)].slice(0, mostRecent);
    this.store();
    this.showRecent();
    this.show();
  }

  store() {
    try {
      localStorage.setItem(storageKey, JSON.stringify(this.chosen));
    } catch { /* for this page only */ }
  }

  // Shows the name of the choice for a moment.
  name(key) {
    const output = document.getElementById('named');
    output.textContent = t(key);
    output.classList.add('shown');
    clearTimeout(this.nameTimer);
    this.nameTimer = setTimeout(() => output.classList.remove('shown'), 1400);
  }

  showRecent() {
    const list = document.getElementById('recent');
    list.replaceChildren(
      ...this.chosen.recent.map((color) => choice('recent', color, color, make('i'), 'hue')),
    );
    list.hidden = list.childElementCount === 0;
  }

  show() {
    const { tool, size, colour, opacity, own } = this.chosen;
    for (const input of document.querySelectorAll('.tray input[type=radio]')) {
      const value = { tool, size: String(size) }[input.name] ?? colour;
      input.checked = input.value === value;
      if (!['tool', 'size'].includes(input.name)) styled(input.parentElement, { '--colour': drawn(input.value) });
    }
    for (const ink of inks) {
      const color = own[ink] ? drawn(own[ink].colour) : '';
      styled(document.querySelector(`input[value=${ink}]`).parentElement, { '--colour': color });
    }
    styled(document.querySelector('.tray'), {
      '--colour': drawn(colour),
      '--tint': translucent(drawn(colour), opacity),
    });
    this.picker.show();
  }

  // The next or previous of the four sizes.
  resize(step) {
    const { size } = this.chosen;
    const next = step > 0 ? Math.floor(size) + 1 : Math.ceil(size) - 1;
    if (!(next in sizes)) return;
    this.choose({ size: next });
    this.name(sizes[next]);
  }

  // The kind of gesture for the current tool.
  get kind() {
    return isInk(this.chosen.tool) ? 'ink' : this.chosen.tool;
  }
  get ink() {
    return this.chosen.tool;
  }
  get color() {
    return translucent(this.chosen.colour, this.chosen.opacity);
  }
  get width() {
    return widthOf(widths[this.chosen.tool], this.chosen.size);
  }
  // The width of a size of an ink.
  widthOf(ink, size) {
    return widthOf(widths[ink] ?? widths.pen, size);
  }
  get eraserWidth() {
    return widthOf(eraserWidths, this.chosen.size);
  }
  // The values of the size slider, for the ink or the eraser: the width, and the least and the
  // greatest size that differ from a preset's.
  get points() {
    return widthOf(this.allWidths, this.chosen.size);
  }
  get sizeLimits() {
    const all = this.allWidths;
    return [all[0] < all[1] ? leastSize : 0, all.at(-1) > all.at(-2) ? mostSize : mostSize - 1];
  }
  get allWidths() {
    return widths[this.chosen.tool] ?? eraserWidths;
  }
  get blade() {
    return blades[this.chosen.tool] ?? 1;
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
