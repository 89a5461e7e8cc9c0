// The worker of the drawing page: engine, screen, and storage. It also sends the data that waits on
// the device.

import { finishing } from './command-log.mjs';
import { drawingIDs, drawingRecord, forgetDrawing, holding, keepRecord, sendCheckIns } from './device.mjs';
import { Easel } from './easel.mjs';
import { Keeper } from './keeper.mjs';
import { Overview } from './overview.mjs';

const engineAddress = new URL('engine.wasm', import.meta.url).href;

let easel, keeper, release, overview;

const answers = {
  // Opens a drawing, and locks it for this tab.
  async open({ uid, id, base, device, mayBeNew, checkInId }) {
    const loading = Easel.load(engineAddress);
    // The promise is awaited later; this prevents an unhandled rejection.
    loading.catch(() => {});
    const isFree = await new Promise((resolve) => {
      holding(id, (isHeld) => {
        resolve(isHeld);
        return isHeld
          ? new Promise((end) => {
            release = end;
          })
          : undefined;
      });
    });
    if (!isFree) throw Object.assign(new Error('It is open in another tab.'), { code: 'otherTab' });
    const opened = new Keeper({
      uid,
      id,
      base,
      device,
      easel: loading,
      changed: tell,
      page: { write, remade: recover },
    });
    const record = await opened.open({ mayBeNew, checkInId });
    // Set only now: a drawing that failed to open must not be saved when the page is left.
    keeper = opened;
    easel = await loading;
    keeper.easel = easel;
    const { since } = keeper.log;
    easel.open({ ...record, commands: since });
    record.session = easel.session;
    keeper.resume();
    return { ...facts(), isNew: !record.recording && since.length === 0, page: page() };
  },

  // A new view, whose blocks are drawn later. It includes strokes that are drawn meanwhile.
  view({ options }) {
    return shown(easel.show(options));
  },

  // The same view of a part of the page some blocks further.
  move(message) {
    return shown(easel.move(message));
  },

  // Waits until all blocks of the view are drawn.
  whole() {
    return easel.waits ? new Promise((resolve) => whole.push(resolve)) : undefined;
  },

  // Gives the canvas for the overview of all ink.
  overview({ canvas, look }) {
    overview = new Overview(canvas, look);
    overviewSoon();
  },

  around({ point, reach }) {
    return easel.around(point, reach);
  },

  papers({ names, options }) {
    return easel.papers(names, options);
  },

  box() {
    return easel.box;
  },

  ink() {
    return easel.document.inkBounds;
  },

  copy() {
    return easel.copySelection();
  },

  // Adds the ink of a file, with its middle at a point.
  paste({ file, at, time }) {
    const count = carryOut(['insert', file, ...at, time]);
    paintSoon();
    return count;
  },

  // Saves now and returns a promise of the state.
  async save() {
    if (!keeper) return 'empty';
    await keeper.log.flush();
    if (hasInk()) return keeper.save();
    if (!keeper.record.known) await keeper.forget();
    return 'empty';
  },

  flush() {
    return keeper?.log.flush();
  },

  // Shows changes that were made elsewhere.
  refresh() {
    return keeper?.refresh();
  },

  recording() {
    return easel.document.write();
  },

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
};

async function sendOne(id, { uid, base, device }) {
  const record = await drawingRecord(id);
  if (record?.uid !== uid) return false;
  const one = new Keeper({ uid, id, base, device });
  await one.take(record);
  if (one.state === 'saved') {
    await forgetDrawing(id);
    return false;
  }
  easel ??= await Easel.load(engineAddress);
  one.easel = easel;
  if (one.state === 'drawn') {
    easel.open({ ...record, commands: one.log.since });
    one.page = { write: () => easel.document.write(), remade() {} };
  }
  await one.save();
  clearTimeout(one.retryTimer);
  const isSaved = one.state === 'saved';
  if (isSaved) await one.forget();
  return isSaved;
}

const hasInk = () => keeper.record.recording !== null || easel.document.canUndo;

function facts() {
  const { canUndo, canRedo } = easel.document;
  return { canUndo, canRedo };
}

function page() {
  const { paper, size } = easel.document;
  return { paper, size };
}

// Reports to the page whether the drawing is saved. A waiting drawing gets a picture for the
// gallery.
async function tell(state) {
  postMessage({ state, id: keeper.id });
  if (['saving', 'saved', 'copied'].includes(state)) return;
  const picture = await easel.thumbnail().catch((error) => {
    recovered(error);
    return null;
  });
  if (keeper.record.isSent || !picture) return;
  keeper.record.picture = picture;
  keepRecord(keeper.record).catch(() => {});
}

// The current recording; null while a stroke is being drawn.
function write() {
  if (isDown) return null;
  try {
    return easel.document.write();
  } catch (error) {
    if (error.code === 'stopped') recover();
    throw error;
  }
}

// Rebuilds the page from the recording and the later commands, after the engine has stopped or
// changes from elsewhere have arrived.
function recover() {
  isDown = false;
  easel.open({ ...keeper.record, commands: keeper.log.since });
  postMessage({ restarted: true, facts: facts(), page: page() });
}

let isDown = false;

function carryOut(command) {
  const [name] = command;
  if (name === 'predict') return easel.predict(command[1], command[2]);
  if (['end', 'cancel'].includes(name)) isDown = false;
  const result = easel.apply(command);
  // A stroke that is no figure goes on, as if nothing had been asked.
  if (name === 'tidy' && !result) return result;
  if (['begin', 'beginErasing', 'beginDrag'].includes(name)) isDown = true;
  if (name === 'tidy') {
    isDown = false;
    postMessage({ figure: result });
  }
  keeper.log.add(command);
  if (finishing.has(name)) {
    keeper.saveSoon();
    postMessage({ facts: facts() });
  }
  if (name.startsWith('select') || name === 'insert') isSelecting = true;
  // A finished drag has no result.
  if (isSelecting && (result !== undefined || finishing.has(name))) tellSelection();
  return result;
}

// Whether the page may show a selection.
let isSelecting = false;

function tellSelection() {
  const { selectionCount: count, selectionBounds: box, selectionInk: ink } = easel.document;
  isSelecting = count > 0;
  postMessage({ selection: { count, box: count > 0 ? box : null, ink } });
}

// The screen is drawn after all waiting commands, so that a slow picture delays none of them. Blocks
// that are not drawn yet follow in short pieces, between later commands.
const painter = new MessageChannel();
let isPainting = false;
painter.port1.onmessage = () => {
  isPainting = false;
  let parts;
  try {
    parts = easel.update();
    parts.push(...easel.drawBlocks(blockTime));
  } catch (error) {
    // After a stop, the page asks for a new view instead of waiting for the blocks of this one.
    wholeEnds();
    return failed(error);
  }
  const drawn = performance.timeOrigin + performance.now();
  if (parts.length > 0) postMessage({ parts }, parts.map((part) => part.pixels.buffer));
  if (stamps.length > 0) postMessage({ drawn, stamps: stamps.splice(0) });
  if (easel.waits) return paintSoon();
  wholeEnds();
  overviewSoon();
};
const blockTime = 6;
// The requests that wait for all blocks.
const whole = [];

function wholeEnds() {
  for (const resolve of whole.splice(0)) resolve();
}

function paintSoon() {
  if (isPainting) return;
  isPainting = true;
  painter.port2.postMessage(0);
}

function shown(answer) {
  paintSoon();
  return { ...answer, ...facts() };
}

// The overview is drawn while the pen rests.
let overviewTimer;
function overviewSoon() {
  clearTimeout(overviewTimer);
  overviewTimer = setTimeout(() => {
    if (isDown || easel.waits || !overview) return;
    try {
      const place = overview.draw(easel, blockTime);
      if (place !== undefined) postMessage({ overview: place });
      if (overview.waits) overviewSoon();
    } catch (error) {
      failed(error);
    }
  }, overview?.waits ? 0 : overviewPause);
}
const overviewPause = 500;

// A stop of the engine loses at most the current stroke.
function recovered(error) {
  if (!['stopped', 'unknownHandle'].includes(error.code) || !keeper || !easel || stops++ >= 20) return false;
  keeper.log.add(['cancel']);
  recover();
  return true;
}
let stops = 0;

function failed(error) {
  if (!recovered(error)) postMessage({ error: { code: error.code ?? 'failed', message: error.message } });
}

// The timestamps of events whose ink is not on the screen yet, for measurements.
const stamps = [];

onmessage = async ({ data }) => {
  if (data.command) {
    if (data.stamp) stamps.push(data.stamp);
    try {
      carryOut(data.command);
    } catch (error) {
      failed(error);
    }
    paintSoon();
    return;
  }
  const { number, kind, ...message } = data;
  try {
    const ask = async () => answers[kind](message);
    const answer = await ask().catch((error) => {
      if (!recovered(error)) throw error;
      return ask();
    });
    postMessage({ number, answer }, (answer?.parts ?? []).map((part) => part.pixels.buffer));
  } catch (error) {
    postMessage({ number, error: { code: error.code ?? 'failed', message: error.message, status: error.status } });
  }
};
