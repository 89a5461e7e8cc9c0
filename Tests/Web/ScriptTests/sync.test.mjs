// The part of the sync protocol that pages use: sending one drawing.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, FakeNetwork, load, offline, reply, site } from './support.mjs';

const { sendDrawing, timeFor, beside } = await load(site, 'sync.mjs');
const { decode, encode, Moment } = await beside('cbor.mjs');
const { Problem } = await beside('requests.mjs');

const clock = 1_790_000_000_000_000;
const answer = (fields = {}) => reply(200, encode({ store: 's1', clock: new Moment(clock), ...fields }));
const megabyte = 1 << 20;

const send = (recording = Uint8Array.of(1, 2, 3), ancestors = ['before']) =>
  sendDrawing('v1/users/u', 'd-1', { fields: { createdAt: new Moment(5) }, ancestors, sha256: 'now', recording });
const refusal = (sent) => sent.then(() => ({ status: 'stored' }), (problem) => problem);

test('a drawing is sent as one change with fields, ancestors and file', async () => {
  const network = new FakeNetwork(() => answer());
  assert.deepStrictEqual(await send(), { clock, result: ['stored'] });
  const [{ method, path, headers, body }] = network.asked;
  assert.deepStrictEqual([method, path, headers], ['POST', 'v1/users/u/sync', { 'Content-Type': 'application/cbor' }]);
  const { version, changes: [[name, number, fields, ancestors, files], ...others] } = decode(body);
  assert.deepStrictEqual([version, name, number, ancestors, others.length], [1, 'drawings/d-1', 0, ['before'], 0]);
  assert.deepStrictEqual(decode(fields), { createdAt: new Moment(5) });
  assert.deepStrictEqual(files, [['recording.pkd', 'now', Uint8Array.of(1, 2, 3)]]);
});

test('unknown ancestors are sent as null', async () => {
  const network = new FakeNetwork(() => answer());
  await send(undefined, null);
  assert.equal(decode(network.asked[0].body).changes[0][3], null);
});

test('the result of a change is a word with its values', async () => {
  new FakeNetwork(() => answer({ results: [[0, 'conflict', 'abc', 7]] }));
  assert.deepStrictEqual(await send(), { clock, result: ['conflict', 'abc', 7] });
});

test('a missing result means stored only in an answer of the service', async () => {
  const answers = {
    'an empty page': () => reply(200, ''),
    'a page of a network': () => reply(200, '<html>Welcome</html>'),
    'a cut answer': () => reply(200, encode({ store: 's1', clock: new Moment(clock) }).subarray(0, 12)),
    'no store': () => reply(200, encode({ clock: new Moment(clock) })),
    'no time': () => reply(200, encode({ store: 's1' })),
    'nothing': () => reply(200, encode(null)),
    'a reset': () => answer({ isReset: true }),
    'a result of another change': () => answer({ results: [[1, 'conflict', 'a']] }),
    'two results': () => answer({ results: [[0, 'stored'], [0, 'stored']] }),
    'results that are none': () => answer({ results: 5 }),
    'a result that is none': () => answer({ results: [[]] }),
    'a time that is none': () => reply(200, encode({ store: 's1', clock: 5 })),
    'no content': () => reply(204),
  };
  for (const [what, give] of Object.entries(answers)) {
    new FakeNetwork(give);
    const problem = await refusal(send());
    assert.ok(problem instanceof Problem, what);
    assert.deepStrictEqual([problem.status, problem.code], [0, 'offline'], what);
  }
});

test('a damaged sync answer is a problem or an answer', async () => {
  const whole = encode({ store: 's1', clock: new Moment(clock), results: [[0, 'conflict', 'abc', 1]] });
  for (let seed = 0; seed < 300; seed++) {
    const chance = new Chance(seed);
    const damaged = whole.slice();
    damaged[chance.below(whole.length)] ^= 1 << chance.below(8);
    new FakeNetwork(() => reply(200, damaged));
    const found = await send().catch((problem) => problem);
    if (found instanceof Problem) continue;
    assert.ok(
      Number.isSafeInteger(found.clock) && Array.isArray(found.result),
      `seed ${seed}: ${JSON.stringify(found)}`,
    );
  }
});

test('refusals and lost connections of sync keep their status', async () => {
  new FakeNetwork(() => reply(413, { code: 'too-large' }));
  assert.deepStrictEqual(await refusal(send()).then(({ status, code }) => [status, code]), [413, 'too-large']);
  new FakeNetwork(offline);
  assert.equal((await refusal(send())).status, 0);
});

// A server that accepts pieces of a file, at most `most` bytes of each.
function taking({ count = 0, most = Infinity } = {}) {
  const parts = [];
  const network = new FakeNetwork(({ method, path, body }) => {
    if (method === 'POST') return answer();
    if (method === 'PUT') {
      assert.equal(path, `v1/users/u/sync/files/now?offset=${count}`);
      parts.push(body.slice(0, most));
      count += Math.min(body.length, most);
    }
    return reply(200, { count });
  });
  return { network, parts };
}

test('a recording beyond two megabytes is sent in pieces of one megabyte', async () => {
  const { network } = taking();
  await send(new Uint8Array(2 * megabyte));
  assert.deepStrictEqual(network.taken(), ['POST v1/users/u/sync']);
  const recording = new Chance(1).bytes(2 * megabyte + 1);
  const { network: next, parts } = taking();
  assert.deepStrictEqual((await send(recording)).result, ['stored']);
  assert.deepStrictEqual(parts.map(({ length }) => length), [megabyte, megabyte, 1]);
  assert.equal(Buffer.compare(Buffer.concat(parts), recording), 0);
  assert.deepStrictEqual(decode(next.asked.at(-1).body).changes[0][4], []);
});

test('sending pieces resumes where the connection was lost', async () => {
  const { parts } = taking({ count: 2 * megabyte });
  await send(new Uint8Array(2 * megabyte + 9));
  assert.deepStrictEqual(parts.map(({ length }) => length), [9]);
});

test('a server that asks for bytes it has gets them again', async () => {
  const network = new FakeNetwork(({ method, path }) => (
    method === 'POST'
      ? answer()
      : reply(200, { count: method === 'GET' ? 3 * megabyte : Number(path.split('=')[1]) + megabyte })
  ));
  await send(new Uint8Array(3 * megabyte));
  assert.deepStrictEqual(network.taken().map((one) => one.split('?')[1] ?? ''), [
    '',
    'offset=0',
    `offset=${megabyte}`,
    `offset=${2 * megabyte}`,
    '',
  ]);
});

test('a server that accepts a part of each piece gets the rest', async () => {
  const recording = new Chance(2).bytes(2 * megabyte + 5);
  const { parts } = taking({ most: megabyte / 2 });
  await send(recording);
  assert.equal(Buffer.compare(Buffer.concat(parts), recording), 0);
});

test('sending pieces stops if the server accepts nothing', async () => {
  const { network } = taking({ most: 0 });
  const problem = await refusal(send(new Uint8Array(3 * megabyte)));
  assert.deepStrictEqual([problem.status, problem.code, network.asked.length], [503, 'pieces', 2]);
});

test('sending stops if the answer about pieces has no valid count', async () => {
  for (const said of [{}, { count: 'many' }, { count: null }, { count: -1 }, null, []]) {
    const network = new FakeNetwork(({ method }) => (method === 'POST' ? answer() : reply(200, said)));
    const problem = await refusal(send(new Uint8Array(3 * megabyte)));
    assert.deepStrictEqual([problem.status, problem.code], [503, 'pieces'], JSON.stringify(said));
    assert.deepStrictEqual(network.taken(), ['GET v1/users/u/sync/files/now'], JSON.stringify(said));
  }
});

test('every request has a timeout, which is longer for more bytes', async () => {
  const { network } = taking();
  await send(new Uint8Array(2 * megabyte + 1));
  assert.ok(network.asked.every(({ signal }) => signal instanceof AbortSignal && !signal.aborted));
  const before = AbortSignal.timeout;
  const times = [];
  AbortSignal.timeout = (milliseconds) => {
    times.push(milliseconds);
  };
  timeFor(0);
  timeFor(100_000);
  AbortSignal.timeout = before;
  assert.deepStrictEqual(times, [30_000, 40_000]);
});
