// Options whose value may be left out: `--approve`, `--approve pay`, `--approve=pay`. The word after such an option is
// its value, unless the command has not had all the words that it needs: `cadre run --approve clerk "…"` names the
// agent, not a tool.

import type { Command, Option } from 'commander';

/** The same command line, with `=` where an option is given without its value and a needed word follows. */
export function sparingNeededWords(argv: readonly string[], cli: Command): readonly string[] {
  const spared: string[] = [];
  let command = cli;
  let words = 0;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (word === '--') return [...spared, ...argv.slice(index)];
    spared.push(word);
    if (!isOption(word)) {
      const below = words === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (below === undefined) words++;
      else command = below;
      continue;
    }
    const option = command.options.find(({ long, short }) => long === word || short === word);
    if (option === undefined || !takesWord(option, argv[index + 1])) continue;
    if (option.optional && typeof option.presetArg === 'string' && words < needed(command)) {
      spared[spared.length - 1] = `${option.long}=${option.presetArg}`;
    } else spared.push(argv[++index] as string);
  }
  return spared;
}

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';

const takesWord = (option: Option, next: string | undefined): boolean =>
  next !== undefined && (option.required || (option.optional && !isOption(next)));

const needed = ({ registeredArguments }: Command): number =>
  registeredArguments.filter((argument) => argument.required).length;
