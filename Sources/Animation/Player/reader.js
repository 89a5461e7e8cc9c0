// Reads recordings as docs/formats/pkd.md specifies. Numbers in brackets are its sections.

class Damage extends Error {}

// Rules that files hardly ever break share one message.
function need(condition, what = 'the data are invalid') {
  if (!condition) throw new Damage(what);
}

// Words [1]

const scratch = new DataView(new ArrayBuffer(8));
const unzigzag = (value) => (value >>> 1) ^ -(value & 1);

// Maps the bits of a 32-bit float to an integer of the same order, and back.
const ordered = (bits) => (bits < 0 ? bits ^ 0x7fffffff : bits);

// The 64-bit float some steps after a value.
function stepped(value, steps) {
  const ordered64 = (bits) => (bits < 0n ? bits ^ 0x7fffffffffffffffn : bits);
  scratch.setFloat64(0, value);
  const bits = BigInt.asIntN(64, ordered64(scratch.getBigInt64(0)) + steps);
  scratch.setBigInt64(0, ordered64(bits));
  return scratch.getFloat64(0);
}

class Bytes {
  constructor(data) {
    this.data = data;
    this.view = new DataView(data.buffer, data.byteOffset, data.length);
    this.offset = 0;
  }

  get rest() {
    return this.data.length - this.offset;
  }

  take(count) {
    need(count <= this.rest, 'the bytes end too early');
    this.offset += count;
    return this.data.subarray(this.offset - count, this.offset);
  }

  skip(count) {
    this.take(count);
    return this.offset - count;
  }

  byte(below = 256) {
    const value = this.take(1)[0];
    need(value < below);
    return value;
  }

  u32() {
    return this.view.getUint32(this.skip(4), true);
  }

  long() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      need(shift < 63n ? !shift || byte : byte === 1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  varint() {
    return Number(this.long());
  }

  signed() {
    const value = this.long();
    return (value >> 1n) ^ -(value & 1n);
  }

  text() {
    return new TextDecoder().decode(this.take(this.varint()));
  }

  double() {
    const value = this.view.getFloat64(this.skip(8), true);
    need(isFinite(value));
    return value;
  }

  single() {
    const value = this.view.getFloat32(this.skip(4), true);
    need(isFinite(value));
    return value;
  }

  numbers(count, isSingle = this.byte(2)) {
    need(count <= this.rest, 'the bytes end too early');
    return Array.from({ length: count }, () => (isSingle ? this.single() : this.double()));
  }

  name() {
    return Array.from(this.take(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  end() {
    need(!this.rest);
  }
}

// Statistics [8] and segments [7]

const kinds = {
  place: 12, time: 16, force: 12, angle: 2, width: 4, velocity: 200, correction: 0, start: 1000,
  constant: 0, gap: 0, pointCount: 20, reference: 0, pause: 200, corner: 20, extent: 10,
};
const wideKinds = { bits: 4000, index: 12, tick: 8000, function: 8, flag: 0 };
const sparse = ['angle', 'width', 'correction', 'flag'];
const largest = 16383;
const tables = {};

function readStatistics(letters) {
  let index = 0;
  const next = () => letters.charCodeAt(index++) - 48;
  const counts = [];
  while (index < letters.length) {
    const number = next();
    if (number < 47) counts.push(number);
    else if (number < 64) counts.push((number - 47) * 64 + next());
    else for (let zeros = next() + 2; zeros; zeros--) counts.push(0);
  }
  const readTables = (start, length) =>
    Array.from({ length }, (_, context) => {
      const row = counts.slice((start + context) * 72).slice(0, 72);
      const tokens = new Uint8Array(1024);
      let first = 0;
      const firsts = row.map((count, token) => {
        tokens.fill(token, first, first + count);
        return (first += count) - count;
      });
      need(first === 1024);
      return { tokens, firsts, counts: row };
    });
  const names = Object.keys(kinds);
  names.forEach((kind, number) => (tables[kind] = readTables(32 * number, 32)));
  tables.wide = readTables(32 * names.length, 54);
}

class Segment {
  constructor(data, lanes) {
    const bytes = new Bytes(data);
    this.states = Array.from({ length: lanes }, () => bytes.u32());
    need(this.states.every((state) => state >= 65536));
    this.data = data;
    this.bit = (this.start = 4 * lanes) * 8;
    this.words = data.length;
  }

  raw(count) {
    let value = 0;
    for (let done = 0; done < count; ) {
      const bits = Math.min(8 - (this.bit & 7), count - done);
      value += ((this.data[this.bit >> 3] >> (this.bit & 7)) & ((1 << bits) - 1)) * 2 ** done;
      this.bit += bits;
      done += bits;
    }
    return value;
  }

  number(lane, table) {
    let state = this.states[lane];
    const slot = state & 1023;
    const token = table.tokens[slot];
    state = table.counts[token] * (state >>> 10) + slot - table.firsts[token];
    if (state < 65536) {
      this.words -= 2;
      need(this.words >= this.start);
      state = state * 65536 + this.data[this.words] + this.data[this.words + 1] * 256;
    }
    this.states[lane] = state;
    if (token < 16) return token;
    if (token === 71) return this.raw(32);
    const e = 4 + ((token - 16) >> 1);
    return 2 ** e + (token & 1) * 2 ** (e - 1) + this.raw(e - 1);
  }

  column(kind, count, companions) {
    if (!count) return [];
    const code = sparse.includes(kind) ? this.runs('gap', 1, 1)[0] : 0;
    if (!code) return this.runs(kind, count, this.states.length, companions);
    const nonzero = code - 1;
    need(2 * nonzero < count);
    const gaps = this.runs('gap', nonzero, this.states.length);
    const values = this.runs(kind, nonzero, this.states.length);
    const column = new Array(count).fill(0);
    let index = 0;
    values.forEach((value, number) => {
      index += gaps[number];
      need(index < count);
      column[index++] = value + 1;
    });
    return column;
  }

  runs(kind, count, lanes, companions) {
    need(count <= 4096 * this.data.length);
    const column = new Array(count);
    const length = Math.floor(count / lanes);
    const longer = count % lanes;
    const isWide = kind in wideKinds;
    const contexts = tables[isWide ? 'wide' : kind];
    const sums = new Array(lanes).fill(isWide ? 4 * wideKinds[kind] : 2 * kinds[kind]);
    for (let round = 0; round < length + (longer > 0); round++) {
      for (let lane = 0; lane < (round < length ? lanes : longer); lane++) {
        const index = lane * length + Math.min(lane, longer) + round;
        const sum = sums[lane];
        const size = isWide ? sum
          : companions ? ((3 * sum) >> 1) + Math.min(companions[index], largest) : 2 * sum;
        const e = 31 - Math.clz32(size + 1);
        const context = 2 * e + (e ? ((size + 1) >> (e - 1)) & 1 : 0);
        const value = this.number(lane, contexts[context]);
        sums[lane] = isWide
          ? sum - (sum >> 2) + Math.min(value, 0xffffff) : (sum >> 1) + Math.min(value, largest);
        column[index] = value;
      }
    }
    return column;
  }

  end() {
    need(this.states.every((state) => state === 65536));
    need((this.bit + 7) >> 3 === this.words);
  }
}

// Tables [4]

const [X, Y, TIME, WIDTH, SECONDARY] = [0, 1, 2, 3, 4];
const [DEFAULT, CONSTANT, SLOPES, BENDS, AS_WIDTH, STEADY, FUNCTION] = [0, 1, 2, 3, 4, 6, 7];
const isFloat = (channel) => channel < 6;

// A grid of values: their distance, their offset, and whether the distance is relative.
const grid = (step, offset = 0, isStretched = false) => ({ step, offset, isStretched });

function readSteps(data) {
  const kind = data.byte(4);
  const step = data.double();
  const offset = kind === 2 ? data.double() : 0;
  need(kind && step > 0 && (kind !== 2 || offset));
  return grid(step, offset, kind === 3);
}

function readShape(data, steps, version) {
  const shape = { scale: data.byte(2), varying: data.varint(), present: data.varint() };
  need(shape.varying >> 13 === 0 && (shape.varying & 3) === 3);
  const count = data.varint();
  need(count <= 13);
  shape.rows = Array.from({ length: 13 }, (_, channel) => {
    const row = channel < count ? data.varint() : 0;
    const kindCount = version === 1 ? 5 : 8;
    const [kind, grid] = [row % kindCount, Math.floor(row / kindCount)];
    need(grid < steps.length && (channel > Y || !grid));
    return { kind, grid };
  });
  const isDerived = shape.rows.some(({ kind }) => kind === AS_WIDTH || kind === FUNCTION);
  const width = shape.rows[WIDTH].kind;
  need(!isDerived || (width > CONSTANT && width !== AS_WIDTH && width !== FUNCTION));
  need(shape.rows.every(({ kind }, channel) =>
    kind <= AS_WIDTH || (kind < FUNCTION ? isFloat(channel) : channel > WIDTH)));
  need(shape.rows.every(({ kind }, channel) => kind < SLOPES || (shape.varying >> channel) & 1));
  return shape;
}

const inkKinds = [
  'pen', 'pencil', 'marker', 'monoline', 'fountainpen', 'watercolor', 'crayon', 'reedcalligraphy',
];

function readInk(data, version) {
  if (version === 1) {
    const flags = data.byte(8);
    const kind = data.text();
    return { kind, color: data.numbers(4, flags & 1), isP3: !!(flags & 2), isPlain: !!(flags & 4) };
  }
  const flags = data.byte(144);
  const kind = flags < 16 ? data.text() : 'com.apple.ink.' + inkKinds[(flags >> 4) - 1];
  const form = flags & 3;
  const color = form < 2 ? data.numbers(4, form)
    : Array.from(data.take(4), (byte) => (form < 3 ? byte / 255 : Math.fround(byte / 255)));
  return { kind, color, isP3: !!(flags & 4), isPlain: !!(flags & 8) };
}

function readList(data, list, read) {
  for (let count = data.varint(); count > 0; count--) list.push(read(data));
}

class Tables {
  constructor(version) {
    this.version = version;
    this.steps = [1e-3, 0.1, 3 / 256, 1 / 64, 1 / 256, 1 / 8, 1 / 2, 1, 0.01, 1 / 240, 1 / 8000]
      .map((step) => grid(step));
    this.steps = [grid(0), ...this.steps, grid(1e-3, 0, true), grid(16), grid(32), grid(64)];
    if (version > 1) this.steps.push(grid(1 / 6), grid(1 / 24e6));
    this.shapes = [];
    this.inks = [];
    this.forms = [];
  }

  read(data) {
    readList(data, this.steps, readSteps);
    readList(data, this.shapes, () => readShape(data, this.steps, this.version));
    readList(data, this.inks, () => readInk(data, this.version));
    readList(data, this.forms, () => {
      const [shape, ink, traits] = [data.varint(), data.varint(), data.varint()];
      const isValid = shape <= this.shapes.length && ink < this.inks.length && traits < 4096;
      need(isValid);
      return { shape: this.shapes[shape - 1], ink: this.inks[ink], traits };
    });
    data.end();
  }
}

// Heads [5]

const traitNames = [
  'box', 'archivedBox', 'exactBox', 'milliseconds', 'seed', 'transform', 'mask', 'ranges', 'part',
  'piece', 'group', 'bare',
];
const has = (form, trait) => (form.traits >> traitNames.indexOf(trait)) & 1;

const hasPath = (form) => form.shape;
const hasDate = (form) => form.shape && has(form, 'milliseconds');
const hasBox = (form) => has(form, 'box');
const headColumns = [
  ['count', 'pointCount', hasPath], ['duration', 'pause', hasPath], ['pause', 'pause', hasDate],
  ['correction', 'correction', hasDate], ['x', 'corner', hasBox], ['y', 'corner', hasBox],
  ['width', 'extent', hasBox], ['height', 'extent', hasBox], ['xSteps', 'reference', hasPath],
  ['ySteps', 'reference', hasPath], ['family', 'reference', (form) => has(form, 'piece')],
  ['group', 'reference', (form) => has(form, 'group')],
  ['shared', 'reference', (form) => !form.shape],
];

// The nearest millisecond, ties away from zero.
function millisecond(date) {
  const size = Math.abs(date * 1000);
  const whole = Math.floor(size);
  return Math.sign(date) * Math.min(whole + (size - whole >= 0.5), 9e15);
}

function readHeads(bytes, count, extras, { steps, forms }, base) {
  const segment = new Segment(bytes, 1);
  let index = 0;
  const heads = segment.column('reference', count).map((number) => {
    const form = forms[(index += unzigzag(number))];
    need(form);
    return { ...form, form, steps: [0, 0], count: 0 };
  });
  for (const [name, kind, isCoded] of headColumns) {
    const coded = heads.filter((head) => isCoded(head.form));
    segment.column(kind, coded.length).forEach((value, number) => (coded[number][name] = value));
  }
  segment.end();
  let [date, end, last] = [base, millisecond(base), [0, 0]];
  for (const head of heads) {
    if (head.shape) {
      if (hasDate(head)) {
        head.date = (end + unzigzag(head.pause)) / 1000;
        if (head.correction) head.date = stepped(head.date, BigInt(unzigzag(head.correction)));
      } else {
        head.date = stepped(date, extras.signed());
      }
      head.steps = [last[0] + unzigzag(head.xSteps), last[1] + unzigzag(head.ySteps)];
      need(isFinite(head.date) && head.steps.every((row) => steps[row]));
      [date, end, last] = [head.date, millisecond(head.date) + head.duration, head.steps];
    }
    readExtras(head, extras);
  }
  extras.end();
  return heads;
}

function readExtras(head, data) {
  if (has(head, 'exactBox')) data.numbers(4);
  head.seed = has(head, 'seed') ? data.u32() : 0;
  head.transform = has(head, 'transform') ? data.numbers(6) : [1, 0, 0, 1, 0, 0];
  if (has(head, 'mask')) head.mask = readMask(data);
  if (has(head, 'ranges')) data.numbers(2 * data.varint());
  if (has(head, 'part')) {
    head.part = [0, 0].map(() => data.view.getFloat64(data.skip(8), true));
    need(isFinite(head.part[0]) && head.part[1] >= head.part[0]);
  }
}

// A mask as a list of elements, each with its kind and coordinates.
function readMask(data) {
  const isEvenOdd = data.byte(2) === 1;
  const elements = data.take(data.varint());
  need(elements.every((element) => element < 5) && !elements[0]);
  const lengths = Array.from(elements, (element) => [2, 2, 4, 6, 0][element]);
  const numbers = data.numbers(lengths.reduce((a, b) => a + b, 0));
  let index = 0;
  return {
    isEvenOdd,
    elements: lengths.map((length, number) => ({
      kind: elements[number], at: numbers.slice(index, (index += length)),
    })),
  };
}

// Points [6]

const residualKinds = ['place', 'place', 'time'];
residualKinds[8] = 'force';
residualKinds[9] = residualKinds[10] = 'angle';

const bitsOfColumn = (column) => new Int32Array(column.buffer, column.byteOffset, column.length);
const makeColumn = (channel, count) =>
  isFloat(channel) ? new Float32Array(count) : new Uint16Array(count);
const varies = (head, channel) => (head.shape.varying >> channel) & 1;
const storedCount = (head, channel) =>
  varies(head, channel) ? head.count : Math.min(head.count, 1);

function checkColumn(column) {
  need(column instanceof Uint16Array || column.every(isFinite));
  return column;
}

function readPlainPoints(data, head) {
  head.points = Array.from({ length: 13 }, (_, channel) => {
    const column = makeColumn(channel, storedCount(head, channel));
    const bytes = new Uint8Array(column.buffer);
    bytes.set(data.take(bytes.length));
    return checkColumn(column);
  });
}

// The values of channels for which no numbers are coded.
const defaults = [0, 0, 0, 0, -1, 1, 1000, 0, 0, 32767, 0, 32767, 0];
const defaultOf = (channel, scale) =>
  scale ? { 9: 0, 10: 255, 11: 255 }[channel] ?? defaults[channel] : defaults[channel];

function readCodedPoints(bytes, heads, steps) {
  const total = heads.reduce((sum, head) => sum + head.count, 0);
  need(total <= 64 * bytes.length);
  for (const head of heads) head.points = [];
  if (!total) return heads.forEach((head) => readPlainPoints(new Bytes(bytes), head));
  const segment = new Segment(bytes, total < 200 ? 1 : 4);
  let [previous, flagsOfX] = [];
  for (let channel = 0; channel < 13; channel++) {
    const rows = heads.map((head) => {
      const { kind, grid } = head.count ? head.shape.rows[channel] : { kind: DEFAULT, grid: 0 };
      return { kind, ...steps[channel <= Y ? head.steps[channel] : grid] };
    });
    const isCoded = rows.map(({ kind }) => kind > DEFAULT && kind !== AS_WIDTH);
    const isPredicted = ({ kind }) => kind > AS_WIDTH && kind < FUNCTION;
    const sum = (count) =>
      rows.reduce((sum, row, n) => sum + (isCoded[n] && count(row, heads[n].count)), 0);
    const read = (kind, count, companions) => {
      const column = segment.column(kind, count, companions);
      let index = 0;
      return { column, next: () => unzigzag(column[index++]) };
    };
    const firsts = read(channel <= Y ? 'start' : 'constant', 
      sum(({ kind, isStretched }) => kind !== FUNCTION && 1 + isStretched));
    const slopes = read('velocity', sum(({ kind }, n) => kind === BENDS && n > 1));
    const count = sum(({ kind }, n) =>
      kind > CONSTANT && kind < AS_WIDTH && Math.max(n - kind + 1, 0));
    const companions = channel === Y && count && previous.length === count ? previous : undefined;
    const residuals = read(residualKinds[channel] ?? 'width', count, companions);
    previous = residuals.column;
    const corrections = read('correction', sum((row, n) => (row.isStretched ? n : 0)));
    // Predictions [6.4]
    const hasFlags = (row) => isPredicted(row) && row.step;
    const tails = segment.column('reference', sum((row) => (hasFlags(row) ? 1 : 0)));
    let tail = 0;
    const flagCounts = rows.map((row, n) => (hasFlags(row) ? heads[n].count - tails[tail++] : 0));
    need(rows.every((row, n) => !hasFlags(row) || flagCounts[n] > 0));
    const coded = segment.column('flag', flagCounts.reduce((sum, count) => sum + count, 0));
    let flag = 0;
    let [indexCount, bitsCount] = [0, 0];
    const flags = rows.map((row, n) => {
      const own = coded.slice(flag, (flag += flagCounts[n]));
      if (channel === Y) own.forEach((_, i) => (own[i] ^= flagsOfX[n][i] ?? 0));
      need(own.every((bit) => bit < 2));
      const onGrid = own.filter((bit, i) => i && !bit).length;
      indexCount += onGrid;
      if (isPredicted(row)) bitsCount += heads[n].count - 1 - onGrid;
      return own;
    });
    if (channel === X) flagsOfX = flags;
    const indices = read(channel === TIME ? 'tick' : 'index', indexCount);
    const bitsOff = read('bits', bitsCount);
    const functions = read('function', sum(({ kind }, n) => (kind === FUNCTION ? n : 0)));
    const learned = new WidthFunction();
    let [first, anchor, lastPredicted] = [0, 0, 0];
    rows.forEach((row, n) => {
      const head = heads[n];
      if (!isCoded[n]) {
        const value = head.count ? defaultOf(channel, head.shape.scale) : [];
        const column = makeColumn(channel, storedCount(head, channel)).fill(value);
        head.points.push(row.kind === AS_WIDTH ? head.points[WIDTH] : column);
        return;
      }
      const column = makeColumn(channel, row.kind === CONSTANT ? 1 : head.count);
      if (row.kind > AS_WIDTH) {
        if (row.kind === FUNCTION) {
          learned.fill(column, head.points[WIDTH], row.step, functions.next);
        } else {
          predict(column, row, lastPredicted, firsts.next, flags[n], indices.next, bitsOff.next);
          lastPredicted = column[0];
        }
        head.points.push(checkColumn(column));
        return;
      }
      let { step, offset } = row;
      let [number, change] = [0, 0];
      if (row.isStretched) {
        anchor = (anchor + firsts.next()) | 0;
        offset = stretchedBase(anchor, firsts.next());
      } else {
        number = first = (first + firsts.next()) | 0;
      }
      const bits = isFloat(channel) && bitsOfColumn(column);
      for (let i = 0; i < column.length; i++) {
        if (i) {
          const residual = i === 1 && row.kind === BENDS ? slopes.next() : residuals.next();
          change = row.kind === BENDS ? (change + residual) | 0 : residual;
          number = (number + change) | 0;
        }
        if (!bits) {
          const word = step ? Math.imul(number, step) : number;
          need(word >= 0 && word < 65536);
          column[i] = word;
        } else if (step) {
          column[i] = offset + number * step;
          if (row.isStretched) bits[i] = ordered(ordered(bits[i]) + corrections.next());
        } else {
          bits[i] = ordered(number);
        }
      }
      checkColumn(column);
      const isSpread = column.length < storedCount(head, channel);
      head.points.push(isSpread ? makeColumn(channel, head.count).fill(column[0]) : column);
    });
  }
  segment.end();
}

// The nearest whole number, ties to even.
const even = (value) => value + 6755399441055744 - 6755399441055744;

// Adds to the ordered bits of a value in a column.
const addBits = (bits, i, number) => (bits[i] = ordered((ordered(bits[i]) + number) | 0));

// Fills a column whose values are predicted from those before them [6.4].
function predict(column, { kind, step, offset }, last, start, flags, nextIndex, nextBits) {
  const bits = bitsOfColumn(column);
  const nearest = (value) => even((value - offset) / step);
  let slope = 0;
  for (let i = 0; i < column.length; i++) {
    if (i > 1) {
      const change = column[i - 1] - column[i - 2];
      slope = kind === STEADY && i > 2 ? slope + (change - slope) / 16 : change;
    }
    let value = i ? Math.fround(column[i - 1] + slope) : last;
    if (!isFinite(value)) value = column[i - 1];
    if (flags[i] === 0) {
      let index = nearest(value);
      const isFar = !(Math.abs(index) <= 1e9);
      need(!i || !isFar);
      if (isFar) index = 0;
      column[i] = offset + (index + (i ? nextIndex() : start())) * step;
    } else {
      column[i] = value;
      addBits(bits, i, i ? nextBits() : start());
    }
    need(isFinite(column[i]));
  }
}

// What is known of a channel as a function of the width [6.5].
class WidthFunction {
  constructor() {
    Object.assign(this, { keys: [], widths: [], values: [] });
  }

  // The index of the first width that is not below a key.
  find(key) {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  prediction(width, index, isKnown) {
    const { widths, values } = this;
    const count = values.length;
    if (isKnown || !index) return count ? values[index] : 0;
    if (index === count) return values[count - 1];
    const [left, right] = [widths[index - 1], widths[index]];
    if (left === right) return values[index];
    const share = (width - left) / (right - left);
    return values[index - 1] + (values[index] - values[index - 1]) * share;
  }

  fill(column, widths, step, next) {
    const keys = bitsOfColumn(widths);
    const bits = column instanceof Float32Array && bitsOfColumn(column);
    for (let i = 0; i < column.length; i++) {
      const [width, key] = [widths[i], ordered(keys[i])];
      const index = this.find(key);
      const isKnown = this.keys[index] === key;
      const prediction = this.prediction(width, index, isKnown);
      let value;
      if (bits) {
        column[i] = prediction;
        addBits(bits, i, next());
        value = column[i];
        need(isFinite(value));
      } else {
        const number = (even(prediction) + next()) | 0;
        const word = Math.imul(number, step || 1);
        need(word >= 0 && word < 65536);
        column[i] = word;
        value = number & 65535;
      }
      if (isKnown) {
        this.values[index] = value;
      } else if (this.keys.length < 1024) {
        this.keys.splice(index, 0, key);
        this.widths.splice(index, 0, width);
        this.values.splice(index, 0, value);
      }
    }
  }
}

function stretchedBase(anchor, eighths) {
  scratch.setInt32(0, ordered(anchor));
  const exponent = (scratch.getInt32(0) >>> 23) & 255;
  need(exponent < 255);
  return scratch.getFloat32(0) + (eighths * 2 ** (Math.max(exponent, 1) - 150)) / 8;
}

// Names [9]

const mask64 = (1n << 64n) - 1n;

function mix(z) {
  z = (z + 0x9e3779b97f4a7c15n) & mask64;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask64;
  return z ^ (z >> 31n);
}

const mixed = ([a, b], part) =>
  [mix(a ^ part), mix((b + part + 0x165667b19e3779f9n) & mask64)];
const prefixes = new Map();

function derived(name, word, number) {
  // Many identifiers share what comes before the number.
  if (!prefixes.has(name + word)) {
    const halves = [name.slice(0, 16), name.slice(16)].map((half) => BigInt('0x' + half));
    const parts = [...halves, ...Array.from(word, (letter) => BigInt(letter.charCodeAt(0)))];
    prefixes.set(name + word, parts.reduce(mixed, [0x9e3779b97f4a7c15n, 0xc2b2ae3d27d4eb4fn]));
  }
  const [a, b] = mixed(prefixes.get(name + word), BigInt(number));
  const words = [(a & ~0xf000n) | 0x4000n, (b & ((1n << 62n) - 1n)) | (1n << 63n)];
  return words.map((word) => word.toString(16).padStart(16, '0')).join('');
}

const zeroName = '0'.repeat(32);

class Names {
  constructor(records) {
    const make = (word, count) =>
      Array.from({ length: count }, (_, number) => derived(zeroName, word, number));
    const count = (numbers) => numbers.reduce((a, b) => Math.max(a, b + 1), 0);
    this.ofPieces = records.map((record) => record.family);
    this.strokes = make('pkd stroke', records.length);
    this.families = make('pkd family', count(records.map((record) => record.family ?? -1)));
    this.groups = make('pkd group', count(records.map((record) => record.group ?? -1)));
  }

  read(data) {
    // A truncated file may name more strokes than it has.
    const put = (names, index, name) => index < names.length && (names[index] = name);
    let [stroke, family, group] = [data.varint(), data.varint(), data.varint()];
    const owners = [];
    const pieces = [];
    for (let count = data.varint(); count > 0; count--, family++) {
      const how = data.varint();
      if (how === 1) put(this.families, family, data.name());
      else if (how) owners.push([family, how - 2]);
    }
    for (let count = data.varint(); count > 0; count--, group++) {
      if (data.byte(2)) put(this.groups, group, data.name());
    }
    const runs = [];
    readList(data, runs, () => data.varint());
    const seen = {};
    const number = (own) => (seen[own] = (seen[own] ?? -1) + 1);
    this.ofPieces.slice(0, stroke).forEach(number);
    for (const run of runs) {
      const how = run % 3;
      for (let left = Math.floor(run / 3); left > 0; left--, stroke++) {
        if (stroke >= this.strokes.length && how !== 1) break;
        if (how === 1) put(this.strokes, stroke, data.name());
        const own = this.ofPieces[stroke];
        const before = number(own);
        need(how < 2 || own !== undefined);
        if (how === 2) pieces.push([stroke, own, before]);
      }
    }
    for (const [index, owner] of owners) {
      if (owner < this.strokes.length) put(this.families, index, this.strokes[owner]);
    }
    for (const [index, own, number] of pieces) {
      this.strokes[index] = derived(this.families[own], 'piece', number);
    }
    data.end();
  }
}

// Events [10]

const eventNames = ['begin', 'extend', 'end', 'erase', 'undo', 'redo', 'move', 'clear', 'tool'];

function readTool(data) {
  const kind = data.byte(5);
  if (!kind) return { kind, ink: data.text(), isP3: data.byte(2), numbers: data.numbers(5, 0) };
  return { kind, numbers: data.numbers(kind === 4 ? 0 : 1, 0) };
}

const isBare = (record) => has(record, 'bare');

function durationOf({ points }) {
  const times = points[TIME];
  return Math.max((times[times.length - 1] ?? 0) - (times[0] ?? 0), 0);
}

class Events {
  constructor(records, base) {
    Object.assign(this, { records, now: base, next: 0, list: [] });
  }

  read(data) {
    for (let count = data.varint(); count > 0; count--) {
      const kind = data.byte();
      const time = kind > 127 ? data.double() : undefined;
      const name = eventNames[kind & 127];
      need(name);
      const event = { name };
      const first = this.next;
      try {
        const expected = this.readAction(event, data);
        this.now = time ?? expected;
      } catch (error) {
        this.next = first;
        throw error;
      }
      event.time = this.now;
      this.list.push(event);
    }
    data.end();
  }

  readAction(event, data) {
    const end = (record) => Math.max(this.now, record.date + durationOf(record));
    const references = () => {
      const ids = [];
      readList(data, ids, () => this.reference(data).id);
      return ids;
    };
    switch (event.name) {
      case 'begin':
        event.record = this.take();
        return Math.max(this.now, event.record.date);
      case 'extend':
        event.record = this.take();
        event.id = this.reference(data).id;
        return end(event.record);
      case 'end': {
        const { id, record } = this.reference(data);
        event.id = id;
        return record ? end(record) : this.now;
      }
      case 'erase':
        event.record = this.take();
        event.tool = readTool(data);
        need(event.tool.kind % 4);
        event.changes = [];
        readList(data, event.changes, () => {
          const { id } = this.reference(data);
          const left = [];
          readList(data, left, () => this.take());
          return { id, left };
        });
        return Math.max(this.now, event.record.date);
      case 'move':
        event.ids = references();
        event.transform = data.numbers(6);
        break;
      case 'tool':
        event.tool = readTool(data);
    }
    return this.now;
  }

  take() {
    need(this.next < this.records.length);
    return this.records[this.next++];
  }

  reference(data) {
    const number = data.varint();
    if (!number) return { id: data.name() };
    const record = this.records[number - 1];
    need(record);
    return { id: record.id, record };
  }

  // Adds events for strokes without any: there is no chunk of events, or the file was cut before it.
  addMissing() {
    let end = this.next;
    while (end < this.records.length && !isBare(this.records[end])) end++;
    const left = this.records.slice(this.next, end);
    let now = left[0]?.date;
    let last;
    for (const record of left) {
      now = Math.max(now, record.date);
      this.add({ name: 'begin', record }, now);
      if (record.family === undefined || record.family !== last) now += durationOf(record);
      last = record.family;
      this.add({ name: 'end', id: record.id }, now);
    }
  }

  add(event, time) {
    event.time = this.now = Math.max(this.now, time);
    this.list.push(event);
  }
}

// Chunks and files [2, 3, 12, 16]

const crcTable = Int32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0);
  return value;
});

function crc(data) {
  let value = -1;
  for (const byte of data) value = (value >>> 8) ^ crcTable[(value ^ byte) & 255];
  return ~value >>> 0;
}

function readChunk(data) {
  const body = data.take(data.u32() + 4);
  need(crc(body) === data.u32(), 'a checksum does not match');
  const type = String.fromCharCode(...body.subarray(0, 4));
  need(/^[A-Za-z]{4}$/.test(type));
  return { type, payload: new Bytes(body.subarray(4)) };
}

// The sections of a page as chunks.
function readSections(data) {
  const sections = [];
  while (data.rest) {
    const type = [, 'HEAD', 'TABL', 'STRK', 'EVNT', 'nAME', 'aRCH'][data.byte()];
    need(type);
    sections.push({ type, payload: new Bytes(data.take(data.varint())) });
  }
  return sections;
}

class Recording {
  constructor(file) {
    const data = new Bytes(file);
    const signature = data.take(Math.min(8, file.length)).join();
    need(signature === '137,80,75,68,13,10,26,10', 'this is not a recording');
    const chunk = readChunk(data);
    const [first, ...sections] = chunk.type === 'PAGE' ? readSections(chunk.payload) : [chunk];
    need(first?.type === 'HEAD', 'a recording begins with HEAD');
    this.readHeader(first.payload);
    need(this.version > 1 || chunk === first);
    this.tables = new Tables(this.version);
    this.records = [];
    this.chunks = { nAME: [], EVNT: [] };
    this.attempt(() => {
      for (const section of sections) this.readChunk(section);
      while (data.rest) this.readChunk(readChunk(data));
    });
    this.finish();
  }

  // Leaves out damaged data and keeps the first message.
  attempt(read) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Damage || error instanceof RangeError)) throw error;
      this.damage ??= error.message;
    }
  }

  readHeader(data) {
    this.version = data.byte();
    need(this.version === 1 || this.version === 2, 'the recording needs a newer reader');
    data.take(2);
    need(data.byte() === this.version, 'the recording needs other statistics');
    const flags = data.byte(8);
    this.base = data.double();
    if (flags & 1) this.size = data.numbers(2, 0);
    if (flags & 2) this.background = data.numbers(4, 0);
    this.texts = {};
    for (let count = data.varint(); count > 0; count--) this.texts[data.text()] = data.text();
  }

  readChunk({ type, payload }) {
    if (type === 'TABL') this.tables.read(payload);
    else if (type === 'STRK') this.readStrokes(payload);
    else if (type === 'LIVE') this.readLive(payload);
    else if (this.chunks[type]) this.chunks[type].push(payload);
    else need(/^[a-z]/.test(type), `chunks of type ${type} need a newer reader`);
  }

  readStrokes(data) {
    const count = data.varint();
    need(count < 34);
    const [headSize, extraSize] = [data.varint(), data.varint()];
    const extras = () => new Bytes(data.take(extraSize));
    const head = data.take(headSize);
    const heads = readHeads(head, count >> 1, extras(), this.tables, this.base);
    const owners = heads.filter((head) => head.shape);
    const points = new Bytes(data.take(data.rest));
    if (count & 1) {
      for (const head of owners) readPlainPoints(points, head);
      points.end();
    } else {
      readCodedPoints(points.data, owners, this.tables.steps);
    }
    const all = [...this.records, ...heads];
    heads.forEach((head, n) => {
      if (head.shape) return;
      const owner = head.shared > 0 && all[this.records.length + n - head.shared];
      need(owner?.form?.shape);
      const { points, date, shape, count } = owner;
      Object.assign(head, { points, date, shape, count });
    });
    for (const head of heads) this.records.push(head);
    if (this.live?.number < this.records.length) this.live = undefined;
  }

  readLive(data) {
    const [number, first] = [data.varint(), data.varint()];
    let live = this.live;
    if (data.byte(2)) {
      const ink = readInk(data, this.version);
      live = { ink, date: data.double(), seed: data.u32(), number, traits: 0 };
      Object.assign(live, { transform: data.numbers(6), id: data.name(), count: 0 });
    }
    const shape = { scale: data.byte(2), present: data.varint() };
    need(number <= this.records.length);
    if (number < this.records.length) return;
    need(live?.count === first);
    this.live = live;
    live.shape ??= shape;
    (this.liveNames ??= []).push([number, live.id]);
    const more = data.varint();
    need(more * 38 === data.rest);
    const before = live.points;
    live.count += more;
    live.points = Array.from({ length: 13 }, (_, channel) => {
      const column = makeColumn(channel, live.count);
      if (before) column.set(before[channel]);
      for (let i = 0; i < more; i++) {
        const offset = data.offset + 38 * i + 2 * channel + 2 * Math.min(channel, 6);
        column[first + i] = isFloat(channel)
          ? data.view.getFloat32(offset, true) : data.view.getUint16(offset, true);
      }
      return checkColumn(column);
    });
  }

  finish() {
    const names = new Names(this.records);
    for (const [number, name] of this.liveNames ?? []) {
      if (number < this.records.length) names.strokes[number] = name;
    }
    this.attempt(() => this.chunks.nAME.forEach((data) => names.read(data)));
    this.records.forEach((record, number) => {
      record.id = isBare(record) ? zeroName : names.strokes[number];
      record.groupID = names.groups[record.group];
      record.parentID = names.families[record.family];
    });
    const drawn = this.records.filter((record) => !isBare(record));
    const hasEvents = this.chunks.EVNT.length > 0;
    const events = new Events(hasEvents ? this.records : drawn, hasEvents ? this.base : -Infinity);
    this.attempt(() => this.chunks.EVNT.forEach((data) => events.read(data)));
    events.addMissing();
    if (this.live) {
      if (!events.list.length) events.now = this.base;
      events.add({ name: 'begin', record: this.live }, this.live.date);
      this.records.push(this.live);
    }
    this.events = events.list;
  }
}
