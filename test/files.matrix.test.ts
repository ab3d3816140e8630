// The bytes of a file in and around every pattern, from agent files to the requests of a provider: whoever gets the request is
// shown the file, and nobody else is. No journal has a byte of it, every run replays, and it goes on alike after a kill at any event.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { loadCadre } from '../src/definition/load.ts';
import type { RunRequest } from '../src/engine/contract.ts';
import { takeFiles } from '../src/engine/files/take-files.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { openEngine } from '../src/engine/open.ts';
import { readAll } from '../src/engine/pinned.ts';
import { tipAfter } from '../src/engine/threads/thread.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { RunStore } from '../src/journal/store.ts';
import type { FileRef } from '../src/kernel/file-ref.ts';
import { OWN_UPLOADS } from '../src/run/name-files.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { serve } from './browser/support/served.ts';
import { brokenOff } from './support/cadre.ts';
import { pngOf } from './support/media.ts';
import { type Asked, type ModelServer, modelServer, type Said } from './support/model-server.ts';

const SHOT = pngOf(3000);
const BASE64 = SHOT.toString('base64');
const DIGEST = createHash('sha256').update(SHOT).digest('hex');

/** A reply of an agent: a text, or the call of a tool. */
type Step = string | readonly [tool: string, input: object];

interface Row {
  /** The frontmatter of each agent beside its description. The first one is asked. */
  readonly agents: Readonly<Record<string, string>>;
  /** The replies of each agent, turn by turn. Where there is no more, it says its name. */
  readonly says?: Readonly<Record<string, readonly Step[]>>;
  readonly gets: readonly string[];
  readonly lacks: readonly string[];
}

const KINDS =
  'output: { format: json, schema: { type: object, properties: { kind: { enum: [a, b] } }, required: [kind], additionalProperties: false } }\n';
const PARTS =
  'output: { format: json, schema: { type: object, properties: { parts: { type: array, items: { type: string } } }, required: [parts], additionalProperties: false } }\n';
const TWO = '{"parts":["x","y"]}';

const ROWS: Readonly<Record<string, Row>> = {
  'an agent alone': { agents: { ann: '' }, gets: ['ann'], lacks: [] },
  advisors: { agents: { ann: 'advisors: [bob]', bob: '' }, gets: ['ann', 'bob'], lacks: [] },
  'a router': {
    agents: { ann: 'router: { destinations: [bob] }', bob: '' },
    says: { ann: [['handoff-to', { agent: 'bob', message: 'Look closely.' }]] },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a team': {
    agents: { ann: 'team: { members: [bob], supervisor: self, memberMaxTurns: 3, supervisorMaxTurns: 3 }', bob: '' },
    says: { ann: ['done'], bob: [['team_broadcast', { message: 'I see it.' }]] },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a loop with a judge': {
    agents: { ann: 'repeat: { until: bob, max: 2 }', bob: '' },
    says: { bob: ['{"good":true,"why":"Fine."}'] },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a loop whose judge says no once': {
    agents: { ann: 'repeat: { until: bob, max: 2, atMax: last }', bob: '' },
    says: { ann: ['first', 'second'], bob: ['{"good":false,"why":"More."}'] },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a chain': { agents: { ann: 'next: bob', bob: '' }, gets: ['ann'], lacks: ['bob'] },
  'a handoff': { agents: { ann: 'handoff: bob', bob: '' }, gets: ['ann'], lacks: ['bob'] },
  'a handoff that passes the request': {
    agents: { ann: 'handoff: { to: bob, pass: request+answer }', bob: '' },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a branch': {
    agents: { ann: `${KINDS}next: { by: kind, to: { a: bob, b: cid } }`, bob: '', cid: '' },
    says: { ann: ['{"kind":"a"}'] },
    gets: ['ann'],
    lacks: ['bob'],
  },
  'a branch that passes the request': {
    agents: { ann: `${KINDS}next: { by: kind, to: { a: bob, b: cid }, pass: request+answer }`, bob: '', cid: '' },
    says: { ann: ['{"kind":"b"}'] },
    gets: ['ann', 'cid'],
    lacks: [],
  },
  'a map with a join': {
    agents: { ann: `${PARTS}next: { each: parts, to: bob, max: 3, join: cid }`, bob: '', cid: '' },
    says: { ann: [TWO] },
    gets: ['ann', 'cid'],
    lacks: ['bob'],
  },
  'a map whose join takes JSON': {
    agents: {
      ann: `${PARTS}next: { each: parts, to: bob, max: 3, join: cid }`,
      bob: '',
      cid: 'input: { format: json }',
    },
    says: { ann: [TWO] },
    gets: ['ann'],
    lacks: ['bob', 'cid'],
  },
  'a map that passes the request': {
    agents: { ann: `${PARTS}next: { each: parts, to: bob, max: 3, pass: request+item, join: cid }`, bob: '', cid: '' },
    says: { ann: [TWO] },
    gets: ['ann', 'bob', 'cid'],
    lacks: [],
  },
  'a sub-agent': {
    agents: { ann: 'agents: [bob]', bob: '' },
    says: { ann: [['agent__bob', { input: 'Read it.', reason: 'r' }], 'done'] },
    gets: ['ann'],
    lacks: ['bob'],
  },
  'a sub-agent that is handed the file': {
    agents: { ann: 'agents: [bob]', bob: 'input: { accepts: [image] }' },
    says: { ann: [['agent__bob', { input: 'Read it.', reason: 'r', files: ['shot.png'] }], 'done'] },
    gets: ['ann', 'bob'],
    lacks: [],
  },
  'a spawned run': {
    agents: { ann: 'spawn: { agents: [bob] }', bob: '' },
    says: {
      ann: [['sessions_spawn', { task: 'Look.', label: 'look', agent: 'bob' }], ['sessions_wait', {}], 'done'],
    },
    gets: ['ann'],
    lacks: ['bob'],
  },
  'a helper': {
    agents: { ann: 'subagent: true' },
    says: { ann: [['subagent', { task: 'Look.' }], 'done'] },
    gets: ['ann'],
    lacks: ['helper'],
  },
  'a router whose destination has advisors and a loop': {
    agents: {
      ann: 'router: { destinations: [bob] }',
      bob: 'advisors: [cid]\nrepeat: { until: dora, max: 2 }',
      cid: '',
      dora: '',
    },
    says: { ann: [['handoff-to', { agent: 'bob', message: 'Go.' }]], dora: ['{"good":true,"why":"Fine."}'] },
    gets: ['ann', 'bob', 'cid', 'dora'],
    lacks: [],
  },
};

let server: ModelServer;
/** The agents that were asked, each with the digests that came with all of its requests. */
let heard: Map<string, Set<string>>;
let row: Row = { agents: {}, gets: [], lacks: [] };
const folders: string[] = [];

beforeAll(async () => {
  server = await modelServer((asked) => reply(asked));
});
beforeEach(() => {
  heard = new Map();
});
afterAll(async () => {
  await server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function reply({ body }: Asked): Said {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[];
  // In a team the charter, which is the text of another file, comes before an agent's own prompt.
  const agent = [...JSON.stringify(messages[0]?.content).matchAll(/You are (\w+)\./g)].at(-1)?.[1] ?? 'helper';
  const digests = heard.get(agent) ?? new Set();
  heard.set(agent, digests);
  for (const [, data = ''] of JSON.stringify(messages).matchAll(/;base64,([A-Za-z0-9+/=]+)/g))
    digests.add(createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex'));
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const step = row.says?.[agent]?.[turn] ?? `${agent} says`;
  return typeof step === 'string' ? { text: step } : { call: { id: `c${turn}`, name: step[0], input: step[1] } };
}

async function cadreOf(agents: Row['agents']): Promise<CadreDefinition> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-files-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(filesOf(agents))) writeFileSync(join(folder, name), text);
  return loadCadre(folder);
}

const filesOf = (agents: Row['agents']): Readonly<Record<string, string>> => ({
  'cadre.yaml': [
    `providers: { far: { kind: openai-compatible, baseUrl: "${server.base('openai-compatible')}", apiKey: key } }`,
    'models: { eyes: { use: far/m, sees: [image] } }',
    'defaults: { models: [eyes] }',
  ].join('\n'),
  ...Object.fromEntries(
    Object.entries(agents).map(([name, keys]) => [
      `${name}.md`,
      `---\ndescription: The ${name}.\n${keys}\n---\nYou are ${name}.\n`,
    ]),
  ),
});

interface Played {
  readonly run: string;
  readonly events: readonly RunEvent[];
}

async function played(cadre: CadreDefinition, store: RunStore, request: Omit<RunRequest, 'agent'>): Promise<Played> {
  const engine = await openEngine(cadre, { store, warn() {} });
  try {
    const run = await engine.start({ agent: 'ann', ...request });
    expect(await engine.outcome(run)).toMatchObject({ kind: 'answered' });
    return { run, events: await readAll(run, store) };
  } finally {
    await engine.close();
  }
}

const shot = async (store: RunStore): Promise<readonly FileRef[]> =>
  (await takeFiles([{ name: 'shot.png', data: SHOT }], { uploads: store.uploads, owner: OWN_UPLOADS })).files;

const digestsOf = (agent: string): readonly string[] => [...(heard.get(agent) ?? [])];

/** Everybody who was asked since the last look, as far as they are among these, had the file or had none. */
function expectShown({ gets, lacks }: Pick<Row, 'gets' | 'lacks'>, isWhole: boolean): void {
  const all = isWhole ? [...gets, ...lacks] : [...heard.keys()];
  expect(all.map((agent) => [agent, digestsOf(agent)])).toEqual(
    all.map((agent) => [agent, gets.includes(agent) ? [DIGEST] : []]),
  );
}

test.each(Object.keys(ROWS))('%s: only who gets the request gets the bytes, live and after a kill', async (title) => {
  row = ROWS[title] as Row;
  const cadre = await cadreOf(row.agents);
  const store = memoryStore();
  const { run, events } = await played(cadre, store, { input: { text: 'What is this?', files: await shot(store) } });
  expectShown(row, true);
  expect(JSON.stringify(events)).not.toContain(BASE64.slice(100, 140));
  expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });

  for (let count = 1; count < events.length; count++) {
    heard = new Map();
    const left = await brokenOff(events, count, run);
    await left.blobs.put(SHOT);
    for (const text of cadre.texts.values()) await left.blobs.put(new TextEncoder().encode(text));
    const engine = await openEngine(cadre, { store: left, warn() {} });
    await engine.resume(run);
    expect(await engine.outcome(run), `killed after ${count} events`).toMatchObject({ kind: 'answered' });
    await engine.close();
    expectShown(row, false);
  }
});

test('the second message of a conversation, and a fork of it, are shown the picture of the first', async () => {
  row = ROWS['advisors'] as Row;
  const cadre = await cadreOf(row.agents);
  const store = memoryStore();
  const first = await played(cadre, store, {
    thread: 't1',
    input: { text: 'What is this?', files: await shot(store) },
  });
  heard = new Map();
  const { history } = await tipAfter(first.run, store);
  const second = await played(cadre, store, {
    thread: 't1',
    continues: first.run,
    input: { text: 'And now?', history },
  });
  expect(digestsOf('ann')).toEqual([DIGEST]);
  expect(await replay(second.events, cadre, services)).toMatchObject({ kind: 'identical' });

  heard = new Map();
  const at = second.events.find((event) => event.type === 'op-start' && event.op.kind === 'model');
  const forked = await forkRun(
    { run: second.run, at: at?.type === 'op-start' ? at.path : '' },
    { store, cadre, texts: 'pinned', now: Date.now },
  );
  const engine = await openEngine(cadre, { store, warn() {} });
  await engine.resume(forked.run);
  expect(await engine.outcome(forked.run)).toMatchObject({ kind: 'answered' });
  await engine.close();
  expect(digestsOf('ann')).toEqual([DIGEST]);
  const events = JSON.stringify([...first.events, ...second.events, ...(await readAll(forked.run, store))]);
  expect(events).not.toContain(BASE64.slice(100, 140));
});

test('a run that begins after another one in the background gets its result, and no file', async () => {
  row = ROWS['a spawned run'] as Row;
  const cadre = await cadreOf(row.agents);
  const store = memoryStore();
  const files = await shot(store);
  const first = await played(cadre, store, { label: 'one', input: { text: 'What is this?', files } });
  heard = new Map();
  const after = { runs: [{ run: first.run, label: 'one' }], references: {}, include: true } as const;
  const next = { ...after, onFailure: 'continue', withinMs: 20_000 } as const;
  await played(cadre, store, { after: next, input: { text: 'Go on.' } });
  expect(digestsOf('ann')).toEqual([]);
});

test('an upload is there after a kill -9 of the server, and a run of the same token names it', async () => {
  row = ROWS['an agent alone'] as Row;
  const at = await serve({ files: filesOf(row.agents) });
  try {
    const token = new URL(at.openUrl).searchParams.get('token') ?? '';
    const headers = { authorization: `Bearer ${token}` };
    const body = new Uint8Array(SHOT);
    const up = await fetch(new URL('/api/blobs?name=shot.png', at.openUrl), { method: 'POST', body, headers });
    expect(up.status).toBe(201);
    await at.stop('kill');
    await at.again();
    await at.api('/api/runs?wait=20s', { agent: 'ann', input: 'What is this?', files: [{ digest: DIGEST }] });
    expect(digestsOf('ann')).toEqual([DIGEST]);
  } finally {
    await at.stop('kill');
    rmSync(at.folder, { recursive: true, force: true });
  }
});
