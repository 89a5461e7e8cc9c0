// The gallery: all drawings, by day or in another order, or those with the words of a search. Only
// days near the window contain their pictures, so that memory does not grow with the
// number of drawings.
import { get, picture, send, visitor } from './api.mjs';
import { onChanges } from './changes.mjs';
import { adoptDrawings, startSending, waitingDrawings } from './device.mjs';
import { address as pageAddress, SharedWithMe } from './members.mjs';
import { each, request } from './requests.mjs';
import { keepFiles } from './gallery-files.mjs';
import { Selection } from './gallery-selection.mjs';
import {
  blank,
  frame,
  icon,
  language,
  make,
  mark,
  onLanguage,
  query,
  shown,
  styled,
  t,
  takeDrops,
  text,
  toast,
} from './shared.mjs';

// Drawings per request; the server returns at most 500.
const pageSize = 60;
const largestPage = 500;
// The maximum number of drawings that are loaded at once to restore a scroll position.
const mostRestored = 3000;
// Drawings per block: full rows with 2, 3 and 4 columns.
const blockSize = 24;
const undoSeconds = 10;

const main = document.getElementById('main');
const list = document.getElementById('days');
const count = document.getElementById('count');
const field = document.getElementById('search');
// The text of the displayed search; empty for none. The server accepts 200 bytes, which are 66
// UTF-16 units of any language.
const searchIn = (parameters) => (parameters.get('search') ?? '').trim().slice(0, field.maxLength);
let wantedText = searchIn(query);
// The order of all drawings. Search results are the newest first.
const sortField = document.getElementById('sort');
const sorts = Array.from(sortField.options, ({ value }) => value);
const sortIn = (parameters) => sorts.find((sort) => sort === parameters.get('sort')) ?? sorts[0];
let wantedSort = sortIn(query);
const tagField = document.getElementById('tag');
const tagIn = (parameters) => (parameters.get('tag') ?? '').slice(0, 200);
let wantedTag = tagIn(query);
const isByDay = () => !wantedText && !wantedTag && ['newest', 'oldest'].includes(wantedSort);
// The name of the only section of search results, and of drawings that are not by day.
const results = 'search';
// The number of pages without results that a search loads automatically: each covers thousands of
// drawings.
const mostEmptyPages = 20;
const days = new Map();
// Emotion and colour of check-ins, by id.
const feelings = new Map();
// Drawings that are hidden because they are being deleted, and drawings that are shown from this
// device instead.
const deletedIds = new Set();
const keptIds = new Set();
let uid;
let cursor = null;
let isLoading = false;
// 'loading', 'content' or 'failed'.
let state = 'loading';

const isShown = ({ id, isKept }) => !deletedIds.has(id) && (isKept || !keptIds.has(id));

// MARK: Days and blocks

// A section with a date. `day` is 'YYYY-MM-DD', or null for drawings without a date.
class Day {
  constructor(day) {
    this.isResults = day === results;
    this.date = day && !this.isResults && new Date(`${day}T12:00`);
    // { id, time, checkinId, title, tags, changed, isFlat } of each drawing; search results also have { found },
    // texts; drawings on this device also have { isKept, address }.
    this.drawings = [];
    const id = `day-${day ?? 'unknown'}`;
    this.title = make('h2', { class: this.isResults ? 'unseen' : 'date', id });
    this.list = make('div', { class: 'drawings', role: 'list', 'aria-labelledby': id });
    this.section = make(
      'section',
      { class: this.isResults ? 'day results' : 'day', 'aria-labelledby': id },
      this.title,
      this.list,
    );
    this.write();
  }

  write() {
    if (this.isResults) return this.title.replaceChildren(t(wantedText ? 'searchResults' : 'gallery'));
    if (!this.date) return this.title.replaceChildren(t('galleryUnknownDate'));
    this.title.replaceChildren(
      make('span', {}, shown.day(this.date)),
      ' ',
      make('span', { class: 'small muted' }, shown.weekday(this.date)),
    );
  }

  add(drawings) {
    this.drawings.push(...drawings);
    this.place(drawings.filter(isShown));
  }

  // Puts drawings into the last block, and into new ones.
  place(drawings) {
    let block = this.list.lastElementChild;
    for (const drawing of drawings) {
      if (!block || block.drawings.length === blockSize) {
        block = make('div', { class: 'block' });
        block.drawings = [];
        this.list.append(block);
        distances.observe(block);
      }
      block.drawings.push(drawing);
      if (block.firstChild) block.append(cell(drawing));
      setRows(block);
    }
    this.section.hidden = !this.list.firstChild;
  }

  // Rebuilds all blocks, after drawings in the middle were added or removed.
  placeAll() {
    const focused = document.activeElement.closest('[role=listitem]');
    const focusedId = this.list.contains(focused) ? focused.querySelector('.cell').drawing.id : undefined;
    placed = new Map(Array.from(this.list.querySelectorAll('.cell'), (link) => [link.drawing, link.parentElement]));
    for (const block of this.list.children) forget(block);
    this.list.replaceChildren();
    this.place(this.drawings.filter(isShown));
    fillNearWindow(this.list);
    placed = new Map();
    if (focusedId !== undefined) focusDrawing(focusedId);
  }
}

function setRows(block) {
  const rows = (columns) => [`--rows-${columns}`, Math.ceil(block.drawings.length / columns)];
  styled(block, Object.fromEntries([2, 3, 4].map(rows)));
}

// Blocks within one and a half windows of the visible part are filled, the others are empty. The
// style sheet gives both the same height, at any width.
const near = new Set();
const distances = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) near.add(target);
    else near.delete(target);
    if (isIntersecting) fill(target);
    else empty(target);
  }
}, { rootMargin: '150% 0px' });

// Fills without waiting for the observer, which reports after the next frame.
function fillNearWindow(parent) {
  const isNear = (block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return bottom > -innerHeight && top < 2 * innerHeight;
  };
  [...parent.querySelectorAll('.block')].filter(isNear).forEach(fill);
}

function fill(block) {
  if (!block.firstChild) block.append(...block.drawings.map(cell));
}

function empty(block) {
  if (near.has(block) || focused.includes(block)) return;
  // Cancels pictures that are still being loaded.
  for (const image of block.querySelectorAll('img')) image.removeAttribute('src');
  block.replaceChildren();
}

function forget(block) {
  distances.unobserve(block);
  near.delete(block);
  focused = focused.filter((one) => one !== block);
}

// The focused block, and those before and after it: they stay filled at any scroll position, so
// that the focus is never lost and Tab always finds the next drawing.
let focused = [];
list.addEventListener('focusin', ({ target }) => {
  const before = focused;
  const block = target.closest('.block');
  const blocks = block ? [...list.querySelectorAll('.block')] : [];
  const index = blocks.indexOf(block);
  focused = block ? blocks.slice(Math.max(index - 1, 0), index + 2) : [];
  focused.forEach(fill);
  before.forEach(empty);
});

// Sets the focus on a drawing, in any block. Returns whether it was found.
function focusDrawing(id) {
  for (const block of list.querySelectorAll('.block')) {
    const index = block.drawings.findIndex((drawing) => drawing.id === id);
    if (index < 0) continue;
    fill(block);
    block.children[index].querySelector('input, a').focus();
    return true;
  }
  return false;
}

// MARK: Drawings

// The elements of drawings that are placed again.
let placed = new Map();

function cell(drawing) {
  if (placed.has(drawing)) return placed.get(drawing);
  const { isKept, address } = drawing;
  const sheet = make('span', { class: 'sheet' });
  if (!isKept) sheet.append(picture(uid, drawing.id, { isSmall: true, class: 'over', version: drawing.changed ?? '' }));
  if (address) sheet.append(make('img', { alt: '', class: 'over', src: address }));
  if (isKept) sheet.append(text('keptHere', 'span', { class: 'here' }));
  const page = isKept ? 'draw' : 'drawing';
  const link = make(
    'a',
    { class: 'cell', href: pageAddress(page, drawing.drawing ?? drawing.id, drawing.owner) },
    make('span', { class: 'unseen' }),
    sheet,
    make('span', { class: 'caption' }, make('span', { class: 'number' })),
  );
  if (drawing.isFlat) link.lastChild.append(' ', make('span', { class: 'found' }));
  const feeling = !drawing.isFlat && feelings.get(drawing.checkinId);
  if (feeling) {
    link.lastChild.append(
      ' ',
      make(
        'span',
        { class: 'feeling' },
        styled(mark('drop2', { class: 'pigment' }), { color: feeling.color }),
        make('span', { class: 'name' }),
      ),
    );
  }
  link.drawing = drawing;
  write(link);
  const item = make('div', { role: 'listitem' }, link);
  selection.mark(item);
  return item;
}

// Writes the words of a drawing. Its accessible name contains the day, which is visible elsewhere.
function write(link) {
  const { time, changed, checkinId, title, found } = link.drawing;
  const date = time === null ? null : new Date(time);
  const day = date ? shown.day(date) : t('galleryUnknownDate');
  const name = link.querySelector('.number');
  const below = link.querySelector('.found');
  link.classList.toggle('titled', Boolean(title));
  if (below) {
    link.firstChild.textContent = `${t('drawing')} `;
    name.textContent = title || day;
    below.textContent = found?.length
      ? found.join(t('comma'))
      : wantedSort === 'changed' && !found
      ? t('changedOn', { when: shown.day(new Date(changed)) })
      : title
      ? day
      : '';
    return;
  }
  link.firstChild.textContent = t('drawingAt', { when: `${day} ` });
  name.textContent = title || (date ? shown.time(date) : '');
  const feeling = feelings.get(checkinId);
  if (feeling && link.querySelector('.name')) link.querySelector('.name').textContent = t(feeling.emotion);
}

// The half-drawn picture is shown while the pointer or the keyboard's focus is on the drawing.
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');
function showUnder(link) {
  if (!link || link.drawing.isKept || lessMotion.matches || link.querySelector('.under')) return;
  const image = picture(uid, link.drawing.id, { isUnder: true, isSmall: true, class: 'under', loading: 'eager' });
  image.addEventListener('load', () => link.classList.add('ready'));
  link.querySelector('.over').before(image);
}

list.addEventListener('pointerover', (event) => {
  if (event.pointerType !== 'touch') showUnder(event.target.closest('.cell'));
});
list.addEventListener('focusin', ({ target }) => {
  if (target.matches('.cell:focus-visible')) showUnder(target);
});

// MARK: Pages of drawings

// A page that returns after a reload or with the back button shows as many drawings as before, at
// the same scroll position.
const place = history.state?.gallery;
const firstLimit = (wanted = pageSize) => Math.min(Math.max(wanted, pageSize), largestPage);

// The viewer's time zone by its name; by its UTC offset if the server does not know the name.
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
function zoneDistance() {
  const minutes = -new Date().getTimezoneOffset();
  const two = (number) => String(Math.floor(Math.abs(number))).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

const pagePath = (userId, limit, after) =>
  `v1/users/${encodeURIComponent(userId)}/gallery?` + new URLSearchParams({
    sort: wantedSort,
    ...(wantedTag && { tag: wantedTag }),
    timeZone: zone ??= zoneDistance(),
    lang: language,
    limit,
    ...(after && { after }),
  });

const searchPath = (userId, limit, after) =>
  `v1/users/${encodeURIComponent(userId)}/drawings?` + new URLSearchParams({
    search: wantedText,
    limit,
    ...(after && { after }),
  });

// A page of a search in the form of a page of the gallery.
const adapted = ({ items, cursor: next }) => ({
  sections: items.length
    ? [{
      day: results,
      drawings: items.map((one) => ({ ...one, found: [...new Set(one.found.map((word) => word.text))] })),
    }]
    : [],
  cursor: next,
});

// Gets pages until one has drawings.
async function getFilled(getPage, after) {
  let page;
  for (let number = 0; number < mostEmptyPages; number++) {
    page = await getPage(page?.cursor ?? after);
    if (page.sections.length || !page.cursor) break;
  }
  return page;
}

async function getPage(limit, after) {
  if (wantedText) return getFilled(async (next) => adapted(await get(searchPath(uid, limit, next))), after);
  const isFlat = !isByDay();
  const getOne = async (next) => {
    const page = await get(pagePath(uid, limit, next));
    if (isFlat) { for (const section of page.sections) section.day = results; }
    return page;
  };
  try {
    return await getFilled(getOne, after);
  } catch (error) {
    if (error.field !== 'timeZone' || zone === zoneDistance()) throw error;
    zone = zoneDistance();
    return getFilled(getOne, after);
  }
}

// The first page is requested for the last user of this device before the sign-in is confirmed:
// this saves a round trip in nearly all cases. Otherwise the response is not used.
function getEarlyPage(limit) {
  let userId = null;
  try {
    userId = localStorage.getItem('pentimento-user');
  } catch { /* there is no early page */ }
  if (!isByDay()) userId = null;
  return { userId, limit, page: userId && request('GET', pagePath(userId, limit)).catch(() => null) };
}
const early = getEarlyPage(firstLimit(place?.count));

function takeEarlyPage(wanted, after) {
  const { userId, limit, page } = early;
  early.page = null;
  return userId === uid && isByDay() && !after && limit === firstLimit(wanted) ? page : null;
}

function dayOf(day) {
  if (!days.has(day)) days.set(day, new Day(day));
  return days.get(day);
}

function add(page) {
  noteFeelings(page);
  for (const { day, drawings } of page.sections) {
    const section = dayOf(day);
    if (!section.section.isConnected) further.before(section.section);
    section.add(drawings.map((drawing) => entry(day, drawing)));
  }
  cursor = page.cursor;
}

function noteFeelings({ checkIns = [] }) {
  for (const { id, emotion, colorHex } of checkIns) feelings.set(id, { emotion, color: colorHex });
}

const entry = (day, { id, createdAt, updatedAt, checkinId, title, tags, found }) => ({
  id,
  isFlat: day === results,
  time: createdAt ? Date.parse(createdAt) : null,
  changed: updatedAt,
  checkinId,
  title: title?.trim() ?? '',
  tags: tags ?? [],
  found,
});

// The end of the list: a button, or a note that there are no more drawings. Scrolling near the
// button presses it, unless it has the focus: then the reader decides.
const moreButton = make('button', { class: 'button lined', type: 'button' }, text('galleryMore'));
const further = make('div', { class: 'further' });
const approach = new IntersectionObserver((entries) => {
  const isNear = entries.at(-1).isIntersecting;
  if (isNear && scrollY > 0 && document.activeElement !== moreButton) showMore();
}, { rootMargin: '600px' });
moreButton.addEventListener('click', () => showMore());

async function showMore() {
  if (isLoading || !cursor) return;
  isLoading = true;
  moreButton.setAttribute('aria-disabled', 'true');
  moreButton.firstChild.textContent = t(moreButton.firstChild.dataset.t = 'galleryLoading');
  const known = allDrawings().length;
  const number = startNumber;
  try {
    const page = await getPage(pageSize, cursor);
    isLoading = false;
    if (number !== startNumber) return;
    add(page);
    const hadFocus = document.activeElement === moreButton;
    showFurther();
    const next = allDrawings()[known];
    if (hadFocus && next) focusDrawing(next.id);
  } catch {
    isLoading = false;
    if (number === startNumber) showFurther(true);
  }
}

function showFurther(hasFailed = false) {
  approach.unobserve(moreButton);
  moreButton.removeAttribute('aria-disabled');
  moreButton.firstChild.textContent = t(moreButton.firstChild.dataset.t = hasFailed ? 'retry' : 'galleryMore');
  // The button itself is kept, so that it keeps the focus.
  for (const child of [...further.children]) if (child !== moreButton) child.remove();
  if (hasFailed) further.prepend(text('failed', 'p', { role: 'alert' }));
  if (!cursor) {
    further.replaceChildren(
      text(uid === null ? 'visitorEnd' : wantedText ? 'searchEnd' : wantedTag ? 'tagEnd' : 'galleryEnd', 'p', {
        class: 'muted',
      }),
    );
  } else if (!moreButton.isConnected) further.append(moreButton);
  showCount();
  // It is observed again, so that a button that is still near is reported.
  if (cursor && !hasFailed) approach.observe(moreButton);
}

function showCount() {
  const number = allDrawings().length;
  // An empty gallery has nothing to sort or to select.
  const isEmpty = state === 'content' && !number && !wantedText && !wantedTag;
  sortField.parentElement.classList.toggle('is-empty', isEmpty);
  const kind = wantedText ? 'search' : 'gallery';
  const isFirst = !wantedText && cursor && (wantedTag || wantedSort !== sorts[0]);
  const key = isFirst ? 'galleryFirst' : kind + (cursor ? 'Some' : number === 1 ? 'One' : 'Count');
  count.textContent = state === 'loading'
    ? t(wantedText ? 'searching' : 'galleryLoading')
    : state === 'content' && (number || wantedText)
    ? t(key, { n: shown.number(number) })
    : '';
}

const allDrawings = () => [...days.values()].flatMap(({ drawings }) => drawings.filter(isShown));

// MARK: Drawings on this device

// Unsent drawings come first, in today's section. After they have been sent, the gallery is loaded
// again, at the same scroll position.
async function sendKept() {
  const isSent = await startSending(uid).catch(() => false);
  if (isSent && state !== 'loading') await start({ wanted: allDrawings().length, top: scrollY });
}
addEventListener('online', () => {
  if (uid) sendKept();
});

// A visitor's drawings are on this device alone. After a sign-in, they are moved into the account if
// the user wants that; each drawing is asked about once.
const visitorNote = document.getElementById('visitor');
visitorNote.prepend(icon('info'));

async function offerAdoption() {
  const ids = (await waitingDrawings(null)).map(({ id }) => id);
  const key = `pentimento-not-moved ${uid}`;
  const declined = new Set(storedList(key));
  const question = document.getElementById('adopting');
  if (ids.every((id) => declined.has(id)) || question.open) return;
  const showQuestion = () => {
    document.getElementById('adopting-title').textContent = ids.length === 1
      ? t('adoptOne')
      : t('adoptMany', { n: shown.number(ids.length) });
  };
  showQuestion();
  document.getElementById('adopt').onclick = async () => {
    question.close();
    await adoptDrawings(uid);
    await start({ wanted: allDrawings().length, top: scrollY });
  };
  question.oncancel = document.getElementById('not-adopt').onclick = () => {
    question.close();
    storeList(key, ids);
  };
  question.showModal();
}

function storedList(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
function storeList(key, ids) {
  try {
    localStorage.setItem(key, JSON.stringify(ids));
  } catch { /* it is asked again */ }
}

function addKept(kept) {
  if (!kept.length) return;
  const now = new Date();
  const two = (number) => String(number).padStart(2, '0');
  const today = dayOf(!isByDay() ? results : `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`);
  if (!today.section.isConnected) list.prepend(today.section);
  for (const { id } of kept) keptIds.add(id);
  today.drawings.unshift(...kept.map(({ id, owner, drawing, createdAt, picture: image }) => ({
    id,
    ...(owner && { owner, drawing }),
    isFlat: today.isResults,
    time: createdAt?.getTime() ?? null,
    isKept: true,
    address: image && URL.createObjectURL(image),
  })));
  for (const one of days.values()) if (one.drawings.some(({ id }) => keptIds.has(id))) one.placeAll();
}

// Files are opened by the menu, and where they are dropped.
async function openFiles(files) {
  if (uid === undefined || files.length === 0) return;
  toast(t('opening'));
  const problems = await keepFiles(uid, files);
  await start({ wanted: allDrawings().length, top: scrollY });
  if (problems.length > 0) toast(problems.join(' '));
}
const fileField = document.getElementById('file');
document.getElementById('open').addEventListener('click', () => fileField.click());
fileField.addEventListener('change', () => {
  openFiles([...fileField.files]);
  fileField.value = '';
});
takeDrops((event) => openFiles([...event.dataTransfer.files]));

// MARK: States

history.scrollRestoration = 'manual';
addEventListener('scroll', () => {
  clearTimeout(rememberPlace.timer);
  rememberPlace.timer = setTimeout(rememberPlace, 300);
}, { passive: true });
function rememberPlace() {
  if (state !== 'content') return;
  history.replaceState({ ...history.state, gallery: { count: allDrawings().length, top: scrollY } }, '');
}

// If several starts overlap, only the last one is shown.
let startNumber = 0;

// Gets pages with a number of drawings. Returns the error that ended it early.
async function getPages(wanted, pages) {
  let after;
  let missing = Math.min(wanted, mostRestored);
  try {
    do {
      pages.push(await takeEarlyPage(missing, after) ?? await getPage(firstLimit(missing), after));
      after = pages.at(-1).cursor;
      missing -= largestPage;
    } while (after && missing > 0);
  } catch (error) {
    return error;
  }
  return undefined;
}

async function start({ wanted = pageSize, top } = {}) {
  const number = ++startNumber;
  let kept = [];
  let error;
  const pages = [];
  try {
    ({ uid } = await visitor());
    if (uid) shared.load(uid);
    const waiting = waitingDrawings(uid);
    if (uid) error = await getPages(wanted, pages);
    kept = await waiting;
  } catch (failure) {
    error = failure;
  }
  if (number !== startNumber) return;
  show(pages, wantedText || wantedTag ? [] : kept, error);
  if (top) scrollTo(0, top);
  if (kept.length) sendKept();
  if (uid) offerAdoption();
}

const shared = new SharedWithMe(document.getElementById('shared'), () => isByDay() && state !== 'failed');

function show(pages, kept, error) {
  for (const block of list.querySelectorAll('.block')) forget(block);
  for (const { address } of allDrawings()) if (address) URL.revokeObjectURL(address);
  days.clear();
  keptIds.clear();
  list.removeAttribute('aria-busy');
  visitorNote.hidden = uid !== null;
  cursor = null;
  list.replaceChildren();
  state = error && !pages.length ? 'failed' : 'content';
  further.replaceChildren();
  list.append(further);
  pages.forEach(add);
  addKept(kept);
  if (state === 'failed') {
    further.append(failure());
    showCount();
  } else if (allDrawings().length) {
    showFurther(Boolean(error));
  } else {
    further.replaceChildren(nothingHere());
    showCount();
  }
  fillNearWindow(list);
  shared.show();
}

// Shows changes from elsewhere. Unchanged drawings keep their elements, with pictures and focus.
async function refresh() {
  if (state === 'loading' || isLoading) return false;
  if (state !== 'content') return undefined;
  shared.load(uid);
  const number = startNumber;
  const others = allDrawings().filter(({ isKept }) => !isKept);
  const pages = [];
  const error = await getPages(others.length, pages);
  if (isLoading) return false;
  if (error || number !== startNumber) return undefined;
  let next = new Map();
  for (const page of pages) {
    noteFeelings(page);
    for (const { day, drawings } of page.sections) {
      next.set(day, [...next.get(day) ?? [], ...drawings.map((drawing) => entry(day, drawing))]);
    }
  }
  const before = new Map(
    [...days.values()].flatMap(({ drawings }) => drawings).map((one) => [JSON.stringify(one), one]),
  );
  const isEmpty = (drawings) => drawings.filter(isShown).length === 0;
  const hadNothing = allDrawings().length === 0;
  for (const [day, { drawings, section }] of days) {
    const kept = drawings.filter(({ isKept }) => isKept);
    // Drawings of this device stay; they are today's.
    if (next.has(day)) next.set(day, [...kept, ...next.get(day)]);
    else if (kept.length > 0) next = new Map([[day, kept], ...next]);
    else {
      for (const block of section.querySelectorAll('.block')) forget(block);
      section.remove();
      days.delete(day);
    }
  }
  if (hadNothing !== [...next.values()].every(isEmpty)) return start({ wanted: others.length, top: scrollY });
  let previous;
  for (const [day, drawings] of next) {
    const section = dayOf(day);
    const isThere = previous ? previous.nextElementSibling === section.section : list.firstChild === section.section;
    if (!isThere) previous ? previous.after(section.section) : list.prepend(section.section);
    previous = section.section;
    const all = drawings.map((one) => before.get(JSON.stringify(one)) ?? one);
    if (all.length === section.drawings.length && all.every((one, index) => one === section.drawings[index])) continue;
    section.drawings = all;
    section.placeAll();
  }
  cursor = pages.at(-1).cursor;
  if (!hadNothing) showFurther();
  showCount();
  return undefined;
}

const art = (...marks) => make('div', { class: 'art sheet', 'aria-hidden': 'true' }, ...marks);

const nothing = () =>
  blank(
    { art: art(mark('fountainPen', { class: 'ghost' }), mark('fountainPen')), key: 'galleryEmpty' },
    make('a', { class: 'button primary', href: 'draw' }, icon('pen'), text('firstDrawing')),
  );

const nothingHere = () => wantedText ? nothingFound() : wantedTag ? nothingTagged() : nothing();

const nothingTagged = () =>
  blank(
    { art: art(mark('pencil', { class: 'ghost' }), mark('pencil', { class: 'pale' })), title: 'tagNothing' },
    make('button', {
      class: 'button lined',
      type: 'button',
      onclick: () => {
        look({ tag: '' });
        tagField.focus();
      },
    }, text('searchAll')),
  );

// The title contains the words of the search, so it is written again when the language changes.
function nothingFound() {
  const box = blank(
    {
      art: art(mark('pencil', { class: 'ghost' }), mark('pencil', { class: 'pale' })),
      title: 'searchNothing',
      hint: 'searchNothingHint',
    },
    make('button', {
      class: 'button lined',
      type: 'button',
      onclick: () => {
        field.value = '';
        search();
        field.focus();
      },
    }, text('searchAll')),
  );
  const title = box.querySelector('h2');
  title.removeAttribute('data-t');
  title.classList.add('for');
  title.textContent = t('searchNothing', { text: wantedText });
  return box;
}

const failure = () =>
  blank(
    {
      art: art(mark('crayon', { class: 'pale' })),
      title: wantedText ? 'searchError' : 'galleryError',
      hint: 'galleryErrorHint',
      isFailure: true,
    },
    make('button', {
      class: 'button primary',
      type: 'button',
      onclick: async () => {
        state = 'loading';
        showCount();
        await start();
        main.focus({ preventScroll: true });
      },
    }, text('retry')),
  );

onLanguage(() => {
  for (const day of days.values()) day.write();
  for (const link of list.querySelectorAll('.cell')) {
    write(link);
    selection.mark(link.parentElement);
  }
  const title = list.querySelector('.blank .for');
  if (title) title.textContent = t('searchNothing', { text: wantedText });
  showCount();
});

// MARK: Searching

// The URL contains the text, the order and the tag, so that Back from a drawing leads to the same
// list, and Back from results or a tag to all drawings.
function search() {
  clearTimeout(search.timer);
  const next = field.value.trim();
  if (next !== wantedText) look({ search: next }, !wantedText);
}

// Shows the drawings of an order, a tag or a search; an empty text is that of all.
function look(changes, isStep = false) {
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const address = location.pathname + (String(query) && `?${query}`);
  if (isStep) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  readAddress();
  startSearch();
}

function readAddress() {
  wantedText = searchIn(query);
  wantedSort = sortIn(query);
  wantedTag = tagIn(query);
  sortField.value = wantedSort;
  showTags();
}

function startSearch(place) {
  clearTimeout(rememberPlace.timer);
  isLoading = false;
  state = 'loading';
  list.setAttribute('aria-busy', 'true');
  showCount();
  start({ wanted: place?.count, top: place?.top ?? 0 });
  if (!place) scrollTo(0, 0);
}

field.before(icon('search'));
field.value = wantedText;
field.addEventListener('input', (event) => {
  clearTimeout(search.timer);
  // Text in composition, as in Chinese, is not searched yet.
  if (!event.isComposing) search.timer = setTimeout(search, 300);
});
field.addEventListener('compositionend', () => {
  search.timer = setTimeout(search, 300);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing || !field.value) return;
  event.preventDefault();
  field.value = '';
  search();
});
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
addEventListener('popstate', (event) => {
  const next = new URLSearchParams(location.search);
  if (['search', 'sort', 'tag'].every((name) => next.get(name) === query.get(name))) return;
  for (const name of ['search', 'sort', 'tag']) {
    if (next.has(name)) query.set(name, next.get(name));
    else query.delete(name);
  }
  readAddress();
  field.value = wantedText;
  startSearch(event.state?.gallery);
});

addEventListener('pageshow', (event) => {
  if (event.persisted && state === 'content') hideDeleted();
});
onChanges(refresh);

// MARK: Deleting

// A drawing's page leaves its deletion to this page, so that it can be undone. It also puts { id,
// path } into the tab's own storage: a URL alone deletes nothing, and each request is used once.
const stored = {
  take(key) {
    try {
      const value = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      return value;
    } catch {
      return null;
    }
  },
  // A list in JSON; empty for none, and for the form of an older version.
  takeList(key) {
    try {
      const list = JSON.parse(this.take(key) ?? '[]');
      return Array.isArray(list) ? list : [];
    } catch {
      return [];
    }
  },
  put(key, value) {
    try {
      sessionStorage.setItem(key, value);
    } catch { /* the drawing may be visible until the next reload */ }
  },
};

function takeDeletion() {
  const id = query.get('deleted');
  if (id === null) return;
  query.delete('deleted');
  history.replaceState(history.state, '', location.pathname + (String(query) && `?${query}`) + location.hash);
  const order = JSON.parse(stored.take('pentimento-delete') ?? 'null');
  if (order?.id === id) offerUndo([order]);
}

// Hides drawings whose page has just requested their deletion.
function hideDeleted() {
  setHidden(stored.takeList('pentimento-deleted'), true);
}

function setHidden(ids, isHidden) {
  if (!ids.length) return;
  for (const id of ids) {
    if (isHidden) deletedIds.add(id);
    else deletedIds.delete(id);
  }
  if (state !== 'content') return;
  const changed = new Set(ids);
  for (const day of days.values()) if (day.drawings.some(({ id }) => changed.has(id))) day.placeAll();
  const isEmpty = !allDrawings().length && !cursor;
  if (isEmpty) further.replaceChildren(nothingHere());
  else showFurther();
  showCount();
}

// Deletes drawings, { id, path } each, unless it is undone in time.
function offerUndo(orders) {
  const ids = orders.map(({ id }) => id);
  let isOpen = true;
  setHidden(ids, true);
  const settle = () => {
    isOpen = false;
    clearTimeout(timer);
    removeToast();
    removeEventListener('pagehide', leave);
    removeEventListener('keydown', press);
  };
  const undo = () => {
    if (!isOpen) return;
    settle();
    setHidden(ids, false);
    if (!focusDrawing(ids[0])) main.focus({ preventScroll: true });
  };
  const remove = () => {
    if (!isOpen) return;
    settle();
    removeAll(orders);
  };
  // While the focus is in the toast, it stays; it is removed when the focus leaves it.
  const end = () => {
    if (box.contains(document.activeElement)) box.addEventListener('focusout', remove, { once: true });
    else remove();
  };
  const leave = () => {
    if (!isOpen) return;
    settle();
    leaveDeletions(orders);
  };
  const press = (event) => {
    if (event.key.toLowerCase() !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    undo();
  };
  const message = orders.length > 1 ? t('deletedMany', { n: shown.number(orders.length) }) : text('deleted');
  const removeToast = toast(message, { action: text('undo'), run: undo, seconds: 86_400 });
  // The toast is early in the tab order, so that it is reached in time.
  const box = document.querySelector('.toast');
  document.querySelector('.skip').after(box);
  const timer = setTimeout(end, undoSeconds * 1000);
  addEventListener('pagehide', leave);
  addEventListener('keydown', press);
}

const removeOne = ({ path }) =>
  send('DELETE', path, { keepalive: true }).catch((error) => {
    if (error.status !== 404) throw error;
  });

async function removeAll(orders) {
  const rest = new Set(orders);
  const leave = () => leaveDeletions([...rest]);
  addEventListener('pagehide', leave);
  const failed = await each(orders, async (order) => {
    await removeOne(order).catch((error) => {
      // A drawing that stays comes back at once, while others may wait for their turn.
      if (error.status !== 429) setHidden([order.id], false);
      throw error;
    });
    rest.delete(order);
  });
  removeEventListener('pagehide', leave);
  if (!failed.length) return;
  setHidden(failed.map(({ id }) => id), false);
  toast(text('failed'));
}

// A page that is left may still send some requests. The next gallery in this tab sends the others.
const mostWhenLeaving = 50;
function leaveDeletions(orders) {
  stored.put('pentimento-deleted', JSON.stringify(orders.map(({ id }) => id)));
  for (const order of orders.slice(0, mostWhenLeaving)) removeOne(order).catch(() => {});
  const rest = orders.slice(mostWhenLeaving);
  if (rest.length) stored.put('pentimento-delete-rest', JSON.stringify(rest));
}

// MARK: Tags

let tags = [];

async function loadTags() {
  try {
    const { uid: of } = await visitor();
    if (!of) return;
    const { items } = await get(`v1/users/${encodeURIComponent(of)}/tags`);
    tags = items.map(({ name }) => name);
    showTags();
  } catch { /* the list of drawings reports the problem */ }
}

function showTags() {
  const named = wantedTag && !tags.includes(wantedTag) ? [wantedTag, ...tags] : tags;
  tagField.replaceChildren(tagField.options[0], ...named.map((tag) => make('option', { value: tag }, tag)));
  tagField.value = wantedTag;
  tagField.hidden = !named.length || Boolean(wantedText);
  sortField.hidden = Boolean(wantedText);
  selection.knownTags = tags;
}

// MARK: Selecting

const selection = new Selection({
  list,
  // Drawings that only this device has cannot be selected.
  drawings: () => allDrawings().filter(({ isKept }) => !isKept),
  path: (id) => `v1/users/${encodeURIComponent(uid)}/drawings/${encodeURIComponent(id)}`,
  remove: offerUndo,
  // Drawings without the shown tag leave the list.
  retagged: async (drawings) => {
    await loadTags();
    if (wantedTag && drawings.some((one) => !one.tags.includes(wantedTag))) {
      await start({ wanted: allDrawings().length, top: scrollY });
    }
  },
});

sortField.value = wantedSort;
sortField.addEventListener('change', () => look({ sort: sortField.value === sorts[0] ? '' : sortField.value }));
tagField.addEventListener('change', () => look({ tag: tagField.value }, !wantedTag));

// MARK: Check-ins and diary

const journal = document.getElementById('journal');
const options = document.getElementById('more');
options.append(icon('dots'));
document.getElementById('select').prepend(icon('check'));
const showJournal = () => {
  journal.checked = window.journal.isWanted;
  options.parentElement.hidden = !window.journal.isServed;
};
journal.addEventListener('change', () => window.journal.want(journal.checked));
addEventListener('journalchange', showJournal);
showJournal();

frame('gallery');
hideDeleted();
takeDeletion();
showTags();
loadTags();
removeAll(stored.takeList('pentimento-delete-rest'));
start({ wanted: place?.count, top: place?.top });
// The provider for signing in has led back here without a sign-in.
const refused = query.get('sign-in');
if (refused) {
  query.delete('sign-in');
  history.replaceState(history.state, '', location.pathname + (String(query) && `?${query}`));
  toast(t(refused === 'busy' ? 'signInBusy' : 'signInRefused'));
}
