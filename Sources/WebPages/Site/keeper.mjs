// Keeps one drawing: what the pen does goes to the device at once, and as a recording to the server when the hand rests.

import {
  addCommands, commands, drawingRecord, forgetDrawing, keepRecord, keepRecording,
} from './device.mjs';
import { isPassing, request } from './requests.mjs';

// How long the device waits for more commands, and the server for the hand to rest, in milliseconds.
const commandPause = 200;
const restPause = 1200;
const retryPause = 15_000;

export class Keeper {
  // `base` is the address that the paths of the service begin at; `changed` hears of a new state: 'saving', 'saved', or
  // why it is not saved.
  constructor({ uid, id, base, changed = () => {} }) {
    Object.assign(this, { uid, id, base, changed });
    this.pending = [];
    this.number = 0;
    // All commands since the recording was written.
    this.since = [];
  }

  get address() {
    return `${this.base}v1/users/${encodeURIComponent(this.uid)}/drawings/${encodeURIComponent(this.id)}`;
  }

  // MARK: Opening

  // The record of the drawing: from this device, from the server, or a new one. `mayBeNew` allows the last.
  async open({ mayBeNew, checkInId }) {
    this.record = await drawingRecord(this.id).catch(() => undefined);
    // What the server has may be newer, unless something waits here.
    if (this.record && !this.record.isSent) return this.record;
    try {
      const response = await request('GET', `${this.address}/recording.pkd`, { isRaw: true });
      this.record = {
        ...this.emptyRecord(), recording: new Uint8Array(await response.arrayBuffer()), tag: response.headers.get('etag'),
        isSent: true,
      };
    } catch (problem) {
      if (this.record && isPassing(problem)) return this.record;
      if (!mayBeNew || !(isPassing(problem) || problem.status === 404)) throw problem;
      this.record = { ...this.emptyRecord(), checkInId };
    }
    return this.record;
  }

  emptyRecord() {
    return {
      id: this.id, uid: this.uid, recording: null, tag: null, isSent: false, createdAt: Date.now(),
      zone: -new Date().getTimezoneOffset(), session: null,
    };
  }

  // The commands that this device has, of the page that was opened last.
  async commandsBefore() {
    this.since = await commands(this.id).catch(() => []);
    this.number = this.since.length;
    return this.since;
  }

  // MARK: Keeping

  // Notes a command of the pen.
  note(command) {
    this.pending.push(command);
    this.since.push(command);
    this.commandTimer ??= setTimeout(() => this.flush(), commandPause);
  }

  // Stores the commands that were noted.
  async flush() {
    clearTimeout(this.commandTimer);
    this.commandTimer = undefined;
    if (this.pending.length === 0 || this.isForgotten) return;
    const list = this.pending;
    this.pending = [];
    this.record.isSent = false;
    const number = this.number;
    this.number += list.length;
    try {
      await addCommands(this.record, number, list);
    } catch {
      // No room: the recording in memory still goes to the server.
      this.isFull = true;
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
      Object.assign(this.record, made, { isSent: false });
      // The recording holds them.
      this.pending = [];
      clearTimeout(this.commandTimer);
      this.commandTimer = undefined;
      this.number = 0;
      try {
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
    const query = new URLSearchParams({
      createdAt: new Date(record.createdAt).toISOString(), timezoneOffsetMinutes: record.zone,
    });
    if (record.checkInId) query.set('checkinId', record.checkInId);
    const digest = await tagOf(recording);
    if (digest) record.tried = [...record.tried ?? [], digest].slice(-20);
    try {
      const response = await request('PUT', `${this.address}/recording.pkd?${query}`, {
        body: recording, isRaw: true,
        fields: record.tag ? { 'If-Match': record.tag } : { 'If-None-Match': '*' },
      });
      record.tag = response.headers.get('etag');
    } catch (problem) {
      if (![404, 409, 412].includes(problem.status)) throw problem;
      // An answer may have been lost: then the server has what was sent from here.
      const there = mayAsk && await this.tagThere();
      if (!there || !(record.tried ?? []).includes(there)) throw Object.assign(problem, { code: 'conflict' });
      record.tag = there;
      if (there !== digest) return this.put(false);
    }
    record.tried = [];
    // Something may have been drawn meanwhile.
    if (record.recording === recording) record.isSent = this.pending.length === 0 && !this.write;
    record.picture = null;
    await keepRecord(record).catch(() => {});
    return undefined;
  }

  async tagThere() {
    try {
      return (await request('HEAD', `${this.address}/recording.pkd`, { isRaw: true })).headers.get('etag');
    } catch (problem) {
      if (isPassing(problem)) throw problem;
      return null;
    }
  }

  // What was changed or deleted elsewhere stays as it is there; what was drawn here becomes a drawing of its own.
  async sendAsCopy() {
    const before = this.id;
    this.id = newID();
    Object.assign(this.record, { id: this.id, tag: null, tried: [] });
    await keepRecord(this.record).then(() => forgetDrawing(before)).catch(() => {});
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

  // Takes the drawing from this device.
  async forget() {
    this.isForgotten = true;
    for (const timer of [this.commandTimer, this.saveTimer, this.retryTimer]) clearTimeout(timer);
    await forgetDrawing(this.id).catch(() => {});
  }
}

export const newID = () => `d-${[...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

// The tag that the server gives a recording; null where the browser computes no hashes.
async function tagOf(bytes) {
  if (!globalThis.crypto?.subtle) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `"${[...hash.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}
