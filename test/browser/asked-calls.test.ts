// A call that waits for a person, on the page: what is drawn is what is decided.

import { expect, test } from 'vitest';
import type { ApprovalList, GivenVerdict } from '../../src/server/protocol.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const SEARCH = { query: `x${' '.repeat(10_000)}`, path: '/etc\u202e\u200b', regex: true };

const filesWith = (search: object) =>
  scripted(
    { clerk: agent('tools: [files]\napprove: [files]\n') },
    {
      agents: {
        clerk: [
          { calls: [{ search_files: search }, { read_file: { path: 'cadre.yaml' } }] },
          { answer: 'I have read it.' },
        ],
      },
    },
  );

test.each([
  ['on the screen of approvals', '/approvals/RUN#OP', '.asks', '.approvals'],
  ['in a conversation', '/runs/RUN/conversation', '.asks', '.asks'],
])('every argument is seen %s, and the verdict names what was drawn', async (_, at, place, all) => {
  const own = await served({ files: filesWith(SEARCH) });
  const { run } = await own.api<{ run: string }>('/api/runs', { agent: 'clerk', input: 'go' });
  const waiting = async () => (await own.api<ApprovalList>(`/api/approvals?run=${run}`)).waiting;
  await expect.poll(async () => (await waiting()).length).toBe(2);
  const [first] = await waiting();
  const page = await newPage();
  await page.goto(own.at(at.replace('RUN', run).replace('OP', first?.path ?? '')));
  const asked = page.locator(place);
  await asked.locator('.question-args').waitFor();
  await expect.poll(() => page.locator(all).innerText()).toMatch(/\d+ of 10001 characters not shown/);
  const text = await page.locator(all).innerText();
  expect(text).toContain('"/etc\\u202e\\u200b"');
  for (const hidden of ['\u202e', '\u200b']) expect(text).not.toContain(hidden);
  const sent = page.waitForRequest((request) => request.url().endsWith('/verdict'));
  await asked.getByRole('button', { name: /^Deny/ }).click();
  const { seen, approved } = (await sent).postDataJSON() as GivenVerdict;
  expect([approved, seen]).toEqual([false, first?.digest]);
  await expect.poll(async () => (await waiting()).map(({ path }) => path)).not.toContain(first?.path);
});

test('the arguments of a call hide nothing in the inspector and in the conversation', async () => {
  const own = await served({ files: filesWith({ ...SEARCH, query: 'x' }) });
  const { run } = await own.api<{ run: string }>('/api/runs', { agent: 'clerk', input: 'go' });
  const waiting = async () => (await own.api<ApprovalList>(`/api/approvals?run=${run}`)).waiting;
  await expect.poll(async () => (await waiting()).length).toBe(2);
  const page = await newPage();
  const seesAll = async (address: string): Promise<void> => {
    await page.goto(own.at(address));
    await page.locator('.talk-call, .text.code').getByText('\\u202e\\u200b').first().waitFor({ state: 'attached' });
    const text = (await page.locator('main').textContent()) ?? '';
    for (const hidden of ['\u202e', '\u200b']) expect(text).not.toContain(hidden);
  };
  await seesAll(`/runs/${run}/conversation`);
  await seesAll(`/runs/${run}#0.1`);
  await page.getByText('calls search_files').waitFor();
});
