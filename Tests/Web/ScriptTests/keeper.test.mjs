// The module that keeps a drawing, with a device and a server in memory. A recording is a text
// here: its strokes, as letters.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import {
  Chance,
  FakeDatabases,
  FakeNetwork,
  FakeTime,
  load,
  offline,
  openPage,
  reply,
  settle,
  site,
} from './support.mjs';

const day = 86_400_000;
const bytesOf = (text) => new TextEncoder().encode(text);
const textOf = (bytes) => (bytes ? new TextDecoder().decode(bytes) : null);
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

// The common strokes and those that one side has added, without those that one side has erased.
function merged(base, ours, theirs) {
  const [had, here, there] = [base, ours, theirs].map((bytes) => new Set(textOf(bytes) ?? ''));
  const all = [...new Set([...here, ...there])].sort();
  return bytesOf(all.filter((stroke) => (here.has(stroke) && there.has(stroke)) || !had.has(stroke)).join(''));
}

const easel = { hash: hashOf, whole: async () => ({ merge: merged }) };

// A server with one drawing. `lose` returns whether an answer is lost after the request was carried
// out.
class Server {
  recording = null;
  versions = [];
  isAway = false;
  // The lag of its clock behind this device's.
  behind = 0;
  lose = () => false;
  // Replacements for its own answers: an answer to the next sync request, or a function that
  // returns one.
  next = [];

  constructor(time) {
    this.time = time;
    this.network = new FakeNetwork((request) => this.answer(request));
  }

  get clock() {
    return this.time.now - this.behind;
  }
  get hash() {
    return hashOf(this.recording);
  }

  answer({ method, path, body }) {
    if (this.isAway) return offline();
    if (method === 'POST') {
      const found = this.next.shift() ?? ((change) => this.take(change));
      const results = typeof found === 'function' ? found(JSON.parse(body).changes[0]) : found;
      if (results instanceof Response) return results;
      if (this.lose()) return offline();
      return this.reply(results);
    }
    if (!this.recording) return reply(404, { code: 'not-found' });
    if (!path.endsWith('/recording.pkd')) {
      return reply(200, { createdAt: '2026-01-02T03:04:05Z', timezoneOffsetMinutes: 60, ...this.facts });
    }
    return reply(200, this.recording, { etag: `"${this.hash.slice(0, 32)}"` });
  }

  reply(results = []) {
    return reply(200, { store: 's', clock: new Date(this.clock).toISOString(), results });
  }

  // A version replaces its ancestor; any other version is a conflict.
  take([name, , fields, ancestors, [[, sha256, text, base, count] = []]]) {
    const change = { id: name.split('/')[1], ancestors, sha256, base, ...fields };
    this.versions.push(change);
    if (this.recording && this.hash !== sha256 && !ancestors?.includes(this.hash)) return [[0, 'conflict', this.hash]];
    if (base && base !== this.hash) return [[0, 'needs', ['recording.pkd']]];
    const beginning = base ? this.recording.subarray(0, count) : [];
    this.recording = Uint8Array.from([...beginning, ...Buffer.from(text, 'base64')]);
    assert.equal(this.hash, sha256);
    return [];
  }
}

// A tab with a page that is drawn on: each stroke is a letter.
async function opened({ record, id = 'd', uid = 'u', ...more } = {}) {
  const time = more.time ?? new FakeTime();
  openPage();
  // A device has one database for all of its tabs.
  const stored = more.stored ?? new FakeDatabases();
  const modules = await load(site, 'keeper.mjs');
  const device = await modules.beside('device.mjs');
  const server = more.server ?? new Server(time);
  const states = [];
  const page = {
    ink: '',
    isDown: false,
    remakes: 0,
    write() {
      return page.isDown ? null : bytesOf(page.ink);
    },
    remade() {
      page.remakes += 1;
      page.ink = textOf(keeper.record.recording);
    },
  };
  const keeper = new modules.Keeper({
    uid,
    id,
    owner: more.owner,
    base: '/',
    easel: more.isClosed ? Promise.resolve(easel) : easel,
    device: 'dev',
    page,
    changed: (state) => states.push(state),
  });
  if (!more.isClosed) {
    keeper.take(record ?? device.newRecord(uid, id, more.owner));
    await settle();
  }
  const draw = (letters) => {
    for (const letter of letters) {
      page.ink += letter;
      keeper.log.add(['begin', letter]);
      keeper.log.add(['end']);
      keeper.saveSoon();
    }
  };
  return { time, stored, device, server, keeper, page, states, draw, modules };
}

const isWaiting = async ({ device, keeper }) => !(await device.drawingRecord(keeper.id)).isSent;

// MARK: Drawings of others

test("a member's drawing is sent to its owner, and its record has the names of both", async () => {
  const { keeper, device, server, draw, time } = await opened({ owner: 'ann' });
  draw('a');
  await time.pass(300);
  assert.deepStrictEqual(await device.drawingIDs(), ['u/ann/d']);
  assert.deepStrictEqual(
    await device.waitingDrawings('u').then((all) => all.map(({ owner, drawing }) => [owner, drawing])),
    [
      ['ann', 'd'],
    ],
  );
  await time.pass(5000);
  assert.equal(textOf(server.recording), 'a');
  assert.deepStrictEqual(server.network.taken(), ['POST /v1/users/ann/sync']);
  assert.equal((await device.drawingRecord('u/ann/d')).isSent, true);
  assert.equal(keeper.state, 'saved');
});

test('two users of a device have separate records of the same drawing of a third', async () => {
  const first = await opened({ owner: 'ann' });
  first.draw('a');
  await first.time.pass(300);
  const second = await opened({ ...first, uid: 'v', owner: 'ann', isClosed: true, page: undefined });
  first.server.recording = bytesOf('xyz');
  await second.keeper.open({});
  assert.equal(textOf(second.keeper.record.recording), 'xyz');
  assert.equal(second.keeper.log.since.length, 0);
  // A record under a name that is not this user's is never opened.
  await first.device.keepRecord({ ...first.device.newRecord('u', 'd'), id: 'v/ann/d' });
  await assert.rejects(second.keeper.open({}), { status: 404 });
});

test('a member whose role has ended is told so, and keeps the strokes on the device', async () => {
  for (const answer of [reply(403, { code: 'not-owner' }), [[0, 'refused', 'not-allowed', 'why']]]) {
    const { keeper, device, server, draw, time, states } = await opened({ owner: 'ann' });
    server.next = [answer];
    draw('a');
    await time.pass(5000);
    assert.equal(states.at(-1), 'notShared');
    assert.equal(keeper.word, 'notShared');
    assert.equal((await device.drawingRecord('u/ann/d')).isSent, false);
    // The owner invites again.
    await keeper.save();
    assert.equal(textOf(server.recording), 'a');
  }
  // The same answer for one's own drawing has another reason.
  const own = await opened();
  own.server.next = [reply(403, {})];
  own.draw('a');
  await own.time.pass(5000);
  assert.equal(own.states.at(-1), 'refused');
});

test('a copy of a drawing of another user becomes one of this user', async () => {
  const { keeper, device, server, draw, time } = await opened({ owner: 'ann' });
  server.next = [[[0, 'superseded']]];
  draw('a');
  await time.pass(5000);
  assert.equal(keeper.owner, 'u');
  const record = await device.drawingRecord(keeper.id);
  assert.deepStrictEqual([record.owner, record.drawing, record.isSent], [undefined, undefined, true]);
  assert.equal(server.network.taken().at(-1), 'POST /v1/users/u/sync');
  assert.deepStrictEqual(await device.drawingIDs(), [keeper.id]);
  keeper.release();
});

// MARK: Commands

test('finished commands and open strokes count as changes of a drawing', async () => {
  const { hasChanges } = await load(site, 'command-log.mjs');
  for (
    const names of [
      'end',
      'undo',
      'redo',
      'clear',
      'deleteSelection',
      'paper',
      'begin move',
      'begin cancel end',
      'beginErasing',
    ]
  ) {
    assert.ok(hasChanges(names.split(' ').map((name) => [name])), names);
  }
  for (const names of ['select', 'begin move cancel', 'tool', 'beginDrag move cancel select']) {
    assert.ok(!hasChanges(names.split(' ').map((name) => [name])), names);
  }
  assert.ok(!hasChanges([]));
});

test('commands are stored on the device after 200 milliseconds', async () => {
  const { keeper, device, time } = await opened();
  keeper.log.add(['begin', 'a']);
  await time.pass(100);
  keeper.log.add(['move', 1]);
  assert.deepStrictEqual(await device.commands('d', 0), []);
  await time.pass(100);
  assert.deepStrictEqual(await device.commands('d', 0), [['begin', 'a'], ['move', 1]]);
});

test('commands that exceeded the storage are stored with the next ones', async () => {
  const { keeper, device, stored, time } = await opened();
  keeper.log.add(['a']);
  await time.pass(200);
  stored.isFull = true;
  keeper.log.add(['b']);
  await time.pass(200);
  keeper.log.add(['c']);
  await time.pass(200);
  stored.isFull = false;
  keeper.log.add(['d']);
  await time.pass(200);
  assert.deepStrictEqual(await device.commands('d', 0), [['a'], ['b'], ['c'], ['d']]);
});

test('a tab that was closed before saving restores its commands', async () => {
  const first = await opened();
  first.draw('ab');
  await first.time.pass(300);
  assert.deepStrictEqual(first.server.network.taken(), []);
  const second = await opened({ ...first, record: await first.device.drawingRecord('d') });
  assert.deepStrictEqual(second.keeper.log.since.map(([name]) => name), ['begin', 'end', 'begin', 'end']);
  second.page.ink = 'ab';
  second.draw('c');
  await second.time.pass(5000);
  assert.equal(textOf(first.server.recording), 'abc');
});

// MARK: Saving

test('a drawing is saved when the pen rests, and its commands are deleted', async () => {
  const all = await opened();
  all.draw('a');
  await all.time.pass(1000);
  all.draw('b');
  await all.time.pass(1199);
  assert.deepStrictEqual([all.server.recording, await isWaiting(all)], [null, true]);
  await all.time.pass(1);
  assert.equal(textOf(all.server.recording), 'ab');
  assert.deepStrictEqual([await isWaiting(all), all.states.at(-1), await all.device.commands('d', 0)], [
    false,
    'saved',
    [],
  ]);
  assert.equal(all.server.versions.length, 1);
});

test('a first version has its fields and no known ancestors', async () => {
  const { server, time, draw, keeper } = await opened();
  keeper.record.checkInId = 'c';
  draw('a');
  await time.pass(5000);
  const { recordingSHA256, deviceID, ancestors, id, isFromCheckIn, checkinId } = server.versions[0];
  assert.deepStrictEqual([recordingSHA256, deviceID, ancestors, id, isFromCheckIn, checkinId], [
    hashOf(bytesOf('a')),
    'dev',
    null,
    'd',
    true,
    'c',
  ]);
});

test('a later version names its ancestor and has a later time', async () => {
  const { server, time, draw } = await opened();
  for (const letter of 'abc') {
    draw(letter);
    await time.pass(5000);
  }
  assert.deepStrictEqual(server.versions.map(({ ancestors }) => ancestors), [null, [hashOf(bytesOf('a'))], [
    hashOf(bytesOf('ab')),
  ]]);
  const times = server.versions.map(({ updatedAt }) => Date.parse(updatedAt));
  assert.ok(times[0] < times[1] && times[1] < times[2]);
  assert.equal(textOf(server.recording), 'abc');
});

test('nothing is saved while a stroke is being drawn', async () => {
  const { server, time, draw, page } = await opened();
  draw('a');
  page.isDown = true;
  await time.pass(60_000);
  assert.equal(server.recording, null);
  page.isDown = false;
  await time.pass(1200);
  assert.equal(textOf(server.recording), 'a');
});

test('a page that cannot write its file keeps the commands on the device', async () => {
  const { server, time, draw, page, device, states } = await opened();
  page.write = () => {
    throw new Error('stopped');
  };
  draw('a');
  await time.pass(5000);
  assert.deepStrictEqual([server.recording, states.at(-1), (await device.commands('d', 0)).length], [null, 'kept', 2]);
});

test('a device without storage sends a drawing from memory', async () => {
  const { server, time, draw, stored, states } = await opened();
  stored.isFull = true;
  draw('a');
  await time.pass(5000);
  assert.deepStrictEqual([textOf(server.recording), states.at(-1)], ['a', 'saved']);
  server.isAway = true;
  draw('b');
  await time.pass(5000);
  assert.equal(states.at(-1), 'deviceFull');
});

test('strokes drawn while a version is being sent are saved after it', async () => {
  const all = await opened();
  let answer;
  all.server.next.push((change) => {
    all.server.take(change);
    return new Response(
      new ReadableStream({
        start(stream) {
          answer = stream;
        },
      }),
    );
  });
  all.draw('a');
  await all.time.pass(1200);
  all.draw('b');
  answer.enqueue(new Uint8Array(await all.server.reply().arrayBuffer()));
  answer.close();
  await settle();
  assert.ok(await isWaiting(all));
  await all.time.pass(5000);
  assert.deepStrictEqual([textOf(all.server.recording), await isWaiting(all)], ['ab', false]);
});

// MARK: States

test('a drawing is drawn, written, sent and saved', async () => {
  const { server, time, draw, keeper } = await opened();
  const seen = [keeper.state];
  server.next.push((change) => {
    seen.push(keeper.state);
    return server.take(change);
  });
  draw('a');
  seen.push(keeper.state);
  await time.pass(1200);
  assert.deepStrictEqual([...seen, keeper.state], ['saved', 'drawn', 'sending', 'saved']);
});

test('a drawing waits with a reason until it is sent or drawn on', async () => {
  const { server, time, draw, keeper, states } = await opened();
  server.isAway = true;
  draw('a');
  await time.pass(1200);
  assert.deepStrictEqual([keeper.state, keeper.reason, states], ['waiting', 'kept', ['saving', 'kept']]);
  draw('b');
  assert.deepStrictEqual([keeper.state, keeper.reason], ['drawn', undefined]);
  await time.pass(1200);
  server.isAway = false;
  await time.pass(15_000);
  assert.deepStrictEqual([keeper.state, states.slice(2)], ['saved', ['saving', 'kept', 'saved']]);
});

test('a drawing that is drawn on while it is sent stays drawn after any answer', async () => {
  for (const result of [null, ['failed', 'other'], ['refused', 'invalid']]) {
    const { server, time, draw, keeper, states } = await opened();
    server.next.push((change) => {
      draw('b');
      return result ? [[0, ...result]] : server.take(change);
    });
    draw('a');
    await time.pass(1200);
    assert.deepStrictEqual(
      [keeper.state, states.at(-1), keeper.record.isSent],
      ['drawn', 'saving', false],
      `${result}`,
    );
    await time.pass(1200);
    assert.deepStrictEqual([keeper.state, textOf(server.recording)], ['saved', 'ab'], `${result}`);
  }
});

test('a drawing whose file could not be written is stuck until somebody saves or draws', async () => {
  const { server, time, draw, keeper, page, states } = await opened();
  const { write } = page;
  page.write = () => {
    throw new Error('stopped');
  };
  draw('a');
  await time.pass(60_000);
  assert.deepStrictEqual([keeper.state, states.at(-1), await keeper.save()], ['stuck', 'kept', 'kept']);
  page.write = write;
  assert.equal(await keeper.save(), 'saved');
  assert.equal(textOf(server.recording), 'a');
});

test('a drawing that is forgotten while it is sent stays forgotten', async () => {
  const { server, time, draw, keeper, states } = await opened();
  server.next.push((change) => {
    keeper.forget();
    return server.take(change);
  });
  draw('a');
  await time.pass(60_000);
  assert.deepStrictEqual([keeper.state, states], ['forgotten', ['saving']]);
  draw('b');
  await time.pass(1200);
  assert.deepStrictEqual([keeper.state, textOf(server.recording)], ['saved', 'ab']);
});

test('a page continues in the state of the device', async () => {
  const first = await opened();
  first.draw('a');
  await first.time.pass(300);
  const state = async () => {
    const { keeper } = await opened({ ...first, isClosed: true });
    await keeper.open({ mayBeNew: false });
    return keeper.state;
  };
  assert.equal(await state(), 'drawn');
  first.server.isAway = true;
  await first.time.pass(1200);
  assert.equal(await state(), 'written');
  first.server.isAway = false;
  await first.time.pass(15_000);
  assert.equal(await state(), 'saved');
});

test('a grown recording is sent as its end, and as a whole after a lost answer', async () => {
  const { server, time, page, keeper } = await opened();
  const save = async (ink) => {
    page.ink = ink;
    keeper.saveSoon();
    await time.pass(1200);
  };
  const start = 'a'.repeat(300);
  await save(start);
  await save(`${start}b`);
  server.lose = () => true;
  await save(`${start}bc`);
  server.lose = () => false;
  await save(`${start}bcd`);
  const [one, two, three] = ['', 'b', 'bc'].map((end) => hashOf(bytesOf(start + end)));
  assert.deepStrictEqual(server.versions.map(({ base }) => base), [undefined, one, two, two, undefined]);
  assert.deepStrictEqual([textOf(server.recording), keeper.state], [`${start}bcd`, 'saved']);
  assert.ok(server.versions.at(-1).ancestors.includes(three));
});

// MARK: Trying again

test('a server that is away is tried every fifteen seconds', async () => {
  const all = await opened();
  const { server, time, draw, states } = all;
  server.isAway = true;
  draw('a');
  await time.pass(1200);
  assert.deepStrictEqual([states.at(-1), await isWaiting(all), server.network.taken().length], ['kept', true, 1]);
  await time.pass(14_999);
  assert.equal(server.network.taken().length, 0);
  await time.pass(1);
  assert.equal(server.network.taken().length, 1);
  server.isAway = false;
  await time.pass(15_000);
  assert.deepStrictEqual([states.at(-1), textOf(server.recording)], ['saved', 'a']);
  await time.pass(3_600_000);
  assert.equal(server.versions.length, 1);
});

test('a refused version is retried after five minutes, others after 15 seconds', async () => {
  for (
    const [status, state, wait] of [
      [400, 'refused', 300_000],
      [403, 'refused', 300_000],
      [413, 'tooLarge', 300_000],
      [401, 'signedOut', 15_000],
      [402, 'noRoom', 15_000],
      [429, 'kept', 15_000],
      [503, 'kept', 15_000],
    ]
  ) {
    const { server, time, draw, states } = await opened();
    server.next.push(() => reply(status, {}));
    draw('a');
    await time.pass(1200);
    assert.deepStrictEqual([states.at(-1), time.waits], [state, [wait]], `${status}`);
    await time.pass(wait);
    assert.equal(states.at(-1), 'saved');
  }
});

test('each result of the service has its own state', async () => {
  for (
    const [result, state] of [
      [['failed', 'quota-exceeded'], 'noRoom'],
      [['failed', 'other'], 'kept'],
      [['refused', 'invalid'], 'refused'],
      [['ahead'], 'refused'],
    ]
  ) {
    const { server, time, draw, states } = await opened();
    server.next.push([[0, ...result]]);
    draw('a');
    await time.pass(1200);
    assert.equal(states.at(-1), state, `${result}`);
  }
});

test('a version that was overtaken or lacks its file is resent at once', async () => {
  const { server, time, draw, states } = await opened();
  server.next.push([[0, 'failed', 'changed']], [[0, 'needs']]);
  draw('a');
  await time.pass(1200);
  assert.deepStrictEqual([states.at(-1), server.network.asked.length], ['saved', 3]);
});

test('a version is not resent forever to a server that never accepts it', async () => {
  const { server, time, draw, states } = await opened();
  for (let count = 0; count < 100; count++) server.next.push([[0, 'failed', 'changed']]);
  draw('a');
  await time.pass(1200);
  assert.deepStrictEqual([states.at(-1), server.network.asked.length], ['kept', 8]);
});

test('a lost answer makes no second drawing and no conflict', async () => {
  const { server, time, draw, states, page } = await opened();
  server.lose = () => true;
  draw('a');
  await time.pass(1200);
  assert.deepStrictEqual([states.at(-1), textOf(server.recording)], ['kept', 'a']);
  server.lose = () => false;
  draw('b');
  await time.pass(5000);
  assert.deepStrictEqual([states.at(-1), textOf(server.recording), page.remakes], ['saved', 'ab', 0]);
  assert.ok(server.versions.at(-1).ancestors.includes(hashOf(bytesOf('a'))));
});

// MARK: Others

test('strokes of other devices are merged with those of this one', async () => {
  const { server, time, draw, states, page, keeper } = await opened();
  draw('ab');
  await time.pass(5000);
  server.recording = bytesOf('bx');
  draw('c');
  await time.pass(5000);
  assert.deepStrictEqual([textOf(server.recording), page.ink, states.at(-1)], ['bcx', 'bcx', 'saved']);
  assert.deepStrictEqual([page.remakes, keeper.record.known, keeper.record.base], [1, hashOf(bytesOf('bcx')), null]);
});

test('a stroke drawn during a merge is merged, too', async () => {
  const { server, time, draw, page } = await opened();
  draw('a');
  await time.pass(5000);
  server.recording = bytesOf('ax');
  server.next.push((change) => {
    draw('c');
    return server.take(change);
  });
  draw('b');
  await time.pass(5000);
  assert.deepStrictEqual([textOf(server.recording), page.ink], ['abcx', 'abcx']);
});

test('a drawing that equals the version of the server is not sent', async () => {
  const { server, time, draw, states, keeper } = await opened();
  draw('a');
  await time.pass(5000);
  server.recording = bytesOf('ab');
  keeper.record.known = hashOf(bytesOf('a'));
  server.next.push([[0, 'conflict', hashOf(bytesOf('ab'))]]);
  draw('b');
  await time.pass(1200);
  assert.deepStrictEqual([states.at(-1), textOf(server.recording)], ['saved', 'ab']);
});

test('a drawing that cannot be merged becomes a new drawing', async () => {
  for (const kind of ['superseded', 'merge']) {
    const all = await opened();
    const { server, time, draw, states, keeper, device } = all;
    draw('a');
    await time.pass(5000);
    if (kind === 'superseded') server.next.push([[0, 'superseded']]);
    else {
      server.recording = bytesOf('x');
      keeper.easel = {
        ...easel,
        whole: async () => ({
          merge() {
            throw new Error('no memory');
          },
        }),
      };
      // The copy gets an unused id.
      server.next.push((change) => server.take(change), () => []);
    }
    navigator.locks = { request: (name, _options, body) => body({ name }) };
    draw('b');
    await time.pass(1500);
    assert.deepStrictEqual([states.at(-1), keeper.isCopy], ['copied', true], kind);
    assert.notEqual(keeper.id, 'd');
    assert.deepStrictEqual(await device.drawingIDs(), [keeper.id]);
    keeper.release();
  }
});

test('devices that draw at once and lose connections end with all strokes', async () => {
  for (let seed = 0; seed < 12; seed++) {
    const chance = new Chance(seed);
    const first = await opened();
    const other = await opened({ time: first.time, server: first.server });
    const { server, time } = first;
    const drawn = new Set();
    let isLosing = true;
    server.lose = () => isLosing && chance.below(3) === 0;
    for (const letter of 'abcdefghij') {
      chance.pick([first, other]).draw(letter);
      drawn.add(letter);
      server.isAway = chance.below(4) === 0;
      await time.pass(chance.pick([100, 1300, 20_000]));
    }
    isLosing = server.isAway = false;
    await time.pass(40_000);
    assert.equal(textOf(server.recording), [...drawn].join(''), `seed ${seed}`);
    await first.keeper.refresh();
    await other.keeper.refresh();
    assert.deepStrictEqual([first.page.ink, other.page.ink].map((ink) => [...ink].sort().join('')), [
      'abcdefghij',
      'abcdefghij',
    ], `seed ${seed}`);
  }
});

test('a refresh takes strokes of the server only if nothing waits here', async () => {
  const { server, time, draw, page, keeper } = await opened();
  draw('a');
  await time.pass(5000);
  server.recording = bytesOf('ax');
  await keeper.refresh();
  assert.deepStrictEqual([page.ink, keeper.record.known], ['ax', hashOf(bytesOf('ax'))]);
  server.recording = bytesOf('axy');
  draw('b');
  await keeper.refresh();
  assert.equal(page.ink, 'axb');
  await time.pass(5000);
  assert.equal(textOf(server.recording), 'abxy');
});

// MARK: Time

test('times far ahead of the server are set back', async () => {
  const { server, time, draw, states, keeper } = await opened();
  server.behind = 10 * day;
  server.next.push([[0, 'ahead']]);
  draw('a');
  await time.pass(5000);
  assert.equal(states.at(-1), 'saved');
  const { updatedAt, createdAt } = server.versions[0];
  assert.ok(Date.parse(updatedAt) <= server.clock && Date.parse(createdAt) <= server.clock);
  assert.ok(Math.abs(keeper.lead - 10 * day * 1000) < 10e6);
  draw('b');
  await time.pass(5000);
  assert.ok(Date.parse(server.versions.at(-1).updatedAt) <= server.clock);
});

test('a later version has a later time, also after the clock was set back', async () => {
  const { server, time, draw } = await opened();
  draw('a');
  await time.pass(5000);
  time.now -= 3_600_000;
  draw('b');
  await time.pass(5000);
  const [first, second] = server.versions.map(({ updatedAt }) => Date.parse(updatedAt));
  assert.equal(second, first + 1);
});

test('a time that is set back stays after that of its ancestor', async () => {
  const { server, time, draw, keeper } = await opened();
  server.behind = 10 * day;
  const seen = server.clock + 3_600_000;
  server.next.push([[0, 'ahead', new Date(seen).toISOString().replace('Z', '999Z')]]);
  draw('a');
  await time.pass(5000);
  assert.equal(Date.parse(server.versions[0].updatedAt), seen + 1);
  assert.equal(keeper.record.updatedAt, (seen + 1) * 1000);
});

// MARK: Opening

test('a drawing with waiting changes opens from the device', async () => {
  const first = await opened();
  first.server.isAway = true;
  first.draw('a');
  await first.time.pass(1200);
  first.server.network.taken();
  const { keeper } = await opened({ ...first, isClosed: true });
  const record = await keeper.open({ mayBeNew: false });
  assert.deepStrictEqual([textOf(record.recording), record.isSent, first.server.network.taken()], ['a', false, []]);
});

test('a saved drawing opens in the version of the server', async () => {
  const first = await opened();
  first.draw('a');
  await first.time.pass(5000);
  first.server.recording = bytesOf('axy');
  first.server.facts = { updatedAt: '2026-05-06T07:08:09Z', isFromCheckIn: true, checkinId: 'c' };
  const { keeper } = await opened({ ...first, isClosed: true });
  const record = await keeper.open({ mayBeNew: false });
  assert.deepStrictEqual([textOf(record.recording), record.known, record.isSent], [
    'axy',
    hashOf(bytesOf('axy')),
    true,
  ]);
  assert.deepStrictEqual(
    [record.createdAt, record.updatedAt, record.zone, record.checkInId],
    [Date.parse('2026-01-02T03:04:05Z'), Date.parse('2026-05-06T07:08:09Z') * 1000, 60, 'c'],
  );
});

test('a drawing opens from the device if the server is away', async () => {
  const first = await opened();
  first.draw('a');
  await first.time.pass(5000);
  first.server.isAway = true;
  const again = await opened({ ...first, isClosed: true });
  assert.equal(textOf((await again.keeper.open({ mayBeNew: false })).recording), 'a');
  const unknown = await opened({ ...first, id: 'e', isClosed: true });
  await assert.rejects(unknown.keeper.open({ mayBeNew: false }), { status: 0 });
  const { recording, checkInId, id } = await unknown.keeper.open({ mayBeNew: true, checkInId: 'c' });
  assert.deepStrictEqual([recording, checkInId, id], [null, 'c', 'e']);
});

test('a drawing of another user of the device is not found', async () => {
  const first = await opened();
  first.draw('a');
  await first.time.pass(5000);
  const { keeper } = await opened({ ...first, uid: 'v', isClosed: true });
  await assert.rejects(keeper.open({ mayBeNew: true }), { status: 404 });
});

test("a visitor's drawing is kept on the device, and never sent", async () => {
  const first = await opened({ uid: null });
  first.draw('a');
  await first.time.pass(60_000);
  assert.deepStrictEqual([first.states.at(-1), await isWaiting(first), first.server.network.asked.length], [
    'visitor',
    true,
    0,
  ]);
  first.draw('b');
  assert.equal(await first.keeper.save(), 'visitor');
  // It is opened again, and is nobody else's.
  const again = await opened({ ...first, uid: null, isClosed: true });
  assert.equal(textOf((await again.keeper.open({ mayBeNew: false })).recording), 'ab');
  const missing = await opened({ ...first, uid: null, id: 'e', isClosed: true });
  await assert.rejects(missing.keeper.open({ mayBeNew: false }), { status: 404 });
  assert.equal((await missing.keeper.open({ mayBeNew: true })).uid, null);
  const other = await opened({ ...first, uid: 'v', isClosed: true });
  await assert.rejects(other.keeper.open({ mayBeNew: true }), { status: 404 });
  assert.equal(first.server.network.asked.length, 0);
  first.stored.isFull = true;
  first.draw('c');
  assert.equal(await first.keeper.save(), 'deviceFull');
});

test('a recording that arrives damaged or without its tag is ignored', async () => {
  const { server, keeper } = await opened({ isClosed: true });
  server.recording = bytesOf('abc');
  const answer = server.network.answer;
  for (
    const damage of [
      () => reply(200, bytesOf('abd'), { etag: `"${server.hash.slice(0, 32)}"` }),
      () => reply(200, bytesOf('abc')),
      () => reply(200, '<html>'),
    ]
  ) {
    server.network.answer = (request) => (request.path.endsWith('.pkd') ? damage() : answer(request));
    await assert.rejects(keeper.open({ mayBeNew: false }), { status: 0 });
  }
});

test('a record of older pages is merged with the version of the server', async () => {
  const first = await opened();
  const old = { ...first.device.newRecord(first.keeper.uid, first.keeper.id) };
  for (const name of ['tried', 'known', 'base', 'updatedAt', 'describedAt']) delete old[name];
  const record = { ...old, tag: '"1"', recording: bytesOf('a'), isTimeWrong: true, createdAt: 5 };
  first.server.recording = bytesOf('x');
  const { keeper, server, time, page } = await opened({ ...first, record });
  assert.equal(keeper.record.createdAt, time.now);
  assert.ok(!('tag' in keeper.record || 'isTimeWrong' in keeper.record));
  await keeper.save();
  assert.deepStrictEqual([textOf(server.recording), page.ink], ['ax', 'ax']);
});

test('a forgotten drawing leaves nothing until the pen continues it', async () => {
  const { keeper, device, draw, time } = await opened();
  keeper.log.add(['begin', 'a']);
  keeper.log.add(['cancel']);
  await time.pass(200);
  await keeper.forget();
  await time.pass(60_000);
  assert.deepStrictEqual([await device.drawingIDs(), await device.commands('d', 0), time.waits], [[], [], []]);
  draw('b');
  await time.pass(200);
  assert.deepStrictEqual((await device.commands('d', 0)).map(([name]) => name), ['begin', 'cancel', 'begin', 'end']);
  assert.deepStrictEqual(await device.drawingIDs(), ['d']);
});

test('selections and cancelled gestures leave a saved drawing saved', async () => {
  const all = await opened();
  all.draw('a');
  await all.time.pass(5000);
  for (const name of ['beginDrag', 'cancel', 'select']) all.keeper.log.add([name]);
  await all.time.pass(200);
  assert.equal(await isWaiting(all), false);
  all.keeper.log.add(['begin', 'b']);
  await all.time.pass(200);
  assert.equal(await isWaiting(all), true);
  all.keeper.log.add(['cancel']);
  await all.time.pass(200);
  assert.equal(await isWaiting(all), false);
});
