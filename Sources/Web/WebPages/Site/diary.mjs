// Diary: check-ins with their drawings, newest first.
import { get, own, picture, send, user } from './api.mjs';
import { onChanges } from './changes.mjs';
import { startSending, waitingCheckIns } from './device.mjs';
import {
  blank,
  button,
  frame,
  icon,
  language,
  make,
  mark,
  onLanguage,
  shown,
  styled,
  t,
  text,
  toast,
} from './shared.mjs';

// The number of requested check-ins: at first, and after each press of the button. The last is the
// server's maximum.
const counts = [20, 60, 120, 200];
const dropsPerDay = 5;
const undoSeconds = 10;
// Longer journals are truncated until the viewer expands them.
const journalStart = { characters: 480, lines: 7 };

const find = (id) => document.getElementById(id);

// `cards` is null until they are loaded; `waiting` contains check-ins that only this device has.
const state = { uid: null, step: 0, cards: null, week: [], waiting: [], problem: null };

// MARK: Loading

let turn = 0;

// Check-ins that are hidden, because they are being deleted.
const leaving = new Set();

async function load(step = state.step) {
  const mine = ++turn;
  let loaded;
  try {
    const { uid } = await user();
    const waiting = await waitingCheckIns(uid);
    Object.assign(state, { uid, waiting });
    const { from, to } = thisWeek();
    const period = new URLSearchParams({ from: from.toISOString(), to: to.toISOString(), limit: '500' });
    const [cards, week] = await Promise.all([
      cardsOf(counts[step]),
      get(await own(`mood_checkins?${period}`)),
    ]);
    loaded = { cards: cards.items, week: week.items, step, problem: null };
  } catch (problem) {
    loaded = { problem };
  }
  if (mine !== turn) return;
  Object.assign(state, loaded);
  render();
}

// The cards for the viewer's days. If the server does not know the browser's time zone, its offset
// is used.
async function cardsOf(count) {
  const ask = async (zone) => get(await own(`cards?checkIns=${count}&timeZone=${encodeURIComponent(zone)}`));
  try {
    return await ask(Intl.DateTimeFormat().resolvedOptions().timeZone ?? offset());
  } catch (problem) {
    if (problem.field !== 'timeZone') throw problem;
    return ask(offset());
  }
}

function offset() {
  const minutes = -new Date().getTimezoneOffset();
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

// The viewer's week, from Monday on.
function thisWeek() {
  const now = new Date();
  const day = (number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - (now.getDay() + 6) % 7 + number);
  return { from: day(0), to: day(7), days: Array.from({ length: 7 }, (_, number) => day(number)) };
}

// MARK: What the page shows

// A waiting check-in may have reached the server although the response was lost.
function waitingNow() {
  const known = new Set((state.cards ?? []).map((card) => card.checkIn?.id));
  return state.waiting.filter(({ id }) => !known.has(id)).map(({ id, fields }) => ({
    date: fields.createdAt,
    checkIn: { ...fields, id },
    drawings: [],
    shown: 0,
    isWaiting: true,
  }));
}

// The cards of the server and of this device. A check-in that is being deleted shows only its
// drawings.
function cardsNow() {
  const cards = [];
  for (const card of [...state.cards ?? [], ...waitingNow()]) {
    if (!leaving.has(card.checkIn?.id)) cards.push(card);
    else if (card.drawings.length > 0) cards.push({ ...card, checkIn: null, date: card.drawings[0].createdAt });
  }
  return cards.sort((a, b) => new Date(b.date) - new Date(a.date));
}

function render() {
  const isLoading = !state.cards && !state.problem;
  const cards = isLoading ? [] : cardsNow();
  const hasWeek = isLoading || Boolean(state.cards && cards.length > 0);
  find('week').hidden = find('this-week').hidden = !hasWeek;
  find('cards').setAttribute('aria-busy', String(isLoading));
  if (isLoading) return renderLoading();
  renderNotice(cards);
  if (hasWeek) renderWeek();
  renderCards(cards);
  renderMore();
}

function renderLoading() {
  find('notice').replaceChildren(text('diaryLoading', 'p', { class: 'unseen', role: 'status' }));
  const day = () =>
    make(
      'li',
      { class: 'is-loading', 'aria-hidden': 'true' },
      make('div', { class: 'drops' }, make('span', { class: 'none' })),
      make('span', { class: 'bone' }),
    );
  const card = () =>
    make(
      'div',
      { class: 'skeleton card', 'aria-hidden': 'true' },
      make('span', { class: 'bone' }),
      make('span', { class: 'bone wide' }),
      make('span', { class: 'bone line' }),
    );
  find('week').replaceChildren(...Array.from({ length: 7 }, day));
  find('cards').replaceChildren(...Array.from({ length: 3 }, card));
  more.hidden = end.hidden = true;
}

function renderNotice(cards) {
  const link = (address, key, look, ...before) =>
    make('a', { class: `button ${look}`, href: address }, ...before, text(key));
  if (state.problem && !state.cards) {
    const retry = make('button', { class: 'button primary', type: 'button', onclick: () => reload() }, t('retry'));
    retry.dataset.t = 'retry';
    find('notice').replaceChildren(blank({ title: 'diaryError', hint: 'diaryErrorHint', isFailure: true }, retry));
  } else if (cards.length === 0) {
    find('notice').replaceChildren(
      blank(
        { art: mark('wash'), key: 'diaryEmpty' },
        link('checkin', 'checkin', 'primary'),
        link('draw', 'draw', 'lined', icon('pen')),
      ),
    );
  } else {
    find('notice').replaceChildren();
  }
}

// Returns from an error to the blank sheets.
function reload() {
  Object.assign(state, { cards: null, problem: null });
  render();
  find('main').focus();
  load();
}

// MARK: The week

const depth = (checkIn) => 0.18 + 0.72 * Math.min(1, Math.max(0, Number(checkIn.colorIntensity) || 0));

// Colours come from apps, so only valid ones are used.
const hue = (checkIn) => /^#[0-9a-f]{6}$/i.test(checkIn.colorHex ?? '') ? checkIn.colorHex : null;

function renderWeek() {
  const { from, to, days } = thisWeek();
  const all = [...state.week, ...waitingNow().map((card) => card.checkIn)]
    .filter((checkIn) => !leaving.has(checkIn.id))
    .map((checkIn) => ({ ...checkIn, date: new Date(checkIn.createdAt) }))
    .filter(({ date }) => date >= from && date < to)
    .sort((a, b) => a.date - b.date);
  const today = new Date().toDateString();
  find('week').replaceChildren(...days.map((day, index) => {
    const ours = all.filter(({ date }) => date.toDateString() === day.toDateString());
    const latest = ours.slice(-dropsPerDay);
    const drops = latest.map((checkIn, place) => {
      // Without a colour, the drop is grey, and dark enough to be visible.
      const look = { '--depth': hue(checkIn) ? depth(checkIn) : 0.5 };
      if (hue(checkIn)) look['--hue'] = hue(checkIn);
      const kind = isPale(checkIn) ? 'pigment pale' : 'pigment';
      return styled(mark(`drop${(index + place) % 3 + 1}`, { class: kind }), look);
    });
    const rest = ours.length - latest.length;
    const names = new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' })
      .format(ours.map(({ emotion }) => emotion ? t(emotion) : t('unnamed')));
    return make(
      'li',
      { 'aria-current': day.toDateString() === today && 'date' },
      styled(
        make(
          'div',
          { class: 'drops', 'aria-hidden': 'true' },
          ...drops,
          drops.length === 0 ? make('span', { class: 'none' }) : '',
          rest > 0 ? make('span', { class: 'small number' }, `+${shown.number(rest)}`) : '',
        ),
        { '--overlap': `${[0, 0, 0.25, 0.75, 1, 1.25][latest.length]}rem` },
      ),
      make('span', { class: 'small name wide', 'aria-hidden': 'true' }, shown.weekday(day, 'short')),
      make('span', { class: 'small name narrow', 'aria-hidden': 'true' }, shown.weekday(day, 'narrow')),
      make('span', { class: 'unseen' }, `${shown.weekday(day)}: ${names || t('noCheckin')}`),
    );
  }));
}

function isPale(checkIn) {
  return hue(checkIn) && contrast(blend(sheets.light, parts(checkIn), 0.7 * depth(checkIn)), sheets.light) < 1.1;
}

// MARK: Cards

// Elements of unchanged cards are kept, with their pictures and the focus.
let elements = new Map();
const readOn = new Set();

function renderCards(cards) {
  const next = new Map();
  for (const card of cards) {
    const { checkIn, drawings, isWaiting } = card;
    const key = JSON.stringify([language, card.date, checkIn, drawings.map(({ id }) => id), card.shown, isWaiting]);
    next.set(key, elements.get(key) ?? cardElement(card));
  }
  elements = next;
  const list = find('cards');
  const wanted = [...next.values()];
  const kept = new Set(wanted);
  for (const old of [...list.children]) if (!kept.has(old)) old.remove();
  wanted.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
}

function cardElement(card) {
  const { checkIn } = card;
  const date = new Date(card.date);
  const day = shown.day(date);
  const when = checkIn ? `${day} · ${shown.time(date)}` : day;
  const time = make(
    'time',
    { class: 'number', datetime: date.toISOString() },
    make('span', {}, checkIn ? `${day} ·` : day),
    ...checkIn ? [' ', make('span', {}, shown.time(date))] : [],
  );
  const keptHere = card.isWaiting ? text('keptHere', 'span', { class: 'kept-here small' }) : '';
  const header = make('header');
  const words = make('div', { class: 'text' }, header);
  // A check-in without an emotion has its date as its title.
  const title = checkIn ? checkIn.emotion && t(checkIn.emotion) : t('drawings');
  if (title) {
    header.append(
      make('p', { class: 'when small' }, time, keptHere),
      make('h2', { dir: 'auto', class: title.length > 40 ? 'long' : '' }, title),
    );
  } else {
    header.append(make('h2', {}, time));
    if (card.isWaiting) header.append(make('p', { class: 'when' }, keptHere));
  }
  const tags = [checkIn?.topic, checkIn?.evaluation].filter(Boolean).map((tag) => make('bdi', {}, t(tag)));
  if (tags.length > 0) {
    header.append(make('p', { class: 'tags' }, ...tags.flatMap((tag, index) => index > 0 ? [' · ', tag] : [tag])));
  }
  if (checkIn?.journal) words.append(...journalElements(checkIn));
  const pictures = pictureList(card);
  const look = checkIn ? `sheet card${pictures ? ' has-pictures' : ''}` : 'card orphan';
  return make(
    'article',
    { class: look, tabindex: '-1' },
    checkIn && hue(checkIn) ? stain(checkIn) : '',
    words,
    pictures ?? '',
    checkIn && !card.isWaiting ? deleteButton(checkIn.id, when) : '',
  );
}

function journalElements({ id, journal }) {
  const quote = make('blockquote', { class: 'journal', dir: 'auto' }, journal);
  if (journal.length < journalStart.characters && journal.split('\n').length <= journalStart.lines) return [quote];
  const more = make('button', { class: 'button read', type: 'button' });
  const show = () => {
    const isOpen = readOn.has(id);
    quote.classList.toggle('is-cut', !isOpen);
    more.setAttribute('aria-expanded', String(isOpen));
    more.dataset.t = isOpen ? 'showLess' : 'showAll';
    more.textContent = t(more.dataset.t);
  };
  more.addEventListener('click', () => {
    if (!readOn.delete(id)) readOn.add(id);
    show();
  });
  show();
  return [quote, more];
}

function pictureList({ drawings, shown: count }) {
  const visible = drawings.slice(0, count);
  if (visible.length === 0) return null;
  const rest = drawings.length - visible.length;
  return make(
    'ul',
    { class: 'pictures' },
    ...visible.map((drawing, index) => {
      const hasRest = rest > 0 && index === visible.length - 1;
      const date = new Date(drawing.createdAt);
      const label = t('drawingAt', { when: `${shown.day(date)} ${shown.time(date)}` });
      return make(
        'li',
        {},
        make(
          'a',
          {
            class: 'sheet',
            href: `drawing?id=${encodeURIComponent(drawing.id)}`,
            'aria-label': hasRest ? `${label}, ${t('rest', { n: shown.number(rest) })}` : label,
          },
          picture(state.uid, drawing.id, { width: 192, isSmall: true }),
          hasRest ? make('span', { class: 'rest number', 'aria-hidden': 'true' }, `+${shown.number(rest)}`) : '',
        ),
      );
    }),
  );
}

// MARK: Stains

const sheets = { light: [0xff, 0xfd, 0xf8], dark: [0x25, 0x21, 0x1c] };
const mutedTexts = { light: [0x65, 0x5d, 0x52], dark: [0xbb, 0xb0, 0x9f] };
// The density of the wash's darkest parts, except for a few pixels.
const washDensity = 0.95;

// Red, green and blue from 0 to 255.
const parts = (checkIn) => [1, 3, 5].map((place) => parseInt(hue(checkIn).slice(place, place + 2), 16));

const blend = (ground, colour, part) => ground.map((value, index) => value + (colour[index] - value) * part);

function luminance(colour) {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

// The opacity of a stain. Colours near the text's own are thinned until the text on them stays
// readable (4.5:1).
function opacity(checkIn, theme) {
  const own = parts(checkIn);
  const pigment = theme === 'dark' ? blend(own, [0xff, 0xf6, 0xe6], 0.2) : own;
  let part = 0.34 * depth(checkIn) * (theme === 'dark' ? 0.72 : 1);
  while (contrast(blend(sheets[theme], pigment, part * washDensity), mutedTexts[theme]) < 4.6) part *= 0.95;
  return part.toFixed(3);
}

function stain(checkIn) {
  const wash = styled(mark('wash', { class: 'stain pigment' }), {
    '--hue': hue(checkIn),
    '--light-stain': opacity(checkIn, 'light'),
    '--dark-stain': opacity(checkIn, 'dark'),
  });
  return make('div', { class: 'ground', 'aria-hidden': 'true' }, wash);
}

// MARK: More

const more = make('button', { class: 'button lined', type: 'button', 'data-t': 'diaryMore', onclick: loadMore });
const end = make('p', { class: 'muted' });

function renderMore() {
  const count = state.cards?.filter((card) => card.checkIn).length ?? 0;
  const isFull = count >= counts[state.step];
  const isLast = state.step === counts.length - 1;
  more.textContent = t('diaryMore');
  end.textContent = t('diaryEnd', { n: shown.number(counts[state.step]) });
  more.hidden = !isFull || isLast;
  end.hidden = !isFull || !isLast;
}

let isLoadingMore = false;

async function loadMore() {
  if (isLoadingMore) return;
  isLoadingMore = true;
  more.setAttribute('aria-disabled', 'true');
  const before = new Set(elements.values());
  await load(state.step + 1);
  isLoadingMore = false;
  more.setAttribute('aria-disabled', 'false');
  if (state.problem) toast(t('failed'));
  else [...elements.values()].find((element) => !before.has(element))?.focus({ preventScroll: true });
}

// MARK: Deleting

// The check-in that will be deleted when the time for undo is over: { id, path, timer, removeToast
// }.
let deletion = null;

function deleteButton(id, when) {
  const opener = button('trash', 'deleteNow', { class: 'delete', 'data-check-in': id, onclick: () => askToDelete(id) });
  // The label names its check-in, so it is written with the card, not with the words of the page.
  opener.removeAttribute('data-label');
  opener.setAttribute('aria-label', t('deleteCheckin', { when }));
  return opener;
}

let asked;

function askToDelete(id) {
  asked = id;
  find('delete-dialog').showModal();
}

async function startDeletion(id) {
  finishDeletion();
  const place = [...find('cards').children].findIndex((card) => card.contains(document.activeElement));
  const mine = { id, path: await own(`mood_checkins/${encodeURIComponent(id)}`) };
  deletion = mine;
  leaving.add(id);
  render();
  mine.removeToast = toast(
    t('checkinDeleted'),
    { action: t('undo'), run: () => undoDeletion(mine), seconds: undoSeconds + 5 },
  );
  document.querySelector('.toast .button')?.focus();
  mine.timer = setTimeout(() => {
    // The focus may be on the button that is being removed.
    if (document.activeElement?.closest('.toast')) focusCard(place);
    finishDeletion();
  }, undoSeconds * 1000);
}

function focusCard(place) {
  const cards = find('cards').children;
  (cards[Math.max(0, Math.min(place, cards.length - 1))] ?? find('main')).focus({ preventScroll: true });
}

function undoDeletion({ id, timer }) {
  clearTimeout(timer);
  if (deletion?.id === id) deletion = null;
  leaving.delete(id);
  render();
  find('cards').querySelector(`[data-check-in="${CSS.escape(id)}"]`)?.focus();
}

// Deletes it permanently: after the time for undo, before another deletion, or when the page is
// left.
async function finishDeletion({ keepalive } = {}) {
  if (!deletion) return;
  const { id, path, timer, removeToast } = deletion;
  deletion = null;
  clearTimeout(timer);
  removeToast();
  try {
    await send('DELETE', path, { keepalive });
    await load();
  } catch (problem) {
    if (problem.status !== 404) toast(t('notDeleted'));
  }
  leaving.delete(id);
  // After a failed refresh, the list still contains the card.
  if (state.problem) state.cards = state.cards?.filter((card) => card.checkIn?.id !== id);
  render();
}

find('delete-now').addEventListener('click', () => {
  find('delete-dialog').close();
  startDeletion(asked);
});
addEventListener('pagehide', () => finishDeletion({ keepalive: true }));

// MARK: Start

// Sends the data that waits on this device, and shows it as sent.
async function sendWaiting() {
  try {
    if (await startSending((await user()).uid)) await load();
  } catch { /* it keeps waiting */ }
}

find('more').append(more, end);
frame('diary');
onLanguage(render);
render();
load().then(sendWaiting);
addEventListener('online', () => (state.problem ? load() : Promise.resolve()).then(sendWaiting));
onChanges(async () => {
  if (!state.cards && !state.problem) return false;
  // A deletion ends with loading.
  if (!deletion) await load();
  return undefined;
});
