// The most that tests can call and cost before they are started. Cases that a script or a recording answers call no
// model and count as free; budgets and timeouts may end a run earlier, and the bound ignores them.

import { aloneName } from '../definition/alone-name.ts';
import { costBounds } from '../definition/check/cost-bound.ts';
import { cadreBounds } from '../definition/check/known-window.ts';
import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import { agentIn } from '../engine/request.ts';
import type { AgentName } from '../kernel/effect.ts';
import type { CandidateKind, TestHead } from '../views/tests/test-record.ts';
import { whyNoAlone, withAlone } from './alone.ts';
import { cadreOfCase, remoteModels } from './case-model.ts';
import type { FoundFile } from './find-tests.ts';
import { candidatesIn } from './suite.ts';
import type { TestCase } from './test-case.ts';
import type { TestChoice } from './test-command.ts';

export interface SuiteBound {
  readonly cases: number;
  /** Each case with each candidate, as often as it is run. */
  readonly tries: number;
  readonly candidates: NonNullable<TestHead['candidates']>;
  /** Model calls. Undefined: no bound is known. */
  readonly calls: bigint | undefined;
  readonly usd: number | undefined;
  /** The reason why one of both is not known. */
  readonly why?: string;
}

interface MostSpent {
  readonly calls: bigint | undefined;
  readonly usd: number | undefined;
  readonly why?: string | undefined;
}

const NOTHING: MostSpent = { calls: 0n, usd: 0 };

/** Throws `agent/unknown` and `agent/invalid` for a case that names an agent which cannot run. */
export function suiteBound(
  files: readonly FoundFile[],
  { models, alone, times }: Pick<TestChoice, 'models' | 'alone' | 'times'>,
): SuiteBound {
  const candidates = candidatesIn({ models, alone });
  const cadreFor = casesCadres();
  const runs = runBounds();
  const cases = files.flatMap(({ cadre, cases: own }) => own.map((test) => ({ cadre, test })));
  let most = NOTHING;
  for (const { cadre, test } of cases)
    for (const { kind, model } of candidates)
      most = sumOf(most, timesOf(times, caseBound(cadreFor(cadre, test, model), test, kind, runs)));
  const { calls, usd, why } = most;
  return {
    cases: cases.length,
    tries: cases.length * candidates.length * times,
    candidates,
    calls,
    usd,
    ...(why !== undefined && { why }),
  };
}

/** One object for the same agents with the same models. */
function casesCadres(): (cadre: CadreDefinition, test: TestCase, model: string | undefined) => CadreDefinition {
  const known = new Map<string, CadreDefinition>();
  return (cadre, test, model) => {
    const key = JSON.stringify([cadre.folder, model ?? test.model]);
    const one = known.get(key) ?? cadreOfCase(cadre, test.model, model, { add: false });
    known.set(key, one);
    return one;
  };
}

type RunBounds = (cadre: CadreDefinition, agent: AgentDefinition, kind: CandidateKind) => MostSpent;

function caseBound(cadre: CadreDefinition, test: TestCase, kind: CandidateKind, runs: RunBounds): MostSpent {
  const agent = agentIn(cadre, test.agent);
  const { judge } = test.expect;
  const judging = judge === undefined ? undefined : agentIn(cadre, judge.agent);
  if (remoteModels(cadre).length === 0) return NOTHING;
  if (kind === 'alone' && whyNoAlone(test, cadre, agent) !== undefined) return NOTHING;
  const own = timesOf(test.inputs.length, runs(cadre, agent, kind));
  if (judge === undefined || judging === undefined) return own;
  return sumOf(own, timesOf(judge.repeat, runs(cadre, judging, 'team')));
}

/** The bound of a run is worked out once for each agent of a cadre, and once for the one in place of its team. */
function runBounds(): RunBounds {
  const known = new Map<CadreDefinition, Map<string, MostSpent>>();
  return (cadre, agent, kind) => {
    const own = known.get(cadre) ?? new Map<string, MostSpent>();
    known.set(cadre, own);
    const key = `${kind} ${agent.name}`;
    const bound = own.get(key) ?? mostOf(cadre, agent, kind);
    own.set(key, bound);
    return bound;
  };
}

const mostOf = (cadre: CadreDefinition, agent: AgentDefinition, kind: CandidateKind): MostSpent =>
  kind === 'alone' ? runBound(withAlone(cadre, agent, undefined), aloneName(agent.name)) : runBound(cadre, agent.name);

function runBound(cadre: CadreDefinition, name: AgentName): MostSpent {
  const bound = cadreBounds(cadre).get(name);
  const cost = costBounds(cadre).get(name);
  if (bound?.kind !== 'bounded') return { calls: undefined, usd: undefined, why: bound?.reason };
  if (cost?.kind !== 'known') return { calls: bound.attempts, usd: undefined, why: cost?.why };
  return { calls: bound.attempts, usd: cost.usd };
}

const timesOf = (times: number, { calls, usd, why }: MostSpent): MostSpent => ({
  calls: calls === undefined ? undefined : calls * BigInt(times),
  usd: usd === undefined ? undefined : usd * times,
  why,
});

const sumOf = (one: MostSpent, other: MostSpent): MostSpent => ({
  calls: one.calls === undefined || other.calls === undefined ? undefined : one.calls + other.calls,
  usd: one.usd === undefined || other.usd === undefined ? undefined : one.usd + other.usd,
  why: one.why ?? other.why,
});
