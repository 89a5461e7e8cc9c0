// Zip archives whose files are stored as they are: pictures and recordings are compressed already.

// The limits of archives without the extensions for large ones.
const mostFiles = 65_535;
const mostBytes = 2 ** 32 - 1;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >>> 1 ^ 0xedb88320 : rest >>> 1;
  return rest;
});

export function crc32(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = rest >>> 8 ^ table[(rest ^ byte) & 255];
  return ~rest >>> 0;
}

// The fields of a header, [size in bytes, value] each, as bytes.
function header(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let offset = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(offset, value, true);
    else view.setUint32(offset, value, true);
    offset += size;
  }
  return view.buffer;
}

// Local time in steps of two seconds, from 1980 on.
function stamp(date) {
  const year = Math.min(Math.max(date.getFullYear() - 1980, 0), 127);
  const day = year << 9 | date.getMonth() + 1 << 5 | date.getDate();
  return (day << 16 | date.getHours() << 11 | date.getMinutes() << 5 | date.getSeconds() >> 1) >>> 0;
}

// The file as a safe name on all systems: a title, or a date; `taken` has the names in use.
export function nameFor(title, taken) {
  const plain = title.replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, ' ').replace(/\s+/g, ' ').replace(/^[ .]+|[ .]+$/g, '');
  const base = plain.slice(0, 100) || '_';
  let name = base;
  // Some systems do not distinguish capitals.
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${base} (${number})`;
  taken.add(name.toLowerCase());
  return name;
}

export class Zip {
  #parts = [];
  #list = [];
  #size = 0;

  // Adds a file. The browser takes over its bytes, on the disk if there are many.
  add(name, bytes, date) {
    const text = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, stored, date, checksum, two sizes, length of the name, no extra
    // field.
    const facts = [
      [2, 20],
      [2, 0x800],
      [2, 0],
      [4, stamp(date)],
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, text.length],
      [2, 0],
    ];
    const next = this.#size + 30 + text.length + bytes.length;
    if (this.#list.length >= 2 * mostFiles || next > mostBytes) throw new RangeError('too large');
    this.#parts.push(new Blob([header([4, 0x04034b50], ...facts), text, bytes]));
    this.#list.push(header([4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, this.#size]), text);
    this.#size = next;
  }

  blob() {
    const count = this.#list.length / 2;
    const size = this.#list.reduce((sum, part) => sum + part.byteLength, 0);
    const end = header([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, this.#size], [2, 0]);
    return new Blob([...this.#parts, ...this.#list, end], { type: 'application/zip' });
  }
}
