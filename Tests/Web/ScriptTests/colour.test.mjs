import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inverted, mixed, parsed, parts, translucent } from '../../../Sources/Web/Canvas/colour.mjs';

const channel = (number) => number.toString(16).padStart(2, '0');
const steps = [0, 1, 17, 84, 127, 128, 200, 254, 255];
const all = steps.flatMap((red) =>
  steps.flatMap((green) => steps.map((blue) => `#${channel(red)}${channel(green)}${channel(blue)}`))
);

test('hex numbers of 3, 6 or 8 digits are colours, and nothing else is', () => {
  assert.deepEqual(parsed('#1b2440'), { colour: '#1b2440', opacity: 1 });
  assert.deepEqual(parsed(' FA0 '), { colour: '#ffaa00', opacity: 1 });
  assert.deepEqual(parsed('#FFAA0033'), { colour: '#ffaa00', opacity: 0.2 });
  // Ink without any opacity would be invisible.
  assert(parsed('#ffaa0000').opacity > 0);
  for (const text of ['', '#', '#12', '#1234', '#12345', '#1234567', '#123456789', 'red', '#ggg', '##123', '# 123']) {
    assert.equal(parsed(text), null, text);
  }
});

test('a translucent colour has two more digits, an opaque one has none', () => {
  assert.equal(translucent('#ffaa00', 1), '#ffaa00');
  assert.equal(translucent('#ffaa00', 0.2), '#ffaa0033');
  assert.equal(translucent('#ffaa00', 0.01), '#ffaa0003');
  assert.deepEqual(parsed(translucent('#123456', 0.4)), { colour: '#123456', opacity: 0.4 });
});

test('hue, saturation and brightness give the colour back', () => {
  for (const color of all) assert.equal(mixed(...parts(color, [0, 0])), color);
  assert.deepEqual(parts('#ff0000', [0, 0]), [0, 1, 1]);
  assert.deepEqual(parts('#00ff00', [0, 0]), [120, 1, 1]);
  assert.deepEqual(parts('#000080', [0, 0]), [240, 1, 128 / 255]);
});

test('greys keep the hue before them, and black keeps the saturation too', () => {
  assert.deepEqual(parts('#ffffff', [210, 0.5]), [210, 0, 1]);
  assert.deepEqual(parts('#000000', [210, 0.5]), [210, 0.5, 0]);
});

test('the other style inverts lightness, and twice gives the colour back', () => {
  assert.equal(inverted('#000000'), '#ffffff');
  assert.equal(inverted('#ff0000'), '#ff0000');
  assert.equal(inverted('#1b2440'), '#bfc8e4');
  for (const color of all) assert.equal(inverted(inverted(color)), color);
});
