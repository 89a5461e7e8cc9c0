// Writes a drawing as SVG or PDF, with a separate engine: if its memory is insufficient, nothing
// else is lost.

import { Engine } from './engine.mjs';

// Textured inks are embedded as pictures. If these are too large for the engine, a lower pixel
// density is tried.
const densities = [2.5, 1.25, 0.5];

function write(engine, recording, form) {
  for (const [index, density] of densities.entries()) {
    const document = engine.open(recording);
    try {
      return document.vectors(form, density);
    } catch (error) {
      if (!['tooLarge', 'stopped'].includes(error.code) || index + 1 === densities.length) throw error;
    } finally {
      document.close();
    }
  }
}

onmessage = async ({ data: { number, recording, form } }) => {
  try {
    const engine = await Engine.load(new URL('engine.wasm', import.meta.url).href);
    const answer = write(engine, recording, form);
    postMessage({ number, answer }, [answer.buffer]);
  } catch (error) {
    postMessage({ number, error: { code: error.code ?? 'failed', message: error.message } });
  }
};
