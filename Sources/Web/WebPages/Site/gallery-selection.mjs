// Selecting drawings in the gallery, and the actions on all of them.
import { send } from './api.mjs';
import { each } from './requests.mjs';
import { button, make, onLanguage, shown, t, text, toast } from './shared.mjs';
import { nameFor, Zip } from './zip.mjs';

const mostTags = 32;
const part = (id) => document.getElementById(id);

export class Selection {
  isOpen = false;
  // All tags of the user, offered while a tag is typed.
  knownTags = [];
  // The selected drawings by id, which may be outside of the filled blocks.
  #picked = new Map();
  // The drawing that was selected last, where a range begins.
  #last;
  // Stops a running download.
  #loading;
  #of;

  // `of` has the list, its drawings in order, the path of a drawing, and what happens to drawings
  // that are deleted or have other tags.
  constructor(of) {
    this.#of = of;
    const done = make('button', { class: 'button lined', type: 'button', onclick: () => this.close() }, text('done'));
    part('picking').append(
      this.#tool('check', 'pickAll', () => this.#pickAll()),
      this.#tool('label', 'pickTags', () => this.#openTags()),
      this.#tool('save', 'pickSave', () => this.#save()),
      this.#tool('trash', 'pickDelete', () => this.#ask()),
      done,
    );
    part('select').addEventListener('click', () => this.isOpen ? this.close() : this.#open());
    of.list.addEventListener('click', (event) => {
      if (event.target.matches('.pick')) this.#pick(event.target, event.shiftKey);
    });
    part('delete-now').addEventListener('click', () => this.#remove());
    part('tag-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const tag = part('new-tag').value.trim();
      if (tag) this.#retag((tags) => [...new Set([...tags, tag])]);
    });
    document.addEventListener('keydown', (event) => this.#press(event));
    onLanguage(() => this.#show());
  }

  #tool(name, key, run) {
    return button(name, key, { onclick: run, 'data-act': key });
  }

  #open() {
    this.isOpen = true;
    this.#showAll();
    this.#of.list.querySelector('.pick')?.focus({ preventScroll: true });
  }

  close() {
    this.isOpen = false;
    this.#loading?.abort();
    this.#picked.clear();
    this.#last = undefined;
    this.#showAll();
    part('select').focus({ preventScroll: true });
  }

  #showAll() {
    for (const item of this.#of.list.querySelectorAll('.block > div')) this.mark(item);
    this.#show();
  }

  // Gives a filled cell a box to select it, or takes the box away.
  mark(item) {
    const link = item.querySelector('.cell');
    if (!link) return;
    const isFree = this.isOpen && !link.drawing.isKept;
    let box = item.querySelector('.pick');
    link.inert = this.isOpen;
    if (!isFree) return box?.remove();
    if (!box) {
      box = make('input', { type: 'checkbox', class: 'pick' });
      item.prepend(box);
    }
    box.drawing = link.drawing;
    box.checked = this.#picked.has(link.drawing.id);
    box.setAttribute('aria-label', link.textContent.trim());
  }

  #pick(box, isRange) {
    const { drawing, checked } = box;
    const all = this.#of.drawings();
    const [from, to] = [all.indexOf(this.#last), all.indexOf(drawing)];
    const range = isRange && from >= 0 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [drawing];
    for (const one of range) {
      if (checked) this.#picked.set(one.id, one);
      else this.#picked.delete(one.id);
    }
    this.#last = drawing;
    if (range.length > 1) this.#showAll();
    else this.#show();
  }

  #pickAll() {
    const all = this.#of.drawings();
    const isAll = all.every(({ id }) => this.#picked.has(id));
    this.#picked = new Map(isAll ? [] : all.map((one) => [one.id, one]));
    this.#showAll();
  }

  #press(event) {
    if (!this.isOpen || document.querySelector('dialog[open]') || event.target.matches('.field')) return;
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    if (event.key === 'Escape' && isPlain) this.close();
    else if (event.key === 'Delete' && isPlain) this.#ask();
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#pickAll();
    }
  }

  // Writes the number of selected drawings, or of loaded ones.
  #show(loaded) {
    const count = this.#picked.size;
    const n = shown.number(count);
    part('select').setAttribute('aria-pressed', String(this.isOpen));
    part('picking').hidden = !this.isOpen;
    document.body.classList.toggle('is-picking', this.isOpen);
    part('picked').textContent = loaded === undefined
      ? t(count === 1 ? 'pickedOne' : 'pickedMany', { n })
      : t('pickBusy', { n: shown.number(loaded), all: n });
    for (const key of ['pickTags', 'pickSave', 'pickDelete']) {
      part('picking').querySelector(`[data-act=${key}]`).disabled = !count || loaded !== undefined;
    }
    part('ask-title').textContent = count === 1 ? t('deleteAsk') : t('deleteAskMany', { n });
    part('tagging-title').textContent = t(count === 1 ? 'tagsOfOne' : 'tagsOf', { n });
    this.#showTags();
  }

  // MARK: Deleting

  #ask() {
    if (this.#picked.size && !this.#loading) part('ask').showModal();
  }

  #remove() {
    part('ask').close();
    const orders = [...this.#picked.keys()].map((id) => ({ id, path: this.#of.path(id) }));
    this.close();
    this.#of.remove(orders);
  }

  // MARK: Downloading

  // Saves picture and recording of each drawing, named by its title or time.
  async #save() {
    const drawings = [...this.#picked.values()];
    const { signal } = this.#loading = new AbortController();
    const zip = new Zip();
    const taken = new Set();
    let [loaded, isTooLarge] = [0, false];
    this.#show(0);
    const failed = await each(drawings, async (drawing) => {
      const date = drawing.time === null ? null : new Date(drawing.time);
      const files = [];
      for (const name of ['image.png', 'recording.pkd']) {
        const response = await send('GET', `${this.#of.path(drawing.id)}/${name}`, { isRaw: true, signal });
        files.push([name.split('.')[1], new Uint8Array(await response.arrayBuffer())]);
      }
      const base = nameFor(drawing.title || (date ? timeName(date) : drawing.id), taken);
      try {
        for (const [end, bytes] of files) zip.add(`${base}.${end}`, bytes, date ?? new Date());
      } catch (error) {
        isTooLarge = true;
        this.#loading?.abort();
        throw error;
      }
      loaded += 1;
      if (this.isOpen) this.#show(loaded);
    }, signal);
    this.#loading = undefined;
    this.#show();
    if (isTooLarge) toast(text('pickTooLarge'));
    if (signal.aborted) return;
    if (failed.length) return void toast(text('failed'));
    const address = URL.createObjectURL(zip.blob());
    make('a', { href: address, download: `Pentimento ${timeName(new Date())}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  // MARK: Tags

  #openTags() {
    part('new-tag').value = '';
    part('tag-problem').textContent = '';
    part('all-tags').replaceChildren(...this.knownTags.map((value) => make('option', { value })));
    part('tagging').showModal();
    part('new-tag').focus();
  }

  // The tags of the selected drawings, each as a button that removes it.
  #showTags() {
    const tags = new Set([...this.#picked.values()].flatMap((one) => one.tags));
    part('tags-here').replaceChildren(
      ...[...tags].sort().map((tag) =>
        make(
          'li',
          {},
          make('button', {
            class: 'button lined',
            type: 'button',
            'aria-label': t('removeTag', { tag }),
            onclick: () => this.#retag((all) => all.filter((one) => one !== tag)),
          }, `${tag} ×`),
        )
      ),
    );
  }

  async #retag(change) {
    const drawings = [...this.#picked.values()].map((one) => ({ one, tags: change(one.tags) }))
      .filter(({ one, tags }) => tags.length !== one.tags.length);
    if (drawings.some(({ tags }) => tags.length > mostTags)) {
      part('tag-problem').textContent = t('tagsFull');
      return;
    }
    const failed = await each(drawings, async ({ one, tags }) => {
      await send('PATCH', this.#of.path(one.id), { body: { tags } });
      one.tags = tags;
    });
    part('tag-problem').textContent = failed.length ? t('failed') : '';
    if (!failed.length) part('new-tag').value = '';
    this.#showTags();
    part('new-tag').focus();
    this.#of.retagged(drawings.map(({ one }) => one));
  }
}

// A time as a name that all systems accept and that sorts by time.
function timeName(date) {
  const two = (number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}.${two(date.getMinutes())}`;
}
