// The service's client. URLs are relative to the page, so that the server may be below any path.
import { isAway, request } from './requests.mjs';
import { make, t, text } from './shared.mjs';

export { Problem } from './requests.mjs';

// Sends a request as `request` does; if the token has expired, requests a new one.
export async function send(method, path, options) {
  try {
    return await request(method, path, options);
  } catch (error) {
    if (error.status === 401) askForToken();
    throw error;
  }
}

export const get = (path, options) => send('GET', path, options);

// MARK: Who is signed in

let session;

// The user of these pages: { uid }. While the server cannot be reached, the last user on this
// device.
export function user() {
  session ??= signIn().catch((error) => {
    session = undefined;
    throw error;
  });
  return session;
}

async function signIn() {
  // A link of an app may contain a token in the URL's fragment, which is never sent to a server.
  const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname + location.search);
    await useToken(decodeURIComponent(token));
  }
  try {
    const found = await get('v1/session');
    window.journal?.serve(found.hasJournal !== false);
    try {
      localStorage.setItem('pentimento-user', found.uid);
    } catch { /* without storage, the user is asked each time */ }
    return found;
  } catch (error) {
    let uid = null;
    try {
      uid = localStorage.getItem('pentimento-user');
    } catch { /* as above */ }
    if (isAway(error) && uid) return { uid, isOffline: true };
    throw error;
  }
}

// Exchanges a token for a cookie that scripts cannot read.
const useToken = (token) => send('POST', 'v1/session', { fields: { Authorization: `Bearer ${token}` } });

// A path below the user's own.
export async function own(rest) {
  return `v1/users/${encodeURIComponent((await user()).uid)}/${rest}`;
}

// Requests a new token if the old one has expired. Meanwhile, new ink is stored on the device.
let asking;
function askForToken() {
  if (asking?.open) return;
  const field = make('input', {
    class: 'field',
    type: 'password',
    id: 'token',
    autocomplete: 'off',
    'aria-describedby': 'token-problem',
  });
  const problem = make('p', { class: 'danger', id: 'token-problem', role: 'alert' });
  const form = make(
    'form',
    { method: 'dialog' },
    text('signedOut', 'h2', { id: 'sign-in' }),
    text('signedOutHint', 'p', { class: 'muted' }),
    make('label', { for: 'token' }, text('token')),
    field,
    problem,
    make(
      'div',
      { class: 'actions' },
      make('button', { class: 'button', type: 'button', onclick: () => asking.close() }, text('later')),
      make('button', { class: 'button primary', type: 'submit' }, text('signIn')),
    ),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await useToken(field.value.trim());
      location.reload();
    } catch (error) {
      problem.textContent = t(error.status === 401 ? 'tokenRefused' : 'failed');
    }
  });
  asking?.remove();
  asking = make('dialog', { 'aria-labelledby': 'sign-in' }, form);
  document.body.append(asking);
  asking.showModal();
}

// MARK: Pictures

// The widths that the server renders without a signed link.
const widths = [128, 192, 256, 384, 512, 768, 1024, 1536, 2048];

// An image of a drawing on the pages' sheet, or on the other one if its ink would be invisible on
// this one. It follows light and dark. `isUnder` shows it half drawn. `isSmall` is for cells: a
// square that fills them. Another `version` is requested again: browsers show pictures of an address
// that they have in memory.
export function picture(
  uid,
  id,
  { width = 256, isUnder = false, isSmall = false, version = '', alt = '', ...attributes } = {},
) {
  const image = make('img', { alt, decoding: 'async', loading: 'lazy', ...attributes });
  const wanted = width * Math.min(devicePixelRatio || 1, 2);
  const pixels = widths.find((one) => one >= wanted) ?? 2048;
  const place = `v1/users/${encodeURIComponent(uid)}/drawings/${encodeURIComponent(id)}`;
  const [name, most] = isUnder ? ['frames/50', 1024] : ['render', 2048];
  let fragment = version;
  image.setSource = (next = fragment) => {
    fragment = next;
    const style = window.theme.isDark ? 'dark' : 'light';
    const shape = isSmall ? '&shape=square' : '';
    image.src = `${place}/${name}?width=${Math.min(pixels, most)}&style=${style}&background=auto${shape}${
      fragment && `#${encodeURIComponent(fragment)}`
    }`;
  };
  image.setSource();
  image.dataset.drawing = id;
  return image;
}

addEventListener('themechange', () => {
  for (const image of document.querySelectorAll('img[data-drawing]')) image.setSource?.();
});
