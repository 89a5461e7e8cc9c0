// What waits on this device until the server has it: check-ins, and drawings with everything that the pen has done.
//
// A drawing is a record and commands. The record holds its recording as last written, the hash of the one that the
// server is known to have, with its bytes while they are others, and hashes of those that it may have, as they were
// sent. Commands are the calls of the pen, and the record says from which number on the recording does not hold them.
// So a closed tab loses at most what it had not handed over, and a write that fails leaves nothing that disagrees.

import { hexadecimal, isPassing, request } from './requests.mjs';

let opening;

function database() {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open('pentimento', 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore('drawings', { keyPath: 'id' });
      // Keys are [drawing, number].
      asked.result.createObjectStore('commands');
      asked.result.createObjectStore('checkIns', { keyPath: 'id' });
    };
    asked.onsuccess = () => {
      // Another tab has a newer version of these pages.
      asked.result.onversionchange = () => {
        asked.result.close();
        opening = undefined;
      };
      // The browser has deleted the data of the pages.
      asked.result.onclose = () => {
        opening = undefined;
      };
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
  });
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

// Runs a transaction and promises its result when it is done. `body` gets the stores, and may return a request.
async function transaction(names, mode, body) {
  const open = await database();
  return new Promise((resolve, reject) => {
    const running = open.transaction(names, mode);
    const result = body(...names.map((name) => running.objectStore(name)));
    running.oncomplete = () => resolve(result?.result);
    running.onabort = () => reject(running.error ?? new DOMException('The transaction was ended.', 'AbortError'));
  });
}

const commandsOf = (id, from = -1, to = []) => IDBKeyRange.bound([id, from], [id, to], false, true);

// MARK: Drawings

// A name for a drawing that no other one has.
export const newID = () => `d-${hexadecimal(crypto.getRandomValues(new Uint8Array(10)))}`;

// The name of this browser, which says nothing about it. Times of its clock are told from those of others by it.
export function deviceName() {
  try {
    const stored = localStorage.getItem('pentimento-device');
    if (stored) return stored;
    const name = hexadecimal(crypto.getRandomValues(new Uint8Array(6)));
    localStorage.setItem('pentimento-device', name);
    return name;
  } catch {
    return undefined;
  }
}

export const drawingRecord = (id) => transaction(['drawings'], 'readonly', (drawings) => drawings.get(id));

export const drawingIDs = () => transaction(['drawings'], 'readonly', (drawings) => drawings.getAllKeys());

const drawingRecords = () => transaction(['drawings'], 'readonly', (drawings) => drawings.getAll());

// The commands of a drawing from a number on, in their order.
export const commands = (id, from) =>
  transaction(['commands'], 'readonly', (store) => store.getAll(commandsOf(id, from)));

// Adds commands, and stores the record if it is another one. `number` is that of the first command.
export const addCommands = (record, number, list, isOther = true) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    if (isOther) drawings.put(record);
    list.forEach((command, index) => store.put(command, [record.id, number + index]));
  });

// Stores a recording, and deletes the commands that it holds.
export const keepRecording = (record) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    drawings.put(record);
    store.delete(commandsOf(record.id, -1, record.from));
  });

export const keepRecord = (record) =>
  transaction(['drawings'], 'readwrite', (drawings) => {
    drawings.put(record);
  });

// Stores a record under its new name, with the commands that the drawing had under the old one.
export const renameDrawing = (before, record) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    drawings.delete(before);
    drawings.put(record);
    const each = store.openCursor(commandsOf(before));
    each.onsuccess = () => {
      const found = each.result;
      if (!found) return;
      store.put(found.value, [record.id, found.key[1]]);
      found.delete();
      found.continue();
    };
  });

export const forgetDrawing = (id) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    drawings.delete(id);
    store.delete(commandsOf(id));
  });

// Holds a drawing for this tab or worker while `body` runs; `body` gets false if another one has it.
export async function holding(id, body) {
  if (!navigator.locks) return holdingByMessages(id, body);
  return navigator.locks.request(`pentimento ${id}`, { ifAvailable: true }, (lock) => body(lock !== null));
}

// How long a tab waits for another one to say that it holds a drawing, in milliseconds.
const holderTime = 300;

// Browsers have locks on secure addresses only. On others the one that holds a drawing answers those that ask for it.
async function holdingByMessages(id, body) {
  const channel = new BroadcastChannel(`pentimento ${id}`);
  try {
    // Of those that ask at the same time the one with the smallest number gets it. The answer to a larger one is the
    // number, and not that the drawing is held: that would also refuse a third one, whose number is smaller still.
    const mine = Math.random();
    const isFree = await new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        if (data === 'held' || data.wanted < mine) resolve(false);
        else if (data.wanted > mine) channel.postMessage({ wanted: mine });
      };
      channel.postMessage({ wanted: mine });
      setTimeout(resolve, holderTime, true);
    });
    channel.onmessage = ({ data }) => {
      if (isFree && data.wanted !== undefined) channel.postMessage('held');
    };
    return await body(isFree);
  } finally {
    channel.close();
  }
}

// The drawings of a user that the server does not have, or not as they are here.
export async function waitingDrawings(uid) {
  try {
    const records = await drawingRecords();
    return records.filter((record) => record.uid === uid && !record.isSent)
      .map(({ id, createdAt, picture }) => ({ id, createdAt: new Date(createdAt), picture: picture ?? null }))
      .sort((a, b) => b.createdAt - a.createdAt);
  } catch {
    return [];
  }
}

// Lets a worker send what waits, if anything does. Pages call this when they are opened and when a connection comes
// back; the worker is needed because recordings may have to be written first.
export async function startSending(uid) {
  const waiting = [...await waitingDrawings(uid), ...await waitingCheckIns(uid)];
  if (waiting.length === 0) return false;
  const worker = new Worker(new URL('draw-worker.mjs', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data.answer?.sent > 0);
    };
    worker.onerror = () => resolve(false);
    const base = new URL('.', document.baseURI).href;
    worker.postMessage({ number: 1, kind: 'sendAll', uid, base, device: deviceName() });
  });
}

// MARK: Check-ins

// Keeps a check-in and tries to send it. Promises 'sent', or 'kept' if that has to wait.
export async function keepCheckIn(uid, id, fields, drawings = []) {
  const checkIn = { id, uid, fields, drawings };
  try {
    await transaction(['checkIns'], 'readwrite', (store) => {
      store.put(checkIn);
    });
  } catch {
    // A browser that stores nothing: then the server must take it now.
    await sendCheckIn(checkIn);
    return 'sent';
  }
  try {
    await sendCheckIn(checkIn);
  } catch (problem) {
    if (isPassing(problem)) return 'kept';
    await transaction(['checkIns'], 'readwrite', (store) => {
      store.delete(id);
    });
    throw problem;
  }
  await transaction(['checkIns'], 'readwrite', (store) => {
    store.delete(id);
  });
  return 'sent';
}

// The same request twice has no second effect, so what was interrupted is repeated as a whole.
async function sendCheckIn({ id, uid, fields, drawings }, base = '') {
  const user = `${base}v1/users/${encodeURIComponent(uid)}`;
  const keep = (body) => request('PUT', `${user}/mood_checkins/${encodeURIComponent(id)}`, { body });
  await keep(fields).catch((problem) => {
    // The clock of this device is ahead: the server's time is as good.
    if (problem.field !== 'createdAt') throw problem;
    return keep({ ...fields, createdAt: undefined });
  });
  for (const drawing of drawings) {
    try {
      await request('PATCH', `${user}/drawings/${encodeURIComponent(drawing)}`, { body: { checkinId: id } });
    } catch (problem) {
      // The drawing may have been deleted meanwhile.
      if (problem.status !== 404) throw problem;
    }
  }
}

export async function waitingCheckIns(uid) {
  try {
    const all = await transaction(['checkIns'], 'readonly', (store) => store.getAll());
    return all.filter((checkIn) => checkIn.uid === uid);
  } catch {
    return [];
  }
}

// Sends the check-ins that wait, and returns how many were taken.
export async function sendCheckIns(uid, base) {
  let count = 0;
  for (const checkIn of await waitingCheckIns(uid)) {
    try {
      await sendCheckIn(checkIn, base);
    } catch (problem) {
      // What is refused for good stays visible here, so that its words are not lost.
      if (isPassing(problem)) break;
      continue;
    }
    await transaction(['checkIns'], 'readwrite', (store) => {
      store.delete(checkIn.id);
    });
    count += 1;
  }
  return count;
}
