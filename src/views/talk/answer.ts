// Finds who gave the answer of a run, and what led to it: the agent's own calls, those of everyone before it (upstream
// stages, the router, advisors, members of its team) and the calls that other agents made for these.
// ANSWER-1. A stage that another one replaced (`else`) led nowhere: it was paid for, and its answer was never used.

import type { OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import { isAnswered, type Outcome } from '../../kernel/outcome.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import type { AgentRun, Lineage } from '../lineage.ts';

/** `runs` has been given each event already. */
export function answerFold(runs: Lineage) {
  /** The stages of each run, in the order in which they began. */
  const stages = new Map<OpPath, AgentRun[]>();
  /** The agent that answered for each run, if its own session did not. */
  const answerers = new Map<OpPath, AgentRun>();
  const replaced = new Set<OpPath>();
  let answered = false;

  const begin = ({ path, op }: OpStart): void => {
    const place = runs.at(path);
    if (op.kind !== 'run' || place?.parent === undefined || !triggerTraits(place.trigger).answers) return;
    const before = stages.get(place.parent.path) ?? [];
    const { insteadOf } = place.trigger;
    const gaveWay = insteadOf === undefined ? undefined : before.findLast(({ agent }) => agent === insteadOf);
    if (gaveWay !== undefined) replaced.add(gaveWay.path); // ANSWER-1
    before.push(place);
    stages.set(place.parent.path, before);
  };
  const end = ({ path, result }: OpEnd): void => {
    const place = runs.at(path);
    if (place?.parent === undefined || !triggerTraits(place.trigger).answers) return;
    if (result.ok && isFinal(result.value as Outcome)) answerers.set(place.parent.path, place);
  };
  return {
    add(event: RunEvent): void {
      if (event.type === 'op-start') begin(event);
      else if (event.type === 'op-end' && (event.kind === 'run' || event.kind === 'say')) end(event);
      else if (event.type === 'run-end') answered = isAnswered(event.outcome);
    },
    /** The run, or the further message to a session, that gave the answer; undefined while there is none. */
    place(): AgentRun | undefined {
      let place = answered ? runs.at(ROOT) : undefined;
      for (let next = place; next !== undefined; next = answerers.get(next.path)) place = next;
      return place;
    },
    /** True if an op led to the answer. */
    led(path: OpPath): boolean {
      for (let place = runs.above(path); place !== undefined; place = place.parent)
        if (replaced.has(place.path)) return false;
      return true;
    },
  };
}

/** A broadcast ends only a participant's part in a cycle of its team. */
const isFinal = (outcome: Outcome): boolean => isAnswered(outcome) && outcome.broadcast === undefined;
