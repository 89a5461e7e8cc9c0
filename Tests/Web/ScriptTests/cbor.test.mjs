// The module that writes and reads the service's CBOR. `PageCodingTests` compares its bytes with
// those of the service.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, load, site } from './support.mjs';

const { decode, encode, Moment } = await load(site, 'cbor.mjs');

const bytes = (hex) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (value) => Buffer.from(value).toString('hex');

// The limits between shorter and longer forms.
const borders = [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];

// A value of any kind that the service writes.
function randomValue(chance, depth = 0) {
  const kind = chance.below(depth < 4 ? 9 : 7);
  switch (kind) {
    case 0:
      return chance.pick([null, true, false]);
    // Of all sizes, both signs.
    case 1:
      return Math.floor(chance.fraction * 2 ** chance.below(54)) * chance.pick([1, -1]) || 0;
    case 2:
      return (chance.fraction - 0.5) * 10 ** (chance.below(600) - 300);
    case 3:
      return chance.bytes(chance.pick([0, 1, 23, 24, 255, 256, 700]));
    case 4:
      return randomText(chance);
    case 5:
      return new Moment(Math.floor((chance.fraction - 0.5) * 2 ** (10 + chance.below(43))));
    case 6:
      return chance.pick(borders) * chance.pick([1, -1]) || 0;
    case 7:
      return Array.from({ length: chance.below(6) }, () => randomValue(chance, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: chance.below(6) }, () => [randomText(chance), randomValue(chance, depth + 1)]),
      );
  }
}

const randomText = (chance) =>
  Array.from(
    { length: chance.below(12) },
    () => chance.pick(['a', 'Z', '0', 'é', '畫', '\uffff', '\u{10000}', '\ufeff', '\0']),
  ).join('');

test('CBOR values of all kinds are read as they were written', () => {
  for (let seed = 0; seed < 3000; seed++) {
    const value = randomValue(new Chance(seed));
    assert.deepStrictEqual(decode(encode(value)), value, `seed ${seed}`);
  }
});

test('a map has the same bytes for any order of its names', () => {
  for (let seed = 0; seed < 200; seed++) {
    const chance = new Chance(seed);
    const entries = Array.from({ length: 8 }, (_, index) => [randomText(chance) + index, index]);
    const shuffled = [...entries].sort(() => chance.fraction - 0.5);
    assert.equal(hex(encode(Object.fromEntries(shuffled))), hex(encode(Object.fromEntries(entries))), `seed ${seed}`);
  }
});

test('names of a map are sorted by their bytes, shorter ones first', () => {
  assert.equal(
    hex(encode({ b: 0, aa: 0, a: 0, '\u{10000}': 0, '\uffff': 0 })),
    'a5 6161 00 626161 00 6162 00 63efbfbf 00 64f0908080 00'.replaceAll(' ', ''),
  );
});

test('a name whose value is undefined is left out', () => {
  assert.equal(hex(encode({ a: undefined, b: null })), 'a16162f6');
});

// RFC 8949, appendix A, restricted to the types that the service writes.
const examples = [
  ['00', 0],
  ['01', 1],
  ['0a', 10],
  ['17', 23],
  ['1818', 24],
  ['1819', 25],
  ['1864', 100],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['20', -1],
  ['29', -10],
  ['3863', -100],
  ['3903e7', -1000],
  ['fb3ff199999999999a', 1.1],
  ['fb7e37e43c8800759c', 1.0e+300],
  ['fbc010666666666666', -4.1],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['40', bytes('')],
  ['4401020304', bytes('01020304')],
  ['60', ''],
  ['6161', 'a'],
  ['6449455446', 'IETF'],
  ['62225c', '"\\'],
  ['62c3bc', '\u00fc'],
  ['63e6b0b4', '\u6c34'],
  ['64f0908591', '\ud800\udd51'],
  ['80', []],
  ['83010203', [1, 2, 3]],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  ['98190102030405060708090a0b0c0d0e0f101112131415161718181819', Array.from({ length: 25 }, (_, index) => index + 1)],
  ['a0', {}],
  ['a26161016162820203', { a: 1, b: [2, 3] }],
  ['826161a161626163', ['a', { b: 'c' }]],
  ['a56161614161626142616361436164614461656145', { a: 'A', b: 'B', c: 'C', d: 'D', e: 'E' }],
];

test('the examples of RFC 8949 are read and written', () => {
  for (const [text, value] of examples) {
    assert.deepStrictEqual(decode(bytes(text)), value, text);
    assert.equal(hex(encode(value)), text);
  }
});

test('CBOR numbers that are not finite have eight bytes', () => {
  for (
    const [text, value] of [
      ['fb7ff0000000000000', Infinity],
      ['fb7ff8000000000000', NaN],
      ['fbfff0000000000000', -Infinity],
    ]
  ) {
    assert.deepStrictEqual(decode(bytes(text)), value);
    assert.equal(hex(encode(value)), text);
  }
});

test('CBOR integers are written in their shortest forms', () => {
  for (const number of borders) {
    const length = number < 24 ? 1 : number < 256 ? 2 : number < 65_536 ? 3 : number < 2 ** 32 ? 5 : 9;
    assert.equal(encode(number).length, length, `${number}`);
    assert.equal(encode(-1 - number).length, length, `${-1 - number}`);
  }
});

// The other examples of appendix A, with types that the service does not write.
const foreign = [
  ['1bffffffffffffffff', 'a number that JavaScript rounds'],
  ['3bffffffffffffffff', 'its negative'],
  ['c249010000000000000000', 'a big number'],
  ['c349010000000000000000', 'a big negative number'],
  ['f90000', 'a half'],
  ['f93c00', 'a half'],
  ['f97e00', 'a half that is no number'],
  ['fa47c35000', 'a single'],
  ['f7', 'undefined'],
  ['f0', 'a simple value'],
  ['f818', 'a simple value'],
  ['f8ff', 'a simple value'],
  ['c074323031332d30332d32315432303a30343a30305a', 'a date as text'],
  ['c11a514b67b0', 'a date as seconds'],
  ['c1fb41d452d9e8200000', 'a date as seconds'],
  ['d74401020304', 'a hint'],
  ['d818456449455446', 'CBOR in bytes'],
  ['d82076687474703a2f2f7777772e6578616d706c652e636f6d', 'an address'],
  ['5f42010243030405ff', 'bytes in pieces'],
  ['7f657374726561646d696e67ff', 'a text in pieces'],
  ['9fff', 'a list without a length'],
  ['9f018202039f0405ffff', 'lists without a length'],
  ['83018202039f0405ff', 'a list without a length'],
  ['83019f0203ff820405', 'a list without a length'],
  ['bf61610161629f0203ffff', 'a map without a length'],
  ['bf6346756ef563416d7421ff', 'a map without a length'],
  ['826161bf61626163ff', 'a map without a length'],
  ['ff', 'an end of nothing'],
  ['1c', 'a reserved length'],
];

test('CBOR types that the service does not write are refused', () => {
  for (const [text, what] of foreign) assert.throws(() => decode(bytes(text)), RangeError, `${what}: ${text}`);
});

test('bytes behind a CBOR value are refused', () => {
  for (const [text] of examples) assert.throws(() => decode(bytes(`${text}00`)), RangeError, text);
});

test('CBOR that is cut anywhere is refused', () => {
  for (let seed = 0; seed < 150; seed++) {
    const whole = encode([randomValue(new Chance(seed)), new Moment(1_790_000_000_123_456)]);
    for (let count = 0; count < whole.length; count += whole.length > 300 ? 7 : 1) {
      assert.throws(() => decode(whole.subarray(0, count)), RangeError, `seed ${seed}, ${count} bytes`);
    }
  }
});

test('damaged CBOR is read or refused', () => {
  for (let seed = 0; seed < 3000; seed++) {
    const chance = new Chance(seed);
    const whole = encode(randomValue(chance));
    for (let count = 0; count <= chance.below(3); count++) whole[chance.below(whole.length)] = chance.below(256);
    try {
      decode(whole);
    } catch (error) {
      // Browsers throw a TypeError for a text that is not UTF-8.
      assert.ok(error instanceof RangeError || error instanceof TypeError, `seed ${seed}: ${error.stack}`);
    }
  }
});

test('a CBOR text that is not UTF-8 is refused, and a byte order mark stays', () => {
  assert.throws(() => decode(bytes('62c328')), TypeError);
  assert.equal(decode(bytes('63efbbbf')), '\ufeff');
});

test('a CBOR length beyond the bytes is refused at once', () => {
  for (const head of ['5a', '7a', '9a', 'ba']) {
    assert.throws(() => decode(bytes(`${head}7fffffff00`)), RangeError, head);
  }
});

test('nested lists with huge declared counts take no memory', () => {
  // Memory for the declared counts would be gigabytes.
  const claims = new Uint8Array(300_000);
  const view = new DataView(claims.buffer);
  for (let offset = 0; offset < 5000; offset += 5) {
    view.setUint8(offset, offset % 2 ? 0x9a : 0xba);
    view.setUint32(offset + 1, claims.length - offset - 5);
  }
  const before = process.memoryUsage().rss;
  assert.throws(() => decode(claims), RangeError);
  assert.ok(process.memoryUsage().rss - before < 200e6);
});

test('lists that are nested deeper than any stack are refused', () => {
  assert.throws(() => decode(new Uint8Array(1_000_000).fill(0x81)), RangeError);
});

test('a moment has seconds that are rounded down and microseconds that are positive', () => {
  const head = 'd903e9a201';
  for (
    const [microseconds, text] of [
      [0, '00 25 00'],
      [1_500_000, '01 25 1a0007a120'],
      [-1, '20 25 1a000f423f'],
      [-1_000_000, '20 25 00'],
    ]
  ) {
    assert.equal(hex(encode(new Moment(microseconds))), head + text.replaceAll(' ', ''));
    assert.deepStrictEqual(decode(encode(new Moment(microseconds))), new Moment(microseconds));
  }
});

test('a CBOR moment of another form is refused', () => {
  for (
    const [text, what] of [
      ['d903eaa2012625 00', 'another tag'],
      ['d903e9a1012500', 'one entry'],
      ['d903e9a2022625 00', 'another first key'],
      ['d903e9a2010026 00', 'another second key'],
      ['d903e9a201616125 00', 'a text for seconds'],
      ['d903e9a2010025 f6', 'nothing for microseconds'],
      ['d903e9a201810525 00', 'a list for seconds'],
      ['d903e9a201fb7ff80000000000002500', 'seconds that are no number'],
    ]
  ) assert.throws(() => decode(bytes(text)), RangeError, what);
});

test('byte strings are copies of the answer', () => {
  const answer = bytes('4401020304');
  const read = decode(answer);
  answer.fill(0);
  assert.deepStrictEqual(read, bytes('01020304'));
});

test('names such as __proto__ are ordinary names of a map', () => {
  const read = decode(encode(Object.fromEntries([['__proto__', 1], ['constructor', 2]])));
  assert.deepStrictEqual(Object.entries(read).sort(), [['__proto__', 1], ['constructor', 2]]);
});

test('CBOR that begins in the middle of a larger buffer is read', () => {
  const memory = bytes('ff ff fb3ff199999999999a ff');
  assert.equal(decode(memory.subarray(2, 11)), 1.1);
});
