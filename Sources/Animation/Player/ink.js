// Draws ink: nibs along splines, the outline of their sweep, colours, and approximate textures.
// docs/rendering.md and docs/inks.md describe how `pkd render` draws it.

// Colours, with components from 0 to 1

const between = (value, low, high) => Math.min(Math.max(value, low), high);
const smooth = (value) => ((value) => value * value * (3 - 2 * value))(between(value, 0, 1));
const times = (rows, v) => rows.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const decoded = (v) =>
  v.map((x) => Math.sign(x) *
    (Math.abs(x) > 0.04045 ? ((Math.abs(x) + 0.055) / 1.055) ** 2.4 : Math.abs(x) / 12.92));
const encoded = (v) =>
  v.map((x) => Math.sign(x) *
    (Math.abs(x) > 0.0031308 ? 1.055 * Math.abs(x) ** (1 / 2.4) - 0.055 : Math.abs(x) * 12.92));

const lightFromP3 = [
  [1.2249401763, -0.2249401763, 0], [-0.0420569547, 1.0420569547, 0],
  [-0.0196375546, -0.0786360456, 1.0982736002],
];
// Björn Ottosson's OKLab.
const conesFromLight = [
  [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const lightFromCones = [
  [4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];
const axesFromRoots = [
  [0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const rootsFromAxes = [
  [1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];

// `PKInkingTool.convertColor` to dark: the lightness of grey is inverted, colours only get lighter.
function darkStyle(color) {
  const roots = times(conesFromLight, decoded(color)).map(Math.cbrt);
  const [l, a, b] = times(axesFromRoots, roots);
  const light = between(l, 0, 1);
  const inverted = 1 - light * light;
  const shown =
    inverted + (Math.max(light, 0.66) - inverted) * smooth((Math.hypot(a, b) - 0.03) / 0.09);
  const cones = times(rootsFromAxes, [shown, a, b]).map((root) => root ** 3);
  return encoded(times(lightFromCones, cones));
}

function bytesOfInk({ color, isP3 }, isDark) {
  let parts = color.slice(0, 3);
  if (isP3) parts = encoded(times(lightFromP3, decoded(parts)));
  if (isDark) parts = darkStyle(parts);
  return parts.map((part) => Math.round(255 * between(part, 0, 1)));
}

// Inks

// The coverage by ink that has rested on a pixel; it grows more slowly the more ink there is.
const saturated = (dwell) => 1 - (1 - Math.min(dwell, 4) / 4) ** 4;

// The coverage by pigment that sticks to the peaks of a grain.
const tooth = (gain, depth, cap) => (grain, tone) =>
  cap * between(gain * tone * (1 + depth) - 0.5 * (gain - 1) * (1 - tone) - gain * depth * grain, 0, 1);

const pencilTooth = tooth(1, 0.62, 0.88);
const crayonTooth = tooth(1.4, 1.05, 0.93);

// Each ink with its nib and, if it is textured, its layers. A layer is as wide as `part` of the nib
// less `inset` points; `alpha` is the opacity of a grain for the points' opacity and the scale.
// `cells` are the sizes of fine and coarse grain in points, the share of the fine one, and the
// contrast. The points' opacity is that of one dab of `dabs` that overlap, as in the program's own inks;
// `flow` gives the ink of all of them. Where ink with a `turn` turns by more than this angle, it is drawn over itself; with a
// `stretch`, its grain is longer by this factor along the stroke.
const inks = {
  pen: {},
  fountainpen: { ratio: 0.3, isTurned: true },
  marker: { exponent: 7, isTurned: true, mix: 'darken' },
  pencil: {
    cells: [0.8, 2.1, 0.62, 1.35], isOnPaper: true, width: 1.75, turn: 1.9,
    dabs: 8, flow: (part, opacity) => part * (1.16 + 0.4 * opacity),
    layers: [
      { part: 0.95, alpha: (grain, opacity) => pencilTooth(grain, saturated(0.6 * opacity)) },
      { part: 0.66, alpha: (grain, opacity) => 0.85 * pencilTooth(grain, saturated(opacity)) },
    ],
  },
  crayon: {
    cells: [1.2, 3.3, 0.58, 2.4], width: 1.75, turn: 1.9, stretch: 1.7,
    dabs: 9, flow: (part, opacity) => part * (0.78 + 0.47 * opacity),
    layers: [
      { part: 0.99, alpha: (grain, opacity) => crayonTooth(grain, saturated(0.5 * opacity)) },
      { part: 0.85, alpha: (grain, opacity) => crayonTooth(grain, saturated(0.9 * opacity)) },
    ],
  },
  reedcalligraphy: {
    cells: [0.8, 2, 0.7, 1.2], exponent: 5, ratio: 0.17, isTurned: true, turn: 0.8, stretch: 12,
    dabs: 2, flow: (part) => 0.34 + 0.66 * part,
    layers: [
      {
        alpha: (grain, opacity) =>
          between((1.29 * opacity - 0.145 - grain) / 0.5 + 0.5, 0, 1) * (1 - 0.26 * grain),
      },
    ],
  },
  watercolor: {
    cells: [5.6, 15, 0.38, 1], width: 1.75, mix: 'multiply', isComposited: true,
    dabs: 6, flow: (part, opacity) => part * (0.86 + 0.2 * opacity),
    layers: [
      { alpha: (grain, opacity) => 0.28 * (0.6 + 0.8 * grain) * Math.min(opacity, 1) },
      { inset: 1.4, mix: 'destination-out', alpha: () => 1 },
      {
        alpha: (grain, opacity) =>
          0.33 * (1 + 0.92 * (grain - 0.5)) * (0.72 + 0.5 * saturated(1.2 * opacity)) *
          Math.min(opacity, 1),
      },
    ],
  },
};
// The ink that a dab of an opacity lays down together with those that overlap it.
function flowOf(style, opacity) {
  const dab = between(opacity, 0, 1);
  return style.flow(1 - (1 - dab) ** style.dabs, dab);
}

const plainLayers = [{}];
const lighter = { darken: 'lighten', multiply: 'screen' };

function inkOf(stroke) {
  const name = stroke.ink.kind.toLowerCase().replace('com.apple.ink.', '');
  return inks[name] ?? inks.pen;
}

// Half of the drawn size of a point, as `PKInk.drawnSize`.
function halfExtent({ ink }, style, width, height) {
  if (ink.isPlain) return [width / 2, height / 2];
  if (style.mix === 'darken') return [1.225 * height / 2, 0.4375 * width / 2];
  if (style.width) return [style.width * width / 2, style.width * height / 2];
  const half = Math.max(width - 2, 0);
  const isSquare = Math.abs(height - width) <= 1e-3 * width;
  return [half, width > 0 ? half * (height / width) * (isSquare ? style.ratio ?? 1 : 1) : 0];
}

// A grain of two layers of noise that repeats every 256 pixels.
function makeGrain([fine, coarse, share, contrast], scale) {
  const side = 256;
  let state = 1;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 | 0) / 2 ** 32 + 0.5;
  const layer = (cell) => {
    const count = Math.max(Math.round(side / Math.max(cell * scale, 1)), 1);
    const values = Float32Array.from({ length: count * count }, random);
    const value = (x, y) => values[(y % count) * count + (x % count)];
    return (x, y) => {
      const [u, v] = [(x / side) * count, (y / side) * count];
      const [i, j] = [Math.floor(u), Math.floor(v)];
      const [p, q] = [smooth(u - i), smooth(v - j)];
      const upper = value(i, j) + (value(i + 1, j) - value(i, j)) * p;
      const lower = value(i, j + 1) + (value(i + 1, j + 1) - value(i, j + 1)) * p;
      return upper + (lower - upper) * q;
    };
  };
  const [a, b] = [layer(fine), layer(coarse)];
  return Uint8Array.from({ length: side * side }, (_, index) => {
    const [x, y] = [index % side, index >> 8];
    const grain = share * a(x, y) + (1 - share) * b(x, y) - 0.5;
    return 255 * between(0.5 + contrast * grain, 0, 1);
  });
}

// Tiles of textured ink for one scale.
class Textures {
  constructor(scale) {
    this.scale = scale;
    this.grains = new Map();
    this.tiles = new Map();
  }

  // A tile in a colour, made from the cover of its opacity, which all colours share.
  tile(style, layer, color, opacity) {
    const key = [color, opacity, style.cells, layer].join();
    let tile = this.tiles.get(key);
    if (tile) return tile;
    const context = new OffscreenCanvas(256, 256).getContext('2d');
    context.fillStyle = `rgb(${color})`;
    context.fillRect(0, 0, 256, 256);
    context.globalCompositeOperation = 'destination-in';
    context.drawImage(this.cover(style, layer, opacity), 0, 0);
    if (this.tiles.size > 200) this.tiles.clear();
    tile = context.canvas;
    this.tiles.set(key, tile);
    return tile;
  }

  cover(style, layer, opacity) {
    const key = [opacity, style.cells, layer].join();
    if (this.tiles.has(key)) return this.tiles.get(key);
    if (!this.grains.has(style)) this.grains.set(style, makeGrain(style.cells, this.scale));
    const { alpha } = style.layers[layer];
    // Grain has 256 values, so a table is shorter than the pixels.
    const alphas = Float32Array.from({ length: 256 }, (_, grain) =>
      between(alpha(grain / 255, opacity, this.scale), 0, 1));
    const grain = this.grains.get(style);
    let mean = 0;
    for (const value of grain) mean += alphas[value] / grain.length;
    // Grain finer than a pixel fades into its mean.
    const detail = smooth(style.cells[0] * this.scale - 0.4);
    const image = new ImageData(256, 256);
    for (let index = 0; index < grain.length; index++) {
      image.data[4 * index + 3] = 255 * (mean + (alphas[grain[index]] - mean) * detail);
    }
    const cover = new OffscreenCanvas(256, 256);
    cover.getContext('2d').putImageData(image, 0, 0);
    this.tiles.set(key, cover);
    return cover;
  }
}

// Nibs

// The point of a nib that lies furthest in a direction, relative to its centre.
function support(nib, x, y, exponent) {
  if (nib.w === nib.h && exponent === 2) return [nib.w * x, nib.w * y];
  const u = x * nib.cos + y * nib.sin;
  const v = y * nib.cos - x * nib.sin;
  let [s, t] = [nib.w * u, nib.h * v];
  if (exponent === 2) {
    const length = Math.hypot(s, t) || 1;
    [s, t] = [nib.w * s / length, nib.h * t / length];
  } else {
    const q = exponent / (exponent - 1);
    const [a, b] = [Math.abs(s) ** q, Math.abs(t) ** q];
    const sum = a + b || 1;
    s = Math.sign(s) * nib.w * (a / sum) ** (1 / exponent);
    t = Math.sign(t) * nib.h * (b / sum) ** (1 / exponent);
  }
  return [s * nib.cos - t * nib.sin, s * nib.sin + t * nib.cos];
}

const angleBetween = (a, b) => {
  const turn = (b - a) % (2 * Math.PI);
  return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn;
};

// The nibs along a stroke, close enough for a scale.
class Nibs {
  constructor(stroke, scale) {
    const { path } = stroke;
    this.path = path;
    this.style = inkOf(stroke);
    this.exponent = this.style.exponent ?? 2;
    const shrink = this.style.mix === 'darken' ? 0.22 : 0;
    this.controls = Array.from({ length: path.count }, (_, n) => {
      let [w, h] = halfExtent(stroke, this.style, path.width[n], path.height[n]);
      [w, h] = w > 0 && h > 0 ? [Math.max(w - shrink, 0.1), Math.max(h - shrink, 0.1)] : [0, 0];
      const opacity = this.style.layers
        ? Math.round(Math.min(flowOf(this.style, path.opacity[n]), 2) * 10) / 10
        : Math.min(path.opacity[n], 1);
      return { w, h, angle: this.style.isTurned ? path.azimuth[n] : 0, opacity };
    });
    const t = stroke.transform;
    this.scale = scale * (Math.hypot(...t.slice(0, 4)) || 1e-9);
    this.list = [];
    if (path.count) this.sample(stroke.range);
  }

  location(column, n) {
    const last = column.length - 1;
    if (n < 0) return 2 * column[0] - column[Math.min(1, last)];
    return n > last ? 2 * column[last] - column[Math.max(last - 1, 0)] : column[n];
  }

  // The polynomial of a span of the spline.
  span(column, n) {
    const [a, b, c, d] = [-1, 0, 1, 2].map((k) => this.location(column, n + k));
    return [(a + 4 * b + c) / 6, (c - a) / 2, (a - 2 * b + c) / 2, (3 * (b - c) + d - a) / 6];
  }

  enter(n) {
    if (this.index === n) return;
    this.index = n;
    this.x = this.span(this.path.x, n);
    this.y = this.span(this.path.y, n);
    this.from = this.controls[n];
    this.to = this.controls[Math.min(n + 1, this.controls.length - 1)];
    const { from, to } = this;
    this.angle = from.w ? from.angle : to.angle;
    this.turn = from.w && to.w ? angleBetween(from.angle, to.angle) : 0;
  }

  // The index of a span, and the position in it from 0 to 1.
  locate(parameter) {
    const n = Math.min(Math.floor(parameter), Math.max(this.path.count - 2, 0));
    return [n, parameter - n];
  }

  nib(at) {
    const [n, u] = this.locate(at);
    this.enter(n);
    const { x, y, from, to } = this;
    const angle = this.angle + this.turn * u;
    const mixed = (name) => from[name] + (to[name] - from[name]) * u;
    return {
      at,
      x: ((x[3] * u + x[2]) * u + x[1]) * u + x[0],
      y: ((y[3] * u + y[2]) * u + y[1]) * u + y[0],
      w: mixed('w'), h: mixed('h'), cos: Math.cos(angle), sin: Math.sin(angle),
      opacity: mixed('opacity'),
    };
  }

  pieceCount() {
    const { x, y } = this;
    const bend = Math.max(
      Math.hypot(x[2], y[2]) * 2, Math.hypot(2 * x[2] + 6 * x[3], 2 * y[2] + 6 * y[3]));
    const pieces = Math.max(Math.sqrt((bend * this.scale) / 0.4), Math.abs(this.turn) / 0.1);
    return between(Math.ceil(pieces), 1, 1024);
  }

  sample([first, last]) {
    this.add(first, true);
    for (let n = this.locate(first)[0]; n < last; n++) {
      this.enter(n);
      const count = this.pieceCount();
      for (let piece = 1; piece <= count; piece++) {
        const at = n + piece / count;
        if (at > first && at < last) this.add(at);
      }
    }
    if (last > first) this.add(last, true);
  }

  // Adds a nib, unless it hardly differs from the last one.
  add(at, isEnd) {
    const nib = this.nib(at);
    const before = this.list[this.list.length - 1];
    const far = 0.08 / this.scale;
    const isNear = before && Math.abs(nib.x - before.x) + Math.abs(nib.y - before.y) < far &&
      Math.abs(nib.w - before.w) + Math.abs(nib.h - before.h) < far;
    if (isEnd || !isNear) this.list.push(nib);
  }
}

// The outline of swept nibs

class Sweep {
  constructor({ exponent, scale }, nibs, layer) {
    this.exponent = exponent;
    this.tolerance = 0.05 / scale;
    const { part = 1, inset = 0 } = layer;
    this.nibs = part === 1 && !inset ? nibs : nibs.map((nib) => ({
      ...nib, w: Math.max(part * nib.w - inset, 0), h: Math.max(part * nib.h - inset, 0),
    }));
    this.path = new Path2D();
    this.isBegun = false;
  }

  point([x, y], nib) {
    if (this.isBegun) this.path.lineTo(nib.x + x, nib.y + y);
    else this.path.moveTo(nib.x + x, nib.y + y);
    this.isBegun = true;
  }

  close() {
    this.path.closePath();
    this.isBegun = false;
  }

  // The edge of a nib between two directions.
  arc(nib, from, to) {
    const size = Math.max(nib.w, nib.h);
    const minimum = this.exponent === 2 ? 1 : 8;
    const turn = Math.abs(to - from);
    const steps = Math.max(Math.ceil(turn * Math.sqrt(size / (8 * this.tolerance))), minimum, 1);
    for (let step = 0; step <= steps; step++) {
      const angle = from + ((to - from) * step) / steps;
      this.point(support(nib, Math.cos(angle), Math.sin(angle), this.exponent), nib);
    }
  }

  // The directions in which the two straight sides between neighbouring nibs touch them.
  segment(a, b) {
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy);
    if (!length) return null;
    const heading = Math.atan2(dy, dx);
    const side = (sign) => {
      let lean = Math.PI / 2;
      if (a.w === b.w && a.h === b.h) return heading + sign * lean;
      for (let turn = 0; turn < (a.w === a.h ? 1 : 3); turn++) {
        const angle = heading + sign * lean;
        const [x, y] = [Math.cos(angle), Math.sin(angle)];
        const reach = (nib) => {
          const [p, q] = support(nib, x, y, this.exponent);
          return p * x + q * y;
        };
        const rise = (reach(a) - reach(b)) / length;
        // One nib lies inside the other.
        if (Math.abs(rise) >= 1) return NaN;
        lean = Math.acos(rise);
      }
      return heading + sign * lean;
    };
    const [left, right] = [side(-1), side(1)];
    return isNaN(left + right) ? null : { length, heading, left, right };
  }

  add(first, last, isOpenAtStart, isOpenAtEnd) {
    const { nibs } = this;
    const whole = (nib) => {
      if (!(nib.w > 0 && nib.h > 0)) return;
      this.arc(nib, 0, 2 * Math.PI);
      this.close();
    };
    if (first === last) whole(nibs[first]);
    let start = first;
    while (start < last) {
      let next = this.segment(nibs[start], nibs[start + 1]);
      if (!next) {
        const [a, b] = [nibs[start], nibs[start + 1]];
        whole(a.w * a.h > b.w * b.h ? a : b);
        start++;
        continue;
      }
      const begin = next;
      const from = start;
      const sides = [[nibs[start], next.left, next.right]];
      let before;
      do {
        start++;
        sides.push([nibs[start], next.left, next.right]);
        before = next;
        next = start < last ? this.segment(nibs[start], nibs[start + 1]) : null;
      } while (next && this.canContinue(nibs[start], before, next) &&
        sides.push([nibs[start], next.left, next.right]));
      this.follow(sides, 1);
      if (!(isOpenAtEnd && start === last)) this.arc(nibs[start], before.left, before.right);
      this.follow(sides.reverse(), 2);
      if (!(isOpenAtStart && from === first)) {
        this.arc(nibs[from], begin.right, begin.left + 2 * Math.PI);
      }
      this.close();
    }
    return this.path;
  }

  // Whether one outline can continue: its inner side must not run back further than a segment is long.
  canContinue(nib, before, next) {
    if (Math.abs(angleBetween(before.heading, next.heading)) > 0.6) return false;
    const [x, y] = [Math.cos(next.heading), Math.sin(next.heading)];
    const shortest = 0.9 * Math.min(before.length, next.length);
    return ['left', 'right'].every((side) => {
      const [p, q] = [before[side], next[side]].map((angle) =>
        support(nib, Math.cos(angle), Math.sin(angle), this.exponent));
      return (p[0] - q[0]) * x + (p[1] - q[1]) * y <= shortest;
    });
  }

  // Adds one side, with round corners where it turns outwards.
  follow(sides, column) {
    sides.forEach(([nib, ...angles], n) => {
      const angle = angles[column - 1];
      const before = n && sides[n - 1][0] === nib ? sides[n - 1][column] : angle;
      const turn = angleBetween(before, angle);
      const size = Math.max(nib.w, nib.h);
      if (turn > 0 && (this.exponent !== 2 || size * turn * turn > 4 * this.tolerance)) {
        this.arc(nib, before, before + turn);
      } else {
        this.point(support(nib, Math.cos(angle), Math.sin(angle), this.exponent), nib);
      }
    });
  }
}

// The nibs of a stroke in pieces of one opacity, each with its outline. When a stroke grows, only
// the last outline is made again.
class Shape {
  constructor(stroke, scale) {
    this.scale = scale;
    this.path = stroke.path;
    this.nibs = new Nibs(stroke, scale);
    this.layers = this.nibs.style.layers ?? plainLayers;
    this.isTextured = this.layers !== plainLayers;
    this.steps = this.isTextured ? 10 : 15;
    // The wet colour of watercolor has one opacity, and so has the ink of a marker's blade.
    const { style, list, controls } = this.nibs;
    this.isEven = style.mix || !stroke.path.hasSeveralOpacities;
    this.opacity = stroke.path.hasSeveralOpacities
      ? controls.reduce((sum, { opacity }) => sum + opacity, 0) / controls.length
      : controls[0]?.opacity;
    this.pieces = [];
    let isOpen = false;
    for (let first = 0; first < list.length; ) {
      const level = this.level(list[first]);
      let last = Math.min(first + 1, list.length - 1);
      const heading = this.heading(first);
      let hasTurned = false;
      for (; last < list.length - 1 && this.level(list[last]) === level; last++) {
        hasTurned = style.turn && Math.abs(angleBetween(heading, this.heading(last))) > style.turn;
        if (hasTurned || (!this.isTextured && last - first >= 64)) break;
      }
      const isLast = last === list.length - 1;
      // Textured pieces meet without overlap, except where the stroke turns.
      const isOpenAtEnd = this.isTextured && !isLast && !hasTurned;
      this.pieces.push({ level, first, last, heading, isOpen, isOpenAtEnd, paths: [] });
      isOpen = isOpenAtEnd;
      first = isLast ? list.length : last;
    }
  }

  heading(n) {
    const [a, b] = [this.nibs.list[n], this.nibs.list[n + 1] ?? this.nibs.list[n]];
    return Math.atan2(b.y - a.y, b.x - a.x);
  }

  level(nib) {
    const opacity = this.isEven ? this.opacity : nib.opacity;
    if (this.isEven && !this.isTextured) return opacity;
    return Math.round(opacity * this.steps) / this.steps;
  }

  outline(piece, layer, nibs = this.nibs.list, last = piece.last) {
    const sweep = new Sweep(this.nibs, nibs.slice(piece.first, last + 1), this.layers[layer]);
    const isOpenAtEnd = last === piece.last && piece.isOpenAtEnd;
    return sweep.add(0, last - piece.first, piece.isOpen, isOpenAtEnd);
  }

  // Adds the outlines up to a parameter value to the paths of their layers and opacities.
  addTo(outlines, matrix, end) {
    const { list } = this.nibs;
    let count = list.length;
    let tip;
    if (count && end < list[count - 1].at) {
      if (end < list[0].at && list[0].at > 0) return;
      while (count > 1 && list[count - 1].at >= end) count--;
      tip = this.nibs.nib(Math.max(end, list[0].at));
    }
    for (const [number, piece] of this.pieces.entries()) {
      if (piece.first >= count) break;
      this.layers.forEach((_, layer) => {
        let path;
        if (piece.last < count) {
          path = piece.paths[layer] ??= this.outline(piece, layer);
        } else {
          const nibs = [...list.slice(0, count), tip];
          path = this.outline(piece, layer, nibs, count);
        }
        const key = this.nibs.style.turn ? `${number} ${layer}` : `${layer} ${piece.level}`;
        if (!outlines.has(key)) {
          const path = new Path2D();
          outlines.set(key, { layer, level: piece.level, path, number, heading: piece.heading });
        }
        outlines.get(key).path.addPath(path, matrix);
      });
    }
  }

  // The mean coverage of one pass of a marker.
  get markerTone() {
    let [sum, total] = [0, 0];
    const { list } = this.nibs;
    for (let n = 1; n < list.length; n++) {
      const [a, b] = [list[n - 1], list[n]];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const length = Math.hypot(dx, dy) || 1e-9;
      const along = Math.abs(dx * a.cos + dy * a.sin) / length;
      const across = Math.abs(dy * a.cos - dx * a.sin) / length;
      const distance = Math.min(a.w / Math.max(along, 1e-3), a.h / Math.max(across, 1e-3)) / a.h;
      sum += length * saturated(1.5 * a.opacity * distance);
      total += length;
    }
    return total ? sum / total : saturated(1.3 * (list[0]?.opacity ?? 1));
  }
}

// Marks: strokes that are drawn as one shape

const matrixOf = ([a, b, c, d, e, f]) => new DOMMatrix([a, b, c, d, e, f]);

function pathOfMask({ elements }) {
  const path = new Path2D();
  let isClosed = false;
  let start = [0, 0];
  for (const { kind, at } of elements) {
    if (kind === 0) start = at;
    else if (isClosed && kind < 4) path.moveTo(...start);
    if (kind === 0) path.moveTo(...at);
    else if (kind === 1) path.lineTo(...at);
    else if (kind === 2) path.quadraticCurveTo(...at);
    else if (kind === 3) path.bezierCurveTo(...at);
    else path.closePath();
    isClosed = kind === 4;
  }
  return path;
}

class Mark {
  // `end` returns the parameter value up to which a stroke is visible.
  constructor(strokes, view, end = () => Infinity) {
    this.strokes = strokes;
    this.scale = view.scale;
    const [stroke] = strokes;
    this.style = inkOf(stroke);
    const { path, ink, transform, mask } = stroke;
    this.color = (ink.bytes ??= bytesOfInk(ink, view.isDark));
    this.alpha = ink.color[3];
    this.mix = this.style.mix ?? 'source-over';
    if (view.isDark) this.mix = lighter[this.mix] ?? this.mix;
    this.outlines = new Map();
    this.box = [Infinity, Infinity, -Infinity, -Infinity];
    this.grainMatrix = matrixOf(this.style.isOnPaper ? [1, 0, 0, 1, 0, 0] : transform)
      .scale(1 / view.scale);
    if (!path.count || path.threshold[0] >= 1 || !transform.every(isFinite)) return;
    for (const stroke of strokes) {
      let { shape } = stroke;
      if (shape?.scale !== view.detail || shape.path !== stroke.path) {
        shape = stroke.shape = new Shape(stroke, view.detail);
      }
      shape.addTo(this.outlines, matrixOf(stroke.transform), end(stroke));
      this.addToBox(shape, stroke.transform);
    }
    if (this.style.mix === 'darken') this.alpha *= this.alpha * stroke.shape.markerTone;
    if (mask) {
      this.clip = new Path2D();
      this.clip.addPath(pathOfMask(mask), matrixOf(transform));
      this.rule = mask.isEvenOdd ? 'evenodd' : 'nonzero';
    }
    this.passes = [...this.outlines.values()];
    if (!this.style.turn) this.passes.sort((a, b) => a.layer - b.layer || a.level - b.level);
    // Where pieces of flat ink with several opacities overlap, the highest one counts.
    this.isLayered = !this.style.layers && this.passes.length > 1;
  }

  addToBox({ nibs }, [a, b, c, d, tx, ty]) {
    const { box } = this;
    for (const { x, y, w, h } of nibs.list) {
      const size = Math.hypot(w, h);
      const [reachX, reachY] = [size * Math.hypot(a, c), size * Math.hypot(b, d)];
      const [px, py] = [a * x + c * y + tx, b * x + d * y + ty];
      box[0] = Math.min(box[0], px - reachX);
      box[1] = Math.min(box[1], py - reachY);
      box[2] = Math.max(box[2], px + reachX);
      box[3] = Math.max(box[3], py + reachY);
    }
  }

  draw(context, view) {
    if (!this.passes?.length) return;
    context.save();
    view.applyTransform(context);
    if (this.clip) context.clip(this.clip, this.rule);
    context.globalCompositeOperation = this.mix;
    if (this.isLayered || this.style.isComposited) this.drawComposited(context, view);
    else for (const pass of this.passes) this.fill(context, pass, view);
    context.restore();
  }

  // Composites the mark on the second canvas first.
  drawComposited(context, view) {
    const [left, top, right, bottom] = view.pixels(this.box);
    if (left >= right || top >= bottom) return;
    const scratch = view.scratchCanvas();
    scratch.setTransform(1, 0, 0, 1, 0, 0);
    scratch.clearRect(left, top, right - left, bottom - top);
    view.applyTransform(scratch);
    for (const pass of this.passes) {
      scratch.globalCompositeOperation = 'source-over';
      const { mix } = this.style.layers?.[pass.layer] ?? {};
      if (mix || this.isLayered) {
        scratch.globalCompositeOperation = 'destination-out';
        scratch.globalAlpha = 1;
        scratch.fillStyle = '#000';
        scratch.fill(pass.path);
        scratch.globalCompositeOperation = 'source-over';
      }
      if (!mix) this.fill(scratch, pass, view);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    const area = [left, top, right - left, bottom - top];
    context.drawImage(scratch.canvas, ...area, ...area);
  }

  fill(context, { layer, level, path, number, heading }, view) {
    const { style, color } = this;
    if (style.layers) {
      const tile = view.textures.tile(style, layer, color, level);
      const pattern = context.createPattern(tile, 'repeat');
      let matrix = this.grainMatrix;
      if (style.stretch) {
        const along = (180 / Math.PI) * heading;
        matrix = matrix.rotate(along).scale(style.stretch, 1).translate(number * 37, number * 91);
      }
      pattern.setTransform(matrix);
      context.globalAlpha = this.alpha;
      context.fillStyle = pattern;
    } else {
      context.globalAlpha = this.alpha * (style.mix ? 1 : level);
      context.fillStyle = `rgb(${color})`;
    }
    context.fill(path);
  }
}
