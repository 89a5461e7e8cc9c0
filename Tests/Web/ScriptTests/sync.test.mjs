// The part of the sync protocol that pages use: sending one drawing.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Chance, FakeNetwork, load, offline, reply, site } from './support.mjs';

const { sendDrawing, timeFor, beside } = await load(site, 'sync.mjs');
const { Problem } = await beside('requests.mjs');

const clock = 1_790_000_000_000_000;
const time = '2026-09-21T14:13:20.000123Z';
const answer = (fields = {}) => reply(200, { store: 's1', clock: time, ...fields });
const megabyte = 1 << 20;

const send = (recording = Uint8Array.of(1, 2, 3), { ancestors = ['before'], base = null } = {}) =>
  sendDrawing('v1/users/u', 'd-1', { fields: { isFromCheckIn: true }, ancestors, sha256: 'now', recording, base });
// The change of a request.
const changeIn = ({ body }) => JSON.parse(body).changes[0];
const refusal = (sent) => sent.then(() => ({ status: 'stored' }), (problem) => problem);

test('a drawing is sent as one change with fields, ancestors and file', async () => {
  const network = new FakeNetwork(() => answer());
  assert.deepStrictEqual(await send(), { clock, result: ['stored'] });
  const [{ method, path, headers, body }] = network.asked;
  assert.deepStrictEqual([method, path, headers], ['POST', 'v1/users/u/sync', { 'Content-Type': 'application/json' }]);
  const { version, changes: [[name, number, fields, ancestors, files], ...others] } = JSON.parse(body);
  assert.deepStrictEqual([version, name, number, ancestors, others.length], [1, 'drawings/d-1', 0, ['before'], 0]);
  assert.deepStrictEqual(fields, { isFromCheckIn: true });
  assert.deepStrictEqual(files, [['recording.pkd', 'now', 'AQID']]);
});

test('unknown ancestors are sent as null', async () => {
  const network = new FakeNetwork(() => answer());
  await send(undefined, { ancestors: null });
  assert.equal(changeIn(network.asked[0])[3], null);
});

test('the result of a change is a word with its values', async () => {
  new FakeNetwork(() => answer({ results: [[0, 'conflict', 'abc', 7]] }));
  assert.deepStrictEqual(await send(), { clock, result: ['conflict', 'abc', 7] });
});

test('a missing result means stored only in an answer of the service', async () => {
  const answers = {
    'an empty page': () => reply(200, ''),
    'a page of a network': () => reply(200, '<html>Welcome</html>'),
    'a cut answer': () => reply(200, JSON.stringify({ store: 's1', clock: time }).slice(0, 12)),
    'no store': () => reply(200, { clock: time }),
    'no time': () => reply(200, { store: 's1' }),
    'nothing': () => reply(200, null),
    'a reset': () => answer({ isReset: true }),
    'a result of another change': () => answer({ results: [[1, 'conflict', 'a']] }),
    'two results': () => answer({ results: [[0, 'stored'], [0, 'stored']] }),
    'results that are none': () => answer({ results: 5 }),
    'a result that is none': () => answer({ results: [[]] }),
    'a time that is none': () => reply(200, { store: 's1', clock: 5 }),
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
  const whole = new TextEncoder().encode(
    JSON.stringify({ store: 's1', clock: time, results: [[0, 'conflict', 'abc', 1]] }),
  );
  for (let seed = 0; seed < 300; seed++) {
    const chance = new Chance(seed);
    const damaged = whole.slice();
    damaged[chance.below(whole.length)] ^= 1 << chance.below(8);
    new FakeNetwork(() => reply(200, damaged));
    const found = await send().catch((problem) => problem);
    if (found instanceof Problem) continue;
    assert.ok(
      Number.isFinite(found.clock) && Array.isArray(found.result),
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

// MARK: Bases

const before = new Chance(3).bytes(5000);
const base = { sha256: 'before', recording: before };
// Another file that shares the first bytes of that one.
const sharing = (count) => Uint8Array.of(...before.subarray(0, count), 255 - (before[count] ?? 0), 9);
const isBase64Of = (text, bytes) => assert.equal(text, Buffer.from(bytes).toString('base64'));

test('of a recording that begins like that of the server, only the end is sent', async () => {
  for (const count of [128, 3000, 5000]) {
    const network = new FakeNetwork(() => answer());
    await send(sharing(count), { base });
    const [[, sha256, end, ...rest]] = changeIn(network.asked[0])[4];
    isBase64Of(end, sharing(count).subarray(count));
    assert.deepStrictEqual([sha256, ...rest], ['now', 'before', count]);
  }
});

test('a recording that is the beginning of that of the server is sent without bytes', async () => {
  const network = new FakeNetwork(() => answer());
  await send(before.slice(0, 700), { base });
  assert.deepStrictEqual(changeIn(network.asked[0])[4], [['recording.pkd', 'now', '', 'before', 700]]);
});

test('a short shared beginning is sent again', async () => {
  const network = new FakeNetwork(() => answer());
  await send(sharing(127), { base });
  const [[, , whole, ...rest]] = changeIn(network.asked[0])[4];
  isBase64Of(whole, sharing(127));
  assert.deepStrictEqual(rest, []);
});

test('a server that has another recording than the base gets the whole file', async () => {
  const network = new FakeNetwork(() => answer(network.asked.length > 1 ? {} : { results: [[0, 'needs', []]] }));
  assert.deepStrictEqual((await send(sharing(3000), { base })).result, ['stored']);
  assert.deepStrictEqual(network.asked.map((one) => changeIn(one)[4][0].length), [5, 3]);
});

test('the end of a large recording is sent in the message', async () => {
  const large = new Chance(4).bytes(megabyte);
  const network = new FakeNetwork(() => answer());
  await send(Uint8Array.from([...large, 1, 2, 3]), { base: { sha256: 'before', recording: large } });
  assert.deepStrictEqual(changeIn(network.asked[0])[4], [['recording.pkd', 'now', 'AQID', 'before', megabyte]]);
});

// MARK: Pieces

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

test('a recording beyond a quarter of a megabyte is sent in pieces of one megabyte', async () => {
  const { network } = taking();
  await send(new Uint8Array(megabyte / 4));
  assert.deepStrictEqual(network.taken(), ['POST v1/users/u/sync']);
  const recording = new Chance(1).bytes(2 * megabyte + 1);
  const { network: next, parts } = taking();
  assert.deepStrictEqual((await send(recording)).result, ['stored']);
  assert.deepStrictEqual(parts.map(({ length }) => length), [megabyte, megabyte, 1]);
  assert.equal(Buffer.compare(Buffer.concat(parts), recording), 0);
  assert.deepStrictEqual(changeIn(next.asked.at(-1))[4], []);
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

test("pieces of a drawing of another user are the sender's own", async () => {
  const recording = new Uint8Array(megabyte);
  const network = new FakeNetwork(({ method, path }) =>
    path.endsWith('/sync') ? answer() : reply(200, { count: method === 'GET' ? 0 : recording.length })
  );
  await sendDrawing(
    'v1/users/ann',
    'd',
    { fields: {}, ancestors: [], sha256: 'now', recording, base: null },
    'v1/users/u',
  );
  assert.deepStrictEqual(network.asked.map(({ method, path }) => `${method} ${path.split('?')[0]}`), [
    'GET v1/users/u/sync/files/now',
    'PUT v1/users/u/sync/files/now',
    'POST v1/users/ann/sync',
  ]);
});
