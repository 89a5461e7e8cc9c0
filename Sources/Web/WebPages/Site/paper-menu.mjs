// The menu of papers and of page sizes.

import { make, t, text, toast } from './shared.mjs';

// Width and height in points, of which A4 and Letter have 72 to an inch; null has no edges.
const sizes = new Map([
  ['endless', null],
  ['screen', [screen.width, screen.height]],
  ['a4', [595, 842]],
  ['letter', [612, 792]],
  ['square', [600, 600]],
]);
// The longer side of a size in the menu, in CSS pixels.
const longSide = 40;

export class PaperMenu {
  size = null;

  constructor(canvas) {
    this.canvas = canvas;
    canvas.addEventListener('pagechange', ({ detail }) => this.show(detail));
    const choice = (name, value, picture) =>
      make(
        'label',
        { class: 'choice paper' },
        make('input', { type: 'radio', name, value }),
        picture,
        value === 'own' ? make('span') : text(value),
      );
    this.names = canvas.constructor.papers;
    this.papers = this.names.map((name) => choice('paper', name, make('canvas', { 'aria-hidden': 'true' })));
    this.sizes = [...sizes.keys(), 'own'].map((name) =>
      choice('page-size', name, make('i', { 'aria-hidden': 'true' }))
    );
    this.turn = text('turnPage', 'button', {
      class: 'button',
      type: 'button',
      onclick: () => this.resize([...this.size].reverse()),
    });
    const group = (title, choices, isShown) =>
      make(
        'fieldset',
        { class: 'papers' },
        text(title, 'legend', { class: isShown ? 'small muted' : 'unseen' }),
        ...choices,
      );
    const menu = document.getElementById('papers');
    menu.append(group('paper', this.papers), make('hr'), group('pageSize', this.sizes, true), this.turn);
    menu.addEventListener('change', ({ target: { name, value } }) => {
      if (name === 'page-size') return this.resize(sizes.get(value) ?? null);
      this.canvas.paper = value;
      return undefined;
    });
  }

  // Shows the paper and the size of the page.
  show({ paper, size }) {
    const choice = this.papers[Math.max(this.names.indexOf(paper), 0)].querySelector('input');
    choice.checked = true;
    this.showSize(size);
  }

  showSize(size) {
    this.size = size;
    const all = [...sizes.values()].map(String);
    // Both ways to lie: as it is, and turned.
    const known = [size, size && [size[1], size[0]]].map((one) => all.indexOf(String(one))).find((one) => one >= 0);
    const chosen = this.sizes.at(known ?? -1);
    chosen.querySelector('input').checked = true;
    this.sizes.at(-1).hidden = known !== undefined;
    this.turn.disabled = !size || size[0] === size[1];
    for (const [index, one] of this.sizes.entries()) {
      const sides = (one === chosen && size) || [...sizes.values()][index] || [1, 1];
      const scale = longSide / Math.max(...sides);
      const [width, height] = sides.map((side) => `${side * scale}px`);
      Object.assign(one.querySelector('i').style, { width, height });
    }
    if (known === undefined) chosen.querySelector('span').textContent = size.map(Math.round).join(' × ');
  }

  async resize(size) {
    this.canvas.pageSize = size;
    await this.canvas.fit();
    const ink = size && await this.canvas.ask('ink');
    if (!ink) return;
    const [x, y, width, height] = ink;
    if (x >= 0 && y >= 0 && x + width <= size[0] && y + height <= size[1]) return;
    toast(t('beyondEdge'), {
      action: t('moveOntoPage'),
      run: () => this.gather(size, [x + width / 2, y + height / 2]),
    });
  }

  // Moves all ink, with its middle to that of the page.
  async gather([width, height], [x, y]) {
    this.canvas.select('all');
    this.canvas.selection.move(width / 2 - x, height / 2 - y);
    await this.canvas.fit();
  }

  // Draws small pictures of the papers, in the colours of the page.
  async draw() {
    const { style, background } = this.canvas.look;
    const pictures = await this.canvas.ask('papers', {
      names: this.names,
      options: { style, background, side: 112, points: 112 },
    });
    this.papers.forEach((choice, index) => {
      const canvas = choice.querySelector('canvas');
      Object.assign(canvas, { width: 112, height: 112 });
      canvas.getContext('2d').putImageData(new ImageData(pictures[index], 112, 112), 0, 0);
    });
  }
}
