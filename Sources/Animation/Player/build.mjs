// Makes an element. Attributes that are functions become listeners: `onclick: () => …`. Nothing is parsed as HTML.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

// Drawn by hand: paths of a square of 24; those in `fill` are filled, the others are lines.
const icons = {
  play: { fill: 'M7.4 4.7c0-.9 1-1.5 1.8-1 3.6 2.1 6.9 4.3 10 6.9.9.7.9 2 0 2.7-3.1 2.6-6.4 4.9-10 7-.8.4-1.8-.1-1.8-1.1-.3-4.8-.3-9.7 0-14.5Z' },
  pause: { line: 'M8.4 5.2c.2 4.5.2 9 0 13.6M15.6 5.2c-.2 4.6-.2 9.1 0 13.6', width: 3.4 },
  previous: { line: 'M6.5 6v12', fill: 'M17.5 6.6c.1 3.6.1 7.2 0 10.8-2.8-1.5-5.3-3.3-7.7-5.4 2.4-2.1 4.9-3.9 7.7-5.4Z' },
  next: { line: 'M17.5 6v12', fill: 'M6.5 6.6c-.1 3.6-.1 7.2 0 10.8 2.8-1.5 5.3-3.3 7.7-5.4-2.4-2.1-4.9-3.9-7.7-5.4Z' },
  dots: { line: 'M5.5 12h.01M12 12h.01M18.5 12h.01', width: 3.4 },
  save: { line: 'M12 4v11M7.5 11c1.7 1.3 3.2 2.6 4.5 4.2 1.3-1.6 2.8-2.9 4.5-4.2M4.5 19.7h15' },
  full: { line: 'M9 4.3H4.4V9M15 4.3h4.6V9M9 19.7H4.4V15M15 19.7h4.6V15' },
  keys: { line: 'M4 6.5h16v11H4zM7.5 10h.01M11 10h.01M14.5 10h.01M17 13.8h.01M7 13.8h.01M10 14h4.5' },
  theme: { line: 'M12 4.2a7.8 7.8 0 1 0 .1 15.6 7.8 7.8 0 0 0-.1-15.6Z', fill: 'M12 4.2a7.8 7.8 0 0 1 0 15.6Z' },
};

export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('class', 'icon');
  picture.setAttribute('aria-hidden', 'true');
  const { line, fill, width } = icons[name];
  for (const [kind, shape] of [['line', line], ['fill', fill]]) {
    if (!shape) continue;
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', shape);
    path.setAttribute('class', kind);
    if (width) path.setAttribute('stroke-width', width);
    picture.append(path);
  }
  return picture;
}
