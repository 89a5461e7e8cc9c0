// Requests to the service, without anything of a page: workers use them too.

export class Problem extends Error {
  constructor(status, { code = 'failed', detail = '', field } = {}) {
    super(detail);
    Object.assign(this, { name: 'Problem', status, code, field });
  }
}

// Sends a request. `body` is JSON unless it is bytes or a form. Answers with JSON, null for nothing, or the response
// itself if `isRaw`. A lost connection is a problem with the status 0.
export async function request(
  method, path, { body, fields = {}, isRaw = false, signal, keepalive } = {},
) {
  const isPlain = body !== undefined && !(body instanceof Uint8Array || body instanceof FormData);
  const headers = isPlain ? { 'Content-Type': 'application/json', ...fields } : fields;
  let response;
  try {
    response = await fetch(path, { method, headers, body: isPlain ? JSON.stringify(body) : body, signal, keepalive });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { code: 'offline', detail: error.message });
  }
  if (response.ok) return isRaw ? response : response.status === 204 ? null : response.json();
  throw new Problem(response.status, await response.json().catch(() => ({})));
}

// Whether a request may succeed later as it is: without a connection, while the server has too much to do, or after a
// new sign-in.
export const isPassing = (problem) =>
  [0, 401, 402, 408, 429].includes(problem.status) || problem.status >= 500 || problem.code === 'busy';
