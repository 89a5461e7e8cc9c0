// The module that sends requests to the service.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FakeNetwork, load, offline, reply, site } from './support.mjs';

const { each, hexadecimal, isAway, isPassing, Problem, request } = await load(site, 'requests.mjs');

const failing = async (answer, options) => {
  new FakeNetwork(answer);
  return request('GET', 'v1/x', options).then(() => assert.fail('It was answered.'), (problem) => problem);
};

test('a request body is JSON, and bytes and forms are sent unchanged', async () => {
  const network = new FakeNetwork(() => reply(200, {}));
  const [bytes, form] = [Uint8Array.of(1, 2), new FormData()];
  await request('PUT', 'a', { body: { n: 1 }, fields: { Authorization: 'Bearer x' } });
  await request('PUT', 'b', { body: bytes, fields: { 'Content-Type': 'image/png' } });
  await request('PUT', 'c', { body: form });
  await request('GET', 'd');
  await request('PUT', 'e', { body: null });
  const sent = network.asked.map(({ headers, body }) => [headers, body]);
  assert.deepStrictEqual(sent[0], [{ 'Content-Type': 'application/json', Authorization: 'Bearer x' }, '{"n":1}']);
  assert.deepStrictEqual(sent[1], [{ 'Content-Type': 'image/png' }, bytes]);
  assert.equal(sent[2][1], form);
  assert.deepStrictEqual(sent[3], [{}, undefined]);
  assert.equal(sent[4][1], 'null');
});

test('fetch options of a caller are passed to the browser', async () => {
  const network = new FakeNetwork(() => reply(204));
  const { signal } = new AbortController();
  await request('DELETE', 'v1/x', { signal, keepalive: true, cache: 'no-store' });
  const [{ method, path, ...others }] = network.asked;
  assert.deepStrictEqual([method, path, others.signal, others.keepalive, others.cache], [
    'DELETE',
    'v1/x',
    signal,
    true,
    'no-store',
  ]);
});

test('an answer is parsed JSON, nothing, or the response itself', async () => {
  new FakeNetwork(({ path }) => (path === 'none' ? reply(204) : reply(200, { a: [1] })));
  assert.deepStrictEqual(await request('GET', 'some'), { a: [1] });
  assert.equal(await request('DELETE', 'none'), null);
  assert.equal((await request('GET', 'some', { isRaw: true })).status, 200);
});

test('a lost connection is a problem with the status 0', async () => {
  const problem = await failing(offline);
  assert.ok(problem instanceof Problem && problem instanceof Error);
  assert.deepStrictEqual([problem.status, problem.code, problem.message, problem.name], [
    0,
    'offline',
    'Failed to fetch',
    'Problem',
  ]);
});

test('an answer that is cut, or is no JSON, is a lost connection', async () => {
  for (const text of ['{"a": [1', '', '<html>Please sign in to this network</html>']) {
    assert.equal((await failing(() => reply(200, text))).status, 0, text);
  }
  const cut = new ReadableStream({
    pull(stream) {
      stream.error(new TypeError('network error'));
    },
  });
  assert.equal((await failing(() => new Response(cut))).code, 'offline');
});

test('an aborted request stays aborted, a timeout is a lost connection', async () => {
  const given = await failing(() => {
    throw new DOMException('x', 'AbortError');
  });
  assert.deepStrictEqual([given.name, given instanceof Problem], ['AbortError', false]);
  assert.equal(
    (await failing(() => {
      throw new DOMException('x', 'TimeoutError');
    })).status,
    0,
  );
});

test('a refusal has the status, code and detail of the service', async () => {
  const problem = await failing(() => reply(422, { code: 'invalid', detail: 'It is too long.', field: 'journal' }));
  assert.deepStrictEqual(
    [problem.status, problem.code, problem.message, problem.field],
    [422, 'invalid', 'It is too long.', 'journal'],
  );
});

test('a refusal without a body is a problem with its status', async () => {
  for (const body of ['', '<html>502 Bad Gateway</html>', 'null', '[]', '"no"', '7', '{']) {
    const problem = await failing(() => reply(502, body));
    assert.ok(problem instanceof Problem, body);
    assert.deepStrictEqual([problem.status, problem.code, problem.message], [502, 'failed', ''], body);
  }
});

test('a server is away if it is unreachable, busy or failing', () => {
  for (const status of [0, 408, 429, 500, 502, 503, 504, 599]) assert.ok(isAway({ status }), `${status}`);
  for (const status of [400, 401, 402, 403, 404, 409, 413, 422, 499]) assert.ok(!isAway({ status }), `${status}`);
});

test('a request may succeed later after passing problems', () => {
  for (const status of [0, 401, 402, 408, 429, 503]) assert.ok(isPassing(new Problem(status)), `${status}`);
  for (const status of [400, 403, 404, 413, 422]) assert.ok(!isPassing(new Problem(status)), `${status}`);
  assert.ok(isPassing(new Problem(409, { code: 'busy' })) && !isPassing(new Problem(409, { code: 'exists' })));
});

test('hexadecimal text has two digits for each byte', () => {
  assert.equal(hexadecimal(Uint8Array.of(0, 9, 16, 171, 255)), '000910abff');
  assert.equal(hexadecimal([]), '');
});

test('many requests run a few at a time, and wait when the server has had too many', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let [running, most, refusals] = [0, 0, 1];
  const done = [];
  const run = async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    if (item === 3 && refusals-- > 0) throw new Problem(429);
    if (item === 5) throw new Problem(500);
    done.push(item);
  };
  const all = each([0, 1, 2, 3, 4, 5, 6, 7], run);
  for (let step = 0; step < 50; step++) await Promise.resolve();
  assert.deepStrictEqual(done, [0, 1, 2, 4, 6, 7]);
  context.mock.timers.tick(1000);
  assert.deepStrictEqual(await all, [5]);
  assert.deepStrictEqual([done.at(-1), most], [3, 4]);
  assert.deepStrictEqual(await each([1], run, AbortSignal.abort()), []);
});
