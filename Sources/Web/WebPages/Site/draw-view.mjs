// The visible part of the page: its position and zoom. A gesture moves the picture at once; when it
// ends, the engine draws the new part at the screen's resolution.

import { make } from './shared.mjs';

const mostPixels = 8e6;
const settlePause = 90;

export class SheetView {
  // The page's point at the corner of the window, and the number of CSS pixels per point.
  left = 0;
  top = 0;
  zoom = 1;

  // `look` returns style, background and paper; `moved` is called when position or zoom have
  // changed.
  constructor(element, thread, { look, moved }) {
    Object.assign(this, { element, thread, look, moved });
    // A page that failed to open has no content to draw.
    addEventListener('resize', () => {
      if (this.settling) this.settleSoon();
    });
  }

  toPage(x, y) {
    return [this.left + x / this.zoom, this.top + y / this.zoom];
  }

  toScreen(x, y) {
    return [(x - this.left) * this.zoom, (y - this.top) * this.zoom];
  }

  moveBy(x, y) {
    this.place(this.left - x / this.zoom, this.top - y / this.zoom, this.zoom);
  }

  // Zooms, keeping the page's point at a point of the window in place.
  zoomAt(x, y, zoom) {
    const next = Math.min(Math.max(zoom, 0.1), 8);
    const [pageX, pageY] = this.toPage(x, y);
    this.place(pageX - x / next, pageY - y / next, next);
  }

  zoomBy(factor) {
    this.zoomAt(innerWidth / 2, innerHeight / 2, this.zoom * factor);
  }

  // Shows a box of the page between the bars, at most at its actual size.
  fit(box) {
    if (!box) return this.place(0, 0, 1);
    const [x, y, width, height] = box;
    const room = [Math.max(innerWidth - 48, 100), Math.max(innerHeight - 232, 100)];
    const zoom = Math.min(room[0] / width, room[1] / height, 1);
    const next = Math.max(zoom, 0.1);
    return this.place(
      x + width / 2 - innerWidth / 2 / next,
      y + height / 2 - (innerHeight - 72) / 2 / next,
      next,
    );
  }

  place(left, top, zoom) {
    Object.assign(this, { left, top, zoom });
    this.transform();
    this.moved();
    this.settleSoon();
  }

  // Moves the displayed picture to the current position of its part of the page.
  transform() {
    if (!this.shown) return;
    const [x, y] = this.toScreen(this.shown.left, this.shown.top);
    this.element.style.transform = `translate(${x}px, ${y}px) scale(${this.zoom / this.shown.zoom})`;
  }

  settleSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), settlePause);
  }

  // Lets the engine draw the visible part. The promise resolves when it is on the screen.
  settle() {
    clearTimeout(this.timer);
    this.settling = (this.settling ?? Promise.resolve()).then(() => this.draw()).catch((error) => {
      this.failed?.(error);
    });
    return this.settling;
  }

  async draw() {
    // A window without a size shows nothing; it is drawn when it gets a size.
    if (innerWidth === 0 || innerHeight === 0) return;
    const { left, top, zoom } = this;
    const density = Math.min(devicePixelRatio || 1, Math.sqrt(mostPixels / (innerWidth * innerHeight)));
    const [width, height] = [Math.ceil(innerWidth * density), Math.ceil(innerHeight * density)];
    const scale = zoom * density;
    const options = { ...this.look(), scale, region: [left, top, width / scale, height / scale] };
    const canvas = make('canvas', { 'aria-hidden': 'true' });
    const offscreen = canvas.transferControlToOffscreen?.();
    if (offscreen) options.canvas = offscreen;
    const answer = await this.thread.ask('view', { options }, offscreen ? [offscreen] : []);
    if (!offscreen) Object.assign(canvas, { width: answer.width, height: answer.height });
    Object.assign(canvas.style, { width: `${answer.width / density}px`, height: `${answer.height / density}px` });
    const before = [...this.element.children];
    this.element.append(canvas);
    this.canvas = canvas;
    this.options = options;
    this.shown = { left: answer.left ?? left, top: answer.top ?? top, zoom };
    this.transform();
    this.paint(answer.parts);
    // The new canvas is displayed with the next frame.
    setTimeout(() => before.forEach((one) => one.remove()), 60);
  }

  // Puts pixels on the canvas where the worker has no canvas.
  paint(parts) {
    for (const { rect: [x, y, width, height], pixels } of parts) {
      this.canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), x, y);
    }
  }
}
