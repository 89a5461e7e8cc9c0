// The ways to sign in, as a part of a page or in a dialog.

import { hasPasskeys, makePasskey, signInWithPasskey } from './passkeys.mjs';
import { request } from './requests.mjs';
import { make, t, text } from './shared.mjs';

// Exchanges a token for a cookie that scripts cannot read.
export const useToken = (token) => request('POST', 'v1/session', { fields: { Authorization: `Bearer ${token}` } });

// What went wrong, in words.
export function problemText({ status, code }) {
  if (code === 'stopped') return '';
  if (code === 'known') return t('passkeyKnown');
  if (status === 429) return t('signInBusy');
  return t(status === 401 || status === 403 ? 'signInRefused' : 'failed');
}

// A button that runs something, and meanwhile cannot be pressed. What goes wrong is written into
// `problem`.
export function action(key, problem, run, attributes = {}, values = {}) {
  const { class: more = 'lined', ...others } = attributes;
  const press = async () => {
    problem.textContent = '';
    one.disabled = true;
    try {
      await run();
    } catch (error) {
      problem.textContent = problemText(error);
    } finally {
      one.disabled = false;
    }
  };
  const one = make('button', { class: `button ${more}`, type: 'button', onclick: press, ...others }, t(key, values));
  if (Object.keys(values).length === 0) one.dataset.t = key;
  return one;
}

// Goes to the provider's page, which leads back to this one.
export async function goToProvider(code) {
  const base = new URL('.', document.baseURI).pathname;
  const page = location.pathname.slice(base.length);
  // The server takes no other letters.
  const search = /^\?[\w.~%&=-]{1,400}$/.test(location.search) ? location.search : '';
  const { url } = await request('POST', 'v1/sign-in/openid', {
    body: { page: code === undefined ? page + search : '', code },
  });
  location.assign(url);
}

// The ways in. `done` is called when the user is signed in.
export function waysIn(done) {
  const problem = make('p', { class: 'danger', role: 'alert' });
  const others = make('div', { class: 'ways' });
  const token = make('input', { class: 'field', type: 'password', id: 'token', autocomplete: 'off' });
  const form = make(
    'form',
    { hidden: true, class: 'ways' },
    text('token', 'label', { for: 'token' }),
    token,
    make('button', { class: 'button lined', type: 'submit' }, text('signIn')),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      await useToken(token.value.trim());
      done();
    } catch (error) {
      problem.textContent = t(error.status === 401 ? 'tokenRefused' : 'failed');
    }
  });
  const opener = make('button', {
    class: 'button small',
    type: 'button',
    'aria-expanded': 'false',
    onclick: () => {
      form.hidden = !form.hidden;
      opener.setAttribute('aria-expanded', String(!form.hidden));
      if (!form.hidden) token.focus();
    },
  }, text('useToken'));
  const passkey = action('passkeySignIn', problem, async () => {
    await signInWithPasskey();
    done();
  }, { class: 'primary' });
  const box = make('div', { class: 'ways' }, hasPasskeys() ? passkey : '', others, problem, opener, form);
  showDoors(others, problem, done);
  return box;
}

// Adds the ways that the server has besides passkeys and tokens.
async function showDoors(box, problem, done) {
  const { openid, signUp } = await doors();
  if (openid) box.append(action('continueWith', problem, () => goToProvider(), {}, { name: openid }));
  if (signUp !== 'everyone' || !hasPasskeys()) return;
  box.append(action('makeAccount', problem, async () => {
    await makePasskey({ name: '' });
    done();
  }));
}

export const doors = () => request('GET', 'v1/sign-in').catch(() => ({ openid: null, signUp: 'invited' }));

// A dialog for signing in, once at a time. Meanwhile, new ink is stored on the device.
let asking;
export function askToSignIn() {
  if (asking?.open) return;
  asking?.remove();
  asking = make(
    'dialog',
    { 'aria-labelledby': 'sign-in' },
    text('signedOut', 'h2', { id: 'sign-in' }),
    text('signedOutHint', 'p', { class: 'muted' }),
    waysIn(() => location.reload()),
    make(
      'div',
      { class: 'actions' },
      make('button', { class: 'button', type: 'button', onclick: () => asking.close() }, text('later')),
    ),
  );
  document.body.append(asking);
  asking.showModal();
}
