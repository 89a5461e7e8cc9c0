// Defines `<pentimento-canvas>` and `<pentimento-tools>`, with addresses that bundlers recognize.

import './pentimento-canvas.js';

// The addresses of the worker's script and of the engines, for apps that move them: { worker, engines },
// the engine for drawing before the whole one. To be called before a canvas opens a drawing.
export function configure(addresses) {
  const canvas = globalThis.customElements?.get('pentimento-canvas');
  if (canvas) Object.assign(canvas.parts, addresses);
}

try {
  configure({
    worker: new URL('./pentimento-canvas-worker.js', import.meta.url).href,
    engines: [
      new URL('./canvas.wasm', import.meta.url).href,
      new URL('./engine.wasm', import.meta.url).href,
    ],
  });
} catch {
  // A bundle that is a classic script has no address of a module: the files are beside the script.
}
