// The page's side of the worker, given its address or a port to it. Each request has a number and
// returns a promise, which the response with this number settles. `heard` receives messages without a
// number.
export class DrawingThread {
  // Called at the end of a thread by a port.
  ended = () => {};

  constructor(source, options, heard = () => {}) {
    this.worker = globalThis.MessagePort && source instanceof MessagePort ? source : new Worker(source, options);
    this.waiting = new Map();
    this.count = 0;
    this.worker.onmessage = ({ data }) => {
      const { number, answer, error } = data;
      if (number === undefined) return heard(data);
      const asked = this.waiting.get(number);
      this.waiting.delete(number);
      const { message, code, status } = error ?? {};
      if (error) asked?.reject(Object.assign(new Error(message), { code, status }));
      else asked?.resolve(answer);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || 'The worker cannot be loaded.');
    };
  }

  ask(kind, message = {}, transfer = []) {
    return new Promise((resolve, reject) => {
      const number = ++this.count;
      this.waiting.set(number, { resolve, reject });
      if (this.failure) return this.#reject(this.failure);
      this.worker.postMessage({ number, kind, ...message }, transfer);
    });
  }

  fail(message) {
    this.failure = message;
    this.#reject(message);
  }

  end() {
    if (this.worker.terminate) this.worker.terminate();
    else this.worker.postMessage({ kind: 'end' });
    this.#reject('The drawing is closed.');
    this.ended();
  }

  #reject(message) {
    for (const { reject } of this.waiting.values()) reject(Object.assign(new Error(message), { code: 'failed' }));
    this.waiting.clear();
  }
}
