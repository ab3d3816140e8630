import { expect, test } from 'vitest';
import { answersTo, approver, type Questions } from './approvals.ts';

const AT = { run: 'r', op: '0.1' };

test('a yes given beforehand holds for the tools it names, and a missing person is a visible no', async () => {
  const notices: string[] = [];
  const nobody: Questions = { canAsk: false, alone: (ask) => ask(), notice: (text) => notices.push(text) };
  const { signal } = new AbortController();
  const ask = (beforehand: true | readonly string[], name: string) =>
    approver(beforehand, () => nobody)(`a wants to call ${name}`, { id: '1', name, arguments: {} }, signal, AT);
  expect(await ask(true, 'pay')).toMatchObject({ approved: true });
  expect(await ask(['pay'], 'pay')).toMatchObject({ approved: true });
  expect(notices).toEqual([]);
  expect(await ask(['pay'], 'send')).toMatchObject({ approved: false });
  expect(notices).toEqual([expect.stringMatching(/^denied: a wants to call send, .*--approve send/)]);
});

test('a yes for the rest of the run is offered where a yes alone is about the one call', () => {
  const keys = (about: unknown) => answersTo(about).map(({ value }) => value);
  const rest = { key: 'web docs.example', words: 'to docs.example' };
  const preview = { kind: 'request', method: 'GET', url: 'https://docs.example/', rest };
  expect(keys({ name: 'send' })).toEqual(['n', 'y', 'r', 'w']);
  expect(keys({ name: 'fetch_page', preview })).toEqual(['n', 'y', 'r', 'w']);
  expect(keys({ name: 'fetch_page', preview: { ...preview, rest: { ...rest, once: true } } })).toEqual(['n', 'y', 'w']);
});
