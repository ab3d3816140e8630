// The ledger as a table that a spreadsheet reads. Pure.

import type { LedgerLine } from '../../../src/views/costs/ledger.ts';

const COLUMNS = [
  'op',
  'agent',
  'turn',
  'trigger',
  'model',
  'status',
  'input',
  'output',
  'usd',
  'ms',
  'startedAt',
] as const;

export function ledgerCsv(lines: readonly LedgerLine[]): string {
  const rows = lines.map(({ path, agent, turn, trigger, model, status, usage, usd, ms, startedAt }) => [
    path,
    agent,
    turn,
    trigger,
    model,
    status,
    usage?.input ?? '',
    usage?.output ?? '',
    usd ?? '',
    ms ?? '',
    new Date(startedAt).toISOString(),
  ]);
  return `${[COLUMNS, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}

/** A text that a spreadsheet would take for a formula is kept a text. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
