// The result of one case with each model: the expectations that do not hold, the difference, the answer, the judge, and
// the way to the run.

import { cost, duration, tokens } from '../../../../src/views/amounts.ts';
import { againCommand } from '../../../../src/views/tests/again.ts';
import type { ComparedCase } from '../../../../src/views/tests/compared.ts';
import type { CaseFailure, RecordedCase } from '../../../../src/views/tests/test-record.ts';
import { hrefOf, runHref } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { Button, Command, Copy, LinkButton } from '../../parts/controls.tsx';
import { DiffText } from '../../parts/diff-text.tsx';
import { Section } from '../../parts/panel.tsx';
import { StateMark, StateWord } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { CASE_STATES } from './shown.ts';

export const CaseDetail = ({ of }: { readonly of: ComparedCase }) => {
  const { name, file, line, agent, results } = of;
  const place = `${file}:${line}`;
  return (
    <aside class="side drawer" aria-label="Case">
      <div class="panel-head">
        <div class="crumbs line tiny-text faint wraps">
          {agent} <span class="mono">{place}</span>
          <Copy text={place} label={`Copy ${place}`} />
          <span class="grow" />
          <Button
            kind="bare"
            size="tiny"
            icon="close"
            label="Close the case"
            onPress={() => setQuery({ case: undefined })}
          />
        </div>
        <h2 dir="auto">{name}</h2>
      </div>
      <div class="panel-body">
        {results.map((result) => (
          <OneResult key={result.model ?? ''} of={result} />
        ))}
        <Compared results={results} />
      </div>
    </aside>
  );
};

/** The runs of the first two models whose runs are there. */
const Compared = ({ results }: { readonly results: readonly RecordedCase[] }) => {
  const [left, right] = results.flatMap(({ kept, runs }) => (kept ? (runs.at(-1) ?? []) : []));
  if (left === undefined || right === undefined) return null;
  return (
    <Section title="The two runs">
      <div class="stack gaps-6">
        <div class="actions">
          <LinkButton href={hrefOf({ screen: 'diff', left, right })} icon="diff">
            Compare them
          </LinkButton>
        </div>
        <Command line={`cadre diff ${left} ${right}`} />
      </div>
    </Section>
  );
};

const OneResult = ({ of }: { readonly of: RecordedCase }) => {
  const { model, state, why, failures, answer, asked, called, ms, spent, outcome } = of;
  const isAnswerShown =
    answer !== undefined && answer !== '' && failures.every(({ received }) => received === undefined);
  return (
    <Section
      title={model ?? 'Result'}
      aside={
        <span class="line gaps">
          <StateWord {...CASE_STATES[state]} />
          {ms !== undefined && <span>{duration(ms)}</span>}
          {spent !== undefined && <span>{tokens(spent.input + spent.output)} tokens</span>}
          {spent !== undefined && <span>{cost(spent.usd, spent.unpriced)}</span>}
        </span>
      }
    >
      <div class="stack gaps-6">
        {why !== undefined && <p class="faint">Skipped: {why}</p>}
        {failures.map((failure, index) => (
          <Failed key={index} of={failure} />
        ))}
        {isAnswerShown && (
          <Sourced of={answer} as={outcome === 'answered' ? 'the answer' : 'what was written before it broke off'} />
        )}
        <Judged of={of} />
        {asked.length > 0 && <p class="faint">asked: {asked.join(', ')}</p>}
        {called.length > 0 && <p class="faint">called: {called.join(', ')}</p>}
        <ItsRun of={of} />
        <Command line={againCommand(of)} />
      </div>
    </Section>
  );
};

const ItsRun = ({ of: { runs, kept } }: { readonly of: RecordedCase }) => {
  const run = runs.at(-1);
  if (run === undefined) return null;
  if (!kept) return <p class="faint">Its run was not kept: runs of cases that passed with every model are not.</p>;
  return (
    <>
      <div class="actions">
        <LinkButton href={runHref(run)} icon="routed">
          Open the run
        </LinkButton>
      </div>
      <Command line={`cadre show ${run}`} />
    </>
  );
};

/** A text, and what it is. */
const Sourced = ({ of, as }: { readonly of: string | undefined; readonly as: string }) =>
  of === undefined ? null : (
    <>
      <div class="src">{as}</div>
      <TextBlock text={of} />
    </>
  );

const Failed = ({ of: { what, expected, received, diff } }: { readonly of: CaseFailure }) => (
  <>
    <p class="err pre">{what}</p>
    {diff !== undefined ? (
      <>
        <div class="src">- expected, + received</div>
        <DiffText text={diff} label="The difference of what was expected and received" />
      </>
    ) : (
      <>
        <Sourced of={expected} as="expected" />
        <Sourced of={received} as="received" />
      </>
    )}
  </>
);

const Judged = ({ of: { verdicts, judges, kept } }: { readonly of: RecordedCase }) => {
  if (verdicts === undefined) return null;
  const good = verdicts.filter((one) => one.good).length;
  return (
    <>
      <div class="src">
        judged good {good} of {verdicts.length}
        {judges !== undefined && `, for ${cost(judges.usd, judges.unpriced)}`}
      </div>
      <ul>
        {verdicts.map(({ run, good: isGood, why }) => (
          <li key={run} class="line gaps-6 small-text">
            <StateMark state={isGood ? 'ok' : 'failed'} word={isGood ? 'good' : 'not good'} />
            {kept ? (
              <a class="link" href={runHref(run)}>
                {why}
              </a>
            ) : (
              <span>{why}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
};
