// Asks an agent: whom, what, what it costs, what happens, and the command that does the same. The first visit and New run
// are this part.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo, RunList, RunRow, StartedRun } from '../../../../src/server/protocol.ts';
import { agentHref, runHref, startHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { getJson, postJson, problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { Command, Key, LinkButton } from '../controls.tsx';
import { Icon } from '../icon.tsx';
import { QuestionField } from '../question-field.tsx';
import { runCommand } from '../run-command.ts';
import { AgentChoice } from './agent-choice.tsx';
import { firstAgent, priceWords, startRefusal, whatHappens } from './ask-words.ts';
import { NoAgent, Title } from './no-agent.tsx';
import './ask.css';

interface Props {
  readonly cadre: CadreInfo;
  /** The agent that was looked at. */
  readonly named?: string | undefined;
  /** Says that there are no runs yet, and what can be done after one. */
  readonly isFirstVisit: boolean;
  readonly onChoose?: (agent: string) => void;
  readonly onStarted?: () => void;
}

/** More than so many are chosen from first. */
const FEW = 12;

export const AskAgent = ({ cadre, named, isFirstVisit, onChoose, onStarted }: Props) => {
  const { agents } = cadre;
  const [chosen, setChosen] = useState(named);
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(agents.length <= FEW || named !== undefined);
  const agent = agents.find(({ name }) => name === chosen) ?? firstAgent(cadre);
  const { start, busy, why } = useStart(agent, onStarted);
  const examples = textsOf(agent?.examples);
  useKeys(
    useMemo(
      () =>
        examples.map((example, index) => ({
          keys: `alt+${index + 1}`,
          does: `example ${index + 1}`,
          inFields: true,
          run: () => setText(example),
        })),
      [examples.join('\n')],
    ),
  );
  if (agent === undefined) return <NoAgent cadre={cadre} isFirstVisit={isFirstVisit} />;
  const choose = (name: string): void => {
    setChosen(name);
    onChoose?.(name);
  };
  const refusal = startRefusal(agent, cadre);
  const errors = cadre.diagnostics.filter(({ severity }) => severity === 'error').length;
  return (
    <div class="ask-agent">
      {isFirstVisit && (
        <p class="faint ask-facts">
          No runs yet · <a href="/agents">{agents.length === 1 ? '1 agent' : `${agents.length} agents`}</a> ·{' '}
          {errors === 0 ? 'no findings' : <a href="/agents">{errors === 1 ? '1 error' : `${errors} errors`}</a>}
        </p>
      )}
      <Title first={isFirstVisit}>{agents.length > FEW ? 'Whom do you want to ask?' : `Ask ${agent.name}`}</Title>
      <AgentChoice
        cadre={cadre}
        chosen={agent.name}
        isFirst={!isAsking}
        isOpen={agents.length > FEW}
        onChoose={choose}
        onChosen={() => setAsking(true)}
      />
      {agent.description !== undefined && <p dir="auto">{agent.description}</p>}
      {agent.input.format === 'json' ? (
        <LinkButton href={startHref(agent.name)} icon="play" main>
          Fill in what {agent.name} takes
        </LinkButton>
      ) : (
        <QuestionField
          key={`${agent.name} ${isAsking}`}
          label={`Ask ${agent.name}`}
          placeholder={agent.usage ?? 'What do you want to know?'}
          text={text}
          onText={setText}
          onSend={() => start(text)}
          off={offline() ?? refusal?.words ?? (busy ? 'It is being started.' : undefined)}
          sends="Start"
          worded
          first={isAsking}
        >
          <span>
            to <strong>{agent.name}</strong>
          </span>
        </QuestionField>
      )}
      <Price agent={agent} cadre={cadre} />
      {refusal !== undefined && (
        <p class="err">
          <a class="link" href={agentHref(refusal.agent)}>
            {refusal.words}
          </a>
        </p>
      )}
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
      <Examples of={examples} first={isFirstVisit} onUse={setText} />
      <Happens agent={agent} cadre={cadre} first={isFirstVisit} />
      {isFirstVisit && <Afterwards />}
      {agent.input.format !== 'json' && (
        <>
          <Head first={isFirstVisit}>As a command</Head>
          <Command line={runCommand(agent, text.trim() === '' ? (examples[0] ?? '…') : text)} />
        </>
      )}
    </div>
  );
};

/** The head below the title: of the screen, or of a dialog over it. */
const Head = ({ first, children }: { readonly first: boolean; readonly children: string }) =>
  first ? <h2 class="ask-head">{children}</h2> : <h3 class="ask-head">{children}</h3>;

const textsOf = (examples: AgentInfo['examples']): readonly string[] =>
  (examples ?? []).filter((one) => typeof one === 'string');

function useStart(agent: AgentInfo | undefined, onStarted: (() => void) | undefined) {
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const start = (input: string): void => {
    if (agent === undefined || busy) return;
    setBusy(true);
    setWhy(undefined);
    postJson<StartedRun>('/api/runs', { agent: agent.name, input })
      .then(({ run }) => {
        onStarted?.();
        go(runHref(run));
      })
      .catch((thrown: unknown) => {
        setWhy(problemOf(thrown).message);
        setBusy(false);
      });
  };
  return { start, busy, why };
}

/** Unknown until the server has said what its last runs cost. */
const Price = ({ agent, cadre }: { readonly agent: AgentInfo; readonly cadre: CadreInfo }) => {
  const [rows, setRows] = useState<readonly RunRow[] | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    setRows(undefined);
    getJson<RunList>(`/api/runs?limit=5&state=ended&agent=${encodeURIComponent(agent.name)}`, gone.signal)
      .then(({ items }) => setRows(items))
      .catch(() => undefined); // the bound is said all the same
    return () => gone.abort();
  }, [agent.name]);
  return <p class="ask-price">{priceWords(agent, cadre, rows ?? [])}</p>;
};

interface ExamplesProps {
  readonly of: readonly string[];
  readonly first: boolean;
  readonly onUse: (text: string) => void;
}

const Examples = ({ of, first, onUse }: ExamplesProps) =>
  of.length === 0 ? null : (
    <>
      <Head first={first}>Or try one of its tests</Head>
      <ul class="ask-examples">
        {of.map((example, index) => (
          <li key={example}>
            <button type="button" onClick={() => onUse(example)}>
              <span class="cut" dir="auto" title={example}>
                {example}
              </span>
              <Key keys={`alt+${index + 1}`} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );

interface HappensProps {
  readonly agent: AgentInfo;
  readonly cadre: CadreInfo;
  readonly first: boolean;
}

const Happens = ({ agent, cadre, first }: HappensProps) => (
  <>
    <Head first={first}>What happens on Enter</Head>
    <ol class="ask-happens">
      {whatHappens(agent, cadre).map((line) => (
        <li key={line}>{line.split('`').map((part, index) => (index % 2 === 1 ? <b key={index}>{part}</b> : part))}</li>
      ))}
    </ol>
  </>
);

const AFTERWARDS = [
  { icon: 'running', name: 'Watch it live', words: 'who thinks, waits and speaks, with time and cost on every row' },
  { icon: 'back', name: 'Ask why', words: 'from the answer back to your question, step by step' },
  { icon: 'fork', name: 'Try it otherwise', words: 'fork at any step with another model, and compare' },
] as const;

const Afterwards = () => (
  <>
    <Head first>Afterwards you can</Head>
    <ul class="ask-after">
      {AFTERWARDS.map(({ icon, name, words }) => (
        <li key={name}>
          <Icon name={icon} />
          <span>
            <b>{name}</b> {words}
          </span>
        </li>
      ))}
    </ul>
  </>
);
