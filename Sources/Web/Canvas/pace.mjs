// The force of a hand without a pen, from its speed: a slow mouse or finger presses harder than a
// fast one, as pens do on paper. It is stored as the force of each point, so that all programs show
// the same line.

// Inks follow the *touch*, 2 · force / (force + 1), which is 1 for an average force. At rest it has
// this value, and at this speed, in CSS pixels a millisecond, half of it.
const [atRest, halved] = [1.65, 0.6];
const [least, first] = [0.15, 0.9];
// Speeds of single events vary; the mean of about this time, in milliseconds, does not. After a pause,
// the line takes about this way, in CSS pixels, to get broader.
const [memory, way] = [40, 8];

export class Pace {
  #last;
  #speed = halved * (atRest / first - 1);

  // The force at a place and a time in milliseconds, after all earlier ones.
  force(x, y, time) {
    if (this.#last) {
      const elapsed = time - this.#last.time;
      if (elapsed <= 0) return this.now;
      const length = Math.hypot(x - this.#last.x, y - this.#last.y);
      const share = Math.min(elapsed / memory, length / way);
      this.#speed += (length / elapsed - this.#speed) * (1 - Math.exp(-share));
    }
    this.#last = { x, y, time };
    return this.now;
  }

  // The force at the last place.
  get now() {
    const touch = Math.max(atRest / (1 + this.#speed / halved), least);
    return touch / (2 - touch);
  }
}
