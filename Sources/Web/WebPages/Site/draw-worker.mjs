// The worker of the drawing page: a canvas, and the keeper of its drawing. It also sends the data that
// waits on the device.

import { CanvasWorker } from './canvas-worker.mjs';
import { drawingIDs, drawingRecord, forgetDrawing, holding, keepRecord, recordID, sendCheckIns } from './device.mjs';
import { Easel } from './easel.mjs';
import { Keeper } from './keeper.mjs';

const engines = ['canvas.wasm', 'engine.wasm'].map((name) => new URL(name, import.meta.url).href);

let keeper, release;

const host = {
  get log() {
    return keeper.log;
  },
  get record() {
    return keeper.record;
  },

  // Opens a drawing, and locks it for this tab.
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
    if (!isFree) throw Object.assign(new Error('It is open in another tab.'), { code: 'otherTab' });
    const page = { write: () => canvas.write(), remade: () => canvas.openAgain() };
    const opened = new Keeper({ uid, id, owner, base, device, easel, changed: tell, page });
    const record = await opened.open({ mayBeNew, checkInId });
    // Set only now: a drawing that failed to open must not be saved when the page is left.
    keeper = opened;
    return record;
  },

  opened() {
    keeper.easel = canvas.easel;
    keeper.resume();
  },

  finished() {
    keeper.saveSoon();
  },

  answers: {
    // Saves now and returns a promise of the state.
    async save() {
      if (!keeper) return 'empty';
      await keeper.log.flush();
      if (keeper.record.recording !== null || canvas.easel.document.canUndo) return keeper.save();
      if (!keeper.record.known) await keeper.forget();
      return 'empty';
    },

    flush: () => keeper?.log.flush(),

    // Shows changes that were made elsewhere.
    refresh: () => keeper?.refresh(),

    async close() {
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
  if (['saving', 'saved', 'copied'].includes(state)) return;
  const picture = await canvas.easel.thumbnail().catch((error) => {
    canvas.recovered(error);
    return null;
  });
  if (keeper.record.isSent || !picture) return;
  keeper.record.picture = picture;
  keepRecord(keeper.record).catch(() => {});
}
