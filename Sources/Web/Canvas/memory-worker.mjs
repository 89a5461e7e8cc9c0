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
    // The bytes of the drawing, in the form in which it was opened; those before an unfinished stroke.
    value: () => (isArchive && recording() ? canvas.easel.document.archive() : recording() ?? host.record.recording),

    file({ type, ...options }) {
      recording();
      if (type === 'drawing') return canvas.easel.document.archive();
      return type === 'pkd' ? host.record.recording : picture(host.record.recording, type, options);
    },
  },
};

// The first byte of a recording; archives begin with others.
const recordingMark = 0x89;
// Whether an archive was opened.
let isArchive = false;

// The recording, which replaces the commands; null while a stroke is being drawn.
function recording() {
  const written = canvas.write();
  if (written) keep(written);
  return written;
}

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
