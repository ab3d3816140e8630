// From an answer, or a call that waits, back to the request: each step a link to its op.

import type { Why } from '../../../src/views/talk/why.ts';
import { opHref } from '../app/addresses.ts';
import { TriggerTag } from './state.tsx';

const DOES: Readonly<Record<string, string>> = {
  answers: 'answers',
  decides: 'decides',
  routes: 'routes',
  'hands on': 'hands on',
  asks: 'asks',
};

export const WhySteps = ({ why, run }: { readonly why: Why; readonly run: string }) => (
  <ol class="why-steps">
    {why.steps.map((step) => (
      <li key={step.op}>
        <span class="why-head">
          <strong>{step.agent}</strong> {DOES[step.does]}
          {step.to !== undefined && ` to ${step.to}`}, turn {step.turn}
          {step.trigger !== undefined && <TriggerTag trigger={step.trigger} />}
          <span class="grow" />
          <a class="link mono" href={opHref(run, step.op)}>
            {step.op}
          </a>
        </span>
        <p>{step.text}</p>
        {step.beside.map((part) => (
          <div key={`${part.how} ${part.op}`} class="why-beside">
            <span class="why-head">
              <strong>{part.name}</strong> <span class="why-about">{part.about}</span>
              {part.trigger !== undefined && <TriggerTag trigger={part.trigger} />}
              <span class="grow" />
              <a class="link mono" href={opHref(run, part.op)}>
                {part.op}
              </a>
            </span>
            <p>{part.text}</p>
          </div>
        ))}
      </li>
    ))}
    <li>
      <span class="why-head">
        <strong>You</strong> asked {why.agent}
      </span>
      <p>{why.request}</p>
    </li>
  </ol>
);
