// Deadlines of work over a crash: what was worked before it counts, the time until the resume does not. In every place where
// a deadline of work can stand. (The deadline for dependencies is one of the clock: test/spawn.resume.test.ts.)

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { okResult } from '../src/kernel/message.ts';
import { services } from '../src/run/services.ts';
import type { Tool } from '../src/tools/tool.ts';
import { opTree } from '../src/views/tree/op-tree.ts';
import { type AgentSketch, bench, brokenOff, cadre, call, finish, type Model } from './support/cadre.ts';

const TEN_DAYS = 864_000_000;
const MINUTE = 60_000;

interface Place {
  readonly agents: readonly AgentSketch[];
  /** The calls of the agent on top before it answers. */
  readonly first?: ReturnType<typeof call>;
}

const worker = (more: Partial<AgentSketch> = {}): AgentSketch => ({ name: 'worker', tools: ['note'], ...more });

const PLACES: Readonly<Record<string, Place>> = {
  'the timeout of the run': { agents: [worker({ timeoutMs: 10 * MINUTE })] },
  'the time of a budget': { agents: [worker({ budget: { timeMs: 10 * MINUTE } })] },
  'the timeout of a sub-agent': {
    agents: [{ name: 'lead', agents: ['worker'] }, worker({ timeoutMs: 10 * MINUTE })],
    first: call('agent__worker', { input: 'x', reason: 'r' }),
  },
  'the timeout of advisors': {
    agents: [
      { name: 'lead', advisors: { agents: ['worker'], policy: { kind: 'isolate' }, timeoutMs: 10 * MINUTE } },
      worker(),
    ],
  },
  'the timeout of a spawned run': {
    agents: [
      { name: 'lead', spawn: { maxDepth: 2, maxChildren: 5, maxTotal: 5, maxConcurrent: 5, agents: ['worker'] } },
      worker(),
    ],
    first: call('sessions_spawn', { task: 'x', agent: 'worker', runTimeoutSeconds: 600 }),
  },
};

/** A worker calls its tool twice, which takes as long as the test says; who is above it waits and answers. */
function play({ agents, first }: Place, minutes: number) {
  let time = Date.UTC(2026, 0, 15);
  const note: Tool = {
    spec: { name: 'note', description: 'Notes.', parameters: { type: 'object' } },
    repeat: 'safe',
    async execute() {
      time += minutes * MINUTE;
      return okResult('noted');
    },
  };
  const model: Model = ({ agent, turn }) => {
    if (agent === 'worker') return turn <= 2 ? call('note', {}) : 'worked';
    if (turn === 1 && first !== undefined) return first;
    return turn === 2 && first !== undefined && JSON.stringify(first).includes('sessions_spawn')
      ? call('sessions_wait', {})
      : 'over';
  };
  const of = cadre(...(agents as [AgentSketch]));
  const benchOn = (
    store?: Parameters<typeof bench>[2] extends infer O ? (O extends { store?: infer S } ? S : never) : never,
  ) => bench(of, model, { tools: [note], now: () => time, ...(store !== undefined && { store }) });
  return { of, benchOn, pass: (ms: number) => void (time += ms) };
}

/** The end of the worker's run. */
const workerEnd = (events: readonly RunEvent[]): string | undefined => {
  const visit = (node: ReturnType<typeof opTree>): string | undefined =>
    node.kind === 'run' && node.agent === 'worker'
      ? node.state
      : node.children.map(visit).find((state) => state !== undefined);
  return visit(opTree(events));
};

const secondTurn = (events: readonly RunEvent[]): number =>
  events.findIndex(
    (event) =>
      event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'worker' && event.op.turn === 2,
  );

async function resumedAfter(place: Place, minutes: number) {
  const played = play(place, minutes);
  const agent = place.agents[0]?.name ?? '';
  const { events, run } = await finish(played.benchOn(), { agent, input: { text: 'go' } });
  const store = await brokenOff(events, secondTurn(events), run);
  played.pass(TEN_DAYS);
  await (await played.benchOn(store).engine.resume(run)).outcome();
  const all = await readAll(run, store);
  expect(await replay(all, played.of, services)).toMatchObject({ kind: 'identical' });
  return workerEnd(all);
}

test.each(Object.keys(PLACES))('%s does not count the time in which nobody worked', async (place) => {
  expect(await resumedAfter(PLACES[place]!, 1)).toBe('answered');
});

test.each(Object.keys(PLACES))('%s counts what was worked before the crash', async (place) => {
  expect(await resumedAfter(PLACES[place]!, 11)).toMatch(/^(timed-out|over-budget)$/);
});
