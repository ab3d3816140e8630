// The agents of the server as they are now: graph, findings, bounds, models. Read again whenever a file was saved.

import { signal } from '@preact/signals';
import type { Problem } from '../../../src/client/problem.ts';
import type { AgentInfo, CadreInfo } from '../../../src/server/protocol.ts';
import { getJson, problemOf } from './api.ts';
import { heard } from './clock.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

export type CadreState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly cadre: CadreInfo }
  | { readonly kind: 'refused'; readonly problem: Problem };

export const cadreState = signal<CadreState>({ kind: 'loading' });

/** Undefined until it has been read. */
export const cadre = (): CadreInfo | undefined =>
  cadreState.value.kind === 'ready' ? cadreState.value.cadre : undefined;

async function refresh(): Promise<void> {
  try {
    const read = await getJson<CadreInfo>('/api/cadre');
    heard(read.now);
    cadreState.value = { kind: 'ready', cadre: read };
  } catch (thrown) {
    if (cadreState.value.kind !== 'ready') cadreState.value = { kind: 'refused', problem: problemOf(thrown) };
  }
}

export const startCadre = (): void => {
  const again = rereading(refresh);
  listen({ refresh: again, on: { agents: again } });
};

/** The name of a folder of agents: its prefix where there are several, else its last part. */
export const folderOf = (folder: string): string => {
  const places = cadre()?.cadres ?? [];
  const prefix = places.find((place) => place.folder === folder)?.prefix ?? '';
  return prefix === '' ? (folder.split('/').at(-1) ?? folder) : prefix.replace(/\/$/, '');
};

/** The agent that a run was started with, as its files are today: by its folder, because several may have one of that name. */
export function agentOfRun(run: { readonly agent: string; readonly folder: string }): AgentInfo | undefined {
  const now = cadre();
  const prefix = now?.cadres.find(({ folder }) => folder === run.folder)?.prefix;
  return prefix === undefined ? undefined : now?.agents.find(({ name }) => name === prefix + run.agent);
}
