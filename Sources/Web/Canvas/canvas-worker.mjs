// The worker of a canvas: the engine and the screen. A host decides where the drawing comes from, and
// what becomes of the pen's commands. It has:
// - `open(message, easel)`, which returns a promise of the record to open: { recording, run };
//   `easel` is a promise of the engine with a document;
// - `log`, which takes the commands that `record` does not contain, and has them in `since`;
// - `record`, which is opened again with these commands after the engine has stopped;
// - `opened()`, called when the page can be drawn on;
// - `finished()`, called after a command that has changed the finished drawing;
// - `acted(command)` and `reopened()`, if it has them, called after each command, and after the drawing
//   was opened again;
// - `answers`, its own requests by name.

import { Easel, finishing } from './easel.mjs';
import { Overview } from './overview.mjs';

// The time of drawing blocks between commands, and the rest before the overview is drawn, in
// milliseconds.
const blockTime = 6;
const overviewPause = 500;
// An engine that stops more often is not opened again.
const mostStops = 20;

export class CanvasWorker {
  // Whether a gesture is unfinished.
  isDown = false;
  // Whether the page may show a selection.
  #isSelecting = false;
  // The screen is drawn after all waiting commands, so that a slow picture delays none of them.
  #painter = new MessageChannel();
  #isPainting = false;
  // The requests that wait for all blocks.
  #whole = [];
  #overview;
  #overviewTimer;
  // The timestamps of events whose ink is not on the screen yet, for measurements.
  #stamps = [];
  #stops = 0;

  // `engines` are the addresses of the engine and of the whole one; `open` may bring others. `port` is where
  // the page's messages come from.
  constructor(engines, host, port = globalThis) {
    Object.assign(this, { engines, host, port });
    this.#painter.port1.onmessage = () => this.#paint();
    port.onmessage = ({ data }) => (data.command ? this.#take(data) : this.#answer(data));
  }

  answers = {
    open: async (message) => {
      // Several drawings may be opened before the engine is there.
      const loading = this.loading ??= Easel.load(...(message.engines ?? this.engines));
      // The promise is awaited later; this prevents an unhandled rejection.
      loading.catch(() => {
        this.loading = undefined;
      });
      const record = await this.host.open(message, loading);
      this.easel = await loading;
      const { since } = this.host.log;
      this.easel.open({ ...record, commands: since });
      record.run = this.easel.run;
      this.isOpen = true;
      this.host.opened?.();
      return { ...this.facts, isNew: !record.recording && since.length === 0, page: this.page };
    },

    // A new view, whose blocks are drawn later. It includes strokes that are drawn meanwhile.
    view: ({ options }) => this.#shown(this.easel.show(options)),

    // The same view of a part of the page some blocks further.
    move: (message) => this.#shown(this.easel.move(message)),

    // Waits until all blocks of the view are drawn.
    whole: () => (this.easel.waits ? new Promise((resolve) => this.#whole.push(resolve)) : undefined),

    // Gives the canvas for the overview of all ink.
    overview: ({ canvas, look }) => {
      this.#overview = new Overview(canvas, look);
      this.#overviewSoon();
    },

    around: ({ point, reach }) => this.easel.around(point, reach),
    papers: ({ names, options }) => this.easel.papers(names, options),
    box: () => this.easel.box,
    ink: () => this.easel.document.inkBounds,
    copy: () => this.easel.copySelection(),

    // Adds the ink of a file, with its middle at a point.
    paste: ({ file, at, time }) => {
      const count = this.carryOut(['insert', file, ...at, time]);
      this.#paintSoon();
      return count;
    },

    recording: () => this.easel.document.write(),

    // Frees the canvas, in a worker of several.
    end: () => {
      clearTimeout(this.#overviewTimer);
      this.isDown = false;
      this.#painter.port1.close();
      this.easel = this.loading = undefined;
      this.port.close();
    },
  };

  get facts() {
    const { canUndo, canRedo, strokeCount } = this.easel.document;
    return { canUndo, canRedo, isEmpty: strokeCount === 0 };
  }

  get page() {
    const { paper, size } = this.easel.document;
    return { paper, size };
  }

  // The current recording; null while a stroke is being drawn.
  write() {
    if (this.isDown) return null;
    try {
      return this.easel.write();
    } catch (error) {
      if (error.code === 'stopped') this.openAgain();
      throw error;
    }
  }

  // Rebuilds the page from the host's record and the later commands, after the engine has stopped or
  // the record has changed.
  openAgain() {
    this.isDown = false;
    const { record, log } = this.host;
    this.easel.open({ ...record, commands: log.since });
    record.run = this.easel.run;
    this.port.postMessage({ restarted: true, facts: this.facts, page: this.page });
    this.host.reopened?.();
  }

  // A stop of the engine loses at most the current stroke. Returns whether the page was rebuilt.
  recovered(error) {
    const isStop = ['stopped', 'unknownHandle'].includes(error.code);
    if (!isStop || !this.isOpen || this.#stops++ >= mostStops) return false;
    this.host.log.add(['cancel']);
    this.openAgain();
    return true;
  }

  #failed(error) {
    if (!this.recovered(error)) {
      this.port.postMessage({ error: { code: error.code ?? 'failed', message: error.message } });
    }
  }

  // MARK: Messages

  #take({ command, stamp }) {
    if (stamp) this.#stamps.push(stamp);
    try {
      this.carryOut(command);
    } catch (error) {
      this.#failed(error);
    }
    this.#paintSoon();
  }

  async #answer({ number, kind, ...message }) {
    try {
      const ask = async () => (this.host.answers[kind] ?? this.answers[kind])(message);
      const answer = await ask().catch((error) => {
        if (!this.recovered(error)) throw error;
        return ask();
      });
      this.port.postMessage({ number, answer }, (answer?.parts ?? []).map((part) => part.pixels.buffer));
    } catch (error) {
      this.port.postMessage({
        number,
        error: { code: error.code ?? 'failed', message: error.message, status: error.status },
      });
    }
  }

  carryOut(command) {
    const [name] = command;
    if (name === 'predict') return this.easel.predict(command[1], command[2]);
    if (['end', 'cancel'].includes(name)) this.isDown = false;
    const result = this.easel.apply(command);
    // A stroke that is no figure goes on, as if nothing had been asked.
    if (name === 'tidy' && !result) return result;
    if (['begin', 'beginErasing', 'beginDrag'].includes(name)) this.isDown = true;
    if (name === 'tidy') {
      this.isDown = false;
      this.port.postMessage({ figure: result });
    }
    this.host.log.add(command);
    this.host.acted?.(command);
    if (finishing.has(name)) {
      this.host.finished?.();
      this.port.postMessage({ facts: this.facts, changed: true });
    }
    if (name.startsWith('select') || name === 'insert') this.#isSelecting = true;
    // A finished drag has no result.
    if (this.#isSelecting && (result !== undefined || finishing.has(name))) this.#tellSelection();
    return result;
  }

  // Shows what others have done.
  showOthers(isChanged) {
    if (isChanged) {
      this.port.postMessage({ facts: this.facts, page: this.page, changed: true });
      if (this.#isSelecting) this.#tellSelection();
    }
    this.#paintSoon();
  }

  #tellSelection() {
    const { selectionCount: count, selectionBounds: box, selectionInk: ink } = this.easel.document;
    this.#isSelecting = count > 0;
    this.port.postMessage({ selection: { count, box: count > 0 ? box : null, ink } });
  }

  // MARK: The screen

  #shown(answer) {
    this.#paintSoon();
    return { ...answer, ...this.facts };
  }

  #paintSoon() {
    if (this.#isPainting) return;
    this.#isPainting = true;
    this.#painter.port2.postMessage(0);
  }

  // Draws changes, and then blocks that are not drawn yet, in short pieces between later commands.
  #paint() {
    this.#isPainting = false;
    let parts;
    try {
      parts = this.easel.update();
      parts.push(...this.easel.drawBlocks(blockTime));
    } catch (error) {
      // After a stop, the page asks for a new view instead of waiting for the blocks of this one.
      this.#wholeEnds();
      return this.#failed(error);
    }
    const drawn = performance.timeOrigin + performance.now();
    if (parts.length > 0) this.port.postMessage({ parts }, parts.map((part) => part.pixels.buffer));
    if (this.#stamps.length > 0) this.port.postMessage({ drawn, stamps: this.#stamps.splice(0) });
    if (this.easel.waits) return this.#paintSoon();
    this.#wholeEnds();
    return this.#overviewSoon();
  }

  #wholeEnds() {
    for (const resolve of this.#whole.splice(0)) resolve();
  }

  // The overview is drawn while the pen rests.
  #overviewSoon() {
    clearTimeout(this.#overviewTimer);
    this.#overviewTimer = setTimeout(() => {
      const overview = this.#overview;
      if (this.isDown || this.easel.waits || !overview) return;
      try {
        const place = overview.draw(this.easel, blockTime);
        if (place !== undefined) this.port.postMessage({ overview: place });
        if (overview.waits) this.#overviewSoon();
      } catch (error) {
        this.#failed(error);
      }
    }, this.#overview?.waits ? 0 : overviewPause);
  }
}
