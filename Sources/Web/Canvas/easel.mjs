// The drawing under the pen: the engine's document, and its view on the screen.

import { Engine, EngineError } from './engine.mjs';

// The pen's commands: the name of each, and the call of the document.
const calls = {
  begin: (document, [ink, color, width, time, tolerance]) =>
    document.beginStroke({ ink, color, width, time, tolerance }),
  draw: (document, [samples]) => document.draw(samples),
  redraw: (document, [samples]) => document.redraw(samples),
  tidy: (document, [time]) => document.tidy(time),
  beginErasing: (document, [kind, width, time]) => document.beginErasing({ kind, width, time }),
  erase: (document, [samples]) => document.erase(samples),
  end: (document, [time]) => document.end(time),
  cancel: (document) => document.cancel(),
  undo: (document, [time]) => document.undo(time),
  redo: (document, [time]) => document.redo(time),
  clear: (document, [time]) => document.clear(time),
  select: (document, [polygon, isAdding]) => document.select(polygon, isAdding),
  selectAt: (document, [x, y, reach, isAdding]) => document.selectAt(x, y, reach, isAdding),
  selectAll: (document) => document.selectAll(),
  deselect: (document) => document.deselect(),
  beginDrag: (document) => document.beginDrag(),
  drag: (document, numbers) => document.drag(...numbers),
  transform: (document, numbers) => document.transform(numbers.slice(0, 6), numbers[6]),
  restyle: (document, [style, time]) => document.restyle({ ...style, time }),
  reorder: (document, [isToFront, time]) => document.reorder(isToFront, time),
  duplicate: (document, [x, y, time]) => document.duplicate(x, y, time),
  insert: (document, [file, x, y, time]) => document.insert(file, x, y, time),
  deleteSelection: (document, [time]) => document.deleteSelection(time),
  paper: (document, [paper]) => {
    document.paper = paper;
  },
  size: (document, [size]) => {
    document.size = size;
  },
};

// Commands that change the finished drawing.
export const finishing = new Set([
  'end',
  'undo',
  'redo',
  'clear',
  'deleteSelection',
  'tidy',
  'transform',
  'restyle',
  'reorder',
  'duplicate',
  'insert',
  'paper',
  'size',
]);

// The longer side of a copied picture in pixels.
const mostCopied = 2000;

const newRun = () => crypto.getRandomValues(new Uint8Array(16));

// The compiled engines by their addresses, for all canvases of the worker.
const modules = new Map();

async function moduleAt(address) {
  if (!modules.has(address)) modules.set(address, Engine.load(address).then(({ module }) => module));
  try {
    return await modules.get(address);
  } catch (error) {
    modules.delete(address);
    throw error;
  }
}

export class Easel {
  // `whole` is the address of an engine that merges and writes vector files, too; it is loaded when it is
  // needed. Without it, the engine does both.
  static async load(address, whole) {
    return new Easel(new Engine(await moduleAt(address)), whole);
  }

  constructor(engine, whole) {
    this.engine = engine;
    this.wholeAddress = whole;
  }

  // A promise of a new engine with all functions. Its memory is freed after its work, and a trap in it
  // closes no page.
  async whole() {
    return new Engine(this.wholeAddress ? await moduleAt(this.wholeAddress) : this.engine.module);
  }

  // Opens a recording, or an empty page without edges, takes the pen, and repeats later commands. The
  // identifiers of strokes are derived from the run, which is that of all commands since the recording:
  // repeated, they make the same strokes.
  //
  // A command at which the engine stops is skipped: it must not prevent the later commands.
  open(record) {
    const left = new Set();
    while (!this.tryOpen(record, left)) if (left.size > 8) throw new EngineError('stopped');
  }

  // Throws the problem of a file that cannot be opened, before the open one is closed.
  check(bytes) {
    this.engine.open(bytes).close();
  }

  tryOpen({ recording, run, commands = [] }, left) {
    this.document?.close();
    this.document = undefined;
    this.document = recording ? this.engine.open(recording) : this.engine.create();
    this.run = run ?? newRun();
    this.document.takePen(this.run);
    for (const [index, command] of commands.entries()) {
      if (left.has(index)) continue;
      try {
        this.apply(command);
      } catch (error) {
        if (error.code !== 'stopped') continue;
        left.add(index);
        return false;
      }
    }
    // A stroke that was unfinished when the page was closed ends at its last point.
    this.document.end();
    return true;
  }

  // The document as the bytes of a file. Another run begins with it.
  write() {
    const recording = this.document.write();
    this.run = newRun();
    this.document.beginSession(this.run);
    return recording;
  }

  apply([name, ...values]) {
    return calls[name](this.document, values);
  }

  predict(samples, count) {
    this.document.draw(samples, count);
  }

  // MARK: Files

  hash(bytes) {
    return this.engine.hash(bytes);
  }

  // The selected strokes as a file of their own, and as pictures for other programs; null for a
  // picture that needs too much memory.
  async copySelection() {
    const file = this.document.writeSelection();
    let [svg, picture] = [null, null];
    try {
      const copy = new Engine(this.engine.module).open(file);
      const side = Math.max(...(this.document.selectionBounds ?? []).slice(2), 1);
      picture = await blobOf(finalView(copy, { scale: Math.min(2, mostCopied / side), background: 'none' }));
      svg = (await this.whole()).open(file).vectors('svg', Math.min(2.5, Math.max(mostCopied / side, 0.1)));
    } catch (error) {
      // Without a network, a whole engine may be missing.
      if (error.code && !['stopped', 'tooLarge', 'noPicture'].includes(error.code)) throw error;
    }
    return { file, svg, picture };
  }

  // MARK: The view

  // Shows a part of the page on a canvas in place of the previous part, block by block, so that the
  // pen does not wait. Without a canvas, pixels are returned.
  show({ canvas, ...options }) {
    this.view?.close();
    this.view = undefined;
    this.options = options;
    this.view = this.document.view({ ...options, isLive: true });
    const { width, height } = this.view;
    this.middle = [width / 2, height / 2];
    this.drawOn(canvas);
    if (canvas) Object.assign(canvas, { width, height });
    return this.facts(this.update());
  }

  // Moves the part that is shown by blocks, onto another canvas.
  move({ right, down, canvas }) {
    const before = this.context?.canvas;
    const { width, height, blockSide } = this.view;
    this.view.move(right, down);
    this.drawOn(canvas);
    if (canvas) {
      Object.assign(canvas, { width, height });
      this.context.drawImage(before, -right * blockSide, -down * blockSide);
    }
    return this.facts(this.update());
  }

  drawOn(canvas) {
    this.context = canvas?.getContext('2d', { desynchronized: true });
  }

  facts(parts) {
    const { width, height, left, top, blockSide } = this.view;
    return { width, height, left, top, side: blockSide, parts };
  }

  // Shows the pen's changes. Returns pixels for pages whose workers have no canvas.
  update() {
    return this.view ? this.paint(joined(this.view.updateDrawn())) : [];
  }

  // Draws blocks that wait for some milliseconds, the middle first. Returns pixels as `update`.
  drawBlocks(time) {
    const parts = [];
    const end = performance.now() + time;
    while (this.waits && performance.now() < end) parts.push(...this.paint(this.view.drawBlock(...this.middle)));
    return parts;
  }

  // Whether blocks are not drawn yet.
  get waits() {
    return this.view !== undefined && this.view.waitingCount > 0;
  }

  paint(rects) {
    const parts = [];
    for (const rect of rects) {
      const pixels = this.view.pixels(rect);
      if (this.context) this.context.putImageData(new ImageData(pixels, rect[2], rect[3]), rect[0], rect[1]);
      else parts.push({ rect, pixels });
    }
    return parts;
  }

  // The view's pixels around a point of the page: a square with `reach` pixels on each side of the one
  // in its middle. At an edge of the view, it is the last square inside.
  around([x, y], reach) {
    const { left, top, width, height } = this.view;
    const { scale } = this.options;
    const first = (distance, length) =>
      Math.min(Math.max(Math.floor(distance * scale) - reach, 0), length - 2 * reach - 1);
    const side = 2 * reach + 1;
    return this.view.pixels([first(x - left, width), first(y - top, height), side, side]);
  }

  // MARK: Other pictures

  // The box of the page, or around all ink on one without edges; null without ink there.
  get box() {
    const { size, inkBounds } = this.document;
    return size ? [0, 0, ...size] : inkBounds;
  }

  // A small picture for the gallery; null where workers have no canvas, or without ink.
  async thumbnail(side = 256) {
    const box = this.document.inkBounds && this.box;
    if (!box || !globalThis.OffscreenCanvas) return null;
    const view = this.document.view({
      scale: side / Math.max(box[2], box[3], 1),
      background: '#fffdf8',
      paper: 'page',
      isLive: true,
    });
    try {
      view.update();
      return await blobOf(view);
    } finally {
      view.close();
    }
  }

  // Small pictures of papers, as pixels of a square.
  papers(names, { side, points, ...options }) {
    const page = this.engine.create();
    page.takePen();
    const pictures = names.map((paper) => {
      const region = [0, 0, points, points];
      const view = page.view({ ...options, paper, scale: side / points, region, isLive: true });
      view.update();
      const pixels = view.pixels();
      view.close();
      return pixels;
    });
    page.close();
    return pictures;
  }
}

// A view of a document's finished drawing. It is a live one, because the engine of canvases has no
// replays.
export function finalView(document, options) {
  document.takePen();
  const view = document.view({ ...options, isLive: true });
  view.update();
  return view;
}

// A view as a picture file; null where workers have no canvas.
async function blobOf(view) {
  if (!globalThis.OffscreenCanvas) return null;
  const canvas = new OffscreenCanvas(view.width, view.height);
  canvas.getContext('2d').putImageData(new ImageData(view.pixels(), view.width, view.height), 0, 0);
  return await canvas.convertToBlob();
}

// A few rectangles: their bounding box replaces five or more.
function joined(rects) {
  if (rects.length < 5) return rects;
  const [left, top] = [0, 1].map((side) => Math.min(...rects.map((rect) => rect[side])));
  const [right, bottom] = [0, 1].map((side) => Math.max(...rects.map((rect) => rect[side] + rect[side + 2])));
  return [[left, top, right - left, bottom - top]];
}
