// The part of the sync protocol (docs/sync-protocol.md) that a page needs: sending one drawing.
// Changes of other clients are requested by the pages that show them.

import { decode, encode, Moment } from './cbor.mjs';
import { Problem, request } from './requests.mjs';

// A larger recording is sent in pieces; the stored pieces survive a lost connection.
const largestWholeFile = 2 << 20;
const pieceSize = 1 << 20;
// The timeout for a response of the server; recordings get additional time for a slow connection of
// 10 kB a second.
const answerTime = 30_000;
export const timeFor = (byteCount) => AbortSignal.timeout(answerTime + byteCount / 10);

// Sends a version of a drawing with its recording. `ancestors` are the hashes of replaced
// recordings, null if they are unknown. Returns a promise of the server's time, in microseconds,
// and of the result: a word and its details.
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
    // No result means "stored", so first make sure that this is our server's answer.
    const isAnswer = typeof store === 'string' && clock instanceof Moment && Array.isArray(results) && !isReset;
    const [[number, ...result] = [0, 'stored'], ...others] = results;
    if (!isAnswer || number !== 0 || others.length > 0) throw new Error('no answer');
    return { clock: clock.microseconds, result };
  } catch (error) {
    // The response is truncated, or not from our server.
    throw new Problem(0, { code: 'offline', detail: error.message });
  }
}

async function sendPieces(address, bytes) {
  let count = countIn(await request('GET', address, { signal: timeFor(0) }));
  // The server has all bytes and still requests them, so its bytes differ.
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

// The number of bytes that the server has. A response without it is not from our server.
function countIn(answer) {
  if (!(Number.isSafeInteger(answer?.count) && answer.count >= 0)) throw new Problem(503, { code: 'pieces' });
  return answer.count;
}
