// The spawn limits of an agent are the least that it and all above it allow: its own file cannot give it more.

import { afterEach, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import type { SpawnReceipt } from '../../src/kernel/spawned.ts';
import { services } from '../../src/run/services.ts';
import { bench, brokenOff, cadre, call, finish, type Model, type Reply } from '../support/cadre.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { calls, instants, report } from '../support/spawning.ts';

const generous = { maxDepth: 9, maxChildren: 50, maxTotal: 500, maxConcurrent: 50 };
const agents = ['greedy', 'leaf'];

/** The boss allows little, its spawned run allows itself a lot and spawns six. */
const family = (limits: Partial<typeof generous>) =>
  cadre(
    { name: 'boss', spawn: { ...generous, ...limits, agents } },
    { name: 'greedy', spawn: { ...generous, agents } },
    { name: 'leaf' },
  );

const six = call('sessions_spawn', { task: Array.from('abcdef'), parallel: true, agent: 'leaf' });
const thenWait = (turn: number, first: Reply): Reply =>
  turn === 1 ? first : turn === 2 ? call('sessions_wait', {}) : report('done');

const spawners: Model = ({ agent, turn }) => {
  if (agent === 'boss') return thenWait(turn, calls({ name: 'sessions_spawn', args: { task: 'go', agent: 'greedy' } }));
  return agent === 'greedy' ? thenWait(turn, six) : 'leaf';
};

const receiptsBelow = (events: Parameters<typeof instants>[0]): readonly SpawnReceipt[] =>
  instants(events, 'spawn')
    .map(({ value }) => (value as { readonly receipts: readonly SpawnReceipt[] }).receipts)
    .at(-1) ?? [];

test.each([
  [
    'maxDepth',
    { maxDepth: 1 },
    0,
    'There are 1 levels of spawned runs, and spawn.maxDepth of boss, which is above you, allows 1.',
  ],
  [
    'maxChildren',
    { maxChildren: 2 },
    2,
    'There are 2 unfinished children of this session, and spawn.maxChildren of boss, which is above you, allows 2.',
  ],
  [
    'maxTotal',
    { maxTotal: 4 },
    3,
    'There are 4 spawned runs in this run, and spawn.maxTotal of boss, which is above you, allows 4.',
  ],
])('a spawned run cannot pass the %s of the one that spawned it', async (_, limits, accepted, refusal) => {
  const of = family(limits);
  const { events, outcome } = await finish(bench(of, spawners), { agent: 'boss', input: { text: 'go' } });
  expect(outcome.kind).toBe('answered');
  const receipts = receiptsBelow(events);
  expect(receipts.filter(({ status }) => status === 'accepted')).toHaveLength(accepted);
  expect(receipts.at(-1)).toMatchObject({ status: 'forbidden', error: refusal });
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('the least limit of those above holds for runs at the same time, also after a crash', async () => {
  const of = family({ maxConcurrent: 2 });
  let working = 0;
  let most = 0;
  const model: Model = async (request, signal) => {
    if (request.agent !== 'leaf') return spawners(request, signal);
    most = Math.max(most, ++working);
    for (let tick = 0; tick < 5; tick++) await new Promise((soon) => setImmediate(soon));
    working -= 1;
    return 'leaf';
  };
  const { events, run, outcome } = await finish(bench(of, model), { agent: 'boss', input: { text: 'go' } });
  expect(most).toBe(2);
  for (let count = 1; count < events.length; count++) {
    most = working = 0;
    const b = bench(of, model, { store: await brokenOff(events, count, run) });
    expect(await (await b.engine.resume(run)).outcome()).toEqual(outcome);
    expect(most).toBeLessThanOrEqual(2);
  }
});

test('the limits hold for a sub-agent and for what follows in a chain, not only for spawned runs', async () => {
  const chain = { trigger: 'next', stages: [{ to: 'greedy' }], pass: 'answer' } as const;
  const of = cadre(
    { name: 'boss', spawn: { ...generous, maxTotal: 2, agents }, agents: ['middle'] },
    { name: 'middle', chain },
    { name: 'greedy', spawn: { ...generous, agents } },
    { name: 'leaf' },
  );
  const model: Model = ({ agent, turn }) => {
    if (agent === 'boss') return turn === 1 ? call('agent__middle', { input: 'go', reason: 'why' }) : report('done');
    return agent === 'greedy' ? thenWait(turn, six) : 'over to you';
  };
  const { events } = await finish(bench(of, model), { agent: 'boss', input: { text: 'go' } });
  expect(
    receiptsBelow(events)
      .map(({ status }) => status)
      .filter((status) => status === 'accepted'),
  ).toHaveLength(2);
});

test("an agent's own limits are told as its own, and a wider one above gives nothing", async () => {
  const of = cadre(
    { name: 'boss', spawn: { ...generous, agents } },
    { name: 'greedy', spawn: { ...generous, maxChildren: 1, agents } },
    { name: 'leaf' },
  );
  const { events } = await finish(bench(of, spawners), { agent: 'boss', input: { text: 'go' } });
  expect(receiptsBelow(events).at(-1)).toMatchObject({
    error: 'There are 1 unfinished children of this session, and spawn.maxChildren allows 1.',
  });
});

let folder: Folder | undefined;
afterEach(() => folder?.remove());

test('through the command line: the file of a spawned agent cannot raise the limit', async () => {
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': `agents:
  boss:
    - call: { sessions_spawn: { task: go, agent: greedy, label: greedy } }
    - call: { sessions_wait: {} }
    - call: { sessions_result: { label: greedy } }
    - report: "{{result.sessions_result}}"
  greedy:
    - call: { sessions_spawn: { task: [a, b, c], parallel: true, agent: leaf } }
    - call: { sessions_wait: {} }
    - report: "{{result.sessions_spawn}}"
  leaf: [{ answer: leaf, repeat: true }]
`,
    'boss.md': '---\nspawn: { maxTotal: 2 }\n---\nYou plan.\n',
    'greedy.md': '---\ndescription: Spawns.\nspawn: { maxTotal: 50 }\n---\nYou spawn.\n',
    'leaf.md': '---\ndescription: Works.\n---\nYou work.\n',
  });
  const ran = await folder.cadre(['run', 'boss', 'go']);
  expect(ran.stdout.match(/"status":"accepted"/g)).toHaveLength(1);
  expect(ran.stdout).toContain('spawn.maxTotal of boss, which is above you, allows 2.');
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});
