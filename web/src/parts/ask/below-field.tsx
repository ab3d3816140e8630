// The parts below the field in which an agent is asked: examples, what happens on Enter, and what can be done afterwards.

import type { AgentInfo, CadreInfo } from '../../../../src/server/protocol.ts';
import { Key } from '../controls.tsx';
import { Icon } from '../icon.tsx';
import { whatHappens } from './ask-words.ts';

interface Props {
  readonly agent: AgentInfo;
  readonly cadre: CadreInfo;
  readonly first: boolean;
  readonly onUse: (text: string) => void;
}

export const BelowField = ({ agent, cadre, first, onUse }: Props) => (
  <>
    <Examples of={textsOf(agent.examples)} first={first} onUse={onUse} />
    <Happens agent={agent} cadre={cadre} first={first} />
    {first && <Afterwards />}
  </>
);

export const textsOf = (examples: AgentInfo['examples']): readonly string[] =>
  (examples ?? []).filter((one) => typeof one === 'string');

/** The head below the title: of the screen, or of a dialog over it. */
export const Head = ({ first, children }: { readonly first: boolean; readonly children: string }) =>
  first ? <h2 class="ask-head tiny-text faint">{children}</h2> : <h3 class="ask-head tiny-text faint">{children}</h3>;

interface ExamplesProps {
  readonly of: readonly string[];
  readonly first: boolean;
  readonly onUse: (text: string) => void;
}

const Examples = ({ of, first, onUse }: ExamplesProps) =>
  of.length === 0 ? null : (
    <>
      <Head first={first}>Or try one of its tests</Head>
      <ul class="ask-examples ruled-above">
        {of.map((example, index) => (
          <li key={example} class="ruled">
            <button type="button" class="line gaps" onClick={() => onUse(example)}>
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
    <ol class="ask-happens fields">
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
    <ul class="ask-after fields">
      {AFTERWARDS.map(({ icon, name, words }) => (
        <li key={name} class="soft">
          <Icon name={icon} />
          <span>
            <b>{name}</b> {words}
          </span>
        </li>
      ))}
    </ul>
  </>
);
