// A store that somebody else prepared: nothing in it is followed, and what we write into ours nobody else can read.

import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

async function withRun(): Promise<{ readonly at: Folder; readonly store: string; readonly run: string }> {
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': 'agents: { waiter: [{ call: list_files }, { answer: served }] }\n',
    'waiter.md': '---\ndescription: Waits.\ntools: [files]\n---\nYou wait.\n',
    'victim.txt': 'the secret of the house\n',
  });
  expect((await folder.cadre(['run', 'waiter', 'hi'])).exit).toBe(0);
  const store = join(folder.path, '.cadre');
  return { at: folder, store, run: readdirSync(join(store, 'runs'))[0] as string };
}

const everything = (path: string): readonly string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    return entry.isDirectory() ? [inside, ...everything(inside)] : [inside];
  });

test('folders of a store are for their user alone, and so are its files', async () => {
  const { store } = await withRun();
  const modes = [store, ...everything(store)].map((path) => {
    const stats = lstatSync(path);
    return [path, stats.isDirectory(), (stats.mode & 0o777).toString(8)] as const;
  });
  for (const [path, isFolder, mode] of modes) expect([path, mode]).toEqual([path, isFolder ? '700' : '600']);
  expect(modes.length).toBeGreaterThan(5);
});

/** Puts a link to the victim, or to a folder with what stood there before, in its place. */
function replaceByLink(path: string, target: string): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

test('a journal that is a link is neither read nor written', async () => {
  const { at, store, run } = await withRun();
  const events = join(store, 'runs', run, 'events.jsonl');
  const elsewhere = join(at.path, 'elsewhere.jsonl');
  const begun = `${readFileSync(events, 'utf8').split('\n')[0]}\n`;
  writeFileSync(elsewhere, begun);
  replaceByLink(events, elsewhere);
  for (const command of ['show', 'replay', 'resume']) {
    const ran = await at.cadre([command, run]);
    const told: unknown = expect.stringContaining('is a link, and Cadre follows no link in a store');
    expect([command, ran.exit, ran.stderr]).toEqual([command, 1, told]);
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe(begun);
});

test('the folder of a run that is a link is not entered', async () => {
  const { at, store, run } = await withRun();
  const away = join(at.path, 'away');
  renameSync(join(store, 'runs', run), away);
  replaceByLink(join(store, 'runs', run), away);
  const ran = await at.cadre(['show', run]);
  expect([ran.exit, ran.stderr]).toEqual([1, expect.stringMatching(/is a link|no run/i)]);
});

test('a blob that is a link is not read', async () => {
  const { at, store, run } = await withRun();
  const events = join(store, 'runs', run, 'events.jsonl');
  const [first = ''] = readFileSync(events, 'utf8').split('\n');
  const start = JSON.parse(first) as { readonly texts: Readonly<Record<string, string>> };
  replaceByLink(join(store, 'blobs', start.texts['waiter.md'] ?? ''), join(at.path, 'waiter.md'));
  writeFileSync(events, `${first}\n`);
  const ran = await at.cadre(['resume', run]);
  expect([ran.exit, ran.stderr]).toEqual([
    1,
    expect.stringContaining('is a link, and Cadre follows no link in a store'),
  ]);
});

test.each(['runs.jsonl', 'runs', 'blobs', 'control', 'keys', 'letters', 'processes', 'store-format'])(
  'a link named %s is refused',
  async (name) => {
    const { at, store } = await withRun();
    const victim = join(at.path, 'victim.txt');
    replaceByLink(join(store, name), victim);
    const ran = await at.cadre(['run', 'waiter', 'again']);
    expect([ran.exit, ran.stderr]).toEqual([
      1,
      expect.stringContaining('is a link, and Cadre follows no link in a store'),
    ]);
    expect(readFileSync(victim, 'utf8')).toBe('the secret of the house\n');
  },
);

test('a control message that is a link is not read', async () => {
  const { at, store, run } = await withRun();
  const events = join(store, 'runs', run, 'events.jsonl');
  writeFileSync(events, `${readFileSync(events, 'utf8').split('\n').slice(0, 1).join('\n')}\n`);
  at.write(
    'demo.script.yaml',
    'pace: { delay: 500ms }\nagents: { waiter: [{ call: list_files }, { answer: served }] }\n',
  );
  const message = join(at.path, 'message.json');
  const cancel = JSON.stringify({ kind: 'cancel', id: 'm1', reason: 'from outside' });
  writeFileSync(message, `000000000000001-000000\n${cancel}`);
  at.write('.cadre/control/note.txt', '');
  symlinkSync(message, join(store, 'control', `${run},m1`));
  const ran = await at.cadre(['resume', run]);
  expect([ran.exit, ran.stdout]).toEqual([0, 'served\n']);
  expect(ran.stderr).toContain('cannot be used: it is a link');
});
