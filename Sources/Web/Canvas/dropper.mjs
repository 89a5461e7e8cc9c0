// The eyedropper takes the colour of the page below a pointer, or of a point that arrows move.

import { make } from './build.mjs';
import { hex } from './colour.mjs';
import { styled } from './interface.mjs';

// The focused element, in whatever tree it is.
function deepFocus() {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

export class Dropper {
  // The number of pixels around the one in the middle of the loupe.
  reach = 5;

  loupe = make('div', { class: 'loupe', id: 'loupe', hidden: true });
  area = make('div', {
    class: 'dropper',
    id: 'dropper',
    tabindex: -1,
    role: 'application',
    'data-label': 'dropperKeys',
    hidden: true,
  }, this.loupe);

  // `taken` receives the colour that is seen.
  constructor(canvas, taken) {
    Object.assign(this, { canvas, view: canvas.view, taken });
    const pixels = make('canvas', { width: 2 * this.reach + 1, height: 2 * this.reach + 1 });
    this.loupe.append(pixels);
    this.context = pixels.getContext('2d');
    const on = (name, action) => this.area.addEventListener(name, action);
    on('pointerdown', (event) => {
      if (event.button !== 0 || this.pointer !== undefined) return;
      this.pointer = event.pointerId;
      // Keeps the focus, and with it the eyedropper.
      event.preventDefault();
      this.look(...this.view.at(event));
    });
    on('pointermove', (event) => {
      if ((this.pointer ?? event.pointerId) === event.pointerId) this.look(...this.view.at(event));
    });
    on('pointerup', (event) => {
      if (event.pointerId !== this.pointer) return;
      this.look(...this.view.at(event));
      this.take();
    });
    on('pointercancel', () => this.pointer = undefined);
    on('contextmenu', (event) => event.preventDefault());
    on('blur', () => this.end());
    on('keydown', (event) => this.key(event));
  }

  start() {
    if (!this.area.hidden) return;
    this.back = deepFocus();
    this.pointer = undefined;
    this.area.hidden = false;
    this.area.focus({ preventScroll: true });
    this.canvas.say(this.canvas.t('takeColour'));
    this.view.locate();
    this.look(...this.view.middle);
  }

  key(event) {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
    const step = event.shiftKey ? 20 : 1;
    if (x !== undefined) this.look(this.x + step * x, this.y + step * y);
    else if (['Enter', ' '].includes(event.key)) this.take();
    else if (event.key === 'Escape') this.end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Shows the pixels around a point of the view. Answers to earlier points are skipped.
  async look(x, y) {
    const { width, height } = this.view;
    [this.x, this.y] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
    styled(this.area, { '--x': `${this.x}px`, '--y': `${this.y}px` });
    this.loupe.classList.toggle('below', this.y < 160);
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.seen !== `${this.x} ${this.y}` && !this.area.hidden) {
      this.seen = `${this.x} ${this.y}`;
      await this.pixels().then(({ data, color }) => {
        this.context.putImageData(data, 0, 0);
        styled(this.loupe, { '--colour': color });
        this.loupe.hidden = false;
      }, () => {});
    }
    this.isAsking = false;
    this.seen = undefined;
  }

  async pixels() {
    const side = 2 * this.reach + 1;
    const answer = await this.canvas.ask('around', {
      point: this.view.toPage(this.x, this.y),
      reach: this.reach,
    });
    const middle = 4 * (side * this.reach + this.reach);
    return { data: new ImageData(answer, side, side), color: hex([...answer.slice(middle, middle + 3)]) };
  }

  async take() {
    // Blocks that are not drawn yet have no colour.
    const color = await this.canvas.ask('whole').then(() => this.pixels()).then((found) => found.color, () => null);
    if (this.area.hidden) return;
    this.end();
    if (!color) return;
    this.taken(color);
  }

  end() {
    if (this.area.hidden) return;
    const hadFocus = deepFocus() === this.area;
    this.area.hidden = this.loupe.hidden = true;
    if (hadFocus) (this.back === document.body ? this.canvas : this.back).focus({ preventScroll: true });
  }
}
