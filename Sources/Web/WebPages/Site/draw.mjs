// The drawing page: the whole window is paper. The engine runs in a worker, which also stores the
// drawing.

import { Problem, user } from './api.mjs';
import { translucent } from './colour.mjs';
import { deviceName, newID, startSending } from './device.mjs';
import { Hand } from './draw-hand.mjs';
import { Selection } from './draw-selection.mjs';
import { inks, Tools } from './draw-tools.mjs';
import { SheetView } from './draw-view.mjs';
import { PaperMenu } from './paper-menu.mjs';
import { Dropper } from './picker.mjs';
import { Ruler } from './ruler.mjs';
import { blank, frame, icon, make, mark, named, onLanguage, query, t, takeDrops, text, toast } from './shared.mjs';
import { DrawingThread } from './thread.mjs';

const $ = (id) => document.getElementById(id);
// The clean figures that a resting hand may get.
const figures = ['line', 'polyline', 'arrow', 'circle', 'ellipse', 'rectangle', 'triangle', 'star', 'heart'];

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
    ['theme', 'theme', 'theme'],
    ['rule', 'ruler', 'ruler', 'R'],
    ['shortcuts', 'keys', 'shortcuts', '?'],
    ['paste', 'copy', 'paste', 'Ctrl V'],
    ['open', 'paper', 'openFile'],
    ['clear', 'trash', 'clear'],
  ]
) $(id).append(icon(name), text(key), shortcut ? make('kbd', {}, shortcut) : '');
for (
  const [id, name] of [['duplicate', 'copies'], ['copy', 'copy'], ['change', 'dots'], ['delete-selected', 'trash']]
) $(id).append(icon(name));
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

// MARK: The worker

const thread = new DrawingThread(new URL('draw-worker.mjs', import.meta.url), { type: 'module' }, (message) => {
  if (message.facts) showFacts(message.facts);
  if (message.restarted) {
    selection.show({ count: 0, box: null });
    papers.show(message.page);
    view.renew();
  }
  if (message.selection) showSelection(message.selection);
  if (figures.includes(message.figure)) tools.nameTimer = sayFor(t(message.figure));
  if (message.parts) view.paintAll(message.parts);
  if (message.overview !== undefined) view.showOverview(message.overview);
  if (message.state) showState(message.state, message.id);
  if (message.drawn) dispatchEvent(new CustomEvent('inkdrawn', { detail: message }));
  if (message.error) fail(message.error);
});

// Commands are sent to the worker at once; the timestamp of their event is returned when its ink is
// drawn.
const send = (command, stamp) => {
  thread.worker.postMessage({ command, stamp }, command[1] instanceof Float64Array ? [command[1].buffer] : []);
};

const view = new SheetView($('views'), thread, {
  look: () => ({
    style: window.theme.isDark ? 'dark' : 'light',
    background: window.theme.isDark ? '#25211c' : '#fffdf8',
    paper: 'page',
  }),
  // The bars.
  insets: [80, 24, 152, 24],
  moved: () => {
    $('percent').textContent = `${Math.round(view.zoom * 100)}%`;
    selection.place();
  },
});
view.failed = (error) => fail(error);

const tools = new Tools((isOtherTool) => {
  if (isOtherTool) selection.clear();
  hand.events.hover(null);
});

const papers = new PaperMenu({ view, thread, send });
const ruler = new Ruler(view, $('ruler'), $('ruler-body'));
const dropper = new Dropper(view, thread, tools);

// MARK: The hand

const hand = new Hand($('area'), view, {
  tools,
  send,
  events: {
    began(_, event) {
      if (!event.shiftKey) selection.clear();
      $('hint').classList.add('gone');
      for (const id of ['papers', 'more', 'picker']) $(id).close?.();
    },
    // A cancelled drag shows where the strokes were. After others, the worker tells where they are.
    ended(gesture) {
      if (gesture.kind === 'drag' && gesture.isCancelled) selection.place();
    },
    // After the first touch of a pen, a palm draws nothing, unless the viewer has changed this
    // setting.
    pen() {
      if (tools.onlyPen || tools.chosen.hasChosenPen) return;
      tools.choose({ onlyPen: true });
      $('palm').checked = true;
      tools.nameTimer = sayFor(t('palm'));
    },
    lasso(polygon, ended) {
      const place = (point) => view.toScreen(...point).map((one) => one.toFixed(1)).join(' ');
      $('lasso').setAttribute('d', ended || polygon.length < 2 ? '' : `M${polygon.map(place).join('L')}Z`);
      if (!ended || polygon.length === 0) return;
      const sides = [0, 1].map((axis) => {
        const all = polygon.map((point) => point[axis]);
        return Math.max(...all) - Math.min(...all);
      });
      const reach = (ended.type === 'touch' ? 14 : 7) / view.zoom;
      const { isAdding } = ended;
      // A lasso that goes nowhere is a tap.
      if (Math.max(...sides) < reach) send(['selectAt', ...polygon[0], reach, isAdding]);
      else send(['select', new Float64Array(polygon.flat()), isAdding]);
    },
    grip(point, event) {
      if (event.shiftKey) return null;
      return selection.grip(point, view.at(event), event.pointerType === 'touch' ? 22 : 12);
    },
    dragged(by) {
      selection.place(by);
    },
    hover(event) {
      showRing(event);
    },
    edge: (x, y) => ruler.edge(x, y),
    tapped(count) {
      if (count === 2) undo();
      if (count === 3) redo();
    },
  },
});

const selection = new Selection({
  view,
  thread,
  send,
  idle: () => hand.finish(),
  say: (words) => {
    tools.nameTimer = sayFor(words);
  },
});
// A picker gives many colours and sizes while it is dragged: the selection gets the last one.
let restyling;
tools.restyle = ({ colour, opacity, size }, isColour) => {
  if (selection.count === 0) return false;
  clearTimeout(restyling);
  restyling = setTimeout(() => {
    selection.restyle(
      isColour ? { color: translucent(colour, opacity) } : { width: tools.widthOf(selection.ink, size) },
    );
  }, 80);
  return true;
};

// The lasso changes what was selected.
function showSelection(next) {
  if (next.count > 0 && tools.kind !== 'lasso') tools.choose({ tool: 'lasso' });
  selection.show(next);
}

function sayFor(words) {
  $('named').textContent = words;
  $('named').classList.add('shown');
  clearTimeout(tools.nameTimer);
  return setTimeout(() => $('named').classList.remove('shown'), 1400);
}

// The outline of the eraser or of the nib follows the pointer; that of the nib only until it draws.
function showRing(event) {
  const kind = hand.gesture?.kind ?? tools.kind;
  const isErasing = ['eraser', 'strokeEraser'].includes(kind);
  const isNib = kind === 'ink' && !hand.gesture && event?.pointerType !== 'touch';
  $('ring').hidden = !event || !(isErasing || isNib);
  if ($('ring').hidden) return;
  $('ring').classList.toggle('nib', isNib);
  $('ring').classList.toggle('blade', isNib && ['marker', 'reed'].includes(tools.ink));
  const width = isErasing ? tools.eraserWidth : Math.max(tools.width * view.zoom, 3);
  const [x, y] = view.at(event);
  // The blades of broad nibs, in the direction of the pen.
  const blade = isNib ? tools.blade : 1;
  const turn = blade < 1 ? hand.nibAzimuth(event) : 0;
  Object.assign($('ring').style, {
    width: `${width}px`,
    height: `${width * blade}px`,
    transform: `translate(${x - width / 2}px, ${y - width * blade / 2}px) rotate(${turn}rad)`,
  });
}

// MARK: What is shown around the page

function showFacts({ canUndo, canRedo }) {
  $('undo').disabled = !canUndo;
  $('redo').disabled = !canRedo;
  if (canUndo) $('hint').classList.add('gone');
}

// The storage states of the drawing: short ones, and long ones with an instruction.
const states = {
  saving: ['saving'],
  saved: ['saved'],
  kept: ['keptHere', true],
  signedOut: ['signInToSave', true],
  noRoom: ['noRoom', true],
  deviceFull: ['deviceFull', true],
  tooLarge: ['tooLarge', true],
  refused: ['failed', true],
  copied: ['saved'],
};
let state = '';

function showState(next, id) {
  // The drawing was changed elsewhere, and this version has become a separate drawing.
  if (id !== drawingID) {
    drawingID = id;
    history.replaceState(null, '', `draw?id=${encodeURIComponent(id)}`);
    toast(t('keptAsCopy'));
  }
  state = next;
  const [key, isLong = false] = states[next] ?? [];
  $('state').textContent = key ? t(key) : '';
  $('state').classList.toggle('wide', isLong);
}

function fail({ code, message, status }) {
  // A refused call changes nothing; an error that stops everything is shown.
  if (['invalidArgument', 'unknownHandle', 'wrongKind'].includes(code)) return;
  const isGone = status === 404 || code === 'not-found';
  const hint = { otherTab: 'otherTab', stopped: 'engineFailed', tooLarge: 'tooLarge' }[code] ??
    (isGone ? 'missingHint' : status === 0 ? 'drawingOffline' : 'failed');
  $('failure').hidden = false;
  // Controls below the message become unreachable.
  for (const other of $('main').children) other.inert = other !== $('failure');
  // Retrying cannot restore a deleted drawing.
  const retry = make(
    'button',
    { class: 'button primary', type: 'button', onclick: () => location.reload() },
    text('retry'),
  );
  const leave = make('a', { class: `button ${isGone ? 'primary' : 'lined'}`, href: home }, text(wayHome));
  const art = make('div', { class: 'art', 'aria-hidden': 'true' }, mark('watercolor', { class: 'pale' }));
  $('failure').replaceChildren(
    ...blank(
      { art, title: isGone ? 'missing' : 'notOpened', hint },
      ...(isGone ? [leave] : [retry, leave]),
    ).childNodes,
  );
  console.error(code, message);
}

// MARK: Buttons and keys

const now = () => Date.now() / 1000;
const undo = () => {
  hand.finish();
  send(['undo', now()]);
};
const redo = () => {
  hand.finish();
  send(['redo', now()]);
};
const fit = async () => view.fit(await thread.ask('box'));

function clear() {
  $('more').close();
  hand.finish();
  selection.clear();
  send(['clear', now()]);
  toast(t('cleared'), { action: t('undo'), run: undo });
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
  hand.finish();
  $('done').disabled = true;
  try {
    const result = await thread.ask('save');
    const isSaved = result === 'saved' || result === 'copied';
    if (result === 'empty' || (isSaved && isForCheckIn)) return location.assign(home);
    toast(t(isSaved ? 'inGallery' : states[result]?.[0] ?? 'failed'), {
      action: t(isSaved ? 'see' : isForCheckIn ? wayHome : 'gallery'),
      run: () => location.assign(isSaved ? `drawing?id=${encodeURIComponent(drawingID)}` : home),
    });
  } catch (error) {
    fail(error);
  } finally {
    $('done').disabled = false;
  }
}

for (
  const [id, action] of Object.entries({
    undo,
    redo,
    clear,
    done: finish,
    duplicate: () => selection.duplicate(),
    copy: () => selection.copy(),
    'delete-selected': () => selection.delete(),
    rule: () => {
      $('more').close();
      ruler.toggle();
    },
    open: () => {
      $('more').close();
      $('file').click();
    },
    paste: () => {
      $('more').close();
      selection.paste();
    },
    fit: () => {
      $('more').close();
      return fit();
    },
    'fit-pill': fit,
    in: () => view.zoomBy(1.25),
    out: () => view.zoomBy(0.8),
    theme: () => {
      $('more').close();
      window.theme.toggle();
    },
    shortcuts: () => {
      $('more').close();
      showKeys();
    },
  })
) $(id).addEventListener('click', action);

const keys = {
  e: () => pick('eraser'),
  E: () => pick('strokeEraser'),
  l: () => pick('lasso'),
  r: () => ruler.toggle(),
  '[': () => (selection.count > 0 ? selection.restyle({ widthFactor: 0.8 }) : tools.resize(-1)),
  ']': () => (selection.count > 0 ? selection.restyle({ widthFactor: 1.25 }) : tools.resize(1)),
  H: () => selection.scale(-1, 1),
  V: () => selection.scale(1, -1),
  c: () => $('colour-button').click(),
  i: () => dropper.start(),
  '+': () => view.zoomBy(1.25),
  '=': () => view.zoomBy(1.25),
  '-': () => view.zoomBy(0.8),
  0: fit,
  '?': showKeys,
  Escape: () => {
    if (hand.gesture) hand.cancel();
    else if (selection.count > 0) selection.clear();
    else if (ruler.isShown) ruler.toggle();
  },
  Delete: () => selection.delete(),
  Backspace: () => selection.delete(),
  ArrowLeft: ({ shiftKey }) => step(-1, 0, shiftKey),
  ArrowRight: ({ shiftKey }) => step(1, 0, shiftKey),
  ArrowUp: ({ shiftKey }) => step(0, -1, shiftKey),
  ArrowDown: ({ shiftKey }) => step(0, 1, shiftKey),
};

// The focus is on the button at the end of the list.
function showKeys() {
  $('keys').showModal();
  $('keys').scrollTop = 0;
}

function pick(tool) {
  tools.choose({ tool });
  tools.name(document.querySelector(`input[name="tool"][value="${tool}"]`).dataset.label);
}

// Arrows move the selection, or the page.
function step(x, y, isFar) {
  if (selection.count === 0) return view.moveBy(-40 * x, -40 * y);
  const length = (isFar ? 10 : 1) / view.zoom;
  return selection.move(x * length, y * length);
}

function selectAll() {
  hand.finish();
  pick('lasso');
  selection.isAwaited = true;
  send(['selectAll']);
}

// With Ctrl.
const commands = {
  a: selectAll,
  d: () => selection.duplicate(),
  '[': () => selection.reorder(false),
  ']': () => selection.reorder(true),
  y: redo,
  z: ({ shiftKey }) => (shiftKey ? redo() : undo()),
};

addEventListener('keydown', (event) => {
  if (event.target.closest?.('input:not([type=radio]), textarea, dialog, .menu')) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand || event.altKey) {
    const command = !event.altKey && (commands[event.key] ?? commands[event.key.toLowerCase()]);
    if (!command) return undefined;
    event.preventDefault();
    return command(event);
  }
  if (event.key === ' ' && !event.target.closest?.('button, a, input')) {
    event.preventDefault();
    holdSpace(true);
    return undefined;
  }
  // Radio buttons handle arrows themselves.
  if (event.key.startsWith('Arrow') && event.target.matches?.('input')) return undefined;
  const action = /^[1-8]$/.test(event.key)
    ? () => pick(inks[event.key - 1])
    : keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action) return undefined;
  event.preventDefault();
  return action(event);
});
for (const [name, run] of [['copy', () => selection.copy()], ['cut', () => selection.cut()]]) {
  document.addEventListener(name, (event) => {
    if (selection.count === 0 || event.target.closest?.('input, textarea')) return;
    event.preventDefault();
    run();
  });
}
// Files are opened where they are dropped.
takeDrops((event) => {
  selection.open([...event.dataTransfer.files], view.at(event));
});
$('file').addEventListener('change', () => {
  selection.open([...$('file').files]);
  $('file').value = '';
});
document.addEventListener('paste', (event) => {
  if (event.target.closest?.('input, textarea')) return;
  event.preventDefault();
  selection.paste(event.clipboardData, hand.place);
});
addEventListener('keyup', ({ key }) => {
  if (key === ' ') holdSpace(false);
});
// Another window receives the key's release.
addEventListener('blur', () => holdSpace(false));

// While Space is down, the pen moves the page.
function holdSpace(isDown) {
  hand.isSpaceDown = isDown;
  $('area').classList.toggle('panning', isDown);
}

addEventListener('themechange', () => {
  if (!view.sheet) return;
  view.renew();
  openOverview();
  papers.draw();
});
onLanguage(() => showState(state, drawingID));

// Hands new ink over before the page is hidden or closed.
addEventListener('visibilitychange', () => {
  thread.ask(document.visibilityState === 'hidden' ? 'save' : 'refresh').catch(() => {});
});
addEventListener('pagehide', () => {
  thread.ask('flush').catch(() => {});
});
addEventListener('online', () => thread.ask('save').then(() => thread.ask('refresh')).catch(() => {}));

// MARK: Opening

let drawingID = query.has('id') ? named('id') : named('new');

async function open() {
  const { uid } = await user();
  const mayBeNew = !query.has('id');
  if (!mayBeNew && !drawingID) throw new Problem(404);
  if (!drawingID) {
    drawingID = newID();
    const others = new URLSearchParams(location.search);
    others.set('new', drawingID);
    // A reload continues with the same drawing.
    history.replaceState(null, '', `draw?${others}`);
  }
  const opened = await thread.ask('open', {
    uid,
    id: drawingID,
    base: new URL('.', document.baseURI).href,
    device: deviceName(),
    mayBeNew,
    checkInId: named('checkin'),
  });
  showFacts(opened);
  if (!opened.isNew) {
    $('hint').classList.add('gone');
    await fitWithoutSettling();
  }
  papers.show(opened.page);
  await view.settle();
  document.body.dataset.state = 'ready';
  performance.mark('ready');
  papers.draw();
  startSending(uid);
  openOverview();
}

// Gives the worker a canvas for the overview, in place of one with another style.
function openOverview() {
  const canvas = view.newOverview();
  if (!canvas) return;
  const { style } = view.look();
  thread.ask('overview', { canvas, look: { style } }, [canvas]).catch(() => {});
}

async function fitWithoutSettling() {
  view.fit(await thread.ask('box'));
  clearTimeout(view.timer);
}

frame('draw');
open().catch((error) => {
  document.body.dataset.state = 'failed';
  fail(error);
});

// For tests and measurements.
window.drawing = {
  view,
  thread,
  hand,
  tools,
  selection,
  ruler,
  get id() {
    return drawingID;
  },
};
