import { Engine, EngineError } from './engine.mjs';
import { bytesOfText } from './text.mjs';

// The worker, which holds the engine and draws. Each request has a number, which its response
// repeats.

let engine, bytes, document, shown;

const answers = {
  // Loads the engine and opens a drawing. Either may be { text, count }, if it is packed in the
  // page.
  async load({ source, drawing, isSheet }) {
    const loading = Engine.load(source.text ? bytesOfText(source.text, source.count) : source);
    bytes = drawing.text === undefined ? drawing : bytesOfText(drawing.text, drawing.count);
    engine = await loading;
    open();
    const { width, height, steps, isDamaged } = document;
    const region = width > 0 && height > 0 ? [0, 0, width, height] : regionOfInk();
    return { steps, isDamaged, region, hasBackground: !isSheet && document.hasBackground };
  },

  // Opens a view of a part of the page in place of the previous one, and shows a moment in it.
  view({ options, seconds, canvas }) {
    shown?.close();
    shown = undefined;
    shown = new Shown(options, canvas);
    return { ...shown.size, ...shown.show(seconds) };
  },

  show({ seconds }) {
    if (!shown) throw new EngineError('unknownHandle');
    return shown.show(seconds);
  },

  inks() {
    return document.facts.inks;
  },

  // The pixels of a moment, as `pkd` writes them.
  pixels({ options, seconds }) {
    try {
      return picture(options, seconds);
    } catch (error) {
      if (error.code !== 'tooLarge' || !shown) throw error;
      // Frees the memory of the view on the screen; it is opened again when it is needed.
      shown.close();
      return picture(options, seconds);
    }
  },
};

function picture(options, seconds) {
  const view = document.view(options);
  try {
    view.show(seconds);
    return { width: view.width, height: view.height, data: view.pixels() };
  } finally {
    view.close();
  }
}

function open() {
  document?.close();
  document = undefined;
  document = engine.open(bytes);
}

// The bounding box of all ink, for pages without edges, as for a picture; at a smaller scale if it
// would be too large. Tiny ink gets a margin, so that a dot does not fill the view.
function regionOfInk() {
  for (let scale = 1;; scale /= 4) {
    try {
      const view = document.view({ scale });
      const [width, height] = [view.width / scale, view.height / scale];
      const air = Math.max(0, (128 - Math.max(width, height)) / 2);
      const region = [view.left - air, view.top - air, width + 2 * air, height + 2 * air];
      view.close();
      return region;
    } catch (error) {
      if (error.code !== 'tooLarge' || scale < 1e-6) throw error;
    }
  }
}

// The view that is on the screen, and its canvas.
class Shown {
  constructor(options, canvas) {
    this.options = options;
    this.open();
    const { width, height, left, top, background } = this.view;
    this.size = { width, height, left, top, background };
    this.context = canvas?.getContext('2d');
    if (canvas) Object.assign(canvas, { width, height });
  }

  open() {
    this.view = document.view(this.options);
    this.stepsToWarm = document.steps.length / 3;
    this.warmed = 0;
    this.stride = 4;
  }

  // Shows a moment: on the canvas, or by sending pixels to the page where workers have no canvas.
  show(seconds) {
    const start = performance.now();
    if (this.view?.document !== document) this.open();
    this.collect(this.view.show(seconds));
    const parts = this.changes.map((rect) => ({ rect, pixels: this.view.pixels(rect) }));
    this.changes = [];
    this.seconds = seconds;
    if (this.context) {
      for (const { rect: [x, y, width, height], pixels } of parts) {
        this.context.putImageData(new ImageData(pixels, width, height), x, y);
      }
    }
    this.warmLater();
    return { parts: this.context ? [] : parts, took: performance.now() - start };
  }

  // The rectangles of the view that the canvas does not show yet. If there are five or more, their
  // bounding box replaces them.
  changes = [];
  collect(rects) {
    this.changes.push(...rects);
    if (this.changes.length < 5) return;
    const [left, top] = [0, 1].map((side) => Math.min(...this.changes.map((rect) => rect[side])));
    const [right, bottom] = [0, 1].map((side) => Math.max(...this.changes.map((rect) => rect[side] + rect[side + 2])));
    this.changes = [[left, top, right - left, bottom - top]];
  }

  // Uses idle time to draw all moments in the view, without putting them on the canvas. This fills
  // the engine's cache of layers, which makes every seek fast. It is done in slices of about 15 ms:
  // requested frames are handled between slices, and postpone the next one.
  warmLater(milliseconds = 250) {
    clearTimeout(this.timer);
    if (this.warmed < this.stepsToWarm) this.timer = setTimeout(() => this.warm(), milliseconds);
  }

  warm() {
    const start = performance.now();
    this.warmed = Math.min(this.warmed + this.stride, this.stepsToWarm);
    try {
      this.collect(this.view.showSteps(this.warmed));
    } catch {
      return; // the next request starts again, or reports the error
    }
    const took = performance.now() - start;
    this.stride = Math.max(Math.min(Math.round((this.stride * 15) / Math.max(took, 1)), 4 * this.stride), 1);
    this.warmLater(0);
  }

  close() {
    clearTimeout(this.timer);
    this.view?.close();
    this.view = undefined;
  }
}

onmessage = async ({ data: { number, kind, ...message } }) => {
  try {
    // A stopped engine was replaced by a new instance, in which the drawing is opened again.
    if (kind !== 'load' && document?.exports !== engine.exports) open();
    const answer = await answers[kind](message);
    const pixels = answer.parts?.map((part) => part.pixels) ?? [answer.data];
    postMessage({ number, answer }, pixels.filter(Boolean).map((array) => array.buffer));
  } catch (error) {
    const code = error instanceof EngineError ? error.code : 'failed';
    postMessage({ number, error: { code, message: error.message } });
  }
};
