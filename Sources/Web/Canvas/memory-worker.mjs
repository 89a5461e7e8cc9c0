// The worker of canvases that keep their drawings in memory: the page takes them as bytes. The page
// sends a port for each canvas.

import { CanvasWorker } from './canvas-worker.mjs';
import { finalView } from './easel.mjs';
import { Engine } from './engine.mjs';
import { pngOf } from './png.mjs';

// The first byte of a recording; archives begin with others.
const recordingMark = 0x89;
// The interval at which the end of a stroke is checked, in milliseconds.
const strokePause = 20;

// A drawing is held as its last recording and the later commands, for the case that the engine stops.
class MemoryHost {
  record = {};
  log = {
    since: [],
    add(command) {
      this.since.push(command);
    },
  };
  // Whether an archive was opened.
  isArchive = false;

  constructor(port) {
    this.canvas = new CanvasWorker([], this, port);
  }

  async open({ bytes }, easel) {
    if (bytes) (await easel).check(bytes);
    this.isArchive = bytes?.[0] !== undefined && bytes[0] !== recordingMark;
    this.keep(bytes);
    return this.record;
  }

  answers = {
    // The bytes of the drawing, in the form in which it was opened.
    value: async () => {
      const written = await this.finished();
      return this.isArchive ? this.canvas.easel.document.archive() : written;
    },

    file: async ({ type, ...options }) => {
      const written = await this.finished();
      if (type === 'drawing') return this.canvas.easel.document.archive();
      return type === 'pkd' ? written : this.picture(written, type, options);
    },
  };

  // The recording after the end of an unfinished stroke. It replaces the commands.
  async finished() {
    for (;;) {
      const written = this.canvas.write();
      if (written) {
        this.keep(written);
        return written;
      }
      await new Promise((done) => setTimeout(done, strokePause));
    }
  }

  keep(written) {
    this.record = { recording: written };
    this.log.since = [];
  }

  // A separate engine makes pictures, whose memory is freed afterwards.
  async picture(recording, type, { scale, style, background }) {
    const { easel } = this.canvas;
    if (type === 'svg' || type === 'pdf') return (await easel.whole()).open(recording).vectors(type, scale);
    const drawing = new Engine(easel.engine.module).open(recording);
    const view = finalView(drawing, { scale, style, background });
    return pngOf({ width: view.width, height: view.height, data: view.pixels() });
  }
}

onmessage = ({ data: port }) => new MemoryHost(port);
// The script was loaded.
postMessage(null);
