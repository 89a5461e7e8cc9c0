import { icon, make } from './build.mjs';
import { darkSystem, PentimentoDrawing } from './element.mjs';
import { isChinese, word } from './words.mjs';

// The stand-alone page: a title, buttons for language and theme, and the element, which plays the
// packed recording. In the URL's fragment, #t=12.5 starts at that second, #play plays at once, and
// #embed shows only the sheet.

const part = (id) => document.getElementById(id);
const settings = JSON.parse(part('settings').textContent);
const packed = (id) => ({ text: part(id).textContent, count: Number(part(id).dataset.count) });
const style = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
};

const tokens = style(styles.tokens);
document.adoptedStyleSheets = [tokens, style(styles.page)];
PentimentoDrawing.parts = {
  worker: URL.createObjectURL(new Blob([part('player').worker], { type: 'text/javascript' })),
  engine: packed('engine'),
  styles: [tokens, style(styles.element)],
};

// Reads a choice of the viewer, or stores it. Some browsers and settings forbid pages to store
// anything.
function remembered(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

customElements.define('pentimento-drawing', PentimentoDrawing);

const root = document.documentElement;
const hash = new URLSearchParams(location.hash.slice(1));
const isEmbedded = hash.has('embed');
const player = make('pentimento-drawing', {
  id: 'drawing',
  fill: true,
  controls: isEmbedded ? 'sheet' : true,
  label: settings.title,
  ...settings.attributes,
});
player.givenRegion = settings.region;
player.hold = settings.hold;
const button = (act, ...content) => make('button', { class: 'button', type: 'button', onclick: act }, ...content);
const language = button(() => chooseLanguage(isChinese(root.lang) ? 'en' : 'zh-TW'));
const theme = button(() => chooseTheme(player.isDark ? 'light' : 'dark'), icon('theme'));
const logo = icon('logo');
logo.classList.add('logo');
const title = make('h1');
const skip = make('a', { class: 'skip', href: '#drawing' });
document.body.append(
  skip,
  make('div', { class: 'solo' }, make('header', {}, logo, title, language, theme), make('main', {}, player)),
);
root.toggleAttribute('data-embed', isEmbedded);

function chooseLanguage(name) {
  root.lang = name;
  remembered('language', name);
  document.title = title.textContent = settings.title || word('drawing', name);
  language.textContent = word('language', name);
  language.setAttribute('aria-label', word('languageLabel', name));
  theme.setAttribute('aria-label', word('theme', name));
  theme.title = word('theme', name);
  skip.textContent = word('skipTo', name);
  player.updateLook();
}

function chooseTheme(name) {
  if (name) {
    remembered('theme', name);
    player.setAttribute('theme', name);
  }
  root.toggleAttribute('data-dark', player.isDark);
}

const state = (name) => {
  document.body.dataset.state = name;
};
player.addEventListener('loadeddata', () => {
  state('paused');
  const start = hash.get('t');
  const seconds = start === 'end' ? player.duration : Number(start);
  if (start && Number.isFinite(seconds)) player.currentTime = seconds;
  if (hash.has('play')) player.play();
});
for (const [event, name] of [['play', 'playing'], ['pause', 'paused'], ['error', 'failed']]) {
  player.addEventListener(event, () => state(name));
}
// The player is the only content of the page, so shortcuts work wherever the focus is.
document.addEventListener('keydown', (event) => {
  if (!event.composedPath().includes(player)) player.controlsPart.press(event);
});
darkSystem.addEventListener('change', () => chooseTheme());

chooseTheme(['light', 'dark'].find((name) => name === remembered('theme')));
// The poster's ink is drawn for a light theme.
if (settings.poster && (settings.attributes.ink || !player.isDark)) player.setAttribute('poster', settings.poster);
chooseLanguage(
  ['en', 'zh-TW'].find((name) => name === remembered('language')) ?? (isChinese(navigator.language) ? 'zh-TW' : 'en'),
);
player.load(packed('recording'));
