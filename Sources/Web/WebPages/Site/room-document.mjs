// The engine's document in a room: own events that wait for their place in the order, the events of
// others, and the strokes that they are drawing. Names of strokes are 16 bytes, times seconds since 1970.

import { colorNumber, indexOf, inks } from './engine.mjs';

export class RoomDocument {
  constructor(document) {
    this.document = document;
  }

  call(name, ...values) {
    return this.document.call(name, ...values);
  }
  with(bytes, name, ...values) {
    return this.document.engine.withCopy(bytes, (start) => this.call(name, start, ...values));
  }

  // Events that are drawn from now on wait for the order of the room.
  join(person) {
    this.call('roomJoin', person);
  }
  get waitingCount() {
    return this.call('roomWaitingCount');
  }
  // Some of the waiting events as a file; without events, the paper and the size of the page.
  write(first, count) {
    const length = this.call('roomWrite', first, count);
    return this.document.copy(Uint8Array, this.document.read('documentBytes'), length);
  }

  // Both return false while ink is being erased or dragged: then it has to be tried again.
  receive(file, person, time) {
    return this.with(file, 'roomReceive', file.length, person, time) === 1;
  }
  confirm(count, time) {
    return this.call('roomConfirm', count, time) === 1;
  }

  // The name of the open stroke, or of the next one.
  get openName() {
    const { engine } = this.document;
    return engine.withCopy(new Uint8Array(16), (start) => {
      this.call('roomOpenName', start);
      return engine.memory(Uint8Array, start, 16).slice();
    });
  }

  // Open strokes of others. Samples from a number on continue a stroke; those that it has are left out.
  show(name, { ink, color, width, tolerance, time }) {
    this.with(name, 'roomShow', indexOf(inks, ink), colorNumber(color), width, tolerance, time);
  }
  draw(name, samples, first) {
    const { engine } = this.document;
    engine.withCopy(samples, (start) => this.with(name, 'roomDraw', start, samples.length / 6, first));
  }
  hide(name) {
    this.with(name, 'roomHide');
  }
}
