// cadre subagent-worker: the process of one helper of the `subagent` tool. Started by Cadre itself, never by hand.

import { serveSubagent } from '../../engine/subagent/worker.ts';

export async function subagentWorker(): Promise<number> {
  await serveSubagent(process.stdin, process.stdout);
  return 0;
}
