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
import type { LiveRun } from '../driven-run.ts';
import { isCounted, setAside } from './budget-share.ts';
import { openChildCalls } from './child-calls.ts';
import { environmentOf, type SubagentJob, sourcesFor } from './job.ts';
import { approvedFor, errorFormOf, helperOf, parentSpec } from './subagent.ts';
import { type ChildStory, runChild } from './subprocess.ts';

/** The most bytes that are read from a child: its output, what it reports on the way, and slack. */
const capFor = (maxOutputBytes: number, calls: number): number => (calls + 4) * (6 * maxOutputBytes + 65_536);

export const helpersInProcesses = (run: LiveRun): LiveParts['helpers'] => ({
  async run(effect, op): Promise<SubagentResult> {
    const startedAt = op.since ?? run.environment.now();
    const { ending, calls, approvals } = await delegate(effect, op, op.scope.runBudget, run);
    const result = resultOf(
      ending,
      effect.limits,
      { startedAt, endedAt: run.environment.now() },
      op.path,
      errorFormOf(run.start.kernel),
    );
    return { ...result, calls, ...(approvals.length > 0 && { approvals }) };
  },
});

type Delegated = { readonly ending: Ending } & Pick<ChildStory, 'calls' | 'approvals'>;

async function delegate(
  effect: SubagentEffect,
  op: RunnerOp,
  runBudget: RunBudget | undefined,
  run: LiveRun,
): Promise<Delegated> {
  const { definition, cadre } = run;
  const { helperHost: host, contextWindow } = cadre.resources;
  const agent = definition.agents.get(effect.agent);
  if (agent === undefined) throw new Error(`the checked cadre has no agent ${effect.agent}`);
  const command = host?.command();
  if (host === undefined || command === undefined) return unstarted(NOTHING_TO_START);
  const sources = sourcesFor(agent, definition.config);
  const env = {
    ...environmentOf(agent, sources, host.environment()),
    ...traceFor(run.start.run, op, definition.config),
  };
  const parent = parentSpec(agent, await contextWindow(agent));
  const share = setAside(runBudget, definition); // from here on nothing throws before it is settled
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
    correlation: `${run.start.run}/${op.path}`,
    job,
    capBytes,
    redactor: cadre.secrets ?? NOTHING_SECRET,
    ...openChildCalls(helperOf(agent), job.approve, run, op.path),
  };
  const story = await runChild(order, op.signal);
  share.settle(story.calls);
  const { calls, approvals } = story;
  return { ending: endingOf(story, effect, op, run.environment.services.check), calls, approvals };
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
