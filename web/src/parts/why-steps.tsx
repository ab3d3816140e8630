// The way from an answer, or a call that waits, back to the request: each step a link to its op.

import { escapeUnseen, escapeUnseenLines } from '../../../src/base/text/escape-unseen.ts';
import type { Why } from '../../../src/views/talk/why.ts';
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
    <ol class="why-steps small-text">
      {why.steps.map((step) => (
        <li key={step.op}>
          <span class="why-head line nowrap">
            <strong>{step.agent}</strong>
            <span>
              {DOES[step.does]}
              {step.to !== undefined && step.does !== 'decides' && ` to ${step.to}`}, turn {step.turn}
            </span>
            {step.trigger !== undefined && <TriggerTag trigger={step.trigger} />}
            <span class="grow" />
            <a class="op" href={opHref(run, step.op)}>
              {step.op}
            </a>
          </span>
          <p dir="auto">{escapeUnseenLines(plainMarkdown(step.text))}</p>
          {(step.given ?? []).map((words) => (
            <p key={words} class="small-text faint">
              given: {words}
            </p>
          ))}
          {step.beside.map((part) => (
            <div key={`${part.how} ${part.op}`} class="why-beside">
              <span class="why-head line nowrap">
                {CALLS.has(part.how) ? <code>{part.name}</code> : <strong>{part.name}</strong>}{' '}
                {(part.how === 'refused' || part.how === 'denied') && <span class="tag">{part.how}</span>}
                <span class="why-about" dir="auto">
                  {part.about === undefined ? undefined : escapeUnseen(part.about)}
                </span>
                {part.trigger !== undefined && <TriggerTag trigger={part.trigger} />}
                <span class="grow" />
                <a class="op" href={opHref(run, part.op)}>
                  {part.op}
                </a>
              </span>
              <p dir="auto">{escapeUnseenLines(plainMarkdown(part.text))}</p>
            </div>
          ))}
        </li>
      ))}
      <li>
        <span class="why-head line nowrap">
          <strong>You</strong> asked {why.agent}
        </span>
        <p dir="auto">{escapeUnseenLines(plainMarkdown(why.request))}</p>
      </li>
    </ol>
  </>
);
