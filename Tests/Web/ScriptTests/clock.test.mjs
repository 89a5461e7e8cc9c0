// The player's module that converts between replay time and recording time.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, load, player } from './support.mjs';

const { Clock } = await load(player, 'clock.mjs');

// Two strokes with a pause of ten seconds, then an erasure half a second later.
const steps = [5, 2, 0, 17, 1, 0, 18.5, 0.25, 1];

// Steps without overlaps, in seconds that doubles represent exactly.
function randomSteps(chance) {
  const steps = [];
  let now = chance.below(100) / 4;
  for (let count = chance.below(12); count > 0; count--) {
    const length = chance.below(20) / 4;
    steps.push(now, length, chance.below(2));
    now += length + chance.pick([0, 0.25, 1, 40]);
  }
  return steps;
}

const near = (a, b, message) => assert.ok(Math.abs(a - b) < 1e-9, `${message}: ${a} is not ${b}`);

test('a replay omits the time before the first stroke', () => {
  const clock = new Clock(steps);
  assert.equal(clock.starts[0], 0);
  assert.equal(clock.recording(0), 5);
  assert.equal(clock.duration, 13.75);
});

test('pauses are cut to the maximum, and shorter ones stay', () => {
  const clock = new Clock(steps, 1);
  assert.deepStrictEqual([...clock.starts], [0, 3, 4.5]);
  assert.equal(clock.duration, 4.75);
  assert.deepStrictEqual([...new Clock(steps, 0).starts], [0, 2, 3]);
});

test('shortening pauses keeps the lengths and kinds of steps', () => {
  const clock = new Clock(steps, 0.5);
  assert.deepStrictEqual([[...clock.lengths], [...clock.kinds]], [[2, 1, 0.25], [0, 0, 1]]);
  assert.equal(clock.end(1), 3.5);
});

test('a recording without steps has a duration of zero', () => {
  const clock = new Clock(new Float64Array(0));
  assert.deepStrictEqual(
    [clock.duration, clock.recording(0), clock.recording(9), clock.watching(3), clock.next(0), clock.previous(1)],
    [0, 0, 0, 0, 0, 0],
  );
});

test('overlapping steps are shown one after the other', () => {
  const clock = new Clock([0, 4, 0, 2, 1, 0], 1);
  assert.deepStrictEqual([[...clock.starts], clock.duration], [[0, 4], 5]);
});

test('times beyond a replay map to its start and end', () => {
  const clock = new Clock(steps, 1);
  assert.deepStrictEqual([clock.recording(4.75), clock.recording(100), clock.recording(-1)], [18.75, 18.75, 0]);
});

test('a moment within a shortened pause maps to a time before the next stroke', () => {
  const clock = new Clock(steps, 1);
  assert.deepStrictEqual([clock.watching(7.5), clock.watching(8), clock.watching(16), clock.watching(17)], [
    2.5,
    3,
    3,
    3,
  ]);
  assert.deepStrictEqual([clock.watching(1), clock.watching(99)], [0, 4.75]);
});

test('mapping a moment to replay time and back gives the moment', () => {
  for (let seed = 0; seed < 400; seed++) {
    const chance = new Chance(seed);
    const clock = new Clock(randomSteps(chance), chance.pick([0, 0.5, 3, Infinity]));
    let before = -1;
    for (let step = 0; step <= 40; step++) {
      const seconds = clock.duration * step / 40;
      const recorded = clock.recording(seconds);
      assert.ok(recorded >= before, `seed ${seed}: time goes back`);
      before = recorded;
      // Where two steps meet, the same moment of the recording may be shown twice.
      const again = clock.watching(recorded);
      near(clock.recording(again), recorded, `seed ${seed}`);
    }
  }
});

test('steps of a random recording have the requested pauses', () => {
  for (let seed = 0; seed < 400; seed++) {
    const chance = new Chance(seed);
    const [steps, most] = [randomSteps(chance), chance.pick([0, 0.5, 3, Infinity])];
    const clock = new Clock(steps, most);
    for (let step = 1; step < clock.count; step++) {
      const pause = steps[3 * step] - steps[3 * step - 3] - steps[3 * step - 2];
      near(clock.starts[step] - clock.end(step - 1), Math.min(pause, most), `seed ${seed}, step ${step}`);
    }
  }
});

test('next and previous visit the ends of all strokes', () => {
  const clock = new Clock(steps, 1);
  const [ahead, back] = [[], []];
  for (let now = 0, count = 0; count < 4; count++) ahead.push(now = clock.next(now));
  for (let now = clock.duration, count = 0; count < 3; count++) back.push(now = clock.previous(now));
  assert.deepStrictEqual([ahead, back], [[2, 4, 4.75, 4.75], [4, 2, 0]]);
});

test('a time rounded by a millisecond is not an additional end', () => {
  const clock = new Clock(steps, 1);
  assert.deepStrictEqual([clock.next(1.9995), clock.previous(2.0005)], [4, 0]);
});
