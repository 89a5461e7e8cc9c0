// The account: signing in, and what is signed in and how.

import { forgetUser, get, send, visitor } from './api.mjs';
import { hasPasskeys, makePasskey } from './passkeys.mjs';
import { action, waysIn } from './sign-in.mjs';
import { frame, icon, make, onLanguage, shown, t, text, toast } from './shared.mjs';

const main = document.getElementById('account');
const find = (id) => document.getElementById(id);

const day = (moment) => shown.day(new Date(moment));

function row(title, detail, ...buttons) {
  return make(
    'li',
    { class: 'row' },
    make('div', {}, make('span', { class: 'name' }, title), make('span', { class: 'small muted' }, detail)),
    ...buttons,
  );
}

async function start() {
  const { uid, isOffline } = await visitor();
  main.removeAttribute('aria-busy');
  if (!uid) return main.replaceChildren(signedOut());
  if (isOffline) return main.replaceChildren(text('drawingOffline', 'p', { class: 'muted' }));
  const [sessions, passkeys] = await Promise.all([get('v1/sessions'), get('v1/passkeys')]);
  return main.replaceChildren(...signedIn(uid, sessions.items, passkeys.items));
}

const signedOut = () =>
  make(
    'section',
    { class: 'sheet panel' },
    text('signInHint', 'p', { class: 'muted' }),
    waysIn(() => location.assign('./')),
  );

function signedIn(uid, sessions, passkeys) {
  const problem = make('p', { class: 'danger', role: 'alert' });
  const again = () => start();
  const passkeyRows = passkeys.map(({ id, name, lastUsed, createdAt }) => {
    const title = name || t('passkey');
    return row(
      title,
      lastUsed ? t('lastUsed', { when: day(lastUsed) }) : t('madeOn', { when: day(createdAt) }),
      make('button', {
        class: 'button',
        type: 'button',
        'aria-label': t('renamePasskey', { name: title }),
        title: t('renamePasskey', { name: title }),
        onclick: () => askForName(id, title),
      }, icon('pen')),
      make('button', {
        class: 'button danger',
        type: 'button',
        'aria-label': t('deletePasskey', { name: title }),
        title: t('deletePasskey', { name: title }),
        onclick: () => deletePasskey(id),
      }, icon('trash')),
    );
  });
  const sessionRows = sessions.map(({ id, agent, lastUsed, isThis }) => {
    const title = agent || t('unknownBrowser');
    return row(
      title,
      isThis ? t('thisBrowser') : t('lastUsed', { when: day(lastUsed) }),
      ...(isThis ? [] : [
        action('endSession', problem, async () => {
          await send('DELETE', `v1/sessions/${encodeURIComponent(id)}`);
          await again();
        }, { 'aria-label': `${t('endSession')}: ${title}` }),
      ]),
    );
  });
  return [
    problem,
    make(
      'section',
      { class: 'sheet panel', 'aria-labelledby': 'passkeys' },
      text('passkeys', 'h2', { id: 'passkeys' }),
      passkeys.length
        ? make('ul', {}, ...passkeyRows)
        : text(sessions.length ? 'noPasskeyYet' : 'noPasskeyHint', 'p', { class: 'muted' }),
      hasPasskeys()
        ? action('addPasskey', problem, async () => {
          await makePasskey();
          await again();
        })
        : '',
    ),
    make(
      'section',
      { class: 'sheet panel', 'aria-labelledby': 'sessions' },
      text('sessions', 'h2', { id: 'sessions' }),
      sessions.length ? make('ul', {}, ...sessionRows) : text('noSessions', 'p', { class: 'muted' }),
      sessions.some(({ isThis }) => !isThis)
        ? action('endOthers', problem, async () => {
          await send('DELETE', 'v1/sessions');
          await again();
        })
        : '',
    ),
    make(
      'p',
      { class: 'small muted' },
      t('accountOf', { uid }),
    ),
    action('signOut', problem, async () => {
      await send('DELETE', 'v1/session');
      await forgetUser();
      location.assign('./');
    }),
  ];
}

// MARK: Dialogs

function askForName(id, name) {
  const field = find('passkey-name');
  field.value = name;
  find('naming').showModal();
  find('name-form').onsubmit = async (event) => {
    event.preventDefault();
    find('naming').close();
    await send('PATCH', `v1/passkeys/${encodeURIComponent(id)}`, { body: { name: field.value.trim() || name } })
      .catch(() => toast(t('failed')));
    start();
  };
}

async function deletePasskey(id) {
  const path = `v1/passkeys/${encodeURIComponent(id)}`;
  try {
    await send('DELETE', path);
    start();
  } catch (error) {
    if (error.code !== 'last-way-in') return toast(t('failed'));
    find('last').showModal();
    find('delete-last').onclick = async () => {
      find('last').close();
      await send('DELETE', `${path}?even-if-last=true`).catch(() => toast(t('failed')));
      start();
    };
  }
  return undefined;
}

frame('account');
const open = () =>
  start().catch((error) => {
    main.removeAttribute('aria-busy');
    main.replaceChildren(text(error.status === 0 ? 'drawingOffline' : 'failed', 'p', { role: 'alert' }));
  });
open();
onLanguage(open);
