// The visible part of the page: its position and zoom, and the pictures that show it.
//
// From the bottom: the paper's lines; an overview of all ink, small and without paper; sheets, which
// are the engine's pictures of a part of the page, with a part around the window. A gesture moves
// all of them at once. A sheet that the window is about to leave moves on by whole blocks; at
// another zoom, a new one is drawn block by block, and covers the old one meanwhile.

import { PaperLayer } from './paper.mjs';
import { make } from './build.mjs';

const mostWindowPixels = 8e6;
const mostPixels = 12e6;
// The sides of sheets are multiples of the largest block.
const step = 256;
const settlePause = 90;

export class SheetView {
  // The page's point at the corner of the window, and the number of CSS pixels per point.
  left = 0;
  top = 0;
  zoom = 1;
  // The sheets from the bottom; the last one shows the pen's ink.
  sheets = [];
  paper = new PaperLayer();
  // The size of the page in points; null for one without edges.
  page = null;
  // The spaces at the edges that a page does not fill, from the top clockwise.
  insets = [0, 0, 0, 0];
  edge = make('div', { class: 'page-edge', 'aria-hidden': 'true', hidden: '' });

  // `host` asks the worker; `look` returns style, background and paper; `moved` is called when position
  // or zoom have changed.
  constructor(element, host, { look, moved }) {
    Object.assign(this, { element, host, look, moved });
    element.append(this.paper.element, this.edge);
    this.locate();
    const sizes = new ResizeObserver(() => {
      this.locate();
      if (this.isUnfit && this.width > 0 && this.height > 0) this.host.fit().catch(() => {});
      // A page that failed to open has no content to draw.
      if (this.settling) this.settleSoon();
    });
    // Pixels of the screen change with its density, too. Safari does not observe them.
    try {
      sizes.observe(element, { box: 'device-pixel-content-box' });
    } catch {
      sizes.observe(element);
    }
  }

  // Notes where the view is in the window, and its size in CSS pixels of its own: those of the window
  // may be larger or smaller, by a transform or a zoom of the page.
  locate() {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const ratio = width / this.element.offsetWidth;
    this.enlarged = Math.abs(ratio - 1) > 0.01 && Number.isFinite(ratio) && ratio > 0 ? ratio : 1;
    Object.assign(this, { origin: [left, top], width: width / this.enlarged, height: height / this.enlarged });
  }

  // The place of an event in the view.
  at({ clientX, clientY }) {
    return [(clientX - this.origin[0]) / this.enlarged, (clientY - this.origin[1]) / this.enlarged];
  }

  get middle() {
    return [this.width / 2, this.height / 2];
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
    this.zoomAt(...this.middle, this.zoom * factor);
  }

  // Shows a box of the page between the bars, at most at its actual size.
  fit(box) {
    if (!box) return this.place(0, 0, 1);
    const [x, y, width, height] = box;
    const [top, right, bottom, left] = this.insets;
    const room = [this.width - left - right, this.height - top - bottom].map((side) => Math.max(side, 100));
    const zoom = Math.min(room[0] / width, room[1] / height, 1);
    const next = Math.max(zoom, 0.1);
    const middle = [(this.width + left - right) / 2, (this.height + top - bottom) / 2];
    return this.place(x + width / 2 - middle[0] / next, y + height / 2 - middle[1] / next, next);
  }

  place(left, top, zoom) {
    Object.assign(this, { left, top, zoom });
    this.transform();
    this.moved();
    if (this.sheet?.zoom !== zoom) this.settleSoon();
    else if (!this.reaches(0.5)) this.settle();
  }

  // The sheet that shows the pen's ink.
  get sheet() {
    return this.sheets.at(-1);
  }

  // Whether the sheet covers the window and a share of the part around it.
  reaches(share) {
    const { sheet } = this;
    if (sheet?.zoom !== this.zoom) return false;
    const [x, y] = this.toScreen(sheet.left, sheet.top);
    const [width, height] = [sheet.width / sheet.density, sheet.height / sheet.density];
    const [spareX, spareY] = [(width - this.width) / 2 * share, (height - this.height) / 2 * share];
    return x <= -spareX && y <= -spareY && x + width >= this.width + spareX && y + height >= this.height + spareY;
  }

  // Whether the sharp picture of the window is complete.
  get isSettled() {
    return this.reaches(0) && this.sheets.length === 1;
  }

  // Moves all pictures to the current position of their parts of the page.
  transform() {
    const { left, top, zoom } = this;
    for (const { canvas, ...sheet } of this.sheets) {
      const place = this.toScreen(sheet.left, sheet.top);
      // A sharp picture stays sharp at whole pixels of the screen.
      const [x, y] = sheet.zoom === zoom ? place.map((one) => Math.round(one * sheet.density) / sheet.density) : place;
      canvas.style.transform = `translate(${x}px, ${y}px) scale(${zoom / sheet.zoom})`;
    }
    if (this.overview && this.overviewPlace) {
      const [x, y] = this.toScreen(...this.overviewPlace);
      this.overview.style.transform = `translate(${x}px, ${y}px) scale(${zoom / this.overviewPlace[2]})`;
    }
    this.edge.hidden = !this.page;
    if (this.page) {
      const [x, y] = this.toScreen(0, 0);
      const [width, height] = this.page.map((side) => `${side * zoom}px`);
      Object.assign(this.edge.style, { transform: `translate(${x}px, ${y}px)`, width, height });
    }
    const isCovered = this.reaches(0);
    this.paper.element.style.visibility = isCovered ? 'hidden' : 'visible';
    if (!isCovered) this.paper.show(left, top, zoom, this.width, this.height, devicePixelRatio || 1);
  }

  settleSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), settlePause);
  }

  // Lets the engine draw the visible part. The promise resolves when it is on the screen.
  settle() {
    clearTimeout(this.timer);
    if (this.isAsking) {
      this.isAskedAgain = true;
      return this.settling;
    }
    this.isAsking = true;
    this.settling = this.draw().catch((error) => this.failed?.(error)).finally(() => {
      this.isAsking = false;
      if (this.isAskedAgain) this.settleSoon();
    });
    return this.settling;
  }

  async draw() {
    do {
      this.isAskedAgain = false;
      // A window without a size shows nothing; it is drawn when it gets a size.
      if (this.width === 0 || this.height === 0 || !this.host.isOpen) return;
      await (this.canMove ? this.move() : this.open());
    } while (this.isAskedAgain && !this.reaches(0.5));
    const { sheet } = this;
    await this.host.ask('whole');
    // The last blocks are displayed with the next frame.
    await new Promise((done) => setTimeout(done, 60));
    if (this.isAskedAgain) return this.draw();
    if (sheet !== this.sheet) return undefined;
    sheet.isComplete = true;
    this.keep(sheet);
    return undefined;
  }

  // Removes all sheets but some.
  keep(...kept) {
    for (const sheet of this.sheets) if (!kept.includes(sheet)) sheet.canvas.remove();
    this.sheets = kept;
  }

  // The number of pixels of a sheet for each CSS pixel, and its width and height.
  extent() {
    const density = Math.min(devicePixelRatio || 1, Math.sqrt(mostWindowPixels / (this.width * this.height)));
    const [width, height] = [this.width * density, this.height * density];
    const share = Math.min(2, Math.sqrt(mostPixels / (width * height)));
    const side = (length) => Math.max(Math.floor(length * share / step), Math.ceil(length / step)) * step;
    return { density, width: side(width), height: side(height) };
  }

  // Opens a sheet around the window, above the others.
  async open() {
    const { zoom } = this;
    const { density, width, height } = this.extent();
    const scale = zoom * density;
    // A region that begins at a whole pixel of the page has the same pixels as the page.
    const first = (start, windowLength, length) =>
      Math.round(start * scale + (windowLength * density - length) / 2) / scale;
    const [left, top] = [first(this.left, this.width, width), first(this.top, this.height, height)];
    // A little less than whole pixels, which are rounded up.
    const options = { ...this.look(), scale, region: [left, top, (width - 0.01) / scale, (height - 0.01) / scale] };
    const { canvas, offscreen } = this.canvasFor(width, height, density);
    const answer = await this.host.ask(
      'view',
      { options: { ...options, canvas: offscreen } },
      transferred(offscreen),
    );
    this.add({ canvas, options, left: answer.left, top: answer.top, zoom, density, width, height, side: answer.side });
    this.paintAll(answer.parts);
  }

  get canMove() {
    const { sheet } = this;
    if (sheet?.zoom !== this.zoom || this.isStale) return false;
    const { density, width, height } = this.extent();
    const [right, down] = this.blocksToMiddle;
    return sheet.density === density && sheet.width === width && sheet.height === height &&
      Math.abs(right * sheet.side) < width && Math.abs(down * sheet.side) < height;
  }

  // The number of blocks from the sheet's middle to the window's.
  get blocksToMiddle() {
    const { left, top, width, height, density, side } = this.sheet;
    const [x, y] = this.toScreen(left, top);
    return [this.width / 2 - x - width / density / 2, this.height / 2 - y - height / density / 2]
      .map((distance) => Math.round(distance * density / side));
  }

  // Replaces the sheet by one that has moved, with the blocks that both show.
  async move() {
    const { sheet } = this;
    const [right, down] = this.blocksToMiddle;
    if (right === 0 && down === 0) return;
    const { canvas, offscreen } = this.canvasFor(sheet.width, sheet.height, sheet.density);
    const answer = await this.host.ask('move', { right, down, canvas: offscreen }, transferred(offscreen));
    if (!offscreen) {
      canvas.getContext('2d').drawImage(sheet.canvas, -right * sheet.side, -down * sheet.side);
    }
    const [, , width, height] = sheet.options.region;
    const options = { ...sheet.options, region: [answer.left, answer.top, width, height] };
    this.add({ ...sheet, canvas, options, left: answer.left, top: answer.top, isComplete: false });
    this.paintAll(answer.parts);
  }

  canvasFor(width, height, density) {
    const canvas = make('canvas', { 'aria-hidden': 'true' });
    Object.assign(canvas.style, { width: `${width / density}px`, height: `${height / density}px` });
    const offscreen = canvas.transferControlToOffscreen?.();
    if (!offscreen) Object.assign(canvas, { width, height });
    return { canvas, offscreen };
  }

  // Shows a sheet above the last complete one, which covers the window until this one is complete.
  add(sheet) {
    this.isStale = false;
    this.element.append(sheet.canvas);
    this.keep(...this.sheets.filter(({ isComplete }) => isComplete).slice(-1), sheet);
    this.transform();
  }

  // Replaces all sheets, because of another theme or a document that was opened again.
  renew() {
    this.isStale = true;
    return this.settle();
  }

  get canvas() {
    return this.sheet?.canvas;
  }
  get options() {
    return this.sheet?.options;
  }

  // Puts pixels on the canvas where the worker has no canvas.
  paintAll(parts) {
    for (const { rect: [x, y, width, height], pixels } of parts) {
      this.canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), x, y);
    }
  }

  // A canvas for the worker's overview; none where workers have no canvas. It is shown when the
  // worker tells its place: the page's point at its corner, and its pixels per point.
  newOverview() {
    const canvas = make('canvas', { 'aria-hidden': 'true', hidden: '' });
    const offscreen = canvas.transferControlToOffscreen?.();
    if (!offscreen) return undefined;
    this.overview?.remove();
    this.overview = canvas;
    this.overviewPlace = null;
    this.paper.element.after(canvas);
    return offscreen;
  }

  showOverview(place) {
    this.overviewPlace = place;
    this.overview.hidden = !place;
    if (place) this.transform();
  }
}

const transferred = (canvas) => (canvas ? [canvas] : []);
