// The commands of the pen that no recording contains, and their way to the device.

import { finishing } from './easel.mjs';

// The delay before commands are stored, in milliseconds.
const commandPause = 200;

// Whether commands change the drawing: a selection or a cancelled gesture does not. An unfinished
// gesture may.
export function hasChanges(commands) {
  let [changes, isDown] = [false, false];
  for (const [name] of commands) {
    if (name.startsWith('begin')) isDown = true;
    if (name === 'cancel' || finishing.has(name)) isDown = false;
    changes ||= finishing.has(name);
  }
  return changes || isDown;
}

export class CommandLog {
  // All commands since the recording, the number of the first one, and the count of those that the
  // device has.
  since = [];
  from = 0;
  storedCount = 0;
  isForgotten = false;
  flushing = Promise.resolve();

  // `store` stores commands on the device, given the number of the first one. Its promise is
  // rejected if they do not fit.
  constructor(store) {
    this.store = store;
  }

  get hasChanges() {
    return hasChanges(this.since);
  }

  // Continues with the stored commands of the previously opened page.
  open(commands, from) {
    Object.assign(this, { since: commands, from, storedCount: commands.length });
  }

  add(command) {
    this.since.push(command);
    this.isForgotten = false;
    this.timer ??= setTimeout(() => this.flush(), commandPause);
  }

  // Stores the waiting commands.
  flush() {
    this.stop();
    this.flushing = this.flushing.then(() => this.flushOnce());
    return this.flushing;
  }

  async flushOnce() {
    const { since, from, storedCount } = this;
    if (this.isForgotten || storedCount === since.length) return;
    this.storedCount = since.length;
    try {
      await this.store(since.slice(storedCount), from + storedCount);
    } catch {
      // They are stored with the next commands, unless a recording contains them or all are stored
      // again.
      if (this.since === since) this.storedCount = Math.min(this.storedCount, storedCount);
    }
  }

  // Notes that a recording contains all commands.
  clear() {
    this.stop();
    Object.assign(this, { since: [], from: this.from + this.storedCount, storedCount: 0 });
  }

  // Notes that the device has forgotten the commands. The next one stores them again.
  forget() {
    this.stop();
    Object.assign(this, { isForgotten: true, storedCount: 0 });
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
