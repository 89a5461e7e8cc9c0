// Zooms and moves the sheet: pinch, Ctrl and wheel, drag, keys. The picture is scaled at once, and
// redrawn soon after.
export class Zoom {
  #factor = 1;
  #x = 0;
  #y = 0;
  // The width of the sheet for which `factor`, `x` and `y` are valid.
  #width = 0;

  constructor(element) {
    this.element = element;
    const { stage } = element;
    this.held = new Map();
    stage.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    stage.addEventListener('pointerdown', (event) => this.#hold(event));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      stage.addEventListener(name, (event) => this.#release(event));
    }
    // A tap plays or pauses, as the keys do.
    stage.addEventListener('click', (event) => {
      if (!this.hasMoved && element.hasAttribute('controls') && !event.target.closest('button')) element.toggle();
    });
    stage.addEventListener('dblclick', (event) => {
      if (this.#factor > 1) this.fit();
      else this.by(2, this.#inSheet(event));
    });
  }

  get factor() {
    return this.#factor;
  }

  // The pixels per point of a sheet that is not zoomed.
  get fitScale() {
    return (this.layoutWidth / this.element.region[2]) * devicePixelRatio;
  }
  get layoutWidth() {
    return this.element.sheet.clientWidth;
  }

  fit() {
    this.set(1, 0, 0);
  }

  // Keeps the same part of the sheet visible after a change of size.
  resized() {
    const { clientWidth: width } = this.element.sheet;
    if (!width) return;
    const change = this.#width ? width / this.#width : 1;
    this.set(this.#factor, this.#x * change, this.#y * change);
  }

  // Zooms by a factor. A point, in CSS pixels of the unzoomed sheet, stays in place; the middle
  // unless given.
  by(change, point = this.#middle()) {
    const factor = Math.min(Math.max(this.#factor * change, 1), 8);
    const moved = factor - this.#factor;
    this.element.begin();
    this.set(factor, this.#x - point[0] * moved, this.#y - point[1] * moved);
  }

  set(factor, x, y) {
    const { element } = this;
    const { sheet, stage } = element;
    this.#factor = factor;
    this.#width = sheet.clientWidth;
    // The zoomed sheet always covers the area of the unzoomed one.
    const least = (size) => size * (1 - factor);
    this.#x = Math.min(Math.max(x, least(sheet.clientWidth)), 0);
    this.#y = Math.min(Math.max(y, least(sheet.clientHeight)), 0);
    const round = (value) => Math.round(value * devicePixelRatio) / devicePixelRatio;
    sheet.style.transform = factor === 1 ? '' : `translate(${round(this.#x)}px, ${round(this.#y)}px) scale(${factor})`;
    stage.classList.toggle('zoomed', factor > 1);
    element.viewChanged();
  }

  // The content of the next view: the visible part of the region with a margin around it, and the
  // scale.
  place(region, maximumPixels) {
    const { sheet, stage } = this.element;
    const width = sheet.clientWidth;
    if (!(width > 0)) return undefined;
    const [left, top, across, down] = region;
    const layoutScale = width / across;
    let part = region;
    if (this.#factor > 1) {
      const zoomed = layoutScale * this.#factor;
      const margin = 0.15;
      const range = (start, size, offset, moved, visible) => {
        const first = (-offset - moved - margin * visible) / zoomed;
        const last = (-offset - moved + (1 + margin) * visible) / zoomed;
        const from = Math.max(first, 0);
        return [start + from, Math.max(Math.min(last, size) - from, 1e-3)];
      };
      const [x, w] = range(left, across, sheet.offsetLeft, this.#x, stage.clientWidth);
      const [y, h] = range(top, down, sheet.offsetTop, this.#y, stage.clientHeight);
      part = [x, y, w, h];
    }
    const wanted = layoutScale * this.#factor * devicePixelRatio;
    return { region: part, scale: Math.min(wanted, largestScale(part, maximumPixels)), layoutScale };
  }

  #middle() {
    return [this.element.sheet.clientWidth / 2, this.element.sheet.clientHeight / 2].map(
      (half, side) => (half - [this.#x, this.#y][side]) / this.#factor,
    );
  }

  #inSheet(event) {
    const box = this.element.sheet.getBoundingClientRect();
    return [(event.clientX - box.left) / this.#factor, (event.clientY - box.top) / this.#factor];
  }

  #wheel(event) {
    if (!event.ctrlKey && this.#factor === 1) return;
    event.preventDefault();
    if (event.ctrlKey) this.by(Math.exp(-event.deltaY * 0.005), this.#inSheet(event));
    else this.set(this.#factor, this.#x - event.deltaX, this.#y - event.deltaY);
  }

  #hold(event) {
    if (event.target.closest('button')) return;
    this.held.set(event.pointerId, event);
    if (this.held.size === 1) [this.first, this.hasMoved] = [event, false];
    else this.hasMoved = true;
    // Captures the pointer, so that its release is received anywhere.
    this.element.stage.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const old = this.held.get(event.pointerId);
    if (!old) return;
    const other = [...this.held.values()].find((one) => one.pointerId !== event.pointerId);
    this.held.set(event.pointerId, event);
    if (Math.hypot(event.clientX - this.first.clientX, event.clientY - this.first.clientY) > 4) this.hasMoved = true;
    if (other) {
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.by(apart(event) / Math.max(apart(old), 1), this.#inSheet(other));
    } else if (this.#factor > 1) {
      this.set(this.#factor, this.#x + event.clientX - old.clientX, this.#y + event.clientY - old.clientY);
    }
  }

  #release(event) {
    this.held.delete(event.pointerId);
  }
}

// The longest side of a canvas that all browsers support, less the pixels that rounding adds.
const longestSide = 16_384 - 2;

// The largest scale at which a part of a page stays within a number of pixels and the longest side
// of a canvas.
export function largestScale([, , width, height], pixels) {
  return Math.min(Math.sqrt(pixels / (width * height)), longestSide / width, longestSide / height);
}
