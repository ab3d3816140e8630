// Why an answer came about: each step is what led to the one above it, with what it was told, and a link to its op.

import type { Why, WhyPart, WhyStep } from '../../../src/views/why.ts';
import { opHref } from '../app/addresses.ts';
import { TriggerTag } from './state.tsx';

const SHOWN = 280;

export const WhySteps = ({ run, why }: { readonly run: string; readonly why: Why }) => (
  <ol class="why">
    {why.steps.map((step, index) => (
      <li key={step.op} class={index === 0 ? 'step first' : 'step'}>
        <div class="t">
          <b>{step.agent}</b>
          <span>{words(step)}</span>
          {step.trigger !== undefined && <TriggerTag trigger={step.trigger} word={step.trigger} />}
          <span class="grow" />
          <a class="op" href={opHref(run, step.op)}>
            {step.op}
          </a>
        </div>
        <p class={step.text.startsWith('{') ? 'mono' : ''}>{cut(step.text)}</p>
        {step.beside.map((part) => (
          <Part key={`${part.how} ${part.op}`} run={run} part={part} />
        ))}
      </li>
    ))}
    <li class="step">
      <div class="t">
        <b>You</b>
        <span>asked {why.agent}</span>
      </div>
      <p>{cut(why.request)}</p>
    </li>
  </ol>
);

function words({ does, to, turn }: WhyStep): string {
  if (does === 'answers') return 'answers';
  if (does === 'routes') return `routes to ${to}`;
  if (does === 'asks') return `asks ${to}`;
  return does === 'hands on' ? `hands on to ${to}` : `decides, turn ${turn}`;
}

const Part = ({ run, part }: { readonly run: string; readonly part: WhyPart }) => (
  <div class="sub">
    <div class="t">
      {part.how === 'sent-back' ? <span>sent back</span> : <PartName part={part} />}
      {part.about !== undefined && <span class="faint cut">{part.about}</span>}
      {part.trigger !== undefined && part.trigger !== 'start' && (
        <TriggerTag trigger={part.trigger} word={part.trigger} />
      )}
      <span class="grow" />
      <a class="op" href={opHref(run, part.op)}>
        {part.op}
      </a>
    </div>
    <p>{cut(part.text)}</p>
  </div>
);

const PartName = ({ part }: { readonly part: WhyPart }) => {
  if (part.how === 'message') return <span>a message from outside</span>;
  return part.trigger === undefined && part.how === 'result' ? <code>{part.name}</code> : <b>{part.name}</b>;
};

const cut = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
