// Ink on the clipboard, and in files: the exact strokes for Pentimento, in the attribute of a
// picture, and pictures for other programs.

import { bytesFrom } from './source.mjs';

const attribute = 'data-pentimento';

export class Clipboard {
  // The strokes that were copied last, for browsers that let pages write no clipboard.
  last = null;
  // Whether they are on the clipboard, too.
  isShared = false;

  constructor(canvas) {
    this.canvas = canvas;
  }

  // Copies the selection. Browsers allow it during a key's or a button's event only, so they get
  // promises.
  async write() {
    const copied = this.canvas.ask('copy').then((answer) => {
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
    this.isShared = parts.length > 0;
    return copied;
  }

  // The file of ink in the data of a paste, or without data on the clipboard; null if there is none.
  async read(data) {
    if (data) {
      // The picture of other programs' ink, or of copied strokes.
      const files = [...data.files].filter((file) => !file.type.startsWith('image/'));
      return strokesIn(data.getData('text/html')) ?? (files[0] && await bytesFrom(files[0])) ?? textIn(data) ??
        (this.isShared ? null : this.last);
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
