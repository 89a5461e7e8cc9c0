// A drawing on which others draw at the same time. While nobody else is there, the page saves whole
// recordings, as always. When somebody comes, it enters the room:
//
//   watching ── others are there ──▶ entering ──▶ in
//       ▲                               │         │ the order is lost, or the room refuses
//       └───────────────────────────────┴─────────┘
//
// A spectator enters at once, and does nothing.
//
// In the room each finished command is an entry. The server puts the entries of all pages into one
// order and keeps them; the engine shows own entries behind it until they have their place.

import { inks } from './engine.mjs';
import { hexadecimal, isAway, Problem, request } from './requests.mjs';
import { RoomDocument } from './room-document.mjs';
import { sections, Writer } from './room-message.mjs';
import { timeFor } from './sync.mjs';

// The least time between two messages in milliseconds, alone with a few and among many, and between
// those that only tell where the pointer is.
const [quick, calm, few, pointing] = [20, 40, 4, 80];
// The pauses before a lost connection, and a refused room, are tried again.
const [retryPause, refusedPause] = [1_000, 30_000];
// The pause without an answer after which the page says that it is not connected.
const lostPause = 4_000;
// The pause before a page believes that somebody is there who does nothing: the server may not know yet
// that a page was closed.
const trustPause = 500;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Room {
  state = 'closed';
  // The pages of others by their tags: { person, presence }.
  members = new Map();
  people = [];
  // Own entries without a place in the order: { number, count, file }.
  waiting = [];
  #source;
  #document;
  #person = 0;
  // The numbers of the next entry of the room, of the page's last entry, and of the last that the
  // server has.
  #next = 0;
  #last = 0;
  #stored = 0;
  // The sections that came while the page could not take them.
  #held = [];
  // The stroke that is being drawn: { begin, samples, sent }.
  #ink;
  #drops = [];
  #presence;
  #isPresenceNew = false;
  #isSending = false;
  #lastSent = 0;

  // `host` has the canvas, and:
  // - `canEnter()`, whether everything is saved and no gesture is unfinished;
  // - `save()`, which saves what is not;
  // - `take(recording, sha256)`, which opens the room's recording if it is another one;
  // - `left()`, called when the room can no longer be used, with entries that may be lost;
  // - `changed()`, called when `word`, `members` or `people` have changed.
  constructor(address, host, { isSpectator = false } = {}) {
    Object.assign(this, { address, host, isSpectator });
    this.page = isSpectator ? null : hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
  }

  get isIn() {
    return this.state === 'in';
  }
  get tag() {
    return this.page?.slice(0, 16);
  }
  get hasCompany() {
    return this.members.size > 0;
  }

  // Whether everything is in the room, as the page tells it.
  get word() {
    if (this.waiting.length === 0) return 'saved';
    return Date.now() - this.#waitingSince > lostPause ? 'kept' : 'saving';
  }
  #waitingSince = 0;

  // MARK: The stream

  // Watches who comes.
  watch() {
    if (this.state !== 'closed') return;
    this.state = 'watching';
    if (this.isSpectator) this.#enter();
    else this.#open();
  }

  #open(after, origin) {
    this.#source?.close();
    clearTimeout(this.#retry);
    const query = new URLSearchParams({
      ...(this.page ? { page: this.page } : {}),
      ...(after === undefined ? {} : { after, origin }),
    });
    const source = this.#source = new EventSource(`${this.address}?${query}`);
    const on = (name, action) => source.addEventListener(name, ({ data }) => source === this.#source && action(data));
    on('room', (data) => this.#greeted(JSON.parse(data)));
    on('people', (data) => {
      this.people = JSON.parse(data).people;
      this.host.changed();
    });
    on('frame', (data) => this.#hear(sections(data)));
    on('reset', () => this.#leave());
    on('gone', () => this.#leave(refusedPause));
    source.addEventListener('error', () => {
      // A lost connection is opened again by the browser, from the last frame on.
      if (source !== this.#source || source.readyState !== EventSource.CLOSED) return;
      this.#leave(refusedPause);
    });
  }
  #retry;

  #greeted({ person, last }) {
    this.members.clear();
    this.#person = person ?? 0;
    this.#welcome?.({ last: last ?? 0 });
    this.host.changed();
  }
  #welcome;

  // The document was opened again.
  fail() {
    this.#leave();
  }

  close() {
    this.state = 'closed';
    for (const timer of [this.#retry, this.#telling]) clearTimeout(timer);
    this.#source?.close();
    this.#source = undefined;
  }

  // Returns to watching, after a pause. Entries that the server may not have are saved with the whole
  // recording.
  #leave(rest = retryPause) {
    const wasIn = this.isIn;
    this.close();
    this.#document = undefined;
    this.members.clear();
    Object.assign(this, { waiting: [], state: 'closed' });
    this.#held = [];
    if (wasIn) this.host.left();
    this.host.changed();
    this.#retry = setTimeout(() => this.watch(), rest);
  }

  // MARK: Entering

  async #enter() {
    if (this.state !== 'watching') return;
    this.state = 'entering';
    try {
      while (this.state === 'entering' && !await this.#tryToEnter()) await pause(50);
    } catch (error) {
      // Watching goes on; the next sign of somebody else tries again.
      if (this.state === 'entering') this.#leave(isAway(error) ? retryPause : refusedPause);
    }
  }

  // Returns whether the page has entered. Something may be drawn meanwhile.
  async #tryToEnter() {
    if (!this.host.canEnter()) {
      await this.host.save();
      return false;
    }
    const response = await request('GET', `${this.address}/recording`, {
      isRaw: true,
      cache: 'no-store',
      signal: timeFor(0),
    });
    const recording = new Uint8Array(await response.arrayBuffer());
    this.#next = Number(response.headers.get('x-room-next'));
    this.#held = [];
    const { last } = await new Promise((resolve, reject) => {
      this.#welcome = resolve;
      this.#open(this.#next, response.headers.get('x-room-origin'));
      setTimeout(() => reject(new Problem(0)), lostPause);
    });
    if (!this.host.canEnter() || this.state !== 'entering') return false;
    this.host.take(recording);
    this.#document = new RoomDocument(this.host.canvas.easel.document);
    this.#document.join(this.#person);
    this.#last = this.#stored = last;
    this.state = 'in';
    for (const section of this.#held.splice(0)) this.#take(section);
    this.host.changed();
    return true;
  }

  // MARK: What others do

  #hear(list) {
    for (const section of list) {
      if (section.kind === 'entry' || this.#held.length > 0) this.#held.push(section);
      else this.#take(section);
    }
    // Others are there, or were while this page was not looking.
    if (this.state === 'watching') {
      const isActive = list.some(({ kind, tag }) => tag !== this.tag && !['came', 'gone'].includes(kind));
      if (isActive) this.#enter();
      else setTimeout(() => this.hasCompany && this.#enter(), trustPause);
    }
    this.settle();
  }

  // Takes what came while a gesture was unfinished.
  settle() {
    if (!this.isIn) return;
    const before = this.waiting.length;
    let isChanged = false;
    while (this.#held.length > 0) {
      if (!this.#take(this.#held[0])) break;
      isChanged ||= this.#held[0].kind === 'entry';
      this.#held.shift();
    }
    // The engine may have erased again what others had changed.
    this.#wrap();
    this.#pump();
    this.host.canvas.showOthers(isChanged);
    if (before !== this.waiting.length) this.host.changed();
  }

  // Returns false if a section has to wait for the end of a gesture.
  #take(section) {
    const { kind, tag } = section;
    if (kind === 'entry') return this.#takeEntry(section);
    if (tag === this.tag) return true;
    if (kind === 'came') this.members.set(tag, { person: section.person });
    const member = this.members.get(tag);
    if (kind === 'gone') {
      this.#hide(member);
      this.members.delete(tag);
    }
    if (!member) return true;
    if (kind === 'presence') member.presence = section.presence;
    if (this.isIn) this.#show(kind, section, member);
    if (['came', 'gone', 'presence'].includes(kind)) this.host.changed();
    return true;
  }

  // Shows the stroke that a member is drawing. A member's page may send anything.
  #show(kind, section, member) {
    try {
      if (kind === 'begin') {
        this.#hide(member);
        member.name = section.name;
        this.#document.show(section.name, { ...section, ink: inks[section.ink] });
      } else if (kind === 'more' && String(member.name) === String(section.name)) {
        this.#document.draw(section.name, section.samples, section.first);
        member.presence = { ...member.presence, at: [...section.samples.slice(-6, -4)] };
      } else if (kind === 'drop') this.#hide(member);
    } catch (error) {
      if (error.code === 'stopped') throw error;
    }
  }

  #hide(member) {
    if (member?.name && this.isIn) this.#document.hide(member.name);
    if (member) member.name = undefined;
  }

  #takeEntry({ number, tag, person, pageNumber, time, file }) {
    if (!this.isIn) return true;
    if (number < this.#next) return true;
    // An entry is missing: the page has to begin again.
    if (number > this.#next) throw this.#lost();
    const [first] = this.waiting;
    const isOwn = tag === this.tag && first?.number === pageNumber;
    const isTaken = isOwn
      ? this.#document.confirm(first.count, time / 1000)
      : this.#document.receive(file, person, time / 1000);
    if (!isTaken) return false;
    this.#next = number + 1;
    if (isOwn) {
      this.waiting.shift();
      this.#stored = Math.max(this.#stored, pageNumber);
      if (this.waiting.length > 0) this.#waitsAgain();
    }
    return true;
  }

  // Begins to wait for the next entry's place; after a while the page tells that it does.
  #waitsAgain() {
    this.#waitingSince = Date.now();
    clearTimeout(this.#telling);
    this.#telling = setTimeout(() => this.host.changed(), lostPause + 100);
  }
  #telling;

  #lost() {
    this.#leave();
    return new Problem(0, { code: 'order' });
  }

  // MARK: What this page does

  // Notes a command that the canvas has carried out.
  note([name, ...values], canvas) {
    if (!this.isIn) return;
    if (name === 'begin') {
      const [ink, color, width, time, tolerance] = values;
      const begin = { ink: inks.indexOf(ink), color, width, time, tolerance: tolerance ?? 0.1 };
      this.#ink = { ...begin, name: this.#document.openName, samples: [], sent: 0, isBegun: false };
    } else if (name === 'draw' && this.#ink) {
      for (const one of values[0]) this.#ink.samples.push(one);
    } else if (name === 'redraw' && this.#ink) {
      this.#drop();
      this.#ink = {
        ...this.#ink,
        name: this.#document.openName,
        samples: [...values[0]],
        sent: 0,
        isBegun: false,
      };
    } else if (name === 'cancel') {
      this.#drop();
      this.#ink = undefined;
    }
    if (['end', 'tidy'].includes(name)) this.#ink = undefined;
    this.#wrap(name);
    if (!canvas.isDown) this.settle();
    this.#pump();
  }

  #drop() {
    if (this.#ink?.isBegun) this.#drops.push(this.#ink.name);
  }

  // Makes an entry of new events, or of another paper or size.
  #wrap(name) {
    const counted = this.waiting.reduce((sum, { count }) => sum + count, 0);
    const count = this.#document.waitingCount - counted;
    if (count === 0 && !['paper', 'size'].includes(name)) return;
    if (this.waiting.length === 0) this.#waitsAgain();
    const file = this.#document.write(count === 0 ? 0 : counted, count);
    this.waiting.push({ number: ++this.#last, count, file });
    this.host.changed();
  }

  // Where this page's pointer is, and what it shows.
  point(presence) {
    this.#presence = presence;
    this.#isPresenceNew = true;
    this.#pump();
  }

  get #hasNews() {
    const { samples = [], sent = 0 } = this.#ink ?? {};
    return samples.length > 6 * sent || this.#drops.length > 0 || this.#isPresenceNew || this.#unsent.length > 0;
  }
  get #unsent() {
    return this.waiting.filter(({ number }) => number > this.#stored);
  }

  async #pump() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.isIn && this.#hasNews) {
        const onlyPoints = !this.#ink && this.#drops.length === 0 && this.#unsent.length === 0;
        const least = onlyPoints ? pointing : this.members.size > few ? calm : quick;
        const rest = this.#lastSent + least - performance.now();
        if (rest > 0) await pause(rest);
        if (this.isIn) await this.#sendOnce();
      }
    } finally {
      this.#isSending = false;
    }
  }

  async #sendOnce() {
    this.#lastSent = performance.now();
    const message = new Writer();
    const ink = this.#ink;
    const drops = this.#drops.splice(0);
    for (const name of drops) message.drop(name);
    if (this.#isPresenceNew && this.#presence) message.presence(this.#presence);
    this.#isPresenceNew = false;
    const from = ink?.sent ?? 0;
    const until = Math.min((ink?.samples.length ?? 0) / 6, from + 1024);
    if (ink && until > from) {
      if (!ink.isBegun) message.begin(ink);
      message.more(ink.name, ink.samples.slice(6 * from, 6 * until), from);
      Object.assign(ink, { isBegun: true, sent: until });
    }
    for (const { number, file } of this.#unsent.slice(0, 64)) message.entry(number, file);
    const body = new Uint8Array(message.bytes);
    try {
      const answer = await request('POST', `${this.address}?page=${this.page}`, {
        body,
        signal: timeFor(body.length),
      });
      if (answer?.last !== undefined) this.#stored = Math.max(this.#stored, answer.last);
    } catch (problem) {
      // What was sent may be there or not: it is sent again, and left out where it is known.
      this.#drops.unshift(...drops);
      if (ink) Object.assign(ink, { sent: from, isBegun: ink.isBegun && from > 0 });
      this.host.changed();
      if (problem.status === 409 || !isAway(problem)) return this.#leave(refusedPause);
      await pause(retryPause);
    }
    return undefined;
  }

  // Waits until the server has all entries. Returns a promise of the word.
  async flush() {
    const end = Date.now() + lostPause;
    this.#pump();
    while (this.isIn && this.#unsent.length > 0 && Date.now() < end) await pause(20);
    return this.isIn && this.#unsent.length === 0 ? 'saved' : 'kept';
  }
}
