// Ink on the clipboard, and in files: the exact strokes for Pentimento, in the attribute of a
// picture, and pictures for other programs.

import { send } from './api.mjs';

const attribute = 'data-pentimento';
// Larger files are refused by the engine, and larger ones of other programs by the server.
const [mostBytes, mostConverted] = [1 << 25, 10 << 20];

export class Clipboard {
  // The strokes that were copied last, for browsers that let pages write no clipboard.
  last = null;

  constructor(thread) {
    this.thread = thread;
  }

  // Copies the selection. Browsers allow it during a key's or a button's event only, so they get
  // promises.
  async write() {
    const copied = this.thread.ask('copy').then((answer) => {
      this.last = answer.file;
      return answer;
    });
    const part = (type, content) => {
      const blob = copied.then((answer) => {
        const made = content(answer);
        if (made === null) throw new Error(`It is too large for ${type}.`);
        return new Blob([made], { type });
      });
      blob.catch(() => {});
      return [type, blob];
    };
    const parts = [part('text/html', ({ file, svg }) => pictureWith(file, svg))];
    if (globalThis.OffscreenCanvas) parts.push(part('image/png', ({ picture }) => picture));
    if (globalThis.ClipboardItem?.supports?.('image/svg+xml')) parts.push(part('image/svg+xml', ({ svg }) => svg));
    // Without the permission, the page itself can still paste.
    while (parts.length > 0 && !(await isWritten(parts))) parts.pop();
    return copied;
  }

  // The file of ink in the data of a paste, or without data on the clipboard; null if there is none.
  async read(data) {
    if (data) {
      // The picture of other programs' ink, or of copied strokes.
      const files = [...data.files].filter((file) => !file.type.startsWith('image/'));
      return strokesIn(data.getData('text/html')) ?? (files[0] && await bytesOf(files[0])) ?? textIn(data) ??
        this.last;
    }
    try {
      for (const item of await navigator.clipboard.read()) {
        if (!item.types.includes('text/html')) continue;
        const file = strokesIn(await (await item.getType('text/html')).text());
        if (file) return file;
      }
    } catch { /* not permitted */ }
    return this.last;
  }
}

const isWritten = async (parts) => {
  try {
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(parts))]);
    return true;
  } catch {
    return false;
  }
};

// The bytes of a file, if it is not too large.
export async function bytesOf(file) {
  checkSize(file.size, mostBytes);
  return new Uint8Array(await file.arrayBuffer());
}

// The server converts what the engine of pages does not read. It ends the connection of a request
// that is too large, which would look like a lost one.
//
// Returns a promise of the recording of a page, and of the number of pages.
export async function converted(file, page = 1) {
  checkSize(file.length, mostConverted);
  const answer = await send('POST', `v1/convert?page=${page}`, { body: file, isRaw: true });
  return {
    recording: new Uint8Array(await answer.arrayBuffer()),
    pageCount: Number(answer.headers.get('pages')) || 1,
  };
}

// The words for a file that could not be opened.
export function problemOf({ code, status }) {
  if (code === 'tooLarge' || status === 413) return 'tooLargeToOpen';
  if (status === 0) return 'drawingOffline';
  return status === 422 || code === 'notARecording' ? 'notInk' : 'failed';
}

function checkSize(size, limit) {
  if (size > limit) throw Object.assign(new Error('The file is too large.'), { code: 'tooLarge' });
}

function textIn(data) {
  const text = data.getData('text/plain').trimStart();
  return /^[<{[]/.test(text) ? new TextEncoder().encode(text) : null;
}

// Content of other programs is searched as text, never used as markup.
function strokesIn(html) {
  const [, text] = html.match(new RegExp(`${attribute}="([A-Za-z0-9+/]+=*)"`)) ?? [];
  if (!text) return null;
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function pictureWith(file, svg) {
  const encoded = (bytes) => {
    let letters = '';
    for (let start = 0; start < bytes.length; start += 0x8000) {
      letters += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
    }
    return btoa(letters);
  };
  const source = svg ? ` src="data:image/svg+xml;base64,${encoded(svg)}"` : '';
  return `<img${source} ${attribute}="${encoded(file)}" alt="">`;
}
