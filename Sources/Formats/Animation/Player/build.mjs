// Creates an element. Attributes that are functions become listeners: `onclick: () => …`. Nothing
// is parsed as HTML.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

// Properties that were set on an element before it was defined hide those of its class: they are set
// again. As with a later assignment, an invalid value changes nothing, and the others are still set.
export function takeProperties(element, names) {
  for (const name of names) {
    if (!Object.hasOwn(element, name)) continue;
    const value = element[name];
    delete element[name];
    try {
      element[name] = value;
    } catch (error) {
      reportError(error);
    }
  }
}

// Drawn by hand: paths in a square of 24; `line` is stroked, `fill` and `ghost` are filled.
export const icons = {
  play: {
    fill:
      'M7.4 4.7c0-.9 1-1.5 1.8-1 3.6 2.1 6.9 4.3 10 6.9.9.7.9 2 0 2.7-3.1 2.6-6.4 4.9-10 7-.8.4-1.8-.1-1.8-1.1-.3-4.8-.3-9.7 0-14.5Z',
  },
  pause: { line: 'M8.4 5.2c.2 4.5.2 9 0 13.6M15.6 5.2c-.2 4.6-.2 9.1 0 13.6', width: 3.4 },
  previous: {
    line: 'M6.5 6v12',
    fill: 'M17.5 6.6c.1 3.6.1 7.2 0 10.8-2.8-1.5-5.3-3.3-7.7-5.4 2.4-2.1 4.9-3.9 7.7-5.4Z',
  },
  next: { line: 'M17.5 6v12', fill: 'M6.5 6.6c-.1 3.6-.1 7.2 0 10.8 2.8-1.5 5.3-3.3 7.7-5.4-2.4-2.1-4.9-3.9-7.7-5.4Z' },
  dots: { line: 'M5.5 12h.01M12 12h.01M18.5 12h.01', width: 3.4 },
  save: { line: 'M12 4v11M7.5 11c1.7 1.3 3.2 2.6 4.5 4.2 1.3-1.6 2.8-2.9 4.5-4.2M4.5 19.7h15' },
  full: { line: 'M9 4.3H4.4V9M15 4.3h4.6V9M9 19.7H4.4V15M15 19.7h4.6V15' },
  keys: { line: 'M4 6.5h16v11H4zM7.5 10h.01M11 10h.01M14.5 10h.01M17 13.8h.01M7 13.8h.01M10 14h4.5' },
  theme: { line: 'M12 4.2a7.8 7.8 0 1 0 .1 15.6 7.8 7.8 0 0 0-.1-15.6Z', fill: 'M12 4.2a7.8 7.8 0 0 1 0 15.6Z' },
  // The project's logo: a P, and behind it the earlier, overdrawn P.
  logo: {
    ghost: 'M11 5.5C10.2 8.3 9.2 12.5 9.25 17.2c0 1.3.6 1.3.8.6C11.1 14.1 12 9.5 12.05 5.4c0-1-.8-.9-1.05.1Z' +
      'M8.5 10.2C7.7 9.3 7.4 8.4 7.4 7.4c0-2.6 2.4-4.65 6-4.65 3.9 0 6.75 2.2 6.75 5.1 0 2.8-2.2 4.6-5.5 5.2-.2 0-.3-.2-.1-.3 2.1-.9 3.25-2.1 3.25-4.2 0-2.9-2-5.1-4.6-5.1-2.6 0-4.3 2.3-4.3 4.9 0 .6.1 1 .2 1.5.1.4-.3.7-.6.35Z',
    fill:
      'M8.6 6.2C7.9 8 7.25 11 7.25 13.3c0 2.1.3 4 .75 5.9.1.4.5.4.6 0C9.1 17 9.55 14 9.55 11.6c0-1.9-.1-3.6-.4-5.5Z' +
      'M6.3 12.1C5.4 11.3 5 10.2 5 9c0-2.6 2.6-4.6 6.3-4.6 3.6 0 6.1 2.1 6.1 4.7 0 2.7-2.3 4.7-5.5 5.2-.2 0-.3-.2-.1-.3 2.2-.8 3.4-2.3 3.4-4.3 0-2.6-1.7-4.5-4-4.5-2.5 0-4.75 2.1-4.75 4.9 0 .7.1 1.3.35 1.8.2.4-.2.6-.5.2Z',
  },
};

export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('class', 'icon');
  picture.setAttribute('aria-hidden', 'true');
  const { ghost, line, fill, width } = icons[name];
  for (const [kind, shape] of [['ghost', ghost], ['line', line], ['fill', fill]]) {
    if (!shape) continue;
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', shape);
    path.setAttribute('class', kind);
    if (width) path.setAttribute('stroke-width', width);
    picture.append(path);
  }
  return picture;
}
