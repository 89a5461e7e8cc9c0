// Times the engine of web pages in Node: node web.mjs ENGINE FILE SCALE
// Prints one line of numbers for each figure: its name, and its samples in milliseconds.
import { readFileSync } from 'node:fs';

const [enginePath, path, scale] = process.argv.slice(2);
const [engineBytes, bytes] = [readFileSync(enginePath), readFileSync(path)];
const instantiate = () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(engineBytes));
  exports.__wasm_call_ctors();
  return exports;
};
const timed = body => {
  const start = performance.now();
  body();
  return performance.now() - start;
};
const print = (name, samples) => console.log(`${name}: ${samples.map(x => x.toFixed(4)).join(' ')}`);

// From the bytes of engine and file to the finished drawing.
let engine, document, view;
const openView = (isLive, scale) => engine.viewOpen(document, isLive, scale, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
print('ready', [
  timed(() => {
    engine = instantiate();
    const start = engine.engineAllocate(bytes.length) >>> 0;
    new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
    document = engine.documentOpen(start, bytes.length);
    engine.engineFree(start, bytes.length);
    view = openView(0, Number(scale));
    if (engine.viewShow(view, Infinity) < 0) throw new Error('nothing is drawn');
  }),
]);

// A page goes through the drawing once while nobody waits; then seeks to moments all over it, and plays its middle.
const count = engine.documentStepCount(document);
const steps = new Float64Array(engine.memory.buffer, engine.documentSteps(document) >>> 0, 3 * count);
const duration = steps[3 * count - 3] + steps[3 * count - 2];
print('warm', [
  timed(() => {
    for (let part = 1; part <= 64; part++) engine.viewShowSteps(view, (count * part) >> 6);
  }),
]);
print('seek', Array.from({ length: 60 }, (_, index) =>
  timed(() => engine.viewShow(view, ((index * 0.618034) % 1) * duration))));
engine.viewShow(view, duration / 2);
print('frame', Array.from({ length: 600 }, (_, index) =>
  timed(() => engine.viewShow(view, duration / 2 + index / 60))));
print('memory', [engine.memory.buffer.byteLength / 1e6]);
engine.viewClose(view);
engine.documentClose(document);

// A second of a stroke of every ink at 240 samples a second, four in each event and two predicted, on an empty page.
document = engine.documentCreate(1024, 768);
const samples = engine.engineAllocate(6 * 6 * 8) >>> 0;
engine.penTake(document, samples);
view = openView(1, 2);
engine.viewUpdate(view);
const widths = [2.7, 4, 15, 1, 4, 30, 20, 8];
const strokes = [];
for (let round = 0; round < 6; round++)
  for (let ink = 0; ink < 8; ink++) {
    const [x, y] = [200 + ((round * 97 + ink * 61) % 600), 200 + ((round * 31 + ink * 43) % 350)];
    engine.penBegin(document, ink, 0x2040a0ff, widths[ink], 1.7e9 + round);
    for (let first = 0; first < 240; first += 4) {
      const numbers = new Float64Array(engine.memory.buffer, samples, 36);
      for (let index = 0; index < 6; index++) {
        const turn = (first + index) / 40;
        numbers.set(
          [
            x + 150 * Math.cos(turn + ink) * Math.sin(turn * 0.7), y + 150 * Math.sin(turn),
            (first + index) / 240, 1 + 0.5 * Math.sin(turn * 3), turn % 3, 1,
          ],
          6 * index);
      }
      const time = timed(() => {
        engine.penDraw(document, samples, 4, 2);
        engine.viewUpdate(view);
      });
      // The first round is for the compiler.
      if (round) strokes.push(time);
    }
    engine.penEnd(document, 1.7e9 + round + 1);
    engine.viewUpdate(view);
  }
print('live', strokes);
