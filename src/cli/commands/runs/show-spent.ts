// cadre runs --spent: what the runs of a store spent, by day, agent and model.

import type { RunSum, SpentBy, SpentQuery, SpentReport, SpentRow } from '../../../journal/run-totals.ts';
import { fail } from '../../../kernel/fault.ts';
import * as amounts from '../../../views/amounts.ts';
import { calendarIn } from '../../../views/runs/calendar.ts';
import { spentBy, spentQuery } from '../../../views/runs/spending.ts';
import { costOf } from '../../render/run-table.ts';
import { type Column, table } from '../../render/table.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';

/** Throws `usage` for words that no sums are by, and for a zone that is none. */
export const queryOfSpent = (
  { by, zone }: { readonly by?: string; readonly zone?: string },
  since: number | undefined,
): SpentQuery => spentQuery(spentBy(by), calendarOf(zone), since === undefined ? {} : { since });

export function showSpent({ rows, total }: SpentReport, { by }: SpentQuery, isJson: boolean): number {
  if (isJson) printJson(JSON.stringify({ rows, total }, null, 2));
  else if (total.runs === 0) notify('No run fits these options. To see all of them: cadre runs');
  else print(spentTable(rows, by, total).join('\n'));
  return 0;
}

function calendarOf(zone: string | undefined) {
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const calendar = calendarIn(zone ?? here);
  return (
    calendar ??
    fail('usage', `"${zone ?? here}" is no time zone. It takes a name of IANA, such as Europe/Berlin or UTC.`)
  );
}

interface SpentColumn extends Column {
  of(row: SpentRow): string;
}

const TIME: Readonly<Record<SpentBy, SpentColumn>> = {
  day: { title: 'DAY', of: ({ day = '' }) => day },
  hour: { title: 'HOUR', of: ({ from = 0 }) => amounts.dayAndTime(from) },
  agent: { title: 'AGENT', of: ({ agent = '' }) => agent },
  model: { title: 'MODEL', of: ({ model = '' }) => model },
};

const SUMS: readonly SpentColumn[] = [
  { title: 'RUNS', align: 'right', of: ({ runs }) => amounts.countText(runs) },
  { title: 'NOT ANSWERED', align: 'right', of: ({ notAnswered }) => amounts.countText(notAnswered) },
  { title: 'CALLS', align: 'right', of: ({ calls }) => amounts.countText(calls) },
  { title: 'TOKENS IN', align: 'right', of: ({ tokens }) => amounts.tokens(tokens.input) },
  { title: 'OUT', align: 'right', of: ({ tokens }) => amounts.tokens(tokens.output) },
  { title: 'COST', align: 'right', of: costOf },
];

/** The last line is the sum of all runs, which may be less than that of the rows: a run counts in several of them. */
function spentTable(rows: readonly SpentRow[], by: readonly SpentBy[], total: RunSum): readonly string[] {
  const columns = [...by.map((one) => TIME[one]), ...SUMS];
  const cells = rows.map((row) => columns.map((column) => column.of(row)));
  const last = [...by.map((_, at) => (at === 0 ? 'in all' : '')), ...SUMS.map((column) => column.of(total))];
  return table(columns, [...cells, last], columnsOf(process.stdout));
}
