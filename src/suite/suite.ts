// Runs the cases of test files: several at the same time, each on the models that it names, and tells each result as it
// comes. No model is called over a network unless `live` is set.

import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { CadreDefinition } from '../agents/definition.ts';
import { fileStore } from '../journal/stores/file.ts';
import { type Bench, inCopiedWorkspace, keepRun, needsOwnWorkspace, openBench } from './bench.ts';
import type { FoundFile } from './find-tests.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import { remoteModels, standIn, withModel } from './stand-in.ts';
import type { TestCase } from './test-case.ts';

export interface SuiteOptions {
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
  /** Runs of failed cases are kept in the store of their folder. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  tell(result: CaseResult): void;
  warn(text: string): void;
}

export interface SuiteResult {
  readonly results: readonly CaseResult[];
  readonly ms: number;
}

export async function runSuite(files: readonly FoundFile[], options: SuiteOptions): Promise<SuiteResult> {
  const began = performance.now();
  setMaxListeners(0, options.signal); // each case under way listens
  const benches = new Benches(options);
  const jobs = files.flatMap((file) => jobsOf(file, options));
  const results: CaseResult[] = [];
  try {
    await inTurn(jobs, options.atOnce, async (job, index) => {
      const result = options.signal.aborted
        ? skipped(job, 'the tests were stopped')
        : await perform(job, benches, options);
      results[index] = result;
      options.tell(result);
    });
    if (options.update)
      for (const { file, snapshots } of jobs) snapshots.save(new Set(file.cases.map(({ name }) => name)));
  } finally {
    await benches.close();
  }
  return { results, ms: performance.now() - began };
}

interface Job {
  readonly test: TestCase;
  readonly file: FoundFile;
  readonly snapshots: Snapshots;
  readonly model: string | undefined;
}

function jobsOf(file: FoundFile, { models, only }: SuiteOptions): readonly Job[] {
  const snapshots = openSnapshots(file.path);
  const cases = file.cases.filter(({ name }) => only === undefined || name.includes(only));
  const chosen = models.length === 0 ? [undefined] : models;
  return cases.flatMap((test) => chosen.map((model) => ({ test, file, snapshots, model })));
}

async function perform(job: Job, benches: Benches, options: SuiteOptions): Promise<CaseResult> {
  const { test, file, snapshots, model } = job;
  const own = standIn(file.cadre, model === undefined ? test.model : { kind: 'own' }, { add: options.live });
  const cadre = model === undefined ? own : withModel(own, model);
  const remote = remoteModels(cadre);
  if (remote.length > 0 && !options.live) return skipped(job, `it would call ${remote.join(', ')}: add --live`);
  const parts = { snapshots, update: options.update, signal: options.signal };
  const work = async (bench: Bench): Promise<CaseResult> => {
    const result = await runCase(test, { ...parts, bench });
    if (result.state === 'failed' && options.keep) await keepAll(result, bench, file.cadre);
    return model === undefined ? result : { ...result, model };
  };
  if (!needsOwnWorkspace(cadre, test.agent)) return work(await benches.of(cadre, test, model));
  return inCopiedWorkspace(cadre, async (workspace) => {
    const bench = await openBench(cadre, { workspace, warn: options.warn });
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

async function keepAll({ runs }: CaseResult, { store }: Bench, { folder, config }: CadreDefinition): Promise<void> {
  const kept = fileStore(config.store.dir ?? join(folder, '.cadre'), { fsync: config.store.fsync });
  for (const run of runs) await keepRun(run, store, kept);
}

/** Cases with the same agents and models share an engine. */
class Benches {
  readonly #open = new Map<string, Promise<Bench>>();
  readonly #options: SuiteOptions;

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  of(cadre: CadreDefinition, { model }: TestCase, chosen: string | undefined): Promise<Bench> {
    const key = JSON.stringify([cadre.folder, chosen ?? model]);
    const known = this.#open.get(key) ?? openBench(cadre, { warn: this.#options.warn });
    this.#open.set(key, known);
    return known;
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
