// The field in which an agent is asked, with whom it is for and the files that go along.

import type { ComponentChildren } from 'preact';
import type { AgentInfo } from '../../../../src/server/protocol.ts';
import { type ChosenFile, refusalBy, refusedOf } from '../../data/chosen-files.ts';
import { FilePicker } from '../file-picker.tsx';
import { Icon } from '../icon.tsx';
import { QuestionField } from '../question-field.tsx';

interface AskFieldProps {
  readonly agent: AgentInfo;
  readonly text: string;
  readonly files: readonly ChosenFile[];
  readonly onText: (text: string) => void;
  readonly onFiles: (files: readonly ChosenFile[]) => void;
  readonly onSend: () => void;
  readonly off: string | undefined;
  readonly first: boolean;
  readonly children: ComponentChildren;
}

export const AskField = ({ agent, files, onFiles, off, children, ...field }: AskFieldProps) => (
  <QuestionField
    {...field}
    label={`Ask ${agent.name}`}
    placeholder={agent.usage ?? 'What do you want to know?'}
    off={off ?? refusedOf(files, refusalBy(agent))}
    sends="Start"
    worded
  >
    {children}
    <FilePicker files={files} onChange={onFiles} refusal={refusalBy(agent)} />
  </QuestionField>
);

/** The agent that is asked: a button where another one can be chosen. */
export const Addressee = (props: {
  readonly name: string;
  readonly isFixed: boolean;
  readonly isChoosing: boolean;
  readonly onPress: () => void;
}) =>
  props.isFixed ? (
    <span class="nowrap">
      to <strong>{props.name}</strong>
    </span>
  ) : (
    <button type="button" class="btn small" aria-expanded={props.isChoosing} onClick={props.onPress}>
      <span class="sr">Agent:</span>
      {props.name}
      <Icon name="opens" />
    </button>
  );
