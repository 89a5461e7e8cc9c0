// Drawings that several users read and change: addresses of other users' drawings, and the parts of
// pages about members.
import { get, picture, send } from './api.mjs';
import { isAway } from './requests.mjs';
import { icon, make, onLanguage, shown, t, text, toast } from './shared.mjs';

// MARK: Addresses

const isName = (text) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text ?? '');

// The owner in a page's address; undefined for a drawing of the page's own user.
export const ownerIn = (query) => (isName(query.get('owner')) ? query.get('owner') : undefined);

// The address of a page for a drawing.
export const address = (page, id, owner) => `${page}?${new URLSearchParams({ id: id ?? '', ...(owner && { owner }) })}`;

// The path of a drawing of any user.
export const drawingPath = (owner, id, rest = '') =>
  `v1/users/${encodeURIComponent(owner)}/drawings/${encodeURIComponent(id)}${rest}`;

// The caller's role for a drawing: 'owner', 'writer' or 'reader'. Undefined while the server cannot be
// reached: then the device may still have the drawing.
export async function roleOf(owner, id) {
  try {
    return (await get(drawingPath(owner, id, '/members'))).role;
  } catch (error) {
    if (isAway(error)) return undefined;
    throw error;
  }
}

// Looks again and again while the page is visible, at another user's drawing, whose changes the stream of
// this user does not have.
const often = 4000;
export function lookOften(look) {
  setInterval(() => document.hidden || look(), often);
}

// MARK: Drawing together

// The part of a drawing's page about its members: for the owner { id, owner: uid, isOwner: true }, with
// invitations; for members their names, and leaving.
export class Together {
  members = [];
  invitations = [];
  // The links that were made on this page, by the id of the invitation: nothing else has them.
  links = new Map();
  looks = 0;

  constructor({ box, owner, id, isOwner, left }) {
    Object.assign(this, { box, owner, id, isOwner, left });
    this.list = make('ul', { class: 'stack members' });
    this.open = make('ul', { class: 'stack' });
    this.hint = text(isOwner ? 'togetherHint' : 'sharedHint', 'p', { class: 'muted small' });
    this.makers = ['writer', 'reader'].map((role) =>
      make(
        'button',
        { class: 'button lined', type: 'button', onclick: (event) => this.during(event, () => this.invite(role)) },
        icon(role === 'writer' ? 'pen' : 'link'),
        text(role === 'writer' ? 'inviteToDraw' : 'inviteToLook'),
      )
    );
    this.leaver = make('button', {
      class: 'button lined',
      type: 'button',
      onclick: (event) => this.during(event, () => this.leave()),
    }, text('leave'));
    box.replaceChildren(
      text('together', 'h2', { id: 'together-title' }),
      this.hint,
      this.list,
      this.open,
      make('div', { class: 'actions' }, ...(isOwner ? this.makers : [this.leaver])),
    );
    box.hidden = false;
    onLanguage(() => this.write());
  }

  path = (rest) => drawingPath(this.owner, this.id, rest);

  // Runs the action of a control, which is marked busy meanwhile.
  async during({ currentTarget: control }, run) {
    if (control.getAttribute('aria-busy') === 'true') return;
    control.setAttribute('aria-busy', 'true');
    try {
      await run();
    } catch (error) {
      if (error.status !== 401) toast(text(error.status === 0 ? 'drawingOffline' : 'failed'), { seconds: 6 });
    } finally {
      control.removeAttribute('aria-busy');
    }
  }

  // The answer to an older request may come later, and is ignored.
  async load() {
    const look = ++this.looks;
    try {
      const [{ items }, open] = await Promise.all([
        get(this.path('/members')),
        this.isOwner ? get(this.path('/invitations')) : { items: [] },
      ]);
      if (look !== this.looks) return;
      Object.assign(this, { members: items, invitations: open.items });
      this.write();
    } catch { /* the page itself reports that the drawing is gone */ }
  }

  async invite(role) {
    const made = await send('POST', this.path('/invitations'), { body: { role } });
    this.links.set(made.id, new URL(`join#${made.code}`, document.baseURI).href);
    await this.load();
    this.open.querySelector(`[data-row="${made.id}"] .field`)?.select();
  }

  async end(invitation) {
    await ignoringMissing(send('DELETE', this.path(`/invitations/${invitation.id}`)));
    await this.load();
    this.makers[0].focus();
  }

  async remove(member) {
    await ignoringMissing(send('DELETE', this.path(`/members/${encodeURIComponent(member.uid)}`)));
    await this.load();
    this.makers[0].focus();
  }

  async setRole(member, role) {
    await send('PUT', this.path(`/members/${encodeURIComponent(member.uid)}`), { body: { role } });
    await this.load();
  }

  async leave() {
    const self = this.members.find((one) => one.isYou);
    if (self) await ignoringMissing(send('DELETE', this.path(`/members/${encodeURIComponent(self.uid)}`)));
    this.left();
  }

  write() {
    // The focus stays on the same control of the same row.
    const focused = document.activeElement?.closest('[data-row]');
    const place = focused && [focused.dataset.row, document.activeElement.tagName];
    this.list.replaceChildren(...this.members.map((member) => this.memberRow(member)));
    this.open.replaceChildren(...this.invitations.map((invitation) => this.invitationRow(invitation)));
    if (!place) return;
    const row = [...this.box.querySelectorAll('[data-row]')].find((one) => one.dataset.row === place[0]);
    row?.querySelector(place[1])?.focus();
  }

  memberRow(member) {
    const name = member.name.trim() || t('somebody');
    const label = member.isYou ? t('youAs', { name }) : name;
    const row = make('li', { class: 'member', 'data-row': member.uid ?? name }, make('span', { class: 'name' }, label));
    if (!this.isOwner) {
      row.append(make('span', { class: 'muted small' }, t(roleKeys[member.role])));
      return row;
    }
    const choice = make(
      'select',
      {
        'aria-label': t('roleOf', { name }),
        onchange: (event) => this.during(event, () => this.setRole(member, choice.value)),
      },
      ...Object.entries(roleKeys).map(([role, key]) =>
        make('option', { value: role, selected: role === member.role }, t(key))
      ),
    );
    row.append(
      choice,
      make('button', {
        class: 'button',
        type: 'button',
        'aria-label': t('removeMember', { name }),
        onclick: (event) => this.during(event, () => this.remove(member)),
      }, text('remove')),
    );
    return row;
  }

  invitationRow(invitation) {
    const link = this.links.get(invitation.id);
    const row = make('li', { class: 'link', 'data-row': invitation.id });
    if (link) {
      const field = make('input', {
        class: 'field',
        type: 'text',
        readonly: true,
        value: link,
        'aria-label': t('link'),
        onfocus: () => field.select(),
      });
      const copy = make(
        'button',
        { class: 'button lined', type: 'button', onclick: () => copied(link, field) },
        text('copy'),
      );
      row.append(make('div', { class: 'link-row' }, field, copy));
    }
    const what = t(invitation.role === 'writer' ? 'invitedToDraw' : 'invitedToLook', {
      n: shown.number(invitation.uses),
      when: shown.day(new Date(invitation.expires)),
    });
    row.append(
      make(
        'div',
        { class: 'link-end' },
        make('span', { class: 'muted small number' }, what),
        make('button', {
          class: 'button',
          type: 'button',
          onclick: (event) => this.during(event, () => this.end(invitation)),
        }, text('revoke')),
      ),
    );
    return row;
  }
}

const roleKeys = { writer: 'roleWriter', reader: 'roleReader' };

const ignoringMissing = (request) =>
  request.catch((error) => {
    if (error.status !== 404) throw error;
  });

async function copied(link, field) {
  try {
    await navigator.clipboard.writeText(link);
    toast(text('copied'), { seconds: 3 });
  } catch {
    // Without the clipboard permission, the viewer copies the selected text.
    field.focus();
    field.select();
  }
}

// MARK: Shared with me

// The gallery's section of drawings that others share with this user.
const mostShown = 24;
export class SharedWithMe {
  items = [];

  // `isWanted` says whether the list of the page is that of all drawings.
  constructor(section, isWanted) {
    Object.assign(this, { section, isWanted });
    this.list = make('div', { class: 'block', role: 'list', 'aria-labelledby': 'shared-title' });
    section.replaceChildren(
      text('sharedWithMe', 'h2', { class: 'date', id: 'shared-title' }),
      make('div', { class: 'drawings' }, this.list),
    );
    onLanguage(() => this.write());
  }

  async load(uid) {
    try {
      const { items } = await get(`v1/users/${encodeURIComponent(uid)}/shared?limit=${mostShown}`);
      if (JSON.stringify(items) === JSON.stringify(this.items)) return this.show();
      this.items = items;
      this.write();
    } catch { /* the list of the user's own drawings reports the problem */ }
    return undefined;
  }

  show() {
    this.section.hidden = !this.items.length || !this.isWanted();
  }

  write() {
    this.list.replaceChildren(...this.items.map((item) => this.cell(item)));
    this.show();
  }

  cell({ owner, ownerName, id, title, updatedAt, createdAt }) {
    const date = createdAt ? shown.day(new Date(createdAt)) : t('galleryUnknownDate');
    const by = ownerName.trim() || t('somebody');
    return make(
      'div',
      { role: 'listitem' },
      make(
        'a',
        { class: 'cell titled', href: address('drawing', id, owner) },
        make('span', { class: 'unseen' }, `${t('drawing')} `),
        make(
          'span',
          { class: 'sheet' },
          picture(owner, id, { isSmall: true, class: 'over', version: updatedAt ?? '' }),
        ),
        make(
          'span',
          { class: 'caption' },
          make('span', { class: 'number' }, title.trim() || date),
          ' ',
          make('span', { class: 'found' }, t('sharedBy', { name: by })),
        ),
      ),
    );
  }
}
