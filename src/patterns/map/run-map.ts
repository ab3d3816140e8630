// One run of a map: a run of the worker for each item of a list, so many at once, and the join on what they gave.
// MAP-1. Items begin in the order of the list, and their results stand in it, whichever ends first.
// MAP-2. An item that fails is a part of the result, up to as many as may fail. A cancel, and a budget or a deadline of the
//        agent or of one above it, end the map as what they are.
// MAP-3. After a graceful stop no item begins. Those at work and the join give their last answer.
// MAP-4. Everything follows from recorded answers: a look for a stop that finds none is followed by another op.

import {
  type AgentName,
  parallelInTurn,
  perform,
  type Routine,
  type RunInput,
  type Trigger,
} from '../../kernel/effect.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import {
  type AnsweredOutcome,
  type BrokenOutcome,
  brokenOutcome,
  describe,
  isAnswered,
  isBroken,
  type Outcome,
} from '../../kernel/outcome.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { isJsonObject } from '../../kernel/schema-parts.ts';
import type { StepEnd, StepRun } from '../chain-step.ts';
import { payloadFault, reasonFrom, runHop, withoutReason } from '../hop.ts';
import { toolName } from '../pattern.ts';
import { closeSession, runAgent, stopWasAsked } from '../run-agent.ts';
import { carriedFiles, composeRequest, numberedItem, originOf, shownFiles } from '../sections.ts';
import { listIn, WHOLE } from './list.ts';
import type { MapStep } from './map.ts';
import { type EndedItem, itemLine, itemText, NOT_BEGUN, resultOf, resultSections } from './result.ts';

/** One run of a map, and the list that it goes through. */
interface MapRun {
  readonly step: MapStep;
  readonly at: StepRun;
  readonly items: readonly unknown[];
  /** The input of the worker for each of them. */
  readonly inputs: readonly RunInput[];
}

export function* runMap(step: MapStep, at: StepRun, answer: AnsweredOutcome): Routine<StepEnd> {
  yield* closeSession(answer);
  const items = listIn(answer.data, step.each);
  const inputs = items === undefined ? [{ path: `$.${step.each}`, message: 'is no list' }] : inputsFor(items, step, at);
  if (items === undefined || isRefused(inputs)) {
    const refused = brokenOutcome(payloadFault(at.upstream, step.to, inputs as readonly Violation[]));
    return { by: at.upstream, stands: true, outcome: { ...refused, agent: at.upstream } };
  }
  const map: MapRun = { step, at, items, inputs };
  const ends = yield* runItems(map);
  const ended = items.map((item, index): EndedItem => ({ item, outcome: ends.outcomes[index] ?? NOT_BEGUN }));
  const result = resultOf(ended);
  const counts = { count: items.length, answered: ended.filter(({ outcome }) => isAnswered(outcome)).length };
  const text = JSON.stringify(result);
  const broken = yield* brokenEnd(map, ends, counts.answered);
  if (broken !== undefined)
    return { by: at.upstream, stands: true, outcome: { ...broken, partial: text, items: counts } };
  const made: AnsweredOutcome = { kind: 'answered', agent: at.context.agent, text, data: result };
  const stoppedAfter = stoppedIn(map, ends.outcomes);
  if (stoppedAfter !== undefined)
    return { by: at.upstream, stands: true, outcome: { ...made, stoppedAfter, items: counts } };
  const shown = resultSections(ended);
  if (step.join !== undefined) {
    const end = yield* runHop({ to: step.join }, { ...at, shown }, made);
    return { ...end, outcome: { ...end.outcome, items: counts } };
  }
  return { by: at.upstream, stands: true, shown, outcome: { ...checked(made, at), items: counts } };
}

const isRefused = (inputs: readonly RunInput[] | readonly Violation[]): inputs is readonly Violation[] =>
  inputs.some((one) => 'path' in one);

/** The violations of items that the worker does not take, or else what it gets for each item. */
function inputsFor(
  items: readonly unknown[],
  { each, to, pass }: MapStep,
  { context, input, upstream }: StepRun,
): readonly RunInput[] | readonly Violation[] {
  const { input: takes } = context.card(to);
  const reason = reasonFrom(upstream);
  const origin = originOf(input.request);
  const carried = carriedFiles(input.request);
  if (takes.format !== 'json') {
    return items.map((item, index): RunInput => {
      const text = itemText(item);
      if (pass === 'item') return { text, reason, origin, ...carried };
      const told = composeRequest(origin, [numberedItem(index, items.length, text)]);
      return { ...told, reason, origin, ...shownFiles(input.request) };
    });
  }
  const { schema = true } = takes;
  const isTold = withoutReason(schema) !== schema;
  const all = items.map((item) => (isTold && isJsonObject(item) ? { ...item, reason } : item));
  const place = each === WHOLE ? '$' : `$.${each}`;
  const violations = all.flatMap((data, index) =>
    context.check(schema, data).map(({ path, message }) => ({ path: `${place}[${index}]${path.slice(1)}`, message })),
  );
  return violations.length > 0
    ? violations
    : all.map((data) => ({ text: JSON.stringify(data), data, reason, origin, ...carried }));
}

/** The ends of the runs, by the items. One without an end was not begun, or was cancelled because of others. */
interface ItemEnds {
  readonly outcomes: readonly (Outcome | undefined)[];
  /** A graceful stop came before all of them had begun. */
  readonly isStopped: boolean;
}

function* runItems(map: MapRun): Routine<ItemEnds> {
  const { step, at, inputs } = map;
  let isStopped = false;
  const branches = inputs.map(
    (input, index) =>
      function* (): Routine<Outcome> {
        if (yield* stopWasAsked(at.input)) {
          isStopped = true; // MAP-3
          return NOT_BEGUN;
        }
        const chainParent = toolName(at.upstream);
        const { trigger: chainTrigger } = at;
        const trigger: Trigger = { kind: 'each', chainTrigger, chainParent, index, count: inputs.length };
        return yield* runAgent({ agent: step.to, input, trigger });
      },
  );
  const outcomes = yield* parallelInTurn(
    branches,
    step.concurrent,
    (sofar) => fromAbove(map, sofar) !== undefined || hasTooManyFailures(map, sofar),
  );
  return { outcomes, isStopped };
}

/** The first end that a budget or a deadline of the agent, or of one above it, gave to an item (MAP-2). */
function fromAbove({ step, at }: MapRun, outcomes: readonly (Outcome | undefined)[]): BrokenOutcome | undefined {
  return outcomes.find((outcome): outcome is BrokenOutcome => {
    if (outcome === undefined || (outcome.kind !== 'over-budget' && outcome.kind !== 'timed-out')) return false;
    const { agent } = outcome.fault.details ?? {};
    return typeof agent === 'string' && !at.context.leadsTo(step.to, agent);
  });
}

/** The places of the items that failed. One that was cancelled did not fail. */
const failed = (map: MapRun, outcomes: readonly (Outcome | undefined)[]): readonly number[] =>
  map.items.flatMap((_, index) => {
    const outcome = outcomes[index];
    return outcome !== undefined && isBroken(outcome) && outcome.kind !== 'cancelled' ? [index] : [];
  });

/** Nothing is counted for a list that is no longer than the number that may fail. */
const hasTooManyFailures = (map: MapRun, outcomes: readonly (Outcome | undefined)[]): boolean =>
  map.step.failures < map.items.length && failed(map, outcomes).length > map.step.failures;

/** The end of a map that gives no result. */
function* brokenEnd(
  map: MapRun,
  { outcomes, isStopped }: ItemEnds,
  answered: number,
): Routine<BrokenOutcome | undefined> {
  const { step, at, items } = map;
  const above = fromAbove(map, outcomes);
  if (above !== undefined) return above;
  const failures = failed(map, outcomes);
  if (hasTooManyFailures(map, outcomes)) return tooMany(map, outcomes, failures);
  const isCut = items.some((_, index) => (outcomes[index] ?? NOT_BEGUN).kind === 'cancelled');
  if (isCut) {
    if (!isStopped && !(yield* stopWasAsked(at.input))) {
      yield* perform<'clock'>({ kind: 'clock' }); // MAP-4
      return cancelled(outcomes, step.to);
    }
    if (answered === 0 || step.join === undefined) return stopped(map, answered);
  }
  return items.length > 0 && answered === 0 ? tooMany(map, outcomes, failures) : undefined;
}

function cancelled(outcomes: readonly (Outcome | undefined)[], worker: AgentName): BrokenOutcome {
  const first = outcomes.find((outcome): outcome is BrokenOutcome => outcome?.kind === 'cancelled');
  return first ?? { ...brokenOutcome(fault('cancelled', `${worker} was cancelled before all items had begun.`)) };
}

function stopped({ items, at }: MapRun, answered: number): BrokenOutcome {
  const { agent } = at.context;
  const why = `${agent} was asked to stop, and ${answered} of ${items.length} items had an answer.`;
  return { ...brokenOutcome(fault('cancelled', why)), agent };
}

function tooMany(map: MapRun, outcomes: readonly (Outcome | undefined)[], failures: readonly number[]): BrokenOutcome {
  const { step, items } = map;
  const [first = 0] = failures;
  const outcome = outcomes[first] ?? NOT_BEGUN;
  const count = items.length;
  const how =
    failures.length > step.failures
      ? `${failures.length} of ${count} items failed, and ${step.failures} may`
      : `None of the ${count} items has an answer`;
  const why = `${how}. The first: item ${first + 1}, ${JSON.stringify(itemLine(items[first]))}: ${describe(outcome)}`;
  const cause: Fault = fault('each/failed', why, {
    index: first,
    count,
    failed: failures.length,
    item: { outcome: outcome.kind, ...(isBroken(outcome) && { code: outcome.fault.code }) },
  });
  return { ...brokenOutcome({ ...cause, stage: step.to }), agent: step.to };
}

/** The worker, or an agent below it, after which the run is to end. */
function stoppedIn({ step, at }: MapRun, outcomes: readonly (Outcome | undefined)[]): AgentName | undefined {
  if (at.context.stopAfter === step.to) return step.to;
  return outcomes.find((outcome) => outcome?.stoppedAfter !== undefined)?.stoppedAfter;
}

/** Nobody can repair a result that no agent wrote. */
function checked(made: AnsweredOutcome, { isLast, input, context }: StepRun): AnsweredOutcome | BrokenOutcome {
  const { format, schema } = (isLast ? input.contract : undefined) ?? {};
  const violations = format === 'json' && schema !== undefined ? context.check(schema, made.data) : [];
  if (violations.length === 0) return made;
  const why = `The result of the map of ${context.agent} does not satisfy the contract:\n${listViolations(violations)}`;
  return { ...brokenOutcome(fault('output/invalid', why, { violations }), made.text), agent: context.agent };
}
