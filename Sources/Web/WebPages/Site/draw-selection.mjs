// The selected strokes: their frame, whose handles scale, stretch and turn them, and their actions.

import { bytesOf, Clipboard, converted, problemOf } from './clipboard.mjs';
import { inks } from './draw-tools.mjs';
import { make, mark, t, text, toast } from './shared.mjs';

const $ = (id) => document.getElementById(id);
// Handles by their place in the frame, from 0 to 1; the last one turns, and is above the frame.
const corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
const sides = [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]];
// In CSS pixels: the frame's distance from the ink, the turning handle's from the frame, and the
// smallest side with a handle in its middle.
const [margin, stalk, longSide] = [6, 26, 56];
// The width of the menu.
const menuWide = 288;
// The smallest factor of scaling.
const least = 0.02;

const shapes = 'http://www.w3.org/2000/svg';
const moveTo = (x, y) => [1, 0, 0, 1, x, y];
const scaleAt = (x, y, alongX, alongY) => [alongX, 0, 0, alongY, x * (1 - alongX), y * (1 - alongY)];

function turnAt(x, y, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
}

const applied = ([a, b, c, d, tx, ty], [x, y]) => [a * x + c * y + tx, b * x + d * y + ty];
const factor = (ratio) => Math.sign(ratio || 1) * Math.max(Math.abs(ratio), least);

export class Selection {
  count = 0;
  box = null;
  // Whether strokes were selected that the worker has not told of.
  isAwaited = false;

  // `send` sends commands to the worker; `idle` ends an unfinished gesture; `say` shows words for a
  // moment.
  constructor({ view, thread, send, idle, say }) {
    Object.assign(this, { view, thread, send, idle, say });
    this.clipboard = new Clipboard(thread);
    this.handles = [...corners, ...sides, [0.5, 0]].map((place, index) => {
      const dot = document.createElementNS(shapes, 'circle');
      dot.classList.add('handle', index === 8 ? 'turn' : index > 3 ? 'side' : 'corner');
      return { place, dot };
    });
    $('frame').append(...this.handles.map(({ dot }) => dot));
    const act = (key, run, shortcut = '') =>
      text(key, 'button', { class: 'button', type: 'button', title: shortcut, onclick: run });
    const ink = (kind) =>
      make('button', {
        class: 'button',
        type: 'button',
        title: t(kind),
        'data-label': kind,
        'aria-label': t(kind),
        onclick: () => this.restyle({ ink: kind }),
      }, mark(kind));
    $('selection-menu').append(
      make('div', { class: 'ink-row' }, ...inks.map(ink)),
      make('hr'),
      make(
        'div',
        { class: 'pairs' },
        act('thinner', () => this.restyle({ widthFactor: 0.8 }), '['),
        act('thicker', () => this.restyle({ widthFactor: 1.25 }), ']'),
        act('smaller', () => this.scale(0.8, 0.8)),
        act('larger', () => this.scale(1.25, 1.25)),
        act('turnLeft', () => this.turn(-Math.PI / 12)),
        act('turnRight', () => this.turn(Math.PI / 12)),
        act('mirrorAcross', () => this.scale(-1, 1), 'Shift H'),
        act('mirrorDown', () => this.scale(1, -1), 'Shift V'),
        act('toBack', () => this.reorder(false), 'Ctrl ['),
        act('toFront', () => this.reorder(true), 'Ctrl ]'),
        act('cut', () => this.cut(), 'Ctrl X'),
      ),
    );
  }

  // Shows what the worker has selected.
  show({ count, box, ink }) {
    if (count > 0 && count !== this.count) {
      this.say(t(count === 1 ? 'selectedOne' : 'selected', { n: count }));
    }
    Object.assign(this, { count, box, ink, isAwaited: false });
    this.place();
  }

  clear() {
    if (this.count === 0) return;
    this.send(['deselect']);
    this.show({ count: 0, box: null });
  }

  // Places frame and actions; `transform` is that of an unfinished drag.
  place(transform = moveTo(0, 0)) {
    const { box } = this;
    $('frame').toggleAttribute('hidden', box === null);
    $('area').classList.toggle('moving', box !== null);
    $('acts').hidden = box === null;
    if (box === null) return $('selection-menu').close?.();
    const places = this.places(transform);
    $('chosen').setAttribute('points', places.slice(0, 4).map((place) => place.join()).join(' '));
    this.handles.forEach(({ dot }, index) => {
      const place = places[index];
      dot.toggleAttribute('hidden', !place);
      if (!place) return;
      dot.setAttribute('cx', place[0]);
      dot.setAttribute('cy', place[1]);
    });
    const [xs, ys] = [0, 1].map((axis) => places.slice(0, 4).map((place) => place[axis]));
    return this.placeActs([Math.min(...xs), Math.max(...xs)], Math.min(...ys) - stalk, Math.max(...ys));
  }

  // The handles' places in the window; undefined for those that have no room.
  places(transform) {
    const { view, box: [left, top, width, height] } = this;
    const spare = margin / view.zoom;
    const at = ([x, y], above = 0) =>
      view.toScreen(
        ...applied(transform, [
          left - spare + x * (width + 2 * spare),
          top - spare + y * (height + 2 * spare) - above / view.zoom,
        ]),
      );
    const isLong = [height, width].map((side) => side * view.zoom > longSide);
    return [
      ...corners.map((place) => at(place)),
      ...sides.map((place, index) => (isLong[(index + 1) % 2] ? at(place) : undefined)),
      at([0.5, 0], stalk),
    ];
  }

  // The way to change the selection by a drag from a point of the page: a function of the pointer's
  // event and point. Null if the point is not on the selection.
  grip(start, [x, y], reach) {
    if (this.box === null) return null;
    const [left, top, width, height] = this.box;
    const distances = this.places(moveTo(0, 0)).map((place) => (place ? Math.hypot(place[0] - x, place[1] - y) : 1e9));
    const nearest = distances.indexOf(Math.min(...distances));
    const centre = [left + width / 2, top + height / 2];
    if (distances[nearest] > reach) {
      const isInside = start[0] >= left && start[1] >= top && start[0] <= left + width && start[1] <= top + height;
      return isInside ? (event, point) => moveTo(...straight(event, point[0] - start[0], point[1] - start[1])) : null;
    }
    const angle = ([pointX, pointY]) => Math.atan2(pointY - centre[1], pointX - centre[0]);
    if (nearest === 8) {
      return (event, point) => {
        const turned = angle(point) - angle(start);
        const step = Math.PI / 12;
        return turnAt(...centre, event.shiftKey ? Math.round(turned / step) * step : turned);
      };
    }
    // From the opposite handle, or with Alt from the centre. Corners keep the proportions, or with
    // Shift do not.
    const [alongX, alongY] = this.handles[nearest].place;
    const held = [left + alongX * width, top + alongY * height];
    return (event, point) => {
      const fixed = event.altKey ? centre : [left + (1 - alongX) * width, top + (1 - alongY) * height];
      const reachOf = [held[0] - fixed[0], held[1] - fixed[1]];
      const now = [0, 1].map((axis) => point[axis] - start[axis] + reachOf[axis]);
      const ratio = [0, 1].map((axis) => (reachOf[axis] === 0 ? 1 : factor(now[axis] / reachOf[axis])));
      if (nearest < 4 && !event.shiftKey) {
        const size = reachOf[0] ** 2 + reachOf[1] ** 2 || 1;
        ratio.fill(factor((now[0] * reachOf[0] + now[1] * reachOf[1]) / size));
      }
      return scaleAt(...fixed, ...ratio);
    };
  }

  // The actions are below the selection, or above it where the tray is, but always inside the window.
  placeActs([from, right], top, bottom) {
    const middle = (from + right) / 2;
    const { width: wide } = this.view;
    const { offsetWidth: width, offsetHeight: height } = $('acts');
    const lowest = document.querySelector('.tray').offsetTop - height - 8;
    const left = Math.max(8, Math.min(middle - width / 2, wide - width - 8));
    const highest = 72;
    const wanted = bottom + 16 <= lowest ? bottom + 16 : top - height - 16;
    const place = Math.min(Math.max(wanted, highest), lowest);
    $('acts').style.transform = `translate(${left}px, ${place}px)`;
    // The menu is where there is more room between the window's edge and the tray.
    const [above, below] = [place - 16, lowest - place - 8];
    const isBelow = below > above;
    const menu = $('selection-menu');
    menu.classList.toggle('below', isBelow);
    const menuWidth = Math.min(menuWide, wide - 32);
    // Beside the selection, if there is room.
    const beside = [right + 16, from - menuWidth - 16].find((one) => one >= 8 && one + menuWidth <= wide - 8);
    const menuLeft = beside ?? Math.max(8, Math.min(left + (width - menuWidth) / 2, wide - menuWidth - 8));
    Object.assign(menu.style, { maxHeight: `${isBelow ? below : above}px`, left: `${menuLeft - left}px` });
  }

  // MARK: Actions

  act(command) {
    if (this.count === 0 && !this.isAwaited) return;
    this.idle();
    this.send([...command, Date.now() / 1000]);
  }

  get centre() {
    const [left, top, width, height] = this.box ?? [0, 0, 0, 0];
    return [left + width / 2, top + height / 2];
  }

  move(x, y) {
    this.act(['transform', ...moveTo(x, y)]);
  }
  scale(alongX, alongY) {
    this.act(['transform', ...scaleAt(...this.centre, alongX, alongY)]);
  }
  turn(angle) {
    this.act(['transform', ...turnAt(...this.centre, angle)]);
  }
  restyle(style) {
    this.act(['restyle', style]);
  }
  reorder(isToFront) {
    this.act(['reorder', isToFront]);
  }
  duplicate() {
    const step = 16 / this.view.zoom;
    this.act(['duplicate', step, step]);
  }
  delete() {
    if (this.count === 0) return;
    this.act(['deleteSelection']);
    this.show({ count: 0, box: null });
    $('area').focus({ preventScroll: true });
  }

  async copy() {
    if (this.count === 0) return false;
    this.idle();
    try {
      await this.clipboard.write();
      this.say(t('copiedSelected'));
      return true;
    } catch {
      toast(t('failed'));
      return false;
    }
  }

  async cut() {
    if (await this.copy()) this.delete();
  }

  // Pastes ink in the middle of the window, or at a point of it.
  async paste(data, at = this.view.middle) {
    this.idle();
    try {
      const file = await this.clipboard.read(data);
      if (file) await this.insert(file, at);
      else toast(t('nothingToPaste'));
    } catch (error) {
      toast(t(problemOf(error)));
    }
  }

  // Adds the ink of files, of any program.
  async open(files, at = this.view.middle) {
    this.idle();
    for (const file of files) {
      try {
        await this.insert(await bytesOf(file), at);
      } catch (error) {
        toast(`${file.name}: ${t(problemOf(error))}`);
      }
    }
  }

  async insert(file, at) {
    const place = { at: this.view.toPage(...at), time: Date.now() / 1000 };
    try {
      await this.thread.ask('paste', { file, ...place });
    } catch (error) {
      if (error.code !== 'notARecording') throw error;
      const { recording, pageCount } = await converted(file);
      await this.thread.ask('paste', { file: recording, ...place });
      if (pageCount > 1) toast(t('firstOfPages', { n: pageCount }));
    }
    // The worker has told where it is.
    const { box, view } = this;
    if (!box) return;
    const [first, last] = [view.toScreen(box[0], box[1]), view.toScreen(box[0] + box[2], box[1] + box[3])];
    if (Math.min(...first) < 0 || last[0] > view.width || last[1] > view.height) view.fit(box);
  }
}

// With Shift, a move is horizontal or vertical.
function straight(event, x, y) {
  if (!event.shiftKey) return [x, y];
  return Math.abs(x) > Math.abs(y) ? [x, 0] : [0, y];
}
