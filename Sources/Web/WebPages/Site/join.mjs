// What an invitation leads to, and the button that accepts it. Opening the page changes nothing.
import { get, own, send, user } from './api.mjs';
import { address } from './members.mjs';
import { blank, frame, make, mark, t, text } from './shared.mjs';

const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]));
// The code is in the fragment, which is in no request and no log.
const code = decodeURIComponent(/^#([A-Za-z0-9]{1,128})/.exec(location.hash)?.[1] ?? '');

const art = () => make('div', { class: 'art sheet', 'aria-hidden': 'true' }, mark('watercolor', { class: 'pale' }));

function showOnly(name) {
  for (const each of ['waiting', 'found', 'other']) part[each].hidden = each !== name;
  part.main.setAttribute('aria-busy', String(name === 'waiting'));
}

function showFailure({ status, code: kind }) {
  const key = kind === 'no-invitation' || kind === 'missing-field'
    ? 'noInvitation'
    : status === 429
    ? 'tooOften'
    : status === 0
    ? 'notOpened'
    : 'notOpened';
  const hint = { noInvitation: 'noInvitationHint', tooOften: 'tooOftenHint' }[key] ??
    (status === 0 ? 'drawingOffline' : 'failed');
  const act = key === 'noInvitation'
    ? make('a', { class: 'button primary', href: './' }, text('back'))
    : make('button', { class: 'button primary', type: 'button', onclick: start }, text('retry'));
  const box = blank({ art: art(), title: key, hint, isFailure: true }, act);
  box.querySelector('h2').replaceWith(text(key, 'h1'));
  part.other.replaceChildren(box);
  showOnly('other');
}

async function start() {
  showOnly('waiting');
  try {
    await user();
    if (!code) throw Object.assign(new Error(), { code: 'no-invitation' });
    const offer = await send('POST', 'v1/invitations/look', { body: { code } });
    // Those who are there already go on.
    if (offer.id) {
      return location.replace(address('drawing', offer.id, offer.yourRole === 'owner' ? undefined : offer.uid));
    }
    await show(offer);
  } catch (error) {
    showFailure(error);
  }
  return undefined;
}

async function show({ title, owner, role, picture }) {
  const name = owner.trim() || t('somebody');
  part.title.textContent = title.trim() || t('drawing');
  part.what.textContent = t(role === 'writer' ? 'joinToDraw' : 'joinToLook', { name });
  // Only the query of the link is used: this page may be reached under another host name.
  const { pathname, search } = new URL(picture, location.href);
  part.picture.src = new URL(`.${pathname.slice(pathname.indexOf('/v1/'))}${search}`, document.baseURI).href;
  part.name.value = (await profile()) ?? '';
  showOnly('found');
}

async function profile() {
  try {
    return (await get(await own(''))).userName;
  } catch {
    return undefined;
  }
}

part.form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (part.join.getAttribute('aria-busy') === 'true') return;
  part.join.setAttribute('aria-busy', 'true');
  part.problem.textContent = '';
  try {
    const { id, owner, role } = await send('POST', 'v1/invitations', { body: { code, name: part.name.value.trim() } });
    location.replace(address(role === 'writer' ? 'draw' : 'drawing', id, owner));
  } catch (error) {
    if (error.code === 'no-invitation') showFailure(error);
    else part.problem.textContent = t(error.status === 0 ? 'drawingOffline' : 'failed');
  } finally {
    part.join.removeAttribute('aria-busy');
  }
});

frame('');
start();
