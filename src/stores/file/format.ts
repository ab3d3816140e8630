// The form of a store's folder, as <dir>/store-format says it. Processes of two forms on one folder would not hear each other, so
// one that knows less than the folder has leaves it alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../kernel/fault.ts';
import { codeOf } from './disk.ts';
import { makeFolder } from './folder.ts';

/** 2: messages, keys and results of tests are cells. Before it nothing was written here. */
const FORMAT = 2;

/** Throws `journal/version` for a folder that a newer release has written. */
export function checkFormat(root: string): void {
  const format = formatOf(root);
  if (format === undefined || format <= FORMAT) return;
  fail(
    'journal/version',
    `The store ${root} has format ${format}, and this release of Cadre knows up to format ${FORMAT}. Use the release that ` +
      'wrote it, or a newer one.',
    { version: format, current: FORMAT },
  );
}

/** Writes it if it is not there. */
export function markFormat(root: string): void {
  if (formatOf(root) === FORMAT) return;
  makeFolder(root);
  writeFileSync(join(root, 'store-format'), `${FORMAT}\n`, { mode: 0o600 });
}

/** Undefined where there is none that can be read. */
function formatOf(root: string): number | undefined {
  try {
    const format = Number(readFileSync(join(root, 'store-format'), 'latin1'));
    return Number.isInteger(format) && format > 0 ? format : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
