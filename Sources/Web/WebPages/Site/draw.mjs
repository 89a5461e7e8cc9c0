// The drawing page: the whole window is a canvas. Its worker also stores the drawing.

import { Problem, visitor } from './api.mjs';
import { onChanges } from './changes.mjs';
import { Company } from './company.mjs';
import { converted } from './convert.mjs';
import { deviceName, newID, startSending } from './device.mjs';
import { address, lookOften, ownerIn, roleOf } from './members.mjs';
import { PaperMenu } from './paper-menu.mjs';
import { askToSignIn } from './sign-in.mjs';
import { blank, frame, icon, make, mark, named, onLanguage, query, t, takeDrops, text, toast } from './shared.mjs';

const $ = (id) => document.getElementById(id);

for (
  const [id, name] of [
    ['back', 'back'],
    ['undo', 'undo'],
    ['redo', 'redo'],
    ['papers-button', 'paper'],
    ['more-button', 'dots'],
    ['out', 'minus'],
    ['in', 'plus'],
    ['fit-pill', 'full'],
  ]
) $(id).append(icon(name));
for (
  const [id, name, key, shortcut] of [
    ['fit', 'full', 'fit', '0'],
    ['sign-in-link', 'person', 'signIn'],
    ['theme', 'theme', 'theme'],
    ['rule', 'ruler', 'ruler', 'R'],
    ['shortcuts', 'keys', 'shortcuts', '?'],
    ['paste', 'copy', 'paste', 'Ctrl V'],
    ['open', 'paper', 'openFile'],
    ['clear', 'trash', 'clear'],
  ]
) $(id).append(icon(name), text(key), shortcut ? make('kbd', {}, shortcut) : '');
$('key-list').append(...[
  ['ink', '1 – 8'],
  ['eraser', 'E'],
  ['eraserStroke', 'Shift E'],
  ['lasso', 'L'],
  ['ruler', 'R'],
  ['turnRuler', 'Alt ← →'],
  ['thickness', '[ ]'],
  ['straight', 'Shift'],
  ['colourAndSize', 'C'],
  ['dropper', 'I'],
  ['undo', 'Ctrl Z'],
  ['redo', 'Ctrl Shift Z'],
  ['selectAll', 'Ctrl A'],
  ['selectMore', 'Shift'],
  ['clipboardKeys', 'Ctrl X C V'],
  ['duplicate', 'Ctrl D'],
  ['keyZoom', '+ − 0'],
  ['keyMove', '← ↑ → ↓'],
  ['panKeys', 'Space'],
  ['mirrorKeys', 'Shift H V'],
  ['orderKeys', 'Ctrl [ ]'],
  ['escapeKey', 'Esc'],
  ['deleteSelected', 'Delete'],
  ['shortcuts', '?'],
].flatMap(([key, keys]) => [text(key, 'dt'), make('dd', {}, make('kbd', {}, keys))]));

// MARK: The canvas

const [canvas, tools] = [$('canvas'), $('tools')];
await customElements.whenDefined(canvas.localName);
canvas.convert = converted;
// The bars.
canvas.insets = [80, 24, 152, 24];
const papers = new PaperMenu(canvas);
const company = new Company(canvas, $('faces'), $('pointers'));

const on = (name, action) => canvas.addEventListener(name, action);
on('drawingchange', showFacts);
on('load', showFacts);
on('strokestart', () => {
  $('hint').classList.add('gone');
  for (const id of ['papers', 'more']) $(id).close?.();
});
on('viewchange', ({ detail }) => $('percent').textContent = `${Math.round(detail.zoom * 100)}%`);
on('toolchange', showSwitches);
on('error', (event) => {
  event.preventDefault();
  fail(event.detail);
});
on('notice', (event) => {
  event.preventDefault();
  toast(event.detail.message);
});

function showFacts() {
  $('undo').disabled = !canvas.canUndo;
  $('redo').disabled = !canvas.canRedo;
  if (canvas.canUndo) $('hint').classList.add('gone');
}

// The switches of the menu, which are kept on this device: each is a property of the canvas.
const switches = { palm: ['penOnly', false], pressure: ['evenWidth', true], figures: ['keepHand', true] };
const switchesKey = 'pentimento-switches';

function showSwitches() {
  for (const [id, [name, isOpposite]] of Object.entries(switches)) $(id).checked = canvas[name] !== isOpposite;
}
try {
  Object.assign(canvas, JSON.parse(localStorage.getItem(switchesKey)));
} catch { /* nothing was stored, or storage is unavailable */ }
showSwitches();
for (const [id, [name, isOpposite]] of Object.entries(switches)) {
  $(id).addEventListener('change', ({ target }) => {
    canvas[name] = target.checked !== isOpposite;
    const { penOnly, evenWidth, keepHand } = canvas;
    try {
      localStorage.setItem(switchesKey, JSON.stringify({ penOnly, evenWidth, keepHand }));
    } catch { /* for this page only */ }
  });
}

// MARK: What is shown around the page

// The storage states of the drawing: short ones, and long ones with an instruction.
const states = {
  saving: ['saving'],
  saved: ['saved'],
  kept: ['keptHere', true],
  visitor: ['keptHere', true],
  signedOut: ['signInToSave', true],
  noRoom: ['noRoom', true],
  notShared: ['notShared', true],
  deviceFull: ['deviceFull', true],
  tooLarge: ['tooLarge', true],
  refused: ['failed', true],
  copied: ['saved'],
};
let state = '';

function showState(next, id, of = owner) {
  // The drawing was changed elsewhere, and this version has become a separate drawing.
  if (id !== drawingID) {
    [drawingID, owner] = [id, of];
    history.replaceState(null, '', address('draw', id));
    toast(t('keptAsCopy'));
  }
  state = next;
  const [key, isLong = false] = states[next] ?? [];
  $('state').textContent = key ? t(key) : '';
  $('state').classList.toggle('wide', isLong);
}

// An error that stops everything.
function fail({ code, message, status }) {
  const isReader = code === 'only-reads';
  const isGone = status === 404 || code === 'not-found' || (status === 403 && !isReader);
  // It may belong to somebody who is signed out.
  if (isGone && isVisitor) askToSignIn();
  const hint = { otherTab: 'otherTab', stopped: 'engineFailed', tooLarge: 'tooLarge', 'only-reads': 'onlyReadsHint' }[
    code
  ] ?? (isGone ? (status === 403 ? 'notMemberHint' : 'missingHint') : status === 0 ? 'drawingOffline' : 'failed');
  $('failure').hidden = false;
  document.body.dataset.state = 'failed';
  // Controls below the message become unreachable.
  for (const other of $('main').children) other.inert = other !== $('failure');
  // Retrying cannot restore a deleted drawing.
  const retry = make(
    'button',
    { class: 'button primary', type: 'button', onclick: () => location.reload() },
    text('retry'),
  );
  const leave = make('a', { class: `button ${isGone ? 'primary' : 'lined'}`, href: home }, text(wayHome));
  const look = make('a', { class: 'button primary', href: address('drawing', drawingID, owner) }, text('see'));
  const art = make('div', { class: 'art', 'aria-hidden': 'true' }, mark('watercolor', { class: 'pale' }));
  $('failure').replaceChildren(
    ...blank(
      { art, title: isReader ? 'onlyReads' : isGone ? 'missing' : 'notOpened', hint },
      ...(isGone ? [leave] : isReader ? [look, leave] : [retry, leave]),
    ).childNodes,
  );
  console.error(code, message);
}

// MARK: Buttons and keys

function clear() {
  canvas.clear();
  toast(t('cleared'), { action: t('undo'), run: () => canvas.undo() });
}

// If it was opened for a check-in in progress, the page leads back to it.
const isForCheckIn = (() => {
  try {
    return query.has('checkin') &&
      JSON.parse(sessionStorage.getItem('pentimento-check-in'))?.id === query.get('checkin');
  } catch {
    return false;
  }
})();
const [home, wayHome] = isForCheckIn ? ['checkin', 'backToCheckin'] : ['./', 'back'];
$('back').href = home;
$('back').dataset.label = wayHome;

async function finish() {
  canvas.finish();
  $('done').disabled = true;
  try {
    const result = await canvas.ask('save');
    const isSaved = result === 'saved' || result === 'copied';
    if (result === 'empty' || (isSaved && isForCheckIn)) return location.assign(home);
    toast(t(isSaved ? 'inGallery' : states[result]?.[0] ?? 'failed'), {
      action: t(isSaved ? 'see' : isForCheckIn ? wayHome : 'gallery'),
      run: () => location.assign(isSaved ? address('drawing', drawingID, owner) : home),
    });
  } catch (error) {
    fail(error);
  } finally {
    $('done').disabled = false;
  }
}

for (
  const [id, action] of Object.entries({
    undo: () => canvas.undo(),
    redo: () => canvas.redo(),
    done: finish,
    'fit-pill': () => canvas.fit(),
    in: () => canvas.zoomBy(1.25),
    out: () => canvas.zoomBy(0.8),
  })
) $(id).addEventListener('click', action);
for (
  const [id, action] of Object.entries({
    clear,
    rule: () => canvas.ruler.toggle(),
    open: () => $('file').click(),
    paste: () => canvas.selection.paste(),
    fit: () => canvas.fit(),
    theme: () => window.theme.toggle(),
    shortcuts: showKeys,
  })
) {
  $(id).addEventListener('click', () => {
    $('more').close();
    action();
  });
}

// The focus is on the button at the end of the list.
function showKeys() {
  $('keys').showModal();
  $('keys').scrollTop = 0;
}

// Keys, the clipboard and files are the canvas's, wherever the focus is.
const isOutside = (event) => !event.composedPath().some((one) => one === canvas || one === tools);
addEventListener('keydown', (event) => {
  const target = event.composedPath()[0];
  if (event.defaultPrevented || target.closest?.('input:not([type=radio]), textarea, dialog, .menu')) return;
  if (isOutside(event) && canvas.press(event)) return;
  if (tools.press(event)) return;
  if (event.key !== '?') return;
  event.preventDefault();
  showKeys();
});
addEventListener('keyup', ({ key }) => {
  if (key === ' ') canvas.holdSpace(false);
});
for (const [name, run] of [['copy', () => canvas.selection.copy()], ['cut', () => canvas.selection.cut()]]) {
  document.addEventListener(name, (event) => event.defaultPrevented || canvas.copies(event, run));
}
document.addEventListener('paste', (event) => event.defaultPrevented || canvas.pastes(event));
// Files are opened where they are dropped.
takeDrops((event) => canvas.addFiles([...event.dataTransfer.files], canvas.view.at(event)));
$('file').addEventListener('change', () => {
  canvas.addFiles([...$('file').files]);
  $('file').value = '';
});

function showTheme() {
  for (const one of [canvas, tools]) one.theme = window.theme.isDark ? 'dark' : 'light';
  if (canvas.isOpen) papers.draw();
}
addEventListener('themechange', showTheme);
showTheme();
onLanguage(() => showState(state, drawingID));

// Hands new ink over before the page is hidden or closed.
addEventListener('visibilitychange', () => {
  canvas.ask(document.visibilityState === 'hidden' ? 'save' : 'refresh').catch(() => {});
});
onChanges(() => canvas.ask('refresh'));
// Changes of another user's drawing are not among this user's.
if (ownerIn(query)) lookOften(() => canvas.ask('refresh').catch(() => {}));
addEventListener('pagehide', () => {
  canvas.ask('flush').catch(() => {});
});
addEventListener('online', () => canvas.ask('save').then(() => canvas.ask('refresh')).catch(() => {}));

// MARK: Opening

let isVisitor = false;
let drawingID = query.has('id') ? named('id') : named('new');
// The user whose drawing it is; undefined for the user of this page.
let owner = ownerIn(query);

// Finds the drawing's id. Returns what the worker needs to open it.
async function details() {
  ({ uid } = await visitor());
  isVisitor = uid === null;
  $('sign-in-link').hidden = !isVisitor;
  const mayBeNew = !query.has('id');
  if (!mayBeNew && !drawingID) throw new Problem(404);
  if (owner === uid) owner = undefined;
  if (owner && await roleOf(owner, drawingID) === 'reader') throw new Problem(403, { code: 'only-reads' });
  if (!drawingID) {
    drawingID = newID();
    const others = new URLSearchParams(location.search);
    others.set('new', drawingID);
    // A reload continues with the same drawing.
    history.replaceState(null, '', `draw?${others}`);
  }
  const base = new URL('.', document.baseURI).href;
  return { uid, id: drawingID, owner, base, device: deviceName(), mayBeNew, checkInId: named('checkin') };
}

const worker = new URL('draw-worker.mjs', import.meta.url).href;
let uid;
const openDrawing = (find) =>
  canvas.openWith(worker, find, (message) => {
    if (message.state) showState(message.state, message.id, message.owner === uid ? undefined : message.owner);
    if (message.company) company.show(message.company);
  });

async function open() {
  const opened = await openDrawing(details);
  if (!opened.isNew) $('hint').classList.add('gone');
  document.body.dataset.state = 'ready';
  performance.mark('ready');
  papers.draw();
  startSending(uid);
}

frame('draw');
open().catch(() => {});

// For tests and measurements.
window.drawing = {
  canvas,
  tools,
  view: canvas.view,
  hand: canvas.hand,
  selection: canvas.selection,
  ruler: canvas.ruler,
  thread: canvas,
  open: openDrawing,
  get id() {
    return drawingID;
  },
};
