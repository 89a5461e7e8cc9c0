import { PentimentoDrawing } from './element.mjs';

// Defines the element for pages that load this script, as a classic script, as a module or by
// import(). The worker's script and the engine must be beside it. A module has no `currentScript`,
// and `import.meta` is an error in classic scripts; the stack of an error contains the script's URL
// in both.
const here = document.currentScript?.src ?? new Error().stack.match(/[a-z-]+:\/\/[^\s()]*?(?=:\d+:\d+)/)?.[0] ??
  document.baseURI;
PentimentoDrawing.parts = {
  worker: new URL('pentimento-worker.js', here).href,
  engine: new URL('player.wasm', here).href,
  styles: [styles.tokens, styles.element].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  }),
};
if (!customElements.get('pentimento-drawing')) customElements.define('pentimento-drawing', PentimentoDrawing);
