// A ruler on the page. Strokes that begin near one of its edges follow it. It lies on the view, not
// on the page, and is moved and turned by fingers, the mouse, the wheel and keys.

// In CSS pixels: half its width, and how near to an edge strokes follow it.
const [half, near] = [34, 18];
// Angles near multiples of 15° become these, in degrees.
const [step, snap] = [15, 2];

export class Ruler {
  angle = 0;
  // The pointers that hold it, by their ids.
  pointers = new Map();

  constructor(view, element, body) {
    Object.assign(this, { view, element, body });
    const on = (name, action) => body.addEventListener(name, action);
    on('pointerdown', (event) => {
      event.preventDefault();
      body.focus({ preventScroll: true });
      body.setPointerCapture(event.pointerId);
      this.view.locate();
      this.pointers.set(event.pointerId, this.view.at(event));
    });
    on('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      on(name, ({ pointerId }) => this.pointers.delete(pointerId));
    }
    on('wheel', (event) => {
      event.preventDefault();
      this.turn(Math.sign(event.deltaY || event.deltaX) * (event.shiftKey ? step : 1));
    });
    on('keydown', (event) => this.press(event));
    new ResizeObserver(() => this.place()).observe(view.element);
  }

  get isShown() {
    return !this.element.hidden;
  }

  toggle() {
    this.element.hidden = this.isShown;
    if (!this.isShown) return;
    this.middle ??= this.view.middle;
    this.place();
    this.body.focus({ preventScroll: true });
  }

  // Places it, with its middle inside the view.
  place() {
    if (!this.isShown) return;
    const { width, height } = this.view;
    const [x, y] = this.middle;
    this.middle = [Math.min(Math.max(x, 20), width - 20), Math.min(Math.max(y, 20), height - 20)];
    this.element.style.transform = `translate(${this.middle[0]}px, ${this.middle[1]}px) rotate(${this.angle}deg)`;
    // A ruler has no direction.
    const shown = ((-this.angle % 180) + 180) % 180;
    this.body.textContent = `${Math.round(shown)}°`;
    this.body.setAttribute('aria-valuenow', Math.round(shown));
  }

  turn(degrees) {
    this.angle += degrees;
    this.place();
  }

  // One pointer moves it; a second one turns it around the first.
  drag(event) {
    const { pointerId } = event;
    const before = this.pointers.get(pointerId);
    if (!before) return;
    const now = this.view.at(event);
    this.pointers.set(pointerId, now);
    const [other] = [...this.pointers].filter(([id]) => id !== pointerId).map(([, place]) => place);
    if (!other) {
      this.middle = this.middle.map((one, axis) => one + now[axis] - before[axis]);
      return this.place();
    }
    const direction = (from) => Math.atan2(from[1] - other[1], from[0] - other[0]);
    this.free = (this.free ?? this.angle) + ((direction(now) - direction(before)) * 180) / Math.PI;
    const round = Math.round(this.free / step) * step;
    const turned = (Math.abs(this.free - round) < snap ? round : this.free) - this.angle;
    // Around the other pointer.
    const [x, y] = this.middle.map((one, axis) => one - other[axis]);
    const [cos, sin] = [Math.cos((turned * Math.PI) / 180), Math.sin((turned * Math.PI) / 180)];
    this.middle = [other[0] + cos * x - sin * y, other[1] + sin * x + cos * y];
    return this.turn(turned);
  }

  press(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (event.key === 'Escape') this.toggle();
    else if (arrow && event.altKey) this.turn((arrow[0] || arrow[1]) * (event.shiftKey ? step : 1));
    else if (arrow) this.middle = this.middle.map((one, axis) => one + arrow[axis] * (event.shiftKey ? 20 : 2));
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.place();
  }

  // The edge that a stroke follows which begins at a point of the view: a function that moves points
  // to it; null if there is none.
  edge(x, y) {
    if (!this.isShown) return null;
    const turned = (this.angle * Math.PI) / 180;
    const along = [Math.cos(turned), Math.sin(turned)];
    const away = ([placeX, placeY]) => (placeY - this.middle[1]) * along[0] - (placeX - this.middle[0]) * along[1];
    const distance = away([x, y]);
    if (Math.abs(Math.abs(distance) - half) > near) return null;
    const side = Math.sign(distance) * half;
    return (place) => {
      const off = away(place) - side;
      return [place[0] + off * along[1], place[1] - off * along[0]];
    };
  }
}
