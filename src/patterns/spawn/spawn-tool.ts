// sessions_spawn: starts runs in the background and answers at once, with an id for each accepted run.

import { launch, type Routine, type SessionRef } from '../../kernel/effect.ts';
import type { ToolResult, ToolSpec } from '../../kernel/message.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import type { SpawnId, SpawnReceipt } from '../../kernel/spawned.ts';
import { jsonLine } from '../quote-text.ts';
import type { Gift } from './family.ts';
import type { SpawnConfig } from './key.ts';
import { plan, type SpawnCall, type Spawner, type SpawnPlan, type Task } from './plan.ts';
import { dependencyRuns, spawnedRun } from './spawned-run.ts';

export const SESSIONS_SPAWN = 'sessions_spawn';

export function spawnTool(config: SpawnConfig, spawner: Spawner, session: SessionRef): SessionTool {
  return {
    spec: specFor(config),
    uncounted: true,
    *run(call): Routine<ToolResult> {
      const asked = call.arguments as SpawnCall;
      const many = Array.isArray(asked.task) ? asked.task.length : 1;
      if (many > config.maxTotal) return told([tooMany(asked.label, many, config.maxTotal)]);
      const planned = plan(asked, spawner);
      if ('error' in planned) return told([refusal(asked.label, planned.error)]);
      return yield* spawn(planned, config, spawner, session);
    },
  };
}

function* spawn(plan: SpawnPlan, config: SpawnConfig, { family }: Spawner, session: SessionRef): Routine<ToolResult> {
  const { maxDepth, maxChildren, maxTotal, maxConcurrent } = config;
  const after = dependencyRuns(plan);
  const settled = yield* launch<'spawn'>(
    {
      kind: 'spawn',
      session,
      orders: plan.tasks.map(({ label }) => ({ label, agent: plan.agent, after })),
      limits: { maxDepth, maxChildren, maxTotal, maxConcurrent },
      ...(plan.list?.together !== undefined && { together: plan.list.together }),
    },
    (answer) => {
      if (!answer.ok) return [];
      const { receipts } = answer.value;
      return plan.tasks.map((task, index) => {
        const receipt = receipts[index];
        if (receipt?.status !== 'accepted') return undefined;
        return () => spawnedRun({ plan, task, run: receipt.run, parent: session });
      });
    },
  );
  if (!settled.ok) return told([refusal(plan.tasks[0]?.label, settled.fault.message)]);
  const { group, receipts } = settled.value;
  const gift = giftOf(plan);
  plan.tasks.forEach(({ label }, index) => {
    const receipt = receipts[index];
    if (receipt?.status !== 'accepted') return;
    const of = { ...(plan.list && { groupLabel: plan.list.label }), ...(gift && { gift }) };
    family.add({ run: receipt.run, label, group, ...of });
  });
  const entries = plan.tasks.map((task, index) => entryOf(task, receipts[index] as SpawnReceipt, after));
  return told(entries, plan.list && group);
}

function giftOf({ own, references, onFailure }: SpawnPlan): Gift | undefined {
  if (Object.keys(own).length === 0 && references.size === 0) return undefined;
  return { own, references, withFailures: onFailure === 'continue' };
}

/** The same keys, whether the run was accepted or not. */
interface SpawnEntry {
  readonly status: 'accepted' | 'forbidden' | 'error';
  readonly runId: SpawnId | null;
  readonly childSessionKey: string | null;
  readonly label: string | null;
  readonly waitingFor: readonly SpawnId[];
  readonly error?: string;
  readonly current?: number;
  readonly maximum?: number;
}

function entryOf({ label }: Task, receipt: SpawnReceipt, after: readonly SpawnId[]): SpawnEntry {
  if (receipt.status === 'accepted') {
    const { run, sessionKey, waitingFor = after } = receipt;
    return { status: 'accepted', runId: run, childSessionKey: sessionKey, label, waitingFor };
  }
  const { error, current, maximum } = receipt;
  return { ...refusal(label, error), status: 'forbidden', current, maximum };
}

const refusal = (label: string | undefined, error: string): SpawnEntry => ({
  status: 'error',
  runId: null,
  childSessionKey: null,
  label: label ?? null,
  waitingFor: [],
  error,
});

/** One answer for the whole list: an entry for each refused task would only fill the conversation. */
const tooMany = (label: string | undefined, current: number, maximum: number): SpawnEntry => ({
  ...refusal(label, `The list has ${current} tasks, and spawn.maxTotal allows ${maximum} spawned runs in all.`),
  status: 'forbidden',
  current,
  maximum,
});

function told(entries: readonly SpawnEntry[], groupId?: string): ToolResult {
  const status = entries.some((entry) => entry.status === 'accepted') ? 'ok' : 'error';
  return { status, text: jsonLine(groupId === undefined ? entries[0] : { groupId, results: entries }) };
}

const SECONDS = { type: 'number', exclusiveMinimum: 0, maximum: 604_800 };
const NAMES = {
  oneOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 100 },
  ],
};

/** The same object for every session of an agent, so that its schema is compiled once. */
const specs = new WeakMap<SpawnConfig, ToolSpec>();

function specFor(config: SpawnConfig): ToolSpec {
  const known = specs.get(config) ?? spawnSpec(config);
  specs.set(config, known);
  return known;
}

function spawnSpec(config: SpawnConfig): ToolSpec {
  const properties = {
    task: {
      description: 'What the run is to do. A list, with "parallel": true, starts one run for each.',
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 1000 },
      ],
    },
    parallel: { type: 'boolean', description: 'The list of tasks is worked on at the same time.' },
    label: { type: 'string', description: 'A name for it; the runs of a list are called <label>-1, <label>-2 …' },
    agent: {
      type: 'string',
      enum: [...config.agents],
      description: 'Who does it. Without it: a fresh session of you.',
    },
    chainAfter: { ...NAMES, description: 'Start only after these runs: ids or labels of runs you spawned.' },
    dependsOn: { ...NAMES, description: 'The same as chainAfter; both together are joined.' },
    includeDependencyResult: { type: 'boolean', description: 'Put the results of those runs before the task.' },
    onDependencyFailure: {
      type: 'string',
      enum: ['abort', 'continue'],
      description: 'When one of those runs does not answer: skip this one (abort, the default), or start it anyway.',
    },
    dependencyTimeoutSeconds: { ...SECONDS, description: 'How long it waits for those runs (1800).' },
    sharedContext: {
      type: 'object',
      description: 'JSON values that the run and all it spawns can read. "$label": "reference" is the result of a run.',
    },
    concurrent: {
      oneOf: [{ type: 'integer', minimum: 1, maximum: 1000 }, { type: 'boolean' }],
      description: 'How many runs of the list work at the same time; false for one after the other.',
    },
    runTimeoutSeconds: { ...SECONDS, description: 'How long the run itself may take once it has started.' },
  };
  return {
    name: SESSIONS_SPAWN,
    description:
      'Start work in the background. Answers at once with a run id; the result reaches you as a message when the run ' +
      'has ended. Chains can be declared in one go: later runs name earlier ones in chainAfter.',
    parameters: { type: 'object', properties, required: ['task'], additionalProperties: false },
  };
}
