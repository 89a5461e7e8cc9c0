import { PentimentoDrawing } from './element.mjs';

// The element in pages of others. The worker and the engine lie beside this script.
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
