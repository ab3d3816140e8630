// The prompt and the models as they were, and as they are to be for one fork; what that costs, and the button.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ForkPreview } from '../../../../src/server/protocol.ts';
import { plural, usd } from '../../../../src/views/amounts.ts';
import { getJson } from '../../data/api.ts';
import { agentOfRun, cadre } from '../../data/cadre.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button, Select } from '../../parts/controls.tsx';
import { TwoSides } from '../../parts/two-sides.tsx';
import { costText } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { ALL, againAfter, againWords, changedLines } from './experiment.ts';
import { PromptField, PromptText } from './prompt-lines.tsx';
import type { Trial } from './trial.ts';

interface Props {
  readonly trial: Trial;
}

export const Editor = ({ trial }: Props) => (
  <>
    <TwoSides paper>
      <AsItWas trial={trial} />
      <Otherwise trial={trial} />
    </TwoSides>
    <Price trial={trial} />
  </>
);

const AsItWas = ({ trial: { agents, agent, text } }: Props) => {
  const own = agents.get(agent);
  return (
    <section aria-label="As it was">
      <h2>
        As it was <span class="faint">{own?.file}, as this run had it</span>
      </h2>
      <PromptText label="The prompt as it was" text={own?.system ?? ''} other={text} look="removed" />
      <p class="small-text">
        <span class="faint">model</span> {own?.models.join(', ')}
      </p>
    </section>
  );
};

const Otherwise = ({ trial }: Props) => {
  const { agents, agent, text, experiment } = trial;
  const was = agents.get(agent)?.system ?? '';
  const [added, gone] = [changedLines(was, text).size, changedLines(text, was).size];
  return (
    <section aria-label="What if">
      <h2>
        What if <span class="faint">for this fork only; no file is changed</span>
        <span class="grow" />
        {added + gone > 0 && (
          <span class="num">
            +{added} −{gone}
          </span>
        )}
      </h2>
      <PromptField
        label="The prompt for this fork"
        text={text}
        other={was}
        look="added"
        onInput={(typed) => trial.change({ ...experiment, prompts: { ...experiment.prompts, [agent]: typed } })}
      />
      <div class="what-if-fields line wraps small-text">
        <Select
          label="agent"
          value={agent}
          of={[...agents.keys()].map((name) => ({ value: name }))}
          onChoose={trial.choose}
        />
        <Models trial={trial} />
        <label>
          at most ${' '}
          <input
            class="input own-width"
            inputMode="decimal"
            size={6}
            placeholder="as it was"
            value={experiment.budget}
            onInput={({ currentTarget }) => trial.change({ ...experiment, budget: currentTarget.value })}
          />
        </label>
      </div>
    </section>
  );
};

/** The model of one agent or of all of them; those of other agents stay. */
const Models = ({ trial: { agent, experiment, change } }: Props) => {
  const known = [...new Set((cadre()?.models ?? []).map(({ model }) => model))];
  const { [ALL]: ofAll, [agent]: own, ...others } = experiment.models;
  const scope = ofAll === undefined ? agent : ALL;
  const model = ofAll ?? own ?? '';
  const choose = (of: string, name: string): void => change({ ...experiment, models: { ...others, [of]: name } });
  return (
    <>
      <label>
        model{' '}
        <input
          class="input own-width"
          dir="auto"
          list="what-if-models"
          placeholder="as it was"
          value={model}
          onInput={({ currentTarget }) => choose(scope, currentTarget.value.trim())}
        />
        <datalist id="what-if-models">
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <Select
        label="for which agents"
        isHidden
        value={scope}
        of={[
          { value: agent, name: `for ${agent} only` },
          { value: ALL, name: 'for all agents' },
        ]}
        onChoose={(of) => choose(of, model)}
      />
    </>
  );
};

const Price = ({ trial }: Props) => {
  const { data, tries, shown, refused } = trial;
  const bound = useBound(trial);
  const taken = useTaken(data, trial.at);
  const { lines } = data.ledger.value;
  const again = useMemo(() => againAfter(taken, data.events, lines), [taken, data.events, lines]);
  return (
    <div class="what-if-bar line gaps wraps inset ruled small-text">
      <span class="soft grow">
        {plural(taken, 'event')} taken over, not paid again · usually <strong>{costText(again.spent)}</strong> from here
        on · {bound === undefined ? 'no limit is known' : `never more than ${usd(bound)}`} · {againWords(again)}
      </span>
      {tries.length > 1 && (
        <span class="line num">
          <Button kind="bare" size="small" icon="previous" label="The try before" onPress={() => trial.toTry(-1)} />
          {shown === undefined ? '–' : tries.indexOf(shown) + 1} of {tries.length} tries
          <Button kind="bare" size="small" icon="following" label="The next try" onPress={() => trial.toTry(1)} />
        </span>
      )}
      <Button kind="bare" off={trial.fork === undefined ? 'Nothing is changed.' : undefined} onPress={trial.reset}>
        As it was
      </Button>
      <Button kind="main" icon="play" keys="mod+Enter" off={trial.off} onPress={trial.start}>
        {shown === undefined ? 'Run it' : 'Run again'}
      </Button>
      {refused !== undefined && (
        <p class="err pre" role="alert">
          {refused}
        </p>
      )}
    </div>
  );
};

/** The budget of the fork, else the bound of the agent that was asked. */
function useBound({ data, fork }: Trial): number | undefined {
  const { start } = viewOf(data).facts.value;
  const asked = start && agentOfRun(start);
  return fork?.budget?.usd ?? (asked === undefined ? undefined : (cadre()?.bounds[asked.name]?.usd ?? undefined));
}

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
