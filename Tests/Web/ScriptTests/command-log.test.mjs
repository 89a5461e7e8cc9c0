// The module that stores the commands of the pen, with a device that may be full or slow.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FakeTime, load, settle, site } from './support.mjs';

async function opened() {
  const time = new FakeTime();
  const { CommandLog } = await load(site, 'command-log.mjs');
  const device = { commands: [], isFull: false, isSlow: false };
  const log = new CommandLog(async (list, number) => {
    if (device.isSlow) await new Promise((done) => setTimeout(done, 1000));
    if (device.isFull) throw new DOMException('full', 'QuotaExceededError');
    list.forEach((command, index) => {
      device.commands[number + index] = command;
    });
  });
  const add = (names) => [...names].forEach((name) => log.add([name]));
  return { time, log, device, add, stored: () => device.commands.map(([name]) => name).join('') };
}

test('commands follow those of the previously opened page', async () => {
  const { time, log, device, add } = await opened();
  log.open([['a'], ['b']], 5);
  add('cd');
  await time.pass(200);
  assert.deepStrictEqual([device.commands.slice(7), log.since.length], [[['c'], ['d']], 4]);
});

test('commands that did not fit are stored with the next ones, in their order', async () => {
  const { time, log, device, add, stored } = await opened();
  add('a');
  await log.flush();
  device.isFull = true;
  add('bc');
  await log.flush();
  add('d');
  await log.flush();
  assert.equal(stored(), 'a');
  device.isFull = false;
  add('e');
  await time.pass(200);
  assert.equal(stored(), 'abcde');
});

test('commands that a recording contains are not stored later', async () => {
  const { time, log, device, add, stored } = await opened();
  add('a');
  await log.flush();
  add('b');
  log.clear();
  await time.pass(1000);
  assert.deepStrictEqual([stored(), log.from, log.since], ['a', 1, []]);
  add('c');
  await time.pass(200);
  assert.deepStrictEqual(device.commands, [['a'], ['c']]);
});

test('a recording written while commands are stored contains them, also if they do not fit', async () => {
  for (const isFull of [false, true]) {
    const { time, log, device, add } = await opened();
    device.isSlow = true;
    add('ab');
    await time.pass(700);
    log.clear();
    device.isFull = isFull;
    add('c');
    await time.pass(600);
    device.isFull = false;
    await time.pass(5000);
    assert.deepStrictEqual([log.from, log.since, device.commands[2]], [2, [['c']], ['c']], `${isFull}`);
  }
});

test('forgotten commands are stored again with the next one, and not before', async () => {
  const { time, log, device, add, stored } = await opened();
  add('ab');
  await log.flush();
  device.commands = [];
  log.forget();
  await log.flush();
  assert.deepStrictEqual([stored(), time.waits], ['', []]);
  add('c');
  await settle();
  await time.pass(200);
  assert.equal(stored(), 'abc');
});
