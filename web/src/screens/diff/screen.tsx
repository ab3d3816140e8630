// Two runs side by side: how far they are the same, where they part, and what came of each.

import { useMemo } from 'preact/hooks';
import type { Fault } from '../../../../src/kernel/fault.ts';
import type { AssistantMessage } from '../../../../src/kernel/message.ts';
import { cost, duration, plural, tokens } from '../../../../src/views/amounts.ts';
import { type ComparedStep, comparedSteps, stepCounts } from '../../../../src/views/compared-steps.ts';
import { faultSettingIn } from '../../../../src/views/fault-setting.ts';
import { faultWords } from '../../../../src/views/fault-words.ts';
import { diffRuns, partingTexts, type RunDiff, type Side } from '../../../../src/views/report/diff.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { useTitle } from '../../app/title.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { yourNames } from '../../data/you.ts';
import { Command, LinkButton } from '../../parts/controls.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty, Figures } from '../../parts/panel.tsx';
import { Chip } from '../../parts/state.tsx';
import { StepTable, TwoSides } from '../../parts/two-sides.tsx';
import { differing, type Pieces } from './differing.ts';
import './diff.css';

interface Props {
  readonly left: string;
  readonly right: string;
}

export const DiffScreen = ({ left, right }: Props) => {
  const [ours, theirs] = [useRun(left), useRun(right)];
  useTitle('Compare');
  for (const data of [ours, theirs]) {
    const loading = data.loading.value;
    if (loading.kind === 'refused')
      return (
        <Empty title={`Run ${data.run} cannot be read`} actions={<LinkButton href="/runs">To the runs</LinkButton>}>
          <p>{loading.problem.message}</p>
        </Empty>
      );
    if (loading.kind === 'loading') return <LoadingScreen />;
  }
  return <Compared left={ours} right={theirs} />;
};

const Compared = ({ left, right }: { readonly left: RunData; readonly right: RunData }) => {
  const counts = `${left.count.value} ${right.count.value}`;
  const diff = useMemo(() => diffRuns(left.events, right.events), [left, right, counts]);
  const steps = useMemo(() => comparedSteps(left.events, right.events), [left, right, counts]);
  const texts = useMemo(() => textsOf(diff, [left, right]), [diff]);
  return (
    <div class="diff-screen full scrolls">
      <header class="stack gaps-4 inset paper ruled">
        <h1>{titleOf(diff)}</h1>
        <p>
          <Where diff={diff} run={left.run} />
        </p>
      </header>
      <Strip steps={steps} common={diff.common} />
      <TwoSides>
        <OneSide name="Left" side={diff.left} data={left} part={texts?.[0]} path={diff.parting?.path} />
        <OneSide name="Right" side={diff.right} data={right} part={texts?.[1]} path={diff.parting?.path} />
      </TwoSides>
      <StepTable left={left} right={right} steps={steps} names={['left', 'right']} />
      <Command line={`cadre diff ${left.run} ${right.run}`} />
    </div>
  );
};

const MOST_MARKS = 400;

/** All steps at a glance, one mark each. */
const Strip = ({ steps, common }: { readonly steps: readonly ComparedStep[]; readonly common: number }) => {
  const { different, onOneSide, sameAfter } = stepCounts(steps, common);
  return (
    <section class="diff-over stack gaps-4 inset ruled" aria-label="All steps">
      <p class="line gaps-16 tiny-text faint">
        <span class="grow">in the order of the left run</span>
        <span class="doubt-words">different {different}</span>
        <span>only in one {onOneSide}</span>
        {sameAfter > 0 && <span>the same again {sameAfter}</span>}
      </p>
      <div class="diff-strip" aria-hidden="true">
        {steps
          .filter(({ fate }) => fate !== 'around')
          .slice(0, MOST_MARKS)
          .map(({ path, fate }) => (
            <span key={path} class={fate === 'same' ? 'same' : fate.startsWith('only') ? 'only' : 'other'} />
          ))}
      </div>
    </section>
  );
};

const titleOf = ({ common, parting }: RunDiff): string => {
  if (parting === undefined) return 'The two runs are the same throughout';
  return common === 0 ? 'Different from the first step' : `Same for ${plural(common, 'step')}, then different`;
};

/** Both sides of where they part: as two texts where one is a fault, or with what differs marked. */
function textsOf({ parting }: RunDiff, runs: readonly [RunData, RunData]): readonly [Pieces, Pieces] | undefined {
  if (parting === undefined) return undefined;
  const parts = [parting.left, parting.right] as const;
  const [left, right] = [told(parts[0], runs[0]), told(parts[1], runs[1])];
  if (left === right) return differing(whole(parts[0]), whole(parts[1]));
  return partingTexts(parting) === undefined ? differing(left, right) : [asItIs(left), asItIs(right)];
}

const asItIs = (text: string): Pieces => ({ before: text, differs: '', after: '' });

const whole = (part: unknown): string => JSON.stringify(part, null, 2) ?? '';

/** A reply is its text and its calls; a fault, what happened. */
function told(part: unknown, run: RunData): string {
  if (part === undefined || typeof part === 'string') return part ?? '';
  const { fault, text = '', calls = [] } = part as Partial<AssistantMessage> & { readonly fault?: Fault };
  if (fault !== undefined) return faultWords(fault, faultSettingIn(run.events, yourNames()));
  const texts = [text, ...calls.map(({ name, arguments: given }) => `${name} ${whole(given)}`)];
  return texts.filter((one) => one !== '').join('\n\n') || whole(part);
}

const WHERE: Readonly<Record<string, string>> = {
  input: 'They were asked something else.',
  asked: 'The request is another one.',
  answered: 'The request is the same, the answer is not.',
  missing: 'Only one of them has this step.',
  outcome: 'They end differently.',
};

const Where = ({ diff, run }: { readonly diff: RunDiff; readonly run: string }) => {
  const { parting, changed } = diff;
  const files = changed.length === 0 ? 'No agent text was changed.' : `Changed agent texts: ${changed.join(', ')}.`;
  if (parting === undefined) return <>{files}</>;
  return (
    <>
      {parting.path !== undefined && (
        <>
          At{' '}
          <a class="op" href={opHref(run, parting.path)}>
            {parting.path}
          </a>
          {parting.what !== undefined && `, ${parting.what}`}.{' '}
        </>
      )}
      {WHERE[parting.kind]} {files}
    </>
  );
};

interface SideProps {
  readonly name: string;
  readonly side: Side;
  readonly data: RunData;
  readonly part: Pieces | undefined;
  readonly path: string | undefined;
}

const OneSide = ({ name, side, data, part, path }: SideProps) => {
  const [start, end] = [data.events[0], data.events.at(-1)];
  return (
    <section aria-label={name}>
      <h2>
        <Chip state={side.outcome?.kind ?? 'running'} />
        {side.agent}
        <a class="link mono" href={path === undefined ? runHref(side.run) : opHref(side.run, path)}>
          {side.run}
        </a>
        {side.forkedFrom !== undefined && (
          <span class="tag">
            forked at {side.forkedFrom.at}, {plural(side.forkedFrom.events, 'event')} taken over
          </span>
        )}
      </h2>
      {part !== undefined && <Marked of={part} path={path} />}
      <Figures
        as="facts"
        of={[
          { name: 'time', value: duration((end?.at ?? 0) - (start?.at ?? 0)) },
          { name: 'model calls', value: side.totals.calls },
          { name: 'tokens', value: `${tokens(side.totals.input)} in, ${tokens(side.totals.output)} out` },
          { name: 'cost', value: cost(side.totals.usd, side.totals.unpriced) },
        ]}
      />
    </section>
  );
};

/** Long texts stand around the difference, not from their beginning. */
const AROUND = 600;
const LONG = 4000;

const Marked = ({ of, path }: { readonly of: Pieces; readonly path: string | undefined }) => {
  const { before, differs, after } = of;
  if (before + differs + after === '') return <p class="faint">There is no such step on this side.</p>;
  return (
    <div class="diff-part">
      {path !== undefined && <p class="tiny-text faint">op {path}</p>}
      <div class="text code" tabIndex={0}>
        <span class="pre" dir="auto">
          {before.length > AROUND ? `…${before.slice(-AROUND)}` : before}
          {differs !== '' && <mark>{differs.length > LONG ? `${differs.slice(0, LONG)}…` : differs}</mark>}
          {after.length > AROUND ? `${after.slice(0, AROUND)}…` : after}
        </span>
      </div>
    </div>
  );
};
