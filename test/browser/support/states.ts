// Every screen in each of its states, in one place: what the server has, where the page is, and what a person reads there.
// A journal stands for a run that has ended; the runs that work are real ones of an agent that takes its time.

import type { RunEvent } from '../../../src/journal/event.ts';
import type { TestInfo } from '../../../src/server/protocol.ts';
import { shortJournal, wideJournal } from './journals.mjs';
import { agent, type Files, scripted } from './scripts.ts';

/** The answer that takes the place of the server's own. `never`: it has not answered yet. */
export type Answer = 'never' | { readonly status?: number; readonly body: unknown };

export interface ScreenState {
  readonly screen: string;
  readonly state: 'empty' | 'loading' | 'live' | 'ended' | 'failed' | 'broken-off' | 'gone';
  /** The address. `LIVE`, `WAITING`, `ASKING` and `THREAD` stand for a run at work, one that waits, its question and its chat. */
  readonly at: string;
  /** The answers, by the beginning of a path of the API. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** The text that a person reads. Undefined: bars in the place of rows. */
  readonly reads?: RegExp;
  readonly keys?: readonly string[];
  /** The text that stands there before the keys are pressed. */
  readonly before?: RegExp;
}

export const FILES: Files = scripted(
  {
    slow: agent('agents: [worker]\n'),
    worker: agent(''),
    clerk: agent('tools: [files]\napprove: [files]\n'),
    writer: agent(
      'input: {format: json, schema: {type: object, properties: {to: {type: string}, cc: {type: string}}, required: [to]}}\n',
    ),
    drafter: agent(
      'next: writer\noutput: {format: json, schema: {type: object, properties: {to: {type: string}, cc: {type: [string, "null"]}}, required: [to]}}\n',
    ),
  },
  {
    agents: {
      slow: [{ call: { agent__worker: { input: 'Go.', reason: 'Now.' } } }],
      worker: [{ delay: '600s', answer: 'Late.' }],
      clerk: [{ call: { read_file: { path: 'clerk.md' } } }, { answer: 'Read.' }],
    },
  },
);

const ended = wideJournal('ended', 3);

/** The same, with another end; none: its process died. */
const endingIn = (run: string, outcome?: unknown): readonly RunEvent[] => [
  ...ended
    .slice(0, outcome === undefined ? 5 : -1)
    .map((event) => (event.type === 'run-start' ? { ...event, run } : event)),
  ...(outcome === undefined ? [] : [{ ...ended.at(-1), outcome } as RunEvent]),
];

const fault = { code: 'model/server', message: 'upstream connect error' };

export const JOURNALS: Readonly<Record<string, readonly RunEvent[]>> = {
  ended,
  other: endingIn('other', { kind: 'answered', agent: 'survey', text: 'Another answer.' }),
  failed: endingIn('failed', { kind: 'failed', agent: 'survey', fault, partial: 'As far as it came.' }),
  limited: endingIn('limited', {
    kind: 'exhausted',
    agent: 'survey',
    fault: { code: 'turns/exhausted', message: 'No turns are left.' },
  }),
  broken: endingIn('broken'),
  said: shortJournal('said', { at: 1_800_000_000_000, usd: 0.001, thread: 'tsaid', asked: 'Where is order 17?' }),
  unsaid: shortJournal('unsaid', {
    at: 1_800_000_100_000,
    usd: 0.001,
    thread: 'tsaid',
    asked: 'And order 18?',
    continues: 'said',
    outcome: { kind: 'failed', agent: 'clerk', fault, partial: 'As far as it came.' },
  }),
};

const refused: Answer = {
  status: 500,
  body: { code: 'journal/corrupt', detail: 'The journal cannot be read: line 3 is torn.', status: 500 },
};

const NONE = { unpriced: 0, calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** `said`: the words of people and models in it. */
export const testInfo = (state: TestInfo['state'], isGood: boolean, said?: string): TestInfo => ({
  id: '20260101-000000-000abcd',
  startedAt: 1_800_000_000_000,
  ...(state === 'ended' && { endedAt: 1_800_000_004_000 }),
  command: 'cadre test --models fast,careful',
  from: '/agents',
  models: ['fast', 'careful'],
  planned: 2,
  counts: isGood ? { passed: 2, failed: 0, skipped: 0 } : { passed: 1, failed: 1, skipped: 0 },
  spent: { ...NONE, usd: 0.01, calls: 4 },
  judges: NONE,
  agents: [],
  failed: isGood ? [] : [said === undefined ? 'an order is found' : `${said}, case`],
  state,
  cases: (['fast', 'careful'] as const).map((model) => ({
    name: said === undefined ? 'an order is found' : `${said}, case`,
    file: 'desk.test.yaml',
    line: 3,
    agent: 'clerk',
    folder: '/agents',
    model,
    state: isGood || model === 'careful' ? 'passed' : 'failed',
    failures:
      isGood || model === 'careful' ? [] : [{ what: 'The answer is another one.', expected: 'a', received: 'b' }],
    answer: said === undefined ? 'Order 17 is here.' : `${said}, answer`,
    asked: ['clerk'],
    called: [],
    ms: 12,
    spent: { ...NONE, usd: 0.005, calls: 2 },
    runs: ['ended'],
    kept: true,
  })),
});
const row = ({ cases: _cases, ...head }: TestInfo) => head;
const testList = (...all: readonly TestInfo[]): Answer => ({ body: { items: all.map(row) } });

const tab = (name: string): readonly ScreenState[] => [
  { screen: name, state: 'loading', at: `/runs/ended/${name}`, answers: { '/api/runs/ended/events': 'never' } },
  { screen: name, state: 'live', at: `/runs/LIVE/${name}`, reads: /running/ },
  { screen: name, state: 'ended', at: `/runs/ended/${name}`, reads: /answered/ },
  { screen: name, state: 'failed', at: `/runs/failed/${name}`, reads: /upstream connect error/ },
];

export const STATES: readonly ScreenState[] = [
  {
    screen: 'runs',
    state: 'empty',
    at: '/runs',
    answers: { '/api/runs': { body: { items: [] } } },
    reads: /No runs yet/,
  },
  { screen: 'runs', state: 'loading', at: '/runs', answers: { '/api/runs': 'never' } },
  { screen: 'runs', state: 'live', at: '/runs?run=LIVE', reads: /running/ },
  { screen: 'runs', state: 'ended', at: '/runs?run=ended', reads: /answered/ },
  { screen: 'runs', state: 'broken-off', at: '/runs?run=broken', reads: /broken-off/ },
  { screen: 'runs', state: 'failed', at: '/runs', answers: { '/api/runs': refused }, reads: /The runs cannot be read/ },

  ...tab('timeline').map((one) => ({ ...one, at: one.at.replace('/timeline', '') })),
  { screen: 'timeline', state: 'broken-off', at: '/runs/broken', reads: /Broken off/ },
  { screen: 'timeline', state: 'failed', at: '/runs/limited', reads: /No turns are left/ },
  { screen: 'timeline', state: 'gone', at: '/runs/nothing-of-this-name', reads: /There is no run/ },
  { screen: 'inspector', state: 'ended', at: '/runs/ended#0.1', reads: /Replied/ },
  { screen: 'graph', state: 'live', at: '/runs/LIVE/graph', reads: /thinks/ },
  ...tab('conversation'),
  ...tab('cost'),
  ...tab('journal'),
  ...tab('team'),
  { screen: 'team', state: 'empty', at: '/runs/ended/team', reads: /Nothing was said in a team/ },
  ...tab('changes'),
  { screen: 'changes', state: 'empty', at: '/runs/ended/changes', reads: /This run changed no files/ },

  { screen: 'diff', state: 'loading', at: '/runs/ended/diff/other', answers: { '/api/runs/other/events': 'never' } },
  { screen: 'diff', state: 'ended', at: '/runs/ended/diff/other', reads: /Same for \d+ steps, then different/ },
  { screen: 'diff', state: 'gone', at: '/runs/ended/diff/nothing', reads: /cannot be read/ },

  { screen: 'what-if', state: 'loading', at: '/runs/ended/what-if', answers: { '/api/runs/ended/events': 'never' } },
  { screen: 'what-if', state: 'live', at: '/runs/LIVE/what-if', reads: /This run has not ended/ },
  { screen: 'what-if', state: 'ended', at: '/runs/ended/what-if', reads: /No answer yet/ },
  { screen: 'what-if', state: 'failed', at: '/runs/ended/what-if?with=failed', reads: /upstream connect error/ },
  { screen: 'what-if', state: 'gone', at: '/runs/nothing/what-if', reads: /cannot be read/ },

  { screen: 'agents', state: 'loading', at: '/agents', answers: { '/api/cadre': 'never' } },
  {
    screen: 'agents',
    state: 'failed',
    at: '/agents',
    answers: { '/api/cadre': refused },
    reads: /The agents cannot be read/,
  },
  { screen: 'agents', state: 'ended', at: '/agents/worker', reads: /Called by, calls/ },
  { screen: 'agents', state: 'live', at: '/agents/slow', reads: /took part in/ },
  { screen: 'agents', state: 'ended', at: '/agents/drafter', reads: /writer takes/ },
  { screen: 'agents', state: 'gone', at: '/agents/nobody', reads: /There is no agent nobody/ },

  { screen: 'start', state: 'empty', at: '/agents/worker/start', reads: /Your question/ },
  { screen: 'start', state: 'ended', at: '/agents/writer/start?input={"to":"Ann"}', reads: /It takes JSON/ },
  { screen: 'start', state: 'gone', at: '/agents/nobody/start', reads: /There is no agent nobody/ },

  {
    screen: 'approvals',
    state: 'empty',
    at: '/approvals',
    answers: { '/api/approvals': { body: { waiting: [], untaken: [], decided: [] } } },
    reads: /Nothing waits for you/,
  },
  { screen: 'approvals', state: 'live', at: '/approvals', reads: /1 question waits for you/ },
  { screen: 'approvals', state: 'live', at: '/approvals/ASKING', reads: /clerk asks you: read_file clerk.md/ },
  { screen: 'timeline', state: 'live', at: '/runs/WAITING', reads: /clerk asks you: read_file clerk.md/ },
  { screen: 'conversation', state: 'live', at: '/runs/WAITING/conversation', reads: /clerk asks you/ },
  { screen: 'approvals', state: 'gone', at: '/approvals/ended#0.99', reads: /Nothing waits here/ },

  {
    screen: 'chat',
    state: 'empty',
    at: '/chat',
    answers: { '/api/threads': { body: { items: [], total: 0 } } },
    reads: /No chats yet/,
  },
  { screen: 'chat', state: 'loading', at: '/chat', answers: { '/api/threads': 'never' } },
  {
    screen: 'chat',
    state: 'failed',
    at: '/chat',
    answers: { '/api/threads': refused },
    reads: /The chats cannot be read/,
  },
  { screen: 'chat', state: 'gone', at: '/chat/tnothing', reads: /There is no thread/ },
  { screen: 'chat', state: 'empty', at: '/chat/new', reads: /Ask drafter/ },
  { screen: 'thread', state: 'ended', at: '/chat/tsaid?why=said', reads: /Read upwards/ },
  { screen: 'thread', state: 'failed', at: '/chat/tsaid', reads: /upstream connect error/ },
  { screen: 'thread', state: 'live', at: '/chat/THREAD', reads: /clerk asks you: read_file clerk.md/ },

  {
    screen: 'tests',
    state: 'empty',
    at: '/tests',
    answers: { '/api/tests': testList() },
    reads: /No tests have been run here yet/,
  },
  { screen: 'tests', state: 'loading', at: '/tests', answers: { '/api/tests': 'never' } },
  {
    screen: 'tests',
    state: 'live',
    at: '/tests',
    answers: { '/api/tests': testList(testInfo('running', true)) },
    reads: /2 of 2/,
  },
  {
    screen: 'tests',
    state: 'ended',
    at: '/tests',
    answers: { '/api/tests': testList(testInfo('ended', true), testInfo('ended', false)) },
    reads: /1 failed/,
  },
  {
    screen: 'tests',
    state: 'failed',
    at: '/tests',
    answers: { '/api/tests': refused },
    reads: /The results cannot be read/,
  },
  { screen: 'test', state: 'loading', at: '/tests/x', answers: { '/api/tests/x': 'never' } },
  {
    screen: 'test',
    state: 'empty',
    at: '/tests/x',
    answers: { '/api/tests/x': { body: { ...testInfo('running', true), cases: [] } } },
    reads: /No case has a result yet/,
  },
  {
    screen: 'test',
    state: 'live',
    at: '/tests/x',
    answers: { '/api/tests/x': { body: testInfo('running', true) } },
    reads: /2 planned/,
  },
  {
    screen: 'test',
    state: 'ended',
    at: '/tests/x?show=all',
    answers: { '/api/tests/x': { body: testInfo('ended', true) } },
    reads: /an order is found/,
  },
  {
    screen: 'test',
    state: 'failed',
    at: '/tests/x?case=desk.test.yaml an order is found',
    answers: { '/api/tests/x': { body: testInfo('ended', false) } },
    reads: /The answer is another one/,
  },
  {
    screen: 'test',
    state: 'broken-off',
    at: '/tests/x',
    answers: { '/api/tests/x': { body: testInfo('broken-off', true) } },
    reads: /Its process ended before the tests did/,
  },
  { screen: 'test', state: 'gone', at: '/tests/nothing', reads: /There is no result of tests/ },

  { screen: 'palette', state: 'empty', at: '/runs', keys: ['Control+k', 'q', 'q', 'q', 'x'], reads: /Nothing fits/ },
  { screen: 'palette', state: 'ended', at: '/runs/ended', keys: ['Control+k', 's'], reads: /Ops of this run/ },
  ...(
    [
      ['keys', '/runs/ended', '?', /time travel/],
      ['new run', '/runs/ended', 'n', /What happens on Enter/],
      ['cancel', '/runs/LIVE', 'Control+Backspace', /may still be charged/],
      ['fork', '/runs/ended#0.1', 'Shift+F', /cadre fork/],
    ] as const
  ).map(([screen, at, key, reads]) => ({ screen, state: 'ended' as const, at, keys: [key], before: /turn 1/, reads })),
  { screen: 'address', state: 'gone', at: '/nothing', reads: /There is nothing at this address/ },
];
