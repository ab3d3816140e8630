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
        <li key={step.op}>
          <Head run={run} of={step}>
            <strong class="cut">{step.agent}</strong>
            <span>
              {DOES[step.does]}
              {step.to !== undefined && step.does !== 'decides' && ` to ${step.to}`}, turn {step.turn}
            </span>
          </Head>
          <Words text={step.text} />
          {step.passedOver !== undefined && <p class="small-text faint">{passedOverWords(step.passedOver)}</p>}
          {(step.given ?? []).map((words) => (
            <p key={words} class="small-text faint">
              given: {words}
            </p>
          ))}
          {step.beside.map((part) => (
            <div key={`${part.how} ${part.op}`} class="why-beside">
              <Head run={run} of={part}>
                {CALLS.has(part.how) ? <code>{part.name}</code> : <strong class="cut">{part.name}</strong>}{' '}
                {(part.how === 'refused' || part.how === 'denied') && <span class="tag">{part.how}</span>}
                <span class="cut" dir="auto">
                  {part.about === undefined ? undefined : escapeUnseen(part.about)}
                </span>
              </Head>
              <Words text={part.text} />
            </div>
          ))}
        </li>
      ))}
      <li>
        <span class="why-head line nowrap">
          <strong>You</strong> asked {why.agent}
        </span>
        <Words text={why.request} />
      </li>
    </ol>
  </>
);

interface HeadProps {
  readonly run: string;
  readonly of: Pick<WhyPart, 'op' | 'trigger'>;
  readonly children: ComponentChildren;
}

const Head = ({ run, of: { op, trigger }, children }: HeadProps) => (
  <span class="why-head line nowrap">
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
