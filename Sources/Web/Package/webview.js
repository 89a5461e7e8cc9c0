// A canvas in a native app's web view. The app and this page exchange texts of JSON:
//
//   to the page   { "id": 1, "call": "load", "arguments": ["base64 of a file"] }
//   to the app    { "id": 1, "result": … } or { "id": 1, "error": "…" }
//                 { "event": "drawingchange", "detail": { "canUndo": true, … } }
//
// Calls are `load`, `save`, `insert` and `toBlob`, whose files are texts in base64, `set` with the name
// and the value of an attribute (null and false remove it), and `undo`, `redo`, `clear`, `select`, `fit`. Apps call
// `pentimento.receive(text)`, or post a message to the window. The page answers to the first it finds of
// React Native, WebKit's handler `pentimento`, an Android or Flutter object `Pentimento`, and the page
// around it.

// Styles of a script are allowed by every content policy.
const styles = new CSSStyleSheet();
styles.replaceSync(`
html, body { height: 100%; margin: 0; overflow: hidden; }
body { display: flex; flex-direction: column; background: Canvas; }
pentimento-canvas { flex: 1; height: auto; min-height: 0; }
pentimento-tools { padding: 4px 4px max(4px, env(safe-area-inset-bottom)); }
`);
document.adoptedStyleSheets = [styles];

const canvas = document.getElementById('canvas');
const names = ['load', 'error', 'notice', 'strokestart', 'strokeend', 'drawingchange', 'toolchange', 'selectionchange'];
const plain = ['undo', 'redo', 'clear', 'select', 'fit'];

function post(message) {
  const text = JSON.stringify(message);
  const native = window.ReactNativeWebView ?? window.webkit?.messageHandlers?.pentimento ?? window.Pentimento;
  if (native) native.postMessage(text);
  else if (parent !== window) parent.postMessage(text, '*');
}

function encoded(bytes) {
  let letters = '';
  for (let start = 0; start < bytes.length; start += 0x8000) {
    letters += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(letters);
}
const decoded = (text) => text && Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const calls = {
  load: async (file) => void await canvas.load(decoded(file)),
  save: async () => encoded(await canvas.save()),
  insert: (file, at) => canvas.insert(decoded(file), at),
  toBlob: async (options) => encoded(new Uint8Array(await (await canvas.toBlob(options)).arrayBuffer())),
  set(name, value) {
    if (!canvas.constructor.observedAttributes.includes(name)) throw new Error(`There is no attribute “${name}”.`);
    if (value === null || value === false) canvas.removeAttribute(name);
    else canvas.setAttribute(name, value === true ? '' : value);
  },
};
for (const name of plain) calls[name] = (...values) => canvas[name](...values);

async function receive(text) {
  let id;
  try {
    const message = typeof text === 'string' ? JSON.parse(text) : text;
    id = message.id;
    if (!Object.hasOwn(calls, message.call)) throw new Error(`There is no call “${message.call}”.`);
    post({ id, result: (await calls[message.call](...(message.arguments ?? []))) ?? null });
  } catch (error) {
    post({ id, error: error.message });
  }
}

window.pentimento = { receive };
addEventListener('message', ({ data, source }) => {
  // Messages of other pages than the one around this are not the app's.
  if ((source === null || source === window || source === parent) && typeof data === 'string' && data.startsWith('{')) {
    receive(data);
  }
});
for (const name of names) {
  canvas.addEventListener(name, (event) => {
    // The app shows problems.
    if (['error', 'notice'].includes(name)) event.preventDefault();
    post({ event: name, detail: event.detail ?? null });
  });
}
post({ event: 'ready', detail: null });
