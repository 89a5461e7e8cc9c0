// Where ink comes from.

// Larger files are refused by the engine.
const mostBytes = 1 << 25;

// The bytes of a URL, a file, or bytes; null for an empty page.
export async function bytesFrom(source) {
  if (source === null || source === undefined || source === '') return null;
  if (typeof source === 'string' || source instanceof URL) {
    const answer = await fetch(source);
    if (!answer.ok) {
      throw Object.assign(new Error(`${source} gave ${answer.status}.`), { code: 'failed', status: answer.status });
    }
    return new Uint8Array(await answer.arrayBuffer());
  }
  if (source instanceof Blob) {
    if (source.size > mostBytes) throw Object.assign(new Error('The file is too large.'), { code: 'tooLarge' });
    return new Uint8Array(await source.arrayBuffer());
  }
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  throw new TypeError('A drawing is a URL, a file or bytes.');
}

// The key of the words for ink that could not be opened.
export const problemOf = ({ code, key }) =>
  key ?? { tooLarge: 'tooLargeToOpen', notARecording: 'notInk' }[code] ?? 'failed';
