import { expect, test } from 'vitest';
import { approver, type Questions } from './approvals.ts';

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
