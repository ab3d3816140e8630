// One spawned run, driven in the background: it waits for its dependencies, queues for a slot, runs, and is announced
// exactly once, whatever happened. Every step is a recorded op, so that a restart continues where it stopped.

import { perform, type Routine, type RunInput, type SessionRef } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, cancelledOutcome, isAnswered, type Outcome } from '../../kernel/outcome.ts';
import {
  endState,
  isOver,
  type RootCause,
  type SharedContext,
  type SpawnId,
  type SpawnReport,
} from '../../kernel/spawned.ts';
import { resultText, runAgent } from '../run-agent.ts';
import type { Gift } from './family.ts';
import { announcement, previousSteps, readBack, type WayTo } from './pass-on.ts';
import type { SpawnPlan, Task } from './plan.ts';
import { collectShared, type ReferredResult, type Snapshot, snapshot } from './shared-context.ts';

interface SpawnedTask {
  readonly plan: SpawnPlan;
  readonly task: Task;
  readonly run: SpawnId;
  /** The session that gets the announcement. */
  readonly parent: SessionRef;
}

export function* spawnedRun(spawned: SpawnedTask): Routine<void> {
  const { run, task, parent } = spawned;
  const outcome = yield* outcomeOfSpawned(spawned);
  yield* perform<'announce'>({
    kind: 'announce',
    run,
    to: parent,
    text: announcement(task.label, run, outcome),
    ...(!isAnswered(outcome) && { end: outcome }),
  });
}

function* outcomeOfSpawned({ plan, task, run }: SpawnedTask): Routine<Outcome> {
  const before = yield* awaitDependencies(plan, run);
  if ('outcome' in before) return before.outcome;
  const results = referencesOf(plan.earlier);
  const begun = yield* perform<'begin'>({ kind: 'begin', run, ...(results.length > 0 && { results }) });
  if (!begun.ok) return brokenOutcome(begun.fault);
  if (!begun.value.began) return brokenOutcome(begun.value.fault);
  const input = inputOfSpawned(plan, task, before.ended);
  const family = familyOf(plan.earlier, begun.value.ended ?? [], input.shared);
  return yield* runAgent({
    agent: plan.agent,
    input: family === undefined ? input : withFamily(input, family),
    trigger: { kind: 'spawn', spawned: run },
    limits: plan.runMs === undefined ? undefined : { ms: plan.runMs },
  });
}

function withFamily(input: RunInput, { values, handles }: Snapshot): RunInput {
  const all = [...(input.handles ?? []), ...Object.values(handles)];
  return { ...input, family: values, ...(all.length > 0 && { handles: all }) };
}

export type AwaitedDependencies = { readonly ended: readonly SpawnReport[] } | { readonly outcome: Outcome };

export const dependencyRuns = ({ after, references }: Pick<SpawnPlan, 'after' | 'references'>): readonly SpawnId[] => [
  ...new Set([...after, ...references.values()].map((member) => member.run)),
];

/** The runs that it waits for and shares with, and how. */
type Dependencies = Pick<
  SpawnPlan,
  'after' | 'references' | 'include' | 'onFailure' | 'dependencyMs' | 'own' | 'inherited'
>;

export function* awaitDependencies(plan: Dependencies, run: SpawnId): Routine<AwaitedDependencies> {
  const runs = dependencyRuns(plan);
  if (runs.length === 0) return { ended: [] };
  const settled = yield* perform<'await-runs'>({
    kind: 'await-runs',
    runs,
    need: runs.length,
    by: run,
    withinMs: plan.dependencyMs,
    results: true,
  });
  if (!settled.ok) return { outcome: brokenOutcome(settled.fault) };
  const { over, runs: ended } = settled.value;
  if (over === 'cancelled') return { outcome: cancelledOutcome('It was cancelled while it waited.') };
  if (plan.onFailure === 'continue') return { ended };
  if (over === 'timeout') return { outcome: tooLate(ended, plan) };
  const failed = ended.find(({ state }) => state !== 'answered');
  return failed === undefined ? { ended } : { outcome: skippedOutcome(failed) };
}

/** Names the run that failed first, however long the chain is. */
function skippedOutcome(dependency: SpawnReport): Outcome {
  const known = dependency.fault?.details?.['rootCause'] as RootCause | undefined;
  const cause: RootCause =
    dependency.state === 'skipped' && known !== undefined
      ? known
      : {
          run: dependency.run,
          label: dependency.label,
          state: dependency.state,
          message: dependency.fault?.message ?? dependency.state,
        };
  const via = cause.run === dependency.run ? '' : ` It kept ${dependency.label} from starting, and so this one.`;
  const why = `Skipped: ${cause.label} ${cause.state}: ${cause.message}${via}`;
  return brokenOutcome(fault('spawn/dependency', why, { rootCause: cause }));
}

function tooLate(dependencies: readonly SpawnReport[], { dependencyMs }: Dependencies): Outcome {
  const open = dependencies.filter(({ state }) => !isOver(state)).map(({ label }) => label);
  return brokenOutcome(
    fault('timeout', `It waited ${dependencyMs / 1000} s for ${open.join(', ')}, which had not ended.`),
  );
}

/** `wayTo` says how the run can read the whole of a result that it gets in part. */
export function inputOfSpawned(
  plan: Dependencies,
  task: Omit<Task, 'label'>,
  ended: readonly SpawnReport[],
  wayTo: WayTo = readBack,
): RunInput {
  const after = new Set(plan.after.map(({ run }) => run));
  const previous = plan.include ? ended.filter(({ run }) => after.has(run)) : [];
  const referred = [...plan.references].map(([label, { run }]): ReferredResult => {
    const report = ended.find((one) => one.run === run);
    return report === undefined
      ? { label, way: { words: '' }, value: null }
      : { label, way: wayTo(report), value: valueOf(report) };
  });
  const { own, inherited } = plan;
  const isShared = inherited !== undefined || referred.length > 0 || Object.keys(own).length > 0;
  const steps = previous.length === 0 ? undefined : previousSteps(previous, task.text, wayTo);
  const shared = isShared ? snapshot(inherited, own, referred) : undefined;
  return {
    text: steps?.text ?? task.text,
    ...(steps && { quoted: true as const }),
    ...(task.data !== undefined && { data: task.data }),
    ...(shared && { shared: shared.values }),
    ...(steps !== undefined && steps.handles.length > 0 && { handles: steps.handles }),
    ...(shared !== undefined && Object.keys(shared.handles).length > 0 && { sharedHandles: shared.handles }),
  };
}

/** The runs whose results were given to the runs spawned before it. */
const referencesOf = (gifts: readonly Gift[]): readonly SpawnId[] => [
  ...new Set(gifts.flatMap(({ references }) => [...references.values()].map(({ run }) => run))),
];

/**
 * Gives a run the values of earlier runs when it begins. The earliest run to give a key wins, and a result that is not
 * there yet was not given yet. Keys that the run has itself are left out.
 */
function familyOf(
  gifts: readonly Gift[],
  ended: readonly SpawnReport[],
  own: SharedContext | undefined,
): Snapshot | undefined {
  if (gifts.length === 0) return undefined;
  const found = gifts.flatMap(({ own: given, references, withFailures }): readonly ReferredResult[] => [
    ...Object.entries(given).map(([label, value]) => ({
      label,
      value,
      way: { words: 'An earlier run of the family has all of it' },
    })),
    ...[...references].flatMap(([label, { run }]) => {
      const report = ended.find((one) => one.run === run);
      if (report === undefined || (report.state !== 'answered' && !withFailures)) return [];
      return [{ label, value: valueOf(report), way: readBack(report) }];
    }),
  ]);
  return collectShared(found, own);
}

/** A JSON answer as it is, any other answer as text. A run that did not answer says so. */
function valueOf(report: SpawnReport): unknown {
  const { outcome } = report;
  if (outcome === undefined) return { outcome: report.state, error: 'It has not ended.' };
  if (isAnswered(outcome)) return outcome.data ?? outcome.text;
  return { outcome: endState(outcome), error: resultText(outcome) };
}
