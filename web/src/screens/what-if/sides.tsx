// Both sides: how each ended, its answer with what differs marked, and the steps from the fork on.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Outcome } from '../../../../src/server/protocol.ts';
import { duration, plural } from '../../../../src/views/amounts.ts';
import { type AnswerPiece, answerPieces } from '../../../../src/views/answer-diff.ts';
import { comparedSteps } from '../../../../src/views/compared-steps.ts';
import { faultWords } from '../../../../src/views/fault-words.ts';
import { runHref } from '../../app/addresses.ts';
import { offline } from '../../data/connection.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { yourNames } from '../../data/you.ts';
import { RunAsks } from '../../parts/asks/run-asks.tsx';
import { Button } from '../../parts/controls.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Chip } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { StepTable, TwoSides } from '../../parts/two-sides.tsx';
import { CancelDialog } from '../run/actions/end-dialogs.tsx';
import { costText, endingOf, forkCost } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';

interface Props {
  readonly left: RunData;
  readonly at: string;
  readonly shown: string | undefined;
}

export const Sides = ({ left, at, shown }: Props) =>
  shown === undefined ? (
    <TwoSides>
      <Side name="As it was, its answer" data={left} />
      <section aria-label="With the change">
        <p class="faint">No answer yet. Run it, and its answer stands here.</p>
      </section>
    </TwoSides>
  ) : (
    <Both key={shown} left={left} at={at} right={shown} />
  );

const Both = ({ left, at, right }: { readonly left: RunData; readonly at: string; readonly right: string }) => {
  const data = useRun(right);
  const loading = data.loading.value;
  if (loading.kind === 'refused') return <p class="inset err">{loading.problem.message}</p>;
  if (loading.kind === 'loading') return <Loading />;
  return <Compared left={left} right={data} at={at} />;
};

export const outcomeOf = (data: RunData): Outcome | undefined => endingOf(data.events, data.count.value)?.outcome;

const answerOf = (outcome: Outcome | undefined) =>
  outcome !== undefined && 'text' in outcome
    ? { text: outcome.text, ...('data' in outcome && { data: outcome.data }) }
    : undefined;

export const timeOf = (data: RunData): number => (data.events.at(-1)?.at ?? 0) - (data.events[0]?.at ?? 0);

const Compared = ({ left, right, at }: { readonly left: RunData; readonly right: RunData; readonly at: string }) => {
  const [mine, theirs] = [answerOf(outcomeOf(left)), answerOf(outcomeOf(right))];
  const pieces = useMemo(
    () => (mine === undefined || theirs === undefined ? undefined : answerPieces(mine, theirs)),
    [mine?.text, theirs?.text],
  );
  return (
    <>
      <TwoSides>
        <Side name="As it was, its answer" data={left} pieces={pieces?.[0]} />
        <ForkSide data={right} pieces={pieces?.[1]} />
      </TwoSides>
      <Steps left={left} right={right} at={at} />
    </>
  );
};

/** The cost of the fork alone stands beside it, and while it is at work it can be cancelled. */
const ForkSide = ({
  data,
  pieces,
}: {
  readonly data: RunData;
  readonly pieces: readonly AnswerPiece[] | undefined;
}) => {
  const [isCancelling, setCancelling] = useState(false);
  const paid = forkCost(viewOf(data).facts.value.start, data.ledger.value.lines, data.events)?.here;
  return (
    <Side name="With the change" data={data} pieces={pieces} paid={paid && `${costText(paid)} paid here`}>
      <RunAsks data={data} run={data.run} layout="box" />
      {data.phase.value === 'running' && (
        <p>
          <Button size="small" kind="stop" icon="cancelled" off={offline()} onPress={() => setCancelling(true)}>
            Cancel
          </Button>
        </p>
      )}
      {isCancelling && <CancelDialog view={viewOf(data)} onClose={() => setCancelling(false)} />}
    </Side>
  );
};

interface SideProps {
  readonly name: string;
  readonly data: RunData;
  readonly pieces?: readonly AnswerPiece[] | undefined;
  readonly paid?: string | undefined;
  readonly children?: ComponentChildren;
}

const Side = ({ name, data, pieces, paid, children }: SideProps) => {
  const outcome = outcomeOf(data);
  const { totals } = data.ledger.value;
  const { facts, fault } = viewOf(data);
  const state = outcome?.kind ?? (data.phase.value === 'ended' ? 'failed' : data.phase.value);
  const figures = [duration(timeOf(data)), costText(totals), plural(totals.calls, 'call'), ...(paid ? [paid] : [])];
  return (
    <section aria-label={name}>
      <h2>
        <Chip state={state} />
        <a class="link" href={runHref(data.run)}>
          {outcome?.agent ?? facts.value.start?.agent}
        </a>
        <span class="grow" />
        <span class="faint num small-text">{figures.join(' · ')}</span>
      </h2>
      {children}
      {outcome !== undefined && 'fault' in outcome && (
        <p class="err" dir="auto">
          {faultWords(outcome.fault, fault.value.setting(yourNames()))}
        </p>
      )}
      <Answer data={data} outcome={outcome} pieces={pieces} />
    </section>
  );
};

const Answer = ({
  data,
  outcome,
  pieces,
}: Pick<SideProps, 'data' | 'pieces'> & { readonly outcome?: Outcome | undefined }) =>
  pieces === undefined ? (
    <TextBlock text={textOf(outcome) ?? [...data.writing.value].at(-1)?.[1] ?? ''} />
  ) : (
    <div class="text code" tabIndex={0} role="figure" aria-label="Answer">
      <span class="pre" dir="auto">
        {pieces.map(({ text, differs }, index) => (differs ? <mark key={index}>{text}</mark> : text))}
      </span>
    </div>
  );

function textOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return undefined;
  return 'text' in outcome ? outcome.text : 'partial' in outcome ? (outcome.partial ?? '') : '';
}

const Steps = ({ left, right, at }: { readonly left: RunData; readonly right: RunData; readonly at: string }) => {
  const counts = `${left.count.value} ${right.count.value}`;
  const taken = viewOf(right).facts.value.start?.forkedFrom?.events ?? 0;
  const steps = useMemo(() => {
    const earlier = new Set(right.events.slice(0, taken).map((event) => ('path' in event ? event.path : undefined)));
    return comparedSteps(left.events, right.events).filter(({ path, fate }) => fate !== 'around' && !earlier.has(path));
  }, [left, right, counts, taken]);
  if (steps.length === 0) return <p class="inset faint">Nothing was done from {at} on yet.</p>;
  return (
    <StepTable
      left={left}
      right={right}
      steps={steps}
      names={['as it was', 'what if']}
      caption="Steps from the fork on"
    />
  );
};
