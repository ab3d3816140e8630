// A reply of a model: its figures, its words, its calls with their results, and what a judge found.

import type { RunStart } from '../../../../src/journal/event.ts';
import { cost, duration } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { TextBlock } from '../../parts/text-block.tsx';
import { sinceStart } from '../../parts/times.tsx';
import { Call } from './call.tsx';
import { Earlier, OpRef } from './entry-parts.tsx';
import type { Shown } from './talk.ts';

interface ReplyProps {
  readonly earlier: string | undefined;
  readonly one: Extract<Shown, { kind: 'reply' }>;
  readonly who: string;
  readonly start: RunStart;
  readonly run: string;
  readonly line: LedgerLine | undefined;
  /** The reason why a judge did not find the answer good. */
  readonly sentBack: string | undefined;
}

export const Reply = ({ one, earlier, who, start, run, line, sentBack }: ReplyProps) => (
  <>
    <span class="talk-when num tiny-text faint">
      {one.entry.history !== true && (
        <>
          <strong class="soft">turn {one.entry.turn}</strong>
          <br />
          {sinceStart(one.entry.at, start.at)}
        </>
      )}
    </span>
    <div>
      <p class="talk-who gaps-6 line small-text soft">
        <strong>{who}</strong>
        {one.entry.history === true ? <Earlier run={earlier} /> : <OpRef run={run} op={one.entry.op} />}
        {one.entry.replaced === true && <span class="tag">replaced by a summary</span>}
        <span class="grow" />
        {line !== undefined && one.entry.history !== true && <CallFigures of={line} />}
      </p>
      {one.reasoning !== undefined && (
        <details>
          <summary class="faint">reasoning</summary>
          <TextBlock text={one.reasoning} />
        </details>
      )}
      {one.text !== '' && <TextBlock text={one.text} as="markdown" />}
      {one.calls.map((call) => (
        <Call key={call.call.id} of={call} run={run} />
      ))}
      {sentBack !== undefined && (
        <details>
          <summary class="limit-words" dir="auto">
            sent back: {sentBack.split('\n', 1)}
          </summary>
          <TextBlock text={sentBack} as="code" />
        </details>
      )}
    </div>
  </>
);

const CallFigures = ({ of: { usage, usd, ms } }: { readonly of: LedgerLine }) => (
  <span class="faint num talk-figures gaps-10 line">
    <span>
      {usage?.input ?? 0} in, {usage?.output ?? 0} out
    </span>
    <span>{cost(usd, usd === undefined ? 1 : 0)}</span>
    {ms !== undefined && <span>{duration(ms)}</span>}
  </span>
);
