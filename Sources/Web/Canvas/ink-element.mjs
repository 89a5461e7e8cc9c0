// The base of both elements: their style sheets, language, and dark style.

import { takeProperties } from './build.mjs';
import { words } from './canvas-words.mjs';
import { openMenus, writeWords } from './interface.mjs';

// Servers that render pages have no elements.
const Base = globalThis.HTMLElement ?? class {};

export class InkElement extends Base {
  // Set before the elements are defined: `styles` are style sheets, `worker` is a URL, `engines` are
  // those of the engine for drawing and of the whole one.
  static parts = {};

  // The properties that reflect attributes, by the attributes' names: 'text', 'number' or 'switch'.
  static attributes = {};

  static get observedAttributes() {
    return ['theme', ...Object.keys(this.attributes)];
  }

  // Defines the element and the properties of its attributes. Without a name it only does the latter.
  static define(name) {
    if (!globalThis.customElements || customElements.get(name)) return;
    for (const [attribute, kind] of Object.entries({ theme: 'text', ...this.attributes })) {
      const property = propertyOf(attribute);
      // A class may have a property of its own.
      if (Object.getOwnPropertyDescriptor(this.prototype, property)) continue;
      Object.defineProperty(this.prototype, property, {
        configurable: true,
        enumerable: true,
        get() {
          if (kind === 'switch') return this.hasAttribute(attribute);
          const text = this.getAttribute(attribute);
          return kind === 'number' && text !== null ? Number(text) : text;
        },
        set(value) {
          if (kind === 'switch') this.toggleAttribute(attribute, Boolean(value));
          else if (value === null || value === undefined) this.removeAttribute(attribute);
          else this.setAttribute(attribute, value);
        },
      });
    }
    customElements.define(name, this);
  }

  #system = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
  #languages = new MutationObserver(() => this.writeWords());

  constructor() {
    super();
    this.root = this.attachShadow({ mode: 'open' });
    this.root.adoptedStyleSheets = InkElement.parts.styles ?? [];
  }

  // Style sheets belong to one document.
  adoptedCallback() {
    const { CSSStyleSheet: Sheet } = this.ownerDocument.defaultView ?? globalThis;
    this.root.adoptedStyleSheets = InkElement.parts.styles.map((sheet) => {
      const copy = new Sheet();
      copy.replaceSync([...sheet.cssRules].map((rule) => rule.cssText).join('\n'));
      return copy;
    });
  }

  connectedCallback() {
    const isOfClass = (name) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), name)?.set;
    takeProperties(this, Object.keys(this).filter(isOfClass));
    this.#system.addEventListener('change', this.updateTheme);
    for (const one of around(this)) this.#languages.observe(one, { attributeFilter: ['lang'] });
    if (!this.hasMenus) openMenus(this.root);
    this.hasMenus = true;
    this.updateTheme();
    this.writeWords();
    const missed = [...this.#missed];
    this.#missed.clear();
    for (const name of missed) this.attributeChanged(name, this.getAttribute(name));
  }

  disconnectedCallback() {
    this.#system.removeEventListener('change', this.updateTheme);
    this.#languages.disconnect();
  }

  attributeChangedCallback(name, old, value) {
    // Attributes of an element that is being defined come before its connection.
    if (old === value || !this.hasMenus) return;
    if (name === 'theme') this.updateTheme();
    else if (this.isConnected) this.attributeChanged(name, value);
    else this.#missed.add(name);
  }
  // The attributes that were changed while the element was in no document.
  #missed = new Set();

  // For a change of one of `attributes` in a document.
  attributeChanged() {}

  $(id) {
    return this.root.getElementById(id);
  }

  // MARK: Language

  get language() {
    const language = around(this).find(({ lang }) => lang)?.lang || navigator.language;
    return /^zh/i.test(language) ? 'zh-TW' : 'en';
  }

  // The words of a key; values replace the names in braces.
  t(key, values = {}) {
    const [english, chinese] = words[key];
    return (this.language === 'en' ? english : chinese).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  number(number, options) {
    return new Intl.NumberFormat(this.language, options).format(number);
  }

  writeWords() {
    writeWords(this.root, (key) => this.t(key));
  }

  // MARK: Theme

  get isDark() {
    const theme = this.getAttribute('theme');
    return ['light', 'dark'].includes(theme) ? theme === 'dark' : this.#system.matches;
  }

  updateTheme = () => {
    if (this.hasAttribute('data-dark') === this.isDark) return;
    this.toggleAttribute('data-dark', this.isDark);
    this.themeChanged();
  };

  themeChanged() {}

  tell(name, detail, isCancelable = false) {
    // As those of pictures, these two are the element's alone: a window takes an `error` for a script's.
    const bubbles = !['load', 'error'].includes(name);
    const event = new CustomEvent(name, { detail, bubbles, composed: bubbles, cancelable: isCancelable });
    return this.dispatchEvent(event);
  }
}

// An element and all around it, through shadow trees.
export function around(element) {
  const all = [];
  for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) all.push(one);
  return all;
}

const propertyOf = (attribute) => attribute.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
