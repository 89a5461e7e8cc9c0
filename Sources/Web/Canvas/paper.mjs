// The lines of the paper below all pictures of the ink, so that paper never ends while the page is
// moved. The engine draws the same lines into its pictures (`PaperPattern`).

const space = 'http://www.w3.org/2000/svg';

// A repeated part of a paper: its width and height, and the lines in it; and lines that occur once.
// Coordinates and widths are in points, as the engine's.
const across = (width, ...rows) => rows.map((y) => `M0 ${y}H${width}`).join('');
const down = (height, ...columns) => columns.map((x) => `M${x} 0V${height}`).join('');
const [plain, faint] = [0.75, 0.45];
const column = 24 * Math.sqrt(0.75);
const patterns = {
  blank: [],
  dotted: [{ size: [20, 20], pitch: 20, line: 'M0 0h0M20 0h0M0 20h0M20 20h0', width: 2, opacity: plain }],
  lined: [{ size: [24, 24], pitch: 24, line: across(24, 0, 24), width: 0.8, opacity: plain }],
  grid: [{ size: [20, 20], pitch: 20, line: across(20, 0, 20) + down(20, 0, 20), width: 0.8, opacity: plain }],
  graph: [
    { size: [8, 8], pitch: 8, line: across(8, 0, 8) + down(8, 0, 8), width: 0.6, opacity: faint },
    { size: [40, 40], pitch: 40, line: across(40, 0, 40) + down(40, 0, 40), width: 0.8, opacity: plain },
  ],
  isometric: [{
    size: [2 * column, 24],
    pitch: column,
    line: `${down(24, 0, column, 2 * column)}M0 0L${2 * column} 24M0 24L${2 * column} 0` +
      `M0 0L${2 * column} -24M0 24L${2 * column} 48`,
    width: 0.6,
    opacity: plain,
  }],
  staves: [{ size: [88, 88], pitch: 8, line: across(88, 28, 36, 44, 52, 60), width: 0.8, opacity: plain }],
  cornell: [
    { size: [24, 24], pitch: 24, line: across(24, 0, 24), width: 0.6, opacity: faint },
    { pitch: 24, line: 'M-1e5 72H1e5M168 72V1e5', width: 1.2, opacity: plain },
  ],
};

// The names of papers.
export const papers = Object.keys(patterns);

function element(name, attributes, ...children) {
  const made = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export class PaperLayer {
  element = element('svg', { class: 'sheet-paper', 'aria-hidden': 'true', width: '100%', height: '100%' });
  #group = element('g', {});
  #parts = [];
  #name = '';

  constructor() {
    this.element.append(this.#group);
  }

  // Replaces the paper by one of the engine's names.
  set name(name) {
    if (name === this.#name) return;
    this.#name = name;
    this.#parts = (patterns[name] ?? []).map(({ size, pitch, line, width, opacity }, index) => {
      const path = element('path', {
        d: line,
        fill: 'none',
        stroke: 'rgb(117 148 186)',
        'stroke-opacity': opacity,
        'stroke-width': width,
        'stroke-linecap': name === 'dotted' ? 'round' : 'butt',
      });
      if (!size) return { pitch, shown: path };
      const id = `sheet-paper-${index}`;
      const pattern = element('pattern', { id, patternUnits: 'userSpaceOnUse', width: size[0], height: size[1] }, path);
      const area = element('rect', { fill: `url(#${id})` });
      return { pitch, area, shown: element('g', {}, pattern, area) };
    });
    this.#group.replaceChildren(...this.#parts.map(({ shown }) => shown));
  }

  // Shows a part of the page: the point at the corner, the zoom, and the size in CSS pixels. Lines
  // closer than three pixels of the screen are left out, as the engine does.
  show(left, top, zoom, width, height, density) {
    this.#group.setAttribute('transform', `matrix(${zoom} 0 0 ${zoom} ${-left * zoom} ${-top * zoom})`);
    for (const { pitch, area, shown } of this.#parts) {
      shown.setAttribute('visibility', pitch * zoom * density >= 3 ? 'visible' : 'hidden');
      if (!area) continue;
      const values = { x: left, y: top, width: width / zoom, height: height / zoom };
      for (const [key, value] of Object.entries(values)) area.setAttribute(key, value);
    }
  }
}
