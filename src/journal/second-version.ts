// Events of version 2, which Cadre 0.2.0 wrote, as version 3 has them: the op `subagent` is the `run` of a helper, its
// request the input of that run, and what it gave the outcome, with the record beside it.
// An event that is damaged stays as it is: its shape is checked later, and named as it was written.

import { fail, fault } from '../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../kernel/outcome.ts';
import { helperName, type SubagentCall, type SubagentErrorCode, type SubagentRecord } from '../kernel/subagent.ts';
import type { RunEvent } from './event.ts';

type Fields = Readonly<Record<string, unknown>>;

export function fromSecondVersion(event: unknown): unknown {
  const { type, kind, op, result } = event as Fields;
  if (type === 'op-start' && isFields(op) && op['kind'] === 'subagent') return { ...(event as Fields), op: runOf(op) };
  if (type !== 'op-end' || kind !== 'subagent') return event;
  const ended = { ...(event as Fields), kind: 'run' };
  return isFields(result) && isFields(result['value'])
    ? { ...ended, result: { ...result, value: outcomeOf(result['value']) } }
    : ended;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function runOf({ agent, depth, correlation_id, task_sha256, preview, request }: Fields): Fields {
  const { task, ...data } = isFields(request) ? request : {};
  return {
    kind: 'run',
    agent: typeof agent === 'string' ? helperName(agent) : agent,
    input: { text: task, data },
    trigger: { kind: 'subagent', depth, task_sha256, preview, correlation_id },
  };
}

function outcomeOf(value: Fields): Outcome {
  const {
    text = '',
    record: times,
    calls,
  } = value as {
    readonly text?: string;
    readonly record?: Pick<SubagentRecord, 'status' | 'started_at' | 'duration_ms'>;
    readonly calls?: readonly SubagentCall[];
  };
  const output = outputIn(text);
  const artifacts = Array.isArray(output['artifacts']) ? (output['artifacts'] as SubagentRecord['artifacts']) : [];
  const truncated = Array.isArray(output['truncated']) ? (output['truncated'] as SubagentRecord['truncated']) : [];
  const error = (output['error'] ?? null) as string | null;
  const error_code = (output['error_code'] ?? null) as SubagentErrorCode | null;
  const record = { ...times, artifacts, error, error_code, truncated, ...(calls && { calls }) } as SubagentRecord;
  const summary = typeof output['summary'] === 'string' ? output['summary'] : text;
  if (times?.status === 'success') return { kind: 'answered', text: summary, record };
  const why = fault(FAULT_OF[error_code ?? 'failed'] ?? 'tool/failed', error ?? 'The sub-agent failed.');
  return { ...brokenOutcome(why, summary), record };
}

function outputIn(text: string): Fields {
  try {
    const output: unknown = JSON.parse(text);
    return isFields(output) ? output : {};
  } catch {
    return {}; // an edited journal: its text is shown as it is
  }
}

const FAULT_OF: Readonly<Partial<Record<SubagentErrorCode, Parameters<typeof fault>[0]>>> = {
  timeout: 'timeout',
  cancelled: 'cancelled',
  over_budget: 'budget/exceeded',
  iterations_exhausted: 'turns/exhausted',
  validation: 'output/invalid',
  depth_exceeded: 'limit/depth',
};

/** The first version whose helpers can be driven again. */
const HELPERS_ARE_RUNS = 3;

/** Throws `journal/version` for a run of an earlier release that had a helper. It can be shown, and nothing can go on from it. */
export function refuseEarlierHelpers(events: readonly RunEvent[]): void {
  let version = HELPERS_ARE_RUNS;
  for (const event of events) {
    if (event.type === 'run-start' || event.type === 'run-resume') version = event.version ?? version;
    if (version >= HELPERS_ARE_RUNS || event.type !== 'op-start' || event.op.kind !== 'run') continue;
    if (event.op.trigger.kind !== 'subagent') continue;
    fail(
      'journal/version',
      `Cadre 0.2.0 recorded op ${event.path}, a call of the tool subagent, in a form that this release ` +
        'can show, but not replay or continue. Use Cadre 0.2.0 for that, fork the run before this op, or start it again.',
      { path: event.path },
    );
  }
}
