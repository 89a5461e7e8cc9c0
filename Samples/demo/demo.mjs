// The page that shows the web components. Everything about ink is in the elements: this script connects
// buttons with them.

const $ = (id) => document.getElementById(id);
const [canvas, app, form] = [$('canvas'), $('app'), $('slip')];

const count = (number, unit) => `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`;
const sizeOf = (
  bytes,
) => (bytes < 10_000 ? count(bytes, 'byte') : `${Math.round(bytes / 1000).toLocaleString('en')} kB`);
const say = (words) => $('said').textContent = words;
const stemOf = (name) => name.replace(/\.[^.]*$/, '');

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function download(blob, name) {
  const href = URL.createObjectURL(blob);
  make('a', { href, download: name }).click();
  // A browser may ask for a place first.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const problemOf = ({ code }, name) =>
  ({
    tooLarge: `${name} is larger than 32 MB.`,
    notARecording: `${name} has no ink that a canvas reads.`,
  })[code] ?? `${name} could not be opened.`;

// Errors are told in the page's own words.
for (const one of [canvas, app]) one.addEventListener('error', (event) => event.preventDefault());

// MARK: The large canvas

// The name of saved files.
let name = 'sunny';
let player = null;

// From this width the tools cover a part of the canvas.
const isWide = matchMedia('(min-width: 52rem)');
function place() {
  // On narrow pages the drawing is below the buttons in the corner.
  canvas.insets = isWide.matches ? [16, 16, $('tools').offsetHeight + 32, 16] : [64, 12, 12, 12];
}
new ResizeObserver(place).observe($('tools'));
isWide.addEventListener('change', () => {
  place();
  if (canvas.isOpen) canvas.fit();
});
place();

async function open(source, label) {
  stopReplay();
  try {
    await canvas.load(source);
    name = stemOf(label);
    say(source ? `This is ${label}.` : 'Start anywhere.');
  } catch (error) {
    say(problemOf(error, label));
  }
}

function stopReplay() {
  if (!player) return;
  player.remove();
  player = null;
  $('stage').classList.remove('playing');
  for (const part of [canvas, $('corner'), $('tools')]) part.inert = false;
  $('replay').lastElementChild.textContent = 'Replay';
}

async function replay() {
  const file = await canvas.toBlob({ type: 'pkd' });
  player = make('pentimento-drawing', { label: 'How it was drawn', controls: true, fill: true });
  for (const part of [canvas, $('corner'), $('tools')]) part.inert = true;
  $('stage').classList.add('playing');
  $('stage').append(player);
  $('replay').lastElementChild.textContent = 'Draw';
  say('Strokes take their true time; pauses are shortened.');
  await player.load(new Uint8Array(await file.arrayBuffer()));
  player?.play();
}

$('replay').addEventListener('click', () => {
  if (player) {
    stopReplay();
    say('Draw on it.');
  } else if (canvas.isEmpty) say('The page is empty: draw something first.');
  else replay();
});
$('new').addEventListener('click', () => open(null, 'drawing'));
$('open').addEventListener('click', () => $('file').click());
$('undo').addEventListener('click', () => canvas.undo());
$('redo').addEventListener('click', () => canvas.redo());
$('fit').addEventListener('click', () => canvas.fit());
for (const type of ['load', 'drawingchange']) {
  canvas.addEventListener(type, () => {
    $('undo').disabled = !canvas.canUndo;
    $('redo').disabled = !canvas.canRedo;
  });
}

for (const button of document.querySelectorAll('[data-sample]')) {
  const { sample } = button.dataset;
  button.addEventListener('click', () => open(`${sample}.pkd`, `${button.textContent.toLowerCase()}.pkd`));
}

for (const button of document.querySelectorAll('[data-save]')) {
  const type = button.dataset.save;
  button.addEventListener('click', async () => {
    // Pictures are seen on any ground, so they have the paper's.
    const file = await canvas.toBlob({ type, background: type === 'png' ? '#fffdf8' : 'none' });
    download(file, `${name}.${type}`);
    say(`${name}.${type} has ${sizeOf(file.size)}.`);
  });
}

// MARK: Files

// A file that was chosen or dropped is opened by one of the two canvases.
const openFile = (file, isArchive) => (isArchive ? openArchive(file) : open(file, file.name));
for (const input of [$('file'), $('archive-file')]) {
  input.addEventListener('change', () => {
    if (input.files[0]) openFile(input.files[0], input.id === 'archive-file');
    // The same file can be chosen again.
    input.value = '';
  });
}

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
document.addEventListener('dragover', (event) => {
  if (hasFiles(event)) event.preventDefault();
});
// Before the canvas, which would add the file's ink to its drawing.
document.addEventListener('drop', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  event.stopPropagation();
  const isArchive = Boolean(event.target.closest('#archive'));
  openFile(event.dataTransfer.files[0], isArchive);
  if (!isArchive) $('draw').scrollIntoView();
}, true);

// MARK: Inks

const inks = [
  ['pen', 'Pen', 'Broader with pressure', '#1b2440'],
  ['monoline', 'Monoline', 'One width', '#2a5f9e'],
  ['fountainPen', 'Fountain pen', 'A nib with a direction', '#7b3f75'],
  ['reed', 'Reed', 'A broad nib with streaks', '#4b2e1e'],
  ['marker', 'Marker', 'Lets the text show through', '#ffc62ecc'],
  ['pencil', 'Pencil', 'Grain; broad when tilted', '#4a4e57'],
  ['crayon', 'Crayon', 'Wax on rough paper', '#e8604f'],
  ['watercolor', 'Watercolor', 'Washes with edges', '#5aa6dc'],
];
const sheets = inks.map(([ink, title, words, color]) => {
  const sheet = make('pentimento-canvas');
  for (
    const [key, value] of Object.entries({ src: `${ink}.pkd`, ink, color, label: `Try the ${title.toLowerCase()}` })
  ) {
    sheet.setAttribute(key, value);
  }
  $('ink-list').append(make('li', {}, sheet, make('h3', { textContent: title }), make('p', { textContent: words })));
  // The lower third is empty, to draw there.
  sheet.insets = [12, 12, 0.34 * sheet.offsetHeight, 12];
  // The line is 120 points wide and 75 high.
  const magnify = () => sheet.zoom = Math.min(sheet.offsetWidth * 0.55 / 120, sheet.offsetHeight * 0.5 / 75);
  sheet.addEventListener('load', magnify);
  return sheet;
});
$('fresh').addEventListener('click', () => {
  for (const sheet of sheets) sheet.load(sheet.getAttribute('src'));
});

// MARK: The form

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const data = new FormData(form);
  const { size } = await new Response(data).blob();
  const rows = [...data].map(([key, value]) => {
    const words = value instanceof File ? `${value.name}, ${count(value.size, 'byte')}` : `“${value}”`;
    return make('div', {}, make('dt', { textContent: key }), make('dd', { textContent: words }));
  });
  $('sent').replaceChildren(
    make('p', { textContent: `A server would get ${count(size, 'byte')}. This page sends nothing.` }),
    make('dl', {}, ...rows),
  );
});
form.addEventListener('reset', () => $('sent').replaceChildren());

// MARK: The archive

const blockSize = 8;
const mostBlocks = 1 << 16;
const columns = 120;

// The parts of a file that another one does not have, as [start, end]. Bytes are the same if both files
// have them in the same order, at least eight together.
function additions(bytes, others) {
  const keyAt = (list, at) => String.fromCharCode(...list.subarray(at, at + blockSize));
  const blocks = new Map();
  const step = Math.ceil(others.length / mostBlocks);
  for (let at = 0; at + blockSize <= others.length; at += step) {
    const key = keyAt(others, at);
    if (blocks.has(key)) blocks.get(key).push(at);
    else blocks.set(key, [at]);
  }
  const found = [];
  let [at, other, start] = [0, 0, 0];
  while (at < bytes.length) {
    if (other < others.length && bytes[at] === others[other]) {
      [at, other, start] = [at + 1, other + 1, at + 1];
      continue;
    }
    let next;
    for (; at < bytes.length && next === undefined; at++) {
      next = blocks.get(keyAt(bytes, at))?.find((one) => one >= other);
      if (next !== undefined) break;
    }
    if (next === undefined) {
      found.push([start, bytes.length]);
      break;
    }
    // The block's beginning is not that of the common part.
    let back = 0;
    while (at - back > start && next - back > other && bytes[at - back - 1] === others[next - back - 1]) back++;
    if (at - back > start) found.push([start, at - back]);
    [other, start] = [next, at];
  }
  return found;
}

// A bar for each part of the file, as high as its first byte; another colour for new parts.
function showBytes(bytes, added) {
  const paths = { old: '', new: '' };
  for (let column = 0; column < columns; column++) {
    const [start, end] = [column, column + 1].map((one) => Math.floor(one * bytes.length / columns));
    const height = 4 + 36 * (bytes[start] ?? 0) / 255;
    const isNew = added.some(([from, to]) => from < end && to > start && to - from > 4);
    paths[isNew ? 'new' : 'old'] += `M${column * 4 + 2} ${20 - height / 2}v${height}`;
  }
  const space = 'http://www.w3.org/2000/svg';
  $('bytes').replaceChildren(
    ...Object.entries(paths).map(([key, d]) => {
      const path = document.createElementNS(space, 'path');
      path.setAttribute('class', key);
      path.setAttribute('d', d);
      return path;
    }),
  );
}
$('bytes').setAttribute('viewBox', `0 0 ${columns * 4} 40`);

let archiveName = 'page.drawing';
let original = null;

async function compare() {
  original ??= new Uint8Array(await (await fetch(app.getAttribute('src'))).arrayBuffer());
  const [bytes, first] = [await app.save(), original];
  const added = additions(bytes, first);
  const more = added.reduce((sum, [start, end]) => sum + end - start, 0);
  const same = bytes.length - more;
  showBytes(bytes, added);
  const isWhole = same === first.length;
  $('archive-undo').disabled = !app.canUndo;
  const kept = isWhole
    ? `All ${count(same, 'byte')}`
    : `${same.toLocaleString('en')} of ${count(first.length, 'byte')}`;
  $('same').replaceChildren(
    `${kept} are kept.`,
    make(
      'span',
      more > 0
        ? { className: 'new', textContent: `${count(more, 'byte')} are new.` }
        : { textContent: 'Now draw on it.' },
    ),
  );
}

async function openArchive(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await app.load(bytes);
    original = bytes;
    archiveName = file.name;
    compare();
  } catch (error) {
    $('same').textContent = problemOf(error, file.name);
  }
}

app.addEventListener('load', compare);
app.addEventListener('drawingchange', compare);
$('archive-undo').addEventListener('click', () => app.undo());
$('archive-open').addEventListener('click', () => $('archive-file').click());
$('archive-save').addEventListener('click', async () => download(new Blob([await app.save()]), archiveName));

// MARK: The code

$('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('lines').textContent);
    $('copy').textContent = 'Copied';
  } catch {
    // Only secure pages may write to the clipboard.
    getSelection().selectAllChildren($('lines'));
    $('copy').textContent = 'Selected';
  }
  setTimeout(() => $('copy').textContent = 'Copy', 2000);
});
