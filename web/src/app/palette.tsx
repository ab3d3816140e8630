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
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useFocusInside(box);
  useKeys(useMemo(() => [{ keys: 'Escape|mod+k', does: 'close the palette', run: close }], []));
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
  return (
    <div
      class="veil"
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div ref={box} class="palette" role="dialog" aria-modal="true" aria-label="Search, or run a command">
        <div class="asked">
          <Icon name="search" />
          <input
            dir="auto"
            type="text"
            role="combobox"
            aria-label="Search, or run a command"
            aria-expanded={all.length > 0}
            aria-controls="palette-found"
            aria-activedescendant={current === undefined ? undefined : `cmd-${at}`}
            placeholder="Search, or run a command"
            value={typed}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={pressed}
          />
          <Key keys="Escape" />
        </div>
        {all.length === 0 && (
          <p class="head found" role="status">
            Nothing fits. Ids, inputs, agents and tools are looked at.
          </p>
        )}
        <div
          class={all.length === 0 ? '' : 'found'}
          id="palette-found"
          role={all.length === 0 ? undefined : 'listbox'}
          aria-label={all.length === 0 ? undefined : 'Found'}
        >
          {groups.map((group) => (
            <Group
              key={group.title}
              group={group}
              first={all.indexOf(group.commands[0] as Command)}
              at={at}
              typed={typed}
              act={act}
            />
          ))}
        </div>
        <footer aria-hidden="true">
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
      </div>
    </div>
  );
};

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
        class="opt"
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
        {command.hint !== undefined && <span class="faint mono">{command.hint}</span>}
        {command.keys !== undefined && <Key keys={command.keys} />}
      </div>
    ))}
  </div>
);
