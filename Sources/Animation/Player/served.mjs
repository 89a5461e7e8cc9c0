import { PentimentoDrawing } from './element.mjs';

// Defines the element for pages that load this script. The worker's script and the engine must lie beside it.
const here = document.currentScript.src;
PentimentoDrawing.parts = {
  worker: new URL('pentimento-worker.js', here).href,
  engine: new URL('engine.wasm', here).href,
  styles: [styles.tokens, styles.element].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  }),
};
customElements.define('pentimento-drawing', PentimentoDrawing);
