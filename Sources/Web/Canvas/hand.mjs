// Converts input of hands and pens into commands for the engine. A pen, a mouse and a finger draw;
// two fingers, a wheel, the middle button and Space move the page.

import { around } from './ink-element.mjs';
import { Pace } from './pace.mjs';

const isRaw = 'onpointerrawupdate' in globalThis;
// The time of a tap in milliseconds, and how far its fingers may move in CSS pixels.
const [tapTime, tapReach] = [300, 12];
// The same for a hand that rests with the pen on the page.
const [restTime, restReach] = [600, 5];

export class Hand {
  // The current gesture of one pointer: { id, kind, start, … }; the fingers that move the page; and
  // the tap of several fingers that they may be: { start, places }.
  // `place` is where a mouse or a pen is.
  gesture = null;
  fingers = new Map();
  tap = null;

  // `canvas` has the tool and receives commands, `events` receives began, ended, lasso, pen and tapped.
  constructor(area, canvas, events) {
    Object.assign(this, { area, canvas, view: canvas.view, events });
    const on = (name, action, options) => area.addEventListener(name, action, options);
    on('pointerdown', (event) => this.down(event));
    on(isRaw ? 'pointerrawupdate' : 'pointermove', (event) => this.move(event));
    // Predictions are only in events that are aligned to frames.
    on('pointermove', (event) => {
      if (!this.gesture) this.view.locate();
      if (event.pointerType !== 'touch') this.place = this.view.at(event);
      this.predict(event);
      this.pinch(event);
      this.events.hover(event);
    });
    on('pointerup', (event) => this.up(event));
    on('pointercancel', (event) => this.up(event, event.pointerType === 'touch'));
    // After a system dialog or a sleep, this may be the only event at the end of a stroke.
    on('lostpointercapture', (event) => this.up(event));
    on('pointerleave', () => {
      this.place = undefined;
      this.events.hover(null);
    });
    on('wheel', (event) => this.wheel(event), { passive: false });
    for (const name of ['contextmenu', 'selectstart', 'dragstart', 'gesturestart']) {
      on(name, (event) => event.preventDefault());
    }
    on('touchstart', (event) => event.preventDefault(), { passive: false });
  }

  send(command, stamp) {
    this.canvas.send(command, stamp);
  }

  // The kind of gesture for the current tool.
  get tool() {
    return this.canvas.isReadonly ? 'pan' : this.canvas.tool;
  }

  down(event) {
    const { pointerType: type, button, closedMenu } = event;
    if (closedMenu) return;
    if (!this.gesture) this.view.locate();
    if (type === 'pen') this.events.pen();
    if (type === 'touch') return this.fingerDown(event);
    // The end of this pointer's last stroke was not reported.
    if (this.gesture?.id === event.pointerId) this.finish();
    // A palm may have touched before the pen. A second button of a pen or a mouse belongs to the
    // current stroke.
    if (this.gesture && (type !== 'pen' || this.gesture.type !== 'touch')) return;
    this.dropFingers();
    if (button === 1 || (button === 0 && this.isSpaceDown)) return this.begin(event, 'pan');
    if (button !== 0 && button !== 5) return;
    this.begin(event, button === 5 ? 'eraser' : this.tool);
  }

  fingerDown(event) {
    if (this.gesture && this.gesture.type !== 'touch') return;
    const [x, y] = this.view.at(event);
    this.fingers.set(event.pointerId, { x, y });
    if (this.fingers.size === 1) this.tap = { start: event.timeStamp, places: new Map() };
    this.tap?.places.set(event.pointerId, [x, y]);
    this.area.setPointerCapture(event.pointerId);
    if (this.fingers.size === 1 && !this.canvas.penOnly) return this.begin(event, this.tool);
    if (this.fingers.size !== 2) return;
    // The second finger of a pinch may be late: the first finger's unintended stroke is cancelled.
    if (this.gesture) {
      if (event.timeStamp - this.gesture.start > 400) return;
      this.cancel();
    }
    this.isPinching = true;
  }

  dropFingers() {
    this.fingers.clear();
    this.tap = null;
    this.isPinching = false;
    if (this.gesture?.type === 'touch') this.cancel();
  }

  begin(event, kind) {
    this.area.setPointerCapture(event.pointerId);
    const place = this.view.at(event);
    const gesture = {
      id: event.pointerId,
      type: event.pointerType,
      kind,
      start: event.timeStamp,
      place,
      pace: new Pace(),
      forces: [],
    };
    if (kind === 'ink') gesture.edge = this.events.edge(...place);
    this.gesture = gesture;
    this.area.focus({ preventScroll: true });
    const time = Date.now() / 1000;
    const point = this.view.toPage(...place);
    if (kind === 'lasso') {
      const grip = this.events.grip(point, event);
      if (grip) {
        Object.assign(gesture, { kind: 'drag', grip });
        this.send(['beginDrag']);
        return;
      }
      gesture.isAdding = event.shiftKey;
    }
    if (kind !== 'pan' && !this.events.began(kind, event)) {
      // Somebody has refused the stroke.
      this.gesture = null;
      return;
    }
    if (kind === 'ink') {
      const { ink, color, size } = this.canvas;
      gesture.isBroad = ['fountainPen', 'reed', 'marker'].includes(ink);
      // The tolerance is a tenth of a CSS pixel, because a hand is equally precise at any zoom.
      this.send(['begin', ink, color, size, time, 0.1 / this.view.zoom]);
    } else if (kind === 'eraser' || kind === 'strokeEraser') {
      this.send(['beginErasing', kind === 'eraser' ? 1 : 0, this.canvas.eraserSize / this.view.zoom, time]);
    } else if (kind === 'lasso') {
      gesture.polygon = [point];
    }
    this.add(event);
  }

  move(event) {
    if (event.pointerId === this.gesture?.id && !this.isPinching) this.add(event);
  }

  // Adds an event, with the events that the browser coalesced into it.
  add(event) {
    const { gesture } = this;
    const joined = event.getCoalescedEvents?.() ?? [];
    const events = joined.length > 0 ? joined : [event];
    switch (gesture.kind) {
      case 'pan': {
        const [x, y] = this.view.at(event);
        this.view.moveBy(x - gesture.place[0], y - gesture.place[1]);
        gesture.place = [x, y];
        break;
      }
      case 'drag': {
        gesture.by = gesture.grip(event, this.view.toPage(...this.view.at(event)));
        this.send(['drag', ...gesture.by]);
        this.events.dragged(gesture.by);
        break;
      }
      case 'lasso':
        for (const one of events) gesture.polygon.push(this.view.toPage(...this.view.at(one)));
        this.events.lasso(gesture.polygon);
        break;
      case 'ink':
        this.draw(event, events);
        break;
      default:
        this.send(['erase', this.samples(events)], event.timeStamp);
    }
  }

  // Continues a stroke. With Shift it is a straight line from its start.
  draw(event, events) {
    const { gesture } = this;
    const samples = this.samples(events);
    gesture.first ??= samples.slice(0, 6);
    for (let at = 3; at < samples.length; at += 6) gesture.forces.push(samples[at]);
    this.watchRest(event);
    if (!event.shiftKey) return this.send(['draw', samples], event.timeStamp);
    const line = new Float64Array([...gesture.first, ...samples.slice(-6)]);
    line[3] = line[9] = gesture.forces.reduce((sum, force) => sum + force, 0) / gesture.forces.length;
    return this.send(['redraw', line], event.timeStamp);
  }

  // A hand that rests at the end of a stroke gets a clean figure, if it has drawn one.
  watchRest(event) {
    const { gesture } = this;
    const [x, y] = this.view.at(event);
    if (Math.hypot(x - gesture.rest?.[0], y - gesture.rest?.[1]) <= restReach) return;
    gesture.rest = [x, y];
    clearTimeout(gesture.resting);
    gesture.resting = setTimeout(() => {
      if (this.gesture !== gesture || this.isPinching || this.canvas.keepHand) return;
      this.send(['tidy', Date.now() / 1000]);
    }, restTime);
  }

  predict(event) {
    if (event.pointerId !== this.gesture?.id || this.gesture.kind !== 'ink' || this.isPinching) return;
    if (event.shiftKey) return;
    const events = event.getPredictedEvents?.() ?? [];
    if (events.length > 0) this.send(['predict', this.samples(events, true), events.length]);
  }

  // Six numbers for each event: x and y, seconds, force, azimuth, altitude.
  samples(events, arePredicted = false) {
    const samples = new Float64Array(6 * events.length);
    const forces = events.map((event) => this.force(event, arePredicted));
    events.forEach((event, index) => {
      const place = this.view.at(event);
      const [x, y] = this.view.toPage(...(this.gesture.edge?.(place) ?? place));
      samples.set(
        [x, y, Math.max(event.timeStamp - this.gesture.start, 0) / 1000, forces[index], ...this.lean(event)],
        6 * index,
      );
    });
    return samples;
  }

  // Browsers report 0.5 for the middle of a pen's range; the engine's average is 1.
  force(event, isPredicted) {
    if (this.canvas.evenWidth) return 1;
    if (event.pointerType === 'pen') return 2 * event.pressure;
    const { pace } = this.gesture;
    return isPredicted ? pace.now : pace.force(...this.view.at(event), event.timeStamp);
  }

  // The direction of a broad nib at an event outside of a stroke.
  nibAzimuth(event) {
    return this.lean(event, true)[0];
  }

  // The direction and the angle of the pen. Rotating a pen around its axis rotates a broad nib.
  // Without a pen, the nib has the direction of a right hand.
  lean(event, isBroad = this.gesture.isBroad) {
    if (event.pointerType !== 'pen') return [isBroad ? 0.9 : 0, Math.PI / 2];
    let { azimuthAngle: azimuth, altitudeAngle: altitude } = event;
    if (azimuth === undefined || altitude === undefined) [azimuth, altitude] = angles(event.tiltX, event.tiltY);
    if (event.twist && isBroad) azimuth = (event.twist * Math.PI) / 180;
    return [azimuth, altitude];
  }

  up(event, isCancelled = false) {
    if (this.fingers.delete(event.pointerId)) this.tapEnds(event, isCancelled);
    if (this.fingers.size < 2) this.isPinching = false;
    if (event.pointerId !== this.gesture?.id) return;
    if (isCancelled) return this.cancel();
    const { gesture } = this;
    this.gesture = null;
    if (gesture.kind === 'lasso') this.events.lasso(gesture.polygon, gesture);
    else if (gesture.kind !== 'pan') this.send(this.events.ends(gesture) ? ['end', Date.now() / 1000] : ['cancel']);
    this.events.ended(gesture);
  }

  // Several fingers that touched the page together for a moment, and rested, have tapped it.
  tapEnds(event, isCancelled) {
    const { tap } = this;
    const [x, y] = tap?.places.get(event.pointerId) ?? [];
    const [nowX, nowY] = this.view.at(event);
    const isFar = Math.hypot(nowX - x, nowY - y) > tapReach;
    if (isCancelled || isFar || event.timeStamp - tap?.start > tapTime) this.tap = null;
    if (this.fingers.size > 0 || !this.tap) return;
    this.tap = null;
    if (tap.places.size > 1) this.events.tapped(tap.places.size);
  }

  // Cancels an unintended gesture.
  cancel() {
    const { gesture } = this;
    this.gesture = null;
    if (!gesture) return;
    gesture.isCancelled = true;
    if (gesture.kind === 'lasso') this.events.lasso([], gesture);
    else if (gesture.kind !== 'pan') this.send(['cancel']);
    this.events.ended(gesture);
  }

  // Ends the current gesture, because the page is left or something else changes the drawing.
  finish() {
    if (this.gesture) this.up({ pointerId: this.gesture.id });
  }

  // One finger moves the page if only the pen draws; two fingers move and zoom it.
  pinch(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger || (this.gesture && !this.isPinching)) return;
    const others = [...this.fingers.entries()].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const [x, y] = this.view.at(event);
    const [before, now] = [{ ...finger }, { x, y }];
    Object.assign(finger, now);
    if (others.length === 0) return this.view.moveBy(now.x - before.x, now.y - before.y);
    const [other] = others;
    const middle = (a, b) => [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const distance = (a, b) => Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1);
    const [from, to] = [middle(before, other), middle(now, other)];
    this.view.moveBy(to[0] - from[0], to[1] - from[1]);
    this.view.zoomAt(to[0], to[1], (this.view.zoom * distance(now, other)) / distance(before, other));
  }

  wheel(event) {
    const isZoom = event.ctrlKey || event.metaKey;
    // Among other content, the wheel scrolls the page until the canvas has the focus.
    if (!isZoom && !this.canvas.root.activeElement && around(this.canvas).some(canScroll)) return;
    event.preventDefault();
    if (!this.gesture) this.view.locate();
    const unit = [1, 16, this.view.height][event.deltaMode];
    if (isZoom) {
      this.view.zoomAt(...this.view.at(event), this.view.zoom * Math.exp((-event.deltaY * unit) / 300));
    } else {
      const [x, y] = event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      this.view.moveBy(-x * unit, -y * unit);
    }
  }
}

function canScroll(element) {
  const { overflowX, overflowY } = getComputedStyle(element);
  const ways = element === document.scrollingElement ? ['visible', 'auto', 'scroll'] : ['auto', 'scroll'];
  return (ways.includes(overflowX) && element.scrollWidth > element.clientWidth) ||
    (ways.includes(overflowY) && element.scrollHeight > element.clientHeight);
}

// Azimuth and altitude of a pen from its tilt in degrees, for browsers that report only the tilt.
function angles(tiltX = 0, tiltY = 0) {
  const [x, y] = [tiltX, tiltY].map((tilt) => Math.tan((Math.min(Math.max(tilt, -89), 89) * Math.PI) / 180));
  if (x === 0 && y === 0) return [0, Math.PI / 2];
  return [Math.atan2(y, x), Math.atan(1 / Math.hypot(x, y))];
}
