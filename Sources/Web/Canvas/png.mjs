// Pixels as a PNG file, for browsers, their workers, and Node. Canvases would round translucent pixels.

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
  const all = new Uint8Array(bytes.length + 12);
  const view = new DataView(all.buffer);
  view.setUint32(0, bytes.length);
  all.set([...name].map((letter) => letter.charCodeAt(0)), 4);
  all.set(bytes, 8);
  view.setInt32(bytes.length + 8, checksum(all.subarray(4, -4)));
  return all;
}

const deflated = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer();

// RGBA with straight alpha as the bytes of a file; opaque pictures are stored without alpha.
export async function pngOf({ width, height, data }) {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const isOpaque = pixels.every((pixel) => pixel >>> 24 === 255);
  const step = isOpaque ? 3 : 4;
  const rows = new Uint8Array(height * (width * step + 1));
  let to = 0;
  for (let y = 0; y < height; y++) {
    to += 1; // Filter 0: areas of one colour stay equal bytes.
    for (let from = 4 * y * width; from < 4 * (y + 1) * width; from += 4) {
      for (let part = 0; part < step; part++) rows[to++] = data[from + part];
    }
  }
  const head = new Uint8Array(13);
  new DataView(head.buffer).setUint32(0, width);
  new DataView(head.buffer).setUint32(4, height);
  head.set([8, isOpaque ? 2 : 6], 8);
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', head),
    chunk('sRGB', [0]),
    chunk('IDAT', new Uint8Array(await deflated(rows))),
    chunk('IEND', []),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
