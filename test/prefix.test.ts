// Providers cache beginnings: each request of a session begins with the whole of the one before it, with the same system prompt
// and the same tools, whatever pattern the session is in.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { History, ModelRequest } from '../src/kernel/effect.ts';
import type { BranchStep } from '../src/patterns/branch/step.ts';
import type { MapStep } from '../src/patterns/map/map.ts';
import { services } from '../src/run/services.ts';
import { tool } from '../src/tools/functions.ts';
import { type AgentSketch, bench, cadre, call, finish, type Reply } from './support/cadre.ts';

const look = tool<object>({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object' },
  repeat: 'safe',
  run: () => 'seen',
});

const SPAWN = { maxDepth: 1, maxChildren: 4, maxTotal: 4, maxConcurrent: 2, agents: ['other'] };
const looking = { tools: ['look'], maxTurns: 4 } as const;
const BOSS: AgentSketch = { name: 'boss', ...looking };
const SORTED = { output: { format: 'json', schema: { type: 'object' } }, outputDeclared: true } as const;
const BRANCH: BranchStep = { kind: 'branch', by: 'kind', cases: [], otherwise: { to: 'boss' }, pass: 'answer' };
const MAP: MapStep = { kind: 'map', each: 'parts', to: 'boss', max: 9, concurrent: 2, failures: 9, pass: 'item' };
const idIn = (request: ModelRequest): string | undefined => /id `([^`]+)`/.exec(JSON.stringify(request.messages))?.[1];

interface Case {
  readonly agents: readonly AgentSketch[];
  /** The replies of `boss`, turn by turn; then it looks until its last turn. */
  readonly boss: readonly ((request: ModelRequest) => Reply)[];
  readonly history?: History;
}

const CASES: Readonly<Record<string, Case>> = {
  plain: { agents: [{ name: 'boss', ...looking }], boss: [] },
  'JSON answer': {
    agents: [{ name: 'boss', ...looking, output: { format: 'json', schema: { type: 'object' } } }],
    boss: [],
  },
  'sub-agents that can be asked again': {
    agents: [
      { name: 'boss', ...looking, maxTurns: 6, agents: ['other'] },
      { name: 'other', chat: true },
    ],
    boss: [
      () => call('agent__other', { input: 'one', reason: 'why' }),
      (request) => call('agent__ask_clarification', { id: idIn(request), question: 'sure?' }),
      () => call('agent__other', { input: 'two', reason: 'why' }),
      (request) => call('agent__dismiss', { id: idIn(request) }),
    ],
  },
  'advisors that can be asked again': {
    agents: [
      { name: 'boss', ...looking, advisors: { agents: ['other'], policy: { kind: 'isolate' } } },
      { name: 'other', chat: true },
    ],
    boss: [(request) => call('agent__ask_clarification', { id: idIn(request), question: 'sure?' })],
  },
  router: { agents: [{ name: 'boss', ...looking, router: { destinations: ['other'] } }, { name: 'other' }], boss: [] },
  chain: {
    agents: [
      { name: 'boss', ...looking, chain: { trigger: 'next', stages: [{ to: 'other' }], pass: 'answer' } },
      { name: 'other' },
    ],
    boss: [],
  },
  'team, supervisor': {
    agents: [{ name: 'boss', ...looking, team: { members: ['other'], supervisor: 'boss' } }, { name: 'other' }],
    boss: [() => call('team_broadcast', { message: 'look again' })],
  },
  'team, member': {
    agents: [
      { name: 'lead', team: { members: ['boss'], supervisor: 'lead' } },
      { name: 'boss', ...looking, maxTurns: 6 },
    ],
    boss: [() => call('team_broadcast', { message: 'here' })],
  },
  spawn: {
    agents: [{ name: 'boss', ...looking, spawn: SPAWN }, { name: 'other' }],
    boss: [() => call('sessions_spawn', { task: 'go', agent: 'other' }), () => call('sessions_wait', {})],
  },
  'a later stage of a sequence': {
    agents: [
      { name: 'other', chain: { trigger: 'next', stages: [{ to: 'boss' }, { to: 'last' }], pass: 'answer' } },
      { name: 'boss', ...looking },
      { name: 'last' },
    ],
    boss: [],
  },
  'the agent that a branch leads to': {
    agents: [{ name: 'sorter', ...SORTED, chain: { trigger: 'next', steps: [BRANCH], pass: 'answer' } }, BOSS],
    boss: [],
  },
  'the agent that branches': {
    agents: [
      {
        ...BOSS,
        ...SORTED,
        chain: { trigger: 'next', steps: [{ ...BRANCH, otherwise: { to: 'other' } }], pass: 'answer' },
      },
      { name: 'other' },
    ],
    boss: [],
  },
  'an item of a map': {
    agents: [{ name: 'sorter', ...SORTED, chain: { trigger: 'next', steps: [MAP], pass: 'answer' } }, BOSS],
    boss: [],
  },
  'the agent that maps': {
    agents: [
      { ...BOSS, ...SORTED, chain: { trigger: 'next', steps: [{ ...MAP, to: 'other' }], pass: 'answer' } },
      { name: 'other' },
    ],
    boss: [],
  },
  'an agent with skills': {
    agents: [{ ...BOSS, skills: { use: ['./extra'], preload: ['pdf'] } }],
    boss: [() => call('use_skill', { name: 'knots' })],
  },
  loop: {
    agents: [
      { name: 'boss', ...looking, maxTurns: 6, repeat: { until: 'critic', max: 2, fresh: false, atMax: 'last' } },
      { name: 'critic' },
    ],
    boss: [() => call('look', {}), () => 'An answer.'],
  },
  'the second message of a chat': {
    agents: [{ name: 'boss', ...looking }],
    boss: [],
    history: [
      { role: 'user', text: 'Before.' },
      { role: 'assistant', text: 'An answer.' },
    ],
  },
  subagent: {
    agents: [
      {
        name: 'boss',
        ...looking,
        subagent: {
          enabled: true,
          maxDepth: 1,
          maxIterations: 2,
          timeoutSeconds: 60,
          maxOutputBytes: 65_536,
          artifactKinds: ['note'],
          maxInputBytes: 65_536,
          runner: 'in-process',
        },
      },
    ],
    boss: [() => call('subagent', { task: 'look' })],
  },
};

const FOUND = { kind: 'odd', parts: ['one', 'two'] };

function model({ boss }: Case) {
  return (request: ModelRequest): Reply => {
    const { agent, turn, messages, callable } = request;
    if (agent === 'lead')
      return turn === 1 ? call('team_broadcast', { message: 'go on' }) : call('final_report', { content: 'done' });
    if (agent === 'critic') return call('final_report', { good: false, why: 'Say more.' });
    if (agent === 'sorter') return call('final_report', FOUND);
    if (agent !== 'boss') return `${agent} says so: ${messages.length}`;
    const step = boss[turn - 1];
    if (step !== undefined) return step(request);
    if (callable === undefined) return call('look', { at: turn });
    if (request.output.format === 'json') return call('final_report', FOUND);
    return callable.includes('team_broadcast') ? call('team_broadcast', { message: 'bye' }) : 'done';
  };
}

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-prefix-')));
  for (const name of ['pdf', 'knots']) {
    mkdirSync(join(workspace, 'extra', name), { recursive: true });
    writeFileSync(
      join(workspace, 'extra', name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: For ${name}.\n---\nTie.`,
    );
  }
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

function bySessionOf(requests: readonly ModelRequest[]): ReadonlyMap<string, readonly ModelRequest[]> {
  const found = new Map<string, ModelRequest[]>();
  for (const request of requests) found.set(request.session, [...(found.get(request.session) ?? []), request]);
  return found;
}

describe.each(Object.entries(CASES))('%s', (_, one) => {
  test('each request begins with the one before it, to the last turn', async () => {
    const definition = cadre(...one.agents);
    const of = bench(definition, model(one), { tools: [look], workspace });
    const done = await finish(of, {
      agent: one.agents[0]?.name ?? '',
      input: { text: 'go', ...(one.history && { history: one.history }) },
    });
    const requests: ModelRequest[] = [];
    const asked = (request: ModelRequest): void => void requests.push(structuredClone(request));
    expect(await replay(done.events, definition, services, { asked, store: of.store })).toMatchObject({
      kind: 'identical',
      ended: true,
    });
    const bySession = bySessionOf(requests);
    expect(Math.max(...[...bySession.values()].map((list) => list.length))).toBeGreaterThan(2);
    for (const [before, after] of [...bySession.values()].flatMap((list) =>
      list.slice(1).map((next, at) => [list[at], next] as const),
    )) {
      expect([after.system, after.tools]).toEqual([before?.system, before?.tools]);
      expect(after.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    }
    expect(requests.some(({ callable }) => callable !== undefined)).toBe(true);
  });
});

test('the tools of `spawn` take at most 1,000 tokens, read_result among them', async () => {
  const requests: ModelRequest[] = [];
  const definition = cadre({ name: 'boss', spawn: { ...SPAWN, agents: ['other', 'boss'] } }, { name: 'other' });
  const record = (request: ModelRequest): Reply => {
    requests.push(request);
    return 'done';
  };
  await finish(bench(definition, record), { agent: 'boss', input: { text: 'go' } });
  const added = (requests[0]?.tools ?? []).filter(({ name }) => name !== 'final_report');
  expect(added.map(({ name }) => name)).toEqual(expect.arrayContaining(['sessions_send', 'read_result']));
  expect(services.estimate(JSON.stringify(added))).toBeLessThanOrEqual(1000);
});
