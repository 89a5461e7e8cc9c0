// The page: its canvas, the clock, and the controls.

// The visible part of the canvas: its corner and size in points, and its size in pixels.
class View {
  constructor({ view, isDark }) {
    [this.x, this.y, this.across, this.down] = view;
    this.isDark = isDark;
  }

  resize(scale) {
    this.scale = scale;
    // The scale for which outlines are made: they are fine enough for a range of scales.
    this.detail = 2 ** (Math.ceil(2 * Math.log2(scale)) / 2);
    this.width = Math.max(Math.ceil(this.across * scale - 1e-6), 1);
    this.height = Math.max(Math.ceil(this.down * scale - 1e-6), 1);
    this.textures = new Textures(scale);
    this.scratch = undefined;
  }

  applyTransform(context) {
    const { scale } = this;
    context.setTransform(scale, 0, 0, scale, -this.x * scale, -this.y * scale);
  }

  // The range of whole pixels that a box on the canvas touches.
  pixels([left, top, right, bottom]) {
    const pixel = (value, start, size) => between((value - start) * this.scale, 0, size);
    return [
      Math.floor(pixel(left, this.x, this.width + 2) - 2),
      Math.floor(pixel(top, this.y, this.height + 2) - 2),
      Math.ceil(pixel(right, this.x, this.width)) + 2,
      Math.ceil(pixel(bottom, this.y, this.height)) + 2,
    ];
  }

  canvas() {
    return new OffscreenCanvas(this.width, this.height).getContext('2d');
  }

  // A second canvas, for marks that are composited before they are drawn.
  scratchCanvas() {
    this.scratch ??= this.canvas();
    this.scratch.globalAlpha = 1;
    this.scratch.globalCompositeOperation = 'source-over';
    return this.scratch;
  }
}

const isSame = (a, b) => a.length === b.length && a.every((item, n) => item === b[n]);
const isPrefix = (a, b) => a.length <= b.length && a.every((item, n) => item === b[n]);
const isSameInk = (a, b) =>
  a === b || (a.kind === b.kind && isSame(a.color, b.color) && a.isP3 === b.isP3 &&
    a.isPlain === b.isPlain);

// Groups neighbouring strokes that are drawn as one.
function wetGroups(strokes) {
  const groups = [];
  let last;
  for (const stroke of strokes) {
    const isWet = last?.groupID && last.groupID === stroke.groupID && !last.mask && !stroke.mask &&
      isSameInk(last.ink, stroke.ink);
    if (isWet) groups[groups.length - 1].push(stroke);
    else groups.push([stroke]);
    last = stroke;
  }
  return groups;
}

function markOf(group, view) {
  const last = group[group.length - 1];
  const { mark } = last;
  if (mark?.scale === view.scale && isSame(mark.strokes, group)) return mark;
  return (last.mark = new Mark(group, view));
}

// The complete strokes, with pictures of earlier states for seeking.
class Sheet {
  constructor(view) {
    this.view = view;
    this.context = view.canvas();
    this.marks = [];
    this.kept = [];
    // At most 200 MB of copies.
    const count = 2e8 / (4 * view.width * view.height);
    this.maximumKept = between(Math.floor(count), 2, 16);
  }

  show(marks) {
    const old = this.marks;
    let same = 0;
    while (same < Math.min(old.length, marks.length) && old[same] === marks[same]) same++;
    const rest = Math.min(old.length, marks.length) - same;
    let tail = 0;
    while (tail < rest && old[old.length - 1 - tail] === marks[marks.length - 1 - tail]) tail++;
    this.marks = marks;
    if (same < old.length) {
      const changed = [...old.slice(same, old.length - tail), ...marks.slice(same, marks.length - tail)];
      const area = this.area(changed);
      const touched = marks.filter((mark) => this.meets(mark, area));
      const best = this.best(marks);
      if (touched.length <= marks.length - (best?.marks.length ?? 0)) return this.repair(area, touched);
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.context.clearRect(0, 0, this.view.width, this.view.height);
      if (best) this.context.drawImage(best.canvas, 0, 0);
      same = best?.marks.length ?? 0;
    }
    this.append(marks, same);
  }

  best(marks) {
    const fitting = this.kept.filter((kept) => isPrefix(kept.marks, marks));
    return fitting.reduce((a, b) => (a && a.marks.length > b.marks.length ? a : b), undefined);
  }

  append(marks, first) {
    let start = this.best(marks)?.marks.length ?? 0;
    for (let n = first; n < marks.length; n++) {
      marks[n].draw(this.context, this.view);
      if (n + 1 - start >= 200) this.keep(marks.slice(0, (start = n + 1)));
    }
  }

  keep(marks) {
    const copy = this.view.canvas();
    copy.drawImage(this.context.canvas, 0, 0);
    this.kept.push({ marks, canvas: copy.canvas });
    if (this.kept.length > this.maximumKept) this.kept.shift();
  }

  area(marks) {
    const box = [0, 1, 2, 3].map((side) =>
      marks.reduce((value, mark) => Math[side < 2 ? 'min' : 'max'](value, mark.box[side]),
        side < 2 ? Infinity : -Infinity));
    return this.view.pixels(box);
  }

  meets(mark, [left, top, right, bottom]) {
    const [a, b, c, d] = this.view.pixels(mark.box);
    return a < right && c > left && b < bottom && d > top;
  }

  repair([left, top, right, bottom], marks) {
    if (left >= right || top >= bottom) return;
    const { context } = this;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.clearRect(left, top, right - left, bottom - top);
    for (const mark of marks) mark.draw(context, this.view);
    context.restore();
  }
}

const element = (id) => document.getElementById(id);
const clockText = (seconds) => {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

class Player {
  constructor(recording, settings) {
    this.settings = settings;
    this.maximumPause = settings.maximumPause ?? 0.5;
    this.skipsPauses = settings.maximumPause !== null;
    this.timeline = new Timeline(recording, this.skipsPauses ? this.maximumPause : Infinity);
    this.view = new View(settings);
    this.screen = element('page').getContext('2d');
    this.speed = settings.speed;
    this.isPlaying = false;
    this.isLooping = settings.isLooping;
    this.time = this.timeline.duration;
    this.held = 0;
    const page = element('page');
    page.setAttribute('aria-label', settings.title || 'Drawing');
    page.classList.toggle('clear', !settings.background);
    page.classList.toggle('dark', settings.isDark);
    if (settings.background) page.style.backgroundColor = settings.background;
    this.listen();
    this.showControls();
    new ResizeObserver(() => this.fit()).observe(element('stage'));
    this.fit();
    const start = /[#&]t=([^&]+)/.exec(location.hash)?.[1];
    if (start) this.seek(start === 'end' ? this.timeline.duration : Number(start) || 0);
    else if (settings.isPlaying) this.play();
  }

  // Fits the drawing into the window, or shows it at a given scale.
  fit(scale) {
    const stage = element('stage');
    const ratio = window.devicePixelRatio || 1;
    const { across, down } = this.view;
    const fitting = ratio * Math.min(stage.clientWidth / across, stage.clientHeight / down);
    const largest = Math.sqrt(2.4e7 / (across * down));
    scale ??= between(fitting, 1e-6, largest);
    if (this.view.scale !== scale) {
      this.view.resize(scale);
      this.sheet = new Sheet(this.view);
      const { canvas } = this.screen;
      [canvas.width, canvas.height] = [this.view.width, this.view.height];
      canvas.style.width = `${this.view.width / ratio}px`;
      canvas.style.height = `${this.view.height / ratio}px`;
    }
    this.drawTicks();
    this.draw();
  }

  draw() {
    const { view, screen, timeline } = this;
    const { strokes, growing, end } = timeline.at(this.time);
    const groups = wetGroups(strokes);
    const isLive = (group) => growing?.has(group[group.length - 1]);
    this.sheet.show(groups.filter((group) => !isLive(group)).map((group) => markOf(group, view)));
    screen.setTransform(1, 0, 0, 1, 0, 0);
    screen.clearRect(0, 0, view.width, view.height);
    screen.drawImage(this.sheet.context.canvas, 0, 0);
    const ends = (stroke) => (growing.has(stroke) ? end : Infinity);
    for (const group of groups.filter(isLive)) new Mark(group, view, ends).draw(screen, view);
    this.showTime();
  }

  showTime() {
    const { time, timeline } = this;
    const scrubber = element('time');
    const count = timeline.count(time);
    scrubber.value = time;
    scrubber.setAttribute('aria-valuetext',
      `${clockText(time)} of ${clockText(timeline.duration)}, step ${count} of ${timeline.steps.length}`);
    element('clock').textContent = `${clockText(time)} / ${clockText(timeline.duration)}`;
    Object.assign(document.body.dataset, {
      state: this.isPlaying ? 'playing' : 'paused', time: time.toFixed(3), steps: count,
    });
  }

  showControls() {
    const name = this.isPlaying ? 'Pause' : 'Play';
    element('play').setAttribute('aria-label', name);
    element('play').title = `${name} (space)`;
    element('play').classList.toggle('playing', this.isPlaying);
    element('skip').setAttribute('aria-pressed', this.skipsPauses);
    element('time').max = this.timeline.duration;
    const speeds = element('speed');
    if (![...speeds.options].some((option) => Number(option.value) === this.speed)) {
      speeds.add(new Option(`${this.speed}×`, this.speed));
    }
    speeds.value = this.speed;
  }

  // Draws a tick on the scrubber for each stroke, and half a tick for any other change.
  drawTicks() {
    const canvas = element('ticks');
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const context = canvas.getContext('2d');
    context.fillStyle = getComputedStyle(canvas).color;
    for (const step of this.timeline.steps) {
      const x = (step.start / (this.timeline.duration || 1)) * (canvas.width - ratio);
      const part = step.grows ? 1 : 0.5;
      context.fillRect(Math.round(x), 0, ratio, canvas.height * part);
    }
  }

  play() {
    if (this.time >= this.timeline.duration) this.time = 0;
    this.isPlaying = true;
    this.held = 0;
    this.showControls();
    let before = performance.now();
    const tick = (now) => {
      if (!this.isPlaying) return;
      this.advance(between((now - before) / 1000, 0, 0.25));
      before = now;
      this.draw();
      this.frame = requestAnimationFrame(tick);
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(tick);
    this.showTime();
  }

  advance(seconds) {
    const { duration } = this.timeline;
    this.time = Math.min(this.time + seconds * this.speed, duration);
    if (this.time < duration) return;
    this.held += seconds;
    if (this.isLooping && duration > 0) {
      if (this.held > this.settings.hold) this.time = this.held = 0;
    } else {
      this.pause();
    }
  }

  pause() {
    this.isPlaying = false;
    this.showControls();
    this.showTime();
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  seek(time) {
    this.time = between(time, 0, this.timeline.duration);
    this.held = 0;
    this.draw();
  }

  // Seeks to the end of the next step, or of the last one.
  step(direction) {
    this.pause();
    const ends = this.timeline.steps.map((step) => step.start + step.length);
    const next = direction > 0
      ? ends.find((end) => end > this.time + 1e-6)
      : ends.findLast((end) => end < this.time - 1e-6) ?? 0;
    this.seek(next ?? this.timeline.duration);
  }

  setSpeed(speed) {
    this.speed = between(speed, 0.25, 16);
    this.showControls();
  }

  // Keeps the page as it is; only the time changes.
  skipPauses(isSkipping) {
    const { timeline } = this;
    const step = timeline.steps[timeline.count(this.time) - 1];
    const seconds = step && Math.min(this.time - step.start, step.length);
    this.skipsPauses = isSkipping;
    timeline.setMaximumPause(isSkipping ? this.maximumPause : Infinity);
    this.showControls();
    this.drawTicks();
    this.seek(step ? step.start + seconds : 0);
  }

  showFullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  }

  listen() {
    const on = (id, action, event = 'click') => element(id).addEventListener(event, action);
    on('play', () => this.toggle());
    on('page', () => this.toggle());
    on('previous', () => this.step(-1));
    on('next', () => this.step(1));
    on('time', () => this.seek(Number(element('time').value)), 'input');
    on('speed', () => this.setSpeed(Number(element('speed').value)), 'change');
    on('skip', () => this.skipPauses(!this.skipsPauses));
    on('full', () => this.showFullScreen());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.drawTicks());
    const keys = {
      ' ': () => this.toggle(),
      ArrowLeft: () => this.seek(this.time - 2),
      ArrowRight: () => this.seek(this.time + 2),
      ArrowUp: () => this.step(-1),
      ArrowDown: () => this.step(1),
      '+': () => this.setSpeed(this.speed * 2),
      '=': () => this.setSpeed(this.speed * 2),
      '-': () => this.setSpeed(this.speed / 2),
      Home: () => this.seek(0),
      End: () => this.seek(this.timeline.duration),
      f: () => this.showFullScreen(),
    };
    document.addEventListener('keydown', (event) => {
      const action = keys[event.key];
      const isTaken = event.target.matches('select') ||
        (event.key === ' ' && event.target.matches('button'));
      if (!action || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
  }
}

function showNote(text) {
  element('note').textContent = text;
  element('note').hidden = false;
}

try {
  const file = Uint8Array.from(atob(element('recording').text.trim()), (c) => c.charCodeAt(0));
  readStatistics(statistics);
  const recording = new Recording(file);
  if (recording.damage) {
    showNote(`The recording is damaged: ${recording.damage}. The part before the damage is played.`);
  }
  const player = new Player(recording, JSON.parse(element('settings').text));
  window.replay = { recording, player, Recording, Timeline, Damage };
} catch (error) {
  document.body.dataset.state = 'failed';
  showNote(`This recording cannot be played: ${error.message}.`);
}
