// The service's client. URLs are relative to the page, so that the server may be below any path.
import { isAway, request } from './requests.mjs';
import { make } from './shared.mjs';
import { askToSignIn, useToken } from './sign-in.mjs';

export { Problem } from './requests.mjs';

// Sends a request as `request` does; if the sign-in has ended, asks for another one.
export async function send(method, path, options) {
  try {
    return await request(method, path, options);
  } catch (error) {
    if (error.status === 401) askToSignIn();
    throw error;
  }
}

export const get = (path, options) => send('GET', path, options);

// MARK: Who is signed in

let session;

// The user of these pages: { uid }. While the server cannot be reached, the last user on this
// device. Asks for a sign-in if there is none.
export async function user() {
  try {
    return await known();
  } catch (error) {
    if (error.status === 401) askToSignIn();
    throw error;
  }
}

// The same for pages that work without an account: a visitor's uid is null. Without a connection,
// somebody who is not remembered is a visitor.
export async function visitor() {
  try {
    return await known();
  } catch (error) {
    if (error.status === 401 || error.status === 0) return { uid: null };
    throw error;
  }
}

function known() {
  session ??= signIn().catch((error) => {
    session = undefined;
    throw error;
  });
  return session;
}

// Forgets the user of this device, and the pictures that are kept for them. Their unsent drawings
// stay, and only they see them.
export async function forgetUser() {
  try {
    localStorage.removeItem('pentimento-user');
  } catch { /* nothing was stored */ }
  try {
    await caches.delete('pentimento-pictures');
  } catch { /* a browser without caches */ }
}

async function signIn() {
  // A link of an app may contain a token in the URL's fragment, which is never sent to a server.
  const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname + location.search);
    await useToken(decodeURIComponent(token));
  }
  try {
    const found = await request('GET', 'v1/session');
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
    // On a shared device, the next person may be another one.
    if (error.status === 401 && uid) await forgetUser();
    throw error;
  }
}

// A path below the user's own.
export async function own(rest) {
  return `v1/users/${encodeURIComponent((await known()).uid)}/${rest}`;
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
