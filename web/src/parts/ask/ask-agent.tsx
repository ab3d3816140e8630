// Asks an agent: whom, what, what it costs, what happens, and the command that does the same. The first visit and New run
// are this part.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo, StartedRun } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { runHref, startHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { type ChosenFile, filesToSend } from '../../data/chosen-files.ts';
import { offline } from '../../data/connection.ts';
import { shortName } from '../agent-names.ts';
import { Command, LinkButton } from '../controls.tsx';
import { runCommand } from '../run-command.ts';
import { StateWord } from '../state.tsx';
import { AgentChoice } from './agent-choice.tsx';
import { Addressee, AskField } from './ask-field.tsx';
import { firstAgent, startRefusal } from './ask-words.ts';
import { BelowField, Head, textsOf } from './below-field.tsx';
import { NoAgent, Title } from './no-agent.tsx';
import { Price } from './price.tsx';
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
  const { cadre, named, isFirstVisit, onChoose } = props;
  const isMany = cadre.agents.length > FEW;
  const [chosen, setChosen] = useState(named);
  const [step, setStep] = useState<Step>(isMany && named === undefined ? 'choosing' : 'asking');
  const agent = cadre.agents.find(({ name }) => name === chosen) ?? firstAgent(cadre);
  const asking = useAsking(agent, props);
  if (agent === undefined) return <NoAgent cadre={cadre} isFirstVisit={isFirstVisit} />;
  const name = shortName(cadre.agents, agent.name);
  const choose = (one: string): void => {
    setChosen(one);
    onChoose?.(one);
  };
  return (
    <div class="ask-agent stack">
      {isFirstVisit && <FirstFacts cadre={cadre} />}
      <Title first={isFirstVisit}>{isMany ? 'Whom do you want to ask?' : `Ask ${name}`}</Title>
      {!isMany && <Description of={agent} />}
      {(isMany || step === 'choosing') && (
        <AgentChoice
          cadre={cadre}
          chosen={agent.name}
          isFirst={step === 'choosing'}
          onChoose={choose}
          onChosen={() => setStep('asking')}
        />
      )}
      {isMany && <Description of={agent} />}
      <Question key={`${agent.name} ${step}`} {...props} {...{ agent, name, isMany, step, asking }} onStep={setStep} />
      <Price agent={agent} cadre={cadre} refusal={startRefusal(agent, cadre)} />
      <Refusal why={asking.why} />
      {props.children}
      <BelowField agent={agent} cadre={cadre} first={isFirstVisit} onUse={asking.setText} />
      {agent.input.format !== 'json' && props.onAsk === undefined && (
        <AsCommand agent={agent} text={asking.shown} files={asking.files} isFirstVisit={isFirstVisit} />
      )}
    </div>
  );
};

type Step = 'choosing' | 'asking';

/** The question as it is written, and what sends it. */
function useAsking(agent: AgentInfo | undefined, props: Props) {
  const [text, setText] = useState(props.text ?? '');
  const [files, setFiles] = useState(props.files ?? []);
  const { start, busy, why } = useStart(agent, props.onStarted);
  const examples = textsOf(agent?.examples);
  useExampleKeys(examples, setText);
  const send = (): void => {
    if (props.onAsk === undefined || agent === undefined) return start(text, files);
    props.onAsk(agent, text, files);
    setFiles([]);
    return setText('');
  };
  const shown = text.trim() === '' ? (examples[0] ?? '…') : text;
  return { text, setText, files, setFiles, send, busy, why, shown };
}

interface QuestionProps extends Props {
  readonly agent: AgentInfo;
  readonly name: string;
  readonly isMany: boolean;
  readonly step: Step;
  readonly asking: ReturnType<typeof useAsking>;
  readonly onStep: (step: Step) => void;
}

/** An agent that takes JSON has a form of its own. */
const Question = ({ agent, name, isMany, step, asking, onStep, ...props }: QuestionProps) => {
  if (agent.input.format === 'json')
    return (
      <LinkButton href={startHref(agent.name)} icon="play" main>
        Fill in what {name} takes
      </LinkButton>
    );
  const isChoosing = isMany || step === 'choosing';
  return (
    <AskField
      agent={agent}
      text={asking.text}
      files={asking.files}
      onText={asking.setText}
      onFiles={asking.setFiles}
      onSend={asking.send}
      off={
        (props.onAsk === undefined ? offline() : undefined) ??
        startRefusal(agent, props.cadre)?.words ??
        (asking.busy ? 'It is being started.' : undefined)
      }
      first={step === 'asking' && props.isFirst !== false}
    >
      <Addressee
        name={name}
        isFixed={isMany || props.cadre.agents.length === 1}
        isChoosing={isChoosing}
        onPress={() => onStep(isChoosing ? 'asking' : 'choosing')}
      />
    </AskField>
  );
};

const Refusal = ({ why }: { readonly why: string | undefined }) =>
  why === undefined ? null : (
    <p class="err" role="alert">
      {why}
    </p>
  );

const AsCommand = (props: {
  readonly agent: AgentInfo;
  readonly text: string;
  readonly files: readonly ChosenFile[];
  readonly isFirstVisit: boolean;
}) => (
  <>
    <Head first={props.isFirstVisit}>As a command</Head>
    <Command
      line={runCommand(
        props.agent,
        props.text,
        props.files.map((one) => one.name),
      )}
    />
  </>
);

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
    <p class="ask-facts line faint wraps">
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
