// The inks and their sizes.

export const inks = ['pen', 'monoline', 'fountainPen', 'reed', 'marker', 'pencil', 'crayon', 'watercolor'];
export const isInk = (name) => inks.includes(name);

// The names of the four sizes that can be chosen at once.
export const sizes = ['fine', 'medium', 'broad', 'veryBroad'];
// Sizes between and beyond the four have numbers too: 0.5 is halfway from fine to medium, -1 is the
// least, and 4 the greatest.
export const [leastSize, mostSize, usualSize] = [-1, sizes.length, 1];

// Widths in points: the least, from fine to very broad, and the greatest. They are within the widths
// that the engine's tools have.
const widths = {
  pen: [0.9, 1.5, 3, 6, 11, 22],
  monoline: [0.5, 1, 2, 3, 4, 4],
  fountainPen: [1.5, 2.5, 5, 9, 14, 14],
  reed: [2, 4, 7, 12, 18, 30],
  marker: [7.5, 9, 16, 26, 40, 60],
  pencil: [2.4, 2.4, 3, 5.5, 9, 16],
  crayon: [10, 10, 12, 20, 30, 50],
  watercolor: [10, 16, 28, 44, 64, 80],
  eraser: [5, 10, 20, 34, 56, 112],
};
// The widths of broad nibs along their blades, as shares of those across.
const blades = { marker: 0.36, fountainPen: 0.3, reed: 0.17 };
export const bladeOf = (ink) => blades[ink] ?? 1;

const all = (name) => widths[name] ?? widths.eraser;
const tenths = (width) => Math.round(10 * width) / 10;

// The width of a size of an ink or, for other names, of the eraser, in tenths of a point.
export function widthOf(name, size) {
  const list = all(name);
  const index = Math.min(Math.floor(size - leastSize), list.length - 2);
  return tenths(list[index] * (list[index + 1] / list[index]) ** (size - leastSize - index));
}

// The least and the greatest size with a width of its own.
export function sizeLimits(name) {
  const list = all(name);
  return [list[0] < list[1] ? leastSize : 0, list.at(-1) > list.at(-2) ? mostSize : mostSize - 1];
}

// The size of a width.
export function sizeOf(name, width) {
  const list = all(name);
  const [least, most] = sizeLimits(name);
  const index = list.findLastIndex((one, place) => one <= width && place < list.length - 1 && list[place + 1] > one);
  if (index < 0) return least;
  const size = leastSize + index + Math.log(width / list[index]) / Math.log(list[index + 1] / list[index]);
  return Math.min(Math.max(Math.round(100 * size) / 100, least), most);
}
