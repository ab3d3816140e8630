// Keeps what a suite shows while it runs and afterwards: its result in the store of each folder whose cases it runs, and the
// runs of cases that failed, so that they can be looked at. A store that cannot be written is told of once, and the tests
// go on without it.
// KEEP-1. A result is written when it changes, at most once a second, and at least every few seconds: who reads it can tell
//         a suite that is still at work from one whose process died.
// KEEP-2. Where a case failed with one model, its runs with the others are kept too: they are what it is compared with.

import type { CadreDefinition } from '../definition/definition.ts';
import type { RunStore } from '../journal/store.ts';
import { faultOf } from '../kernel/fault.ts';
import { countsOf, ofTeams, spentOn, spentOnJudges } from '../views/tests/compared.ts';
import {
  type CandidateKind,
  casesText,
  headText,
  type RecordedCase,
  TEST_BEAT_MS,
  type TestHead,
} from '../views/tests/test-record.ts';
import { keepRun } from './harness.ts';
import { cutCase, recordedCase } from './recorded-case.ts';
import type { CaseResult } from './run-case.ts';

export interface ResultStoreOptions {
  /** The id of the result. A suite that is run again in the same place may replace its last one. */
  readonly id: string;
  readonly command: string;
  readonly from: string;
  readonly models: readonly string[];
  readonly candidates?: TestHead['candidates'];
  readonly times?: number;
  /** Runs of cases that passed are kept, too. */
  readonly keepAll?: boolean;
  /** The store of a cadre: the same object for the same place. */
  storeOf(cadre: CadreDefinition): Promise<RunStore>;
  warn(text: string): void;
  now(): number;
}

/** One case with one model, before it has a result. */
export interface PlannedCase {
  readonly index: number;
  readonly cadre: CadreDefinition;
  readonly agents: readonly string[];
  /** The number of times that it is run, with all models and candidates. */
  readonly times: number;
  readonly kind?: CandidateKind;
}

interface ResultStore {
  /** `from`: where its runs are now. */
  add(planned: PlannedCase, result: CaseResult, from: RunStore | undefined): Promise<RecordedCase>;
  end(stopped: boolean): Promise<void>;
}

/** The store of cases that nobody keeps. */
export const NO_RESULT_STORE: ResultStore = {
  add: async ({ cadre }, result) => recordedCase(result, { folder: cadre.folder, kept: false }),
  end: async () => undefined,
};

export async function openResultStore(
  planned: readonly PlannedCase[],
  options: ResultStoreOptions,
): Promise<ResultStore> {
  const kept = await keptResults(planned, options);
  for (const one of planned) kept.get(one.cadre)?.plan(one);
  for (const result of new Set(kept.values())) await result.begin();
  const open = new Map<string, DelayedWrite[]>();
  return {
    async add(one, result, from) {
      const into = kept.get(one.cadre);
      if (into === undefined) return NO_RESULT_STORE.add(one, result, from);
      const key = `${result.test.file} ${result.test.name}`;
      const same: DelayedWrite[] = [...(open.get(key) ?? []), { one, result, from }];
      open.set(key, same);
      if (same.length === one.times) open.delete(key);
      if (options.keepAll === true || same.some((other) => other.result.state === 'failed'))
        for (const other of same) other.keeping ??= into.keep(other); // KEEP-2
      for (const other of same) into.set(other.one.index, await recorded(other));
      return recorded(same.at(-1) as DelayedWrite);
    },
    async end(stopped) {
      for (const result of new Set(kept.values())) await result.end(stopped);
    },
  };
}

/** One for each store. A cadre whose store cannot be opened has none, and a warning says so. */
async function keptResults(
  planned: readonly PlannedCase[],
  options: ResultStoreOptions,
): Promise<ReadonlyMap<CadreDefinition, StoredResults>> {
  const byStore = new Map<RunStore, StoredResults>();
  const byCadre = new Map<CadreDefinition, StoredResults>();
  for (const cadre of new Set(planned.map((one) => one.cadre))) {
    try {
      const store = await options.storeOf(cadre);
      const known = byStore.get(store) ?? new StoredResults(store, options);
      byStore.set(store, known);
      byCadre.set(cadre, known);
    } catch (thrown) {
      options.warn(notKept(thrown));
    }
  }
  return byCadre;
}

const notKept = (thrown: unknown): string => `The result is not kept: ${faultOf(thrown).message}`;

interface DelayedWrite {
  readonly one: PlannedCase;
  readonly result: CaseResult;
  readonly from: RunStore | undefined;
  keeping?: Promise<boolean>;
}

const recorded = async ({ one, result, keeping }: DelayedWrite): Promise<RecordedCase> =>
  recordedCase(result, { folder: one.cadre.folder, kept: (await keeping) === true });

const WRITE_MS = 1000;
const MOST_FAILED = 5;

/** The result in one store. Owns the timer that writes it. */
class StoredResults {
  readonly #store: RunStore;
  readonly #options: ResultStoreOptions;
  readonly #startedAt: number;
  readonly #cases: (RecordedCase | undefined)[] = [];
  readonly #agents = new Map<string, TestHead['agents'][number]>();
  #planned = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isChanged = true;
  #writtenAt = 0;
  #isLost = false;

  constructor(store: RunStore, options: ResultStoreOptions) {
    this.#store = store;
    this.#options = options;
    this.#startedAt = options.now();
  }

  plan({ cadre: { folder }, agents, kind }: PlannedCase): void {
    if (kind !== 'alone') this.#planned++;
    for (const agent of agents) this.#agents.set(`${folder} ${agent}`, { folder, agent });
  }

  /** Settles when the result is in the store, or is known to be lost. */
  async begin(): Promise<void> {
    this.#write({});
    this.#timer = setInterval(() => {
      const isDue = this.#options.now() - this.#writtenAt >= TEST_BEAT_MS;
      if (this.#isChanged || isDue) this.#write({}); // KEEP-1
    }, WRITE_MS).unref();
    await this.#writing;
  }

  set(index: number, one: RecordedCase): void {
    this.#cases[index] = cutCase(one);
    this.#isChanged = true;
  }

  /** Copies the runs of a case, and those of its judge. False if there are none, or they could not be written. */
  async keep({ result: { runs, verdicts = [] }, from }: DelayedWrite): Promise<boolean> {
    if (from === undefined || runs.length === 0) return false;
    try {
      for (const run of [...runs, ...verdicts.map((one) => one.run)]) await keepRun(run, from, this.#store);
      return true;
    } catch (thrown) {
      this.#lost(thrown);
      return false;
    }
  }

  async end(stopped: boolean): Promise<void> {
    clearInterval(this.#timer);
    this.#write({ endedAt: this.#options.now(), ...(stopped && { stopped: true as const }) });
    await this.#writing;
  }

  /** One write after the other: the last one holds. */
  #write(ending: Pick<TestHead, 'endedAt' | 'stopped'>): void {
    this.#isChanged = false;
    this.#writtenAt = this.#options.now();
    const cases = this.#cases.filter((one) => one !== undefined);
    const kept = { head: headText(this.#head(cases, ending)), body: casesText(cases) };
    this.#writing = this.#writing
      .then(() => (this.#isLost ? undefined : this.#store.tests.put(this.#options.id, kept)))
      .catch((thrown: unknown) => this.#lost(thrown));
  }

  #head(cases: readonly RecordedCase[], ending: Pick<TestHead, 'endedAt' | 'stopped'>): TestHead {
    const { id, command, from, models, candidates, times } = this.#options;
    const own = ofTeams(cases);
    const failed = own.filter(({ state }) => state === 'failed').map(({ name }) => name);
    return {
      id,
      startedAt: this.#startedAt,
      ...ending,
      command,
      from,
      models,
      ...(candidates !== undefined && { candidates }),
      ...(times !== undefined && { times }),
      planned: this.#planned,
      counts: countsOf(own),
      spent: spentOn(cases),
      judges: spentOnJudges(cases),
      agents: [...this.#agents.values()],
      failed: [...new Set(failed)].slice(0, MOST_FAILED),
    };
  }

  #lost(thrown: unknown): void {
    if (!this.#isLost) this.#options.warn(notKept(thrown));
    this.#isLost = true;
  }
}
