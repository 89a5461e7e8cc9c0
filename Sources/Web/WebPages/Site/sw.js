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

// Pages and their parts are served from the cache; everything else, above all drawings, only from
// the server.
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
