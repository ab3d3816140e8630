// Buttons, choices, fields and marks.

import type { ComponentChildren } from 'preact';
import { Button, Choices, Command, Copy, FilterField, LinkButton, Select } from '../src/parts/controls.tsx';
import { Menu } from '../src/parts/menu.tsx';
import { QuestionField } from '../src/parts/question-field.tsx';
import { Chip, StateMark, type StateName, StateWord, TriggerTag } from '../src/parts/state.tsx';
import { nothing, type Specimens } from './specimen.tsx';

/** Each state once: a state that is missing here does not compile. */
const STATES: Readonly<Record<StateName, true>> = {
  answered: true,
  ok: true,
  done: true,
  running: true,
  thinking: true,
  calling: true,
  person: true,
  exhausted: true,
  'over-budget': true,
  'timed-out': true,
  refused: true,
  'sent-back': true,
  'not-made': true,
  asks: true,
  denied: true,
  failed: true,
  'in-doubt': true,
  'broken-off': true,
  routed: true,
  left: true,
  cancelled: true,
  skipped: true,
  waiting: true,
  waited: true,
  queued: true,
};
const NAMES = Object.keys(STATES) as readonly StateName[];

const TRIGGERS = [
  'advisor',
  'router',
  'next',
  'handoff',
  'call',
  'member',
  'spawn',
  'each',
  'judge',
  'repeat',
  'other',
];

const Wrap = ({ children }: { readonly children: ComponentChildren }) => <div class="specimen-wrap">{children}</div>;

const field = (text: string, off?: string) => (
  <QuestionField
    label="Ask front-desk"
    placeholder="Say what happened."
    text={text}
    onText={nothing}
    onSend={nothing}
    off={off}
    sends="Start"
    worded
  >
    <span>
      to <strong>front-desk</strong>
    </span>
  </QuestionField>
);

export const CONTROLS: Specimens = {
  id: 'controls',
  title: 'Controls and states',
  width: 'narrow',
  of: {
    'one of many: named, unnamed': (
      <Wrap>
        <Select label="agent" value="desk" of={[{ value: 'desk' }, { value: 'writer' }]} onChoose={nothing} />
        <Select
          label="for which agents"
          isHidden
          value="*"
          of={[{ value: '*', name: 'for all agents' }]}
          onChoose={nothing}
        />
      </Wrap>
    ),
    'buttons: usual, main, bare, stop': (
      <Wrap>
        {(['plain', 'main', 'bare', 'stop'] as const).map((kind) => (
          <Button key={kind} kind={kind} icon="play" keys="mod+Enter" onPress={nothing}>
            Start
          </Button>
        ))}
      </Wrap>
    ),
    'buttons: off': (
      <Wrap>
        {(['plain', 'main', 'bare', 'stop'] as const).map((kind) => (
          <Button key={kind} kind={kind} icon="play" off="There is no connection." onPress={nothing}>
            Start
          </Button>
        ))}
      </Wrap>
    ),
    'buttons: small, tiny, without words, a link': (
      <Wrap>
        <Button size="small" onPress={nothing}>
          Small
        </Button>
        <Button size="tiny" kind="bare" icon="close" label="Close" onPress={nothing} />
        <Copy text="x" label="Copy" />
        <Menu label="More" items={[]} />
        <LinkButton href="#" icon="back">
          Why this answer
        </LinkButton>
      </Wrap>
    ),
    choices: (
      <Choices
        label="Level"
        of={[
          { value: 'a', name: 'All', count: 200 },
          { value: 'b', name: 'Running', count: 0 },
          { value: 'c', name: 'Waits for you', count: '–' },
        ]}
        chosen="a"
        onChoose={nothing}
      />
    ),
    'filter: empty': <FilterField value="" placeholder="agent:front-desk cost:>0.01 text" onChange={nothing} />,
    'filter: a word that it does not know': (
      <FilterField
        value="agnt:desk"
        placeholder=""
        unknown={[{ from: 0, to: 9, word: 'agnt:desk', nearest: 'agent:' }]}
        onChange={nothing}
      />
    ),
    command: <Command line="cadre run front-desk 'May I open the barometer to clean it?'" />,
    'question field: empty': field(''),
    'question field: written': field('My barometer came with a faulty mirror.\nPlease refund order 17.'),
    'question field: off': field('Please refund order 17.', 'Fix refunds.md:4 first'),
    'states: chips': (
      <Wrap>
        {NAMES.map((state) => (
          <Chip key={state} state={state} />
        ))}
      </Wrap>
    ),
    'states: words': (
      <Wrap>
        {NAMES.map((state) => (
          <StateWord key={state} state={state} />
        ))}
      </Wrap>
    ),
    'states: marks': (
      <Wrap>
        {NAMES.map((state) => (
          <StateMark key={state} state={state} />
        ))}
      </Wrap>
    ),
    triggers: (
      <Wrap>
        {TRIGGERS.map((trigger) => (
          <TriggerTag key={trigger} trigger={trigger} />
        ))}
      </Wrap>
    ),
  },
};
