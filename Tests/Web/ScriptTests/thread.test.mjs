// The module that sends requests to a worker.

import assert from 'node:assert/strict';
import test from 'node:test';
import { define, load, player } from './support.mjs';

const { DrawingThread } = await load(player, 'thread.mjs');

class FakeWorker {
  sent = [];
  isEnded = false;
  constructor(address, options) {
    Object.assign(this, { address, options });
  }
  postMessage(message, transfer) {
    this.sent.push({ message, transfer });
  }
  terminate() {
    this.isEnded = true;
  }
  say(data) {
    this.onmessage({ data });
  }
}
define('Worker', FakeWorker);

const opened = (heard) => new DrawingThread('worker.mjs', { type: 'module' }, heard);

test('a request to a worker has a number and its transferred buffers', () => {
  const thread = opened();
  const pixels = new ArrayBuffer(8);
  thread.ask('show', { seconds: 2 }, [pixels]);
  assert.deepStrictEqual(thread.worker.sent, [{
    message: { number: 1, kind: 'show', seconds: 2 },
    transfer: [pixels],
  }]);
  assert.deepStrictEqual([thread.worker.address, thread.worker.options], ['worker.mjs', { type: 'module' }]);
});

test('answers of a worker reach their own requests in any order', async () => {
  const thread = opened();
  const asked = [thread.ask('a'), thread.ask('b'), thread.ask('c')];
  for (const number of [3, 1, 2]) thread.worker.say({ number, answer: `answer ${number}` });
  assert.deepStrictEqual(await Promise.all(asked), ['answer 1', 'answer 2', 'answer 3']);
});

test('an error of the worker has its message, code and status', async () => {
  const thread = opened();
  const asked = thread.ask('view');
  thread.worker.say({ number: 1, error: { message: 'It stopped.', code: 'stopped', status: 404 } });
  await assert.rejects(asked, { message: 'It stopped.', code: 'stopped', status: 404 });
});

test('messages without a number are passed on, and settle no request', async () => {
  const heard = [];
  const thread = opened((data) => heard.push(data));
  const asked = thread.ask('view');
  thread.worker.say({ state: 'saved' });
  thread.worker.say({ number: 1, answer: 5 });
  assert.deepStrictEqual([heard, await asked], [[{ state: 'saved' }], 5]);
});

test('an answer without a waiting request is ignored', () => {
  const thread = opened();
  thread.worker.say({ number: 7, answer: 1 });
  thread.worker.say({ number: 7, error: { message: 'late' } });
});

test('a worker that cannot be loaded fails earlier and later requests', async () => {
  const thread = opened();
  const before = thread.ask('view');
  let isPrevented = false;
  thread.worker.onerror({
    message: '',
    preventDefault: () => {
      isPrevented = true;
    },
  });
  await assert.rejects(before, { message: 'The worker cannot be loaded.', code: 'failed' });
  await assert.rejects(thread.ask('view'), { message: 'The worker cannot be loaded.', code: 'failed' });
  assert.deepStrictEqual([isPrevented, thread.worker.sent.length], [true, 1]);
});

test('ending a worker fails its waiting requests', async () => {
  const thread = opened();
  const asked = thread.ask('view');
  thread.end();
  await assert.rejects(asked, { message: 'The drawing is closed.', code: 'failed' });
  assert.ok(thread.worker.isEnded);
});
