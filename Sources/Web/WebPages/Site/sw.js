// The service worker: caches the pages and the engine, so that they open without a connection. The
// server inserts `version` and `files`, the list of cached files, before this text; both change
// with any file.

const store = `pentimento ${version}`;

addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(store);
    // Bypasses the browser's cache, which may contain an older version.
    await cache.addAll(files.map((name) => new Request(new URL(name, registration.scope), { cache: 'no-cache' })));
    await skipWaiting();
  })());
});

addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('pentimento ') && name !== store) await caches.delete(name);
    }
    await clients.claim();
  })());
});

// Pages and their parts are served from the cache.
addEventListener('fetch', (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== 'GET' || address.origin !== location.origin) return;
  const known = new URL(address.pathname, location.origin).href;
  if (!files.some((name) => new URL(name, registration.scope).href === known)) return;
  event.respondWith((async () => {
    const cache = await caches.open(store);
    return (await cache.match(known)) ?? fetch(event.request);
  })());
});

// MARK: Pictures without a connection

// The small pictures of the gallery that were shown last, and its last first page: a connection is
// always asked first. Addresses name the user, and a refused sign-in deletes all of them.
const pictures = 'pentimento-pictures';
const mostPictures = 600;
const picturePath = /\/v1\/users\/[^/]+\/drawings\/([^/]+)\/render$/;
const galleryPath = /\/v1\/users\/[^/]+\/gallery$/;

// The address under which a response is kept; undefined if it is not kept.
function keptAs({ origin, pathname, searchParams }) {
  if (picturePath.test(pathname) && searchParams.get('shape') === 'square') {
    // The same picture in all sizes.
    return `${origin}${pathname}?style=${searchParams.get('style')}`;
  }
  const isFirst = !['after', 'tag'].some((name) => searchParams.has(name)) && searchParams.get('sort') === 'newest';
  return galleryPath.test(pathname) && isFirst ? origin + pathname : undefined;
}

async function fromServer(event, key) {
  try {
    const response = await fetch(event.request);
    if (response.ok) event.waitUntil(keep(key, response.clone()).catch(() => {}));
    else if ([401, 403].includes(response.status)) event.waitUntil(caches.delete(pictures));
    return response;
  } catch (error) {
    const kept = await (await caches.open(pictures)).match(key);
    if (kept) return kept;
    throw error;
  }
}

let keptCount = 0;
async function keep(key, response) {
  const cache = await caches.open(pictures);
  await cache.put(key, response);
  keptCount += 1;
  if (keptCount % 50 !== 0) return;
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(keys.length - mostPictures, 0))) await cache.delete(old);
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (address.origin !== location.origin) return;
  const key = request.method === 'GET' ? keptAs(address) : undefined;
  if (key) event.respondWith(fromServer(event, key));
  // The picture of a deleted drawing is not kept.
  if (request.method !== 'DELETE' || !/\/drawings\/[^/]+$/.test(address.pathname)) return;
  event.waitUntil((async () => {
    const cache = await caches.open(pictures);
    for (const style of ['light', 'dark']) await cache.delete(`${address.href}/render?style=${style}`);
  })());
});
