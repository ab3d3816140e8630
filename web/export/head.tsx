// The first lines of a run as a file: where it comes from, who was asked what, how it ended, and its figures.

import type { RunStart } from '../../src/journal/event.ts';
import { isBroken } from '../../src/kernel/outcome.ts';
import { duration, plural, tokens } from '../../src/views/amounts.ts';
import type { ExportedRun } from '../../src/views/exported-run.ts';
import { faultSettingFold } from '../../src/views/fault-setting.ts';
import { faultWords } from '../../src/views/fault-words.ts';
import type { RecordedRun } from '../src/data/recorded-run.ts';
import { Icon } from '../src/parts/icon.tsx';
import { Banner, Figures } from '../src/parts/panel.tsx';
import { Chip, lookOf, type StateName } from '../src/parts/state.tsx';
import { costText, endingOf } from '../src/screens/run/run-facts.ts';
import { utcMoment } from './dates.ts';

export const TopLine = ({ run }: { readonly run: ExportedRun }) => (
  <header class="ex-bar line wraps paper ruled small-text faint">
    <Icon name="mark" />
    <strong>Cadre</strong>
    <span>an exported run</span>
    <span class="line gaps-10">
      <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 7.2h8v6H4zM5.6 7.2V5a2.4 2.4 0 0 1 4.8 0v2.2" />
      </svg>
      read-only, nothing is loaded or sent
    </span>
    <span class="grow line gaps" id="ex-tools" />
    <span>exported {utcMoment(run.at)}</span>
    <span>{plural(run.secrets.length, 'secret')} taken out</span>
  </header>
);

interface HeadProps {
  readonly run: ExportedRun;
  readonly start: RunStart;
  readonly data: RecordedRun;
}

export const SheetHead = ({ run, start, data }: HeadProps) => {
  const ending = endingOf(run.events, run.events.length);
  const last = run.events.at(-1)?.at ?? start.at;
  const { totals } = data.ledger.value;
  return (
    <div class="ex-head">
      <h1 class="big-title line wraps gaps-10 breaks">
        <bdi>{start.agent}</bdi> <Standing run={run} start={start} data={data} />
      </h1>
      <p class="ex-asked pre breaks" dir="auto">
        {start.input.text}
      </p>
      <Figures
        of={[
          { name: 'time', value: duration((ending?.at ?? last) - start.at) },
          { name: 'model calls', value: totals.calls },
          {
            name: 'tokens',
            value: (
              <>
                {tokens(totals.input)} <small>in</small> {tokens(totals.output)} <small>out</small>
              </>
            ),
          },
          { name: 'cost', value: costText(totals) },
          { name: 'began', value: <span class="ex-plain">{utcMoment(start.at)}</span> },
          { name: 'run', value: <span class="ex-plain mono">{start.run}</span> },
        ]}
      />
      <WhatWentWrong run={run} start={start} data={data} />
    </div>
  );
};

const Standing = ({ run, start, data }: HeadProps) => {
  const outcome = endingOf(run.events, run.events.length)?.outcome;
  if (outcome === undefined) {
    const waits = data.progress.value.sessions.some(
      ({ activity }) => activity.kind === 'waiting' && activity.for === 'person',
    );
    const state: StateName = run.state === 'live' ? (waits ? 'person' : 'running') : 'broken-off';
    const word = waits && state === 'person' ? 'waits for a person' : lookOf(state).word;
    return <Chip state={state} word={`${word}, as at event ${run.events.length - 1}`} />;
  }
  const by = !isBroken(outcome) && outcome.agent !== start.agent ? ` by ${outcome.agent}` : '';
  return <Chip state={outcome.kind} word={`${outcome.kind}${by}`} />;
};

const WhatWentWrong = ({ run, start, data }: HeadProps) => {
  const outcome = endingOf(run.events, run.events.length)?.outcome;
  if (outcome === undefined || !isBroken(outcome)) return null;
  const { setting } = data.view(faultSettingFold, (fold) => fold).value;
  return (
    <Banner state={outcome.kind} quiet>
      <strong>{outcome.fault.stage ?? outcome.agent ?? start.agent}: </strong>
      <span dir="auto">{faultWords(outcome.fault, setting([]))}</span>
    </Banner>
  );
};
