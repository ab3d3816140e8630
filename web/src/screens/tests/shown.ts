// The screens of tests show a result as this data: its state, and the cases that are chosen.

import type { TestRow } from '../../../../src/server/protocol.ts';
import type { ComparedCase } from '../../../../src/views/tests/compared.ts';
import type { StateName } from '../../parts/state.tsx';

export const SHOWN = ['differ', 'failed', 'all'] as const;
export type Shown = (typeof SHOWN)[number];
export const SHOWN_NAMES: Readonly<Record<Shown, string>> = { differ: 'Differ', failed: 'Failed', all: 'All' };

export const isShown = ({ differs, state }: ComparedCase, shown: Shown): boolean =>
  shown === 'all' || (shown === 'differ' ? differs : state === 'failed');

/** The cases to look at first: those that differ, else those that failed, else all. */
export function firstShown(cases: readonly ComparedCase[]): Shown {
  if (cases.some(({ differs }) => differs)) return 'differ';
  return cases.some(({ state }) => state === 'failed') ? 'failed' : 'all';
}

/** Its agent, its file, its name and what went wrong: plain words, each of which must be found. */
export function isFound({ name, file, agent, results }: ComparedCase, typed: string): boolean {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const failures = results.flatMap((one) => one.failures.map(({ what }) => what));
  const text = [name, file, agent, ...failures].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The state of a result in words, and whose colour and icon it has. */
export function stateOfTests(row: TestRow): { readonly state: StateName; readonly word: string } {
  const { counts, planned } = row;
  const done = counts.passed + counts.failed + counts.skipped;
  if (row.state === 'running') return { state: 'running', word: `${done} of ${planned}` };
  if (row.state === 'broken-off') return { state: 'broken-off', word: `broken off at ${done} of ${planned}` };
  if (counts.failed > 0) return { state: 'failed', word: `${counts.failed} failed` };
  if (row.stopped === true) return { state: 'cancelled', word: 'stopped' };
  if (counts.passed === 0) return { state: 'skipped', word: 'all skipped' };
  return { state: 'ok', word: 'passed' };
}

const SIGNS = { running: '◌', failed: '✕', ok: '✓' } as const;

/** The title of the tab. */
export function titleOfTests(row: TestRow): string {
  const { state, word } = stateOfTests(row);
  const sign = SIGNS[state as keyof typeof SIGNS];
  return `${sign === undefined ? '' : `${sign} `}${word} · tests`;
}

export const CASE_STATES = {
  passed: { state: 'ok', word: 'passed' },
  failed: { state: 'failed', word: 'failed' },
  skipped: { state: 'skipped', word: 'skipped' },
} as const satisfies Readonly<Record<string, { readonly state: StateName; readonly word: string }>>;
