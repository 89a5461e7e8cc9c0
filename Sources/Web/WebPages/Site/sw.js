// The service worker: keeps the pages and the engine, so that they open without a connection. `version` and `files`, the
// list of what is kept, stand before this text; both are others after any file has changed.

const store = `pentimento ${version}`;

addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(store);
    // From the server, not from what the browser has kept of an older version.
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

// Pages and their parts come from what is kept; everything else, drawings above all, from the server alone.
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
