// Times the engine of web pages in Node: node web.mjs ENGINE FILE SCALE ARCHIVE
// Prints one line of numbers for each figure: its name, and its samples in milliseconds.
import { readFileSync } from 'node:fs';

const [enginePath, path, scale, archivePath] = process.argv.slice(2);
const [engineBytes, bytes, archive] = [enginePath, path, archivePath].map((one) => readFileSync(one));
const instantiate = () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(engineBytes));
  exports.__wasm_call_ctors();
  return exports;
};
const timed = (body) => {
  const start = performance.now();
  body();
  return performance.now() - start;
};
const print = (name, samples) => console.log(`${name}: ${samples.map((x) => x.toFixed(4)).join(' ')}`);

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

// One pass through the drawing without time limits; then seeks to moments all over it, and playback
// of its middle.
const count = engine.documentStepCount(document);
const steps = new Float64Array(engine.memory.buffer, engine.documentSteps(document) >>> 0, 3 * count);
const duration = steps[3 * count - 3] + steps[3 * count - 2];
print('warm', [
  timed(() => {
    for (let part = 1; part <= 64; part++) engine.viewShowSteps(view, (count * part) >> 6);
  }),
]);
print(
  'seek',
  Array.from({ length: 60 }, (_, index) => timed(() => engine.viewShow(view, ((index * 0.618034) % 1) * duration))),
);
engine.viewShow(view, duration / 2);
print(
  'frame',
  Array.from({ length: 600 }, (_, index) => timed(() => engine.viewShow(view, duration / 2 + index / 60))),
);
print('memory', [engine.memory.buffer.byteLength / 1e6]);
engine.viewClose(view);
engine.documentClose(document);

// One second of a stroke in every ink at 240 samples a second, four in each event and two
// predicted, on an empty page.
document = engine.documentCreate(1024, 768);
const samples = engine.engineAllocate(6 * 6 * 8) >>> 0;
engine.penTake(document, samples);
view = openView(1, 2);
engine.viewUpdate(view);
const widths = [2.7, 4, 15, 1, 4, 30, 20, 8];
const strokes = [];
for (let round = 0; round < 6; round++) {
  for (let ink = 0; ink < 8; ink++) {
    const [x, y] = [200 + ((round * 97 + ink * 61) % 600), 200 + ((round * 31 + ink * 43) % 350)];
    engine.penBegin(document, ink, 0x2040a0ff, widths[ink], 1.7e9 + round);
    for (let first = 0; first < 240; first += 4) {
      const numbers = new Float64Array(engine.memory.buffer, samples, 36);
      for (let index = 0; index < 6; index++) {
        const turn = (first + index) / 40;
        numbers.set(
          [
            x + 150 * Math.cos(turn + ink) * Math.sin(turn * 0.7),
            y + 150 * Math.sin(turn),
            (first + index) / 240,
            1 + 0.5 * Math.sin(turn * 3),
            turn % 3,
            1,
          ],
          6 * index,
        );
      }
      const time = timed(() => {
        engine.penDraw(document, samples, 4, 2);
        engine.viewUpdate(view);
      });
      // The first round warms up the compiler.
      if (round) strokes.push(time);
    }
    engine.penEnd(document, 1.7e9 + round + 1);
    engine.viewUpdate(view);
  }
}
print('live', strokes);
engine.viewClose(view);
engine.documentClose(document);

// An archive that is opened, gets a stroke, and is written.
for (let round = 0; round < 6; round++) {
  const time = timed(() => {
    const start = engine.engineAllocate(archive.length) >>> 0;
    new Uint8Array(engine.memory.buffer, start, archive.length).set(archive);
    document = engine.documentOpen(start, archive.length);
    engine.engineFree(start, archive.length);
    engine.penTake(document, samples);
    engine.penBegin(document, 0, 0x2040a0ff, 3, 1.7e9);
    engine.penDraw(document, samples, 4, 0);
    engine.penEnd(document, 1.7e9 + 1);
    if (engine.documentWriteArchive(document) <= archive.length) throw new Error('no stroke is added');
  });
  engine.documentClose(document);
  if (round) print('archive', [time]);
}

// A drawing page: 3,000 short strokes of all inks in a window of 1440×900 points, opened at two
// densities after a pan or zoom, and 25 of them dragged.
document = engine.documentCreate(0, 0);
engine.penTake(document, samples);
for (let index = 0; index < 3000; index++) {
  const [x, y] = [(index * 0.618034) % 1, (index * 0.754878) % 1];
  engine.penBegin(document, index % 8, 0x2040a0ff, widths[index % 8] / 4, 1.7e9 + index);
  for (let first = 0; first < 60; first += 6) {
    const numbers = new Float64Array(engine.memory.buffer, samples, 36);
    for (let point = 0; point < 6; point++) {
      const t = (first + point) / 60;
      numbers.set(
        [
          10 + 1400 * x + 25 * t * Math.cos(index) + 5 * Math.sin(9 * t),
          10 + 860 * y + 25 * t * Math.sin(index) + 5 * Math.cos(7 * t),
          t / 2,
          1 + 0.4 * Math.sin(5 * t),
          0.3,
          1,
        ],
        6 * point,
      );
    }
    engine.penDraw(document, samples, 6, 0);
  }
  engine.penEnd(document, 1.7e9 + index + 0.5);
}
const window = (scale) => {
  view = engine.viewOpen(document, 1, scale, 0, 0, 1440, 900, 0, -1, 0, 0, 0, 0);
  engine.viewUpdate(view);
};
for (const scale of [1, 2]) {
  print(
    `open${scale}`,
    Array.from({ length: 10 }, () => {
      const time = timed(() => window(scale));
      engine.viewClose(view);
      return time;
    }),
  );
}
window(2);
new Float64Array(engine.memory.buffer, samples, 8).set([670, 400, 770, 400, 770, 500, 670, 500]);
if (engine.penSelect(document, samples, 4) !== 25) throw new Error('other strokes are selected');
engine.penBeginDrag(document);
print(
  'drag',
  Array.from({ length: 120 }, (_, step) =>
    timed(() => {
      engine.penDrag(document, 3 * step, 2 * step);
      engine.viewUpdate(view);
    })),
);
