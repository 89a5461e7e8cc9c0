// The clock of a replay: it maps the seconds that a viewer watches to those of the recording, in which pauses are
// longer. Its rules are those of `Replay.Timeline`.
export class Clock {
  // Steps are three numbers each: start, length, kind. Pauses are cut to `maximumPause` seconds.
  constructor(steps, maximumPause = Infinity) {
    this.count = steps.length / 3;
    this.starts = new Float64Array(this.count);
    this.recorded = new Float64Array(this.count);
    this.lengths = new Float64Array(this.count);
    this.kinds = new Uint8Array(this.count);
    let [now, end] = [0, steps[0] ?? 0];
    for (let step = 0; step < this.count; step++) {
      const [start, length, kind] = steps.subarray(3 * step, 3 * step + 3);
      now += Math.min(Math.max(start - end, 0), maximumPause);
      this.starts[step] = now;
      this.recorded[step] = start;
      this.lengths[step] = length;
      this.kinds[step] = kind;
      now += length;
      end = start + length;
    }
    this.duration = now;
  }

  end(step) { return this.starts[step] + this.lengths[step]; }

  // The seconds in the recording at a moment of watching.
  recording(seconds) {
    if (seconds >= this.duration) return this.count ? this.recorded.at(-1) + this.lengths.at(-1) : 0;
    const step = lastBefore(this.starts, seconds);
    return step < 0 ? 0 : this.recorded[step] + (seconds - this.starts[step]);
  }

  // The moment of watching at which a moment of the recording is shown.
  watching(seconds) {
    const step = lastBefore(this.recorded, seconds);
    if (step < 0) return 0;
    const next = step + 1 < this.count ? this.starts[step + 1] : this.duration;
    return Math.min(this.starts[step] + (seconds - this.recorded[step]), next);
  }

  // The end of the step behind a moment, or of the one before it.
  next(seconds) {
    for (let step = Math.max(lastBefore(this.starts, seconds), 0); step < this.count; step++) {
      if (this.end(step) > seconds + 1e-3) return this.end(step);
    }
    return this.duration;
  }

  previous(seconds) {
    for (let step = lastBefore(this.starts, seconds); step >= 0; step--) {
      if (this.end(step) < seconds - 1e-3) return this.end(step);
    }
    return 0;
  }
}

// The index of the last value that is not above a limit; -1 if there is none.
function lastBefore(values, limit) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
