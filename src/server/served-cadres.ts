// The cadres that a server serves: that of its folder, or all that lie below it. When files change they are read
// again: new runs use them if the check passes, and runs at work keep theirs.
// SERVE-1. An agent with errors is not replaced: the last reading in which it had none goes on starting its runs.

import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearest } from '../base/text/nearest.ts';
import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import { type Diagnostic, excerptOf } from '../definition/diagnostic.ts';
import type { AssemblyOptions } from '../definition/link/assemble.ts';
import { type CadreReading, type PlacedCadre, readCadres } from '../definition/load.ts';
import type { Engine } from '../engine/engine.ts';
import { agentNamed } from '../engine/request.ts';
import { FaultError, fail } from '../kernel/fault.ts';
import type { LoadedCadre } from '../run/loaded-cadre.ts';
import { type Caller, requireAgent } from './caller.ts';
import type { CadrePlace, ShownDiagnostic } from './protocol.ts';

interface ServedCadre {
  /** The prefix of its agents' names; empty if it is the only one. */
  readonly prefix: string;
  /** Absolute. */
  readonly folder: string;
  /** The files as they are now. */
  readonly reading: CadreReading;
  /** The cadre that new runs are started with. Undefined if no reading could be used. */
  readonly host: LoadedCadre | undefined;
  /** The last reading without errors, for the agents that have errors now. */
  readonly before: LoadedCadre | undefined;
  readonly readAt: number;
  /** The stamp of the files beside the texts that decide how agents run. */
  readonly stamp: string;
}

export interface ServedAgent {
  /** The name in requests, with the prefix of its cadre. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly served: ServedCadre;
  readonly host: LoadedCadre;
  /** `outdated`: its files have errors, and it runs as it was before. */
  readonly state: 'ready' | 'outdated';
}

export class ServedCadres {
  readonly #root: string;
  readonly #options;
  readonly #listeners = new Set<() => void>();
  #served: readonly ServedCadre[] = [];
  #latest: Promise<unknown> = Promise.resolve();

  /** Nothing is served before the first `reload`. */
  constructor(
    folder: string,
    options: {
      readonly engine: Pick<Engine, 'load'>;
      /** Names of tools and providers that the program hands in. */
      readonly load?: AssemblyOptions;
      log(text: string): void;
      now(): number;
    },
  ) {
    this.#root = resolve(folder);
    this.#options = options;
  }

  all(): readonly ServedCadre[] {
    return this.#served;
  }

  /** Every agent that can be started. */
  agents(): readonly ServedAgent[] {
    return this.#served.flatMap((one) => [...hostsOf(one)].map(([name, host]) => servedAgent(name, host, one)));
  }

  /** Finds an agent by its name with the prefix of its cadre, or without if that is unique. Throws `agent/unknown`. */
  agent(asked: string): ServedAgent {
    const found = this.#served.flatMap((one): readonly ServedAgent[] => {
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
      this.agents().map(({ name }) => name),
      this.#served,
    );
  }

  /**
   * The same for a caller that may use some agents only: it is not told which others there are. Throws `agent/unknown` and
   * `request/forbidden`.
   */
  agentFor(asked: string, caller: Caller): ServedAgent {
    try {
      const found = this.agent(asked);
      requireAgent(caller, found.name);
      return found;
    } catch (thrown) {
      if (thrown instanceof FaultError && thrown.fault.code === 'agent/unknown') requireAgent(caller, asked);
      throw thrown;
    }
  }

  /** The cadre of a folder, as runs name it. */
  ofFolder(folder: string): ServedCadre | undefined {
    return this.#served.find((one) => one.folder === folder);
  }

  diagnostics(): readonly ShownDiagnostic[] {
    return this.#served.flatMap(({ prefix, reading }) =>
      reading.diagnostics.map((one) => inPlace(prefix, withExcerpt(one, reading))),
    );
  }

  /** `changed` is called after a reload that changed something, until the returned function is called. */
  watch(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /** Reads the files again, after a reading that is under way. */
  async reload(): Promise<void> {
    const read = (): Promise<void> => this.#read();
    this.#latest = this.#latest.then(read, read);
    await this.#latest;
  }

  async #read(): Promise<void> {
    const { load = {} } = this.#options;
    const next: ServedCadre[] = [];
    for (const one of await readCadres(this.#root, load)) next.push(await this.#take(one));
    for (const one of this.#served) {
      if (next.some(({ folder }) => folder === one.folder)) continue;
      this.#retire(one.host);
      this.#retire(one.before);
    }
    const isChanged = fingerprint(this.#served) !== fingerprint(next);
    this.#served = next;
    if (isChanged) for (const changed of this.#listeners) changed();
  }

  async #take({ prefix, reading }: PlacedCadre): Promise<ServedCadre> {
    const { engine, now } = this.#options;
    const { cadre } = reading;
    const last = this.ofFolder(reading.folder);
    const place = { prefix, folder: reading.folder, reading, readAt: now() };
    if (cadre === undefined) return { ...place, host: last?.host, before: last?.before, stamp: last?.stamp ?? '' }; // SERVE-1
    const stamp = stampOf(cadre);
    const known = [last?.host, last?.before].filter((one) => one !== undefined);
    const host =
      known.find((one) => last?.stamp === stamp && isSame(one.definition.texts, cadre.texts)) ??
      (await engine.load(cadre));
    const sound = known.find((one) => one !== host && !one.definition.faulty);
    const before = cadre.faulty === undefined ? undefined : sound; // SERVE-1
    for (const one of known) if (one !== host && one !== before) this.#retire(one);
    return { ...place, host, before, stamp };
  }

  #retire(host: LoadedCadre | undefined): void {
    host
      ?.retire()
      .catch((thrown: unknown) => this.#options.log(`What a cadre had opened could not be closed: ${String(thrown)}`));
  }
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
