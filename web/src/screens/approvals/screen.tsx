// The questions that wait for a person in any run, oldest first, and the decisions. The question of the address is
// shown, and no other: it stays after it was decided, and the next one is a step.

import { Fragment } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { escapeUnseenLines } from '../../../../src/base/text/escape-unseen.ts';
import type { ApprovalInfo, RunEvent } from '../../../../src/server/protocol.ts';
import { cost, plural, tokens } from '../../../../src/views/amounts.ts';
import { toolAskedAbout } from '../../../../src/views/asking/asked-words.ts';
import { type Why, WhyFold } from '../../../../src/views/talk/why.ts';
import { type Address, opHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { approvals, untaken, useDecided } from '../../data/approvals.ts';
import type { AskedAt } from '../../data/asked.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { Asks } from '../../parts/asks/asks.tsx';
import { goTo, NextOne, nextAfter } from '../../parts/asks/next-one.tsx';
import { Command, LinkButton } from '../../parts/controls.tsx';
import { Empty } from '../../parts/panel.tsx';
import { Lasting } from '../../parts/times.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';
import { Decided } from './decided.tsx';
import { ApprovalRow } from './row.tsx';
import './approvals.css';

interface Props {
  readonly run: string | undefined;
  readonly address: Address;
}

export const ApprovalsScreen = ({ run, address }: Props) => {
  const waiting = approvals.value;
  useTitle(waiting.length === 0 ? 'Approvals' : `${waiting.length} waiting`);
  const path = address.selected?.kind === 'op' ? address.selected.path : undefined;
  const at = run === undefined || path === undefined ? undefined : { run, path };
  const keys = useMemo(() => listKeys(waiting, at), [waiting, run, path]);
  useKeys(keys);
  const decided = useDecided();
  const all = useRef<HTMLDivElement>(null);
  // The list stands below the chosen question on a phone.
  useEffect(() => all.current?.scrollTo(0, 0), [run, path]);
  const settled = [...untaken.value, ...(decided ?? [])];
  if (at === undefined && waiting.length === 0 && settled.length === 0) return <NothingWaits />;
  return (
    <div class={at === undefined ? 'approvals idle frame' : 'approvals frame'} ref={all}>
      <nav class="approvals-list ruled-right scrolls paper" aria-label="Approvals">
        {waiting.length > 0 && <h2 class="head list-head">Waiting for you, oldest first</h2>}
        {waiting.map((one) => (
          <ApprovalRow
            key={`${one.run} ${one.path}`}
            of={one}
            isShown={isAt(one, at)}
            state="person"
            time={<Lasting from={one.at} to={undefined} />}
          />
        ))}
        <Decided of={settled} at={at} />
      </nav>
      {at === undefined ? <NotChosen /> : <Asked key={`${at.run} ${at.path}`} at={at} />}
    </div>
  );
};

const isAt = (one: AskedAt, at: AskedAt | undefined): boolean => one.run === at?.run && one.path === at.path;

const NothingWaits = () => (
  <Empty title="Nothing waits for you">
    <p>A call that needs a yes, and a question of an agent, appear here at once, from any run.</p>
  </Empty>
);

/** A question to answer is never chosen for a person. */
const NotChosen = () => {
  const step = nextAfter(undefined);
  if (step === undefined) return <NothingWaits />;
  const count = step.others.length;
  return (
    <div class="approvals-none fields">
      <h1 class="big-title">{count === 1 ? '1 question waits for you' : `${count} questions wait for you`}</h1>
      <NextOne step={step} isFirst />
    </div>
  );
};

function listKeys(waiting: readonly ApprovalInfo[], at: AskedAt | undefined): readonly KeyBinding[] {
  const place = waiting.findIndex((one) => isAt(one, at));
  return [
    {
      keys: 'ArrowDown|j',
      does: 'the next that waits',
      run: ({ repeat }) => {
        if (!repeat) nextAfter(at)?.go();
      },
    },
    {
      keys: 'ArrowUp|k',
      does: 'the one before',
      run: ({ repeat }) => {
        const before = waiting[place - 1];
        if (!repeat && before !== undefined) goTo(before);
      },
    },
    {
      keys: 'Enter',
      does: 'open the run',
      run: () => {
        if (at !== undefined) go(opHref(at.run, at.path));
      },
    },
  ];
}

/** The tool's own description, as the agent was told. */
function toolSays(events: readonly RunEvent[], name: string | undefined): string | undefined {
  for (const event of events) {
    if (event.type !== 'fact' || !event.key.startsWith('agent:')) continue;
    const { tools = [] } = (event.value ?? {}) as { readonly tools?: readonly Partial<Record<string, string>>[] };
    const found = tools.find((one) => one['name'] === name)?.['description'];
    if (found !== undefined) return found;
  }
  return undefined;
}

const Asked = ({ at }: { readonly at: AskedAt }) => {
  const data = useRun(at.run);
  const why = useMemo(
    () =>
      data.view(
        () => new WhyFold(),
        (fold) => fold.why(at.path),
      ),
    [data, at.path],
  ).value;
  const open = approvals.value.find((one) => isAt(one, at));
  return (
    <>
      <div class="approvals-asked scrolls">
        <Way at={at} why={why} />
        <Asks {...at} data={data} layout="page" step={nextAfter(at)} />
        {open !== undefined && <Besides of={open} data={data} />}
      </div>
      <Led why={why} data={data} />
    </>
  );
};

/** The agents from the request to the question. */
const Way = ({ at, why }: { readonly at: AskedAt; readonly why: Why }) => (
  <div class="line gaps small-text">
    {why.steps.toReversed().map((step, index) => (
      <Fragment key={step.op}>
        {index > 0 && <span class="faint">›</span>}
        <a class="link" href={opHref(at.run, step.op)}>
          {step.agent}
        </a>
      </Fragment>
    ))}
    <span class="grow" />
    <a class="op" href={opHref(at.run, at.path)}>
      {at.path}
    </a>
  </div>
);

/** The words of the tool about itself, and the ways to the same question. */
const Besides = ({ of, data }: { readonly of: ApprovalInfo; readonly data: RunData }) => {
  const tool = toolAskedAbout(of.about);
  const description = useMemo(() => toolSays(data.events, tool), [data, data.count.value, tool]);
  return (
    <>
      {description !== undefined && (
        <p class="soft" dir="auto">
          {escapeUnseenLines(description)}
        </p>
      )}
      <Command line={`cadre approve ${of.run} ${of.path} --seen ${of.digest.slice(0, 12)}`} />
      <p>
        <LinkButton href={opHref(of.run, of.path)} keys="Enter">
          Open the run
        </LinkButton>
      </p>
    </>
  );
};

const Led = ({ why, data }: { readonly why: Why; readonly data: RunData }) => {
  const { calls, input, output, usd, unpriced } = data.ledger.value.totals;
  return (
    <aside class="side approvals-why" aria-label="What led here">
      <div class="panel-head">
        <h2>What led here</h2>
      </div>
      <div class="panel-body">
        <WhySteps why={why} run={data.run} />
      </div>
      <div class="panel-foot faint">
        so far {plural(calls, 'call')}, {tokens(input + output)} tokens, {cost(usd, unpriced)}
      </div>
    </aside>
  );
};
