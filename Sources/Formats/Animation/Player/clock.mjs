// Converts between playback time, in which pauses are shortened, and the time of the recording.
// `Replay.Timeline` follows the same rules.
export class Clock {
  // `steps` holds three numbers for each step: start and length in seconds, and kind. Longer pauses
  // are shortened to `maximumPause` seconds.
  constructor(steps, maximumPause = Infinity) {
    this.count = steps.length / 3;
    this.starts = new Float64Array(this.count);
    this.recorded = new Float64Array(this.count);
    this.lengths = new Float64Array(this.count);
    this.kinds = new Uint8Array(this.count);
    let [now, end] = [0, steps[0] ?? 0];
    for (let step = 0; step < this.count; step++) {
      const [start, length, kind] = [steps[3 * step], steps[3 * step + 1], steps[3 * step + 2]];
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

  end(step) {
    return this.starts[step] + this.lengths[step];
  }

  // The time in the recording for a playback time.
  recording(seconds) {
    if (seconds >= this.duration) return this.count ? this.recorded.at(-1) + this.lengths.at(-1) : 0;
    const step = lastBefore(this.starts, seconds);
    return step < 0 ? 0 : this.recorded[step] + (seconds - this.starts[step]);
  }

  // The playback time of a moment of the recording.
  watching(seconds) {
    const step = lastBefore(this.recorded, seconds);
    if (step < 0) return 0;
    const next = step + 1 < this.count ? this.starts[step + 1] : this.duration;
    return Math.min(this.starts[step] + (seconds - this.recorded[step]), next);
  }

  // The first end of a step after a moment. `previous` returns the last end before it.
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

// The index of the last value that is at most a limit; -1 if there is none.
function lastBefore(values, limit) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
