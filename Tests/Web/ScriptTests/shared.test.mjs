// The functions shared by all pages, as far as they need no browser. `words.test.mjs` tests their
// texts.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FakeTexts, FakeTime, load, openPage, site } from './support.mjs';

test('a name from the address is accepted only if it is harmless', async () => {
  const named = async (id) => {
    openPage({ search: `?${new URLSearchParams({ id })}` });
    return (await load(site, 'shared.mjs')).named('id');
  };
  for (const id of ['d-0123456789abcdef', 'A', '7.b_c-d', 'a'.repeat(128)]) assert.equal(await named(id), id);
  for (const id of ['', '..', '.a', 'a/b', 'a%2fb', 'a b', 'é', 'a\n', 'a'.repeat(129)]) {
    assert.equal(await named(id), undefined, id);
  }
  openPage();
  assert.equal((await load(site, 'shared.mjs')).named('id'), undefined);
});

test('choosing a language rewrites all texts, and is remembered', async () => {
  const { body, head, texts } = openPage();
  const { button, onLanguage, setLanguage, text, make: made } = await load(site, 'shared.mjs');
  head.dataset.key = 'diary';
  const field = made('input', { 'data-hint': 'searchHint' });
  const key = button('undo', 'undo', { 'data-shortcut': 'Ctrl Z' });
  body.append(text('draw'), key, field);
  let count = 0;
  onLanguage(() => {
    count += 1;
  });
  setLanguage('zh-TW');
  assert.deepStrictEqual([body.children[0].textContent, key.getAttribute('aria-label'), field.placeholder], [
    '畫畫',
    '復原',
    '標題、標籤或畫中的文字',
  ]);
  assert.deepStrictEqual([key.title, document.title], ['復原 (Ctrl Z)', '日記 · Pentimento']);
  assert.deepStrictEqual([document.documentElement.lang, texts.getItem('pentimento-language'), count], [
    'zh-TW',
    'zh-TW',
    1,
  ]);
});

test('a browser without storage keeps its language until the page is left', async () => {
  const texts = new FakeTexts();
  texts.isRefused = true;
  openPage({ texts, language: 'zh' });
  const pages = await load(site, 'shared.mjs');
  assert.equal(pages.t('draw'), '畫畫');
  pages.setLanguage('en');
  assert.equal(pages.t('draw'), 'Draw');
});

test('days, weekdays and numbers follow the language', async () => {
  openPage();
  const { setLanguage, shown } = await load(site, 'shared.mjs');
  const date = new Date(2026, 10, 28, 15, 4);
  assert.deepStrictEqual([shown.day(date), shown.weekday(date, 'short'), shown.number(12_345)], [
    'November 28, 2026',
    'Sat',
    '12,345',
  ]);
  setLanguage('zh-TW');
  assert.deepStrictEqual([shown.day(date), shown.weekday(date)], ['2026年11月28日', '星期六']);
});

test('a short message disappears, and a new one replaces it', async () => {
  const time = new FakeTime();
  const { body } = openPage();
  const { toast } = await load(site, 'shared.mjs');
  const shownNow = () => body.children.map((one) => one.textContent);
  toast('first', { seconds: 4 });
  await time.pass(3000);
  toast('second', { seconds: 4 });
  assert.deepStrictEqual(shownNow(), ['second']);
  await time.pass(3999);
  assert.deepStrictEqual(shownNow(), ['second']);
  await time.pass(1);
  assert.deepStrictEqual(shownNow(), []);
});

test('the action of a message runs once and removes the message', async () => {
  const time = new FakeTime();
  const { body } = openPage();
  const { toast } = await load(site, 'shared.mjs');
  let count = 0;
  toast('deleted', {
    action: 'Undo',
    run: () => {
      count += 1;
    },
  });
  body.querySelector('button').dispatchEvent(new Event('click'));
  await time.pass(60_000);
  assert.deepStrictEqual([count, body.children.length], [1, 0]);
});
