// Chooses an agent: a combobox, grouped by folder. Arrows choose, Enter goes on to the question.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CadreInfo } from '../../../../src/server/protocol.ts';
import { Icon } from '../icon.tsx';
import { entryAgents, matching } from './ask-words.ts';

interface Props {
  readonly cadre: CadreInfo;
  readonly chosen: string;
  /** The focus goes here first. */
  readonly isFirst: boolean;
  /** The list stays open: there are many. */
  readonly isOpen: boolean;
  readonly onChoose: (agent: string) => void;
  /** The choice is made. */
  readonly onChosen: () => void;
}

/** The number of folders from which on each shows only its first agents. */
const MANY_FOLDERS = 5;
const FIRST = 3;

export const AgentChoice = ({ cadre, chosen, isFirst, isOpen, onChoose, onChosen }: Props) => {
  const [typed, setTyped] = useState('');
  const [hasFocus, setFocus] = useState(false);
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus();
  }, []);
  const entries = new Set(entryAgents(cadre).map(({ name }) => name));
  const folders = matching(typed, cadre);
  const cut = folders.map((one, index) => ({
    ...one,
    shown: index >= MANY_FOLDERS && !whole.has(one.folder) ? one.agents.slice(0, FIRST) : one.agents,
  }));
  const options = cut.flatMap(({ shown }) => shown);
  const isShown = isOpen || hasFocus;
  const move = (step: number): void => {
    const at = options.findIndex(({ name }) => name === chosen);
    const next = options[at < 0 ? 0 : Math.max(0, Math.min(options.length - 1, at + step))];
    if (next !== undefined) onChoose(next.name);
    document.getElementById(idOf(next?.name ?? chosen))?.scrollIntoView({ block: 'nearest' });
  };
  const type = (words: string): void => {
    setTyped(words);
    const [best] = matching(words, cadre).flatMap(({ agents }) => agents);
    if (best !== undefined) onChoose(best.name);
  };
  const done = (): void => {
    setTyped('');
    setFocus(false);
    onChosen();
  };
  return (
    <div class="ask-choice">
      <label class="ask-choice-field">
        <Icon name="search" />
        <span class="sr">Agent</span>
        <input
          dir="auto"
          ref={input}
          type="text"
          role="combobox"
          aria-expanded={isShown}
          aria-controls="ask-options"
          aria-activedescendant={isShown ? idOf(chosen) : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          data-first={isFirst}
          value={typed}
          placeholder={chosen}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') move(1);
            else if (event.key === 'ArrowUp') move(-1);
            else if (event.key === 'Enter') done();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        <span class="faint num">
          {folders.reduce((sum, { agents }) => sum + agents.length, 0)} of {cadre.agents.length}
        </span>
      </label>
      <div
        id="ask-options"
        class="ask-options"
        role="listbox"
        aria-label="Agents"
        tabIndex={-1}
        hidden={!isShown}
        onMouseDown={(event) => event.preventDefault()}
      >
        {options.length === 0 && (
          <div class="faint" role="option" aria-selected="false" aria-disabled="true">
            No match among {cadre.agents.length} agents. Remove a word.
          </div>
        )}
        {cut.map(({ folder, agents, shown }) => (
          <div key={folder} role="group" aria-label={folder === '' ? 'Agents' : folder}>
            {folder !== '' && (
              <p class="ask-folder" aria-hidden="true">
                <b>{folder}</b> {agents.length} of {cadre.agents.filter(({ prefix }) => prefix === `${folder}/`).length}
              </p>
            )}
            {shown.map(({ name, prefix, description }) => (
              <div
                key={name}
                id={idOf(name)}
                role="option"
                aria-selected={name === chosen}
                onClick={() => {
                  onChoose(name);
                  done();
                }}
              >
                {entries.has(name) ? <Icon name="left" /> : <span />}
                <b class="cut" title={name}>
                  {name.slice(prefix.length)}
                </b>
                <span class="cut faint" dir="auto">
                  {description}
                </span>
              </div>
            ))}
            {agents.length > shown.length && (
              <div
                role="option"
                aria-selected="false"
                class="ask-more"
                onClick={() => setWhole(new Set([...whole, folder]))}
              >
                {agents.length - shown.length} more in {folder}
              </div>
            )}
          </div>
        ))}
      </div>
    </div>
  );
};

const idOf = (name: string): string => `ask-${name.replaceAll(/[^\w-]/g, '_')}`;
