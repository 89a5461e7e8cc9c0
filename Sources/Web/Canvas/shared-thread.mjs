// Threads to workers that several canvases share: each worker would need ten megabytes.

import { DrawingThread } from './thread.mjs';

const mostShared = 8;
// { address, worker, threads } of each worker.
const workers = [];

// A thread to the worker at an address. `heard` receives messages without a request.
export function sharedThread(address, heard) {
  let shared = workers.find((one) => one.address === address && one.threads.size < mostShared);
  if (!shared) {
    shared = { address, worker: new Worker(address), threads: new Set() };
    workers.push(shared);
    shared.worker.onmessage = () => shared.isLoaded = true;
    shared.worker.onerror = (event) => {
      // A fault of one canvas must not end the others.
      if (shared.isLoaded) return;
      event.preventDefault();
      workers.splice(workers.indexOf(shared), 1);
      for (const one of shared.threads) one.fail(event.message || 'The worker cannot be loaded.');
    };
  }
  const { port1, port2 } = new MessageChannel();
  shared.worker.postMessage(port2, [port2]);
  const thread = new DrawingThread(port1, {}, heard);
  shared.threads.add(thread);
  thread.ended = () => {
    shared.threads.delete(thread);
    if (shared.threads.size > 0) return;
    shared.worker.terminate();
    if (workers.includes(shared)) workers.splice(workers.indexOf(shared), 1);
  };
  return thread;
}
