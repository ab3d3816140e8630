// The palette: one field that finds runs, agents, ops and places, and does what the keyboard can do.

import { signal } from '@preact/signals';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useRun } from '../data/runs-in-use.ts';
import { Key } from '../parts/controls.tsx';
import { useFocusInside } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Command, type CommandGroup, type CommandSource, foundCommands, marked } from './commands.ts';
import { useKeys } from './keys.ts';
import { agentCommands, opCommands, useRunCommands } from './palette-sources.ts';
import { address } from './router.ts';

export const paletteOpen = signal(false);

const close = (): void => {
  paletteOpen.value = false;
};

export const Palette = () => {
  if (!paletteOpen.value) return null;
  const { place } = address.value;
  return place.screen === 'run' ? <RunPalette run={place.run} /> : <OpenPalette ops={undefined} />;
};

const RunPalette = ({ run }: { readonly run: string }) => {
  const data = useRun(run);
  return <OpenPalette ops={opCommands(run, data.tree.value)} />;
};

const OpenPalette = ({ ops }: { readonly ops: CommandSource | undefined }) => {
  const box = useRef<HTMLDivElement>(null);
  useFocusInside(box);
  useKeys(useMemo(() => [{ keys: 'Escape|mod+k', does: 'close the palette', run: close }], []));
  const { typed, type, groups, all, at, act, pressed } = useSearch(ops);
  return (
    <div
      class="veil"
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div ref={box} class="palette stack paper" role="dialog" aria-modal="true" aria-label="Search, or run a command">
        <PaletteField
          typed={typed}
          active={all[at] === undefined ? undefined : `cmd-${at}`}
          isOpen={all.length > 0}
          onType={type}
          onKeyDown={pressed}
        />
        {all.length === 0 ? (
          <p class="head" role="status" id="palette-found">
            Nothing fits. Ids, inputs, agents and tools are looked at.
          </p>
        ) : (
          <div class="scrolls" id="palette-found" role="listbox" aria-label="Found">
            {groups.map((group) => (
              <Group
                key={group.title}
                group={group}
                first={all.indexOf(group.commands[0] as Command)}
                {...{ at, typed, act }}
              />
            ))}
          </div>
        )}
        <PaletteHelp />
      </div>
    </div>
  );
};

/** The commands that fit what was typed, the one that the arrows are on, and what keys do. */
function useSearch(ops: CommandSource | undefined) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const runs = useRunCommands(typed);
  const groups = foundCommands(typed, [runs, agentCommands, ...(ops === undefined ? [] : [ops])]);
  const all = groups.flatMap(({ commands }) => commands);
  const at = Math.min(chosen, all.length - 1);
  const current = all[at];
  const act = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen((at + 1) % Math.max(1, all.length));
    else if (event.key === 'ArrowUp') setChosen((at - 1 + all.length) % Math.max(1, all.length));
    else if (event.key === 'Enter') act(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (text: string): void => {
    setTyped(text);
    setChosen(0);
  };
  return { typed, type, groups, all, at, act, pressed };
}

const PaletteField = (props: {
  readonly typed: string;
  readonly active: string | undefined;
  readonly isOpen: boolean;
  readonly onType: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) => (
  <div class="asked line gaps-10 ruled">
    <Icon name="search" />
    <input
      class="bare-field"
      dir="auto"
      type="text"
      role="combobox"
      aria-label="Search, or run a command"
      aria-expanded={props.isOpen}
      aria-controls="palette-found"
      aria-activedescendant={props.active}
      placeholder="Search, or run a command"
      value={props.typed}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => props.onType(event.currentTarget.value)}
      onKeyDown={props.onKeyDown}
    />
    <Key keys="Escape" />
  </div>
);

const PaletteHelp = () => (
  <footer class="inset line wraps ruled-above ground tiny-text faint" aria-hidden="true">
    <span>
      <Key keys="ArrowUp" /> <Key keys="ArrowDown" /> choose
    </span>
    <span>
      <Key keys="Enter" /> do it
    </span>
    <span>
      <kbd>&gt;</kbd> commands only
    </span>
    <span>
      <kbd>#</kbd> an op, as in #0.4.7.1
    </span>
    <span>
      <kbd>@</kbd> an agent
    </span>
  </footer>
);

const Group = (props: {
  readonly group: CommandGroup;
  readonly first: number;
  readonly at: number;
  readonly typed: string;
  readonly act: (command: Command) => void;
}) => (
  <div role="group" aria-label={props.group.title}>
    <div class="head" aria-hidden="true">
      {props.group.title}
    </div>
    {props.group.commands.map((command, index) => (
      <div
        key={command.id}
        id={`cmd-${props.first + index}`}
        class="opt line gaps-10 choosable"
        role="option"
        aria-selected={props.first + index === props.at}
        onMouseDown={(event) => {
          event.preventDefault();
          props.act(command);
        }}
      >
        <Icon name={command.icon ?? 'routed'} />
        <span class="grow cut" dir="auto">
          {marked(command.title, props.typed).map(({ text, hit }, part) =>
            hit ? <mark key={part}>{text}</mark> : text,
          )}
        </span>
        {command.hint !== undefined && <span class="faint mono wide-only">{command.hint}</span>}
        {command.keys !== undefined && <Key keys={command.keys} />}
      </div>
    ))}
  </div>
);
