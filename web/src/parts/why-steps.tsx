// The way from an answer, or a call that waits, back to the request: each step a link to its op.

import type { ComponentChildren } from 'preact';
import { escapeUnseen, escapeUnseenLines } from '../../../src/base/text/escape-unseen.ts';
import { passedOverWords } from '../../../src/views/passed-over.ts';
import type { Why, WhyPart } from '../../../src/views/talk/why.ts';
import { opHref } from '../app/addresses.ts';
import { plainMarkdown } from './markdown.tsx';
import { TriggerTag } from './state.tsx';

const DOES: Readonly<Record<string, string>> = {
  answers: 'answers',
  decides: 'decides',
  routes: 'routes',
  'hands on': 'hands on',
  asks: 'asks',
};

const CALLS: ReadonlySet<string> = new Set(['result', 'refused', 'denied']);

export const WhySteps = ({ why, run }: { readonly why: Why; readonly run: string }) => (
  <>
    <p class="small-text faint">Read upwards: each step was given to the one above it.</p>
    <ol class="why-steps fields small-text">
      {why.steps.map((step) => (
        <Step key={step.op} of={step} run={run} />
      ))}
      <li>
        <span class="line gaps-6 nowrap">
          <strong>You</strong> asked {why.agent}
        </span>
        <Words text={why.request} />
      </li>
    </ol>
  </>
);

/** A step that says whom it led to needs no tag for it. */
const Step = ({ of, run }: { readonly of: Why['steps'][number]; readonly run: string }) => (
  <li>
    <Head run={run} of={of.to === undefined ? of : { op: of.op }}>
      <strong class="cut">{of.agent}</strong>
      <span class="cut">
        {DOES[of.does]}
        {of.to !== undefined && of.does !== 'decides' && ` to ${of.to}`}, turn {of.turn}
      </span>
    </Head>
    <Words text={of.text} />
    {of.passedOver !== undefined && <p class="small-text faint">{passedOverWords(of.passedOver)}</p>}
    {(of.given ?? []).map((words) => (
      <p key={words} class="small-text faint">
        given: {words}
      </p>
    ))}
    {of.beside.map((part) => (
      <Beside key={`${part.how} ${part.op}`} of={part} run={run} />
    ))}
  </li>
);

/** An agent is a name, a tool is code. */
const Beside = ({ of, run }: { readonly of: WhyPart; readonly run: string }) => (
  <div class="why-beside ruled-left">
    <Head run={run} of={of}>
      {CALLS.has(of.how) && of.trigger === undefined ? <code>{of.name}</code> : <strong class="cut">{of.name}</strong>}{' '}
      {(of.how === 'refused' || of.how === 'denied') && <span class="tag">{of.how}</span>}
      <span class="cut" dir="auto">
        {of.about === undefined ? undefined : escapeUnseen(of.about)}
      </span>
    </Head>
    <Words text={of.text} />
  </div>
);

interface HeadProps {
  readonly run: string;
  readonly of: Pick<WhyPart, 'op' | 'trigger'>;
  readonly children: ComponentChildren;
}

const Head = ({ run, of: { op, trigger }, children }: HeadProps) => (
  <span class="line gaps-6 nowrap">
    {children}
    {trigger !== undefined && <TriggerTag trigger={trigger} />}
    <span class="grow" />
    <a class="op" href={opHref(run, op)}>
      {op}
    </a>
  </span>
);

const Words = ({ text }: { readonly text: string }) => (
  <p class="soft breaks" dir="auto">
    {escapeUnseenLines(plainMarkdown(text))}
  </p>
);
