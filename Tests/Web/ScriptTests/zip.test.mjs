// Zip archives that the gallery writes, and the names of their files.

import assert from 'node:assert/strict';
import test from 'node:test';
import { load, site } from './support.mjs';

const { crc32, nameFor, Zip } = await load(site, 'zip.mjs');
const bytesOf = (text) => new TextEncoder().encode(text);

test('a checksum is the one that all readers of zip archives compute', () => {
  // The check value of the checksum's definition.
  assert.equal(crc32(bytesOf('123456789')), 0xcbf43926);
  assert.equal(crc32(new Uint8Array()), 0);
});

test('an archive lists its files with their places, sizes, checksums and times', async () => {
  const zip = new Zip();
  const files = [['é 山.png', Uint8Array.from({ length: 300 }, (_, index) => index)], ['b.pkd', new Uint8Array()]];
  for (const [name, bytes] of files) zip.add(name, bytes, new Date(2026, 10, 28, 23, 59, 58));
  const all = new DataView(await zip.blob().arrayBuffer());
  const end = all.byteLength - 22;
  assert.equal(all.getUint32(end, true), 0x06054b50);
  assert.equal(all.getUint16(end + 10, true), 2);
  let place = all.getUint32(end + 16, true);
  assert.equal(place + all.getUint32(end + 12, true), end);
  for (const [name, bytes] of files) {
    const length = all.getUint16(place + 28, true);
    const start = all.getUint32(place + 42, true);
    const part = (offset, size) => new Uint8Array(all.buffer, offset, size);
    assert.equal(all.getUint32(start, true), 0x04034b50);
    // The facts after version and signature are the same in both headers.
    assert.deepStrictEqual(part(start + 4, 26), part(place + 6, 26));
    assert.deepStrictEqual([all.getUint16(place + 8, true), all.getUint16(place + 10, true)], [0x800, 0]);
    assert.equal(all.getUint32(place + 12, true), (46 << 9 | 11 << 5 | 28) * 65536 + (23 << 11 | 59 << 5 | 29));
    assert.equal(all.getUint32(place + 16, true), crc32(bytes));
    assert.deepStrictEqual([all.getUint32(place + 20, true), all.getUint32(place + 24, true)], [
      bytes.length,
      bytes.length,
    ]);
    for (const offset of [place + 46, start + 30]) assert.deepStrictEqual(part(offset, length), bytesOf(name));
    assert.deepStrictEqual(part(start + 30 + length, bytes.length), bytes);
    place += 46 + length;
  }
  assert.equal(place, end);
});

test('names of files are safe on all systems, and differ', () => {
  const taken = new Set();
  const named = (title) => nameFor(title, taken);
  assert.equal(named('../a/b: c?'), 'a b c');
  assert.equal(named('A B C'), 'A B C (2)');
  assert.equal(named('山 水'), '山 水');
  assert.equal(named('\u0000\u202e...'), '_');
  assert.equal(named('...'), '_ (2)');
  assert.equal(named('😀'.repeat(200)).isWellFormed(), true);
});
