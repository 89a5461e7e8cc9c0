// The module that makes elements.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { load, openPage, player, scriptsIn, site } from './support.mjs';

openPage();
const pages = await load(site, 'shared.mjs');
const { icon, icons, make } = await pages.beside('build.mjs');

test('a true attribute has no value, and a false one is absent', () => {
  const element = make('input', { hidden: true, checked: false, max: 0, value: '' });
  assert.deepStrictEqual([...element.attributes], [['hidden', ''], ['max', '0'], ['value', '']]);
});

test('a function as attribute becomes a listener', () => {
  const heard = [];
  const element = make('button', { onclick: (event) => heard.push(event.type) });
  element.dispatchEvent(new Event('click'));
  assert.deepStrictEqual([heard, element.attributes.size], [['click'], 0]);
});

test('texts in elements stay texts, also with angle brackets', () => {
  const element = make('p', {}, '<b>', make('i', {}, 'x'), '&amp;');
  assert.deepStrictEqual([element.textContent, element.all.map(({ tag }) => tag)], ['<b>x&amp;', ['i']]);
});

test('an icon has its shapes in order, is a picture of SVG, and is not read out', () => {
  const picture = icon('previous');
  assert.deepStrictEqual(picture.children.map((path) => path.getAttribute('class')), ['line', 'fill']);
  assert.deepStrictEqual([picture.space, picture.children[0].space].map((space) => space.endsWith('/svg')), [
    true,
    true,
  ]);
  assert.equal(picture.getAttribute('aria-hidden'), 'true');
  assert.deepStrictEqual(icon('logo').children.map((path) => path.getAttribute('class')), ['ghost', 'fill']);
});

test('an icon with a line width has it on each of its lines', () => {
  assert.equal(icon('pause').children[0].getAttribute('stroke-width'), '3.4');
  assert.equal(icon('next').children[0].getAttribute('stroke-width'), null);
});

test('every icon has shapes that are paths', () => {
  for (const [name, { line, fill, ghost }] of Object.entries(icons)) {
    const shapes = [line, fill, ghost].filter(Boolean);
    assert.ok(shapes.length > 0, name);
    for (const shape of shapes) assert.match(shape, /^[Mm][MLHVCSQTAZmlhvcsqtaz\d.\s-]+$/, name);
  }
});

test('every icon that a script names exists', () => {
  let count = 0;
  for (const folder of [site, player]) {
    for (const script of scriptsIn(folder)) {
      for (const [, name] of readFileSync(join(folder, script), 'utf8').matchAll(/\bicon\('(\w+)'\)/g)) {
        assert.ok(Object.hasOwn(icons, name), `${script}: ${name}`);
        count += 1;
      }
    }
  }
  assert.ok(count > 20);
});
