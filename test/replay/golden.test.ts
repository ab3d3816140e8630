// Journals written by each release, replayed by today's code for ever: the format is read, the kernel takes the same
// way, and the views can show them. A failure here is a change that breaks the runs that people have.

import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { pinnedCadre, readAll, startOf } from '../../src/engine/pinned.ts';
import { KERNEL_REVISION } from '../../src/kernel/revision.ts';
import { services } from '../../src/run/services.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { runReport } from '../../src/views/report/run-report.ts';
import { transcript } from '../../src/views/talk/transcript.ts';
import type { OpNode } from '../../src/views/tree/op-tree.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const goldens = readdirSync(HERE)
  .filter((folder) => /^\d+\.\d+\.\d+/.test(folder))
  .flatMap((release) =>
    readdirSync(join(HERE, release))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => ({ release, name: file.replace(/\.jsonl$/, '') })),
  );

/** The layout of a store around files that are kept flat, to be looked at. */
let root: string;
const storeOf = (release: string) => fileStore(join(root, release), { warn() {} });

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cadre-golden-'));
  for (const { release, name } of goldens) {
    const run = join(root, release, 'runs', name);
    mkdirSync(run, { recursive: true });
    copyFileSync(join(HERE, release, `${name}.jsonl`), join(run, 'events.jsonl'));
  }
  for (const release of new Set(goldens.map((golden) => golden.release))) {
    cpSync(join(HERE, release, 'blobs'), join(root, release, 'blobs'), { recursive: true });
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Journals that are shown, and refused where they would be driven again: a helper was recorded in another form. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(['0.2.0 subagent', '0.2.0 subagent-2']);

test('there are golden journals', () => {
  expect(goldens.length).toBeGreaterThan(5);
});

test.each(goldens)('$release $name replays to the same events', async ({ release, name }) => {
  const store = storeOf(release);
  const events = await readAll(name, store);
  const cadre = await pinnedCadre(startOf(events), store);
  const ended = name !== 'broken-off';
  if (SHOWN_ONLY.has(`${release} ${name}`))
    return expect(replay(events, cadre, services)).rejects.toThrow('Use Cadre 0.2.0 for that');
  const replayed = await replay(events, cadre, services);
  expect(replayed).toEqual({ kind: 'identical', events: events.length, ended });
});

/** Calls that made a circle, a window that was full, or tools that changed from turn to turn. */
const OLD_RULES = goldens.filter(({ release }) => release.endsWith('-circles'));

test('there are journals of 0.2.0 that today’s rules would have written in another way', () => {
  expect(OLD_RULES.map(({ release, name }) => `${release} ${name}`)).toEqual(
    expect.arrayContaining(['0.2.0-circles broken-off', '0.2.0-circles filler', '0.2.0-circles watcher']),
  );
});

test.each(OLD_RULES)('$release $name parts from its record under the rules of today', async ({ release, name }) => {
  const store = storeOf(release);
  const [start, ...rest] = await readAll(name, store);
  if (start?.type !== 'run-start') throw new Error('the journal has no beginning');
  expect(start.kernel).toBeLessThan(KERNEL_REVISION);
  const cadre = await pinnedCadre(start, store);
  const replayed = await replay([{ ...start, kernel: KERNEL_REVISION }, ...rest], cadre, services);
  expect(replayed.kind).toBe('different');
});

test.each(goldens)('$release $name can be shown', async ({ release, name }) => {
  const events = await readAll(name, storeOf(release));
  const { ledger, tree, totals } = runReport(events);
  expect(ledger.length).toBeGreaterThan(0);
  expect(totals.calls).toBe(ledger.length);
  expect(tree.children.length).toBeGreaterThan(0);
  expect(transcript(events).every(({ entries }) => entries.length > 0)).toBe(true);
  expect(JSON.stringify(events)).not.toContain('[the journal holds no result');
});

test.each([...SHOWN_ONLY])('the helpers of %s are shown as runs, with what they cost', async (golden) => {
  const [release = '', name = ''] = golden.split(' ');
  const { ledger, tree } = runReport(await readAll(name, storeOf(release)));
  const below = (node: OpNode): readonly OpNode[] => node.children.flatMap((child) => [child, ...below(child)]);
  const helpers = below(tree).filter(({ trigger }) => trigger === 'subagent');
  expect(helpers.map(({ kind, agent, state }) => [kind, agent?.endsWith('/subagent'), state])).toEqual([
    ['run', true, 'answered'],
    ['run', true, 'answered'],
  ]);
  for (const { path, inclusive } of helpers) {
    const lines = ledger.filter((line) => line.path === path || line.path.startsWith(`${path}.`));
    expect([lines.length > 0, lines.every(({ trigger }) => trigger === 'subagent')]).toEqual([true, true]);
    expect(inclusive.calls).toBe(lines.length);
  }
});

test('the golden journals hold every type of event', () => {
  const types = new Set(
    goldens.flatMap(({ release, name }) =>
      readFileSync(join(HERE, release, `${name}.jsonl`), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { readonly type: string }).type),
    ),
  );
  expect([...types].sort()).toEqual(
    ['attempt', 'control', 'fact', 'op', 'op-end', 'op-start', 'run-end', 'run-resume', 'run-start'].sort(),
  );
});
