// The accidents that a disk can bring to a run: it tears its last line, fills up, is read-only, or is written by two.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { readAll } from '../../src/engine/pinned.ts';
import { okResult } from '../../src/kernel/message.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { bench, cadre, call, finish, type Model } from '../support/cadre.ts';
import { type CliOptions, cli, startCli } from './support/cli.ts';
import { dice, tell } from './support/figures.ts';
import { eventsOf, modelCalls, openStore, outcomeOf } from './support/victim.ts';

const figures = { tears: 0, tornWrong: 0, tornRepeated: 0, full: [] as string[], refused: 0, granted: 0 };

afterAll(() =>
  tell('Disks', [
    ['journals torn at a byte and resumed', figures.tears],
    ['of these, ended differently', figures.tornWrong],
    ['finished model calls repeated', figures.tornRepeated],
    ['ways to fill a disk survived', figures.full.join(', ')],
    ['second writers refused', figures.refused],
    ['second writers let in', figures.granted],
  ]),
);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-crash-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const note: Tool = {
  spec: { name: 'note', description: 'Notes.', parameters: { type: 'object' } },
  repeat: 'safe',
  execute: async (input) => okResult(`noted é漢 ${JSON.stringify(input)}`),
};
const solo = cadre({ name: 'solo', tools: ['note'] });
const twoNotes: Model = ({ turn }) => (turn < 3 ? call('note', { n: turn }) : 'done: é漢🎭');

test('a journal torn at any byte of its last line is resumed to the same end', async () => {
  const whole = await finish(bench(solo, twoNotes, { store: fileStore(join(folder, 'whole')), tools: [note] }), {
    agent: 'solo',
    input: { text: 'go é漢' },
  });
  const bytes = readFileSync(join(folder, 'whole/runs', whole.run, 'events.jsonl'));
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  const roll = dice(4);
  const cuts = ends.flatMap((end, line) => {
    const begin = ends[line - 1] ?? 0;
    if (line === 0) return [];
    if (line === ends.length - 1) return Array.from({ length: end - begin }, (_, offset) => begin + offset);
    return Array.from({ length: 12 }, () => begin + roll(end - begin));
  });
  for (const cut of cuts) {
    const dir = join(folder, `cut-${cut}`);
    mkdirSync(join(dir, 'runs', whole.run), { recursive: true });
    writeFileSync(join(dir, 'runs', whole.run, 'events.jsonl'), bytes.subarray(0, cut));
    const store = openStore(dir);
    const b = bench(solo, twoNotes, { store, tools: [note] });
    const outcome = await (await b.engine.resume(whole.run)).outcome();
    const { repeated } = modelCalls(await readAll(whole.run, store));
    figures.tears++;
    figures.tornRepeated += repeated;
    if (JSON.stringify(outcome) !== JSON.stringify(whole.outcome)) figures.tornWrong++;
    rmSync(dir, { recursive: true });
  }
  expect({ wrong: figures.tornWrong, repeated: figures.tornRepeated }).toEqual({ wrong: 0, repeated: 0 });
  expect(figures.tears).toBeGreaterThan(100);
});

const SCRIPT = `
pace: { delay: PACE }
agents:
  solo:
    - { say: one, call: { read_file: { path: facts.txt } } }
    - { say: two, call: { read_file: { path: more-facts.txt } } }
    - { say: three, call: { list_files: { path: . } } }
    - { answer: It holds. }
`;

/** A cadre of one agent, and the command that runs it with this store. */
function writeCadre(pace: string, store: string): readonly string[] {
  writeFileSync(join(folder, 'solo.md'), '---\ndescription: Solo.\ntools: [files]\n---\nYou are solo.\n');
  for (const name of ['facts', 'more-facts']) {
    const lines = Array.from({ length: 1000 }, (_, line) => `Line ${line} of ${name}: a fact that no other line has.`);
    writeFileSync(join(folder, `${name}.txt`), `${lines.join('\n')}\n`); // the second finds no room
  }
  writeFileSync(join(folder, 'solo.script.yaml'), SCRIPT.replace('PACE', pace));
  writeFileSync(
    join(folder, 'cadre.yaml'),
    'providers: { demo: { kind: scripted, script: ./solo.script.yaml } }\ndefaults: { models: [demo/m] }\n',
  );
  return ['run', join(folder, 'solo.md'), 'go', '--quiet', '--store', store];
}

/** Fails for want of room, and ends well once there is some. */
async function fillsUp(name: string, store: string, options: CliOptions, makeRoom: () => void): Promise<void> {
  const command = writeCadre('1ms', store);
  const failed = await cli(command, options);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('cannot be written');
  makeRoom();
  const runs = openStore(store);
  const [broken] = await runs.list();
  expect(broken).toMatchObject({ state: 'broken-off' });
  const resumed = await cli(['resume', 'last', '--quiet', '--store', store]);
  expect(resumed).toMatchObject({ code: 0, stdout: 'It holds.\n' });
  const events = await eventsOf(runs, broken?.run ?? '');
  expect(outcomeOf(events)).toMatchObject({ kind: 'answered' });
  expect(modelCalls(events)).toMatchObject({ finished: 4, repeated: 0 });
  figures.full.push(name);
}

test('a file that may not grow ends the run with a fault, and it is resumed when it may', {
  timeout: 60_000,
}, async () => {
  await fillsUp('a limit on file sizes', join(folder, 'store'), { shell: 'ulimit -f 8' }, () => {});
});

test.skipIf(!canMount())(
  'a full disk ends the run with a fault, and it is resumed when there is room',
  { timeout: 60_000 },
  async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    try {
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(204_800));
      await fillsUp('a full disk', join(disk, 'store'), {}, () => rmSync(ballast));
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  },
);

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const probe = mkdtempSync(join(tmpdir(), 'cadre-crash-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', probe], { stdio: 'ignore' });
    execFileSync('umount', [probe], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** Root may write anywhere, so the command runs as nobody. */
const asNobody: CliOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

test('a folder that may not be written is an error that says so, and nothing is run', async () => {
  const store = join(folder, 'store');
  const command = writeCadre('1ms', store);
  mkdirSync(store);
  chmodSync(folder, 0o755);
  chmodSync(store, 0o555);
  const { code, stdout, stderr } = await cli(command, { ...asNobody, cwd: '/' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('Permission is missing');
  expect(await openStore(store).list()).toEqual([]);
});

test('a second writer is refused while the first is at work, and the first does not notice', {
  timeout: 60_000,
}, async () => {
  const store = join(folder, 'store');
  const command = writeCadre('300ms', store);
  const begun: { tell(): void } = { tell() {} };
  const hasBegun = new Promise<void>((resolve) => (begun.tell = resolve));
  const first = startCli([...command.filter((word) => word !== '--quiet'), '--json'], {
    onLine: (line) => line.includes('"op-start"') && begun.tell(),
  });
  await hasBegun;
  const second = await cli(['resume', 'last', '--store', store]);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain('is being written by process');
  figures.refused++;
  expect(await first.done).toMatchObject({ code: 0 });
});

test('one of many who resume a run at once does', { timeout: 60_000 }, async () => {
  const store = join(folder, 'store');
  const command = writeCadre('60ms', store);
  const first = startCli([...command.filter((word) => word !== '--quiet'), '--json'], {
    onLine: (line) => line.includes('"op-start"') && first.child.kill('SIGKILL'),
  });
  await first.done;
  const all = await Promise.all(Array.from({ length: 5 }, () => cli(['resume', 'last', '--quiet', '--store', store])));
  const winners = all.filter(({ code }) => code === 0);
  expect(winners.map(({ stdout }) => stdout)).toEqual(['It holds.\n']);
  const [summary] = await openStore(store).list();
  const events = await eventsOf(openStore(store), summary?.run ?? '');
  expect(modelCalls(events)).toMatchObject({ finished: 4, repeated: 0 });
  expect(events.filter(({ type }) => type === 'run-resume')).toHaveLength(1);
  figures.refused += all.length - winners.length;
  figures.granted += winners.length - 1;
});

test('a torn line in the middle of a run is dropped by the command too, with a warning', {
  timeout: 60_000,
}, async () => {
  const store = join(folder, 'store');
  await cli(writeCadre('1ms', store));
  const [summary] = await openStore(store).list();
  const file = join(store, 'runs', summary?.run ?? '', 'events.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  const keep = Buffer.byteLength(lines.slice(0, 8).join('\n')) + 1;
  truncateSync(file, keep + 20);
  expect(statSync(file).size).toBe(keep + 20);
  const resumed = await cli(['resume', 'last', '--quiet', '--store', store]);
  expect(resumed).toMatchObject({ code: 0, stdout: 'It holds.\n' });
  expect(resumed.stderr).toContain('ends in a torn line of 20 bytes');
});
