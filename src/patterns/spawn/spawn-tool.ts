// sessions_spawn: starts runs in the background and answers at once, with an id for each accepted run.

import { launch, type Routine, type SessionRef } from '../../kernel/effect.ts';
import type { ToolResult } from '../../kernel/message.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import type { SpawnId, SpawnReceipt } from '../../kernel/spawned.ts';
import { jsonLine } from '../quote-text.ts';
import { briefSpawnSpec } from './brief-specs.ts';
import type { Gift } from './family.ts';
import { fullSpawnSpec } from './full-specs.ts';
import type { SpawnConfig } from './key.ts';
import { plan, type SpawnCall, type Spawner, type SpawnPlan, type Task } from './plan.ts';
import { dependencyRuns, spawnedRun } from './spawned-run.ts';

export function spawnTool(config: SpawnConfig, spawner: Spawner, session: SessionRef): SessionTool {
  return {
    ...specsFor(config, spawner.context.rules.keepsTools),
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

type SpawnSpecs = Pick<SessionTool, 'spec' | 'held'>;

/** The same objects for every session of an agent, so that the schema is compiled once. */
const specs = new WeakMap<SpawnConfig, { readonly brief: SpawnSpecs; readonly full: SpawnSpecs }>();

function specsFor(config: SpawnConfig, isBrief: boolean): SpawnSpecs {
  const known = specs.get(config) ?? specsOf(config);
  specs.set(config, known);
  return isBrief ? known.brief : known.full;
}

function specsOf(config: SpawnConfig): { readonly brief: SpawnSpecs; readonly full: SpawnSpecs } {
  const full = fullSpawnSpec(config);
  return { brief: { spec: briefSpawnSpec(config), held: full.parameters }, full: { spec: full } };
}
