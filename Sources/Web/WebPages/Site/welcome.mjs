// The page of an invitation. Its code is in the fragment of the address, which no server gets.

import { forgetUser } from './api.mjs';
import { hasPasskeys, makePasskey } from './passkeys.mjs';
import { request } from './requests.mjs';
import { action, doors, goToProvider, problemText } from './sign-in.mjs';
import { frame, make, t, text } from './shared.mjs';

const box = document.getElementById('invitation');
const code = location.hash.slice(1);

async function start() {
  const problem = make('p', { class: 'danger', role: 'alert' });
  let invitation;
  try {
    invitation = code && await request('POST', 'v1/sign-in/invitation', { body: { code } });
  } catch (error) {
    if (error.status !== 403) problem.textContent = problemText(error);
  }
  box.removeAttribute('aria-busy');
  if (!invitation) {
    return box.replaceChildren(
      text('invitationEnded', 'p'),
      problem,
      make('a', { class: 'button lined', href: 'account' }, text('signIn')),
    );
  }
  const done = async () => {
    // Another user of this device may have been signed in.
    await forgetUser();
    location.assign('./');
  };
  const { openid } = await doors();
  return box.replaceChildren(
    make(
      'p',
      { class: 'large serif' },
      invitation.name ? t('welcomeName', { name: invitation.name }) : t('welcomeYou'),
    ),
    text('welcomeHint', 'p', { class: 'muted' }),
    hasPasskeys()
      ? action('makePasskey', problem, async () => {
        await makePasskey({ code });
        await done();
      }, { class: 'primary' })
      : '',
    openid ? action('continueWith', problem, () => goToProvider(code), {}, { name: openid }) : '',
    action('withoutPasskey', problem, async () => {
      await request('POST', 'v1/sign-in/invitation/accept', { body: { code } });
      await done();
    }, { class: hasPasskeys() ? 'small' : 'primary' }),
    problem,
  );
}

frame('welcome');
start();
