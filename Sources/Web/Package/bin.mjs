#!/usr/bin/env node
// The command of the package: `pentimento page.drawing page.png`.

import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { convert, info, render, thumbnail } from './node.mjs';

const help = `Draw ink as pictures, and convert it.

Usage: pentimento IN OUT.png|OUT.svg|OUT.pdf|OUT.pkd|OUT.drawing [options]
       pentimento thumbnail IN OUT.png [options]
       pentimento info IN

IN is a recording (.pkd) or a PencilKit archive; - is the standard input or output.

  --scale F             Pixels per point; 1 unless a size is given.
  --size N              The longer side in pixels.
  --style STYLE         light, dark or stored.
  --background COLOR    #rrggbb, #rrggbbaa, none or automatic.
  --paper PAPER         blank, dotted, lined, grid, graph, isometric, staves or cornell.
  --region X,Y,W,H      The part of the page, in points.
  --at SECONDS          A moment of the replay.
`;

const number = (text, name) => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(`--${name} needs a number, not '${text}'`);
  return value;
};

async function run() {
  const names = ['scale', 'size', 'style', 'background', 'paper', 'region', 'at'];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  if (values.version) {
    const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url)));
    return void process.stdout.write(`${version}\n`);
  }
  if (values.help || positionals.length === 0) return void process.stdout.write(help);
  const verb = ['info', 'thumbnail'].includes(positionals[0]) ? positionals.shift() : undefined;
  const [from, to, ...others] = positionals;
  if (!from || others.length > 0 || (verb === 'info') === Boolean(to)) throw new Error("try 'pentimento --help'");
  const source = from === '-' ? await read(process.stdin) : from;
  if (verb === 'info') return void process.stdout.write(`${JSON.stringify(await info(source), null, 2)}\n`);
  const { help: _, version: __, ...options } = values;
  for (const name of ['scale', 'size', 'at']) if (name in options) options[name] = number(options[name], name);
  options.region &&= options.region.split(',').map((part) => number(part, 'region'));
  const type = to === '-' ? 'png' : extname(to).slice(1).toLowerCase();
  if (!['png', 'svg', 'pdf', 'pkd', 'drawing'].includes(type)) {
    throw new Error(`${to}: the ending must be png, svg, pdf, pkd or drawing`);
  }
  if ((await info(source)).isDamaged) process.stderr.write(`pentimento: ${from}: damaged parts are left out\n`);
  const bytes = type === 'png' ? await (verb ? thumbnail : render)(source, options) : await convert(source, type);
  if (to === '-') process.stdout.write(bytes);
  else await writeFile(to, bytes);
  return undefined;
}

async function read(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

run().catch((error) => {
  process.stderr.write(`pentimento: ${error.message}\n`);
  process.exitCode = error.code?.startsWith?.('ERR_PARSE_ARGS') ? 2 : 1;
});
