// Runs the cases of test files: several at the same time, each on the models that it names, and tells each result as it
// comes. No model is called over a network unless `live` is set.

import { setMaxListeners } from 'node:events';
import type { Budget, CadreDefinition } from '../definition/definition.ts';
import { agentIn } from '../engine/request.ts';
import type { RunStore, SignIns } from '../journal/store.ts';
import type { RecordedCase, TestHead } from '../views/tests/test-record.ts';
import { aloneCase, whyNoAlone, withAlone } from './alone.ts';
import { cadreOfCase, remoteModels } from './case-model.ts';
import type { FoundFile } from './find-tests.ts';
import { inCopiedWorkspace, needsOwnWorkspace, openHarness, type TestHarness } from './harness.ts';
import { NO_RESULT_STORE, openResultStore, type PlannedCase, type ResultStoreOptions } from './result-store.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import type { TestCase } from './test-case.ts';

interface SuiteOptions {
  /** Models may be called over a network. */
  readonly live: boolean;
  /** Answers that a recording lacks are asked for and written to it. */
  readonly addsAnswers: boolean;
  /** Snapshots are written instead of compared. */
  readonly update: boolean;
  /** Each case is run once with each of these for all agents. Empty: with what the case says. */
  readonly models: readonly string[];
  /** Each case is run a second time, with one agent in the place of its team. */
  readonly alone: boolean;
  /** The number of times that each case is run, where live models answer. */
  readonly times: number;
  /** Only cases whose name holds this text. */
  readonly only?: string;
  /** Cases at the same time. */
  readonly atOnce: number;
  /** The store for the result and the runs of failed cases. Absent: none is kept. */
  readonly keep?: Omit<ResultStoreOptions, 'models' | 'warn'>;
  /** The sign-ins of the cadre's store, for servers that want one. */
  signInsOf?(cadre: CadreDefinition): Promise<SignIns | undefined>;
  /** Aborted with a text: the reason that cases which had not begun are skipped for. */
  readonly signal: AbortSignal;
  /** Waits for the turn of a case, and gives the way to end it. Absent: every case has its turn at once. */
  takeTurn?(): Promise<() => void>;
  /** Called when the result is in the store, before the first case. */
  begun?(): void;
  tell(result: RecordedCase): void;
  warn(text: string): void;
}

export interface SuiteResult {
  readonly results: readonly CaseResult[];
  /** The same without the events of their runs. */
  readonly cases: readonly RecordedCase[];
  /** All candidates that are compared. There is one where nothing is compared. */
  readonly candidates: NonNullable<TestHead['candidates']>;
  readonly ms: number;
}

export async function runSuite(files: readonly FoundFile[], options: SuiteOptions): Promise<SuiteResult> {
  const began = performance.now();
  setMaxListeners(0, options.signal); // each case under way listens
  const benches = new Benches(options);
  const turns = turnsOf(files, options);
  const jobs = turns.flat();
  const { keep, models, warn, times } = options;
  const candidates = candidatesIn(options);
  const isCompared = candidates.length > 1 || times > 1;
  const compared = { ...(isCompared && { candidates }), ...(times > 1 && { times }) };
  const keeper =
    keep === undefined ? NO_RESULT_STORE : await openResultStore(jobs, { ...keep, ...compared, models, warn });
  const results: CaseResult[] = [];
  const cases: RecordedCase[] = [];
  const work = async (turn: Turn): Promise<void> => {
    let team: CaseResult | undefined;
    for (const job of turn) {
      const { result, store } = options.signal.aborted
        ? { result: skipped(job, whyStopped(options.signal)), store: undefined }
        : await perform(job, team, { benches, options });
      team = result;
      results[job.index] = result;
      const recorded = await keeper.add(job, result, store);
      cases[job.index] = recorded;
      options.tell(recorded);
    }
  };
  try {
    options.begun?.();
    await inTurn(turns, options.atOnce, async (turn) => {
      const leave = await options.takeTurn?.();
      try {
        await work(turn);
      } finally {
        leave?.();
      }
    });
    if (options.update)
      for (const { file, snapshots } of jobs) snapshots.save(new Set(file.cases.map(({ name }) => name)));
  } finally {
    await keeper.end(options.signal.aborted);
    await benches.close();
  }
  return { results, cases, candidates, ms: performance.now() - began };
}

const whyStopped = ({ reason }: AbortSignal): string =>
  typeof reason === 'string' ? reason : 'the tests were stopped';

/** All that are compared: each model, and with each the team and one agent. */
export const candidatesIn = ({
  models,
  alone,
}: Pick<SuiteOptions, 'models' | 'alone'>): NonNullable<TestHead['candidates']> =>
  (models.length === 0 ? [undefined] : models).flatMap((model) =>
    (alone ? (['team', 'alone'] as const) : (['team'] as const)).map((kind) => ({
      kind,
      ...(model !== undefined && { model }),
    })),
  );

interface Job extends Omit<PlannedCase, 'index'> {
  readonly test: TestCase;
  readonly file: FoundFile;
  readonly snapshots: Snapshots;
  readonly model: string | undefined;
  readonly time?: number;
}

/** Jobs that are done one after the other: one agent alone gets what its team has spent. */
type Turn = readonly (Job & { readonly index: number })[];

function turnsOf(files: readonly FoundFile[], options: SuiteOptions): readonly Turn[] {
  let index = 0;
  return files.flatMap((file) => jobsOf(file, options)).map((turn) => turn.map((job) => ({ ...job, index: index++ })));
}

function jobsOf(file: FoundFile, { models, only, alone, times, live }: SuiteOptions): readonly (readonly Job[])[] {
  const snapshots = openSnapshots(file.path);
  const { cadre } = file;
  const cases = file.cases.filter(({ name }) => only === undefined || name.includes(only));
  const chosen = models.length === 0 ? [undefined] : models;
  return cases.flatMap((test) => {
    const { judge } = test.expect;
    const agents = [test.agent, ...(judge === undefined ? [] : [judge.agent])];
    const kinds = alone ? (['team', 'alone'] as const) : [undefined];
    const tries = live && times > 1 ? Array.from({ length: times }, (_, nth) => nth + 1) : [undefined];
    const count = chosen.length * kinds.length * tries.length;
    return chosen.flatMap((model) =>
      tries.map((time) =>
        kinds.map((kind) => ({
          test,
          file,
          snapshots,
          model,
          cadre,
          agents,
          times: count,
          ...(kind !== undefined && { kind }),
          ...(time !== undefined && { time }),
        })),
      ),
    );
  });
}

interface Performed {
  readonly result: CaseResult;
  readonly store: RunStore | undefined;
}

/** `team`: the result of the same case with the agents as they are, for one agent alone. */
async function perform(
  job: Job,
  team: CaseResult | undefined,
  { benches, options }: { readonly benches: Benches; readonly options: SuiteOptions },
): Promise<Performed> {
  const { test, file, model, kind } = job;
  const cadre = cadreOfCase(file.cadre, test.model, model, { add: options.addsAnswers });
  const remote = remoteModels(cadre);
  if (remote.length > 0 && !options.live)
    return { result: skipped(job, `it would call ${remote.join(', ')}: add --live`), store: undefined };
  if (kind !== 'alone') return performOn(job, { test, cadre }, { benches, options });
  const agent = agentIn(cadre, test.agent);
  const why = team?.state === 'skipped' ? team.why : whyNoAlone(test, cadre, agent);
  if (why !== undefined) return { result: skipped(job, why), store: undefined };
  const { test: alone, setAside } = aloneCase({ ...test, agent: agent.name });
  const done = await performOn(
    job,
    { test: alone, cadre: withAlone(cadre, agent, budgetOf(team, test)) },
    { benches, options },
  );
  return { ...done, result: { ...done.result, test, setAside } };
}

/** The tokens that the team used in a run of the case. */
function budgetOf(team: CaseResult | undefined, { inputs }: TestCase): Budget | undefined {
  const { input = 0, output = 0 } = team?.spent ?? {};
  return input + output === 0 ? undefined : { tokens: Math.ceil((input + output) / inputs.length) };
}

async function performOn(
  { snapshots, model, kind, time }: Job,
  { test, cadre }: { readonly test: TestCase; readonly cadre: CadreDefinition },
  { benches, options }: { readonly benches: Benches; readonly options: SuiteOptions },
): Promise<Performed> {
  const parts = { snapshots, update: options.update && kind !== 'alone', signal: options.signal };
  const who = {
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind }),
    ...(time !== undefined && { time }),
  };
  const work = async (bench: TestHarness): Promise<Performed> => {
    const result = await runCase(test, { ...parts, bench });
    return { result: { ...result, ...who }, store: bench.store };
  };
  const workHere = async (workspace?: string): Promise<Performed> => {
    const signIns = await options.signInsOf?.(cadre);
    const bench = await openHarness(cadre, {
      ...(workspace !== undefined && { workspace }),
      signIns,
      warn: options.warn,
    });
    try {
      return await work(bench);
    } finally {
      await bench.close();
    }
  };
  if (needsOwnWorkspace(cadre, test.agent)) return inCopiedWorkspace(cadre, workHere);
  // Its budget is that of one case, so no other case shares its engine.
  return kind === 'alone' ? workHere() : work(await benches.of(cadre, test, model));
}

const skipped = ({ test, model, kind, time }: Job, why: string): CaseResult => ({
  test,
  state: 'skipped',
  why,
  failures: [],
  runs: [],
  ...(model !== undefined && { model }),
  ...(kind !== undefined && { kind }),
  ...(time !== undefined && { time }),
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
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
