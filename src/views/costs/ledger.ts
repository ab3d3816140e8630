// The ledger: every model call of a run on one line, however deep it was, and what they sum up to.
// An agent's own total is what its sessions called; its inclusive one adds all that was called below its runs, each
// call once. What a team's members called also counts towards its supervisor. The answer of the run has a total of its
// own, with the cost of everything that led to it.

import { atOnce, type RestingWork } from '../../base/text/steps.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { AgentName, Trigger } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type AgentRun, Lineage } from '../lineage.ts';
import { answerFold } from '../talk/answer.ts';
import { type LedgerLine, ledgerLineFold } from './calls.ts';
import { type Counter, count, counter, sum, type Totals, totalsOf } from './totals.ts';

export type { LedgerLine } from './calls.ts';
export type { Totals } from './totals.ts';

interface Share {
  readonly own: Totals;
  readonly inclusive: Totals;
}

export interface Ledger {
  readonly lines: readonly LedgerLine[];
  readonly totals: Totals;
  readonly agents: readonly ({ readonly agent: AgentName } & Share)[];
  readonly triggers: readonly ({ readonly trigger: Trigger['kind'] } & Share)[];
  /** Absent if the run has not ended with an answer. */
  readonly answer?: {
    /** The agent that gave the answer, and the run, or the further message to its session, in which it did. */
    readonly agent: AgentName;
    readonly path: OpPath;
    /** The calls of its own session. */
    readonly own: Totals;
    /** Everything that led to the answer, including the agent's own calls. */
    readonly lineage: Totals;
    /** The rest of the run: stages that another one replaced, with everything below them. */
    readonly abandoned: Totals;
  };
}

export interface ViewOptions {
  /** A process works on the run now: what has begun and not ended is running, not in doubt. */
  readonly live?: boolean;
}

export function ledger(events: Iterable<RunEvent>, options: ViewOptions = {}): Ledger {
  const fold = ledgerFold();
  for (const event of events) fold.add(event);
  if (options.live !== true) fold.settle();
  return fold.ledger();
}

export function ledgerFold() {
  const lines: LedgerLine[] = [];
  const runs = new Lineage();
  const calls = ledgerLineFold((line) => lines.push(line), runs);
  const answer = answerFold(runs);
  /** The supervisors of each team, by the path of the team's run. */
  const supervisors = new Map<OpPath, Set<AgentName>>();

  const note = (place: AgentRun | undefined): void => {
    if (place?.trigger.kind !== 'supervisor' || place.parent === undefined) return;
    const known = supervisors.get(place.parent.path) ?? new Set();
    supervisors.set(place.parent.path, known.add(place.agent));
  };
  /** Every agent that a call counts towards. */
  const agentsAbove = (line: LedgerLine): ReadonlySet<AgentName> => {
    const names = new Set([line.agent]);
    for (let place = runs.above(line.path); place !== undefined; place = place.parent) {
      names.add(place.agent);
      if (place.trigger.kind !== 'member' || place.parent === undefined) continue;
      for (const name of supervisors.get(place.parent.path) ?? []) names.add(name);
    }
    return names;
  };
  const triggersAbove = (line: LedgerLine): ReadonlySet<Trigger['kind']> => {
    const kinds = new Set([line.trigger]);
    for (let place = runs.above(line.path); place !== undefined; place = place.parent) kinds.add(place.trigger.kind);
    return kinds;
  };

  const answerCost = () => {
    const place = answer.place();
    if (place === undefined) return undefined;
    const { agent, path, session } = place;
    const own = sum(lines.filter((line) => line.session === session));
    const lineage = sum(lines.filter((line) => answer.led(line.path)));
    return { agent, path, own, lineage, abandoned: sum(lines.filter((line) => !answer.led(line.path))) };
  };

  const ledgerSteps = function* (): RestingWork<Ledger> {
    const cost = answerCost();
    const agents = yield* shares(lines, (line) => line.agent, agentsAbove);
    const triggers = yield* shares(lines, (line) => line.trigger, triggersAbove);
    return {
      lines: [...lines],
      totals: sum(lines),
      agents: agents.map(([agent, share]) => ({ agent, ...share })),
      triggers: triggers.map(([trigger, share]) => ({ trigger, ...share })),
      ...(cost !== undefined && { answer: cost }),
    };
  };
  return {
    settle: (): void => calls.settle(),
    add(event: RunEvent): void {
      calls.add(event);
      answer.add(event);
      if (event.type === 'op-start') note(runs.at(event.path));
    },
    ledger: (): Ledger => atOnce(ledgerSteps()),
    /** The same, for a long ledger. */
    ledgerSteps,
  };
}

/** The agents in the order in which they first appear. */
function* shares<Key>(
  lines: readonly LedgerLine[],
  ownerOf: (line: LedgerLine) => Key,
  allAbove: (line: LedgerLine) => ReadonlySet<Key>,
): RestingWork<readonly (readonly [Key, Share])[]> {
  const sums = new Map<Key, { own: Counter; inclusive: Counter }>();
  const sumsOf = (key: Key) => {
    const known = sums.get(key) ?? { own: counter(), inclusive: counter() };
    sums.set(key, known);
    return known;
  };
  for (const line of lines) {
    count(sumsOf(ownerOf(line)).own, line);
    for (const key of allAbove(line)) count(sumsOf(key).inclusive, line);
    yield;
  }
  return [...sums].map(([key, { own, inclusive }]) => [key, { own: totalsOf(own), inclusive: totalsOf(inclusive) }]);
}
