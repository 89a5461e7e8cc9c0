// Keeps one drawing: what the pen does goes to the device at once, and as a recording to the server when the hand rests.

import {
  addCommands, commands, drawingRecord, forgetDrawing, holding, keepRecord, keepRecording, newID, renameDrawing,
} from './device.mjs';
import { hexadecimal, isPassing, Problem, request } from './requests.mjs';

// How long the device waits for more commands, and the server for the hand to rest, in milliseconds.
const commandPause = 200;
const restPause = 1200;
const retryPause = 15_000;
// How long an answer of the server is waited for; a recording also has the time of a slow connection, 10 kB a second.
const answerTime = 30_000;
const timeFor = (byteCount) => AbortSignal.timeout(answerTime + byteCount / 10);

export class Keeper {
  // `base` is the address that the paths of the service begin at; `changed` hears of a new state: 'saving', 'saved', or
  // why it is not saved.
  constructor({ uid, id, base, changed = () => {} }) {
    Object.assign(this, { uid, id, base, changed });
    this.pending = [];
    this.number = 0;
    // All commands since the recording was written. The record says which number the first of them has.
    this.since = [];
  }

  get address() {
    return `${this.base}v1/users/${encodeURIComponent(this.uid)}/drawings/${encodeURIComponent(this.id)}`;
  }

  // MARK: Opening

  // The record of the drawing: from this device, from the server, or a new one. `mayBeNew` allows the last.
  async open({ mayBeNew, checkInId }) {
    const record = await drawingRecord(this.id).catch(() => undefined);
    // What another user of this device has drawn stays his.
    if (record && record.uid !== this.uid) throw new Problem(404, { code: 'not-found' });
    this.record = record;
    // What the server has may be newer, unless something waits here.
    if (this.record && !this.record.isSent) return this.record;
    try {
      const signal = this.record && timeFor(this.record.recording.length);
      const response = await request('GET', `${this.address}/recording.pkd`, { isRaw: true, signal });
      const recording = new Uint8Array(await response.arrayBuffer().catch(() => { throw new Problem(0); }));
      const tag = response.headers.get('etag');
      this.record = { ...this.emptyRecord(), from: this.record?.from ?? 0, recording, tag, isSent: true };
    } catch (problem) {
      if (this.record && isPassing(problem)) return this.record;
      if (!mayBeNew || !(isPassing(problem) || problem.status === 404)) throw problem;
      this.record = { ...this.emptyRecord(), checkInId };
    }
    return this.record;
  }

  emptyRecord() {
    return {
      id: this.id, uid: this.uid, recording: null, from: 0, tag: null, isSent: false, createdAt: Date.now(),
      zone: -new Date().getTimezoneOffset(), session: null,
    };
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
    this.record.isSent = false;
    const number = this.number;
    this.number += list.length;
    try {
      // The record has the whole recording: it is stored only where it is another one than before.
      const { id, from, recording } = this.record;
      const isKept = this.kept?.id === id && this.kept.from === from && this.kept.recording === recording;
      await addCommands(this.record, number, list, !isKept);
      this.kept = { id, from, recording };
    } catch {
      // No room: the recording in memory still goes to the server.
      this.isFull = true;
      // They are stored with the next ones, unless a recording has them or all are stored again.
      if (number < this.record.from || this.number !== number + list.length) return;
      this.pending.unshift(...list);
      this.number = number;
    }
  }

  // Saves when the hand has rested for a moment. `write` makes the recording, or null while the pen is down.
  saveSoon(write) {
    this.write = write;
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
    let made;
    const start = performance.now();
    try {
      made = this.write?.();
    } catch {
      // The commands are on this device; the next stroke tries again.
      this.write = undefined;
      await this.flush();
      return this.tell(this.isFull ? 'deviceFull' : 'kept');
    }
    if (made) {
      this.write = undefined;
      this.writeTime = performance.now() - start;
      this.since = [];
      Object.assign(this.record, made, { isSent: false, from: this.number });
      // The recording holds them.
      this.pending = [];
      clearTimeout(this.commandTimer);
      this.commandTimer = undefined;
      try {
        await this.expectTag();
        await keepRecording(this.record);
        this.isFull = false;
      } catch {
        this.isFull = true;
      }
    } else if (made === null) {
      this.saveTimer = setTimeout(() => this.save(), restPause);
      return this.state;
    }
    if (this.record.isSent || !this.record.recording) return this.tell('saved');
    return this.tell(await this.send());
  }

  tell(state) {
    this.state = state;
    if (!this.write) this.changed(state);
    return state;
  }

  // MARK: Sending

  // Sends the recording, and promises the state.
  async send() {
    clearTimeout(this.retryTimer);
    try {
      await this.put();
    } catch (problem) {
      if (problem.code === 'conflict') return this.sendAsCopy();
      return this.stateAfter(problem);
    }
    return 'saved';
  }

  async put(mayAsk = true) {
    const { record } = this;
    const { recording } = record;
    const query = new URLSearchParams({ timezoneOffsetMinutes: record.zone });
    if (!record.isTimeWrong) query.set('createdAt', new Date(record.createdAt).toISOString());
    if (record.checkInId) query.set('checkinId', record.checkInId);
    const digest = await this.expectTag();
    try {
      const response = await request('PUT', `${this.address}/recording.pkd?${query}`, {
        body: recording, isRaw: true, signal: timeFor(recording.length),
        fields: record.tag ? { 'If-Match': record.tag } : { 'If-None-Match': '*' },
      });
      record.tag = response.headers.get('etag');
    } catch (problem) {
      // The clock of this device is ahead: the server's time is as good.
      if (problem.field === 'createdAt' && !record.isTimeWrong) {
        record.isTimeWrong = true;
        return this.put(mayAsk);
      }
      if (![404, 409, 412].includes(problem.status)) throw problem;
      // An answer may have been lost: then the server has what was sent from here.
      const there = mayAsk && await this.tagThere();
      if (!there || !(record.tried ?? []).includes(there)) throw Object.assign(problem, { code: 'conflict' });
      record.tag = there;
      if (there !== digest) return this.put(false);
    }
    record.tried = [];
    // Something may have been drawn meanwhile, or a stroke is being drawn.
    if (record.recording === recording) record.isSent = this.since.length === 0;
    record.picture = null;
    this.kept = undefined;
    await keepRecord(record).catch(() => {});
    return undefined;
  }

  // Notes the tag that the server gives the recording before it is sent, as the answer may be lost, also with this tab.
  async expectTag() {
    const { record } = this;
    const digest = await tagOf(record.recording);
    if (digest) record.tried = [...(record.tried ?? []).filter((tag) => tag !== digest), digest].slice(-20);
    return digest;
  }

  async tagThere() {
    try {
      const answer = await request('HEAD', `${this.address}/recording.pkd`, { isRaw: true, signal: timeFor(0) });
      return answer.headers.get('etag');
    } catch (problem) {
      if (isPassing(problem)) throw problem;
      return null;
    }
  }

  // What was changed or deleted elsewhere stays as it is there; what was drawn here becomes a drawing of its own.
  async sendAsCopy() {
    const before = this.id;
    const id = newID();
    // The copy is held as the drawing was, before anybody can find it.
    await new Promise((resolve) => {
      holding(id, () => {
        resolve();
        return new Promise((end) => { this.release = end; });
      });
    });
    this.id = id;
    Object.assign(this.record, { id, tag: null });
    await renameDrawing(before, this.record).catch(() => {});
    try {
      await this.put();
    } catch (problem) {
      return this.stateAfter(problem);
    }
    return 'copied';
  }

  stateAfter(problem) {
    if (!isPassing(problem) && problem.status !== 413) return 'refused';
    if (problem.status !== 413) this.retryTimer = setTimeout(() => this.save(), retryPause);
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

// The tag that the server gives a recording; null where the browser computes no hashes.
async function tagOf(bytes) {
  if (!globalThis.crypto?.subtle) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `"${hexadecimal(hash.subarray(0, 16))}"`;
}
