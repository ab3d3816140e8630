// One composition: a random folder, the world that it meets, and what befalls its run.

import fc from 'fast-check';
import type { CadreDefinition } from '../../src/definition/definition.ts';
import { reachableFrom } from '../../src/definition/reach.ts';
import { type AgentPlan, ENTRY, type FolderOptions, filesOf, folderPlans, isCalm, nameOf } from './folder.ts';
import type { WorldPlan } from './world.ts';

/** A message to the run once so many of its events are recorded. */
export interface Interruption {
  readonly kind: keyof typeof MESSAGES;
  readonly after: number;
}

/** The parts of a request besides the input. */
export interface RequestPlan {
  /** The answer must be JSON. */
  readonly json: boolean;
  /** It goes on from an earlier exchange. */
  readonly history: boolean;
  /** A picture goes with it, where the first agent takes one. */
  readonly picture: boolean;
}

export interface Composition {
  readonly agents: readonly AgentPlan[];
  readonly world: WorldPlan;
  /** The points at which its processes die, one after the other: in thousandths of the events that are left. */
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
  failures: fc.constantFrom(0, 0, 3, 12),
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

const compositionOf = (folder: FolderOptions, messages: fc.Arbitrary<readonly Interruption[]>) =>
  fc.record<Composition>({
    agents: folderPlans(folder),
    world: worlds,
    deaths: fc.array(fc.nat(999), { minLength: 1, maxLength: 3 }),
    interruptions: messages,
    request: fc.record<RequestPlan>({ json: rarely, history: rarely, picture: fc.boolean() }),
  });

const none = fc.constant([]);

export const compositions: fc.Arbitrary<Composition> = fc.oneof(
  { weight: 24, arbitrary: compositionOf({ calm: true, helperProcesses: false }, none) },
  { weight: 18, arbitrary: compositionOf({ calm: false, helperProcesses: false }, none) },
  { weight: 7, arbitrary: compositionOf({ calm: false, helperProcesses: false }, interruptions) },
  { weight: 1, arbitrary: compositionOf({ calm: true, helperProcesses: true }, none) },
);

/** True if its end depends on which of two things that go on at once is first. */
export function isRace({ agents, interruptions: { length } }: Composition, cadre: CadreDefinition): boolean {
  const reached = reachableFrom(cadre, ENTRY);
  return length > 0 || agents.some((plan, index) => reached.has(nameOf(index)) && !isCalm(plan));
}

/** The composition as a person would write it down, to try it by hand. */
export function render({ agents, ...rest }: Composition): string {
  const files = [...filesOf(agents)].filter(([name]) => name !== 'cadre.yaml');
  return [JSON.stringify(rest), ...files.map(([name, text]) => `${name}\n${text}`)].join('\n');
}
