// The module that knows which versions of a drawing the server has or may have. Hashes are letters
// here.

import assert from 'node:assert/strict';
import test from 'node:test';
import { load, site } from './support.mjs';

const { Lineage } = await load(site, 'lineage.mjs');

function lineage(more = {}) {
  const record = { ...Lineage.empty, recording: null, sha256: null, ...more };
  // As the keeper does.
  const write = (sha256) => {
    one.replace(sha256);
    Object.assign(record, { sha256, recording: `bytes ${sha256}` });
  };
  const one = new Lineage(record);
  return { one, record, write };
}

test('the ancestors of a first version are unknown', () => {
  const { one, write } = lineage();
  assert.equal(one.ancestors('a'), null);
  write('a');
  assert.deepStrictEqual([one.ancestors('a'), one.base, one.isAt('a')], [null, null, false]);
});

test('the ancestors are the version of the server and all that were sent since, oldest first', () => {
  const { one, record, write } = lineage();
  write('a');
  one.store('a');
  assert.ok(one.isAt('a'));
  for (const sha256 of ['b', 'c', 'd']) write(sha256);
  assert.deepStrictEqual(one.ancestors('d'), ['a', 'b', 'c']);
  assert.deepStrictEqual(one.base, { sha256: 'a', recording: 'bytes a' });
  one.store('d');
  assert.deepStrictEqual([record.known, record.tried, one.ancestors('d'), one.base], ['d', [], null, null]);
});

test('a recording that returns to a former one is not at the server if a later one was sent', () => {
  const { one, write } = lineage();
  write('a');
  one.store('a');
  write('b');
  write('a');
  assert.deepStrictEqual([one.isAt('a'), one.ancestors('a')], [false, ['b']]);
});

test('a version of the server that was sent from here becomes the known one', () => {
  const { one, record, write } = lineage();
  write('a');
  one.store('a');
  write('b');
  write('c');
  assert.deepStrictEqual(['a', 'b', 'x'].map((sha256) => one.wasSentFromHere(sha256)), [true, true, false]);
  one.find('a');
  assert.deepStrictEqual(one.base, { sha256: 'a', recording: 'bytes a' });
  one.find('b');
  assert.deepStrictEqual([one.base, record.tried, one.ancestors('c')], [null, ['c'], ['b']]);
});

test('after a merge the version of the server is the base', () => {
  const { one, write } = lineage();
  write('a');
  one.join({ sha256: 'x', recording: 'bytes x' });
  write('ax');
  assert.deepStrictEqual([one.base, one.ancestors('ax')], [{ sha256: 'x', recording: 'bytes x' }, ['x', 'a']]);
});

test('the last twenty recordings whose answers were lost are remembered', () => {
  const { one, record, write } = lineage();
  for (let number = 0; number < 30; number++) write(`${number}`);
  assert.deepStrictEqual([record.tried.length, record.tried[0]], [20, '10']);
  one.attempt('15');
  assert.deepStrictEqual([record.tried.length, record.tried.at(-1)], [20, '15']);
});
