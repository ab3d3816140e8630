// The library with runs that are over: replay, fork, diff, and runs in a process of their own.

import { afterEach, expect, test } from 'vitest';
import {
  type Cadre,
  type CadreOptions,
  FaultError,
  loadCadre,
  tool,
  waitForSubagentRunCompletion,
} from '../../src/index.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const FILES = {
  'cadre.yaml':
    'providers:\n  demo: { kind: scripted, script: ./s.yaml }\n  other: { kind: scripted, script: ./t.yaml }\ndefaults: { models: [demo/x] }\n',
  'clerk.md': '---\ndescription: Looks things up.\ntools: [files]\n---\nLook it up.\n',
  's.yaml': 'agents: { clerk: [{ call: list_files }, { answer: "It is blue." }] }\n',
  't.yaml': 'agents: { clerk: [{ call: list_files }, { answer: "It is red." }] }\n',
};
const ask = tool({ name: 'ask', description: 'Asks.', parameters: { type: 'object' }, run: () => 'yes' });

const opened: { readonly folder: Folder; readonly cadre: Cadre }[] = [];
afterEach(async () => {
  for (const { folder, cadre } of opened.splice(0)) {
    await cadre.close();
    folder.remove();
  }
});

async function open(
  options: CadreOptions = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly folder: Folder; readonly cadre: Cadre }> {
  const folder = folderWith({ ...FILES, ...files });
  const cadre = await loadCadre(folder.path, options);
  opened.push({ folder, cadre });
  return { folder, cadre };
}

async function answered(cadre: Cadre): Promise<string> {
  const handle = await cadre.run('clerk', 'Which colour?');
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: 'It is blue.' });
  return handle.run;
}

test('a run replays as identical, and an edited agent shows where it would differ', async () => {
  const { folder, cadre } = await open();
  const run = await answered(cadre);
  expect(await cadre.replay(run)).toMatchObject({
    result: { kind: 'identical', ended: true },
    changed: [],
    texts: 'today',
  });
  folder.write('clerk.md', FILES['clerk.md'].replace('Look it up.', 'Guess.'));
  const edited = await cadre.replay('last');
  expect(edited).toMatchObject({ result: { kind: 'different', difference: { path: '0.1' } }, changed: ['clerk.md'] });
  expect(await cadre.replay(run, { pinned: true })).toMatchObject({ result: { kind: 'identical' }, texts: 'pinned' });
});

test('a fork goes on live from an op with other models, and a diff shows where the two part', async () => {
  const { cadre } = await open();
  const run = await answered(cadre);
  const fork = await cadre.fork(run, '0.4', { models: ['other/y'] });
  expect(await fork.outcome()).toMatchObject({ kind: 'answered', text: 'It is red.' });
  expect(await cadre.diff(run, fork.run)).toMatchObject({
    left: { run },
    right: { run: fork.run, forkedFrom: { run, at: '0.4' } },
    parting: { path: '0.4' },
  });
  expect((await cadre.diff(run, run)).parting).toBeUndefined();
  await expect(cadre.fork(run, '0.4', { models: ['nowhere/y'] })).rejects.toThrow('needs a provider "nowhere"');
});

test('a fork that parts from the record before a call of its own leaves nothing behind', async () => {
  const { cadre } = await open();
  const run = await answered(cadre);
  const advised = FILES['clerk.md'].replace('tools: [files]', 'tools: [files]\nadvisors: [sage]');
  const sage = '---\ndescription: Knows.\n---\nAdvise.\n';
  const other = folderWith({ ...FILES, 'clerk.md': advised, 'sage.md': sage });
  const fork = await cadre.fork(run, '0.4', { dir: other.path });
  await expect(fork.outcome()).rejects.toThrow(FaultError);
  other.remove();
  expect((await cadre.store.list()).map((one) => one.run)).toEqual([run]);
});

test('a spawned run works in a process of its own, and the next one may wait for it', async () => {
  const { cadre } = await open();
  const first = await cadre.spawn('clerk', 'Which colour?', { label: 'colour' });
  const second = await cadre.spawn('clerk', 'And now?', { after: ['colour'], includeResult: true });
  expect(second.waitingFor).toEqual([first.run]);
  const over = await waitForSubagentRunCompletion(second.run, 60_000, cadre.store);
  expect(over).toMatchObject({ state: 'answered', timedOut: false });
  const runs = await cadre.store.list();
  expect(runs.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
});

test('a run with parts that only this process has is not left to another one', async () => {
  const guest = '---\ndescription: Uses a function.\ntools: [ask]\n---\nAsk.\n';
  const { cadre } = await open({ tools: [ask] }, { 'guest.md': guest });
  await expect(cadre.spawn('clerk', 'x')).rejects.toThrow('handed in: the function "ask" of guest');
  const { cadre: fleeting } = await open({ store: 'memory' });
  await expect(fleeting.spawn('clerk', 'x')).rejects.toThrow('spawn() needs a store that another process can open');
});
