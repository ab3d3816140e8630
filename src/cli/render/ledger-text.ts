// The ledger as tables: one line per model call, then totals per agent, then the run's. The agent that gave the answer
// has a further total: what the answer cost with everything that led to it.

import * as amounts from '../../views/amounts.ts';
import type { LedgerLine, Totals } from '../../views/costs/ledger.ts';
import type { RunReport } from '../../views/report/run-report.ts';
import { table } from './table.ts';

export function ledgerText({ ledger, totals }: RunReport, width?: number): readonly string[] {
  if (ledger.length === 0) return ['No model was called.'];
  const calls = table(
    [
      { title: 'OP' },
      { title: 'AGENT' },
      { title: 'TURN', align: 'right' },
      { title: 'MODEL', flexible: true },
      { title: 'STATUS' },
      { title: 'IN', align: 'right' },
      { title: 'OUT', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'TIME', align: 'right' },
    ],
    ledger.map(callRow),
    width,
  );
  const shares = table(
    [
      { title: 'AGENT', flexible: true },
      { title: 'CALLS', align: 'right' },
      { title: 'IN', align: 'right' },
      { title: 'OUT', align: 'right' },
      { title: 'OWN COST', align: 'right' },
      { title: 'WITH ALL BELOW', align: 'right' },
      ...(totals.answer === undefined ? [] : [{ title: 'FOR THE ANSWER', align: 'right' as const }]),
    ],
    [
      ...totals.agents.map(({ agent, own, inclusive }) => [
        ...totalsRow(agent, own, inclusive),
        agent === totals.answer?.agent ? costOf(totals.answer.lineage) : '',
      ]),
      [...totalsRow('total', totals, totals), ''],
    ],
    width,
  );
  return [...calls, '', ...shares];
}

const callRow = (line: LedgerLine): readonly string[] => [
  line.path,
  line.agent,
  line.compact === true ? `${line.turn}, sum` : String(line.turn),
  line.model,
  line.status === 'failed' ? (line.fault ?? line.status) : line.status,
  line.usage === undefined ? '?' : String(line.usage.input),
  line.usage === undefined ? '?' : String(line.usage.output),
  line.usd === undefined ? 'unknown' : amounts.usd(line.usd),
  line.ms === undefined ? '?' : amounts.duration(line.ms),
];

const totalsRow = (name: string, own: Totals, inclusive: Totals): readonly string[] => [
  name,
  String(own.calls),
  String(own.input),
  String(own.output),
  costOf(own),
  costOf(inclusive),
];

const costOf = ({ usd, unpriced, calls }: Totals): string =>
  calls === 0 ? '–' : usd === undefined ? 'unknown' : `${unpriced > 0 ? '≥ ' : ''}${amounts.usd(usd)}`;
