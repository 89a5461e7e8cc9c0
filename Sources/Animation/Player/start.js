// Decodes the player, whose coding `pack` describes, and starts it.
const body = document.body;
try {
  const text = document.getElementById('player').text;
  const sign = (at) => text.charCodeAt(at) - (text[at] > '<') - 33;
  const packed = [];
  for (let at = 0, bits = 0, value = 0; at < text.length; at += 2) {
    value = (value << 13) | (sign(at) * 93 + sign(at + 1));
    for (bits += 13; bits > 7; value &= (1 << bits) - 1) packed.push(value >> (bits -= 8));
  }
  const squash = (x) => {
    let power = 1 - x / 1024;
    for (let n = 0; n < 10; n++) power *= power;
    return 1 / (1 + power);
  };
  const stretch = Array.from({ length: 4096 }, (_, n) => {
    let x = -12;
    for (let step = 12; step > 1e-9; step /= 2) if (squash(x + step) * 4096 < n + 0.5) x += step;
    return x;
  });
  const size = 1 << 19;
  const models = [0, 1, 2, 3, 4, 5, 6, 0].map((order) => (
    { order, hash: 0, counts: new Uint8Array(size), chances: new Uint16Array(size).fill(32768) }));
  const weights = Array.from({ length: 9 }, () => Array(8).fill(0.3));
  const out = [];
  let [low, high, code, next, node, word, before] = [0, 2 ** 32 - 1, 0, 0, 1, 0, 0];
  const shift = () => (code = ((code << 8) | packed[next++]) >>> 0);
  for (let n = 0; n < 4; n++) shift();
  for (;;) {
    let [known, sum] = [0, 0];
    for (const model of models) {
      const mixed = (model.hash + Math.imul(node, 0x9e3779b1)) | 0;
      const at = (model.at = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 13);
      model.input = model.counts[at] ? stretch[model.chances[at] >> 4] : 0;
      known += model.counts[at] > 0;
    }
    const own = weights[known];
    models.forEach(({ input }, n) => (sum += own[n] * input));
    const chance = squash(Math.min(Math.max(sum, -11), 11));
    const part = Math.min(Math.max(Math.floor(chance * 65536), 32), 65504);
    const middle = low + Math.floor(((high - low) * part) / 65536);
    const bit = code <= middle ? 1 : 0;
    if (bit) high = middle;
    else low = middle + 1;
    for (; !((low ^ high) >>> 24); shift()) {
      low = (low << 8) >>> 0;
      high = ((high << 8) | 255) >>> 0;
    }
    models.forEach(({ input, at, counts, chances }, n) => {
      own[n] += (bit - chance) * 0.005 * input;
      chances[at] += Math.floor(((65535 * bit - chances[at]) * 4) / (4 * counts[at] + 5));
      if (counts[at] < 20) counts[at]++;
    });
    node = node * 2 + bit;
    if (node < 256) continue;
    const byte = node - 256;
    node = 1;
    if (!byte) break;
    out.push(byte);
    const isLetter = /\w/.test(String.fromCharCode(byte));
    word = isLetter ? Math.imul(word + byte + 1, 0x2f0b4c47) : 0;
    if (!isLetter) before = byte;
    for (const model of models) {
      model.hash = model.order;
      for (let n = 0; n < model.order; n++) {
        model.hash = Math.imul(model.hash + (out[out.length - 1 - n] ?? 0) + 1, 0x2f0b4c47);
      }
    }
    models[7].hash = Math.imul(word, 3) + before * 65599;
  }
  const add = (parent, name, content) =>
    parent.append(Object.assign(document.createElement(name), content));
  const parts = new TextDecoder().decode(Uint8Array.from(out)).split('\f');
  add(document.head, 'style', { textContent: parts[0] });
  body.insertAdjacentHTML('beforeend', parts[1]);
  add(body, 'script', { type: 'module', textContent: parts[2] });
} catch (error) {
  body.dataset.state = 'failed';
  body.append(`This page is damaged or the browser too old. ${error.message}`);
}
