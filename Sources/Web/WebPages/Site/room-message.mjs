// The messages of rooms (docs/room-protocol.md): sections of a byte for the kind, and fields.

const kinds = ['presence', 'begin', 'more', 'drop', 'entry', 'came', 'gone'];
const tools = ['ink', 'eraser', 'strokeEraser', 'lasso', 'pan'];
// The steps of a sample's numbers: x and y in points, seconds, force, azimuth and altitude.
const steps = [64, 64, 10_000, 512, 1024, 1024];

export class Writer {
  bytes = [];

  byte(value) {
    this.bytes.push(value & 255);
  }
  // Seven bits in each byte, the lowest first.
  number(value) {
    let rest = value;
    while (rest >= 128) {
      this.bytes.push(rest % 128 + 128);
      rest = Math.floor(rest / 128);
    }
    this.bytes.push(rest);
  }
  signed(value) {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }
  float(value) {
    this.bytes.push(...new Uint8Array(new Float32Array([value]).buffer));
  }
  raw(bytes) {
    for (const byte of bytes) this.bytes.push(byte);
  }
  block(bytes) {
    this.number(bytes.length);
    this.raw(bytes);
  }

  // MARK: Sections of a page

  presence({ at, tool, color, view }) {
    const block = new Writer();
    block.byte(at ? 1 : 0);
    for (const one of at ?? [0, 0]) block.float(one);
    block.byte(Math.max(tools.indexOf(tool), 0));
    block.number(parseInt(color.slice(1, 7), 16));
    for (const one of view) block.float(one);
    this.byte(kinds.indexOf('presence'));
    this.block(block.bytes);
  }

  begin({ name, ink, color, width, tolerance, time }) {
    const block = new Writer();
    block.raw(name);
    block.byte(ink);
    block.number(parseInt(color.slice(1).padEnd(8, 'f'), 16));
    for (const one of [width, tolerance]) block.float(one);
    block.number(Math.max(Math.round(time * 1000), 0));
    this.byte(kinds.indexOf('begin'));
    this.block(block.bytes);
  }

  // Samples of a stroke from a number on, as differences.
  more(name, samples, first) {
    const block = new Writer();
    block.raw(name);
    block.number(first);
    block.number(samples.length / 6);
    const last = [0, 0, 0, 0, 0, 0];
    for (let index = 0; index < samples.length; index++) {
      const axis = index % 6;
      const value = Math.round(samples[index] * steps[axis]) || 0;
      block.signed(value - last[axis]);
      last[axis] = value;
    }
    this.byte(kinds.indexOf('more'));
    this.block(block.bytes);
  }

  drop(name) {
    this.byte(kinds.indexOf('drop'));
    this.block([...name]);
  }

  entry(number, file) {
    this.byte(kinds.indexOf('entry'));
    this.number(number);
    this.block(file);
  }
}

class Reader {
  offset = 0;

  constructor(bytes) {
    this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.bytes = bytes;
  }

  get isAtEnd() {
    return this.offset >= this.bytes.length;
  }
  byte() {
    return this.data.getUint8(this.offset++);
  }
  number() {
    let [value, factor, byte] = [0, 1, 128];
    while (byte >= 128) {
      byte = this.byte();
      value += (byte % 128) * factor;
      factor *= 128;
    }
    return value;
  }
  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
  float() {
    this.offset += 4;
    return this.data.getFloat32(this.offset - 4, true);
  }
  take(count) {
    if (this.offset + count > this.bytes.length) throw new RangeError('The message is cut.');
    this.offset += count;
    return this.bytes.subarray(this.offset - count, this.offset);
  }
  block() {
    return this.take(this.number());
  }
}

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const colorOf = (number, digits) => `#${number.toString(16).padStart(digits, '0')}`;

// The sections of a frame, as objects with a `kind` and the `tag` of a page.
export function sections(text) {
  const reader = new Reader(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
  const found = [];
  while (!reader.isAtEnd) {
    const section = { kind: kinds[reader.byte()], tag: hexadecimal(reader.take(8)) };
    if (section.kind === 'entry') {
      for (const name of ['number', 'person', 'pageNumber', 'time']) section[name] = reader.number();
      section.file = reader.block().slice();
    } else if (section.kind === 'came') {
      section.person = reader.number();
    } else if (section.kind !== 'gone') {
      // A member's page may send anything.
      try {
        Object.assign(section, contents[section.kind](new Reader(reader.block())));
      } catch {
        continue;
      }
    }
    found.push(section);
  }
  return found;
}

const contents = {
  presence: (block) => {
    const isThere = block.byte() === 1;
    const at = [block.float(), block.float()];
    const tool = tools[block.byte()] ?? 'ink';
    const color = colorOf(block.number() % 0x1000000, 6);
    const view = [0, 1, 2, 3].map(() => block.float());
    return { presence: { at: isThere && at.every(Number.isFinite) ? at : null, tool, color, view } };
  },
  begin: (block) => ({
    name: block.take(16).slice(),
    ink: block.byte(),
    color: colorOf(block.number() % 0x100000000, 8),
    width: block.float(),
    tolerance: block.float(),
    time: block.number() / 1000,
  }),
  more: (block) => {
    const name = block.take(16).slice();
    const [first, count] = [block.number(), block.number()];
    if (count > 4096) throw new RangeError('There are too many samples.');
    const samples = new Float64Array(6 * count);
    const last = [0, 0, 0, 0, 0, 0];
    for (let index = 0; index < samples.length; index++) {
      const axis = index % 6;
      last[axis] += block.signed();
      samples[index] = last[axis] / steps[axis];
    }
    return { name, first, samples };
  },
  drop: (block) => ({ name: block.take(16).slice() }),
};
