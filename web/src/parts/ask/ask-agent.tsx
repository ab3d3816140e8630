// Asks an agent: whom, what, what it costs, what happens, and the command that does the same. The first visit and New run
// are this part.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo, RunList, RunRow, StartedRun } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { agentHref, runHref, startHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { getJson, postJson, problemOf } from '../../data/api.ts';
import { type ChosenFile, filesToSend, refusalBy, refusedOf } from '../../data/chosen-files.ts';
import { offline } from '../../data/connection.ts';
import { shortName } from '../agent-names.ts';
import { Command, Key, LinkButton } from '../controls.tsx';
import { FilePicker } from '../file-picker.tsx';
import { Icon } from '../icon.tsx';
import { QuestionField } from '../question-field.tsx';
import { runCommand } from '../run-command.ts';
import { StateWord } from '../state.tsx';
import { AgentChoice } from './agent-choice.tsx';
import { firstAgent, priceWords, sourceWords, startRefusal, whatHappens } from './ask-words.ts';
import { NoAgent, Title } from './no-agent.tsx';
import './ask.css';

interface Props {
  readonly cadre: CadreInfo;
  /** The agent that was looked at. */
  readonly named?: string | undefined;
  /** Says that there are no runs yet, and what can be done after one. */
  readonly isFirstVisit: boolean;
  /** The beginning of the question. */
  readonly text?: string;
  readonly files?: readonly ChosenFile[];
  /** The focus is not for it: another part has it. */
  readonly isFirst?: false | undefined;
  readonly onChoose?: (agent: string) => void;
  readonly onStarted?: () => void;
  /** Takes the question, in place of a run that is started and opened. It is also called without a connection. */
  readonly onAsk?: (agent: AgentInfo, text: string, files: readonly ChosenFile[]) => void;
  /** Stands below the field. */
  readonly children?: ComponentChildren;
}

/** More than so many are chosen from first. */
const FEW = 12;

export const AskAgent = (props: Props) => {
  const { cadre, named, isFirstVisit, onChoose, onStarted } = props;
  const { agents } = cadre;
  const isMany = agents.length > FEW;
  const [chosen, setChosen] = useState(named);
  const [text, setText] = useState(props.text ?? '');
  const [files, setFiles] = useState(props.files ?? []);
  const [step, setStep] = useState<'choosing' | 'asking'>(isMany && named === undefined ? 'choosing' : 'asking');
  const agent = agents.find(({ name }) => name === chosen) ?? firstAgent(cadre);
  const { start, busy, why } = useStart(agent, onStarted);
  const examples = textsOf(agent?.examples);
  useExampleKeys(examples, setText);
  if (agent === undefined) return <NoAgent cadre={cadre} isFirstVisit={isFirstVisit} />;
  const name = shortName(agents, agent.name);
  const refusal = startRefusal(agent, cadre);
  const isChoosing = isMany || step === 'choosing';
  const send = (): void => {
    if (props.onAsk === undefined) return start(text, files);
    props.onAsk(agent, text, files);
    setFiles([]);
    return setText('');
  };
  return (
    <div class="ask-agent stack">
      {isFirstVisit && <FirstFacts cadre={cadre} />}
      <Title first={isFirstVisit}>{isMany ? 'Whom do you want to ask?' : `Ask ${name}`}</Title>
      {!isMany && <Description of={agent} />}
      {isChoosing && (
        <AgentChoice
          cadre={cadre}
          chosen={agent.name}
          isFirst={step === 'choosing'}
          onChoose={(one) => {
            setChosen(one);
            onChoose?.(one);
          }}
          onChosen={() => setStep('asking')}
        />
      )}
      {isMany && <Description of={agent} />}
      {agent.input.format === 'json' ? (
        <LinkButton href={startHref(agent.name)} icon="play" main>
          Fill in what {name} takes
        </LinkButton>
      ) : (
        <QuestionField
          key={`${agent.name} ${step}`}
          label={`Ask ${agent.name}`}
          placeholder={agent.usage ?? 'What do you want to know?'}
          text={text}
          onText={setText}
          onSend={send}
          off={
            (props.onAsk === undefined ? offline() : undefined) ??
            refusal?.words ??
            refusedOf(files, refusalBy(agent)) ??
            (busy ? 'It is being started.' : undefined)
          }
          sends="Start"
          worded
          first={step === 'asking' && props.isFirst !== false}
        >
          {isMany || agents.length === 1 ? (
            <span class="nowrap">
              to <strong>{name}</strong>
            </span>
          ) : (
            <button
              type="button"
              class="btn small"
              aria-expanded={isChoosing}
              onClick={() => setStep(isChoosing ? 'asking' : 'choosing')}
            >
              <span class="sr">Agent:</span>
              {name}
              <Icon name="opens" />
            </button>
          )}
          <FilePicker files={files} onChange={setFiles} refusal={refusalBy(agent)} />
        </QuestionField>
      )}
      {refusal === undefined ? (
        <Price agent={agent} cadre={cadre} />
      ) : (
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
      {props.children}
      <Examples of={examples} first={isFirstVisit} onUse={setText} />
      <Happens agent={agent} cadre={cadre} first={isFirstVisit} />
      {isFirstVisit && <Afterwards />}
      {agent.input.format !== 'json' && props.onAsk === undefined && (
        <>
          <Head first={isFirstVisit}>As a command</Head>
          <Command
            line={runCommand(
              agent,
              text.trim() === '' ? (examples[0] ?? '…') : text,
              files.map((one) => one.name),
            )}
          />
        </>
      )}
    </div>
  );
};

const Description = ({ of: { description } }: { readonly of: AgentInfo }) =>
  description === undefined ? null : (
    <p class="soft" dir="auto">
      {description}
    </p>
  );

/** The folder in figures: its name, its agents, and the findings of the check. */
const FirstFacts = ({ cadre: { agents, diagnostics, cadres, name } }: { readonly cadre: CadreInfo }) => {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return (
    <p class="ask-facts faint wraps">
      <span>No runs yet</span>
      <span>
        <bdi>{name}</bdi>, <a href="/agents">{plural(agents.length, 'agent')}</a>
        {cadres.length > 1 && ` in ${plural(cadres.length, 'folder')}`}
      </span>
      {errors === 0 ? (
        <StateWord state="ok" word="no findings" />
      ) : (
        <a class="bad-words" href="/agents">
          {plural(errors, 'error')}
        </a>
      )}
    </p>
  );
};

function useExampleKeys(examples: readonly string[], use: (text: string) => void): void {
  useKeys(
    useMemo(
      () =>
        examples.map((example, index) => ({
          keys: `alt+${index + 1}`,
          does: `example ${index + 1}`,
          inFields: true,
          run: () => use(example),
        })),
      [examples.join('\n')],
    ),
  );
}

/** The head below the title: of the screen, or of a dialog over it. */
const Head = ({ first, children }: { readonly first: boolean; readonly children: string }) =>
  first ? <h2 class="ask-head tiny-text faint">{children}</h2> : <h3 class="ask-head tiny-text faint">{children}</h3>;

const textsOf = (examples: AgentInfo['examples']): readonly string[] =>
  (examples ?? []).filter((one) => typeof one === 'string');

function useStart(agent: AgentInfo | undefined, onStarted: (() => void) | undefined) {
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const start = (input: string, files: readonly ChosenFile[]): void => {
    if (agent === undefined || busy) return;
    setBusy(true);
    setWhy(undefined);
    postJson<StartedRun>('/api/runs', { agent: agent.name, input, ...filesToSend(files) })
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
  const source = sourceWords(agent, cadre);
  return (
    <div class="ask-price small-text">
      <p class="s-good">
        <Icon name="answered" />
        ready, {priceWords(agent, cadre, rows ?? [])}
      </p>
      {source !== undefined && <p class="faint">{source}</p>}
    </div>
  );
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
  { icon: 'eye', name: 'Watch it live', words: 'who thinks, waits and speaks, with time and cost on every row' },
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
