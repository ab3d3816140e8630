// Random folders of agents. To put something new into them, add a line to PATTERNS (how an agent leads to others) or to
// EXTRAS (what any agent may have besides). An agent leads only to those after it, so no folder has a cycle.

import fc from 'fast-check';
import type { ToolCall } from '../../src/kernel/message.ts';

/** Keys of an agent file and their values: YAML takes JSON. */
type Keys = Readonly<Record<string, unknown>>;

/** Two agents that an agent may lead to, which may be the same one. */
type Pattern = (first: string, second: string) => Keys;

const both = (first: string, second: string): readonly string[] => [...new Set([first, second])];

/** The answer of an agent that maps: a list of orders. */
const PARTS: Keys = {
  output: {
    format: 'json',
    schema: {
      type: 'object',
      properties: {
        parts: {
          type: 'array',
          items: {
            type: 'object',
            properties: { order: { type: 'string' }, amount: { type: 'number' } },
            required: ['order', 'amount'],
          },
        },
      },
      required: ['parts'],
    },
  },
};

const ORDER = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number' }, kind: { enum: ['refund', 'bug'] } },
  required: ['order', 'amount'],
};
const ORDER_LIST = { type: 'array', items: ORDER, maxItems: 3 };

/** The output of an agent with a branch. It takes the place of another one. */
const KINDS: Keys = { output: { format: 'json', schema: { ...ORDER, required: ['order', 'amount', 'kind'] } } };
const byKind = (to: Keys, more: Keys = {}): Keys => ({ by: 'kind', to, ...more });

export const PATTERNS = {
  plain: () => ({}),
  agents: (first, second) => ({ agents: both(first, second) }),
  next: (first) => ({ next: first }),
  'next, else': (first, second) => ({ next: { to: first, else: second } }),
  sequence: (first, second) => ({ next: { sequence: both(first, second) } }),
  handoff: (first) => ({ handoff: first }),
  'handoff, request+answer': (first, second) => ({ handoff: { to: first, pass: 'request+answer', else: second } }),
  router: (first, second) => ({ router: { destinations: both(first, second) } }),
  'router, next': (first, second) => ({ router: { destinations: [first] }, next: second }),
  advisors: (first, second) => ({ advisors: both(first, second) }),
  'advisors, all': (first, second) => ({ advisors: { agents: both(first, second), policy: 'all' } }),
  'advisors, quorum': (first, second) => ({ advisors: { agents: both(first, second), policy: { quorum: 1 } } }),
  'advisors, timeout': (first, second) => ({ advisors: { agents: both(first, second), timeout: '5ms' } }),
  'advisors, router': (first, second) => ({ advisors: [first], router: { destinations: [second] } }),
  'advisors, agents': (first, second) => ({ advisors: [first], agents: [second] }),
  team: (first, second) => ({ team: { members: both(first, second), supervisor: 'self', memberMaxTurns: 4 } }),
  'team, supervisor': (first, second) => ({
    team: { members: [first], supervisor: first === second ? 'self' : second, supervisorMaxTurns: 4 },
  }),
  'team, next': (first, second) => ({ team: { members: [first], supervisor: 'self' }, next: second }),
  map: (first) => ({ ...PARTS, next: { each: 'parts', to: first, max: 3, concurrent: 2 } }),
  'map, join': (first, second) => ({
    ...PARTS,
    next: { each: 'parts', to: first, max: 3, concurrent: 2, pass: 'request+item', join: second },
  }),
  'map, failures': (first, second) => ({
    ...PARTS,
    next: { sequence: [{ each: 'parts', to: first, max: 3, concurrent: 1, failures: 0 }, second] },
  }),
  'agents, handoff': (first, second) => ({ agents: [first], handoff: second }),
  repeat: (first) => ({ repeat: { until: first, max: 3 } }),
  'repeat, fresh': (first, second) => ({ repeat: { until: first, max: 2, fresh: true }, agents: [second] }),
  'repeat, next': (first, second) => ({ repeat: { until: first, max: 2, atMax: 'last' }, next: second }),
  'repeat, advisors': (first, second) => ({ repeat: { until: first, max: 2, fresh: true }, advisors: [second] }),
  'repeat, command': (first) => ({
    repeat: { until: { command: 'false' }, max: 2, atMax: 'last' },
    trust: ['shell'],
    agents: [first],
  }),
  'repeat, command, asks': (first) => ({ repeat: { until: { command: 'true' }, max: 3, fresh: true }, next: first }),
  'repeat, team': (first, second) => ({
    repeat: { until: first, max: 2, atMax: 'last' },
    team: { members: [second], supervisor: 'self', memberMaxTurns: 4 },
  }),
  branch: (first, second) => ({ ...KINDS, next: byKind({ refund: first, bug: { to: second, else: first } }) }),
  'branch, ~': (first) => ({ ...KINDS, next: byKind({ refund: null }, { otherwise: first, pass: 'request+answer' }) }),
  'branch, sequence': (first, second) => ({
    ...KINDS,
    next: { sequence: [byKind({ refund: first }, { otherwise: null, pass: { field: 'order' } }), second] },
  }),
  'branch, router': (first, second) => ({
    ...KINDS,
    router: { destinations: [first] },
    next: byKind({ bug: second }, { otherwise: null }),
  }),
  'branch, team': (first, second) => ({
    ...KINDS,
    team: { members: [first], supervisor: 'self', memberMaxTurns: 4 },
    next: byKind({ refund: second, bug: null }),
  }),
  'branch, repeat': (first, second) => ({
    ...KINDS,
    repeat: { until: first, max: 2, atMax: 'last' },
    next: byKind({ refund: second, bug: null }),
  }),
} as const satisfies Readonly<Record<string, Pattern>>;

/** The call that a rule with an argument denies. */
const DENIED_CALL = 'look(at=at 1)';
export const isDenied = ({ name, arguments: given }: Pick<ToolCall, 'name' | 'arguments'>): boolean =>
  name === 'look' && (given as { readonly at?: unknown } | null)?.at === 'at 1';

/** A key that any agent may have besides. `size` is from 0 to 999. */
type Extra = (size: number) => Keys;

export const EXTRAS = {
  chat: () => ({ chat: true }),
  'takes JSON': () => ({ input: { format: 'json', schema: ORDER } }),
  'takes text': () => ({ input: { format: 'text' } }),
  'answers JSON': () => ({ output: { format: 'json', schema: ORDER } }),
  'answers a list': () => ({ output: { format: 'json', schema: ORDER_LIST } }),
  'answers text': () => ({ output: { format: 'text' } }),
  tools: () => ({ tools: ['look', 'stamp'] }),
  pictures: () => ({ tools: ['snap'], input: { accepts: ['image'] } }),
  'pictures, unseen': () => ({ tools: ['snap'], models: ['flaky', 'plain'], input: { accepts: [] } }),
  skills: () => ({ skills: true }),
  'skills, one given': () => ({ skills: { use: ['./skills/'], preload: ['orders'] } }),
  'project files': () => ({ projectFiles: ['NOTES.md'] }),
  'a tool that is denied': () => ({ tools: ['look', 'stamp'], deny: ['stamp'] }),
  'calls that are denied': () => ({ tools: ['look', 'stamp'], deny: [DENIED_CALL], approve: ['stamp(at=at 2)'] }),
  'calls that are trusted': () => ({ tools: ['look', 'stamp'], approve: ['stamp'], trust: ['stamp(at=at *)'] }),
  'asks before a tool': () => ({ tools: ['look', 'stamp'], approve: ['stamp'] }),
  'few turns': (size) => ({ maxTurns: 1 + (size % 3) }),
  'one call a turn': () => ({ maxToolCallsPerTurn: 1 }),
  'another model': () => ({ models: ['flaky', 'plain'] }),
  'a small window': () => ({ models: ['small'], tools: ['look'] }),
  'a window that is soon full': (size) => ({
    models: ['busy'],
    tools: ['look'],
    maxTurns: 16,
    compact: { keep: 2 + (size % 2), ...(size % 3 === 0 && { model: 'plain' }) },
  }),
  'never compacted': () => ({ models: ['busy'], tools: ['look'], maxTurns: 16, compact: 'off' }),
  'a guard that acts soon': () => ({ tools: ['look'], maxTurns: 20, stuck: { warn: 2, stop: 3 } }),
  'no guard': () => ({ stuck: 'off' }),
  spawn: () => ({ spawn: true }),
  'spawn, limits': (size) => ({
    spawn: { maxDepth: 1 + (size % 2), maxChildren: 1 + (size % 3), maxTotal: 1 + (size % 7), maxConcurrent: 1 },
  }),
  subagent: (size) => ({ subagent: { maxIterations: 1 + (size % 4) }, tools: ['files'] }),
  'subagent, off': () => ({ subagent: { enabled: false } }),
  'a deadline': (size) => ({ timeout: `${1 + (size % 100)}ms` }),
  'a deadline for tools': (size) => ({ toolTimeout: `${1 + (size % 20)}ms`, tools: ['look', 'stamp'] }),
  'budget of time': (size) => ({ budget: { time: `${1 + (size % 100)}ms` } }),
  'budget of tokens': (size) => ({ budget: { tokens: 200 + 20 * size } }),
  'budget of money': (size) => ({ budget: { usd: 0.001 + size / 25_000 } }),
  'budget of sessions': (size) => ({ budget: { sessions: 1 + (size % 6) } }),
  'budget of depth': (size) => ({ budget: { depth: size % 3 } }),
} as const satisfies Readonly<Record<string, Extra>>;

export type PatternName = keyof typeof PATTERNS;
export type ExtraName = keyof typeof EXTRAS;

export interface AgentPlan {
  readonly pattern: PatternName;
  readonly links: readonly [number, number];
  readonly extras: readonly ExtraName[];
  readonly size: number;
  /** It and its helpers, which are processes, are played by a script. */
  readonly helperProcess: boolean;
}

const HELPER_PROCESS: Keys = { models: ['helper/any'], subagent: { runner: 'subprocess' } };

/** Patterns that make the end of a run depend on which of two things that go on at once is first. */
const RACES: ReadonlySet<PatternName | ExtraName> = new Set<PatternName | ExtraName>([
  'advisors, quorum', // the first answer counts
  'advisors, all', // the first failure ends it
  'spawn', // a result may come before or after a turn
  'spawn, limits',
  'advisors, timeout', // time passes as it likes
  'a deadline',
  'a deadline for tools',
  'budget of time',
  'budget of tokens', // what is left for a call depends on who asked before, and a call in doubt counts
  'budget of money',
  'budget of sessions',
]);

export const isCalm = ({ pattern, extras }: AgentPlan): boolean => ![pattern, ...extras].some((one) => RACES.has(one));

const namesIn = <Name extends PatternName | ExtraName>(
  of: Readonly<Record<Name, unknown>>,
  calm: boolean,
): readonly Name[] => (Object.keys(of) as Name[]).filter((name) => !calm || !RACES.has(name));

export interface FolderOptions {
  /** Nothing in it is a race. */
  readonly calm: boolean;
  /** Agents may have helpers in processes of their own. Starting one takes long. */
  readonly helperProcesses: boolean;
}

export const folderPlans = ({ calm, helperProcesses }: FolderOptions): fc.Arbitrary<readonly AgentPlan[]> =>
  fc.array(
    fc.record<AgentPlan>({
      pattern: fc.constantFrom(...namesIn(PATTERNS, calm)),
      links: fc.tuple(fc.nat(9), fc.nat(9)),
      extras: fc.uniqueArray(fc.constantFrom(...namesIn(EXTRAS, calm)), { maxLength: 5 }),
      size: fc.nat(999),
      helperProcess: helperProcesses ? fc.nat(3).map((one) => one === 3) : fc.constant(false),
    }),
    { minLength: 1, maxLength: 10, size: 'max' },
  );

const CONFIG = {
  providers: { helper: { kind: 'scripted', script: './helper.script.yaml' } },
  models: {
    plain: { use: 'world/plain', contextWindow: 200_000, price: { input: 2, output: 8 }, sees: ['image', 'pdf'] },
    flaky: { use: 'world/flaky', contextWindow: 200_000, price: { input: 1, output: 4 }, sees: [] },
    small: { use: 'world/small', contextWindow: 3000, price: { input: 1, output: 4 }, sees: [] },
    busy: { use: 'world/busy', contextWindow: 2400, price: { input: 1, output: 4 }, sees: ['image'] },
  },
  limits: { maxDepth: 6, maxTurns: 50, concurrency: 4 },
};

/** The files of a folder: its first agent is the one that is asked. */
export function filesOf(plans: readonly AgentPlan[]): ReadonlyMap<string, string> {
  const files = new Map([['cadre.yaml', JSON.stringify(CONFIG)]]);
  plans.forEach((plan, index) => files.set(`${nameOf(index)}.md`, agentFile(plan, index, plans.length)));
  return files;
}

export const ENTRY = 'a0';
export const nameOf = (index: number): string => `a${index}`;

function agentFile({ pattern, links, extras, size, helperProcess }: AgentPlan, index: number, count: number): string {
  const later = count - index - 1;
  const [first, second] = links.map((link) => nameOf(index + 1 + (later === 0 ? 0 : link % later)));
  const keys: Keys = {
    description: `Agent ${index} of a random folder.`,
    models: ['plain'],
    maxTurns: 6,
    maxToolCallsPerTurn: 4,
    maxRetries: 1,
    ...Object.assign({}, ...extras.map((extra) => EXTRAS[extra](size))),
    ...(later > 0 && (PATTERNS[pattern] as Pattern)(first ?? '', second ?? '')),
    ...(helperProcess && HELPER_PROCESS),
  };
  const lines = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\nYou are agent ${index}.\n`;
}
