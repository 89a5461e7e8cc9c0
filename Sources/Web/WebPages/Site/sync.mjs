// The part of the sync protocol (docs/sync-protocol.md) that a page needs: sending one drawing.
// Changes of other clients are requested by the pages that show them.

import { Problem, request } from './requests.mjs';

// A larger file is sent in pieces: they take no base64, and survive a lost connection.
const largestFileInMessage = 256 << 10;
const pieceSize = 1 << 20;
// Shared beginnings of fewer bytes are not worth a base.
const usefulBaseSize = 128;
// The timeout for a response of the server; recordings get additional time for a slow connection of
// 10 kB a second.
const answerTime = 30_000;
export const timeFor = (byteCount) => AbortSignal.timeout(answerTime + byteCount / 10);

// Moments are microseconds here, and texts in messages.
export const moment = (text) => Date.parse(text) * 1000;
export const momentText = (microseconds) => new Date(microseconds / 1000).toISOString();

// Sends a version of a drawing with its recording. `ancestors` are the hashes of replaced
// recordings, null if they are unknown; `base` is the server's recording with its hash, null if it
// is unknown. `user` is the path of the drawing's owner, and `own` that of the sender, who keeps the
// pieces. Returns a promise of the server's time and of the result: a word and its details.
export async function sendDrawing(user, id, version, own = user) {
  const answer = await sendOnce(user, id, version, own);
  // The server has another recording than the base.
  const isIncomplete = answer.result[0] === 'needs' && version.base;
  return isIncomplete ? sendOnce(user, id, { ...version, base: null }, own) : answer;
}

async function sendOnce(user, id, { fields, ancestors, sha256, recording, base }, own) {
  const count = base ? sharedCount(recording, base.recording) : 0;
  const end = recording.subarray(count);
  const files = [];
  if (end.length > largestFileInMessage) await sendPieces(`${own}/sync/files/${sha256}`, recording);
  else files.push(['recording.pkd', sha256, base64(end), ...(count > 0 ? [base.sha256, count] : [])]);
  const answer = await request('POST', `${user}/sync`, {
    body: { version: 1, changes: [[`drawings/${id}`, 0, fields, ancestors, files]] },
    signal: timeFor(2 * end.length),
  });
  try {
    const { store, clock, results = [], isReset } = answer;
    // No result means "stored", so first make sure that this is our server's answer.
    const isAnswer = [store, clock].every((one) => typeof one === 'string') && moment(clock) &&
      Array.isArray(results) && !isReset;
    const [[number, ...result] = [0, 'stored'], ...others] = results;
    if (!isAnswer || number !== 0 || others.length > 0) throw new Error('no answer');
    return { clock: moment(clock), result };
  } catch (error) {
    throw new Problem(0, { code: 'offline', detail: error.message });
  }
}

// The number of first bytes that two files share, or 0 if they are few.
function sharedCount(file, other) {
  const end = file.findIndex((byte, index) => byte !== other[index]);
  const count = end < 0 ? file.length : end;
  return count < usefulBaseSize ? 0 : count;
}

const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

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
