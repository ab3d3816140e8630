// Two runs side by side: how far they are the same, where they part, and what came of each.

import { useMemo } from 'preact/hooks';
import { cost, duration, plural, tokens, usd } from '../../../../src/views/amounts.ts';
import { comparedSteps, type StepFate, stepCounts } from '../../../../src/views/compared-steps.ts';
import { diffRuns, partingTexts, type RunDiff, type Side } from '../../../../src/views/report/diff.ts';
import { type Address, opHref, runHref } from '../../app/addresses.ts';
import { useTitle } from '../../app/title.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { Command, LinkButton } from '../../parts/controls.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty, Figures } from '../../parts/panel.tsx';
import { Chip } from '../../parts/state.tsx';
import { differing, type Pieces } from './differing.ts';
import './diff.css';

interface Props {
  readonly left: string;
  readonly right: string;
  readonly address: Address;
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
  const { different, onOneSide, sameAfter } = stepCounts(steps, diff.common);
  const [mine, theirs] = useMemo(() => [costsOf(left), costsOf(right)], [left, right, counts]);
  const texts = useMemo(() => textsOf(diff), [diff]);
  return (
    <div class="diff-screen">
      <header class="diff-head paper ruled">
        <h1>{titleOf(diff)}</h1>
        <p>
          <Where diff={diff} run={left.run} />
        </p>
      </header>
      <section class="diff-over ruled" aria-label="All steps">
        <p class="faint">
          <span class="grow">in the order of the left run</span>
          <span class="diff-parted">different {different}</span>
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
      <div class="diff-sides ruled">
        <OneSide name="Left" side={diff.left} data={left} part={texts?.[0]} path={diff.parting?.path} />
        <OneSide name="Right" side={diff.right} data={right} part={texts?.[1]} path={diff.parting?.path} />
      </div>
      <table class="tab diff-ops">
        <thead>
          <tr>
            <th>op</th>
            <th>step</th>
            <th class="num">left</th>
            <th class="num">
              <span class="sr">cost, left</span>
            </th>
            <th class="num">right</th>
            <th class="num">
              <span class="sr">cost, right</span>
            </th>
            <th>
              <span class="sr">how they compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.slice(0, MOST).map(({ path, what, left: ours, right: yours, fate }) => (
            <tr key={path} class={QUIET.has(fate) ? 'same' : path === diff.parting?.path ? 'parting' : ''}>
              <td>
                <a class="link mono" href={opHref(fate === 'only right' ? right.run : left.run, path)}>
                  {path}
                </a>
              </td>
              <td>{what}</td>
              <td class="num">{ours === undefined ? '' : duration(ours)}</td>
              <td class="num">{mine.get(path)}</td>
              <td class="num">{yours === undefined ? '' : duration(yours)}</td>
              <td class="num">{theirs.get(path)}</td>
              <td class="fate">{fate === 'around' ? '' : fate}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > MOST && <p class="faint">and {steps.length - MOST} more</p>}
      <Command line={`cadre diff ${left.run} ${right.run}`} />
    </div>
  );
};

const MOST = 2000;
const MOST_MARKS = 400;

/** Nothing to look at: the same, or around what differs. */
const QUIET: ReadonlySet<StepFate> = new Set(['same', 'around']);

const titleOf = ({ common, parting }: RunDiff): string => {
  if (parting === undefined) return 'The two runs are the same throughout';
  return common === 0 ? 'Different from the first step' : `Same for ${plural(common, 'step')}, then different`;
};

/** Both sides of where they part: as two texts, or with what differs marked. */
function textsOf({ parting }: RunDiff): readonly [Pieces, Pieces] | undefined {
  if (parting === undefined) return undefined;
  const whole = partingTexts(parting);
  if (whole === undefined) return differing(shownPart(parting.left), shownPart(parting.right));
  const [left, right] = whole;
  return [
    { before: left, differs: '', after: '' },
    { before: right, differs: '', after: '' },
  ];
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

const shownPart = (part: unknown): string =>
  part === undefined ? '' : typeof part === 'string' ? part : JSON.stringify(part, null, 2);

/** The cost of an op's model calls, by op. */
function costsOf(data: RunData): ReadonlyMap<string, string> {
  const sums = new Map<string, number | undefined>();
  for (const { path, usd: spent } of data.ledger.value.lines)
    sums.set(path, spent === undefined ? sums.get(path) : (sums.get(path) ?? 0) + spent);
  return new Map([...sums].map(([path, sum]) => [path, sum === undefined ? '$?' : usd(sum)]));
}

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
      {path !== undefined && <p class="faint">op {path}</p>}
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
