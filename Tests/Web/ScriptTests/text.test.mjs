// The player's module that reads bytes from the text of a page.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, load, player } from './support.mjs';

const { bytesOfText } = await load(player, 'text.mjs');

// Like `SevenBitText` in Swift: seven bits for each character, and two others for a character that
// is special in HTML.
function textOfBytes(bytes) {
  const replaced = [0, 13, 60];
  const codes = [];
  let pending = -1;
  const add = (value) => {
    if (pending >= 0) {
      codes.push(160 + 128 * pending + value);
      pending = -1;
    } else {
      pending = replaced.indexOf(value);
      if (pending < 0) codes.push(value);
    }
  };
  let [bits, bitCount] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    while (bitCount >= 7) {
      bitCount -= 7;
      add((bits >> bitCount) & 127);
    }
  }
  if (bitCount > 0) add((bits << (7 - bitCount)) & 127);
  if (pending >= 0) add(0);
  return String.fromCharCode(...codes);
}

test('random bytes of all lengths round-trip through 7-bit text', () => {
  for (let count = 0; count < 600; count++) {
    const bytes = new Chance(count).bytes(count);
    assert.deepStrictEqual(bytesOfText(textOfBytes(bytes), count), bytes, `${count} bytes`);
  }
});

test('bytes with special characters of HTML round-trip through 7-bit text', () => {
  for (let seed = 0; seed < 600; seed++) {
    const chance = new Chance(seed);
    // Runs of 0, of 13 in each seven bits, and of `<` in each.
    const pattern = chance.pick([[0], [0x1a, 0x34, 0x68, 0xd1, 0xa3, 0x46, 0x8d], [
      0x78,
      0xf1,
      0xe3,
      0xc7,
      0x8f,
      0x1e,
      0x3c,
    ]]);
    const bytes = Uint8Array.from(
      { length: chance.below(60) },
      (_, index) => (chance.below(20) ? pattern[index % pattern.length] : chance.below(256)),
    );
    const text = textOfBytes(bytes);
    assert.deepStrictEqual(bytesOfText(text, bytes.length), bytes, `seed ${seed}`);
    assert.ok(!/[\0\r<]/.test(text), `seed ${seed}`);
  }
});

test('7-bit text is read for all pairs of characters', () => {
  for (let pair = 0; pair < 1 << 14; pair++) {
    const bytes = Uint8Array.of(pair >> 6, (pair << 2) & 255);
    assert.deepStrictEqual(bytesOfText(textOfBytes(bytes), 2), bytes, `${pair}`);
  }
});

test('7-bit text that is too short leaves zeros, and one too long is cut', () => {
  const text = textOfBytes(Uint8Array.of(1, 2, 3));
  assert.deepStrictEqual(bytesOfText(text, 5), Uint8Array.of(1, 2, 3, 0, 0));
  assert.deepStrictEqual(bytesOfText(text, 2), Uint8Array.of(1, 2));
  assert.deepStrictEqual(bytesOfText('', 2), Uint8Array.of(0, 0));
});
