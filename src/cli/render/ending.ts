// The end of a run in one line, and its failure in full.

import { EXIT, FAULTS } from '../../kernel/fault.ts';
import { type BrokenOutcome, isBroken, type Outcome } from '../../kernel/outcome.ts';
import * as amounts from '../../views/amounts.ts';
import type { Totals } from '../../views/costs/totals.ts';
import type { FaultSetting } from '../../views/fault-setting.ts';
import { faultWords, namesOutcome } from '../../views/fault-words.ts';
import { type CallTally, tallyWords } from '../../views/progress/call-tally.ts';
import { caseWords, itemWords, loopWords } from '../../views/step-words.ts';
import type { Paint } from '../screen/terminal.ts';
import { printable } from './width.ts';

/** `answered` is the only success. */
export function exitOf(outcome: Outcome): number {
  if (isBroken(outcome)) return FAULTS[outcome.fault.code].exit;
  return outcome.kind === 'answered' ? EXIT.answered : EXIT.failed;
}

export function summaryLine(
  outcome: Outcome,
  {
    totals,
    calls,
    ms,
    verdicts = [],
    show,
  }: {
    readonly totals: Totals;
    readonly calls: CallTally;
    readonly ms: number;
    /** The people behind verdicts: `denied by ada`. */
    readonly verdicts?: readonly string[];
    /** The command that shows the whole run. */
    readonly show: string;
  },
  paint: Paint,
): string {
  const rounds = loopWords(outcome);
  const items = outcome.items === undefined ? undefined : itemWords(outcome.items);
  const flow = [rounds, items, caseWords(outcome)].flatMap((words) =>
    words === undefined ? [] : [` (${printable(words)})`],
  );
  const stopped = outcome.stoppedAfter === undefined ? '' : ` (stopped after ${outcome.stoppedAfter})`;
  const word = paint(outcome.kind === 'answered' ? 'good' : 'error', outcome.kind) + flow.join('') + stopped;
  const parts = [
    amounts.plural(totals.calls, 'call'),
    `${amounts.tokens(totals.input + totals.output)} tok`,
    totals.calls === 0 ? amounts.usd(0) : amounts.cost(totals.usd, totals.unpriced),
    amounts.duration(ms),
    ...verdicts.map(printable),
    show,
  ];
  const nothing = tallyWords(calls).map((words) => `${paint('warning', words)}  `);
  return `${word}  ${nothing.join('')}${paint('faint', parts.join('  '))}`;
}

/** The outcome word, the stage where it happened, why, the code and the way out. */
export function failureText(
  { kind, fault }: BrokenOutcome,
  { agent, ...setting }: { readonly agent: string } & FaultSetting,
  paint: Paint,
): string {
  const stage = fault.stage === undefined || fault.stage === agent ? undefined : fault.stage;
  const words = printable(faultWords(fault, setting));
  if (namesOutcome(fault)) return paint('error', stage === undefined ? words : `${stage}: ${words}`);
  return `${paint('error', stage === undefined ? kind : `${kind} at ${stage}`)}: ${words}`;
}

/** The text that had been written until the run broke, marked as partial. */
export function partialText({ partial, agent, fault }: BrokenOutcome, paint: Paint): string | undefined {
  if (partial === undefined) return undefined;
  const who = agent ?? fault.stage;
  const head = who === undefined ? 'partial output' : `partial output of ${who}`;
  return `${paint('warning', `--- ${head}, not an answer ---`)}\n${printable(partial)}\n${paint('warning', '---')}`;
}
