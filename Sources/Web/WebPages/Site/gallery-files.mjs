// Files of ink of any program, which become drawings.

import { converted } from './convert.mjs';
import { keepRecord, newID, newRecord } from './device.mjs';
import { t } from './shared.mjs';
import { bytesFrom, problemOf } from './source.mjs';

// A data set can have a million drawings.
const mostPages = 50;

// Keeps the pages of a file on this device, from where they are sent like drawings of the pen. The
// title is the file's name without its ending. Returns a promise of the number of pages.
async function keepPages(uid, file) {
  const bytes = await bytesFrom(file);
  const name = file.name.replace(/(.)\.[^.]*$/, '$1');
  let pageCount = 1;
  for (let page = 1; page <= Math.min(pageCount, mostPages); page++) {
    const one = await converted(bytes, page);
    ({ pageCount } = one);
    const record = newRecord(uid, newID());
    // The newest are first in the gallery, and so is the first page.
    record.createdAt -= page;
    await keepRecord({
      ...record,
      recording: one.recording,
      updatedAt: record.describedAt + 1000,
      title: pageCount > 1 ? `${name} ${page}` : name,
    });
  }
  return pageCount;
}

// Keeps files, and returns a promise of what the user must know of some.
export async function keepFiles(uid, files) {
  const problems = [];
  for (const file of files) {
    try {
      const pageCount = await keepPages(uid, file);
      if (pageCount > mostPages) problems.push(`${file.name}: ${t('firstPages', { n: mostPages, all: pageCount })}`);
    } catch (error) {
      problems.push(`${file.name}: ${t(problemOf(error))}`);
    }
  }
  return problems;
}
