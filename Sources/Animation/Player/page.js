// The state of the page at any time: strokes with their paths, changes of the page, and the clock.

// The values of a path's control points [pkd.md 14].
function makePath({ points, count, shape }) {
  const column = (channel, value = (stored) => stored) => {
    const stored = points[channel];
    return Float64Array.from({ length: count }, (_, n) => value(stored[n % stored.length], n));
  };
  const isOld = shape.scale === 1;
  const width = column(WIDTH);
  const turn = (word) => (2 * Math.PI * word) / 65535;
  return {
    count,
    width,
    x: column(X),
    y: column(Y),
    time: column(TIME),
    height: column(6, (aspect, n) => (width[n] * aspect) / 1000),
    isSquare: points[6].every((aspect) => aspect === 1000),
    azimuth: column(9, (word) => turn(word) - (isOld ? 0 : Math.PI)),
    opacity: column(11, (word) => (isOld ? word / 255 : (2 * word) / 65535)),
    hasSeveralOpacities: points[11].some((word) => word !== points[11][0]),
    secondary: column(SECONDARY, (stored, n) =>
      width[n] === 0 || stored === -1 ? 1 : stored / width[n]),
    threshold: column(12, (word) => (2 * word) / 65535),
  };
}

// A path extended by the points of another one.
function joined(a, b) {
  const path = { ...a, count: a.count + b.count };
  for (const [name, column] of Object.entries(a)) {
    if (column instanceof Float64Array) path[name] = Float64Array.of(...column, ...b[name]);
  }
  path.isSquare = a.isSquare && b.isSquare;
  path.hasSeveralOpacities = path.opacity.some((value) => value !== path.opacity[0]);
  return path;
}

// A moved stroke shares the path of the original one, which may still grow.
class Stroke {
  constructor(record, paths) {
    const { id, groupID, parentID, ink, transform, mask, part, seed } = record;
    Object.assign(this, { id, groupID, parentID, ink, transform, mask, part, seed });
    if (!paths.has(record.points)) paths.set(record.points, makePath(record));
    this.shared = { path: paths.get(record.points) };
  }

  get path() {
    return this.shared.path;
  }

  // The first and last parameter value of the visible part.
  get range() {
    const last = Math.max(this.path.count - 1, 0);
    return (this.part ?? [0, last]).map((value) => Math.min(Math.max(value, 0), last));
  }

  moved([a, b, c, d, tx, ty]) {
    const t = this.transform;
    const copy = Object.assign(Object.create(Stroke.prototype), this, { mark: undefined });
    copy.transform = [
      t[0] * a + t[1] * c, t[0] * b + t[1] * d, t[2] * a + t[3] * c, t[2] * b + t[3] * d,
      t[4] * a + t[5] * c + tx, t[4] * b + t[5] * d + ty,
    ];
    return copy;
  }
}

// Replaces runs of strokes by others, or the other way round if `isReversed`.
function patch(strokes, patches, isReversed = false) {
  // Positions count before the change, so the last run is replaced first.
  for (const { position, before, after } of isReversed ? patches : [...patches].reverse()) {
    const [old, now] = isReversed ? [after, before] : [before, after];
    strokes.splice(position, old.length, ...now);
  }
}

// The steps of a replay, each with its change of the page.
class Steps {
  constructor(recording) {
    this.strokes = [];
    this.undoable = [];
    this.redoable = [];
    this.list = [];
    this.paths = new Map();
    let piece;
    for (const event of recording.events) {
      piece = this.apply(event, piece);
    }
  }

  // Returns the drawing step to which a next piece of the same parent belongs.
  apply(event, piece) {
    switch (event.name) {
      case 'begin': {
        const stroke = new Stroke(event.record, this.paths);
        const isNext = piece?.parentID && piece.parentID === stroke.parentID;
        const step = isNext ? piece.step : this.add({ time: event.time, grows: [] });
        this.change([{ position: this.strokes.length, before: [], after: [stroke] }]);
        step.grows.push(stroke);
        return { parentID: stroke.parentID, step };
      }
      case 'end':
      case 'tool': return piece;
      case 'extend': {
        const stroke = this.strokes.findLast((stroke) => stroke.id === event.id);
        if (stroke && event.record.count) {
          stroke.shared.path = joined(stroke.path, makePath(event.record));
        }
        return piece;
      }
    }
    const patches = this.edit(event);
    if (patches.length) this.add({ time: event.time, patches });
  }

  add(step) {
    this.list.push(step);
    return step;
  }

  edit(event) {
    const { strokes } = this;
    switch (event.name) {
      case 'erase': {
        const left = new Map(event.changes.map(({ id, left }) => [id, left]));
        const patches = [];
        for (let position = strokes.length - 1; position >= 0 && left.size; position--) {
          const records = left.get(strokes[position].id);
          if (!records) continue;
          left.delete(strokes[position].id);
          const after = records.map((record) => new Stroke(record, this.paths));
          patches.unshift({ position, before: [strokes[position]], after });
        }
        return this.change(patches);
      }
      case 'move': {
        const ids = new Set(event.ids);
        return this.change(
          strokes.flatMap((stroke, position) =>
            ids.has(stroke.id)
              ? [{ position, before: [stroke], after: [stroke.moved(event.transform)] }] : []));
      }
      case 'clear': return this.change([{ position: 0, before: [...strokes], after: [] }]);
      case 'undo': {
        const edit = this.undoable.pop();
        if (!edit) return [];
        patch(strokes, edit, true);
        this.redoable.push(edit);
        // The reversed patches. Their positions count after the change.
        let shift = 0;
        return edit.map(({ position, before, after }) => {
          const start = position + shift;
          shift += after.length - before.length;
          return { position: start, before: after, after: before };
        });
      }
      case 'redo': {
        const edit = this.redoable.pop();
        if (!edit) return [];
        this.undoable.push(edit);
        patch(strokes, edit);
        return edit;
      }
    }
  }

  // Applies patches. Empty ones are not recorded for undo.
  change(patches) {
    if (!patches.some(({ before, after }) => before.length || after.length)) return [];
    this.redoable = [];
    this.undoable.push(patches);
    patch(this.strokes, patches);
    return patches;
  }
}

// The growth of a stroke: the parameter value up to which it is visible after some seconds.
class Growth {
  constructor({ count, time, x, y }) {
    this.last = Math.max(count - 1, 0);
    this.offsets = new Float64Array(count);
    const duration = count ? time[this.last] - time[0] : 0;
    if (duration > 0 && duration <= 600) {
      let latest = 0;
      time.forEach((offset, n) => {
        this.offsets[n] = latest = between(offset - time[0], latest, duration);
      });
      this.length = duration;
      // Files store durations in whole milliseconds, and every replay uses these.
      this.duration = Math.ceil(duration * 1000) / 1000;
      return;
    }
    // A stroke without times is drawn at 600 points per second.
    let distance = 0;
    for (let n = 1; n < count; n++) {
      distance += Math.hypot(x[n] - x[n - 1], y[n] - y[n - 1]);
      this.offsets[n] = distance;
    }
    this.duration = this.length = Math.min(distance / 600, 60);
    const part = distance > 0 ? this.length / distance : 0;
    this.offsets.forEach((offset, n) => (this.offsets[n] = offset * part));
  }

  parameter(seconds) {
    if (seconds >= this.length) return this.last;
    let [low, high] = [0, this.last];
    if (!(this.offsets[0] <= seconds)) return 0;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle] <= seconds) low = middle;
      else high = middle;
    }
    const [from, to] = [this.offsets[low], this.offsets[high]];
    return to <= seconds ? high : low + (seconds - from) / (to - from);
  }
}

// The start of each step, and the strokes on the page at a time.
class Timeline {
  constructor(recording, maximumPause) {
    this.steps = new Steps(recording).list;
    for (const step of this.steps) {
      step.growth = step.grows && new Growth(step.grows[0].path);
      step.length = step.growth?.duration ?? 0;
    }
    this.shown = 0;
    this.strokes = [];
    this.setMaximumPause(maximumPause);
  }

  setMaximumPause(maximum) {
    let [end, rawEnd] = [0, this.steps[0]?.time];
    for (const step of this.steps) {
      const gap = step.time - rawEnd;
      step.start = end + (gap > 0 && isFinite(gap) ? Math.min(gap, maximum, 3.2e10) : 0);
      end = step.start + step.length;
      rawEnd = step.time + step.length;
    }
    this.duration = end;
  }

  // The number of steps that have started at a time.
  count(time) {
    let [low, high] = [0, this.steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps[middle].start <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The strokes on the page. If the last step's are still growing, also these and their end.
  at(time) {
    const count = this.count(time);
    while (this.shown < count) this.apply();
    while (this.shown > count) this.revert();
    const step = this.steps[count - 1];
    const seconds = step && time - step.start;
    if (!step?.growth || seconds >= step.length) return { strokes: this.strokes };
    return {
      strokes: this.strokes, growing: new Set(step.grows), end: step.growth.parameter(seconds),
    };
  }

  apply() {
    const { patches, grows } = this.steps[this.shown++];
    if (grows) this.strokes.push(...grows);
    else patch(this.strokes, patches);
  }

  revert() {
    const { patches, grows } = this.steps[--this.shown];
    if (grows) this.strokes.length -= grows.length;
    else patch(this.strokes, patches, true);
  }
}
