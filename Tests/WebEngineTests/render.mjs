// Draws documents with the engine of web pages: node render.mjs ENGINE SCALE… -- FILE…
// Prints the lines that `PageTests` expects: hashes of mathematics; then for every file and scale the result of
// drawing it, the size of the picture and a hash of its pixels.
import { readFileSync } from 'node:fs';

const [enginePath, ...rest] = process.argv.slice(2);
const [scales, paths] = [rest.slice(0, rest.indexOf('--')), rest.slice(rest.indexOf('--') + 1)];
const module = new WebAssembly.Module(readFileSync(enginePath));
const imports = WebAssembly.Module.imports(module);
if (imports.length) throw new Error(`the engine imports ${JSON.stringify(imports)}`);
const engine = new WebAssembly.Instance(module).exports;
engine.__wasm_call_ctors();

for (let number = 0; number < 6; number++)
  console.log(`mathematics ${number} ${BigInt.asUintN(64, engine.engineMathHash(number))}`);

for (const path of paths) {
  const handle = open(readFileSync(path));
  if (handle < 0) {
    console.log(`${handle}`);
    continue;
  }
  const page = `${engine.documentIsDamaged(handle)} ${engine.documentWidth(handle)}x${engine.documentHeight(handle)}`;
  for (const scale of scales) {
    const result = engine.documentRender(handle, Number(scale));
    const [width, height] = [engine.pictureWidth(handle), engine.pictureHeight(handle)];
    const hash = result ? 0 : hashOf(engine.picturePixels(handle) >>> 0, width * height);
    console.log(`${page} ${result} ${width}x${height} ${hash}`);
  }
  engine.documentClose(handle);
}

function open(bytes) {
  const start = engine.engineAllocate(bytes.length) >>> 0;
  new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
  const handle = engine.documentOpen(start, bytes.length);
  engine.engineFree(start, bytes.length);
  return handle;
}

// FNV-1a with words for bytes.
function hashOf(start, count) {
  const pixels = new Uint32Array(engine.memory.buffer, start, count);
  let hash = 0x811c9dc5;
  for (let index = 0; index < count; index++) hash = Math.imul(hash ^ pixels[index], 0x01000193);
  return hash >>> 0;
}
