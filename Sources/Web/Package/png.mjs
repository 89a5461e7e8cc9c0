// Pixels as a PNG file.

import { deflateSync } from 'node:zlib';

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ~sum;
}

function chunk(name, bytes) {
  const all = Buffer.alloc(bytes.length + 12);
  all.writeUInt32BE(bytes.length);
  all.write(name, 4, 'latin1');
  all.set(bytes, 8);
  all.writeInt32BE(checksum(all.subarray(4, -4)), bytes.length + 8);
  return all;
}

// RGBA with straight alpha as the bytes of a file; opaque pictures are stored without alpha.
export function pngOf({ width, height, data }) {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const isOpaque = pixels.every((pixel) => pixel >>> 24 === 255);
  const step = isOpaque ? 3 : 4;
  const rows = Buffer.alloc(height * (width * step + 1));
  let to = 0;
  for (let y = 0; y < height; y++) {
    to += 1; // Filter 0: areas of one colour stay equal bytes.
    for (let from = 4 * y * width; from < 4 * (y + 1) * width; from += 4) {
      for (let part = 0; part < step; part++) rows[to++] = data[from + part];
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, isOpaque ? 2 : 6], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('sRGB', [0]),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', []),
  ]);
}
