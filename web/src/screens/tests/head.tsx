// The head of a result: its command, how it stands, its figures, and what can be done with it.

import type { TestInfo } from '../../../../src/server/protocol.ts';
import { cost, tokens } from '../../../../src/views/amounts.ts';
import { folderOf } from '../../data/cadre.ts';
import { Copy } from '../../parts/controls.tsx';
import { type Figure, Figures } from '../../parts/panel.tsx';
import { Chip } from '../../parts/state.tsx';
import { Lasting, Moment } from '../../parts/times.tsx';
import { CancelTests, RunAgain } from './again.tsx';
import { stateOfTests } from './shown.ts';

export const Head = ({ result }: { readonly result: TestInfo }) => (
  <header class="tests-head line gaps-16 inset paper ruled">
    <div class="grow">
      <div class="line gaps">
        <Chip {...stateOfTests(result)} />
        <h1 class="mono cut">{result.command}</h1>
        <Copy text={result.command} label="Copy the command" />
      </div>
      <p class="line wraps gaps-12 small-text faint">
        <a class="link" href="/tests">
          Tests
        </a>
        <span class="mono">{result.id}</span>
        <Moment at={result.startedAt} />
        <span title={result.from}>in {folderOf(result.from)}</span>
      </p>
    </div>
    <Figures of={figuresOf(result)} />
    {result.state === 'running' ? <CancelTests result={result} /> : <RunAgain result={result} />}
  </header>
);

function figuresOf({ counts, planned, spent, judges, startedAt, endedAt, state }: TestInfo): readonly Figure[] {
  const isRunning = state === 'running';
  const took = state === 'broken-off' ? '–' : <Lasting from={startedAt} to={isRunning ? undefined : endedAt} />;
  return [
    { name: 'passed', value: `${counts.passed} of ${counts.passed + counts.failed}` },
    ...(counts.skipped > 0 ? [{ name: 'skipped', value: counts.skipped }] : []),
    { name: 'tokens', value: tokens(spent.input + spent.output) },
    { name: 'cost', value: cost(spent.usd, spent.unpriced) },
    ...(judges.calls > 0 ? [{ name: 'judges', value: cost(judges.usd, judges.unpriced) }] : []),
    { name: isRunning ? `${planned} planned` : 'took', value: took },
  ];
}
