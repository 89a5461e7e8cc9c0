// The module that stores waiting drawings and check-ins on a device.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  define,
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

async function opened(answer = () => reply(204)) {
  const page = openPage();
  const stored = new FakeDatabases();
  const network = new FakeNetwork(answer);
  return { ...page, stored, network, device: await load(site, 'device.mjs') };
}

const record = (id, more = {}) => ({ id, uid: 'u', from: 0, isSent: false, createdAt: 1000, ...more });

test('a drawing and its commands are read as they were stored', async () => {
  const { device } = await opened();
  await device.addCommands(record('d'), 0, [['begin', 1], ['end']]);
  await device.addCommands(record('d'), 2, [['undo']], false);
  assert.deepStrictEqual(await device.drawingRecord('d'), record('d'));
  assert.deepStrictEqual(await device.commands('d', 0), [['begin', 1], ['end'], ['undo']]);
  assert.deepStrictEqual(await device.commands('d', 1), [['end'], ['undo']]);
  assert.deepStrictEqual([await device.drawingRecord('e'), await device.drawingIDs()], [undefined, ['d']]);
});

test('commands keep their order beyond nine, and do not mix with other drawings', async () => {
  const { device } = await opened();
  const list = Array.from({ length: 120 }, (_, index) => ['move', index]);
  await device.addCommands(record('d-1'), 0, list);
  await device.addCommands(record('d-10'), 0, [['other']]);
  await device.addCommands(record('d'), 0, [['another']]);
  assert.deepStrictEqual(await device.commands('d-1', 0), list);
});

test('a stored recording replaces only the commands that it contains', async () => {
  const { device } = await opened();
  await device.addCommands(record('d'), 0, [['a'], ['b'], ['c']]);
  await device.addCommands(record('e'), 0, [['x']]);
  await device.keepRecording(record('d', { from: 2, recording: Uint8Array.of(1) }));
  assert.deepStrictEqual(await device.commands('d', 0), [['c']]);
  assert.deepStrictEqual(await device.commands('e', 0), [['x']]);
  assert.equal((await device.drawingRecord('d')).from, 2);
});

test('a write that exceeds the storage changes nothing', async () => {
  const { device, stored } = await opened();
  await device.addCommands(record('d'), 0, [['a']]);
  stored.isFull = true;
  await assert.rejects(device.keepRecording(record('d', { from: 1 })), { name: 'QuotaExceededError' });
  await assert.rejects(device.addCommands(record('d', { from: 9 }), 1, [['b']]), { name: 'QuotaExceededError' });
  assert.deepStrictEqual([await device.commands('d', 0), await device.drawingRecord('d')], [[['a']], record('d')]);
});

test('renaming a drawing renames its commands, too', async () => {
  const { device } = await opened();
  await device.addCommands(record('old'), 5, [['a'], ['b'], ['c']]);
  await device.addCommands(record('other'), 0, [['x']]);
  await device.renameDrawing('old', record('new'));
  assert.deepStrictEqual(await device.drawingIDs(), ['new', 'other']);
  assert.deepStrictEqual([await device.commands('new', 6), await device.commands('old', 0)], [[['b'], ['c']], []]);
});

test('forgetting a drawing deletes its record and commands', async () => {
  const { device, stored } = await opened();
  await device.addCommands(record('d'), 0, [['a']]);
  await device.addCommands(record('e'), 0, [['x']]);
  await device.forgetDrawing('d');
  assert.deepStrictEqual([stored.entries('drawings').length, stored.entries('commands').map(([key]) => key)], [1, [[
    'e',
    0,
  ]]]);
});

test('a database that failed or was closed is opened again', async () => {
  const { device, stored } = await opened();
  stored.isRefused = true;
  await assert.rejects(device.drawingIDs(), { name: 'SecurityError' });
  stored.isRefused = false;
  await device.drawingIDs();
  await device.drawingIDs();
  assert.equal(stored.openings, 2);
  stored.onclose();
  await device.drawingIDs();
  stored.onversionchange();
  await device.drawingIDs();
  assert.equal(stored.openings, 4);
});

test('the waiting list has the unsent drawings of this user, the latest first', async () => {
  const { device, stored } = await opened();
  for (
    const one of [
      record('a'),
      record('b', { createdAt: 3000, picture: 'p' }),
      record('c', { isSent: true }),
      record('d', { uid: 'v' }),
    ]
  ) {
    await device.keepRecord(one);
  }
  assert.deepStrictEqual(await device.waitingDrawings('u'), [
    { id: 'b', createdAt: new Date(3000), picture: 'p' },
    { id: 'a', createdAt: new Date(1000), picture: null },
  ]);
  stored.onclose();
  stored.isRefused = true;
  assert.deepStrictEqual([await device.waitingDrawings('u'), await device.waitingCheckIns('u')], [[], []]);
});

test('new drawing ids have twenty digits and differ', async () => {
  const { device } = await opened();
  const names = new Set(Array.from({ length: 200 }, () => device.newID()));
  assert.equal(names.size, 200);
  for (const name of names) assert.match(name, /^d-[\da-f]{20}$/);
});

test('a device keeps its id, and has none if nothing can be stored', async () => {
  const { device, texts } = await opened();
  const name = device.deviceName();
  assert.match(name, /^[\da-f]{12}$/);
  assert.equal(device.deviceName(), name);
  texts.isRefused = true;
  assert.equal(device.deviceName(), undefined);
});

// MARK: Check-ins

const waiting = (stored) => stored.entries('checkIns').map(([key]) => key);

test('a check-in is stored until the server has it and its drawings', async () => {
  const { device, stored, network } = await opened(() => {
    assert.deepStrictEqual(waiting(stored), ['c 1']);
    return reply(204);
  });
  assert.equal(await device.keepCheckIn('u 1', 'c 1', { emotion: 'joy' }, ['d/1', 'd2']), 'sent');
  assert.deepStrictEqual(JSON.parse(network.asked[0].body), { emotion: 'joy' });
  assert.deepStrictEqual(JSON.parse(network.asked[1].body), { checkinId: 'c 1' });
  assert.deepStrictEqual(network.taken(), [
    'PUT v1/users/u%201/mood_checkins/c%201',
    'PATCH v1/users/u%201/drawings/d%2F1',
    'PATCH v1/users/u%201/drawings/d2',
  ]);
  assert.deepStrictEqual(waiting(stored), []);
});

test('a check-in waits while the server is away, and is sent later as a whole', async () => {
  let answer = offline;
  const { device, stored, network } = await opened((request) => answer(request));
  assert.equal(await device.keepCheckIn('u', 'c', { emotion: 'joy' }, ['d']), 'kept');
  // The connection is lost in the middle.
  answer = ({ method }) => (method === 'PATCH' ? offline() : reply(204));
  assert.equal(await device.sendCheckIns('u', '/base/'), 0);
  assert.deepStrictEqual(waiting(stored), ['c']);
  answer = () => reply(204);
  network.taken();
  assert.equal(await device.sendCheckIns('u', '/base/'), 1);
  assert.deepStrictEqual(network.taken(), [
    'PUT /base/v1/users/u/mood_checkins/c',
    'PATCH /base/v1/users/u/drawings/d',
  ]);
  assert.deepStrictEqual(waiting(stored), []);
});

test('a refused check-in is reported and not stored', async () => {
  const { device, stored } = await opened(() => reply(422, { code: 'invalid', field: 'journal' }));
  await assert.rejects(device.keepCheckIn('u', 'c', {}), { status: 422, field: 'journal' });
  assert.deepStrictEqual(waiting(stored), []);
});

test('a refused check-in does not delay others, an absent server does', async () => {
  const statuses = { a: 422, b: 204, c: 503, d: 204 };
  let isAway = true;
  const { device, stored, network } = await opened(
    ({ path }) => (isAway ? offline() : reply(statuses[path.at(-1)], {})),
  );
  for (const id of Object.keys(statuses)) await device.keepCheckIn('u', id, {});
  await device.keepCheckIn('v', 'of another', {});
  isAway = false;
  network.taken();
  assert.equal(await device.sendCheckIns('u', ''), 1);
  assert.equal(network.asked.length, 3);
  assert.deepStrictEqual(waiting(stored), ['a', 'c', 'd', 'of another']);
});

test('a check-in without a valid time is sent without it', async () => {
  const bodies = [];
  const { device } = await opened(({ body }) => {
    bodies.push(JSON.parse(body));
    return bodies.at(-1).createdAt ? reply(422, { code: 'invalid', field: 'createdAt' }) : reply(204);
  });
  assert.equal(await device.keepCheckIn('u', 'c', { emotion: 'joy', createdAt: '2099-01-01' }), 'sent');
  assert.deepStrictEqual(bodies, [{ emotion: 'joy', createdAt: '2099-01-01' }, { emotion: 'joy' }]);
});

test('a drawing that was deleted meanwhile is left out of its check-in', async () => {
  const { device } = await opened(({ method }) => (method === 'PATCH' ? reply(404, {}) : reply(204)));
  assert.equal(await device.keepCheckIn('u', 'c', {}, ['gone', 'gone too']), 'sent');
});

test('a browser without storage sends a check-in at once or fails', async () => {
  let answer = () => reply(204);
  const { device, stored } = await opened((request) => answer(request));
  stored.isFull = true;
  assert.equal(await device.keepCheckIn('u', 'c', {}), 'sent');
  answer = offline;
  await assert.rejects(device.keepCheckIn('u', 'c', {}), { status: 0 });
});

// MARK: Sending and holding

test('a worker sends waiting check-ins, and is started only for them', async () => {
  const { device } = await opened(offline);
  const workers = [];
  define(
    'Worker',
    class {
      constructor(address, options) {
        workers.push(Object.assign(this, { address: String(address), options }));
      }
      postMessage(message) {
        this.message = message;
      }
      terminate() {
        this.isEnded = true;
      }
    },
  );
  assert.equal(await device.startSending('u'), false);
  assert.equal(workers.length, 0);
  await device.keepCheckIn('u', 'c', {});
  const sending = device.startSending('u');
  await settle();
  const { message, address } = workers[0];
  assert.match(address, /draw-worker\.mjs$/);
  assert.deepStrictEqual(message, {
    number: 1,
    kind: 'sendAll',
    uid: 'u',
    base: 'https://ink.example/app/',
    device: device.deviceName(),
  });
  workers[0].onmessage({ data: { number: 1, answer: { sent: 1 } } });
  assert.deepStrictEqual([await sending, workers[0].isEnded], [true, true]);
  const failing = device.startSending('u');
  await settle();
  workers[1].onerror();
  assert.equal(await failing, false);
});

test('a drawing is locked by the Web Locks API', async () => {
  const { device } = await opened();
  const asked = [];
  navigator.locks = {
    request(name, options, body) {
      asked.push([name, options]);
      return body(asked.length === 1 ? { name } : null);
    },
  };
  assert.equal(await device.holding('d', (isHeld) => (isHeld ? 'mine' : 'no')), 'mine');
  assert.equal(await device.holding('d', (isHeld) => (isHeld ? 'mine' : 'no')), 'no');
  assert.deepStrictEqual(asked[0], ['pentimento d', { ifAvailable: true }]);
});

// Channels of one browser: a message reaches all others of the same name.
function openChannels() {
  const all = new Set();
  define(
    'BroadcastChannel',
    class {
      constructor(name) {
        this.name = name;
        all.add(this);
      }
      postMessage(data) {
        for (const other of all) {
          if (other !== this && other.name === this.name) queueMicrotask(() => other.onmessage?.({ data }));
        }
      }
      close() {
        all.delete(this);
      }
    },
  );
  return all;
}

test('the first tab holds a drawing if there are no Web Locks', async () => {
  const time = new FakeTime();
  const all = openChannels();
  const { device } = await opened();
  let release;
  const heard = [];
  const hold = (name) =>
    device.holding('d', (isHeld) => {
      heard.push([name, isHeld]);
      return isHeld
        ? new Promise((end) => {
          release = end;
        })
        : undefined;
    });
  const first = hold('first');
  await time.pass(299);
  assert.deepStrictEqual(heard, []);
  await time.pass(1);
  const second = hold('second');
  await time.pass(10);
  await second;
  assert.deepStrictEqual(heard, [['first', true], ['second', false]]);
  // Another drawing is free.
  const other = device.holding('e', (isHeld) => heard.push(['other', isHeld]));
  await time.pass(300);
  await other;
  release();
  await first;
  assert.equal(all.size, 0);
  const third = hold('third');
  await time.pass(300);
  release();
  await third;
  assert.deepStrictEqual(heard.slice(2), [['other', true], ['third', true]]);
});

test('one of several concurrent tabs gets a drawing without Web Locks', async () => {
  const time = new FakeTime();
  openChannels();
  const { device } = await opened();
  for (const order of [[0.1, 0.5, 0.9], [0.9, 0.5, 0.1], [0.5, 0.9, 0.1]]) {
    const { random } = Math;
    const numbers = [...order];
    Math.random = () => numbers.shift();
    const held = [];
    let release;
    const tabs = order.map((number) =>
      device.holding('d', (isHeld) => {
        held.push([number, isHeld]);
        return isHeld
          ? new Promise((end) => {
            release = end;
          })
          : undefined;
      })
    );
    await time.pass(300);
    assert.deepStrictEqual(held.sort(), [[0.1, true], [0.5, false], [0.9, false]], `${order}`);
    release();
    await Promise.all(tabs);
    Math.random = random;
  }
});

test("a visitor's drawings become those of a user, unless they are open", async () => {
  const { device, network } = await opened();
  for (const [id, uid] of [['a', null], ['b', null], ['c', 'other']]) await device.keepRecord(record(id, { uid }));
  assert.deepStrictEqual((await device.waitingDrawings(null)).map(({ id }) => id).sort(), ['a', 'b']);
  assert.equal(await device.startSending(null), false);
  navigator.locks = {
    request: (name, _options, run) => run(name.endsWith(' b') ? null : {}),
  };
  assert.equal(await device.adoptDrawings('u'), 1);
  assert.deepStrictEqual((await device.waitingDrawings('u')).map(({ id }) => id), ['a']);
  assert.deepStrictEqual((await device.waitingDrawings(null)).map(({ id }) => id), ['b']);
  assert.equal((await device.drawingRecord('c')).uid, 'other');
  assert.equal(network.asked.length, 0);
});
