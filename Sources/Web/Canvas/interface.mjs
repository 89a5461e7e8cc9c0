// Parts of interfaces that the elements for drawing share with the server's pages. Their words are
// written later, in the language of their place.

import { icons, make } from './build.mjs';

// Drawn by hand, like those of the player.
Object.assign(icons, {
  eraser: {
    line:
      'M13.7 5c.8-.9 1.8-.9 2.6-.1l3 2.9c.8.9.8 1.9 0 2.7l-8.7 8.8H7.3l-3-2.9c-.8-.8-.8-1.8 0-2.6ZM9.1 9.7l5.4 5.5M11 19.3h8.4',
  },
  eraserStroke: {
    line:
      'M13.7 3.9c.8-.8 1.8-.8 2.6 0l3 2.9c.8.9.8 1.9 0 2.7l-7.5 7.6H8.3l-3-2.9c-.8-.8-.8-1.8 0-2.6ZM10.1 7.7l5.4 5.5M3.9 20.5c2.5-1.5 4.7 1.2 7.3 0s4.5-1.1 8.5 0',
  },
  lasso: {
    line:
      'M12 4.6c4.7 0 8.1 2.2 8.1 5.4s-3.5 5.5-8.1 5.5c-4.5 0-8-2.3-8-5.5 0-3.1 3.5-5.4 8-5.4ZM7.4 14.8c-.8 1.1-.6 2.2.5 2.6 1.5.5 1.9 1.7.8 3',
  },
  dropper: {
    line:
      'M13.1 8.5 5.7 16c-.7.7-.7 1.7-1.3 3.7 2-.6 3-.7 3.7-1.3l7.4-7.5M11.3 6.7c2.1 1.9 4.1 3.9 6 5.9M14.7 8.3l2.5-2.6c.8-.8 1.9-.8 2.6-.1.7.8.7 1.8-.1 2.6l-2.6 2.5',
  },
  copies: { line: 'M8.7 8.6h10.9v10.9H8.7ZM15.4 8.4V4.5H4.5v10.9h4M14.1 11.7v4.8M11.7 14.1h4.8' },
  copy: { line: 'M8.7 8.6h10.9v10.9H8.7ZM15.4 8.4V4.5H4.5v10.9h4' },
  trash: { line: 'M4.9 7h14.2M9.5 6.8V4.7h5v2.1M6.6 7.2l.8 12.5h9.2l.8-12.5M10.2 11v5.2M13.8 11v5.2' },
});

// An ink mark: a shape that the engine drew, in the current colour.
export const mark = (name, attributes = {}) => {
  const { class: more = '', ...others } = attributes;
  return make('span', { class: `mark m-${name} ${more}`.trim(), 'aria-hidden': 'true', ...others });
};

// Elements name their words: `data-t` the text, `data-label` the label for assistive technology and
// the tooltip, `data-hint` the placeholder. `t` returns the words of a key.
export function writeWords(root, t) {
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', t(element.dataset.label));
    const { label, shortcut } = element.dataset;
    if (element.hasAttribute('title')) element.title = shortcut ? `${t(label)} (${shortcut})` : t(label);
  }
  for (const element of root.querySelectorAll('[data-hint]')) element.placeholder = t(element.dataset.hint);
}

// Sets custom properties of an element: content policies may allow no style attributes.
export function styled(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

// Menus: a button with `data-menu` opens the panel that it controls; Escape, a press elsewhere or a
// second press closes it, and the focus returns.
export function openMenus(root) {
  for (const opener of root.querySelectorAll('[data-menu]')) {
    const panel = root.getElementById(opener.getAttribute('aria-controls'));
    const show = (isOpen) => {
      panel.hidden = !isOpen;
      opener.setAttribute('aria-expanded', String(isOpen));
    };
    panel.close = () => show(false);
    opener.addEventListener('click', () => {
      const isOpening = panel.hidden;
      for (const other of root.querySelectorAll('[data-menu][aria-expanded=true]')) {
        root.getElementById(other.getAttribute('aria-controls')).close();
      }
      show(isOpening);
      const first = panel.querySelector('input[type=radio]:checked') ?? panel.querySelector('button, input, a');
      if (isOpening) first?.focus({ preventScroll: true });
    });
    const closeOutside = (event) => {
      const path = event.composedPath();
      if (panel.hidden || path.includes(panel) || path.includes(opener)) return;
      show(false);
      // Marks the press as used, so that a canvas below the menu draws nothing.
      event.closedMenu = true;
    };
    new MutationObserver(() => {
      if (panel.hidden) document.removeEventListener('pointerdown', closeOutside, true);
      else document.addEventListener('pointerdown', closeOutside, true);
    }).observe(panel, { attributeFilter: ['hidden'] });
    panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      show(false);
      opener.focus();
    });
  }
}
