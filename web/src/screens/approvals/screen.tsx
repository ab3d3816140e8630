// What waits for a person in any run, oldest first: what is asked, what led to it, and the answer.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { questionIn } from '../../../../src/kernel/person.ts';
import type { ApprovalInfo, RunEvent } from '../../../../src/server/protocol.ts';
import { escapeUnseen, escapeUnseenLines } from '../../../../src/text/escape-unseen.ts';
import { cost, tokens } from '../../../../src/views/amounts.ts';
import { whyFold } from '../../../../src/views/talk/why.ts';
import { type Address, hrefOf, opHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { approvals, untaken, useDecided } from '../../data/approvals.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { LinkButton } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/panel.tsx';
import { Answering, Question } from '../../parts/question.tsx';
import { Lasting, Moment } from '../../parts/times.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';
import { Decided } from './decided.tsx';
import './approvals.css';

interface Props {
  readonly run: string | undefined;
  readonly address: Address;
}

export const ApprovalsScreen = ({ run, address }: Props) => {
  const waiting = approvals.value;
  useTitle(waiting.length === 0 ? 'Approvals' : `${waiting.length} waiting`);
  const path = address.selected?.kind === 'op' ? address.selected.path : undefined;
  const chosen = waiting.find((one) => one.run === run && (path === undefined || one.path === path)) ?? waiting[0];
  const keys = useMemo(() => listKeys(waiting, chosen), [waiting, chosen]);
  useKeys(keys);
  const decided = useDecided();
  const all = useRef<HTMLDivElement>(null);
  // On a phone the list stands below the question that was chosen there.
  useEffect(() => all.current?.scrollTo(0, 0), [chosen?.run, chosen?.path]);
  const settled = [...untaken.value, ...(decided ?? [])];
  if (chosen === undefined && settled.length === 0) return <NothingWaits />;
  return (
    <div class={chosen === undefined ? 'approvals idle' : 'approvals'} ref={all}>
      <nav class="approvals-list" aria-label="Approvals">
        {chosen !== undefined && <h1>Waiting for you, oldest first</h1>}
        {waiting.map((one) => (
          <a
            key={`${one.run} ${one.path}`}
            href={approvalHref(one)}
            aria-current={one === chosen ? 'true' : undefined}
            class="approvals-one"
          >
            <span class="approvals-what">
              <Icon name="person" />
              <strong>{nameOf(one)}</strong>
              <span class="grow" />
              <Lasting from={one.at} to={undefined} />
            </span>
            <span>{one.agent}</span>
            <code>{shortOf(one)}</code>
          </a>
        ))}
        <Decided of={settled} />
      </nav>
      {chosen === undefined ? <NothingWaits /> : <Asked key={`${chosen.run} ${chosen.path}`} asked={chosen} />}
    </div>
  );
};

export const NothingWaits = () => (
  <Empty title="Nothing waits for you">
    <p>A call that needs a yes, and a question of an agent, appear here at once, from any run.</p>
  </Empty>
);

const approvalHref = ({ run, path }: ApprovalInfo): string =>
  hrefOf({ screen: 'approvals', run }, { selected: { kind: 'op', path } });

function listKeys(waiting: readonly ApprovalInfo[], chosen: ApprovalInfo | undefined): readonly KeyBinding[] {
  const at = chosen === undefined ? -1 : waiting.indexOf(chosen);
  const move = (step: number): void => {
    const next = waiting[Math.max(0, Math.min(waiting.length - 1, at + step))];
    if (next !== undefined) go(approvalHref(next), { replace: true });
  };
  return [
    { keys: 'ArrowDown|j', does: 'the next that waits', run: () => move(1) },
    { keys: 'ArrowUp|k', does: 'the one before', run: () => move(-1) },
    {
      keys: 'Enter',
      does: 'open the run',
      run: () => {
        if (chosen !== undefined) go(opHref(chosen.run, chosen.path));
      },
    },
  ];
}

const callOf = ({ about }: ApprovalInfo): { readonly name?: string; readonly arguments?: unknown } =>
  (about ?? {}) as { readonly name?: string; readonly arguments?: unknown };
const nameOf = (one: ApprovalInfo): string => escapeUnseen(callOf(one).name ?? 'a question');
const shortOf = (one: ApprovalInfo): string => escapeUnseen(JSON.stringify(callOf(one).arguments ?? {}).slice(0, 200));

/** What the tool says of itself, as the agent was told. */
function toolSays(events: readonly RunEvent[], name: string | undefined): string | undefined {
  for (const event of events) {
    if (event.type !== 'fact' || !event.key.startsWith('agent:')) continue;
    const { tools = [] } = (event.value ?? {}) as { readonly tools?: readonly Partial<Record<string, string>>[] };
    const found = tools.find((one) => one['name'] === name)?.['description'];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What happens to the call if the process ends before its answer is recorded. */
const REPEATS: Readonly<Record<NonNullable<ApprovalInfo['tool']>['repeat'], string>> = {
  safe: 'It is made again: its tool says that this is safe.',
  never: 'It is not made again by itself: the model is told that its outcome is unknown.',
  decided: 'Its tool finds out whether it took effect, and makes it again only if it did not.',
};

const Asked = ({ asked }: { readonly asked: ApprovalInfo }) => {
  const data = useRun(asked.run);
  const why = useMemo(() => data.view(whyFold, (fold) => fold.why(asked.path)), [data, asked.path]);
  const { steps } = why.value;
  const { totals } = data.ledger.value;
  const description = useMemo(() => toolSays(data.events, callOf(asked).name), [data, data.count.value]);
  return (
    <>
      <section class="approvals-asked">
        <div class="approvals-crumbs">
          {steps.toReversed().map((step, index) => (
            <span key={step.op}>
              {index > 0 && <span class="faint">› </span>}
              <a class="link" href={opHref(asked.run, step.op)}>
                {step.agent}
              </a>
            </span>
          ))}
          <span class="grow" />
          <a class="link mono" href={opHref(asked.run, asked.path)}>
            {asked.path}
          </a>
        </div>
        <h2>{escapeUnseen(asked.prompt)}</h2>
        {description !== undefined && <p class="approvals-says">{escapeUnseenLines(description)}</p>}
        <Question asked={asked} />
        <dl class="question-facts">
          {asked.tool?.request !== undefined && (
            <div>
              <dt>will do</dt>
              <dd>
                <code>{escapeUnseen(`${asked.tool.request.method} ${asked.tool.request.url}`)}</code>
              </dd>
            </div>
          )}
          {asked.tool !== undefined && questionIn(asked.about) === undefined && (
            <div>
              <dt>if it breaks off</dt>
              <dd>{REPEATS[asked.tool.repeat]}</dd>
            </div>
          )}
          <div>
            <dt>waits</dt>
            <dd>
              since <Moment at={asked.at} />. Nothing is spent while it waits.
              {asked.state === 'broken-off' &&
                ' No process works on the run now: the answer counts when it is resumed.'}
            </dd>
          </div>
        </dl>
        <Answering asked={asked} />
        <div class="approvals-open">
          <LinkButton href={opHref(asked.run, asked.path)} keys="Enter">
            Open the run
          </LinkButton>
        </div>
      </section>
      <aside class="side approvals-why" aria-label="What led to it">
        <div class="panel-head">
          <h2>What led to it</h2>
          <p class="faint">The steps before this call, newest first.</p>
        </div>
        <div class="panel-body">
          <WhySteps why={why.value} run={asked.run} />
        </div>
        <div class="panel-foot faint">
          so far {totals.calls} calls, {tokens(totals.input + totals.output)} tokens,{' '}
          {cost(totals.usd, totals.unpriced)}
        </div>
      </aside>
    </>
  );
};
