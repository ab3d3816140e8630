import { describe, expect, test } from 'vitest';
import { fault } from '../../kernel/fault.ts';
import type { Activity, Progress, SessionProgress } from '../../views/progress/progress.ts';
import { plain } from '../screen/terminal.ts';
import { liveTree, type Screen } from './live-tree.ts';
import { widthOf } from './width.ts';

const NONE = { unpriced: 0, calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const session = (agent: string, activity: Activity, more: Partial<SessionProgress> = {}): SessionProgress => ({
  session: '0',
  agent,
  trigger: 'start',
  depth: 0,
  turn: 1,
  activity,
  totals: { ...NONE, usd: 0.0123, calls: 1, input: 1000, output: 200 },
  startedAt: 0,
  snippet: '',
  retries: 0,
  refused: 0,
  ...more,
});

const progress = (sessions: readonly SessionProgress[], more: Partial<Progress> = {}): Progress => ({
  run: 'r',
  startedAt: 0,
  totals: { ...NONE, usd: 0 },
  calls: { failed: 0, denied: 0, changesDenied: 0, refused: 0 },
  sessions,
  ...more,
});

const screen = (more: Partial<Screen> = {}): Screen => ({
  columns: 79,
  rows: 20,
  now: 4200,
  paint: plain,
  maxTurns: () => 10,
  ...more,
});

const THINKING: Activity = { kind: 'thinking' };
const ANSWERED: Activity = { kind: 'done', outcome: 'answered' };

test('a session is one line: mark, name, what it does, turn, tokens, cost and time', () => {
  expect(liveTree(progress([session('desk', THINKING)]), screen())[0]).toBe(
    '⠹ desk  thinks                              turn 1/10 1.2k tok    $0.012     4s',
  );
});

test('children are indented, and names stand in one column', () => {
  const lines = liveTree(
    progress([
      session('front-desk', { kind: 'waiting', for: 'others', names: ['risk', 'risk', 'law'] }),
      session('risk', ANSWERED, { depth: 1, trigger: 'advisor', endedAt: 900 }),
      session('law', { kind: 'calling', tools: ['read_file'] }, { depth: 2, retries: 2 }),
    ]),
    screen(),
  );
  expect(lines.slice(0, -1).map((line) => line.slice(0, 42).trimEnd())).toEqual([
    '· front-desk  waits for risk ×2, law',
    '  ✓ risk      answered',
    '    ⠹ law     calls read_file',
  ]);
  expect(lines[1]).toMatch(/900ms$/);
});

test('a failure is told in its line, as far as there is room', () => {
  const failed: Activity = { kind: 'failed', outcome: 'failed', fault: fault('model/server', 'it broke '.repeat(20)) };
  const [line = ''] = liveTree(progress([session('desk', failed)]), screen());
  expect(line).toMatch(/^✗ desk {2}failed: it broke it broke.*… /);
});

test('a cost that is not known is a question mark, and none is shown before a call', () => {
  const { usd: _, ...unknown } = { ...NONE, usd: 0, calls: 1, unpriced: 1 };
  expect(liveTree(progress([session('a', THINKING, { totals: unknown })]), screen())[0]).toMatch(/ \$\? +4s$/);
  expect(liveTree(progress([session('a', THINKING, { totals: { ...NONE, usd: 0 } })]), screen())[0]).not.toContain('$');
});

describe.each([20, 30, 39, 40, 50, 63, 64, 75, 79, 100, 200])('on a screen of %i columns', (columns) => {
  const deep = Array.from({ length: 9 }, (_, depth) =>
    session(`an-agent-with-quite-a-long-name-${depth}`, THINKING, { depth, snippet: 'word 你好 '.repeat(30) }),
  );
  test('no line is wider than the screen', () => {
    const lines = liveTree(progress(deep), screen({ columns }));
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
  });
});

test('the text of the session nearest to the answer is shown below, its last lines only', () => {
  const lines = liveTree(
    progress([
      session('desk', THINKING, { snippet: 'one two\nthree' }),
      session('x', THINKING, { depth: 1, snippet: 'no' }),
    ]),
    screen(),
  );
  expect(lines.slice(3)).toEqual(['', '  │ one two', '  │ three']);
});

test('control characters of a model never reach the screen', () => {
  const lines = liveTree(progress([session('desk', THINKING, { snippet: 'a\u001b[2Jb\u0007c' })]), screen());
  expect(lines.at(-1)).toBe('  │ abc');
});

describe('with five hundred sessions', () => {
  const children = Array.from({ length: 499 }, (_, index) =>
    session(`child-${index}`, index % 50 === 0 ? THINKING : ANSWERED, {
      depth: 1,
      session: `0.${index}`,
      endedAt: index,
    }),
  );
  const all = progress([session('desk', { kind: 'waiting', for: 'others', names: [] }), ...children]);

  test('the rows of the screen are never exceeded', () => {
    expect(liveTree(all, screen({ rows: 15 }))).toHaveLength(15);
    expect(liveTree(all, screen({ rows: 3 })).length).toBeLessThanOrEqual(3);
  });

  test('the root and those at work are shown, in tree order, and the others are counted', () => {
    const lines = liveTree(all, screen({ rows: 13 }));
    expect(lines[0]).toContain('desk');
    expect(lines.slice(1, 11).every((line) => line.includes('thinks'))).toBe(true);
    expect(lines[1]).toContain('child-0 ');
    expect(lines[10]).toContain('child-450');
    expect(lines.at(-2)).toBe('  … 489 more sessions: 489 answered');
    expect(lines.at(-1)).toMatch(/^ {2}total {2}10 at work, 1 waits, 489 a/);
  });

  test('the last picture leaves room for the answer', () => {
    expect(liveTree({ ...all, outcome: 'answered' }, screen({ rows: 40 }))).toHaveLength(12);
  });
});

test('the last line while it works is the total: who does what, and calls, tokens, cost and time of the whole run', () => {
  const totals = { ...NONE, usd: 0.5, calls: 12, input: 9000, output: 1000 };
  const all = progress([session('desk', THINKING), session('law', ANSWERED, { depth: 1 })], { totals });
  expect(liveTree(all, screen()).at(-1)).toBe(
    '  total  1 at work, 1 answered               12 calls  10k tok    $0.500     4s',
  );
  expect(liveTree({ ...all, outcome: 'answered' }, screen())).toHaveLength(2);
});

test('a spawned run has its label beside its agent, and what it works on behind what it does', () => {
  const spawned = { depth: 1, label: 'ferry', task: 'What became of the ferry?', trigger: 'spawn' as const };
  const [busy, done] = liveTree(
    progress([session('reporter', THINKING, spawned), session('reporter', ANSWERED, { ...spawned, label: 'mill' })]),
    screen({ columns: 100 }),
  );
  expect(busy).toContain('reporter ferry  thinks · What became of the ferry? ');
  expect(done).toContain('reporter mill   answered ');
});

test.each([
  ['others', ['note-1', 'note-2'], 'waits for note-1, note-2'],
  ['others', [], 'waits for others'],
  ['queue', [], 'queued behind other runs'],
  ['slot', [], 'waits for a free model slot'],
  ['provider', ['local'], 'waits for a free slot of local'],
  ['tools', ['mcp:docs', 'mcp:web'], 'waits for mcp:docs, mcp:web to start'],
] as const)('a session that waits for %s %j says so', (what, names, says) => {
  const waiting = session('desk', { kind: 'waiting', for: what, names });
  const [line = ''] = liveTree(progress([waiting]), screen({ columns: 100 }));
  expect(line).toContain(`· desk  ${says} `);
});
