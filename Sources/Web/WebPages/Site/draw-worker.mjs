// The worker of the drawing page: a canvas, the keeper of its drawing, and the room in which others draw on
// it. It also sends the data that waits on the device.

import { CanvasWorker } from './canvas-worker.mjs';
import { drawingIDs, drawingRecord, forgetDrawing, holding, keepRecord, recordID, sendCheckIns } from './device.mjs';
import { Easel } from './easel.mjs';
import { Keeper } from './keeper.mjs';
import { isAway, Problem, request } from './requests.mjs';
import { Room } from './room.mjs';
import { timeFor } from './sync.mjs';

const engines = ['canvas.wasm', 'engine.wasm'].map((name) => new URL(name, import.meta.url).href);

// The rest of the hand before the device keeps what the room has, in milliseconds.
const roomRest = 1500;

let keeper, release, room, resting;

const host = {
  get log() {
    return keeper.log;
  },
  get record() {
    return keeper.record;
  },

  // Opens a drawing. The first tab keeps it on the device; others have it from the server alone.
  async open({ uid, id, owner = uid, base, device, mayBeNew, checkInId }, easel) {
    const isFree = await new Promise((resolve) => {
      holding(recordID(uid, owner, id), (isHeld) => {
        resolve(isHeld);
        return isHeld
          ? new Promise((end) => {
            release = end;
          })
          : undefined;
      });
    });
    const page = { write: () => canvas.write(), remade: () => canvas.openAgain() };
    const store = isFree ? undefined : null;
    const opened = new Keeper({ uid, id, owner, base, device, easel, changed: tell, page, store });
    const record = await opened.open({ mayBeNew: mayBeNew && isFree, checkInId }).catch((error) => {
      if (isFree || !(error instanceof Problem) || !(isAway(error) || error.status === 404)) throw error;
      throw Object.assign(new Error('It is open in another tab.'), { code: 'otherTab' });
    });
    // Set only now: a drawing that failed to open must not be saved when the page is left.
    keeper = opened;
    return record;
  },

  opened() {
    keeper.easel = canvas.easel;
    keeper.resume();
    room?.close();
    room = new Room(`${keeper.address}/live`, company);
    if (keeper.state === 'saved' && keeper.record.known) room.watch();
  },

  acted(command) {
    room?.note(command, canvas);
  },
  finished() {
    if (!room?.isIn) keeper.saveSoon();
  },
  reopened() {
    if (room?.isIn) room.fail();
  },

  answers: {
    // Saves now and returns a promise of the state.
    async save() {
      if (!keeper) return 'empty';
      await keeper.log.flush();
      if (room?.isIn) return saveRoom();
      if (keeper.record.recording !== null || canvas.easel.document.canUndo) return keeper.save();
      if (!keeper.record.known) await keeper.forget();
      return 'empty';
    },

    flush: () => keeper?.log.flush(),

    // Shows changes that were made elsewhere.
    refresh: () => room?.isIn || keeper?.refresh(),

    // Where the pointer is, and what the page shows.
    point: ({ presence }) => room?.point(presence),

    async close() {
      room?.close();
      await keeper?.log.flush();
      release?.();
      keeper?.release?.();
    },

    // Sends all data that waits on this device and is not open in a tab. A failed drawing does not
    // delay the others.
    async sendAll({ uid, base, device }) {
      let sent = await sendCheckIns(uid, base);
      for (const id of await drawingIDs()) {
        await holding(id, async (isFree) => {
          if (isFree && await sendOne(id, { uid, base, device }).catch(() => false)) sent += 1;
        });
      }
      return { sent };
    },
  },
};

const canvas = new CanvasWorker(engines, host);

// What the room needs of this page.
const company = {
  canvas,
  canEnter: () => keeper.state === 'saved' && keeper.isSent && !canvas.isDown,
  save: () => keeper.save(),
  take: (recording) => keeper.adopt(recording),
  left: () => {
    clearTimeout(resting);
    if (keeper.log.hasChanges) keeper.saveSoon();
  },
  changed: () => {
    const members = [...room.members].map(([tag, { person, presence }]) => ({ tag, person, presence }));
    postMessage({ company: { isIn: room.isIn, people: room.people, members } });
    if (!room.isIn) return;
    postMessage({ state: room.word, id: keeper.id, owner: keeper.owner });
    clearTimeout(resting);
    if (room.word === 'saved') resting = setTimeout(keepRoom, roomRest);
  },
};

// Keeps on the device what the room has, while the hand rests.
function keepRoom() {
  if (!room.isIn || room.word !== 'saved') return;
  keeper.keepRoom().catch((error) => canvas.recovered(error));
}

// Waits until the room has everything, and lets the recording take it in: the gallery shows recordings.
async function saveRoom() {
  const word = await room.flush();
  if (word !== 'saved') return word;
  keepRoom();
  await request('POST', `${room.address}/recording`, { signal: timeFor(0) }).catch(() => {});
  return word;
}

let sender;
async function sendOne(key, { uid, base, device }) {
  const record = await drawingRecord(key);
  if (record?.uid !== uid) return false;
  const { owner = uid, drawing: id = key } = record;
  const one = new Keeper({ uid, id, owner, base, device });
  await one.take(record);
  if (one.state === 'saved') {
    await forgetDrawing(key);
    return false;
  }
  sender ??= await Easel.load(...engines);
  one.easel = sender;
  if (one.state === 'drawn') {
    sender.open({ ...record, commands: one.log.since });
    one.page = { write: () => sender.document.write(), remade() {} };
  }
  await one.save();
  clearTimeout(one.retryTimer);
  const isSaved = one.state === 'saved';
  if (isSaved) await one.forget();
  return isSaved;
}

// Reports to the page whether the drawing is saved. A waiting drawing gets a picture for the
// gallery.
async function tell(state) {
  postMessage({ state, id: keeper.id, owner: keeper.owner });
  if (state === 'saved') room?.watch();
  if (['saving', 'saved', 'copied'].includes(state)) return;
  const picture = await canvas.easel.thumbnail().catch((error) => {
    canvas.recovered(error);
    return null;
  });
  if (keeper.record.isSent || !picture) return;
  keeper.record.picture = picture;
  keepRecord(keeper.record).catch(() => {});
}
