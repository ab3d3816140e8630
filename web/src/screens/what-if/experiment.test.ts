import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../../test/support/events.ts';
import { againAfter, againWords, changedLines, changeWords, forkCommand, forkOf, keepCommand } from './experiment.ts';

const known = new Map([
  ['writer', { system: 'Write.' }],
  ['desk', { system: 'Ask.' }],
]);
const none = { prompts: {}, models: {}, budget: '' };

test('a try is only what differs from the run, and there is none while nothing does', () => {
  expect(forkOf(none, '0.2', known)).toBeUndefined();
  expect(forkOf({ ...none, prompts: { writer: 'Write.\n' }, models: { writer: '' } }, '0.2', known)).toBeUndefined();
  expect(forkOf({ ...none, budget: '1' }, '0.2', known)).toBeUndefined();
  const fork = forkOf(
    { prompts: { writer: 'Sing.' }, models: { '*': 'fast', desk: 'm/x' }, budget: '0.5' },
    '0.2',
    known,
  );
  expect(fork).toEqual({
    at: '0.2',
    prompts: { writer: 'Sing.' },
    models: { '*': ['fast'], desk: ['m/x'] },
    budget: { usd: 0.5 },
  });
  expect(forkCommand('r1', '0.2', fork)).toBe(
    'cadre fork r1 --at 0.2 --prompt writer=writer.what-if.md --model fast --model desk=m/x --budget usd=0.5',
  );
  expect(forkCommand('r1', '0.2', undefined)).toBe('cadre fork r1 --at 0.2');
});

test('the part that is done again has the tools that would be called, and says if somebody was asked', () => {
  const { events } = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'read_file')])
    .tool('0.2', call('a', 'read_file'))
    .toolEnds('0.2', 'text')
    .signal('0.3', 'May I?')
    .signalEnds('0.3', { approved: true });
  const first = events.findIndex((event) => event.type === 'op-start' && event.path === '0.2');
  const again = againAfter(first, events, []);
  expect([again.tools, again.asks]).toEqual([['read_file'], true]);
  expect(againWords(again)).toBe('read_file may be called again; it may ask you');
  expect(againWords({ tools: [], asks: false })).toBe('no tool is called again; nothing here asks you');
});

test('a change is a share of what it was', () => {
  expect(changeWords(0.0034, 0.0029)).toBe('−15 %');
  expect(changeWords(2, 3)).toBe('+50 %');
  for (const [left, right] of [
    [2, 2],
    [0, 1],
    [undefined, 1],
  ] as const)
    expect(changeWords(left, right)).toBeUndefined();
});

test('the lines that only one text has are marked by their places, each as often as it is more there', () => {
  expect([...changedLines('a\nb\n', 'a\nc\nd')]).toEqual([1, 2]);
  expect([...changedLines('a\nc\nd', 'a\nb\n')]).toEqual([1]);
  expect([...changedLines('a\na', 'a\na\na')]).toEqual([2]);
  expect([...changedLines('a', 'a\n')]).toEqual([]);
});

test('a text is kept by a command that applies it, checks the folder and runs its tests', () => {
  expect(keepCommand('help-desk/refunds.md', 'help-desk')).toBe(
    'patch -p1 < help-desk-refunds.md.diff && cadre check help-desk && cadre test help-desk',
  );
  expect(keepCommand('refunds.md', '')).toBe('patch -p1 < refunds.md.diff && cadre check && cadre test');
});
