// One composition: a random folder, the world that it meets, and what befalls its run.

import fc from 'fast-check';
import { type AgentPlan, filesOf, folderPlans } from './folder.ts';
import type { WorldPlan } from './world.ts';

/** A message to the run once so many of its events are recorded. */
export interface Interruption {
  readonly kind: keyof typeof MESSAGES;
  readonly after: number;
}

/** What is asked besides the input. */
export interface RequestPlan {
  /** The answer must be JSON. */
  readonly json: boolean;
  /** It goes on from an earlier exchange. */
  readonly history: boolean;
}

export interface Composition {
  readonly agents: readonly AgentPlan[];
  readonly world: WorldPlan;
  /** Where its processes die, one after the other: in thousandths of the events that are left. */
  readonly deaths: readonly number[];
  readonly interruptions: readonly Interruption[];
  readonly request: RequestPlan;
}

export const MESSAGES = {
  send: { kind: 'send', text: 'And order 18?' },
  stop: { kind: 'stop', reason: 'a test says so' },
  cancel: { kind: 'cancel', reason: 'a test says so' },
} as const;

const worlds = fc.record<WorldPlan>({
  failures: fc.constantFrom(0, 0, 5, 15),
  seed: fc.nat(100_000),
  schedule: fc.nat(100_000),
});

const interruptions = fc.array(
  fc.record<Interruption>({
    kind: fc.constantFrom('send', 'send', 'stop', 'cancel'),
    after: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 3 },
);

const rarely = fc.nat(5).map((one) => one === 5);

const withHelpers = (helperProcesses: boolean): fc.Arbitrary<Composition> =>
  fc.record<Composition>({
    agents: folderPlans(helperProcesses),
    world: worlds,
    deaths: fc.array(fc.nat(999), { minLength: 1, maxLength: 3 }),
    interruptions: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: interruptions }),
    request: fc.record<RequestPlan>({ json: rarely, history: rarely }),
  });

/** One in fifty has helpers that are processes. */
export const compositions: fc.Arbitrary<Composition> = fc.oneof(
  { weight: 49, arbitrary: withHelpers(false) },
  { weight: 1, arbitrary: withHelpers(true) },
);

/** What its end depends on besides the record: which of two things that go on at once is first. */
export const isRace = ({ agents, interruptions: { length } }: Composition): boolean =>
  length > 0 || agents.some(({ pattern, extras }) => RACES.has(pattern) || extras.some((extra) => RACES.has(extra)));

const RACES: ReadonlySet<string> = new Set([
  'advisors, quorum', // the first answer counts
  'advisors, all', // the first failure ends it
  'spawn', // a result may come before or after a turn
  'spawn, limits',
  'advisors, timeout', // time passes as it likes
  'a deadline',
  'a deadline for tools',
  'budget of time',
  'budget of tokens', // what is left for a call depends on who asked before; a call in doubt counts
  'budget of money',
  'budget of sessions',
]);

/** As a person would write it down, to try it by hand. */
export function render({ agents, ...rest }: Composition): string {
  const files = [...filesOf(agents)].filter(([name]) => name !== 'cadre.yaml');
  return [JSON.stringify(rest), ...files.map(([name, text]) => `${name}\n${text}`)].join('\n');
}
