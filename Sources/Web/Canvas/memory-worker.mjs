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
    host.record = { recording: bytes };
    host.log.since = [];
    return host.record;
  },

  answers: {
    // The bytes of the drawing; those before an unfinished stroke.
    value() {
      const recording = canvas.write();
      if (!recording) return host.record.recording;
      host.record = { recording };
      host.log.since = [];
      return recording;
    },

    file: (
      { type, ...options },
    ) => (type === 'pkd' ? host.answers.value() : picture(host.answers.value(), type, options)),
  },
};

const canvas = new CanvasWorker([], host);

// A separate engine makes pictures, whose memory is freed afterwards.
async function picture(recording, type, { scale, style, background }) {
  if (type === 'svg' || type === 'pdf') return (await canvas.easel.whole()).open(recording).vectors(type, scale);
  const drawing = new Engine(canvas.easel.engine.module).open(recording);
  const view = drawing.view({ scale, style, background });
  view.show(Infinity);
  return pngOf({ width: view.width, height: view.height, data: view.pixels() });
}
