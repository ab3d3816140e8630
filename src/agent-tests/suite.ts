// Runs the cases of test files: several at the same time, each on the models that it names, and tells each result as it
// comes. No model is called over a network unless `live` is set.

import { setMaxListeners } from 'node:events';
import type { CadreDefinition } from '../definition/definition.ts';
import type { RunStore, SignIns } from '../journal/store.ts';
import type { RecordedCase } from '../views/tests/test-record.ts';
import { remoteModels, withCaseModel, withModel } from './case-model.ts';
import type { FoundFile } from './find-tests.ts';
import { inCopiedWorkspace, needsOwnWorkspace, openHarness, type TestHarness } from './harness.ts';
import { NO_RESULT_STORE, openResultStore, type PlannedCase, type ResultStoreOptions } from './result-store.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import type { TestCase } from './test-case.ts';

interface SuiteOptions {
  /** Models may be called over a network. */
  readonly live: boolean;
  /** Snapshots are written instead of compared. */
  readonly update: boolean;
  /** Each case is run once with each of these for all agents. Empty: with what the case says. */
  readonly models: readonly string[];
  /** Only cases whose name holds this text. */
  readonly only?: string;
  /** Cases at the same time. */
  readonly atOnce: number;
  /** The store for the result and the runs of failed cases. Absent: none is kept. */
  readonly keep?: Omit<ResultStoreOptions, 'models' | 'warn'>;
  /** The sign-ins of the cadre's store, for servers that want one. */
  signInsOf?(cadre: CadreDefinition): Promise<SignIns | undefined>;
  readonly signal: AbortSignal;
  tell(result: RecordedCase): void;
  warn(text: string): void;
}

export interface SuiteResult {
  readonly results: readonly CaseResult[];
  /** The same without the events of their runs. */
  readonly cases: readonly RecordedCase[];
  readonly ms: number;
}

export async function runSuite(files: readonly FoundFile[], options: SuiteOptions): Promise<SuiteResult> {
  const began = performance.now();
  setMaxListeners(0, options.signal); // each case under way listens
  const benches = new Benches(options);
  const jobs = files.flatMap((file) => jobsOf(file, options)).map((job, index) => ({ ...job, index }));
  const { keep, models, warn } = options;
  const keeper = keep === undefined ? NO_RESULT_STORE : await openResultStore(jobs, { ...keep, models, warn });
  const results: CaseResult[] = [];
  const cases: RecordedCase[] = [];
  try {
    await inTurn(jobs, options.atOnce, async (job, index) => {
      const { result, store } = options.signal.aborted
        ? { result: skipped(job, 'the tests were stopped'), store: undefined }
        : await perform(job, benches, options);
      results[index] = result;
      const recorded = await keeper.add(job, result, store);
      cases[index] = recorded;
      options.tell(recorded);
    });
    if (options.update)
      for (const { file, snapshots } of jobs) snapshots.save(new Set(file.cases.map(({ name }) => name)));
  } finally {
    await keeper.end(options.signal.aborted);
    await benches.close();
  }
  return { results, cases, ms: performance.now() - began };
}

interface Job extends Omit<PlannedCase, 'index'> {
  readonly test: TestCase;
  readonly file: FoundFile;
  readonly snapshots: Snapshots;
  readonly model: string | undefined;
}

function jobsOf(file: FoundFile, { models, only }: SuiteOptions): readonly Job[] {
  const snapshots = openSnapshots(file.path);
  const { cadre } = file;
  const cases = file.cases.filter(({ name }) => only === undefined || name.includes(only));
  const chosen = models.length === 0 ? [undefined] : models;
  return cases.flatMap((test) => {
    const { judge } = test.expect;
    const agents = [test.agent, ...(judge === undefined ? [] : [judge.agent])];
    return chosen.map((model) => ({ test, file, snapshots, model, cadre, agents, times: chosen.length }));
  });
}

async function perform(
  job: Job,
  benches: Benches,
  options: SuiteOptions,
): Promise<{ readonly result: CaseResult; readonly store: RunStore | undefined }> {
  const { test, file, snapshots, model } = job;
  const own = withCaseModel(file.cadre, model === undefined ? test.model : { kind: 'own' }, { add: options.live });
  const cadre = model === undefined ? own : withModel(own, model);
  const remote = remoteModels(cadre);
  if (remote.length > 0 && !options.live)
    return { result: skipped(job, `it would call ${remote.join(', ')}: add --live`), store: undefined };
  const parts = { snapshots, update: options.update, signal: options.signal };
  const work = async (bench: TestHarness) => {
    const result = await runCase(test, { ...parts, bench });
    return { result: model === undefined ? result : { ...result, model }, store: bench.store };
  };
  if (!needsOwnWorkspace(cadre, test.agent)) return work(await benches.of(cadre, test, model));
  return inCopiedWorkspace(cadre, async (workspace) => {
    const signIns = await options.signInsOf?.(cadre);
    const bench = await openHarness(cadre, { workspace, signIns, warn: options.warn });
    try {
      return await work(bench);
    } finally {
      await bench.close();
    }
  });
}

const skipped = ({ test, model }: Job, why: string): CaseResult => ({
  test,
  state: 'skipped',
  why,
  failures: [],
  runs: [],
  ...(model !== undefined && { model }),
});

/** Cases with the same agents and models share an engine. */
class Benches {
  readonly #open = new Map<string, Promise<TestHarness>>();
  readonly #options: SuiteOptions;

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  of(cadre: CadreDefinition, { model }: TestCase, chosen: string | undefined): Promise<TestHarness> {
    const key = JSON.stringify([cadre.folder, chosen ?? model]);
    const known = this.#open.get(key) ?? this.#harness(cadre);
    this.#open.set(key, known);
    return known;
  }

  async #harness(cadre: CadreDefinition): Promise<TestHarness> {
    const signIns = await this.#options.signInsOf?.(cadre);
    return openHarness(cadre, { signIns, warn: this.#options.warn });
  }

  async close(): Promise<void> {
    for (const opening of this.#open.values()) await (await opening).close();
  }
}

/** Works on all, at most `atOnce` at the same time, in order of their beginning. */
async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as Item, index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
