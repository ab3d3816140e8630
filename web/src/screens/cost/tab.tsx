// The cost of a run: by agent, by trigger, by model and by call, and its growth.

import { useMemo, useState } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import { duration, tokens, usd } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { opHref } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { agentOfRun, cadre } from '../../data/cadre.ts';
import { runAgents, runPrices } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button, copyText } from '../../parts/controls.tsx';
import { type FigureColumn, FigureTable } from '../../parts/figure-table.tsx';
import { ledgerCsv } from '../../parts/ledger-csv.ts';
import { Section } from '../../parts/panel.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { StateWord } from '../../parts/state.tsx';
import { sinceStart } from '../../parts/times.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { Chart } from './chart.tsx';
import { byModel, type CostSort, SORTS, shownPrice, shownUsd, sortedLines } from './sums.ts';
import './cost.css';

export const CostTab = ({ data, address }: RunTabProps) => {
  const { lines, totals } = data.ledger.value;
  const start = data.events[0];
  const sort = SORTS.find((one) => one === address.query['sort']) ?? 'cost';
  const sorted = useMemo(() => sortedLines(lines, sort), [lines, sort]);
  if (start?.type !== 'run-start') return null;
  const budget = runAgents(data).value.get(start.agent)?.budget?.usd;
  return (
    <div class="cost frame">
      <div class="panel-body ruled-right paper">
        <h2 class="sr">What it cost</h2>
        <ByAgent data={data} />
        <ByTrigger data={data} />
        <ByModel data={data} />
        <Bound start={start} calls={totals.calls} budget={budget} />
      </div>
      <div class="pane">
        <div class="bar">
          <strong>Spent over time</strong>
          <span class="faint">
            {totals.calls} calls, {totals.unpriced === 0 ? 'every price known' : `${totals.unpriced} without a price`}
          </span>
          <span class="grow" />
          <CopyCsv text={ledgerCsv(sorted)} />
        </div>
        <Chart lines={lines} start={start.at} end={data.events.at(-1)?.at ?? start.at} budget={budget} />
        <Calls of={sorted} sort={sort} data={data} start={start} />
      </div>
    </div>
  );
};

interface OfRun {
  readonly data: RunData;
}

const figure = (title: string): FigureColumn => ({ title, as: 'figure' });
const SHARE: FigureColumn = { title: 'share', as: 'bar' };

const ByAgent = ({ data }: OfRun) => {
  const { agents, totals } = data.ledger.value;
  const most = Math.max(0, ...agents.map(({ inclusive }) => inclusive.usd ?? 0));
  return (
    <Section title="By agent" aside="dark: own, light: with all below">
      <FigureTable
        columns={[{ title: 'agent' }, ...['calls', 'in', 'out', 'own', 'with all below'].map(figure), SHARE]}
        rows={agents.map(({ agent, own, inclusive }) => ({
          key: agent,
          cells: [
            <strong key="name">{agent}</strong>,
            own.calls,
            tokens(own.input),
            tokens(own.output),
            shownUsd(own.usd, own.unpriced),
            shownUsd(inclusive.usd, inclusive.unpriced),
            <Share key="share" part={own.usd ?? 0} whole={inclusive.usd ?? 0} most={most} />,
          ],
        }))}
        total={[
          'total',
          totals.calls,
          tokens(totals.input),
          tokens(totals.output),
          shownUsd(totals.usd, totals.unpriced),
          '',
          '',
        ]}
      />
    </Section>
  );
};

const ByTrigger = ({ data }: OfRun) => {
  const { triggers, totals } = data.ledger.value;
  return (
    <Section title="By why it ran">
      <FigureTable
        columns={[{ title: 'trigger' }, ...['calls', 'tokens', 'own'].map(figure), SHARE]}
        rows={triggers.map(({ trigger, own }) => ({
          key: trigger,
          cells: [
            <>
              {trigger} <span class="faint">{TRIGGERS[trigger]}</span>
            </>,
            own.calls,
            tokens(own.input + own.output),
            shownUsd(own.usd, own.unpriced),
            <Share key="share" part={own.usd ?? 0} whole={own.usd ?? 0} most={totals.usd ?? 0} />,
          ],
        }))}
      />
    </Section>
  );
};

const ByModel = ({ data }: OfRun) => {
  const prices = runPrices(data).value;
  return (
    <Section title="By model">
      <FigureTable
        columns={[{ title: 'model', as: 'code' }, ...['calls', 'in', 'out', 'per million in, out', 'cost'].map(figure)]}
        rows={byModel(data.ledger.value.lines).map((one) => ({
          key: one.model,
          cells: [
            one.model,
            one.calls,
            tokens(one.input),
            tokens(one.output),
            <span key="price" class="cost-price soft">
              {shownPrice(prices[one.model])}
            </span>,
            shownUsd(one.usd, one.unpriced),
          ],
        }))}
      />
    </Section>
  );
};

interface BoundProps {
  readonly start: RunStart;
  readonly calls: number;
  readonly budget: number | undefined;
}

const Bound = ({ start, calls, budget }: BoundProps) => {
  const bound = cadre()?.bounds[agentOfRun(start)?.name ?? start.agent];
  return (
    <Section title="What it might have cost">
      <p class="soft small-text">
        {bound?.kind === 'bounded' ? (
          <>
            The limits of the files allow <b>{bound.calls}</b> model calls below {start.agent}, at most{' '}
            <b>{bound.usd === null ? '$?' : usd(bound.usd)}</b> with every retry.{' '}
          </>
        ) : (
          'The limits of the files as they are now bound nothing. '
        )}
        This run made {calls}.{' '}
        {budget === undefined ? `${start.agent}.md sets no budget.` : `Its budget is ${usd(budget)}.`}
      </p>
    </Section>
  );
};

interface CallsProps extends OfRun {
  readonly of: readonly LedgerLine[];
  readonly sort: CostSort;
  readonly start: RunStart;
}

const Calls = ({ of, sort, data, start }: CallsProps) => {
  const dearest = Math.max(0, ...of.map((line) => line.usd ?? 0));
  const labels = labelsOf(data.tree.value);
  return (
    <div class="panel-body paper">
      <table class="tab">
        <thead>
          <tr>
            <th>op</th>
            <SortHead by="agent" now={sort} />
            <th class="num">turn</th>
            <th>model</th>
            <th>status</th>
            <SortHead by="began" now={sort} />
            <SortHead by="time" now={sort} />
            <th class="num">in</th>
            <th class="num">out</th>
            <SortHead by="cost" now={sort} />
            <th>
              <span class="sr">share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {of.slice(0, MOST).map((line) => (
            <CallRow
              key={`${line.path} ${line.startedAt} ${line.turn}`}
              line={line}
              run={data.run}
              start={start.at}
              dearest={dearest}
              label={labels.get(line.session)}
            />
          ))}
        </tbody>
      </table>
      {of.length > MOST && <p class="faint">and {of.length - MOST} more calls, which the CSV has</p>}
    </div>
  );
};

const MOST = 500;

/** The meaning of a trigger, beside its word. */
const TRIGGERS: Readonly<Record<string, string>> = {
  start: 'the run itself',
  advisor: 'before the agent began',
  router: 'handed to by a router',
  next: 'a stage of a chain',
  handoff: 'handed to',
  call: 'asked as a tool',
  member: 'a seat in a team',
  supervisor: 'the seat that decides',
  subagent: 'a helper of one call',
  spawn: 'background runs',
};

const CopyCsv = ({ text }: { readonly text: string }) => {
  const [copied, setCopied] = useState(false);
  return (
    <Button kind="bare" size="small" onPress={() => void copyText(text).then(() => setCopied(true))}>
      {copied ? 'Copied' : 'Copy as CSV'}
    </Button>
  );
};

const SortHead = ({ by, now }: { readonly by: CostSort; readonly now: CostSort }) => (
  <th
    class={by === 'agent' ? '' : 'num'}
    aria-sort={by === now ? (by === 'began' || by === 'agent' ? 'ascending' : 'descending') : 'none'}
  >
    <button type="button" onClick={() => setQuery({ sort: by === 'cost' ? undefined : by })}>
      {by}
      {by === now ? ' ▾' : ''}
    </button>
  </th>
);

interface CallProps {
  readonly line: LedgerLine;
  readonly run: string;
  readonly start: number;
  readonly dearest: number;
  readonly label: string | undefined;
}

/** The labels by session, as the session that spawned it calls it. */
function labelsOf(node: OpNode, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (node.label !== undefined) found.set(node.path, node.label);
  for (const child of node.children) labelsOf(child, found);
  return found;
}

const CallRow = ({ line, run, start, dearest, label }: CallProps) => (
  <tr>
    <td>
      <a class="link mono" href={opHref(run, line.path)}>
        {line.path}
      </a>
    </td>
    <td>
      {line.agent} {label !== undefined && <span class="tag">{label}</span>}
    </td>
    <td class="num">{line.turn}</td>
    <td class="mono">{line.model}</td>
    <td>
      <StateWord state={line.status} />
    </td>
    <td class="num">{sinceStart(line.startedAt, start)}</td>
    <td class="num">{line.ms === undefined ? '–' : duration(line.ms)}</td>
    <td class="num">{line.usage?.input ?? '–'}</td>
    <td class="num">{line.usage?.output ?? '–'}</td>
    <td class="num">{line.usd === undefined ? '$?' : usd(line.usd)}</td>
    <td class="table-bar">
      <Share part={line.usd ?? 0} whole={line.usd ?? 0} most={dearest} />
    </td>
  </tr>
);

const Share = ({ part, whole, most }: { readonly part: number; readonly whole: number; readonly most: number }) => {
  const of = (amount: number): number => (most === 0 ? 0 : amount / most);
  return <ShareBar parts={[{ share: of(part) }, { share: of(whole - part), isPale: true }]} />;
};
