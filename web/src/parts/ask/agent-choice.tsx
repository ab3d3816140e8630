// Chooses an agent: a combobox, grouped by folder. Arrows choose, Enter goes on to the question.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo } from '../../../../src/server/protocol.ts';
import { Icon } from '../icon.tsx';
import { entryAgents, matching, priceTag } from './ask-words.ts';

interface Props {
  readonly cadre: CadreInfo;
  readonly chosen: string;
  /** The focus goes here first. */
  readonly isFirst: boolean;
  readonly onChoose: (agent: string) => void;
  /** The choice is made. */
  readonly onChosen: () => void;
}

/** The number of folders from which on each shows only its first agents. */
const MANY_FOLDERS = 5;
const FIRST = 3;

/** A row that can be chosen: an agent, or the rest of a folder. */
type Option = { readonly id: string } & ({ readonly agent: AgentInfo } | { readonly more: number });

interface Folder {
  readonly name: string;
  readonly words: string;
  readonly options: readonly Option[];
}

export const AgentChoice = (props: Props) => {
  const { cadre, isFirst } = props;
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus();
  }, []);
  const { typed, type, folders, found, active, take, pressed } = useChoice(props);
  return (
    <div class="ask-choice field-box">
      <label class="ask-choice-field line gaps">
        <Icon name="search" />
        <span class="sr">Agent</span>
        <input
          class="bare-field"
          dir="auto"
          ref={input}
          type="text"
          role="combobox"
          aria-expanded={true}
          aria-controls="ask-options"
          aria-activedescendant={active}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          data-first={isFirst}
          value={typed}
          placeholder="Name, folder or description"
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={pressed}
        />
        <span class="faint num">
          {found} of {cadre.agents.length}
        </span>
      </label>
      <Options folders={folders} cadre={cadre} typed={typed} active={active} onTake={take} />
    </div>
  );
};

/** The folders that fit what was typed, the option that the arrows are on, and what keys do. */
function useChoice({ cadre, chosen, onChoose, onChosen }: Props) {
  const [typed, setTyped] = useState('');
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  /** The rest of a folder, while the arrows are on it. */
  const [rest, setRest] = useState<string | undefined>(undefined);
  const folders = foldersOf(typed, cadre, whole);
  const options = folders.flatMap((one) => one.options);
  const found = folders.reduce((sum, { options: of }) => sum + of.reduce((count, one) => count + sizeOf(one), 0), 0);
  const active = rest ?? idOf(chosen);
  const go = (option: Option | undefined): void => {
    if (option === undefined) return;
    setRest('more' in option ? option.id : undefined);
    if ('agent' in option) onChoose(option.agent.name);
    document.getElementById(option.id)?.scrollIntoView({ block: 'nearest' });
  };
  const move = (step: number): void => {
    const at = options.findIndex(({ id }) => id === active);
    go(options[at < 0 ? 0 : Math.max(0, Math.min(options.length - 1, at + step))]);
  };
  const type = (words: string): void => {
    setTyped(words);
    setRest(undefined);
    const [best] = matching(words, cadre).flatMap(({ agents }) => agents);
    if (best !== undefined) onChoose(best.name);
  };
  const take = (option: Option | undefined): void => {
    if (option !== undefined && 'more' in option) {
      setRest(undefined);
      return setWhole(new Set([...whole, option.id]));
    }
    if (option !== undefined) onChoose(option.agent.name);
    setTyped('');
    return onChosen();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') take(options.find(({ id }) => id === active));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { typed, type, folders, found, active, take, pressed };
}

interface OptionsProps {
  readonly folders: readonly Folder[];
  readonly cadre: CadreInfo;
  readonly typed: string;
  readonly active: string;
  readonly onTake: (option: Option) => void;
}

const Options = ({ folders, cadre, typed, active, onTake }: OptionsProps) => (
  <div
    id="ask-options"
    class="ask-options scrolls ruled-above"
    role="listbox"
    aria-label="Agents"
    tabIndex={-1}
    onMouseDown={(event) => event.preventDefault()}
  >
    {folders.every(({ options }) => options.length === 0) && (
      <div class="faint" role="option" aria-selected="false" aria-disabled="true">
        No match among {cadre.agents.length} agents. Remove a word.
      </div>
    )}
    {folders.map(({ name, words, options }) => (
      <div key={name} role="group" aria-label={name === '' ? 'Agents' : name}>
        {name !== '' && (
          <p class="ask-folder tiny-text faint" aria-hidden="true">
            <b>{marked(name, typed)}</b> {words}
          </p>
        )}
        {options.map((option) => (
          <div
            key={option.id}
            id={option.id}
            role="option"
            class={'more' in option ? 'choosable ask-more' : 'cols choosable'}
            aria-selected={option.id === active}
            onClick={() => onTake(option)}
          >
            {'more' in option ? `${option.more} more in ${name}` : optionWords(option.agent, cadre, typed)}
          </div>
        ))}
      </div>
    ))}
  </div>
);

const sizeOf = (option: Option): number => ('more' in option ? option.more : 1);

const idOf = (name: string): string => `ask-${name.replaceAll(/[^\w-]/g, '_')}`;

function foldersOf(typed: string, cadre: CadreInfo, whole: ReadonlySet<string>): readonly Folder[] {
  return matching(typed, cadre).map(({ folder, agents }, index) => {
    const id = `${idOf(folder)}_more`;
    const isCut = index >= MANY_FOLDERS && !whole.has(id) && agents.length > FIRST;
    const shown = isCut ? agents.slice(0, FIRST) : agents;
    return {
      name: folder,
      words: `${agents.length} of ${cadre.agents.filter(({ prefix }) => prefix === `${folder}/`).length}`,
      options: [
        ...shown.map((agent) => ({ id: idOf(agent.name), agent })),
        ...(isCut ? [{ id, more: agents.length - shown.length }] : []),
      ],
    };
  });
}

/** Agents that a person begins with have a door, and a price. */
function optionWords(
  { name, prefix, description = '' }: AgentInfo,
  cadre: CadreInfo,
  typed: string,
): ComponentChildren {
  const entry = entryAgents(cadre).find((one) => one.name === name);
  return (
    <>
      {entry === undefined ? <span /> : <Icon name="enter" />}
      <b class="cut" title={name}>
        {marked(name.slice(prefix.length), typed)}
      </b>
      <span class="cut faint" dir="auto">
        {marked(description, typed)}
      </span>
      <span class="faint num">{entry === undefined ? '' : priceTag(entry, cadre)}</span>
    </>
  );
}

/** The words of the person underlined, where they stand first. */
function marked(text: string, typed: string): ComponentChildren {
  const words = typed.trim().toLowerCase();
  const at = words === '' ? -1 : text.toLowerCase().indexOf(words);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + words.length)}</mark>
      {text.slice(at + words.length)}
    </>
  );
}
