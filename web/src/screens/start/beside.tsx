// The side of the form: the request, the form of the answer, the most that it can cost, the last run of the agent, and
// the command.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AgentInfo, RunEvent, RunList, RunRow } from '../../../../src/server/protocol.ts';
import { cost, duration, plural, tokens, usd } from '../../../../src/views/amounts.ts';
import { runHref } from '../../app/addresses.ts';
import { getJson } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { Command } from '../../parts/controls.tsx';
import { JsonText } from '../../parts/json-text.tsx';
import { runCommand } from '../../parts/run-command.ts';
import { SchemaTable } from '../../parts/schema-table.tsx';
import { StateWord } from '../../parts/state.tsx';

interface BesideProps {
  readonly agent: AgentInfo;
  readonly input: unknown;
  /** Fills the form with the input of another run. */
  readonly onUse: (input: string) => void;
}

export const Beside = ({ agent, input, onUse }: BesideProps) => (
  <aside class="start-beside ruled-left fields ground breaks" aria-label="What will happen">
    <h3 class="head">What is sent</h3>
    {typeof input === 'string' ? <div class="text">{input === '' ? '–' : input}</div> : <JsonText value={input} />}
    <AnswerMust agent={agent} all={cadre()?.agents ?? []} />
    <h3 class="head">At most</h3>
    <AtMost agent={agent} />
    <LastRun agent={agent.name} onUse={onUse} />
    <h3 class="head">As a command</h3>
    <Command line={runCommand(agent, input)} />
  </aside>
);

const AtMost = ({ agent: { name, budget } }: { readonly agent: AgentInfo }) => {
  const bound = cadre()?.bounds[name];
  const models = cadre()?.models.filter((one) => one.agent === name) ?? [];
  return (
    <dl class="pairs question-facts small-text">
      <Fact name="model calls">
        {bound?.kind === 'bounded' ? `${bound.calls}, ${bound.attempts} with retries` : 'unbounded'}
        {bound?.kind === 'unbounded' && <span class="faint"> {bound.reason}</span>}
      </Fact>
      <Fact name="cost">
        {bound?.usd === undefined || bound.usd === null ? '$?' : usd(bound.usd)}{' '}
        <span class="faint">{budget?.usd === undefined ? 'no budget set' : `budget ${usd(budget.usd)}`}</span>
      </Fact>
      {models.map(({ model, ready, state }) => (
        <Fact key={model} name={model}>
          <StateWord state={ready ? 'ok' : 'failed'} word={ready ? 'ready' : state} />
        </Fact>
      ))}
    </dl>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div class="ruled">
    <dt class="soft">{name}</dt>
    <dd>{children}</dd>
  </div>
);

const FREE = { text: 'Free text.', markdown: 'Free text, as Markdown.', json: 'Any JSON.' } as const;

/** The promise of the agent that answers. That may be another one, such as the end of a chain. */
const AnswerMust = ({ agent, all }: { readonly agent: AgentInfo; readonly all: readonly AgentInfo[] }) => {
  const from = agent.answerers === undefined ? [agent] : all.filter(({ name }) => agent.answerers?.includes(name));
  return (
    <>
      <h3 class="head">The answer must be</h3>
      {from.map(({ name, output: { format, schema } }) => (
        <div key={name}>
          {name !== agent.name && <p class="small-text faint">where {name} answers</p>}
          {schema === undefined ? <p>{FREE[format]}</p> : <SchemaTable of={[{ title: 'must be', schema }]} />}
        </div>
      ))}
    </>
  );
};

/** The figures of the last run that asked this agent, and its input for this one. */
const LastRun = ({ agent, onUse }: { readonly agent: string; readonly onUse: (input: string) => void }) => {
  const [last, setLast] = useState<RunRow | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    getJson<RunList>(`/api/runs?limit=1&state=ended&agent=${encodeURIComponent(agent)}`, gone.signal)
      .then(({ items }) => setLast(items[0]))
      .catch(() => undefined); // the form works without it
    return () => gone.abort();
  }, [agent]);
  if (last === undefined) return null;
  const { run, calls, tokens: used, usd: spent, unpriced, startedAt, endedAt = startedAt } = last;
  const use = async (): Promise<void> => {
    const event = await getJson<RunEvent>(`/api/runs/${run}/events/0`);
    if (event.type !== 'run-start') return;
    onUse(event.input.data === undefined ? event.input.text : JSON.stringify(event.input.data, null, 2));
  };
  return (
    <>
      <h3 class="head">The last run of it</h3>
      <p>
        <a class="link" href={runHref(run)}>
          {plural(calls, 'model call')}
        </a>
        , {tokens(used.input + used.output)} tokens, {cost(spent, unpriced)}, {duration(endedAt - startedAt)}.{' '}
        <button type="button" class="link" onClick={() => void use().catch(() => undefined)}>
          Use its input
        </button>
      </p>
    </>
  );
};
