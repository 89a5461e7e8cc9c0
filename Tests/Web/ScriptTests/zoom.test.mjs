// The player's module that zooms and moves the sheet, with a sheet of 400 by 300 in a stage of 600
// by 400.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, define, FakeElement, load, player } from './support.mjs';

const { largestScale, Zoom } = await load(player, 'zoom.mjs');
define('devicePixelRatio', 1);

const origin = [100, 50];

// The properties of the player's element that `Zoom` uses.
class Part extends EventTarget {
  region = [10, 20, 800, 600];
  begun = 0;
  changes = 0;
  toggled = 0;
  hasControls = true;
  stage = Object.assign(new FakeElement(), { clientWidth: 600, clientHeight: 400 });
  sheet = Object.assign(new FakeElement(), {
    clientWidth: 400,
    clientHeight: 300,
    offsetLeft: origin[0],
    offsetTop: origin[1],
  });

  begin() {
    this.begun += 1;
  }
  viewChanged() {
    this.changes += 1;
  }
  toggle() {
    this.toggled += 1;
  }
  hasAttribute() {
    return this.hasControls;
  }
}

function zoomed() {
  const part = new Part();
  const zoom = new Zoom(part);
  // The shown position of the sheet, read from its style.
  const shown = () => {
    const pattern = /translate\((-?[\d.e-]+)px, (-?[\d.e-]+)px\) scale\(([\d.e-]+)\)/;
    const found = pattern.exec(part.sheet.style.transform ?? '');
    return found ? found.slice(1).map(Number) : [0, 0, 1];
  };
  part.sheet.getBoundingClientRect = () => ({ left: origin[0] + shown()[0], top: origin[1] + shown()[1] });
  // Dispatches an event to the stage, and returns it.
  const happen = (name, { target = part.sheet, ...values }) => {
    const event = Object.assign(new Event(name, { cancelable: true }), values);
    Object.defineProperty(event, 'target', { value: target });
    part.stage.dispatchEvent(event);
    return event;
  };
  return { part, zoom, shown, happen };
}

// The point of the sheet below a point of the window.
const under = ([x, y, factor], point) => [(point[0] - origin[0] - x) / factor, (point[1] - origin[1] - y) / factor];

function near(a, b, message, most = 1) {
  a.forEach((value, index) => assert.ok(Math.abs(value - b[index]) <= most, `${message}: ${a} is not ${b}`));
}

test('the point under the cursor stays where it is while the wheel zooms in', () => {
  for (let seed = 0; seed < 200; seed++) {
    const chance = new Chance(seed);
    const { zoom, shown, happen } = zoomed();
    const point = [origin[0] + chance.below(400), origin[1] + chance.below(300)];
    const before = under(shown(), point);
    for (let count = 0; count < 5; count++) {
      const event = happen('wheel', { ctrlKey: true, deltaY: -60, deltaX: 0, clientX: point[0], clientY: point[1] });
      assert.ok(event.defaultPrevented);
    }
    assert.ok(zoom.factor > 4);
    // The sheet is moved by whole pixels.
    near(under(shown(), point), before, `seed ${seed}`);
  }
});

test('zoom is limited to one to eight times the fitted sheet', () => {
  const { zoom } = zoomed();
  zoom.by(100);
  assert.equal(zoom.factor, 8);
  zoom.by(1e-3);
  assert.equal(zoom.factor, 1);
});

test('a zoomed sheet always covers the area of the fitted one', () => {
  for (let seed = 0; seed < 200; seed++) {
    const chance = new Chance(seed);
    const { zoom, shown, happen } = zoomed();
    for (let count = 0; count < 20; count++) {
      if (chance.below(2)) zoom.by(chance.pick([0.5, 0.8, 1.25, 2]), [chance.below(400), chance.below(300)]);
      else happen('wheel', { deltaX: chance.below(1000) - 500, deltaY: chance.below(1000) - 500 });
      const [x, y, factor] = shown();
      assert.ok(
        x <= 0 && y <= 0 && x + 400 * factor >= 399 && y + 300 * factor >= 299,
        `seed ${seed}: ${[x, y, factor]}`,
      );
    }
  }
});

test('zooming without a point keeps the middle of the view', () => {
  const { zoom, shown } = zoomed();
  zoom.by(4, [400, 0]);
  const middle = [origin[0] + 200, origin[1] + 150];
  const before = under(shown(), middle);
  zoom.by(1.25);
  near(under(shown(), middle), before, 'the middle');
});

test('fit shows the whole sheet and removes the class zoomed', () => {
  const { part, zoom, shown } = zoomed();
  zoom.by(3, [10, 10]);
  assert.deepStrictEqual([part.stage.classList.contains('zoomed'), shown()[2]], [true, 3]);
  zoom.fit();
  assert.deepStrictEqual([part.stage.classList.contains('zoomed'), part.sheet.style.transform, zoom.factor], [
    false,
    '',
    1,
  ]);
});

test('zooming starts the replay, and each change requests a sharper view', () => {
  const { part, zoom } = zoomed();
  zoom.by(2);
  assert.deepStrictEqual([part.begun, part.changes], [1, 1]);
  zoom.fit();
  assert.deepStrictEqual([part.begun, part.changes], [1, 2]);
});

test('a wheel without Ctrl scrolls the page while the sheet is fitted, and the sheet while it is zoomed', () => {
  const { zoom, shown, happen } = zoomed();
  assert.ok(!happen('wheel', { deltaX: 0, deltaY: 10 }).defaultPrevented);
  zoom.by(2, [0, 0]);
  assert.ok(happen('wheel', { deltaX: 30, deltaY: 10 }).defaultPrevented);
  assert.deepStrictEqual(shown(), [-30, -10, 2]);
});

test('resizing the sheet keeps the visible part', () => {
  const { part, zoom, shown } = zoomed();
  zoom.by(2, [400, 300]);
  assert.deepStrictEqual(shown(), [-400, -300, 2]);
  zoom.set(2, -100, -60);
  Object.assign(part.sheet, { clientWidth: 200, clientHeight: 150 });
  zoom.resized();
  assert.deepStrictEqual(shown(), [-50, -30, 2]);
  part.sheet.clientWidth = 0;
  zoom.resized();
  assert.deepStrictEqual(shown(), [-50, -30, 2]);
});

test('a drag moves the sheet only while it is zoomed', () => {
  const { zoom, shown, happen } = zoomed();
  const drag = () => {
    happen('pointerdown', { pointerId: 1, clientX: 300, clientY: 200 });
    happen('pointermove', { pointerId: 1, clientX: 280, clientY: 190 });
    happen('pointerup', { pointerId: 1 });
    happen('pointermove', { pointerId: 1, clientX: 0, clientY: 0 });
  };
  drag();
  assert.deepStrictEqual(shown(), [0, 0, 1]);
  zoom.by(2, [0, 0]);
  drag();
  assert.deepStrictEqual(shown(), [-20, -10, 2]);
});

test('two fingers zoom by the change of their distance', () => {
  const { zoom, shown, happen } = zoomed();
  const still = [200, 150];
  const before = under(shown(), still);
  happen('pointerdown', { pointerId: 1, clientX: still[0], clientY: still[1] });
  happen('pointerdown', { pointerId: 2, clientX: 300, clientY: 150 });
  happen('pointermove', { pointerId: 2, clientX: 400, clientY: 150 });
  assert.equal(zoom.factor, 2);
  near(under(shown(), still), before, 'the finger that rests');
});

test('a tap plays or pauses, a drag and a press of a button do not', () => {
  const { part, happen } = zoomed();
  happen('pointerdown', { pointerId: 1, clientX: 300, clientY: 200 });
  happen('pointermove', { pointerId: 1, clientX: 302, clientY: 202 });
  happen('pointerup', { pointerId: 1 });
  happen('click', {});
  assert.equal(part.toggled, 1);
  happen('pointerdown', { pointerId: 1, clientX: 300, clientY: 200 });
  happen('pointermove', { pointerId: 1, clientX: 305, clientY: 200 });
  happen('pointerup', { pointerId: 1 });
  happen('click', {});
  assert.equal(part.toggled, 1);
  happen('pointerdown', { pointerId: 1, clientX: 300, clientY: 200 });
  happen('click', { target: new FakeElement('button') });
  assert.equal(part.toggled, 1);
  part.hasControls = false;
  happen('click', {});
  assert.equal(part.toggled, 1);
});

test('a double click zooms in at its point, and the next one fits', () => {
  const { zoom, shown, happen } = zoomed();
  const point = [220, 90];
  const before = under(shown(), point);
  happen('dblclick', { clientX: point[0], clientY: point[1] });
  assert.equal(zoom.factor, 2);
  near(under(shown(), point), before, 'the point');
  happen('dblclick', { clientX: point[0], clientY: point[1] });
  assert.equal(zoom.factor, 1);
});

test('a view of the fitted sheet has the whole region at screen resolution', () => {
  const { part, zoom } = zoomed();
  globalThis.devicePixelRatio = 2;
  assert.deepStrictEqual(zoom.place(part.region, 8e6), { region: part.region, scale: 1, layoutScale: 0.5 });
  assert.equal(zoom.fitScale, 1);
  globalThis.devicePixelRatio = 1;
  part.sheet.clientWidth = 0;
  assert.equal(zoom.place(part.region, 8e6), undefined);
});

test('a view of a zoomed sheet has the visible part with a margin', () => {
  const { part, zoom } = zoomed();
  zoom.by(8, [200, 150]);
  const { region: [x, y, width, height], scale } = zoom.place(part.region, 8e6);
  assert.equal(scale, 4);
  // The stage shows 600 by 400 pixels, at four to a point; 15 % more on each side.
  near([width, height], [600 * 1.3 / 4, 400 * 1.3 / 4], 'the size', 1e-9);
  near([x + width / 2, y + height / 2], [10 + 400, 20 + 300], 'the middle', 1e-9);
  zoom.set(8, 0, 0);
  const { region: [left, top] } = zoom.place(part.region, 8e6);
  assert.deepStrictEqual([left, top], [10, 20]);
  zoom.set(8, -1e9, -1e9);
  const { region: last } = zoom.place(part.region, 8e6);
  near([last[0] + last[2], last[1] + last[3]], [810, 620], 'the end', 1e-9);
});

test('a scale stays within the pixels and the longest side of a canvas', () => {
  assert.equal(largestScale([0, 0, 100, 100], 40_000), 2);
  assert.equal(largestScale([0, 0, 20_000, 1], 1e9), 16_382 / 20_000);
  assert.equal(largestScale([0, 0, 1, 20_000], 1e9), 16_382 / 20_000);
  const { part, zoom } = zoomed();
  zoom.by(8);
  assert.ok(zoom.place(part.region, 1000).scale < 0.3);
});
