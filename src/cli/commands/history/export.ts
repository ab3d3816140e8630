// cadre export: writes a run as one HTML file that opens without a server. Its name is all that stdout gets.

import { writeFileSync } from 'node:fs';
import { exportRun } from '../../../engine/run-file/export-run.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { bytes, plural } from '../../../views/amounts.ts';
import { runHere } from '../../lookup/find-run.ts';
import type { StoreOptions } from '../../lookup/store-place.ts';
import { notify, print, printAnswer } from '../../screen/output.ts';

export async function exportCommand(
  asked: string,
  {
    out,
    force,
    ...options
  }: StoreOptions & {
    /** A file, or `-` for stdout. */
    readonly out?: string;
    readonly force?: boolean;
  },
  version: () => string,
): Promise<number> {
  const { store, run } = await runHere(asked, options);
  const file = await exportRun(run, { store, version: version(), now: Date.now });
  if (out === '-') {
    printAnswer({ text: file.html });
    return EXIT.answered;
  }
  const path = out ?? file.name;
  write(path, file.html, force === true);
  print(path);
  const left = file.leftOut.length === 0 ? '' : `, without ${plural(file.leftOut.length, 'large text')} that it names`;
  notify(`Run ${run}, ${bytes(file.bytes)}${left}. "cadre verify ${path}" replays what is in it.`);
  return EXIT.answered;
}

function write(path: string, html: string, force: boolean): void {
  try {
    writeFileSync(path, html, { flag: force ? 'w' : 'wx' });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST') fail('usage', `${path} is there already. --force writes over it, --out names another file.`);
    fail('usage', `${path} cannot be written: ${message}. --out names another file.`);
  }
}
