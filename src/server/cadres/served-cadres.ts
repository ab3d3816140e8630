// The cadres that a server serves: that of its folder, or all that lie below it. When files change they are read
// again: new runs use them if the check passes, and runs at work keep theirs.
// SERVE-1. A reading with errors replaces nothing: the last one without errors goes on starting runs.

import { resolve } from 'node:path';
import type { AgentDefinition } from '../../agents/definition.ts';
import type { Diagnostic } from '../../agents/diagnostic.ts';
import { type CadreReading, type LoadOptions, type PlacedCadre, readCadres } from '../../agents/load.ts';
import type { HostedCadre } from '../../engine/hosted-cadre.ts';
import type { OpenedEngine } from '../../engine/open.ts';
import { agentNamed } from '../../engine/request.ts';
import { fail } from '../../kernel/fault.ts';
import { nearest } from '../../text/nearest.ts';
import type { CadrePlace } from '../protocol.ts';

export interface ServedCadre {
  /** What stands before the names of its agents; empty where it is the only one. */
  readonly prefix: string;
  /** Absolute. */
  readonly folder: string;
  /** The files as they are now. */
  readonly reading: CadreReading;
  /** What new runs are started with. Undefined if no reading was without errors. */
  readonly host: HostedCadre | undefined;
  readonly readAt: number;
}

export interface ServedAgent {
  /** With the prefix of its cadre: what requests name it by. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly served: ServedCadre;
  readonly host: HostedCadre;
}

export interface ServedCadres {
  all(): readonly ServedCadre[];
  /** Every agent that can be started. */
  agents(): readonly ServedAgent[];
  /** By its name with the prefix of its cadre, or without where that is unique. Throws `agent/unknown`. */
  agent(asked: string): ServedAgent;
  /** The cadre of a folder, as runs name it. */
  ofFolder(folder: string): ServedCadre | undefined;
  /** Reads the files again. True if something has changed. */
  reload(): Promise<boolean>;
  /** Called after a reload that changed something, until the returned function is called. */
  watch(changed: () => void): () => void;
  diagnostics(): readonly Diagnostic[];
}

export interface ServedOptions {
  readonly engine: Pick<OpenedEngine, 'host'>;
  /** Names of tools and providers that the program hands in. */
  readonly load?: LoadOptions;
  log(text: string): void;
  now(): number;
}

export async function openServedCadres(folder: string, options: ServedOptions): Promise<ServedCadres> {
  const { engine, load = {}, log, now } = options;
  const root = resolve(folder);
  const listeners = new Set<() => void>();
  let served: readonly ServedCadre[] = [];

  const take = async (placed: PlacedCadre): Promise<ServedCadre> => {
    const { prefix, reading } = placed;
    const before = served.find((one) => one.folder === reading.folder);
    const place = { prefix, folder: reading.folder, reading, readAt: now() };
    if (reading.cadre === undefined) return { ...place, host: before?.host }; // SERVE-1
    if (before?.host !== undefined && isSame(before.host.definition.texts, reading.cadre.texts)) {
      return { ...place, host: before.host };
    }
    const host = await engine.host(reading.cadre);
    retire(before?.host);
    return { ...place, host };
  };
  const retire = (host: HostedCadre | undefined): void => {
    host?.retire().catch((thrown: unknown) => log(`What a cadre had opened could not be closed: ${String(thrown)}`));
  };
  const reload = async (): Promise<boolean> => {
    const placed = await readCadres(root, load);
    const next: ServedCadre[] = [];
    for (const one of placed) next.push(await take(one));
    for (const one of served) if (!next.some(({ folder: at }) => at === one.folder)) retire(one.host);
    const isChanged = fingerprint(served) !== fingerprint(next);
    served = next;
    if (isChanged) for (const changed of listeners) changed();
    return isChanged;
  };
  let latest: Promise<boolean> = reload();
  await latest;

  const agents = (): readonly ServedAgent[] =>
    served.flatMap((one) => {
      const { host, prefix } = one;
      if (host === undefined) return [];
      return [...host.definition.agents.values()].map((agent) => ({
        name: prefix + agent.name,
        agent,
        served: one,
        host,
      }));
    });
  return {
    all: () => served,
    agents,
    agent(asked) {
      const found = served.flatMap((one): readonly ServedAgent[] => {
        const { host, prefix } = one;
        const name = asked.startsWith(prefix) ? asked.slice(prefix.length) : asked;
        const agent = host && agentNamed(host.definition, name);
        return agent === undefined
          ? []
          : [{ name: prefix + agent.name, agent, served: one, host: host as HostedCadre }];
      });
      const [first, ...more] = found;
      const exact = found.find(({ name }) => name === asked);
      if (exact !== undefined) return exact;
      if (first !== undefined && more.length === 0) return first;
      return unknownAgent(
        asked,
        found.map(({ name }) => name),
        agents().map(({ name }) => name),
        served,
      );
    },
    ofFolder: (at) => served.find((one) => one.folder === at),
    reload() {
      latest = latest.then(reload, reload);
      return latest;
    },
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    diagnostics: () => served.flatMap(({ prefix, reading }) => reading.diagnostics.map((one) => inPlace(prefix, one))),
  };
}

export const placeOfCadre = ({ prefix, folder, reading, host, readAt }: ServedCadre): CadrePlace => ({
  prefix,
  folder,
  state: reading.cadre !== undefined ? 'ready' : host === undefined ? 'invalid' : 'outdated',
  readAt,
});

/** `.` is the cadre's folder. */
export const inPlace = (prefix: string, one: Diagnostic): Diagnostic =>
  prefix === '' ? one : { ...one, file: one.file === '.' ? prefix.slice(0, -1) : prefix + one.file };

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [file, text] of one) if (other.get(file) !== text) return false;
  return true;
}

const fingerprint = (served: readonly ServedCadre[]): string =>
  JSON.stringify(served.map(({ folder, reading }) => [folder, [...reading.texts], reading.diagnostics]));

const LISTED = 12;

function unknownAgent(
  asked: string,
  several: readonly string[],
  known: readonly string[],
  served: readonly ServedCadre[],
): never {
  const what = JSON.stringify(asked.slice(0, 80));
  if (several.length > 1) {
    fail('agent/unknown', `${several.length} cadres have an agent ${what}. Say which: ${several.join(', ')}.`);
  }
  const near = nearest(asked, known);
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  const invalid = served.some(({ host }) => host === undefined);
  return fail(
    'agent/unknown',
    [
      `There is no agent ${what}.`,
      ...(known.length === 0 ? [] : [`There are: ${known.slice(0, LISTED).join(', ')}${more}.`]),
      ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
      ...(invalid ? ['Files have errors, so that their agents cannot be started. See GET /api/cadre.'] : []),
    ].join(' '),
  );
}
