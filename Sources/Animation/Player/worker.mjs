import { Engine, EngineError } from './engine.mjs';
import { bytesOfText } from './text.mjs';

// The worker that holds the engine and draws. Every message has a number, and is answered by one with this number.

let engine, bytes, document, shown;

const answers = {
  // Loads the engine and opens a drawing. Either may be { text, count }, as it stands in a page.
  async load({ source, drawing, isSheet }) {
    const loading = Engine.load(source.text ? bytesOfText(source.text, source.count) : source);
    bytes = drawing.text === undefined ? drawing : bytesOfText(drawing.text, drawing.count);
    engine = await loading;
    open();
    const { width, height, steps, isDamaged } = document;
    const region = width > 0 && height > 0 ? [0, 0, width, height] : regionOfInk();
    return { steps, isDamaged, region, hasBackground: !isSheet && document.hasBackground };
  },

  // Opens a view of a part of the page, shows a moment, and closes the view before.
  view({ options, seconds, canvas }) {
    const old = shown;
    shown = undefined;
    try {
      shown = new Shown(options, canvas);
    } finally {
      old?.close();
    }
    return { ...shown.size, ...shown.show(seconds) };
  },

  show: ({ seconds }) => shown.show(seconds),

  // The pixels of a moment, as `pkd` writes them.
  pixels({ options, seconds }) {
    const view = document.view(options);
    try {
      view.show(seconds);
      return { width: view.width, height: view.height, data: view.pixels() };
    } finally {
      view.close();
    }
  },
};

function open() {
  document?.exports === engine.exports && document.close();
  document = engine.open(bytes);
}

// A page without edges shows all its ink. Pictures that are too large are measured smaller.
function regionOfInk() {
  for (let scale = 1; ; scale /= 4) {
    try {
      const view = document.view({ scale });
      const region = [view.left, view.top, view.width / scale, view.height / scale];
      view.close();
      return region;
    } catch (error) {
      if (error.code !== 'tooLarge' || scale < 1e-6) throw error;
    }
  }
}

// A view on the screen.
class Shown {
  constructor(options, canvas) {
    this.view = document.view(options);
    const { width, height, left, top } = this.view;
    this.size = { width, height, left, top };
    this.context = canvas?.getContext('2d');
    if (canvas) Object.assign(canvas, { width, height });
    this.stepsToWarm = document.steps.length / 3;
    this.warmed = 0;
    this.stride = 4;
  }

  // Shows a moment: on the canvas, or by pixels for the page where workers have no canvas.
  show(seconds) {
    const start = performance.now();
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

  // What differs between the canvas and the view: few rectangles, or the box around many.
  changes = [];
  collect(rects) {
    this.changes.push(...rects);
    if (this.changes.length < 5) return;
    const [left, top] = [0, 1].map((side) => Math.min(...this.changes.map((rect) => rect[side])));
    const [right, bottom] = [0, 1].map((side) => Math.max(...this.changes.map((rect) => rect[side] + rect[side + 2])));
    this.changes = [[left, top, right - left, bottom - top]];
  }

  // Idle time is used to show all moments, which fills the engine's store of layers: every seek is fast then.
  // Slices take about 15 ms. A frame that is asked for meanwhile comes first, and playing postpones them.
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
      return;  // the next call tells what is wrong
    }
    const took = performance.now() - start;
    this.stride = Math.max(Math.min(Math.round((this.stride * 15) / Math.max(took, 1)), 4 * this.stride), 1);
    this.warmLater(0);
  }

  close() {
    clearTimeout(this.timer);
    if (this.view.exports === engine.exports) this.view.close();
  }
}

// After a stop of the engine the drawing is opened again; a view that is asked for then is a new one.
onmessage = async ({ data: { number, kind, ...message } }) => {
  try {
    const answer = await answers[kind](message);
    const pixels = answer.parts?.map((part) => part.pixels) ?? [answer.data];
    postMessage({ number, answer }, pixels.filter(Boolean).map((array) => array.buffer));
  } catch (error) {
    const code = error instanceof EngineError ? error.code : 'failed';
    if (code === 'stopped') {
      try { open(); } catch { /* the next call answers with this error */ }
    }
    postMessage({ number, error: { code, message: error.message } });
  }
};
