// The commands of the palette: every screen adds those that it has. Commands for the selection come first, then runs,
// agents, ops of this run, then places.

import { useEffect } from 'preact/hooks';
import type { IconName } from '../parts/icon.tsx';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
  /** The key, or the flag of the command line, that does the same. */
  readonly keys?: string;
  readonly hint?: string;
  /** Other words by which it is found. */
  readonly also?: string;
  /** `command`: found with `>`; `op`: with `#`; `agent`: with `@`. */
  readonly kind: 'command' | 'run' | 'agent' | 'op' | 'place';
  readonly run: () => void;
}

export interface CommandGroup {
  readonly title: string;
  /** Low comes first: 0 acts on the selection, 1 runs, 2 agents, 3 ops, 4 what follows, 5 places. */
  readonly order: number;
  readonly commands: readonly Command[];
}

/** The commands of a part of the page for the typed words. It answers from loaded data, within a frame. */
export type CommandSource = (asked: string) => readonly CommandGroup[];

const sources = new Set<CommandSource>();

export function useCommands(source: CommandSource): void {
  useEffect(() => {
    sources.add(source);
    return () => {
      sources.delete(source);
    };
  }, [source]);
}

const MOST = 10;
const PREFIXES: Readonly<Record<string, Command['kind']>> = { '>': 'command', '#': 'op', '@': 'agent' };

/** The groups that fit what was typed, each with at most ten commands. `more`: what only the palette knows. */
export function foundCommands(typed: string, more: readonly CommandSource[] = []): readonly CommandGroup[] {
  const kind = PREFIXES[typed[0] ?? ''];
  const asked = (kind === undefined ? typed : typed.slice(1)).trim().toLowerCase();
  const words = asked.split(/\s+/).filter((word) => word !== '');
  return [...sources, ...more]
    .flatMap((source) => source(asked))
    .sort((left, right) => left.order - right.order)
    .map((group) => ({
      ...group,
      commands: group.commands
        .filter((one) => (kind === undefined || one.kind === kind) && fits(one, words))
        .slice(0, MOST),
    }))
    .filter(({ commands }) => commands.length > 0);
}

function fits({ title, also = '', hint = '' }: Command, words: readonly string[]): boolean {
  const text = `${title}\n${also}\n${hint}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The parts of a title, those that were typed marked. */
export function marked(title: string, typed: string): readonly { readonly text: string; readonly hit: boolean }[] {
  const words = typed
    .replace(/^[>#@]/, '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (words.length === 0) return [{ text: title, hit: false }];
  return title
    .split(new RegExp(`(${words.join('|')})`, 'i'))
    .map((text, index) => ({ text, hit: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
