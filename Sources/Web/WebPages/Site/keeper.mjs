// Keeps one drawing: what the pen does goes to the device at once, and as a recording to the server when the hand
// rests. What was drawn on it elsewhere is joined with it.

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
import { Moment } from './cbor.mjs';
import { isPassing, Problem, request } from './requests.mjs';
import { sendDrawing, timeFor } from './sync.mjs';

// How long the device waits for more commands, and the server for the hand to rest, in milliseconds.
const commandPause = 200;
const restPause = 1200;
const retryPause = 15_000;
// What was refused may have been refused by something between here and the server.
const refusedPause = 300_000;
// How long the end of a stroke is waited for, each time.
const strokePause = 50;
// How many recordings are remembered whose answer was lost, and how often one is sent because of others who draw.
const maximumTries = 20;
const maximumRounds = 8;
// Times are microseconds, as the server has them. Those that are further ahead than a day are not accepted.
const day = 86_400e6;

// Commands after which the drawing is another one.
export const finishing = new Set(['end', 'undo', 'redo', 'clear', 'deleteSelection', 'paper']);

// Whether commands change the drawing: a selection does not, nor a gesture that was cancelled. One that has not ended
// may.
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
  // `base` is the address that the paths of the service begin at; `easel`, or a promise of it, hashes and merges files;
  // `changed` hears of a new state: 'saving', 'saved', or why it is not saved. `page` is what the pen draws on: `write`
  // makes its recording, or null while the pen is down, and `remade` hears that the record has another one.
  constructor({ uid, id, base, easel, device, page, changed = () => {} }) {
    Object.assign(this, { uid, id, base, easel, device, page, changed });
    this.pending = [];
    this.number = 0;
    // All commands since the recording was written. The record says which number the first of them has.
    this.since = [];
    // By how much the clock of this device is ahead of the server's, if that is too much.
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

  // The record of the drawing: from this device, from the server, or a new one. `mayBeNew` allows the last.
  async open({ mayBeNew, checkInId }) {
    const record = await drawingRecord(this.id).catch(() => undefined);
    // What another user of this device has drawn stays his.
    if (record && record.uid !== this.uid) throw new Problem(404, { code: 'not-found' });
    this.record = record && upgraded(record);
    // What the server has may be newer, unless something waits here.
    if (this.record && !this.record.isSent) return this.record;
    try {
      const [{ recording, sha256 }, facts] = await Promise.all([this.fetch(), this.facts()]);
      const from = this.record?.from ?? 0;
      this.record = { ...this.emptyRecord(), from, recording, sha256, known: sha256, isSent: true };
      // What is said about the drawing is the server's.
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

  // The recording that the server has.
  async fetch(fields = {}) {
    const signal = this.record && timeFor(this.record.recording?.length ?? 0);
    // Not from a cache, which would keep what has arrived damaged.
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
    // The tag is the beginning of the hash. Anything else is cut, damaged, or comes from something in between.
    if (!response.headers.get('etag')?.includes(sha256.slice(0, 32))) throw new Problem(0, { code: 'offline' });
    return { recording, sha256 };
  }

  // What the server says about the drawing; nothing if it does not answer, as it is not needed to draw.
  async facts() {
    try {
      const { createdAt, updatedAt, timezoneOffsetMinutes, isFromCheckIn, checkinId } = await request(
        'GET',
        this.address,
        { signal: timeFor(0) },
      );
      return {
        createdAt: Date.parse(createdAt) || Date.now(),
        updatedAt: Date.parse(updatedAt) * 1000 || 0,
        zone: timezoneOffsetMinutes,
        isFromCheckIn,
        checkInId: checkinId,
      };
    } catch {
      return {};
    }
  }

  // Goes on with a record of this device. Promises its commands.
  take(record) {
    this.record = upgraded(record);
    return this.commandsBefore();
  }

  // The commands that this device has, of the page that was opened last.
  async commandsBefore() {
    this.since = await commands(this.id, this.record.from).catch(() => []);
    this.number = (this.record.from ?? 0) + this.since.length;
    return this.since;
  }

  // MARK: Keeping

  // Notes a command of the pen.
  note(command) {
    this.pending.push(command);
    this.since.push(command);
    this.isForgotten = false;
    this.commandTimer ??= setTimeout(() => this.flush(), commandPause);
  }

  // Stores the commands that were noted.
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
      // The record has the whole recording: it is stored only where it is another one than before.
      const { id, from, recording, isSent } = record;
      const { kept } = this;
      const isKept = kept?.id === id && kept.from === from && kept.recording === recording && kept.isSent === isSent;
      await addCommands(record, number, list, !isKept);
      this.kept = { id, from, recording, isSent };
    } catch {
      // No room: the recording in memory still goes to the server.
      this.isFull = true;
      // They are stored with the next ones, unless a recording has them or all are stored again.
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
    // Writing holds up the pen, so that large drawings are saved less often.
    this.saveTimer = setTimeout(() => this.save(), restPause + 10 * (this.writeTime ?? 0));
  }

  // Saves now: on the device, then at the server. Promises the state.
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

  // Makes the recording of what is on the page. False while a stroke is being drawn.
  write() {
    const start = performance.now();
    const recording = this.page.write();
    if (!recording) return false;
    this.mustWrite = false;
    this.writeTime = performance.now() - start;
    this.put(recording);
    this.since = [];
    this.record.from = this.number;
    // The recording holds them.
    this.pending = [];
    clearTimeout(this.commandTimer);
    this.commandTimer = undefined;
    return true;
  }

  // The commands are on this device; the next stroke tries again.
  async wait() {
    this.mustWrite = false;
    await this.flush();
    return this.tell(this.isFull ? 'deviceFull' : 'kept');
  }

  // Replaces the recording. What the server has is kept until it has this one, to tell what was erased on which side.
  put(recording) {
    const { record } = this;
    if (record.recording && record.known === this.sha256) record.base = record.recording;
    const sha256 = this.easel.hash(recording);
    // It is noted before it is sent, as the answer may be lost, also with this tab.
    const tried = [...record.tried.filter((one) => one !== sha256), sha256].slice(-maximumTries);
    const updatedAt = Math.max(this.now, record.updatedAt + 1000);
    Object.assign(record, { recording, sha256, tried, updatedAt, isSent: false });
  }

  // The hash of the recording, which older pages have not stored.
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

  // Sends the recording, and promises the state.
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
      // What failed here, as for want of memory, may succeed later.
      return this.stateAfter(problem instanceof Problem ? problem : new Problem(503, { detail: `${problem}` }));
    }
  }

  // Promises the state, or nothing if the drawing has to be sent once more.
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
    });
    switch (word) {
      case 'stored':
        await this.noteStored();
        return this.isCopy ? 'copied' : 'saved';
      // The server has thrown away what it had of a large file.
      case 'needs':
        return undefined;
      case 'conflict':
        return this.join(rest[0], clock);
      case 'ahead':
        if (!this.setBack(clock, rest[0]?.microseconds)) throw new Problem(422, { code: 'clock' });
        return undefined;
      // It was deleted elsewhere after this was drawn.
      case 'superseded':
        return this.becomeCopy();
      case 'failed':
        // Somebody else was a moment faster.
        if (rest[0] === 'changed') return undefined;
        throw new Problem(rest[0] === 'quota-exceeded' ? 402 : 503, { code: rest[0] });
      default:
        throw new Problem(422, { code: rest[0] });
    }
  }

  // The recordings that this one has replaced since both sides had the same. Null says that this is not known; an
  // empty list would say that the ink is unchanged.
  get ancestors() {
    const { known, tried } = this.record;
    const all = [...(known ? [known] : []), ...tried].filter((one) => one !== this.sha256);
    return all.length > 0 ? all : null;
  }

  get fields() {
    const { createdAt, zone, checkInId, isFromCheckIn, describedAt, updatedAt } = this.record;
    return {
      createdAt: new Moment(Math.round(createdAt * 1000)),
      timezoneOffsetMinutes: zone,
      checkinId: checkInId ?? undefined,
      isFromCheckIn: isFromCheckIn ?? Boolean(checkInId),
      deviceID: this.device,
      recordingSHA256: this.sha256,
      updatedAt: new Moment(updatedAt),
      describedAt: describedAt < updatedAt ? new Moment(describedAt) : undefined,
    };
  }

  async noteStored() {
    const { record } = this;
    // Something may have been drawn meanwhile, or a stroke is being drawn.
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

  // Sets times back that are too far ahead of the server's, by what this clock is ahead of it, but behind the version
  // that this one has replaced. Returns whether something was changed.
  setBack(clock, seen = -Infinity) {
    const { record } = this;
    const lead = Math.max(this.now - clock, 0);
    const isAhead = (moment) => moment > clock + day;
    const back = (moment) => (isAhead(moment) ? Math.min(moment - lead, clock) : moment);
    const { createdAt, updatedAt, describedAt } = record;
    if (![createdAt * 1000, updatedAt, describedAt].some(isAhead)) return false;
    Object.assign(record, { createdAt: back(createdAt * 1000) / 1000, describedAt: back(describedAt) });
    if (isAhead(updatedAt)) record.updatedAt = Math.max(back(updatedAt), seen + 1);
    if (lead > day) this.lead += lead;
    return true;
  }

  // MARK: Joining

  // Joins what the server has, of which it has said the hash, with what is here. The page goes on with both.
  async join(has, clock) {
    const { record } = this;
    const { updatedAt = clock } = await this.facts();
    // What comes after a version has a later time, also if this clock is slow and something was said about the drawing.
    record.updatedAt = Math.max(this.now, record.updatedAt + 1000, updatedAt + 1000);
    if (has !== this.sha256 && (has === record.known || record.tried.includes(has))) {
      // It was sent from here, so this one has all of it.
      const base = has === record.known ? record.base : null;
      Object.assign(record, { known: has, base, tried: record.tried.filter((one) => one !== has) });
      return undefined;
    }
    let theirs;
    try {
      theirs = await this.fetch();
    } catch (problem) {
      // It is being deleted: then it is sent again, and comes back or not.
      if (problem.status === 404) return undefined;
      throw problem;
    }
    // What was drawn since the recording was written becomes a part of it: taking something back must not reach the
    // strokes of others. What is drawn from here on waits until this is done.
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

  // Takes what was drawn elsewhere since then, if nothing waits here.
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

  // What was deleted elsewhere later, or cannot be joined, stays as it is there; what was drawn here becomes a
  // drawing of its own.
  async becomeCopy() {
    const before = this.id;
    const id = newID();
    // The copy is held as the drawing was, before anybody can find it.
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

  // Takes the drawing from this device. What the pen does later brings it back, with what it has done before.
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

// A record as this page has it. Older pages have stored the server's tag of a recording instead of hashes: what the
// server has is not known then, so that both are joined as if neither had replaced the other.
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
