// Pictures, vector files and facts of ink, by the engine of web pages: in pages, their workers, and Node.

import { Engine, EngineError } from './engine.mjs';
import { pngOf } from './png.mjs';

export { EngineError };

// The longer side of thumbnails in pixels, and the space around their ink, as those of `pkd`.
const thumbnailSide = 256;
const thumbnailMargin = 0.06;

// Reads the file at a path or a URL: Node replaces it.
export const files = {
  async read(address) {
    const response = await fetch(address);
    if (!response.ok) throw Object.assign(new Error(`${address}: ${response.status}`), { status: response.status });
    return new Uint8Array(await response.arrayBuffer());
  },
};

let loading;
const loaded = () => {
  loading ??= files.read(new URL('./engine.wasm', import.meta.url)).then((bytes) => Engine.load(bytes));
  return loading;
};

// Opens ink, gives it to a function, and closes it. A source is the path or the URL of a file, or the
// bytes of a recording or of a PencilKit archive.
async function withDrawing(source, body) {
  const isFile = typeof source === 'string' || source instanceof URL;
  const [engine, bytes] = await Promise.all([loaded(), isFile ? files.read(source) : source]);
  const drawing = engine.open(bytes);
  try {
    return body(drawing);
  } finally {
    if (drawing.exports === engine.exports) drawing.close();
  }
}

// A picture as { width, height, data }: RGBA with straight alpha. Without a time it shows the end.
export function pixels(source, { size, at = Infinity, ...look } = {}) {
  return withDrawing(source, (drawing) => {
    const view = drawing.view({ ...look, side: size ?? 0 });
    try {
      view.show(at);
      return { width: view.width, height: view.height, data: view.pixels() };
    } finally {
      view.close();
    }
  });
}

// A picture as the bytes of a PNG.
export async function render(source, options) {
  return await pngOf(await pixels(source, options));
}

export function thumbnail(source, options) {
  return render(source, { size: thumbnailSide, margin: thumbnailMargin, ...options });
}

// The ink as the bytes of another file: 'svg', 'pdf', 'pkd' with the whole recording, or 'drawing', an
// archive of PencilKit.
export function convert(source, type, { density } = {}) {
  return withDrawing(source, (drawing) => {
    if (type === 'pkd') return drawing.write();
    return type === 'drawing' ? drawing.archive() : drawing.vectors(type, density);
  });
}

// Facts about ink. Sizes are points, and times seconds.
export function info(source) {
  return withDrawing(source, (drawing) => ({
    size: drawing.size,
    paper: drawing.paper,
    ...drawing.facts,
    duration: drawing.duration,
    isDamaged: drawing.isDamaged,
  }));
}
