// The protocol of sync (docs/sync-protocol.md), as far as a page needs it: to send one drawing. What others have
// changed is asked for where it is shown.

import { decode, encode, Moment } from './cbor.mjs';
import { Problem, request } from './requests.mjs';

// A larger recording goes in pieces, each of which stays when the connection is lost.
const largestWholeFile = 2 << 20;
const pieceSize = 1 << 20;
// How long an answer of the server is waited for; a recording also has the time of a slow connection, 10 kB a second.
const answerTime = 30_000;
export const timeFor = (byteCount) => AbortSignal.timeout(answerTime + byteCount / 10);

// Sends a version of a drawing with its recording. `ancestors` are the hashes that the recording has replaced, null
// if they are not known. Promises the time of the server, in microseconds, and what became of the version: a word and
// more.
export async function sendDrawing(user, id, { fields, ancestors, sha256, recording }) {
  const isWhole = recording.length <= largestWholeFile;
  if (!isWhole) await sendPieces(`${user}/sync/files/${sha256}`, recording);
  const files = isWhole ? [['recording.pkd', sha256, recording]] : [];
  const body = encode({ version: 1, changes: [[`drawings/${id}`, 0, encode(fields), ancestors, files]] });
  const response = await request('POST', `${user}/sync`, {
    body,
    isRaw: true,
    signal: timeFor(body.length),
    fields: { 'Content-Type': 'application/cbor' },
  });
  try {
    const { store, clock, results = [], isReset } = decode(new Uint8Array(await response.arrayBuffer()));
    // Only an answer of the server says by its silence that something was stored.
    const isAnswer = typeof store === 'string' && clock instanceof Moment && Array.isArray(results) && !isReset;
    const [[number, ...result] = [0, 'stored'], ...others] = results;
    if (!isAnswer || number !== 0 || others.length > 0) throw new Error('no answer');
    return { clock: clock.microseconds, result };
  } catch (error) {
    // The answer is cut, or comes from something between here and the server.
    throw new Problem(0, { code: 'offline', detail: error.message });
  }
}

async function sendPieces(address, bytes) {
  let count = countIn(await request('GET', address, { signal: timeFor(0) }));
  // A server that has all bytes and asks for them has others.
  if (count >= bytes.length) count = 0;
  while (count < bytes.length) {
    const piece = bytes.subarray(count, count + pieceSize);
    const next = countIn(
      await request('PUT', `${address}?offset=${count}`, { body: piece, signal: timeFor(piece.length) }),
    );
    if (next <= count) throw new Problem(503, { code: 'pieces' });
    count = next;
  }
}

// How many bytes the server has. An answer without it comes from something between here and the server.
function countIn(answer) {
  if (!(Number.isSafeInteger(answer?.count) && answer.count >= 0)) throw new Problem(503, { code: 'pieces' });
  return answer.count;
}
