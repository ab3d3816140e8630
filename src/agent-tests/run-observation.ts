// The observation of a run for a test: its end, the agents and their inputs, the tools that were called, and the cost.
// A fold of its events.

import type { RunEvent, RunId } from '../journal/event.ts';
import { isAnswered, type Outcome } from '../kernel/outcome.ts';
import { ledgerFold, type Totals } from '../views/costs/ledger.ts';
import { type OpNode, opTree } from '../views/tree/op-tree.ts';

export interface ObservedCall {
  readonly name: string;
  /** The text that an agent was given. */
  readonly text?: string;
  /** The arguments of a tool, or the JSON that an agent was given. */
  readonly data?: unknown;
}

/** The map of an agent: the length of its list, and the items that have an answer. */
export interface ObservedMap {
  readonly agent: string;
  readonly count: number;
  readonly answered: number;
}

export interface RunObservation {
  readonly run: RunId;
  readonly outcome: Outcome;
  /** The text of the answer; of the partial output if there is none. */
  readonly text: string;
  /** The value of a JSON answer. */
  readonly data?: unknown;
  /** The agents in the order in which they began. The first is the agent that the run was started with. */
  readonly agents: readonly ObservedCall[];
  readonly tools: readonly ObservedCall[];
  /** Its loops, in the order in which they began: the agent, and how many of its answers were judged. */
  readonly loops: readonly { readonly agent: string; readonly rounds: number }[];
  /** The chains that took cases, in the order in which they began: the agent, and its cases in their order. */
  readonly branches: readonly { readonly agent: string; readonly cases: readonly string[] }[];
  /** The maps that ran, in the order of the tree. A list without items runs none. */
  readonly maps: readonly ObservedMap[];
  readonly totals: Totals;
  readonly ms: number;
  readonly events: readonly RunEvent[];
}

/** Undefined if the run has not ended. */
export function observeRun(events: readonly RunEvent[]): RunObservation | undefined {
  const book = ledgerFold();
  const agents: ObservedCall[] = [];
  const tools: ObservedCall[] = [];
  for (const event of events) {
    book.add(event);
    if (event.type === 'run-start') agents.push({ name: event.agent, text: event.input.text, data: event.input.data });
    if (event.type !== 'op-start') continue;
    const { op } = event;
    if (op.kind === 'run') agents.push({ name: op.agent, text: op.input.text, data: op.input.data });
    else if (op.kind === 'tool') tools.push({ name: op.call.name, data: op.call.arguments });
  }
  book.settle();
  const [start, end] = [events[0], events.at(-1)];
  if (start?.type !== 'run-start' || end?.type !== 'run-end') return undefined;
  const { outcome } = end;
  const tree = opTree(events);
  const data = isAnswered(outcome) ? outcome.data : undefined;
  return {
    run: start.run,
    outcome,
    text: isAnswered(outcome) ? outcome.text : 'partial' in outcome ? (outcome.partial ?? '') : '',
    ...(data !== undefined && { data }),
    agents,
    tools,
    loops: loopsIn(tree),
    branches: branchesIn(tree),
    maps: mapsIn(tree),
    totals: book.ledger().totals,
    ms: end.at - start.at,
    events,
  };
}

const mapsIn = ({ agent, items, children }: OpNode): RunObservation['maps'] => [
  ...(agent === undefined || items === undefined ? [] : [{ agent, count: items.count, answered: items.answered }]),
  ...children.flatMap(mapsIn),
];

const loopsIn = ({ agent, rounds, children }: OpNode): RunObservation['loops'] => [
  ...(agent === undefined || rounds === undefined ? [] : [{ agent, rounds }]),
  ...children.flatMap(loopsIn),
];

const branchesIn = ({ agent, cases, children }: OpNode): RunObservation['branches'] => [
  ...(agent === undefined || cases === undefined ? [] : [{ agent, cases }]),
  ...children.flatMap(branchesIn),
];
