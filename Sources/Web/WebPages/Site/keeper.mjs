// Stores one drawing: commands of the pen are stored on the device at once, and sent to the server
// as a recording when the hand rests. Changes from elsewhere are merged.
//
//   any state ── a finished command ──▶ drawn ◀──▶ stuck
//                                         │
//                                         ▼
//                 saved ◀── sending ◀── written
//                            │   ▲
//                            ▼   │
//                           waiting
//
// - drawn: commands have changed the drawing since its recording was written;
// - stuck: the same, but the engine could not write it; the next command or `save` tries again;
// - written: the recording contains them, and the server does not have it;
// - sending: it is being sent, or merged with the server's recording;
// - waiting: it could not be sent, for `reason`;
// - saved: the server has the recording, or nothing was drawn;
// - forgotten: the device has no record of the drawing.
//
// A drawing that is drawn on while it is sent stays `drawn`, whatever the answer is.

import { CommandLog } from './command-log.mjs';
import * as device from './device.mjs';
import { holding, newID, newRecord, recordID } from './device.mjs';
import { Lineage } from './lineage.mjs';
import { isPassing, Problem, request } from './requests.mjs';
import { moment, momentText, sendDrawing, timeFor } from './sync.mjs';

// The resting time before a recording is sent, and the delay before it is sent again, in
// milliseconds.
const restPause = 1200;
const retryPause = 15_000;
// The delay before a refused recording is sent again: something between here and the server may
// have refused it.
const refusedPause = 300_000;
// The interval at which the end of a stroke is checked.
const strokePause = 50;
// The maximum number of attempts to send a recording while others draw.
const maximumRounds = 8;
// Times are microseconds. The server refuses times more than a day ahead.
const day = 86_400e6;

// The storage of a page whose drawing another tab keeps on the device.
const nowhere = {
  addCommands: async () => {},
  commands: async () => [],
  drawingRecord: async () => undefined,
  forgetDrawing: async () => {},
  keepRecord: async () => {},
  keepRecording: async () => {},
  renameDrawing: async () => {},
};

// The new state after each event. In other states than those of `from`, it changes nothing.
const transitions = {
  draw: { to: 'drawn' },
  stick: { from: ['drawn', 'stuck'], to: 'stuck' },
  write: { from: ['drawn', 'stuck', 'sending'], to: 'written' },
  send: { from: ['written', 'waiting'], to: 'sending' },
  store: { from: ['sending'], to: 'saved' },
  fail: { from: ['sending'], to: 'waiting' },
  forget: { to: 'forgotten' },
};

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Keeper {
  state = 'saved';
  // The reason why the drawing is not saved: 'kept', 'visitor', 'deviceFull', 'signedOut', 'noRoom',
  // 'notShared', 'tooLarge' or 'refused'.
  reason;
  // Whether the drawing is a copy of one that was deleted or damaged elsewhere.
  isCopy = false;
  // Whether the device's storage was full when the recording was last stored.
  isFull = false;
  // The difference by which this device's clock is ahead of the server's, if it is too large.
  lead = 0;
  // The record as the device has it, if it is certain.
  kept;
  // The time in milliseconds that writing the recording has last taken.
  writeTime = 0;
  saving = Promise.resolve();

  // `uid` is null for a visitor, whose drawings stay on this device. `owner` is the user whose drawing it
  // is; `uid` unless given. `base` is the URL before the paths of the service. `easel`, or a promise of it,
  // hashes and
  // merges files. `changed` is called with a new state: 'saving', 'saved', 'copied', or the reason
  // why it is not saved. `page` is the page under the pen: `write` returns its recording, or null
  // while the pen is down; `remade` is called when the record has a new recording.
  // `store` has the functions of the device's storage; null keeps nothing there.
  constructor({ uid, id, owner = uid, base, easel, device: name, page, changed = () => {}, store = device }) {
    Object.assign(this, { uid, id, owner, base, easel, device: name, page, changed, store: store ?? nowhere });
    this.log = new CommandLog((list, number) => this.storeCommands(list, number));
  }

  get user() {
    return `${this.base}v1/users/${encodeURIComponent(this.owner)}`;
  }
  get own() {
    return `${this.base}v1/users/${encodeURIComponent(this.uid)}`;
  }
  // The id of the record on this device.
  get key() {
    return recordID(this.uid, this.owner, this.id);
  }
  get address() {
    return `${this.user}/drawings/${encodeURIComponent(this.id)}`;
  }
  get now() {
    return Date.now() * 1000 - this.lead;
  }

  // The state as one word for the page.
  get word() {
    if (this.state === 'saved') return this.isCopy ? 'copied' : 'saved';
    return ['stuck', 'waiting'].includes(this.state) ? this.reason : 'saving';
  }

  move(event, reason) {
    const { from, to } = transitions[event];
    if (from && !from.includes(this.state)) return;
    Object.assign(this, { state: to, reason });
    if (['drawn', 'stuck', 'waiting', 'saved'].includes(to)) this.changed(this.word);
  }

  // MARK: Opening

  // The record of the drawing: from this device, from the server, or a new one. `mayBeNew` allows
  // the last.
  async open({ mayBeNew, checkInId }) {
    const record = await this.store.drawingRecord(this.key).catch(() => undefined);
    // Another user's drawing on this device stays private.
    if (record && record.uid !== this.uid) throw new Problem(404, { code: 'not-found' });
    // The server's version may be newer, unless this device has unsent changes.
    if (record && !record.isSent) return this.take(record);
    if (this.uid === null) {
      if (!mayBeNew) throw new Problem(404, { code: 'not-found' });
      return this.take(newRecord(null, this.id));
    }
    try {
      const [{ recording, sha256 }, facts] = await Promise.all([this.fetch(record), this.facts()]);
      return this.take({
        ...newRecord(this.uid, this.id, this.owner),
        from: record?.from ?? 0,
        recording,
        sha256,
        known: sha256,
        isSent: true,
        // The server's description of the drawing is used.
        describedAt: 0,
        ...facts,
      });
    } catch (problem) {
      if (record && isPassing(problem)) return this.take(record);
      if (!mayBeNew || !(isPassing(problem) || problem.status === 404)) throw problem;
      return this.take({ ...newRecord(this.uid, this.id, this.owner), checkInId });
    }
  }

  // The server's recording.
  async fetch(record = this.record, fields = {}) {
    const signal = record && timeFor(record.recording?.length ?? 0);
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

  // Continues with a record and the stored commands of the previously opened page.
  async take(record) {
    this.record = upgraded(record);
    this.lineage = new Lineage(this.record);
    this.log.open(await this.store.commands(this.record.id, this.record.from).catch(() => []), this.record.from);
    const isWaiting = this.record.recording && !this.record.isSent;
    this.state = this.log.hasChanges ? 'drawn' : isWaiting ? 'written' : 'saved';
    return this.record;
  }

  // Saves the changes of the previously opened page.
  resume() {
    if (this.state === 'drawn') this.saveSoon();
    else if (this.state === 'written') this.save();
  }

  // MARK: Keeping

  async storeCommands(list, number) {
    const { record } = this;
    record.isSent = this.isSent;
    // The record contains the whole recording, so it is stored only if it has changed.
    const isOther = ['id', 'from', 'recording', 'isSent'].some((name) => this.kept?.[name] !== record[name]);
    const kept = { ...record };
    try {
      await this.store.addCommands(record, number, list, isOther);
      this.kept = kept;
    } catch (error) {
      // The recording in memory is still sent to the server.
      this.isFull = true;
      throw error;
    }
  }

  // Whether the server has everything, as a recording or in a room, including an unfinished stroke.
  get isSent() {
    const { recording, sha256, inRoom } = this.record;
    const isThere = this.lineage.isAt(sha256) || (sha256 !== null && inRoom === sha256);
    return recording !== null && isThere && !this.log.hasChanges;
  }

  // Saves when the hand has rested for a moment after a finished command.
  saveSoon() {
    this.move('draw');
    clearTimeout(this.saveTimer);
    // Writing blocks the pen, so large drawings are saved less often.
    this.saveTimer = setTimeout(() => this.save(), restPause + 10 * this.writeTime);
  }

  // Saves now: on the device, then at the server. Returns a promise of the state's word.
  save() {
    clearTimeout(this.saveTimer);
    this.saving = this.saving.then(() => this.saveOnce());
    return this.saving;
  }

  async saveOnce() {
    if (['drawn', 'stuck'].includes(this.state)) await this.writeAndKeep();
    if (['written', 'waiting'].includes(this.state)) await this.send();
    else if (this.state === 'saved') this.changed(this.word);
    return this.word;
  }

  async writeAndKeep() {
    try {
      if (this.write()) await this.keep();
      else this.saveTimer = setTimeout(() => this.save(), restPause);
    } catch {
      await this.log.flush();
      this.move('stick', this.isFull ? 'deviceFull' : 'kept');
    }
  }

  // Writes the recording of the page. False while a stroke is being drawn.
  write() {
    const start = performance.now();
    const recording = this.page.write();
    if (!recording) return false;
    this.writeTime = performance.now() - start;
    this.put(recording);
    this.clearLog();
    this.move('write');
    return true;
  }

  // Notes that the recording contains all commands.
  clearLog() {
    this.log.clear();
    Object.assign(this.record, { from: this.log.from, run: this.easel.run });
  }

  // Replaces the recording.
  put(recording) {
    const { record } = this;
    const sha256 = this.easel.hash(recording);
    this.lineage.replace(sha256);
    const updatedAt = Math.max(this.now, record.updatedAt + 1000);
    Object.assign(record, { recording, sha256, updatedAt, run: undefined, isSent: false });
  }

  // Continues with the recording of a room, if it is another one.
  adopt(recording) {
    const { record } = this;
    const sha256 = this.easel.hash(recording);
    if (sha256 !== record.sha256) {
      Object.assign(record, { recording, sha256, run: undefined });
      this.lineage.store(sha256);
      this.page.remade();
    }
    this.easel.write();
    this.clearLog();
  }

  // Keeps on the device what the room has. The server's recording stays the base of a later merge.
  async keepRoom() {
    if (!this.log.hasChanges) return;
    const recording = this.page.write();
    if (!recording) return;
    const { record } = this;
    const sha256 = this.easel.hash(recording);
    if (record.known === record.sha256) record.base = record.recording;
    Object.assign(record, { recording, sha256, inRoom: sha256, isSent: true });
    this.clearLog();
    await this.keep();
  }

  // The hash of the recording; older pages have not stored it.
  get sha256() {
    this.record.sha256 ??= this.easel.hash(this.record.recording);
    return this.record.sha256;
  }

  async keep() {
    try {
      await this.store.keepRecording(this.record);
      this.isFull = false;
    } catch {
      this.isFull = true;
    }
  }

  // MARK: Sending

  async send() {
    clearTimeout(this.retryTimer);
    this.move('send');
    if (this.uid === null) return this.move('fail', this.isFull ? 'deviceFull' : 'visitor');
    try {
      this.easel = await this.easel;
      for (let round = 0; round < maximumRounds; round++) if (await this.sendOnce()) return undefined;
      throw new Problem(503, { code: 'busy' });
    } catch (problem) {
      // A local failure, such as a lack of memory, may be temporary.
      this.fail(problem instanceof Problem ? problem : new Problem(503, { detail: `${problem}` }));
    }
    return undefined;
  }

  // Sends the recording. Returns a promise of whether it is stored; otherwise it must be sent again.
  async sendOnce() {
    const { record, lineage, sha256 } = this;
    if (!record.tried.includes(sha256)) {
      lineage.attempt(sha256);
      await this.store.keepRecord(record).catch(() => {});
    }
    const { clock, result: [word, detail] } = await sendDrawing(this.user, this.id, {
      fields: this.fields,
      ancestors: lineage.ancestors(sha256),
      sha256,
      recording: record.recording,
      base: lineage.base,
    }, this.own);
    switch (word) {
      case 'stored':
        return this.noteStored();
      // The server has deleted its part of a large file.
      case 'needs':
        return false;
      case 'conflict':
        return this.join(detail, clock);
      case 'ahead':
        if (!this.setBack(clock, moment(detail))) throw new Problem(422, { code: 'clock' });
        return false;
      // The drawing was deleted elsewhere after this version was drawn.
      case 'superseded':
        return this.becomeCopy();
      case 'failed':
        // Another client has stored its version first.
        if (detail === 'changed') return false;
        throw new Problem(detail === 'quota-exceeded' ? 402 : 503, { code: detail });
      default:
        throw new Problem(detail === 'not-allowed' ? 403 : 422, { code: detail });
    }
  }

  get fields() {
    const { createdAt, zone, checkInId, isFromCheckIn, title, describedAt, updatedAt } = this.record;
    return {
      createdAt: momentText(createdAt * 1000),
      timezoneOffsetMinutes: zone,
      title,
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
    this.lineage.store(this.sha256);
    // New commands may have been added meanwhile, or a stroke is unfinished.
    Object.assign(record, { picture: null, isSent: this.isSent });
    this.kept = undefined;
    await this.store.keepRecord(record).catch(() => {});
    this.move('store');
    return true;
  }

  fail(problem) {
    const isFinal = !isPassing(problem);
    this.retryTimer = setTimeout(() => this.save(), isFinal ? refusedPause : retryPause);
    // The owner has ended the membership, or lets this user only look.
    if (problem.status === 403 && this.owner !== this.uid) this.move('fail', 'notShared');
    else if (isFinal && problem.status !== 413) this.move('fail', 'refused');
    else if (this.isFull) this.move('fail', 'deviceFull');
    else this.move('fail', { 401: 'signedOut', 402: 'noRoom', 413: 'tooLarge' }[problem.status] ?? 'kept');
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
  // result. Returns like `sendOnce`.
  async join(has, clock) {
    const { record, lineage } = this;
    const { updatedAt = clock } = await this.facts();
    // A successor gets a later time, even if this clock is slow and the drawing's description has
    // changed.
    record.updatedAt = Math.max(this.now, record.updatedAt + 1000, updatedAt + 1000);
    if (has !== this.sha256 && lineage.wasSentFromHere(has)) {
      // This recording contains all of it.
      lineage.find(has);
      return false;
    }
    let theirs;
    try {
      theirs = await this.fetch();
    } catch (problem) {
      // The drawing is being deleted: it is sent again, and the server decides whether it returns.
      if (problem.status === 404) return false;
      throw problem;
    }
    const engine = await this.easel.whole();
    await this.writeRest();
    let merged;
    try {
      merged = engine.merge(record.base, record.recording, theirs.recording);
    } catch {
      await this.keep();
      return this.becomeCopy();
    }
    const isOurs = this.sha256 === this.easel.hash(merged);
    lineage.join(theirs);
    if (!isOurs) this.put(merged);
    if (!isOurs) this.page?.remade();
    await this.keep();
    return this.sha256 === theirs.sha256 && this.noteStored();
  }

  // Writes the commands since the last recording, before a merge: undo must not reach the strokes
  // of others. Later commands wait until the merge is done.
  async writeRest() {
    if (this.log.since.length === 0 || !this.page) return;
    while (!this.write()) await pause(strokePause);
    this.move('send');
  }

  // Fetches later changes from elsewhere, if nothing waits here.
  refresh() {
    this.saving = this.saving.then(() => this.refreshOnce()).catch(({ status }) => {
      if (status === 403 && this.owner !== this.uid) this.changed('notShared');
    });
    return this.saving;
  }

  async refreshOnce() {
    const { record, lineage } = this;
    if (this.state !== 'saved' || !this.isSent) return;
    const theirs = await this.fetch(record, { 'If-None-Match': `"${record.known.slice(0, 32)}"` });
    if (!this.isSent || theirs.sha256 === record.known) return;
    Object.assign(record, theirs);
    lineage.store(theirs.sha256);
    this.page?.remade();
    await this.keep();
  }

  // If the drawing was deleted elsewhere later, or cannot be merged, the server's version stays
  // unchanged, and the local version becomes a separate drawing.
  async becomeCopy() {
    const before = this.key;
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
    // The copy of another user's drawing is this user's.
    Object.assign(this, { id, owner: this.uid, isCopy: true });
    const ofOther = { owner: undefined, drawing: undefined };
    Object.assign(this.record, { ...Lineage.empty, ...ofOther, id, describedAt: this.record.createdAt * 1000 });
    await this.store.renameDrawing(before, this.record).catch(() => {});
    return false;
  }

  // Deletes the drawing from this device. Later commands of the pen restore it, with the earlier
  // commands.
  async forget() {
    this.move('forget');
    this.kept = undefined;
    this.log.forget();
    for (const timer of [this.saveTimer, this.retryTimer]) clearTimeout(timer);
    await this.store.forgetDrawing(this.key).catch(() => {});
  }
}

// Converts a record to this version. Older pages have stored the server's tag of a recording
// instead of hashes: the server's version is then unknown, so both are merged as if neither had
// replaced the other.
function upgraded({ tag, isTimeWrong, session, ...record }) {
  if (session && !record.recording) record.run = session;
  if (tag === undefined) return record;
  const updatedAt = Date.now() * 1000;
  return {
    ...record,
    ...Lineage.empty,
    sha256: null,
    updatedAt,
    createdAt: isTimeWrong ? Date.now() : record.createdAt,
    describedAt: tag ? 0 : record.createdAt * 1000,
  };
}
