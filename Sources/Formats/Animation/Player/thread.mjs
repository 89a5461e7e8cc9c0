// The page's side of the worker. Each request has a number and returns a promise, which the
// response with this number settles. `heard` receives messages without a number.
export class DrawingThread {
  constructor(address, options, heard = () => {}) {
    this.worker = new Worker(address, options);
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
      this.failure = event.message || 'The worker cannot be loaded.';
      this.#reject(this.failure);
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

  end() {
    this.worker.terminate();
    this.#reject('The drawing is closed.');
  }

  #reject(message) {
    for (const { reject } of this.waiting.values()) reject(Object.assign(new Error(message), { code: 'failed' }));
    this.waiting.clear();
  }
}
