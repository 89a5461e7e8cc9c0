// Stores one drawing: commands of the pen are stored on the device at once, and sent to the server
// as a recording when the hand rests. Changes from elsewhere are merged.

import {
  addCommands,
  commands,
  drawingRecord,
  forgetDrawing,
  holding,
  keepRecord,
  keepRecording,
  newID,
  renameDrawing,
} from './device.mjs';
import { isPassing, Problem, request } from './requests.mjs';
import { moment, momentText, sendDrawing, timeFor } from './sync.mjs';

// The delay before commands are stored, and the resting time before a recording is sent, in
// milliseconds.
const commandPause = 200;
const restPause = 1200;
const retryPause = 15_000;
// The delay before a refused recording is sent again: something between here and the server may
// have refused it.
const refusedPause = 300_000;
// The interval at which the end of a stroke is checked.
const strokePause = 50;
// The maximum number of remembered recordings whose response was lost, and the maximum number of
// attempts to send one while others draw.
const maximumTries = 20;
const maximumRounds = 8;
// Times are microseconds, as at the server. It refuses times more than a day ahead.
const day = 86_400e6;

// Commands that change the finished drawing.
export const finishing = new Set(['end', 'undo', 'redo', 'clear', 'deleteSelection', 'paper']);

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

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Keeper {
  // `base` is the URL before the paths of the service. `easel`, or a promise of it, hashes and
  // merges files. `changed` is called with a new state: 'saving', 'saved', or the reason why it is
  // not saved. `page` is the page under the pen: `write` returns its recording, or null while the
  // pen is down; `remade` is called when the record has a new recording.
  constructor({ uid, id, base, easel, device, page, changed = () => {} }) {
    Object.assign(this, { uid, id, base, easel, device, page, changed });
    this.pending = [];
    this.number = 0;
    // All commands since the recording was written. `record.from` is the number of the first one.
    this.since = [];
    // The difference by which this device's clock is ahead of the server's, if it is too large.
    this.lead = 0;
  }

  get user() {
    return `${this.base}v1/users/${encodeURIComponent(this.uid)}`;
  }
  get address() {
    return `${this.user}/drawings/${encodeURIComponent(this.id)}`;
  }
  get now() {
    return Date.now() * 1000 - this.lead;
  }

  // MARK: Opening

  // The record of the drawing: from this device, from the server, or a new one. `mayBeNew` allows
  // the last.
  async open({ mayBeNew, checkInId }) {
    const record = await drawingRecord(this.id).catch(() => undefined);
    // Another user's drawing on this device stays private.
    if (record && record.uid !== this.uid) throw new Problem(404, { code: 'not-found' });
    this.record = record && upgraded(record);
    // The server's version may be newer, unless this device has unsent changes.
    if (this.record && !this.record.isSent) return this.record;
    try {
      const [{ recording, sha256 }, facts] = await Promise.all([this.fetch(), this.facts()]);
      const from = this.record?.from ?? 0;
      this.record = { ...this.emptyRecord(), from, recording, sha256, known: sha256, isSent: true };
      // The server's description of the drawing is used.
      Object.assign(this.record, { describedAt: 0 }, facts);
    } catch (problem) {
      if (this.record && isPassing(problem)) return this.record;
      if (!mayBeNew || !(isPassing(problem) || problem.status === 404)) throw problem;
      this.record = { ...this.emptyRecord(), checkInId };
    }
    return this.record;
  }

  emptyRecord() {
    const createdAt = Date.now();
    return {
      id: this.id,
      uid: this.uid,
      recording: null,
      sha256: null,
      from: 0,
      isSent: false,
      createdAt,
      zone: -new Date().getTimezoneOffset(),
      session: null,
      updatedAt: 0,
      describedAt: createdAt * 1000,
      known: null,
      base: null,
      tried: [],
    };
  }

  // The server's recording.
  async fetch(fields = {}) {
    const signal = this.record && timeFor(this.record.recording?.length ?? 0);
    // Bypasses the cache, which would keep a damaged response.
    const response = await request('GET', `${this.address}/recording.pkd`, {
      isRaw: true,
      signal,
      fields,
      cache: 'no-store',
    });
    const recording = new Uint8Array(
      await response.arrayBuffer().catch(() => {
        throw new Problem(0);
      }),
    );
    this.easel = await this.easel;
    const sha256 = this.easel.hash(recording);
    // The tag is the beginning of the hash. Any other response is truncated, damaged, or not from
    // our server.
    if (!response.headers.get('etag')?.includes(sha256.slice(0, 32))) throw new Problem(0, { code: 'offline' });
    return { recording, sha256 };
  }

  // The server's facts about the drawing; none if it does not respond, because drawing does not
  // need them.
  async facts() {
    try {
      const { createdAt, updatedAt, timezoneOffsetMinutes, isFromCheckIn, checkinId } = await request(
        'GET',
        this.address,
        { signal: timeFor(0) },
      );
      return {
        createdAt: Date.parse(createdAt) || Date.now(),
        updatedAt: moment(updatedAt) || 0,
        zone: timezoneOffsetMinutes,
        isFromCheckIn,
        checkInId: checkinId,
      };
    } catch {
      return {};
    }
  }

  // Continues with a record of this device. Returns a promise of its commands.
  take(record) {
    this.record = upgraded(record);
    return this.commandsBefore();
  }

  // The stored commands of the previously opened page.
  async commandsBefore() {
    this.since = await commands(this.id, this.record.from).catch(() => []);
    this.number = (this.record.from ?? 0) + this.since.length;
    return this.since;
  }

  // MARK: Keeping

  // Records a command of the pen.
  note(command) {
    this.pending.push(command);
    this.since.push(command);
    this.isForgotten = false;
    this.commandTimer ??= setTimeout(() => this.flush(), commandPause);
  }

  // Stores the recorded commands.
  flush() {
    clearTimeout(this.commandTimer);
    this.commandTimer = undefined;
    this.flushing = (this.flushing ?? Promise.resolve()).then(() => this.flushOnce());
    return this.flushing;
  }

  async flushOnce() {
    if (this.pending.length === 0 || this.isForgotten) return;
    const list = this.pending;
    this.pending = [];
    const { record } = this;
    if (hasChanges(this.since)) record.isSent = false;
    else if (record.recording && record.known === record.sha256) record.isSent = true;
    const number = this.number;
    this.number += list.length;
    try {
      // The record contains the whole recording, so it is stored only if it has changed.
      const { id, from, recording, isSent } = record;
      const { kept } = this;
      const isKept = kept?.id === id && kept.from === from && kept.recording === recording && kept.isSent === isSent;
      await addCommands(record, number, list, !isKept);
      this.kept = { id, from, recording, isSent };
    } catch {
      // Storage is full: the recording in memory is still sent to the server.
      this.isFull = true;
      // They are stored with the next commands, unless a recording contains them or all are stored
      // again.
      if (number < record.from || this.number !== number + list.length) return;
      this.pending.unshift(...list);
      this.number = number;
    }
  }

  // Saves when the hand has rested for a moment.
  saveSoon() {
    this.mustWrite = true;
    this.changed('saving');
    clearTimeout(this.saveTimer);
    // Writing blocks the pen, so large drawings are saved less often.
    this.saveTimer = setTimeout(() => this.save(), restPause + 10 * (this.writeTime ?? 0));
  }

  // Saves now: on the device, then at the server. Returns a promise of the state.
  save() {
    clearTimeout(this.saveTimer);
    this.saving = (this.saving ?? Promise.resolve()).then(() => this.saveOnce());
    return this.saving;
  }

  async saveOnce() {
    if (this.isForgotten) return this.state;
    if (this.mustWrite) {
      let isWritten;
      try {
        isWritten = this.write();
      } catch {
        return this.wait();
      }
      if (!isWritten) {
        this.saveTimer = setTimeout(() => this.save(), restPause);
        return this.state;
      }
      await this.keep();
    }
    if (this.record.isSent || !this.record.recording) return this.tell('saved');
    return this.tell(await this.send());
  }

  // Writes the recording of the page. False while a stroke is being drawn.
  write() {
    const start = performance.now();
    const recording = this.page.write();
    if (!recording) return false;
    this.mustWrite = false;
    this.writeTime = performance.now() - start;
    this.put(recording);
    this.since = [];
    this.record.from = this.number;
    // The recording contains them.
    this.pending = [];
    clearTimeout(this.commandTimer);
    this.commandTimer = undefined;
    return true;
  }

  // Keeps the commands on this device; the next stroke tries again.
  async wait() {
    this.mustWrite = false;
    await this.flush();
    return this.tell(this.isFull ? 'deviceFull' : 'kept');
  }

  // Replaces the recording. The server's version is kept as merge base until ours is stored, to
  // determine the side of an erasure.
  put(recording) {
    const { record } = this;
    if (record.recording && record.known === this.sha256) record.base = record.recording;
    const sha256 = this.easel.hash(recording);
    // The hash is recorded before sending, because the response may be lost, also with this tab.
    const tried = [...record.tried.filter((one) => one !== sha256), sha256].slice(-maximumTries);
    const updatedAt = Math.max(this.now, record.updatedAt + 1000);
    Object.assign(record, { recording, sha256, tried, updatedAt, isSent: false });
  }

  // The hash of the recording; older pages have not stored it.
  get sha256() {
    this.record.sha256 ??= this.easel.hash(this.record.recording);
    return this.record.sha256;
  }

  async keep() {
    try {
      await keepRecording(this.record);
      this.isFull = false;
    } catch {
      this.isFull = true;
    }
  }

  tell(state) {
    this.state = state;
    if (!this.mustWrite) this.changed(state);
    return state;
  }

  // MARK: Sending

  // Sends the recording, and returns a promise of the state.
  async send() {
    clearTimeout(this.retryTimer);
    try {
      this.easel = await this.easel;
      for (let round = 0; round < maximumRounds; round++) {
        const state = await this.sendOnce();
        if (state) return state;
      }
      throw new Problem(503, { code: 'busy' });
    } catch (problem) {
      // A local failure, such as a lack of memory, may be temporary.
      return this.stateAfter(problem instanceof Problem ? problem : new Problem(503, { detail: `${problem}` }));
    }
  }

  // Returns a promise of the state, or of undefined if the drawing must be sent again.
  async sendOnce() {
    const { record, sha256 } = this;
    if (!record.tried.includes(sha256)) {
      record.tried = [...record.tried, sha256].slice(-maximumTries);
      await keepRecord(record).catch(() => {});
    }
    const { clock, result: [word, ...rest] } = await sendDrawing(this.user, this.id, {
      fields: this.fields,
      ancestors: this.ancestors,
      sha256,
      recording: record.recording,
      base: record.known && record.base ? { sha256: record.known, recording: record.base } : null,
    });
    switch (word) {
      case 'stored':
        await this.noteStored();
        return this.isCopy ? 'copied' : 'saved';
      // The server has deleted its part of a large file.
      case 'needs':
        return undefined;
      case 'conflict':
        return this.join(rest[0], clock);
      case 'ahead':
        if (!this.setBack(clock, moment(rest[0]))) throw new Problem(422, { code: 'clock' });
        return undefined;
      // The drawing was deleted elsewhere after this version was drawn.
      case 'superseded':
        return this.becomeCopy();
      case 'failed':
        // Another client has stored its version first.
        if (rest[0] === 'changed') return undefined;
        throw new Problem(rest[0] === 'quota-exceeded' ? 402 : 503, { code: rest[0] });
      default:
        throw new Problem(422, { code: rest[0] });
    }
  }

  // The recordings that this one has replaced since both sides were equal. Null means that they are
  // unknown; an empty list would mean that the ink is unchanged.
  get ancestors() {
    const { known, tried } = this.record;
    const all = [...(known ? [known] : []), ...tried].filter((one) => one !== this.sha256);
    return all.length > 0 ? all : null;
  }

  get fields() {
    const { createdAt, zone, checkInId, isFromCheckIn, describedAt, updatedAt } = this.record;
    return {
      createdAt: momentText(createdAt * 1000),
      timezoneOffsetMinutes: zone,
      checkinId: checkInId ?? undefined,
      isFromCheckIn: isFromCheckIn ?? Boolean(checkInId),
      deviceID: this.device,
      recordingSHA256: this.sha256,
      updatedAt: momentText(updatedAt),
      describedAt: describedAt < updatedAt ? momentText(describedAt) : undefined,
    };
  }

  async noteStored() {
    const { record } = this;
    // New commands may have been added meanwhile, or a stroke is unfinished.
    Object.assign(record, {
      known: this.sha256,
      base: null,
      tried: [],
      picture: null,
      isSent: !hasChanges(this.since),
    });
    this.kept = undefined;
    await keepRecord(record).catch(() => {});
  }

  // Corrects times that are too far ahead of the server's, by this clock's lead, but keeps them
  // after the replaced version's time. Returns whether a time was changed.
  setBack(clock, seen) {
    const { record } = this;
    const lead = Math.max(this.now - clock, 0);
    const isAhead = (time) => time > clock + day;
    const back = (time) => (isAhead(time) ? Math.min(time - lead, clock) : time);
    const { createdAt, updatedAt, describedAt } = record;
    if (![createdAt * 1000, updatedAt, describedAt].some(isAhead)) return false;
    Object.assign(record, { createdAt: back(createdAt * 1000) / 1000, describedAt: back(describedAt) });
    if (isAhead(updatedAt)) record.updatedAt = Math.max(back(updatedAt), (seen || 0) + 1000);
    if (lead > day) this.lead += lead;
    return true;
  }

  // MARK: Joining

  // Merges the server's version, given its hash, with the local one. The page continues with the
  // result.
  async join(has, clock) {
    const { record } = this;
    const { updatedAt = clock } = await this.facts();
    // A successor gets a later time, even if this clock is slow and the drawing's description has
    // changed.
    record.updatedAt = Math.max(this.now, record.updatedAt + 1000, updatedAt + 1000);
    if (has !== this.sha256 && (has === record.known || record.tried.includes(has))) {
      // The version was sent from here, so this recording contains all of it.
      const base = has === record.known ? record.base : null;
      Object.assign(record, { known: has, base, tried: record.tried.filter((one) => one !== has) });
      return undefined;
    }
    let theirs;
    try {
      theirs = await this.fetch();
    } catch (problem) {
      // The drawing is being deleted: it is sent again, and the server decides whether it returns.
      if (problem.status === 404) return undefined;
      throw problem;
    }
    // Commands since the last recording are written into it first: undo must not reach the strokes
    // of others. Later commands wait until the merge is done.
    if (this.since.length > 0 && this.page) { while (!this.write()) await pause(strokePause); }
    let merged;
    try {
      merged = this.easel.merge(record.base, record.recording, theirs.recording);
    } catch {
      await this.keep();
      return this.becomeCopy();
    }
    const isOurs = this.sha256 === this.easel.hash(merged);
    Object.assign(record, { known: theirs.sha256, base: theirs.recording });
    if (!isOurs) this.put(merged);
    if (!isOurs) this.page?.remade();
    await this.keep();
    if (this.sha256 !== theirs.sha256) return undefined;
    await this.noteStored();
    return 'saved';
  }

  // Fetches later changes from elsewhere, if nothing waits here.
  refresh() {
    this.saving = (this.saving ?? Promise.resolve()).then(() => this.refreshOnce()).catch(() => {});
    return this.saving;
  }

  async refreshOnce() {
    const { record } = this;
    if (!record.isSent || !record.known || this.isForgotten) return;
    const theirs = await this.fetch({ 'If-None-Match': `"${record.known.slice(0, 32)}"` });
    if (!record.isSent || hasChanges(this.since) || theirs.sha256 === record.known) return;
    Object.assign(record, { ...theirs, known: theirs.sha256 });
    this.page?.remade();
    await this.keep();
  }

  // If the drawing was deleted elsewhere later, or cannot be merged, the server's version stays
  // unchanged, and the local version becomes a separate drawing.
  async becomeCopy() {
    const before = this.id;
    const id = newID();
    // The copy is locked like the drawing, before any other tab can find it.
    await new Promise((resolve) => {
      holding(id, () => {
        resolve();
        return new Promise((end) => {
          this.release = end;
        });
      });
    });
    this.id = id;
    this.isCopy = true;
    Object.assign(this.record, { id, known: null, base: null, tried: [], describedAt: this.record.createdAt * 1000 });
    await renameDrawing(before, this.record).catch(() => {});
  }

  stateAfter(problem) {
    const isFinal = !isPassing(problem);
    this.retryTimer = setTimeout(() => this.save(), isFinal ? refusedPause : retryPause);
    if (isFinal && problem.status !== 413) return 'refused';
    if (this.isFull) return 'deviceFull';
    return { 401: 'signedOut', 402: 'noRoom', 413: 'tooLarge' }[problem.status] ?? 'kept';
  }

  // Deletes the drawing from this device. Later commands of the pen restore it, with the earlier
  // commands.
  async forget() {
    this.isForgotten = true;
    this.kept = undefined;
    for (const timer of [this.commandTimer, this.saveTimer, this.retryTimer]) clearTimeout(timer);
    this.commandTimer = undefined;
    this.pending = [...this.since];
    this.number = this.record.from ?? 0;
    await forgetDrawing(this.id).catch(() => {});
  }
}

// Converts a record to this version. Older pages have stored the server's tag of a recording
// instead of hashes: the server's version is then unknown, so both are merged as if neither had
// replaced the other.
function upgraded({ tag, isTimeWrong, ...record }) {
  if (tag === undefined) return record;
  const updatedAt = Date.now() * 1000;
  return {
    ...record,
    known: null,
    base: null,
    tried: [],
    sha256: null,
    updatedAt,
    createdAt: isTimeWrong ? Date.now() : record.createdAt,
    describedAt: tag ? 0 : record.createdAt * 1000,
  };
}
