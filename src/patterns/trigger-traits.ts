// The traits that follow from the way a run was started, for the patterns that Cadre brings. They stand apart from the
// routines of patterns, because a reader of runs needs nothing else of them: the page loads them without the patterns
// themselves.

import type { Trigger, TriggerTraits } from '../kernel/effect.ts';

const BUILT_IN = {
  call: { pattern: 'agents', deepens: true, isHop: false, answers: false },
  next: { pattern: 'next', deepens: false, isHop: true, answers: true },
  handoff: { pattern: 'handoff', deepens: false, isHop: true, answers: true },
  router: { pattern: 'router', deepens: false, isHop: true, answers: true },
  advisor: { pattern: 'advisors', deepens: true, isHop: true, answers: false },
  member: { pattern: 'team', deepens: true, isHop: true, answers: false },
  supervisor: { pattern: 'team', deepens: true, isHop: true, answers: true },
  spawn: { pattern: 'spawn', deepens: true, isHop: false, answers: false },
  judge: { pattern: 'repeat', deepens: true, isHop: true, answers: false },
  repeat: { pattern: 'repeat', deepens: false, isHop: true, answers: true },
  each: { pattern: 'next', deepens: true, isHop: true, answers: false },
  subagent: { pattern: 'subagent', deepens: true, isHop: false, answers: false, limitsDepth: true },
} as const satisfies Readonly<Record<string, TriggerTraits>>;

/** The triggers of one pattern, for its record. */
export const triggersOf = (...kinds: readonly (keyof typeof BUILT_IN)[]): Readonly<Record<string, TriggerTraits>> =>
  Object.fromEntries(kinds.map((kind) => [kind, BUILT_IN[kind]]));

const START: TriggerTraits = { pattern: 'start', deepens: true, isHop: false, answers: false };

/** A trigger of a pattern that this process does not have, in a record that does not say what it means. */
const unknown = (pattern: string): TriggerTraits => ({ pattern, deepens: true, isHop: true, answers: false });

const known = new Map<string, TriggerTraits>(Object.entries(BUILT_IN));

/** The traits of a trigger: by the table, or by the trigger itself. */
export const triggerTraits = ({ kind, means }: Trigger): TriggerTraits =>
  kind === 'start' ? START : (known.get(kind) ?? means ?? unknown(kind));
