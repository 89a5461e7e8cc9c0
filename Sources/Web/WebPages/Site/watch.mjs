// The page on which somebody watches others draw: with the link of a shared replay, or as a reader of the
// drawing.

import { Company } from './company.mjs';
import { blank, frame, icon, mark, named, onLanguage, t } from './shared.mjs';

const $ = (id) => document.getElementById(id);

for (
  const [id, name] of [['back', 'back'], ['out', 'minus'], ['in', 'plus'], ['fit-pill', 'full'], ['theme', 'theme']]
) {
  $(id).append(icon(name));
}

const canvas = $('canvas');
await customElements.whenDefined(canvas.localName);
canvas.insets = [80, 24, 24, 24];
const company = new Company(canvas, $('faces'), $('pointers'));

canvas.addEventListener('viewchange', ({ detail }) => $('percent').textContent = `${Math.round(detail.zoom * 100)}%`);
canvas.addEventListener('error', (event) => {
  event.preventDefault();
  $('failure').hidden = false;
  document.body.dataset.state = 'failed';
  const art = mark('watercolor', { class: 'pale' });
  $('failure').replaceChildren(...blank({ art, title: 'missing', hint: 'missingHint' }).childNodes);
});
for (
  const [id, action] of Object.entries({
    'fit-pill': () => canvas.fit(),
    in: () => canvas.zoomBy(1.25),
    out: () => canvas.zoomBy(0.8),
    theme: () => window.theme.toggle(),
  })
) $(id).addEventListener('click', action);

function showTheme() {
  canvas.theme = window.theme.isDark ? 'dark' : 'light';
}
addEventListener('themechange', showTheme);
showTheme();

let isIn = false;
const showState = () => $('state').textContent = t(isIn ? 'live' : 'connecting');
onLanguage(showState);

const [share, owner, id] = ['share', 'owner', 'id'].map(named);
const path = share ? `s/${share}` : `v1/users/${owner}/drawings/${id}`;
if (share) $('back').href = path;
const address = new URL(`${path}/live`, document.baseURI).href;
const worker = new URL('watch-worker.mjs', import.meta.url).href;
const heard = (message) => {
  if (!message.company) return;
  ({ isIn } = message.company);
  company.show(message.company);
  showState();
};

frame('watch');
canvas.openWith(worker, () => ({ address }), heard).then(() => {
  document.body.dataset.state = 'ready';
}).catch(() => {});

// For tests.
window.drawing = { canvas, view: canvas.view, thread: canvas };
