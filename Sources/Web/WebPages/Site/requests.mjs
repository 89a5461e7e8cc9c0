// Requests to the service, without use of the document: workers use them, too.

export class Problem extends Error {
  constructor(status, { code = 'failed', detail = '', field } = {}) {
    super(detail);
    Object.assign(this, { name: 'Problem', status, code, field });
  }
}

// Sends a request. `body` is JSON unless it is bytes or a form. Returns JSON, null for an empty
// response, or the response itself if `isRaw`. A lost connection is a problem with the status 0,
// also in the middle of the response.
export async function request(
  method,
  path,
  { body, fields = {}, isRaw = false, signal, keepalive, cache } = {},
) {
  const isPlain = body !== undefined && !(body instanceof Uint8Array || body instanceof FormData);
  const headers = isPlain ? { 'Content-Type': 'application/json', ...fields } : fields;
  const lost = (error) => {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { code: 'offline', detail: error.message });
  };
  const response = await fetch(
    path,
    { method, headers, body: isPlain ? JSON.stringify(body) : body, signal, keepalive, cache },
  ).catch(lost);
  if (response.ok) return isRaw ? response : response.status === 204 ? null : response.json().catch(lost);
  // A proxy may return anything, also `null`.
  throw new Problem(response.status, await response.json().catch(() => null) ?? {});
}

// Runs `run` for all items, a few at a time. The server limits the rate of changes: then all wait a
// moment. Returns the items that failed; none is begun after a signal.
export async function each(items, run, signal) {
  const rest = items.values();
  const failed = [];
  const work = async () => {
    for (const item of rest) {
      for (let attempt = 0; !signal?.aborted; attempt++) {
        try {
          await run(item);
          break;
        } catch (error) {
          if (error.status === 429 && attempt < 30) {
            await new Promise((resolve) => setTimeout(resolve, 1000));
            continue;
          }
          failed.push(item);
          break;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return failed;
}

// Bytes as hexadecimal digits.
export const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

// Whether the server is temporarily unreachable: a proxy may report this with a status.
export const isAway = ({ status }) => [0, 408, 429].includes(status) || status >= 500;

// Whether an unchanged request may succeed later: when the server can be reached, or after a new
// sign-in.
export const isPassing = (problem) => [401, 402].includes(problem.status) || isAway(problem) || problem.code === 'busy';
