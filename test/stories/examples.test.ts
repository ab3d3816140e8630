// Every example through the built command line: what it answers, what it cost, and that it replays.

import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const EXAMPLES = resolve(dirname(fileURLToPath(import.meta.url)), '../../examples');

interface Report {
  readonly outcome: {
    readonly kind: string;
    readonly agent?: string;
    readonly chainedStages?: readonly string[];
    readonly data?: unknown;
  };
  readonly ledger: readonly { readonly agent: string; readonly status: string }[];
  readonly totals: { readonly usd: number; readonly calls: number };
}

let place: Folder;
beforeAll(() => {
  place = folderWith({});
  cpSync(EXAMPLES, join(place.path, 'examples'), { recursive: true });
});
afterAll(() => place.remove());

async function play(
  agent: string,
  request: string,
  ...more: readonly string[]
): Promise<{ readonly answer: string; readonly report: Report }> {
  const ran = await place.cadre(['run', `examples/${agent}`, request, ...more]);
  expect(ran.exit, ran.stderr).toBe(0);
  const replayed = await place.cadre(['replay', 'last']);
  expect(replayed.stdout).toMatch(/^identical: \d+ events/);
  const shown = await place.cadre(['show', 'last', '--json']);
  const report = JSON.parse(shown.stdout) as Report;
  expect(report.outcome.kind).toBe('answered');
  expect(report.ledger).toHaveLength(report.totals.calls);
  return { answer: ran.stdout, report };
}

test('every example passes the check without a finding', async () => {
  const { stdout, stderr, exit } = await place.cadre(['check', 'examples']);
  expect(stdout).toBe('');
  expect(exit, stderr).toBe(0);
});

test('the picture of the help desk in the docs is what the command draws', async () => {
  const { stdout } = await place.cadre(['graph', 'examples/help-desk', '--format', 'svg']);
  expect(stdout.trim()).toBe(readFileSync(join(EXAMPLES, '../docs/help-desk.svg'), 'utf8').trim());
});

test('lighthouse: the answer quotes a line of a file that was really read', async () => {
  const { answer, report } = await play('lighthouse/detective.md', 'Who took the oil?');
  expect(answer).toContain('> A boat came to the steps at 03:10.');
  expect(report.ledger.map(({ agent }) => agent)).toEqual(['detective', 'detective', 'detective']);
});

test('barograph: a picture is shown through a router and an advisor, and through a team, and no bytes of it are recorded', async () => {
  const file = ['--file', 'examples/barograph/week.png'];
  const read = await play('barograph/office.md', 'What did the pressure do?', ...file);
  expect(read.answer).toBe('The pressure held until the fifth day and then fell fast, in about half a day.\n');
  expect(read.report.ledger.map(({ agent }) => agent)).toEqual(['office', 'instrument-maker', 'reader']);
  const stay = await play('barograph/office.md', 'Do we stay tonight?', ...file);
  expect(stay.report.ledger.map(({ agent }) => agent).sort()).toEqual(['fisher', 'office', 'pilot', 'storm-board']);
  const recorded = (await place.cadre(['run', 'examples/barograph/office.md', 'Do we stay?', ...file, '--json']))
    .stdout;
  expect(recorded).toContain('"name":"week.png"');
  expect(recorded).not.toContain('iVBOR');
});

test('logbook: the agent follows the conventions of the project and a skill, whose script is a trusted command', async () => {
  const { answer, report } = await play('logbook/mate.md', 'How far did we go in March?');
  expect(answer).toBe('She made good 35.4 nautical miles in 3 legs in March. S.L.\n');
  expect(report.totals.calls).toBe(4);
  const why = await place.cadre(['show', 'last', '--why']);
  expect(why.stdout).toMatch(/given: project file AGENTS\.md, 167 B\n.*given: skills voyage-log\n/);
  const mate = place.read('examples/logbook/mate.md');
  place.write('examples/logbook/mate.md', mate.replace(/^trust: .*\n/m, ''));
  const untrusted = await place.cadre(['run', 'examples/logbook/mate.md', 'How far did we go in March?']);
  expect(untrusted.stdout).not.toContain('35.4');
  place.write('examples/logbook/mate.md', mate);
});

describe('help desk', () => {
  test('a refund goes through router, advisors and chain to a JSON order', async () => {
    const { answer, report } = await play('help-desk/front-desk.md', 'My sextant broke. Please refund order 17.');
    expect(JSON.parse(answer)).toMatchObject({ type: 'refund', order: '17', amount: 189.5, currency: 'EUR' });
    expect(report.outcome).toMatchObject({
      agent: 'refund-order',
      chainedStages: ['agent__refunds', 'agent__refund-order'],
    });
    const { stdout } = await place.cadre(['show', 'last', '--transcript', 'front-desk']);
    expect(stdout).toMatch(/## ANALYSIS GATHERED\s+### From risk\s+Low\.[^]*### From policy\s+Refunds, rule 1\./);
  });

  test('a question goes to the researcher, who is asked to clarify', async () => {
    const { answer, report } = await play('help-desk/front-desk.md', 'May I open my barometer?');
    expect(answer).toContain('a watchmaker with our stamp');
    expect(report.ledger.filter(({ agent }) => agent === 'researcher')).toHaveLength(4);
    const { stdout } = await place.cadre(['show', 'last', '--transcript', 'researcher']);
    expect(stdout).toContain('## CLARIFICATION REQUEST FROM front-desk/research-desk');
  });

  test('stop-after ends the run before the chain goes on, and says so', async () => {
    const args = ['run', '--stop-after', 'refunds', '--json', 'examples/help-desk/front-desk.md', 'Refund order 17.'];
    const { stdout } = await place.cadre(args);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { type: string; outcome: object };
    expect(last).toMatchObject({ type: 'run-end', outcome: { kind: 'answered', stoppedAfter: 'refunds' } });
  });
});

test('ship room: the team decides, and its conversation can be read', async () => {
  const { answer } = await play('ship-room/release-lead.md', 'Does 4.2.0 go out?');
  expect(answer).toContain('4.2.0 goes out today');
  const { stdout } = await place.cadre(['show', 'last', '--transcript']);
  expect(stdout).toMatch(/━━ team of session 0[^]*#1 builder[^]*no longer reachable/);
});

test('subagent: both runners give the same answer, with every call in the ledger', async () => {
  const near = await play('subagent/harbour-master.md', 'What do we lack?');
  const apart = await play('subagent/harbour-master-apart.md', 'What do we lack?');
  expect(apart.answer).toBe(near.answer);
  expect(apart.report.totals.calls).toBe(near.report.totals.calls);
  const listed = JSON.parse((await place.cadre(['runs', '--json', '--limit', '2'])).stdout) as { usd: number }[];
  expect(listed.map(({ usd }) => usd)).toEqual([apart.report.totals.usd, near.report.totals.usd]);
});

test('newsroom: five background reporters, a join and a writer after it, all in one ledger', async () => {
  const { answer, report } = await play('newsroom/editor.md', 'What the bridge did');
  expect(answer).toContain('thirty children');
  const calls = (agent: string) => report.ledger.filter((line) => line.agent === agent).length;
  expect([calls('editor'), calls('reporter'), calls('desk'), calls('writer')]).toEqual([4, 10, 1, 1]);
});

test('mend: the loop runs the tests after each answer, until they pass', async () => {
  const ask = ['run', 'examples/mend/mender.md', 'The tests fail. Please fix that.'];
  const denied = await place.cadre(ask);
  expect(denied).toMatchObject({ exit: 3, stdout: '' });
  expect(denied.stderr).toContain('did not find any of the 5 answers of mender good');
  const mended = await place.cadre([...ask, '--approve', 'edit_file']);
  expect(mended).toMatchObject({ exit: 0, stdout: expect.stringContaining('half a metre of water') });
  expect(mended.stderr).toContain('answered (good in round 2)');
  expect((await place.cadre(['replay', 'last'])).stdout).toMatch(/^identical: \d+ events/);
  const shown = (await place.cadre(['show', 'last'])).stdout;
  expect(shown).toMatch(/mender \(2 rounds\)/);
  expect(shown).toMatch(/sent back[^\n]*\n│ {3}exit code 1/);
  expect(shown).toContain('run_command (judge, round 1 of 5, not good)');
  expect(shown).toContain('run_command (judge, round 2 of 5, good)');
});

test('inbox: each kind of letter leads to its own agent, and praise stands as it is', async () => {
  const berth = await play('inbox/sorter.md', 'The Petrel wants a berth for three nights.');
  expect(berth.answer).toContain('36 EUR');
  expect(berth.report.outcome).toMatchObject({ agent: 'berths', chainedStages: ['agent__sorter', 'agent__berths'] });
  expect((await place.cadre(['show', 'last'])).stdout).toContain('berths (next, after sorter, case berth, stage 0)');
  const praise = await play('inbox/sorter.md', 'Thank you for the warm welcome!');
  expect(JSON.parse(praise.answer)).toMatchObject({ kind: 'praise', ship: 'Gannet' });
  expect((await place.cadre(['show', 'last'])).stdout).toContain('sorter (case praise, its answer stands)');
  const other = await play('inbox/sorter.md', 'What is invoice 99?');
  expect(other.report.outcome).toMatchObject({ agent: 'clerk', chainedStages: ['agent__sorter', 'agent__clerk'] });
  const tested = await place.cadre(['test', 'examples/inbox']);
  expect(tested.stdout).toContain('5 passed, 0 failed');
});

test('digest: each letter is read, and the editor gets them in their order, also the one that nobody could read', async () => {
  const { stdout, stderr, exit } = await place.cadre(['run', 'examples/digest/sorter.md', 'What came in today?']);
  expect({ exit, stdout }).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('Letter 4 of 4 could not be read.'),
  });
  expect(stderr).toContain('answered (3 of 4 items)');
  expect((await place.cadre(['replay', 'last'])).stdout).toMatch(/^identical: \d+ events/);
  const shown = (await place.cadre(['show', 'last'])).stdout;
  expect(shown).toContain('sorter (3 of 4 items, 1 failed)');
  expect(shown.match(/item \d of 4/g)).toEqual(['item 1 of 4', 'item 2 of 4', 'item 3 of 4', 'item 4 of 4']);
  const { tree } = JSON.parse((await place.cadre(['show', 'last', '--json'])).stdout) as { readonly tree: object };
  expect(tree).toMatchObject({ items: { count: 4, answered: 3, failed: 1, atWork: 0 } });
  const graph = (await place.cadre(['graph', 'examples/digest'])).stdout;
  expect(graph).toContain('each ×12 → reader');
  expect(graph).toContain('join → editor');
});

test('repair: two agents fix a failing test, and the undo gives the project back', async () => {
  const source = (): string => place.read('examples/repair/project/src/speed.js');
  const before = source();
  const ask = ['run', 'examples/repair/fixer.md', 'The tests fail. Please fix that.'];
  const denied = await place.cadre(ask);
  expect(denied.stdout).toContain('I could not change the file');
  expect(source()).toBe(before);
  const fixed = await place.cadre([...ask, '--approve', 'files:write']);
  expect(fixed.stdout).toMatch(/^\*\*Fixed\.\*\*[^]*All tests pass: 3 of 3\.\n$/);
  expect((await place.cadre(['replay', 'last'])).stdout).toMatch(/^identical: \d+ events/);
  const changes = await place.cadre(['show', 'last', '--changes']);
  expect(changes.stdout).toContain(
    '-  const hours = Math.round(miles / speed);\n+  const hours = Math.floor(miles / speed);\n',
  );
  expect((await place.cadre(['show', 'last'])).stdout).toMatch(/changed {3}2 files: cadre show \S+ --changes/);
  const undone = await place.cadre(['undo', 'last']);
  expect(undone.stdout).toMatch(
    /^Undid 2 files of run \S+:\n {2}restored {6}src\/speed.js\n {2}removed {7}CHANGES.txt\n$/,
  );
  expect(source()).toBe(before);
  expect(place.has('examples/repair/project/CHANGES.txt')).toBe(false);
  expect((await place.cadre(['show', 'last', '--changes'])).stderr).toContain('All of it was undone.');
});
