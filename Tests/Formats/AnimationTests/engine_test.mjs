// Tests `Player/engine.mjs`, `Player/clock.mjs` and `Player/worker.mjs` in Node: node
// engine_test.mjs ENGINE SAMPLES. Prints a line for each failure, and the number of checks.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Clock } from '../../../Sources/Formats/Animation/Player/clock.mjs';
import { Engine, EngineError, View } from '../../../Sources/Formats/Animation/Player/engine.mjs';

// Node 18, the version of Debian, has it only under this name.
globalThis.crypto ??= (await import('node:crypto')).webcrypto;

const [enginePath, samples] = process.argv.slice(2);
const packed = readFileSync(enginePath);
const sample = (name) => readFileSync(`${samples}/${name}.pkd`);
let checkCount = 0;
const check = (name, isTrue) => {
  checkCount++;
  if (!isTrue) console.log(`failed: ${name}`);
};
// The code of the error that a body throws.
const codeOf = (body) => {
  try {
    body();
    return 'none';
  } catch (error) {
    return error instanceof EngineError ? error.code : `${error}`;
  }
};
const isSame = (a, b) => a.length === b.length && a.every((value, index) => value === b[index]);

const engine = await Engine.load(packed);
const other = await Engine.load(gunzipSync(packed));
const third = await Engine.load(engine.module);
check('all forms of the module load', other.open(sample('mood')).width === third.open(sample('mood')).width);

// SHA-256 and merging.
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
check('no bytes have their hash', engine.hash(new Uint8Array(0)) === empty);
const mood = new Uint8Array(sample('mood'));
check('a hash is that of others', engine.hash(mood) === createHash('sha256').update(mood).digest('hex'));
const drawn = (bytes, x) => {
  const page = bytes ? engine.open(bytes) : engine.create();
  page.takePen();
  page.beginStroke({ time: 1.7e9 + x });
  page.draw(Float64Array.from({ length: 60 }, (_, index) => [x + index, index, index / 60, 0.5, 0, 1][index % 6]));
  page.end(1.7e9 + x + 1);
  const result = page.write();
  page.close();
  return result;
};
const common = drawn(null, 0);
const [ours, theirs] = [drawn(common, 100), drawn(common, 200)];
const merged = engine.merge(common, ours, theirs);
check('a merge has the strokes of both', engine.open(merged).facts.strokes === 3);
check('a merge is the same from both sides', isSame(merged, engine.merge(common, theirs, ours)));
check('a merge needs no base', engine.open(engine.merge(null, ours, theirs)).facts.strokes === 3);
check('what follows the other is the result', isSame(engine.merge(null, ours, common), ours));
check('a damaged side is refused', codeOf(() => engine.merge(null, ours, theirs.subarray(0, 40))) === 'notARecording');

const minute = engine.open(sample('minute'));
check('the page has its size', minute.width === 640 && minute.height === 640 && !minute.isDamaged);
const { steps, duration } = minute;
check('there are steps', steps.length > 90 && steps.length % 3 === 0 && Math.abs(duration - 59.36) < 0.01);

const view = minute.view({ background: '#fffdf8' });
check('a view is as large as its page', view.width === 640 && view.height === 640);
check('at first everything is new', isSame(view.show(duration)[0], [0, 0, 640, 640]));
const end = view.pixels();
check('the ground has its colour', isSame([...end.subarray(0, 4)], [255, 253, 248, 255]));
check('nothing changes twice', view.show(duration).length === 0);
const seeks = [12.5, 40, 3, duration, 0, 27].map((seconds) => [seconds, view.show(seconds), view.pixels()]);
const forwards = minute.view({ background: '#fffdf8' });
for (const [seconds, , pixels] of [...seeks].sort((a, b) => a[0] - b[0])) {
  forwards.show(seconds);
  check(`seeking to ${seconds} equals playing`, isSame(pixels, forwards.pixels()));
}
check('the end is the end', isSame(seeks[3][2], end));
view.showSteps(0);
check('without steps the page is empty', new Set(new Uint32Array(view.pixels().buffer)).size === 1);
const part = minute.view({ background: '#fffdf8', region: [100, 50, 300, 200] });
part.show(duration);
const cut = part.pixels();
view.show(duration);
check('a region is a part of the page', isSame(cut, view.pixels([100, 50, 300, 200])));
const clear = minute.view({ background: 'none' });
clear.show(duration);
check('a clear ground is clear', clear.pixels([0, 0, 1, 1])[3] === 0);
const traced = minute.view({ background: '#fffdf8', earlier: true });
traced.show(duration);
check('earlier strokes show through', !isSame(traced.pixels(), end));
const dark = minute.view({ style: 'dark', background: '#25211c' });
dark.show(duration);
check('dark ink is light', !isSame(dark.pixels(), end));

check('text is no recording', codeOf(() => engine.open(new TextEncoder().encode('no recording'))) === 'notARecording');
check('nothing is no recording', codeOf(() => engine.open(new Uint8Array(0))) === 'notARecording');
check('a colour must be one', codeOf(() => minute.view({ background: 'blue' })) === 'invalidArgument');
check('a style must be one', codeOf(() => minute.view({ style: 'loud' })) === 'invalidArgument');
check('a scale must be positive', codeOf(() => minute.view({ scale: -1 })) === 'noPicture');
check('pictures have a limit', codeOf(() => minute.view({ scale: 1000 })) === 'tooLarge');
check('a pen must be taken', codeOf(() => minute.undo()) === 'wrongKind');
clear.close();
check('a closed view is closed', codeOf(() => clear.show(1)) === 'unknownHandle');

const page = engine.create(200, 100);
page.takePen(new Uint8Array(16).fill(7));
const live = page.view({ isLive: true, background: '#ffffff' });
live.update();
page.beginStroke({ ink: 'pen', color: '#102030', width: 4, time: 1.7e9 });
page.draw(Float64Array.of(20, 50, 0, 1, 0, 1.5, 120, 60, 0.2, 1, 0, 1.5, 180, 50, 0.3, 1, 0, 1.5), 1);
check('the pen changes the page', live.update().length > 0);
page.end(1.7e9 + 1);
check('a stroke can be undone', page.canUndo && !page.canRedo);
const written = engine.open(page.write());
check('a written page can be opened', written.width === 200 && written.steps.length === 3);
page.undo(1.7e9 + 2);
check('an undone stroke can be made again', page.canRedo && !page.canUndo);
page.redo(1.7e9 + 3);
page.beginErasing({ kind: 0, width: 10, time: 1.7e9 + 4 });
page.erase(Float64Array.of(100, 50, 0, 1, 0, 1.5, 100, 65, 0.1, 1, 0, 1.5));
page.end(1.7e9 + 5);
page.clear(1.7e9 + 6);
check('everything is recorded', engine.open(page.write()).steps.length > 6);

const leaf = engine.create(300, 200);
leaf.takePen(new Uint8Array(16).fill(9));
const lawn = leaf.view({ isLive: true });
const plain = leaf.view({ isLive: true, paper: 'blank' });
for (const y of [40, 80, 120]) {
  leaf.beginStroke({ ink: y === 80 ? 'crayon' : 'pen', width: 4, time: 1.7e9 + y });
  leaf.draw(Float64Array.of(20, y, 0, 1, 0, 1.5, 90, y, 0.2, 1, 0, 1.5, 180, y, 0.3, 1, 0, 1.5));
  leaf.end(1.7e9 + y + 1);
}
lawn.update();
plain.update();
const lassoed = lawn.pixels();
check('facts count strokes and inks', JSON.stringify(leaf.facts) === '{"strokes":3,"inks":["pen","crayon"]}');
check(
  'all ink is in a box',
  leaf.inkBounds.every(Number.isFinite) && engine.create().inkBounds === null && leaf.inkBounds[2] > 50,
);
check('at first nothing is selected', leaf.selectionBounds === null);
const lasso = Float64Array.of(0, 60, 300, 60, 300, 140, 0, 140);
check('a lasso selects strokes', leaf.select(lasso) === 2);
const [boxX, boxY, boxWidth, boxHeight] = leaf.selectionBounds;
check('selected strokes have a box', boxX < 20 && boxY < 80 && boxWidth > 150 && boxHeight > 40 && boxHeight < 60);
leaf.beginDrag();
leaf.drag(10, 5);
check('a drag changes the page', lawn.update().length > 0 && !isSame(lawn.pixels(), lassoed));
leaf.drag(40, 20);
check('the box moves along', Math.abs(leaf.selectionBounds[0] - boxX - 40) < 0.1);
leaf.cancel();
lawn.update();
check('a drag can be cancelled', isSame(lawn.pixels(), lassoed) && leaf.canUndo);
leaf.beginDrag();
leaf.drag(40, 20);
leaf.end(1.7e9 + 200);
lawn.update();
const moved = lawn.pixels();
leaf.undo(1.7e9 + 201);
lawn.update();
check('one undo takes a drag back', isSame(lawn.pixels(), lassoed) && Math.abs(leaf.selectionBounds[0] - boxX) < 0.1);
leaf.select(lasso);
leaf.move(40, 20, 1.7e9 + 202);
lawn.update();
check('a move is a drag', isSame(lawn.pixels(), moved));
leaf.deleteSelection(1.7e9 + 203);
check('selected strokes are removed', leaf.facts.strokes === 1 && leaf.selectionBounds === null);
leaf.undo(1.7e9 + 204);
lawn.update();
check('and come back', isSame(lawn.pixels(), moved) && leaf.select(Float64Array.of(0, 0, 300, 0, 300, 200)) > 0);
leaf.deselect();
leaf.deleteSelection(1.7e9 + 205);
check('without a selection nothing is removed', leaf.facts.strokes === 3);
check('a lasso needs points', leaf.select(new Float64Array(0)) === 0);
check('a distance must be finite', codeOf(() => leaf.drag(NaN, 0)) === 'invalidArgument');
check('a page is blank at first', leaf.paper === 'blank');
leaf.paper = 'lined';
check('paper is shown where no other is named', lawn.update().length > 0 && plain.update().length > 0);
check('lines are seen', !isSame(lawn.pixels(), plain.pixels()) && isSame(plain.pixels(), moved));
const lined = engine.open(leaf.write());
check('paper is written', lined.paper === 'lined' && lined.facts.strokes === 3 && leaf.facts.strokes === 3);
check(
  'paper must be known',
  codeOf(() => {
    leaf.paper = 'napkin';
  }) === 'invalidArgument',
);
check(
  'setting paper needs the pen',
  codeOf(() => {
    lined.paper = 'grid';
  }) === 'wrongKind',
);
check(
  'a page gets other edges, and is written with them',
  leaf.size.join() === '300,200' && (leaf.size = [320, 240]) && leaf.width === 320 &&
    engine.open(leaf.write()).size.join() === '320,240',
);
const sheet = leaf.view({ isLive: true });
check('a view shows the sheet', sheet.width === 320 && sheet.height === 240);
sheet.close();
check(
  'sizes are no less than zero',
  codeOf(() => {
        leaf.size = [-1, 5];
      }) === 'invalidArgument' && leaf.size.join() === '320,240',
);
leaf.size = null;
check('edges are taken away', leaf.size === null && engine.open(leaf.write()).size === null);
check('a lasso needs the pen', codeOf(() => lined.select(lasso)) === 'wrongKind');
const linedEnd = lined.view();
linedEnd.show(lined.duration);
check('a replay is shown on its paper', isSame(linedEnd.pixels(), lawn.pixels()));

// An address outside of the memory traps.
check('a trap is an error', codeOf(() => engine.call('documentOpen', -65536, 1 << 16)) === 'stopped');
check('a trap closes documents', codeOf(() => minute.steps) === 'unknownHandle');
check('a trap closes views', codeOf(() => view.show(1)) === 'unknownHandle');
const again = engine.open(sample('minute')).view({ background: '#fffdf8' });
again.show(duration);
check('after a trap the engine starts again', isSame(again.pixels(), end));

const clock = new Clock(steps, 0.5);
check('pauses are shortened', clock.duration < duration - 10 && clock.recording(clock.duration) === duration);
for (let index = 0; index <= 500; index++) {
  const seconds = (clock.duration * index) / 500;
  check(`${seconds} maps there and back`, Math.abs(clock.watching(clock.recording(seconds)) - seconds) < 1e-9);
}
const whole = new Clock(steps);
check('without a limit pauses stay', Math.abs(whole.duration - duration) < 1e-9 && whole.recording(20) === 20);
let [seconds, count] = [0, 0];
while (seconds < clock.duration && count < 1000) [seconds, count] = [clock.next(seconds), count + 1];
check('each step has an end', count > 10 && count <= clock.count);
while (seconds > 0 && count > -1000) [seconds, count] = [clock.previous(seconds), count - 1];
check('the way back ends at the start', seconds === 0);
check('nothing has no length', new Clock(new Float64Array(0)).duration === 0);
// The worker, which sends pixels here because there is no canvas.
const messages = [];
globalThis.postMessage = (message) => messages.push(message);
globalThis.onmessage = null;
await import('../../../Sources/Formats/Animation/Player/worker.mjs');
const ask = async (kind, message) => {
  await globalThis.onmessage({ data: { number: messages.length, kind, ...message } });
  return messages.at(-1);
};
const opened = await ask('load', { source: packed, drawing: sample('minute') });
check('a drawing is opened', isSame(opened.answer.region, [0, 0, 640, 640]) && !opened.answer.hasBackground);
const options = { scale: 1, region: [0, 0, 640, 640], background: '#fffdf8' };
const first = await ask('view', { options, seconds: duration });
check('the first picture is whole', isSame(first.answer.parts[0].pixels, end));
await new Promise((done) => setTimeout(done, 1500));
const warmed = await ask('show', { seconds: duration });
const shown = end.slice();
for (const { rect: [x, y, width, height], pixels } of warmed.answer.parts) {
  for (let row = 0; row < height; row++) {
    shown.set(pixels.subarray(4 * width * row, 4 * width * (row + 1)), 4 * (640 * (y + row) + x));
  }
}
check('what was shown meanwhile is not seen', isSame(shown, end));
const moment = await ask('pixels', { options, seconds: 12.5 });
check('pixels of a moment are those of a view', isSame(moment.answer.data, seeks[0][2]));
check(
  'errors are answers',
  (await ask('pixels', { options: { ...options, scale: 1000 }, seconds: 1 })).error.code === 'tooLarge',
);
check(
  'bytes must be a recording',
  (await ask('load', { source: packed, drawing: new Uint8Array(9) })).error.code === 'notARecording',
);
await ask('load', { source: packed, drawing: sample('minute') });
await ask('view', { options, seconds: 3 });
const { show, pixels: pixelsOfView } = View.prototype;
View.prototype.show = function () {
  return this.engine.call('documentOpen', -65536, 1 << 16);
};
check('a trap is an answer', (await ask('show', { seconds: 4 })).error.code === 'stopped');
View.prototype.show = show;
const reopened = await ask('show', { seconds: duration });
check('the next request opens the drawing again', isSame(reopened.answer.parts[0].pixels, end));
View.prototype.pixels = function () {
  return this.engine.call('documentOpen', -65536, 1 << 16);
};
check('so does a trap in pixels', (await ask('pixels', { options, seconds: 4 })).error.code === 'stopped');
View.prototype.pixels = pixelsOfView;
check('pixels come again', isSame((await ask('pixels', { options, seconds: duration })).answer.data, end));
const large = { ...options, scale: 3800 / 640 };
await ask('view', { options: large, seconds: 3 });
check(
  'a large picture fits beside a large view',
  (await ask('pixels', { options: large, seconds: 3 })).answer.width === 3800,
);
check('the view comes back', (await ask('show', { seconds: 4 })).answer.parts[0].rect[2] === 3800);

console.log(`${checkCount} checks`);
process.exit(0); // the worker would run on for a while
