// Options that several commands have, and how a command hands back its exit code.

import { type Command, Option } from 'commander';

/**
 * Makes the action that loads a command, calls it and takes its exit code. A command gets its arguments and then its options:
 * one before the name of a subcommand counts too.
 */
export type CommandRunner = (
  load: () => Promise<(...given: never[]) => Promise<number>>,
) => (...given: unknown[]) => Promise<void>;

/** Parses an option that may be repeated: every value counts. */
export const collect = (one: string, earlier: readonly string[] = []): readonly string[] => [...earlier, one];

export const storeOption = (command: Command): Command =>
  command
    .option(
      '--store <place>',
      'the store of runs: a folder, postgres://… or restate://… (or CADRE_STORE; else the nearest .cadre)',
    )
    .option(
      '--engine <name>',
      'restate: Restate keeps the runs and hands them to its workers (restate://127.0.0.1:8080)',
    );

export const workspaceOption = (): Option =>
  new Option(
    '--workspace <folder>',
    'the folder that the tools work in (else the one that the run recorded, or cadre.yaml names)',
  );

const ALL = '*';

/** May be repeated, each time with or without the name of a tool. optional-values.ts says which word is its value. */
export const approveOption = (): Option =>
  new Option('--approve [tool]', 'say yes beforehand to this tool, or to all')
    .preset(ALL)
    .argParser<readonly (string | true)[] | undefined>((tool, earlier) => [
      ...(earlier ?? []),
      tool === ALL ? true : tool,
    ]);
