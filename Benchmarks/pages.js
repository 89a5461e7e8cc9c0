// The measurements of `Benchmarks pages`, which run inside the pages. Each function returns a
// promise of samples by name.

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

window.measure = {
  // From the end of the HTML until the last picture of the first screen is painted.
  async firstScreen() {
    const [navigation] = performance.getEntriesByType('navigation');
    const painted = await new Promise((resolve) => {
      let last = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) last = Math.max(last, entry.startTime + entry.duration);
      }).observe({ type: 'largest-contentful-paint', buffered: true });
      setTimeout(() => resolve(last), 1500);
    });
    return { first: [painted - navigation.responseEnd] };
  },

  // Pages through the whole gallery, and returns the remaining elements, pictures and memory.
  async allOfGallery() {
    let height = 0;
    for (let still = 0; still < 8;) {
      scrollTo(0, document.documentElement.scrollHeight);
      await sleep(60);
      const now = document.documentElement.scrollHeight;
      still = now === height ? still + 1 : 0;
      height = now;
    }
    return {
      nodes: [document.getElementsByTagName('*').length],
      pictures: [document.images.length],
      heap: [(performance.memory?.usedJSHeapSize ?? 0) / 1e6],
    };
  },

  // When each canvas of the page was shown, from the page's address on.
  shown() {
    return { shown: window.shownAt };
  },

  ready() {
    return { ready: [performance.getEntriesByName('ready')[0]?.startTime ?? NaN] };
  },

  // Draws strokes with a simulated pen of 240 points a second, four points per event.
  async strokes(ink, count) {
    const { area } = window.drawing.canvas;
    area.setPointerCapture = () => {};
    window.drawing.tools.choose({ tool: ink });
    const waits = [];
    const drawn = ({ detail }) => {
      for (const stamp of detail.stamps) waits.push(detail.drawn - performance.timeOrigin - stamp);
    };
    addEventListener('inkdrawn', drawn);
    const frames = [];
    let [isRunning, last] = [true, performance.now()];
    requestAnimationFrame(function tick(now) {
      frames.push(now - last);
      last = now;
      if (isRunning) requestAnimationFrame(tick);
    });
    const event = (type, x, y, pressure, more = {}) =>
      new PointerEvent(type, {
        pointerId: 7,
        pointerType: 'pen',
        isPrimary: true,
        bubbles: true,
        clientX: x,
        clientY: y,
        pressure,
        tiltX: 20,
        tiltY: 30,
        buttons: 1,
        ...more,
      });
    const moved = 'onpointerrawupdate' in window ? 'pointerrawupdate' : 'pointermove';
    for (let stroke = 0; stroke < count; stroke++) {
      let [x, y] = [150 + ((stroke * 173) % 600), 150 + ((stroke * 97) % 350)];
      area.dispatchEvent(event('pointerdown', x, y, 0.5));
      for (let step = 0; step < 30; step++) {
        x += 8 * Math.cos(step / 5 + stroke);
        y += 8 * Math.sin(step / 4 + stroke * 2);
        const pressure = 0.5 + 0.2 * Math.sin(step);
        const coalescedEvents = [0, 1, 2, 3].map((part) => event(moved, x - 3 + part, y - 1.5 + part / 2, pressure));
        area.dispatchEvent(event(moved, x, y, pressure, { coalescedEvents }));
        await sleep(1000 / 60);
      }
      area.dispatchEvent(event('pointerup', x, y, 0));
      await sleep(50);
    }
    await sleep(300);
    isRunning = false;
    removeEventListener('inkdrawn', drawn);
    return { pixels: waits, frame: frames.slice(1) };
  },

  // Zooms in and out in turn. The existing picture is enlarged at once; this measures the time
  // until the sharp picture.
  async zoom() {
    const { view } = window.drawing;
    view.zoomBy(view.zoom < 1 ? 2 : 0.5);
    const start = performance.now();
    await view.settle();
    return { zoom: [performance.now() - start] };
  },

  // Saves after one more stroke.
  async save() {
    await window.measure.strokes('pen', 1);
    const start = performance.now();
    const state = await window.drawing.thread.ask('save');
    return { save: [state === 'saved' ? performance.now() - start : NaN] };
  },
};
