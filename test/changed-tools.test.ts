// Tools of an MCP server that change while a session goes on, with a real server and the scripted model: what is
// offered at which turn, approvals, lists that limit what is added, crash and replay.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { loadCadre } from '../src/definition/load.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { Outcome } from '../src/kernel/outcome.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { brokenOff } from './support/cadre.ts';
import { engineOf } from './support/handled.ts';

const SERVER = fileURLToPath(new URL('./fixtures/mcp/shop-server.mjs', import.meta.url));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Sketch {
  /** The calls of one turn after the other, then an answer that quotes the last results. */
  readonly calls: readonly Readonly<Record<string, object>>[];
  readonly clerk?: string;
  readonly server?: string;
  /** A second agent that the clerk asks. */
  readonly helper?: readonly Readonly<Record<string, object>>[];
}

const steps = (calls: Sketch['calls']) => [...calls.map((call) => ({ call })), { answer: 'at last: {{last}}' }];

function shop({ calls, clerk = 'tools: [mcp:shop]', server = '', helper }: Sketch) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-shop-'));
  folders.push(folder);
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const more = helper === undefined ? '' : '\nagents: [helper]';
  write('clerk.md', `---\ndescription: A clerk.\nmaxTurns: 20\n${clerk}${more}\n---\nYou serve.\n`);
  if (helper !== undefined)
    write('helper.md', '---\ndescription: Helps.\nchat: true\ntools: [mcp:shop]\n---\nYou help.\n');
  write('s.yaml', JSON.stringify({ agents: { clerk: steps(calls), helper: steps(helper ?? []) } }));
  write(
    'cadre.yaml',
    `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n` +
      `mcpServers: { shop: { command: ${process.execPath}, args: [${SERVER}, ./shelf.json]${server} } }\n`,
  );
  return { folder, shelf: join(folder, 'shelf.json') };
}

interface Served {
  readonly outcome: Outcome;
  readonly events: readonly RunEvent[];
  readonly run: string;
}

/** Runs the clerk, or takes up a run of it. */
async function serve(folder: string, store = memoryStore(), run?: string): Promise<Served> {
  const cadre = await loadCadre(folder);
  const engine = engineOf(cadre, { store });
  try {
    const request = { agent: 'clerk', input: { text: 'serve' } };
    const handle = run === undefined ? await engine.start(request) : await engine.resume(run);
    const outcome = await handle.outcome();
    const events = await readAll(handle.run, store);
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
    return { outcome, events, run: handle.run };
  } finally {
    await engine.close();
  }
}

/** The tools of the server that a session was offered at each of its turns. */
function offered(events: readonly RunEvent[], agent = 'clerk'): readonly string[] {
  const turns = new Map<string, string>(); // by path: a call in doubt is begun twice
  let last = '';
  for (const event of events) {
    if (event.type !== 'op-start' || event.op.kind !== 'model' || event.op.agent !== agent) continue;
    const own = ['read_result', 'final_report'];
    if (event.op.tools !== undefined) last = event.op.tools.filter((name) => !own.includes(name)).join(' ');
    turns.set(event.path, last);
  }
  return [...turns.values()];
}

const texts = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'op-end' && event.kind === 'tool' && event.result.ok
      ? [(event.result.value as { readonly text: string }).text]
      : [],
  );

const base = 'add alter remove where';

test('a tool that is added is offered from the next turn on, an altered one anew, and a removed one no longer', async () => {
  const named = { name: 'tell' };
  const calls = [{ add: named }, { tell: {} }, { alter: named }, { remove: named }, { tell: {} }];
  const { folder } = shop({ calls });
  const { outcome, events } = await serve(folder);
  expect(offered(events)).toEqual([
    base,
    `${base.replace('where', 'tell where')}`,
    'add alter remove tell where',
    'add alter remove tell where',
    base,
    base,
  ]);
  expect(texts(events)).toContain('tell answers');
  expect(outcome).toMatchObject({
    kind: 'answered',
    text: expect.stringContaining('There is no tool named tell.') as string,
  });
  const brought = events.flatMap((event) => {
    const tools =
      event.type === 'op' && event.kind === 'take'
        ? (event.value as { tools?: { tools: { name: string; description: string }[] } }).tools
        : undefined;
    return tools === undefined ? [] : [tools.tools.find(({ name }) => name === 'tell')?.description];
  });
  expect(brought).toEqual(['new', 'altered', undefined]);
});

test('a session that is taken up again at any event goes on with the tools that are there, and replays', {
  timeout: 120_000,
}, async () => {
  const named = { name: 'tell' };
  const { folder, shelf } = shop({ calls: [{ add: named }, { tell: {} }, { remove: named }] });
  const whole = await serve(folder);
  expect(whole.outcome).toMatchObject({ kind: 'answered', text: 'at last: tell is gone' });
  for (let count = 1; count < whole.events.length; count++) {
    const before = texts(whole.events.slice(0, count));
    const isThere = before.includes('tell is new') && !before.includes('tell is gone');
    writeFileSync(shelf, JSON.stringify(isThere ? { tell: 'new' } : {}));
    const { outcome, events } = await serve(folder, await brokenOff(whole.events, count, whole.run), whole.run);
    expect(outcome).toEqual(whole.outcome);
    expect(offered(events)).toEqual(offered(whole.events));
  }
});

test('approve of a single tool holds for it when the server removes it and adds it again', async () => {
  const named = { name: 'tell' };
  const { folder, shelf } = shop({
    calls: [{ remove: named }, { add: named }, { tell: {} }],
    clerk: 'tools: [mcp:shop]\napprove: [mcp:shop/tell]',
  });
  writeFileSync(shelf, JSON.stringify({ tell: 'new' }));
  const { outcome, events } = await serve(folder);
  expect(offered(events)[1]).toBe(base);
  expect(outcome).toMatchObject({ text: expect.stringContaining('The call of tell was not approved') as string });
});

test('approve of a whole server holds for a tool that came while the session went on', async () => {
  const { folder } = shop({
    calls: [{ add: { name: 'tell' } }, { tell: {} }],
    clerk: 'tools: [mcp:shop]\napprove: [mcp:shop]',
  });
  const cadre = await loadCadre(folder);
  const store = memoryStore();
  const engine = engineOf(cadre, {
    store,
    approve: async (_, about) => ({ approved: (about as { name: string }).name === 'add', note: 'only add' }),
  });
  const handle = await engine.start({ agent: 'clerk', input: { text: 'serve' } });
  expect(await handle.outcome()).toMatchObject({ text: 'at last: The call of tell was not approved: only add' });
  await engine.close();
});

test.each([
  ['a deny list of cadre.yaml', { server: ', deny: ["te*"]' }],
  ['an allow list of cadre.yaml', { server: ', allow: [add, alter, remove, where]' }],
  [
    'single tools in the agent file',
    {
      clerk: `tools: [${base
        .split(' ')
        .map((name) => `mcp:shop/${name}`)
        .join(', ')}]`,
    },
  ],
])('%s keeps a tool out that is added later', async (_, limits) => {
  const { folder } = shop({ calls: [{ add: { name: 'tell' } }, { where: {} }], ...limits });
  const { events } = await serve(folder);
  expect(offered(events)).toEqual([base, base, base]);
});

test('a single tool that the agent file names is no longer offered once the server has removed it', async () => {
  const { folder, shelf } = shop({
    calls: [{ remove: { name: 'tell' } }, { where: {} }],
    clerk: 'tools: [mcp:shop/remove, mcp:shop/where, mcp:shop/tell]',
  });
  writeFileSync(shelf, JSON.stringify({ tell: 'new' }));
  const { outcome, events } = await serve(folder);
  expect(offered(events)).toEqual(['remove where tell', 'remove where', 'remove where']);
  expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('at last: /') as string });
});

test('two agents on one server: a child adds a tool, and its parent is offered it at its next turn', async () => {
  const ask = { input: 'go', reason: 'r' };
  const { folder, shelf } = shop({
    calls: [{ agent__helper: ask }, { tell: {} }],
    helper: [{ add: { name: 'tell' } }],
  });
  const { outcome, events } = await serve(folder);
  expect(offered(events)[1]).toContain('tell');
  expect(offered(events, 'helper')).toEqual([base, 'add alter remove tell where']);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'at last: tell answers' });
  expect(existsSync(`${shelf}.starts`) && readFileSync(`${shelf}.starts`, 'utf8').split('\n')).toHaveLength(2);
});
