// The cadres that a server serves: that of its folder, or all that lie below it. When files change they are read
// again: new runs use them if the check passes, and runs at work keep theirs.
// SERVE-1. An agent with errors is not replaced: the last reading in which it had none goes on starting its runs.

import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearest } from '../../base/text/nearest.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import { type Diagnostic, excerptOf } from '../../definition/diagnostic.ts';
import type { AssemblyOptions } from '../../definition/link/assemble.ts';
import { type PlacedCadre, readCadres } from '../../definition/load.ts';
import type { Engine } from '../../engine/engine.ts';
import { agentNamed } from '../../engine/request.ts';
import { fail } from '../../kernel/fault.ts';
import type { LoadedCadre } from '../../run/loaded-cadre.ts';
import type { ServedAgent, ServedCadre, ServedCadres } from '../context.ts';
import type { CadrePlace, ShownDiagnostic } from '../protocol.ts';

export async function openServedCadres(
  folder: string,
  options: {
    readonly engine: Pick<Engine, 'load'>;
    /** Names of tools and providers that the program hands in. */
    readonly load?: AssemblyOptions;
    log(text: string): void;
    now(): number;
  },
): Promise<ServedCadres> {
  const { engine, load = {}, log, now } = options;
  const root = resolve(folder);
  const listeners = new Set<() => void>();
  let served: readonly ServedCadre[] = [];

  const take = async (placed: PlacedCadre): Promise<ServedCadre> => {
    const { prefix, reading } = placed;
    const last = served.find((one) => one.folder === reading.folder);
    const place = { prefix, folder: reading.folder, reading, readAt: now() };
    if (reading.cadre === undefined)
      return { ...place, host: last?.host, before: last?.before, stamp: last?.stamp ?? '' }; // SERVE-1
    const stamp = stampOf(reading.cadre);
    const isSameAs = (one: LoadedCadre): boolean =>
      last?.stamp === stamp && isSame(one.definition.texts, (reading.cadre as CadreDefinition).texts);
    const host =
      [last?.host, last?.before].find((one) => one !== undefined && isSameAs(one)) ??
      (await engine.load(reading.cadre));
    const sound = [last?.host, last?.before].find((one) => one !== undefined && one !== host && !one.definition.faulty);
    const before = reading.cadre.faulty === undefined ? undefined : sound; // SERVE-1
    for (const one of [last?.host, last?.before]) if (one !== host && one !== before) retire(one);
    return { ...place, host, before, stamp };
  };
  const retire = (host: LoadedCadre | undefined): void => {
    host?.retire().catch((thrown: unknown) => log(`What a cadre had opened could not be closed: ${String(thrown)}`));
  };
  const reload = async (): Promise<boolean> => {
    const placed = await readCadres(root, load);
    const next: ServedCadre[] = [];
    for (const one of placed) next.push(await take(one));
    for (const one of served) {
      if (next.some(({ folder: at }) => at === one.folder)) continue;
      retire(one.host);
      retire(one.before);
    }
    const isChanged = fingerprint(served) !== fingerprint(next);
    served = next;
    if (isChanged) for (const changed of listeners) changed();
    return isChanged;
  };
  let latest: Promise<boolean> = reload();
  await latest;

  const agents = (): readonly ServedAgent[] =>
    served.flatMap((one) => [...hostsOf(one)].map(([name, host]) => servedAgent(name, host, one)));
  return {
    all: () => served,
    agents,
    agent(asked) {
      const found = served.flatMap((one): readonly ServedAgent[] => {
        const { host, before, prefix } = one;
        const name = asked.startsWith(prefix) ? asked.slice(prefix.length) : asked;
        for (const at of [host, before]) {
          const agent = at && agentNamed(at.definition, name);
          if (agent !== undefined) return [servedAgent(agent.name, at as LoadedCadre, one)];
        }
        return [];
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
    diagnostics: () =>
      served.flatMap(({ prefix, reading }) =>
        reading.diagnostics.map((one) => inPlace(prefix, withExcerpt(one, reading))),
      ),
  };
}

/** The agents of a cadre in their order, each with the reading that starts it. */
function hostsOf({ host, before }: ServedCadre): ReadonlyMap<string, LoadedCadre> {
  const hosts = new Map<string, LoadedCadre>();
  for (const name of host?.definition.agents.keys() ?? []) hosts.set(name, host as LoadedCadre);
  for (const name of host?.definition.faulty?.keys() ?? []) {
    if (before?.definition.agents.has(name) === true) hosts.set(name, before);
  }
  return hosts;
}

function servedAgent(name: string, host: LoadedCadre, served: ServedCadre): ServedAgent {
  const agent = host.definition.agents.get(name) as AgentDefinition;
  const isOutdated = host !== served.host || served.reading.cadre === undefined;
  return { name: served.prefix + name, agent, served, host, state: isOutdated ? 'outdated' : 'ready' };
}

export const placeOfCadre = ({ prefix, folder, reading, host, readAt }: ServedCadre): CadrePlace => ({
  prefix,
  folder,
  state: host === undefined ? 'invalid' : reading.cadre === undefined || reading.cadre.faulty ? 'outdated' : 'ready',
  readAt,
});

/** Adds the line that it is about, as the command line shows it. */
export function withExcerpt(one: Diagnostic, { texts }: Pick<ServedCadre['reading'], 'texts'>): ShownDiagnostic {
  const excerpt = excerptOf(one, texts.get(one.file)?.split(/\r?\n/)[one.line - 1]);
  return excerpt === undefined ? one : { ...one, excerpt };
}

/** Puts the prefix of its cadre before files and agents. `.` is the cadre's folder. */
export function inPlace(prefix: string, one: ShownDiagnostic): ShownDiagnostic {
  if (prefix === '') return one;
  const file = one.file === '.' ? prefix.slice(0, -1) : prefix + one.file;
  if (one.compared === undefined) return { ...one, file };
  const { given, taken } = one.compared;
  const placed = { given: { ...given, agent: prefix + given.agent }, taken: { ...taken, agent: prefix + taken.agent } };
  return { ...one, file, compared: placed };
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [file, text] of one) if (other.get(file) !== text) return false;
  return true;
}

/** Scripts, recordings and `.env`: they are read when they are used, and not again while a reading is hosted. */
function stampOf({ folder, config }: CadreDefinition): string {
  const files = Object.values(config.providers).flatMap(({ script, recording, wraps }) =>
    recording === undefined || wraps === undefined ? [script, recording] : [script],
  );
  return [join(folder, '.env'), ...files]
    .map((file) => {
      const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
      return `${stats?.ino ?? ''} ${stats?.size ?? ''} ${stats?.mtimeMs ?? ''}`;
    })
    .join(',');
}

const fingerprint = (served: readonly ServedCadre[]): string =>
  JSON.stringify(served.map(({ folder, reading, stamp }) => [folder, [...reading.texts], reading.diagnostics, stamp]));

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
