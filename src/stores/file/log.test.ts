import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksBack, logLines } from './log.ts';

const folder = mkdtempSync(join(tmpdir(), 'cadre-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, `${Math.abs(text.length)}.jsonl`);
  writeFileSync(file, text);
  return file;
}

/** Lines of every length, over several blocks. */
const LONG = Array.from({ length: 4000 }, (_, nth) => `${nth} ${'é'.repeat(nth % 300)}\n`).join('');

test('the blocks of a file, from its end on, are its whole lines', () => {
  for (const text of [
    '',
    'one\n',
    'one\ntwo\n',
    'one\ntorn',
    'torn',
    LONG,
    `${LONG}torn`,
    `${'x'.repeat(500_000)}\nend\n`,
  ]) {
    const blocks = [...blocksBack(fileOf(text))].map((block) => block.toString('utf8'));
    expect(blocks.toReversed().join('') === text).toBe(true);
    for (const block of blocks.slice(1)) expect(block.endsWith('\n')).toBe(true);
  }
});

test('lines are read from any of them on, and one without an end is not whole', () => {
  const all = [...logLines(fileOf(`${LONG}torn`))];
  expect(all.length).toBe(4001);
  expect(all.at(-1)).toMatchObject({ whole: false });
  expect(all.slice(0, -1).every(({ whole }) => whole)).toBe(true);
  const from = all[2000]?.end ?? 0;
  expect([...logLines(fileOf(`${LONG}torn`), from)].length).toBe(2000);
});
