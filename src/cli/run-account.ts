// The account of a run that a command follows: its answer or its failure, and the line that sums it up.

import type { RunEvent } from '../journal/event.ts';
import type { AgentName } from '../kernel/effect.ts';
import { isBroken, type RunOutcome } from '../kernel/outcome.ts';
import { verdictsBy } from '../kernel/verdict-words.ts';
import { ApprovalsFold } from '../views/approvals.ts';
import { ledgerFold } from '../views/costs/ledger.ts';
import { faultSettingFold } from '../views/fault-setting.ts';
import { Lineage } from '../views/lineage.ts';
import { callTallyFold } from '../views/progress/call-tally.ts';
import { failureText, partialText, summaryLine } from './render/ending.ts';
import { notify, printAnswer } from './screen/output.ts';
import { namesHere } from './screen/reader.ts';
import { paintFor } from './screen/terminal.ts';

export class RunAccount {
  readonly #book = ledgerFold();
  readonly #runs = new Lineage();
  readonly #tally = callTallyFold(this.#runs);
  readonly #approvals = new ApprovalsFold();
  readonly #setting = faultSettingFold();
  #startedAt: number | undefined;

  add(event: RunEvent): void {
    this.#startedAt ??= event.at;
    this.#book.add(event);
    this.#runs.add(event);
    this.#tally.add(event);
    this.#approvals.add(event);
    this.#setting.add(event);
  }

  /** Only an answer goes to stdout: what a broken run had written is shown on stderr, marked as partial. */
  tell(
    outcome: RunOutcome,
    {
      agent,
      endedAt,
      show,
      quiet,
      beforeAnswer,
    }: {
      readonly agent: AgentName;
      readonly endedAt: number;
      /** The command that shows the run. */
      readonly show: string;
      readonly quiet: boolean;
      beforeAnswer?: (() => void) | undefined;
    },
  ): void {
    const paint = paintFor(process.stderr);
    if (isBroken(outcome)) {
      const partial = partialText(outcome, paint);
      if (partial !== undefined) notify(partial);
      notify(failureText(outcome, { agent, ...this.#setting.setting(namesHere()) }, paint));
    } else {
      beforeAnswer?.();
      printAnswer(outcome);
    }
    if (quiet) return;
    const { totals } = this.#book.ledger();
    const verdicts = verdictsBy(this.#approvals.decided.values());
    const ms = endedAt - (this.#startedAt ?? 0);
    notify(summaryLine(outcome, { totals, calls: this.#tally.tally(), ms, verdicts, show }, paint));
  }
}
