import { PentimentoCanvas } from './canvas.mjs';
import { InkElement } from './ink-element.mjs';
import { PentimentoTools } from './tools.mjs';

// Defines the elements for pages that load this script, as a classic script, as a module or by
// import(). The worker's script and the engines must be beside it. A module has no `currentScript`,
// and `import.meta` is an error in classic scripts; the stack of an error contains the script's URL
// in both.
// On a server, which has no document, it does nothing.
if (globalThis.document) {
  const here = document.currentScript?.src ?? new Error().stack.match(/[a-z-]+:\/\/[^\s()]*?(?=:\d+:\d+)/)?.[0] ??
    document.baseURI;
  InkElement.parts = {
    worker: new URL('pentimento-canvas-worker.js', here).href,
    engines: ['canvas.wasm', 'engine.wasm'].map((name) => new URL(name, here).href),
    styles: styles.map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    }),
  };
  PentimentoCanvas.define('pentimento-canvas');
  PentimentoTools.define('pentimento-tools');
}
