// The others who draw on the same drawing: their names beside the state of the drawing, and their pointers
// on the page, in their colours.

import { make, t } from './shared.mjs';

// The least time between two messages of the own pointer, in milliseconds.
const pointPause = 80;
// A pointer that rests for so long fades, in milliseconds.
const restTime = 8_000;
const mostNames = 5;

export class Company {
  // Pointers by the tags of their pages: { element, name, presence, moved }.
  #pointers = new Map();
  #isIn = false;
  #color = new Map();
  #at = null;

  // `canvas` is the element; `names` and `pointers` are where both are shown.
  constructor(canvas, names, pointers) {
    Object.assign(this, { canvas, names, pointers });
    canvas.addEventListener('viewchange', () => {
      this.#place();
      this.#point();
    });
    canvas.addEventListener('pointermove', (event) => {
      this.#at = event.pointerType === 'touch' ? null : canvas.view.toPage(...canvas.view.at(event));
      this.#point();
    });
    canvas.addEventListener('pointerleave', () => {
      this.#at = null;
      this.#point();
    });
    setInterval(() => this.#fade(), 1_000);
  }

  // Shows who is there: { isIn, people, members } of the worker.
  show({ isIn, people, members }) {
    const isNew = isIn && !this.#isIn;
    this.#isIn = isIn;
    const known = new Map(people.map((person) => [person.number, person]));
    const nameOf = (number) => known.get(number)?.name || t(number === 0 ? 'ownerName' : 'guestName');
    for (const [number, { color }] of known) this.#color.set(number, color);
    const present = new Map(members.map((member) => [member.person, member]));
    const faces = [...present.keys()].slice(0, mostNames).map((number) => {
      const name = nameOf(number);
      const face = make('span', { class: 'face', title: name, role: 'listitem' }, [...name][0] ?? '·');
      face.setAttribute('aria-label', name);
      face.style.setProperty('--person', this.#colorOf(number));
      return face;
    });
    if (present.size > mostNames) faces.push(make('span', { class: 'face more' }, `+${present.size - mostNames}`));
    this.names.replaceChildren(...faces);
    this.names.hidden = faces.length === 0;
    const tags = new Set(members.map(({ tag }) => tag));
    for (const [tag, { element }] of this.#pointers) {
      if (tags.has(tag)) continue;
      element.remove();
      this.#pointers.delete(tag);
    }
    for (const { tag, person, presence } of members) this.#showPointer(tag, nameOf(person), person, presence);
    this.#place();
    if (isNew) this.#point();
  }

  // The colours of people that have none yet are those of the server.
  #colorOf(number) {
    return this.#color.get(number) ?? '#2F6DB5';
  }

  #showPointer(tag, name, person, presence) {
    let pointer = this.#pointers.get(tag);
    if (!pointer) {
      const element = make('div', { class: 'pointer', 'aria-hidden': 'true' }, make('span', {}, name));
      this.pointers.append(element);
      pointer = { element, moved: 0 };
      this.#pointers.set(tag, pointer);
    }
    pointer.element.firstChild.textContent = name;
    pointer.element.style.setProperty('--person', this.#colorOf(person));
    if (String(presence?.at) !== String(pointer.at)) pointer.moved = performance.now();
    pointer.at = presence?.at ?? null;
  }

  #place() {
    for (const { element, at } of this.#pointers.values()) {
      element.hidden = !at;
      if (!at) continue;
      const [x, y] = this.canvas.view.toScreen(...at);
      element.style.transform = `translate(${x}px, ${y}px)`;
    }
    this.#fade();
  }

  #fade() {
    for (const { element, moved } of this.#pointers.values()) {
      element.classList.toggle('resting', performance.now() - moved > restTime);
    }
  }

  // Tells the others where the own pointer is, and what this page shows.
  #point() {
    if (!this.#isIn || this.#waiting || this.canvas.isReadonly) return;
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      const { view, tool, color } = this.canvas;
      const size = [view.width / view.zoom, view.height / view.zoom];
      const presence = { at: this.#at, tool, color, view: [view.left, view.top, ...size] };
      this.canvas.ask('point', { presence }).catch(() => {});
    }, pointPause);
  }
  #waiting;
}
