// Runs scripts with the engine of web pages: node run.mjs ENGINE < SCRIPT. `EngineScript.swift`
// describes scripts and runs the same lines natively.
import { readFileSync } from 'node:fs';

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = WebAssembly.Module.imports(module);
if (imports.length) throw new Error(`the engine imports ${JSON.stringify(imports)}`);
const engine = new WebAssembly.Instance(module).exports;
engine.__wasm_call_ctors();

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0x82f63b78 : byte >>> 1;
  return byte;
});
let [document, view] = [0, 0];

const commands = {
  mathematics: (number) => BigInt.asUintN(64, engine.engineMathHash(number)),
  open: (path) => opened(withBytes(readFileSync(path), engine.documentOpen)),
  merge: (...paths) =>
    withAll(paths.map((path) => readFileSync(path)), (ours, oursCount, theirs, theirsCount, base = 0, count = 0) => {
      const handle = engine.fileMerge(base, count, ours, oursCount, theirs, theirsCount);
      if (handle < 0) return handle;
      const size = engine.fileCount(handle);
      const bytes = new Uint8Array(engine.memory.buffer, engine.fileBytes(handle) >>> 0, size).slice();
      engine.fileFree(handle);
      return `${size} ${hashOf(bytes)}`;
    }),
  hash: (path) =>
    withAll([readFileSync(path), new Uint8Array(32)], (start, count, sum) => {
      engine.engineHash(start, count, sum);
      return Buffer.from(new Uint8Array(engine.memory.buffer, sum, 32)).toString('hex');
    }),
  create: (width, height) => opened(engine.documentCreate(width, height)),
  close: () => engine.documentClose(document),
  view: (...values) => {
    view = engine.viewOpen(document, ...values);
    return view < 0 ? view : `${engine.viewWidth(view)}x${engine.viewHeight(view)}`;
  },
  closeView: () => engine.viewClose(view),
  show: (time) => shown(engine.viewShow(view, time)),
  steps: (count) => shown(engine.viewShowSteps(view, count)),
  update: () => shown(engine.viewUpdate(view)),
  pen: (...bytes) => withBytes(Uint8Array.from(bytes), (start) => engine.penTake(document, start)),
  begin: (...values) => engine.penBegin(document, ...values),
  tolerance: (tolerance) => engine.penSetTolerance(document, tolerance),
  draw: (count, predicted, ...samples) =>
    withBytes(bytesOf(samples), (start) => engine.penDraw(document, start, count, predicted)),
  redraw: (count, ...samples) => withBytes(bytesOf(samples), (start) => engine.penRedraw(document, start, count)),
  tidy: (time) => engine.penTidy(document, time),
  eraser: (...values) => engine.penBeginErasing(document, ...values),
  erase: (count, ...samples) => withBytes(bytesOf(samples), (start) => engine.penErase(document, start, count)),
  end: (time) => engine.penEnd(document, time),
  cancel: () => engine.penCancel(document),
  undo: (time) => engine.penUndo(document, time),
  redo: (time) => engine.penRedo(document, time),
  clear: (time) => engine.penClear(document, time),
  choices: () => engine.penChoices(document),
  select: (count, isAdding, ...corners) =>
    withBytes(bytesOf(corners), (start) => engine.penSelect(document, start, count, isAdding)),
  selectAt: (...values) => engine.penSelectAt(document, ...values),
  selectAll: () => engine.penSelectAll(document),
  bounds: () => boxHash(engine.penSelectionBounds(document)),
  inkBounds: () => boxHash(engine.penInkBounds(document)),
  beginDrag: () => engine.penBeginDrag(document),
  drag: (...values) => engine.penDrag(document, ...values),
  transform: (...values) => engine.penTransform(document, ...values),
  restyle: (...values) => engine.penRestyle(document, ...values),
  reorder: (...values) => engine.penReorder(document, ...values),
  duplicate: (...values) => engine.penDuplicate(document, ...values),
  paste: (x, y, time) => {
    const count = engine.documentWriteSelection(document);
    if (count < 0) return count;
    const copy = new Uint8Array(engine.memory.buffer, engine.documentBytes(document) >>> 0, count).slice();
    const inserted = withBytes(copy, (start) => engine.penInsert(document, start, count, x, y, time));
    return `${inserted} ${count} ${hashOf(copy)}`;
  },
  delete: (time) => engine.penDeleteSelection(document, time),
  setSize: (...values) => engine.documentSetSize(document, ...values),
  setPaper: (paper) => engine.documentSetPaper(document, paper),
  facts: () =>
    [
      engine.documentWidth(document),
      engine.documentHeight(document),
      engine.documentPaper(document),
      engine.documentStrokeCount(document),
      engine.documentInks(document),
    ].join(' '),
  write: () => written(engine.documentWrite(document)),
  vectors: (form, density) => written(engine.documentWriteVectors(document, form, density)),
};

const lines = [];
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (!line) continue;
  const [name, ...values] = line.split(' ');
  lines.push(
    `${name} ${
      commands[name](...(['open', 'merge', 'hash'].includes(name) ? values.filter(Boolean) : values.map(Number)))
    }`,
  );
}
process.stdout.write(lines.join('\n') + '\n');

function boxHash(address) {
  const start = address >>> 0;
  return start ? hashOf(new Uint8Array(engine.memory.buffer, start, 32)) : 'none';
}

function opened(handle) {
  document = handle;
  if (handle < 0) return handle;
  const count = engine.documentStepCount(handle);
  const steps = new Uint8Array(engine.memory.buffer, engine.documentSteps(handle) >>> 0, 24 * count);
  return [
    engine.documentIsDamaged(handle),
    engine.documentHasBackground(handle),
    engine.documentWidth(handle),
    engine.documentHeight(handle),
    count,
    hashOf(steps),
  ].join(' ');
}

function written(count) {
  if (count < 0) return count;
  const bytes = new Uint8Array(engine.memory.buffer, engine.documentBytes(document) >>> 0, count);
  return `${count} ${hashOf(bytes)}`;
}

// The changed rectangles, whose order is unspecified, and a hash of all pixels.
function shown(count) {
  if (count < 0) return count;
  const buffer = engine.memory.buffer;
  const changes = new Int32Array(buffer, engine.viewChanges(view) >>> 0, 4 * count);
  const rectangles = Array.from({ length: count }, (_, index) => changes.slice(4 * index, 4 * index + 4).join(','));
  const [width, height] = [engine.viewWidth(view), engine.viewHeight(view)];
  const [start, pitch] = [engine.viewPixels(view) >>> 0, engine.viewBytesPerRow(view)];
  let hash = 0;
  for (let row = 0; row < height; row++) {
    hash = hashOf(new Uint8Array(buffer, start + row * pitch, 4 * width), hash);
  }
  return `${rectangles.sort().join(' ')} ${hash}`;
}

function bytesOf(numbers) {
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

function withAll([first, ...rest], body, ...values) {
  if (!first) return body(...values);
  return withBytes(first, (start, count) => withAll(rest, body, ...values, start, count));
}

function withBytes(bytes, body) {
  const start = engine.engineAllocate(bytes.length) >>> 0;
  new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
  const result = body(start, bytes.length);
  engine.engineFree(start, bytes.length);
  return result;
}

// CRC-32C, continued from that of earlier bytes.
function hashOf(bytes, earlier = 0) {
  let crc = ~earlier;
  for (let index = 0; index < bytes.length; index++) {
    crc = (crc >>> 8) ^ crcTable[(crc ^ bytes[index]) & 255];
  }
  return ~crc >>> 0;
}
