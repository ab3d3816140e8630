import type { RunStore, RunSummary } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
export async function tmpSummary(run: string, store: RunStore): Promise<RunSummary> {
  const one = (await store.list()).find((found) => found.run === run) ?? fail('run/unknown', `no run ${run}`);
  let waiting = 0;
  for await (const event of store.read(run)) {
    if (event.type === 'op-start' && event.op.kind === 'signal') waiting++;
    if (event.type === 'op-end' && event.kind === 'signal') waiting--;
  }
  return { ...one, waiting } as RunSummary;
}
