// The pages' calls of the service: the signed-in user, visitors, and the question for a sign-in after
// one has ended.

import assert from 'node:assert/strict';
import test from 'node:test';
import { define, FakeNetwork, FakeTexts, load, offline, openPage, reply, settle, site } from './support.mjs';

async function opened(page, answer) {
  const around = openPage(page);
  const network = new FakeNetwork(answer);
  return { ...around, network, api: await load(site, 'api.mjs') };
}

const signedIn = ({ method }) => (method === 'POST' ? reply(204) : reply(200, { uid: 'u 1' }));

test('the user is requested once, and remembered while the server is away', async () => {
  const { api, network, texts } = await opened({}, signedIn);
  assert.deepStrictEqual(await Promise.all([api.user(), api.user()]), [{ uid: 'u 1' }, { uid: 'u 1' }]);
  assert.equal(await api.own('drawings'), 'v1/users/u%201/drawings');
  assert.deepStrictEqual(network.taken(), ['GET v1/session']);
  for (const answer of [offline, () => reply(503, '')]) {
    const away = await opened({ texts }, answer);
    assert.deepStrictEqual(await away.api.user(), { uid: 'u 1', isOffline: true });
  }
});

test('a device without a former user needs the server for the user', async () => {
  const { api } = await opened({}, offline);
  await assert.rejects(api.user(), { status: 0 });
});

test('an expired sign-in does not fall back to the last user', async () => {
  const texts = new FakeTexts();
  texts.setItem('pentimento-user', 'u 1');
  const { api } = await opened({ texts }, () => reply(401, { code: 'unauthorized' }));
  await assert.rejects(api.user(), { status: 401 });
});

test('a visitor is asked for nothing, and the last user of the device is forgotten', async () => {
  const texts = new FakeTexts();
  texts.setItem('pentimento-user', 'u 1');
  const { api, body } = await opened({ texts }, () => reply(401, { code: 'no-token' }));
  assert.deepStrictEqual(await api.visitor(), { uid: null });
  assert.equal(body.querySelectorAll('dialog').length, 0);
  assert.equal(texts.getItem('pentimento-user'), null);
  await assert.rejects(api.own('events'), { status: 401 });
  assert.equal(body.querySelectorAll('dialog').length, 0);
  await assert.rejects(api.user(), { status: 401 });
  assert.equal(body.querySelectorAll('dialog').length, 1);
  // Without a connection, nobody is known any more.
  const away = await opened({ texts }, offline);
  assert.deepStrictEqual(await away.api.visitor(), { uid: null });
  await assert.rejects(away.api.user(), { status: 0 });
  const broken = await opened({ texts }, () => reply(500, ''));
  await assert.rejects(broken.api.visitor(), { status: 500 });
});

test('the ways in are those of the server', async () => {
  const { api, body } = await opened({}, ({ path, method }) => {
    if (path === 'v1/sign-in') return reply(200, { openid: 'Example', signUp: 'everyone' });
    return method === 'POST' ? reply(200, { url: 'https://id.example/a' }) : reply(401, {});
  });
  define('PublicKeyCredential', class {});
  navigator.credentials = {};
  await assert.rejects(api.user(), { status: 401 });
  await settle();
  const texts = body.querySelectorAll('button').map((one) => one.textContent);
  assert.deepStrictEqual(texts, [
    'Sign in with a passkey',
    'Continue with Example',
    'Make an account',
    'Use a token',
    'Sign in',
    'Not now',
  ]);
  delete globalThis.PublicKeyCredential;
});

test('a sign-in that has failed is tried again', async () => {
  let isAway = true;
  const { api, network } = await opened({}, (request) => (isAway ? offline() : signedIn(request)));
  await assert.rejects(api.user());
  isAway = false;
  assert.deepStrictEqual(await api.user(), { uid: 'u 1' });
  assert.equal(network.asked.length, 2);
});

test('a browser that stores no texts signs in each time', async () => {
  const texts = new FakeTexts();
  texts.isRefused = true;
  const { api } = await opened({ texts }, signedIn);
  assert.deepStrictEqual(await api.user(), { uid: 'u 1' });
  const away = await opened({ texts }, offline);
  await assert.rejects(away.api.user(), { status: 0 });
});

test('a token in the URL fragment becomes a cookie and is removed first', async () => {
  const { api, network } = await opened({ search: '?lang=en', hash: '#embed&token=a%2Bb.c' }, (request) => {
    assert.deepStrictEqual(history.replaced, ['/app/draw?lang=en']);
    return signedIn(request);
  });
  await api.user();
  assert.deepStrictEqual(network.asked[0].headers, { Authorization: 'Bearer a+b.c' });
  assert.deepStrictEqual(network.taken(), ['POST v1/session', 'GET v1/session']);
});

test('an expired token is asked for once, for any number of requests', async () => {
  const { api, body } = await opened({}, () => reply(401, {}));
  await Promise.all(['a', 'b'].map((path) => assert.rejects(api.get(path), { status: 401 })));
  const dialogs = body.querySelectorAll('dialog');
  assert.deepStrictEqual([dialogs.length, dialogs[0].open], [1, true]);
  // A later request keeps the open dialog and its input.
  await assert.rejects(api.get('c'));
  assert.equal(body.querySelector('dialog'), dialogs[0]);
  assert.equal(dialogs[0].getAttribute('aria-labelledby'), dialogs[0].querySelector('h2').getAttribute('id'));
  // After "Later", the next request asks again, and replaces the old dialog.
  dialogs[0].querySelectorAll('button').at(-1).dispatchEvent(new Event('click'));
  assert.ok(!dialogs[0].open);
  await assert.rejects(api.get('c'));
  assert.deepStrictEqual(body.querySelectorAll('dialog').map(({ open }) => open), [true]);
});

test('problems other than expired tokens ask for no token', async () => {
  for (const status of [402, 403, 404, 500]) {
    const { api, body } = await opened({}, () => reply(status, {}));
    await assert.rejects(api.get('a'), { status });
    assert.equal(body.children.length, 0, `${status}`);
  }
});

test('a new token is tried, and an accepted one reloads the page', async () => {
  let status = 401;
  const { api, body, network } = await opened(
    {},
    ({ method }) => (method === 'POST' ? reply(status, {}) : reply(401, {})),
  );
  await assert.rejects(api.get('a'));
  network.taken();
  const form = body.querySelector('form');
  const problem = body.querySelector('.danger');
  form.querySelector('input').value = '  abc ';
  const enter = async () => {
    const event = new Event('submit', { cancelable: true });
    form.dispatchEvent(event);
    assert.ok(event.defaultPrevented);
    await settle();
  };
  await enter();
  assert.equal(problem.textContent, 'This token is not accepted, or it has ended.');
  assert.equal(network.asked[0].headers.Authorization, 'Bearer abc');
  status = 503;
  await enter();
  assert.equal(problem.textContent, 'That did not work. Try again in a moment.');
  assert.equal(location.reloads, 0);
  status = 204;
  await enter();
  assert.equal(location.reloads, 1);
});

test('a picture has a width that the server renders and that fits the screen', async () => {
  const { api } = await opened({}, signedIn);
  const width = (wanted, ratio, options = {}) => {
    globalThis.devicePixelRatio = ratio;
    return Number(/width=(\d+)/.exec(api.picture('u', 'd', { width: wanted, ...options }).src)[1]);
  };
  assert.deepStrictEqual([width(128, 1), width(129, 1), width(256, 2), width(256, 3), width(5000, 2)], [
    128,
    192,
    512,
    512,
    2048,
  ]);
  assert.deepStrictEqual([width(1500, 1), width(1500, 1, { isUnder: true })], [1536, 1024]);
});

test('a picture follows the colour scheme and has its size and shape', async () => {
  const { api, body, heard } = await opened({}, signedIn);
  globalThis.theme.isDark = false;
  const image = api.picture('u/1', 'd 1', { width: 128, isSmall: true, class: 'thumb' });
  assert.equal(image.src, 'v1/users/u%2F1/drawings/d%201/render?width=128&style=light&background=auto&shape=square');
  assert.deepStrictEqual([image.getAttribute('alt'), image.getAttribute('class')], ['', 'thumb']);
  const under = api.picture('u', 'd', { isUnder: true });
  assert.match(under.src, /\/frames\/50\?/);
  body.append(image);
  globalThis.theme.isDark = true;
  heard.get('themechange')();
  assert.match(image.src, /style=dark/);
  // The picture is no longer in the document.
  assert.match(under.src, /style=light/);
});
