import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { filesSource } from '../tools/files/source.ts';
import { invoke } from '../tools/invoke.ts';
import type { Tool } from '../tools/tool.ts';
import { judgedCall } from './judged-call.ts';
import { rulesFor } from './resources/ruled-tools.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-judged-'));
  mkdirSync(join(folder, 'open'));
  mkdirSync(join(folder, 'secrets'));
  for (const place of ['open', 'secrets']) writeFileSync(join(folder, place, 'a.txt'), `in ${place}`);
  symlinkSync('open', join(folder, 'link'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** read_file, in a workspace in which somebody swaps a link as soon as a call was judged. */
async function swapped(): Promise<Tool> {
  const tools = await filesSource(folder).tools();
  const read = tools.find(({ spec }) => spec.name === 'read_file')!;
  return {
    ...read,
    async compared(input) {
      const compared = await read.compared!(input);
      unlinkSync(join(folder, 'link'));
      symlinkSync('secrets', join(folder, 'link'));
      return compared;
    },
  };
}

const reading = async (rules: { readonly deny?: readonly string[]; readonly approve?: readonly string[] }) => {
  const tool = await swapped();
  const call = { id: 'c', name: 'read_file', arguments: { path: 'link/a.txt' } };
  const ruled = rulesFor({ approve: [], trust: [], deny: [], ...rules }, { tool, address: 'files/read_file' });
  const { verdict, context } = await judgedCall(tool, call, ruled, undefined);
  const { signal } = new AbortController();
  const result = invoke(
    tool,
    call,
    { signal, callKey: 'k', progress: () => {}, redactor: NOTHING_SECRET, ...context },
    { timeoutMs: 10_000, capBytes: 10_000, keep: async () => 'kept' },
  );
  return { verdict, result };
};

test('a link that is swapped after the verdict leads to no denied file: the call ends with tool/denied', async () => {
  const { verdict, result } = await reading({ deny: ['read_file(path=secrets/**)'] });
  expect(verdict.kind).toBe('free');
  await expect(result).rejects.toMatchObject({ fault: { code: 'tool/denied' } });
});

test('a link that is swapped after the verdict leads to no file that a person has to be asked about', async () => {
  const { result } = await reading({ approve: ['read_file(path=secrets/**)'] });
  expect(await result).toMatchObject({ status: 'error', text: expect.stringContaining('leads elsewhere') });
});

test('without a rule that looks at the call nothing is judged twice', async () => {
  const { result } = await reading({});
  expect(await result).toMatchObject({ status: 'ok' });
});
