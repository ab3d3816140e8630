// Cells as files, and the messages to runs as they lie on the disk.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchFolder } from '../../base/disk/folder-watch.ts';
import { cellsConformance } from '../../journal/cells.conformance.ts';
import { faultCode, runStart, sendMessage, write } from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import type { ControlMessage } from '../../kernel/control.ts';
import { fileCells } from './cells.ts';
import { fileStore } from './file-store.ts';

let dir: string;
let warnings: string[];
let store: RunStore;
const open = (): RunStore => fileStore(dir, { warn: (text) => warnings.push(text) });
const control = (): string => join(dir, 'control');
const claims = (): string => join(dir, 'control-claims');
const put = (name: string, text: string): void => writeFileSync(join(control(), name), text);
const ORDER = '000000000000001-000000\n';

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-control-'));
  warnings = [];
  store = open();
  await write(store, 'r1', [runStart('r1')]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

cellsConformance('cells as files', () => {
  const root = mkdtempSync(join(tmpdir(), 'cadre-cells-'));
  const opened = () => fileCells(root, { fsync: 'never', mark() {}, warn() {} });
  return { cells: opened(), others: opened(), close: () => rmSync(root, { recursive: true }) };
});

test('a message is one file of this user, and is seen whole', async () => {
  await store.control.post('r1', sendMessage('one', 'hello'));
  const [name = '', ...more] = readdirSync(control());
  expect(more).toEqual([]);
  expect(name).toBe('r1,one');
  expect(statSync(join(control(), name)).mode & 0o777).toBe(0o600);
  expect(statSync(control()).mode & 0o777).toBe(0o700);
  const [order = '', text = ''] = readFileSync(join(control(), name), 'utf8').split('\n');
  expect(order).toMatch(/^\d{15}-\d{6}$/);
  expect(JSON.parse(text)).toEqual(sendMessage('one', 'hello'));
});

test('messages outlive the store that posted them, and are taken by another', async () => {
  await store.control.post('r1', sendMessage('one'));
  await store.control.post('r1', sendMessage('two'));
  expect(await open().control.pending('r1')).toEqual([sendMessage('one'), sendMessage('two')]);
  expect(await store.control.withdraw('r1', 'one')).toBe(false);
  expect(await open().control.pending('r1')).toEqual([sendMessage('one'), sendMessage('two')]);
  await open().control.remove('r1', ['one', 'two']);
  expect([...readdirSync(control()), ...readdirSync(claims())]).toEqual([]);
});

test('messages to runs whose names begin alike are kept apart', async () => {
  const runs = ['r1.2', 'r1~0', 'r10'];
  for (const run of runs) {
    await write(store, run, [runStart(run)]);
    await store.control.post(run, sendMessage('one', run));
  }
  expect(await store.control.pending('r1')).toEqual([]);
  for (const run of runs) expect(await store.control.pending(run)).toEqual([sendMessage('one', run)]);
});

test.each([
  ['no JSON', '{"kind":"send"'],
  ['nothing', ''],
  ['a list', '[]'],
  ['another kind', JSON.stringify({ kind: 'shout', id: 'x', text: 'a' })],
  ['a field too many', JSON.stringify({ ...sendMessage('x'), then: 'rm' })],
  ['a field of another type', JSON.stringify({ kind: 'send', id: 'x', text: 1 })],
  ['an inherited field', JSON.stringify({ kind: 'stop', id: 'x' })],
  ['the id of another file', JSON.stringify(sendMessage('y'))],
  ['a spawned run of another run', JSON.stringify({ kind: 'cancel', id: 'x', to: 'r2~0.1', reason: 'a' })],
  ['too deep', `{"kind":"share-context","id":"x","context":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`],
])('a file that is %s is laid aside and told once, and the others are taken', async (_, text) => {
  await store.control.post('r1', sendMessage('good'));
  put('r1,x', ORDER + text);
  expect(await store.control.pending('r1')).toEqual([sendMessage('good')]);
  expect(await store.control.pending('r1')).toEqual([sendMessage('good')]);
  const [warning = '', ...more] = warnings;
  expect(more).toEqual([]);
  const [, aside = ''] =
    /^A message to run r1 is not understood: .* is kept as (.*,aside-r1,x-\w+)$/.exec(warning) ?? [];
  expect(readFileSync(aside, 'utf8')).toBe(ORDER + text);
});

test('a file that is no cell at all is laid aside and told once, and nothing is followed', async () => {
  await store.control.post('r1', sendMessage('good'));
  const elsewhere = join(dir, 'elsewhere');
  writeFileSync(elsewhere, ORDER + JSON.stringify(sendMessage('link')));
  symlinkSync(elsewhere, join(control(), 'r1,link'));
  mkdirSync(join(control(), 'r1,folder'));
  put('r1,empty', '');
  put('r1,line', 'without an end');
  put('r1,large', ORDER + JSON.stringify(sendMessage('large', 'a'.repeat(5 * 1_048_576))));
  for (let look = 0; look < 2; look++) expect(await store.control.pending('r1')).toEqual([sendMessage('good')]);
  expect(warnings.toSorted()).toEqual([
    expect.stringMatching(/r1,empty cannot be used: it has no first line\. It is kept as .*,aside-r1,empty-\w+$/),
    expect.stringMatching(/r1,folder cannot be used: it is not a regular file\./),
    expect.stringMatching(/r1,large cannot be used: it has more than \d+ bytes\./),
    expect.stringMatching(/r1,line cannot be used: it has no first line\./),
    expect.stringMatching(/r1,link cannot be used: it is a link, /),
  ]);
  expect(existsSync(elsewhere)).toBe(true);
  await store.collect({ before: Date.now() + 60_000 });
  expect(readdirSync(control())).toEqual(['r1,good']);
});

test('a folder of messages that is a link is refused', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'cadre-control-'));
  symlinkSync(elsewhere, control());
  await expect(store.control.post('r1', sendMessage('x'))).rejects.toEqual(faultCode('journal/corrupt'));
  await expect(store.control.pending('r1')).rejects.toEqual(faultCode('journal/corrupt'));
  expect(open).toThrow(faultCode('journal/corrupt'));
  expect(readdirSync(elsewhere)).toEqual([]);
  rmSync(elsewhere, { recursive: true });
});

test('drafts of dead senders, and messages to runs that are gone, are collected when they are old', async () => {
  await store.control.post('r1', sendMessage('kept'));
  put(',draft-00', '{"kind"');
  put('gone,x', ORDER + JSON.stringify(sendMessage('x')));
  put('not a cell', 'somebody else put this here');
  const old = new Date(1000);
  for (const name of readdirSync(control())) utimesSync(join(control(), name), old, old);
  put('gone,new', ORDER + JSON.stringify(sendMessage('new')));
  await store.collect({ before: 2000, dryRun: true });
  expect(readdirSync(control())).toHaveLength(5);
  await store.collect({ before: 2000 });
  expect(readdirSync(control()).toSorted()).toEqual(['gone,new', 'not a cell', 'r1,kept']);
  expect(await store.control.pending('r1')).toEqual([sendMessage('kept')]);
});

const told = (run: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = store.control.watch(run, () => {
      stop();
      resolve();
    });
  });

test('the first watch of a process tells what was posted before it', async () => {
  await store.control.post('r1', sendMessage('one'));
  await told('r1');
});

test('messages are told also after the folder was deleted', async () => {
  await Promise.all([told('r1'), store.control.post('r1', sendMessage('one'))]);
  const later = told('r1');
  rmSync(control(), { recursive: true });
  await store.control.post('r1', sendMessage('two'));
  await later;
  expect(await store.control.pending('r1')).toEqual([sendMessage('two')]);
});

/**
 * The number of times that the system watches this folder, or something in it, for this process. Other tests watch
 * theirs.
 */
function watched(folder: string): number {
  const inodes = [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))].map(
    (path) => statSync(path).ino.toString(16),
  );
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => (existsSync(`/proc/self/fdinfo/${fd}`) ? readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8') : ''))
    .flatMap((text) => [...text.matchAll(/^inotify wd:\S+ ino:(\S+)/gm)])
    .filter(([, inode]) => inodes.includes(inode ?? '')).length;
}

test.skipIf(process.platform !== 'linux')('all runs of a store are watched with one watch', () => {
  const stops = Array.from({ length: 200 }, (_, run) => store.control.watch(`r${run}`, () => {}));
  expect(watched(dir)).toBe(1);
  for (const stop of stops) stop();
});

test.skipIf(process.platform !== 'linux')(
  'a watch that nobody needs any more ends after a while, and not before',
  () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const stop = store.control.watch('r1', () => {});
      stop();
      stop();
      vi.advanceTimersByTime(900);
      expect(watched(dir)).toBe(1);
      const stopNext = store.control.watch('r2', () => {}); // the same watch, and it stays
      vi.advanceTimersByTime(5000);
      expect(watched(dir)).toBe(1);
      stopNext();
      vi.advanceTimersByTime(5000);
      expect(watched(dir)).toBe(0);
      store.control.watch('r3', () => {})();
      expect(watched(dir)).toBe(1);
      vi.advanceTimersByTime(5000);
      expect(watched(dir)).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  },
);

test.skipIf(process.platform !== 'linux')(
  'a watch begins before the store has a folder, and is told by the system',
  () => {
    const later = join(dir, 'later', 'store');
    const stop = fileStore(later, { warn() {} }).control.watch('r1', () => {});
    expect(watched(join(dir, 'later'))).toBe(1);
    stop();
  },
);

test.skipIf(process.platform !== 'linux')('no use of a cell leaves a file open', async () => {
  const root = join(dir, 'apart');
  const open = () => readdirSync('/proc/self/fd').length;
  const lines = { name: 'lines', holds: 'lines' } as const;
  const secrets = { name: 'secrets', holds: 'bytes', isSecret: true } as const;
  const value = { head: 'h', body: Buffer.from('b') };
  const cells = fileCells(root, { fsync: 'batch', mark() {}, warn() {} });
  const useAll = async (): Promise<void> => {
    for (const space of [lines, secrets]) {
      await cells.putIf(space, 'a/b', value, 'absent');
      await cells.putIf(space, 'a/b', value, 'absent');
      await cells.putIf(space, 'a/b', value, 'any');
      await cells.get(space, 'a/b');
      await cells.touch(space, 'a/b');
      await cells.list(space, 'a/');
      await cells.list(space, 'a/', { with: 'bodies' });
      writeFileSync(join(root, space.name, 'a,c'), ''); // no first line
      await cells.list(space, 'a/');
      await cells.delete(space, 'a/b');
    }
  };
  await useAll();
  const before = open();
  for (let times = 0; times < 10; times++) await useAll();
  expect(open() - before).toBeLessThan(10);
});

test('the folder is looked at again and again if the system cannot tell of changes', async () => {
  const later = join(dir, 'later');
  await new Promise<void>((resolve) => {
    const watch = watchFolder(later, () => {
      watch.close();
      resolve();
    });
    watch.ref();
  });
});

test('a message is taken by one: the sender that withdraws it, or the run', async () => {
  const all = Array.from({ length: 50 }, (_, index): ControlMessage => sendMessage(`m${index}`));
  for (const message of all) await store.control.post('r1', message);
  const other = open();
  const withdrawn = new Set<string>();
  const sender = async (): Promise<void> => {
    for (const { id } of all) if (await store.control.withdraw('r1', id)) withdrawn.add(id);
  };
  const taking = async (): Promise<readonly ControlMessage[]> => other.control.pending('r1');
  const [, taken] = await Promise.all([sender(), taking()]);
  for (const { id } of taken) expect(withdrawn.has(id)).toBe(false);
  expect(taken.length + withdrawn.size).toBe(all.length);
});

test('a message that lies there twice, and was taken once, is not withdrawn', async () => {
  await store.control.post('r1', sendMessage('one'));
  await store.control.pending('r1');
  await store.control.post('r1', sendMessage('one'));
  expect(await store.control.withdraw('r1', 'one')).toBe(false);
  expect(await store.control.pending('r1')).toEqual([sendMessage('one')]);
});

test('a store of a newer format is refused, and left as it is', async () => {
  expect(readFileSync(join(dir, 'store-format'), 'utf8')).toBe('2\n');
  writeFileSync(join(dir, 'store-format'), '3\n');
  expect(open).toThrow(faultCode('journal/version'));
  expect(readFileSync(join(dir, 'store-format'), 'utf8')).toBe('3\n');
});

test('a store that is only read is not marked', async () => {
  const other = mkdtempSync(join(tmpdir(), 'cadre-control-'));
  await fileStore(other).list();
  expect(readdirSync(other)).toEqual([]);
  rmSync(other, { recursive: true });
});
