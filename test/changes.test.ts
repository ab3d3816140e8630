// The changes of agents in files, from the call to the undo: recorded, shown, taken back.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { changedFiles, changesOf, FaultError, type RunEvent, type RunId } from '../src/index.ts';
import { type Changing, changingIn, type FileCall, modeOf, setMode } from './support/changing.ts';

let at: Changing;
afterEach(() => at.close());

const edit = (path: string, old: string, replacement: string): FileCall => ({
  edit_file: { path, old_text: old, new_text: replacement },
});
const write = (path: string, content: string, overwrite = false): FileCall => ({
  write_file: { path, content, ...(overwrite && { overwrite }) },
});
const remove = (path: string): FileCall => ({ delete_file: { path } });
const move = (path: string, to: string): FileCall => ({ move_file: { path, to } });

const work = (file: string): string => join(at.folder.path, 'work', file);

async function eventsOf(run: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of at.cadre.store.read(run)) events.push(event);
  return events;
}

const faultOf = async (doing: Promise<unknown>): Promise<string> =>
  doing.then(
    () => 'no fault',
    (thrown: unknown) =>
      thrown instanceof FaultError ? `${thrown.fault.code}: ${thrown.fault.message}` : String(thrown),
  );

describe('recorded', () => {
  test('the intent of a change stands between the beginning and the end of its op', async () => {
    at = await changingIn({ 'a.txt': 'one\n' });
    const run = await at.run([edit('a.txt', 'one', 'two')]);
    const events = await eventsOf(run);
    const path = events.find(({ type }) => type === 'intent') as Extract<RunEvent, { type: 'intent' }>;
    const around = events.filter((event) => 'path' in event && event.path === path.path).map(({ type }) => type);
    expect(around).toEqual(['op-start', 'intent', 'op-end']);
    expect(changesOf(events)).toMatchObject([
      { kind: 'edit', path: 'a.txt', op: path.path, agent: 'fixer', state: 'made', root: join(at.folder.path, 'work') },
    ]);
  });

  test('a replay touches no file', async () => {
    at = await changingIn({ 'a.txt': 'one\n' });
    const run = await at.run([edit('a.txt', 'one', 'two'), write('n.txt', 'new')]);
    at.folder.write('work/a.txt', 'one\n');
    rmSync(work('n.txt'));
    expect((await at.cadre.replay(run)).result).toMatchObject({ kind: 'identical' });
    expect(at.folder.read('work/a.txt')).toBe('one\n');
    expect(existsSync(work('n.txt'))).toBe(false);
  });

  test('the list of changed files leaves out changes that came to nothing, and knows a moved file', async () => {
    at = await changingIn({ 'a.txt': 'one\n', 'm.txt': 'm\n' });
    const run = await at.run(
      [edit('a.txt', 'one', 'two'), write('gone.txt', 'x')],
      [edit('a.txt', 'two', 'one'), remove('gone.txt'), move('m.txt', 'sub/n.txt')],
      [edit('sub/n.txt', 'm', 'mm')],
    );
    const files = changedFiles(changesOf(await eventsOf(run)));
    expect(files.map(({ path, from, ops }) => ({ path, from, ops: ops.length }))).toEqual([
      { path: 'sub/n.txt', from: 'm.txt', ops: 2 },
    ]);
    const { files: diffs } = await at.cadre.changes(run);
    expect(diffs[0]?.diff.join('\n')).toBe(
      'diff --git a/m.txt b/sub/n.txt\nrename from m.txt\nrename to sub/n.txt\n--- a/m.txt\n+++ b/sub/n.txt\n@@ -1 +1 @@\n-m\n+mm',
    );
  });

  test('a call that failed changed nothing, and is not shown', async () => {
    at = await changingIn({ 'a.txt': 'one\n' });
    const run = await at.run([edit('a.txt', 'none', 'x')]);
    expect(await at.answers(run)).toEqual([expect.stringContaining('old_text does not occur in a.txt')]);
    expect(changesOf(await eventsOf(run))).toEqual([]);
    expect(await at.cadre.undo(run)).toMatchObject({ state: 'nothing' });
  });
});

describe('undo', () => {
  test('brings back what was deleted, with its mode; removes what was made, with its folders; moves back', async () => {
    at = await changingIn({ 'a.txt': 'a\n', 'b.sh': 'b\n', 'm.txt': 'm\n' });
    setMode(work('b.sh'), 0o751);
    setMode(work('m.txt'), 0o604);
    const before = at.tree();
    const run = await at.run([
      edit('a.txt', 'a', 'A'),
      remove('b.sh'),
      move('m.txt', 'x/y/m.txt'),
      write('n/e/w.txt', 'new'),
    ]);
    expect(at.tree()).not.toEqual(before);
    expect((await at.cadre.undo(run, { dryRun: true })).state).toBe('would-undo');
    const { state, files } = await at.cadre.undo(run);
    expect(state).toBe('undone');
    expect(files.toSorted((one, two) => (one.path < two.path ? -1 : 1))).toEqual([
      { path: 'a.txt', done: 'restored' },
      { path: 'b.sh', done: 'brought-back' },
      { path: 'm.txt', done: 'moved-back', from: 'x/y/m.txt' },
      { path: 'n/e/w.txt', done: 'removed' },
    ]);
    expect(at.tree()).toEqual(before);
    expect(modeOf(work('b.sh'))).toBe(0o751);
  });

  test('says when it was done already, and the record says that it was undone', async () => {
    at = await changingIn({ 'a.txt': 'a\n' });
    const run = await at.run([edit('a.txt', 'a', 'A')]);
    await at.cadre.undo(run);
    expect(await at.cadre.undo(run)).toEqual({ run, state: 'already-undone', files: [] });
    const events = await eventsOf(run);
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['run-end', 'undo', 'undo']);
    expect(changesOf(events)).toMatchObject([{ state: 'made', undo: { state: 'done' } }]);
    expect(await at.cadre.store.summary(run)).toMatchObject({ state: 'ended', outcome: 'answered' });
    expect((await at.cadre.replay(run)).result).toMatchObject({ kind: 'identical' });
  });

  test('touches nothing if one file was changed since, and names it', async () => {
    at = await changingIn({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'd.txt': 'd\n' });
    const run = await at.run([edit('a.txt', 'a', 'A'), edit('b.txt', 'b', 'B'), remove('d.txt'), write('n.txt', 'n')]);
    at.folder.write('work/b.txt', 'mine\n');
    at.folder.write('work/d.txt', 'mine too\n');
    rmSync(work('n.txt'));
    const before = at.tree();
    const told = await faultOf(at.cadre.undo(run));
    expect(told).toMatch(/^undo\/conflict: .*2 files cannot be restored/);
    expect(told).toContain('- b.txt: was changed since\n');
    expect(told).toContain('- d.txt: was made again since\n');
    expect(at.tree()).toEqual(before);
    expect((await eventsOf(run)).at(-1)?.type).toBe('run-end');
  });

  test('takes back one op, and everything below one', async () => {
    at = await changingIn({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const run = await at.run([edit('a.txt', 'a', 'A')], [edit('a.txt', 'A', 'AA'), edit('b.txt', 'b', 'B')]);
    const ops = changesOf(await eventsOf(run)).map(({ op, path }) => ({ op, path }));
    const [first, second] = ops.filter(({ path }) => path === 'a.txt').map(({ op }) => op);
    expect(await faultOf(at.cadre.undo(run, { op: first ?? '' }))).toContain('a.txt: was changed since');
    expect(await at.cadre.undo(run, { op: second ?? '' })).toMatchObject({ files: [{ path: 'a.txt' }] });
    expect(at.folder.read('work/a.txt')).toBe('A\n');
    expect(at.folder.read('work/b.txt')).toBe('B\n');
    expect(await faultOf(at.cadre.undo(run, { op: '0.99' }))).toMatch(/^usage: Op 0.99 .* changed no files/);
    expect(await at.cadre.undo(run, { op: '0' })).toMatchObject({ state: 'undone' });
    expect([at.folder.read('work/a.txt'), at.folder.read('work/b.txt')]).toEqual(['a\n', 'b\n']);
  });

  test('works around a secret that keeps a text out of the store, and says where it cannot', async () => {
    const secret = 'hunter2-hunter2-hunter2';
    at = await changingIn(
      { 'conf.ini': `key=${secret}\nport=1\n`, 'all.ini': `key=${secret}\n` },
      {
        config:
          'restTools: { r: { description: x, method: GET, url: "http://127.0.0.1/", headers: { k: "${KEY}" } } }\n',
        agents: { '.env': `KEY=${secret}\n` },
      },
    );
    const one = await at.run([edit('conf.ini', 'port=1', 'port=2')]);
    const two = await at.run([remove('all.ini')]);
    expect(JSON.stringify([await at.cadre.changes(one), await at.cadre.changes(two)])).not.toContain(secret);
    expect((await at.cadre.changes(one)).files[0]?.diff).toContain(' key=[redacted:KEY]');
    await at.cadre.undo(one);
    expect(at.folder.read('work/conf.ini')).toBe(`key=${secret}\nport=1\n`);
    expect(await faultOf(at.cadre.undo(two))).toContain('all.ini: held secrets, so its text was not kept');
  });

  test('an undo that was broken off is made again', async () => {
    at = await changingIn({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'm.txt': 'm\n' });
    const before = at.tree();
    const run = await at.run([edit('a.txt', 'a', 'A'), edit('b.txt', 'b', 'B'), move('m.txt', 'n.txt')]);
    const events = await eventsOf(run);
    const ops = changesOf(events).map(({ op }) => op);
    const lease = await at.cadre.store.claim(run, events.length);
    await lease.append([{ type: 'undo', seq: events.length, at: Date.now(), state: 'begun', ops }]);
    await lease.release();
    writeFileSync(work('a.txt'), 'a\n'); // this far the undo came
    writeFileSync(work('m.txt'), 'm\n');
    expect(changesOf(await eventsOf(run))[0]?.undo).toMatchObject({ state: 'begun' });
    expect(await at.cadre.undo(run)).toMatchObject({ state: 'undone' });
    expect(at.tree()).toEqual(before);
  });

  test('does not follow a store that names a folder elsewhere', async () => {
    at = await changingIn({ 'a.txt': 'a\n' });
    const run = await at.run([edit('a.txt', 'a', 'A')]);
    const other = await changingIn({}, { store: at.cadre.store });
    try {
      expect(await faultOf(other.cadre.undo(run))).toMatch(/^usage: The run changed files in .*--workspace/);
      expect(at.folder.read('work/a.txt')).toBe('A\n');
    } finally {
      await other.close();
    }
  });
});

describe('in other kinds of runs', () => {
  test('a fork takes over what was done, and its undo takes back only its own', async () => {
    at = await changingIn({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const run = await at.run([edit('a.txt', 'a', 'A')], [edit('b.txt', 'b', 'B')]);
    await at.cadre.undo(run, { op: changesOf(await eventsOf(run))[1]?.op ?? '' });
    const turn = (await eventsOf(run)).findLast((event) => event.type === 'op-start' && event.op.kind === 'tool');
    const forked = await at.cadre.fork(run, (turn as Extract<RunEvent, { type: 'op-start' }>).path);
    await forked.outcome();
    expect(at.folder.read('work/b.txt')).toBe('B\n');
    const changes = changesOf(await eventsOf(forked.run));
    expect(changes.map(({ path, takenOver }) => [path, takenOver])).toEqual([
      ['a.txt', true],
      ['b.txt', undefined],
    ]);
    await at.cadre.undo(forked.run);
    expect([at.folder.read('work/a.txt'), at.folder.read('work/b.txt')]).toEqual(['A\n', 'b\n']);
  });

  test('two agents that edit one file at the same time both succeed, and each change has its agent', async () => {
    const writer = (name: string): string =>
      `---\ndescription: Edits ${name}.\ntools: [files:write]\ntrust: [files:write]\n---\nYou edit.\n`;
    at = await changingIn(
      { 'a.txt': 'left\nmiddle\nright\n' },
      {
        agents: {
          'fixer.md': '---\ndescription: Leads.\nagents: [left, right]\n---\nYou lead.\n',
          'left.md': writer('left'),
          'right.md': writer('right'),
          's.yaml': JSON.stringify({
            agents: {
              fixer: [
                {
                  calls: [
                    { agent__left: { input: 'go', reason: 'x' } },
                    { agent__right: { input: 'go', reason: 'x' } },
                  ],
                },
                { answer: 'done' },
              ],
              left: [{ call: edit('a.txt', 'left', 'LEFT') }, { answer: 'done' }],
              right: [{ call: edit('a.txt', 'right', 'RIGHT') }, { answer: 'done' }],
            },
          }),
        },
      },
    );
    const handle = await at.cadre.run('fixer', 'go');
    await handle.outcome();
    expect(at.folder.read('work/a.txt')).toBe('LEFT\nmiddle\nRIGHT\n');
    const agents = changesOf(await eventsOf(handle.run)).map(({ agent }) => agent);
    expect(agents.toSorted()).toEqual(['left', 'right']);
    await at.cadre.undo(handle.run);
    expect(at.folder.read('work/a.txt')).toBe('left\nmiddle\nright\n');
  });

  test('the helper of an agent that may write only reads', async () => {
    at = await changingIn(
      { 'a.txt': 'a\n' },
      {
        agents: {
          'fixer.md':
            '---\ndescription: x\ntools: [files:write]\ntrust: [files:write]\nsubagent: true\n---\nYou fix.\n',
        },
      },
    );
    at.folder.write(
      's.yaml',
      JSON.stringify({
        agents: {
          fixer: [{ call: { subagent: { task: 'Write a file.' } } }, { answer: '{{last}}' }],
          'fixer/subagent': [
            { call: { write_file: { path: 'h.txt', content: 'x' } } },
            { report: { summary: '{{last}}' } },
          ],
        },
      }),
    );
    const handle = await at.cadre.run('fixer', 'go');
    const outcome = await handle.outcome();
    expect(outcome.kind === 'answered' && outcome.text).toMatch(/no tool .*write_file/i);
    expect(existsSync(work('h.txt'))).toBe(false);
  });
});
