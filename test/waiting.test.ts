// The waits of a run between two events are told to whoever watches it, and never stored.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCadre } from '../src/definition/load.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { progressFold } from '../src/views/progress/progress.ts';
import type { LiveEvent } from '../src/world/world.ts';
import { bench, cadre, type Model } from './support/cadre.ts';
import { folderWith } from './support/cli.ts';
import { engineOf } from './support/handled.ts';

const isWait = ({ type }: LiveEvent): boolean => type === 'waiting' || type === 'waited';

test('a session that waits for a free model slot says so until it has one, and its journal does not', async () => {
  const of = cadre({ name: 'lead', agents: ['one', 'two'] }, { name: 'one' }, { name: 'two' });
  const narrow = { ...of, config: { ...of.config, limits: { ...of.config.limits, concurrency: 1 } } };
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  const model: Model = async ({ agent, turn }) => {
    if (agent === 'one') await held;
    if (agent !== 'lead' || turn > 1) return `${agent} is done`;
    const ask = (name: string) => ({ name: `agent__${name}`, args: { input: 'x', reason: 'y' } });
    return { calls: [ask('one'), ask('two')] };
  };
  const { engine, store } = bench(narrow, model);
  const handle = await engine.start({ agent: 'lead', input: { text: 'go' } });
  const live: LiveEvent[] = [];
  const fold = progressFold();
  const doing = () => fold.now().sessions.map(({ agent, activity }) => [agent, activity]);
  let seen: ReturnType<typeof doing> = [];
  handle.watch({
    event: fold.add,
    live(event) {
      live.push(event);
      if (event.type === 'waiting') {
        fold.waiting(event.path, event.for, event.names);
        seen = doing();
        go();
      } else if (event.type === 'waited') fold.waited(event.path);
    },
  });
  expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
  const path = '0.2.1.0.1';
  expect(live.filter(isWait)).toEqual([
    { type: 'waiting', path, for: 'slot', names: [] },
    { type: 'waited', path },
  ]);
  expect(seen).toContainEqual(['two', { kind: 'waiting', for: 'slot', names: [] }]);
  expect(seen).toContainEqual(['one', { kind: 'thinking' }]);
  const events = await readAll(handle.run, store);
  expect(events.map(({ type }) => type)).not.toContain('waiting');
  expect(await replay(events, narrow, services)).toMatchObject({ kind: 'identical' });
});

test('a call that is cancelled while it waits for a slot waits no longer', async () => {
  const of = cadre({ name: 'lead', agents: ['one', 'two'] }, { name: 'one' }, { name: 'two' });
  const narrow = { ...of, config: { ...of.config, limits: { ...of.config.limits, concurrency: 1 } } };
  const model: Model = ({ agent }, signal) => {
    const ask = (name: string) => ({ name: `agent__${name}`, args: { input: 'x', reason: 'y' } });
    if (agent === 'lead') return { calls: [ask('one'), ask('two')] };
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('never')));
  };
  const { engine } = bench(narrow, model);
  const handle = await engine.start({ agent: 'lead', input: { text: 'go' } });
  const live: LiveEvent[] = [];
  handle.watch({
    live(event) {
      live.push(event);
      if (event.type === 'waiting') handle.interrupt('cancel', 'Enough.');
    },
  });
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' });
  expect(live.filter(isWait).map(({ type }) => type)).toEqual(['waiting', 'waited']);
});

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

test('a run whose MCP server has to start says which one it waits for, under its own path', async () => {
  const folder = folderWith({
    'cadre.yaml': [
      'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
      'defaults: {models: [demo/any]}',
      `mcpServers: {docs: {command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(everything)}]}}`,
    ].join('\n'),
    'demo.script.yaml': JSON.stringify({
      agents: {
        lead: [{ call: { agent__clerk: { input: 'Look it up.', reason: 'r' } } }, { answer: 'done' }],
        clerk: [{ answer: 'found' }],
      },
    }),
    'lead.md': '---\ndescription: Leads.\nagents: [clerk]\n---\nLead.\n',
    'clerk.md': '---\ndescription: Looks things up.\ntools: [mcp:docs/echo]\n---\nLook things up.\n',
  });
  const store = memoryStore();
  const definition = await loadCadre(folder.path);
  const engine = engineOf(definition, { store });
  try {
    const handle = await engine.start({ agent: 'lead', input: { text: 'go' } });
    const live: LiveEvent[] = [];
    handle.watch({ live: (event) => void live.push(event) });
    expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
    const events = await readAll(handle.run, store);
    const begun = events.find((event) => event.type === 'op-start' && event.op.kind === 'run');
    const path = begun !== undefined && 'path' in begun ? begun.path : '';
    expect(live.filter(isWait)).toEqual([
      { type: 'waiting', path, for: 'tools', names: ['mcp:docs'] },
      { type: 'waited', path },
    ]);
  } finally {
    await engine.close();
    folder.remove();
  }
});

test('a call that waits for a slot of its provider names the provider', async () => {
  const folder = folderWith({
    'cadre.yaml':
      'providers: {local: {kind: scripted, script: ./demo.script.yaml, concurrency: 1}}\ndefaults: {models: [local/any]}\n',
    'demo.script.yaml': [
      'agents:',
      '  lead:',
      '    - calls: [{agent__kid: {input: one, reason: why}}, {agent__kid: {input: two, reason: why}}]',
      '    - answer: done',
      '  kid: [{answer: here, delay: 20ms, repeat: true}]',
    ].join('\n'),
    'lead.md': '---\nagents: [kid]\n---\nLead.\n',
    'kid.md': '---\ndescription: A kid.\n---\nKid.\n',
  });
  try {
    const of = await loadCadre(folder.path);
    const engine = engineOf(of, { store: memoryStore() });
    const handle = await engine.start({ agent: 'lead', input: { text: 'go' } });
    const live: LiveEvent[] = [];
    handle.watch({ live: (event) => live.push(event) });
    expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
    expect(live.filter(isWait)).toEqual([
      { type: 'waiting', path: '0.2.1.0.1', for: 'provider', names: ['local'] },
      { type: 'waited', path: '0.2.1.0.1' },
    ]);
    await engine.close();
  } finally {
    folder.remove();
  }
});
