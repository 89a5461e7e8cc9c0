// The playing of the player's element: its time, speed, loop and seeks, with a clock and a screen
// that the test controls. The bar of controls and the worker are not tested here; `HTMLPlayerTests`
// tests everything in browsers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { define, FakeElement, FakeTime, load, openPage, player, settle } from './support.mjs';

openPage();
define('HTMLElement', FakeElement);
define(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
);
let isStill = false;
define('matchMedia', (query) => ({
  get matches() {
    return query.includes('motion') && isStill;
  },
  addEventListener() {},
  removeEventListener() {},
}));
define('getComputedStyle', () => ({ backgroundColor: 'rgb(255, 250, 240)' }));

// Two strokes of two seconds, five seconds apart.
const steps = [1, 2, 0, 8, 2, 0];
const asked = [];
let failure;
define(
  'Worker',
  class {
    postMessage({ number, kind, ...message }) {
      asked.push({ kind, ...message });
      const answers = {
        load: { steps: Float64Array.from(steps), region: [0, 0, 40, 30], isDamaged: false, hasBackground: false },
        view: { width: 40, height: 30, left: 0, top: 0, parts: [], background: '#fffaf0' },
        show: { parts: [], took: 1 },
      };
      const error = failure;
      queueMicrotask(() => this.onmessage({ data: error ? { number, error } : { number, answer: answers[kind] } }));
    }
    terminate() {}
  },
);

const controls = `export class Controls {
  bar = document.createElement('div');
  keys = document.createElement('dialog');
  connect() {}
  disconnect() {}
  setWords() {}
  update() {}
  timeChanged() {}
  clockChanged() {}
  focus() {}
}`;
const { PentimentoDrawing } = await load(player, 'element.mjs', { 'controls.mjs': controls });
PentimentoDrawing.parts = { styles: [] };

// An element in a page, by default with an opened drawing.
async function opened(attributes = {}, isLoaded = true) {
  const time = new FakeTime();
  openPage();
  asked.length = 0;
  const element = new PentimentoDrawing();
  Object.assign(element.sheet, { clientWidth: 400, clientHeight: 300 });
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  const events = [];
  for (
    const name of [
      'play',
      'pause',
      'ended',
      'seeking',
      'seeked',
      'ratechange',
      'timeupdate',
      'loadeddata',
      'error',
      'durationchange',
    ]
  ) {
    element.addEventListener(name, () => events.push(name));
  }
  element.connectedCallback();
  if (isLoaded) await element.load({ byteLength: 3 });
  await settle();
  // Frames of a screen, fifty a second.
  const run = async (milliseconds) => {
    for (let passed = 0; passed < milliseconds; passed += 20) await time.frame(20);
  };
  return { element, time, events, run };
}

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('an opened drawing shows its end, and pauses last half a second', async () => {
  const { element, events } = await opened();
  assert.deepStrictEqual([element.currentTime, element.duration, element.paused, element.ended], [
    4.5,
    4.5,
    true,
    false,
  ]);
  assert.ok(events.includes('loadeddata') && !events.includes('play'));
});

test('replay time passes only while the element plays', async () => {
  const { element, events, run } = await opened();
  element.play();
  await run(1000);
  near(element.currentTime, 1);
  element.pause();
  await run(1000);
  near(element.currentTime, 1);
  element.toggle();
  await run(500);
  near(element.currentTime, 1.5);
  assert.deepStrictEqual(events.filter((name) => name === 'play' || name === 'pause'), ['play', 'pause', 'play']);
});

test('a replay ends at its end, and plays from its start again', async () => {
  const { element, events, run } = await opened();
  element.play();
  await run(6000);
  assert.deepStrictEqual([element.currentTime, element.ended, element.paused, events.at(-1)], [
    4.5,
    true,
    true,
    'ended',
  ]);
  element.play();
  assert.deepStrictEqual([element.currentTime, element.ended], [0, false]);
  await run(100);
  near(element.currentTime, 0.1);
});

test('a replay in a loop shows its end for a second, and does not end', async () => {
  const { element, events, run } = await opened({ loop: '' });
  element.play();
  await run(4500);
  near(element.currentTime, 4.5);
  await run(980);
  near(element.currentTime, 4.5);
  // One frame more or less, because sums of fractions are rounded.
  await run(40);
  assert.ok(element.currentTime < 0.03);
  await run(200);
  assert.ok(element.currentTime > 0.17 && element.currentTime < 0.23);
  assert.ok(!events.includes('ended') && !element.ended && !element.paused);
});

test('playbackRate multiplies the speed of time', async () => {
  for (const speed of [0.5, 2, 4]) {
    const { element, events, run } = await opened();
    element.playbackRate = speed;
    element.play();
    await run(500);
    near(element.currentTime, speed / 2);
    assert.equal(events.filter((name) => name === 'ratechange').length, 1);
  }
});

test('an invalid playbackRate is refused, an invalid attribute means 1', async () => {
  const { element } = await opened({ speed: ' 2 ' });
  assert.equal(element.playbackRate, 2);
  assert.throws(() => {
    element.playbackRate = 17;
  }, { name: 'NotSupportedError' });
  assert.throws(() => {
    element.playbackRate = 0;
  }, { name: 'NotSupportedError' });
  assert.throws(() => {
    element.playbackRate = NaN;
  }, TypeError);
  assert.equal(element.playbackRate, 2);
  for (const text of ['fast', '', '0', '-1', '99']) {
    element.setAttribute('speed', text);
    assert.equal(element.playbackRate, 1, text);
    element.setAttribute('speed', '2');
  }
});

test('a seek shows its moment, clamped to the recording', async () => {
  const { element, events } = await opened();
  element.currentTime = 2.5;
  await settle();
  assert.deepStrictEqual([element.currentTime, asked.at(-1)], [2.5, { kind: 'show', seconds: 8 }]);
  assert.deepStrictEqual(events.filter((name) => name.startsWith('seek')), ['seeking', 'seeked']);
  for (const [given, time] of [[99, 4.5], [-3, 0], ['1.5', 1.5], [NaN, 0]]) {
    element.currentTime = given;
    assert.equal(element.currentTime, time);
  }
});

test('a seek while playing continues from there', async () => {
  const { element, run } = await opened();
  element.play();
  await run(200);
  element.currentTime = 3;
  await run(500);
  near(element.currentTime, 3.5);
});

test('a page that was hidden continues where it stopped', async () => {
  const { element, time, run } = await opened();
  element.play();
  await run(200);
  await time.frame(60_000);
  near(element.currentTime, 0.45);
});

test('changing maxPause changes the duration and keeps the moment', async () => {
  const { element, events } = await opened();
  element.currentTime = 3;
  element.setAttribute('max-pause', 'none');
  assert.deepStrictEqual([element.duration, element.currentTime, element.skipsPauses], [9, 7.5, false]);
  element.skipsPauses = true;
  assert.deepStrictEqual([element.duration, element.currentTime], [4.5, 3]);
  element.setAttribute('max-pause', '2');
  assert.equal(element.duration, 6);
  element.setAttribute('max-pause', '-1');
  assert.equal(element.duration, 4.5);
  // The end stays the end.
  element.currentTime = 99;
  element.setAttribute('max-pause', '0');
  assert.equal(element.currentTime, 4);
  assert.ok(events.includes('durationchange'));
});

test('properties set before the drawing is open apply afterwards', async () => {
  const { element, run } = await opened({}, false);
  element.currentTime = 2;
  element.play();
  assert.deepStrictEqual([element.currentTime, Number.isNaN(element.duration), element.paused], [2, true, false]);
  await element.load({ byteLength: 3 });
  await run(500);
  near(element.currentTime, 2.5);
});

test('autoplay respects the preference for reduced motion', async () => {
  const first = await opened({ autoplay: '' });
  assert.equal(first.element.paused, false);
  isStill = true;
  const second = await opened({ autoplay: '' });
  assert.equal(second.element.paused, true);
  isStill = false;
});

test('a removed element pauses, and a moved one continues', async () => {
  const { element, run } = await opened();
  element.play();
  element.disconnectedCallback();
  element.connectedCallback();
  await run(100);
  assert.equal(element.paused, false);
  element.remove();
  element.disconnectedCallback();
  await settle();
  assert.equal(element.paused, true);
});

test('a file that is no drawing shows its own error and does not play', async () => {
  failure = { message: 'no', code: 'notARecording' };
  const { element, events } = await opened();
  failure = undefined;
  assert.deepStrictEqual([element.note.textContent, element.note.hidden, events.at(-1)], [
    'This drawing cannot be read.',
    false,
    'error',
  ]);
  await element.play();
  assert.equal(element.paused, true);
  await element.load({ byteLength: 33 << 20 });
  assert.equal(element.note.textContent, 'This drawing is too large for a page.');
  await element.load({ byteLength: 3 });
  assert.deepStrictEqual([element.note.hidden, element.duration], [true, 4.5]);
});

test('timeupdate fires at most five times a second', async () => {
  const { element, events, run } = await opened();
  element.play();
  events.length = 0;
  await run(2000);
  const count = events.filter((name) => name === 'timeupdate').length;
  assert.ok(count >= 8 && count <= 11, `${count}`);
});
