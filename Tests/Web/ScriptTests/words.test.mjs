// The texts of the pages and of the player, and the keys that scripts and pages use.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { canvas, load, openPage, player, scriptsIn, site } from './support.mjs';

const { languages, words } = await load(site, 'words.mjs');
// The player does not export its table.
const playerText = readFileSync(join(player, 'words.mjs'), 'utf8');
const ofPlayer = await load(
  player,
  'words.mjs',
  { 'words.mjs': playerText.replace('const words =', 'export const words =') },
);
const { words: canvasWords } = await load(canvas, 'canvas-words.mjs');
const tables = { pages: words, canvas: canvasWords, player: ofPlayer.words };

const textsOf = (folder, names) =>
  names.filter((name) => !name.endsWith('words.mjs'))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replace(/^\s*\/\/.*$/gm, '') }));
const siteScripts = textsOf(site, scriptsIn(site));
const canvasScripts = textsOf(canvas, scriptsIn(canvas));
const playerScripts = textsOf(player, scriptsIn(player));
const sitePages = textsOf(site, readdirSync(site).filter((name) => name.endsWith('.html')));

const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const quoted = (code) => [...code.matchAll(/'(\w+)'/g)].map(([, key]) => key);

// The arguments of each call of a function in a script, as code.
function calls(text, pattern) {
  const found = [];
  for (const { index, 0: head } of text.matchAll(pattern)) {
    const list = [''];
    let depth = 0;
    for (const letter of text.slice(index + head.length)) {
      if ('([{'.includes(letter)) depth += 1;
      if (')]}'.includes(letter) && depth-- === 0) break;
      if (letter === ',' && depth === 0) list.push('');
      else list[list.length - 1] += letter;
    }
    const parts = list.map((one) => one.trim());
    // The last argument may be followed by a comma.
    found.push(parts.at(-1) === '' ? parts.slice(0, -1) : parts);
  }
  return found;
}

// The names in an object literal.
const namesIn = (code = '{}') =>
  code.replace(/^\{|\}$/g, '').replace(/\([^)]*\)/g, '').split(',')
    .map((one) => one.split(':')[0].trim()).filter(Boolean).sort();

for (const [whose, table] of Object.entries(tables)) {
  test(`every word of the ${whose} has a text in each language`, () => {
    assert.ok(Object.keys(table).length > 30);
    for (const [key, texts] of Object.entries(table)) {
      assert.equal(texts.length, languages.length, key);
      for (const text of texts) {
        assert.ok(text.length > 0 && (text === text.trim() || key === 'comma'), `${key}: “${text}”`);
      }
    }
  });

  test(`a word of the ${whose} has the same placeholders in each language`, () => {
    for (const [key, texts] of Object.entries(table)) {
      for (const text of texts) {
        assert.deepStrictEqual(placeholders(text), placeholders(texts[0]), key);
        // A brace outside of a placeholder is a mistake.
        assert.doesNotMatch(text.replace(/\{\w+\}/g, ''), /[{}]/, key);
      }
    }
  });

  test(`English words of the ${whose} are not Chinese, and Chinese ones are not English`, () => {
    for (const [key, [english, chinese]] of Object.entries(table)) {
      // The languages' names are in their own language.
      if (key.startsWith('language')) continue;
      assert.doesNotMatch(english, /\p{Script=Han}/u, key);
      assert.ok(/\p{Script=Han}/u.test(chinese) || !/[a-z]/i.test(chinese.replace(/\{\w+\}/g, '')), key);
    }
  });
}

test('a singular text says 1, and its plural contains the number', () => {
  const more = {
    adoptOne: ['adoptMany'],
    galleryOne: ['galleryCount', 'gallerySome', 'galleryFirst'],
    pickedOne: ['pickedMany'],
    searchOne: ['searchCount', 'searchSome'],
    selectedOne: ['selected'],
    tagsOfOne: ['tagsOf'],
  };
  assert.deepStrictEqual(Object.keys(words).filter((key) => key.endsWith('One')).sort(), Object.keys(more).sort());
  for (const [one, many] of Object.entries(more)) {
    for (const [index] of languages.entries()) {
      assert.ok(words[one][index].includes('1') && placeholders(words[one][index]).length === 0, one);
      for (const key of many) assert.deepStrictEqual(placeholders(words[key][index]), ['n'], key);
    }
  }
});

test('every key that a script of the pages shows is in the table, with the values of its placeholders', () => {
  let count = 0;
  for (const { name, text } of siteScripts) {
    for (const [first, second] of calls(text, /(?<![\w.$])t\(/g)) {
      // Operands of comparisons are no keys.
      for (const key of quoted(first.replace(/=== '\w+'/g, ''))) {
        assert.ok(Object.hasOwn(words, key), `${name}: ${key}`);
        // A choice of keys may need fewer values than all of them.
        const given = namesIn(second);
        for (const needed of placeholders(words[key][0])) {
          assert.ok(given.includes(needed), `${name}: ${key} needs ${needed}`);
        }
        if (!first.includes('?')) assert.deepStrictEqual(given, placeholders(words[key][0]), `${name}: ${key}`);
        count += 1;
      }
    }
    for (const [first] of calls(text, /(?<![\w.$])text\(/g)) {
      for (const key of quoted(first.replace(/=== '\w+'/g, ''))) {
        assert.ok(Object.hasOwn(words, key), `${name}: ${key}`);
        assert.deepStrictEqual(placeholders(words[key][0]), [], `${name}: ${key} is shown without values`);
        count += 1;
      }
    }
    for (const [, key] of text.matchAll(/(?:'data-(?:t|label|hint)'|\b(?:title|hint|key)): '(\w+)'/g)) {
      assert.ok(Object.hasOwn(words, key), `${name}: ${key}`);
      count += 1;
    }
  }
  assert.ok(count > 100, `${count} were found`);
});

test('every key that a page names is in the table, and the page has its English text', () => {
  let count = 0;
  for (const { name, text } of sitePages) {
    for (const [, key] of text.matchAll(/\bdata-(?:t|label|hint|key)="([^"]*)"/g)) {
      assert.ok(Object.hasOwn(words, key), `${name}: ${key}`);
      count += 1;
    }
    for (const [, key, shown] of text.matchAll(/<\w+[^>]*\bdata-t="(\w+)"[^>]*>([^<]*)</g)) {
      if (shown && shown !== '&nbsp;') assert.equal(shown.replaceAll('&amp;', '&'), words[key][0], `${name}: ${key}`);
    }
    for (const [tag, key] of text.matchAll(/<\w+[^>]*\bdata-label="(\w+)"[^>]*>/g)) {
      const label = /\baria-label="([^"]*)"/.exec(tag)?.[1];
      if (label) assert.equal(label, words[key][0], `${name}: ${key}`);
    }
  }
  assert.ok(count > 60, `${count} were found`);
});

test('every text of the pages is used, or is a topic of apps', () => {
  const all = [...siteScripts, ...canvasScripts, ...sitePages].map(({ text }) => text).join('\n');
  const made = new Set(['gallery', 'search'].flatMap((kind) => ['Some', 'One', 'Count'].map((end) => kind + end)));
  const unused = Object.keys(words).filter((key) => {
    const isNamed = new RegExp(`(['"])${key}\\1|\\b${key}: ['\\[]`).test(all) || made.has(key) ||
      // A failure on the drawing page, and its remedy.
      (key.endsWith('Hint') && all.includes(`'${key.slice(0, -4)}'`));
    return !isNamed;
  });
  assert.deepStrictEqual(unused, ['creative']);
});

test('every key that the canvas and its tools show is in their table, with the values of its placeholders', () => {
  let count = 0;
  const check = (name, key, given) => {
    assert.ok(Object.hasOwn(canvasWords, key), `${name}: ${key}`);
    if (given) assert.deepStrictEqual(given, placeholders(canvasWords[key][0]), `${name}: ${key}`);
    count += 1;
  };
  for (const { name, text } of canvasScripts) {
    for (const [first, values] of calls(text, /\.(?:t|notify)\(/g)) {
      // Choices of two keys may need different values.
      for (const key of quoted(first.replace(/=== '\w+'/g, ''))) {
        check(name, key, !first.includes('?') && namesIn(values));
      }
    }
    for (const [, key] of text.matchAll(/'data-(?:t|label)': '(\w+)'/g)) check(name, key);
    for (const [, key] of text.matchAll(/\b(?:act|round)\('(\w+)'/g)) check(name, key);
  }
  assert.ok(count > 35, `${count} were found`);
});

test('every text of the canvas and its tools is used', () => {
  const all = canvasScripts.map(({ text }) => text).join('\n');
  for (const key of Object.keys(canvasWords)) assert.ok(all.includes(`'${key}'`) || all.includes(`${key}: [`), key);
});

test('every key that the player shows is in its table, with the values of its placeholders', () => {
  let count = 0;
  const check = (name, key, given) => {
    assert.ok(Object.hasOwn(ofPlayer.words, key), `${name}: ${key}`);
    assert.deepStrictEqual(given, placeholders(ofPlayer.words[key][0]), `${name}: ${key}`);
    count += 1;
  };
  for (const { name, text } of playerScripts) {
    for (const [first, , values] of calls(text, /(?<![\w.$])word\(/g)) {
      for (const key of quoted(first)) check(name, key, namesIn(values));
    }
    for (const [first] of calls(text, /this\.(?:text|#tell)\(/g)) for (const key of quoted(first)) check(name, key, []);
    for (const [first] of calls(text, /(?<![\w.$])(?:item|toggle)\(\s*'/g)) check(name, first.replace(/'.*/, ''), []);
    for (const [, , last] of calls(text, /\bthis\.named\(/g).map((list) => [0, 0, list.at(-1)])) {
      for (const key of quoted(last)) check(name, key, []);
    }
  }
  assert.ok(count > 25, `${count} were found`);
});

test('every text of the player is used', () => {
  const all = playerScripts.map(({ text }) => text).join('\n');
  for (const key of Object.keys(ofPlayer.words)) assert.ok(all.includes(`'${key}'`), key);
});

test('placeholders of the player have one letter, as its pattern needs', () => {
  for (const [key, texts] of Object.entries(ofPlayer.words)) {
    for (const name of texts.flatMap(placeholders)) assert.equal(name.length, 1, key);
  }
});

test('the player is in Chinese for all Chinese locales, else in English', () => {
  const { isChinese, word } = ofPlayer;
  for (const language of ['zh', 'zh-TW', 'ZH-hant', 'zh-CN']) assert.equal(word('play', language), '播放', language);
  for (const language of ['en', 'de-AT', '', undefined, null, 'xzh']) {
    assert.equal(word('play', language), 'Play', `${language}`);
  }
  assert.deepStrictEqual([isChinese('zh-TW'), isChinese(undefined)], [true, false]);
  assert.equal(word('of', 'en', { a: '0:01', b: '$&' }), '0:01 of $&');
});

test('the language comes from the address, an earlier choice or the browser', async () => {
  const chosen = async (page, stored) => {
    const { texts } = openPage(page);
    if (stored) texts.setItem('pentimento-language', stored);
    return (await load(site, 'shared.mjs')).t('draw');
  };
  assert.equal(await chosen({ search: '?lang=zh', language: 'en' }, 'en'), '畫畫');
  assert.equal(await chosen({ language: 'en' }, 'zh-TW'), '畫畫');
  assert.equal(await chosen({ language: 'zh-HK' }), '畫畫');
  assert.equal(await chosen({ language: 'fr' }), 'Draw');
  assert.equal(await chosen({ language: undefined }), 'Draw');
});

test('texts contain their values, and unknown keys are shown unchanged', async () => {
  openPage();
  const { t } = await load(site, 'shared.mjs');
  assert.equal(t('selected', { n: 12 }), '12 strokes selected');
  assert.equal(t('searchNothing', { text: '$1 {n}' }), 'Nothing found for “$1 {n}”');
  for (const key of ['wanderlust', 'toString', '__proto__', '']) assert.equal(t(key), key);
});
