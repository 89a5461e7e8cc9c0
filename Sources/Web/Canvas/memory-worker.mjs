// The worker of a canvas that keeps its drawing in memory: the page takes it as bytes.

import { CanvasWorker } from './canvas-worker.mjs';
import { Engine } from './engine.mjs';
import { pngOf } from './png.mjs';

// A drawing is held as its last recording and the later commands, for the case that the engine stops.
const host = {
  record: {},
  log: {
    since: [],
    add(command) {
      this.since.push(command);
    },
  },

  async open({ bytes }, easel) {
    if (bytes) (await easel).check(bytes);
    isArchive = bytes?.[0] !== undefined && bytes[0] !== recordingMark;
    keep(bytes);
    return host.record;
  },

  answers: {
    // The bytes of the drawing, in the form in which it was opened.
    async value() {
      const written = await finished();
      return isArchive ? canvas.easel.document.archive() : written;
    },

    async file({ type, ...options }) {
      await finished();
      if (type === 'drawing') return canvas.easel.document.archive();
      return type === 'pkd' ? host.record.recording : picture(host.record.recording, type, options);
    },
  },
};

// The first byte of a recording; archives begin with others.
const recordingMark = 0x89;
// Whether an archive was opened.
let isArchive = false;

// The recording after the end of an unfinished stroke. It replaces the commands.
async function finished() {
  for (;;) {
    const written = canvas.write();
    if (written) {
      keep(written);
      return written;
    }
    await new Promise((done) => setTimeout(done, strokePause));
  }
}
// The interval at which the end of a stroke is checked, in milliseconds.
const strokePause = 20;

function keep(written) {
  host.record = { recording: written };
  host.log.since = [];
}

const canvas = new CanvasWorker([], host);

// A separate engine makes pictures, whose memory is freed afterwards.
async function picture(recording, type, { scale, style, background }) {
  if (type === 'svg' || type === 'pdf') return (await canvas.easel.whole()).open(recording).vectors(type, scale);
  const drawing = new Engine(canvas.easel.engine.module).open(recording);
  const view = drawing.view({ scale, style, background });
  view.show(Infinity);
  return pngOf({ width: view.width, height: view.height, data: view.pixels() });
}
