// The runner of helpers in processes of their own: starts one, checks what it hands back, and makes the output.

import type { CadreConfig } from '../../agents/definition.ts';
import { isTelemetryOn } from '../../agents/read/config/config-telemetry.ts';
import type { RunId } from '../../journal/event.ts';
import { spanOf, traceOf, traceparentFor } from '../../journal/trace-context.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import type { SchemaCheck } from '../../kernel/schema.ts';
import type { SubagentResult } from '../../kernel/subagent.ts';
import { endingOfOutput } from '../../patterns/subagent/child-output.ts';
import { malformed } from '../../patterns/subagent/helper.ts';
import { brokenBy, type Ending, lateMessage, resultOf } from '../../patterns/subagent/output.ts';
import { abortFault } from '../../world/abort.ts';
import type { LiveParts } from '../../world/live.ts';
import type { RunBudget } from '../../world/state/budgets.ts';
import type { RunnerOp, SubagentEffect } from '../../world/subagent-runner.ts';
import type { Approver, CadreAssembly } from '../resources.ts';
import type { Verdicts } from '../verdicts.ts';
import { isCounted, setAside } from './budget-share.ts';
import { openChildCalls } from './child-calls.ts';
import { environmentOf, type SubagentJob, sourcesFor } from './job.ts';
import { approvedFor, errorFormOf, helperOf, parentSpec } from './subagent.ts';
import { type ChildStory, runChild } from './subprocess.ts';

interface ProcessRunnerParts {
  readonly run: RunId;
  readonly assembly: CadreAssembly;
  /** Models that replace those of the agent's file. */
  readonly models?: readonly string[] | undefined;
  readonly check: SchemaCheck;
  readonly approve: Approver;
  readonly verdicts: Pick<Verdicts, 'standing'>;
  /** The revision of the kernel that began the run. */
  readonly kernel: number;
  now(): number;
}

/** The most bytes that are read from a child: its output, what it reports on the way, and slack. */
const capFor = (maxOutputBytes: number, calls: number): number => (calls + 4) * (6 * maxOutputBytes + 65_536);

export const helpersInProcesses = (parts: ProcessRunnerParts): LiveParts['helpers'] => ({
  async run(effect, op): Promise<SubagentResult> {
    const startedAt = op.since ?? parts.now();
    const { ending, calls, approvals } = await delegate(effect, op, op.scope.runBudget, parts);
    const result = resultOf(
      ending,
      effect.limits,
      { startedAt, endedAt: parts.now() },
      op.path,
      errorFormOf(parts.kernel),
    );
    return { ...result, calls, ...(approvals.length > 0 && { approvals }) };
  },
});

type Delegated = { readonly ending: Ending } & Pick<ChildStory, 'calls' | 'approvals'>;

async function delegate(
  effect: SubagentEffect,
  op: RunnerOp,
  runBudget: RunBudget | undefined,
  parts: ProcessRunnerParts,
): Promise<Delegated> {
  const { assembly, run } = parts;
  const { cadre, helperHost: host } = assembly;
  const found = cadre.agents.get(effect.agent);
  if (found === undefined) throw new Error(`the checked cadre has no agent ${effect.agent}`);
  const agent = parts.models === undefined ? found : { ...found, models: parts.models };
  const command = host?.command();
  if (host === undefined || command === undefined) return unstarted(NOTHING_TO_START);
  const sources = sourcesFor(agent, cadre.config);
  const env = { ...environmentOf(agent, sources, host.environment()), ...traceFor(run, op, cadre.config) };
  const parent = parentSpec(agent, await assembly.contextWindow(agent));
  const share = setAside(runBudget, cadre); // from here on nothing throws before it is settled
  if ('code' in share) return { ending: brokenBy('over_budget', share.message), calls: [], approvals: [] };
  const job: SubagentJob = {
    effect: { ...effect, limits: { ...effect.limits, runner: 'in-process' } },
    parent,
    approve: approvedFor(agent),
    sources,
    isCounted: isCounted(runBudget),
    ...(share.budgetLimits !== undefined && { budgetLimits: share.budgetLimits }),
  };
  const capBytes = capFor(effect.limits.maxOutputBytes, effect.request.maxIterations * agent.maxRetries * 2);
  const order = {
    command: { ...command, env, cwd: host.workspace },
    correlation: `${run}/${op.path}`,
    job,
    capBytes,
    redactor: assembly.secrets ?? NOTHING_SECRET,
    ...openChildCalls(helperOf(agent), job.approve, parts, { run, op: op.path }),
  };
  const story = await runChild(order, op.signal);
  share.settle(story.calls);
  const { calls, approvals } = story;
  return { ending: endingOf(story, effect, op, parts.check), calls, approvals };
}

/** What the process starts itself may continue the run's trace. Its model calls are traced from our own record. */
function traceFor(run: RunId, { path }: RunnerOp, config: CadreConfig): Readonly<Record<string, string>> {
  if (!isTelemetryOn(config, process.env)) return {};
  return { TRACEPARENT: traceparentFor(traceOf(run, process.env['TRACEPARENT']), spanOf(run, path)) };
}

const NOTHING_TO_START =
  'the built command line of Cadre is not there to start. Run "npm run build", or use runner: in-process.';

const unstarted = (why: string): Delegated => ({
  ending: brokenBy('start_failed', `The sub-agent's process could not be started: ${why}`),
  calls: [],
  approvals: [],
});

function endingOf({ end, text }: ChildStory, effect: SubagentEffect, op: RunnerOp, check: SchemaCheck): Ending {
  switch (end.kind) {
    case 'result':
      return endingOfOutput(end.output, effect.limits, check);
    case 'malformed':
      return brokenBy('validation', malformed(end.violations), text);
    case 'too-large':
      return brokenBy('output_too_large', `The sub-agent said more than ${end.capBytes} bytes and was ended.`, text);
    case 'not-started':
      return unstarted(end.message).ending;
    case 'silent':
      return brokenBy('failed', `The sub-agent's process ended without a result. ${end.message}`, text);
    case 'aborted':
      return aborted(op, effect, text);
  }
}

function aborted(op: RunnerOp, { request }: SubagentEffect, partial: string): Ending {
  const fault = abortFault(op.signal);
  if (fault.code === 'timeout') return brokenBy('timeout', lateMessage(request.timeoutSeconds), partial);
  return brokenBy(fault.code === 'budget/exceeded' ? 'over_budget' : 'cancelled', fault.message, partial);
}
