// The engine of `Sources/Web/WebEngine` as objects: documents, their views, and the pen.
//
// Failed calls throw an `EngineError`, never anything else. A trap in the module is a fault of the
// engine: a new instance then replaces it, and all documents and views of the old instance are
// closed.

// By the negative results of calls, from 0: a trap (`EngineError.swift`).
const problems = {
  stopped: 'The engine stopped because of an internal error, and was started again.',
  unknownHandle: 'The drawing or the view is closed.',
  notARecording: 'This is not a recording, or it cannot be read.',
  noPicture: 'There is nothing to show.',
  tooLarge: 'This is too large for a page.',
  invalidArgument: 'A value is invalid.',
  unreadable: 'A stroke cannot be read.',
  notWritable: 'The drawing has a value that files cannot hold.',
  wrongKind: 'This needs the pen, or a view of another kind.',
};

export class EngineError extends Error {
  constructor(code, cause) {
    super(problems[code], { cause });
    this.name = 'EngineError';
    this.code = code;
  }

  static ofResult(number) {
    return new EngineError(Object.keys(problems)[-number] ?? 'stopped');
  }
}

export class Engine {
  // The source is a URL, the bytes of the module, the bytes compressed with gzip, or a compiled
  // module.
  static async load(source) {
    if (source instanceof WebAssembly.Module) return new Engine(source);
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
      const bytes = new Uint8Array(source.buffer ?? source, source.byteOffset ?? 0, source.byteLength);
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return new Engine(await WebAssembly.compile(isPacked ? await unpacked(bytes) : bytes));
    }
    const response = await fetch(source);
    if (!response.ok) throw new Error(`${source}: ${response.status}`);
    const isModule = response.headers.get('content-type')?.startsWith('application/wasm');
    if (isModule) return new Engine(await WebAssembly.compileStreaming(response));
    return Engine.load(await response.arrayBuffer());
  }

  constructor(module) {
    this.module = module;
    this.restart();
  }

  restart() {
    this.exports = new WebAssembly.Instance(this.module).exports;
    this.exports.__wasm_call_ctors();
  }

  // Calls a function that returns a number or an address.
  read(name, ...values) {
    try {
      return this.exports[name](...values);
    } catch (error) {
      this.restart();
      throw new EngineError('stopped', error);
    }
  }

  // Calls a function whose negative results are errors.
  call(name, ...values) {
    const result = this.read(name, ...values);
    if (result < 0) throw EngineError.ofResult(result);
    return result;
  }

  // An array over a part of the engine's memory. Any later call may grow the memory, which detaches
  // the array.
  memory(Kind, address, count) {
    return new Kind(this.exports.memory.buffer, address >>> 0, count);
  }

  // Copies an array into the engine's memory, and calls `body` with its address; 0 if the array is
  // empty. The copy is freed afterwards.
  withCopy(array, body) {
    if (array.byteLength === 0) return body(0);
    const address = this.read('engineAllocate', array.byteLength) >>> 0;
    if (address === 0) throw new EngineError('tooLarge');
    this.memory(array.constructor, address, array.length).set(array);
    const { exports } = this;
    try {
      return body(address);
    } finally {
      if (exports === this.exports) this.read('engineFree', address, array.byteLength);
    }
  }

  // Opens the bytes of a `.pkd` file or a PencilKit archive.
  open(bytes) {
    const copy = new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength);
    if (copy.length === 0) throw new EngineError('notARecording');
    return new Document(this, this.withCopy(copy, (start) => this.call('documentOpen', start, copy.length)));
  }

  // Creates an empty page of a size in points; without a size it has no edges.
  create(width = 0, height = 0) {
    return new Document(this, this.call('documentCreate', width, height));
  }

  // The SHA-256 of bytes, as 64 hexadecimal digits.
  hash(bytes) {
    return this.withCopy(bytes, (start) =>
      this.withCopy(new Uint8Array(32), (result) => {
        this.call('engineHash', start, bytes.length, result);
        return Array.from(this.memory(Uint8Array, result, 32), (byte) => byte.toString(16).padStart(2, '0')).join('');
      }));
  }

  // Merges two versions of a file that were continued separately. `base` is their common start;
  // null if it is unknown.
  merge(base, ours, theirs) {
    const files = [base ?? new Uint8Array(0), ours, theirs];
    const withAll = (
      [next, ...rest],
      ...values
    ) => (next
      ? this.withCopy(next, (start) => withAll(rest, ...values, start, next.length))
      : this.call('fileMerge', ...values));
    const handle = withAll(files);
    const bytes = this.memory(Uint8Array, this.read('fileBytes', handle), this.call('fileCount', handle)).slice();
    this.call('fileFree', handle);
    return bytes;
  }
}

// An object that the engine identifies by a handle: a document or a view. Handles of a replaced
// instance are closed.
class Part {
  constructor(engine, handle) {
    this.engine = engine;
    this.handle = handle;
    this.exports = engine.exports;
  }

  check() {
    if (this.exports !== this.engine.exports) throw new EngineError('unknownHandle');
  }

  call(name, ...values) {
    this.check();
    return this.engine.call(name, this.handle, ...values);
  }

  read(name) {
    this.check();
    return this.engine.read(name, this.handle);
  }

  // The handles of a replaced instance are already closed.
  release(name) {
    if (this.exports === this.engine.exports) this.call(name);
  }

  copy(Kind, address, count) {
    return count ? this.engine.memory(Kind, address, count).slice() : new Kind(0);
  }
}

const styles = ['light', 'dark', 'stored'];
const papers = ['blank', 'dotted', 'lined', 'grid', 'graph', 'isometric', 'staves', 'cornell'];
const backgrounds = { page: 0, none: 1, automatic: 3 };
export const inks = [
  'pen',
  'pencil',
  'marker',
  'monoline',
  'fountainPen',
  'watercolor',
  'crayon',
  'reed',
];

const figures = ['line', 'polyline', 'arrow', 'circle', 'ellipse', 'rectangle', 'triangle', 'star', 'heart'];

// 0xRRGGBBAA from '#rrggbb' or '#rrggbbaa'.
export function colorNumber(text) {
  if (!/^#([0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) throw new EngineError('invalidArgument');
  return parseInt(text.slice(1).padEnd(8, 'f'), 16) | 0;
}

function asTransform(numbers) {
  return numbers.length === 2 ? [1, 0, 0, 1, ...numbers] : numbers;
}

export function indexOf(list, name) {
  const index = list.indexOf(name);
  if (index < 0) throw new EngineError('invalidArgument');
  return index;
}

export class Document extends Part {
  get width() {
    return this.read('documentWidth');
  }
  get height() {
    return this.read('documentHeight');
  }
  // Width and height of the page; null if it has no edges. Setting them requires the pen, cannot be
  // undone, and changes no view.
  get size() {
    return this.width > 0 ? [this.width, this.height] : null;
  }
  set size(size) {
    this.call('documentSetSize', ...(size ?? [0, 0]));
  }
  // Whether the page has a colour of its own that is not white.
  get hasBackground() {
    return this.call('documentHasBackground') === 1;
  }
  get isDamaged() {
    return this.call('documentIsDamaged') === 1;
  }

  // Three numbers for each step: its start and length in seconds, and its kind: 0 for drawing, 1
  // for changing existing ink.
  get steps() {
    const count = this.call('documentStepCount');
    return this.copy(Float64Array, this.read('documentSteps'), 3 * count);
  }

  // The length of the whole recording in seconds.
  get duration() {
    const [start = 0, length = 0] = this.steps.slice(-3);
    return start + length;
  }

  // Opens a view of the replay, or with `isLive` of the page as the pen draws on it. `region` is
  // [x, y, width, height] in points; an empty one shows the whole page, or all ink if the page has
  // no edges. `side` is the longer side of the picture in pixels, in place of the scale, and
  // `margin` a part of it around ink without a page: 0.06 in thumbnails. `background` is 'page', 'none', 'automatic' or a colour. With `isSheet`, the
  // background becomes a sheet of the other lightness if the ink is visible only there. `paper` is
  // 'page' for the page's own, or one of `papers`. `earlier` shows earlier strokes: true in sienna,
  // or in a colour.
  view({
    scale = 1,
    side = 0,
    margin = 0,
    region = [0, 0, 0, 0],
    style = 'light',
    background = 'page',
    isSheet = false,
    paper = 'page',
    earlier = false,
    isLive = false,
  } = {}) {
    const ground = backgrounds[background];
    const trace = earlier === false ? 0 : earlier === true ? 1 : 2;
    return new View(
      this,
      this.call(
        ...(isLive ? ['viewOpenLive'] : ['viewOpen', 0]),
        scale,
        ...region,
        indexOf(styles, style),
        paper === 'page' ? -1 : indexOf(papers, paper),
        ground ?? (isSheet ? 4 : 2),
        ground === undefined ? colorNumber(background) : 0,
        trace,
        trace === 2 ? colorNumber(earlier) : 0,
        side,
        margin,
      ),
    );
  }

  // The paper of the page; 'blank' if it has no known paper. Setting it requires the pen, and
  // cannot be undone. Live views of the page's own paper show it at their next update.
  get paper() {
    return papers[this.call('documentPaper')];
  }
  set paper(name) {
    this.call('documentSetPaper', indexOf(papers, name));
  }

  // The number of strokes that are visible at the end.
  get strokeCount() {
    return this.call('documentStrokeCount');
  }
  // This number, and their inks.
  get facts() {
    const bits = this.call('documentInks');
    return { strokes: this.strokeCount, inks: inks.filter((_, index) => bits >> index & 1) };
  }

  close() {
    this.release('documentClose');
  }

  // The pen. A session is 16 random bytes; times are seconds since 1970.

  takePen(session = crypto.getRandomValues(new Uint8Array(16))) {
    if (session.length !== 16) throw new EngineError('invalidArgument');
    this.engine.withCopy(session, (start) => this.call('penTake', start));
  }

  // Later strokes get their names from another session: the same calls make the same strokes again on the
  // document that `write` has just given.
  beginSession(session) {
    this.engine.withCopy(session, (start) => this.call('penBeginSession', start));
  }

  // The stroke becomes a curve that passes the samples within the tolerance, in points. With a
  // tolerance of 0, the samples become its control points.
  beginStroke({ ink = 'pen', color = '#000000', width = 2, time = Date.now() / 1000, tolerance = 0.1 } = {}) {
    this.call('penSetTolerance', tolerance);
    this.call('penBegin', indexOf(inks, ink), colorNumber(color), width, time);
  }

  // Samples are six numbers each: x, y, seconds since the stroke began, force, and azimuth and
  // altitude in radians. The last `predictedCount` of them are predictions, which are shown until
  // the next call.
  draw(samples, predictedCount = 0) {
    const count = samples.length / 6 - predictedCount;
    this.engine.withCopy(samples, (start) => this.call('penDraw', start, count, predictedCount));
  }

  // Replaces the samples of the open stroke.
  redraw(samples) {
    this.engine.withCopy(samples, (start) => this.call('penRedraw', start, samples.length / 6));
  }

  // Ends the open stroke if it is a figure, and puts a clean one in its place, which undo takes back.
  // Returns the name of the figure; null if it is none.
  tidy(time = Date.now() / 1000) {
    return figures[this.call('penTidy', time) - 1] ?? null;
  }

  // Kinds: 0 erases whole strokes; 1 erases the ink under the eraser; 2 does the same with a width
  // that does not depend on the zoom.
  beginErasing({ kind = 1, width = 10, time = Date.now() / 1000 } = {}) {
    this.call('penBeginErasing', kind, width, time);
  }

  erase(samples) {
    this.engine.withCopy(samples, (start) => this.call('penErase', start, samples.length / 6));
  }

  end(time = Date.now() / 1000) {
    this.call('penEnd', time);
  }
  cancel() {
    this.call('penCancel');
  }
  undo(time = Date.now() / 1000) {
    this.call('penUndo', time);
  }
  redo(time = Date.now() / 1000) {
    this.call('penRedo', time);
  }
  clear(time = Date.now() / 1000) {
    this.call('penClear', time);
  }
  get canUndo() {
    return (this.call('penChoices') & 1) !== 0;
  }
  get canRedo() {
    return (this.call('penChoices') & 2) !== 0;
  }

  // Selects the finished strokes with more than half of their ink inside a closed polygon: x and y
  // of each corner in points. With `isAdding`, others stay selected. Returns the number of selected
  // strokes. They stay selected until the next change that is not one of theirs.
  select(corners, isAdding = false) {
    return this.engine.withCopy(
      corners,
      (start) => this.call('penSelect', start, corners.length / 2, Number(isAdding)),
    );
  }
  // Selects the front stroke within a distance of a point; with `isAdding`, adds or removes it.
  selectAt(x, y, reach, isAdding = false) {
    return this.call('penSelectAt', x, y, reach, Number(isAdding));
  }
  selectAll() {
    return this.call('penSelectAll');
  }
  deselect() {
    this.call('penSelect', 0, 0, 0);
  }
  get selectionCount() {
    return this.call('penSelectionCount');
  }

  // The bounding box of the selected strokes' ink at its displayed position, as [x, y, width,
  // height] in points; null without ink.
  get selectionBounds() {
    return this.bounds('penSelectionBounds');
  }
  // A box around all finished ink, on the page and beyond its edges; null without ink.
  get inkBounds() {
    return this.bounds('penInkBounds');
  }
  bounds(name) {
    const address = this.read(name);
    return address === 0 ? null : [...this.copy(Float64Array, address, 4)];
  }

  // Drags the selected strokes: `drag` shows them at an offset in points from the start of the drag,
  // or as the six numbers of a transform place them: x' = a·x + c·y + tx, y' = b·x + d·y + ty. `end`
  // records one move, `cancel` restores the strokes.
  beginDrag() {
    this.call('penBeginDrag');
  }
  drag(...numbers) {
    this.call('penDrag', ...asTransform(numbers));
  }
  // Moves the selected strokes at once.
  move(x, y, time = Date.now() / 1000) {
    this.transform([x, y], time);
  }
  transform(numbers, time = Date.now() / 1000) {
    this.call('penTransform', ...asTransform(numbers), time);
  }
  // Each of these returns the number of selected strokes.
  restyle({ ink, color, width = 0, widthFactor = 1, time = Date.now() / 1000 }) {
    const [kind, shade] = [ink ? indexOf(inks, ink) : -1, color ? colorNumber(color) : 0];
    return this.call('penRestyle', kind, color ? 1 : 0, shade, widthFactor, time, width);
  }
  // The ink of the front selected stroke.
  get selectionInk() {
    return inks[this.read('penSelectionInk')];
  }
  reorder(isToFront, time = Date.now() / 1000) {
    return this.call('penReorder', Number(isToFront), time);
  }
  // Adds copies of the selected strokes at an offset in points, or the strokes of a file with the
  // middle of their ink at a point, and selects them.
  duplicate(x, y, time = Date.now() / 1000) {
    return this.call('penDuplicate', x, y, time);
  }
  insert(bytes, x, y, time = Date.now() / 1000) {
    return this.engine.withCopy(bytes, (start) => this.call('penInsert', start, bytes.length, x, y, time));
  }
  // The selected strokes as the bytes of a `.pkd` file.
  writeSelection() {
    const count = this.call('documentWriteSelection');
    return this.copy(Uint8Array, this.read('documentBytes'), count);
  }
  deleteSelection(time = Date.now() / 1000) {
    this.call('penDeleteSelection', time);
  }

  // The document as the bytes of a `.pkd` file.
  write() {
    const count = this.call('documentWrite');
    return this.copy(Uint8Array, this.read('documentBytes'), count);
  }

  // The finished drawing as the bytes of a PencilKit archive. Strokes of an opened archive that were not
  // changed keep their bytes.
  archive() {
    const count = this.call('documentWriteArchive');
    return this.copy(Uint8Array, this.read('documentBytes'), count);
  }

  // The finished drawing as the bytes of a vector file, 'svg' or 'pdf'. Textured inks are embedded
  // as pictures with a resolution of `pixelsPerPoint`.
  vectors(form, pixelsPerPoint = 2.5) {
    const count = this.call('documentWriteVectors', indexOf(['svg', 'pdf'], form), pixelsPerPoint);
    return this.copy(Uint8Array, this.read('documentBytes'), count);
  }
}

export class View extends Part {
  constructor(document, handle) {
    super(document.engine, handle);
    this.document = document;
    this.width = this.call('viewWidth');
    this.height = this.call('viewHeight');
    this.left = this.read('viewLeft');
    this.top = this.read('viewTop');
  }

  // The colour below the ink, without its opacity.
  get background() {
    return `#${(this.read('viewBackground') >>> 8).toString(16).padStart(6, '0')}`;
  }

  // Each of these returns the rectangles that changed, as [x, y, width, height] in pixels.
  show(seconds) {
    return this.changes(this.call('viewShow', seconds));
  }
  showSteps(count) {
    return this.changes(this.call('viewShowSteps', count));
  }
  // Shows the pen's changes, and draws everything.
  update() {
    return this.changes(this.call('viewUpdate'));
  }

  // A live view can be drawn block by block. `updateDrawn` shows the pen's changes without drawing
  // blocks that wait, and `drawBlock` draws the waiting one that is nearest to a pixel.
  updateDrawn() {
    return this.changes(this.call('viewUpdateDrawn'));
  }
  drawBlock(x, y) {
    return this.changes(this.call('viewDrawBlock', x, y));
  }
  get waitingCount() {
    return this.call('viewWaitingCount');
  }
  get blockSide() {
    return this.call('viewBlockSide');
  }
  // Shows the part of the page that lies a number of blocks to the right and below. Blocks that
  // were shown before keep their pixels, and the others wait.
  move(right, down) {
    this.call('viewMove', right, down);
    this.left = this.read('viewLeft');
    this.top = this.read('viewTop');
  }

  changes(count) {
    const numbers = this.copy(Int32Array, this.read('viewChanges'), 4 * count);
    return Array.from({ length: count }, (_, index) => [...numbers.subarray(4 * index, 4 * index + 4)]);
  }

  // The pixels of a rectangle: RGBA with straight alpha, as `ImageData` holds it.
  pixels([left, top, width, height] = [0, 0, this.width, this.height]) {
    const bytesPerRow = this.call('viewBytesPerRow');
    const start = (this.read('viewPixels') >>> 0) + top * bytesPerRow + 4 * left;
    const copy = new Uint8ClampedArray(4 * width * height);
    for (let y = 0; y < height; y++) {
      copy.set(this.engine.memory(Uint8Array, start + y * bytesPerRow, 4 * width), 4 * width * y);
    }
    return straightened(copy);
  }

  close() {
    this.release('viewClose');
  }
}

// Divides colours by their opacity, with the rounding of `pkd`.
function straightened(pixels) {
  for (let at = 3; at < pixels.length; at += 4) {
    const alpha = pixels[at];
    if (alpha === 255 || alpha === 0) continue;
    for (let channel = at - 3; channel < at; channel++) {
      pixels[channel] = Math.min(Math.floor((pixels[channel] * 255 + (alpha >> 1)) / alpha), 255);
    }
  }
  return pixels;
}

async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
