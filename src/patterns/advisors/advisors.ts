// `advisors`: agents that are all asked first, at the same time, and whose findings the session starts on.

import { type AgentName, parallel, parallelUntil, type Routine, type RunInput } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, describe, isAnswered, isBroken, type Outcome } from '../../kernel/outcome.ts';
import { footer } from '../chat/clarification.ts';
import type { Child } from '../children.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { now, runAgent, withPartial } from '../run-agent.ts';
import { analysisGathered, baseOf, composeRequest, sameRequest } from '../sections.ts';

export type AdvisorsPolicy =
  | { readonly kind: 'isolate' }
  | { readonly kind: 'all' }
  | { readonly kind: 'quorum'; readonly count: number };

export interface AdvisorsConfig {
  readonly agents: readonly AgentName[];
  readonly timeoutMs?: number;
  readonly policy: AdvisorsPolicy;
}

interface AdvisorReport {
  readonly advisor: string;
  /** Undefined: it was cancelled because enough others had answered. */
  readonly outcome: Outcome | undefined;
  readonly afterMs: number;
}

export const advisors =
  (config: AdvisorsConfig, context: PatternContext): Wrap =>
  (inner) =>
    function* (input) {
      const { request } = input;
      const reports = yield* consult(config, context, request);
      const missing = lacking(reports, config, context);
      if (missing !== undefined) return missing;
      const told = reports.map((report) => ({ advisor: report.advisor, text: reportText(report) }));
      const askable = reports.map(({ advisor, outcome }) =>
        outcome === undefined ? undefined : context.children.admit(advisor, outcome, context.card(advisor).chat),
      );
      const analysis = analysisGathered(told);
      // The agent that is handed this analysis by a router cannot ask its advisors.
      const own = analysisGathered(
        told.map((report, index) => ({ ...report, ending: endingOf(askable[index], context) })),
      );
      const enriched = composeRequest(baseOf(request), [...(request.sections ?? []), own]);
      return yield* inner({ ...input, request: { ...request, ...enriched }, analysis });
    };

/** One request to all advisors of an agent. */
function* consult(
  { agents, policy, timeoutMs }: AdvisorsConfig,
  context: PatternContext,
  request: RunInput,
): Routine<readonly AdvisorReport[]> {
  const began = yield* now();
  const branches = agents.map(
    (advisor) =>
      function* (): Routine<AdvisorReport> {
        const outcome = yield* runAgent({
          agent: advisor,
          input: sameRequest(request),
          trigger: { kind: 'advisor' },
          limits: timeoutMs === undefined ? undefined : { ms: timeoutMs },
          keep: context.card(advisor).chat || undefined,
        });
        return { advisor, outcome, afterMs: isAnswered(outcome) ? 0 : (yield* now()) - began };
      },
  );
  const reports =
    policy.kind === 'isolate'
      ? yield* parallel(branches)
      : yield* parallelUntil(branches, (sofar) =>
          policy.kind === 'quorum'
            ? answers(sofar) >= policy.count
            : sofar.some((report) => report && !answered(report)),
        );
  return agents.map((advisor, index) => reports[index] ?? { advisor, outcome: undefined, afterMs: 0 });
}

const answered = (report: AdvisorReport): boolean => report.outcome !== undefined && isAnswered(report.outcome);
const answers = (reports: readonly (AdvisorReport | undefined)[]): number =>
  reports.filter((report) => report && answered(report)).length;

/** The outcome if too few advisors answered for the policy. */
function lacking(
  reports: readonly AdvisorReport[],
  { policy }: AdvisorsConfig,
  context: PatternContext,
): Outcome | undefined {
  if (policy.kind === 'isolate') return undefined;
  const needed = policy.kind === 'all' ? reports.length : policy.count;
  if (answers(reports) >= needed) return undefined;
  const failures = reports.filter((report) => report.outcome && !answered(report));
  const first = failures[0]?.outcome;
  if (first?.kind === 'cancelled') return first;
  const why = failures.map(({ advisor, outcome }) => `${advisor} ${outcome ? describe(outcome) : ''}`).join('; ');
  const cause = fault(
    'advisors/failed',
    `${answers(reports)} of ${needed} required advisors of ${context.agent} answered: ${why}`,
  );
  return { ...brokenOutcome({ ...cause, stage: failures[0]?.advisor ?? context.agent }), agent: context.agent };
}

/** The words by which the agent asks this advisor again. By the rules before revision 3, its tool said so. */
const endingOf = (child: Child | undefined, { rules }: PatternContext): string =>
  child === undefined || !rules.keepsTools ? '' : `\n\n${footer(child)}`;

/** Its answer unchanged, or a report of what happened instead. */
function reportText({ outcome, afterMs, advisor }: AdvisorReport): string {
  if (outcome === undefined) return `${advisor} was cancelled: enough other advisors had answered.`;
  if (isAnswered(outcome)) return outcome.text;
  const what = `${advisor} did not answer. Outcome after ${(afterMs / 1000).toFixed(1)} s: ${describe(outcome)}`;
  const partial = isBroken(outcome) ? outcome.partial : undefined;
  return withPartial(what, partial);
}
