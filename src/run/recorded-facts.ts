// The facts of agents as a run finds them out: once for each agent, and recorded.

import type { AgentDefinition } from '../definition/definition.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { abortFault, anyStop, orAborted } from '../world/abort.ts';
import type { AgentCall } from '../world/stack/nested.ts';
import { shownWaiting } from '../world/waiting.ts';
import { type AgentFacts, factsKey, NO_FACTS } from './agent-facts.ts';
import type { DrivenRun } from './driven-run.ts';
import { questionsBelow } from './questions-below.ts';
import { signedIn } from './signed-in.ts';
import { usesServers } from './uses-servers.ts';

/** Rejects if they cannot be found out, and with the signal's reason once it is aborted. */
export type FactsFor = (
  agent: AgentDefinition,
  call: Pick<AgentCall, 'path' | 'signal' | 'show' | 'op'>,
) => AgentFacts | Promise<AgentFacts>;

/** Servers that have to start first are shown as what the run waits for. */
export function shownFacts(facts: FactsFor): FactsFor {
  return (agent, op) => {
    const found = facts(agent, op);
    if (!(found instanceof Promise)) return found;
    const servers = agent.tools.filter((name) => name.startsWith('mcp:')).map((name) => name.replace(/\/.*/, ''));
    if (servers.length === 0) return found;
    return shownWaiting(op.show, { path: op.path, for: 'tools', names: [...new Set(servers)] }, found);
  };
}

/**
 * Facts are found out once for each run and agent, and recorded, because a replay has no tool servers to ask. If that
 * fails, nothing is recorded, and the agent's next run in this run tries again.
 */
export function recordedFacts(run: DrivenRun): FactsFor {
  const known = new Map<string, AgentFacts>();
  const note = (found: AgentFacts, agent: AgentDefinition, key: string): AgentFacts => {
    const before = known.get(key); // two runs of one agent may have waited for the same tools
    if (before !== undefined) return before;
    known.set(key, found);
    const saysMore = found.contextWindow !== undefined || found.sight !== undefined;
    if (agent.tools.length > 0 || found.tools.length > 0 || saysMore) {
      run.journal.append({ type: 'fact', key, value: found });
    }
    return found;
  };
  return (agent, op) => {
    const key = factsKey(agent.name);
    const before = known.get(key) ?? (run.journal.fact(key) as AgentFacts | undefined);
    if (before !== undefined) return before;
    if (run.journal.isReplay) return NO_FACTS;
    const opens = agent.tools.length > 0;
    const stop = run.graceful !== undefined && usesServers(agent) ? anyStop(op.signal, run.graceful) : op.signal;
    if (opens && stop.aborted) return Promise.reject(unopened(new FaultError(abortFault(stop)), agent, op, run));
    const found = run.facts(agent, stop);
    if (!(found instanceof Promise)) return note(found, agent, key);
    const finding = opens ? opened(found, { agent, op: op.op, stop, run }) : found;
    return finding.then(
      (facts) => note(facts, agent, key),
      (thrown: unknown) => Promise.reject(unopened(thrown, agent, op, run)),
    );
  };
}

/** Tools that a server gives to nobody but who has signed in. */
function opened(
  first: Promise<AgentFacts>,
  {
    agent,
    op,
    stop,
    run,
  }: {
    readonly agent: AgentDefinition;
    readonly op: AgentCall['op'];
    readonly stop: StopSignal;
    readonly run: DrivenRun;
  },
): Promise<AgentFacts> {
  if (op === undefined) return orAborted(first, stop);
  const ask = questionsBelow(op, run.journal, { where: 'before a run', signal: stop });
  let next: Promise<AgentFacts> | undefined = first;
  return signedIn(() => {
    const facts = next ?? Promise.resolve(run.facts(agent, stop));
    next = undefined;
    return orAborted(facts, stop);
  }, ask);
}

/**
 * The record of a fork may hold what an agent did with its tools, and not the tools. It cannot end then as if it had
 * not begun: the caller gets a fault, and the run stays as it is.
 */
function unopened(
  thrown: unknown,
  agent: AgentDefinition,
  { path }: Pick<AgentCall, 'path'>,
  { journal }: DrivenRun,
): unknown {
  if (!(thrown instanceof FaultError) || !journal.isReached(path)) return thrown;
  const why = `${agent.name} cannot go on at op ${path}: ${thrown.fault.message}`;
  return new FaultError(fault('journal/divergence', `${why}\nThe run is kept. Resume it when its tools are there.`));
}
