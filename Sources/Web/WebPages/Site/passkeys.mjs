// Signing in with passkeys: the browser's part, and the requests around it.

import { Problem, request } from './requests.mjs';

// Whether this browser has passkeys; it does so in secure contexts only.
export const hasPasskeys = () => Boolean(window.PublicKeyCredential && navigator.credentials);

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

// Runs a ceremony of the browser. Its own errors, also when the user has stopped it, are a problem
// with the code 'stopped'.
async function ask(ceremony) {
  try {
    return await ceremony();
  } catch (error) {
    throw new Problem(0, { code: error.name === 'InvalidStateError' ? 'known' : 'stopped', detail: error.message });
  }
}

// Signs in with a passkey of this device, which the user chooses.
export async function signInWithPasskey() {
  const options = await request('POST', 'v1/sign-in/passkey/options');
  const { id, response } = await ask(() =>
    navigator.credentials.get({ publicKey: { ...options, challenge: bytesOf(options.challenge) } })
  );
  return request('POST', 'v1/sign-in/passkey', {
    body: {
      id,
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle?.byteLength ? textOf(response.userHandle) : undefined,
    },
  });
}

// Makes a passkey: for the user who is signed in, with the code of an invitation, or for a new user
// with a name.
export async function makePasskey({ code, name } = {}) {
  const options = await request('POST', 'v1/passkeys/options', { body: { code, name } });
  const { user, challenge, excludeCredentials = [] } = options;
  const { response } = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytesOf(challenge),
        user: { ...user, id: bytesOf(user.id) },
        excludeCredentials: excludeCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
      },
    })
  );
  return request('POST', 'v1/passkeys', {
    body: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
    },
  });
}
