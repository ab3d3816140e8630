// cadre subagent-worker: the process of one helper of the `subagent` tool. Started by Cadre itself, never by hand.

import { serveSubagent } from '../../run/helper/worker.ts';

export async function subagentWorker(): Promise<number> {
  await serveSubagent(process.stdin, process.stdout);
  return 0;
}
