// The example that repairs a project, killed with kill -9 in the middle of a command and of an edit, resumed, and undone.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { changesOf } from '../../src/views/changes.ts';
import { treeOf } from '../support/changing.ts';
import { cli, type Done, startCli } from './support/cli.ts';
import { dice, tell } from './support/figures.ts';
import { eventsOf, killedOften, openStore, outcomeOf } from './support/victim.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/repair', import.meta.url));
const INPUT = 'The tests fail. Please fix that.';
const figures = { kills: 0, changes: 0, twice: 0, undone: 0 };

afterAll(() =>
  tell('Changes of files under kill -9', [
    ['kills survived', figures.kills],
    ['changes made', figures.changes],
    ['changes made twice, or lost', figures.twice],
    ['runs undone, with every file as before', figures.undone],
  ]),
);

let folder: string;
let store: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-crash-repair-'));
  store = join(folder, '.cadre');
  cpSync(EXAMPLE, folder, { recursive: true });
  const edit = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
  // Several kills in one command bring the same answer of the tester each time, which is no circle of the model.
  edit('fixer.md', 'tools: [files, files:write]', 'tools: [files, files:write]\ntrust: [files:write]\nstuck: off');
  edit('repair.script.yaml', 'pace: { delay: 120ms, chunk: 12ms }', '');
  edit('repair.script.yaml', 'say: And a line for', 'delay: 2s\n      say: And a line for'); // time to die in
});

/** A test of the project that does not end as long as there is a file `hold`. */
const HELD = `import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
test('held', async () => {
  while (existsSync('hold')) await setTimeout(10);
});
`;
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const project = () => treeOf(join(folder, 'project'));
const run = ['run', 'fixer', INPUT, '--json'];

/** Kills the command as soon as it prints an event that holds all of these. */
async function killedOn(args: readonly string[], ...parts: readonly string[]): Promise<Done> {
  const running = startCli([...args, '--store', store], {
    cwd: folder,
    onLine: (line) => parts.every((part) => line.includes(part)) && running.child.kill('SIGKILL'),
  });
  const done = await running.done;
  expect(done.code).toBe(null);
  return done;
}

async function recorded() {
  const runs = openStore(store);
  const [summary] = await runs.list({ limit: 1 });
  return eventsOf(runs, summary?.run ?? '');
}

async function fixedAndUndone(before: Readonly<Record<string, string>>): Promise<void> {
  const events = await recorded();
  const made = changesOf(events).filter(({ state }) => state === 'made');
  expect(made.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['edit src/speed.js', 'write CHANGES.txt']);
  const intents = events.filter(({ type }) => type === 'intent').length;
  const after = project();
  expect(after['src/speed.js']).toBe(
    before['src/speed.js']?.replace('Math.round(miles / speed);', 'Math.floor(miles / speed);'),
  );
  expect(after['CHANGES.txt']).toContain('2 h 30 min');
  expect(Object.keys(after).filter((path) => !(path in before))).toEqual(['CHANGES.txt']);
  figures.changes += made.length;
  figures.twice += intents - made.length;
  const here = ['--store', store];
  expect((await cli(['replay', 'last', '--pinned', ...here], { cwd: folder })).stdout).toContain('identical');
  expect(await cli(['undo', 'last', ...here], { cwd: folder })).toMatchObject({ code: 0 });
  expect(project()).toEqual(before);
  figures.undone++;
  expect((await cli(['undo', 'last', ...here], { cwd: folder })).stdout).toContain('was undone already');
}

test('a kill in the middle of a command and one in the middle of an edit: each change once, the command told', {
  timeout: 120_000,
}, async () => {
  writeFileSync(join(folder, 'project/test/held.test.js'), HELD);
  const before = project();
  writeFileSync(join(folder, 'project/hold'), '');
  await killedOn(run, '"op-start"', '"kind":"tool"', '"run_command"');
  rmSync(join(folder, 'project/hold'));
  expect((await cli(['show', 'last', '--store', store], { cwd: folder })).stdout).toMatch(/run_command .*in-doubt/);
  await killedOn(['resume', 'last', '--json'], '"intent"', '"src/speed.js"');
  const resumed = await cli(['resume', 'last', '--quiet', '--store', store], { cwd: folder });
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('**Fixed.**') });
  expect(resumed.stdout).toContain('All tests pass: 4 of 4.');
  const talk = await cli(['show', 'last', '--transcript', 'tester', '--store', store], { cwd: folder });
  expect(talk.stdout).toContain('its outcome is unknown');
  figures.kills += 2;
  await fixedAndUndone(before);
});

test('kills at any event: the files end the same, and the undo gives them back', { timeout: 240_000 }, async () => {
  const before = project();
  const roll = dice(20_261_117);
  const { kills, events } = await killedOften(
    ['run', join(folder, 'fixer.md'), INPUT, '--json', '--store', store],
    store,
    (kill) => (kill < 12 ? { events: 2 + roll(5) } : undefined),
  );
  expect(outcomeOf(events)).toMatchObject({ kind: 'answered', text: expect.stringContaining('All tests pass') });
  expect(kills).toBeGreaterThan(2);
  figures.kills += kills;
  await fixedAndUndone(before);
});
