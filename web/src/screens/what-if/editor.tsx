// The prompt and the models as they were, and as they are to be for one fork; what that costs, and the button.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ForkPreview, ForkRun } from '../../../../src/server/protocol.ts';
import { plural, usd } from '../../../../src/views/amounts.ts';
import { getJson } from '../../data/api.ts';
import { agentOfRun, cadre } from '../../data/cadre.ts';
import { runAgents } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button } from '../../parts/controls.tsx';
import { costText } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { ALL, againAfter, type Experiment, lineCounts } from './experiment.ts';

interface Props {
  readonly data: RunData;
  readonly at: string;
  readonly agent: string;
  /** The prompt for the fork. */
  readonly text: string;
  readonly experiment: Experiment;
  readonly fork: ForkRun | undefined;
  /** The reason why it cannot be run now. */
  readonly off: string | undefined;
  readonly why: string | undefined;
  readonly tries: readonly string[];
  readonly shown: string | undefined;
  readonly onAgent: (agent: string) => void;
  readonly onChange: (experiment: Experiment) => void;
  readonly onReset: () => void;
  readonly onTry: (step: number) => boolean;
  readonly onStart: () => void;
}

export const Editor = (props: Props) => (
  <>
    <div class="what-if-cols paper ruled">
      <AsItWas {...props} />
      <Otherwise {...props} />
    </div>
    <Price {...props} />
  </>
);

const AsItWas = ({ data, agent }: Props) => {
  const own = runAgents(data).value.get(agent);
  return (
    <section aria-label="As it was">
      <h2>
        As it was <span class="faint">{own?.file}, as this run had it</span>
      </h2>
      <pre class="what-if-text" dir="auto" role="figure" aria-label="The prompt as it was" tabIndex={0}>
        {own?.system}
      </pre>
      <p class="small-text">
        <span class="faint">model</span> {own?.models.join(', ')}
      </p>
    </section>
  );
};

const Otherwise = ({ data, agent, text, experiment, onAgent, onChange }: Props) => {
  const agents = runAgents(data).value;
  const was = agents.get(agent)?.system ?? '';
  const { added, gone } = lineCounts(was, text);
  const models = [...new Set((cadre()?.models ?? []).map((one) => one.model))];
  const isForAll = Object.hasOwn(experiment.models, ALL);
  const scope = isForAll ? ALL : agent;
  const model = experiment.models[scope] ?? '';
  const others = Object.fromEntries(
    Object.entries(experiment.models).filter(([name]) => name !== ALL && name !== agent),
  );
  return (
    <section aria-label="What if">
      <h2>
        What if <span class="faint">for this fork only; no file is changed</span>
        <span class="grow" />
        {(added > 0 || gone > 0) && (
          <span class="num">
            +{added} −{gone}
          </span>
        )}
      </h2>
      <textarea
        class="input what-if-text"
        dir="auto"
        aria-label="The prompt for this fork"
        value={text}
        onInput={(event) =>
          onChange({ ...experiment, prompts: { ...experiment.prompts, [agent]: event.currentTarget.value } })
        }
      />
      <div class="what-if-fields small-text">
        <label>
          agent{' '}
          <select class="input" value={agent} onChange={(event) => onAgent(event.currentTarget.value)}>
            {[...agents.keys()].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          model{' '}
          <input
            class="input"
            dir="auto"
            list="what-if-models"
            placeholder="as it was"
            value={model}
            onInput={(event) =>
              onChange({ ...experiment, models: { ...others, [scope]: event.currentTarget.value.trim() } })
            }
          />
          <datalist id="what-if-models">
            {models.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          for{' '}
          <select
            class="input"
            aria-label="for which agents"
            value={scope}
            onChange={(event) => onChange({ ...experiment, models: { ...others, [event.currentTarget.value]: model } })}
          >
            <option value={agent}>{agent} only</option>
            <option value={ALL}>all agents</option>
          </select>
        </label>
        <label>
          at most ${' '}
          <input
            class="input"
            inputMode="decimal"
            size={6}
            placeholder="as it was"
            value={experiment.budget}
            onInput={(event) => onChange({ ...experiment, budget: event.currentTarget.value })}
          />
        </label>
      </div>
    </section>
  );
};

const Price = ({ data, at, fork, off, why, tries, shown, onReset, onTry, onStart }: Props) => {
  const taken = useTaken(data, at);
  const { events } = data;
  const { lines } = data.ledger.value;
  const again = useMemo(() => againAfter(taken, events, lines), [taken, events, lines]);
  const { start } = viewOf(data).facts.value;
  const asked = start && agentOfRun(start);
  const bound = asked === undefined ? undefined : (fork?.budget?.usd ?? cadre()?.bounds[asked.name]?.usd ?? undefined);
  return (
    <div class="bar what-if-bar small-text">
      <span class="soft grow">
        {plural(taken, 'event')} taken over, not paid again · this part cost <strong>{costText(again.spent)}</strong> ·{' '}
        {bound === undefined ? 'no limit is known' : <strong>never more than {usd(bound)}</strong>}
        {again.tools.length > 0 && ` · ${again.tools.join(', ')} may be called again`}
        {again.asks ? ' · it may ask you' : ' · nobody was asked'}
      </span>
      {tries.length > 0 && (
        <span class="line num">
          <Button kind="bare" size="small" icon="previous" label="The try before" onPress={() => onTry(-1)} />
          {shown === undefined ? '–' : tries.indexOf(shown) + 1} of {tries.length}{' '}
          {tries.length === 1 ? 'try' : 'tries'}
          <Button kind="bare" size="small" icon="following" label="The next try" onPress={() => onTry(1)} />
        </span>
      )}
      <Button kind="bare" off={fork === undefined ? 'Nothing is changed.' : undefined} onPress={onReset}>
        As it was
      </Button>
      <Button kind="main" icon="play" keys="mod+Enter" off={off} onPress={onStart}>
        {shown === undefined ? 'Run it' : 'Run again'}
      </Button>
      {why !== undefined && (
        <p class="err pre" role="alert">
          {why}
        </p>
      )}
    </div>
  );
};

/** The events that a fork would take over: those before the op, until the server has said it. */
function useTaken(data: RunData, at: string): number {
  const [said, setSaid] = useState<number | undefined>(undefined);
  useEffect(() => {
    const asking = new AbortController();
    getJson<ForkPreview>(`/api/runs/${encodeURIComponent(data.run)}/fork?at=${at}`, asking.signal).then(
      ({ events }) => setSaid(events),
      () => undefined, // the request for the fork says what is wrong
    );
    return () => asking.abort();
  }, [data, at]);
  return said ?? viewOf(data).facts.value.at(at)?.firstSeq ?? 0;
}
