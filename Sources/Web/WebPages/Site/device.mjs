// The data that waits on this device until the server has it: check-ins, and drawings with all
// actions of the pen.
//
// A drawing consists of a record and commands. The record contains:
// - the recording as last written;
// - the hash of the recording that the server is known to have, and its bytes while they differ;
// - the hashes of recordings that were sent and that the server may have;
// - the number of the first command that the recording does not contain.
//
// Commands are the calls of the pen. So a closed tab loses at most the commands that it had not
// handed over, and a failed write leaves no inconsistent data.

import { Lineage } from './lineage.mjs';
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

// Runs a transaction and returns a promise of its result. `body` receives the stores, and may
// return a request.
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

// A unique id for a drawing.
export const newID = () => `d-${hexadecimal(crypto.getRandomValues(new Uint8Array(10)))}`;

// A random device id, which says nothing about the browser. Timestamps are only comparable within
// one id.
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

// The id of a drawing's record on this device. For a drawing of another user it has the names of both,
// since several users of this device may be members. Names have no slash.
export const recordID = (uid, owner, id) => (owner === uid ? id : `${uid}/${owner}/${id}`);

// The record of a new drawing without ink.
export function newRecord(uid, id, owner = uid) {
  const createdAt = Date.now();
  return {
    id: recordID(uid, owner, id),
    // Of a drawing of another user.
    ...(owner !== uid && { owner, drawing: id }),
    uid,
    recording: null,
    sha256: null,
    from: 0,
    isSent: false,
    createdAt,
    zone: -new Date().getTimezoneOffset(),
    updatedAt: 0,
    describedAt: createdAt * 1000,
    ...Lineage.empty,
  };
}

export const drawingRecord = (id) => transaction(['drawings'], 'readonly', (drawings) => drawings.get(id));

export const drawingIDs = () => transaction(['drawings'], 'readonly', (drawings) => drawings.getAllKeys());

const drawingRecords = () => transaction(['drawings'], 'readonly', (drawings) => drawings.getAll());

// The commands of a drawing from a number on, in their order.
export const commands = (id, from) =>
  transaction(['commands'], 'readonly', (store) => store.getAll(commandsOf(id, from)));

// Adds commands, and stores the record if it has changed. `number` is the number of the first
// command.
export const addCommands = (record, number, list, isOther = true) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    if (isOther) drawings.put(record);
    list.forEach((command, index) => store.put(command, [record.id, number + index]));
  });

// Stores a recording, and deletes the commands that it contains.
export const keepRecording = (record) =>
  transaction(['drawings', 'commands'], 'readwrite', (drawings, store) => {
    drawings.put(record);
    store.delete(commandsOf(record.id, -1, record.from));
  });

export const keepRecord = (record) =>
  transaction(['drawings'], 'readwrite', (drawings) => {
    drawings.put(record);
  });

// Stores a record under its new id, with the commands of the old id.
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

// Locks a drawing for this tab or worker while `body` runs; `body` receives false if another one
// holds the lock.
export async function holding(id, body) {
  if (!navigator.locks) return holdingByMessages(id, body);
  return navigator.locks.request(`pentimento ${id}`, { ifAvailable: true }, (lock) => body(lock !== null));
}

// The time in milliseconds for which a tab waits for another one to report that it holds the lock.
const holderTime = 300;

// Browsers provide locks only in secure contexts. Otherwise the holder answers the messages of
// other tabs.
async function holdingByMessages(id, body) {
  const channel = new BroadcastChannel(`pentimento ${id}`);
  try {
    // Among simultaneous requests, the one with the smallest number gets the lock. The reply to a
    // larger number is the number, not "held", which would also refuse a third tab with a still
    // smaller number.
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

// The drawings of a user whose current version the server does not have.
export async function waitingDrawings(uid) {
  try {
    const records = await drawingRecords();
    return records.filter((record) => record.uid === uid && !record.isSent)
      .map(({ id, owner, drawing, createdAt, picture }) => ({
        id,
        ...(owner && { owner, drawing }),
        createdAt: new Date(createdAt),
        picture: picture ?? null,
      }))
      .sort((a, b) => b.createdAt - a.createdAt);
  } catch {
    return [];
  }
}

// Gives the drawings that were made here without an account to a user, and returns their number.
// Those that are open in a tab stay.
export async function adoptDrawings(uid) {
  let count = 0;
  for (const { id } of await waitingDrawings(null)) {
    await holding(id, async (isFree) => {
      const record = isFree && await drawingRecord(id);
      if (record?.uid !== null) return;
      await keepRecord({ ...record, uid });
      count += 1;
    });
  }
  return count;
}

// Starts a worker that sends waiting data, if there is any. Pages call this when they are opened
// and when a connection returns. The worker is needed because recordings may have to be written
// first.
export async function startSending(uid) {
  // A visitor's drawings stay here.
  if (!uid) return false;
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

// Stores a check-in and tries to send it. Returns a promise of 'sent', or 'kept' if it has to wait.
export async function keepCheckIn(uid, id, fields, drawings = []) {
  const checkIn = { id, uid, fields, drawings };
  try {
    await transaction(['checkIns'], 'readwrite', (store) => {
      store.put(checkIn);
    });
  } catch {
    // The browser stores nothing, so the server must accept it now.
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

// A repeated request has no second effect, so an interrupted sequence is repeated as a whole.
async function sendCheckIn({ id, uid, fields, drawings }, base = '') {
  const user = `${base}v1/users/${encodeURIComponent(uid)}`;
  const keep = (body) => request('PUT', `${user}/mood_checkins/${encodeURIComponent(id)}`, { body });
  await keep(fields).catch((problem) => {
    // The clock of this device is ahead, so the server sets the time.
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

// Sends the waiting check-ins, and returns the number of accepted ones.
export async function sendCheckIns(uid, base) {
  let count = 0;
  for (const checkIn of await waitingCheckIns(uid)) {
    try {
      await sendCheckIn(checkIn, base);
    } catch (problem) {
      // A permanently refused check-in stays visible here, so that its text is not lost.
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
