// Shared parts of every page: texts in the viewer's language, head and tabs, menus, dialogs,
// toasts.
import { icon, icons, make } from './build.mjs';
import { mark, openMenus, styled, writeWords } from './interface.mjs';
import { languages, words } from './words.mjs';

export { icon, make, mark, styled };

// Drawn by hand, like those of the player.
Object.assign(icons, {
  grid: {
    line:
      'M4.3 4.4c2-.2 3.9-.2 5.8 0 .2 2 .2 3.8 0 5.7-1.9.2-3.8.2-5.8 0-.2-1.9-.2-3.8 0-5.7ZM13.8 4.3c2-.1 3.9-.1 5.9.1.2 1.9.2 3.8 0 5.7-2 .2-3.9.2-5.9 0-.2-2-.2-3.9 0-5.8ZM4.3 13.9c1.9-.2 3.9-.1 5.8.1.1 1.9.1 3.8-.1 5.7-1.9.1-3.8.1-5.7-.1-.2-1.9-.2-3.8 0-5.7ZM13.8 13.8c1.9-.1 3.8 0 5.8.1.1 1.9.1 3.8-.1 5.7-1.9.2-3.8.2-5.7 0-.1-1.9-.1-3.9 0-5.8Z',
  },
  book: {
    line:
      'M12 6.4C9.9 5 7.1 4.5 4.1 4.8v13.5c3-.3 5.8.2 7.9 1.5 2.1-1.3 4.9-1.8 7.9-1.5V4.8c-3-.3-5.8.2-7.9 1.6ZM12 6.6v12.9',
  },
  drop: {
    line:
      'M12.1 3.6c2.5 3.3 5.5 6.4 5.5 10.1 0 3.8-2.4 6.4-5.7 6.4-3.3 0-5.6-2.5-5.6-6.2 0-3.8 3.2-7.1 5.8-10.3ZM9.3 14.1c.2 1.7 1 2.7 2.4 3',
  },
  pen: {
    line:
      'M4.3 19.7c.5-2.1.9-3.5 1.4-4.8L16 4.7c1-1 2.2-.9 3.1 0 .9.9 1 2 .1 3L8.9 18.1c-1.4.6-2.9 1-4.6 1.6ZM14.3 6.6l3 3.1',
  },
  back: { line: 'M14.7 5.3c-2.5 2-4.6 4.2-6.6 6.7 2 2.5 4.1 4.7 6.6 6.7' },
  undo: { line: 'M8.4 5.6 4.5 9.6l4.1 3.9M4.9 9.6h8.9c3.6 0 5.9 2 5.9 4.9s-2.2 4.7-5.3 4.7h-2.7' },
  redo: { line: 'm15.6 5.6 3.9 4-4.1 3.9M19.1 9.6h-8.9c-3.6 0-5.9 2-5.9 4.9s2.2 4.7 5.3 4.7h2.7' },
  paper: { line: 'M6.1 3.9h8.2l3.8 3.9v12.3h-12ZM14.1 4.1v3.9h3.9M9.1 12.2h6.1M9.1 15.7h6.1' },
  ruler: { line: 'm4.3 15.6 11.3-11.3 4.1 4.1L8.4 19.7ZM8.1 12l1.9 1.9M10.9 9.2l1.9 1.9M13.7 6.4l1.9 1.9' },
  plus: { line: 'M12 5.3v13.4M5.3 12h13.4' },
  minus: { line: 'M5.3 12h13.4' },
  link: {
    line:
      'M10 13.9c-1.9-1.7-1.9-3.7-.3-5.4l2.9-2.9c1.7-1.6 3.9-1.5 5.4 0 1.5 1.6 1.5 3.7-.1 5.3l-1.5 1.5M14 10.1c1.9 1.7 1.9 3.7.3 5.4l-2.9 2.9c-1.7 1.6-3.9 1.5-5.4 0-1.5-1.6-1.5-3.7.1-5.3l1.5-1.5',
  },
  image: {
    line:
      'M4.3 5.3c5.1-.2 10.2-.2 15.4 0 .1 4.5.1 8.9 0 13.4-5.2.1-10.3.1-15.4 0-.1-4.5-.1-8.9 0-13.4ZM4.6 16.3l4.3-4.6 3.3 3.5 2.6-2.6 4.7 4.5M15.4 8.9h.01',
  },
  info: { line: 'M12 4.2a7.8 7.8 0 1 0 .1 15.6 7.8 7.8 0 0 0-.1-15.6ZM12 11.2v4.9M12 8.1h.01' },
  search: {
    line:
      'M10.6 4.6c3.4-.1 5.9 2.5 5.9 5.8 0 3.4-2.5 6-5.9 6-3.3 0-5.9-2.6-5.9-5.9 0-3.3 2.6-5.8 5.9-5.9ZM15 15.1l4.6 4.5',
  },
  label: {
    line:
      'M4.4 5.2c2.7-.3 5.2-.3 7.6-.1l7.6 7.7c.7.7.7 1.4 0 2.1l-4.9 4.8c-.7.7-1.4.7-2.1 0L4.9 12c-.4-2.2-.5-4.5-.5-6.8ZM8.4 8.9h.01',
  },
  person: {
    line:
      'M12 4.5c2.2 0 3.7 1.6 3.7 3.8 0 2.2-1.5 4-3.7 4-2.1 0-3.6-1.8-3.6-4 0-2.2 1.5-3.8 3.6-3.8ZM5 19.6c.5-3.2 3.2-5 7-5 3.9 0 6.6 1.8 7.1 5',
  },
  check: { line: 'M5 12.6c1.7 1.4 3 2.9 4.2 4.7 2.7-4.5 5.7-8 9.7-11' },
});

export const query = new URLSearchParams(location.search);

// An id from the page's URL; undefined if it is missing or invalid. Other texts could change a
// path, as `..` does.
export const named = (key) => query.get(key)?.match(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)?.[0];

// MARK: Words

function storedLanguage() {
  try {
    return localStorage.getItem('pentimento-language');
  } catch {
    return null;
  }
}

const wanted = query.get('lang') ?? storedLanguage() ?? navigator.language ?? 'en';
export let language = /^zh/i.test(wanted) ? 'zh-TW' : 'en';

// The text of a key; values replace the names in braces. A key in no table is an unknown app's
// emotion or topic: it is shown unchanged.
export function t(key, values = {}) {
  if (!Object.hasOwn(words, key)) return key;
  return words[key][languages.indexOf(language)].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// Functions that write the page's own words again after the language has changed.
const rewriters = [];
export function onLanguage(rewrite) {
  rewriters.push(rewrite);
}

// Formatters are cached: creating one takes longer than using it a hundred times.
const formatters = new Map();
function formatter(kind, options = {}) {
  const key = `${language} ${kind} ${JSON.stringify(options)}`;
  if (!formatters.has(key)) formatters.set(key, new Intl[kind](language, options));
  return formatters.get(key);
}

export const shown = {
  day: (date) => formatter('DateTimeFormat', { dateStyle: 'long' }).format(date),
  weekday: (date, weekday = 'long') => formatter('DateTimeFormat', { weekday }).format(date),
  time: (date) => formatter('DateTimeFormat', { timeStyle: 'short' }).format(date),
  number: (number, options) => formatter('NumberFormat', options).format(number),
};

export function setLanguage(next) {
  language = next;
  try {
    localStorage.setItem('pentimento-language', language);
  } catch { /* without storage, it lasts until the page is closed */ }
  document.documentElement.lang = language;
  writeWords(document, t);
  const title = document.querySelector('title');
  document.title = `${t(title.dataset.key)} · Pentimento`;
  for (const rewrite of rewriters) rewrite();
}

// MARK: Parts

// A text in both languages, which changes with the language.
export const text = (key, tag = 'span', attributes = {}) => make(tag, { 'data-t': key, ...attributes }, t(key));

export function button(name, key, attributes = {}) {
  const { class: more = '', ...others } = attributes;
  return make(
    'button',
    {
      type: 'button',
      class: `button ${more}`.trim(),
      'data-label': key,
      'aria-label': t(key),
      title: t(key),
      ...others,
    },
    icon(name),
  );
}

const pages = [
  ['gallery', './', 'grid'],
  ['diary', 'diary', 'book'],
  ['checkin', 'checkin', 'drop'],
  ['draw', 'draw', 'pen'],
];

// Fills the head and the tabs of a page; `current` is its key among `pages`, or none of them.
export function frame(current) {
  const isDrawPrimary = current === 'gallery' || current === 'diary';
  const link = ([key, address], ...children) =>
    make('a', { href: address, 'aria-current': key === current && 'page' }, ...children);
  document.querySelector('.head')?.append(
    make(
      'div',
      { class: 'head-in' },
      make(
        'a',
        { class: 'brand', href: './', 'data-label': 'home', 'aria-label': t('home') },
        make('span', { class: 'logo' }, icon('logo')),
        make('span', { 'aria-hidden': 'true' }, 'Pentimento'),
      ),
      make(
        'nav',
        { class: 'nav', 'data-label': 'pages', 'aria-label': t('pages') },
        ...pages.slice(0, 3).map((page) => link(page, text(page[0]))),
      ),
      make('button', {
        class: 'button language',
        type: 'button',
        'data-label': 'languageLabel',
        'aria-label': t('languageLabel'),
        onclick: () => setLanguage(language === 'en' ? 'zh-TW' : 'en'),
      }, text('language')),
      button('theme', 'theme', { onclick: () => window.theme.toggle() }),
      make('a', {
        class: 'button',
        href: 'account',
        'data-label': 'account',
        'aria-label': t('account'),
        title: t('account'),
        'aria-current': current === 'account' && 'page',
      }, icon('person')),
      make(
        'a',
        { class: `button ${isDrawPrimary ? 'primary' : 'lined'} draw`, href: 'draw' },
        icon('pen'),
        text('draw'),
      ),
    ),
  );
  document.querySelector('.tabs')?.append(...pages.map((page) => {
    const item = link(page, icon(page[2]), text(page[0]));
    item.classList.toggle('call', page[0] === 'draw' && isDrawPrimary);
    return item;
  }));
  document.querySelector('.tabs')?.setAttribute('data-label', 'pages');
  setLanguage(language);
  openMenus(document);
  for (const closer of document.querySelectorAll('dialog [data-close]')) {
    closer.addEventListener('click', () => closer.closest('dialog').close());
  }
}

// Takes files that are dropped on the page, which shows meanwhile that it would.
export function takeDrops(take) {
  const show = (isOver) => document.body.classList.toggle('dropping', isOver);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    show(event.dataTransfer?.types.includes('Files') ?? false);
  });
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget || show(false));
  addEventListener('drop', (event) => {
    event.preventDefault();
    show(false);
    take(event);
  });
}

// Shows a toast, with an optional action. Returns a function that removes it.
export function toast(message, { action, run, seconds = action ? 10 : 5 } = {}) {
  document.querySelector('.toast')?.remove();
  const box = make('div', { class: 'toast', role: 'status' }, make('span', {}, message));
  const remove = () => box.remove();
  if (action) {
    box.append(make('button', {
      class: 'button',
      type: 'button',
      onclick: () => {
        remove();
        run();
      },
    }, action));
  }
  document.body.append(box);
  setTimeout(remove, seconds * 1000);
  return remove;
}

// Replaces a page's content: empty, not found, or a failure.
export function blank({ art, title, key, hint, isFailure = false }, ...actions) {
  return make(
    'div',
    { class: 'blank', role: isFailure && 'alert' },
    art ?? '',
    title ? text(title, 'h2') : '',
    key ? text(key, 'p', { class: 'serif large' }) : '',
    hint ? text(hint, 'p', { class: 'muted' }) : '',
    make('div', { class: 'actions' }, ...actions),
  );
}

// Offline: the service worker caches pages and engine. Without it, everything works while there is
// a connection.
if ('serviceWorker' in navigator && !query.has('no-worker')) {
  addEventListener('load', () => navigator.serviceWorker.register('sw.js').catch(() => {}));
}
