// Files of other programs, which the server converts.

import { send } from './api.mjs';

// The server ends the connection of a larger request, which would look like a lost one.
const mostBytes = 10 << 20;

// A promise of the recording of a page of a file, and of the number of pages. It is rejected with the
// `key` of words for the reason.
export async function converted(file, page = 1) {
  if (file.length > mostBytes) throw Object.assign(new Error('The file is too large.'), { key: 'tooLargeToOpen' });
  try {
    const answer = await send('POST', `v1/convert?page=${page}`, { body: file, isRaw: true });
    return {
      recording: new Uint8Array(await answer.arrayBuffer()),
      pageCount: Number(answer.headers.get('pages')) || 1,
    };
  } catch (error) {
    error.key = { 0: 'drawingOffline', 413: 'tooLargeToOpen', 422: 'notInk' }[error.status];
    throw error;
  }
}
