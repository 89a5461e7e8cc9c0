// The element `<pentimento-tools>`: inks, erasers and the lasso, sizes and colours for canvases.

import { icon, make } from './build.mjs';
import { inverted, parsed, translucent } from './colour.mjs';
import { InkElement } from './ink-element.mjs';
import { mark, styled } from './interface.mjs';
import { inks, isInk, leastSize, mostSize, sizeLimits, sizeOf, sizes, usualSize, widthOf } from './nibs.mjs';
import { Picker } from './picker.mjs';

// Tool, key of its name, icon, and shortcut.
const edits = [
  ['eraser', 'eraser', 'eraser', 'E'],
  ['strokeEraser', 'eraserStroke', 'eraserStroke', 'Shift E'],
  ['lasso', 'lasso', 'lasso', 'L'],
];
// In CSS pixels.
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
const mostRecent = 8;

const isPreset = (color) => colours.some(([, one]) => one === color);
// Both erasers are equally wide.
const ownerOf = (tool) => (isInk(tool) ? tool : 'eraser');

// The choices that were stored under a name, as far as they are valid: an older page may have stored
// them, or another program.
function stored(name) {
  let found;
  try {
    found = Object(JSON.parse(name && localStorage.getItem(name)));
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
  const current = look(found, { colour: colours[0][1], opacity: 1, size: usualSize });
  const owners = [...inks, 'eraser'].filter((tool) => found.own?.[tool]);
  const recent = Array.isArray(found.recent) ? found.recent.map(color).filter(Boolean) : [];
  return {
    ...current,
    tool: isInk(found.tool) ? found.tool : 'pen',
    own: Object.fromEntries(owners.map((tool) => {
      const { size, ...ink } = look(found.own[tool], current);
      return [tool, tool === 'eraser' ? { size } : { size, ...ink }];
    })),
    recent: [...new Set(recent)].slice(0, mostRecent),
  };
}

function choice(group, value, key, shape, className, shortcut = '') {
  // A colour of one's own has no name but itself.
  const label = key.startsWith('#') ? { 'aria-label': key } : { 'data-label': key, 'data-shortcut': shortcut };
  return make(
    'label',
    { class: `choice ${className}`, title: key, ...label },
    make('input', { type: 'radio', name: group, value, ...label }),
    shape,
  );
}

export class PentimentoTools extends InkElement {
  static attributes = { for: 'text', 'autosave-name': 'text' };

  // The current choices; and in `own`, the colour, opacity and size that each ink had last, and the
  // size of the erasers. `recent` has the last own colours, the latest first.
  chosen = stored(null);
  #canvas = null;

  constructor() {
    super();
    const group = (id, label, ...items) =>
      make('div', { class: id, id, role: 'radiogroup', 'data-label': label }, ...items);
    const palette = (name) => colours.map(([key, color]) => choice(name, color, key, make('i'), 'hue'));
    this.picker = new Picker(this, {
      presets: make('div', { class: 'presets', role: 'radiogroup', 'data-label': 'colour' }, ...palette('colour-list')),
      recent: make('div', {
        class: 'recent',
        id: 'recent',
        role: 'radiogroup',
        'data-label': 'ownColours',
        hidden: true,
      }),
    });
    this.tray = make(
      'div',
      { class: 'tray float', part: 'tray', role: 'group', 'data-label': 'tools' },
      group('inks', 'ink', ...inks.map((ink, index) => choice('tool', ink, ink, mark(ink), 'tool', String(index + 1)))),
      group(
        'edits',
        'edit',
        ...edits.map(([tool, key, name, shortcut]) => choice('tool', tool, key, icon(name), 'tool', shortcut)),
      ),
      group(
        'sizes',
        'thickness',
        ...sizes.map((key, index) =>
          choice('size', String(index), key, styled(make('i'), { '--dot': `${dots[index]}px` }), 'size')
        ),
      ),
      group('colours', 'colour', ...palette('colours')),
      make(
        'div',
        { class: 'colour-menu' },
        make('button', {
          class: 'button',
          type: 'button',
          id: 'colour-button',
          'data-menu': '',
          'aria-expanded': 'false',
          'aria-controls': 'picker',
          'data-label': 'colourAndSize',
          'data-shortcut': 'C',
          title: '',
        }, make('span', { class: 'swatch tint' })),
      ),
      this.picker.panel,
    );
    this.root.append(this.tray);
    this.picker.connect();
    // A click, because the chosen colour can be chosen again for a selection.
    this.tray.addEventListener('click', ({ target }) => {
      if (target.type !== 'radio') return;
      if (target.name === 'tool') this.choose({ tool: target.value });
      else if (target.name === 'size') this.choose({ size: Number(target.value) });
      else this.choose({ colour: target.value });
      if (target.name === 'tool') target.closest('label').scrollIntoView({ inline: 'center', block: 'nearest' });
      this.#canvas?.say(target.getAttribute('aria-label'));
    });
    this.tray.addEventListener('keydown', (event) => this.#press(event));
  }

  connectedCallback() {
    super.connectedCallback();
    if (!this.#isRestored) this.#restore();
    if (this.hasAttribute('for')) this.connect();
    else this.canvas = this.#canvas;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#release();
  }

  attributeChanged(name) {
    if (name === 'for') this.connect();
    else this.#restore();
  }

  // The canvas of these tools.
  get canvas() {
    return this.#canvas;
  }
  set canvas(canvas) {
    this.#release();
    this.#canvas = canvas;
    if (!canvas || !this.isConnected) return;
    canvas.addEventListener('toolchange', this.#follow);
    canvas.addEventListener('colorpick', this.#take);
    // A page may have chosen already, in its text. Stored choices are later ones.
    if (!this.#isStored && canvas.hasChoice) this.#follow({});
    else this.#apply();
  }

  // Finds the canvas in the same tree. One that comes later calls this again.
  connect() {
    const found = this.getRootNode().getElementById?.(this.getAttribute('for'));
    this.canvas = found?.localName === 'pentimento-canvas' ? found : null;
  }

  #release() {
    this.#canvas?.removeEventListener('toolchange', this.#follow);
    this.#canvas?.removeEventListener('colorpick', this.#take);
  }

  #isRestored = false;
  // Whether choices of an earlier visit were found.
  #isStored = false;
  #restore() {
    this.#isRestored = true;
    this.chosen = stored(this.getAttribute('autosave-name'));
    this.#isStored = Object.keys(this.chosen.own).length > 0;
    Object.assign(this.chosen, this.chosen.own[this.chosen.tool]);
    this.#keepOwn();
    this.#showRecent();
    this.show();
    this.#apply();
  }

  // The eyedropper has found a colour.
  #take = (event) => {
    event.preventDefault();
    this.choose({ colour: event.detail.color, opacity: 1 });
    this.remember();
  };

  // Somebody else has changed the canvas's tool. One without a colour and a size gets those that it had
  // last.
  #follow = ({ detail }) => {
    const { tool, ink, color, size } = this.#canvas;
    const { chosen } = this;
    if (this.#isApplied) return;
    const name = tool === 'ink' ? ink : tool;
    if (detail?.isBare && name !== chosen.tool) return this.choose({ tool: name });
    chosen.tool = name;
    if (tool === 'ink') Object.assign(chosen, parsed(color));
    if (tool !== 'lasso' && size !== this.width) chosen.size = sizeOf(ownerOf(chosen.tool), size);
    this.#keepOwn();
    this.#store();
    this.show();
    return undefined;
  };

  // Whether the canvas has the chosen tool.
  get #isApplied() {
    const { tool, ink, color, size } = this.#canvas;
    const name = tool === 'ink' ? ink : tool;
    return name === this.chosen.tool && (tool === 'lasso' || size === this.width) &&
      (tool !== 'ink' || color === this.color);
  }

  #apply() {
    const { tool } = this.chosen;
    const ink = isInk(tool) ? { ink: tool, color: this.color } : {};
    this.#canvas?.take?.({ tool: isInk(tool) ? 'ink' : tool, ...ink, ...(tool !== 'lasso' && { size: this.width }) });
  }

  choose(choices) {
    const { chosen } = this;
    const before = chosen.tool;
    const isColour = 'colour' in choices || 'opacity' in choices;
    // A selection takes colour and size. Otherwise choosing a colour selects an ink, for drawing
    // with it.
    const isForSelection = (isColour || 'size' in choices) && this.#restyle({ ...chosen, ...choices }, isColour);
    const isForInk = isColour && !isForSelection;
    const tool = choices.tool ?? (isForInk && !isInk(before) ? this.lastInk ?? 'pen' : before);
    // An ink without an own look continues with the one before.
    if (tool !== before) Object.assign(chosen, chosen.own[ownerOf(tool)]);
    Object.assign(chosen, choices, { tool });
    this.#keepOwn();
    this.#store();
    this.show();
    this.#apply();
  }

  // Gives the canvas's selection a colour or a size. Returns whether there is a selection.
  #restyle({ colour, opacity, size }, isColour) {
    const canvas = this.#canvas;
    if (!canvas?.selectionCount) return false;
    canvas.restyleSoon(
      isColour ? { color: translucent(colour, opacity) } : { width: widthOf(canvas.selectionInk ?? 'pen', size) },
    );
    return true;
  }

  #keepOwn() {
    const { tool, colour, opacity, size, own } = this.chosen;
    if (isInk(tool)) this.lastInk = tool;
    if (tool !== 'lasso') own[ownerOf(tool)] = isInk(tool) ? { colour, opacity, size } : { size };
  }

  // Puts the current colour among the last own ones.
  remember() {
    const { colour, recent } = this.chosen;
    if (isPreset(colour) || recent[0] === colour) return;
    this.chosen.recent = [colour, ...recent.filter((one) => one !== colour)].slice(0, mostRecent);
    this.#store();
    this.#showRecent();
    this.show();
  }

  #store() {
    const name = this.getAttribute('autosave-name');
    try {
      if (name) localStorage.setItem(name, JSON.stringify(this.chosen));
    } catch { /* for this page only */ }
  }

  #showRecent() {
    const list = this.$('recent');
    list.replaceChildren(
      ...this.chosen.recent.map((color) => choice('recent', color, color, make('i'), 'hue')),
    );
    list.hidden = list.childElementCount === 0;
  }

  // An ink's colour as the element's style draws it; or the other way round.
  drawn(color) {
    return this.isDark ? inverted(color) : color;
  }

  themeChanged() {
    this.show();
  }

  writeWords() {
    super.writeWords();
    this.picker.show();
  }

  show() {
    const { tool, size, colour, opacity, own } = this.chosen;
    for (const input of this.tray.querySelectorAll('input[type=radio]')) {
      const value = { tool, size: String(size) }[input.name] ?? colour;
      input.checked = input.value === value;
      if (!['tool', 'size'].includes(input.name)) styled(input.parentElement, { '--colour': this.drawn(input.value) });
    }
    for (const ink of inks) {
      const color = own[ink] ? this.drawn(own[ink].colour) : '';
      styled(this.tray.querySelector(`input[value=${ink}]`).parentElement, { '--colour': color });
    }
    styled(this.tray, {
      '--colour': this.drawn(colour),
      '--tint': translucent(this.drawn(colour), opacity),
    });
    this.picker.show();
  }

  // Keys that are not those of the tools are the canvas's.
  #press(event) {
    const target = event.composedPath()[0];
    if (target.matches('input:not([type=radio])') || this.picker.panel.contains(target)) return;
    if (event.key.startsWith('Arrow') && target.matches('input')) return;
    this.press(event) || this.#canvas?.press(event);
  }

  // Takes a key, wherever it was pressed. Returns whether it is one of the tools.
  press(event) {
    if (event.key !== 'c' || event.ctrlKey || event.metaKey || event.altKey) return false;
    event.preventDefault();
    this.$('colour-button').click();
    return true;
  }

  get color() {
    return translucent(this.chosen.colour, this.chosen.opacity);
  }
  get width() {
    return widthOf(ownerOf(this.chosen.tool), this.chosen.size);
  }
  // The limits of the size slider, for the ink or the eraser.
  get sizeLimits() {
    return sizeLimits(ownerOf(this.chosen.tool));
  }
}
