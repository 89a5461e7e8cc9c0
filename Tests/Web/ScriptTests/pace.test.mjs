import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../../Sources/Web/Canvas/pace.mjs';

// The forces along a straight line, at a speed in pixels a millisecond. Interval and duration of the
// events are in milliseconds.
function forces(speed, interval, duration = 400, pace = new Pace()) {
  const all = [];
  for (let time = 0; time <= duration; time += interval) all.push(pace.force(speed * time, 0, time));
  return all;
}

test('a fast hand presses less than a slow one, within limits', () => {
  const ends = [0.02, 0.1, 0.5, 1, 2, 5, 50].map((speed) => forces(speed, 8, 2000).at(-1));
  for (const [index, end] of ends.entries()) {
    assert(end <= 5 && end >= 0.05);
    if (index) assert(end <= ends[index - 1]);
  }
  assert(ends[0] > 2.5 && ends[6] < 0.1);
});

test('after a pause the line gets broader on its way, and not at once', () => {
  const pace = new Pace();
  const fast = forces(1, 8, 200, pace).at(-1);
  // A rest of a second, then slowly on.
  const after = [0, 1, 2, 4, 8, 16, 40].map((way) => pace.force(200 + way, 0, 1200 + 20 * way));
  assert.equal(after[0], fast);
  for (const [index, force] of after.entries()) assert(index === 0 || force > after[index - 1]);
  assert(after[1] < 1.25 * fast && after[6] > 2 * fast);
});

test('the force does not depend on how often the browser reports', () => {
  for (const speed of [0.2, 1, 3]) {
    const [rare, often] = [forces(speed, 16), forces(speed, 4)];
    for (const [index, force] of rare.entries()) {
      if (index > 1) assert(Math.abs(force / often[4 * index] - 1) < 0.1, `${speed} ${index}`);
    }
  }
});

test('the force changes gradually, even if events are bunched', () => {
  const pace = new Pace();
  let last = pace.force(0, 0, 0);
  // Two events at almost the same time, then a pause.
  for (const [x, time] of [[8, 8], [16, 8.1], [16, 16], [24, 24], [24, 24], [23, 20], [40, 40]]) {
    const force = pace.force(x, 0, time);
    assert(Math.abs(Math.log(force / last)) < 0.5, `${x} ${time}`);
    last = force;
  }
});

test('the current force can be asked for without a new place', () => {
  const pace = new Pace();
  assert.equal(pace.now, pace.force(10, 10, 5));
  assert(Math.abs(pace.now - 0.9 / 1.1) < 1e-9);
  pace.force(11, 10, 9);
  assert.equal(pace.now, pace.now);
});
