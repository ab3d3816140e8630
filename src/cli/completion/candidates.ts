// The words that fit at the cursor of a command line that is being typed: commands, options, agents of this folder,
// runs of its store. It runs at every Tab, so it reads and changes nothing else, and a failure is only an empty list.

import type { Argument, Command, Option } from 'commander';
import { readCadres } from '../../definition/load.ts';
import { EXIT } from '../../kernel/fault.ts';
import { isFolder } from '../lookup/stats.ts';
import { openStore, storeFromHere } from '../lookup/store-place.ts';
import { oneLine } from '../render/width.ts';
import { print } from '../screen/output.ts';

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Prints them one a line. `words` are those after `cadre`; the last one is what is being typed. */
export async function completeWords(words: readonly string[], cli: Command): Promise<number> {
  const typed = words.at(-1) ?? '';
  const all = await candidates(words, cli).catch(() => []); // a shell has no place for an error here
  const fitting = all.filter(({ word }) => word.startsWith(typed) && SAFE.test(word));
  if (fitting.length > 0) print(fitting.map(({ word, about }) => `${word}\t${oneLine(about)}`).join('\n'));
  return EXIT.answered;
}

/** Words that no shell reads as anything but themselves. */
const SAFE = /^[\w./@+-]+$/;

async function candidates(words: readonly string[], cli: Command): Promise<readonly Candidate[]> {
  const { command, given, option } = whereIn(words.slice(0, -1), cli);
  if (option !== undefined) return valuesOf(option);
  if ((words.at(-1) ?? '').startsWith('-')) return optionsOf(command);
  const argument = command.registeredArguments[given] ?? variadic(command);
  const below = given === 0 ? commandsOf(command) : [];
  return [...below, ...(argument === undefined ? [] : await fittingArgument(argument, cli))];
}

function whereIn(
  words: readonly string[],
  cli: Command,
): {
  readonly command: Command;
  /** The number of its arguments that are there already. */
  readonly given: number;
  /** The option whose value comes next. */
  readonly option?: Option;
} {
  let command = cli;
  let given = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word.startsWith('-') && word !== '-') {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      if (option?.required !== true) continue;
      if (++index === words.length) return { command, given, option };
      continue;
    }
    const below = given === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (below === undefined) given++;
    else command = below;
  }
  return { command, given };
}

const variadic = ({ registeredArguments }: Command): Argument | undefined => {
  const last = registeredArguments.at(-1);
  return last?.variadic === true ? last : undefined;
};

const commandsOf = ({ commands }: Command): readonly Candidate[] =>
  commands.filter((one) => !isHidden(one)).map((one) => ({ word: one.name(), about: one.description() }));

/** Commander keeps this to itself. */
const isHidden = (command: Command): boolean => (command as { readonly _hidden?: boolean })._hidden === true;

const optionsOf = ({ options }: Command): readonly Candidate[] => [
  ...options.flatMap(({ long, description }) => (long ? { word: long, about: description } : [])),
  { word: '--help', about: 'show help' },
];

const AGENT_OPTIONS: readonly string[] = ['--agent', '--stop-after'];
const RUN_OPTIONS: readonly string[] = ['--label', '--after'];
const FIXED: Readonly<Record<string, readonly string[]>> = {
  '--output': ['json', 'text', 'markdown'],
  '--format': ['text', 'mermaid', 'dot', 'svg', 'json'],
  '--outcome': ['answered', 'exhausted', 'over-budget', 'timed-out', 'cancelled', 'failed', 'broken-off'],
};

/** Nothing for files and folders, so that the shell offers its own. */
async function valuesOf({ long }: Option): Promise<readonly Candidate[]> {
  const name = long ?? '';
  if (Object.hasOwn(FIXED, name)) return (FIXED[name] ?? []).map((word) => ({ word, about: '' }));
  if (AGENT_OPTIONS.includes(name)) return agents();
  return RUN_OPTIONS.includes(name) ? runs() : [];
}

async function fittingArgument(argument: Argument, cli: Command): Promise<readonly Candidate[]> {
  switch (argument.name()) {
    case 'agent':
      return agents();
    case 'run':
    case 'left':
    case 'right':
      return runs();
    case 'topic':
      return [...commandsOf(cli), ...(await agents()), { word: 'exit-codes', about: 'what they mean' }];
    case 'shell':
      return ['bash', 'zsh', 'fish'].map((word) => ({ word, about: '' }));
    default:
      return [];
  }
}

async function agents(): Promise<readonly Candidate[]> {
  const cadres = await readCadres('.');
  return cadres.flatMap(({ prefix, reading: { cadre } }) =>
    [...(cadre?.agents.values() ?? [])].map(({ name, description = '' }) => ({
      word: prefix + name,
      about: description,
    })),
  );
}

const NEWEST = 30;

/** The runs of a store on this machine. One that is elsewhere would keep the person waiting at a Tab. */
async function runs(): Promise<readonly Candidate[]> {
  const place = storeFromHere({});
  if (place.dir === undefined || !isFolder(place.dir)) return [];
  const store = await openStore(place, () => {});
  const found = await store.list({ limit: NEWEST });
  const named = found.flatMap(({ run, label, agent }) => [
    ...(label === undefined ? [] : [{ word: label, about: `${agent}, ${run}` }]),
    { word: run, about: agent },
  ]);
  return [{ word: 'last', about: 'the newest run' }, ...named];
}
