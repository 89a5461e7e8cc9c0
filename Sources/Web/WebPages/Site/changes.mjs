// Changes of the user's documents as they happen: on this page, in another tab, or on another device. One
// tab of a browser has the server's stream, and tells the others: browsers open few connections.
import { own } from './api.mjs';

const channelName = 'pentimento-changes';
// The pause before a page looks, in milliseconds: changes often come together.
const quiet = 150;
// The pauses before a refused stream is opened again; lost connections are opened again by the browser.
const [leastPause, mostPause] = [2_000, 60_000];
// A clock that stood still for so long was asleep, with its connection. Timers of hidden pages run once
// a minute.
const [tick, sleep] = [15_000, 150_000];

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Calls a function after changes, one call at a time, and not while the page is hidden. If it returns
// false, it is called again: a page that is still loading may get what was before the change.
export function onChanges(look) {
  let isDue = false;
  let isLooking = false;
  const lookSoon = async () => {
    isDue = true;
    if (isLooking || document.hidden) return;
    isLooking = true;
    while (isDue && !document.hidden) {
      await pause(quiet);
      isDue = false;
      try {
        if (await look() === false) isDue = true;
      } catch { /* the next change, or the page itself, tries again */ }
    }
    isLooking = false;
  };
  document.addEventListener('visibilitychange', () => {
    if (isDue) lookSoon();
  });
  let leaving;
  const begin = () => {
    leaving = new AbortController();
    const { signal } = leaving;
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', lookSoon);
    signal.addEventListener('abort', () => channel.close());
    const tell = () => {
      channel.postMessage(null);
      lookSoon();
    };
    // The tab that holds the lock has the stream.
    const run = () => listen(tell, signal);
    (navigator.locks ? navigator.locks.request(channelName, { signal }, run) : run()).catch(() => {});
  };
  // A page that the browser keeps for Back has no connection.
  addEventListener('pagehide', () => leaving.abort());
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    begin();
    lookSoon();
  });
  begin();
}

// Keeps a stream open until a signal, and calls a function after each change.
async function listen(tell, signal) {
  const path = await own('events?content=brief');
  if (signal.aborted) return;
  const lastKey = `${channelName} ${path}`;
  let source;
  let wait = leastPause;
  let retry;
  const open = () => {
    clearTimeout(retry);
    source?.close();
    const last = stored.get(lastKey);
    source = new EventSource(last === null ? path : `${path}&after=${encodeURIComponent(last)}`);
    source.addEventListener('open', () => {
      wait = leastPause;
      // Without a number, changes before this moment are unknown.
      if (last === null) tell();
    });
    source.addEventListener('change', ({ lastEventId }) => {
      stored.set(lastKey, lastEventId);
      tell();
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(open, wait);
      wait = Math.min(2 * wait, mostPause);
    });
  };
  open();
  addEventListener('online', open, { signal });
  let last = Date.now();
  const clock = setInterval(() => {
    if (Date.now() - last > sleep) open();
    last = Date.now();
  }, tick);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  clearInterval(clock);
  clearTimeout(retry);
  source.close();
}

// The number of the last change that a page of this browser has heard.
const stored = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch { /* all changes are looked for again */ }
  },
};
