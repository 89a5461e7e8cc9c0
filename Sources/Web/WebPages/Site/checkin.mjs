// Check-in: the current mood. Every field may stay empty.
import { get, own, picture, send, user } from './api.mjs';
import { keepCheckIn, startSending } from './device.mjs';
import { hexadecimal } from './requests.mjs';
import { frame, icon, language, make, mark, onLanguage, shown, styled, t, text } from './shared.mjs';

const hues = {
  sun: '#F0AE22',
  coral: '#E4604E',
  rose: '#DE7FA0',
  plum: '#7B3F75',
  sky: '#3F7FC0',
  lake: '#1F8A7C',
  leaf: '#6E9E3E',
  sienna: '#B4532A',
  earth: '#7A5230',
  mist: '#98A0AE',
  charcoal: '#4A4A52',
  night: '#2A3560',
};
const choices = {
  emotion: [
    'joy',
    'love',
    'gratitude',
    'excitement',
    'calm',
    'content',
    'hope',
    'pride',
    'relief',
    'trust',
    'surprise',
    'neutral',
    'boredom',
    'tired',
    'lonely',
    'sadness',
    'worry',
    'stress',
    'anger',
    'fear',
    'shame',
    'guilt',
  ],
  topic: ['emotional', 'physical', 'social', 'occupational', 'intellectual', 'spiritual', 'environmental', 'financial'],
  evaluation: ['welcome', 'accept', 'mixed', 'unsure', 'resist'],
};
// The strength of a colour that was chosen without one.
const usualStrength = 60;
// The maximum size of a journal on the server, in bytes of UTF-8, and the remaining size at which
// the page shows a notice.
const journalLimit = 100_000;
const journalNotice = 3_000;
const drawingsShown = 5;

const find = (id) => document.getElementById(id);
const form = find('form');

// MARK: The draft

// The draft survives a reload and a visit to the drawing page. Its identifier makes sending it
// twice harmless.
const draftKey = 'pentimento-check-in';
let draft = storedDraft() ?? emptyDraft();

function emptyDraft() {
  return {
    id: newIdentifier(),
    uid: null,
    colour: '',
    strength: null,
    emotion: '',
    topic: '',
    evaluation: '',
    journal: '',
    // Chosen drawings, and drawings that were made for this check-in and not chosen.
    chosen: [],
    left: [],
  };
}

// Browsers provide `randomUUID` only in secure contexts.
function newIdentifier() {
  return crypto.randomUUID?.() ?? hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

function storedDraft() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(draftKey));
    return stored?.id ? { ...emptyDraft(), ...stored } : null;
  } catch {
    return null;
  }
}

function storeDraft() {
  try {
    sessionStorage.setItem(draftKey, JSON.stringify(draft));
  } catch { /* without storage, it lasts until the page is closed */ }
}

function change(values) {
  Object.assign(draft, values);
  storeDraft();
  show();
}

// MARK: The form

function build() {
  Object.entries(hues).forEach(([name, colour], index) => {
    const input = make('input', {
      type: 'radio',
      name: 'colour',
      value: colour,
      'data-label': name,
      'aria-label': t(name),
      title: t(name),
    });
    find('hues').append(styled(
      make('label', { class: 'choice hue' }, input, mark(`drop${index % 3 + 1}`, { class: 'pigment' })),
      { '--own': colour },
    ));
  });
  for (const [name, keys] of Object.entries(choices)) {
    find(name).append(
      ...keys.map((key) =>
        make('label', { class: 'choice chip' }, make('input', { type: 'radio', name, value: key }), text(key))
      ),
    );
  }
  find('picks').append(make('a', { class: 'pick-new', 'data-draw': '', href: 'draw' }, icon('pen'), text('drawNew')));
  document.querySelector('#kept [data-draw]').prepend(icon('pen'));
  find('journal').value = draft.journal;
}

// Fills the form with the draft.
function show() {
  for (const input of form.querySelectorAll('input[type=radio]')) input.checked = draft[input.name] === input.value;
  for (const input of form.querySelectorAll('input[type=checkbox]')) input.checked = draft.chosen.includes(input.value);
  const { colour, strength } = draft;
  const slider = find('strength');
  slider.value = strength ?? usualStrength;
  slider.setAttribute(
    'aria-valuetext',
    strength === null && !colour
      ? t('notChosen')
      : new Intl.NumberFormat(language, { style: 'percent' }).format(slider.value / 100),
  );
  const part = slider.value / 100;
  const depth = colour ? 0.14 + 0.76 * part : strength === null ? 0.16 : 0.1 + 0.3 * part;
  for (const place of [form, find('kept')]) {
    if (colour) styled(place, { '--hue': colour });
    else place.style.removeProperty('--hue');
  }
  styled(form, { '--depth': depth });
  find('hue').textContent = colour ? t(Object.keys(hues).find((name) => hues[name] === colour) ?? colour) : '';
  find('label').textContent = draft.emotion && t(draft.emotion);
  for (const link of document.querySelectorAll('[data-draw]')) {
    link.href = `draw?checkin=${encodeURIComponent(draft.id)}`;
  }
  showRoom();
}

// The remaining size of the journal, when it is nearly full. The limit counts bytes: Chinese has
// three per character.
function showRoom() {
  const rest = journalRest();
  const perCharacter = Math.max(1, (journalLimit - rest) / Math.max(1, draft.journal.trim().length));
  const room = find('room');
  const number = shown.number(Math.ceil(Math.abs(rest) / perCharacter));
  room.textContent = rest >= journalNotice ? '' : t(rest < 0 ? 'journalOver' : 'journalRest', { n: number });
  room.classList.toggle('danger', rest < 0);
  find('journal').setAttribute('aria-invalid', String(rest < 0));
}

function journalRest() {
  const journal = draft.journal.trim();
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (journal.length * 3 <= journalLimit - journalNotice) return journalLimit;
  return journalLimit - new TextEncoder().encode(journal).length;
}

// Selects a choice, or deselects it if it was selected.
const press = ({ name, value }) => change({ [name]: draft[name] === value ? '' : value });

form.addEventListener('click', ({ target }) => {
  if (target.type === 'radio') press(target);
});
form.addEventListener('input', ({ target }) => {
  if (target.id === 'strength') change({ strength: Number(target.value) });
  if (target.id === 'journal') change({ journal: target.value });
  if (target.type === 'checkbox') choose(target.value, target.checked);
});
form.addEventListener('keydown', (event) => {
  const { target, key, repeat } = event;
  if (!['radio', 'checkbox', 'range'].includes(target.type)) return;
  if (key === 'Backspace' || key === 'Delete') {
    if (target.type === 'radio') change({ [target.name]: '' });
    if (target.type === 'checkbox') choose(target.value, false);
    if (target.type === 'range') change({ strength: null });
  } else if (target.type === 'radio' && key === ' ') {
    // Browsers send no event for Space on a selected choice.
    if (!repeat) press(target);
  } else if (key === 'Enter') {
    // Enter selects a choice here; in most forms it would submit.
    if (!repeat && target.type === 'radio') press(target);
    if (!repeat && target.type === 'checkbox') choose(target.value, !target.checked);
  } else {
    return;
  }
  event.preventDefault();
});
form.addEventListener('keyup', (event) => {
  if (event.target.type === 'radio' && event.key === ' ') event.preventDefault();
});

// MARK: Drawings

let offered = [];

function choose(id, isChosen) {
  const without = (list) => list.filter((one) => one !== id);
  const isOurs = offered.some((drawing) => drawing.id === id && drawing.checkinId === draft.id);
  change({
    chosen: isChosen ? [...without(draft.chosen), id] : without(draft.chosen),
    left: !isChosen && isOurs ? [...without(draft.left), id] : without(draft.left),
  });
}

// Offers the latest drawings since yesterday that belong to no other check-in. Those made for this
// one are selected.
async function offerDrawings(uid) {
  const now = new Date();
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).toISOString();
  const { items } = await get(await own(`drawings?limit=60&from=${encodeURIComponent(from)}`));
  const free = items.filter((drawing) => !drawing.checkinId || drawing.checkinId === draft.id);
  const ours = free.filter((drawing) => drawing.checkinId === draft.id && !draft.left.includes(drawing.id));
  const chosen = [...new Set([...draft.chosen, ...ours.map((drawing) => drawing.id)])]
    .filter((id) => free.some((drawing) => drawing.id === id));
  const others = free.filter((drawing) => !chosen.includes(drawing.id))
    .slice(0, Math.max(0, drawingsShown - chosen.length));
  offered = free.filter((drawing) => chosen.includes(drawing.id) || others.includes(drawing));
  for (const old of find('picks').querySelectorAll('.pick')) old.remove();
  find('picks').prepend(
    ...offered.map((drawing) =>
      make(
        'label',
        { class: 'choice sheet pick' },
        make('input', { type: 'checkbox', value: drawing.id }),
        picture(uid, drawing.id, { width: 128, isSmall: true }),
        make('span', { class: 'tick' }, icon('check')),
      )
    ),
  );
  change({ chosen });
  nameDrawings();
}

function nameDrawings() {
  const today = new Date().toDateString();
  for (const drawing of offered) {
    const date = new Date(drawing.createdAt);
    const when = date.toDateString() === today ? shown.time(date) : `${shown.weekday(date)} ${shown.time(date)}`;
    const input = form.querySelector(`.pick input[value="${CSS.escape(drawing.id)}"]`);
    input?.setAttribute('aria-label', t('drawingAt', { when }));
  }
}

// MARK: Keeping

function fields() {
  const { colour, strength, emotion, topic, evaluation } = draft;
  const journal = draft.journal.trim();
  const now = new Date();
  return {
    colorHex: colour,
    colorIntensity: (strength ?? (colour ? usualStrength : 0)) / 100,
    emotion,
    topic,
    evaluation,
    ...(journal && { journal }),
    createdAt: now.toISOString(),
    timezoneOffsetMinutes: -now.getTimezoneOffset(),
  };
}

let isKeeping = false;

async function keep() {
  if (isKeeping) return;
  if (journalRest() < 0) return find('journal').focus();
  setKeeping(true);
  find('problem').hidden = true;
  try {
    const { uid } = await user();
    const state = await keepCheckIn(uid, draft.id, fields(), draft.chosen);
    releaseDrawings(draft.left);
    showKept(uid, state);
  } catch {
    find('problem').textContent = t('keepFailed');
    find('problem').hidden = false;
    find('keep').scrollIntoView({ block: 'nearest' });
  }
  setKeeping(false);
}

function setKeeping(isNow) {
  isKeeping = isNow;
  const button = find('keep');
  button.setAttribute('aria-disabled', String(isNow));
  button.dataset.t = isNow ? 'saving' : 'keep';
  button.textContent = t(button.dataset.t);
}

// Detaches drawings that were made for this check-in and then not chosen.
function releaseDrawings(drawings) {
  for (const id of drawings) {
    own(`drawings/${encodeURIComponent(id)}`)
      .then((path) => send('PATCH', path, { body: { checkinId: null, isFromCheckIn: false }, keepalive: true }))
      .catch(() => {/* then the drawing stays with the check-in */});
  }
}

function showKept(uid, state) {
  try {
    sessionStorage.removeItem(draftKey);
  } catch { /* nothing was stored */ }
  const hint = find('kept-hint');
  const say = (key) => {
    hint.dataset.t = key;
    hint.textContent = t(key);
  };
  const sent = draft.chosen.length > 0 ? 'keptHint' : 'keptAlone';
  say(state === 'kept' ? 'keptOffline' : sent);
  find('asking').hidden = true;
  find('kept').hidden = false;
  scrollTo(0, 0);
  document.querySelector('#kept h1').focus({ preventScroll: true });
  if (state !== 'kept') return;
  addEventListener('online', async () => {
    if (await startSending(uid)) say(sent);
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  keep();
});

// MARK: Start

async function start() {
  const { uid } = await user();
  // On a shared device, the draft belongs to its author.
  if (draft.uid && draft.uid !== uid) {
    draft = emptyDraft();
    find('journal').value = '';
  }
  change({ uid });
  await offerDrawings(uid);
}

build();
frame('checkin');
show();
onLanguage(() => {
  show();
  nameDrawings();
  if (!find('problem').hidden) find('problem').textContent = t('keepFailed');
});
// Offline or signed out, no drawings can be chosen; everything else works.
const refresh = () => start().catch(() => {});
refresh();
// The browser may keep this page in memory while the viewer draws.
addEventListener('pageshow', (event) => {
  if (event.persisted && find('kept').hidden) refresh();
});
user().then(({ uid }) => startSending(uid)).catch(() => {});
