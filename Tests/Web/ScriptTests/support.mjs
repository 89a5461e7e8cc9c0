// Stand-ins for the parts of a browser that the pages' scripts use, and no more. Nothing here needs
// a package.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';

export const project = fileURLToPath(new URL('../../../', import.meta.url));
export const site = join(project, 'Sources/Web/WebPages/Site');
export const canvas = join(project, 'Sources/Web/Canvas');
export const player = join(project, 'Sources/Formats/Animation/Player');

// Node 18 has it only behind a flag.
if (!globalThis.crypto) define('crypto', webcrypto);

// Browsers accept fractions of a millisecond.
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (milliseconds) => timeout(Math.floor(milliseconds));

// Sets a global that Node may have as a getter.
export function define(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// MARK: Modules

export const scriptsIn = (folder) => readdirSync(folder).filter((name) => name.endsWith('.mjs')).sort();

// A script without comment lines and indentation, in the form that programs put into pages
// (`WebFile`).
export function packed(text) {
  return text.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('//')).join('\n') + '\n';
}

let folders;
let copies = 0;

// Imports a module from a new copy of it and of all its imports, so that no state of a module
// reaches the next test. The pages' modules find the canvas's and the player's beside them, as on the server.
// `instead` has replacements for the texts of some of them.
export async function load(folder, name, instead = {}) {
  if (!folders) {
    folders = mkdtempSync(join(tmpdir(), 'pentimento-scripts-'));
    process.on('exit', () => rmSync(folders, { recursive: true, force: true }));
  }
  const copy = join(folders, String(++copies));
  mkdirSync(copy);
  const known = new Set();
  const add = (script) => {
    if (known.has(script)) return;
    known.add(script);
    const text = packed(instead[script] ?? sourceOf(folder, script));
    writeFileSync(join(copy, script), text);
    for (const [, other] of text.matchAll(/\bfrom '\.\/([\w-]+\.mjs)'/g)) add(other);
  };
  add(name);
  return {
    ...await import(pathToFileURL(join(copy, name)).href),
    // Another module of the same copy.
    beside: (other) => import(pathToFileURL(join(copy, other)).href),
  };
}

function sourceOf(folder, script) {
  const folders = folder === site ? [site, canvas, player] : folder === canvas ? [canvas, player] : [folder];
  return readFileSync(folders.map((one) => join(one, script)).find(existsSync) ?? join(folder, script), 'utf8');
}

// MARK: Chance

// Numbers that look random, and are the same for the same seed (mulberry32).
export class Chance {
  constructor(seed) {
    this.state = seed;
  }

  // A number that is at least 0 and below 1.
  get fraction() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  // An integer that is at least 0 and below a limit.
  below(limit) {
    return Math.floor(this.fraction * limit);
  }
  pick(list) {
    return list[this.below(list.length)];
  }
  bytes(count) {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

// MARK: Time

const turn = setImmediate;

// Runs everything that does not wait for a timer.
export async function settle() {
  for (let count = 0; count < 8; count++) await new Promise((done) => turn(done));
}

// Replaces clock and timers. Time passes only when `pass` is called; it starts at a moment of 2026.
export class FakeTime {
  now = 1_790_000_000_000;
  timers = new Map();
  frames = new Map();
  count = 0;

  constructor() {
    const later = (act, milliseconds = 0, ...values) => {
      this.timers.set(++this.count, { at: this.now + milliseconds, act: () => act(...values) });
      return this.count;
    };
    define('setTimeout', later);
    define('clearTimeout', (number) => this.timers.delete(number));
    define('requestAnimationFrame', (act) => {
      this.frames.set(++this.count, act);
      return this.count;
    });
    define('cancelAnimationFrame', (number) => this.frames.delete(number));
    Date.now = () => this.now;
    define('performance', { now: () => this.now - 1_790_000_000_000 });
  }

  // The milliseconds until each timer, shortest first.
  get waits() {
    return [...this.timers.values()].map(({ at }) => at - this.now).sort((a, b) => a - b);
  }

  async pass(milliseconds) {
    const end = this.now + milliseconds;
    await settle();
    for (;;) {
      const next = [...this.timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!next) break;
      this.timers.delete(next[0]);
      this.now = Math.max(this.now, next[1].at);
      next[1].act();
      await settle();
    }
    this.now = end;
  }

  // Shows one frame of the screen, some milliseconds after the previous one.
  async frame(milliseconds) {
    this.now += milliseconds;
    const due = [...this.frames.values()];
    this.frames.clear();
    for (const act of due) act(performance.now());
    await settle();
  }
}

// MARK: Requests

// Replaces `fetch`. `answer` gets { method, path, headers, body } and returns a result of `reply`,
// or throws. The requests are recorded in `asked`.
export class FakeNetwork {
  asked = [];

  constructor(answer) {
    this.answer = answer;
    define('fetch', async (path, { method = 'GET', headers = {}, body, ...others } = {}) => {
      const request = { method, path, headers, body, ...others };
      this.asked.push(request);
      return this.answer(request);
    });
  }

  // Returns the requests so far as texts, and clears the list.
  taken() {
    return this.asked.splice(0).map(({ method, path }) => `${method} ${path}`);
  }
}

export const offline = () => {
  throw new TypeError('Failed to fetch');
};

// An answer: bytes, or a value that becomes JSON.
export function reply(status, body, headers = {}) {
  if (status === 204) return new Response(null, { status, headers });
  return new Response(body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers,
  });
}

// MARK: Stored texts

// `localStorage`. A browser may refuse it; then each access throws.
export class FakeTexts {
  texts = new Map();
  isRefused = false;
  #open() {
    if (this.isRefused) throw new DOMException('It is refused.', 'SecurityError');
  }
  getItem(name) {
    this.#open();
    return this.texts.get(name) ?? null;
  }
  setItem(name, text) {
    this.#open();
    this.texts.set(name, String(text));
  }
  removeItem(name) {
    this.#open();
    this.texts.delete(name);
  }
}

// MARK: IndexedDB

// Numbers come before texts, and texts before lists.
function keyOrder(a, b) {
  const rank = (key) => (Array.isArray(key) ? 2 : typeof key === 'string' ? 1 : 0);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (!Array.isArray(a)) return a < b ? -1 : a > b ? 1 : 0;
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = keyOrder(a[index], b[index]);
    if (order) return order;
  }
  return a.length - b.length;
}

class FakeRange {
  constructor(lower, upper, isLowerOpen, isUpperOpen) {
    Object.assign(this, { lower, upper, isLowerOpen, isUpperOpen });
  }
  static bound(...values) {
    return new FakeRange(...values);
  }
  has(key) {
    const [low, high] = [keyOrder(key, this.lower), keyOrder(key, this.upper)];
    return (this.isLowerOpen ? low > 0 : low >= 0) && (this.isUpperOpen ? high < 0 : high <= 0);
  }
}

// A database in memory. Transactions run one after the other and atomically, as in a browser that
// keeps the order; values are copied. While `isFull`, every transaction that writes is undone.
export class FakeDatabases {
  stores = new Map();
  isFull = false;
  isRefused = false;
  openings = 0;
  #running = Promise.resolve();

  constructor() {
    define('indexedDB', this);
    define('IDBKeyRange', FakeRange);
  }

  open() {
    this.openings += 1;
    const asked = { result: this };
    queueMicrotask(() => {
      if (this.isRefused) {
        asked.error = new DOMException('It is refused.', 'SecurityError');
        return asked.onerror();
      }
      if (this.stores.size === 0) asked.onupgradeneeded();
      return asked.onsuccess();
    });
    return asked;
  }

  close() {}

  createObjectStore(name, { keyPath } = {}) {
    this.stores.set(name, { keyPath, entries: [] });
  }

  // The contents of a store: pairs of key and value.
  entries(name) {
    return this.stores.get(name)?.entries ?? [];
  }

  transaction(names, mode) {
    const acts = [];
    const running = {
      error: null,
      objectStore: (name) => {
        if (!names.includes(name)) throw new DOMException('The store is not in the transaction.', 'NotFoundError');
        return new FakeStore(this.stores.get(name), acts, mode);
      },
    };
    this.#running = this.#running.then(() => {
      const before = names.map((name) => [...this.entries(name)]);
      let hasWritten = false;
      while (acts.length > 0) {
        const { asked, act, isWrite } = acts.shift();
        hasWritten ||= isWrite;
        asked.result = act();
        asked.onsuccess?.();
      }
      if (hasWritten && this.isFull) {
        names.forEach((name, index) => {
          this.stores.get(name).entries = before[index];
        });
        running.error = new DOMException('There is no room.', 'QuotaExceededError');
        return running.onabort?.();
      }
      return running.oncomplete?.();
    });
    return running;
  }
}

class FakeStore {
  constructor(store, acts, mode) {
    Object.assign(this, { store, acts, mode });
  }

  ask(act, isWrite = false) {
    if (isWrite && this.mode !== 'readwrite') throw new DOMException('It is only read.', 'ReadOnlyError');
    const asked = {};
    this.acts.push({ asked, act, isWrite });
    return asked;
  }

  matching(query) {
    const has = query === undefined
      ? () => true
      : query instanceof FakeRange
      ? (key) => query.has(key)
      : (key) => keyOrder(key, query) === 0;
    return this.store.entries.filter(([key]) => has(key));
  }

  get(key) {
    return this.ask(() => structuredClone(this.matching(key)[0]?.[1]));
  }
  getAll(query) {
    return this.ask(() => this.matching(query).map(([, value]) => structuredClone(value)));
  }
  getAllKeys() {
    return this.ask(() => this.store.entries.map(([key]) => key));
  }

  put(value, givenKey) {
    const copy = structuredClone(value);
    const key = this.store.keyPath ? copy[this.store.keyPath] : givenKey;
    if (key === undefined) throw new DOMException('There is no key.', 'DataError');
    return this.ask(() => {
      this.store.entries = [...this.store.entries.filter(([one]) => keyOrder(one, key) !== 0), [key, copy]]
        .sort(([a], [b]) => keyOrder(a, b));
      return key;
    }, true);
  }

  delete(query) {
    return this.ask(() => {
      const gone = this.matching(query);
      this.store.entries = this.store.entries.filter((entry) => !gone.includes(entry));
    }, true);
  }

  openCursor(query) {
    let last;
    const asked = this.ask(() => step());
    const step = () => {
      const found = this.matching(query).find(([key]) => last === undefined || keyOrder(key, last) > 0);
      if (!found) return null;
      const [key, value] = found;
      last = key;
      return {
        key,
        value: structuredClone(value),
        delete: () => this.delete(key),
        continue: () => {
          this.acts.push({ asked, act: step, isWrite: false });
        },
      };
    };
    return asked;
  }
}

// MARK: Elements

// An element of a page: attributes, children and listeners.
export class FakeElement extends EventTarget {
  attributes = new Map();
  children = [];
  parent = null;
  style = {};
  isOpen = false;

  constructor(tag = 'div') {
    super();
    this.tag = tag;
    this.style.setProperty = (name, value) => {
      this.style[name] = value;
    };
    const attribute = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    this.dataset = new Proxy({}, {
      get: (_, name) => this.getAttribute(attribute(name)) ?? undefined,
      set: (_, name, value) => {
        this.setAttribute(attribute(name), value);
        return true;
      },
    });
    this.classes = new Set();
    this.classList = {
      add: (...names) => names.forEach((name) => this.classes.add(name)),
      remove: (...names) => names.forEach((name) => this.classes.delete(name)),
      contains: (name) => this.classes.has(name),
      toggle: (name, isOn) => (isOn ? this.classes.add(name) : this.classes.delete(name)),
    };
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name) {
    return this.attributes.has(name);
  }
  setAttribute(name, value) {
    this.#change(name, String(value));
  }
  removeAttribute(name) {
    this.#change(name, null);
  }
  toggleAttribute(name, isOn) {
    this.#change(name, isOn ? this.getAttribute(name) ?? '' : null);
  }

  #change(name, value) {
    const old = this.getAttribute(name);
    if (value === null) this.attributes.delete(name);
    else this.attributes.set(name, value);
    if (this.constructor.observedAttributes?.includes(name)) this.attributeChangedCallback(name, old, value);
  }

  append(...children) {
    for (const child of children) {
      if (child instanceof FakeElement) child.parent = this;
      this.children.push(child);
    }
  }

  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }

  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join('');
  }
  set textContent(text) {
    this.children = [text];
  }

  // All elements within, in the order of the document.
  get all() {
    return this.children.filter((child) => child instanceof FakeElement).flatMap((child) => [child, ...child.all]);
  }

  // Selectors of the forms `tag`, `.class`, `[attribute]`, and `tag[attribute]`.
  querySelectorAll(selector) {
    const [, tag, kind, attribute] = /^(\w*)(?:\.([\w-]+))?(?:\[([\w-]+)\])?$/.exec(selector);
    return this.all.filter((one) =>
      (!tag || one.tag === tag) && (!attribute || one.hasAttribute(attribute)) &&
      (!kind || one.classes.has(kind) || one.getAttribute('class')?.split(' ').includes(kind))
    );
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  closest(selector) {
    return selector === this.tag ? this : this.parent?.closest(selector) ?? null;
  }
  get isConnected() {
    return this === globalThis.document?.body || Boolean(this.parent?.isConnected);
  }

  attachShadow() {
    this.shadowRoot = new FakeElement('shadow');
    return this.shadowRoot;
  }

  get hidden() {
    return this.hasAttribute('hidden');
  }
  set hidden(isOn) {
    this.toggleAttribute('hidden', isOn);
  }
  get open() {
    return this.isOpen;
  }
  showModal() {
    this.isOpen = true;
  }
  close() {
    this.isOpen = false;
  }
  setPointerCapture() {}
}

// The parts of a page that scripts look up when they are loaded.
export function openPage({ search = '', hash = '', language = 'en', texts = new FakeTexts() } = {}) {
  const body = new FakeElement('body');
  const head = new FakeElement('title');
  const address = 'https://ink.example/app/draw';
  define('document', {
    body,
    documentElement: new FakeElement('html'),
    baseURI: address,
    title: '',
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (space, tag) => Object.assign(new FakeElement(tag), { space }),
    querySelectorAll: (selector) => body.querySelectorAll(selector),
    querySelector: (selector) => (selector === 'title' ? head : body.querySelector(selector)),
  });
  define('location', {
    search,
    hash,
    pathname: '/app/draw',
    reloads: 0,
    reload() {
      this.reloads += 1;
    },
  });
  define('history', {
    replaced: [],
    replaceState(...values) {
      this.replaced.push(values[2]);
    },
  });
  define('navigator', { language });
  define('localStorage', texts);
  define('window', globalThis);
  define('theme', { isDark: false });
  define('devicePixelRatio', 1);
  // Listeners of the window, by event name.
  const heard = new Map();
  define('addEventListener', (name, act) => heard.set(name, act));
  return { body, head, heard, texts };
}
