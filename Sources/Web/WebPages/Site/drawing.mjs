// One drawing: its replay, facts about it, and actions on it.
import { get, own, picture, Problem, send, user } from './api.mjs';
import { onChanges } from './changes.mjs';
import { waitingDrawings } from './device.mjs';
import { address as pageAddress, drawingPath, lookOften, ownerIn, Together } from './members.mjs';
import {
  blank,
  frame,
  icon,
  language,
  make,
  mark,
  named,
  onLanguage,
  query,
  shown,
  styled,
  t,
  text,
  toast,
} from './shared.mjs';
import { DrawingThread } from './thread.mjs';

const id = named('id') ?? '';
const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]));
const shareSeconds = 7 * 24 * 3600;
// The server renders wider pictures only for signed links.
const widest = 2048;

let drawing;
// The user whose drawing it is; undefined for the user of this page. A member's role is 'writer' or 'reader'.
let owner = ownerIn(query);
let together;
// Additional facts: { emotion, color } of its check-in, and facts from its recording.
let feeling;
let strokes;
let inks = [];
let seconds;
let links = [];
let player;
let poster;
// Who has drawn, if several have, and whether strokes have their colours.
let people = [];
let isByPerson = false;

const date = () => (drawing?.createdAt ? new Date(drawing.createdAt) : null);

// MARK: Loading

async function start() {
  showOnly('waiting');
  let uid;
  try {
    ({ uid } = await user());
    if (!id) throw new Problem(404);
    if (owner === uid) owner = undefined;
    drawing = await get(await path());
    showPlayer(owner ?? uid);
  } catch (error) {
    // A drawing that only this device has is opened on the drawing page.
    const kept = await waitingDrawings(uid);
    if (!owner && kept.some((one) => one.id === id)) return location.replace(pageAddress('draw', id));
    return showFailure(error);
  }
  showOnly('found');
  write();
  showTogether(uid);
  await Promise.all([loadFeeling(), loadLinks(), loadPeople()]);
}

const path = async (rest = '') => drawingPath(owner ?? (await user()).uid, id, rest);

// The members; for a member, nothing that is the owner's.
async function showTogether(uid) {
  const isOwner = !owner;
  for (const name of ['share', 'delete', 'tags', 'tags-label']) part[name].hidden = !isOwner;
  part['draw-on'].href = pageAddress('draw', id, owner);
  part['draw-on'].hidden = !isOwner;
  part.title.readOnly = !isOwner;
  together ??= new Together({
    box: part.together,
    owner: owner ?? uid,
    id,
    isOwner,
    left: () => location.assign('./'),
  });
  await together.load();
  if (!isOwner) showRole();
}

function showRole() {
  const isWriter = together.members.some((one) => one.isYou && one.role === 'writer');
  part['draw-on'].hidden = !isWriter;
  part.title.readOnly = !isWriter;
}

function showOnly(name) {
  for (const each of ['waiting', 'found', 'other']) part[each].hidden = each !== name;
  part.main.setAttribute('aria-busy', String(name === 'waiting'));
}

function showFailure({ status }) {
  const isMissing = status === 404 || status === 400 || status === 405 || (owner && status === 403);
  const key = isMissing ? 'missing' : status === 0 ? 'drawingOffline' : 'drawingError';
  const act = isMissing ? make('a', { class: 'button primary', href: './' }, text('back')) : make('button', {
    class: 'button primary',
    type: 'button',
    onclick: () => {
      start();
      part.main.focus({ preventScroll: true });
    },
  }, text('retry'));
  const art = make('div', { class: 'art sheet', 'aria-hidden': 'true' }, mark('watercolor', { class: 'pale' }));
  const box = blank(
    { art, title: key, hint: status === 403 ? 'notMemberHint' : `${key}Hint`, isFailure: !isMissing },
    act,
  );
  box.querySelector('h2').replaceWith(text(key, 'h1'));
  part.other.replaceChildren(box);
  showOnly('other');
}
addEventListener('online', () => {
  if (!part.other.hidden) start();
});
// A changed recording is loaded again. A title or tags only have to be written.
const lookAgain = async () => {
  if (!part.waiting.hidden) return false;
  if (part.found.hidden) return undefined;
  let next;
  try {
    next = await get(await path());
  } catch (error) {
    if (error.status === 404 || (owner && error.status === 403)) showFailure(error);
    return undefined;
  }
  const isOther = next.recordingSHA256 !== drawing.recordingSHA256;
  drawing = next;
  if (isOther) {
    poster?.setSource(drawing.recordingSHA256);
    player?.load(player.getAttribute('src'));
  }
  write();
  await Promise.all([loadFeeling(), loadLinks(), loadPeople(), together?.load()]);
  if (owner && together) showRole();
  return undefined;
};
onChanges(lookAgain);
// Changes of another user's drawing are not among this user's.
if (owner) lookOften(lookAgain);

async function loadFeeling() {
  if (owner || !drawing.checkinId || !window.journal.isServed) return;
  try {
    const { emotion, colorHex } = await get(await own(`mood_checkins/${encodeURIComponent(drawing.checkinId)}`));
    feeling = { emotion, color: colorHex };
    write();
  } catch { /* a check-in may have been deleted; the drawing stays */ }
}

async function loadPeople() {
  try {
    ({ people } = await get(await path('/people')));
    write();
  } catch { /* the drawing stays */ }
}

// The colours of people in place of those of ink.
async function showByPerson(isOn) {
  isByPerson = isOn;
  player.setAttribute('src', await path(isOn ? '/by-person.pkd' : '/recording.pkd'));
}

// MARK: Replay

async function showPlayer(uid) {
  // The finished picture is available before the engine, and its shape determines the sheet's.
  poster = picture(uid, id, { width: 1024, loading: 'eager' });
  poster.addEventListener('load', () => {
    styled(part.player, { '--ratio': poster.naturalWidth / poster.naturalHeight });
    player.setAttribute('poster', poster.src);
  });
  // The recording must be drawn on the page's sheet, as in all its pictures.
  player = make('pentimento-drawing', { controls: true, fill: true, background: 'sheet' });
  player.addEventListener('loadedmetadata', () => {
    if (part.note.contains(document.activeElement)) part.main.focus({ preventScroll: true });
    part.note.hidden = true;
    const [, , width, height] = player.region;
    styled(part.player, { '--ratio': width / height });
    readClock(player.clock);
    write();
    player.inks().then((found) => {
      inks = found;
      write();
    }, () => {});
  });
  player.addEventListener('error', showBroken);
  follow();
  part.player.replaceChildren(player);
  player.setAttribute('src', await path('/recording.pkd'));
}

// The steps of the recording: the number of strokes, and the time from the first to the last. A
// pause counts for at most one minute, so that continuing a drawing on another day does not add a
// night.
function readClock({ kinds, recorded, lengths, count }) {
  strokes = kinds.filter((kind) => kind === 0).length;
  seconds = 0;
  for (let step = 0; step < count; step++) {
    const pause = step ? recorded[step] - recorded[step - 1] - lengths[step - 1] : 0;
    seconds += lengths[step] + Math.min(Math.max(pause, 0), 60);
  }
}

function showBroken() {
  part.note.replaceChildren(
    icon('info'),
    text('recordingFailed'),
    make('button', {
      class: 'button lined',
      type: 'button',
      onclick: () => player.load(player.getAttribute('src')),
    }, text('retry')),
  );
  part.note.hidden = false;
}

// The player has no language and no theme of its own.
function follow() {
  player?.setAttribute('theme', window.theme.isDark ? 'dark' : 'light');
  player?.setAttribute('lang', language);
  player?.setAttribute('label', name());
}
addEventListener('themechange', () => {
  poster?.setSource();
  follow();
  writeFiles();
});

// MARK: Words

const name = () =>
  drawing?.title?.trim() || t('drawingAt', {
    when: date() ? `${shown.day(date())} ${shown.time(date())}` : t('galleryUnknownDate'),
  });

function duration(length) {
  const [value, unit] = length < 59.5
    ? [length, 'second']
    : length < 5370
    ? [length / 60, 'minute']
    : [length / 3600, 'hour'];
  return shown.number(Math.max(Math.round(value), 1), { style: 'unit', unit, unitDisplay: 'long' });
}

function write() {
  if (!drawing) return;
  const when = date();
  const day = when ? shown.day(when) : t('galleryUnknownDate');
  const title = drawing.title?.trim();
  document.title = `${title || day} · Pentimento`;
  part.day.textContent = title || day;
  part.time.textContent = title
    ? [day, ...(when ? [shown.time(when)] : [])].join(' · ')
    : when
    ? t('weekdayAndTime', { weekday: shown.weekday(when), time: shown.time(when) })
    : '';
  for (const [key, value] of [['title', title ?? ''], ['tags', (drawing.tags ?? []).join(t('comma'))]]) {
    if (document.activeElement !== part[key]) part[key].value = value;
  }
  part.feeling.hidden = !feeling && !drawing.isFromCheckIn;
  part.feeling.replaceChildren(
    ...(feeling
      ? [styled(mark('drop2', { class: 'pigment' }), { color: feeling.color }), make('span', {}, t(feeling.emotion))]
      : []),
  );
  if (drawing.isFromCheckIn) {
    part.feeling.append(make('span', { class: 'muted' }, (feeling ? '· ' : '') + t('fromCheckin')));
  }
  const facts = [
    ['prompt', drawing.promptUsed],
    ['inksUsed', inks.length > 7 ? t('allInks') : inks.map((ink) => t(ink)).join(t('comma'))],
    ['strokes', strokes && shown.number(strokes)],
    ['took', seconds && duration(seconds)],
  ];
  part.facts.replaceChildren(
    ...facts.filter(([, value]) => value).flatMap(([key, value]) => [
      text(key, 'dt'),
      make('dd', { class: 'number' }, value),
    ]),
  );
  writePeople();
  follow();
  writeLinks();
  writeFiles();
}

function writePeople() {
  part.people.hidden = people.length === 0;
  if (people.length === 0 || part.people.contains(document.activeElement)) return;
  const dot = (color) => styled(make('i', { class: 'dot', 'aria-hidden': 'true' }), { '--person': color });
  const names = people.map(({ number, name: own, color }) =>
    make('li', {}, dot(color), make('span', {}, own || t(number === 0 ? 'ownerName' : 'guestName')))
  );
  const input = make('input', { type: 'checkbox', role: 'switch', id: 'by-person' });
  input.checked = isByPerson;
  input.addEventListener('change', () => showByPerson(input.checked));
  part.people.replaceChildren(
    make('ul', { class: 'people' }, ...names),
    make('label', { class: 'switch' }, text('byPerson'), input),
  );
}

// MARK: Title and tags

// A field is stored when it is left, or with Enter.
async function rename(field) {
  const value = field === part.title ? { title: field.value.trim() || null } : {
    tags: [...new Set(field.value.split(/[,，、]/).map((tag) => tag.trim().slice(0, 66)).filter(Boolean))].slice(
      0,
      32,
    ),
  };
  const [[key, next]] = Object.entries(value);
  const before = drawing[key] ?? (key === 'tags' ? [] : null);
  if (String(before ?? '') === String(next ?? '')) return;
  await during(field, async () => {
    const { title, tags } = await send('PATCH', await path(), { body: value });
    Object.assign(drawing, { title, tags });
    write();
  });
}

part.naming.addEventListener('change', ({ target }) => rename(target));
part.naming.addEventListener('submit', (event) => event.preventDefault());
part.naming.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.isComposing) rename(event.target);
});

// MARK: Shares

const shares = (rest = '') => own(`shares${rest}`);

async function loadLinks() {
  if (owner) return;
  try {
    const { items } = await get(await shares());
    // The response may not contain a link that was created meanwhile.
    const listed = new Set(items.map((share) => share.id));
    links = links.filter((share) => !listed.has(share.id))
      .concat(items.filter((share) => share.drawing === id));
    writeLinks();
  } catch { /* a new link can still be created, and reports the problem */ }
}

// A server without a configured URL omits it.
const address = (share) => new URL(share.url, location.href).href;

async function makeLink() {
  await during(part['make-link'], async () => {
    const title = drawing.title?.trim() || drawing.promptUsed || (date() ? shown.day(date()) : t('drawing'));
    links.unshift(
      await send('POST', await shares(), { body: { drawing: id, view: 'replay', title, seconds: shareSeconds } }),
    );
    writeLinks();
    const field = part.links.querySelector('.field');
    field.focus();
    field.select();
  });
}

async function endLink(share, endButton) {
  await during(endButton, async () => {
    await send('DELETE', await shares(`/${encodeURIComponent(share.id)}`)).catch((error) => {
      if (error.status !== 404) throw error;
    });
    links = links.filter((one) => one !== share);
    writeLinks();
    (part.links.querySelector('.field') ?? part['make-link']).focus();
  });
}

async function copyLink(share, field) {
  try {
    await navigator.clipboard.writeText(address(share));
    toast(text('copied'), { seconds: 3 });
  } catch {
    // Without the clipboard permission, the viewer copies the selected text.
    field.focus();
    field.select();
  }
}

// The links of this drawing. Existing rows are kept, with their focus.
function writeLinks() {
  const rows = new Map([...part.links.children].map((row) => [row.share, row]));
  for (const [share, row] of rows) if (!links.includes(share)) row.remove();
  for (const [index, share] of links.entries()) {
    if (!rows.has(share)) part.links.insertBefore(linkRow(share), part.links.children[index] ?? null);
  }
  for (const row of part.links.children) {
    const { expires } = row.share;
    row.querySelector('.small').textContent = expires ? t('linkEnds', { when: shown.day(new Date(expires)) }) : '';
  }
  part['make-link'].hidden = links.length > 0;
}

function linkRow(share) {
  const field = make('input', {
    class: 'field',
    type: 'text',
    readonly: true,
    value: address(share),
    'data-label': 'link',
    'aria-label': t('link'),
    onfocus: () => field.select(),
  });
  const end = make('button', { class: 'button', type: 'button', onclick: () => endLink(share, end) }, text('revoke'));
  const row = make(
    'li',
    { class: 'link' },
    make(
      'div',
      { class: 'link-row' },
      field,
      make('button', { class: 'button lined', type: 'button', onclick: () => copyLink(share, field) }, text('copy')),
    ),
    make('div', { class: 'link-end' }, make('span', { class: 'muted small number' }), end),
  );
  row.share = share;
  return row;
}

// MARK: Files

const size = make(
  'select',
  { 'data-label': 'size', 'aria-label': t('size'), onchange: () => writeFiles() },
  ...[512, 1024, 2048, 4096].map((width) =>
    make('option', { value: width, selected: width === widest }, `${width} px`)
  ),
);

const files = [
  { end: 'png', address: () => pictureAddress() },
  { end: 'svg', key: 'vectorPicture', icon: 'image' },
  { end: 'pdf', key: 'document', icon: 'book' },
  { end: 'pkd', address: () => path('/recording.pkd'), key: 'recording', icon: 'pen' },
  { end: 'drawing', address: () => path('/archive.drawing'), key: 'archive', icon: 'paper' },
];

// The picture as displayed here, light or dark.
async function pictureAddress() {
  const width = Number(size.value);
  const look = `style=${window.theme.isDark ? 'dark' : 'light'}&background=auto`;
  const rest = `/render?width=${width}&${look}`;
  if (width <= widest) return path(rest);
  const { items: [signed] } = await send('POST', await own('links'), {
    body: { paths: [`drawings/${encodeURIComponent(id)}${rest}`], seconds: 600 },
  });
  // Only the signed query is used: the page may be reached under another host name than the
  // server's own.
  return path(`/render${new URL(signed.url, location.href).search}`);
}

// The date as a file name that all systems accept and that sorts by time.
function fileName(end) {
  const when = date();
  if (!when) return `${id}.${end}`;
  const two = (number) => String(number).padStart(2, '0');
  const day = [when.getFullYear(), two(when.getMonth() + 1), two(when.getDate())].join('-');
  return `${day} ${two(when.getHours())}.${two(when.getMinutes())}.${end}`;
}

// A file's control is a link, which a browser can save, open or copy. A plain click loads it here:
// otherwise the name in the server's response would override ours, and a failure would be shown as
// a page.
async function save(event, file) {
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!isPlain && file.link.getAttribute('href') !== '#') return;
  event.preventDefault();
  await during(event.currentTarget, async () => {
    const address = URL.createObjectURL(await (file.address ? loaded(file.address()) : vectors(file.end)));
    make('a', { href: address, download: fileName(file.end) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
}

const loaded = async (address) => (await send('GET', await address, { isRaw: true })).blob();

// The engine in the page writes vector files: as on white paper, in any theme.
async function vectors(form) {
  const recording = await loaded(path('/recording.pkd'));
  const thread = new DrawingThread(new URL('vector-worker.mjs', import.meta.url), { type: 'module' });
  try {
    const bytes = await thread.ask('write', { recording: new Uint8Array(await recording.arrayBuffer()), form });
    return new Blob([bytes], { type: form === 'svg' ? 'image/svg+xml' : 'application/pdf' });
  } finally {
    thread.end();
  }
}

function makeFiles() {
  // Only owners sign links to larger pictures.
  if (owner) { for (const option of [...size.options]) if (option.value > widest) option.remove(); }
  part.files.replaceChildren(...files.map((file) => {
    const link = make('a', { download: true, onclick: (event) => save(event, file) });
    file.link = link;
    if (file.key) {
      link.className = 'file';
      link.append(icon(file.icon), text(file.key), make('span', { class: 'small' }, `.${file.end}`));
      return make('li', {}, link);
    }
    link.className = 'button';
    link.dataset.label = 'savePicture';
    link.append(icon('save'));
    return make('li', {}, icon('image'), text('picture'), size, link);
  }));
}

async function writeFiles() {
  if (!drawing) return;
  for (const { link, address, end, key } of files) {
    link.download = fileName(end);
    // A file without a URL is created on demand.
    link.href = address && (key || size.value <= widest) ? await address() : '#';
  }
}

// Runs the action of a control: the control is marked busy meanwhile, and a failure is reported.
async function during(control, run) {
  if (control.getAttribute('aria-busy') === 'true') return;
  control.setAttribute('aria-busy', 'true');
  try {
    await run();
  } catch (error) {
    if (error.status !== 401) toast(text(error.status === 0 ? 'drawingOffline' : 'failed'), { seconds: 6 });
  } finally {
    control.removeAttribute('aria-busy');
  }
}

// MARK: Deleting

// The gallery deletes, so that it can offer undo. The request must also be in the tab's storage: a
// URL alone deletes nothing.
async function remove() {
  const place = await path();
  try {
    sessionStorage.setItem('pentimento-delete', JSON.stringify({ id, path: place }));
  } catch {
    // Without storage, undo is impossible.
    await send('DELETE', place);
  }
  location.replace(`./?deleted=${encodeURIComponent(id)}`);
}

// MARK: Controls

// The drawing is the main content: while it is in view, Space and arrows work anywhere. Letters
// require the focus, so that accidental dictation does nothing.
document.addEventListener('keydown', (event) => {
  if (![' ', 'ArrowLeft', 'ArrowRight'].includes(event.key) || !player?.controlsPart) return;
  if (part.ask.open || event.composedPath().includes(player)) return;
  if (player.getBoundingClientRect().bottom > innerHeight / 3) player.controlsPart.press(event);
});

part.crumb.prepend(icon('back'));
// Returns to the gallery that the viewer came from, at the same scroll position.
part.crumb.addEventListener('click', (event) => {
  const gallery = new URL('./', location.href).href;
  if (event.ctrlKey || event.metaKey || event.shiftKey || history.length < 2) return;
  if (document.referrer.split(/[?#]/)[0] !== gallery) return;
  event.preventDefault();
  history.back();
});
part['draw-on'].href = pageAddress('draw', id, owner);
part['draw-on'].append(icon('pen'), text('drawOn'));
part['make-link'].append(icon('link'), text('makeLink'));
part['make-link'].addEventListener('click', makeLink);
part.delete.append(icon('trash'), text('delete'));
part.delete.addEventListener('click', () => part.ask.showModal());
part['delete-now'].append(icon('trash'), text('deleteNow'));
part['delete-now'].addEventListener('click', (event) => during(event.currentTarget, remove));
makeFiles();
onLanguage(write);
frame('');
start();
