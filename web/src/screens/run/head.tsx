// The head of a run: who, how it stands, what was asked, its figures, and what can be done with it.

import { useState } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import { cacheShares, cacheWords, tokens } from '../../../../src/views/amounts.ts';
import type { Totals } from '../../../../src/views/costs/totals.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { folderOf } from '../../data/cadre.ts';
import { Copy } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Figure, Figures } from '../../parts/panel.tsx';
import { Chip, type StateName } from '../../parts/state.tsx';
import { Lasting, Moment } from '../../parts/times.tsx';
import { costText, type ForkCost, shortId } from './run-facts.ts';

export interface HeadFacts {
  readonly run: string;
  readonly start: RunStart | undefined;
  readonly state: StateName;
  /** The event that it is shown at, if it is shown as it was. */
  readonly asAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly totals: Totals;
  readonly answeredBy: string | undefined;
  /** The failures and refusals below it. */
  readonly badBelow: string | undefined;
  readonly fork: ForkCost | undefined;
  /** The result of a replay in this visit. */
  readonly replayed: string | undefined;
  readonly otherProcess: boolean;
  /** The worker that works on it. */
  readonly worker: string | undefined;
  /** The reason why no worker has it, while it waits for one. */
  readonly queuedWhy: string | undefined;
}

export const RunHead = ({
  facts,
  actions,
}: {
  readonly facts: HeadFacts;
  readonly actions: preact.ComponentChildren;
}) => {
  const { run, start, state } = facts;
  const [open, setOpen] = useState(false);
  return (
    <header class="run-head gaps-16 line paper">
      <div class="grow">
        <h1 class="line gaps-10 nowrap">
          {start?.agent ?? run}
          {facts.asAt === undefined ? <Chip state={state} /> : <AsAt event={facts.asAt} />}
          <button
            type="button"
            class={open ? 'asked open soft pre scrolls' : 'asked soft cut'}
            dir="auto"
            title={open ? 'Show one line' : 'Show all of it'}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {start?.input.text}
          </button>
        </h1>
        <Below facts={facts} />
      </div>
      <Figures of={headFigures(facts)} />
      <div class="actions line gaps-6">{actions}</div>
    </header>
  );
};

/** The line below the name: where and when it began, what it came from, and who works on it. */
const Below = ({ facts }: { readonly facts: HeadFacts }) => {
  const { run, start, state } = facts;
  return (
    <div class="below line gaps-10 small-text faint nowrap">
      <span class="mono nowrap">{run}</span>
      <Copy text={run} label="Copy the run's id" />
      {start !== undefined && (
        <span>
          began <Moment at={start.at} />
        </span>
      )}
      {start !== undefined && <span title={start.folder}>folder {folderOf(start.folder)}</span>}
      {start?.label !== undefined && <span class="tag">{start.label}</span>}
      {start?.thread !== undefined && <span>thread {start.thread}</span>}
      {start?.forkedFrom !== undefined && <ForkOf of={start.forkedFrom} />}
      {facts.answeredBy !== undefined && <span>answered by {facts.answeredBy}</span>}
      {facts.badBelow !== undefined && <span class="state s-limit">{facts.badBelow}</span>}
      {facts.otherProcess && (
        <span>{facts.worker === undefined ? 'another process' : `worker ${facts.worker}`} works on it</span>
      )}
      {state === 'queued' && <span>{facts.queuedWhy ?? 'waits for a worker'}</span>}
      {facts.replayed !== undefined && <span class="s-good state">{facts.replayed}</span>}
    </div>
  );
};

const ForkOf = ({ of }: { readonly of: NonNullable<RunStart['forkedFrom']> }) => (
  <span>
    fork of{' '}
    <a class="link mono" href={runHref(of.run)}>
      {shortId(of.run)}
    </a>{' '}
    at{' '}
    <a class="op" href={opHref(of.run, of.at)}>
      {of.at}
    </a>
    , {of.events} events taken over
  </span>
);

function headFigures({ start, state, endedAt, totals, fork }: HeadFacts): readonly Figure[] {
  const time =
    start === undefined || (endedAt === undefined && state === 'broken-off') ? (
      '–'
    ) : (
      <Lasting from={start.at} to={endedAt} />
    );
  const read = (
    <>
      {tokens(totals.input)} <small>in</small> {tokens(totals.output)} <small>out</small>
    </>
  );
  return [
    { name: 'time', value: time },
    { name: 'model calls', value: totals.calls },
    { name: 'tokens', value: read },
    ...cached(totals),
    { name: 'cost', value: <Cost totals={totals} fork={fork} /> },
  ];
}

/** Absent where no provider says what it read from its caches. */
function cached(totals: Parameters<typeof cacheShares>[0]): readonly Figure[] {
  const shares = cacheShares(totals);
  if (shares === undefined) return [];
  const value = (
    <span title={cacheWords(totals)}>
      {shares.read} <small>read</small>
      {shares.written !== undefined && (
        <span class="wide-only">
          {' '}
          {shares.written} <small>written</small>
        </span>
      )}
    </span>
  );
  return [{ name: 'cached', value }];
}

const AsAt = ({ event }: { readonly event: number }) => (
  <span class="chip s-doubt">
    <Icon name="timed-out" />
    as at event {event}
  </span>
);

const Cost = ({ totals, fork }: { readonly totals: Totals; readonly fork: ForkCost | undefined }) =>
  fork === undefined ? (
    <>{costText(totals)}</>
  ) : (
    <>
      {costText(fork.here)} <small>and {costText(fork.takenOver)} taken over</small>
    </>
  );
