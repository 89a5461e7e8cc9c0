// The CBOR (RFC 8949) of the service, byte for byte: shortest forms, sorted names, eight-byte
// numbers, and moments as extended times (RFC 9581). The service refuses anything else.

// A moment in whole microseconds since 1970. A JavaScript number is exact for 285 years of these.
export class Moment {
  constructor(microseconds) {
    this.microseconds = microseconds;
  }
}

const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6 };
const [isFalse, isTrue, isNull, double] = [0xf4, 0xf5, 0xf6, 0xfb];
// Tag 1001, the head of a map with two entries, and key 1 for seconds; then key -6 for
// microseconds.
const momentHead = [0xd9, 0x03, 0xe9, 0xa2, 0x01];
const microsecondsKey = 0x25;

// Objects are maps, without names whose value is undefined.
export function encode(value) {
  const parts = [];
  write(value, parts);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function write(value, parts) {
  if (value === null) parts.push([isNull]);
  else if (typeof value === 'boolean') parts.push([value ? isTrue : isFalse]);
  else if (typeof value === 'string') writeText(value, parts);
  else if (typeof value === 'number') writeNumber(value, parts);
  else if (value instanceof Moment) writeMoment(value, parts);
  else if (value instanceof Uint8Array) parts.push(head(major.bytes, value.length), value);
  else if (Array.isArray(value)) {
    parts.push(head(major.list, value.length));
    for (const one of value) write(one, parts);
  } else {
    // Sorted by their bytes; JavaScript's own order differs beyond U+FFFF.
    const fields = Object.entries(value).filter(([, one]) => one !== undefined)
      .map(([name, one]) => [new TextEncoder().encode(name), one]).sort(([a], [b]) => inOrder(a, b));
    parts.push(head(major.map, fields.length));
    for (const [name, one] of fields) {
      parts.push(head(major.text, name.length), name);
      write(one, parts);
    }
  }
}

function inOrder(a, b) {
  const index = a.findIndex((byte, place) => byte !== b[place]);
  return index < 0 ? a.length - b.length : a[index] - (b[index] ?? -1);
}

function writeText(text, parts) {
  const bytes = new TextEncoder().encode(text);
  parts.push(head(major.text, bytes.length), bytes);
}

// Whole numbers are integers, others have eight bytes.
function writeNumber(number, parts) {
  if (Number.isSafeInteger(number)) return parts.push(integer(number));
  const bytes = new Uint8Array(9);
  bytes[0] = double;
  new DataView(bytes.buffer).setFloat64(1, number);
  return parts.push(bytes);
}

function writeMoment({ microseconds }, parts) {
  // Rounded down, so that the remainder is positive before 1970, too.
  const seconds = Math.floor(microseconds / 1e6);
  parts.push(momentHead, integer(seconds), [microsecondsKey], integer(microseconds - seconds * 1e6));
}

const integer = (number) => (number >= 0 ? head(major.unsigned, number) : head(major.negative, -1 - number));

function head(kind, value) {
  const high = kind << 5;
  if (value < 24) return [high | value];
  if (value <= 0xff) return [high | 24, value];
  if (value <= 0xffff) return [high | 25, value >> 8, value & 0xff];
  const bytes = new Uint8Array(value <= 0xffffffff ? 5 : 9);
  const view = new DataView(bytes.buffer);
  bytes[0] = high | (bytes.length === 5 ? 26 : 27);
  if (bytes.length === 5) view.setUint32(1, value);
  else view.setBigUint64(1, BigInt(value));
  return bytes;
}

// Throws a RangeError for truncated bytes, or for an item that the service does not write.
export function decode(bytes) {
  const reader = new Reader(bytes);
  const value = reader.value();
  if (reader.offset !== bytes.length) throw new RangeError('There are bytes behind the value.');
  return value;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = 0;
  }

  // The next bytes.
  take(count) {
    if (count > this.bytes.length - this.offset) throw new RangeError('The bytes are cut.');
    this.offset += count;
    return this.bytes.subarray(this.offset - count, this.offset);
  }

  // The argument of the next item, whose first byte has been read.
  argument(first) {
    const low = first & 31;
    if (low < 24) return low;
    if (low > 27) throw new RangeError('A length is unknown.');
    const value = this.take(1 << (low - 24)).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw new RangeError('A number is too large.');
    return value;
  }

  value() {
    const [first] = this.take(1);
    if (first === isNull) return null;
    if (first === isTrue || first === isFalse) return first === isTrue;
    if (first === double) {
      this.take(8);
      return this.view.getFloat64(this.offset - 8);
    }
    const argument = this.argument(first);
    switch (first >> 5) {
      case major.unsigned:
        return argument;
      case major.negative:
        return -1 - argument;
      case major.bytes:
        return this.take(argument).slice();
      case major.text:
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.take(argument));
      case major.list:
        return this.items(argument, () => this.value());
      case major.map:
        return Object.fromEntries(this.items(argument, () => [this.value(), this.value()]));
      case major.tag:
        return this.moment(argument);
      default:
        throw new RangeError('A value is of an unknown kind.');
    }
  }

  // Each item takes at least one byte. Items are added one by one, because nested lists may claim
  // far more items than exist.
  items(count, read) {
    if (count > this.bytes.length - this.offset) throw new RangeError('The bytes are cut.');
    const items = [];
    while (items.length < count) items.push(read());
    return items;
  }

  moment(tag) {
    const [entries, key] = this.take(2);
    const seconds = this.value();
    const [next] = this.take(1);
    const rest = this.value();
    if (
      tag !== 1001 || entries !== momentHead[3] || key !== momentHead[4] || next !== microsecondsKey ||
      !Number.isInteger(seconds) || !Number.isInteger(rest)
    ) {
      throw new RangeError('A moment is invalid.');
    }
    return new Moment(seconds * 1e6 + rest);
  }
}
