// Two runs side by side: how far they are the same, where they part, and what came of each.

import { useMemo } from 'preact/hooks';
import { cost, duration, tokens } from '../../../../src/views/amounts.ts';
import { diffRuns, type RunDiff, type Side } from '../../../../src/views/diff.ts';
import { type Address, opHref, runHref } from '../../app/addresses.ts';
import { useTitle } from '../../app/title.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { Command, LinkButton } from '../../parts/controls.tsx';
import { JsonText } from '../../parts/json-text.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Empty, Facts } from '../../parts/panel.tsx';
import { Chip } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { comparedOps } from './ops.ts';
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
    if (loading.kind === 'loading') return <Loading />;
  }
  return <Compared left={ours} right={theirs} />;
};

const Compared = ({ left, right }: { readonly left: RunData; readonly right: RunData }) => {
  const counts = `${left.count.value} ${right.count.value}`;
  const diff = useMemo(() => diffRuns(left.events, right.events), [left, right, counts]);
  const ops = useMemo(() => comparedOps(left.events, right.events), [left, right, counts]);
  const same = ops.filter(({ fate }) => fate === 'same').length;
  return (
    <div class="diff-screen">
      <header class="diff-head">
        <h1>{titleOf(diff)}</h1>
        <p>{whereOf(diff)}</p>
        <div class="diff-strip" aria-hidden="true">
          {ops.slice(0, 400).map(({ path, fate }) => (
            <span key={path} class={fate === 'same' ? 'same' : fate.startsWith('only') ? 'only' : 'other'} />
          ))}
        </div>
        <p class="faint">
          {ops.length} ops: {same} the same, {ops.length - same} not
        </p>
      </header>
      <div class="diff-sides">
        <OneSide name="Left" side={diff.left} data={left} part={diff.parting?.left} path={diff.parting?.path} />
        <OneSide name="Right" side={diff.right} data={right} part={diff.parting?.right} path={diff.parting?.path} />
      </div>
      <table class="tab diff-ops">
        <thead>
          <tr>
            <th>op</th>
            <th>what</th>
            <th class="num">left</th>
            <th class="num">right</th>
            <th>
              <span class="sr">how they compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {ops.slice(0, MOST).map(({ path, what, left: mine, right: yours, fate }) => (
            <tr key={path} class={fate === 'same' ? 'same' : path === diff.parting?.path ? 'parting' : ''}>
              <td>
                <a class="link mono" href={opHref(fate === 'only right' ? right.run : left.run, path)}>
                  {path}
                </a>
              </td>
              <td>{what}</td>
              <td class="num">{mine === undefined ? '' : duration(mine)}</td>
              <td class="num">{yours === undefined ? '' : duration(yours)}</td>
              <td>{fate}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ops.length > MOST && <p class="faint">and {ops.length - MOST} more ops</p>}
      <Command line={`cadre diff ${left.run} ${right.run}`} />
    </div>
  );
};

const MOST = 2000;

const titleOf = ({ common, parting }: RunDiff): string =>
  parting === undefined ? 'The two runs are the same throughout' : `The same for ${common} ops, then they part`;

const WHERE: Readonly<Record<string, string>> = {
  input: 'They were asked something else.',
  asked: 'The request is another one.',
  answered: 'The request is the same, the answer is not.',
  missing: 'One of them has no such op.',
  outcome: 'They end differently.',
};

function whereOf({ parting, changed }: RunDiff): string {
  const files = changed.length === 0 ? 'No agent text was changed.' : `Changed agent texts: ${changed.join(', ')}.`;
  if (parting === undefined) return files;
  const at =
    parting.path === undefined ? '' : `At ${parting.path}${parting.what === undefined ? '' : `, ${parting.what}`}. `;
  return `${at}${WHERE[parting.kind] ?? ''} ${files}`;
}

interface SideProps {
  readonly name: string;
  readonly side: Side;
  readonly data: RunData;
  readonly part: unknown;
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
            forked at {side.forkedFrom.at}, {side.forkedFrom.events} events taken over
          </span>
        )}
      </h2>
      {part !== undefined && (typeof part === 'string' ? <TextBlock text={part} /> : <JsonText value={part} />)}
      <Facts
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
