// A small picture of all ink, without paper. It lies below the sharp pictures, and shows what they do
// not contain yet.

const mostPixels = 5e5;

export class Overview {
  // Whether a part of it is not drawn yet.
  waits = false;
  #canvas;
  #look;
  // The next picture, which is shown when it is complete.
  #next;
  #view;
  #document;

  constructor(canvas, look) {
    this.#canvas = canvas;
    this.#look = look;
  }

  // Draws changes for some milliseconds. Returns where the picture lies, if that is new: the page's
  // point at its corner, and its pixels per point; null without ink.
  draw(easel, time) {
    if (this.#document !== easel.document || !this.waits) {
      const box = easel.document.inkBounds;
      if (!box) return this.#close();
      if (this.#document !== easel.document || !this.#contains(box)) this.#open(easel.document, box);
    }
    const end = performance.now() + time;
    const rects = this.#view.updateDrawn();
    while (this.#view.waitingCount > 0 && performance.now() < end) rects.push(...this.#view.drawBlock(0, 0));
    this.waits = this.#view.waitingCount > 0;
    const target = this.#next ?? this.#canvas;
    const context = target.getContext('2d');
    for (const rect of rects) {
      context.putImageData(new ImageData(this.#view.pixels(rect), rect[2], rect[3]), rect[0], rect[1]);
    }
    if (!this.#next || this.waits) return undefined;
    Object.assign(this.#canvas, { width: this.#next.width, height: this.#next.height });
    this.#canvas.getContext('2d').drawImage(this.#next, 0, 0);
    this.#next = undefined;
    return [this.#view.left, this.#view.top, this.#scale];
  }

  #scale = 1;

  #contains([x, y, width, height]) {
    const view = this.#view;
    return view.left <= x && view.top <= y && view.left + view.width / this.#scale >= x + width &&
      view.top + view.height / this.#scale >= y + height;
  }

  // Opens a view of a box and of the part around it, for ink that is added later.
  #open(document, [x, y, width, height]) {
    this.#close();
    const [spareX, spareY] = [0.2 * width + 50, 0.2 * height + 50];
    const region = [x - spareX, y - spareY, width + 2 * spareX, height + 2 * spareY];
    this.#scale = Math.min(1, Math.sqrt(mostPixels / (region[2] * region[3])));
    this.#view = document.view({
      ...this.#look,
      background: 'none',
      paper: 'blank',
      scale: this.#scale,
      region,
      isLive: true,
    });
    this.#document = document;
    this.#next = new OffscreenCanvas(this.#view.width, this.#view.height);
  }

  #close() {
    if (!this.#view) return undefined;
    // A document that was opened again has closed its views.
    if (this.#view.exports === this.#view.engine.exports) this.#view.close();
    this.#view = undefined;
    this.#document = undefined;
    this.waits = false;
    return null;
  }
}
