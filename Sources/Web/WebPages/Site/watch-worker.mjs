// The worker of the page that shows a drawing while others draw on it.

import { CanvasWorker } from './canvas-worker.mjs';
import { request } from './requests.mjs';
import { Room } from './room.mjs';
import { timeFor } from './sync.mjs';

const engines = ['canvas.wasm', 'engine.wasm'].map((name) => new URL(name, import.meta.url).href);

let room;

// The drawing is as it was when the page came; the room has the rest.
const host = {
  record: {},
  log: { since: [], add() {} },

  async open({ address }) {
    const options = { isRaw: true, cache: 'no-store', signal: timeFor(0) };
    const response = await request('GET', `${address}/recording`, options);
    this.record = { recording: new Uint8Array(await response.arrayBuffer()) };
    room?.close();
    room = new Room(address, company, { isSpectator: true });
    return this.record;
  },
  opened() {
    room.watch();
  },
  reopened() {
    if (room.isIn) room.fail();
  },
  answers: {
    flush() {},
    close: () => room?.close(),
  },
};

const canvas = new CanvasWorker(engines, host);

const company = {
  canvas,
  canEnter: () => true,
  save: () => {},
  take: (recording) => {
    host.record = { recording };
    canvas.openAgain();
  },
  left: () => {},
  changed: () => {
    const members = [...room.members].map(([tag, { person, presence }]) => ({ tag, person, presence }));
    postMessage({ company: { isIn: room.isIn, people: room.people, members } });
  },
};
