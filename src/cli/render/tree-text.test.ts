import { expect, test } from 'vitest';
import { fault } from '../../kernel/fault.ts';
import type { OpNode } from '../../views/tree/op-tree.ts';
import { plain } from '../screen/terminal.ts';
import { treeText } from './tree-text.ts';

const TOTALS = { unpriced: 0, calls: 2, input: 1000, output: 34, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const node = (kind: OpNode['kind'], more: Partial<OpNode>): OpNode => ({
  path: '0',
  kind,
  startedAt: 0,
  state: 'done',
  ms: 100,
  attempts: 1,
  own: TOTALS,
  inclusive: { ...TOTALS, usd: 0.5 },
  children: [],
  ...more,
});

test('a turn stands for its model call, and what it asked for is below it', () => {
  const none = { ...TOTALS, calls: 0, input: 0, output: 0, usd: 0 };
  const model = node('model', { turn: 1, model: 'p/m', attempts: 2 });
  const tool = node('tool', { name: 'read_file', state: 'failed', inclusive: none, fault: fault('tool/failed', 'no') });
  const turn = node('turn', { turn: 1, children: [model, tool, node('take', { inclusive: none })] });
  const root = node('run', {
    agent: 'desk',
    state: 'answered',
    children: [
      node('session', { children: [turn] }),
      node('run', {
        agent: 'clerk',
        trigger: 'next',
        chainParent: 'agent__desk',
        chainStageIndex: 0,
        state: 'answered',
      }),
    ],
  });
  expect(treeText(root, { paint: plain }).map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
    'desk  answered  100ms 1.0k tok  $0.500',
    '├ turn 1 (p/m, 2 attempts)  ok  100ms 1.0k tok  $0.500',
    '│ └ read_file  failed  100ms',
    '│  no (tool/failed)',
    '└ clerk (next, after desk, stage 0)  answered  100ms 1.0k tok  $0.500',
  ]);
});

test('a refused or denied call says so with the reason, and the agents that were spawned or waited for are named', () => {
  const none = { ...TOTALS, calls: 0, input: 0, output: 0, usd: 0 };
  const model = node('model', { turn: 1, model: 'p/m' });
  const root = node('run', {
    agent: 'desk',
    state: 'exhausted',
    children: [
      node('turn', {
        turn: 1,
        state: 'refused',
        why: 'final_report: it must be\n- short',
        children: [
          model,
          node('approval', { name: 'pay', state: 'denied', why: 'Not today.', inclusive: none }),
          node('run', { agent: 'clerk', trigger: 'spawn', label: 'ferry', state: 'answered', inclusive: none }),
          node('await-runs', { name: 'ferry, mill', inclusive: none }),
          node('send', { name: 'ferry', inclusive: none }),
        ],
      }),
    ],
  });
  expect(treeText(root, { paint: plain }).map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
    'desk  exhausted  100ms 1.0k tok  $0.500',
    '└ turn 1 (p/m)  refused  100ms 1.0k tok  $0.500',
    '  │ final_report: it must be - short',
    '  ├ a person asked about pay  denied  100ms',
    '  │  Not today.',
    '  ├ clerk (spawn ferry)  answered  100ms',
    '  ├ waited for ferry, mill  ok  100ms',
    '  └ sent a message to ferry  ok  100ms',
  ]);
});
