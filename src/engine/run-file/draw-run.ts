// Draws a run with the page's own parts, in a thread of its own: a server answers others meanwhile.

import { inThread, ThreadTrouble } from '../../base/disk/in-thread.ts';
import { fail } from '../../kernel/fault.ts';
import type { DrawnRun, ExportedRun } from '../../views/exported-run.ts';

const LIMITS = { deadlineMs: 120_000, memoryMb: 2048 } as const;

export async function drawnRun(run: ExportedRun): Promise<DrawnRun> {
  try {
    return await inThread<DrawnRun>({ file: 'export/thread.js', data: run, ...LIMITS });
  } catch (thrown) {
    if (!(thrown instanceof ThreadTrouble)) throw thrown;
    return fail('internal', `The run could not be drawn: ${thrown.message}. "cadre show --json" prints all of it.`);
  }
}
