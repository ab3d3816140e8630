// A routine whose questions a test answers by hand: no promise, no world, no mock.

import {
  type Effect,
  type LastResults,
  type Launch,
  type Parallel,
  type Routine,
  type SettledResult,
} from '../../src/kernel/effect.ts';
import type { Fault } from '../../src/kernel/fault.ts';
import type { AnsweredOutcome, Outcome } from '../../src/kernel/outcome.ts';
import { TODAYS_RULES } from '../../src/kernel/revision.ts';
import { openConversation } from '../../src/kernel/session/conversation.ts';
import type { SessionInput, SessionRoutine } from '../../src/kernel/session/session-spec.ts';
import { Children } from '../../src/patterns/children.ts';
import type { AgentCard, PatternContext } from '../../src/patterns/pattern.ts';

export class ByHand<Value> {
  readonly #routine: Routine<Value>;
  #step: IteratorResult<Effect | Parallel | LastResults | Launch, Value>;

  constructor(routine: Routine<Value>) {
    this.#routine = routine;
    this.#step = routine.next();
  }

  /** The effect that it asks for now. */
  get asked(): Effect | Parallel | LastResults | Launch {
    if (this.#step.done === true) throw new Error(`it asks for nothing any more: ${JSON.stringify(this.#step.value)}`);
    return this.#step.value;
  }

  /** The value that it ended with. */
  get value(): Value {
    if (this.#step.done !== true) throw new Error(`it has not ended: it asks for ${this.#step.value.kind}`);
    return this.#step.value;
  }

  /** The effect that it asks for now, if it is of this kind. */
  effect<Kind extends Effect['kind']>(kind: Kind): Extract<Effect, { kind: Kind }> {
    if (this.asked.kind !== kind) throw new Error(`it asks for ${this.asked.kind}, not for ${kind}`);
    return this.asked as Extract<Effect, { kind: Kind }>;
  }

  answer(value: unknown): this {
    return this.#give({ ok: true, value });
  }

  fail(fault: Fault): this {
    return this.#give({ ok: false, fault });
  }

  /** The branches of the parallel step that it asks for, each to be answered on its own. */
  branches(): readonly ByHand<unknown>[] {
    if (this.asked.kind !== 'parallel') throw new Error(`it asks for ${this.asked.kind}, not for branches`);
    return this.asked.branches.map((branch) => new ByHand(branch()));
  }

  /** True if these values are enough for the parallel step that it asks for. */
  isEnough(...values: readonly unknown[]): boolean {
    if (this.asked.kind !== 'parallel' || this.asked.enough === undefined) throw new Error('it waits for all branches');
    return this.asked.enough(values);
  }

  /** Goes on with the values of the branches. */
  join(values: readonly unknown[]): this {
    return this.#give(values);
  }

  /** Answers the launch that it asks for, and gives what is launched by that. */
  launch(value: unknown): readonly (ByHand<void> | undefined)[] {
    if (this.asked.kind !== 'launch') throw new Error(`it asks for ${this.asked.kind}, and launches nothing`);
    const answer: SettledResult = { ok: true, value };
    const launched = this.asked.routines(answer).map((routine) => routine && new ByHand(routine()));
    this.#give(answer);
    return launched;
  }

  #give(answer: unknown): this {
    this.#step = this.#routine.next(answer);
    return this;
  }
}

export const answered = (text: string, more: Partial<AnsweredOutcome> = {}): AnsweredOutcome => ({
  kind: 'answered',
  text,
  ...more,
});

/** A session that ends at once, each time with the next of these outcomes, and keeps what it was asked. */
export function sessionOf(...outcomes: readonly Outcome[]): SessionRoutine & { readonly heard: SessionInput[] } {
  const heard: SessionInput[] = [];
  const routine = function* (input: SessionInput): Routine<Outcome> {
    const outcome = outcomes[heard.length];
    heard.push(input);
    if (outcome === undefined) throw new Error('the session is asked once too often');
    return outcome;
  };
  return Object.assign(routine, { heard });
}

export const inputFor = (text: string, more: Partial<SessionInput> = {}): SessionInput => ({
  self: '0',
  request: { text },
  conversation: openConversation(),
  trigger: { kind: 'start' },
  ...more,
});

export const cardOf = (name: string, more: Partial<AgentCard> = {}): AgentCard => ({
  name,
  description: `Does what ${name} does.`,
  input: { format: 'any' },
  output: { format: 'markdown' },
  chat: false,
  ...more,
});

/** The context of a pattern. Agents without a card here take whatever comes. */
export function contextOf(agent: string, cards: readonly AgentCard[] = [], more: Partial<PatternContext> = {}) {
  const known = new Map(cards.map((card) => [card.name, card]));
  const context: PatternContext = {
    agent,
    card: (name) => known.get(name) ?? cardOf(name),
    check: (schema, value) =>
      ((schema as { readonly required?: readonly string[] }).required ?? []).flatMap((key) =>
        key in Object(value) ? [] : [{ path: `$.${key}`, message: 'is required' }],
      ),
    children: new Children(() => agent),
    rules: TODAYS_RULES,
    limits: { maxTurns: 50, maxDepth: 8 },
    output: { format: 'markdown' },
    teams: new Map(),
    rounds: new Map(),
    isReplaced: false,
    leadsTo: (from, to) => from === to,
    charter: (team) => `The charter of ${team}.`,
    ...more,
  };
  return context;
}
