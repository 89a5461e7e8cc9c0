// The selected strokes: their frame, whose handles scale, stretch and turn them, and their actions.

import { icon, make } from './build.mjs';
import { Clipboard } from './clipboard.mjs';
import { mark } from './interface.mjs';
import { inks } from './nibs.mjs';
import { bytesFrom, problemOf } from './source.mjs';

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

function shape(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

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

  constructor(canvas) {
    Object.assign(this, { canvas, view: canvas.view });
    this.clipboard = new Clipboard(canvas);
    this.handles = [...corners, ...sides, [0.5, 0]].map((place, index) => {
      const kind = index === 8 ? 'turn' : index > 3 ? 'side' : 'corner';
      return { place, dot: shape('circle', { class: `handle ${kind}` }) };
    });
    const act = (key, run, shortcut = '') =>
      make('button', { class: 'button', type: 'button', title: shortcut, 'data-t': key, onclick: run });
    const round = (key, name, run, more = {}) =>
      make('button', { class: 'button', type: 'button', 'data-label': key, title: '', onclick: run, ...more }, name);
    this.menu = make(
      'div',
      { class: 'menu float', id: 'selection-menu', hidden: true },
      make(
        'div',
        { class: 'ink-row' },
        ...inks.map((ink) => round(ink, mark(ink), () => this.restyle({ ink }))),
      ),
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
    this.acts = make(
      'div',
      { class: 'acts float', part: 'selection', id: 'acts', role: 'toolbar', 'data-label': 'selection', hidden: true },
      round('duplicate', icon('copies'), () => this.duplicate(), { id: 'duplicate', 'data-shortcut': 'Ctrl D' }),
      round('copySelected', icon('copy'), () => this.copy(), { id: 'copy', 'data-shortcut': 'Ctrl C' }),
      round('changeSelected', icon('dots'), () => {}, {
        id: 'change',
        'data-menu': '',
        'aria-expanded': 'false',
        'aria-controls': 'selection-menu',
      }),
      round('deleteSelected', icon('trash'), () => this.delete(), {
        class: 'button danger',
        id: 'delete-selected',
        'data-shortcut': 'Delete',
      }),
      this.menu,
    );
    this.lasso = shape('path', { class: 'lasso', id: 'lasso' });
    this.chosen = shape('polygon', { class: 'chosen', id: 'chosen' });
    this.frame = shape('g', { id: 'frame', hidden: '' }, this.chosen, ...this.handles.map(({ dot }) => dot));
    this.overlay = shape('svg', { class: 'overlay', id: 'overlay', 'aria-hidden': 'true' }, this.lasso, this.frame);
  }

  // Shows what the worker has selected.
  show({ count, box, ink }) {
    if (count > 0 && count !== this.count) {
      this.canvas.say(this.canvas.t(count === 1 ? 'selectedOne' : 'selected', { n: count }));
    }
    Object.assign(this, { count, box, ink, isAwaited: false });
    this.place();
    this.canvas.selectionChanged();
  }

  clear() {
    if (this.count === 0) return;
    this.canvas.send(['deselect']);
    this.show({ count: 0, box: null });
  }

  // Places frame and actions; `transform` is that of an unfinished drag.
  place(transform = moveTo(0, 0)) {
    const { box } = this;
    this.frame.toggleAttribute('hidden', box === null);
    this.canvas.area.classList.toggle('moving', box !== null);
    this.acts.hidden = box === null;
    if (box === null) return this.menu.close?.();
    const places = this.places(transform);
    this.chosen.setAttribute('points', places.slice(0, 4).map((place) => place.join()).join(' '));
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

  // The actions are below the selection, or above it where bars are, but always inside the view.
  placeActs([from, right], top, bottom) {
    const middle = (from + right) / 2;
    const { width: wide } = this.view;
    const { offsetWidth: width, offsetHeight: height } = this.acts;
    const [highest, , low] = this.view.insets.map((inset) => Math.max(inset - 8, 8));
    const lowest = this.view.height - low - height;
    const left = Math.max(8, Math.min(middle - width / 2, wide - width - 8));
    const wanted = bottom + 16 <= lowest ? bottom + 16 : top - height - 16;
    const place = Math.min(Math.max(wanted, highest), lowest);
    this.acts.style.transform = `translate(${left}px, ${place}px)`;
    // The menu is where there is more room between the bars.
    const [above, below] = [place - highest - 8, lowest - place - 8];
    const isBelow = below > above;
    const { menu } = this;
    menu.classList.toggle('below', isBelow);
    const menuWidth = Math.min(menuWide, wide - 32);
    // Beside the selection, if there is room.
    const beside = [right + 16, from - menuWidth - 16].find((one) => one >= 8 && one + menuWidth <= wide - 8);
    const menuLeft = beside ?? Math.max(8, Math.min(left + (width - menuWidth) / 2, wide - menuWidth - 8));
    Object.assign(menu.style, { maxHeight: `${isBelow ? below : above}px`, left: `${menuLeft - left}px` });
  }

  // MARK: Actions

  act(command) {
    if ((this.count === 0 && !this.isAwaited) || this.canvas.isReadonly) return;
    this.canvas.finish();
    this.canvas.send([...command, Date.now() / 1000]);
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
    if (this.count === 0 || this.canvas.isReadonly) return;
    this.act(['deleteSelection']);
    this.show({ count: 0, box: null });
    this.canvas.focus({ preventScroll: true });
  }

  async copy() {
    if (this.count === 0) return false;
    this.canvas.finish();
    try {
      await this.clipboard.write();
      this.canvas.say(this.canvas.t('copiedSelected'));
      return true;
    } catch {
      this.canvas.notify('failed');
      return false;
    }
  }

  async cut() {
    if (await this.copy()) this.delete();
  }

  // Pastes ink in the middle of the window, or at a point of it.
  async paste(data, at = this.view.middle) {
    this.canvas.finish();
    try {
      const file = await this.clipboard.read(data);
      if (file) await this.insert(file, at);
      else this.canvas.notify('nothingToPaste');
    } catch (error) {
      this.canvas.notify(problemOf(error));
    }
  }

  // Adds the ink of files, of any program.
  async open(files, at = this.view.middle) {
    this.canvas.finish();
    for (const file of files) {
      try {
        await this.insert(await bytesFrom(file), at);
      } catch (error) {
        this.canvas.notify(problemOf(error), {}, file.name);
      }
    }
  }

  async insert(file, at) {
    const place = { at: this.view.toPage(...at), time: Date.now() / 1000 };
    try {
      await this.canvas.ask('paste', { file, ...place });
    } catch (error) {
      if (error.code !== 'notARecording') throw error;
      const found = await this.canvas.convert?.(file);
      if (!found) throw error;
      await this.canvas.ask('paste', { file: found.recording, ...place });
      if (found.pageCount > 1) this.canvas.notify('firstOfPages', { n: found.pageCount });
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
