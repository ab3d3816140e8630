// Both sides: how each ended, its answer with what differs marked, and the steps from the fork on.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Outcome } from '../../../../src/server/protocol.ts';
import { duration, plural } from '../../../../src/views/amounts.ts';
import { type AnswerPiece, answerPieces } from '../../../../src/views/answer-diff.ts';
import { comparedSteps } from '../../../../src/views/compared-steps.ts';
import { faultWords } from '../../../../src/views/fault-words.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { RunAsks } from '../../parts/asks/run-asks.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Figures } from '../../parts/panel.tsx';
import { Chip } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { costText, endingOf, forkCost } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { changeWords } from './experiment.ts';

interface Props {
  readonly left: RunData;
  readonly at: string;
  readonly shown: string | undefined;
}

export const Sides = ({ left, at, shown }: Props) =>
  shown === undefined ? (
    <div class="what-if-cols" role="region" aria-label="Both answers" tabIndex={0}>
      <Side data={left} />
      <section aria-label="With the change">
        <p class="faint">No answer yet. Run it, and its answer stands here.</p>
      </section>
    </div>
  ) : (
    <Both key={shown} left={left} at={at} right={shown} />
  );

const Both = ({ left, at, right }: { readonly left: RunData; readonly at: string; readonly right: string }) => {
  const data = useRun(right);
  const loading = data.loading.value;
  if (loading.kind === 'refused') return <p class="what-if-none err">{loading.problem.message}</p>;
  if (loading.kind === 'loading') return <Loading />;
  return <Compared left={left} right={data} at={at} />;
};

const outcomeOf = (data: RunData): Outcome | undefined => endingOf(data.events, data.count.value)?.outcome;

const answerOf = (outcome: Outcome | undefined) =>
  outcome !== undefined && 'text' in outcome
    ? { text: outcome.text, ...('data' in outcome && { data: outcome.data }) }
    : undefined;

const timeOf = (data: RunData): number => (data.events.at(-1)?.at ?? 0) - (data.events[0]?.at ?? 0);

const Compared = ({ left, right, at }: { readonly left: RunData; readonly right: RunData; readonly at: string }) => {
  const [mine, theirs] = [answerOf(outcomeOf(left)), answerOf(outcomeOf(right))];
  const pieces = useMemo(
    () => (mine === undefined || theirs === undefined ? undefined : answerPieces(mine, theirs)),
    [mine?.text, theirs?.text],
  );
  return (
    <>
      <Versus left={left} right={right} />
      <div class="what-if-cols" role="region" aria-label="Both answers" tabIndex={0}>
        <Side data={left} pieces={pieces?.[0]} />
        <Side data={right} pieces={pieces?.[1]} isFork />
      </div>
      <Steps left={left} right={right} at={at} />
    </>
  );
};

const Versus = ({ left, right }: { readonly left: RunData; readonly right: RunData }) => {
  const [ours, theirs] = [left.ledger.value.totals, right.ledger.value.totals];
  const pair = (one: ComponentChildren, other: ComponentChildren, change?: string) => (
    <>
      {one} → <b>{other}</b> {change !== undefined && <small>{change}</small>}
    </>
  );
  const [took, takes] = [timeOf(left), timeOf(right)];
  return (
    <div class="what-if-versus paper ruled">
      <Figures
        as="facts"
        of={[
          { name: 'outcome', value: pair(outcomeOf(left)?.kind ?? '–', outcomeOf(right)?.kind ?? 'at work') },
          { name: 'cost', value: pair(costText(ours), costText(theirs), changeWords(ours.usd, theirs.usd)) },
          { name: 'time', value: pair(duration(took), duration(takes), changeWords(took, takes)) },
          { name: 'model calls', value: pair(ours.calls, theirs.calls) },
        ]}
      />
    </div>
  );
};

interface SideProps {
  readonly data: RunData;
  readonly pieces?: readonly AnswerPiece[] | undefined;
  readonly isFork?: boolean;
}

const Side = ({ data, pieces, isFork = false }: SideProps) => {
  const outcome = outcomeOf(data);
  const { totals, lines } = data.ledger.value;
  const { start } = viewOf(data).facts.value;
  const paid = isFork ? forkCost(start, lines, data.events)?.here : undefined;
  const writing = [...data.writing.value].at(-1)?.[1] ?? '';
  const state = outcome?.kind ?? (data.phase.value === 'ended' ? 'failed' : data.phase.value);
  return (
    <section aria-label={isFork ? 'With the change' : 'As it was, its answer'}>
      <h2>
        <Chip state={state} />
        <a class="link" href={runHref(data.run)}>
          {outcome?.agent ?? start?.agent}
        </a>
        <span class="grow" />
        <span class="faint num small-text">
          {duration(timeOf(data))} · {costText(totals)} · {plural(totals.calls, 'call')}
          {paid !== undefined && ` · ${costText(paid)} paid here`}
        </span>
      </h2>
      {isFork && <RunAsks data={data} run={data.run} layout="box" />}
      {outcome !== undefined && 'fault' in outcome && (
        <p class="err" dir="auto">
          {faultWords(outcome.fault)}
        </p>
      )}
      {pieces !== undefined ? (
        <div class="text code" tabIndex={0} role="figure" aria-label="Answer">
          <span class="pre" dir="auto">
            {pieces.map(({ text, differs }, index) => (differs ? <mark key={index}>{text}</mark> : text))}
          </span>
        </div>
      ) : (
        <TextBlock text={textOf(outcome) ?? writing} />
      )}
    </section>
  );
};

function textOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return undefined;
  return 'text' in outcome ? outcome.text : 'partial' in outcome ? (outcome.partial ?? '') : '';
}

const MOST = 500;

const Steps = ({ left, right, at }: { readonly left: RunData; readonly right: RunData; readonly at: string }) => {
  const counts = `${left.count.value} ${right.count.value}`;
  const taken = viewOf(right).facts.value.start?.forkedFrom?.events ?? 0;
  const steps = useMemo(() => {
    const before = right.events.slice(0, taken).flatMap((event) => (event.type === 'op-start' ? [event.path] : []));
    const earlier = new Set(before);
    return comparedSteps(left.events, right.events).filter(({ path, fate }) => fate !== 'around' && !earlier.has(path));
  }, [left, right, counts, taken]);
  if (steps.length === 0) return <p class="what-if-none faint">Nothing was done from {at} on yet.</p>;
  return (
    <div class="what-if-steps">
      <table class="tab">
        <caption>Steps from the fork on</caption>
        <thead>
          <tr>
            <th>op</th>
            <th>step</th>
            <th class="num">as it was</th>
            <th class="num">what if</th>
            <th>
              <span class="sr">how they compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.slice(0, MOST).map(({ path, what, left: ours, right: theirs, fate }) => (
            <tr key={path} class={fate === 'same' ? undefined : 'what-if-differs'}>
              <td>
                <a class="link mono" href={opHref(fate === 'only right' ? right.run : left.run, path)}>
                  {path}
                </a>
              </td>
              <td>{what}</td>
              <td class="num">{ours === undefined ? '–' : duration(ours)}</td>
              <td class="num">{theirs === undefined ? '–' : duration(theirs)}</td>
              <td>{fate}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > MOST && <p class="faint">and {steps.length - MOST} more</p>}
    </div>
  );
};
