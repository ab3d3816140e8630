// The results of replays in this visit, by run: wherever the run is shown, its result is shown.

import { signal } from '@preact/signals';
import type { ReplayResult } from '../../../src/server/protocol.ts';
import { postJson } from './api.ts';

const results = signal<ReadonlyMap<string, ReplayResult>>(new Map());

export const replayOf = (run: string): ReplayResult | undefined => results.value.get(run);

export async function replay(run: string, pinned: boolean): Promise<void> {
  const result = await postJson<ReplayResult>(`/api/runs/${encodeURIComponent(run)}/replay`, { pinned });
  results.value = new Map(results.value).set(run, result);
}

/** `replay identical, 88 events` */
export function replayWords(result: ReplayResult): string {
  if (result.kind === 'identical') return `replay identical, ${result.events} events`;
  const at = result.difference?.path === undefined ? '' : ` at ${result.difference.path}`;
  return `replay differs${at}`;
}
