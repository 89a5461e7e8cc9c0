// Uses the package as an app does, and prints a line for each result: node package.mjs FILE OPTIONS…
// Runs in a folder in whose node_modules the package is.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import * as pentimento from 'pentimento';

const [file, ...options] = process.argv.slice(2);
const bytes = readFileSync(file);
const hash = (data) => createHash('sha256').update(data).digest('hex');

for (const text of options) {
  const { width, height, data } = await pentimento.pixels(bytes, JSON.parse(text));
  const png = await pentimento.render(bytes, JSON.parse(text));
  const isSame = pixelsOf(png).equals(Buffer.from(data.buffer));
  console.log(`${width}x${height} ${hash(data)} ${isSame}`);
}
const small = await pentimento.pixels(file, { size: 256, margin: 0.06 });
console.log(
  `${small.width}x${small.height} ${hash(small.data)} ${
    pixelsOf(await pentimento.thumbnail(new URL(`file://${process.cwd()}/${file}`))).equals(
      Buffer.from(small.data.buffer),
    )
  }`,
);
for (const type of ['svg', 'pdf', 'pkd']) console.log(hash(await pentimento.convert(bytes, type)));
for (
  const attempt of [
    () => pentimento.render(new Uint8Array([1, 2, 3])),
    () => pentimento.render(bytes, { scale: -1 }),
    () => pentimento.render(bytes, { scale: 1e6 }),
    () => pentimento.render('missing.pkd'),
    () => pentimento.convert(bytes, 'gif'),
  ]
) console.log(await attempt().then(() => 'no error', ({ code }) => code));

// RGBA of a PNG that the package has written, with other code than its own.
function pixelsOf(bytes) {
  const png = Buffer.from(bytes);
  const chunks = {};
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    chunks[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
  }
  const [width, height] = [chunks.IHDR.readUInt32BE(0), chunks.IHDR.readUInt32BE(4)];
  const step = chunks.IHDR[9] === 6 ? 4 : 3;
  const rows = inflateSync(chunks.IDAT);
  const pixels = Buffer.alloc(4 * width * height, 255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * (width * step + 1) + 1 + x * step;
      rows.copy(pixels, 4 * (y * width + x), from, from + step);
    }
  }
  return pixels;
}
